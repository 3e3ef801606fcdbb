/**
 * `import change`: reads the file of an import again, with other options or by the current reader.
 * The import's rows are taken out of the journal, the file is imported again in its place, and what
 * the user wrote is put on the same rows. One transaction and one line, undone like an import.
 */
import { statSync } from 'node:fs';
import { messageOf, UserError } from '../errors.ts';
import {
  completeFile,
  explaining,
  type FileSettings,
  openedJournal,
  type ReadJob,
  readJob,
  type StoredFile,
  storeFile,
} from '../import/file.ts';
import { keptContents } from '../import/files/bytes.ts';
import { FileSource, hashOf, type Job, type KeptOptions } from '../import/files/contents.ts';
import { formatsBy, keptJob, keptOptions, keptSettings } from '../import/files/kept.ts';
import { type IncomingFill, statementOf } from '../import/fills/incoming.ts';
import { type MadeTrades, type RestatedRow, restateFills } from '../import/fills/make-trades.ts';
import { fillsAgain } from '../import/fills/read-again.ts';
import type { FileRecord } from '../import/fills/reading.ts';
import { FORMATS } from '../import/formats/index.ts';
import { type LoadedMapping, loadMapping } from '../import/mapping/load.ts';
import type { FileReport } from '../import/report/report.ts';
import type { Format } from '../import/table/format.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import { trades } from '../journal/resources/trades.ts';
import { same } from '../journal-write/record.ts';
import type { Note } from '../notes/note.ts';
import { placeInNote, REMOVED } from '../notes/note.ts';
import { isNoteName } from '../notes/vault.ts';
import { Reader } from '../sqlite/reader.ts';
import { orderOfFormat } from '../statements/earlier-imports.ts';
import type { ImportEntry, ImportOptionsKept } from '../statements/exported-imports.ts';
import { fills as exportedFills, type Fill, keptFill } from '../statements/fill-row.ts';
import { type FillStatement, FillTable, NOTHING_WRITTEN } from '../statements/fills.ts';
import { NO_PLACE } from '../statements/statement-table.ts';
import { type ChangedRecord, type FormerRow, RestatedRecords } from './changes/restated-records.ts';
import { type Edit, type LineReport, withLine } from './edit.ts';
import {
  type DayChange,
  dailyNet,
  liveKeys,
  type NotedDay,
  notedDays,
  type ShownByKey,
  type TradeDifferences,
} from './effects.ts';
import type { Replaced } from './undo.ts';

export interface ChangeOptions extends TargetOptions {
  id: number;
  /** The file, if it isn't where it was. */
  file?: string | undefined;
  /** Options to change; the others stay. */
  given: ImportOptionsKept;
  map?: LoadedMapping | undefined;
  /** Whether only the bytes that the journal keeps are read. */
  fromKept?: boolean;
  /** Receives what differs in trades. */
  differences?: TradeDifferences;
}

export interface ChangeReport extends LineReport {
  /**
   * The imports that were changed, each with the result of reading its file: the named one, and
   * those that state some of the same rows.
   */
  changed: ChangedImport[];
  trades: Pick<MadeTrades['trades'], 'added' | 'changed' | 'removed'>;
  /** Number of other records that are different, new or gone. */
  records: number;
  /** Trades whose labels and entries moved to the one with most of the same rows. */
  moved: MadeTrades['trades']['moved'];
  /** Days whose net P&L changes, in the base currency. */
  days: DayChange[];
  keys: ShownByKey[];
  /** Notes with headings of trades that have other times now. */
  notes: NotedDay[];
}

interface ChangedImport {
  id: number;
  file: string;
  /** Whether it states anything else now. */
  differs: boolean;
  /** False: it was worked out from its stored rows, without its file. */
  is_read: boolean;
  report: FileReport;
}

/** An import to change. */
interface Changed {
  entry: ImportEntry;
  job: Job;
  /** Undefined: worked out from what the file wrote, without it. */
  source: FileSource | undefined;
  settings: FileSettings;
  /** Its columns before. */
  columns: Record<string, unknown>;
  /** How it is read now. */
  kept: KeptOptions;
  /**
   * The rows of the file as it was read, to find them again; undefined if it can't be read so any
   * more.
   */
  before: Rows | undefined;
}

