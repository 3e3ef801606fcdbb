/**
 * How far accounts are from the limits of their firms, exit by exit. Formulas:
 * docs/limits.md.
 */

import * as z from 'zod';
import { ratioOrNull, roundMoney, Sum } from '../../money.ts';
import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { dateOfDay, toInstantText, ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import type { FlowKind } from '../resources/cash-flows.ts';
import { storedInstant, storedNumber } from '../stored-value.ts';
import type { Exit } from '../trade-exits.ts';
import { Where } from '../where.ts';
import {
  type AccountRules,
  ruleChangesOf,
  rulesInForce,
  TradingDays,
} from './account-rules.ts';
import { visitRows } from './closed-trades.ts';
import { closedBeforeCosts, ExitRows } from './exit-rows.ts';
import { clamp } from './period.ts';
import { boundsOf, Standing } from './standing.ts';
import { type TradeRow, TradeRows } from './trade-rows.ts';
import { type UnmatchedRow, unmatchedCloses } from './unmatched.ts';

/** Ids of trades that are named. */
const MOST_IDS = 10;

/** For every place that shows these figures. */
const BASIS = 'realised P&L, exit by exit; firms count open positions, too';
const WITHOUT_PAYOUTS = `${BASIS}; payouts are not known`;

const breach = (what: string) =>
  f.orNull(
    f.object(
      {
        at: f.instant('Time of the exit'),
        rule: f.choice(['max_loss', 'daily_loss'], 'The limit; max_loss if it is both'),
      },
      what,
    ),
  );

const amount = (what: string) => f.orNull(f.money(what));

const figures = () => ({
  basis: f.choice([WITHOUT_PAYOUTS, BASIS], 'What these figures count'),
  currency: f.orNull(f.currency('Currency of the amounts')),
  reason: f.orNull(f.ours('Reason for missing figures; else null')),
  balance: amount(
    'The balance at the start plus the realised P&L since and the cash flows of the account since its first day',
  ),
  floor: amount(
    'The balance at or below which max_loss is breached; with an intraday floor, by exits',
  ),
  floor_low: amount(
    'Of an intraday floor the lowest that it can be, by exits; else null',
  ),
  floor_high: amount(
    'Of an intraday floor the highest that it can be, by mfe_bound, else mfe; else null, as if a trade has neither',
  ),
  room: amount(
    'Loss that reaches the floor: balance less floor, of an intraday floor less floor_high',
  ),
  max_loss: amount(
    'Maximum loss, the distance of the floor from the balance that it follows',
  ),
  day: f.orNull(
    f.object(
      {
        ends_at: f.instant('End of the current day'),
        net_pnl: f.money('Realised P&L of the current day'),
        limit: amount('Maximum loss of a day; null without one'),
        room: amount(
          'Loss that the day still allows, at most room; null without a limit, or if room is null',
        ),
      },
      'The current day of the account',
    ),
  ),
  target: f.orNull(
    f.object(
      { amount: f.money('Profit to reach'), left: f.money('Missing profit, at least 0') },
      'Profit target; null without one',
    ),
  ),
  best_day: f.orNull(
    f.object(
      {
        date: f.orNull(f.date('The day; null without exits')),
        net_pnl: amount('Its realised P&L'),
        share: f.orNull(
          f.ratio('Its share in the whole profit; null unless that is positive'),
        ),
        limit: f.orNull(f.ratio('Maximum share; null without a rule')),
      },
      'The best day, the first of equal ones',
    ),
  ),
  days: f.orNull(
    f.object(
      {
        counted: f.count(
          'Days that made the minimum profit of a day; without one, days with exits',
        ),
        needed: f.orNull(f.count('Days that must count; null without a rule')),
      },
      'Days that count',
    ),
  ),
  breached: breach(
    'First exit at which the balance reached the floor, or a day its limit; null if none',
  ),
  may_have_breached: breach(
    'First exit before any breach whose trades, with those open at the same time, may have reached a limit earlier, by mae_bound, else mae; null if none',
  ),
  without_excursion: f.orNull(f.count('Trades with neither mae_bound nor mae')),
  passed_at: f.orNull(
    f.instant(
      'First exit at which every rule was met and none breached; null without a target',
    ),
  ),
  certainty: f.orNull(
    f.choice(
      ['exact', 'bounds'],
      'bounds: the floor is intraday, which journals know by bounds alone, or the exits of some trades are unknown: see not_exact',
    ),
  ),
  not_exact: f.orNull(
    f.object(
      {
        trades: f.count(
          'Trades whose executions are missing or contradict them: they count at their close',
        ),
        ids: f.strings(`Their ids, at most ${MOST_IDS}`, 'id'),
        unmatched: f.count(
          'Closes without an opening in the journal whose rows state no P&L',
        ),
      },
      'What makes the days uncertain',
    ),
  ),
  outlook: f.orNull(
    f.ours(
      'Deprecated, always null: it stated chances to pass or to breach, and in simulated accounts 54 of 100 breached where it had stated 89',
    ),
  ),
});

export const limitsRecord = f.record(() => ({
  account: f.label('The account'),
  withheld: z.array(z.literal('since')).optional().meta({
    description:
      'The key shows trades since a later day than the limits; then nothing else is shown. Else absent',
  }),
  ...z.strictObject(figures()).partial().shape,
}));

type AccountLimits = z.infer<typeof limitsRecord>;

/** What a key and a request select. */
interface LimitsQuestion {
  /** The filter; undefined for all. */
  account: string | undefined;
  /** First day that the key shows; null for all. */
  since: string | null;
  /** Epoch milliseconds. */
  now: number;
}

/**
 * By account.
 * @returns their computation, which reads nothing more
 */
export function limitsOf(
  reader: Reader,
  user: User,
  question: LimitsQuestion,
): () => AccountLimits[] {
  const { account: filter, since, now } = question;
  const wanted = filter === undefined ? undefined : foldCase(filter);
  const entries: AccountLimits[] = [];
  const accounts = new Map<string, Account>();

  for (const [name, { account, rules }] of rulesInForce(ruleChangesOf(reader, user.id))) {
    if (wanted !== undefined && name !== wanted) continue;
    const days = TradingDays.of(rules, user);
    const entry: AccountLimits = { account };
    entries.push(entry);
    if (since !== null && isLater(since, user, rules.since, days))
      entry.withheld = ['since'];
    else if (days) accounts.set(name, new Account(entry, rules, days));
    else
      Object.assign(
        entry,
        without(`unknown time zone ${rules.timezone}; set the limits again`),
      );
  }

  if (accounts.size === 0) return () => entries;

  readExits(reader, user, accounts);
  return () => {
    for (const account of accounts.values())
      Object.assign(account.entry, account.result(user, now));
    return entries;
  };
}

/** Reads the trades with exits since the first day of their account. */
function readExits(
  reader: Reader,
  user: User,
  accounts: ReadonlyMap<string, Account>,
): void {
  const from = clamp(Math.min(...[...accounts.values()].map((account) => account.from)));
  const range = { from: toInstantText(from), to: null };
  const reading = new TradeRows(reader, user, ['entered', 'account', 'excursions']);
  const exits = new ExitRows(reader, user);

  const add = (rows: readonly TradeRow[]) => {
    const accountOf = ({ account }: TradeRow) =>
      account === null ? undefined : accounts.get(foldCase(account));
    const wanted = rows.filter((row) => accountOf(row) !== undefined);
    const found = exits.of(wanted);
    for (const row of wanted)
      accountOf(row)?.add(row, reading.netOf(row), found.get(row.id) ?? null);
  };

  readFlows(reader, user, accounts);
  for (const close of unmatchedCloses(reader, user, { range, filters: {} }))
    if (close.account !== null)
      accounts.get(foldCase(close.account))?.addUnmatched(close);
  visitRows(reader, user, { range, filters: {}, unit: 'trade' }, reading, add);
  reading.inOrder(['executed_at'], () => new Where(user.id).add("status = 'open'"), add);
  if (exits.hasCosts)
    reading.inOrder(['closed_at'], () => closedBeforeCosts(user, range.from), add);
}

function readFlows(
  reader: Reader,
  user: User,
  accounts: ReadonlyMap<string, Account>,
): void {
  const flows = reader.all<FlowRow & { account: string }>(
    `SELECT account, at, kind, amount, currency FROM cash_flow_records
     WHERE user_id = ${TEXT} AND account IS NOT NULL ORDER BY at`,
    user.id,
  );
  for (const flow of flows) accounts.get(foldCase(flow.account))?.addFlow(flow);
}

/**
 * Whether a key's first day begins after that of the limits: each begins in its own zone,
 * at its own time of day.
 */
function isLater(
  since: string,
  user: User,
  first: string | null,
  days: TradingDays | undefined,
): boolean {
  if (first === null || !days) return first === null || since > first;
  return new ZoneClock(user.timezone).startOfDay(since) > days.startOf(first);
}

function without(reason: string): Omit<AccountLimits, 'account'> {
  const nothing = Object.fromEntries(Object.keys(figures()).map((name) => [name, null]));
  return { ...nothing, basis: WITHOUT_PAYOUTS, reason };
}

/** A trade with exits that count. */
interface Held {
  id: string;
  /** Epoch milliseconds; Infinity while open, like the next. */
  entered: number;
  closed: number;
  /** Worst and best open result as positive amounts; NaN if unknown. */
  adverse: number;
  favourable: number;
}

interface FlowRow {
  at: string;
  kind: FlowKind;
  amount: number;
  currency: string;
}

/** The exits of one instant. */
interface Step {
  at: number;
  net: number;
}

/** The exits of an account, and its figures. */
class Account {
  readonly entry: AccountLimits;
  /** First instant, in epoch milliseconds. */
  readonly from: number;
  readonly #rules: AccountRules;
  readonly #days: TradingDays;
  readonly #trades: Held[] = [];
  readonly #nets = new Map<number, Sum>();
  readonly #notExact: string[] = [];
  readonly #currencies = new Set<string>();
  readonly #flows: FlowRow[] = [];
  /** Number of closes without an opening whose rows state no P&L. */
  #unmatched = 0;
  /** The first entry, or close without an opening. */
  #first = Number.POSITIVE_INFINITY;

  constructor(entry: AccountLimits, rules: AccountRules, days: TradingDays) {
    this.entry = entry;
    this.#rules = rules;
    this.#days = days;
    this.from =
      rules.since === null ? Number.NEGATIVE_INFINITY : days.startOf(rules.since);
  }

  /** @param exits null if the executions of the trade don't make it up */
  add(row: TradeRow, net: number, exits: readonly Exit[] | null): void {
    const closed = row.closed_at === null ? Infinity : storedInstant(row.closed_at);
    const isEarlier = closed < this.from;
    if (isEarlier && exits === null) return;
    const entered = storedInstant(row.executed_at);
    this.#first = Math.min(this.#first, entered);

    // Whether an open trade without known exits has realised anything, its money shows.
    if (exits === null && (closed < Infinity || net !== 0)) this.#notExact.push(row.id);
    const atClose = closed === Infinity ? [] : [{ executed_at: row.closed_at, net }];
    const counted = (exits ?? atClose)
      .map((exit) => ({
        at: storedInstant(exit.executed_at),
        net: storedNumber(exit.net),
      }))
      .filter(({ at }) => at >= this.from);
    if (counted.length === 0) return;

    for (const exit of counted) this.#sumAt(exit.at).add(exit.net);
    this.#currencies.add(row.currency);
    // Of one that closed before, only costs are left.
    if (isEarlier) return;

    const [adverse, favourable] = [row.mae_bound ?? row.mae, row.mfe_bound ?? row.mfe];
    this.#trades.push({
      id: row.id,
      entered,
      closed,
      adverse: adverse == null ? Number.NaN : Math.abs(storedNumber(adverse)),
      favourable: favourable == null ? Number.NaN : storedNumber(favourable),
    });
  }

  /** A close without an opening counts if its row states what it realised. */
  addUnmatched({ closed_at, net_pnl, currency }: UnmatchedRow): void {
    const at = storedInstant(closed_at);
    if (at < this.from) return;
    this.#first = Math.min(this.#first, at);
    if (net_pnl === null) {
      this.#unmatched++;
      return;
    }

    this.#sumAt(at).add(storedNumber(net_pnl));
    this.#currencies.add(currency);
  }

  addFlow(flow: FlowRow): void {
    this.#flows.push(flow);
  }

  get #hasPayouts(): boolean {
    return this.#flows.some(({ kind }) => kind === 'payout');
  }

  /**
   * Those that count, the earliest first: without a first day those after the first
   * entry, since the balance at the start has what came before.
   */
  #flowsSince(currency: string): { at: number; amount: number }[] {
    const from = this.#rules.since === null ? this.#first : this.from;
    return this.#flows
      .filter((flow) => flow.currency === currency)
      .map(({ at, amount }) => ({ at: storedInstant(at), amount: storedNumber(amount) }))
      .filter(({ at }) => at >= from);
  }

  #sumAt(at: number): Sum {
    const sum = this.#nets.get(at) ?? new Sum();
    this.#nets.set(at, sum);
    return sum;
  }

  result(user: User, now: number): Omit<AccountLimits, 'account'> {
    const currency =
      this.#rules.currency ?? [...this.#currencies][0] ?? user.base_currency;
    const others = [...this.#currencies].filter((other) => other !== currency).sort();
    if (others.length > 0)
      return without(`trades in ${others.join(', ')}; the limits are in ${currency}`);

    const { standing, peak, found } = this.#follow(this.#flowsSince(currency));
    standing.enter(Math.max(this.#days.dayOf(now), standing.day));
    const isKnown = this.#notExact.length + this.#unmatched === 0;
    const isExact = isKnown && !standing.bounds.isIntraday;

    return {
      basis: this.#hasPayouts ? BASIS : WITHOUT_PAYOUTS,
      currency,
      reason: null,
      ...this.#figures(standing, peak),
      ...found,
      without_excursion: this.#trades.filter(({ adverse }) => Number.isNaN(adverse))
        .length,
      certainty: isExact ? 'exact' : 'bounds',
      not_exact: {
        trades: this.#notExact.length,
        ids: this.#notExact.slice(0, MOST_IDS),
        unmatched: this.#unmatched,
      },
      outlook: null,
    };
  }

  /**
   * Passes through the exits, one step for those of one instant.
   * @param flows the earliest first
   */
  #follow(flows: readonly { at: number; amount: number }[]) {
    const standing = new Standing(boundsOf(this.#rules));
    const open = new OpenAtOnce(this.#trades);
    const found: Found = { breached: null, may_have_breached: null, passed_at: null };
    const profit = new Sum();
    const cash = new Sum();
    let peak = 0;
    let next = 0;

    const moveUntil = (at: number) => {
      for (let flow = flows[next]; flow && flow.at <= at; flow = flows[++next])
        cash.add(flow.amount);
      standing.cash = cash.value;
    };

    const steps: Step[] = [...this.#nets].map(([at, net]) => ({ at, net: net.value }));
    for (const { at, net } of steps.sort((a, b) => a.at - b.at)) {
      open.enterBefore(at);
      moveUntil(at);
      standing.enter(this.#days.dayOf(at));
      const before = standing.profit;
      const rule = standing.breached
        ? null
        : standing.ruleBreachedAt(before - open.adverse);
      peak = Math.max(peak, before + open.favourable);
      open.leaveAt(at);
      profit.add(net);
      standing.close(profit.value);
      note(found, toInstantText(at), standing, rule);
    }

    moveUntil(Number.POSITIVE_INFINITY);
    const isUnknown = this.#trades.some(({ favourable }) => Number.isNaN(favourable));
    return {
      standing,
      found,
      peak: isUnknown ? Number.NaN : Math.max(peak, standing.high),
    };
  }

  /** @param peak highest profit that the account may have reached; NaN if unknown */
  #figures(standing: Standing, peak: number) {
    const { balance, max_loss, target, daily_loss, best_day, min_days } = this.#rules;
    const { profit, cash, floor, dayNet, best, counted, noise } = standing;
    const { isIntraday } = standing.bounds;
    const highest = isIntraday ? standing.floorBelow(peak) : floor;
    const isKnown = !Number.isNaN(highest);
    const room = isKnown ? roundMoney(profit + cash - highest) : null;

    return {
      balance: roundMoney(balance + profit + cash),
      floor: roundMoney(balance + floor),
      floor_low: isIntraday ? roundMoney(balance + floor) : null,
      floor_high: isIntraday && isKnown ? roundMoney(balance + highest) : null,
      room,
      max_loss,
      day: {
        ends_at: toInstantText(this.#days.endOf(standing.day)),
        net_pnl: roundMoney(dayNet),
        limit: daily_loss,
        room:
          daily_loss === null || room === null
            ? null
            : Math.min(roundMoney(daily_loss + dayNet), room),
      },
      target:
        target === null
          ? null
          : { amount: target, left: roundMoney(Math.max(0, target - profit)) },
      best_day: {
        date: best && dateOfDay(best.day),
        net_pnl: best && roundMoney(best.net),
        share: ratioOrNull(best && profit > noise ? best.net / profit : null),
        limit: best_day,
      },
      days: { counted, needed: min_days },
    };
  }
}

type Found = Pick<AccountLimits, 'breached' | 'may_have_breached' | 'passed_at'>;

/** @param rule that open losses may have breached before */
function note(
  found: Found,
  at: string,
  standing: Standing,
  rule: Standing['breached'],
): void {
  if (rule && !standing.breached) found.may_have_breached ??= { at, rule };
  if (standing.breached) found.breached ??= { at, rule: standing.breached };
  if (standing.isPassed) found.passed_at ??= at;
}

/**
 * Sums of the excursions of trades that are open at some moment since the step before.
 */
class OpenAtOnce {
  /** In the order of entry, those without a duration first. */
  readonly #coming: readonly Held[];
  readonly #leaving: ReadonlyMap<number, readonly Held[]>;
  readonly #adverse = new Sum();
  readonly #favourable = new Sum();
  #next = 0;

  constructor(trades: readonly Held[]) {
    this.#coming = trades.toSorted(
      (a, b) => a.entered - b.entered || a.closed - b.closed,
    );
    this.#leaving = Map.groupBy(trades, ({ closed }) => closed);
  }

  get adverse(): number {
    return this.#adverse.value;
  }

  get favourable(): number {
    return this.#favourable.value;
  }

  /** Adds the trades entered before an instant, or entered and closed at it. */
  enterBefore(at: number): void {
    for (; this.#next < this.#coming.length; this.#next++) {
      const trade = this.#coming[this.#next] as Held;
      if (trade.entered >= at && trade.closed !== at) return;
      this.#count(trade, 1);
    }
  }

  leaveAt(at: number): void {
    for (const trade of this.#leaving.get(at) ?? []) this.#count(trade, -1);
  }

  #count({ adverse, favourable }: Held, sign: 1 | -1): void {
    this.#adverse.add(sign * (adverse || 0));
    this.#favourable.add(sign * (favourable || 0));
  }
}
