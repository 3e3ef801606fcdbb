/**
 * The analytics a second time: slow, exact, directly from the formulas, and without code of the program. Any difference between the two
 * is a fault in one of them.
 */
import { Exact } from './exact.ts';
import { Figure, meanOf, money, orNull, ratio, variance } from './figure.ts';
import { confidenceOf, intervalOf } from './reference-confidence.ts';
import { standsOut } from './reference-permutation.ts';
import { type Execution, exactExits, realisedOf } from './reference-realised.ts';

export interface Person {
  timezone: string;
  base_currency: string;
  starting_balance: number | null;
  breakeven_tolerance: number;
}

export interface Trade {
  id: string;
  account: string | null;
  symbol: string;
  market: string;
  side: string;
  status: 'open' | 'closed';
  executed_at: string;
  closed_at: string | null;
  currency: string;
  fx_rate: number | null;
  gross_pnl: number;
  fees: number;
  initial_risk: number | null;
  stop_loss: number | null;
  entry_price: number;
  multiplier: number;
  setup: string | null;
  underlying: string | null;
  rating: number | null;
  tags: string[];
  mistakes: string[];
  group_id: string | null;
  quantity: number;
  mae: number | null;
  mfe: number | null;
  mae_bound: number | null;
  mfe_bound: number | null;
  timeframe: string | null;
  expiration: string | null;
  /** Absent: none. */
  executions?: Execution[];
  /** Costs with days of their own, by time; absent: none. */
  dated_costs?: [at: string, amount: number, rate: number | null][];
  /** Of an open trade; absent: its quantity. */
  open_quantity?: number;
  /** Named by the trader, like those of groups and sessions; absent: none. */
  fields?: Fields;
}

export type Fields = Record<string, string | number>;

interface Answers {
  id: string;
  rules: { rule: string; followed: boolean | null }[];
  mistakes: string[];
  emotions: string[];
  followed_plan: boolean | null;
  confidence: number | null;
}

export interface Session {
  id: string;
  date: string;
  started_at: string | null;
  mood: string | null;
  energy: number | null;
  sleep_hours: number | null;
  /** From its review; undefined without one. */
  followed_plan?: boolean | null | undefined;
  /** From its market context. */
  condition?: string | null | undefined;
  bias?: string | null | undefined;
  fields?: Fields;
}

export interface Entry extends Answers {
  trade_id: string;
}

export interface GroupEntry extends Answers {
  group_id: string;
}

export interface Group {
  id: string;
  underlying: string | null;
  strategy: string | null;
  market: string;
  currency: string;
  initial_risk: number | null;
  tags: string[];
  /** Absent: custom. */
  kind?: string;
  setup?: string | null;
  mistakes?: string[];
  rating?: number | null;
  fields?: Fields;
}

export interface Missed {
  id: string;
  missed_at: string;
  symbol: string;
  market: string;
  side: string;
  setup: string | null;
  tags: string[];
  hypothetical_outcome: string;
  hypothetical_r: number | null;
  hypothetical_pnl: number | null;
  currency: string;
}

export interface Journal {
  person: Person;
  trades: Trade[];
  entries: Entry[];
  missed: Missed[];
  groups: Group[];
  groupEntries: GroupEntry[];
  sessions: Session[];
}

export type Unit = 'trade' | 'position';

/** Epoch milliseconds, half-open; null if open. */
export interface Span {
  from: number | null;
  to: number | null;
}

export const EVERYTHING: Span = { from: null, to: null };

export type Filters = Record<string, string>;

const DAY = 86_400_000;
/** Amounts closer than this are equal: their 8 decimals don't differ. */
const SAME = Exact.of('0.000000001');

/** The same for sums so large that a number can't represent a billionth. */
const sameAs = (money: Exact) => SAME.plus(money.abs().times(Exact.of('1e-14')));

// Time: the local date, computed for every single instant.

const walls = new Map<string, Intl.DateTimeFormat>();

function wall(timeZone: string, at: number): { date: string; hour: number } {
  let format = walls.get(timeZone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone,
      calendar: 'iso8601',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      hourCycle: 'h23',
    });
    walls.set(timeZone, format);
  }
  const part = Object.fromEntries(
    format.formatToParts(at).map(({ type, value }) => [type, value]),
  );
  return {
    date: `${part['year']}-${part['month']}-${part['day']}`,
    hour: Number(part['hour']),
  };
}

export function dateIn(timeZone: string, at: number): string {
  return wall(timeZone, at).date;
}

/** ISO weekday of a date: 1 Monday to 7 Sunday. */
function weekday(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay() || 7;
}

export function dayAfter(date: string, days = 1): string {
  return new Date(Date.parse(date) + days * DAY).toISOString().slice(0, 10);
}

const starts = new Map<string, number>();

/** The first quarter of an hour with this local date, or with a later one if the date was skipped. */
function startOf(timeZone: string, date: string): number {
  const name = `${timeZone} ${date}`;
  let at = starts.get(name);
  if (at === undefined) {
    at = Date.parse(date) - 15 * 3_600_000;
    while (dateIn(timeZone, at) < date) at += 900_000;
    starts.set(name, at);
  }
  return at;
}

/** The period of start and end in a request. */
export function spanOf(
  timeZone: string,
  start: string | undefined,
  end: string | undefined,
): Span {
  const bound = (text: string | undefined, days: number) =>
    text === undefined
      ? null
      : text.length === 10
        ? startOf(timeZone, dayAfter(text, days))
        : Date.parse(text);
  return { from: bound(start, 0), to: bound(end, 1) };
}

/** The requested period: by name, length or bounds. */
export interface Ask {
  period?: string | undefined;
  days?: number | undefined;
  start?: string | undefined;
  end?: string | undefined;
}

interface Shown {
  start: string | null;
  end: string | null;
  days: number | Figure | null;
  start_date: string | null;
  end_date: string | null;
}

interface Asked {
  span: Span;
  shown: Shown;
  capped: boolean;
  previous: { span: Span; shown: Shown } | null;
}

function days(
  timeZone: string,
  first: string,
  last: string,
): { span: Span; shown: Shown } {
  const span = { from: startOf(timeZone, first), to: startOf(timeZone, dayAfter(last)) };
  const length = (Date.parse(last) - Date.parse(first)) / DAY + 1;
  return {
    span,
    shown: {
      start: text(span.from),
      end: text(span.to),
      days: length,
      start_date: first,
      end_date: last,
    },
  };
}

function lastDays(timeZone: string, n: number, last: string, most: number): Asked {
  const length = Math.min(n, most);
  const first = dayAfter(last, 1 - length);
  return {
    ...days(timeZone, first, last),
    capped: n > most,
    previous: days(timeZone, dayAfter(first, -length), dayAfter(first, -1)),
  };
}

/** The first day of the calendar unit with a date; months count from 0. */
const FIRST_DAYS: Record<
  string,
  (date: Date, n: number) => [year: number, month: number, day: number]
> = {
  day: (date, n) => [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate() + n],
  week: (date, n) => [
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate() - ((date.getUTCDay() + 6) % 7) + 7 * n,
  ],
  month: (date, n) => [date.getUTCFullYear(), date.getUTCMonth() + n, 1],
  quarter: (date, n) => [
    date.getUTCFullYear(),
    Math.floor(date.getUTCMonth() / 3) * 3 + 3 * n,
    1,
  ],
  year: (date, n) => [date.getUTCFullYear() + n, 0, 1],
};

function firstDay(unit: string, date: string, n = 0): string {
  return new Date(Date.UTC(...FIRST_DAYS[unit]!(new Date(date), n)))
    .toISOString()
    .slice(0, 10);
}

const OTHER_NAMES: Record<string, string> = {
  today: 'this_day',
  yesterday: 'last_day',
  wtd: 'this_week',
  mtd: 'this_month',
  qtd: 'this_quarter',
  ytd: 'this_year',
};

/** The period before; of one that isn't over, as many days of it as have begun. */
function unit(
  timeZone: string,
  unit: string,
  first: string,
  last: string,
  today: string,
  most: number,
): Asked {
  const longest = dayAfter(last, 1 - most);
  const before: string[] = [];
  for (let day = firstDay(unit, first, -1); day < first; day = dayAfter(day))
    before.push(day);
  const begun = [...before.keys()].filter((i) => dayAfter(first, i) <= today);
  const isRunning = today >= first && today < firstDay(unit, first, 1);
  return {
    ...days(timeZone, first < longest ? longest : first, last),
    capped: first < longest,
    previous: days(
      timeZone,
      before[0]!,
      isRunning ? before[begun.length - 1]! : before.at(-1)!,
    ),
  };
}

function calendar(timeZone: string, name: string, today: string, most: number): Asked {
  const [which, of] = (OTHER_NAMES[name] ?? name).split('_') as [string, string];
  const last = which === 'this' ? today : dayAfter(firstDay(of, today), -1);
  return unit(
    timeZone,
    of,
    firstDay(of, today, which === 'this' ? 0 : -1),
    last,
    today,
    most,
  );
}

/** 2026, 2026-10, 2026-Q3, 2026-W47. */
function numbered(
  timeZone: string,
  period: string,
  today: string,
  most: number,
): Asked | undefined {
  const [year, part] = period.split('-') as [string, string | undefined];
  if (!/^\d{4}$/.test(year)) return undefined;
  const whole = (of: string, first: string) =>
    unit(timeZone, of, first, dayAfter(firstDay(of, first, 1), -1), today, most);
  if (part === undefined) return whole('year', `${year}-01-01`);
  if (part.startsWith('Q'))
    return whole('quarter', firstDay('quarter', `${year}-01-01`, Number(part[1]) - 1));
  if (!part.startsWith('W')) return whole('month', `${year}-${part}-01`);
  // The first week is the one with the year's first Thursday.
  let thursday = `${year}-01-01`;
  while (weekday(thursday) !== 4) thursday = dayAfter(thursday);
  return whole('week', dayAfter(thursday, 7 * (Number(part.slice(1)) - 1) - 3));
}

/** More days than any period here. */
const NO_LIMIT = 100_000;

