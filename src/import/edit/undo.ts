/** Undoes an import: removes its fills and records, except those that other imports state too. */
import type Database from 'better-sqlite3';
import { RowError, UserError } from '../../errors.ts';
import { type AccountName, AccountNames } from '../../import-tables/accounts.ts';
import { applyRates } from '../../import-tables/exchange-rates.ts';
import type { ImportEntry } from '../../import-tables/exported-imports.ts';
import { isFor } from '../../import-tables/fee-rates.ts';
import { FillTable } from '../../import-tables/fills.ts';
import { COMMAND_FORMATS, ImportTable, type RecordChange } from '../../import-tables/imports.ts';
import { type StoredTrade, WalkedTradeTable, WRITTEN_FIELDS } from '../../import-tables/walked-trades.ts';
import type { ListResource } from '../../journal/resource.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { tradeGroups } from '../../journal/resources/trade-groups.ts';
import { trades } from '../../journal/resources/trades.ts';
import { deleteRecord, same, type Values, type WholeRecord, type WriteSettings } from '../../journal-write/record.ts';
import { RecordWriter } from '../../journal-write/record-writer.ts';
import { toInstantText } from '../../time.ts';
import { type MadeTrades, makeTrades, type WalkedBefore, walkBefore } from '../fills/make-trades.ts';
import { UNSURE } from '../fills/trade-record.ts';
import { inTransaction, type TargetJournal, type TargetOptions } from '../write/target-journal.ts';
import { isStated, settleAccounts, settleRecords } from './accounts.ts';
import { GroupDates } from './changes/group-dates.ts';
import { type Replaced, undoChange } from './changes/undo-change.ts';
import { movedLater, settleLimits } from './limits.ts';

export { keepExcursions } from './changes/kept-excursions.ts';
export { type Statement, type Taken, TakenRecords } from './changes/taken-records.ts';
export type { Replaced };

export interface UndoReport {
  journal: string;
  user: string;
  undone: ImportEntry;
  /** Fills that other imports state too are kept. */
  fills: { removed: number; kept: number };
  trades: MadeTrades['trades'];
  groups: MadeTrades['groups'];
  records: { removed: number; restored: number; kept: number };
  /** Changed records that are no longer in the journal, so that their values weren't restored: path and id. */
  missing: { resource: string; id: string }[];
}

/**
 * @param id undefined: the latest import
 * @throws UserError if there is no such import, or the user's text would be lost; nothing is changed then
 */
export function undoImport(options: TargetOptions, id?: number): UndoReport {
  return inTransaction(options, (target) => {
    const report = new Undo(target.open(), options, target).run(id);
    return { result: report, commit: { changesFills: report.fills.removed + report.fills.kept > 0 } };
  });
}

class Undo {
  readonly #db: Database.Database;
  readonly #journal: string;
  readonly #settings: WriteSettings;
  readonly #imports: ImportTable;
  readonly #trades: WalkedTradeTable;
  readonly #missing: UndoReport['missing'] = [];
  /** Without an undone rename. */
  #names: AccountNames | undefined;

