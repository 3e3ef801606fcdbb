/**
 * Undoes an import: removes its fills and records, except those that other imports state
 * too.
 */
import type Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import type { MadeTrades } from '../import/fills/make-trades.ts';
import {
  inTransaction,
  type TargetJournal,
  type TargetOptions,
} from '../import/write/target-journal.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import { settleMarkets } from '../notes/missed-markets.ts';
import { UserRows } from '../sqlite/user-rows.ts';
import { settleCash } from '../statements/account-settings.ts';
import { applyRates } from '../statements/exchange-rates.ts';
import { FillTable } from '../statements/fills.ts';
import type { ImportEntry } from '../statements/import-entry.ts';
import { ImportTable } from '../statements/imports.ts';
import { StatedRecords } from '../statements/stated-records.ts';
import { toInstantText } from '../time.ts';
import { settleMoved } from './changes/moved-settings.ts';
import {
  settleAccounts,
  settleFlows,
  settleRecords,
} from './changes/renamed-accounts.ts';
import { putBackFills, type Replaced, undoFills } from './changes/undone-fills.ts';
import { builtOnBy, deleteSole, UndoneRecords } from './changes/undone-records.ts';

export interface UndoReport {
  journal: string;
  user: string;
  undone: ImportEntry;
  /** Fills that other imports state too are kept. */
  fills: { removed: number; kept: number };
  trades: MadeTrades['trades'];
  groups: MadeTrades['groups'];
  records: { removed: number; restored: number; kept: number };
  /**
   * Changed records that are no longer in the journal, so that their values weren't
   * restored: path and id.
   */
  missing: { resource: string; id: string }[];
}

/**
 * @param id undefined: the latest import
 * @throws UserError if there is no such import, or the user's text would be lost; nothing
 * is changed then
 */
export function undoImport(options: TargetOptions, id?: number): UndoReport {
  return inTransaction(options, (target) => {
    const report = new Undo(target.open(), options, target).run(id);
    return {
      result: report,
      commit: { changesFills: report.fills.removed + report.fills.kept > 0 },
    };
  });
}

class Undo {
  readonly #db: Database.Database;
  readonly #journal: string;
  readonly #settings: WriteSettings;
  readonly #imports: ImportTable;
  readonly #stated: StatedRecords;
  readonly #records: UndoneRecords;

