/**
 * Writes the records of files into a journal: each id once per file; derived values are
 * checked once their inputs are there.
 */

import { hash } from 'node:crypto';
import { resolve } from 'node:path';
import type Database from 'better-sqlite3';
import { FileErrors, type Problem, quote, RowError } from '../../errors.ts';
import { type Stopped, stopProblem } from '../../journal/derived-trade.ts';
import { isNamed } from '../../journal/fields.ts';
import { OnDemand } from '../../journal/once.ts';
import type { ListResource } from '../../journal/resource.ts';
import {
  groupJournals,
  NAMES_OF_TRADE,
  tradeJournals,
} from '../../journal/resources/journals.ts';
import { trades } from '../../journal/resources/trades.ts';
import {
  type GivenRecord,
  same,
  type Values,
  type WholeRecord,
  type WriteSettings,
} from '../../journal-write/record.ts';
import {
  type Change,
  type OnChange,
  RecordWriter,
} from '../../journal-write/record-writer.ts';
import type { TradeFinder } from '../../notes/find-trade.ts';
import { placeOf } from '../../notes/note.ts';
import type { NoteEdit } from '../../notes/put-edited.ts';
import { Reader } from '../../sqlite/reader.ts';
import type { FillTable } from '../../statements/fills.ts';
import { itemKey } from '../../statements/fold.ts';
import type { Said } from '../../statements/line.ts';
import type { FileRecord } from '../fills/reading.ts';
import {
  DerivedCheck,
  type DerivedValues,
  derivedValuesIn,
  FilledTrades,
} from './records/checks.ts';

/** Needed for notes, and for entries that name a trade otherwise than by its id. */
export const notedRecords = new OnDemand('the writing of records in notes', async () => {
  const { TradeFinder } = await import('../../notes/find-trade.ts');
  const { putEdited } = await import('../../notes/put-edited.ts');
  const { putNoted } = await import('../../notes/put-noted.ts');
  return { TradeFinder, putEdited, putNoted };
});

interface Route {
  resource: ListResource;
  /** The id field that journal entries of this type lack. */
  without: string;
}

const ROUTES: Record<string, Route> = {
  trade: { resource: tradeJournals, without: 'group_id' },
  group: { resource: groupJournals, without: 'trade_id' },
};

/**
 * A row of the journal feed as a record of its own resource.
 * @throws RowError if its type is unknown
 */
function routeRow(row: Values): { resource: ListResource; values: Values } {
  const { type, symbol: _, ...values } = row;
  const route =
    typeof type === 'string' && Object.hasOwn(ROUTES, type) ? ROUTES[type] : undefined;
  if (!route)
    throw new RowError('type', `must be one of trade, group; got ${quote(type)}`);

  const other = values[route.without] ?? null;
  if (other !== null)
    throw new RowError(
      route.without,
      `must be null for a journal entry of type ${type}; got ${quote(other)}`,
    );

  delete values[route.without];
  return { resource: route.resource, values };
}

interface FileRecords {
  file: string;
  resource: ListResource;
  records: Iterable<FileRecord>;
  /** Whether the records can be iterated again. */
  isRepeatable: boolean;
  /** Whether each record is a note in its own file. */
  areNotes: boolean;
  /** Whether a file of trades follows in the same import. */
  tradesFollow: boolean;
  /** Whether the fills of its trades follow in the same import. */
  fillsFollow: boolean;
  changed: RecordChanged;
  /** Whether the former version of a note states the same of a record. */
  isSaid: (resource: ListResource, values: GivenRecord, said: Said) => boolean;
  /** Of day notes: receives their records' errors, which refuse no file. */
  problems: Problem[] | undefined;
  /** Of a day's note that was edited. */
  edit: Omit<NoteEdit, 'problems' | 'state'> | undefined;
  /** Receives what the report says of a record. */
  notes: string[];
}

/**
 * Called with each written record and how it is stated; returns whether it is new in this
 * file.
 */
export type RecordChanged = (
  resource: ListResource,
  said: Said,
  ...change: Parameters<OnChange>
) => boolean;

export class RecordImport {
  readonly #db: Database.Database;
  readonly #settings: WriteSettings;
  readonly #writers = new Map<ListResource, RecordWriter>();
  readonly #derived: DerivedCheck;
  /** Created when an entry needs it. */
  #trades: TradeFinder | undefined;
  /** Totals of trade groups that depend on trades of a later file. */
  #awaitingTrades: DerivedValues[] = [];
  readonly #filled: FilledTrades;
  /** The callback of the current file. */
  #changed: RecordChanged = () => true;
  #fillsFollow = false;
  /** Whether the records are of day notes. */
  #areSections = false;
  /** How the record is stated: its place in its note, with the absolute path. */
  #said: Said = {};
  /** Whether the last written record is new in the file. */
  #isFirst = true;

