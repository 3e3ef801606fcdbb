/** Undoes an import: removes its fills and records, except those that other imports state too. */
import type Database from 'better-sqlite3';
import { RowError, UserError } from '../errors.ts';
import {
  type MadeTrades,
  makeTrades,
  type WalkedBefore,
  walkBefore,
} from '../import/fills/make-trades.ts';
import { settleMarkets } from '../import/write/missed-markets.ts';
import {
  inTransaction,
  type TargetJournal,
  type TargetOptions,
} from '../import/write/target-journal.ts';
import type { ListResource } from '../journal/resource.ts';
import { tradeGroups } from '../journal/resources/trade-groups.ts';
import { trades } from '../journal/resources/trades.ts';
import { deleteRecord, type WriteSettings } from '../journal-write/record.ts';
import { UserRows } from '../sqlite/user-rows.ts';
import type { AccountName } from '../statements/accounts.ts';
import { applyRates } from '../statements/exchange-rates.ts';
import type { ImportEntry } from '../statements/exported-imports.ts';
import { isFor } from '../statements/fee-rates.ts';
import { FillTable } from '../statements/fills.ts';
import { ImportTable } from '../statements/imports.ts';
import { deleteSole } from '../statements/sole-records.ts';
import { nonEmpty, StatedRecords } from '../statements/stated-records.ts';
import { resourceNamed, type StatementRow } from '../statements/statement-table.ts';
import { toInstantText } from '../time.ts';
import { settleAccounts, settleRecords } from './accounts.ts';
import { GroupDates } from './changes/group-dates.ts';
import { refuseNeeded } from './changes/needed.ts';
import { putBackFills, type Replaced } from './changes/put-back.ts';
import { NAMED_FIRST } from './changes/restated-records.ts';
import { movedLater, settleLimits } from './limits.ts';

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
   * Changed records that are no longer in the journal, so that their values weren't restored: path
   * and id.
   */
  missing: { resource: string; id: string }[];
}

