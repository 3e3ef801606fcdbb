/** Balances and returns a second time: account by account and day by day, in exact fractions. */
import { Temporal } from 'temporal-polyfill';
import { Exact } from './exact.ts';
import { Figure, meanOf, money, ratio, variance } from './figure.ts';
import type { Person, Trade } from './reference.ts';
import { exactExits } from './reference-realised.ts';

interface CashFlow {
  id: string;
  account: string | null;
  at: string;
  kind: string;
  amount: number;
  currency: string;
  fx_rate: number | null;
}

interface StatedCash {
  account: string | null;
  currency: string;
  amount: number;
  /** A day. */
  at: string;
}

export interface CashWorld {
  person: Person;
  trades: Trade[];
  flows: CashFlow[];
  starts: { account: string; starting_balance: number; currency: string }[];
  statements: StatedCash[];
}

export interface Asked {
  account: string | undefined;
  symbol: string | undefined;
  /** First and last day. */
  start: string | undefined;
  end: string | undefined;
}

const INCOME = ['dividend', 'interest', 'fee', 'tax'];
const fold = (account: string | null) => account?.toLowerCase() ?? null;
const NEVER = Number.POSITIVE_INFINITY;

interface Moved {
  at: number;
  own: Exact;
  base: Exact | null;
  kind: string;
  isChosen: boolean;
}

interface Ledger {
  account: string | null;
  currency: string;
  moved: Moved[];
  trades: Trade[];
  start: Exact | null;
  basis: string | null;
}

const startOf = (day: string, zone: string) =>
  Temporal.PlainDate.from(day).toZonedDateTime(zone).epochMilliseconds;
const dayAfter = (day: string) =>
  Temporal.PlainDate.from(day).add({ days: 1 }).toString();
const dateOf = (at: number, zone: string) =>
  Temporal.Instant.fromEpochMilliseconds(at)
    .toZonedDateTimeISO(zone)
    .toPlainDate()
    .toString();
const isWeekday = (day: string) => Temporal.PlainDate.from(day).dayOfWeek <= 5;

/** What is left of lots, first in, first out. */
function openCost(trade: Trade, end: number): Exact {
  const entered = Date.parse(trade.executed_at);
  const closed = trade.closed_at === null ? NEVER : Date.parse(trade.closed_at);
  if (entered >= end || closed < end) return Exact.zero;

  const isPaid = !['future', 'cfd', 'forex'].includes(trade.market);
  const sign = trade.side === 'long' ? 1 : -1;
  const priced = (quantity: Exact, price: number) =>
    isPaid
      ? quantity.times(Exact.of(price)).times(Exact.of(trade.multiplier)).times(sign)
      : Exact.zero;
  const fills = (trade.executions ?? []).filter(
    (fill) => Date.parse(fill.executed_at) < end,
  );
  if (!trade.executions?.length) {
    const paid = priced(Exact.of(trade.quantity), trade.entry_price);
    return closed === NEVER ? paid.plus(Exact.of(trade.fees)) : paid;
  }

  const opens = trade.side === 'long' ? 'buy' : 'sell';
  let gone = Exact.sum(
    fills.filter((fill) => fill.side !== opens).map((fill) => Exact.of(fill.quantity)),
  );
  const parts = fills
    .filter((fill) => fill.side === opens)
    .map((fill) => {
      const quantity = Exact.of(fill.quantity);
      const taken = gone.compare(quantity) < 0 ? gone : quantity;
      gone = gone.minus(taken);
      const left = quantity.minus(taken);
      return priced(left, fill.price).plus(
        Exact.of(fill.fees).times(left).over(quantity),
      );
    });
  return Exact.sum(parts);
}

