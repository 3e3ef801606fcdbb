/** Changes made on the command line: one transaction and one line in the list of imports, undone like an import. */
import { statSync } from 'node:fs';
import { sep } from 'node:path';
import type Database from 'better-sqlite3';
import { UsageError, UserError } from '../../errors.ts';
import { COMMAND_FORMATS, ImportTable } from '../../import-tables/imports.ts';
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { deleteRecord, type Values, type WholeRecord, type WriteSettings } from '../../journal-write/record.ts';
import { type Change, RecordWriter } from '../../journal-write/record-writer.ts';
import { toInstantText } from '../../time.ts';
import { inTransaction, type TargetOptions } from '../write/target-journal.ts';

export interface EditedRecord {
  resource: string;
  id: string;
  change: Change | 'removed';
  /** Null if it is new. */
  before: Values | null;
  after: Values | null;
}

export interface EditReport {
  dry_run: boolean;
  /** The id for `import undo`; null if nothing changed. */
  import: number | null;
  records: EditedRecord[];
}

/** The command's entry in the list of imports. */
export interface EditCommand {
  name: string;
  /** The whole command as typed. */
  line: string;
  resource: ListResource;
}

/** The transaction of a command. Each record is written or removed once. */
export class Edit {
  readonly db: Database.Database;
  readonly user: User;
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

  put(resource: ListResource, values: Values): Change {
    return this.#writerOf(resource).put(values);
  }

  /** @throws UserError if there is no such record, or other records refer to it */
  remove(resource: ListResource, id: string): void {
    const whole = this.#writerOf(resource).find(id);
    if (!whole) throw new UserError(`there is no record "${id}" in ${resource.title}`);
    deleteRecord(this.db, resource, this.user.id, id);
    this.#imports.removed(this.#importId, resource.path, whole);
    this.records.push({ resource: resource.path, id, change: 'removed', before: whole.record, after: null });
  }

  #writerOf(resource: ListResource): RecordWriter {
    let writer = this.#writers.get(resource);
    if (!writer) {
      if (resource.table === null) throw new Error(`${resource.path} has no table`);
      writer = new RecordWriter(this.db, { ...resource, table: resource.table }, this.#settings, {
        onChange: (stored, whole) => this.#note(resource.path, stored, whole),
      });
      this.#writers.set(resource, writer);
    }
    return writer;
  }

  #note(resource: string, stored: WholeRecord | undefined, whole: WholeRecord): void {
    const change = !stored ? 'added' : stored === whole ? 'unchanged' : 'changed';
    // An unchanged record has nothing to undo.
    if (change !== 'unchanged') this.#imports.addRecord(this.#importId, resource, stored, whole);
    const id = whole.record['id'] as string;
    this.records.push({ resource, id, change, before: stored?.record ?? null, after: whole.record });
  }
}

/**
 * @param act writes and removes records; if it throws, the journal is unchanged
 * @throws UserError if there is no journal, or it can't be written
 */
export function edit(
  options: TargetOptions,
  { name, line, resource }: EditCommand,
  act: (edit: Edit) => void,
): EditReport {
  return inTransaction(options, (target) => {
    const db = target.open();
    const imports = new ImportTable(db, target.user.id);
    const now = toInstantText(options.now);
    const id = imports.add({ imported_at: now, file: line, format: name, resource: resource.path, account: null });
    const own = new Edit(db, target.user, now, imports, id);
    act(own);
    const count = own.records.filter(({ change }) => change !== 'unchanged').length;
    imports.complete(id, { sha256: null, rows: count, fills: 0, records: count, trades: 0, skipped: {} });
    const isKept = count > 0 && !options.dryRun;
    const report = { dry_run: options.dryRun === true, import: isKept ? id : null, records: own.records };
    return { result: report, commit: isKept ? { changesFills: false } : null };
  });
}

// Removes the records of notes that were deleted from a folder.

/** Share of a folder's notes that may be missing without --yes. */
const MOST_GONE = 1 / 5;

/**
 * @param folder its absolute path
 * @param mayBeMany whether more than a fifth of its notes may be missing
 * @throws UsageError if too many are missing; UserError if other records refer to one
 */
export function pruneNotes(edit: Edit, folder: string, mayBeMany: boolean): void {
  const events = new ImportTable(edit.db, edit.user.id).ofNotesIn(folder);
  const records = Map.groupBy(events, ({ resource, id }) => `${resource} ${id}`);
  const known = new Set<string>();
  const gone = new Set<string>();
  const going: { resource: string; id: string }[] = [];
  for (const all of records.values()) {
    const [{ resource, id }] = all as [(typeof events)[number]];
    // Only events since the last removal concern the current record.
    const since = all.slice(all.findLastIndex(({ change }) => change === 'removed') + 1);
    const paths = since.flatMap(({ path }) => path ?? []);
    const isThere = paths.some(isFile);
    for (const path of paths.filter((own) => own.startsWith(`${folder}${sep}`))) {
      known.add(path);
      if (!isThere) gone.add(path);
    }
    const isOfNote = since.some(({ change, path }) => change === 'added' && path !== null);
    const isElsewhere = since.some(({ path, format }) => path === null && !COMMAND_FORMATS.includes(format));
    if (isOfNote && !isThere && !isElsewhere) going.push({ resource, id });
  }
  if (gone.size > known.size * MOST_GONE && !mayBeMany) {
    throw new UsageError(
      `${gone.size} of ${known.size} notes are missing from ${folder}; pass --yes to remove their records too`,
    );
  }
  // Records that refer to a trade are removed before it.
  for (const resource of RESOURCES.toReversed()) {
    for (const own of going) {
      if (own.resource === resource.path && edit.find(resource, own.id)) edit.remove(resource, own.id);
    }
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
