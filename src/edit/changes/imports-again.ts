/**
 * Imports that are read again: the named one and those that state some of the same rows.
 */
import { messageOf, UserError } from '../../errors.ts';
import type { FileSource, Job, KeptOptions } from '../../import/files/contents.ts';
import { mappings } from '../../import/files/plan.ts';
import { statementOf } from '../../import/fills/incoming.ts';
import { fillsAgain } from '../../import/fills/read-again.ts';
import type { FileRecord } from '../../import/fills/reading.ts';
import { FORMATS } from '../../import/formats/index.ts';
import {
  ALONE,
  explaining,
  type FileSettings,
  openedJournal,
  settingsBy,
} from '../../import/steps/file-settings.ts';
import { picturesOfLine } from '../../import/steps/note-pictures.ts';
import { platformsOf, type ReadJob, readJob } from '../../import/steps/read-job.ts';
import type { Format } from '../../import/tables/format.ts';
import { trades } from '../../journal/resources/trades.ts';
import { Reader } from '../../sqlite/reader.ts';
import { orderOfFormat } from '../../statements/earlier-imports.ts';
import { fills as exportedFills } from '../../statements/fill-row.ts';
import type { FillTable } from '../../statements/fills.ts';
import type { ImportEntry } from '../../statements/import-entry.ts';
import type { Edit } from '../edit.ts';
import type { FileRows } from './matched-rows.ts';
import {
  fileAt,
  isReadAlike,
  isReadBy,
  keptFile,
  optionsNow,
  type ReadFrom,
  type ReadFromFile,
  type TypedOptions,
} from './read-from.ts';

/** What is read again, and how. */
export interface ReadAgainOptions extends TypedOptions {
  id: number;
  journal: string;
  /** The file, if it isn't where it was. */
  file?: string | undefined;
  /** Whether only the bytes that the journal keeps are read. */
  fromKept?: boolean;
}

export interface ImportAgain {
  entry: ImportEntry;
  /** Whether it is the one that the command names. */
  isNamed: boolean;
  job: Job;
  /** Undefined: worked out from what the file wrote, without it. */
  source: FileSource | undefined;
  settings: FileSettings;
  /** Its columns before. */
  columns: Record<string, unknown>;
  /** How it is read now. */
  kept: KeptOptions;
  /**
   * The rows of the file as it was read, to find them again; undefined if it can't be
   * read so any more.
   */
  before: FileRows | undefined;
}

/** Columns of an import that a change replaces. */
const COLUMNS =
  'format, resource, account, options, mapping, path, timezone, date_order, stated, revision, ' +
  'rows, skipped, fills, records, trades';

/** Options that change rows, but not which rows a file has. */
const OF_ALL_ROWS: readonly string[] = ['timezone', 'account', 'no_groups'];

/** Options with which rows can be worked out from what their file wrote. */
const OF_ROWS: readonly string[] = ['timezone', 'account'];

export class ImportsAgain {
  readonly #edit: Edit;
  readonly #options: ReadAgainOptions;
  readonly #fills: FillTable;
  /** Whether no option changes: files are read as they were, by the current version. */
  readonly isAgain: boolean;

  constructor(edit: Edit, options: ReadAgainOptions, fills: FillTable) {
    this.#edit = edit;
    this.#options = options;
    this.#fills = fills;
    this.isAgain = Object.keys(options.given).length === 0 && options.file === undefined;
  }

  /**
   * The earliest first.
   * @throws UserError if an import can't be read again
   */
  find(): ImportAgain[] {
    const named = this.#entryOf(this.#options.id);
    const kept = optionsNow(named, this.#keptIn(named), this.#options);
    const entries = [named, ...this.#sharing(named, kept)].sort((a, b) => a.id - b.id);

    return entries.map((entry) => {
      if (entry === named) return this.#importAgain(named, true, kept);

      const isLike = this.#isLike(entry, named, kept);
      return this.#importAgain(entry, false, isLike ? kept : this.#keptIn(entry));
    });
  }

  #entryOf(id: number): ImportEntry {
    const entry = id === this.#edit.importId ? undefined : this.#edit.imports.find(id);
    if (!entry)
      throw new UserError(
        `there is no import ${id} to change; "journal-api import list" shows all`,
      );

    refuseUnchangeable(entry);
    return entry;
  }

  /** How an import was read. */
  #keptIn({ id, options, account }: ImportEntry): KeptOptions {
    const { db, user } = this.#edit;
    const mapping = db
      .prepare('SELECT mapping FROM imports WHERE user_id = ? AND id = ?')
      .pluck()
      .get(user.id, id);

    return {
      options: options ?? (account === null ? {} : { account }),
      mapping: mapping as string | null,
    };
  }

