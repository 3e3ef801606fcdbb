/**
 * Closed trades of platforms without fills in their exports: one record each, with the
 * two executions that it implies.
 */
import { contractSize } from '../../journal/derivatives.ts';
import type { Values } from '../../journal-write/record.ts';
import { roundMoney, Sum } from '../../money.ts';
import { type Instrument, instrumentColumns } from '../../parse/instruments.ts';
import { withoutZone } from '../../parse/times.ts';
import { multiplierFrom } from '../fills/multiplier.ts';
import {
  distinctIds,
  type FileRecord,
  factsHash,
  type StatedSum,
  type StatedTotal,
} from '../fills/reading.ts';

/** One row, or several rows of one trade. */
export interface RoundTrip {
  line: number;
  /** The platform's own, unique for the platform; null: a hash of the trade. */
  id: string | null;
  account: string | null;
  instrument: Omit<Instrument, 'multiplier'>;
  side: 'long' | 'short';
  quantity: number;
  entry: { executedAt: string; price: number };
  exit: { executedAt: string; price: number };
  /** Before fees, in the instrument's currency. */
  gross: number;
  /**
   * All costs, in the instrument's currency, positive; negative if rebates or interest
   * exceed them.
   */
  fees: number;
  /** Money per point and unit, if known; null: derived from gross and prices. */
  multiplier?: number | null;
  /** The user's own notes, tags, setup. */
  labels?: Values;
}

/** Price move times quantity: above 0 for a profit. */
export function pointsOf({ side, quantity, entry, exit }: RoundTrip): number {
  return (
    (side === 'long' ? exit.price - entry.price : entry.price - exit.price) * quantity
  );
}

/**
 * @param format the prefix of the ids
 * @returns a record for each, and notes on trades with P&L that contradicts their prices
 */
export function closedTrades(
  format: string,
  trades: readonly RoundTrip[],
): { records: FileRecord[]; notes: string[] } {
  const distinct = distinctIds();
  const ids = trades.map((trade) => distinct(`${format}:${trade.id ?? hashOf(trade)}`));
  const multipliers = new Map<RoundTrip, number>();
  const contradictions: string[] = [];

  for (const [symbol, ofSymbol] of Map.groupBy(
    trades,
    ({ instrument }) => instrument.symbol,
  )) {
    const common = multiplierOf(ofSymbol, symbol);
    for (const trade of ofSymbol) {
      const fitting = common ?? multiplierOf([trade], symbol);
      const multiplier = trade.multiplier ?? fitting ?? sizeOf(trade) ?? 1;
      multipliers.set(trade, multiplier);
      for (const text of contradictionOf(trade, multiplier, fitting))
        contradictions.push(text);
    }
  }

  const left = contradictions.length - SHOWN;
  const notes =
    left > 0
      ? [...contradictions.slice(0, SHOWN), `${left} more rows like these`]
      : contradictions;
  const records = trades.map((trade, index) => ({
    line: trade.line,
    values: valuesOf(trade, ids[index] as string, multipliers.get(trade) as number),
  }));

  return { records, notes };
}

/**
 * The same, with positions that are still open.
 * @param open each as if closed at the market price, with the costs so far
 */
export function withOpenTrades(
  format: string,
  trades: readonly RoundTrip[],
  open: readonly RoundTrip[],
): { records: FileRecord[]; notes: string[] } {
  const { records, notes } = closedTrades(format, [...trades, ...open]);
  const closed = records.slice(0, trades.length);
  const places = new Map(
    trades.flatMap(({ id }, place) =>
      id === null ? [] : [[id as string | null, place] as const],
    ),
  );
  const rest = open.map((trade, index) => {
    const part = places.get(trade.id) ?? -1;
    const values = openValues(
      records[trades.length + index] as FileRecord,
      trade,
      part < 0 ? undefined : closed[part],
    );
    if (part >= 0) closed.splice(part, 1, values);
    return part < 0 ? [values] : [];
  });

  return { records: [...closed, ...rest.flat()], notes };
}

