/**
 * Compares values of files with those of the journal: derived values, and facts of trades
 * with fills.
 */
import type Database from 'better-sqlite3';
import { quote, RowError } from '../../../errors.ts';
import { factsOf } from '../../../journal/fields.ts';
import type { User } from '../../../journal/journal.ts';
import { dayFigures } from '../../../journal/metrics.ts';
import type { ListResource } from '../../../journal/resource.ts';
import { trades } from '../../../journal/resources/trades.ts';
import { type RecordShape, recordShape } from '../../../journal/stored-value.ts';
import {
  type GivenRecord,
  type IdentifiedValues,
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
  const known = read.get(resource);
  if (known) return known;

  const { shape } = resource.record;
  const derived = Object.keys(shape).filter((name) => factsOf(shape[name]).derived);
  const reader = {
    ...recordShape(resource.record, resource.metrics ? ['metrics'] : []),
    derived,
  };
  read.set(resource, reader);

  return reader;
}

/**
 * The derived values in a row; undefined if none. Null states no value: its inputs may
 * have been imported since. What open trades realised, alone and in a group, follows from
 * executions, which lists lack.
 */
export function derivedValuesIn(
  resource: ListResource,
  row: Readonly<Values>,
): Values | undefined {
  const names = readerOf(resource).derived.filter(
    (name) =>
      Object.hasOwn(row, name) &&
      (row[name] ?? null) !== null &&
      (name !== 'realised_pnl' || (resource === trades && row['status'] === 'closed')),
  );
  return names.length === 0
    ? undefined
    : Object.fromEntries(names.map((name) => [name, row[name]]));
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
  check(stated: DerivedValues): void {
    const record = this.#recordOf(stated);
    for (const [name, value] of Object.entries(stated.values)) {
      if (isComputed(value, record[name])) continue;
      throw new RowError(
        name,
        `the file states ${quote(value)}, but it computes to ${quote(record[name])}; correct one of them, or omit the field`,
        stated.line,
        stated.file,
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

    const withMetrics = dayFigures.value;
    return withMetrics(this.#reader, this.#user, resource.metrics, [record])[0] as Row;
  }
}

/** Equal except for rounding; in objects, only given members count. Null isn't given. */
function isComputed(fromFile: unknown, actual: unknown): boolean {
  return sameBy(fromFile, actual, (value, other) => {
    if (typeof value !== 'number' || typeof other !== 'number')
      return value === null || value === other;
    const apart = Math.abs(value - other);
    return apart <= 1e-6 || apart <= Math.abs(other) * 1e-9;
  });
}

// Records of trades beside their fills: labels, notes and risk are the user's, facts come
// from the fills.

/** Fields that the fills decide if they state them. */
const FACTS = WALKED_FIELDS.filter(
  (name) => !['fx_rate', 'underlying', 'source'].includes(name),
);

export class FilledTrades {
  readonly #fills: FillTable;
  readonly #baseCurrency: string;

  constructor(fills: FillTable, { user }: Pick<WriteSettings, 'user'>) {
    this.#fills = fills;
    this.#baseCurrency = user.base_currency;
  }

  /**
   * The record without the facts that its fills decide: those must be equal, or rounded.
   * @param fromFile normalised values
   * @throws RowError with both values if they contradict
   */
  settled(fromFile: GivenRecord, stored: WholeRecord): GivenRecord {
    const names = FACTS.filter((name) =>
      isOther(fromFile.record[name], stored.record[name]),
    );
    const areOther =
      fromFile.executions !== undefined && !same(fromFile.executions, stored.executions);
    const { id } = stored.record;
    const keepsAccount =
      stored.record['account'] === null && this.#fillsOf(id).length > 0;
    const trade = names.length > 0 || areOther ? this.#walked(id) : undefined;
    if (!trade) return { ...fromFile, keepsAccount };

    const record = this.#settledFacts(names, fromFile.record, stored.record, trade);
    if (areOther) refuseExecutions(fromFile.executions, stored.executions, trade);
    return {
      record,
      executions: areOther ? undefined : fromFile.executions,
      keepsAccount,
    };
  }

  /** @param names of facts that differ from the stored ones */
  #settledFacts(
    names: readonly string[],
    fromFile: Readonly<IdentifiedValues>,
    stored: Readonly<Values>,
    trade: WalkedTrade,
  ): IdentifiedValues {
    const walked: Values = walkedFields(trade, this.#baseCurrency);
    const record = { ...fromFile };
    for (const name of names) {
      if (!this.#decides(name, walked[name], trade)) continue;

      const value = fromFile[name];
      if (value === null || isAsGiven(value, stored[name])) delete record[name];
      else if (isAsGiven(value, walked[name])) record[name] = walked[name];
      else throw contradiction(name, value, walked[name]);
    }

    return record;
  }

  /** Whether the fills state a fact: an open trade has no exit, which is one. */
  #decides(name: string, walked: unknown, trade: WalkedTrade): boolean {
    if (walked === null && name !== 'exit_price' && name !== 'closed_at') return false;
    return name !== 'fees' || this.#statesFees(trade);
  }

  /**
   * Whether a file states fees of any of its fills: the user may set fees that files omit
   * or state as 0.
   */
  #statesFees({ executions }: WalkedTrade): boolean {
    return executions.some(({ fill }) =>
      this.#fills
        .partsOf(fill)
        .some(({ fees, fees_stated }) => fees_stated && fees !== 0),
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

function isOther(fromFile: unknown, stored: unknown): boolean {
  return fromFile !== undefined && fromFile !== stored;
}

const REMEDY =
  'omit the field, or undo the import of the fills ("journal-api import list")';

function refuseExecutions(fromFile: unknown, stored: unknown, trade: WalkedTrade): void {
  if (isAsGiven(fromFile, executionsOf(trade)) || isAsGiven(fromFile, stored)) return;
  throw new RowError('executions', `differ from the fills of this trade; ${REMEDY}`);
}

function contradiction(name: string, fromFile: unknown, walked: unknown): RowError {
  return new RowError(
    name,
    `${quote(fromFile)} in this row, but the fills of this trade give ${quote(walked)}; ${REMEDY}`,
  );
}

/** Equal to the given digits of a number, or to the minute or second of a time. */
function isAsGiven(fromFile: unknown, actual: unknown): boolean {
  return sameBy(fromFile, actual, (value, other) => {
    if (typeof value === 'string' && typeof other === 'string')
      return isSameText(value, other);
    if (typeof value !== 'number' || typeof other !== 'number') return value === other;
    return (
      Math.abs(value - other) <=
      halfOfLastDigit(value) + 1e-9 * Math.max(1, Math.abs(other))
    );
  });
}

/** Half a unit of a number's last digit: 0.005 for 1.25, 0.5 for 376. */
function halfOfLastDigit(value: number): number {
  const [digits = '', exponent = '0'] = String(value).split('e');
  const decimals = digits.split('.')[1]?.length ?? 0;
  return 0.5 * 10 ** (Number(exponent) - decimals);
}

/**
 * Ignores letter case; a time without seconds, or without their fraction, matches any
 * within.
 */
function isSameText(fromFile: string, actual: string): boolean {
  const end = [':00.000Z', '.000Z'].find((value) => fromFile.endsWith(value));
  const isWithin =
    end !== undefined &&
    actual.endsWith('Z') &&
    actual.startsWith(fromFile.slice(0, -end.length));
  return isWithin || fromFile.toLowerCase() === actual.toLowerCase();
}
