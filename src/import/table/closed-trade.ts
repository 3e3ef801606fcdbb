/** Closed trades, as platforms state them that list no fills: one record each, with the two executions that it implies. */
import { createHash } from 'node:crypto';
import type { Values } from '../../journal-write/record.ts';
import { roundMoney, Sum } from '../../money.ts';
import { multiplierFrom } from '../fills/multiplier.ts';
import type { FileRecord, StatedSum, StatedTotal } from '../fills/reading.ts';
import { contractSize } from '../parse/contract-sizes.ts';
import type { Instrument } from '../parse/instruments.ts';

/** One row, or what several say of one trade. */
export interface ClosedTrade {
  line: number;
  /** The platform's own, unique for the platform; null: a hash of what the trade is. */
  id: string | null;
  account: string | null;
  instrument: Omit<Instrument, 'multiplier'>;
  side: 'long' | 'short';
  quantity: number;
  entry: { executedAt: string; price: number };
  exit: { executedAt: string; price: number };
  /** Before fees, in the instrument's currency. */
  gross: number;
  /** All costs, in the instrument's currency, positive; negative where rebates or interest are more than they. */
  fees: number;
  /** Money per point and unit, where it is known; null: told by gross and prices. */
  multiplier?: number | null;
  /** What people wrote on it: notes, tags, a setup. */
  labels?: Values;
}

/** What the prices moved by, times the quantity: above 0 where money was made. */
export function pointsOf({ side, quantity, entry, exit }: ClosedTrade): number {
  return (side === 'long' ? exit.price - entry.price : entry.price - exit.price) * quantity;
}

/**
 * @param format whose name goes before the ids
 * @returns a record each, and notes on those whose P&L contradicts their prices
 */
export function closedTrades(
  format: string,
  trades: readonly ClosedTrade[],
): { records: FileRecord[]; notes: string[] } {
  const ids = idsOf(format, trades);
  const multipliers = new Map<ClosedTrade, number>();
  const contradictions: string[] = [];
  for (const [symbol, own] of Map.groupBy(trades, ({ instrument }) => instrument.symbol)) {
    const common = multiplierOf(own, symbol);
    for (const trade of own) {
      const fitting = common ?? multiplierOf([trade], symbol);
      const multiplier = trade.multiplier ?? fitting ?? sizeOf(trade) ?? 1;
      multipliers.set(trade, multiplier);
      for (const text of contradictionOf(trade, multiplier, fitting)) contradictions.push(text);
    }
  }
  const left = contradictions.length - SHOWN;
  const notes = left > 0 ? [...contradictions.slice(0, SHOWN), `${left} more rows are like these`] : contradictions;
  const records = trades.map((trade, index) => ({
    line: trade.line,
    values: valuesOf(trade, ids[index] as string, multipliers.get(trade) as number),
  }));
  return { records, notes };
}

/**
 * The same, with positions that are open still.
 * @param open each as if it were closed at the market's price, with the costs so far
 */
export function withOpenTrades(
  format: string,
  trades: readonly ClosedTrade[],
  open: readonly ClosedTrade[],
): { records: FileRecord[]; notes: string[] } {
  const { records, notes } = closedTrades(format, [...trades, ...open]);
  const closed = records.slice(0, trades.length);
  const places = new Map(
    trades.flatMap(({ id }, place) => (id === null ? [] : [[id as string | null, place] as const])),
  );
  const rest = open.map((trade, index) => {
    const part = places.get(trade.id) ?? -1;
    const values = openValues(records[trades.length + index] as FileRecord, trade, part < 0 ? undefined : closed[part]);
    if (part >= 0) closed.splice(part, 1, values);
    return part < 0 ? [values] : [];
  });
  return { records: [...closed, ...rest.flat()], notes };
}

/** @param part of the same trade that is closed by now */
function openValues({ line, values }: FileRecord, { quantity, fees }: ClosedTrade, part?: FileRecord): FileRecord {
  const [entry] = values['executions'] as [Record<string, unknown>];
  const before = part?.values ?? {};
  const exits = ((before['executions'] as unknown[] | undefined) ?? []).slice(1);
  const whole = quantity + Number(before['quantity'] ?? 0);
  return {
    line: part?.line ?? line,
    values: {
      ...values,
      id: before['id'] ?? values['id'],
      status: 'open',
      closed_at: null,
      quantity: whole,
      open_quantity: quantity,
      exit_price: before['exit_price'] ?? null,
      gross_pnl: before['gross_pnl'] ?? 0,
      fees: roundMoney(fees + Number(before['fees'] ?? 0)),
      executions: [{ ...entry, quantity: whole, fees }, ...exits],
    },
  };
}

