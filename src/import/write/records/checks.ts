/**
 * Compares values of files with those of the journal: derived values, facts of trades with fills,
 * and figures in the user's notes.
 */
import type Database from 'better-sqlite3';
import type * as z from 'zod';
import { quote, RowError } from '../../../errors.ts';
import { factsOf } from '../../../journal/fields.ts';
import type { User } from '../../../journal/journal.ts';
import { withMetrics } from '../../../journal/list.ts';
import type { ListResource } from '../../../journal/resource.ts';
import { type RecordShape, recordShape } from '../../../journal/stored-value.ts';
import {
  type GivenRecord,
  same,
  sameBy,
  type Values,
  type WholeRecord,
  type WriteSettings,
} from '../../../journal-write/record.ts';
import { Reader, type Row, TEXT } from '../../../sqlite/reader.ts';
import { type Fill, PART } from '../../../statements/fill-row.ts';
import type { FillTable } from '../../../statements/fills.ts';
import { walkBefore } from '../../fills/make-trades.ts';
import {
  executionsOf,
  WALKED_FIELDS,
  type WalkedTrade,
  walkedFields,
} from '../../fills/trade-record.ts';

// Derived values are never stored, but rejected if the journal computes others.

/** The derived values of one record in a file, and their place. */
export interface DerivedValues {
  resource: ListResource;
  id: string;
  values: Values;
  file: string;
  line: number;
}

/** The derived fields of a resource, and how its records are read. */
const read = new Map<ListResource, RecordShape & { derived: readonly string[] }>();

function readerOf(resource: ListResource): RecordShape & { derived: readonly string[] } {
  let known = read.get(resource);
  if (!known) {
    const { shape } = resource.record;
    const derived = Object.keys(shape).filter((name) => factsOf(shape[name] as z.ZodType).derived);
    known = { ...recordShape(resource.record, resource.metrics ? ['metrics'] : []), derived };
    read.set(resource, known);
  }
  return known;
}

/**
 * The derived values in a row; undefined if none. Null states no value: its inputs may have been
 * imported since.
 */
export function derivedValuesIn(resource: ListResource, row: Readonly<Values>): Values | undefined {
  const given = readerOf(resource).derived.filter(
    (name) => Object.hasOwn(row, name) && (row[name] ?? null) !== null,
  );
  return given.length === 0
    ? undefined
    : Object.fromEntries(given.map((name) => [name, row[name]]));
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
      if (isComputed(value, record[name])) continue;
      throw new RowError(
        name,
        `the file states ${quote(value)}, but it computes to ${quote(record[name])}; correct one of them, or omit the field`,
        given.line,
        given.file,
      );
    }
  }

  #recordOf({ resource, id, values }: DerivedValues): Row {
    const { columns, toRecord } = readerOf(resource);
    const row = this.#reader.get(
      `SELECT ${columns} FROM ${resource.source} WHERE user_id = ${TEXT} AND id = ${TEXT}`,
      this.#user.id,
      id,
    );
    const record = toRecord(row as Row);
    if (!resource.metrics || !Object.hasOwn(values, 'metrics')) return record;
    return withMetrics(this.#reader, this.#user, resource.metrics, [record])[0] as Row;
  }
}

/** Equal except for rounding; in objects, only given members count. Null isn't given. */
function isComputed(given: unknown, actual: unknown): boolean {
  return sameBy(given, actual, (own, other) => {
    if (typeof own !== 'number' || typeof other !== 'number') return own === null || own === other;
    const apart = Math.abs(own - other);
    return apart <= 1e-6 || apart <= Math.abs(other) * 1e-9;
  });
}

// Records of trades beside their fills: labels, notes and risk are the user's, facts come from the
// fills.

/** Fields that the fills decide if they state them. */
const FACTS = WALKED_FIELDS.filter((name) => !['fx_rate', 'underlying', 'source'].includes(name));

export class FilledTrades {
  readonly #fills: FillTable;
  readonly #baseCurrency: string;

  constructor(fills: FillTable, { user }: Pick<WriteSettings, 'user'>) {
    this.#fills = fills;
    this.#baseCurrency = user.base_currency;
  }