  constructor(db: Database.Database, fills: FillTable, settings: WriteSettings) {
    this.#db = db;
    this.#settings = settings;
    this.#derived = new DerivedCheck(db, settings.user);
    this.#filled = new FilledTrades(fills, settings);
  }

  /**
   * @param progress called before each record, and at the end, with the number of records
   * written, and of new or changed ones
   * @returns the number of added, changed and unchanged records
   * @throws UserError that names file and line of each error; RowError for errors of the
   * whole file
   */
  write(
    file: FileRecords,
    progress: (done: number, changed: number) => void,
  ): Record<Change, number> {
    this.#changed = file.changed;
    this.#fillsFollow = file.fillsFollow;
    this.#areSections = file.problems !== undefined;
    // Earlier files may have changed trades.
    this.#trades = undefined;

    const counts = { added: 0, changed: 0, unchanged: 0 };
    const derived: DerivedValues[] = [];
    const errors = new FileErrors();
    let done = 0;

    for (const record of untilBroken(file.records)) {
      progress(done++, counts.added + counts.changed);
      try {
        const change = this.#writeRecord(file, record, derived);
        if (change) counts[change]++;
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        const { file: note = file.file, line } = record;
        errors.add(error, note, Number.isNaN(line) ? undefined : line);
      }
    }

    progress(done, counts.added + counts.changed);
    errors.refuse();
    this.#checkAll(derived, file.tradesFollow);

    return counts;
  }

