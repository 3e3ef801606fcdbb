/** The same trades by symbol, market, hour and so on. */
import * as z from 'zod';
import type { ZoneClock } from '../../time.ts';
import { weekdayOf } from '../../time.ts';
import * as f from '../fields.ts';
import type { ClosedTrade } from './closed-trades.ts';
import { Tally } from './tally.ts';

type Key = string | number | null;

const HOLDING: readonly (readonly [seconds: number, key: string])[] = [
  [60, 'under_1m'],
  [300, '1m_to_5m'],
  [900, '5m_to_15m'],
  [3600, '15m_to_1h'],
  [14_400, '1h_to_4h'],
  [86_400, '4h_to_1d'],
  [604_800, '1d_to_1w'],
  [Number.POSITIVE_INFINITY, 'over_1w'],
];

/** The key of a trade in each dimension; several where it counts in several rows. */
const DIMENSIONS = {
  symbol: (trade: ClosedTrade) => trade.symbol,
  market: (trade: ClosedTrade) => trade.market,
  side: (trade: ClosedTrade) => trade.side,
  setup: (trade: ClosedTrade) => trade.setup,
  tag: (trade: ClosedTrade) => trade.tags,
  mistake: (trade: ClosedTrade) => trade.mistakes,
  weekday: (trade: ClosedTrade, clock: ZoneClock) => weekdayOf(clock.dayOf(trade.enteredMs)),
  hour: (trade: ClosedTrade, clock: ZoneClock) => clock.hourOf(trade.enteredMs),
  account: (trade: ClosedTrade) => trade.account,
  holding_time: (trade: ClosedTrade) => holdingTime(trade),
} satisfies Record<string, (trade: ClosedTrade, clock: ZoneClock) => Key | readonly string[]>;

export type Dimension = keyof typeof DIMENSIONS;

export const ALL_DIMENSIONS = Object.keys(DIMENSIONS) as Dimension[];

/** Dimensions listed in the order of their keys; the others are listed by net P&L. */
const IN_KEY_ORDER: readonly Dimension[] = ['weekday', 'hour'];

function holdingTime(trade: ClosedTrade): string {
  const seconds = (trade.closedMs - trade.enteredMs) / 1000;
  return (HOLDING.find(([limit]) => seconds < limit) ?? HOLDING[HOLDING.length - 1])?.[1] as string;
}

const rowRecord = <K extends z.ZodType>(key: K) =>
  f.item({
    key,
    trades: f.count('Trades'),
    wins: f.count('Wins'),
    losses: f.count('Losses'),
    breakevens: f.count('Breakevens'),
    net_pnl: f.money("Net P&L, in the user's base currency"),
    win_rate: f.orNull(f.ratio('Wins over trades, 0 to 1')),
    profit_factor: f.orNull(f.ratio('Gains over losses; null without a loss')),
    expectancy: f.orNull(f.money('Mean net P&L a trade, in the base currency')),
    average_r: f.orNull(f.ratio('Mean R of the trades that have a risk; null without any')),
  });

const namedRows = (description: string) => f.list(rowRecord(f.text('The value')), description);
const maybeNamedRows = (description: string) =>
  f.list(rowRecord(f.orNull(f.text('The value; null where the trade has none'))), description);
const numberedRows = (description: string, key: string) => f.list(rowRecord(f.count(key)), description);

export const breakdownsRecord = z.strictObject({
  symbol: namedRows('By symbol'),
  market: namedRows('By market'),
  side: namedRows('By side'),
  setup: maybeNamedRows('By setup'),
  tag: namedRows('By tag; a trade with two tags counts in two rows'),
  mistake: namedRows('By mistake; a trade with two mistakes counts in two rows'),
  weekday: numberedRows("By weekday of entry, in the user's zone", '1 Monday to 7 Sunday'),
  hour: numberedRows("By hour of entry, in the user's zone", '0 to 23'),
  account: maybeNamedRows('By account'),
  holding_time: namedRows(`By holding time, lower bound included: ${HOLDING.map(([, key]) => key).join(', ')}`),
});

export type BreakdownRow = z.infer<ReturnType<typeof rowRecord<z.ZodType<Key>>>>;

/** The rows of one dimension, counted trade by trade. */
export class Breakdown {
  readonly #dimension: Dimension;
  readonly #clock: ZoneClock;
  readonly #rows = new Map<Key, Tally>();

  constructor(dimension: Dimension, clock: ZoneClock) {
    this.#dimension = dimension;
    this.#clock = clock;
  }

  add(trade: ClosedTrade): void {
    const keys: Key | readonly string[] = DIMENSIONS[this.#dimension](trade, this.#clock);
    if (typeof keys === 'object' && keys !== null) {
      for (const key of keys) this.#addTo(key, trade);
    } else this.#addTo(keys, trade);
  }

  #addTo(key: Key, trade: ClosedTrade): void {
    let tally = this.#rows.get(key);
    if (!tally) {
      tally = new Tally();
      this.#rows.set(key, tally);
    }
    tally.add(trade);
  }

  /** Rows by net P&L, highest first, then by key; weekdays and hours by key. */
  result(): BreakdownRow[] {
    const rows = [...this.#rows].map(([key, tally]) => ({
      key,
      trades: tally.trades,
      wins: tally.wins,
      losses: tally.losses,
      breakevens: tally.breakevens,
      net_pnl: tally.netPnl,
      win_rate: tally.winRate,
      profit_factor: tally.profitFactor,
      expectancy: tally.expectancy,
      average_r: tally.averageR,
    }));
    return IN_KEY_ORDER.includes(this.#dimension)
      ? rows.sort((a, b) => Number(a.key) - Number(b.key))
      : rows.sort((a, b) => b.net_pnl - a.net_pnl || compareKeys(a, b));
  }
}

/** Orders keys by code units, which is the same on every machine; null comes last. */
export function compareKeys(a: { key: Key }, b: { key: Key }): number {
  if (a.key === b.key) return 0;
  if (a.key === null) return 1;
  if (b.key === null) return -1;
  return a.key < b.key ? -1 : 1;
}