function ledgersOf(world: CashWorld, { account, symbol }: Asked): Ledger[] {
  const { person } = world;
  const ledgers: Ledger[] = [];
  const isAsked = (own: string | null) =>
    account === undefined || fold(own) === fold(account);
  const ledgerOf = (own: string | null, currency: string) => {
    const known = ledgers.find(
      (ledger) => fold(ledger.account) === fold(own) && ledger.currency === currency,
    );
    if (known) return known;
    const made = {
      account: own,
      currency,
      moved: [],
      trades: [],
      start: null,
      basis: null,
    };
    ledgers.push(made);
    return made as Ledger;
  };
  const inBase = (own: Exact, currency: string, rate: number | null) => {
    if (currency === person.base_currency) return own;
    return rate === null ? null : own.times(Exact.of(rate));
  };

  for (const trade of world.trades.filter((own) => isAsked(own.account))) {
    const ledger = ledgerOf(trade.account, trade.currency);
    ledger.trades.push(trade);
    for (const exit of exactExits(trade))
      ledger.moved.push({
        at: Date.parse(exit.at),
        own: exit.net,
        base: inBase(exit.net, trade.currency, trade.fx_rate),
        kind: 'exit',
        isChosen: symbol === undefined || trade.symbol === symbol,
      });
  }
  for (const flow of world.flows.filter((own) => isAsked(own.account)))
    ledgerOf(flow.account, flow.currency).moved.push({
      at: Date.parse(flow.at),
      own: Exact.of(flow.amount),
      base: inBase(Exact.of(flow.amount), flow.currency, flow.fx_rate),
      kind: flow.kind,
      isChosen: symbol === undefined,
    });
  for (const stated of world.statements.filter((own) => isAsked(own.account)))
    ledgerOf(stated.account, stated.currency);
  for (const [place, set] of world.starts.entries()) {
    const isLast = !world.starts
      .slice(place + 1)
      .some((own) => fold(own.account) === fold(set.account));
    if (isLast && isAsked(set.account)) ledgerOf(set.account, set.currency);
  }

  const accounts = [
    ...new Set([...world.trades, ...world.flows].map((own) => fold(own.account))),
  ];
  const only =
    accounts.length === 1 && person.starting_balance !== null ? accounts[0]! : undefined;
  if (only !== undefined && isAsked(only)) ledgerOf(only, person.base_currency);
  for (const ledger of ledgers) begin(world, ledger, fold(ledger.account) === only);
  return ledgers;
}

function statedOf({ statements, person }: CashWorld, { account, currency }: Ledger) {
  return statements
    .filter((own) => fold(own.account) === fold(account) && own.currency === currency)
    .map((own) => ({ ...own, end: startOf(dayAfter(own.at), person.timezone) }))
    .sort((a, b) => a.end - b.end);
}

const before = ({ moved }: Ledger, end: number) =>
  Exact.sum(moved.filter(({ at }) => at < end).map(({ own }) => own));
const costAt = ({ trades }: Ledger, end: number) =>
  Exact.sum(trades.map((trade) => openCost(trade, end)));

function begin(world: CashWorld, ledger: Ledger, isOnly: boolean): void {
  const set = world.starts.findLast((own) => fold(own.account) === fold(ledger.account));
  const whole = {
    starting_balance: world.person.starting_balance!,
    ...currencyOf(world),
  };
  const of = set ?? (isOnly ? whole : undefined);
  if (of) {
    ledger.start = Exact.of(of.currency === ledger.currency ? of.starting_balance : 0);
    ledger.basis = set ? 'set' : 'starting_balance';
    return;
  }
  const [first] = statedOf(world, ledger);
  if (!first) return;
  ledger.start = Exact.of(first.amount)
    .plus(costAt(ledger, first.end))
    .minus(before(ledger, first.end));
  ledger.basis = 'stated';
}

const currencyOf = ({ person }: CashWorld) => ({ currency: person.base_currency });

const COLUMNS: Record<string, string[]> = {
  deposits: ['deposit'],
  withdrawals: ['withdrawal'],
  transfers: ['transfer'],
  payouts: ['payout'],
  income: ['dividend', 'interest'],
  costs: ['fee', 'tax'],
  other: ['other'],
  realised: ['exit'],
};

function boundsOf({ person }: CashWorld, { start, end }: Asked) {
  return {
    from: start === undefined ? -NEVER : startOf(start, person.timezone),
    to: end === undefined ? NEVER : startOf(dayAfter(end), person.timezone),
  };
}

/** The section balance, in any order. */
export function balances(world: CashWorld, asked: Asked) {
  const { from, to } = boundsOf(world, asked);
  return ledgersOf(world, asked).map((ledger) => {
    const within = ledger.moved.filter(({ at }) => at >= from && at < to);
    const sums = Object.entries(COLUMNS).map(([name, kinds]) => [
      name,
      Exact.sum(within.filter(({ kind }) => kinds.includes(kind)).map(({ own }) => own)),
    ]) as [string, Exact][];
    const start = ledger.start === null ? null : ledger.start.plus(before(ledger, from));
    const latest = statedOf(world, ledger).findLast(({ end }) => end <= to);
    const here =
      latest && ledger.start
        ? ledger.start.plus(before(ledger, latest.end)).minus(costAt(ledger, latest.end))
        : null;
    const isFuture = (trade: Trade, end: number) =>
      trade.market === 'future' &&
      Date.parse(trade.executed_at) < end &&
      (trade.closed_at === null || Date.parse(trade.closed_at) >= end);
    return {
      account: ledger.account,
      currency: ledger.currency,
      start: start && money(start),
      start_basis: ledger.basis,
      ...Object.fromEntries(sums.map(([name, sum]) => [name, money(sum)])),
      end: start && money(Exact.sum([start, ...sums.map(([, sum]) => sum)])),
      open_cost: money(costAt(ledger, to)),
      stated: latest ? latest.amount : null,
      stated_at: latest ? new Date(latest.end).toISOString() : null,
      here: here && money(here),
      difference: here && latest ? money(here.minus(Exact.of(latest.amount))) : null,
      daily_settlement:
        latest !== undefined &&
        ledger.trades.some((trade) => isFuture(trade, latest.end)),
    };
  });
}

