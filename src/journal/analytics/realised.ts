/** Realised P&L: exits on their own days, of closed trades and of open ones. Formulas: docs/analytics.md. */

import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { dateOfDay, fromInstantText, ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { once } from '../once.ts';
import type { Range } from '../where.ts';
import { type Accumulator, type ClosedTrade, IN_BASE, type RealisedExit } from './closed-trade.ts';
import { balanceBefore } from './closed-trades.ts';
import { Drawdown, type realisedDrawdownRecord } from './equity-curve.ts';
import { COLUMNS_OF_EXITS, isWithin, visitOthers } from './other-exits.ts';
import { atClose } from './positions.ts';
import { TradeRows } from './trade-rows.ts';

export const realisedRecord = once(() =>
  f.list(
    f.item({
      date: f.date('The day'),
      exits: f.count('Exits on it: closing fills, and trades without executions that closed'),
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
export interface Balances {
  /** By closed trades. */
  closed: number | null;
  /** By exits, those of open trades included. */
  realised: number | null;
}

export function balancesBefore(reader: Reader, user: User, { from }: Range): Balances {
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
  return { closed, realised: earlier.value };
}

interface RealisedDay {
  exits: number;
  gross: Sum;
  fees: Sum;
  net: Sum;
  drawdown: number;
  lowest: number;
}

/** Exits in a period, and figures of their days. */
export class Realised implements Accumulator {
  readonly columns = COLUMNS_OF_EXITS;
  readonly #clock: ZoneClock;
  readonly #isInPeriod: (exit: RealisedExit) => boolean;
  readonly #balance: number | null;
  readonly #exits: RealisedExit[] = [];
  #isInOrder = true;
  readonly #net = new Sum();

  /** @param balance what the account had realised at the start of the period; null if unknown */
  constructor(user: Pick<User, 'timezone'>, range: Range, balance: number | null) {
    this.#clock = new ZoneClock(user.timezone);
    this.#isInPeriod = isWithin(range);
    this.#balance = balance;
  }

  add(trade: ClosedTrade): void {
    if (trade.exits === null) this.#count(atClose(trade));
    else this.addExits(trade);
  }

  addExits({ exits }: ClosedTrade): void {
    for (const exit of exits ?? []) if (this.#isInPeriod(exit)) this.#count(exit);
  }

  #count(exit: RealisedExit): void {
    const last = this.#exits.at(-1);
    if (last && exit.at < last.at) this.#isInOrder = false;
    this.#exits.push(exit);
    this.#net.add(exit.net);
  }

  get net(): number {
    return roundMoney(this.#net.value);
  }

  /** The sum of the exits on some days, both included. */
  netOf(firstDay: number, lastDay: number): number {
    const net = new Sum();
    for (const exit of this.#exits) {
      const day = this.#clock.dayOf(exit.at);
      if (day >= firstDay && day <= lastDay) net.add(exit.net);
    }
    return roundMoney(net.value);
  }

  /** Visits the exits, those of one instant together, after each the fall from the peak. */
  #follow(visit?: (exits: readonly RealisedExit[], fall: number) => void): Drawdown {
    const exits = this.#isInOrder ? this.#exits : this.#exits.toSorted((a, b) => a.at - b.at);
    const drawdown = new Drawdown(this.#balance);
    const total = new Sum();

    for (let from = 0; from < exits.length; ) {
      const { at } = exits[from] as RealisedExit;
      let to = from;
      for (; exits[to]?.at === at; to++) {
        const { net } = exits[to] as RealisedExit;
        total.add(net);
        drawdown.add(net, total.value, at);
      }
      visit?.(exits.slice(from, to), drawdown.fall);
      from = to;
    }
    return drawdown;
  }

  drawdown(): z.infer<typeof realisedDrawdownRecord> {
    const drawdown = this.#follow();
    const deepest = drawdown.result();
    return deepest && { ...deepest, current: drawdown.current() };
  }

  rows(): z.infer<ReturnType<typeof realisedRecord>> {
    const days = new Map<number, RealisedDay>();
    this.#follow((exits, fall) => {
      for (const exit of exits) {
        const day = dayIn(days, this.#clock.dayOf(exit.at));
        day.exits++;
        day.gross.add(exit.gross);
        day.fees.add(exit.fees);
        day.net.add(exit.net);
        day.drawdown = fall;
        day.lowest = Math.max(day.lowest, fall);
      }
    });

    const cumulative = new Sum();
    // A clock set back just after midnight returns to the day before.
    const sorted = [...days].sort(([a], [b]) => a - b);
    return sorted.map(([day, { exits, gross, fees, net, drawdown, lowest }]) => {
      cumulative.addSum(net);
      return {
        date: dateOfDay(day),
        exits,
        unmatched: 0,
        gross_pnl: roundMoney(gross.value),
        fees: roundMoney(fees.value),
        net_pnl: roundMoney(net.value),
        cumulative_net_pnl: roundMoney(cumulative.value),
        drawdown: roundMoney(drawdown),
        lowest: roundMoney(lowest),
      };
    });
  }
}

function dayIn(days: Map<number, RealisedDay>, day: number): RealisedDay {
  const known = days.get(day);
  if (known) return known;
  const made = {
    exits: 0,
    gross: new Sum(),
    fees: new Sum(),
    net: new Sum(),
    drawdown: 0,
    lowest: 0,
  };
  days.set(day, made);
  return made;
}
