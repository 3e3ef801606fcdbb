/** The records of files, written into one journal: each id once a file, derived values compared once all is there that makes them. */
import type Database from 'better-sqlite3';
import type { ListResource } from '../journal/resource.ts';
import { checkDerivedValues, type DerivedValues, derivedValuesIn } from '../journal-write/derived-values.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import { type Change, type NoteChange, RecordWriter } from '../journal-write/record-writer.ts';
import { RowError } from '../journal-write/row-error.ts';
import type { FileRecord } from './formats/format.ts';
import { routeRow } from './journal-rows.ts';

/** The records of one file. */
export interface FileRecords {
  /** As it is named in messages. */
  file: string;
  resource: ListResource;
  records: readonly FileRecord[];
  /** Whether a file of trades comes after this one in the same import. */
  tradesFollow: boolean;
  /** Is told of each record that was put, with the path of its resource. */
  note: (path: string, ...change: Parameters<NoteChange>) => void;
}

export class RecordImport {
  readonly #db: Database.Database;
  readonly #settings: WriteSettings;
  readonly #writers = new Map<ListResource, RecordWriter>();
  /** What files of groups say of sums that only trades in a later file can bear out. */
  #awaitingTrades: DerivedValues[] = [];
  /** The one of the file that is being written. */
  #note: FileRecords['note'] = () => {};

  constructor(db: Database.Database, settings: WriteSettings) {
    this.#db = db;
    this.#settings = settings;
  }

  /**
   * @param progress called with how many are written, at first 0
   * @returns how many records were added, changed and found as they are
   * @throws UserError that names file and line; RowError where the whole file is to blame
   */
  write(
    { file, resource, records, tradesFollow, note }: FileRecords,
    progress: (done: number) => void,
  ): Record<Change, number> {
    this.#note = note;
    const counts = { added: 0, changed: 0, unchanged: 0 };
    const derived: DerivedValues[] = [];
    const lines = new Map<string, number>();
    records.forEach(({ line, values }, done) => {
      progress(done);
      try {
        // A feed is made of other resources' records.
        const row = resource.table === null ? routeRow(values) : { resource, values };
        refuseTwice(lines, row.resource, row.values['id'], line);
        counts[this.#writerOf(row.resource).put(row.values)]++;
        const given = derivedValuesIn(row.resource, row.values);
        if (given) derived.push({ resource: row.resource, id: row.values['id'] as string, values: given, file, line });
      } catch (error) {
        throw error instanceof RowError ? error.at(file, line) : error;
      }
    });
    progress(records.length);
    this.#checkDerived(derived, tradesFollow);
    return counts;
  }

  /** Checks what can be checked by now, and keeps what waits for trades. */
  #checkDerived(given: readonly DerivedValues[], tradesFollow: boolean): void {
    const all = [...this.#awaitingTrades, ...given];
    const waits = ({ resource }: DerivedValues) => tradesFollow && resource.source === 'trade_group_records';
    this.#awaitingTrades = all.filter(waits);
    checkDerivedValues(
      this.#db,
      this.#settings.user,
      all.filter((values) => !waits(values)),
    );
  }

  #writerOf(resource: ListResource): RecordWriter {
    let writer = this.#writers.get(resource);
    if (!writer) {
      if (resource.table === null) throw new Error(`${resource.path} is no table`);
      writer = new RecordWriter(this.#db, { ...resource, table: resource.table }, this.#settings, (...change) =>
        this.#note(resource.path, ...change),
      );
      this.#writers.set(resource, writer);
    }
    return writer;
  }
}

/** @param lines where each id of the file was met */
function refuseTwice(lines: Map<string, number>, resource: ListResource, id: unknown, line: number): void {
  if (typeof id !== 'string') return;
  const key = `${resource.path} ${id}`;
  const earlier = lines.get(key);
  if (earlier !== undefined) {
    throw new RowError('id', `"${id}" is on line ${earlier} already: which of the two is right?`);
  }
  lines.set(key, line);
}