  constructor(db: Database.Database, { journal, now }: TargetOptions, { user }: TargetJournal) {
    this.#db = db;
    this.#journal = journal;
    this.#settings = { user, timeZone: undefined, account: undefined, now: toInstantText(now) };
    this.#imports = new ImportTable(db, user.id);
    this.#trades = new WalkedTradeTable(db, user.id, this.#settings.now);
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
    const names = new AccountNames(this.#db, this.#settings.user.id);
    // Records may refer to trades that come back.
    const unnamed = name && this.#unname(undone.id);
    const records = this.#records(undone.id, name);
    const { fills, trades, groups } = this.#fills(undone.id);
    for (const own of changes) this.#imports.remove(own.id);
    this.#imports.remove(undone.id);
    if (name) {
      records.restored += settleRecords(this.#db, this.#settings, names, name.renamed);
      settleLimits(this.#db, this.#settings.user.id, undone.id, name.renamed);
    }
    add(trades, unnamed);
    for (const own of reverted) add(trades, own);
    if (replaced.length > 0) {
      add(trades, undoChange(this.#db, replaced, this.#settings));
      records.restored += sumOf(replaced.map((own) => own.records.length));
    }
    const rates = applyRates(this.#db, this.#settings.user);
    records.restored += rates.filled + rates.cleared + sumOf(reverted.map((own) => own.records.restored));
    const found = { undone, fills, trades, groups, records, missing: this.#missing };
    return { journal: this.#journal, user: this.#settings.user.id, ...found };
  }

  /** Whether a change read another import again, too, which still exists. */
  #changesOthers(change: number, undone: number): boolean {
    return this.#imports
      .recordsOf(change)
      .some(({ resource, id }) => resource === 'imports' && Number(id) !== undone && this.#imports.find(Number(id)));
  }

  /** What a change replaced. @throws UserError if a later one builds on it */
  #replacedBy({ id, format }: ImportEntry): Replaced[] {
    if (format !== 'change') return [];
    const all = this.#imports.recordsOf(id).filter(({ resource }) => resource === 'imports');
    // One that was undone since needs nothing.
    const own = all.filter((change) => this.#imports.find(Number(change.id)));
    for (const change of own) {
      const sharing = this.#imports.sharing(Number(change.id));
      const [later] = [
        ...this.#laterThan(id, change).map(({ importId }) => importId),
        ...sharing.filter((other) => other > id),
      ];
      if (later !== undefined) throw builtOnBy(later);
    }
    return own.map(({ before }) => before as unknown as Replaced);
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
    this.#db.prepare('DELETE FROM account_names WHERE user_id = ? AND import_id = ?').run(user.id, importId);
    return settleAccounts(this.#db, new FillTable(this.#db, user.id), this.#settings);
  }

  #importOf(id: number | undefined): ImportEntry {
    const known = this.#imports.list().filter((own) => own.id !== 0);
    const found = id === undefined ? known[0] : known.find((own) => own.id === id);
    if (found) return found;
    if (known.length === 0) throw new UserError('there is no import to undo');
    throw new UserError(`there is no import ${id} to undo; existing ones: ${known.map((own) => own.id).join(', ')}`);
  }

  #fills(importId: number): Pick<UndoReport, 'fills' | 'trades' | 'groups'> {
    const table = new FillTable(this.#db, this.#settings.user.id);
    const stated = table.statedBy(importId);
    const removed = stated.filter(({ rest }) => rest === undefined);
    // Fills that stay may lose fees, digits or their account, and their place among fills of one instant.
    const changed = stated.flatMap(({ fill, rest }) => (rest ? [fill, { ...fill, ...rest }] : [fill]));
    const rates = table.feeRates.of(importId);
    const feeless = rates.length > 0 ? table.feeless().filter((fill) => rates.some((rate) => isFor(rate, fill))) : [];
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
    return { fills: { removed: removed.length, kept: stated.length - removed.length }, trades, groups };
  }

  /**
   * Whether another import added a trade as a record. Records imported later than the fills are an export of the trades that
   * the fills made elsewhere.
   */
  #isStated(importId: number, id: string): boolean {
    const importedAt = (of: number) => this.#imports.find(of)?.imported_at ?? '';
    const others = this.#imports.othersOf(importId, { resource: trades.path, id });
    return others.some(
      ({ importId: other, change }) => change.change === 'added' && importedAt(other) <= importedAt(importId),
    );
  }

  /** @param name of a rename. Earlier versions made it the line that states the closed trades of an undone file. */
  #records(importId: number, name: AccountName | undefined): UndoReport['records'] {
    const changes = this.#imports.recordsOf(importId);
    for (const change of changes) this.#refuseLater(importId, change);
    const counts = { removed: 0, restored: 0, kept: 0 };
    const groups = new GroupDates(this.#db, this.#settings);
    for (const { resource, id } of changes) if (resource === tradeGroups.path) groups.remember(id);
    const each = (kind: RecordChange['change'], act: (resource: ListResource, change: RecordChange) => void) => {
      // Records are restored before those that refer to them, and removed after them.
      for (const resource of kind === 'added' ? NAMED_FIRST.toReversed() : NAMED_FIRST) {
        for (const own of changes) if (own.change === kind && own.resource === resource.path) act(resource, own);
      }
    };
    each('removed', (resource, change) => {
      this.#putBack(resource, change);
      counts.restored++;
    });
    each('changed', (resource, change) => {
      if (this.#restore(resource, importId, change)) counts.restored++;
    });
    each('added', (resource, change) => {
      const others = this.#imports.othersOf(importId, change);
      const next = others.find((other) => this.#isLater(importId, change, other.importId));
      const fills = !next && resource === trades ? (this.#trades.find(change.id)?.fillIds ?? []) : [];
      const isMade = fills.some((fill) => fill !== null);
      if (next) this.#imports.restate(next.importId, { ...change, change: 'added', before: null, after: null });
      else if (isMade) this.#clearLabels(change.id);
      else if (name) this.#writerOf(trades).put({ id: change.id, account: name.name || null });
      else this.#delete(resource, change, others);
      counts[next || isMade || name ? 'kept' : 'removed']++;
    });
    groups.settle();
    return counts;
  }

  /** Deletes a record, with the facts that other lines gave about it. */
  #delete(resource: ListResource, change: RecordChange, others: readonly { importId: number }[]): void {
    deleteRecord(this.#db, resource, this.#settings.user.id, change.id);
    for (const { importId } of others)
      if (GOES_ALONG.includes(this.#formatOf(importId))) this.#imports.forget(importId, change);
  }

  /** Clears what the import stated of a trade whose fills other imports state. */
  #clearLabels(tradeId: string): void {
    const { record, isInFoundGroup } = this.#trades.find(tradeId) as StoredTrade;
    const cleared = WRITTEN_FIELDS.filter((name) => name !== 'group_id' || !isInFoundGroup);
    const values = cleared.map((name): [string, unknown] => {
      const labels = record[name];
      if (!Array.isArray(labels)) return [name, null];
      return [name, name === 'tags' ? labels.filter((tag) => tag === UNSURE) : []];
    });
    this.#writerOf(trades).put({ id: tradeId, ...Object.fromEntries(values) });
  }

  /** Of an account that may have been renamed since. */
  #presentName(account: string | null): string | null {
    this.#names ??= new AccountNames(this.#db, this.#settings.user.id);
    return this.#names.of(account);
  }

  #writerOf(resource: ListResource): RecordWriter {
    return new RecordWriter(this.#db, resource, this.#settings);
  }

  /** Changes of a record by later imports, but those that go with the record that an import added. */
  #laterThan(importId: number, change: RecordChange) {
    return this.#imports.othersOf(importId, change).filter((other) => this.#isLater(importId, change, other.importId));
  }

  #isLater(importId: number, change: RecordChange, other: number): boolean {
    if (other <= importId) return false;
    return change.change !== 'added' || !GOES_ALONG.includes(this.#formatOf(other));
  }

  #formatOf(importId: number): string {
    return this.#imports.find(importId)?.format ?? '';
  }

  /** @throws UserError if a later command removed the record, or changed what this import wrote */
  #refuseLater(importId: number, change: RecordChange): void {
    if (change.change === 'unchanged') return;
    const later = this.#laterThan(importId, change);
    const isCommand = (id: number) => COMMAND_FORMATS.includes(this.#formatOf(id));
    // A note about a trade states labels only. What a command wrote stays unknown to the files that add to it.
    const isWhole = (id: number) =>
      !isCommand(id) && !isCommand(importId) && (change.resource !== trades.path || this.#formatOf(id) !== 'markdown');
    const builtOn = later.find(({ importId: id, change: other }) => {
      if (change.change === 'removed' || other.change === 'removed') return true;
      if (other.change !== 'changed') return false;
      if (change.change === 'added') return !later.some((own) => isWhole(own.importId));
      return isCommand(id) && sharesList(change, other);
    });
    if (!builtOn) return;
    const { file } = this.#imports.find(builtOn.importId) ?? { file: '' };
    const did = builtOn.change.change === 'unchanged' ? 'stated' : builtOn.change.change;
    throw new UserError(
      `import ${builtOn.importId} (${file}) ${did} ${change.id} (${change.resource}) later; undo that first: journal-api import undo ${builtOn.importId}`,
    );
  }

  #putBack(resource: ListResource, { id, before }: RecordChange): void {
    const { executions = [], ...record } = before ?? {};
    try {
      this.#writerOf(resource).restore({ record, executions: executions as WholeRecord['executions'] });
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      throw new UserError(`can't restore ${id} (${resource.path}): ${error.message}`);
    }
  }

  /** Restores fields that still have the import's values; the others are passed on to the import that changed them. */
  #restore(resource: ListResource, importId: number, change: RecordChange): boolean {
    const writer = this.#writerOf(resource);
    const stored = writer.find(change.id);
    if (!stored) {
      if (!COMMAND_FORMATS.includes(this.#imports.find(importId)?.format ?? '')) {
        this.#missing.push({ resource: change.resource, id: change.id });
        return false;
      }
      throw new UserError(
        `${change.id} (${change.resource}) is no longer in the journal, since its fills changed; undo the later imports of fills first`,
      );
    }
    const now: Values = { ...stored.record, executions: stored.executions };
    const restored: Values = {};
    // Their file may be read with another account by now: settleRecords() follows what it states.
    const isRenamed = this.#formatOf(importId) === 'account' && isStated(this.#db, this.#settings.user.id, change.id);
    for (const [name, value] of Object.entries(change.before ?? {})) {
      if (isRenamed && name === 'account') continue;
      const imported = change.after?.[name];
      const later = this.#laterThan(importId, change).find(
        ({ change: other }) => other.before && Object.hasOwn(other.before, name) && same(other.before[name], imported),
      );
      if (later) {
        const before = { ...later.change.before, [name]: value };
        this.#imports.restate(later.importId, { ...later.change, before });
      } else if (same(now[name], imported)) restored[name] = value;
    }
    if (resource === trades && Object.hasOwn(restored, 'account'))
      restored['account'] = this.#presentName(restored['account'] as string | null);
    if (Object.keys(restored).length === 0) return false;
    // Other facts would be computed from restored executions.
    const { created_at: _, updated_at: __, ...facts } = Object.hasOwn(restored, 'executions') ? now : ({} as Values);
    writer.put({ id: change.id, ...facts, ...restored });
    return true;
  }
}

/** Formats of lines that state no record, only facts about one. */
const GOES_ALONG: readonly string[] = ['account', 'excursions'];

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Adds the changes of one walk to those of another. */
function add(changes: MadeTrades['trades'], made: Pick<MadeTrades, 'trades'> | undefined): void {
  if (!made) return;
  for (const key of ['added', 'changed', 'removed', 'unchanged'] as const) changes[key] += made.trades[key];
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
  const lines = new Map([...table.statements(undefined, true)].map((own) => [own.fill.execution_id, own.importId]));
  for (const { executions } of before.flatMap(({ trades }) => trades)) {
    const later = executions.map(({ fill }) => lines.get(fill)).find((line) => line !== undefined && line > importId);
    if (later !== undefined && executions.some(({ fill }) => removed.has(fill))) throw builtOnBy(later);
  }
}

function builtOnBy(id: number): UserError {
  return new UserError(`import ${id} builds on it; undo that first: journal-api import undo ${id}`);
}

/** Groups before their trades, trades before records that refer to them. */
const NAMED_FIRST: readonly ListResource[] = [...new Set([tradeGroups, trades, ...RESOURCES])];

/** Whether both changed a list or text that commands append to. */
function sharesList({ after }: RecordChange, other: RecordChange): boolean {
  return Object.entries(after ?? {}).some(
    ([name, value]) => (Array.isArray(value) || name === 'notes') && Object.hasOwn(other.after ?? {}, name),
  );
}
