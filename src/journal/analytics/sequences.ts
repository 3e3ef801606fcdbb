/**
 * What an account had traded before each entry: all trades of the journal, including
 * those that figures don't count.
 */

import { roundMoney } from '../../money.ts';
import { foldCase } from '../../sqlite/functions.ts';
import type { Reader } from '../../sqlite/reader.ts';
import type { ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import { remembered } from '../once.ts';
import type { Unit } from '../resource.ts';
import { OUTCOMES, type Outcome } from '../resource.ts';
import { storedInstant } from '../stored-value.ts';
import { Where } from '../where.ts';
import {
  type AllSequences,
  type ClosedTrade,
  DAY_RESULTS,
  rateOf,
  type Sequence,
  type Signs,
  type States,
} from './closed-trade.ts';
import { sumOf } from './statistics.ts';
import { type TradeRow, TradeRows } from './trade-rows.ts';

/** A trade of the journal, or a position. */
interface Counted {
  place: number;
  id: string;
  /** Case folded; null without one, and if legs have several. */
  account: string | null;
  enteredMs: number;
  /** Infinity if open. */
  closedMs: number;
  /**
   * In the base currency, or in its own if the rate is unknown, like the outcome of the
   * record.
   */
  nets: number[];
  tradeOfDay: number;
  /** Place of the state at its entry. */
  state: number;
  /** That of its account and day of entry. */
  day: AccountDay | null;
}

/** One account on one day. */
interface AccountDay {
  day: number;
  entered: Counted[];
  /** In the order of closing; of those closed together, in the order of entry. */
  closed: Counted[];
  dayBefore: Sequence['dayBefore'];
}

const SIGNS: Readonly<Record<Outcome, number>> = { win: 1, loss: -1, breakeven: 0 };
const OUTCOME_OF = new Map(OUTCOMES.map((outcome) => [SIGNS[outcome], outcome]));

export const signOf = (outcome: Outcome) => SIGNS[outcome];

/**
 * Runs of wins and losses that differ: those of three and more don't. NaN before the
 * first close of a day.
 */
export const RUNS = [Number.NaN, -3, -2, -1, 0, 1, 2, 3];
/** Numbers of losses that differ. */
export const LOSSES = [0, 1, 2, 3];

/** Net P&L that rounds to less than this beyond the breakeven tolerance is within it. */
const HALF_UNIT = 5e-9;

export class Sequences implements AllSequences {
  readonly #isByPosition: boolean;
  readonly #units = new Map<string, Counted>();
  #closes: Closes | undefined;
  #signs: Signs = new Int8Array();
  #nets = new Float64Array();
  readonly #flat: number;
  #states: States | undefined;

  /** Reads the trades of the whole journal. */
  static of(reader: Reader, user: User, clock: ZoneClock, unit: Unit): Sequences {
    const sequences = new Sequences(
      unit === 'position',
      user.breakeven_tolerance + HALF_UNIT,
    );
    const legs = unit === 'position' ? (['group'] as const) : [];
    const rows = new TradeRows(reader, user, ['entered', 'account', ...legs]);
    sequences.#read(rows, user);
    sequences.#order(clock);
    sequences.#signs = Int8Array.from(sequences.#units.values(), ({ nets }) =>
      signOf(rows.outcomeOf(sumOf(nets))),
    );
    sequences.#nets = Float64Array.from(sequences.#units.values(), ({ nets }) =>
      sumOf(nets),
    );
    sequences.#states = sequences.statesFor(sequences.#signs, sequences.#nets);

    return sequences;
  }

  /** @param flat a net of a day below this, with either sign, is flat */
  private constructor(isByPosition: boolean, flat: number) {
    this.#isByPosition = isByPosition;
    this.#flat = flat;
  }

  /** A copy of the outcomes of all trades, by their places. */
  get signs(): Signs {
    return this.#signs.slice();
  }

  /** A copy of the net P&L of all trades, by their places. */
  get nets(): Float64Array {
    return this.#nets.slice();
  }

  /** What came before a trade. */
  sequenceOf({ id, groupId }: ClosedTrade): Sequence {
    const { place, state, enteredMs, tradeOfDay, day } = this.#units.get(
      this.#nameOf(id, groupId),
    ) as Counted;
    const { code, lastLossMs, result } = this.#states as States;
    const situation = code[state] as number;
    const { closed, entered, dayBefore } = day as AccountDay;
    const first = closed[0] && OUTCOME_OF.get(this.#signs[closed[0].place] as number);

    return {
      run: RUNS[Math.floor(situation / LOSSES.length)] as number,
      losses: situation % LOSSES.length,
      dayResult: DAY_RESULTS[result[state] as number] as Sequence['dayResult'],
      tradeOfDay,
      tradesThatDay: entered.length,
      sinceLoss: enteredMs - (lastLossMs[state] as number),
      first: first ?? null,
      dayBefore,
      all: this,
      place,
      state,
    };
  }

  /** Unique, because no id has a slash. */
  #nameOf(id: string, groupId: string | null): string {
    return this.#isByPosition && groupId !== null ? `/${groupId}` : id;
  }

  #read(rows: TradeRows, user: User): void {
    const folded = remembered(foldCase);
    const everything = () => new Where(user.id);
    rows.inOrder(['executed_at'], everything, (chunk) => {
      for (const row of chunk) {
        const net = rows.netOf(row) * (rateOf(user, row.currency, row.fx_rate) ?? 1);
        this.#add(row, row.account === null ? null : folded(row.account), net);
      }
    });
  }

  #add(row: TradeRow, account: string | null, net: number): void {
    const closedMs = row.closed_at === null ? Infinity : storedInstant(row.closed_at);
    const name = this.#nameOf(row.id, row.group_id ?? null);
    const known = this.#units.get(name);
    if (known) {
      known.nets.push(net);
      if (known.account !== account) known.account = null;
      known.closedMs = Math.max(known.closedMs, closedMs);
      return;
    }

    const [place, enteredMs] = [this.#units.size, storedInstant(row.executed_at)];
    const unit = {
      place,
      id: row.id,
      account,
      enteredMs,
      closedMs,
      nets: [net],
      tradeOfDay: 0,
      state: 0,
      day: null,
    };
    this.#units.set(name, unit);
  }

  /**
   * Sorts the trades into the days of their accounts, and finds the state at each entry.
   */
  #order(clock: ZoneClock): void {
    const all: AccountDay[] = [];
    let state = 0;
    for (const days of this.#daysByAccount(clock)) {
      let before: Sequence['dayBefore'] = 'none';
      for (const day of days) {
        all.push(day);
        day.closed.sort((a, b) => a.closedMs - b.closedMs);
        day.dayBefore = before;
        if (day.closed.length > 0) before = colourOf(day.closed);
        setStates(day, state);
        state += day.closed.length + 1;
      }
    }

    const closed = all.flatMap((day) => day.closed);
    let count = 0;
    this.#closes = {
      places: Int32Array.from(closed, ({ place }) => place),
      closedMs: Float64Array.from(closed, (one) => one.closedMs),
      starts: Int32Array.from(all, (day) => {
        count += day.closed.length;
        return count - day.closed.length;
      }),
    };
  }

  /** The days of each account in order, with what was entered and closed on them. */
  #daysByAccount(clock: ZoneClock): AccountDay[][] {
    const byAccount = new Map<string | null, Map<number, AccountDay>>();
    const dayOf = (account: string | null, at: number): AccountDay => {
      const days = byAccount.get(account) ?? new Map<number, AccountDay>();
      const day = clock.dayOf(at);
      const found = days.get(day) ?? { day, entered: [], closed: [], dayBefore: 'none' };
      byAccount.set(account, days.set(day, found));
      return found;
    };

    for (const one of this.#units.values()) {
      one.day = dayOf(one.account, one.enteredMs);
      one.tradeOfDay = one.day.entered.push(one);
      if (one.closedMs < Infinity) dayOf(one.account, one.closedMs).closed.push(one);
    }

    return Array.from(byAccount.values(), (days) =>
      [...days.values()].sort((a, b) => a.day - b.day),
    );
  }

  /**
   * The states if the trades had these outcomes and results.
   * @param into states to overwrite
   */
  statesFor(signs: Signs, nets: Float64Array, into?: States): States {
    const { places, closedMs, starts } = this.#closes as Closes;
    const flat = this.#flat;
    const n = places.length + starts.length;
    const states = into ?? {
      code: new Uint8Array(n),
      lastLossMs: new Float64Array(n),
      result: new Uint8Array(n),
    };

    for (let day = 0; day < starts.length; day++) {
      let [code, lastLossMs, net] = [0, -Infinity, 0];
      let result = 0;
      const to = starts[day + 1] ?? places.length;
      for (let i = starts[day] as number; ; i++) {
        states.code[i + day] = code;
        states.lastLossMs[i + day] = lastLossMs;
        states.result[i + day] = result;
        if (i === to) break;
        const sign = signs[places[i] as number] as number;
        net += nets[places[i] as number] as number;
        // Red, flat or green, without branches, which would be mispredicted.
        result = 1 + +(net > -flat) + +(net >= flat);
        code = NEXT[3 * code + sign + 1] as number;
        if (sign < 0) lastLossMs = closedMs[i] as number;
      }
    }

    return states;
  }
}