/** The rate of a start in another currency: the earliest that the account has. */
function rateOf({ moved, currency }: Ledger, base: string): Exact | null {
  if (currency === base) return Exact.of(1);
  const first = moved.filter((own) => own.base !== null).sort((a, b) => a.at - b.at)[0];
  return first ? first.base!.over(first.own) : null;
}

const OF_ACCOUNTS =
  'no balance of these accounts alone: "journal-api account set NAME --starting-balance 25000" sets one';

const none = (rests_on: string | null, reason: string) => ({
  return: { time_weighted: null, annualised: null, rests_on, reason },
});

/** performance.return; Sharpe, Sortino and the fall, too, if they are those of daily returns. */
export function returns(world: CashWorld, asked: Asked) {
  const { person } = world;
  const zone = person.timezone;
  const ledgers = ledgersOf(world, asked);
  const hasMoved = world.flows.some(({ kind }) => !INCOME.includes(kind));
  const areSet = ledgers.length > 0 && ledgers.every(({ basis }) => basis === 'set');
  const hasFlows = ledgers.some(({ moved }) => moved.some(({ kind }) => kind !== 'exit'));
  const { from, to } = boundsOf(world, asked);
  const isOnAccounts = hasMoved || areSet;
  const rests = isOnAccounts ? 'accounts' : 'journal';
  let opening: Exact;

  if (isOnAccounts) {
    if (ledgers.some(({ start }) => start === null))
      return none(null, 'starting balance of an account unknown: see data_quality.cash');
    const starts = ledgers.map((ledger) => {
      if (ledger.start === null || ledger.start.sign === 0) return ledger.start;
      const rate = rateOf(ledger, person.base_currency);
      return rate && ledger.start.times(rate);
    });
    if (starts.includes(null))
      return none(
        null,
        'no exchange rate for a starting balance in another currency: see data_quality.cash',
      );
    opening = Exact.sum([...(starts as Exact[]), ...basesOf(ledgers, from)]);
  } else {
    if (person.starting_balance === null) return none(null, 'no starting balance');
    const all = {
      account: undefined,
      symbol: undefined,
      start: undefined,
      end: undefined,
    };
    const earlier = basesOf(ledgersOf(world, all), from);
    opening = Exact.sum([Exact.of(person.starting_balance), ...earlier]);
  }

  const events = ledgers
    .flatMap(({ moved }) => moved)
    .filter(({ at }) => at >= from && at < to);
  const found = grown(events, opening, zone);
  // Without flows all other figures are as without returns.
  const figures = hasFlows && {
    daily_basis: 'returns',
    ...(found.brokeOn === null && { daily_sample: found.values.length }),
    ...found.ratios,
    percent: found.percent,
    peak: found.peak,
    trough: found.trough,
  };
  const isChosen = asked.symbol !== undefined;
  const isPart =
    !isOnAccounts && asked.account !== undefined && !isOnlyAccount(world, asked.account);
  if (!hasFlows && isChosen)
    return none(rests, 'filters choose trades: only account applies');
  if (!hasFlows && isPart) return none(rests, OF_ACCOUNTS);
  const times = ledgers.flatMap(({ moved, trades }) => [
    // Without flows, an exit of an open trade without a rate moves no day.
    ...moved
      .filter(({ base }) => hasFlows || isOnAccounts || base !== null)
      .map(({ at }) => at),
    ...trades.map(({ executed_at }) => Date.parse(executed_at)),
    ...trades.flatMap(({ closed_at }) =>
      closed_at === null ? [] : [Date.parse(closed_at)],
    ),
  ]);
  if (times.length === 0) return none(rests, 'nothing in the journal');
  if (found.brokeOn !== null)
    return {
      ...none(rests, `a result on a balance of 0 or less on ${found.brokeOn}`),
      ...figures,
    };
  if (isChosen)
    return { ...none(rests, 'filters choose trades: only account applies'), ...figures };

  const [first, last] = [Math.min(...times), Math.max(...times)].map((at) =>
    dateOf(at, zone),
  );
  const firstDay =
    opening.sign > 0 ? [first!, asked.start ?? ''].sort().at(-1)! : found.firstWithBase;
  const lastDay = asked.end ?? last!;
  if (firstDay === null || firstDay > lastDay)
    return { ...none(rests, 'no balance in the period'), ...figures };

  const days = Temporal.PlainDate.from(firstDay).until(lastDay).days + 1;
  const total = found.growth.minus(Exact.of(1));
  const isYears = days > 365 && found.growth.sign > 0;
  return {
    ...figures,
    return: {
      time_weighted: ratio(total),
      annualised: isYears
        ? Figure.root(found.growth.toNumber() ** (365 / days) - 1)
        : null,
      rests_on: rests,
      reason: null,
    },
  };
}