/** @param most maximum days of a period, except one between two bounds */
export function askedOf(
  timeZone: string,
  { period, days: length, start, end }: Ask,
  now: number,
  most = NO_LIMIT,
): Asked {
  const today = dateIn(timeZone, now);
  const named = /^(\d+)([dwmy])$/.exec(
    length === undefined ? (period ?? '') : `${length}d`,
  );
  if (named) {
    const n = Number(named[1]) * { d: 1, w: 7, m: 30, y: 365 }[named[2] as 'd']!;
    return lastDays(timeZone, n, end ?? today, most);
  }
  if (period === 'all' && most < NO_LIMIT)
    return lastDays(timeZone, most + 1, today, most);
  if (period !== undefined && period !== 'all') {
    return (
      numbered(timeZone, period, today, most) ?? calendar(timeZone, period, today, most)
    );
  }
  const span = spanOf(timeZone, start, end);
  const before = spanBefore(timeZone, span, now);
  const shown = (of: Span): Shown => ({
    start: text(of.from),
    end: text(of.to),
    days: lengthOf(timeZone, of),
    start_date: of.from === null ? null : dateIn(timeZone, of.from),
    end_date:
      of.to === null ? null : dateIn(timeZone, Math.max(of.to - 1, of.from ?? of.to - 1)),
  });
  return {
    span,
    shown: shown(span),
    capped: false,
    previous: before && { span: before, shown: shown(before) },
  };
}

const text = (at: number | null) => (at === null ? null : new Date(at).toISOString());

function lengthOf(timeZone: string, { from, to }: Span): number | Figure | null {
  if (from === null || to === null) return null;
  return (
    calendarDays(timeZone, from, to) ?? ratio(new Exact(BigInt(to - from), BigInt(DAY)))
  );
}

function periodOf(person: Person, { shown, capped }: Asked) {
  return { ...shown, timezone: person.timezone, ...(capped && { capped: true }) };
}

/** Calendar days if both bounds start a day, else undefined. */
function calendarDays(timeZone: string, from: number, to: number): number | undefined {
  const [first, end] = [dateIn(timeZone, from), dateIn(timeZone, to)];
  if (startOf(timeZone, first) !== from || startOf(timeZone, end) !== to)
    return undefined;
  return (Date.parse(end) - Date.parse(first)) / DAY;
}

function spanBefore(timeZone: string, span: Span, now: number): Span | null {
  if (span.from === null) return null;
  const to = span.to ?? startOf(timeZone, dayAfter(dateIn(timeZone, now)));
  if (to < span.from) return null;
  const days = calendarDays(timeZone, span.from, to);
  const first = dateIn(timeZone, span.from);
  return {
    from:
      days === undefined
        ? span.from - (to - span.from)
        : startOf(timeZone, dayAfter(first, -days)),
    to: span.from,
  };
}

// Trades.