/**
 * @param id undefined: the latest import
 * @throws UserError if there is no such import, or the user's text would be lost; nothing is
 * changed then
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
  readonly #missing: UndoReport['missing'] = [];

  constructor(db: Database.Database, { journal, now }: TargetOptions, { user }: TargetJournal) {
    this.#db = db;
    this.#journal = journal;
    this.#settings = { user, timeZone: undefined, account: undefined, now: toInstantText(now) };
    this.#imports = new ImportTable(db, user.id);
    this.#stated = new StatedRecords(db, this.#settings, this.#imports.statements);
  }

  run(id: number | undefined): UndoReport {
    const undone = this.#importOf(id);
    const moved = movedLater(this.#db, this.#settings.user.id, undone.id);
    if (moved !== undefined) throw builtOnBy(moved);

    const changes = this.#imports.list().filter((own) => own.of === undone.id);
    // Other imports that were read again, too, become what they were before.
    const reverted = changes.some((own) => this.#changesOthers(own.id, undone.id))
      ? changes.map((own) => this.run(own.id))
      : [];
    const replaced = this.#replacedBy(undone);
    const name = this.#nameOf(undone);
    const unnamed = name && this.#unname(undone.id);
    const lines = [undone.id, ...changes.map((own) => own.id)];
    const found = replaced.length > 0 ? this.#undoChange(lines, replaced) : this.#undoLines(lines);
    for (const own of lines) this.#imports.remove(own);
    if (this.#stated.anchors.has()) this.#stated.anchors.forgetUnsaid();
    const { fills, trades: made, groups, records } = found;
    if (name) {
      records.restored += settleRecords(this.#db, this.#settings, this.#stated);
      settleLimits(this.#db, this.#settings.user.id, undone.id, name.renamed);
    }
    add(made, unnamed);
    for (const own of reverted) add(made, own);
    settleMarkets(this.#db, this.#settings);
    const rates = applyRates(this.#db, this.#settings.user);
    records.restored +=
      rates.filled + rates.cleared + sumOf(reverted.map((own) => own.records.restored));
    return {
      journal: this.#journal,
      user: this.#settings.user.id,
      undone,
      fills,
      trades: made,
      groups,
      records,
      missing: this.#missing,
    };
  }

  #undoLines(lines: readonly number[]): Undone {
    const [line, ...changes] = lines as [number, ...number[]];
    const removed =
      changes.length === 0 ? deleteSole(new UserRows(this.#db, this.#settings.user.id), line) : 0;
    const touched = this.#touched(lines);
    const dates = this.#datesOf(touched);
    for (const own of lines) this.#stated.table.removeLine(own);
    const records = this.#refold(touched);
    records.removed += removed;
    const fills = this.#fills(line);
    dates.settle();
    return { ...fills, records };
  }

  /** Puts back how imports were read before a change. */
  #undoChange(lines: readonly number[], replaced: readonly Replaced[]): Undone {
    const { table } = this.#stated;
    const rows = replaced.flatMap(({ records: { before, added } }) => [...before, ...added]);
    const touched = this.#touched(lines, rows);
    const dates = this.#datesOf(touched);
    for (const line of lines) table.removeLine(line);
    for (const row of rows) table.remove(row);
    table.putBack(replaced.flatMap((own) => own.records.before));
    const { trades: made, groups } = putBackFills(this.#db, replaced, this.#settings);
    const records = this.#refold(touched);
    dates.settle();
    return { fills: { removed: 0, kept: 0 }, trades: made, groups, records };
  }

  /** Dates of groups that follow from their legs. */
  #datesOf(touched: readonly Touched[]): GroupDates {
    const dates = new GroupDates(this.#db, this.#settings);
    for (const { resource, id, group } of touched)
      dates.remember(resource === tradeGroups ? id : group);
    return dates;
  }

  /** Whether a change read another import again, too, which still exists. */
  #changesOthers(change: number, undone: number): boolean {
    return this.#stated.table
      .rowsOfLine(change)
      .filter(({ resource }) => resource === 'imports')
      .some(
        ({ record_id: id }) =>
          Number(id) !== undone && this.#imports.find(Number(id)) !== undefined,
      );
  }

  /** What a change replaced. @throws UserError if a later one builds on it */
  #replacedBy({ id, format }: ImportEntry): Replaced[] {
    if (format !== 'change') return [];
    const all = this.#stated.table.rowsOfLine(id).filter(({ resource }) => resource === 'imports');
    // One that was undone since needs nothing.
    const own = all.filter(({ record_id }) => this.#imports.find(Number(record_id)));
    for (const { record_id } of own) {
      const later = this.#laterChange(id, Number(record_id));
      if (later !== undefined) throw builtOnBy(later);
    }
    return own.map(({ fields }) => JSON.parse(fields as string) as Replaced);
  }

  /** A line that read an import again later, or a later file that states the same rows. */
  #laterChange(line: number, read: number): number | undefined {
    const again = this.#stated.table
      .rowsOf('imports', String(read))
      .find(({ import_id }) => import_id > line);
    return again?.import_id ?? this.#imports.sharing(read).find((other) => other > line);
  }

  /** The rename by a line. @throws UserError if a later one builds on it */
  #nameOf({ id, format }: ImportEntry): AccountName | undefined {
    if (format !== 'account') return undefined;
    const all = this.#db
      .prepare(
        'SELECT import_id, name, renamed FROM account_names WHERE user_id = ? AND import_id >= ? ORDER BY import_id',
      )
      .all(this.#settings.user.id, id) as (AccountName & { import_id: number })[];
    const [own, ...later] = all;
    const names = [own?.name, own?.renamed].map((text) => text?.toLowerCase());
    const builtOn = later.find(({ name, renamed }) =>
      [name, renamed].some((text) => names.includes(text.toLowerCase())),
    );
    if (builtOn) throw builtOnBy(builtOn.import_id);
    return own;
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
    const known = this.#imports.list().filter((own) => own.id !== 0);
    const found = id === undefined ? known[0] : known.find((own) => own.id === id);
    if (found) return found;
    if (known.length === 0) throw new UserError('there is no import to undo');
    throw new UserError(
      `there is no import ${id} to undo; existing ones: ${known.map((own) => own.id).join(', ')}`,
    );
  }

  #fills(importId: number): Pick<UndoReport, 'fills' | 'trades' | 'groups'> {
    const table = new FillTable(this.#db, this.#settings.user.id);
    const stated = table.statedBy(importId);
    const removed = stated.filter(({ rest }) => rest === undefined);
    // Fills that stay may lose fees, digits or their account, and their place among fills of one
    // instant.
    const changed = stated.flatMap(({ fill, rest }) =>
      rest ? [fill, { ...fill, ...rest }] : [fill],
    );
    const rates = table.feeRates.of(importId);
    const feeless =
      rates.length > 0
        ? table.feeless().filter((fill) => rates.some((rate) => isFor(rate, fill)))
        : [];
    const before = walkBefore([...changed, ...feeless], table);
    refuseBooked(importId, new Set(removed.map(({ fill }) => fill.execution_id)), before, table);
    table.feeRates.remove(importId);
    table.unstate(importId);
    for (const { fill, rest } of stated) {
      if (rest === undefined) table.delete(fill.id);
      else table.fold(fill, rest);
    }
    const { trades, groups } = makeTrades(this.#db, before, table, {
      ...this.#settings,
      areLegsSame: rates.length > 0,
      isStated: (tradeId) => this.#isStated(importId, tradeId),
    });
    return {
      fills: { removed: removed.length, kept: stated.length - removed.length },
      trades,
      groups,
    };
  }

  /**
   * Whether another import states a trade as a record. Records imported later than the fills are an
   * export of the trades that the fills made elsewhere.
   */
  #isStated(importId: number, id: string): boolean {
    const importedAt = (of: number) => this.#imports.find(of)?.imported_at ?? '';
    const others = this.#stated.statementsOf(trades, id, this.#stated.find(trades, id));
    const kinds = this.#stated.table.kindsOf(trades);
    return others.some(
      (own) =>
        own.line !== importId && kinds.isWhole(own) && importedAt(own.line) <= importedAt(importId),
    );
  }

  /**
   * Records that a line states, as they are before it goes. @throws UserError if another program
   * wrote what it states
   */
  #touched(importIds: readonly number[], more: readonly StatementRow[] = []): Touched[] {
    const rows = [...importIds.flatMap((id) => this.#stated.table.rowsOfLine(id)), ...more];
    const keys = new Map<string, Touched>();
    for (const { resource: path, record_id } of rows) {
      if (path === 'imports') continue;
      const resource = resourceNamed(path);
      const id = resource === trades ? this.#stated.anchors.tradeOf(record_id) : record_id;
      const key = `${path} ${id}`;
      if (!keys.has(key)) keys.set(key, this.#touchedBy(importIds, resource, id));
    }
    return [...keys.values()];
  }

  #touchedBy(importIds: readonly number[], resource: ListResource, id: string): Touched {
    const records = this.#stated;
    const present = records.find(resource, id);
    const isMade = records.isMade(resource, id);
    const group = (present?.['group_id'] as string | undefined) ?? null;
    if (!present)
      return { resource, id, group, wasThere: false, isMissing: this.#isMissing(resource, id) };

    if (records.isWrittenSince(resource, id, importIds, present)) throw changedSince(resource, id);
    for (const name of resource === trades ? records.anchors.namesOf(id) : [id])
      records.table.makeExplicit(resource, name, present);
    const statements = records.statementsOf(resource, id, present);
    const expected = records.expected(resource, id, statements, present);
    const foreign = records.foreignIn(resource, id, present, expected);
    const names = Object.keys(foreign).map((name) => name.replace(/[+-]$/, ''));
    const own = statements.filter(
      ({ line, kind }) => importIds.includes(line) && kind === 'stated',
    );
    const stated = new Set(
      own.flatMap((one) => Object.keys(one.stated ?? {}).map((name) => name.replace(/[+?-]$/, ''))),
    );
    const rest = statements.filter(
      ({ line, kind }) => !importIds.includes(line) || kind === 'foreign',
    );
    const isGoing = !isMade && !records.expected(resource, id, rest, present);
    const flat = records.table.kindsOf(resource).flat(present);
    const lost = isGoing ? nonEmpty(names, flat) : names.filter((name) => stated.has(name));
    if (lost.length > 0) throw writtenSince(resource, id, lost);
    records.capture(resource, id, records.table.nextLine(), present);
    return { resource, id, group, wasThere: true, isMissing: false };
  }

  /** Whether another program removed a record that lines state. */
  #isMissing(resource: ListResource, id: string): boolean {
    const statements = this.#stated.statementsOf(resource, id);
    return this.#stated.expected(resource, id, statements) !== undefined;
  }

  /** Writes records as the lines that are left state them. */
  #refold(touched: readonly Touched[]): UndoReport['records'] {
    const counts = { removed: 0, restored: 0, kept: 0 };
    const going: Touched[] = [];
    // Groups before their trades, trades before records that refer to them.
    for (const resource of NAMED_FIRST) {
      for (const own of touched) {
        if (own.resource !== resource) continue;
        if (own.isMissing) this.#missing.push({ resource: resource.path, id: own.id });
        else if (this.#put(own, counts) === 'gone' && own.wasThere) going.push(own);
      }
    }
    // Those that refer to others first.
    for (const { resource, id } of going.toReversed()) {
      const foreign = this.#stated.foreignOf(resource, id);
      if (foreign.length > 0) throw writtenSince(resource, id, foreign);
      refuseNeeded(this.#stated, this.#imports, {
        db: this.#db,
        user: this.#settings.user.id,
        resource,
        id,
      });
      deleteRecord(this.#db, resource, this.#settings.user.id, id);
      this.#stated.table.forgetForeign(resource.path, id);
      counts.removed++;
    }
    return counts;
  }

  #put({ resource, id }: Touched, counts: UndoReport['records']): 'gone' | undefined {
    try {
      const change = this.#stated.refold(resource, id);
      if (change === 'gone') return 'gone';
      counts[change === 'unchanged' ? 'kept' : 'restored']++;
      return undefined;
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      throw new UserError(`can't restore ${id} (${resource.path}): ${error.message}`);
    }
  }
}