/** @param part the closed part of the same trade */
function openValues(
  { line, values }: FileRecord,
  { quantity, fees }: RoundTrip,
  part?: FileRecord,
): FileRecord {
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

/** Maximum number of contradictions listed. */
const SHOWN = 5;

/** Half a cent: rounding of a stated P&L. */
const ROUNDING = 0.005 + 1e-6;

/**
 * A note if the P&L of a row contradicts its prices, or implies another contract size
 * than the exchange's.
 * @param multiplier of the trade
 * @param fitting the multiplier that explains its P&L, if any
 */
function contradictionOf(
  trade: RoundTrip,
  multiplier: number,
  fitting: number | undefined,
): string[] {
  const { line, gross } = trade;
  const points = pointsOf(trade);
  const size = sizeOf(trade) ?? multiplier;
  const isApart = Math.abs(points * multiplier - gross) > ROUNDING;
  if (!isApart && (size === multiplier || gross === 0)) return [];

  const shown = isApart ? multiplier : size;
  const fit =
    fitting === undefined
      ? 'no contract size fits'
      : `a contract size of ${fitting} fits`;
  return [
    `line ${line}: P&L is ${gross}, but the prices give ${roundMoney(points * shown)} at a contract size of ${shown}; ${fit}; the P&L in the file is kept`,
  ];
}

/** Totals of the values in a file's rows, by currency. */
export function totalOf(trades: readonly RoundTrip[], what: StatedSum): StatedTotal[] {
  return totals(
    trades.map(({ gross, fees, instrument: { currency } }) => {
      return { what, currency, amount: { gross, fees, net: gross - fees }[what] };
    }),
  );
}

export type StatedAmount = Pick<StatedTotal, 'what' | 'currency' | 'amount'>;

/** The sums of stated amounts by kind and currency. */
export function totals(amounts: readonly StatedAmount[]): StatedTotal[] {
  const groups = Map.groupBy(amounts, ({ what, currency }) => `${what} ${currency}`);
  return [...groups.values()].map((ofSum) => {
    const { what, currency } = ofSum[0];
    const sum = new Sum();
    for (const { amount } of ofSum) sum.add(amount);
    return { what, currency, symbol: null, amount: roundMoney(sum.value) };
  });
}

/**
 * Money per point: 1 for a share, the exchange's specification for a future; undefined if
 * not in the table.
 */
export function sizeOf({ instrument }: RoundTrip): number | undefined {
  return instrument.market === 'stock'
    ? 1
    : contractSize(instrument.underlying ?? '')?.multiplier;
}

/**
 * The multiplier that explains all P&L; undefined if none. Any explains a P&L of 0: then
 * the specified one.
 */
function multiplierOf(trades: readonly RoundTrip[], symbol: string): number | undefined {
  if (trades.every(({ gross }) => gross === 0))
    return (trades[0] && sizeOf(trades[0])) ?? 1;
  return commonSize(trades, symbol);
}

/**
 * The roundest contract size that explains the P&L of all trades; undefined if none, or
 * if no price moved.
 */
export function commonSize(
  trades: readonly RoundTrip[],
  symbol = '',
): number | undefined {
  const moves = trades.map((trade) => ({
    points: pointsOf(trade),
    gross: trade.gross,
    line: trade.line,
  }));
  try {
    return multiplierFrom(moves, symbol);
  } catch {
    return undefined;
  }
}

function valuesOf(
  trade: RoundTrip,
  id: string,
  multiplier: number,
): FileRecord['values'] {
  const { account, instrument, side, quantity, entry, exit, fees, labels } = trade;
  const [opening, closing] = side === 'long' ? ['buy', 'sell'] : ['sell', 'buy'];

  return {
    id,
    ...labels,
    ...(account === null ? {} : { account }),
    ...instrumentColumns(instrument),
    side,
    status: 'closed',
    executed_at: entry.executedAt,
    closed_at: exit.executedAt,
    quantity,
    multiplier,
    entry_price: entry.price,
    exit_price: exit.price,
    // A trade's fees are never below 0: interest received for holding it counts as P&L.
    gross_pnl: roundMoney(trade.gross - Math.min(0, fees)),
    fees: roundMoney(Math.max(0, fees)),
    executions: [
      {
        executed_at: entry.executedAt,
        side: opening,
        quantity,
        price: entry.price,
        fees: 0,
      },
      {
        executed_at: exit.executedAt,
        side: closing,
        quantity,
        price: exit.price,
        fees: roundMoney(fees),
      },
    ],
  };
}

function hashOf({ account, instrument, side, quantity, entry, exit }: RoundTrip): string {
  const ends = [
    withoutZone(entry.executedAt),
    entry.price,
    withoutZone(exit.executedAt),
    exit.price,
  ];
  return factsHash([account, instrument.symbol, side, quantity, ...ends]);
}
