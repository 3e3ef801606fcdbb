/**
 * Changes made on the command line: one transaction and one line in the list of imports,
 * undone like an import.
 */
import { sep } from 'node:path';
import type Database from 'better-sqlite3';
import { UsageError, UserError } from '../errors.ts';
import { inTransaction, type TargetOptions } from '../import/write/target-journal.ts';
import type { User } from '../journal/journal.ts';
import type { ListResource } from '../journal/resource.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import type {
  GivenRecord,
  Values,
  WholeRecord,
  WriteSettings,
} from '../journal-write/record.ts';
import {
  type Change,
  type OnChange,
  RecordWriter,
} from '../journal-write/record-writer.ts';
import { settleMarkets } from '../notes/missed-markets.ts';
import type { Stated } from '../statements/fold.ts';
import { COMMAND_FORMATS, ImportTable, type NewImport } from '../statements/imports.ts';
import { LineStatements } from '../statements/line.ts';
import { isFile } from '../statements/note-versions.ts';
import { StatedRecords } from '../statements/stated-records.ts';
import { toInstantText } from '../time.ts';

export interface EditedRecord {
  resource: string;
  id: string;
  change: Change | 'removed';
  /** Null if it is new. */
  before: Values | null;
  after: Values | null;
}

/** The transaction of a command. Each record is written or removed once. */
export class Edit {
  readonly db: Database.Database;
  readonly user: User;
  /** UTC text. */
  readonly now: string;
  readonly settings: WriteSettings;
  readonly imports: ImportTable;
  /** The id of its line. */
  readonly importId: number;
  readonly records: EditedRecord[] = [];
  readonly stated: StatedRecords;
  readonly #line: LineStatements;
  /** What is said of the record that is being written, in place of its values. */
  #instead: Stated | undefined;
  #account: string | undefined;
  readonly #writers = new Map<ListResource, RecordWriter>();

  constructor(
    db: Database.Database,
    user: User,
    now: string,
    entry: Omit<NewImport, 'imported_at'>,
  ) {
    this.db = db;
    this.user = user;
    this.now = now;
    this.settings = { user, timeZone: user.timezone, account: undefined, now };
    this.imports = new ImportTable(db, user.id);
    this.importId = this.imports.add({ imported_at: now, ...entry });
    this.stated = new StatedRecords(db, this.settings, this.imports.statements);
    this.#line = new LineStatements(this.stated, this.importId);
  }

  /** With the executions of a trade. */
  whole(resource: ListResource, id: string): WholeRecord | undefined {
    return this.#writerOf(resource).find(id);
  }

  find(resource: ListResource, id: string): Values | undefined {
    return this.whole(resource, id)?.record;
  }

  /**
   * @param instead what the line states in place of the values: what is added and taken
   * away
   * @param account as it was typed, if it has another name now; '': none
   */
  put(
    resource: ListResource,
    values: Values,
    instead?: Stated,
    account?: string,
  ): Change {
    this.#instead = instead;
    this.#account = account;
    return this.#writerOf(resource).put(values);
  }

  /** @throws UserError if there is no such record, or other records refer to it */
  remove(resource: ListResource, id: string): void {
    const whole = this.whole(resource, id);
    if (!whole) throw new UserError(`there is no record "${id}" in ${resource.title}`);

    this.#line.remove(resource, whole, { user: this.user.id, id });
    this.records.push({
      resource: resource.path,
      id,
      change: 'removed',
      before: whole.record,
      after: null,
    });
  }

  #writerOf(resource: ListResource): RecordWriter {
    let writer = this.#writers.get(resource);
    if (!writer) {
      writer = new RecordWriter(this.db, resource, this.settings, {
        onChange: (...change) => this.#note(resource, ...change),
      });
      this.#writers.set(resource, writer);
    }

    return writer;
  }

  #note(resource: ListResource, ...[stored, whole, given]: Parameters<OnChange>): void {
    const changeOf = stored === whole ? 'unchanged' : 'changed';
    const change = stored ? changeOf : 'added';
    const isFirst = this.#line.note(resource, stored, whole, given, {
      instead: this.#instead,
      isExplicit: true,
      ...(this.#account !== undefined && { account: this.#account }),
    });
    const { id } = whole.record;
    if (!isFirst) this.#extend(resource, id, given);
    this.records.push({
      resource: resource.path,
      id,
      change,
      before: stored?.record ?? null,
      after: whole.record,
    });
  }

  #extend(resource: ListResource, id: string, { record }: GivenRecord): void {
    const { id: _, updated_at: __, ...values } = record;
    const { table } = this.stated;
    table.extend(
      resource.path,
      id,
      this.importId,
      '',
      this.#instead ?? table.kindsOf(resource).flat(values),
    );
  }
}