/** In lower case, in any script. */
export function lower(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

const same = (a: string | null, b: string) => a !== null && lower(a) === lower(b);
const sameOrNull = (a: string | null, b: string | null) =>
  b === null ? a === null : same(a, b);

const mistakesNoted = ({ entries }: Journal, trade: Trade) => [
  ...trade.mistakes,
  ...entries
    .filter((entry) => entry.trade_id === trade.id)
    .flatMap(({ mistakes }) => mistakes),
];

function passes(journal: Journal, trade: Trade, filters: Filters): boolean {
  return Object.entries(filters).every(([name, value]) => {
    if (name === 'tag') return trade.tags.some((tag) => same(tag, value));
    if (name === 'mistake')
      return mistakesNoted(journal, trade).some((mistake) => same(mistake, value));
    if (name === 'underlying') return same(trade.underlying ?? trade.symbol, value);
    if (name === 'symbol' || name === 'account' || name === 'setup')
      return same(trade[name], value);
    if (name === 'field') {
      const [, field, wanted] = /^(.*):(.*)$/.exec(value)!;
      const own = fieldOf(journal, [trade], field!.toLowerCase());
      return typeof own === 'number'
        ? own === Number(wanted)
        : same(own as string | null, wanted!);
    }
    if (name === 'outcome')
      return trade.status === 'closed' && outcomeOf(journal.person, trade) === value;
    if (name in LIMITS)
      return isWithin(name, value, {
        quantity: Exact.of(trade.quantity),
        contracts: contractsOf([trade]),
        net: ownNet(trade),
      });
    return (trade as unknown as Record<string, unknown>)[name] === value;
  });
}

type Amounts = Record<'quantity' | 'contracts' | 'net', Exact | null>;

const LIMITS: Record<string, [of: keyof Amounts, sign: number]> = {
  min_quantity: ['quantity', 1],
  max_quantity: ['quantity', -1],
  min_contracts: ['contracts', 1],
  max_contracts: ['contracts', -1],
  min_net_pnl: ['net', 1],
  max_net_pnl: ['net', -1],
};

/** Nothing unknown is within a limit. */
function isWithin(name: string, value: string, amounts: Amounts): boolean {
  const [of, sign] = LIMITS[name]!;
  const amount = amounts[of];
  return amount !== null && amount.compare(Exact.of(Number(value))) * sign >= 0;
}

const isContract = ({ market }: Trade) => market === 'option' || market === 'future';

function contractsOf(trades: Trade[]): Exact | null {
  const sizes = trades.filter(isContract).map(({ quantity }) => Exact.of(quantity));
  return sizes.length === 0 ? null : Exact.sum(sizes);
}

/** The largest number of spreads of which the legs are a multiple; null if it isn't whole. */
function spreadsOf({ kind }: Group, trades: Trade[]): Exact | null {
  if (kind !== 'multi_leg') return null;
  const sizes = trades
    .filter(({ market }) => market === 'option')
    .map(({ multiplier }) => multiplier);
  const per = sizes.length === 0 ? 1 : Math.max(...sizes);
  const units = trades.map(({ market, quantity }) =>
    market === 'stock' ? quantity / per : quantity,
  );
  if (!units.every(Number.isInteger)) return null;
  const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
  return Exact.of(units.reduce(divisor));
}

/** By the cash of the opening if there are options: futures and the like move none. */
function sideOf(trades: Trade[]): string | null {
  if (!trades.some(({ market }) => market === 'option'))
    return shared(trades.map((t) => t.side));
  const cash = trades
    .filter(({ market }) => !['future', 'forex', 'cfd'].includes(market))
    .map(({ side, entry_price, quantity, multiplier }) => {
      const paid = Exact.of(entry_price)
        .times(Exact.of(quantity))
        .times(Exact.of(multiplier));
      return side === 'short' ? paid : paid.negated();
    });
  const { sign } = Exact.sum(cash);
  if (sign === 0) return null;
  return sign > 0 ? 'credit' : 'debit';
}

/** Whether a group passes as a whole, or by any of its legs. */
function passesWhole(journal: Journal, group: Group, filters: Filters): boolean {
  const one = ofGroup(journal, group);
  const isOfOneCurrency = one.trades.every(({ currency }) => currency === group.currency);
  const amounts = {
    quantity: spreadsOf(group, one.trades),
    contracts: contractsOf(one.trades),
    net: isOfOneCurrency ? Exact.sum(one.trades.map(ownNet)) : null,
  };
  const isOneOf = (labels: (string | null | undefined)[], value: string) =>
    labels.some((label) => same(label ?? null, value));

  return Object.entries(filters).every(([name, value]) => {
    if (name in LIMITS) return isWithin(name, value, amounts);
    if (name === 'status') return (one.closed_at === null ? 'open' : 'closed') === value;
    if (name === 'side') return one.side === value;
    if (name === 'group_id') return group.id === value;
    if (name === 'tag') return isOneOf(one.tags, value);
    if (name === 'mistake') return isOneOf(one.mistakes, value);
    if (name === 'setup')
      return isOneOf([group.setup, ...one.trades.map(({ setup }) => setup)], value);
    if (name === 'underlying')
      return isOneOf(
        [group.underlying, ...one.trades.map((t) => t.underlying ?? t.symbol)],
        value,
      );
    if (name === 'outcome')
      return (
        one.closed_at !== null &&
        outcomeOfNet(journal.person, inBase(journal.person, one, ownNet)) === value
      );
    return isOneOf(
      one.trades.map((trade) => trade[name as 'market' | 'symbol' | 'account']),
      value,
    );
  });
}

export function rateOf(person: Person, trade: Trade): Exact | null {
  if (trade.currency === person.base_currency) return Exact.of(1);
  return trade.fx_rate === null ? null : Exact.of(trade.fx_rate);
}

const ownNet = (trade: Trade) => Exact.of(trade.gross_pnl).minus(Exact.of(trade.fees));

function outcomeOf(person: Person, trade: Trade): Outcome {
  return outcomeOfNet(person, ownNet(trade).times(rateOf(person, trade) ?? Exact.of(1)));
}

type Outcome = 'win' | 'loss' | 'breakeven';

function outcomeOfNet(person: Person, net: Exact): Outcome {
  if (net.abs().compare(Exact.of(person.breakeven_tolerance)) <= 0) return 'breakeven';
  return net.sign > 0 ? 'win' : 'loss';
}

/** A counted unit: one trade, or the legs of a group. */
interface One {
  trades: Trade[];
  id: string;
  group_id: string | null;
  executed_at: string;
  /** Null if a leg is open. */
  closed_at: string | null;
  symbol: string | null;
  underlying: string | null;
  market: string;
  side: string | null;
  setup: string | null;
  account: string | null;
  rating: number | null;
  tags: string[];
  mistakes: string[];
  stop: boolean;
  entries: Answers[];
  /** In its own currency; null without a risk. */
  r: Exact | null;
  strategy: string | null;
  timeframe: string | null;
}

export interface Counted extends One {
  closed_at: string;
  date: string;
  seconds: Exact;
  gross: Exact;
  fees: Exact;
  net: Exact;
  outcome: string;
  context: Context;
}

/** Each label once, of several spellings the first by code units. */
function once(labels: string[]): string[] {
  return labels
    .filter((label, i) => labels.findIndex((other) => same(other, label)) === i)
    .map((label) => labels.filter((other) => same(other, label)).sort()[0] as string);
}

/** The value shared by all, in the spelling of the first. */
function shared<T extends string | number | null>(values: T[]): T | null {
  const [first] = values;
  if (first === null || first === undefined) return null;
  const isSame = (value: T) =>
    typeof value === 'string' && typeof first === 'string'
      ? same(value, first)
      : value === first;
  return values.every(isSame) ? first : null;
}

/** In its own currency: as stated, else the loss at its stop. */
export function riskOf({
  initial_risk,
  stop_loss,
  entry_price,
  side,
  quantity,
  multiplier,
}: Trade): Exact | null {
  if (initial_risk !== null) return Exact.of(initial_risk);
  if (stop_loss === null) return null;
  const rise = Exact.of(stop_loss).minus(Exact.of(entry_price));
  const loss = side === 'long' ? rise.negated() : rise;
  const risk = loss.times(Exact.of(quantity)).times(Exact.of(multiplier)).rounded(8);
  return risk.sign > 0 ? risk : null;
}

function ofTrade(journal: Journal, trade: Trade): One {
  const risk = riskOf(trade);
  const entries = journal.entries.filter((entry) => entry.trade_id === trade.id);
  return {
    ...trade,
    trades: [trade],
    underlying: trade.underlying ?? trade.symbol,
    tags: once(trade.tags),
    mistakes: once(mistakesNoted(journal, trade)),
    stop: trade.stop_loss !== null,
    entries,
    r: risk && ownNet(trade).over(risk),
    strategy: journal.groups.find(({ id }) => id === trade.group_id)?.strategy ?? null,
  };
}

function ofGroup(journal: Journal, group: Group): One {
  const order = (a: string, b: string) => (a < b ? -1 : 1);
  const legs = journal.trades
    .filter((trade) => trade.group_id === group.id)
    .sort((a, b) => order(`${a.executed_at} ${a.id}`, `${b.executed_at} ${b.id}`))
    .map((trade) => ofTrade(journal, trade));
  const closed = legs.map((leg) => leg.closed_at);
  const last = [...legs]
    .sort((a, b) => order(`${a.closed_at} ${a.id}`, `${b.closed_at} ${b.id}`))
    .at(-1)!;
  const entries = journal.groupEntries.filter((entry) => entry.group_id === group.id);
  const trades = legs.flatMap((leg) => leg.trades);
  const hasR =
    group.initial_risk !== null &&
    trades.every((trade) => trade.currency === group.currency);
  return {
    trades,
    id: last.id,
    group_id: group.id,
    executed_at: legs[0]!.executed_at,
    closed_at: closed.includes(null) ? null : last.closed_at,
    symbol: shared(legs.map((leg) => leg.symbol)) ?? group.underlying,
    underlying: shared(legs.map((leg) => leg.underlying)) ?? group.underlying,
    market: shared(legs.map((leg) => leg.market)) ?? group.market,
    side: sideOf(trades),
    setup: group.setup ?? shared(legs.map((leg) => leg.setup)) ?? group.strategy,
    account: shared(legs.map((leg) => leg.account)),
    rating: group.rating ?? shared(legs.map((leg) => leg.rating)),
    timeframe: shared(legs.map((leg) => leg.timeframe)),
    tags: once([...legs.flatMap((leg) => leg.tags), ...group.tags]),
    mistakes: once([
      ...legs.flatMap((leg) => leg.mistakes),
      ...(group.mistakes ?? []),
      ...entries.flatMap((entry) => entry.mistakes),
    ]),
    stop: legs.some((leg) => leg.stop),
    entries: [...legs.flatMap((leg) => leg.entries), ...entries],
    r: hasR ? Exact.sum(trades.map(ownNet)).over(Exact.of(group.initial_risk!)) : null,
    strategy: group.strategy,
  };
}

/** All units, open or closed, that pass the filters. */
export function allOf(journal: Journal, filters: Filters, unit: Unit): One[] {
  const passing = journal.trades.filter((trade) => passes(journal, trade, filters));
  if (unit === 'trade') return passing.map((trade) => ofTrade(journal, trade));
  const groups = journal.groups.filter(
    (group) =>
      journal.trades.some((trade) => trade.group_id === group.id) &&
      passesWhole(journal, group, filters),
  );
  const singles = passing.filter((trade) => trade.group_id === null);
  return [
    ...singles.map((trade) => ofTrade(journal, trade)),
    ...groups.map((group) => ofGroup(journal, group)),
  ];
}

function closedIn(journal: Journal, span: Span, filters: Filters, unit: Unit): One[] {
  return allOf(journal, filters, unit)
    .filter(({ closed_at }) => {
      if (closed_at === null) return false;
      const at = Date.parse(closed_at);
      return (
        (span.from === null || at >= span.from) && (span.to === null || at < span.to)
      );
    })
    .sort((a, b) => (`${a.closed_at} ${a.id}` < `${b.closed_at} ${b.id}` ? -1 : 1));
}

/** An open trade is rated, too, if each of its exits is. */
function isRatedTrade(person: Person, trade: Trade): boolean {
  if (rateOf(person, trade) !== null) return true;
  const exits = trade.status === 'open' ? exactExits(trade) : [];
  return exits.length > 0 && exits.every(({ rate }) => rate !== null);
}

const isRated = (person: Person, one: One) =>
  one.trades.every((trade) => isRatedTrade(person, trade));

/** The rate of an exit: that of its day, else the trade's; 1 if unknown. */
const rateOfExit = (person: Person, trade: Trade, { rate }: { rate: Exact | null }) =>
  trade.currency === person.base_currency
    ? Exact.of(1)
    : (rate ?? rateOf(person, trade) ?? Exact.of(1));

/** What a trade has realised, its exits at the rates of their days if any has one. */
function realisedInBase(person: Person, trade: Trade): Exact {
  const exits = exactExits(trade);
  if (trade.currency === person.base_currency || exits.every(({ rate }) => rate === null))
    return realisedOf(trade).times(rateOf(person, trade) ?? Exact.of(1));
  return Exact.sum(exits.map((exit) => exit.net.times(rateOfExit(person, trade, exit))));
}

function inBase(person: Person, one: One, of: (trade: Trade) => Exact): Exact {
  return Exact.sum(
    one.trades.map((trade) => of(trade).times(rateOf(person, trade) ?? Exact.of(1))),
  );
}

// Context of a trade: earlier trades and its day, from the whole journal, trade by trade.

interface Context {
  /** Trades of the account that closed on the day of entry: before it, in order, and the first of all. */
  before: Made[];
  first: Outcome | null;
  /** Number of entries of the account on the day of entry. */
  entries: number;
  /** Net of the account's previous day with a closed trade. */
  dayBefore: Exact | null;
  ofDay: number;
  size: Exact | null;
  session: (
    name: 'mood' | 'energy' | 'sleep_hours' | 'followed_plan' | 'condition' | 'bias',
  ) => Key;
  /** The value of a field that the trader named. */
  field: (name: string) => Key;
  /** The bounds between the quarters of a field's numbers, if many differ. */
  quarters: (name: string) => number[] | undefined;
}

interface Made {
  /** Of its entry: the first trade. */
  name: string;
  outcome: Outcome;
  net: Exact;
  closedAt: string;
}

const entryOf = (one: One) => `${one.executed_at} ${one.trades[0]!.id}`;

/** What the account's trades before an entry were, from the whole journal. */
function contextOf(journal: Journal, all: One[], one: One): Context {
  const { person, sessions } = journal;
  const dayOf = (at: string) => dateIn(person.timezone, Date.parse(at));
  const today = dayOf(one.executed_at);
  const ofAccount = all.filter((other) => sameOrNull(other.account, one.account));
  const inOrder = (units: One[], order: (unit: One) => string) =>
    [...units].sort((a, b) => (order(a) < order(b) ? -1 : 1));
  const entered = inOrder(
    ofAccount.filter(({ executed_at }) => dayOf(executed_at) === today),
    entryOf,
  );
  const closed = inOrder(
    ofAccount.filter(({ closed_at }) => closed_at !== null),
    (unit) => `${unit.closed_at} ${entryOf(unit)}`,
  );
  const closedToday = closed.filter(({ closed_at }) => dayOf(closed_at!) === today);
  // Of trades that were entered and closed at one instant, those before this one in the order of entry.
  const before = closedToday.filter(
    (other) =>
      other.closed_at! < one.executed_at ||
      (other.closed_at === one.executed_at && entryOf(other) < entryOf(one)),
  );
  const lastDay = closed
    .map(({ closed_at }) => dayOf(closed_at!))
    .filter((date) => date < today)
    .sort()
    .at(-1);
  const ofLastDay = closed.filter(({ closed_at }) => dayOf(closed_at!) === lastDay);
  const netOf = (unit: One) => inBase(person, unit, ownNet);
  const made = (unit: One): Made => ({
    name: entryOf(unit),
    outcome: outcomeOfNet(person, netOf(unit)),
    net: netOf(unit),
    closedAt: unit.closed_at!,
  });
  const first = sessions
    .filter(({ date }) => date === today)
    .sort((a, b) =>
      `${a.started_at ?? '~'} ${a.id}` < `${b.started_at ?? '~'} ${b.id}` ? -1 : 1,
    );
  return {
    before: before.map(made),
    first: closedToday[0] ? made(closedToday[0]).outcome : null,
    dayBefore: lastDay === undefined ? null : Exact.sum(ofLastDay.map(netOf)),
    entries: entered.length,
    ofDay: entered.findIndex((other) => entryOf(other) === entryOf(one)) + 1,
    size: sizeOf(journal, one),
    session: (name) =>
      first.map((session) => session[name]).find((value) => value != null) ?? null,
    field: (name) => fieldOf(journal, one.trades, name),
    quarters: (name) => quartersOf(journal, name),
  };
}

/** Of the trade, else of its group, else of the day of entry; null if legs have several. */
function fieldOf(journal: Journal, [first, ...others]: Trade[], name: string): Key {
  const { groups, sessions, person } = journal;
  const stated = (trade: Trade) =>
    trade.fields?.[name] ??
    groups.find(({ id }) => id === trade.group_id)?.fields?.[name] ??
    null;
  const ofFirst = stated(first!);
  const all = others.map(stated);
  if ([ofFirst, ...all].some((value) => value !== null)) {
    const isOne = all.every((value) => {
      return typeof value === 'string' && typeof ofFirst === 'string'
        ? same(value, ofFirst)
        : value === ofFirst;
    });
    return isOne ? ofFirst : null;
  }
  const day = dateIn(person.timezone, Date.parse(first!.executed_at));
  const ofDay = sessions
    .filter(({ date, fields }) => date === day && fields?.[name] !== undefined)
    .sort((a, b) => {
      const [start, other] = [a.started_at ?? '~', b.started_at ?? '~'];
      return start === other ? (a.id < b.id ? -1 : 1) : start < other ? -1 : 1;
    });
  return ofDay[0]?.fields?.[name] ?? null;
}

function quartersOf(journal: Journal, name: string): number[] | undefined {
  const numbers = journal.trades
    .filter(({ status }) => status === 'closed')
    .map((trade) => fieldOf(journal, [trade], name))
    .filter((value) => typeof value === 'number')
    .sort((a, b) => a - b);
  if (new Set(numbers).size < 13) return undefined;
  const bounds = [0.25, 0.5, 0.75].map(
    (part) => numbers[Math.floor(numbers.length * part)]!,
  );
  return bounds.filter((bound, i) => bound !== bounds[i - 1]);
}

/** A number among many by the quarter in which it is. */
function quarterKey({ context }: Counted, name: string): Key {
  const value = context.field(name);
  const bounds = context.quarters(name);
  if (!bounds || typeof value !== 'number') return value;
  const below = bounds.filter((bound) => bound <= value).length;
  if (below === 0) return `under_${bounds[0]}`;
  return below === bounds.length
    ? `from_${bounds[below - 1]}`
    : `${bounds[below - 1]}_to_${bounds[below]}`;
}

/** The wins or losses at the end; none after a breakeven. */
function runOf(before: { outcome: Outcome }[]): number {
  const last = before.at(-1)?.outcome;
  if (last === undefined || last === 'breakeven') return 0;
  return before.length - 1 - before.findLastIndex(({ outcome }) => outcome !== last);
}

/** Labels that follow from the trades that closed before an entry on its day. */
export function labelsFrom(
  person: Person,
  before: Omit<Made, 'name'>[],
  executedAt: string,
): Record<string, Key> {
  const last = before.at(-1)?.outcome ?? 'none';
  const run = runOf(before);
  const losses = before.filter(({ outcome }) => outcome === 'loss');
  const since =
    losses.length === 0
      ? null
      : Date.parse(executedAt) - Date.parse(losses.at(-1)!.closedAt);
  const many = (n: number) => (n > 2 ? '3+' : `${n}`);
  return {
    after: last === 'loss' && run > 1 ? 'losses' : last,
    since_loss: since === null ? null : sinceLossOf(since),
    streak: run === 0 ? 'none' : `${last === 'win' ? 'wins' : 'losses'}_${many(run)}`,
    losses_today: many(losses.length),
    day_result: resultOf(person, before),
  };
}

/** The net of a day so far. */
function resultOf(person: Person, before: Omit<Made, 'name'>[]): string {
  if (before.length === 0) return 'first';
  const net = Exact.sum(before.map((made) => made.net)).rounded(8);
  const outcome = outcomeOfNet(person, net);
  return { win: 'green', loss: 'red', breakeven: 'flat' }[outcome];
}

function sizeOf(journal: Journal, { trades, account, underlying }: One): Exact | null {
  if (trades.length > 1) return null;
  const alike = journal.trades.filter(
    (trade) =>
      trade.status === 'closed' &&
      sameOrNull(trade.account, account) &&
      same(trade.underlying ?? trade.symbol, underlying!),
  );
  const usual = median(alike.map(({ quantity }) => Exact.of(quantity)));
  return usual && Exact.of(trades[0]!.quantity).over(usual).rounded(6);
}

/** A unit with its money, as if its rate were 1 if it has none; of an open one, nothing about its close is known. */
function measured(journal: Journal, all: One[], one: One): Counted {
  const { person } = journal;
  const closed = Date.parse(one.closed_at ?? one.executed_at);
  const net = inBase(person, one, ownNet);
  return {
    ...one,
    closed_at: one.closed_at!,
    date: dateIn(person.timezone, closed),
    seconds: new Exact(BigInt(closed - Date.parse(one.executed_at)), 1000n),
    gross: inBase(person, one, (trade) => Exact.of(trade.gross_pnl)),
    fees: inBase(person, one, (trade) => Exact.of(trade.fees)),
    net,
    outcome: outcomeOfNet(person, net),
    context: contextOf(journal, all, one),
  };
}

/** Units closed in a period that meet a condition, with or without an exchange rate; without one, the rate is 1. */
function meeting(
  journal: Journal,
  span: Span,
  { filters, where, unit }: Chosen,
): Counted[] {
  const all = allOf(journal, {}, unit);
  const closed = closedIn(journal, span, filters, unit).map((one) =>
    measured(journal, all, one),
  );
  return where === undefined
    ? closed
    : closed.filter((trade) => meets(journal.person, trade, where));
}

const isIn = ({ from, to }: Span, at: number) =>
  (from === null || at >= from) && (to === null || at < to);

/** An exit in the base currency. */
interface Realised {
  at: string;
  date: string;
  gross: Exact;
  net: Exact;
  isCost: boolean;
}

/**
 * The exits of a period, of all units that a request chooses, and those of units without a rate that
 * don't close in it.
 */
function realisedIn(
  journal: Journal,
  span: Span,
  { filters, where, unit }: Chosen,
  { exclude }: Excluding,
  out: Set<string>,
): { exits: Realised[]; unrated: Counted[] } {
  const { person } = journal;
  const all = allOf(journal, {}, unit);
  const chosen = allOf(journal, filters, unit)
    .map((one) => measured(journal, all, one))
    .filter((one) => where === undefined || meets(person, one, where))
    .filter((one) => exclude === undefined || !meets(person, one, exclude))
    .filter((one) => one.closed_at === null || !out.has(one.id));
  const exitsOf = (one: Counted) =>
    one.trades.flatMap((trade) => {
      return exactExits(trade)
        .filter(({ at }) => isIn(span, Date.parse(at)))
        .map((exit) => {
          const rate = rateOfExit(person, trade, exit);
          return {
            at: exit.at,
            date: dateIn(person.timezone, Date.parse(exit.at)),
            gross: exit.gross.times(rate),
            net: exit.net.times(rate),
            isCost: exit.isCost === true,
          };
        });
    });
  const closesIn = ({ closed_at }: Counted) =>
    closed_at !== null && isIn(span, Date.parse(closed_at));
  return {
    exits: chosen
      .filter((one) => isRated(person, one))
      .flatMap(exitsOf)
      .sort((a, b) => (a.at < b.at ? -1 : Number(a.at > b.at))),
    unrated: chosen.filter(
      (one) => !isRated(person, one) && !closesIn(one) && exitsOf(one).length > 0,
    ),
  };
}

/** Realised by an instant: the balance by closed trades, and exits of trades that were open then. */
function realisedAt(journal: Journal, at: number | null): Exact | null {
  const balance = balanceAt(journal, at);
  if (balance === null || at === null) return balance;
  const open = journal.trades.filter(
    ({ closed_at }) => closed_at === null || Date.parse(closed_at) >= at,
  );
  const earlier = open.flatMap((trade) => {
    if (!isRatedTrade(journal.person, trade)) return [];
    const exits = exactExits(trade).filter((exit) => Date.parse(exit.at) < at);
    return exits.map((exit) => exit.net.times(rateOfExit(journal.person, trade, exit)));
  });
  const later = journal.trades.flatMap((trade) => {
    const isClosed = trade.closed_at !== null && Date.parse(trade.closed_at) < at;
    const rate = rateOf(journal.person, trade);
    if (!isClosed || rate === null) return [];
    const costs = exactExits(trade).filter((exit) => Date.parse(exit.at) >= at);
    return costs.map((cost) => Exact.zero.minus(cost.net.times(rate)));
  });
  return Exact.sum([balance, ...earlier, ...later]);
}

function realisedDrawdown(balance: Exact | null, exits: Realised[]) {
  const { deepest, current } = drawdownOf(
    balance,
    exits.map(({ at, net }) => ({ net, closed_at: at })),
  );
  return deepest && { ...deepest.shown, current };
}

/** Rows of days; falls are below the highest total after any exit so far. */
function realisedDays(exits: Realised[]) {
  const totals = [...new Set(exits.map(({ at }) => at))].map((at) => ({
    at,
    total: Exact.sum(exits.filter((exit) => exit.at <= at).map(({ net }) => net)),
  }));
  const highest = (values: Exact[]) => first(values, (a, b) => a.compare(b) > 0)!;
  const falls = totals.map(({ at, total }, i) => ({
    at,
    fall: highest([
      Exact.zero,
      ...totals.slice(0, i + 1).map((step) => step.total),
    ]).minus(total),
  }));
  const dates = [...new Set(exits.map(({ date }) => date))].sort();
  return dates.map((date) => {
    const of = exits.filter((exit) => exit.date === date);
    const ofDay = falls.filter(({ at }) => of.some((exit) => exit.at === at));
    const gross = Exact.sum(of.map((exit) => exit.gross));
    const net = Exact.sum(of.map((exit) => exit.net));
    return {
      date,
      exits: of.filter(({ isCost }) => !isCost).length,
      unmatched: 0,
      gross_pnl: money(gross),
      fees: money(gross.minus(net)),
      net_pnl: money(net),
      cumulative_net_pnl: money(
        Exact.sum(exits.filter((exit) => exit.date <= date).map((exit) => exit.net)),
      ),
      drawdown: money(ofDay.at(-1)!.fall),
      lowest: money(highest(ofDay.map(({ fall }) => fall))),
    };
  });
}

export function counted(journal: Journal, span: Span, chosen: Chosen): Counted[] {
  return meeting(journal, span, chosen).filter((one) => isRated(journal.person, one));
}

/** Dimensions with accepted keys, or a list of these of which one has to match. */
export type Condition = Clause | Clause[];
type Clause = Record<string, Wanted | Wanted[]>;
export type Wanted = Key | { min?: number; max?: number };

/** A selection of trades. */
export interface Chosen {
  filters: Filters;
  where: Condition | undefined;
  unit: Unit;
}

/** Dimensions that an open trade has no key in. */
const BY_CLOSE = [
  ...['r_multiple', 'holding_time', 'close_hour', 'held_over'],
  ...['day', 'week', 'month', 'quarter', 'year'],
];

function meets(person: Person, trade: Counted, condition: Condition): boolean {
  return [condition].flat().some((clause) =>
    Object.entries(clause).every(([dimension, wanted]) => {
      if (trade.closed_at === null && BY_CLOSE.includes(dimension)) return false;
      const spelt = dimension === 'group' ? (id: string) => id : lower;
      const named = (key: Key) => (key === null ? '' : `=${spelt(String(key))}`);
      const keys = DIMENSIONS[dimension]!(trade, person);
      const all = [wanted].flat();
      const names = all.flatMap((key) =>
        typeof key === 'object' && key !== null ? [] : named(key),
      );
      if (dimension.startsWith('field:')) {
        const value = trade.context.field(dimension.slice(6));
        const isWithin = (key: Wanted) =>
          typeof key === 'object' &&
          key !== null &&
          typeof value === 'number' &&
          value >= (key.min ?? value) &&
          value <= (key.max ?? value);
        if (all.some(isWithin) || (value !== null && names.includes(named(value))))
          return true;
      }
      return (keys.length === 0 ? [null] : keys).some((key) =>
        names.includes(named(key)),
      );
    }),
  );
}

// Figures.

const share = (part: number, of: number) =>
  of === 0 ? null : new Exact(BigInt(part), BigInt(of));
const only = (trades: Counted[], outcome: string) =>
  trades.filter((trade) => trade.outcome === outcome);
const nets = (trades: Counted[]) => trades.map(({ net }) => net);
/** Nets with the day of closing, which intervals are clustered by. */
const dated = (trades: Counted[]) =>
  trades.map(({ net, date }) => ({ value: net, date }));
const risked = (trades: Counted[]) => trades.flatMap(({ r }) => r ?? []);

function profitFactor(trades: Counted[]): Exact | null {
  const gains = Exact.sum(nets(trades).filter((net) => net.sign > 0));
  const losses = Exact.sum(nets(trades).filter((net) => net.sign < 0));
  return losses.sign === 0 ? null : gains.over(losses.abs());
}

/** mean / sqrt(spread) * sqrt(times), with the root as the last step; null without a spread. */
function scaled(mean: Exact | null, spread: Exact | null, times: number): Figure | null {
  if (mean === null || spread === null || spread.sign === 0) return null;
  const root = Math.sqrt(mean.times(mean).times(times).over(spread).toNumber());
  return Figure.root(mean.sign < 0 ? -root : root);
}

function first<T>(items: T[], better: (a: T, b: T) => boolean): T | null {
  let best: T | null = null;
  for (const item of items) if (best === null || better(item, best)) best = item;
  return best;
}

function drawdownOf(balance: Exact | null, trades: { net: Exact; closed_at: string }[]) {
  const curve: { total: Exact; at: string | null }[] = [{ total: Exact.zero, at: null }];
  for (const at of new Set(trades.map(({ closed_at }) => closed_at))) {
    const step = trades.filter(({ closed_at }) => closed_at === at).map(({ net }) => net);
    curve.push({ total: curve.at(-1)!.total.plus(Exact.sum(step)), at });
  }
  let deepest: { fall: Exact; peak: number; trough: number } | null = null;
  let peak = 0;
  for (let i = 1; i < curve.length; i++) {
    const fall = curve[peak]!.total.minus(curve[i]!.total);
    const same = sameAs(curve[peak]!.total);
    if (fall.negated().compare(same) > 0) peak = i;
    else if (fall.compare((deepest?.fall ?? Exact.zero).plus(same)) > 0)
      deepest = { fall, peak, trough: i };
  }
  const percentOf = (fall: Exact, at: number) =>
    balance && ratio(fall.over(balance.plus(curve[at]!.total)));
  const now = curve[peak]!.total.minus(curve.at(-1)!.total);
  const current =
    now.compare(sameAs(curve[peak]!.total)) <= 0
      ? null
      : { amount: money(now), percent: percentOf(now, peak), since: curve[peak]!.at };
  if (deepest === null) return { deepest, current };
  const { fall, trough } = deepest;
  const top = curve[deepest.peak]!;
  const recovered = curve.find(
    (point, i) =>
      i > trough && top.total.minus(point.total).compare(sameAs(top.total)) <= 0,
  );
  const shown = {
    amount: money(fall),
    percent: percentOf(fall, deepest.peak),
    peak_at: top.at,
    trough_at: curve[trough]!.at,
    recovered_at: recovered?.at ?? null,
  };
  return { deepest: { fall, shown }, current };
}

/** What the account held at an instant: the starting balance and the net of all trades closed before. */
function balanceAt({ person, trades }: Journal, at: number | null): Exact | null {
  if (person.starting_balance === null) return null;
  const before = trades.filter(
    ({ closed_at }) => closed_at !== null && at !== null && Date.parse(closed_at) < at,
  );
  const rated = before.flatMap(
    (trade) => rateOf(person, trade)?.times(ownNet(trade)) ?? [],
  );
  return Exact.sum([Exact.of(person.starting_balance), ...rated]);
}

function streaksOf(trades: Counted[]) {
  let longestWin = 0;
  let longestLoss = 0;
  let current = 0;
  for (const { outcome } of trades) {
    if (outcome === 'breakeven') current = 0;
    else if (outcome === 'win') current = current > 0 ? current + 1 : 1;
    else current = current < 0 ? current - 1 : -1;
    longestWin = Math.max(longestWin, current);
    longestLoss = Math.max(longestLoss, -current);
  }
  return { longest_win: longestWin, longest_loss: longestLoss, current };
}

interface Day {
  date: string;
  trades: number;
  net: Exact;
  /** R of the trades with a risk. */
  r: Exact[];
}

function daysOf(trades: Counted[]): Day[] {
  const dates = [...new Set(trades.map(({ date }) => date))].sort();
  return dates.map((date) => {
    const of = trades.filter((trade) => trade.date === date);
    const r = of.flatMap((trade) => (trade.r === null ? [] : [trade.r]));
    return { date, trades: of.length, net: Exact.sum(nets(of)), r };
  });
}

/** Most days in a row with a net of this sign. */
function runOfDays(days: Day[], sign: number): number {
  const signs = days
    .map(({ net }) => (net.rounded(8).sign === sign ? 'x' : ' '))
    .join('');
  return Math.max(...signs.split(' ').map((run) => run.length));
}

function dailyRatios(start: Exact | null, days: Day[]) {
  const values: Exact[] = [];
  const shown = (net: Exact) => (net.abs().compare(SAME) < 0 ? Exact.zero : net);
  let balance = start ?? Exact.zero;
  let broke = false;
  const last = days.at(-1);
  for (
    let date = days[0]?.date;
    date !== undefined && last !== undefined && date <= last.date;
    date = dayAfter(date)
  ) {
    const day = days.find((candidate) => candidate.date === date);
    if (day === undefined) {
      if (weekday(date) <= 5) values.push(Exact.zero);
    } else if (start === null) {
      values.push(shown(day.net));
    } else {
      if (balance.sign <= 0) broke = true;
      values.push(balance.sign === 0 ? Exact.zero : shown(day.net).over(balance));
      balance = balance.plus(shown(day.net));
    }
  }
  const undefinedRatios = broke || values.length < 2;
  const losses = Exact.sum(
    values.filter((value) => value.sign < 0).map((value) => value.times(value)),
  );
  return {
    sharpe: undefinedRatios ? null : scaled(meanOf(values), variance(values), 252),
    sortino: undefinedRatios
      ? null
      : scaled(meanOf(values), losses.over(values.length), 252),
    daily_basis: start === null ? 'money' : 'returns',
    daily_sample: values.length,
  };
}

export function median(values: Exact[]): Exact | null {
  if (values.length === 0) return null;
  const sorted = [...values].sort((a, b) => a.compare(b));
  const middle = [
    sorted[Math.floor((sorted.length - 1) / 2)]!,
    sorted[Math.ceil((sorted.length - 1) / 2)]!,
  ];
  return Exact.sum(middle).over(2);
}

function performanceOf(
  person: Person,
  trades: Counted[],
  balance: Exact | null,
  { exits, realised }: { exits: Realised[]; realised: Exact | null },
) {
  const wins = only(trades, 'win');
  const losses = only(trades, 'loss');
  const net = Exact.sum(nets(trades));
  const averageWin = meanOf(nets(wins));
  const averageLoss = meanOf(nets(losses));
  const factor = profitFactor(trades);
  const drawdown = drawdownOf(balance, trades);
  const days = daysOf(trades);
  const r = risked(trades);
  const extreme = (of: Counted[], sign: number) => {
    const found = first(
      of,
      (a, b) => a.net.rounded(8).compare(b.net.rounded(8)) === sign,
    );
    return (
      found && { trade_id: found.id, group_id: found.group_id, net_pnl: money(found.net) }
    );
  };
  const extremeDay = (sign: number) => {
    const found = first(
      days,
      (a, b) => a.net.rounded(8).compare(b.net.rounded(8)) === sign,
    );
    return found && { date: found.date, net_pnl: money(found.net) };
  };
  const heldMedian = (of: Counted[]) =>
    orNull(median(of.map(({ seconds }) => seconds)), ratio);
  const best = nets(trades)
    .sort((a, b) => b.compare(a))
    .slice(0, 5);
  const held = (of: Counted[]) => orNull(meanOf(of.map(({ seconds }) => seconds)), ratio);
  return {
    currency: person.base_currency,
    trades: trades.length,
    wins: wins.length,
    losses: losses.length,
    breakevens: only(trades, 'breakeven').length,
    win_rate: orNull(share(wins.length, trades.length), ratio),
    win_rate_ex_breakeven: orNull(share(wins.length, wins.length + losses.length), ratio),
    gross_pnl: money(Exact.sum(trades.map(({ gross }) => gross))),
    fees: money(Exact.sum(trades.map(({ fees }) => fees))),
    net_pnl: money(net),
    realised_pnl: money(Exact.sum(exits.map((exit) => exit.net))),
    expectancy: orNull(meanOf(nets(trades)), money),
    expectancy_r: orNull(meanOf(r), ratio),
    total_r: r.length === 0 ? null : ratio(Exact.sum(r)),
    r_sample: r.length,
    average_win: orNull(averageWin, money),
    average_loss: orNull(averageLoss, money),
    payoff_ratio:
      averageWin === null || averageLoss === null
        ? null
        : ratio(averageWin.over(averageLoss.abs())),
    profit_factor: orNull(factor, ratio),
    profit_factor_infinite: factor === null && trades.some((trade) => trade.net.sign > 0),
    largest_win: extreme(wins, 1),
    largest_loss: extreme(losses, -1),
    max_drawdown: drawdown.deepest === null ? null : drawdown.deepest.shown,
    current_drawdown: drawdown.current,
    realised_drawdown: realisedDrawdown(realised, exits),
    best_five_share:
      net.rounded(8).sign > 0 ? Figure.share(Exact.sum(best), nets(trades)) : null,
    recovery_factor: drawdown.deepest && ratio(net.over(drawdown.deepest.fall)),
    streaks: {
      ...streaksOf(trades),
      longest_winning_days: runOfDays(days, 1),
      longest_losing_days: runOfDays(days, -1),
    },
    holding_seconds: {
      mean: held(trades),
      median: heldMedian(trades),
      wins_mean: held(wins),
      losses_mean: held(losses),
      wins_median: heldMedian(wins),
      losses_median: heldMedian(losses),
    },
    trading_days: days.length,
    winning_days: days.filter((day) => day.net.rounded(8).sign > 0).length,
    losing_days: days.filter((day) => day.net.rounded(8).sign < 0).length,
    best_day: extremeDay(1),
    worst_day: extremeDay(-1),
    // Compared with reference-balances.ts.
    return: Figure.ANY,
    ...dailyRatios(balance, days),
    sqn: scaled(meanOf(r), variance(r), r.length),
    confidence: confidenceOf(
      trades.map(({ outcome, date }) => ({
        value: Exact.of(outcome === 'win' ? 1 : 0),
        date,
      })),
      dated(trades),
      trades.flatMap(({ r, date }) => (r === null ? [] : [{ value: r, date }])),
    ),
  };
}

function daily(trades: Counted[]) {
  const days = daysOf(trades);
  const totals = days.map((_, i) =>
    Exact.sum(days.slice(0, i + 1).map(({ net }) => net)),
  );
  return days.map((day, i) => {
    const total = totals[i]!;
    const peak = first(
      [Exact.zero, ...totals.slice(0, i + 1)],
      (a, b) => a.compare(b) > 0,
    )!;
    return {
      date: day.date,
      trades: day.trades,
      net_pnl: money(day.net),
      total_r: day.r.length === 0 ? null : ratio(Exact.sum(day.r)),
      r_sample: day.r.length,
      cumulative_net_pnl: money(total),
      drawdown: money(peak.minus(total)),
    };
  });
}

type Key = string | number | boolean | null;

/** Steps of half an R, by R with 6 decimals; 5 R and more in either direction is one step. */
function stepOfR(r: Exact | null): string | null {
  if (r === null) return null;
  const shown = r.rounded(6);
  const steps = Array.from({ length: 20 }, (_, i) => [-5 + i / 2, -4.5 + i / 2] as const);
  if (shown.compare(Exact.of(-5)) < 0) return 'under_-5';
  if (shown.compare(Exact.of(5)) === 0) return steps.at(-1)!.join('_to_');
  const step = steps.find(([, to]) => shown.compare(Exact.of(to)) < 0);
  return step ? step.join('_to_') : 'over_5';
}

/** The key of the first limit above a value; the last limit itself isn't beyond. */
function stepOf(value: Exact, limits: [number, string][], beyond: string): string {
  if (value.compare(Exact.of(limits.at(-1)![0])) === 0) return limits.at(-1)![1];
  return limits.find(([limit]) => value.compare(Exact.of(limit)) < 0)?.[1] ?? beyond;
}

const sinceLossOf = (ms: number) =>
  stepOf(
    Exact.of(ms),
    [
      [600_000, 'under_10m'],
      [900_000, '10m_to_15m'],
      [1_800_000, '15m_to_30m'],
      [7_200_000, '30m_to_2h'],
    ],
    'over_2h',
  );

const sizeStep = (size: Exact) =>
  stepOf(
    size,
    [
      [0.5, 'under_half'],
      [1.5, 'half_to_1.5x'],
      [3, '1.5x_to_3x'],
    ],
    'over_3x',
  );

const sleepStep = (hours: number) =>
  stepOf(
    Exact.of(hours),
    [
      [6, 'under_6h'],
      [7, '6h_to_7h'],
      [8, '7h_to_8h'],
    ],
    'over_8h',
  );

/** Each answer to a rule once. */
function rulesKept({ entries }: One): string[] {
  const answers = entries
    .flatMap(({ rules }) => rules)
    .filter(({ followed }) => followed !== null);
  return once(
    answers.map(({ rule, followed }) => (followed ? `${rule}: kept` : `${rule}: broken`)),
  );
}

function planFollowed({ entries }: One): boolean | null {
  const said = entries.map(({ followed_plan }) => followed_plan);
  return said.includes(false) ? false : said.includes(true) ? true : null;
}

function holdingTime(seconds: Exact): string {
  const limits: [number, string][] = [
    [60, 'under_1m'],
    [5 * 60, '1m_to_5m'],
    [15 * 60, '5m_to_15m'],
    [3600, '15m_to_1h'],
    [4 * 3600, '1h_to_4h'],
    [24 * 3600, '4h_to_1d'],
    [7 * 24 * 3600, '1d_to_1w'],
  ];
  return stepOf(seconds, limits, 'over_1w');
}

/** The spelling of most trades, among labels that differ only in case. */
function spelling(trades: Counted[], keysOf: (trade: Counted) => Key[], key: Key): Key {
  if (typeof key !== 'string') return key;
  const alike = trades
    .flatMap(keysOf)
    .filter((other): other is string => typeof other === 'string' && same(other, key));
  const times = (spelt: string) => alike.filter((other) => other === spelt).length;
  return [...new Set(alike)].sort((a, b) => times(b) - times(a) || byKey(a, b))[0]!;
}

type Keys = (trade: Counted) => Key[];

function rowOf(person: Person, of: Counted[]) {
  const [low, high] = intervalOf(dated(of), 8) ?? [null, null];
  return {
    trades: of.length,
    wins: only(of, 'win').length,
    losses: only(of, 'loss').length,
    breakevens: only(of, 'breakeven').length,
    net_pnl: money(Exact.sum(nets(of))),
    win_rate: orNull(share(only(of, 'win').length, of.length), ratio),
    profit_factor: orNull(profitFactor(of), ratio),
    expectancy: orNull(meanOf(nets(of)), money),
    expectancy_low: low,
    expectancy_high: high,
    average_r: orNull(meanOf(risked(of)), ratio),
    total_r: risked(of).length === 0 ? null : ratio(Exact.sum(risked(of))),
    r_sample: risked(of).length,
    quantity: Figure.of(
      Exact.sum(
        of.flatMap(({ trades }) => trades.map(({ quantity }) => Exact.of(quantity))),
      ),
      9,
    ),
    fees: money(Exact.sum(of.map(({ fees }) => fees))),
    ...contractsIn(person, of),
    ...largestShare(of),
  };
}

/** The share of one of several trades in their net, if it is over half. */
function largestShare(of: Counted[]) {
  const net = Exact.sum(nets(of));
  if (of.length < 2 || money(net).rounded === 0) return {};
  const shares = nets(of).map((one) => Figure.share(one, nets(of)));
  const largest = shares.sort((a, b) => b.rounded - a.rounded)[0]!;
  return largest.rounded > 0.5 ? { largest_share: largest } : {};
}

/** Whether the label of a row may state its result. */
function isByDefinition(of: Counted[], all: Counted[]): boolean {
  const others = all.filter((trade) => !of.includes(trade));
  const part = (trades: Counted[], outcome: Outcome) =>
    only(trades, outcome).length / trades.length;
  return (
    of.length > 19 &&
    (['win', 'loss'] as const).some(
      (sign) => part(of, sign) >= 0.95 && part(others, sign) < 0.7,
    )
  );
}

/** The keys of rows with nearly the same trades. */
function alike(row: { of: Counted[] }, rows: { keys: Key[]; of: Counted[] }[]): string[] {
  const shared = (other: { of: Counted[] }) =>
    row.of.filter((one) => other.of.includes(one)).length;
  return rows
    .filter((other) => other !== row && Math.min(other.of.length, row.of.length) >= 20)
    .filter((other) => shared(other) / Math.max(other.of.length, row.of.length) >= 0.9)
    .map(({ keys }) => String(keys[0]))
    .sort();
}

function contractsIn(person: Person, of: Counted[]) {
  const trades = of.flatMap((one) => one.trades).filter(isContract);
  const contracts = contractsOf(trades);
  if (contracts === null) return { contracts: null, fees_per_contract: null };
  const fees = trades.map((trade) =>
    Exact.of(trade.fees).times(rateOf(person, trade) ?? Exact.of(1)),
  );
  return {
    contracts: Figure.of(contracts, 9),
    fees_per_contract: money(Exact.sum(fees).over(contracts)),
  };
}

/** The keys of trades in a dimension, in the spelling of most of them. */
export function keysOf(person: Person, trades: Counted[], name: string): Keys {
  const keys = DIMENSIONS[name]!;
  const plain: Keys = (trade) => keys(trade, person);
  return LABELS.includes(name)
    ? (trade) => plain(trade).map((key) => spelling(trades, plain, key))
    : plain;
}

/** Rows by one or several dimensions together, and the trades of each. */
export function rowsBy(person: Person, trades: Counted[], dimensions: string[]) {
  const all = dimensions.map((name) => keysOf(person, trades, name));
  const combinations = (trade: Counted) =>
    all.reduce<Key[][]>(
      (found, keys) => found.flatMap((some) => keys(trade).map((key) => [...some, key])),
      [[]],
    );
  const byName = new Map<string, { keys: Key[]; of: Counted[] }>();
  for (const trade of trades) {
    for (const keys of combinations(trade)) {
      const name = JSON.stringify(keys);
      const row = byName.get(name) ?? { keys, of: [] };
      row.of.push(trade);
      byName.set(name, row);
    }
  }
  const rows = [...byName.values()].map(({ keys, of }) => ({
    keys,
    of,
    ...rowOf(person, of),
  }));
  const byKeys = (a: { keys: Key[] }, b: { keys: Key[] }) =>
    a.keys
      .map((key, i) => orderOf(dimensions[i]!)(key, b.keys[i]!))
      .find((order) => order !== 0) ?? 0;
  return dimensions.every((name) => ORDERED.includes(name) || name in ORDERS)
    ? rows.sort(byKeys)
    : rows.sort((a, b) => b.net_pnl.rounded - a.net_pnl.rounded || byKeys(a, b));
}

function breakdown(person: Person, trades: Counted[], name: string, top?: number) {
  const rows = rowsBy(person, trades, [name]);
  return cut(person, rows, top).map(({ keys, of: _, ...row }) => ({
    key: keys[0]!,
    ...row,
  }));
}

/** The first rows, and the sum of the others. */
function cut(person: Person, rows: ReturnType<typeof rowsBy>, top = rows.length) {
  const rest = rows.slice(top);
  if (rest.length === 0) return rows;
  const of = rest.flatMap((row) => row.of);
  return [
    ...rows.slice(0, top),
    { keys: rest[0]!.keys.map(() => null), of, ...rowOf(person, of), other: true },
  ];
}

function byKey(a: Key, b: Key): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : 1;
}