  /**
   * Other imports that state some of the same rows.
   * @param kept how the named one is read now
   * @throws UserError if one can't be changed along
   */
  #sharing(named: ImportEntry, kept: KeptOptions): ImportEntry[] {
    const found = new Map([[named.id, named]]);
    for (const { id } of found.values()) {
      for (const other of this.#edit.imports.sharing(id)) {
        if (found.has(other)) continue;

        const entry = this.#entryOf(other);
        this.#refuseUnlike(entry, named, kept);
        found.set(other, entry);
      }
    }

    found.delete(named.id);
    return [...found.values()];
  }

  #refuseUnlike(entry: ImportEntry, named: ImportEntry, kept: KeptOptions): void {
    const stop = (why: string) =>
      new UserError(
        `import ${entry.id} (${entry.file}) states some of the same rows, but ${why}; ` +
          `undo it first: journal-api import undo ${entry.id}`,
      );

    if (!this.isAgain && !this.#isLike(entry, named, kept))
      throw stop('was read with other options');

    try {
      this.#readFrom(entry, entry.path, this.#keptIn(entry), false);
    } catch (error) {
      throw stop(messageOf(error).replace(/;.*/, ''));
    }
  }

  /** Whether an import is read with the named one's options. */
  #isLike(entry: ImportEntry, named: ImportEntry, kept: KeptOptions): boolean {
    return isReadAlike(entry, named) || isReadBy(this.#keptIn(entry), kept);
  }

  #importAgain(entry: ImportEntry, isNamed: boolean, kept: KeptOptions): ImportAgain {
    const { db, user } = this.#edit;
    const path = (isNamed ? this.#options.file : undefined) ?? entry.path;
    const columns = db
      .prepare(`SELECT ${COLUMNS} FROM imports WHERE user_id = ? AND id = ?`)
      .get(user.id, entry.id) as Record<string, unknown>;
    const { job, source, ...contents } = this.#readFrom(entry, path, kept, isNamed);
    const settings = this.#settings(kept, entry);
    settings.again = { id: entry.id, isReread: this.isAgain };
    settings.line.path = contents.path;
    settings.reading.printed = contents.printed;

    // Read again as it was, its rows before are those of now.
    const isOther = source !== undefined && !this.isAgain && !this.#keepsRows();
    const before = isOther ? this.#rowsBefore(entry, path) : undefined;
    return { entry, isNamed, job, source, settings, columns, kept, before };
  }

  /**
   * The file of an import; without it, its rows if only their zone or account changes.
   * @throws UserError if neither will do
   */
  #readFrom(
    entry: ImportEntry,
    path: string | null,
    kept: KeptOptions,
    isNamed: boolean,
  ): ReadFrom {
    if (isNamed && this.#options.fromKept) return this.#keptOnly(entry, kept);

    try {
      return this.#file(entry, path, kept);
    } catch (error) {
      const rows = this.#rows(entry, kept);
      if (!rows) throw error;
      return rows;
    }
  }

  /** @throws UserError if no bytes are kept, or they can't be read so */
  #keptOnly(entry: ImportEntry, kept: KeptOptions): ReadFrom {
    const file = keptFile(this.#edit.imports, entry, kept);
    if (file) return file;

    throw new UserError(
      `no bytes are kept; to read its file: journal-api import change ${entry.id}`,
    );
  }

  /**
   * @throws UserError if nothing is kept, and the file isn't there, or has other bytes
   */
  #file(entry: ImportEntry, path: string | null, kept: KeptOptions): ReadFromFile {
    const isTyped = this.#options.file !== undefined && path === this.#options.file;
    const file = isTyped ? undefined : keptFile(this.#edit.imports, entry, kept);
    return file ?? fileAt(path, entry, kept);
  }

  #rows(entry: ImportEntry, kept: KeptOptions): ReadFrom | undefined {
    const { given, file } = this.#options;
    const isOfRows = Object.keys(given).every((name) => OF_ROWS.includes(name));
    const format = formatOf(entry, kept);
    if (!isOfRows || !format || entry.records > 0 || file !== undefined) return undefined;

    // Its rows stay as that reader read them.
    const asBefore = { ...format, revision: entry.revision ?? 0 };
    return {
      job: { file: entry.file, format: asBefore, resource: trades },
      source: undefined,
      path: entry.path,
    };
  }

  #settings(kept: KeptOptions, { id, timezone: zone }: ImportEntry): FileSettings {
    const { db, user } = this.#edit;
    const { folder, account } = kept.options;
    const earlierDates: FileSettings['reading']['earlierDates'] = (of) =>
      orderOfFormat(new Reader(db), user.id, { ...of, account, again: id });
    // Later imports may follow another zone, and the user may have one since.
    const earlierZone =
      this.isAgain && zone !== null ? () => ({ importId: id, zone }) : undefined;

    const settings = settingsBy(kept, this.#edit.settings);
    return {
      write: settings.write,
      reading: { ...settings.reading, earlierDates },
      rows: { ...settings.rows, earlierZone },
      line: { ...settings.line, folder },
      pictures: { source: picturesOfLine(this.#edit.imports, id) },
      others: ALONE,
      host: {},
    };
  }

  /**
   * Whether a reading has the same rows in the same order as before: their zone and
   * account are other ones.
   */
  #keepsRows(): boolean {
    const { given, file } = this.#options;
    return (
      file === undefined && Object.keys(given).every((name) => OF_ALL_ROWS.includes(name))
    );
  }

  #rowsBefore(entry: ImportEntry, path: string | null): FileRows | undefined {
    const kept = this.#keptIn(entry);
    try {
      const { job, source } = this.#file(entry, path, kept);
      if (job.notes) return undefined;

      const { incoming, reading } = this.#readFile(
        job,
        source,
        this.#settings(kept, entry),
      );
      return { fills: incoming, records: reading.records as FileRecord[] };
    } catch (error) {
      if (error instanceof UserError) return undefined;
      throw error;
    }
  }

  read({ entry, job, source, settings, kept }: ImportAgain): ReadJob {
    return source
      ? this.#readFile(job, source, settings)
      : this.#readRows(entry, job, settings, kept);
  }

  #readFile(job: Job, source: FileSource, settings: FileSettings): ReadJob {
    const open = () => openedJournal(this.#edit.db, settings.write, this.#fills);
    return explaining(job, this.#options.journal, () => {
      const read = readJob(job, source, open, settings);
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
    const journal = openedJournal(this.#edit.db, settings.write, this.#fills);
    const zone = options.timezone ?? entry.timezone;
    const incoming = fillsAgain([...this.#fills.statements([entry.id])], entry, {
      zone,
      account: options.account ?? null,
      present: (account) => journal.names.of(account),
      platformIn: platformsOf(job, journal, settings),
    });

    return {
      job,
      source: {
        sha256: entry.sha256 ?? '',
        isRepeatable: true,
        done: 0,
        size: 0,
        held: undefined,
      },
      journal,
      reading: {
        rows: entry.rows,
        records: [],
        flows: [],
        cash: [],
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
}

/** @throws UserError if a line of the list of imports is none that is read again */
function refuseUnchangeable({ id, file, sha256, format, resource }: ImportEntry): void {
  const refused = (why: string, what: string) =>
    new UserError(`import ${id} (${file}) ${why}; ${what}`);
  const undo = `journal-api import undo ${id}`;

  if (sha256 === null) throw refused("isn't a file", `undo it instead: ${undo}`);
  if (format === 'rates')
    throw refused(
      'holds exchange rates, which no option changes',
      `to replace them: ${undo}`,
    );
  if (resource === exportedFills.path)
    throw refused(
      'is an export of a journal, whose fills belong to the imports that it lists',
      'change those instead',
    );
}

/** The format of an import's file, whether or not the file is there. */
function formatOf(
  { format }: ImportEntry,
  { options: { map }, mapping }: KeptOptions,
): Format | undefined {
  if (map === undefined || mapping === null)
    return FORMATS.find(({ name }) => name === format);
  const { formatsBy, loadMapping } = mappings.value;
  return formatsBy(loadMapping(map, Buffer.from(mapping))).table;
}