/** A record that an undone line states. */
interface Touched {
  resource: ListResource;
  id: string;
  wasThere: boolean;
  /** Whether another program removed it. */
  isMissing: boolean;
  /** Of a trade. */
  group: string | null;
}

type Undone = Pick<UndoReport, 'fills' | 'trades' | 'groups' | 'records'>;

function changedSince({ path, title }: ListResource, id: string): UserError {
  return new UserError(
    `another program has changed ${id} (${title}) since; to undo the import all the same, remove it first: journal-api remove ${path} ${id}`,
  );
}

function writtenSince(resource: ListResource, id: string, names: readonly string[]): UserError {
  const unique = [...new Set(names)];
  return new UserError(
    `another program has changed ${unique.slice(0, 5).join(', ')} of ${id} (${resource.title}) since; clear that there first, or keep the import`,
  );
}

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Adds the changes of one walk to those of another. */
function add(changes: MadeTrades['trades'], made: Pick<MadeTrades, 'trades'> | undefined): void {
  if (!made) return;
  for (const key of ['added', 'changed', 'removed', 'unchanged'] as const)
    changes[key] += made.trades[key];
  changes.moved = changes.moved.concat(made.trades.moved);
}

/** @throws UserError if a later line booked the expiration of what the fills opened */
function refuseBooked(
  importId: number,
  removed: ReadonlySet<string>,
  before: readonly WalkedBefore[],
  table: FillTable,
): void {
  if (before.every(({ booked }) => booked.length === 0)) return;
  const lines = new Map(
    [...table.statements(undefined, true)].map((own) => [own.fill.execution_id, own.importId]),
  );
  for (const { executions } of before.flatMap(({ trades }) => trades)) {
    const later = executions
      .map(({ fill }) => lines.get(fill))
      .find((line) => line !== undefined && line > importId);
    if (later !== undefined && executions.some(({ fill }) => removed.has(fill)))
      throw builtOnBy(later);
  }
}

function builtOnBy(id: number): UserError {
  return new UserError(`import ${id} builds on it; undo that first: journal-api import undo ${id}`);
}