function orderOf(dimension: string): typeof byKey {
  const order = ORDERS[dimension];
  if (!order) return byKey;
  const place = (key: Key) => (key === null ? order.length : order.indexOf(key));
  return (a, b) => place(a) - place(b);
}

const entered = ({ executed_at }: Counted, person: Person) =>
  wall(person.timezone, Date.parse(executed_at));

const DIMENSIONS: Record<string, (trade: Counted, person: Person) => Key[]> = {
  symbol: (trade) => [trade.symbol],
  underlying: (trade) => [trade.underlying],
  market: (trade) => [trade.market],
  side: (trade) => [trade.side],
  setup: (trade) => [trade.setup],
  tag: (trade) => trade.tags,
  mistake: (trade) => trade.mistakes,
  weekday: (trade, person) => [weekday(entered(trade, person).date)],
  hour: (trade, person) => [entered(trade, person).hour],
  account: (trade) => [trade.account],
  holding_time: (trade) => [holdingTime(trade.seconds)],
  r_multiple: (trade) => [stepOfR(trade.r)],
  day: (trade) => [trade.date],
  entry_day: (trade, person) => [entered(trade, person).date],
  week: (trade) => [firstDay('week', trade.date)],
  month: (trade) => [trade.date.slice(0, 7)],
  quarter: (trade) => [
    `${trade.date.slice(0, 4)}-Q${Math.floor((Number(trade.date.slice(5, 7)) + 2) / 3)}`,
  ],
  year: (trade) => [trade.date.slice(0, 4)],
  rating: (trade) => [trade.rating],
  group: (trade) => [trade.group_id],
  ...Object.fromEntries(
    ['after', 'since_loss', 'streak', 'losses_today', 'day_result'].map((name) => [
      name,
      ({ context, executed_at }: Counted, person: Person) => [
        labelsFrom(person, context.before, executed_at)[name]!,
      ],
    ]),
  ),
  first_trade: ({ context }) => [context.first],
  after_day: ({ context: { dayBefore } }) => {
    const sign = dayBefore?.rounded(8).sign;
    return [sign === undefined ? 'none' : sign > 0 ? 'green' : sign < 0 ? 'red' : 'flat'];
  },
  trade_of_day: ({ context }) => [context.ofDay < 10 ? `${context.ofDay}` : '10+'],
  trades_that_day: ({ context: { entries } }) => [
    entries > 9 ? '10+' : entries > 6 ? '7_to_9' : entries > 3 ? '4_to_6' : '1_to_3',
  ],
  size: ({ context }) => [context.size && sizeStep(context.size)],
  emotion: ({ entries }) => {
    const all = once(entries.flatMap(({ emotions }) => emotions));
    return all.length === 0 ? [null] : all;
  },
  rule: rulesKept,
  followed_plan: (trade) => [planFollowed(trade)],
  mood: ({ context }) => [context.session('mood')],
  energy: ({ context }) => [context.session('energy')],
  sleep: ({ context }) => {
    const hours = context.session('sleep_hours');
    return [hours === null ? null : sleepStep(hours as number)];
  },
  day_plan: ({ context }) => [context.session('followed_plan')],
  condition: ({ context }) => [context.session('condition')],
  bias: ({ context }) => [context.session('bias')],
  confidence: ({ entries }) => [
    ...new Set(entries.flatMap(({ confidence }) => confidence ?? [])),
  ],
  timeframe: (trade) => [trade.timeframe],
  close_hour: ({ closed_at }, person) => [
    wall(person.timezone, Date.parse(closed_at)).hour,
  ],
  held_over: (trade, person) => {
    const [from, to] = [entered(trade, person).date, trade.date];
    const between: string[] = [];
    for (let date = dayAfter(from); date < to; date = dayAfter(date)) between.push(date);
    return [
      from === to
        ? 'none'
        : between.some((date) => weekday(date) === 6)
          ? 'weekend'
          : 'night',
    ];
  },
  strategy: (trade) => [trade.strategy],
  currency: (trade) => [shared(trade.trades.map(({ currency }) => currency))],
  'field:grade': (trade) => [quarterKey(trade, 'grade')],
  'field:vix': (trade) => [quarterKey(trade, 'vix')],
};
const LABELS = [
  ...[
    'symbol',
    'underlying',
    'setup',
    'tag',
    'mistake',
    'account',
    'emotion',
    'rule',
    'mood',
    'strategy',
  ],
  ...['condition', 'bias', 'timeframe'],
  ...['field:grade', 'field:vix'],
];
const ORDERED = [
  'weekday',
  'hour',
  'close_hour',
  'confidence',
  'day',
  'entry_day',
  'week',
  'month',
  'quarter',
  'year',
  'rating',
];
/** Keys with an order that isn't that of texts. */
const ORDERS: Record<string, Key[]> = {
  after: ['none', 'win', 'breakeven', 'loss', 'losses'],
  since_loss: ['under_10m', '10m_to_15m', '15m_to_30m', '30m_to_2h', 'over_2h'],
  streak: ['losses_3+', 'losses_2', 'losses_1', 'none', 'wins_1', 'wins_2', 'wins_3+'],
  losses_today: ['0', '1', '2', '3+'],
  day_result: ['first', 'red', 'flat', 'green'],
  trades_that_day: ['1_to_3', '4_to_6', '7_to_9', '10+'],
  held_over: ['none', 'night', 'weekend'],
  trade_of_day: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10+'],
  size: ['under_half', 'half_to_1.5x', '1.5x_to_3x', 'over_3x'],
  energy: [1, 2, 3, 4, 5],
  sleep: ['under_6h', '6h_to_7h', '7h_to_8h', 'over_8h'],
};
const BREAKDOWNS = [
  ...[
    'symbol',
    'underlying',
    'market',
    'side',
    'setup',
    'tag',
    'mistake',
    'weekday',
    'hour',
    'month',
    'account',
  ],
  ...['holding_time', 'r_multiple'],
];