  constructor(
    db: Database.Database,
    { journal, now }: TargetOptions,
    { user }: TargetJournal,
  ) {
    this.#db = db;
    this.#journal = journal;
    this.#settings = {
      user,
      timeZone: undefined,
      account: undefined,
      now: toInstantText(now),
    };
    this.#imports = new ImportTable(db, user.id);
    this.#stated = new StatedRecords(db, this.#settings, this.#imports.statements);
    this.#records = new UndoneRecords(db, this.#settings, this.#imports, this.#stated);
  }

  run(id: number | undefined): UndoReport {
    const undone = this.#importOf(id);
    const changes = this.#imports.list().filter((line) => line.of === undone.id);
    const reverted = this.#revertOthers(changes, undone.id);
    const replaced = this.#replacedBy(undone);
    const isRename = undone.format === 'account';
    const unnamed = isRename ? this.#unname(undone.id) : undefined;

    const lines = [undone.id, ...changes.map((change) => change.id)];
    const found =
      replaced.length > 0 ? this.#undoChange(lines, replaced) : this.#undoLines(lines);
    for (const line of lines) this.#imports.remove(line);
    if (this.#stated.anchors.has()) this.#stated.anchors.forgetUnsaid();

    const { fills, trades, groups, records } = found;
    const { user } = this.#settings;
    if (isRename)
      records.restored += settleRecords(this.#db, this.#settings, this.#stated);
    if (isRename || replaced.length > 0) settleFlows(this.#stated, user.id);
    if (isRename) settleCash(this.#db, user.id);

    const isMoving = OF_ACCOUNTS.includes(undone.format);
    const moved = isMoving ? settleMoved(this.#db, this.#settings) : undefined;
    for (const made of [unnamed, moved, ...reverted]) if (made) add(trades, made.trades);
    settleMarkets(this.#db, this.#settings);

    const rates = applyRates(this.#db, user);
    records.restored += rates.filled + rates.cleared;
    for (const report of reverted) records.restored += report.records.restored;

    return {
      journal: this.#journal,
      user: user.id,
      undone,
      fills,
      trades,
      groups,
      records,
      missing: this.#records.missing,
    };
  }

  /** Other imports that changes read again, too, become what they were before. */
  #revertOthers(changes: readonly ImportEntry[], undone: number): UndoReport[] {
    const isOfOthers = changes.some(({ id }) => this.#changesOthers(id, undone));
    return isOfOthers ? changes.map(({ id }) => this.run(id)) : [];
  }

  /** Whether a change read another import again, too, which still exists. */
  #changesOthers(change: number, undone: number): boolean {
    const others = this.#importsReadBy(change).filter((id) => id !== undone);
    return others.some((id) => this.#imports.find(id) !== undefined);
  }

  /** Ids of the imports that a change read again. */
  #importsReadBy(change: number): number[] {
    const rows = this.#stated.table.rowsOfLine(change);
    return rows.flatMap(({ resource, record_id }) =>
      resource === 'imports' ? [Number(record_id)] : [],
    );
  }

  #undoLines(lines: readonly number[]): Undone {
    const [line, ...changes] = lines as [number, ...number[]];
    const rows = new UserRows(this.#db, this.#settings.user.id);
    const removed = changes.length === 0 ? deleteSole(rows, line) : 0;
    const touched = this.#records.touch(lines);
    const dates = this.#records.datesOf(touched);

    for (const id of lines) this.#stated.table.removeLine(id);
    const records = this.#records.refold(touched);
    records.removed += removed;

    const fills = undoFills(this.#db, line, {
      settings: this.#settings,
      imports: this.#imports,
      stated: this.#stated,
    });
    dates.settle();
    return { ...fills, records };
  }

  /** Puts back how imports were read before a change. */
  #undoChange(lines: readonly number[], replaced: readonly Replaced[]): Undone {
    const { table } = this.#stated;
    const before = replaced.flatMap(({ records }) => records.before);
    const rows = [...before, ...replaced.flatMap(({ records }) => records.added)];
    const touched = this.#records.touch(lines, rows);
    const dates = this.#records.datesOf(touched);
    const isOfLines = this.#records.statedBy(lines);
    const [ofLines, others] = [
      touched.filter(isOfLines),
      touched.filter((record) => !isOfLines(record)),
    ];

    for (const line of lines) table.removeLine(line);
    for (const row of rows) table.remove(row);
    table.putBack(before);

    // What notes that were read again state of trades goes first: else it would look like
    // another program's once the trades change.
    const first = this.#records.refold(ofLines);
    const { trades, groups } = putBackFills(this.#db, replaced, this.#settings);
    const then = this.#records.refold(others);
    dates.settle();

    const records = {
      removed: first.removed + then.removed,
      restored: first.restored + then.restored,
      kept: first.kept + then.kept,
    };
    return { fills: { removed: 0, kept: 0 }, trades, groups, records };
  }

  /** What a change replaced. @throws UserError if a later one builds on it */
  #replacedBy({ id, format }: ImportEntry): Replaced[] {
    if (format !== 'change') return [];

    const rows = this.#stated.table.rowsOfLine(id);
    const ofImports = rows.filter(({ resource }) => resource === 'imports');
    // One that was undone since needs nothing.
    const present = ofImports.filter(({ record_id }) =>
      this.#imports.find(Number(record_id)),
    );
    for (const { record_id } of present) {
      const later = this.#laterChange(id, Number(record_id));
      if (later !== undefined) throw builtOnBy(later);
    }

    return present.map(({ fields }) => JSON.parse(fields as string) as Replaced);
  }

  /**
   * A line that read an import again later, or a later file that states the same rows.
   */
  #laterChange(line: number, read: number): number | undefined {
    const again = this.#stated.table
      .rowsOf('imports', String(read))
      .find(({ import_id }) => import_id > line);
    if (again) return again.import_id;

    return this.#imports.sharing(read).find((other) => other > line);
  }

  /** Gives the old account every fill whose file names it. */
  #unname(importId: number): MadeTrades | undefined {
    const { user } = this.#settings;
    this.#db
      .prepare('DELETE FROM account_names WHERE user_id = ? AND import_id = ?')
      .run(user.id, importId);
    this.#stated.forgetNames();
    return settleAccounts(this.#db, new FillTable(this.#db, user.id), this.#settings);
  }

  #importOf(id: number | undefined): ImportEntry {
    const known = this.#imports.list().filter((line) => line.id !== 0);
    const found = id === undefined ? known[0] : known.find((line) => line.id === id);
    if (found) return found;
    if (known.length === 0) throw new UserError('there is no import to undo');
    throw new UserError(
      `there is no import ${id} to undo; existing ones: ${known.map((line) => line.id).join(', ')}`,
    );
  }
}

/** Formats of lines whose undo changes what later renames take along. */
const OF_ACCOUNTS: readonly string[] = ['account', 'account-set', 'fees', 'limits'];

type Undone = Pick<UndoReport, 'fills' | 'trades' | 'groups' | 'records'>;

/** Adds the changes of one walk to those of another. */
function add(changes: MadeTrades['trades'], more: MadeTrades['trades']): void {
  for (const key of ['added', 'changed', 'removed', 'unchanged'] as const)
    changes[key] += more[key];
  changes.moved = changes.moved.concat(more.moved);
}
