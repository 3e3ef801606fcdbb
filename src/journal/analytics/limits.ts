/**
 * How far accounts are from the limits of their firms, by closed trades. Formulas: docs/limits.md.
 */
import * as z from 'zod';
import { ratioOrNull, roundMoney, Sum } from '../../money.ts';
import { foldCase } from '../../sqlite/functions.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { dateOfDay, toInstantText, ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { storedInstant, storedNumber } from '../stored-value.ts';
import { type AccountRules, ruleChangesOf, rulesInForce, TradingDays } from './account-rules.ts';
import { visitRows } from './closed-trades.ts';
import { boundsOf, type DayOfCloses, outlookOf, outlookRecord, Standing } from './outlook.ts';
import { clamp } from './period.ts';
import { Results } from './sample.ts';
import { type TradeRow, TradeRows } from './trade-rows.ts';

/** For every place that shows these figures. */
const BASIS = 'closed trades only; firms count open ones, too';

const breach = (what: string) =>
  f.orNull(
    f.object(
      {
        at: f.instant('Time of the close'),
        rule: f.choice(['max_loss', 'daily_loss'], 'The limit; max_loss if it is both'),
      },
      what,
    ),
  );

const amount = (what: string) => f.orNull(f.money(what));

const figures = () => ({
  basis: f.choice([BASIS], 'The trades behind these figures'),
  currency: f.orNull(f.currency('Currency of the amounts')),
  reason: f.orNull(f.ours('Reason for missing figures; else null')),
  balance: amount('The balance at the start plus the net P&L since'),
  floor: amount(
    'The balance at or below which max_loss is breached; with an intraday floor, by closes',
  ),
  floor_low: amount('Of an intraday floor the lowest that it can be, by closes; else null'),
  floor_high: amount(
    'Of an intraday floor the highest that it can be, by mfe_bound, else mfe; else null, as if a trade has neither',
  ),
  room: amount(
    'Loss that reaches the floor: balance less floor, of an intraday floor less floor_high',
  ),
  max_loss: amount('Maximum loss, the distance of the floor from the balance that it follows'),
  day: f.orNull(
    f.object(
      {
        ends_at: f.instant('End of the current day'),
        net_pnl: f.money('Net P&L of the current day'),
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
        date: f.orNull(f.date('The day; null without trades')),
        net_pnl: amount('Its net P&L'),
        share: f.orNull(f.ratio('Its share in the whole profit; null unless that is positive')),
        limit: f.orNull(f.ratio('Maximum share; null without a rule')),
      },
      'The best day, the first of equal ones',
    ),
  ),
  days: f.orNull(
    f.object(
      {
        counted: f.count(
          'Days that made the minimum profit of a day; without one, days with trades',
        ),
        needed: f.orNull(f.count('Days that must count; null without a rule')),
      },
      'Days that count',
    ),
  ),
  breached: breach(
    'First close at which the balance reached the floor, or a day its limit; null if none',
  ),
  may_have_breached: breach(
    'First close before any breach whose trades, with those open at the same time, may have reached a limit earlier, by mae_bound, else mae; null if none',
  ),
  without_excursion: f.orNull(f.count('Trades with neither mae_bound nor mae')),
  passed_at: f.orNull(
    f.instant('First close at which every rule was met and none breached; null without a target'),
  ),
  certainty: f.orNull(
    f.choice(['exact', 'bounds'], 'bounds: of an intraday floor, journals know bounds alone'),
  ),
  outlook: f.orNull(outlookRecord),
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
    if (since !== null && isLater(since, user, rules.since, days)) entry.withheld = ['since'];
    else if (days) accounts.set(name, new Account(entry, rules, days));
    else Object.assign(entry, without(`unknown time zone ${rules.timezone}; set the limits again`));
  }
  if (accounts.size === 0) return () => entries;
  const from = clamp(Math.min(...[...accounts.values()].map((own) => own.from)));
  const range = { from: toInstantText(from), to: null };
  const reading = new TradeRows(reader, user, ['entered', 'account', 'excursions']);
  visitRows(reader, user, { range, filters: {}, unit: 'trade' }, reading, (rows) => {
    for (const row of rows) {
      if (row.account !== null) accounts.get(foldCase(row.account))?.add(row, reading.netOf(row));
    }
  });
  return () => {
    for (const account of accounts.values())
      Object.assign(account.entry, account.result(user, now));
    return entries;
  };
}

/**
 * Whether a key's first day begins after that of the limits: each begins in its own zone, at its
 * own time of day.
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
  return { ...nothing, basis: BASIS, reason };
}

/** The closed trades of an account in the order of closing, and its figures. */
class Account {
  readonly entry: AccountLimits;
  /** First instant, in epoch milliseconds. */
  readonly from: number;
  readonly #rules: AccountRules;
  readonly #days: TradingDays;
  readonly #results = new Results();
  readonly #closed: number[] = [];
  readonly #entered: number[] = [];
  /** As positive amounts; NaN if unknown. */
  readonly #adverse: number[] = [];
  readonly #favourable: number[] = [];
  readonly #currencies = new Set<string>();

  constructor(entry: AccountLimits, rules: AccountRules, days: TradingDays) {
    this.entry = entry;
    this.#rules = rules;
    this.#days = days;
    this.from = rules.since === null ? Number.NEGATIVE_INFINITY : days.startOf(rules.since);
  }