export const DIMENSION_NAMES = Object.keys(DIMENSIONS);

function groups(person: Person, trades: Counted[], by: string[], top?: number) {
  const rows = rowsBy(person, trades, by);
  const flags = standsOut(
    person,
    trades,
    rows.map(({ keys, of }) => ({ by, keys, of })),
  );
  const marked = rows.map((row, i) => ({
    ...row,
    ...(flags[i] !== false && { stands_out: flags[i] ?? Figure.MAYBE }),
    ...(by.length === 1 && marksOf(by[0]!, row, rows, trades)),
  }));
  return cut(person, marked, top).map(({ keys, of, ...row }) => ({
    by: Object.fromEntries(by.map((name, i) => [name, keys[i]])),
    ...row,
    gross_pnl: money(Exact.sum(of.map(({ gross }) => gross))),
    ...(by.includes('currency') && { net_pnl_native: nativeOf(of, 'other' in row) }),
  }));
}

function marksOf(name: string, row: Row, rows: Row[], trades: Counted[]) {
  const isLabel =
    ['mistake', 'emotion', 'tag', 'rule'].includes(name) && row.keys[0] !== null;
  const others = alike(row, rows);
  return {
    ...(isLabel && isByDefinition(row.of, trades) && { by_definition: true }),
    ...(others.length > 0 && { same_trades_as: others }),
  };
}

