/**
 * What a file is imported with, by what needs it (reading, storing, listing, progress),
 * and the journal that it is imported into.
 */
import type Database from 'better-sqlite3';
import { RowError, UserError } from '../../errors.ts';
import { explainWriting } from '../../journal-write/open.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { NotFinite } from '../../money.ts';
import type { PictureSource } from '../../notes/note-pictures.ts';
import { AccountNames } from '../../statements/account-settings.ts';
import { FillTable } from '../../statements/fills.ts';
import { ImportTable } from '../../statements/imports.ts';
import { StatedRecords, type Whole } from '../../statements/stated-records.ts';
import type { FileSource, Job, KeptOptions } from '../files/contents.ts';
import type { ReadSettings } from '../files/read.ts';
import { GivenMultipliers } from '../fills/multiplier.ts';
import type { Reading } from '../fills/reading.ts';
import type { TimeSettings } from '../fills/written-times.ts';
import { RecordImport } from '../write/record-import.ts';

export interface FileSettings {
  write: WriteSettings;
  reading: Omit<ReadSettings, 'user' | 'timeZone'>;
  rows: RowSettings;
  line: LineSettings;
  /** Undefined: pictures of notes aren't kept. */
  pictures?: PictureSettings | undefined;
  /** Set if the file of an import is read again. */
  again?: FormerImport | undefined;
  others: OtherFiles;
  host: Host;
}

/** How the rows of a file become fills and records. */
interface RowSettings {
  /** Contract sizes as typed. */
  multipliers: GivenMultipliers;
  /** Whether suspected duplicates are separate fills. */
  allowDuplicates: boolean;
  /** False: trades opened by one order aren't grouped. */
  groups: boolean;
  /**
   * The zone that times without one follow, if not that of the latest import of the
   * format and account.
   */
  earlierZone?: TimeSettings['earlierZone'] | undefined;
}

/** Where pictures are found, and how they are kept. */
export interface PictureSettings {
  source: PictureSource;
  /** The journal's path, if new ones may be kept. */
  journal?: string;
  /** Whether more new ones are kept than usual. */
  mayBeMany?: boolean | undefined;
}

/** What the import's line in the list states, and whether its bytes are kept. */
interface LineSettings {
  options: KeptOptions;
  /** The folder of notes, which are identified by their path within it. */
  folder?: string | undefined;
  /** The path of its file, if the file itself isn't read. */
  path?: string | null | undefined;
  dryRun?: boolean | undefined;
  /** False: the journal doesn't keep the file's bytes. */
  keep?: boolean | undefined;
}

/** An import whose file is read again. */
interface FormerImport {
  id: number;
  /**
   * Whether it is read as it was: its fills join what the others state of their accounts.
   */
  isReread?: boolean | undefined;
  /** Its records before, by resource and id: it receives those that change. */
  before?: Map<string, Whole | undefined> | undefined;
  /** Of notes: ids of the records on their lines. */
  former?: ReadonlyMap<string, string> | undefined;
  /** Of an edited note: names of the fields that it states, null of a removed record. */
  formerly?: ReadonlyMap<string, readonly string[] | null> | undefined;
}

/** Other files of the same import. */
interface OtherFiles {
  /** Whether a file of trades follows. */
  tradesFollow: boolean;
  /** Whether the fills of an export follow. */
  fillsFollow: boolean;
  /** Whether records of trades came before. */
  withTrades: boolean;
}

/** A file that is imported alone. */
export const ALONE: OtherFiles = {
  tradesFollow: false,
  fillsFollow: false,
  withTrades: false,
};

/** What the program does meanwhile: it shows progress, and saves memory. */
export interface Host {
  /** Called regularly while records, fills and trades are written. */
  progress?: ((what: string, done: number, of: number) => void) | undefined;
  /** Called before a long file is read, which takes seconds. */
  readingLong?: ((file: string) => void) | undefined;
  /**
   * Called when memory matters more than time: before a whole file is read, and within a
   * long one.
   */
  saveMemory?: (() => void) | undefined;
  /** Called once if the import is large enough that memory must be bounded. */
  boundMemory?: (() => void) | undefined;
  /** Called once a long file's fills are made, and the rest of its reading is garbage. */
  collectGarbage?: (() => void) | undefined;
}

/**
 * The settings that follow from the options of an import, as typed or as it keeps them.
 */
export function settingsBy(
  kept: KeptOptions,
  { user, now }: Pick<WriteSettings, 'user' | 'now'>,
): Pick<FileSettings, 'write' | 'reading' | 'rows' | 'line'> {
  const { account, timezone, date, dates, symbol, multipliers, ...others } = kept.options;
  return {
    write: { user, now, timeZone: timezone, account },
    reading: { date, dates, symbol },
    rows: {
      multipliers: new GivenMultipliers(
        multipliers && new Map(Object.entries(multipliers)),
      ),
      allowDuplicates: others.allow_duplicates === true,
      groups: !others.no_groups,
    },
    line: { options: kept },
  };
}

/** The same, but the progress also names the file. */
export function namingFile({ file }: Job, { progress }: Host): Host['progress'] {
  return (what, done, of) => progress?.(`${file}: ${what}`, done, of);
}

// Progress, and bounds above which an import saves memory.

/**
 * Bounds of a large import: records or fills written, or bytes read. For unchanged
 * records only their count is kept.
 */
export const LARGE = { records: 50_000, unchanged: 1_000_000, bytes: 24_000_000 };

/** Number of records after which garbage is collected: before that there is little. */
const LONG = 5000;

const PROGRESS_EVERY = 500;

/**
 * Counts records, or bytes if records are read while they are written and their number is
 * unknown.
 */
export function progressOf(
  { file }: Job,
  { records }: Pick<Reading, 'records'>,
  source: Pick<FileSource, 'done' | 'size'>,
  { progress, boundMemory, saveMemory }: Host,
): (done: number, changed: number) => void {
  let isBound = false;
  const boundOnce = (done: number, changed: number) => {
    const isLarge =
      changed >= LARGE.records ||
      done >= LARGE.unchanged ||
      (changed > 0 && source.done >= LARGE.bytes);
    if (!isLarge || isBound) return;
    boundMemory?.();
    isBound = true;
  };

  return (done, changed) => {
    boundOnce(done, changed);
    if (done === LONG) saveMemory?.();
    if (done % PROGRESS_EVERY !== 0) return;
    if (Array.isArray(records)) progress?.(file, done, records.length);
    else progress?.(file, source.done, source.size);
  };
}

// The open journal: its tables, and errors that name the file or it.

export interface OpenJournal {
  db: Database.Database;
  records: RecordImport;
  fills: FillTable;
  imports: ImportTable;
  names: AccountNames;
  stated: StatedRecords;
}

export function openedJournal(
  db: Database.Database,
  settings: WriteSettings,
  fills = new FillTable(db, settings.user.id),
): OpenJournal {
  const { id } = settings.user;
  const records = new RecordImport(db, fills, settings);
  const imports = new ImportTable(db, id);
  const stated = new StatedRecords(db, settings, imports.statements);
  return { db, records, fills, imports, names: new AccountNames(db, id), stated };
}

/** Runs a step; its errors name the file or the journal. */
export function explaining<T>(
  { file }: Pick<Job, 'file'>,
  journal: string,
  act: () => T,
): T {
  try {
    return act();
  } catch (error) {
    if (error instanceof NotFinite) {
      throw new UserError(
        `${file}: quantities or prices are too large or too small to compute with; correct them`,
      );
    }
    throw error instanceof RowError
      ? error.at(file, undefined)
      : explainWriting(journal, error);
  }
}
