/**
 * `import change`: reads the file of an import again, with other options or by the
 * current reader. The import's rows are taken out of the journal, the file is imported
 * again in its place, and what the user wrote is put on the same rows. One transaction
 * and one line, undone like an import.
 */
import { type MadeTrades, restateFills } from '../import/fills/make-trades.ts';
import type { FileRecord } from '../import/fills/reading.ts';
import { platformOfFormat } from '../import/formats/platforms.ts';
import type { FileReport, NotesAgain } from '../import/report/report.ts';
import { completeFile } from '../import/steps/complete-file.ts';
import { explaining } from '../import/steps/file-settings.ts';
import { readNotesAgain } from '../import/steps/notes-again.ts';
import type { ReadJob } from '../import/steps/read-job.ts';
import { type StoredFile, storeFile } from '../import/steps/store-file.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import { trades } from '../journal/resources/trades.ts';
import { placeInNote, REMOVED } from '../notes/note.ts';
import { keptFill } from '../statements/fill-row.ts';
import { FillTable } from '../statements/fills.ts';
import { NO_PLACE } from '../statements/statement-table.ts';
import {
  type ImportAgain,
  ImportsAgain,
  type ReadAgainOptions,
} from './changes/imports-again.ts';
import {
  type ChangedRow,
  changedRows,
  isSameRow,
  keepTradeIds,
  placesIn,
  placesOfSame,
} from './changes/matched-rows.ts';
import {
  type ChangedRecord,
  type FormerRow,
  RestatedRecords,
} from './changes/restated-records.ts';
import type { Replaced } from './changes/undone-fills.ts';
import { type Edit, type LineReport, type Outcome, withLine } from './edit.ts';
import {
  type DayChange,
  dailyNet,
  liveKeys,
  type NotedDay,
  notedDays,
  type ShownByKey,
  type TradeDifferences,
} from './effects.ts';

export interface ChangeOptions extends TargetOptions, ReadAgainOptions {
  /** Receives what differs in trades. */
  differences?: TradeDifferences;
}

export interface ChangeReport extends LineReport, NotesAgain {
  /**
   * The imports that were changed, each with the result of reading its file: the named
   * one, and those that state some of the same rows.
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

/** An import to change, with what it stated before and what it states now. */
interface Changed extends ImportAgain {
  former: FormerRow[];
  read: ReadJob;
}

/** @throws UserError that names the problem; nothing is changed then */
export function changeImport(options: ChangeOptions, line: string): ChangeReport {
  return withLine(options, { format: 'change', line, of: options.id }, (edit) =>
    new FileChange(edit, options).run(),
  );
}

class FileChange {
  readonly #edit: Edit;
  readonly #options: ChangeOptions;
  readonly #fills: FillTable;
  readonly #imports: ImportsAgain;
  readonly #records: RestatedRecords;

  constructor(edit: Edit, options: ChangeOptions) {
    this.#edit = edit;
    this.#options = options;
    this.#fills = new FillTable(edit.db, edit.user.id);
    this.#imports = new ImportsAgain(edit, options, this.#fills);
    this.#records = new RestatedRecords(edit);
  }

  run(): Outcome<Omit<ChangeReport, keyof LineReport>> {
    const { db, user } = this.#edit;
    const { keys, now, differences } = this.#options;
    const keysSince = liveKeys(db, user, keys, now);
    const daysSince = dailyNet(db, user);
    const notesSince = notedDays(db, user);

    this.#fills.fixAccounts();
    const changed = this.#takeAndRead(this.#imports.find());
    const rows = changed.flatMap((file) => this.#rowsOf(file));
    const { made, stored } = this.#restate(changed, rows);
    const different = this.#records.settle();
    differences?.end(db, user);

    const differing = rows.filter((row) => !isSameRow(row));
    const inRows = new Set(differing.map(({ importId }) => importId));
    const completed = changed.map((file, place) => {
      const replaced = this.#keep(file, rows);
      const { report } = completeFile(stored[place] as StoredFile, made, file.settings);
      return { ...file, report, restated: countOf(replaced) };
    });

    const again = readNotesAgain(db, this.#edit.importId, this.#edit.settings);
    const counts = countTrades(made, different);
    const restated = completed.reduce((sum, file) => sum + file.restated, 0);

    return {
      report: {
        changed: completed.map(
          ({ entry, isNamed, source, report, restated: ofRecords }) => ({
            id: entry.id,
            file: entry.file,
            differs:
              inRows.has(entry.id) || ofRecords > 0 || (isNamed && different.length > 0),
            is_read: source !== undefined,
            report,
          }),
        ),
        trades: counts,
        records: different.filter(({ resource }) => resource !== trades.path).length,
        moved: made.trades.moved,
        days: daysSince(),
        keys: keysSince(),
        notes: notesSince(),
        ...again,
      },
      changed:
        differing.length + Math.max(different.length, restated) + again.read_again.length,
      trades: counts.added + counts.changed + counts.removed,
      changesFills: true,
    };
  }

  /** Takes away what the imports state of records, then reads their files. */
  #takeAndRead(imports: readonly ImportAgain[]): Changed[] {
    const { db, user } = this.#edit;
    const former = imports.map(({ entry, job }) =>
      this.#records.take(entry.id, job.notes !== undefined),
    );
    for (const [place, { entry, settings }] of imports.entries()) {
      const rows = former[place] as FormerRow[];
      const isEdited = settings.reading.printed !== undefined;
      settings.again = {
        ...settings.again,
        id: entry.id,
        before: this.#records.before,
        former: idsInNotes(rows, isEdited),
        formerly: isEdited ? this.#namesIn(rows) : undefined,
      };
    }

    this.#options.differences?.begin(db, user, {
      imports: imports.map(({ entry }) => entry.id),
      records: this.#records.before.keys(),
    });