/** What an import is read from: the bytes that the journal keeps, its file, or its stored rows. */
interface ReadAs {
  job: Job;
  /** Undefined: its rows. */
  source: FileSource | undefined;
  /** Where its file is, if that isn't read. */
  path?: string | null;
  /** The day's note before it was edited. */
  printed?: Note | undefined;
}

/** Rows of a file: fills and records, each by its line. */
interface Rows {
  fills: readonly IncomingFill[];
  records: readonly FileRecord[];
}

/** @throws UserError that names the problem; nothing is changed then */
export function changeImport(options: ChangeOptions, line: string): ChangeReport {
  return withLine(options, { format: 'change', line, of: options.id }, (own) =>
    new FileChange(own, options).run(),
  );
}

class FileChange {
  readonly #own: Edit;
  readonly #options: ChangeOptions;
  readonly #fills: FillTable;
  /** Whether no option changes: files are read as they were, by the current version. */
  readonly #isAgain: boolean;

  constructor(own: Edit, options: ChangeOptions) {
    this.#own = own;
    this.#options = options;
    this.#fills = new FillTable(own.db, own.user.id);
    this.#isAgain = Object.keys(options.given).length === 0 && options.file === undefined;
  }

  run(): {
    report: Omit<ChangeReport, keyof LineReport>;
    changed: number;
    trades: number;
    changesFills: boolean;
  } {
    const { db, user } = this.#own;
    const entry = this.#entryOf(this.#options.id);
    const kept = this.#keptOf(entry);
    const keys = liveKeys(db, user, this.#options.keys, this.#options.now);
    const [days, notes] = [dailyNet(db, user), notedDays(db, user)];
    this.#fills.fixAccounts();
    const all = [entry, ...this.#sharing(entry, kept)]
      .sort((a, b) => a.id - b.id)
      .map((own) => this.#changed(own, own === entry, this.#keptNow(own, entry, kept)));
    const records = new RestatedRecords(this.#own);
    const former = new Map(all.map((own) => [own, records.take(own.entry.id)]));
    for (const own of all) {
      const rows = former.get(own) ?? [];
      own.settings.former = idsInNotes(rows, own.settings.printed !== undefined);
      if (own.settings.printed) own.settings.formerly = this.#namesIn(rows);
      own.settings.before = records.before;
    }
    const { differences } = this.#options;
    differences?.begin(db, user, {
      imports: all.map((own) => own.entry.id),
      records: records.before.keys(),
    });
    const reads = all.map((own) => ({ own, read: this.#read(own) }));
    const rows = reads.flatMap(({ own, read }) => this.#rowsOf(own, read));
    const stored: StoredFile[] = [];
    const store = () => {
      for (const { own, read } of reads) {
        keepTradeIds(former.get(own) ?? [], own, read);
        stored.push(
          explaining(own.job, this.#options.journal, () => storeFile(read, own.settings)),
        );
      }
    };
    const hasFills = rows.length > 0;
    const how = {
      ...this.#own.settings,
      store,
      groups: !kept.options.no_groups,
      areLegsSame: !hasFills,
    };
    const made = restateFills(db, this.#fills, rows, how);
    const different = records.settle();
    differences?.end(db, user);
    const differing = rows.filter((row) => !isSameRow(row));
    const inRows = new Set(differing.map(({ importId }) => importId));
    let restated = 0;
    const reports = all.map((own, place): ChangedImport => {
      const { id, file } = own.entry;
      const replaced = records.replacedOf(id);
      const ofRecords = replaced.before.length + replaced.added.length;
      restated += ofRecords;
      this.#keep(own, rows, replaced);
      return {
        id,
        file,
        differs: inRows.has(id) || ofRecords > 0 || (own.entry === entry && different.length > 0),
        is_read: own.source !== undefined,
        report: completeFile(stored[place] as StoredFile, made, own.settings).report,
      };
    });
    const ofTrades = different.filter(({ resource }) => resource === trades.path);
    const countOf = (which: ChangedRecord['change']) =>
      ofTrades.filter(({ change }) => change === which).length;
    const counts = {
      added: made.trades.added + countOf('added'),
      changed: made.trades.changed + countOf('changed'),
      removed: made.trades.removed + countOf('removed'),
    };
    const count = differing.length + Math.max(different.length, restated);
    return {
      report: {
        ...{
          changed: reports,
          trades: counts,
          records: different.length - ofTrades.length,
          moved: made.trades.moved,
        },
        ...{ days: days(), keys: keys(), notes: notes() },
      },
      ...{
        changed: count,
        trades: counts.added + counts.changed + counts.removed,
        changesFills: true,
      },
    };
  }

  /**
   * Other imports that state some of the same rows.
   * @param kept how they are read now
   * @throws UserError if one can't be changed along
   */
  #sharing(entry: ImportEntry, kept: KeptOptions): ImportEntry[] {
    const found = new Map([[entry.id, entry]]);
    for (const { id } of found.values()) {
      for (const other of this.#own.imports.sharing(id)) {
        if (found.has(other)) continue;
        const own = this.#entryOf(other);
        const isSame = this.#isAgain || this.#isLike(own, entry, kept);
        const stop = (why: string) =>
          new UserError(
            `import ${other} (${own.file}) states some of the same rows, but ${why}; undo it first: journal-api import undo ${other}`,
          );
        if (!isSame) throw stop('was read with other options');
        try {
          this.#jobOrRows(own, own.path, this.#keptIn(own), false);
        } catch (error) {
          throw stop(messageOf(error).replace(/;.*/, ''));
        }
        found.set(other, own);
      }
    }
    found.delete(entry.id);
    return [...found.values()];
  }

  #isLike(own: ImportEntry, entry: ImportEntry, kept: KeptOptions): boolean {
    return isReadAlike(own, entry) || isReadBy(this.#keptIn(own), kept);
  }

  /** How an import is read now. @param kept how that of the entry is */
  #keptNow(own: ImportEntry, entry: ImportEntry, kept: KeptOptions): KeptOptions {
    return own === entry || this.#isLike(own, entry, kept) ? kept : this.#keptIn(own);
  }

  #entryOf(id: number): ImportEntry {
    const entry = id === this.#own.importId ? undefined : this.#own.imports.find(id);
    if (!entry)
      throw new UserError(
        `there is no import ${id} to change; "journal-api import list" shows all`,
      );
    const { file, sha256, format, resource } = entry;
    const refused = (why: string, what: string) =>
      new UserError(`import ${id} (${file}) ${why}; ${what}`);
    const undo = `journal-api import undo ${id}`;
    if (sha256 === null) throw refused("isn't a file", `undo it instead: ${undo}`);
    if (format === 'rates')
      throw refused('holds exchange rates, which no option changes', `to replace them: ${undo}`);
    if (resource === exportedFills.path)
      throw refused(
        'is an export of a journal, whose fills belong to the imports that it lists',
        'change those instead',
      );
    return entry;
  }

  /** @throws UserError that asks for the options which an earlier version didn't keep */
  #keptOf(entry: ImportEntry): KeptOptions {
    const { given, map } = this.#options;
    const isMapped = entry.format.startsWith('map:');
    if (
      entry.options === null &&
      (given.timezone === undefined || (isMapped && given.map === undefined))
    ) {
      throw new UserError(
        `import ${entry.id} is from an earlier version, which didn't keep its --timezone${isMapped ? ' and --map' : ''} or --multiplier; pass them to import change`,
      );
    }
    const { options: before, mapping } = this.#keptIn(entry);
    const isMapping =
      given.map !== undefined || (given.format === undefined && before.map !== undefined);
    if (given.dates !== undefined && isMapping)
      throw new UserError(
        `import ${entry.id} has a mapping, which states the order of its dates; correct it and pass --map`,
      );
    const multipliers = given.multipliers && { ...before.multipliers, ...given.multipliers };
    const options: ImportOptionsKept = { ...before, ...given, ...(multipliers && { multipliers }) };
    // A format and a mapping replace each other.
    if (given.format !== undefined) delete options.map;
    if (given.map !== undefined) delete options.format;
    return {
      options: keptOptions(options),
      mapping: options.map === undefined ? null : (map?.text ?? mapping),
    };
  }

  /** How an import was read. */
  #keptIn({ id, options, account }: ImportEntry): KeptOptions {
    const { db, user } = this.#own;
    const mapping = db
      .prepare('SELECT mapping FROM imports WHERE user_id = ? AND id = ?')
      .pluck()
      .get(user.id, id);
    return {
      options: options ?? (account === null ? {} : { account }),
      mapping: mapping as string | null,
    };
  }

  #changed(entry: ImportEntry, isNamed: boolean, kept: KeptOptions): Changed {
    const { db, user } = this.#own;
    const path = (isNamed ? this.#options.file : undefined) ?? entry.path;
    const columns = db
      .prepare(`SELECT ${COLUMNS} FROM imports WHERE user_id = ? AND id = ?`)
      .get(user.id, entry.id);
    const { job, source, ...given } = this.#jobOrRows(entry, path, kept, isNamed);
    const settings = { ...this.#fileSettings(kept, entry), again: entry.id, ...given };
    // Read again as it was, its rows before are those of now.
    const before =
      source && !this.#isAgain && !this.#keepsRows() ? this.#before(entry, path) : undefined;
    return {
      entry,
      job,
      source,
      settings,
      columns: columns as Record<string, unknown>,
      kept,
      before,
    };
  }

  /**
   * The file of an import; without it, its rows if only their zone or account changes. @throws
   * UserError if neither will do
   */
  #jobOrRows(entry: ImportEntry, path: string | null, kept: KeptOptions, isNamed: boolean): ReadAs {
    const isKeptOnly = isNamed && this.#options.fromKept === true;
    try {
      return this.#jobOf(entry, path, kept, isKeptOnly);
    } catch (error) {
      if (isKeptOnly) throw error;
      const format = formatOf(entry, kept);
      const isOfRows = Object.keys(this.#options.given).every((name) =>
        ['timezone', 'account'].includes(name),
      );
      if (!isOfRows || !format || entry.records > 0 || this.#options.file !== undefined)
        throw error;
      // Its rows stay as that reader read them.
      const asBefore = { ...format, revision: entry.revision ?? 0 };
      return {
        job: { file: entry.file, format: asBefore, resource: trades },
        source: undefined,
        path: entry.path,
      };
    }
  }

  #fileSettings(kept: KeptOptions, { id: again, timezone: zone }: ImportEntry): FileSettings {
    const { db, user } = this.#own;
    const { folder, account } = kept.options;
    const earlierDates: FileSettings['earlierDates'] = (of) =>
      orderOfFormat(new Reader(db), user.id, { ...of, account, again });
    const alone = {
      tradesFollow: false,
      fillsFollow: false,
      withTrades: false,
      boundMemory: () => undefined,
    };
    // Later imports may follow another zone, and the user may have one since.
    const earlierZone =
      this.#isAgain && zone !== null ? () => ({ importId: again, zone }) : undefined;
    return {
      ...this.#own.settings,
      ...alone,
      ...keptSettings(kept),
      folder,
      earlierDates,
      earlierZone,
    };
  }

  /** @throws UserError if nothing is kept, and the file isn't there, or has other bytes */
  #jobOf(
    entry: ImportEntry,
    path: string | null,
    kept: KeptOptions,
    isKeptOnly = false,
  ): ReadAs & { source: FileSource } {
    const isGiven = this.#options.file !== undefined && path === this.#options.file;
    const bytes = isGiven ? undefined : keptContents(this.#own.imports, entry);
    if (bytes) {
      const job = keptJob({ file: bytes.file }, kept, entry.resource, bytes);
      return { job, source: new FileSource(job), path: entry.path, printed: bytes.printed };
    }
    if (isKeptOnly) {
      const { id } = entry;
      throw new UserError(`no bytes are kept; to read its file: journal-api import change ${id}`);
    }
    const job = this.#jobOfFile(entry, path, kept);
    return { job, source: new FileSource(job) };
  }

  #jobOfFile(
    { id, sha256, file, resource }: ImportEntry,
    path: string | null,
    kept: KeptOptions,
  ): Job {
    if (path === null)
      throw new UserError(
        `import ${id} (${file}) is from standard input or an editor, and its bytes aren't kept; pass its file: journal-api import change ${id} FILE`,
      );
    const check = (of: Pick<Job, 'file' | 'notes'>) => {
      if (hashOf(of) === sha256) return;
      throw new UserError(
        `${path} isn't the file of import ${id}: its bytes are others; import it instead, or pass the right file`,
      );
    };
    let isOfNotes: boolean;
    try {
      isOfNotes = statSync(path).isDirectory() || isNoteName(path);
    } catch (error) {
      throw new UserError(
        `${path} can't be read (${messageOf(error)}); pass the file: journal-api import change ${id} FILE`,
      );
    }
    if (!isOfNotes) check({ file: path });
    const job = keptJob({ file: path }, kept, resource);
    if (isOfNotes) check(job);
    return job;
  }

  #read({ entry, job, source, settings, kept }: Changed): ReadJob {
    if (!source) return this.#readRows(entry, job, settings, kept);
    return explaining(job, this.#options.journal, () => {
      const read = readJob(
        job,
        source,
        () => openedJournal(this.#own.db, settings, this.#fills),
        settings,
      );
      // Its rows are looked at twice.
      read.reading.records = [...read.reading.records];
      return read;
    });
  }

  /** The import's fills, read again from what its file wrote. */
  #readRows(
    entry: ImportEntry,
    job: Job,
    settings: FileSettings,
    { options }: KeptOptions,
  ): ReadJob {
    const journal = openedJournal(this.#own.db, settings, this.#fills);
    const zone = options.timezone ?? entry.timezone;
    const incoming = fillsAgain([...this.#fills.statements([entry.id])], entry, {
      zone,
      account: options.account ?? null,
      present: (account) => journal.names.of(account),
    });
    return {
      job,
      source: { sha256: entry.sha256 ?? '', isRepeatable: true, done: 0, size: 0, held: undefined },
      journal,
      reading: {
        rows: entry.rows,
        records: [],
        skipped: new Map(Object.entries(entry.skipped)),
        notes: [],
        stated: [],
      },
      incoming,
      renamed: new Map(),
      statement: statementOf([], []),
      times: { zone, isAssumed: false },
    };
  }

  /**
   * Whether a reading has the same rows in the same order as before: their zone and account are
   * other ones.
   */
  #keepsRows(): boolean {
    const { given, file } = this.#options;
    return file === undefined && Object.keys(given).every((name) => OF_ALL_ROWS.includes(name));
  }

  #before(entry: ImportEntry, path: string | null): Rows | undefined {
    const kept = this.#keptIn(entry);
    try {
      const { job, source } = this.#jobOf(entry, path, kept);
      if (job.notes) return undefined;
      return rowsIn(
        this.#read({
          entry,
          job,
          source,
          settings: this.#fileSettings(kept, entry),
          kept,
        } as Changed),
      );
    } catch (error) {
      if (error instanceof UserError) return undefined;
      throw error;
    }
  }

  /** Each row of fills with its statement before, and its fill before and after. */
  #rowsOf({ entry, before }: Changed, { incoming }: ReadJob): ChangedRow[] {
    const stated = [...this.#fills.statements([entry.id])];
    const { places, left } = this.#isAgain
      ? placesOfSame(stated, incoming)
      : placesIn(stated, before, incoming);
    const rowOf = (was: FillStatement | undefined, now: number | undefined): ChangedRow => {
      const own = now === undefined ? undefined : (incoming[now] as IncomingFill);
      // The same row of the file stays the same fill.
      if (own && was) own.fill = { ...own.fill, ...idsOf(was.fill) };
      const { fees, fees_stated } = own?.fill ?? (was as FillStatement).fees;
      const { account } = own ?? (was as FillStatement);
      const written = was?.written ?? NOTHING_WRITTEN;
      const place = now ?? (was as FillStatement).place;
      return {
        importId: entry.id,
        place,
        fees: { fees, fees_stated },
        account,
        written,
        from: was?.fill,
        to: own?.fill,
        was,
      };
    };
    const rows = stated.map((was, at) => rowOf(was, places[at]));
    return [...rows, ...[...left].map((place) => rowOf(undefined, place))];
  }

  /**
   * Names of the fields that an edited note states, by resource and id; null if it removed the
   * record.
   */
  #namesIn(former: readonly FormerRow[]): Map<string, readonly string[] | null> {
    const { anchors } = this.#own.stated;
    return new Map(
      former.map(({ row: { resource, record_id }, stated }) => {
        const id = resource === trades.path ? anchors.tradeOf(record_id) : record_id;
        return [`${resource} ${id}`, stated && Object.keys(stated)];
      }),
    );
  }

  /** Stores what undo needs to put the import back. */
  #keep(
    { entry, columns }: Changed,
    rows: readonly ChangedRow[],
    records: Replaced['records'],
  ): void {
    const own = rows.filter((row) => row.importId === entry.id);
    const replaced: Replaced = {
      import: entry.id,
      entry: columns,
      records,
      fills: own.map(({ was, to, place }) => ({
        was: was ? { ...was, fill: keptFill(was.fill) } : null,
        place: to ? place : null,
      })),
    };
    this.#own.imports.statements.add('imports', String(entry.id), this.#own.importId, {
      ...NO_PLACE,
      stated: { ...replaced },
    });
  }
}