type Row = ReturnType<typeof rowsBy>[number];

/** Net in the shared currency of all; null if they have several. */
function nativeOf(of: Counted[], isRest: boolean): Figure | null {
  const all = of.flatMap(({ trades }) => trades);
  const isOne = new Set(all.map(({ currency }) => currency)).size === 1;
  return isOne && !isRest ? money(Exact.sum(all.map(ownNet))) : null;
}

const opened = (journal: Journal, span: Span, { filters, unit }: Chosen) =>
  allOf(journal, filters, unit).filter(
    (one) =>
      one.trades.some((trade) => trade.status === 'open') &&
      (span.to === null || Date.parse(one.executed_at) < span.to),
  );

/** 16:00 in New York of a day is 20:00 or 21:00 in UTC. */
const NEW_YORK = new Intl.DateTimeFormat('en-US', {
  timeZone: 'America/New_York',
  hour: '2-digit',
  hourCycle: 'h23',
});

function hasExpired(day: string, now: number): boolean {
  const at = [20, 21]
    .map((hour) => Date.parse(`${day}T${hour}:00:00Z`))
    .find((time) => NEW_YORK.format(time) === '16');
  return now >= at!;
}

function openOf(journal: Journal, span: Span, chosen: Chosen, ignored: string[]) {
  const { person } = journal;
  const open = opened(journal, span, chosen);
  return {
    trades: open.length,
    realised_pnl: money(
      Exact.sum(
        open
          .filter((one) => isRated(person, one))
          .flatMap((one) => one.trades.map((trade) => realisedInBase(person, trade))),
      ),
    ),
    ...ignoring(ignored),
  };
}