  /** @param derived receives values to check once all records are written */
  #writeRecord(
    file: FileRecords,
    record: FileRecord,
    derived: DerivedValues[],
  ): Change | undefined {
    if (record.error) throw record.error;

    const { file: note = file.file, resource } = record;
    this.#said = file.areNotes ? { path: resolve(note), place: placeOf(record) } : {};
    return file.problems && resource
      ? this.#writePart(file, file.problems, record, resource)
      : this.#writeRow(file, record, derived);
  }

  /** Writes the record of a part of a note, which may state only some of its fields. */
  #writePart(
    { edit, isSaid }: FileRecords,
    problems: Problem[],
    record: FileRecord,
    resource: ListResource,
  ): Change | undefined {
    const { putEdited, putNoted } = notedRecords.value;
    const writer = this.#writerOf(resource);
    const withSaid = (said: Said) => Object.assign(this.#said, said);
    if (edit && record.was) {
      const change = putEdited(writer, resource, record, {
        ...edit,
        problems,
        state: withSaid,
      });
      return change === 'removed' ? 'changed' : change;
    }

    return putNoted(writer, resource, record, problems, (values, said) =>
      isSaid(resource, values, withSaid(said)),
    );
  }

  #writeRow(file: FileRecords, record: FileRecord, derived: DerivedValues[]): Change {
    const { file: note = file.file, line } = record;
    const { resource, values } = this.#rowOf(file.resource, record.values, (guess) =>
      file.notes.push(`${note}:${line}: ${guess}`),
    );
    const id = values['id'] as string;
    const writer = this.#writerOf(resource);
    const isSaid =
      file.areNotes &&
      file.isSaid(resource, writer.normalised(values), { ...this.#said, isById: true });
    const change = isSaid ? 'unchanged' : writer.put(values);
    if (!this.#isFirst) throw twice(file, resource, id);

    const stated = derivedValuesIn(resource, values);
    if (stated) this.#check({ resource, id, values: stated, file: note, line }, derived);
    return change;
  }

  /**
   * Resolves a feed's row to its resource, and an entry's symbol and time to its trade.
   */
  #rowOf(
    resource: ListResource,
    values: Values,
    tell: (guess: string) => void,
  ): { resource: ListResource; values: Values } {
    const row = resource.table === null ? routeRow(values) : { resource, values };
    if (
      row.resource !== tradeJournals ||
      !NAMES_OF_TRADE.some((name) => Object.hasOwn(values, name))
    )
      return row;

    this.#trades ??= this.#tradeFinder();
    const symbol = values['symbol'] === undefined ? {} : { symbol: values['symbol'] };
    const entry = this.#trades.resolved({ ...row.values, ...symbol }, tell);

    return {
      ...row,
      values: entry['id'] == null ? { ...entry, id: idOfEntry(values) } : entry,
    };
  }

  #tradeFinder(): TradeFinder {
    const { user, timeZone } = this.#settings;
    const { TradeFinder } = notedRecords.value;
    return new TradeFinder(new Reader(this.#db), user.id, timeZone ?? user.timezone);
  }

  /**
   * Checks values that follow from the record alone; those that depend on others wait for
   * the end of the file.
   */
  #check(stated: DerivedValues, later: DerivedValues[]): void {
    if (stated.resource.metrics || awaitsTrades(stated)) later.push(stated);
    else this.#derived.check(stated);
  }

  /** Checks the values whose inputs are there, and keeps those that await trades. */
  #checkAll(stated: readonly DerivedValues[], tradesFollow: boolean): void {
    const all = [...this.#awaitingTrades, ...stated];
    const waits = (values: DerivedValues) => tradesFollow && awaitsTrades(values);
    this.#awaitingTrades = all.filter(waits);
    for (const values of all) if (!waits(values)) this.#derived.check(values);
  }

  /**
   * Keeps an export's trades as stated if its fills, which follow, change their
   * executions.
   */
  #settled(fromFile: GivenRecord, stored: WholeRecord): GivenRecord {
    const { executions } = fromFile;
    // A section of a day's note is about a trade, and states none.
    if (this.#areSections)
      return { ...this.#filled.settled(fromFile, stored), keepsAccount: true };
    if (this.#fillsFollow && executions && !same(executions, stored.executions))
      return fromFile;
    return this.#filled.settled(fromFile, stored);
  }

  #writerOf(resource: ListResource): RecordWriter {
    const known = this.#writers.get(resource);
    if (known) return known;

    const writer = new RecordWriter(this.#db, resource, this.#settings, {
      settled: (fromFile, stored) => {
        const whole = resource === trades ? this.#settled(fromFile, stored) : fromFile;
        // An edited note states which items go.
        if (this.#said.instead) return whole;
        return withItems(resource, whole, stored, this.#areSections);
      },
      onChange: (...change) => {
        this.#isFirst = this.#changed(resource, this.#said, ...change);
      },
    });
    this.#writers.set(resource, writer);
    return writer;
  }
}

/**
 * Lists of a file add their items to those that are there, and fields by name those that
 * it names.
 */
function withItems(
  resource: ListResource,
  fromFile: GivenRecord,
  { record: stored }: WholeRecord,
  areSections: boolean,
): GivenRecord {
  const record = { ...fromFile.record };
  for (const [name, value] of Object.entries(fromFile.record)) {
    const before = stored[name];
    // A note's part has those that are there already, without those that it empties.
    if (!areSections && isNamed(resource.record.shape[name])) {
      record[name] = { ...(before as Values), ...(value as Values) };
      continue;
    }
    if (!Array.isArray(value) || !Array.isArray(before) || before.length === 0) continue;

    record[name] = withAdded(before, value);
  }

  return { ...fromFile, record };
}

/**
 * An item that is there already, perhaps twice, stays as it is; one that says something
 * else replaces it.
 */
function withAdded(before: readonly unknown[], fromFile: readonly unknown[]): unknown[] {
  const added = fromFile.filter((item) => !before.some((known) => same(known, item)));
  const byKey = new Map(added.map((item) => [itemKey(item), item]));
  const kept = before.map((item) => {
    const now = byKey.get(itemKey(item));
    byKey.delete(itemKey(item));
    return now ?? item;
  });
  return [...kept, ...byKey.values()];
}

/**
 * The id of an entry without one: the same each time the file is read, even if its
 * trade's id has changed.
 */
function idOfEntry(values: Values): string {
  const facts = [...NAMES_OF_TRADE, 'trade_id', 'phase', 'title', 'created_at'].map(
    (name) => values[name] ?? null,
  );
  return `entry:${hash('sha256', JSON.stringify(facts)).slice(0, 24)}`;
}

/** The records; an error that ends them early becomes a last record with that error. */
function* untilBroken(records: Iterable<FileRecord>): Generator<FileRecord> {
  try {
    yield* records;
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    yield { line: error.line ?? Number.NaN, values: {}, error };
  }
}

function awaitsTrades({ resource }: DerivedValues): boolean {
  return resource.source === 'trade_group_records';
}

/**
 * The error of a repeated id. Its first place is searched only now: remembering all ids
 * would take too much memory.
 */
function twice(
  { records, resource: of, isRepeatable }: FileRecords,
  resource: ListResource,
  id: string,
): RowError {
  for (const { file, line, values } of isRepeatable ? records : []) {
    const row = of.table === null ? routeRow(values) : { resource, values };
    if (row.resource === resource && row.values['id'] === id) {
      const where = file === undefined ? `on line ${line}` : `in ${file}`;
      return new RowError('id', `"${id}" is also ${where}; keep one`);
    }
  }
  return new RowError('id', `"${id}" appears twice in this file; keep one`);
}

// Stops on the wrong side of their trades: the first few trades are named, the rest
// counted.

const NAMED = 5;

export class WrongStops {
  readonly #named: string[] = [];
  #count = 0;

  look(resource: ListResource, ...[stored, { record }]: Parameters<OnChange>): void {
    if (resource !== trades || record['stop_loss'] === stored?.record['stop_loss'])
      return;
    const problem = stopProblem(record as unknown as Stopped);
    if (problem === undefined) return;
    if (this.#count++ < NAMED) this.#named.push(`trade ${record['id']}: ${problem}`);
  }

  get notes(): string[] {
    const more = this.#count - this.#named.length;
    if (more === 0) return this.#named;
    return [
      ...this.#named,
      `${more} more stops give no risk; "journal-api check" lists them`,
    ];
  }
}