/** Options that change rows, but not which rows a file has. */
const OF_ALL_ROWS: readonly string[] = ['timezone', 'account', 'no_groups'];

/** A row with its statement before. */
type ChangedRow = RestatedRow & { was: FillStatement | undefined };

/**
 * Whether two files were read with the same options: one may follow the order of dates typed for
 * the other.
 */
function isReadAlike(a: ImportEntry, b: ImportEntry): boolean {
  if (a.date_order === null || a.date_order !== b.date_order)
    return a.format === b.format && same(a.options, b.options);
  const { dates: _, ...options } = a.options ?? {};
  const { dates: __, ...others } = b.options ?? {};
  return a.format === b.format && same(options, others);
}

/** Whether an import was read so already; a mapping is known by its text. */
function isReadBy(before: KeptOptions, { options, mapping }: KeptOptions): boolean {
  const { map: _, ...others } = before.options;
  const { map, ...now } = options;
  return map !== undefined && before.mapping === mapping && same(others, now);
}

/** Columns of an import that a change replaces. */
const COLUMNS =
  'format, resource, account, options, mapping, path, timezone, date_order, stated, revision, rows, skipped, fills, records, trades';

/**
 * Ids of the records that a note's lines stated. @param isEdited whether it is the text of an
 * editor, without a path
 */