const ignoring = (names: string[]) =>
  names.length > 0 ? { filters_ignored: names } : {};

function mistakesOf(trades: Counted[], unit: Unit) {
  const free = trades.filter(({ mistakes }) => mistakes.length === 0);
  const others = trades.filter(({ mistakes }) => mistakes.length > 0);
  return {
    trades_with_mistakes: others.length,
    cost: money(Exact.sum(nets(free)).minus(Exact.sum(nets(trades)))),
    net_pnl_with_mistakes: money(Exact.sum(nets(others))),
    net_pnl_without_mistakes: money(Exact.sum(nets(free))),
    group_entries: unit === 'position',
  };
}

function rulesOf(trades: Counted[], unit: Unit) {
  const answers = ({ entries }: Counted) =>
    entries.flatMap(({ rules }) => rules.map(({ followed }) => followed));
  const count = (answer: boolean) =>
    trades.flatMap(answers).filter((given) => given === answer).length;
  const [followed, broken] = [count(true), count(false)];
  const breakers = trades.filter((trade) => answers(trade).includes(false));
  const followers = trades.filter(
    (trade) => answers(trade).includes(true) && !answers(trade).includes(false),
  );
  return {
    followed,
    broken,
    adherence: orNull(share(followed, followed + broken), ratio),
    net_pnl_followed: money(Exact.sum(nets(followers))),
    net_pnl_broken: money(Exact.sum(nets(breakers))),
    group_entries: unit === 'position',
  };
}

