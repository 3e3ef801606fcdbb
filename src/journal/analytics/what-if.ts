/** Figures without some of the trades: those that match a condition, the best, the worst. */
import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import * as f from '../fields.ts';
import { once } from '../in-steps.ts';
import type { User } from '../journal.ts';
import { type Accumulator, type ClosedTrade, type Column, IN_BASE } from './closed-trade.ts';
import type { Condition } from './condition.ts';
import { Drawdown } from './drawdown.ts';
import { performanceRecord } from './performance-record.ts';
import { Tally } from './tally.ts';
import { CHUNK } from './trade-rows.ts';

const figuresRecord = once(() =>
  performanceRecord.pick({
    trades: true,
    net_pnl: true,
    win_rate: true,
    profit_factor: true,
    expectancy: true,
    max_drawdown: true,
  }),
);

export const whatIfRecord = f
  .record(() => ({
    excluded: f.object(
      { trades: f.count('Excluded trades'), net_pnl: f.money(`Their net P&L, ${IN_BASE}`) },
      'The trades excluded by exclude, best and worst',
    ),
    actual: figuresRecord().meta({ description: 'Figures of all trades of the period' }),
    without: figuresRecord().meta({ description: 'The same figures without the excluded trades' }),
  }))
  .meta({
    description:
      'Figures without some of the trades, as if this changed no other trade. Only with exclude, best or worst',
  });

/** Excluded trades: those that match the condition, and of the others the numbers with the highest and the lowest net P&L. */
export interface Exclusion {
  condition: Condition | null;
  best: number;
  worst: number;
}

export class WhatIf implements Accumulator {
  readonly columns: readonly Column[];
  readonly #exclusion: Exclusion;
  readonly #actual: Side;
  readonly #without: Side;
  readonly #excluded = { trades: 0, net: new Sum() };
  /** Trades that don't match the condition, if best or worst are excluded. */
  readonly #left: Result[] = [];

  constructor(user: User, exclusion: Exclusion) {
    this.#exclusion = exclusion;
    this.columns = exclusion.condition?.columns ?? [];
    this.#actual = new Side(user);
    this.#without = new Side(user);
  }

  add(trade: ClosedTrade): void {
    this.#actual.add(trade);
    const { condition, best, worst } = this.#exclusion;
    if (condition?.matches(trade)) this.#exclude(trade.net);
    else if (best + worst === 0) this.#without.add(trade);
    else this.#left.push({ net: trade.net, closedMs: trade.closedMs, outcome: trade.outcome });
  }

  #exclude(net: number): void {
    this.#excluded.trades++;
    this.#excluded.net.add(net);
  }

  /** Computes both sides, with pauses. */
  *result(): Generator<void, z.infer<typeof whatIfRecord>> {
    const { best, worst } = this.#exclusion;
    const left = this.#left;
    const extremes = new Set<number>();
    if (best + worst >= left.length) for (const i of left.keys()) extremes.add(i);
    else {
      // Of equal trades the first are best and the last are worst, so that none is both.
      const [high, low] = [new Top(best), new Top(worst)];
      for (const [i, { net }] of left.entries()) {
        const shown = roundMoney(net);
        high.offer(i, shown, -i);
        low.offer(i, -shown, i);
        if (i % CHUNK === 0) yield;
      }
      for (const i of [...high.places, ...low.places]) extremes.add(i);
    }
    for (const [i, one] of left.entries()) {
      if (extremes.has(i)) this.#exclude(one.net);
      else this.#without.add(one);
      if (i % CHUNK === 0) yield;
    }
    return {
      excluded: { trades: this.#excluded.trades, net_pnl: roundMoney(this.#excluded.net.value) },
      actual: this.#actual.result(),
      without: this.#without.result(),
    };
  }
}

/** Stored fields of a trade. */
interface Result {
  net: number;
  closedMs: number;
  outcome: ClosedTrade['outcome'];
}

/** Places with the highest first value, and if equal the highest second value. */
class Top {
  readonly #size: number;
  readonly #kept: { place: number; first: number; second: number }[] = [];

  constructor(size: number) {
    this.#size = size;
  }

  offer(place: number, first: number, second: number): void {
    const least = this.#kept.at(-1);
    if (least && this.#kept.length === this.#size && first < least.first) return;
    const isBehind = (other: { first: number; second: number }) =>
      other.first === first ? other.second > second : other.first > first;
    if (this.#kept.length === this.#size && (!least || isBehind(least))) return;
    const at = this.#kept.findIndex((other) => !isBehind(other));
    this.#kept.splice(at === -1 ? this.#kept.length : at, 0, { place, first, second });
    if (this.#kept.length > this.#size) this.#kept.pop();
  }

  get places(): number[] {
    return this.#kept.map(({ place }) => place);
  }
}

/** Figures of trades added in the order (closed_at, id). */
class Side {
  readonly #tally = new Tally();
  readonly #net = new Sum();
  readonly #drawdown: Drawdown;

  constructor(user: User) {
    this.#drawdown = new Drawdown(user.starting_balance);
  }

  add({ net, outcome, closedMs }: Result): void {
    this.#tally.add({ net, outcome, r: null });
    this.#net.add(net);
    this.#drawdown.add(net, this.#net.value, closedMs);
  }

  result(): z.infer<ReturnType<typeof figuresRecord>> {
    return {
      trades: this.#tally.trades,
      net_pnl: this.#tally.netPnl,
      win_rate: this.#tally.winRate,
      profit_factor: this.#tally.profitFactor,
      expectancy: this.#tally.expectancy,
      max_drawdown: this.#drawdown.result(),
    };
  }
}
