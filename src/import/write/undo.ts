/** Taking an import back: its fills and records go, but for what other files brought too. */
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { deleteRecord } from '../../journal-write/delete-record.ts';
import { FillTable } from '../../journal-write/fills.ts';
import { type ImportEntry, ImportTable, type RecordChange } from '../../journal-write/imports.ts';
import { explainWriting } from '../../journal-write/open.ts';
import { same, type Values, type WriteSettings } from '../../journal-write/record.ts';
import { RecordWriter } from '../../journal-write/record-writer.ts';
import { toInstantText } from '../../time.ts';
import type { GroupChanges } from '../fills/group-changes.ts';
import { makeTrades, walkBefore } from '../fills/make-trades.ts';
import type { TradeChanges } from '../fills/trade-changes.ts';
import { refuseMissing } from './list-imports.ts';
import { TargetJournal, type TargetOptions } from './target-journal.ts';

export interface UndoReport {
  journal: string;
  user: string;
  undone: ImportEntry;
  /** Those that other files state too are kept. */
  fills: { removed: number; kept: number };
  /** Trades that are made from fills. */
  trades: TradeChanges;
  groups: GroupChanges;
  records: { removed: number; restored: number; kept: number };
}

/**
 * @param id of the import; undefined: the latest
 * @throws UserError where there is no such import, or words that people wrote would be lost; nothing is changed then
 */
export function undoImport(options: TargetOptions, id?: number): UndoReport {
  refuseMissing(options);
  const target = new TargetJournal(options);
  try {
    target.begin();
    const report = new Undo(target.open(), options, target).run(id);
    if (!options.dryRun) target.commit({ changesFills: report.fills.removed + report.fills.kept > 0 });
    return report;
  } catch (error) {
    throw explainWriting(options.journal, error);
  } finally {
    target.rollBack();
    target.close();
  }
}

class Undo {
  readonly #db: Database.Database;
  readonly #journal: string;
  readonly #settings: WriteSettings;
  readonly #imports: ImportTable;

  constructor(db: Database.Database, { journal, now }: TargetOptions, { user }: TargetJournal) {
    this.#db = db;
    this.#journal = journal;
    this.#settings = { user, timeZone: undefined, account: undefined, now: toInstantText(now) };
    this.#imports = new ImportTable(db, user.id);
  }

  run(id: number | undefined): UndoReport {
    const undone = this.#importOf(id);
    const records = this.#records(undone.id);
    const { fills, trades, groups } = this.#fills(undone.id);
    this.#imports.remove(undone.id);
    return { journal: this.#journal, user: this.#settings.user.id, undone, fills, trades, groups, records };
  }

  #importOf(id: number | undefined): ImportEntry {
    const known = this.#imports.list().filter((own) => own.id !== 0);
    const found = id === undefined ? known[0] : known.find((own) => own.id === id);
    if (found) return found;
    if (known.length === 0) throw new UserError('there is no import to undo');
    throw new UserError(`there is no import ${id} to undo; they are: ${known.map((own) => own.id).join(', ')}`);
  }

  #fills(importId: number): Pick<UndoReport, 'fills' | 'trades' | 'groups'> {
    const table = new FillTable(this.#db, this.#settings.user.id);
    const stated = table.statedBy(importId);
    const removed = stated.filter(({ otherFees }) => otherFees === undefined);
    // What stays may lose its fees, and its place among fills of one instant.
    const changed = stated.map(({ fill }) => fill);
    const before = walkBefore(changed, table);
    table.unstate(importId);
    for (const { fill, otherFees } of stated) {
      if (otherFees === undefined) table.delete(fill.id);
      else if (otherFees.fees !== fill.fees || otherFees.fees_stated !== fill.fees_stated)
        table.setFees(fill.id, otherFees);
    }
    const { trades, groups } = makeTrades(this.#db, before, table, this.#settings);
    return { fills: { removed: removed.length, kept: stated.length - removed.length }, trades, groups };
  }

  /** None refers to another: a file holds records of one resource, or entries of trades and of groups. */
  #records(importId: number): UndoReport['records'] {
    const changes = this.#imports.recordsOf(importId);
    const counts = { removed: 0, restored: 0, kept: 0 };
    for (const resource of RESOURCES) {
      const own = changes.filter((change) => change.resource === resource.path);
      if (own.length === 0 || resource.table === null) continue;
      const writer = new RecordWriter(this.#db, { ...resource, table: resource.table }, this.#settings);
      for (const change of own) {
        if (change.change === 'changed' && this.#restore(writer, importId, change)) counts.restored++;
        if (change.change !== 'added') continue;
        const [next] = this.#imports.othersOf(importId, change);
        if (next) this.#imports.restate(next.importId, { ...change, change: 'added', before: null, after: null });
        else deleteRecord(this.#db, resource, this.#settings.user.id, change.id);
        counts[next ? 'kept' : 'removed']++;
      }
    }
    return counts;
  }

  /** Gives fields the values they had, where they still have those of the import; else the import that changed them gets them. */
  #restore(writer: RecordWriter, importId: number, change: RecordChange): boolean {
    const stored = writer.find(change.id);
    if (!stored) return false;
    const now: Values = { ...stored.record, executions: stored.executions };
    const restored: Values = {};
    for (const [name, value] of Object.entries(change.before ?? {})) {
      const imported = change.after?.[name];
      const later = this.#imports
        .othersOf(importId, change)
        .find(
          ({ change: other }) =>
            other.before && Object.hasOwn(other.before, name) && same(other.before[name], imported),
        );
      if (later) {
        const before = { ...later.change.before, [name]: value };
        this.#imports.restate(later.importId, { ...later.change, before });
      } else if (same(now[name], imported)) restored[name] = value;
    }
    if (Object.keys(restored).length === 0) return false;
    writer.put({ id: change.id, ...restored });
    return true;
  }
}
