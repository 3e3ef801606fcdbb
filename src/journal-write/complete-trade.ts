/** Completes a trade with values that follow from its executions or prices. */

import type Database from 'better-sqlite3';
import type * as z from 'zod';
import { quote, RowError } from '../errors.ts';
import { factsOf } from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import { shapeOf } from '../journal/list.ts';
import { withMetrics } from '../journal/metrics.ts';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import { toEnd } from '../sqlite/read-queue.ts';
import { Reader, type Row, TEXT } from '../sqlite/reader.ts';
import { type Execution, positionOf, realisedBy, roundIfFinite } from './executions.ts';
import {
  type GivenRecord,
  mergeRecord,
  same,
  storedFields,
  type Values,
  type WholeRecord,
  type WriteSettings,
} from './record.ts';

// Derived values in a file: never stored, but rejected if the journal computes others.

/** The derived values of one record in a file, and their place. */
export interface DerivedValues {
  resource: ListResource;
  id: string;
  values: Values;
  file: string;
  line: number;
}

const fieldNames = new Map<ListResource, string[]>();

function derivedFields(resource: ListResource): string[] {
  let derived = fieldNames.get(resource);
  if (!derived) {
    const { shape } = resource.record;
    derived = Object.keys(shape).filter((name) => factsOf(shape[name] as z.ZodType).derived);
    fieldNames.set(resource, derived);
  }
  return derived;
}

/** The derived values in a row; undefined if none. Null states no value: its inputs may have been imported since. */
export function derivedValuesIn(resource: ListResource, row: Readonly<Values>): Values | undefined {
  const given = derivedFields(resource).filter((name) => Object.hasOwn(row, name) && (row[name] ?? null) !== null);
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, row[name]]));
}

/** Compares the values of files with those that the journal computes now. */
export class DerivedCheck {
  readonly #reader: Reader;
  readonly #user: User;

  constructor(db: Database.Database, user: User) {
    this.#reader = new Reader(db);
    this.#user = user;
  }

  /** @throws RowError for the first different value */
  check(given: DerivedValues): void {
    const record = this.#recordOf(given);
    for (const [name, value] of Object.entries(given.values)) {
      if (agree(value, record[name])) continue;
      throw new RowError(
        name,
        `the file states ${quote(value)}, but it computes to ${quote(record[name])}; correct one of them, or omit the field`,
        given.line,
        given.file,
      );
    }
  }

  #recordOf({ resource, id, values }: DerivedValues): Row {
    const { columns, toRecord } = shapeOf(resource);
    const row = this.#reader.get(
      `SELECT ${columns} FROM ${resource.source} WHERE user_id = ${TEXT} AND id = ${TEXT}`,
      this.#user.id,
      id,
    );
    const record = toRecord(row as Row);
    if (!resource.metrics || !Object.hasOwn(values, 'metrics')) return record;
    return toEnd(withMetrics(this.#reader, this.#user, resource.metrics, [record]))[0] as Row;
  }
}

/** Equal except for rounding; in objects, only given members count. Null isn't given. */
function agree(given: unknown, actual: unknown): boolean {
  if (given === null) return true;
  if (typeof given === 'number' && typeof actual === 'number') {
    const apart = Math.abs(given - actual);
    return apart <= 1e-6 || apart <= Math.abs(actual) * 1e-9;
  }
  if (actual === null || typeof given !== 'object' || typeof actual !== 'object') return given === actual;
  if (Array.isArray(given) || Array.isArray(actual)) {
    return (
      Array.isArray(given) &&
      Array.isArray(actual) &&
      given.length === actual.length &&
      given.every((item, index) => agree(item, actual[index]))
    );
  }
  return Object.entries(given).every(
    ([name, value]) => Object.hasOwn(actual as object, name) && agree(value, (actual as Values)[name]),
  );
}

const FIELDS = storedFields(trades);

/** Fields that can't be computed. */
const NEEDED = FIELDS.map(({ name }) => name).filter((name) => !['open_quantity', 'gross_pnl'].includes(name));