/** Every report of a command with a line. */
export interface LineReport {
  dry_run: boolean;
  journal: string;
  user: string;
  /** The line's id for `import undo`; null if nothing changed. */
  import: number | null;
}

/** Result of a command, with its counts in the list of imports. */
export interface Outcome<T> {
  report: T;
  /** Number of changed things; 0: nothing changed, and no line is left. */
  changed: number;
  fills?: number;
  records?: number;
  trades?: number;
  changesFills?: boolean;
}

type Entry = Pick<NewImport, 'format'> &
  Partial<Pick<NewImport, 'resource' | 'account' | 'of'>> & { line: string };

/**
 * @param line as "import list" shows it
 * @throws UserError if there is no journal, or it can't be written; or by act: the
 * journal is unchanged then
 */
export function withLine<T>(
  options: TargetOptions,
  { line, format, resource = format, account = null, of = null }: Entry,
  act: (edit: Edit) => Outcome<T>,
): LineReport & T {
  return inTransaction(options, (target) => {
    const entry = { file: line, format, resource, account, of };
    const edit = new Edit(target.open(), target.user, toInstantText(options.now), entry);
    const {
      report,
      changed,
      fills = 0,
      records = 0,
      trades = 0,
      changesFills = false,
    } = act(edit);
    settleMarkets(edit.db, edit.settings);
    edit.imports.complete(edit.importId, {
      sha256: null,
      rows: changed,
      fills,
      records,
      trades,
      skipped: {},
    });

    const isKept = changed > 0 && !options.dryRun;
    const { journal, dryRun = false } = options;
    const shared = {
      dry_run: dryRun,
      journal,
      user: edit.user.id,
      import: isKept ? edit.importId : null,
    };

    return { result: { ...shared, ...report }, commit: isKept ? { changesFills } : null };
  });
}

export type EditReport = Pick<LineReport, 'dry_run' | 'import'> & {
  records: EditedRecord[];
};

/** @param act writes and removes records @throws UserError as withLine() */
export function edit(
  options: TargetOptions,
  { name, line, resource }: { name: string; line: string; resource: ListResource },
  act: (edit: Edit) => void,
): EditReport {
  const {
    dry_run,
    import: id,
    records,
  } = withLine(options, { format: name, line, resource: resource.path }, (edited) => {
    act(edited);
    const records = edited.records.filter(({ change }) => change !== 'unchanged').length;
    // What is there already is stated, too: the line holds it if another goes.
    return {
      report: { records: edited.records },
      changed: edited.records.length,
      records,
    };
  });
  return { dry_run, import: id, records };
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
  const records = Map.groupBy(
    edit.imports.ofNotesIn(folder),
    ({ resource, id }) => `${resource} ${id}`,
  );
  const noted = [...records.values()].map(notesOf);
  refuseManyGone(noted, folder, mayBeMany);

  // Records that refer to a trade are removed before it.
  const going = noted.filter(({ isGone }) => isGone);
  for (const resource of RESOURCES.toReversed()) {
    for (const { id } of going.filter((record) => record.resource === resource.path))
      if (edit.find(resource, id)) edit.remove(resource, id);
  }
}

/** A record of a folder's notes. */
interface NotedRecord {
  resource: string;
  id: string;
  paths: readonly string[];
  /** Whether any of its notes is still there. */
  isThere: boolean;
  /** Whether only notes that aren't there any more state it. */
  isGone: boolean;
}

/** @param events what lines state of a record, in their order */
function notesOf(events: ReturnType<ImportTable['ofNotesIn']>): NotedRecord {
  const [{ resource, id }] = events as [(typeof events)[number]];
  // Only events since the last removal concern the current record.
  const since = events.slice(events.findLastIndex(({ kind }) => kind === 'removed') + 1);
  const paths = since.flatMap(({ path }) => (path === '' ? [] : path));
  const isThere = paths.some(isFile);
  const isElsewhere = since.some(
    ({ path, kind, format }) =>
      kind === 'stated' && path === '' && !COMMAND_FORMATS.includes(format ?? ''),
  );

  return {
    resource,
    id,
    paths,
    isThere,
    isGone: paths.length > 0 && !isThere && !isElsewhere,
  };
}

function refuseManyGone(
  noted: readonly NotedRecord[],
  folder: string,
  mayBeMany: boolean,
): void {
  if (mayBeMany) return;

  const pathsOf = (records: readonly NotedRecord[]) => {
    const paths = records.flatMap((record) => record.paths);
    return new Set(paths.filter((path) => path.startsWith(`${folder}${sep}`)));
  };

  const known = pathsOf(noted).size;
  const gone = pathsOf(noted.filter(({ isThere }) => !isThere)).size;
  if (gone <= known * MOST_GONE) return;

  throw new UsageError(
    `${gone} of ${known} notes are missing from ${folder}; pass --yes to remove their records too`,
  );
}
