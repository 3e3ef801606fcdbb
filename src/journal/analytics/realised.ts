/**
 * Realised P&L: exits on their own days, of closed trades and of open ones. Formulas:
 * docs/analytics.md.
 */

import type * as z from 'zod';
import { roundMoney, Sum, totalMoney } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { dateOfDay, fromInstantText, toInstantText, type ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { once } from '../once.ts';
import type { Range } from '../where.ts';
import {
  type Accumulator,
  type ClosedTrade,
  IN_BASE,
  type RealisedExit,
} from './closed-trade.ts';
import { balanceBefore } from './closed-trades.ts';
import { Drawdown, type realisedDrawdownRecord } from './equity-curve.ts';
import { COLUMNS_OF_EXITS, isWithin, visitLate, visitOthers } from './other-exits.ts';
import type { CountedExits } from './returns.ts';
import { TradeRows } from './trade-rows.ts';
import { unmatchedCloses, unmatchedExits } from './unmatched.ts';

export const realisedRecord = once(() =>
  f.list(
    f.item({
      date: f.date('The day'),
      exits: f.count(
        'Exits on it: closing fills, and trades without executions that closed',
      ),
      unmatched: f.count('Those of them without an opening in the journal'),
      gross_pnl: f.money(`Their P&L before costs, ${IN_BASE}`),
      fees: f.money('Their costs, and their shares of the costs of what they closed'),
      net_pnl: f.money('Their realised P&L: gross_pnl minus fees'),
      cumulative_net_pnl: f.money('Realised P&L of the period up to the end of the day'),
      drawdown: f.money(
        "Fall from the running peak of cumulative realised P&L (at least 0) at the day's last exit, as a positive amount",
      ),
      lowest: f.money('The largest such fall of the day'),
    }),
    'Days with exits, oldest first: P&L on the day on which it was realised, of closed and of open trades',
  ),
);

/** What an account held at the start of a period; null if unknown. */
export interface BeforePeriod {
  /** By closed trades. */
  closed: number | null;
  /** By exits, those of open trades included. */
  realised: number | null;
}

export function balancesBefore(
  reader: Reader,
  user: User,
  { from }: Range,
): BeforePeriod {
  const at = from === null ? null : fromInstantText(from);
  const closed = balanceBefore(reader, user, at);
  if (closed === null || from === null) return { closed, realised: closed };

  const earlier = new Sum();
  earlier.add(closed);
  const before = { from: null, to: from };
  const isBefore = isWithin(before);
  const reading = new TradeRows(reader, user, COLUMNS_OF_EXITS);

  visitOthers(reader, user, { range: before, filters: {} }, reading, null, (found) => {
    if (found === null || !('exits' in found)) return;
    for (const exit of found.exits ?? []) if (isBefore(exit)) earlier.add(exit.net);
  });
  visitLate(user, from, reading, (exits) => {
    for (const exit of exits) if (!isBefore(exit)) earlier.add(0 - exit.net);
  });
  const closes = unmatchedCloses(reader, user, { range: before, filters: {} });
  for (const { net } of unmatchedExits(user, closes)) earlier.add(net);

  return { closed, realised: earlier.value };
}

interface RealisedDay {
  exits: number;
  unmatched: number;
  gross: Sum;
  fees: Sum;
  net: Sum;
  drawdown: number;
  lowest: number;
}

/** The curve of exits in a period. */
export class RealisedCurve implements Accumulator {
  readonly columns = COLUMNS_OF_EXITS;
  readonly #isInPeriod: (exit: RealisedExit) => boolean;
  readonly #balance: number | null;
  // Lists of numbers take a third of the time of a list of exits.
  protected readonly at: number[] = [];
  protected readonly nets: number[] = [];
  /** Places of exits without an opening, and of costs with days of their own. */
  protected readonly unmatched = new Set<number>();
  protected readonly costs = new Set<number>();
  #isInOrder = true;

  /**
   * @param balance what the account had realised at the start of the period; null if
   * unknown
   */
  constructor(range: Range, balance: number | null) {
    this.#isInPeriod = isWithin(range);
    this.#balance = balance;
  }

  add(trade: ClosedTrade): void {
    if (trade.exits === null) this.count(trade.closedMs, trade);
    else this.addExits(trade);
  }

  addExits({ exits }: Pick<ClosedTrade, 'exits'>): void {
    for (const exit of exits ?? []) if (this.#isInPeriod(exit)) this.count(exit.at, exit);
  }

  /** Adds what closes without an opening realised. */
  addUnmatched(exits: readonly RealisedExit[]): void {
    for (const exit of exits) {
      if (!this.#isInPeriod(exit)) continue;
      this.unmatched.add(this.at.length);
      this.count(exit.at, exit);
    }
  }

  protected count(at: number, { net, isCost }: Omit<RealisedExit, 'at'>): void {
    if (isCost) this.costs.add(this.at.length);
    if (at < (this.at[this.at.length - 1] as number)) this.#isInOrder = false;
    this.at.push(at);
    this.nets.push(net);
  }

  /** All exits in the period so far. */
  get counted(): CountedExits {
    return { at: this.at, nets: this.nets };
  }

  get net(): number {
    return totalMoney(this.nets);
  }

  /** Places of the exits in the order of time. */
  protected inOrder(): ArrayLike<number> & Iterable<number> {
    const places = Uint32Array.from(this.at.keys());
    if (this.#isInOrder) return places;
    const at = this.at as readonly number[];
    return places.sort((a, b) => (at[a] as number) - (at[b] as number));
  }

  drawdown(): z.infer<typeof realisedDrawdownRecord> {
    const drawdown = new Drawdown(this.#balance);
    const total = new Sum();
    for (const place of this.inOrder()) {
      const net = this.nets[place] as number;
      total.add(net);
      drawdown.add(net, total.value, this.at[place] as number);
    }

    const deepest = drawdown.result();
    return deepest && { ...deepest, current: drawdown.current() };
  }
}

/** The exits in a period by day. */
export class RealisedDays extends RealisedCurve {
  readonly #clock: ZoneClock;
  readonly #gross: number[] = [];
  readonly #fees: number[] = [];

  constructor(clock: ZoneClock, range: Range) {
    super(range, null);
    this.#clock = clock;
  }

  protected override count(at: number, exit: Omit<RealisedExit, 'at'>): void {
    super.count(at, exit);
    this.#gross.push(exit.gross);
    this.#fees.push(exit.fees);
  }

  rows(): z.infer<ReturnType<typeof realisedRecord>> {
    const cumulative = new Sum();
    // A clock set back just after midnight returns to the day before.
    const days = [...this.#days()].sort(([a], [b]) => a - b);

    return days.map(([day, { exits, unmatched, gross, fees, net, drawdown, lowest }]) => {
      cumulative.addSum(net);
      return {
        date: dateOfDay(day),
        exits,
        unmatched,
        gross_pnl: roundMoney(gross.value),
        fees: roundMoney(fees.value),
        net_pnl: roundMoney(net.value),
        cumulative_net_pnl: roundMoney(cumulative.value),
        drawdown: roundMoney(drawdown),
        lowest: roundMoney(lowest),
      };
    });
  }

  /** By the number of the day. */
  #days(): Map<number, RealisedDay> {
    const days = new Map<number, RealisedDay>();
    const places = this.inOrder();
    const drawdown = new Drawdown(null);
    const total = new Sum();

    for (let i = 0; i < places.length; i++) {
      const place = places[i] as number;
      const [at, net] = [this.at[place] as number, this.nets[place] as number];
      const day = dayIn(days, this.#clock.dayOf(at));
      if (!this.costs.has(place)) day.exits++;
      if (this.unmatched.has(place)) day.unmatched++;
      day.gross.add(this.#gross[place] as number);
      day.fees.add(this.#fees[place] as number);
      day.net.add(net);
      total.add(net);
      drawdown.add(net, total.value, at);
      // Exits of one instant are one step.
      if (this.at[places[i + 1] as number] === at) continue;

      day.drawdown = drawdown.fall;
      day.lowest = Math.max(day.lowest, day.drawdown);
    }

    return days;
  }
}

function dayIn(days: Map<number, RealisedDay>, day: number): RealisedDay {
  const known = days.get(day);
  if (known) return known;

  const made = {
    exits: 0,
    unmatched: 0,
    gross: new Sum(),
    fees: new Sum(),
    net: new Sum(),
    drawdown: 0,
    lowest: 0,
  };
  days.set(day, made);
  return made;
}

// Exit by exit: the curve of a short period, such as a day.

/** Steps that are listed. */
const MOST_STEPS = 500;

export const realisedStepsRecord = once(() =>
  f.list(
    f.item({
      at: f.instant(
        'Instant of the exits; of those with a date only, the start of the day',
      ),
      exits: f.count('Exits at it'),
      net_pnl: f.money('Their realised P&L'),
      cumulative_net_pnl: f.money('Realised P&L of the period up to them'),
      drawdown: f.money(
        'Fall from the running peak of cumulative realised P&L (at least 0), as a positive amount',
      ),
    }),
    `Realised P&L exit by exit, those of one instant together, oldest first: the first ${MOST_STEPS} instants of the period`,
  ),
);

type Step = z.infer<ReturnType<typeof realisedStepsRecord>>[number];

export class RealisedSteps extends RealisedCurve {
  rows(): Step[] {
    const steps: Step[] = [];
    const drawdown = new Drawdown(null);
    const total = new Sum();
    let ofStep = new Sum();
    let exits = 0;
    const places = this.inOrder();

    for (const [index, place] of Array.from(places).entries()) {
      const [at, net] = [this.at[place] ?? 0, this.nets[place] ?? 0];
      total.add(net);
      ofStep.add(net);
      drawdown.add(net, total.value, at);
      if (!this.costs.has(place)) exits++;
      if (this.at[places[index + 1] ?? -1] === at) continue;

      steps.push({
        at: toInstantText(at),
        exits,
        net_pnl: roundMoney(ofStep.value),
        cumulative_net_pnl: roundMoney(total.value),
        drawdown: roundMoney(drawdown.fall),
      });
      if (steps.length === MOST_STEPS) break;

      ofStep = new Sum();
      exits = 0;
    }

    return steps;
  }
}
