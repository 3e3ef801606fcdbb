/**
 * Exchange rates that users set or imported. Each change is stored with its import, and
 * undo deletes it. Trades and cash flows whose files state no rate get theirs from these
 * rates whenever they or the rates change.
 */
import type Database from 'better-sqlite3';
import type { User } from '../journal/journal.ts';
import type { Trade } from '../journal/resources/trades.ts';
import { datedCostsJson, datedCostsOf } from '../journal/trade-exits.ts';
import { Reader } from '../sqlite/reader.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { addDays, fromInstantText, ZoneClock } from '../time.ts';

/**
 * Maximum age of a table's rate used for weekends and holidays: Easter and Christmas skip
 * four days.
 */
const DAYS_BACK = 7;

/** Rates of a table by currency, then by day. */
export class DailyRates {
  readonly byCurrency = new Map<string, Map<string, number>>();

  /** @returns the stored rate if it differs */
  add(currency: string, date: string, rate: number): number | undefined {
    let days = this.byCurrency.get(currency);
    if (!days) {
      days = new Map();
      this.byCurrency.set(currency, days);
    }

    const before = days.get(date);
    if (before !== undefined && before !== rate) return before;

    days.set(date, rate);
    return undefined;
  }
}

/** The rates of a currency in one import. */
export interface RateChange {
  currency: string;
  /** The user's base currency then. */
  base: string;
  /** removed: earlier set rates end */
  kind: 'set' | 'table' | 'removed';
  /**
   * 1 unit of the currency in the base currency, by day; of a set rate by its first day,
   * '' for all days.
   */
  days: Record<string, number>;
}

/** Result of applying rates. */
export interface AppliedRates {
  /** Number of trades that got a rate, and of those that lost theirs. */
  filled: number;
  cleared: number;
  /** Closed trades still without one, by currency, with their first and last day. */
  missing: { currency: string; trades: number; first: string; last: string }[];
}

/** A change with its days as JSON. */
type StoredChange = Omit<RateChange, 'days'> & { import: number; days: string };

/**
 * The changes of a user's rates, of all or some currencies, the earliest first, each with
 * its import.
 */
export function rateChangesOf(
  reader: Reader,
  user: string,
  currencies?: ReadonlySet<string>,
): (RateChange & { import: number })[] {
  const which = currencies ? 'AND currency IN (SELECT value FROM json_each(?))' : '';
  const rows = reader.all<StoredChange>(
    `SELECT import_id AS import, currency, base, kind, days FROM exchange_rates
      WHERE user_id = ? ${which} ORDER BY import_id, currency`,
    user,
    ...(currencies ? [JSON.stringify([...currencies])] : []),
  );

  return rows.map(({ days, ...row }) => ({ ...row, days: JSON.parse(days) }));
}

export function addRates(
  db: Database.Database,
  user: string,
  importId: number,
  changes: readonly RateChange[],
): void {
  const rows = new UserRows(db, user);
  for (const { currency, base, kind, days } of changes)
    rows.insert('exchange_rates', {
      import_id: importId,
      currency,
      base,
      kind,
      days: JSON.stringify(days),
    });
}

/**
 * The set rates in force: a rate for all days replaces earlier ones, one from a day those
 * of later days too.
 */
export function setRatesOf<T extends RateChange>(
  changes: readonly T[],
): { change: T; from: string; rate: number }[] {
  let inForce: { change: T; from: string; rate: number }[] = [];
  for (const change of changes) {
    const { currency, base, kind, days } = change;
    const isOther = (other: (typeof inForce)[number]) =>
      other.change.currency !== currency || other.change.base !== base;
    if (kind === 'removed') inForce = inForce.filter(isOther);
    if (kind !== 'set') continue;

    for (const [from, rate] of Object.entries(days)) {
      inForce = [
        ...inForce.filter((rate) => isOther(rate) || (from !== '' && rate.from !== from)),
        { change, from, rate },
      ];
    }
  }

  return inForce;
}

/** The rates to a base currency. */
class Rates {
  readonly #tables = new Map<string, Map<string, number>>();
  readonly #set: Map<string, { from: string; rate: number }[]>;

  constructor(changes: readonly RateChange[], base: string) {
    const ofBase = changes.filter((change) => change.base === base);
    for (const { currency, kind, days } of ofBase) {
      if (kind !== 'table') continue;
      const table = this.#tables.get(currency) ?? new Map();
      this.#tables.set(currency, table);
      for (const [day, rate] of Object.entries(days)) table.set(day, rate);
    }

    const latestFirst = setRatesOf(ofBase).sort((a, b) => (a.from < b.from ? 1 : -1));
    this.#set = Map.groupBy(latestFirst, ({ change }) => change.currency);
  }

  /** A table's rate of the day, else its latest of the week before, else the set one. */
  at(currency: string, day: string): number | undefined {
    const table = this.#tables.get(currency);
    for (let back = 0; table && back <= DAYS_BACK; back++) {
      const rate = table.get(addDays(day, -back));
      if (rate !== undefined) return rate;
    }
    return this.#set.get(currency)?.find(({ from }) => from <= day)?.rate;
  }
}