/** How many contradictions are told one by one. */
const SHOWN = 5;

/** Half a cent, by which a stated P&L may be rounded. */
const ROUNDING = 0.005 + 1e-6;

/**
 * Whether the P&L of a row is another than its prices make, or makes a point worth something else than the exchange says.
 * @param multiplier that the trade gets
 * @param fitting the one that explains its P&L, if one does
 */
function contradictionOf(trade: ClosedTrade, multiplier: number, fitting: number | undefined): string[] {
  const { line, gross } = trade;
  const points = pointsOf(trade);
  const size = sizeOf(trade) ?? multiplier;
  const isApart = Math.abs(points * multiplier - gross) > ROUNDING;
  if (!isApart && (size === multiplier || gross === 0)) return [];
  const told = isApart ? multiplier : size;
  const fit = fitting === undefined ? 'no multiplier fits' : `a multiplier of ${fitting} fits`;
  return [
    `line ${line}: P&L is ${gross}, but the prices make ${roundMoney(points * told)} at a multiplier of ${told}; ${fit}; P&L is kept as the file has it`,
  ];
}

/** The sums of what the rows of a file state, by currency. */
export function totalOf(trades: readonly ClosedTrade[], what: StatedSum): StatedTotal[] {
  return [...Map.groupBy(trades, ({ instrument }) => instrument.currency)].map(([currency, own]) => {
    const sum = new Sum();
    for (const { gross, fees } of own) sum.add({ gross, fees, net: gross - fees }[what]);
    return { what, currency, symbol: null, amount: roundMoney(sum.value) };
  });
}

/** Money per point: of a share 1, of a future by the exchange's specification; undefined for what isn't in the table. */
export function sizeOf({ instrument }: ClosedTrade): number | undefined {
  return instrument.market === 'stock' ? 1 : contractSize(instrument.underlying ?? '')?.multiplier;
}

/** The number that explains all P&L; undefined where none does. Where nothing was won or lost, any does: then what is specified. */
function multiplierOf(trades: readonly ClosedTrade[], symbol: string): number | undefined {
  const moves = trades.map((trade) => ({ points: pointsOf(trade), gross: trade.gross, line: trade.line }));
  if (moves.every(({ gross }) => gross === 0)) return (trades[0] && sizeOf(trades[0])) ?? 1;
  try {
    return multiplierFrom(moves, symbol);
  } catch {
    return undefined;
  }
}

function valuesOf(trade: ClosedTrade, id: string, multiplier: number): FileRecord['values'] {
  const { account, instrument, side, quantity, entry, exit, fees, labels } = trade;
  const [opening, closing] = side === 'long' ? ['buy', 'sell'] : ['sell', 'buy'];
  return {
    id,
    ...labels,
    ...(account === null ? {} : { account }),
    symbol: instrument.symbol,
    market: instrument.market,
    currency: instrument.currency,
    underlying: instrument.underlying,
    expiration: instrument.expiration,
    strike: instrument.strike,
    option_type: instrument.optionType,
    side,
    status: 'closed',
    executed_at: entry.executedAt,
    closed_at: exit.executedAt,
    quantity,
    multiplier,
    entry_price: entry.price,
    exit_price: exit.price,
    // Fees of a trade are never below 0: what is paid for holding it is part of what it made.
    gross_pnl: roundMoney(trade.gross - Math.min(0, fees)),
    fees: roundMoney(Math.max(0, fees)),
    executions: [
      { executed_at: entry.executedAt, side: opening, quantity, price: entry.price, fees: 0 },
      { executed_at: exit.executedAt, side: closing, quantity, price: exit.price, fees: roundMoney(fees) },
    ],
  };
}

/** Equal trades of a file are separate ones: the second has an ordinal. */
function idsOf(format: string, trades: readonly ClosedTrade[]): string[] {
  const counts = new Map<string, number>();
  return trades.map((trade) => {
    const id = `${format}:${trade.id ?? hashOf(trade)}`;
    const ordinal = (counts.get(id) ?? 0) + 1;
    counts.set(id, ordinal);
    return ordinal === 1 ? id : `${id}.${ordinal}`;
  });
}

function hashOf({ account, instrument, side, quantity, entry, exit }: ClosedTrade): string {
  const said = [account, instrument.symbol, side, quantity, entry.executedAt, entry.price, exit.executedAt, exit.price];
  return createHash('sha256').update(JSON.stringify(said)).digest('hex').slice(0, 24);
}
