/**
 * `import reread`: reads kept files of another revision with this version's reader, and
 * applies what differs, each import as a change with a line of its own. Commands that
 * only look use its dry run.
 */
import { messageOf, UserError } from '../errors.ts';
import { presentRevision } from '../import/files/recognise.ts';
import { inTransaction, type TargetOptions } from '../import/write/target-journal.ts';
import { isFaultOfFile, readOf, userFor } from '../journal-write/open.ts';
import { fills as exportedFills } from '../statements/fill-row.ts';
import { importsApart } from '../statements/fills.ts';
import { type ListedImport, listImports } from '../statements/import-list.ts';
import { ImportTable } from '../statements/imports.ts';
import { type ChangeReport, changeImport } from './change.ts';
import { type FieldDifference, type ShownByKey, TradeDifferences } from './effects.ts';

export interface RereadReport {
  dry_run: boolean;
  journal: string;
  user: string;
  /** Number of imports whose files were read. */
  read: number;
  /**
   * Those that state anything else now; others that state some of the same rows included.
   */
  different: { id: number; file: string }[];
  /** Lines for `import undo`. */
  imports: number[];
  trades: ChangeReport['trades'];
  /** What differs in trades that were there before. */
  fields: FieldDifference[];
  /** Number of other records that are different, new or gone. */
  records: number;
  keys: ShownByKey[];
  /**
   * Files that can't be read, or what they state now can't be stored: they are left as
   * they are.
   */
  failed: { id: number; file: string; problem: string }[];
}

export interface RereadOptions extends TargetOptions {
  /** Its file is read even if it has the present revision. */
  id?: number | undefined;
  progress?: ((what: string, done: number, of: number) => void) | undefined;
}

/**
 * Imports with kept files that another revision of their reader read, or whose fills
 * earlier versions kept apart from others of their account; the earliest first.
 */
export function ofOtherRevision(
  options: Pick<TargetOptions, 'journal' | 'user'>,
): ListedImport[] {
  const imports = listImports(options).reverse();
  const apart = readOf(options, (reader, { id }) => importsApart(reader, id));

  return imports.filter(
    ({ id, bytes, format, resource, revision }) =>
      bytes > 0 &&
      format !== 'rates' &&
      resource !== exportedFills.path &&
      (revision !== presentRevision(format) || apart.has(id)),
  );
}

/**
 * @throws UserError if there is no such import, or the journal can't be written: what was
 * changed before stays
 */
export function rereadFiles(options: RereadOptions): RereadReport {
  const { id, progress } = options;
  const imports = id === undefined ? ofOtherRevision(options) : [importOf(options, id)];
  const reread = new Reread(options);

  for (const [place, entry] of imports.entries()) {
    progress?.(entry.file, place, imports.length);
    reread.read(entry);
  }

  return reread.complete();
}

function importOf(options: RereadOptions, id: number): ListedImport {
  const found = listImports(options).find((entry) => entry.id === id);
  if (found) return found;
  throw new UserError(
    `there is no import ${id} to read again; "journal-api import list" shows all`,
  );
}

class Reread {
  readonly #options: RereadOptions;
  readonly #differences = new TradeDifferences();
  readonly #keys = new Map<string, ShownByKey>();
  readonly #read = new Set<number>();
  /** Imports that state the same as before, with their formats. */
  readonly #same = new Map<number, string>();
  readonly #report: RereadReport;

  constructor(options: RereadOptions) {
    const { dryRun = false, journal } = options;
    this.#options = options;
    this.#report = {
      dry_run: dryRun,
      journal,
      user: userFor(journal, options.user).id,
      read: 0,
      different: [],
      imports: [],
      trades: { added: 0, changed: 0, removed: 0 },
      fields: [],
      records: 0,
      keys: [],
      failed: [],
    };
  }

  /** Reads an import, unless it was read together with an earlier one. */
  read(listed: ListedImport): void {
    if (this.#read.has(listed.id)) return;
    try {
      this.#add(this.#changed(listed));
    } catch (error) {
      if (!(error instanceof UserError) || isFaultOfFile(error)) throw error;
      this.#report.failed.push({
        id: listed.id,
        file: listed.file,
        problem: messageOf(error),
      });
    }
  }

  #changed({ id }: ListedImport): ChangeReport {
    const options = {
      ...this.#options,
      id,
      given: {},
      fromKept: true,
      differences: this.#differences,
    };
    return changeImport(options, `import reread ${id}`);
  }

  #add({ import: line, changed, trades, records, keys }: ChangeReport): void {
    const report = this.#report;
    for (const { id, file, differs, is_read } of changed) {
      if (is_read) this.#read.add(id);
      if (differs) report.different.push({ id, file });
    }

    if (line !== null) report.imports.push(line);
    for (const name of ['added', 'changed', 'removed'] as const)
      report.trades[name] += trades[name];
    report.records += records;
    for (const key of keys) this.#addKey(key);
    if (changed.every(({ differs }) => !differs)) {
      for (const { id, is_read, report } of changed)
        if (is_read) this.#same.set(id, report.format);
    }
  }

  #addKey(key: ShownByKey): void {
    const { before, shows_more } = this.#keys.get(key.id) ?? key;
    this.#keys.set(key.id, { ...key, before, shows_more: shows_more || key.shows_more });
  }

  complete(): RereadReport {
    if (!this.#options.dryRun && this.#same.size > 0) this.#keepRevisions();
    const fields = this.#differences.fields;
    return {
      ...this.#report,
      read: this.#read.size,
      fields,
      keys: [...this.#keys.values()],
    };
  }

  /** Files that are read as before need no line. */
  #keepRevisions(): void {
    const { approve: _, ...options } = this.#options;
    inTransaction(options, (target) => {
      const imports = new ImportTable(target.open(), target.user.id);
      for (const [id, format] of this.#same) {
        const revision = presentRevision(format);
        if (revision !== undefined) imports.setRevision(id, revision);
      }
      return { result: undefined, commit: { changesFills: false } };
    });
  }
}