function idsInNotes(former: readonly FormerRow[], isEdited: boolean): Map<string, string> {
  const rows = former.flatMap(({ row }) => (row.path === '' && !isEdited ? [] : row));
  return new Map(
    rows.map(({ resource, path, kind, place, record_id }) => [
      placeInNote(resource, kind === 'removed' ? REMOVED : path, place),
      record_id,
    ]),
  );
}

/** The same row of the file stays the same trade. */
function keepTradeIds(
  former: readonly FormerRow[],
  { before }: Changed,
  { reading }: ReadJob,
): void {
  if (reading.printed) return;
  const records = reading.records as FileRecord[];
  const ofFile = former.filter(({ row }) => row.path === '');
  const areLines = before?.records.length === ofFile.length;
  if (!areLines && records.length !== ofFile.length) return;

  const keys = areLines ? linesOf(before.records) : placesOf(records);
  const present = areLines ? linesOf(records) : keys;
  const byKey = new Map(present.map((key, place) => [key, records[place] as FileRecord]));
  for (const { row } of ofFile) {
    const record = byKey.get(keys[row.place ?? -1] ?? '');
    if (row.resource === trades.path && record) record.storedId = row.record_id;
  }
}

/** The format of an import's file, whether or not the file is there. */
function formatOf(
  { format }: ImportEntry,
  { options: { map }, mapping }: KeptOptions,
): Format | undefined {
  if (map === undefined || mapping === null) return FORMATS.find(({ name }) => name === format);
  return formatsBy(loadMapping(map, Buffer.from(mapping))).table;
}

