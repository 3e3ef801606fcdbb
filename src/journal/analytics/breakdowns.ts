/** The same trades, by symbol, market, hour and so on. */
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

/** What each dimension calls a trade: one key, or several where rows overlap. */
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

/** These are listed in their own order; the others by net P&L. */
const IN_ORDER: readonly Dimension[] = ['weekday', 'hour'];

function holdingTime(trade: ClosedTrade): string {
  const seconds = (trade.closedMs - trade.enteredMs) / 1000;
  return (HOLDING.find(([limit]) => seconds < limit) ?? HOLDING[HOLDING.length - 1])?.[1] as string;
}

const row = <K extends z.ZodType>(key: K) =>
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

const named = (description: string) => f.list(row(f.text('The value')), description);
const maybeNamed = (description: string) =>
  f.list(row(f.orNull(f.text('The value; null where the trade has none'))), description);
const numbered = (description: string, key: string) => f.list(row(f.count(key)), description);

export const breakdownsRecord = z.strictObject({
  symbol: named('By symbol'),
  market: named('By market'),
  side: named('By side'),
  setup: maybeNamed('By setup'),
  tag: named('By tag; a trade with two tags counts in two rows'),
  mistake: named('By mistake; a trade with two mistakes counts in two rows'),
  weekday: numbered("By weekday of entry, in the user's zone", '1 Monday to 7 Sunday'),
  hour: numbered("By hour of entry, in the user's zone", '0 to 23'),
  account: maybeNamed('By account'),
  holding_time: named(`By holding time, lower bound included: ${HOLDING.map(([, key]) => key).join(', ')}`),
});

export type BreakdownRow = z.infer<ReturnType<typeof row<z.ZodType<Key>>>>;

/** One dimension's rows, gathered trade by trade. */
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

  get distinct(): number {
    return this.#rows.size;
  }

  /** By net P&L, highest first, equal ones by key; weekdays and hours in their own order. */
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
    return IN_ORDER.includes(this.#dimension)
      ? rows.sort((a, b) => Number(a.key) - Number(b.key))
      : rows.sort((a, b) => b.net_pnl - a.net_pnl || byKey(a, b));
  }
}

/** By code units, so that the order is the same on every machine; null last. */
export function byKey(a: { key: Key }, b: { key: Key }): number {
  if (a.key === b.key) return 0;
  if (a.key === null) return 1;
  if (b.key === null) return -1;
  return a.key < b.key ? -1 : 1;
}