/**
 * The closes of all days, one day after the other: places of the trades, times, and the
 * first of each day.
 */
interface Closes {
  places: Int32Array;
  closedMs: Float64Array;
  starts: Int32Array;
}

/** The code after each code and a loss, a breakeven or a win. */
const NEXT = Uint8Array.from(
  RUNS.flatMap((run) => LOSSES.map((losses) => ({ run, losses }))).flatMap(
    ({ run, losses }) =>
      [-1, 0, 1].map((sign) => {
        const next = run * sign > 0 ? Math.max(-3, Math.min(3, run + sign)) : sign;
        return (
          LOSSES.length * RUNS.indexOf(next) + Math.min(3, losses + (sign < 0 ? 1 : 0))
        );
      }),
  ),
);

/** Sets the state at each entry of a day: that after the last close before it. */
function setStates({ entered, closed }: AccountDay, first: number): void {
  let count = 0;
  for (const one of entered) {
    for (let next = closed[count]; next && isBefore(next, one); next = closed[count])
      count++;
    one.state = first + count;
  }
}

/**
 * Whether one closed before the other's entry. If trades are entered and closed at one
 * instant, the id decides the order.
 */
function isBefore(closed: Counted, { enteredMs, id }: Counted): boolean {
  if (closed.closedMs !== enteredMs) return closed.closedMs < enteredMs;
  return closed.enteredMs < enteredMs || closed.id < id;
}

function colourOf(closed: readonly Counted[]): Sequence['dayBefore'] {
  const net = roundMoney(sumOf(closed.flatMap(({ nets }) => nets)));
  if (net === 0) return 'flat';
  return net > 0 ? 'green' : 'red';
}