function idsOf({ id, execution_id, part }: Fill): Pick<Fill, 'id' | 'execution_id' | 'part'> {
  return { id, execution_id, part };
}

function rowsIn({ incoming, reading }: ReadJob): Rows {
  return { fills: incoming, records: reading.records as FileRecord[] };
}

/** The place in a reading of each row before; undefined if it is gone. */
interface FoundPlaces {
  places: (number | undefined)[];
  /** Places of new rows. */
  left: Set<number>;
}

/** Rows of a file that is read otherwise: the same line, or place, is the same row. */
function placesIn(
  stated: readonly FillStatement[],
  before: Rows | undefined,
  incoming: readonly IncomingFill[],
): FoundPlaces {
  const lines = before?.fills.length === stated.length ? linesOf(before.fills) : undefined;
  const keys = lines ? linesOf(incoming) : placesOf(incoming);
  const known = new Map(keys.map((key, place) => [key, place]));
  const places = stated.map(({ place }) => {
    const key = lines?.[place] ?? `place ${place}`;
    const found = known.get(key);
    known.delete(key);
    return found;
  });
  return { places, left: new Set(known.values()) };
}

/**
 * Rows of a file that is read as it was, perhaps by another reader: the same fill, else equal
 * facts; what is left follows the file's order if as many rows are left.
 */
