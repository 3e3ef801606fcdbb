/** Changes that a person makes on the command line: one transaction, one line in the list of imports, reverted as an import is. */
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import { deleteRecord } from '../../journal-write/delete-record.ts';
import { ImportTable } from '../../journal-write/imports.ts';
import { explainWriting } from '../../journal-write/open.ts';
import type { Values, WholeRecord, WriteSettings } from '../../journal-write/record.ts';
import { type Change, RecordWriter } from '../../journal-write/record-writer.ts';
import { toInstantText } from '../../time.ts';
import { refuseMissing } from './list-imports.ts';
import { TargetJournal, type TargetOptions } from './target-journal.ts';

export interface EditedRecord {
  /** Path of the resource. */
  resource: string;
  id: string;
  change: Change | 'removed';
  /** As it was, if it was there. */
  before: Values | null;
  after: Values | null;
}

export interface EditReport {
  dry_run: boolean;
  /** What `import undo` reverts; null if nothing changed. */
  import: number | null;
  records: EditedRecord[];
}

/** What the list of imports says of it. */
export interface EditCommand {
  /** The command's name. */
  name: string;
  /** The whole command, as it was typed. */
  line: string;
  resource: ListResource;
}

/** The transaction of a command. Each record is put or removed once. */
export class Edit {
  readonly db: Database.Database;
  readonly user: User;
  /** As text. */
  readonly now: string;
  readonly records: EditedRecord[] = [];
  readonly #settings: WriteSettings;
  readonly #imports: ImportTable;
  readonly #importId: number;
  readonly #writers = new Map<ListResource, RecordWriter>();

  constructor(db: Database.Database, user: User, now: string, imports: ImportTable, importId: number) {
    this.db = db;
    this.user = user;
    this.now = now;
    this.#settings = { user, timeZone: user.timezone, account: undefined, now };
    this.#imports = imports;
    this.#importId = importId;
  }

  find(resource: ListResource, id: string): Values | undefined {
    return this.#writerOf(resource).find(id)?.record;
  }

  /** @throws RowError where the journal can't take it */
  put(resource: ListResource, values: Values): Change {
    return this.#writerOf(resource).put(values);
  }

  /** @throws UserError if there is no such record, or others refer to it */
  remove(resource: ListResource, id: string): void {
    const whole = this.#writerOf(resource).find(id);
    if (!whole) throw new UserError(`there is no record "${id}" among the ${resource.title}`);
    deleteRecord(this.db, resource, this.user.id, id);
    this.#imports.removed(this.#importId, resource.path, whole);
    this.records.push({ resource: resource.path, id, change: 'removed', before: whole.record, after: null });
  }

  #writerOf(resource: ListResource): RecordWriter {
    let writer = this.#writers.get(resource);
    if (!writer) {
      if (resource.table === null) throw new Error(`${resource.path} is no table`);
      writer = new RecordWriter(this.db, { ...resource, table: resource.table }, this.#settings, {
        onChange: (stored, whole) => this.#note(resource.path, stored, whole),
      });
      this.#writers.set(resource, writer);
    }
    return writer;
  }

  #note(resource: string, stored: WholeRecord | undefined, whole: WholeRecord): void {
    const change = !stored ? 'added' : stored === whole ? 'unchanged' : 'changed';
    // A record that stays as it is was not touched: who undoes this has nothing to give back.
    if (change !== 'unchanged') this.#imports.addRecord(this.#importId, resource, stored, whole);
    const id = whole.record['id'] as string;
    this.records.push({ resource, id, change, before: stored?.record ?? null, after: whole.record });
  }
}

/**
 * @param act puts and removes records; what it throws leaves the journal as it was
 * @throws UserError where there is no journal, or it can't be written
 */
export function edit(
  options: TargetOptions,
  { name, line, resource }: EditCommand,
  act: (edit: Edit) => void,
): EditReport {
  refuseMissing(options);
  const target = new TargetJournal(options);
  try {
    target.begin();
    const db = target.open();
    const imports = new ImportTable(db, target.user.id);
    const now = toInstantText(options.now);
    const id = imports.add({ imported_at: now, file: line, format: name, resource: resource.path, account: null });
    const own = new Edit(db, target.user, now, imports, id);
    act(own);
    const count = own.records.filter(({ change }) => change !== 'unchanged').length;
    imports.complete(id, { sha256: null, rows: count, fills: 0, records: count, trades: 0, skipped: {} });
    const isKept = count > 0 && !options.dryRun;
    if (isKept) target.commit({ changesFills: false });
    return { dry_run: options.dryRun === true, import: isKept ? id : null, records: own.records };
  } catch (error) {
    throw explainWriting(options.journal, error);
  } finally {
    target.rollBack();
    target.close();
  }
}