/**
 * Gives each closed trade in another currency the rate of its closing day in the user's
 * zone, unless its fx_rate is its own. Does nothing in a journal without rates.
 */
export function applyRates(db: Database.Database, user: User): AppliedRates {
  const applied: AppliedRates = { filled: 0, cleared: 0, missing: [] };
  const table = new UserRows(db, user.id);
  rateUnmatched(db, user);
  rateExits(db, user);
  rateCosts(db, user);
  rateFlows(db, user);
  if (!table.has('exchange_rates') && !table.has('rated_trades')) return applied;

  const foreign = table.all<RatedTrade>(FOREIGN, { base: user.base_currency });
  if (foreign.length === 0) return applied;

  const clock = new ZoneClock(user.timezone);
  const currencies = new Set(foreign.map(({ currency }) => currency));
  const rates = ratesFor(db, user, currencies);
  const missing = new MissingRates();

  for (const trade of foreign) {
    const day = closingDay(trade, clock);
    const rate = day === undefined ? null : (rates.at(trade.currency, day) ?? null);
    if (rate !== trade.fx_rate) {
      setRate(table, trade.id, rate);
      applied[rate === null ? 'cleared' : 'filled']++;
    }
    if (rate === null && day !== undefined) missing.add(trade.currency, day);
  }

  return { ...applied, missing: missing.found };
}

/** The rates of some currencies to the user's base currency. */
function ratesFor(
  db: Database.Database,
  user: User,
  currencies: ReadonlySet<string>,
): Rates {
  const changes = rateChangesOf(new Reader(db), user.id, currencies);
  return new Rates(changes, user.base_currency);
}

/**
 * Gives each unmatched close in another currency the rate of its day, unless its file
 * states one.
 */
export function rateUnmatched(db: Database.Database, user: User): void {
  const table = new UserRows(db, user.id);
  // The base currency may have changed since.
  table.run(STATED_RATES, { base: user.base_currency });
  const foreign = table.all<RatedClose>(FOREIGN_CLOSES, { base: user.base_currency });
  if (foreign.length === 0) return;

  const clock = new ZoneClock(user.timezone);
  const currencies = new Set(foreign.map(({ currency }) => currency));
  const rates = ratesFor(db, user, currencies);

  for (const { fill_id, currency, closed_at, fx_rate: before } of foreign) {
    const rate = rates.at(currency, clock.dateOf(fromInstantText(closed_at))) ?? null;
    if (rate !== before) table.update('unmatched_closes', { fill_id }, { fx_rate: rate });
  }
}

/**
 * Gives each exit of an open trade in another currency the rate of its day, its file's if
 * it states one. Those of a closed trade have the trade's.
 */
function rateExits(db: Database.Database, user: User): void {
  const table = new UserRows(db, user.id);
  const base = user.base_currency;
  table.run(FORGET_RATES, { base });
  const exits = table.all<RatedExit>(OPEN_EXITS, { base });
  if (exits.length === 0) return;

  const clock = new ZoneClock(user.timezone);
  const currencies = new Set(exits.map(({ currency }) => currency));
  const rates = ratesFor(db, user, currencies);

  for (const { trade_id, position, currency, executed_at, rate, fx_rate } of exits) {
    const day = clock.dateOf(fromInstantText(executed_at));
    const now = rate ?? rates.at(currency, day) ?? null;
    if (now !== fx_rate)
      table.update('executions', { trade_id, position }, { fx_rate: now });
  }
}

/** Gives each dated cost of an open trade in another currency the rate of its day. */
function rateCosts(db: Database.Database, user: User): void {
  const table = new UserRows(db, user.id);
  const trades = table.all<CostlyTrade>(OPEN_COSTS);
  if (trades.length === 0) return;

  const clock = new ZoneClock(user.timezone);
  const currencies = new Set(trades.map(({ currency }) => currency));
  const rates = ratesFor(db, user, currencies);

  for (const { id, currency, dated_costs: before, updated_at } of trades) {
    const isForeign = currency !== user.base_currency;
    const rateAt = (at: string) =>
      rates.at(currency, clock.dateOf(fromInstantText(at))) ?? null;
    const rated = datedCostsOf(before).map((cost) => ({
      ...cost,
      fx_rate: isForeign ? rateAt(cost.at) : null,
    }));
    const dated_costs = datedCostsJson(rated);
    if (dated_costs === before) continue;

    table.update('trades', { id }, { dated_costs });
    // Separate, since the journal's trigger overwrites updated_at if an update leaves it
    // unchanged.
    table.update('trades', { id }, { updated_at });
  }
}

interface CostlyTrade {
  id: string;
  currency: string;
  dated_costs: string;
  updated_at: string;
}