function missedOf(
  { person, missed }: Journal,
  span: Span,
  { filters }: Chosen,
  ignored: string[],
) {
  const of = missed.filter((trade) => {
    const at = Date.parse(trade.missed_at);
    if ((span.from !== null && at < span.from) || (span.to !== null && at >= span.to))
      return false;
    return Object.entries(filters).every(([name, value]) => {
      if (name === 'market' || name === 'side') return trade[name] === value;
      if (name === 'symbol' || name === 'setup') return same(trade[name], value);
      if (name === 'underlying') return same(trade.symbol, value);
      return name !== 'tag' || trade.tags.some((tag) => same(tag, value));
    });
  });
  const pnl = of.flatMap((trade) =>
    trade.hypothetical_pnl === null || trade.currency !== person.base_currency
      ? []
      : Exact.of(trade.hypothetical_pnl),
  );
  return {
    count: of.length,
    hypothetical_r: ratio(
      Exact.sum(
        of.flatMap((trade) =>
          trade.hypothetical_r === null ? [] : Exact.of(trade.hypothetical_r),
        ),
      ),
    ),
    hypothetical_pnl: money(Exact.sum(pnl)),
    forgone_gain: money(Exact.sum(pnl.filter((value) => value.sign > 0))),
    avoided_loss: money(Exact.sum(pnl.filter((value) => value.sign < 0)).negated()),
    unknown: of.filter((trade) => trade.hypothetical_outcome === 'unknown').length,
    ...ignoring([
      ...Object.keys(filters).filter(
        (name) =>
          !['market', 'side', 'symbol', 'setup', 'underlying', 'tag'].includes(name),
      ),
      ...ignored,
    ]),
  };
}

function qualityOf(
  journal: Journal,
  span: Span,
  chosen: Chosen,
  now: number,
  unrated: Counted[],
  isExcluded: (one: Counted) => boolean = () => false,
  out = new Set<string>(),
) {
  const { person } = journal;
  const closed = meeting(journal, span, chosen).filter(
    (one) => !isExcluded(one) && !out.has(one.id),
  );
  const leftOut = [...closed.filter((one) => !isRated(person, one)), ...unrated];
  const trades = leftOut.flatMap((one) =>
    one.trades.filter((trade) => !isRatedTrade(person, trade)),
  );
  return {
    without_stop: closed.filter(({ stop }) => !stop).length,
    without_journal: closed.filter(({ entries }) => entries.length === 0).length,
    without_risk: closed.filter(({ r }) => r === null).length,
    without_rate: leftOut.length,
    currencies_left_out: [...new Set(trades.map(({ currency }) => currency))].sort(),
    // Random journals have trades without fills.
    unmatched: {
      closes: 0,
      symbols: [],
      distinct: 0,
      realised_stated: 0,
      without_rate: [],
      without_statement: 0,
    },
    stated_totals: { differing: 0, totals: [] },
    expired_open: opened(journal, span, chosen)
      .flatMap(({ trades }) => trades)
      .filter(({ status, market, expiration }) => {
        return (
          status === 'open' &&
          market === 'option' &&
          expiration !== null &&
          hasExpired(expiration, now)
        );
      }).length,
  };
}

type Excluding = Pick<Parts, 'exclude' | 'best' | 'worst'>;

const NOTHING: Excluding = { exclude: undefined, best: undefined, worst: undefined };

/** Ids of the trades that a request takes out: by a condition, then the best and the worst of the others. */
function takenOut(
  person: Person,
  trades: Counted[],
  { exclude, best = 0, worst = 0 }: Excluding,
): Set<string> {
  const [matching, left] = [true, false].map((matches) =>
    trades.filter(
      (trade) => (exclude !== undefined && meets(person, trade, exclude)) === matches,
    ),
  ) as [Counted[], Counted[]];
  const ranked = left
    .map((trade, place) => ({ trade, place, net: trade.net.rounded(8) }))
    .sort((a, b) => b.net.compare(a.net) || a.place - b.place)
    .map(({ trade }) => trade);
  const extremes = ranked.filter(
    (_, rank) => rank < best || ranked.length - rank <= worst,
  );
  return new Set([...matching, ...extremes].map(({ id }) => id));
}

function whatIf(
  person: Person,
  trades: Counted[],
  out: Set<string>,
  balance: Exact | null,
  [all, left]: [Realised[], Realised[]],
) {
  const excluded = trades.filter(({ id }) => out.has(id));
  const figures = (of: Counted[], exits: Realised[]) => {
    const made = performanceOf(person, of, balance, { exits, realised: null });
    const { trades, net_pnl, realised_pnl, win_rate } = made;
    const { profit_factor, expectancy, max_drawdown } = made;
    return {
      trades,
      net_pnl,
      realised_pnl,
      win_rate,
      profit_factor,
      expectancy,
      max_drawdown,
    };
  };
  return {
    excluded: { trades: excluded.length, net_pnl: money(Exact.sum(nets(excluded))) },
    actual: figures(trades, all),
    without: figures(
      trades.filter(({ id }) => !out.has(id)),
      left,
    ),
  };
}

export interface Parts {
  unit: Unit;
  group_by: string[] | undefined;
  top: number | undefined;
  where: Condition | undefined;
  exclude: Condition | undefined;
  best: number | undefined;
  worst: number | undefined;
}

/** The whole `data` of the analytics. */
export function analytics(
  journal: Journal,
  asked: Asked,
  filters: Filters,
  parts: Parts,
  now: number,
) {
  const { person } = journal;
  const { span, previous } = asked;
  const { unit, group_by, top, where, exclude, best, worst } = parts;
  const chosen = { filters, where, unit };
  const all = counted(journal, span, chosen);
  const out = takenOut(person, all, parts);
  const trades = all.filter(({ id }) => !out.has(id));
  const balance = balanceAt(journal, span.from);
  const isWhatIf = [exclude, best, worst].some((given) => given !== undefined);
  const before = previous && counted(journal, previous.span, chosen);
  const outBefore = before && takenOut(person, before, parts);
  const { exits, unrated } = realisedIn(journal, span, chosen, parts, out);
  const actual = realisedIn(journal, span, chosen, NOTHING, new Set()).exits;
  const ignored = Object.entries({ where, exclude, best, worst }).flatMap(
    ([name, given]) => (given === undefined ? [] : [name]),
  );
  return {
    period: periodOf(person, asked),
    performance: performanceOf(person, trades, balance, {
      exits,
      realised: realisedAt(journal, span.from),
    }),
    daily: daily(trades),
    realised: realisedDays(exits),
    breakdowns: Object.fromEntries(
      BREAKDOWNS.map((name) => [name, breakdown(person, trades, name, top)]),
    ),
    ...(group_by && { groups: groups(person, trades, group_by, top) }),
    ...(isWhatIf && { what_if: whatIf(person, all, out, balance, [actual, exits]) }),
    previous:
      previous &&
      performanceOf(
        person,
        before!.filter(({ id }) => !outBefore!.has(id)),
        balanceAt(journal, previous.span.from),
        {
          exits: realisedIn(journal, previous.span, chosen, parts, outBefore!).exits,
          realised: realisedAt(journal, previous.span.from),
        },
      ),
    previous_period: previous?.shown ?? null,
    open: openOf(journal, span, chosen, ignored),
    mistakes: mistakesOf(trades, unit),
    rules: rulesOf(trades, unit),
    missed: missedOf(journal, span, chosen, ignored),
    data_quality: qualityOf(
      journal,
      span,
      chosen,
      now,
      unrated,
      (one) => exclude !== undefined && meets(person, one, exclude),
      out,
    ),
  };
}

/** The figures of the compact summary. */
export function summary(journal: Journal, asked: Asked, unit: Unit, now: number) {
  const { person } = journal;
  const chosen = { filters: {}, where: undefined, unit };
  const trades = counted(journal, asked.span, chosen);
  const rowsOf = (name: string) =>
    breakdown(person, trades, name).filter(({ key }) => key !== null);
  type Rows = ReturnType<typeof rowsOf>;
  const named = (name: string, rows: Rows) =>
    rows.slice(0, 5).map(({ key, trades, net_pnl, win_rate }) => ({
      [name]: key,
      trades,
      net_pnl,
      win_rate,
    }));
  const frequent = (rows: Rows) =>
    [...rows].sort((a, b) => b.trades - a.trades || byKey(a.key, b.key));
  const common = (name: string) => ({
    items: named(name, frequent(rowsOf(name))),
    distinct: rowsOf(name).length,
  });
  const symbols = rowsOf('symbol');
  const previous = asked.previous!;
  const before = counted(journal, previous.span, chosen);
  const { net_pnl, win_rate, profit_factor, expectancy } = rowOf(journal.person, before);
  const { exits, unrated } = realisedIn(journal, asked.span, chosen, NOTHING, new Set());
  const closings = journal.trades.flatMap(({ closed_at }) => closed_at ?? []).sort();
  return {
    period: periodOf(person, asked),
    performance: performanceOf(person, trades, balanceAt(journal, asked.span.from), {
      exits,
      realised: realisedAt(journal, asked.span.from),
    }),
    top_symbols: {
      most_traded: named('symbol', frequent(symbols)),
      best: named(
        'symbol',
        symbols.filter((row) => row.net_pnl.rounded > 0),
      ),
      worst: named('symbol', symbols.filter((row) => row.net_pnl.rounded < 0).reverse()),
      distinct: symbols.length,
    },
    common_tags: common('tag'),
    common_mistakes: common('mistake'),
    common_setups: common('setup'),
    previous: { trades: before.length, net_pnl, win_rate, profit_factor, expectancy },
    previous_period: previous.shown,
    mistakes: mistakesOf(trades, unit),
    rules: rulesOf(trades, unit),
    open: openOf(journal, asked.span, chosen, []),
    data_quality: qualityOf(journal, asked.span, chosen, now, unrated),
    journal: {
      first_trade_at: closings[0] ?? null,
      last_trade_at: closings.at(-1) ?? null,
      closed_trades: closings.length,
    },
  };
}
