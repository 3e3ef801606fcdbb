/** Trades from the values of mapped rows: a closed one with the two executions that it implies, an open one as given. */
import type { Values } from '../../journal-write/record.ts';
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney, Sum } from '../../money.ts';
import { GivenMultipliers, multiplierOf } from '../fills/multiplier.ts';
import type { FileRecord, StatedTotal } from '../fills/reading.ts';
import type { Instrument } from '../parse/instruments.ts';
import { type ClosedTrade, closedTrades, pointsOf, totalOf } from '../table/closed-trade.ts';
import { instrumentOf } from './fills.ts';
import { formatName } from './ids.ts';
import type { Mapping } from './schema.ts';

interface MappedTrade extends FileRecord {
  /** Undefined while it is open. */
  closed: ClosedTrade | undefined;
}

/**
 * @param rows values from rowReader, with ids
 * @param currency of a row without one
 * @returns records, notes on trades with P&L that contradicts their prices, and the file's totals
 * @throws RowError if a required value is missing
 */
export function mappedTrades(
  rows: readonly FileRecord[],
  mapping: Mapping,
  currency: string,
): { records: FileRecord[]; notes: string[]; stated: StatedTotal[] } {
  const trades = rows.map((row) => tradeOf(row, mapping, currency));
  const closed = trades.flatMap((trade) => trade.closed ?? []);
  const { records, notes } = closedTrades(formatName(mapping), closed);
  const made = new Map(closed.map((trade, index) => [trade, records[index]?.values]));
  return {
    records: trades.map(({ line, values: { net_pnl: _, ...values }, closed: own }) => ({
      line,
      values: own ? { ...values, ...made.get(own), id: values['id'] } : values,
    })),
    notes,
    stated: [...(mapping.fields['gross_pnl'] ? totalOf(closed, 'gross') : []), ...netTotals(trades)],
  };
}

function tradeOf({ line, values }: FileRecord, mapping: Mapping, currency: string): MappedTrade {
  // If one column is the day of both entry and exit, only an exit price shows that the trade is closed.
  const sharesDay = JSON.stringify(mapping.fields['closed_at']) === JSON.stringify(mapping.fields['executed_at']);
  const isOpen =
    values['status'] === 'open' ||
    typeof values['closed_at'] !== 'string' ||
    (sharesDay && (values['exit_price'] ?? null) === null);
  const needed = ['symbol', 'market', 'executed_at', 'quantity', 'entry_price', ...(isOpen ? [] : ['exit_price'])];
  const missing = needed.filter((name) => (values[name] ?? null) === null);
  if (missing.length > 0) throw RowError.missing(missing, line);
  const signed = values['quantity'] as number;
  const quantity = Math.abs(signed);
  if (quantity === 0) throw new RowError('quantity', 'must not be 0', line);
  const side = (values['side'] as 'long' | 'short' | undefined) ?? (signed > 0 ? 'long' : 'short');
  const instrument = instrumentOf(values, mapping, currency);
  if (!isOpen) return { line, values, closed: closedTrade(line, values, { side, quantity, instrument }) };
  const { symbol, underlying } = instrument;
  const multiplier = sizeOf(instrument, line);
  const own = { ...values, side, quantity, symbol, underlying, multiplier, currency: instrument.currency };
  return { line, values: { ...own, status: 'open', closed_at: null }, closed: undefined };
}

function closedTrade(
  line: number,
  values: Values,
  { side, quantity, instrument }: Pick<ClosedTrade, 'side' | 'quantity'> & { instrument: Instrument },
): ClosedTrade {
  const amount = (name: string) => values[name] as number | null | undefined;
  const fees = amount('fees') ?? 0;
  const trade: ClosedTrade = {
    line,
    id: null,
    account: (values['account'] as string | null | undefined) ?? null,
    instrument,
    side,
    quantity,
    entry: { executedAt: values['executed_at'] as string, price: amount('entry_price') as number },
    exit: { executedAt: values['closed_at'] as string, price: amount('exit_price') as number },
    gross: 0,
    fees,
    multiplier: instrument.multiplier,
  };
  const net = amount('net_pnl') ?? null;
  const stated = amount('gross_pnl') ?? (net === null ? null : net + fees);
  if (stated !== null) return { ...trade, gross: roundMoney(stated) };
  const multiplier = sizeOf(instrument, line);
  return { ...trade, multiplier, gross: roundMoney(pointsOf(trade) * multiplier) };
}

/** @throws RowError if the contract size is unknown */
function sizeOf(instrument: Instrument, line: number): number {
  try {
    return multiplierOf(instrument, { moves: [], given: new GivenMultipliers(), stored: undefined });
  } catch {
    const { symbol } = instrument;
    const remedy = `add it to the mapping, such as "multipliers": {"${symbol}": 50}`;
    throw new RowError('multiplier', `unknown contract size for ${symbol}; ${remedy}`, line);
  }
}

/** Net totals in the file, for comparison. */
function netTotals(trades: readonly MappedTrade[]): StatedTotal[] {
  const sums = new Map<string, Sum>();
  for (const { values, closed } of trades) {
    const net = values['net_pnl'];
    if (!closed || typeof net !== 'number') continue;
    const { currency } = closed.instrument;
    const sum = sums.get(currency) ?? new Sum();
    sum.add(net);
    sums.set(currency, sum);
  }
  return [...sums].map(([currency, sum]) => {
    return { what: 'net', currency, symbol: null, amount: roundMoney(sum.value), isRealised: true };
  });
}
