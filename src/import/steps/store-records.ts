/**
 * Writes the records of a file, and states them on the import's line: closed trades under
 * the ids that they have in the journal, notes as versions of those at their paths.
 */

import { resolve } from 'node:path';
import type { ListResource } from '../../journal/resource.ts';
import { trades } from '../../journal/resources/trades.ts';
import type { GivenRecord } from '../../journal-write/record.ts';
import type { Change } from '../../journal-write/record-writer.ts';
import type { ReadBack } from '../../notes/note.ts';
import type { NotedChanges } from '../../notes/note-changes.ts';
import type { NoteEdit } from '../../notes/put-edited.ts';
import { LineStatements, type Said } from '../../statements/line.ts';
import type { NoteVersions } from '../../statements/note-versions.ts';
import type { WrittenTrade } from '../../statements/statement-table.ts';
import { isNameless, type Job } from '../files/contents.ts';
import { knownTrades } from '../fills/known-trades.ts';
import type { FileRecord } from '../fills/reading.ts';
import type { NotesReadBack } from '../report/report.ts';
import { type RecordChanged, WrongStops } from '../write/record-import.ts';
import { type FileSettings, progressOf } from './file-settings.ts';
import { holdsClosedTrades, noteSteps, type ReadJob } from './read-job.ts';

/**
 * Former versions of a file's notes, and what becomes of the records that they are about.
 */
interface OfNotes {
  versions: NoteVersions;
  changes: NotedChanges;
}

/** @param paths of the notes, if they are versions */
function ofNotes(line: LineStatements, paths: readonly string[] = []): OfNotes {
  const { NotedChanges, NoteVersions } = noteSteps.value;
  return { versions: new NoteVersions(line, paths), changes: new NotedChanges() };
}

export class FileRecords {
  readonly #read: ReadJob;
  readonly #settings: FileSettings;
  /** What the file wrote of closed trades, by id. */
  readonly #written: ReadonlyMap<unknown, WrittenTrade>;
  readonly #line: LineStatements;
  /** Whether they are of notes with a path: what an editor saved is no version of one. */
  readonly #areOfNotes: boolean;
  readonly #notes: OfNotes | undefined;
  readonly #stops = new WrongStops();
  /** Ids of closed trades that are new. */
  readonly added = new Set<unknown>();
  /** Changes of an edited note that weren't stored. */
  readonly refused: string[] = [];

  /** @param importId the import, already in the list */
  constructor(read: ReadJob, importId: number, settings: FileSettings) {
    const { job, journal } = read;
    this.#read = read;
    this.#settings = settings;
    this.#written = foundTrades(read, importId, settings);
    this.#line = new LineStatements(journal.stated, importId, settings.again?.before);
    this.#areOfNotes = !isNameless(job) && !settings.reading.printed;

    const paths = this.#areOfNotes ? job.notes?.map(({ file }) => resolve(file)) : [];
    this.#notes = job.notes && ofNotes(this.#line, paths);
  }

  /** @throws UserError that names file and line of each error */
  write(): Record<Change, number> {
    const { job, source, journal, reading } = this.#read;
    const { others, host } = this.#settings;
    const records = {
      file: job.file,
      resource: job.resource,
      records: reading.records,
      isRepeatable: source.isRepeatable,
      areNotes: job.notes !== undefined,
      tradesFollow: others.tradesFollow,
      fillsFollow: others.fillsFollow,
      changed: this.#changed,
      isSaid: this.#isSaid,
      problems: reading.problems,
      edit: this.#settings.reading.printed && this.#edit(),
      notes: reading.notes,
    };
    return journal.records.write(records, progressOf(job, reading, source, host));
  }