const OPEN_COSTS = `SELECT id, currency, dated_costs, updated_at FROM trades
  INDEXED BY trades_status WHERE user_id = ${USER} AND status = 'open'
    AND dated_costs IS NOT NULL`;

interface RatedExit {
  trade_id: string;
  position: number;
  currency: string;
  executed_at: string;
  /** The file's. */
  rate: number | null;
  fx_rate: number | null;
}

const FORGET_RATES = `UPDATE executions AS e SET fx_rate = NULL FROM trades AS t
  WHERE e.user_id = ${USER} AND e.fx_rate IS NOT NULL AND t.user_id = e.user_id
    AND t.id = e.trade_id AND (t.status = 'closed' OR t.currency = @base
      OR (e.side = 'buy') = (t.side = 'long'))`;

const OPEN_EXITS = `SELECT e.trade_id, e.position, t.currency, e.executed_at, e.fx_rate,
    (SELECT f.rate FROM fills AS f WHERE f.user_id = e.user_id AND f.execution_id = e.fill_id
      AND f.rate_base = @base LIMIT 1) AS rate
  FROM trades AS t INDEXED BY trades_status
  CROSS JOIN executions AS e ON e.user_id = t.user_id AND e.trade_id = t.id
  WHERE t.user_id = ${USER} AND t.status = 'open' AND t.currency <> @base
    AND (e.side = 'buy') <> (t.side = 'long')`;

/**
 * Gives each cash flow in another currency the rate of its day, unless its file states
 * one.
 */
function rateFlows(db: Database.Database, user: User): void {
  const table = new UserRows(db, user.id);
  if (!table.has('cash_flows')) return;

  const flows = table.all<RatedFlow>(FLOWS, { base: user.base_currency });
  if (flows.length === 0) return;

  const clock = new ZoneClock(user.timezone);
  const currencies = new Set(flows.map(({ currency }) => currency));
  const rates = ratesFor(db, user, currencies);

  for (const { id, currency, at, day_rate: before } of flows) {
    const day = clock.dateOf(fromInstantText(at));
    const rate =
      currency === user.base_currency ? null : (rates.at(currency, day) ?? null);
    if (rate !== before) table.update('cash_flows', { id }, { day_rate: rate });
  }
}

interface RatedFlow {
  id: string;
  currency: string;
  at: string;
  day_rate: number | null;
}

/** Those in other currencies, and those that were before the base currency changed. */
const FLOWS = `SELECT id, currency, at, day_rate FROM cash_flows
  WHERE user_id = ${USER} AND fx_rate IS NULL AND (currency <> @base OR day_rate IS NOT NULL)`;

interface RatedClose {
  fill_id: string;
  currency: string;
  closed_at: string;
  fx_rate: number | null;
}

const STATED_RATES = `UPDATE unmatched_closes AS u SET fx_rate = f.rate FROM fills AS f
  WHERE f.user_id = u.user_id AND f.id = u.fill_id AND u.user_id = ${USER}
    AND f.rate_base = @base AND u.fx_rate IS NOT f.rate`;

const FOREIGN_CLOSES = `SELECT u.fill_id, u.currency, u.closed_at, u.fx_rate FROM unmatched_closes AS u
  JOIN fills AS f ON f.user_id = u.user_id AND f.id = u.fill_id
  WHERE u.user_id = ${USER} AND u.currency <> @base AND f.rate_base IS NOT @base`;

type RatedTrade = Pick<Trade, 'id' | 'currency' | 'status' | 'closed_at' | 'fx_rate'>;

/**
 * Closed trades in other currencies without a rate of their files, and those that had
 * one.
 */
const FOREIGN = `SELECT id, currency, status, closed_at, fx_rate FROM trades AS t
  WHERE user_id = ${USER} AND currency <> @base AND (fx_rate IS NULL AND status = 'closed'
    OR EXISTS (SELECT 1 FROM rated_trades AS r WHERE r.user_id = t.user_id AND r.trade_id = t.id))
  ORDER BY closed_at, id`;

function closingDay(
  { status, closed_at }: RatedTrade,
  clock: ZoneClock,
): string | undefined {
  if (status !== 'closed') return undefined;
  return clock.dateOf(fromInstantText(closed_at as string));
}

function setRate(table: UserRows, id: string, rate: number | null): void {
  table.update('trades', { id }, { fx_rate: rate });
  // The trigger took the mark of the rate before.
  if (rate !== null) table.insert('rated_trades', { trade_id: id });
}

/** Trades without a rate, by currency. */
class MissingRates {
  readonly #byCurrency = new Map<string, AppliedRates['missing'][number]>();

  /** Days in their order. */
  add(currency: string, day: string): void {
    const { trades, first } = this.#byCurrency.get(currency) ?? { trades: 0, first: day };
    this.#byCurrency.set(currency, { currency, trades: trades + 1, first, last: day });
  }

  get found(): AppliedRates['missing'] {
    return [...this.#byCurrency.values()];
  }
}