    return imports.map((again, place) => ({
      ...again,
      former: former[place] as FormerRow[],
      read: this.#imports.read(again),
    }));
  }

  /**
   * Names of the fields that an edited note states, by resource and id; null if it
   * removed the record.
   */
  #namesIn(former: readonly FormerRow[]): Map<string, readonly string[] | null> {
    const { anchors } = this.#edit.stated;
    return new Map(
      former.map(({ row: { resource, record_id }, stated }) => {
        const id = resource === trades.path ? anchors.tradeOf(record_id) : record_id;
        return [`${resource} ${id}`, stated && Object.keys(stated)];
      }),
    );
  }

  /** Rows of fills of an import, before and after. */
  #rowsOf({ entry, before, read }: Changed): ChangedRow[] {
    const stated = [...this.#fills.statements([entry.id])];
    const places = this.#imports.isAgain
      ? placesOfSame(stated, read.incoming)
      : placesIn(stated, before, read.incoming);
    return changedRows(
      entry.id,
      stated,
      read.incoming,
      places,
      (id) => this.#fills.find(id) !== undefined,
    );
  }

  /** Stores the files in place of what they stated before, and makes their trades. */
  #restate(
    changed: readonly Changed[],
    rows: readonly ChangedRow[],
  ): { made: MadeTrades; stored: StoredFile[] } {
    const stored: StoredFile[] = [];
    const store = () => {
      for (const { job, settings, former, before, read } of changed) {
        const { printed, records } = read.reading;
        if (!printed) keepTradeIds(former, before, records as FileRecord[]);
        stored.push(
          explaining(job, this.#options.journal, () => storeFile(read, settings)),
        );
      }
    };

    const named = changed.find(({ isNamed }) => isNamed);
    const made = restateFills(this.#edit.db, this.#fills, rows, {
      ...this.#edit.settings,
      platformOf: platformOfFormat,
      store,
      groups: !named?.kept.options.no_groups,
      areLegsSame: rows.length === 0,
    });
    return { made, stored };
  }

  /** Stores what undo needs to put the import back. */
  #keep({ entry, columns }: Changed, rows: readonly ChangedRow[]): Replaced {
    const ofImport = rows.filter(({ importId }) => importId === entry.id);
    const replaced: Replaced = {
      import: entry.id,
      entry: columns,
      records: this.#records.replacedOf(entry.id),
      fills: ofImport.map(({ was, to, place }) => ({
        was: was ? { ...was, fill: keptFill(was.fill) } : null,
        place: to ? place : null,
      })),
    };
    this.#edit.imports.statements.add('imports', String(entry.id), this.#edit.importId, {
      ...NO_PLACE,
      stated: { ...replaced },
    });
    return replaced;
  }
}

/** Number of records that an import stated otherwise before. */
function countOf({ records: { before, added } }: Replaced): number {
  return before.length + added.length;
}

/** Trades that changed: those made from fills, and those that files state as records. */
function countTrades(
  { trades: made }: MadeTrades,
  different: readonly ChangedRecord[],
): ChangeReport['trades'] {
  const counts = { added: made.added, changed: made.changed, removed: made.removed };
  for (const { resource, change } of different)
    if (resource === trades.path) counts[change]++;
  return counts;
}

/**
 * Ids of the records that a note's lines stated.
 * @param isEdited whether it is the text of an editor, without a path
 */
function idsInNotes(
  former: readonly FormerRow[],
  isEdited: boolean,
): Map<string, string> {
  const rows = former.flatMap(({ row }) => (row.path === '' && !isEdited ? [] : row));
  return new Map(
    rows.map(({ resource, path, kind, place, record_id }) => [
      placeInNote(resource, kind === 'removed' ? REMOVED : path, place),
      record_id,
    ]),
  );
}