  /**
   * Settles the former versions of notes, once all records are written.
   * @returns the counts with what goes by that
   */
  settle(counts: Record<Change, number>): Record<Change, number> {
    const { journal, reading } = this.#read;
    const { user } = this.#settings.write;
    if (!this.#notes) return counts;

    const { versions, changes } = this.#notes;
    const unread = new Set((reading.problems ?? []).map(({ file }) => resolve(file)));
    versions.settle(user.id, (of, before) => changes.seen(of, before), unread);

    const changed = changes.compare((of, id) => journal.stated.find(of, id));
    const left = counts.changed + counts.unchanged - changed;
    return { added: counts.added, changed, unchanged: Math.max(0, left) };
  }

  /**
   * Takes back what only a repeated file would add again.
   * @returns the number of records
   */
  removeRevived(): number {
    return this.#line.removeRevived(this.#settings.write.user.id);
  }

  /**
   * Whether an edited note states anything, or notes anything else than their former
   * versions.
   */
  get areStated(): boolean {
    // What a new note states is there already: it leaves no line.
    if (this.#settings.reading.printed) return this.#line.hasStated;
    return this.#notes?.versions.isOther === true;
  }

  /** The result of each note; those that state the same as before are only counted. */
  readBack(): NotesReadBack | undefined {
    const { problems = [], readBack } = this.#read.reading;
    if (!readBack) return undefined;

    const wrong = new Set(problems.map(({ file }) => file));
    const all = readBack(problems);
    const isSame = ({ file }: ReadBack) =>
      this.#areOfNotes &&
      !wrong.has(file) &&
      this.#notes?.versions.isSame(resolve(file)) === true;
    const other = all.filter((read) => !isSame(read));
    const unchanged = new Set(all.filter(isSame).map(({ file }) => file)).size;

    return { read_back: other, notes_unchanged: unchanged };
  }

  get movedNotes(): number {
    return this.#notes?.versions.moved ?? 0;
  }

  /** For the report, once former versions are settled. */
  get notes(): string[] {
    const areDays = this.#read.reading.problems !== undefined;
    return [...(this.#notes?.changes.notes(areDays) ?? []), ...this.#stops.notes];
  }

  readonly #changed: RecordChanged = (of, { path, ...said }, ...change) => {
    const { job, renamed } = this.#read;
    const [stored, whole] = change;
    this.#stops.look(of, ...change);
    if (stored && stored !== whole) this.#notes?.changes.seen(of, stored.record);

    const { id } = whole.record;
    if (!stored && isOfPlatform(job)) this.added.add(id);
    const account = renamed.get(id);

    return this.#line.note(of, ...change, {
      ...said,
      ...(path !== undefined && this.#areOfNotes && { path }),
      ...(account !== undefined && { account }),
      ...this.#written.get(id),
    });
  };

  readonly #isSaid = (
    of: ListResource,
    values: GivenRecord,
    { path = '', ...said }: Said,
  ): boolean => {
    const here = { ...said, path: this.#areOfNotes ? path : '' };
    return this.#notes?.versions.isSaid(of, values, here) === true;
  };

  /** The edit of a note: records that it removes are gone, whichever line stated them. */
  #edit(): Omit<NoteEdit, 'problems' | 'state'> {
    const { write, again } = this.#settings;
    return {
      refused: this.refused,
      formerly: again?.formerly,
      remove: (of, stored, id, place) => {
        if (stored) this.#notes?.changes.seen(of, stored.record);
        this.#line.remove(of, stored, { user: write.user.id, id, place });
      },
    };
  }
}

/** Whether a file holds a platform's closed trades or fills. */
export function isOfPlatform({ format }: Job): boolean {
  return format.holds === trades.path;
}

/**
 * Gives closed trades the ids and accounts that they have in the journal.
 * @returns what the file wrote of each, by id
 */
function foundTrades(
  { job, reading, journal, times, renamed }: ReadJob,
  importId: number,
  { write, rows, line }: FileSettings,
): Map<unknown, WrittenTrade> {
  const written = new Map<unknown, WrittenTrade>();
  if (!holdsClosedTrades(job, reading)) return written;

  const { records, notes, holder } = knownTrades(reading.records as FileRecord[], {
    format: job.format,
    imports: journal.imports,
    names: journal.names,
    account: write.account ?? null,
    userZone: write.user.timezone,
    zone: times.zone,
    mapping: line.options.mapping,
    allowDuplicates: rows.allowDuplicates,
  });
  reading.records = records;
  reading.notes = [...reading.notes, ...notes];
  // Its cash flows are in that account, too.
  if (holder !== null) journal.imports.setHolder(importId, holder);

  for (const { values, clock = null, digits = null, formerAccount } of records) {
    written.set(values['id'], { clock, digits });
    if (formerAccount !== undefined) renamed.set(values['id'], formerAccount);
  }

  return written;
}