  add(row: TradeRow, net: number): void {
    const closedMs = storedInstant(row.closed_at);
    if (closedMs < this.from) return;
    this.#results.add({ net: storedNumber(net), closedMs, day: this.#days.dayOf(closedMs) });
    this.#closed.push(closedMs);
    this.#entered.push(storedInstant(row.executed_at));
    const [adverse, favourable] = [row.mae_bound ?? row.mae, row.mfe_bound ?? row.mfe];
    this.#adverse.push(adverse == null ? Number.NaN : Math.abs(storedNumber(adverse)));
    this.#favourable.push(favourable == null ? Number.NaN : storedNumber(favourable));
    this.#currencies.add(row.currency);
  }

  result(user: User, now: number): Omit<AccountLimits, 'account'> {
    const currency = this.#rules.currency ?? [...this.#currencies][0] ?? user.base_currency;
    const others = [...this.#currencies].filter((own) => own !== currency).sort();
    if (others.length > 0)
      return without(`trades in ${others.join(', ')}; the limits are in ${currency}`);
    const { standing, days, peak, ...found } = this.#follow();
    standing.enter(Math.max(this.#days.dayOf(now), standing.day));
    return {
      ...{ basis: BASIS, currency, reason: null },
      ...this.#figures(standing, peak),
      ...{ breached: null, may_have_breached: null, passed_at: null, ...found },
      without_excursion: this.#adverse.filter(Number.isNaN).length,
      certainty: standing.bounds.isIntraday ? 'bounds' : 'exact',
      outlook: outlookOf(standing, days, this.#results.seed, found.passed_at !== undefined),
    };
  }

  /** Passes through the closes, one step for those of one instant. */
  #follow() {
    const { nets, days: dayNumbers } = this.#results;
    const [closed, entered] = [this.#closed, this.#entered];
    const standing = new Standing(boundsOf(this.#rules));
    const found: Partial<Pick<AccountLimits, 'breached' | 'may_have_breached' | 'passed_at'>> = {};
    const days: DayOfCloses[] = [];
    // Trades open at some moment since the close before: in the order of entry, those without a
    // duration first.
    const known = [...closed.keys()].filter(
      (i) => !(Number.isNaN(this.#adverse[i]) && Number.isNaN(this.#favourable[i])),
    );
    const time = (list: readonly number[], i: number) => list[i] as number;
    const byEntry = known.sort(
      (a, b) => time(entered, a) - time(entered, b) || time(closed, a) - time(closed, b),
    );
    const open = { adverse: new Sum(), favourable: new Sum() };
    const count = (i: number, sign: 1 | -1) => {
      open.adverse.add(sign * (this.#adverse[i] || 0));
      open.favourable.add(sign * (this.#favourable[i] || 0));
    };
    const profit = new Sum();
    let [peak, next] = [0, 0];
    for (let i = 0; i < nets.length; ) {
      const at = time(closed, i);
      for (; next < byEntry.length; next++) {
        const one = byEntry[next] as number;
        if (time(entered, one) >= at && time(closed, one) !== at) break;
        count(one, 1);
      }
      const day = dayNumbers[i] as number;
      standing.enter(day);
      const before = standing.profit;
      const rule = standing.breached ? null : standing.ruleBreachedAt(before - open.adverse.value);
      peak = Math.max(peak, before + open.favourable.value);
      const first = i;
      for (; i < nets.length && closed[i] === at; i++) {
        profit.add(nets[i] as number);
        count(i, -1);
      }
      standing.close(profit.value);
      addClose(days, standing, dayNumbers[first - 1] === day);
      if (rule && !standing.breached) found.may_have_breached ??= { at: toInstantText(at), rule };
      if (standing.breached) found.breached ??= { at: toInstantText(at), rule: standing.breached };
      if (standing.isPassed) found.passed_at ??= toInstantText(at);
    }
    peak = this.#favourable.some(Number.isNaN) ? Number.NaN : Math.max(peak, standing.high);
    return { standing, days, peak, ...found };
  }

  /** @param peak highest profit that the account may have reached; NaN if unknown */
  #figures(standing: Standing, peak: number) {
    const { balance, max_loss, target, daily_loss, best_day, min_days } = this.#rules;
    const { profit, floor, dayNet, best, counted, noise } = standing;
    const { isIntraday } = standing.bounds;
    const highest = isIntraday ? standing.floorBelow(peak) : floor;
    const isKnown = !Number.isNaN(highest);
    const room = isKnown ? roundMoney(profit - highest) : null;
    return {
      balance: roundMoney(balance + profit),
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
        target === null ? null : { amount: target, left: roundMoney(Math.max(0, target - profit)) },
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

/** Adds the standing after a close to the days of closes. */
function addClose(days: DayOfCloses[], { dayNet }: Standing, isSameDay: boolean): void {
  const day = isSameDay
    ? (days.at(-1) as DayOfCloses)
    : { profits: [], low: Infinity, high: -Infinity, last: 0 };
  if (!isSameDay) days.push(day);
  day.profits.push(dayNet);
  day.low = Math.min(day.low, dayNet);
  day.high = Math.max(day.high, dayNet);
  day.last = dayNet;
}