function isOnlyAccount({ trades, flows }: CashWorld, account: string): boolean {
  const accounts = [...trades, ...flows].map((own) => fold(own.account));
  return accounts.length > 0 && accounts.every((own) => own === fold(account));
}

const basesOf = (ledgers: Ledger[], end: number) =>
  ledgers.flatMap(({ moved }) =>
    moved.flatMap(({ at, base }) => (at < end && base ? [base] : [])),
  );

function grown(events: Moved[], opening: Exact, zone: string) {
  const one = Exact.of(1);
  const values: Exact[] = [];
  const curve: { date: string | null; growth: Exact }[] = [{ date: null, growth: one }];
  let [balance, brokeOn, firstWithBase, previous] = [opening, null, null, null] as [
    Exact,
    string | null,
    string | null,
    string | null,
  ];
  const rated = events.filter(({ base }) => base !== null);
  const sumOf = (of: Moved[]) => Exact.sum(of.map(({ base }) => base!));

  for (const date of [...new Set(rated.map(({ at }) => dateOf(at, zone)))].sort()) {
    const all = rated.filter(({ at }) => dateOf(at, zone) === date);
    const isResult = ({ kind }: Moved) => kind === 'exit' || INCOME.includes(kind);
    const came = sumOf(all.filter((own) => !isResult(own)));
    const base = balance.plus(came.sign > 0 ? came : Exact.zero);
    if (base.sign > 0) firstWithBase ??= date;
    const chosen = all.filter((own) => isResult(own) && own.isChosen);

    if (chosen.length > 0 && brokeOn === null) {
      for (
        let day = previous === null ? date : dayAfter(previous);
        day < date;
        day = dayAfter(day)
      )
        if (isWeekday(day)) values.push(Exact.zero);
      previous = date;
      const result = sumOf(chosen);
      if (result.sign !== 0 && base.sign <= 0) brokeOn = date;
      else {
        const value = result.sign === 0 ? Exact.zero : result.over(base);
        values.push(value);
        curve.push({ date, growth: curve.at(-1)!.growth.times(one.plus(value)) });
      }
    }
    balance = balance.plus(sumOf(all));
  }

  return {
    values,
    brokeOn,
    firstWithBase,
    growth: curve.at(-1)!.growth,
    ratios: brokeOn === null ? ratiosOf(values) : { sharpe: null, sortino: null },
    ...(brokeOn === null ? fallOf(curve) : { percent: null, peak: null, trough: null }),
  };
}

function ratiosOf(values: Exact[]) {
  const [mean, spread] = [meanOf(values), variance(values)];
  const losses = values
    .filter((value) => value.sign < 0)
    .map((value) => value.times(value));
  const scaled = (square: Exact | null) =>
    mean === null || square === null || square.sign === 0 || values.length < 2
      ? null
      : Figure.root((mean.toNumber() / Math.sqrt(square.toNumber())) * Math.sqrt(252));
  return {
    sharpe: scaled(spread),
    sortino: scaled(losses.length === 0 ? null : Exact.sum(losses).over(values.length)),
  };
}

function fallOf(curve: { date: string | null; growth: Exact }[]) {
  let [percent, peak, trough] = [Exact.zero, null, null] as [
    Exact,
    string | null,
    string | null,
  ];
  for (const [i, { date, growth }] of curve.entries()) {
    const earlier = curve.slice(0, i + 1);
    const top = earlier.reduce((a, b) => (b.growth.compare(a.growth) > 0 ? b : a));
    const fall = top.growth.minus(growth).over(top.growth);
    if (fall.compare(percent) > 0) [percent, peak, trough] = [fall, top.date, date];
  }
  return { percent: ratio(percent), peak, trough };
}