  /**
   * The record without the facts that its fills decide: those must be equal, or rounded.
   * @param given normalised values
   * @throws RowError with both values if they contradict
   */
  settled(given: GivenRecord, stored: WholeRecord): GivenRecord {
    const names = FACTS.filter((name) => isOther(given.record[name], stored.record[name]));
    const areOther = given.executions !== undefined && !same(given.executions, stored.executions);
    const id = stored.record['id'] as string;
    const keepsAccount = stored.record['account'] === null && this.#fillsOf(id).length > 0;
    const trade = names.length > 0 || areOther ? this.#walked(id) : undefined;
    if (!trade) return { ...given, keepsAccount };
    const walked: Values = walkedFields(trade, this.#baseCurrency);
    const record = { ...given.record };
    for (const name of names) {
      if (walked[name] === null && name !== 'exit_price' && name !== 'closed_at') continue;
      if (name === 'fees' && !this.#statesFees(trade)) continue;
      const isAsStored = record[name] === null || isAsGiven(record[name], stored.record[name]);
      if (!isAsStored && !isAsGiven(record[name], walked[name]))
        throw contradiction(name, record[name], walked[name]);
      if (isAsStored) delete record[name];
      else record[name] = walked[name];
    }
    if (
      areOther &&
      !isAsGiven(given.executions, executionsOf(trade)) &&
      !isAsGiven(given.executions, stored.executions)
    ) {
      throw new RowError('executions', `differ from the fills of this trade; ${REMEDY}`);
    }
    return { record, executions: areOther ? undefined : given.executions, keepsAccount };
  }

  /**
   * Whether a file states fees of any of its fills: the user may set fees that files omit or state
   * as 0.
   */
  #statesFees({ executions }: WalkedTrade): boolean {
    return executions.some(({ fill }) =>
      this.#fills.partsOf(fill).some(({ fees, fees_stated }) => fees_stated && fees !== 0),
    );
  }

  /** The trade made by its fills; undefined without fills. */
  #walked(id: string): WalkedTrade | undefined {
    const fills = this.#fillsOf(id);
    if (fills.length === 0) return undefined;
    return walkBefore(fills, this.#fills)
      .flatMap(({ trades }) => trades)
      .find((trade) => trade.id === id);
  }

  /** Of its opening execution, which has the trade's id. */
  #fillsOf(id: string): Fill[] {
    return this.#fills.partsOf(id).filter(({ part }) => part !== PART.adopted);
  }
}

function isOther(given: unknown, stored: unknown): boolean {
  return given !== undefined && given !== stored;
}

const REMEDY = 'omit the field, or undo the import of the fills ("journal-api import list")';

function contradiction(name: string, given: unknown, walked: unknown): RowError {
  return new RowError(
    name,
    `${quote(given)} in this row, but the fills of this trade give ${quote(walked)}; ${REMEDY}`,
  );
}

/** Equal to the given digits of a number, or to the minute or second of a time. */
function isAsGiven(given: unknown, actual: unknown): boolean {
  return sameBy(given, actual, (own, other) => {
    if (typeof own === 'string' && typeof other === 'string') return isSameText(own, other);
    if (typeof own !== 'number' || typeof other !== 'number') return own === other;
    return Math.abs(own - other) <= halfOfLastDigit(own) + 1e-9 * Math.max(1, Math.abs(other));
  });
}

/** Half a unit of a number's last digit: 0.005 for 1.25, 0.5 for 376. */
function halfOfLastDigit(value: number): number {
  const [digits, exponent = '0'] = String(value).split('e') as [string, string?];
  const decimals = digits.split('.')[1]?.length ?? 0;
  return 0.5 * 10 ** (Number(exponent) - decimals);
}

/** Ignores letter case; a time without seconds, or without their fraction, matches any within. */
function isSameText(given: string, actual: string): boolean {
  const end = [':00.000Z', '.000Z'].find((own) => given.endsWith(own));
  const isWithin =
    end !== undefined && actual.endsWith('Z') && actual.startsWith(given.slice(0, -end.length));
  return isWithin || given.toLowerCase() === actual.toLowerCase();
}
