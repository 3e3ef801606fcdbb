/** What percentages and returns rest on. Formulas: docs/analytics.md. */
import { Sum } from '../../money.ts';
import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { fromInstantText, ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import { once } from '../once.ts';
import { cashFlows } from '../resources/cash-flows.ts';
import { storedInstant } from '../stored-value.ts';
import { type Range, Where } from '../where.ts';
import {
  type BalanceChange,
  balanceChangesOf,
  balancesInForce,
} from './account-rules.ts';
import { balanceBefore } from './closed-trades.ts';
import type { Selection } from './condition.ts';
import {
  type Ledger,
  type Ledgers,
  ledgersOf,
  type OfAccount,
  type OpenCost,
  openCostsAt,
} from './ledgers.ts';
import { type BeforePeriod, balancesBefore } from './realised.ts';
import { INCOME, Returns, type StartingBalance } from './returns.ts';
import { unmatchedCloses } from './unmatched.ts';

/** Where the start of an account comes from. */
export const START_BASES = ['set', 'starting_balance', 'stated'] as const;
type StartBasis = (typeof START_BASES)[number];

export interface Start {
  /** In the ledger's currency. */
  amount: number;
  basis: StartBasis;
}

/** A ledger's accounts and starts of a request; read once. */
export class AccountCash {
  readonly #reader: Reader;
  readonly #user: User;
  readonly filters: OfAccount;
  readonly clock: ZoneClock;
  readonly ledgers: Ledgers;
  readonly starts: ReadonlyMap<Ledger, Start | null>;
  readonly #costs = new Map<number, Map<Ledger, OpenCost>>();

  constructor(reader: Reader, user: User, filters: OfAccount) {
    this.#reader = reader;
    this.#user = user;
    this.filters = filters;
    this.clock = new ZoneClock(user.timezone);
    this.ledgers = ledgersOf(reader, user, filters, this.clock);
    this.starts = this.#allStarts();
  }

  /** What opening took from cash, of the positions open at an instant. */
  openCostsAt(at: number): ReadonlyMap<Ledger, OpenCost> {
    const known = this.#costs.get(at);
    if (known) return known;

    const found = openCostsAt(this.#reader, this.#user, this.filters, {
      at,
      ledgers: this.ledgers,
    });
    this.#costs.set(at, found);
    return found;
  }

  #allStarts(): Map<Ledger, Start | null> {
    const set = balancesInForce(balanceChangesOf(this.#reader, this.#user.id));
    const only = this.#startOfOnlyAccount();
    const changes = [...set.values(), only].filter((change) => change !== null);
    for (const { account, currency } of changes)
      if (this.#isAsked(account)) this.ledgers.of(account, currency);

    return new Map(
      this.ledgers.all.map((ledger) => {
        const { account } = ledger;
        const change = account === null ? undefined : set.get(foldCase(account));
        if (change) return [ledger, startBy(change, ledger, 'set')] as const;

        const isOnly = only !== null && isSame(only.account, account);
        const start = isOnly
          ? startBy(only, ledger, 'starting_balance')
          : this.#implied(ledger);
        return [ledger, start] as const;
      }),
    );
  }

  #isAsked(account: string | null): boolean {
    const asked = this.filters['account'];
    return asked === undefined || isSame(asked, account);
  }

  /**
   * The user's starting balance, unless the journal has several accounts, or may have.
   */
  #startOfOnlyAccount(): StartChange | null {
    const { id, starting_balance, base_currency: currency } = this.#user;
    if (starting_balance === null || this.#reader.overlay?.narrow?.accounts) return null;

    const account = onlyAccountOf(this.#reader, id);
    return account === undefined ? null : { account, starting_balance, currency };
  }

  /** What the first stated balance implies; null without one. */
  #implied(ledger: Ledger): Start | null {
    const [first] = ledger.statements;
    if (!first) return null;

    const start = new Sum();
    start.add(first.amount);
    start.add(this.openCostsAt(first.end).get(ledger)?.cost.value ?? 0);
    start.add(-ledger.before(first.end));
    return { amount: start.value, basis: 'stated' };
  }
}

/** Undefined if the journal has none, or several. */
function onlyAccountOf(reader: Reader, user: string): string | null | undefined {
  const accounts = reader.all<{ account: string | null }>(
    `SELECT DISTINCT account COLLATE NOCASE AS account FROM (
       SELECT account FROM trades WHERE user_id = ${TEXT}
       UNION ALL SELECT account FROM cash_flows WHERE user_id = ${TEXT}) LIMIT 2`,
    user,
    user,
  );
  return accounts.length > 1 ? undefined : accounts[0]?.account;
}

type StartChange = Omit<BalanceChange, 'account'> & { account: string | null };

/** A start is that of the account as a whole: in its other currencies it had nothing. */
function startBy(
  { starting_balance, currency }: StartChange,
  ledger: Ledger,
  basis: StartBasis,
): Start {
  return { amount: ledger.currency === currency ? (starting_balance ?? 0) : 0, basis };
}

function isSame(account: string | null, other: string | null): boolean {
  if (account === null || other === null) return account === other;
  return foldCase(account) === foldCase(other);
}

/** What figures of a period rest on. */
export interface Balances extends BeforePeriod {
  /** Null without a balance. */
  restOn: 'journal' | 'accounts' | null;
  /** Null if figures rest on the balance before the period, and the P&L since. */
  returns: Returns | null;
  /** Where there are no cash flows: what returns alone rest on. */
  start?: StartingBalance | undefined;
  /** Why there is no return. */
  reason: string | null;
  /**
   * Accounts whose start is unknown, and flows without a rate; undefined where nothing
   * lacks.
   */
  lacks?: Lacks | undefined;
  /** Whether the request chooses trades: income belongs to none of them. */
  isOfTrades: boolean;
}

export interface Lacks {
  /** Their names; null: without one. */
  accounts: (string | null)[];
  flows: number;
  currencies: string[];
}

const NO_RECORDS = 'nothing in the journal';
const OF_ACCOUNTS =
  'no balance of these accounts alone: "journal-api account set NAME --starting-balance 25000" sets one';
const NO_BALANCE = 'no starting balance';
const UNKNOWN_START = 'starting balance of an account unknown: see data_quality.cash';
const UNRATED_START =
  'no exchange rate for a starting balance in another currency: see data_quality.cash';
const HIDDEN = 'the key hides money';
const PARTIAL = 'the key shows a part of the journal only: since';
export const OF_TRADES = 'filters choose trades: only account applies';

/** Reads the cash of the accounts of a request, if anything asks for it. */
export type CashOf = () => AccountCash;

export function cashOf(
  reader: Reader,
  user: User,
  filters: Selection['filters'],
): CashOf {
  const { account } = filters;
  return once(
    () => new AccountCash(reader, user, account === undefined ? {} : { account }),
  );
}

/**
 * What an account held at the start of a period, and its returns if it has flows.
 * @param isOfTrades whether the request excludes trades by other means than filters
 */
export function balancesOf(
  reader: Reader,
  user: User,
  { range, filters, where = null }: Pick<Selection, 'range' | 'filters' | 'where'>,
  cash: CashOf = cashOf(reader, user, filters),
): Balances {
  const isOfTrades =
    where !== null || Object.keys(filters).some((name) => name !== 'account');
  const kinds = kindsOf(reader, user);
  const isPartial = reader.overlay?.narrow?.since === true;
  if (kinds.hasMoved && isPartial) return without(PARTIAL, isOfTrades);

  const legacy = () => onStart(reader, user, { range, filters, isOfTrades });
  if (!kinds.hasMoved && !kinds.hasIncome && !kinds.hasStarts) return legacy();
  if (isPartial) return { ...legacy(), reason: PARTIAL };

  const known = cash();
  const ledgers = known.ledgers.all;
  const starts = [...known.starts.values()];
  const areSet = starts.length > 0 && starts.every((start) => start?.basis === 'set');
  if (kinds.hasMoved || areSet) return onAccounts(known, { range, isOfTrades });
  const hasIncome = ledgers.some(({ flows }) => flows.length > 0);
  const before = legacy();
  if (!hasIncome || before.realised === null) return before;

  return onJournal(reader, user, known, { range, before });
}

/** The user's starting balance, and the P&L of all trades since. */
function onStart(
  reader: Reader,
  user: User,
  {
    range,
    filters,
    isOfTrades,
  }: Pick<Selection, 'range' | 'filters'> & Pick<Balances, 'isOfTrades'>,
): Balances {
  const before = balancesBefore(reader, user, range);
  const found = { ...before, returns: null, isOfTrades };
  const { realised } = before;
  if (realised === null) return { ...found, restOn: null, reason: NO_BALANCE };

  const onJournal = { ...found, restOn: 'journal' } as const;
  if (isOfTrades) return { ...onJournal, reason: OF_TRADES };
  const { since = false, accounts = false, money = false } = reader.overlay?.narrow ?? {};
  // Cash flows and balances are hidden, too: without them a return may be wrong.
  if (money) return { ...onJournal, reason: HIDDEN };
  if (since) return { ...onJournal, reason: PARTIAL };
  const { account } = filters;
  const isAnyOrOnly = () =>
    account === undefined || isSame(account, onlyAccountOf(reader, user.id) ?? null);
  if (accounts || !isAnyOrOnly()) return { ...onJournal, reason: OF_ACCOUNTS };

  const instants = instantsOf(reader, user);
  if (instants.length === 0) return { ...onJournal, reason: NO_RECORDS };

  const of = { amount: realised, clock: new ZoneClock(user.timezone), range };
  return { ...onJournal, reason: null, start: startingBalance(instants, of) };
}

/** The first and the last entry and close, those without an opening, too. */
function instantsOf(reader: Reader, user: User): number[] {
  const entries = reader.get(
    `SELECT (SELECT min(executed_at) FROM trades WHERE user_id = ${TEXT}) AS first,
       (SELECT max(executed_at) FROM trades WHERE user_id = ${TEXT}) AS last,
       (SELECT max(closed_at) FROM trades WHERE user_id = ${TEXT}) AS closed`,
    user.id,
    user.id,
    user.id,
  );
  const closes = unmatchedCloses(reader, user, {
    range: { from: null, to: null },
    filters: {},
  })
    .filter(({ net_pnl }) => net_pnl !== null)
    .map(({ closed_at }) => closed_at);
  const { first, last, closed } = { ...entries };
  return [first, last, closed, closes[0], closes.at(-1)]
    .filter((at) => typeof at === 'string')
    .map(storedInstant);
}

function startingBalance(
  instants: readonly number[],
  of: Pick<StartingBalance, 'amount' | 'clock' | 'range'>,
): StartingBalance {
  return {
    ...of,
    firstDay: of.clock.dayOf(Math.min(...instants)),
    lastDay: of.clock.dayOf(Math.max(...instants)),
  };
}

/** What the accounts of a request hold now, for simulations; null if unknown. */
export function balanceNow(
  reader: Reader,
  user: User,
  filters: Selection['filters'],
  cash: CashOf,
): number | null {
  const range = { from: null, to: null };
  const { closed, returns, restOn } = balancesOf(reader, user, { range, filters }, cash);
  if (returns) return returns.balance;
  if (restOn !== 'accounts')
    return restOn && balanceBefore(reader, user, Number.POSITIVE_INFINITY);

  const balance = new Sum();
  balance.add(closed as number);
  addBefore(balance, cash().ledgers.all, Number.POSITIVE_INFINITY);
  return balance.value;
}

function without(reason: string, isOfTrades: boolean, lacks?: Lacks): Balances {
  const nothing = { closed: null, realised: null, restOn: null, returns: null };
  return { ...nothing, reason, isOfTrades, lacks };
}

/**
 * Whether the journal has flows of some kinds, and accounts with a start of their own.
 */
function kindsOf(reader: Reader, user: User) {
  const isOf = INCOME.map((kind) => `'${kind}'`).join(', ');
  const has = (table: string, condition = '1') =>
    reader.get(
      `SELECT 1 FROM ${table} WHERE user_id = ${TEXT} AND ${condition} LIMIT 1`,
      user.id,
    ) !== undefined;
  const hasFlows = has('cash_flows');

  return {
    hasMoved: hasFlows && has('cash_flows', `kind NOT IN (${isOf})`),
    hasIncome: hasFlows,
    hasStarts: has('account_balances'),
  };
}

/** The balances of the accounts of the request. */
function onAccounts(
  { ledgers: { all: ledgers }, starts, clock }: AccountCash,
  { range, isOfTrades }: { range: Range; isOfTrades: boolean },
): Balances {
  const lacks = lacksOf(ledgers, starts);
  if ([...starts.values()].includes(null))
    return without(UNKNOWN_START, isOfTrades, lacks);
  const opening = new Sum();
  for (const [ledger, start] of starts as ReadonlyMap<Ledger, Start>) {
    const rate = rateOfStart(ledger, start);
    if (rate === null) return without(UNRATED_START, isOfTrades, lacks);
    opening.add(start.amount * rate);
  }

  if (range.from !== null) addBefore(opening, ledgers, fromInstantText(range.from));
  const hasFlows = ledgers.some(({ flows }) => flows.length > 0);
  const balance = { closed: opening.value, realised: opening.value };
  const reason = isOfTrades ? OF_TRADES : null;
  const found = { ...balance, restOn: 'accounts', isOfTrades, lacks, reason } as const;
  if (hasFlows) {
    const returns = new Returns(opening, ledgers, { range, clock });
    return { ...found, returns };
  }

  const ends = ledgers.flatMap(({ first, last }) => [first, last]);
  const instants = ends.filter(Number.isFinite);
  if (isOfTrades || instants.length === 0)
    return { ...found, returns: null, reason: reason ?? NO_RECORDS };
  const of = { amount: opening.value, clock, range };
  return { ...found, returns: null, start: startingBalance(instants, of) };
}

/** What came in and left in the base currency; what has no rate is left out. */
function addBefore(sum: Sum, ledgers: readonly Ledger[], before: number): void {
  for (const { flows, at, nets, rates } of ledgers) {
    for (const flow of flows)
      if (flow.at < before && flow.rate !== null) sum.add(flow.amount * flow.rate);
    for (const [place, instant] of at.entries()) {
      const rate = rates[place] as number;
      if (instant < before && !Number.isNaN(rate))
        sum.add((nets[place] as number) * rate);
    }
  }
}

const unratedFlows = ({ flows }: Ledger) =>
  flows.filter(({ rate }) => rate === null).length;

const rateOfStart = ({ rate }: Ledger, { amount }: Start) => (amount === 0 ? 1 : rate);

function lacksOf(
  ledgers: readonly Ledger[],
  starts: ReadonlyMap<Ledger, Start | null>,
): Lacks | undefined {
  const unknown = ledgers.filter((ledger) => (starts.get(ledger) ?? null) === null);
  const accounts = [...new Set(unknown.map(({ account }) => account))];
  const unrated = ledgers.filter((ledger) => {
    const start = starts.get(ledger) ?? null;
    return (
      unratedFlows(ledger) > 0 || (start !== null && rateOfStart(ledger, start) === null)
    );
  });
  if (accounts.length + unrated.length === 0) return undefined;

  const flows = unrated.reduce((sum, ledger) => sum + unratedFlows(ledger), 0);
  const currencies = [...new Set(unrated.map(({ currency }) => currency))].sort();
  return { accounts, flows, currencies };
}

/**
 * Dividends, interest, fees and taxes alone: figures go on resting on the starting
 * balance.
 */
function onJournal(
  reader: Reader,
  user: User,
  { ledgers: { all: ledgers }, clock }: AccountCash,
  { range, before }: { range: Range; before: Balances },
): Balances {
  const opening = new Sum();
  opening.add(before.realised as number);
  if (range.from !== null) {
    const where = new Where(user.id).range('at', { from: null, to: range.from });
    const flows = reader.all<{ amount: number }>(
      `SELECT amount * fx_rate AS amount FROM ${cashFlows.source} WHERE ${where.sql}
         AND fx_rate IS NOT NULL`,
      ...where.values,
    );
    for (const { amount } of flows) opening.add(amount);
  }

  const { isOfTrades } = before;
  const lacks = lacksOf(ledgers, new Map());
  return {
    ...before,
    returns: new Returns(opening, ledgers, { range, clock }),
    reason: isOfTrades ? OF_TRADES : null,
    lacks: lacks && lacks.flows > 0 ? { ...lacks, accounts: [] } : undefined,
  };
}