/** Fields from which gross_pnl is computed. */
const PRICED_BY = ['side', 'status', 'quantity', 'open_quantity', 'multiplier', 'entry_price', 'exit_price'];

const FROM_EXECUTIONS = [
  'side',
  'status',
  'executed_at',
  'closed_at',
  'quantity',
  'open_quantity',
  'entry_price',
  'exit_price',
  'fees',
] as const;

/**
 * The trade to store. Given values are kept; the rest was stored or is computed: position, times and fees from new executions,
 * gross_pnl from executions, else from prices. Money is in the trade's currency.
 * @param stored undefined for a new trade
 * @throws RowError if facts are missing or contradict each other
 */
export function completeTrade(
  given: GivenRecord,
  stored: Readonly<WholeRecord> | undefined,
  settings: Pick<WriteSettings, 'user' | 'account' | 'now'>,
): WholeRecord {
  const record = mergeRecord(FIELDS, given.record, stored?.record, settings);
  const before = stored?.executions ?? [];
  const executions = given.executions ?? before;
  const areNew = !same(executions, before);

  record['account'] ??= settings.account ?? null;
  if (areNew && executions.length > 0) fillFromExecutions(record, given.record, executions);
  if (given.record['open_quantity'] === undefined) {
    if (record['status'] === 'closed') record['open_quantity'] = 0;
    else if (!stored && executions.length === 0) record['open_quantity'] = record['quantity'];
  }
  checkRate(given.record['fx_rate'] ?? null, record['currency'], settings.user.base_currency);
  clearBaseRate(record, settings.user.base_currency);

  refuseMissing(record);
  const isRepriced = !stored || areNew || PRICED_BY.some((name) => record[name] !== stored.record[name]);
  if (given.record['gross_pnl'] === undefined && isRepriced) {
    // New prices of a closed trade take precedence over executions stored before.
    const fills = record['status'] === 'open' ? executions : (given.executions ?? []);
    record['gross_pnl'] = fills.length > 0 ? grossOfFills(record, fills) : grossOfPrices(record);
  }
  return { record, executions };
}

/** Clears the rate 1 of a trade in the user's base currency, which another program may have stored. */
export function clearBaseRate(record: Values, baseCurrency: string): void {
  if (record['currency'] === baseCurrency) record['fx_rate'] = null;
}

function checkRate(rate: unknown, currency: unknown, baseCurrency: string): void {
  if (currency !== baseCurrency || rate === null || rate === 1) return;
  throw new RowError(
    'fx_rate',
    `must be 1 or omitted for a trade in the user's base currency (${baseCurrency}); got ${rate}`,
  );
}

/** Names all missing fields at once, except computed ones. */
function refuseMissing(record: Readonly<Values>): void {
  const missing = NEEDED.filter((name) => record[name] === undefined);
  if (missing.length > 0) throw RowError.missing(missing);
}

function fillFromExecutions(record: Values, given: Readonly<Values>, executions: readonly Execution[]): void {
  const names = FROM_EXECUTIONS.filter((name) => given[name] === undefined);
  if (names.length === 0) return;
  const position = positionOf(executions);
  if (!position) {
    throw new RowError('executions', 'reverse the position; end the trade at flat and start another');
  }
  for (const name of names) record[name] = position[name];
}

function grossOfFills(record: Readonly<Values>, fills: readonly Execution[]): number {
  const realised = realisedBy(fills, record['multiplier'] as number);
  const isFlat = positionOf(fills)?.status === 'closed';
  if (realised !== undefined && (isFlat || record['status'] === 'open')) return realised;
  throw new RowError('gross_pnl', "is missing, and can't be computed because the executions don't end flat");
}

function grossOfPrices(record: Readonly<Values>): number {
  if (record['status'] === 'open') return 0;
  const { quantity, multiplier, entry_price: entry, exit_price: exit } = record as Record<string, number | null>;
  if (exit === null) throw new RowError('gross_pnl', "is missing, and can't be computed without exit_price");
  const points = Number(exit) - Number(entry);
  return roundIfFinite((record['side'] === 'long' ? points : -points) * Number(quantity) * Number(multiplier));
}