function placesOfSame(
  stated: readonly FillStatement[],
  incoming: readonly IncomingFill[],
): FoundPlaces {
  const left = new Set(incoming.keys());
  const byId = new Map(incoming.map(({ fill }, place) => [fill.id, place]));
  const places = stated.map(({ fill }) => {
    const place = byId.get(fill.id);
    return place !== undefined && left.delete(place) ? place : undefined;
  });
  if (left.size === 0) return { places, left };

  const byFacts = Map.groupBy([...left].reverse(), (place) =>
    factsOf((incoming[place] as IncomingFill).fill),
  );
  for (const [at, { fill }] of stated.entries()) {
    const place = places[at] ?? byFacts.get(factsOf(fill))?.pop();
    places[at] = place;
    if (place !== undefined) left.delete(place);
  }
  const unknown = [...places.keys()].filter((at) => places[at] === undefined);
  if (unknown.length !== left.size) return { places, left };

  const rest = [...left];
  for (const [index, at] of unknown.entries()) places[at] = rest[index];
  return { places, left: new Set() };
}

function factsOf({ kind, symbol, account, side, quantity, price, executed_at }: Fill): string {
  return JSON.stringify([kind, symbol, account, side, quantity, price, executed_at]);
}

/** The line of each row, numbered if a line has several. */
function linesOf(rows: readonly { line: number }[]): string[] {
  const counts = new Map<number, number>();
  return rows.map(({ line }) => {
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    return `line ${line} ${count}`;
  });
}

function placesOf(rows: readonly unknown[]): string[] {
  return rows.map((_, place) => `place ${place}`);
}

/** Whether a row states of its fill what it stated before: other files may state more of it. */
function isSameRow({ from, to, was, account }: ChangedRow): boolean {
  if (!from || !to || !was) return false;
  const isSameAccount = was.account !== null && was.account === account;
  const { executed_at, price, quantity } = was.written;
  const before: Fill = {
    ...from,
    ...was.fees,
    executed_at: executed_at ?? from.executed_at,
    price: price ?? from.price,
    quantity: quantity ?? from.quantity,
    order_id: to.order_id === null ? null : from.order_id,
    account: isSameAccount ? to.account : from.account,
  };
  return Object.entries(to).every(([name, value]) => same(value, before[name as keyof Fill]));
}
