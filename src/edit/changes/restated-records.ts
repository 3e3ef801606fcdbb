/**
 * Records of imports that are read again: what they stated before, and writing them by
 * what they state now.
 */
import type { ListResource } from '../../journal/resource.ts';
import { tradeGroups } from '../../journal/resources/trade-groups.ts';
import { trades } from '../../journal/resources/trades.ts';
import { deleteRecord, same } from '../../journal-write/record.ts';
import type { Stated } from '../../statements/fold.ts';
import type { Whole } from '../../statements/stated-records.ts';
import { resourceNamed, type StatementRow } from '../../statements/statement-table.ts';
import type { Edit } from '../edit.ts';
import { GroupDates, NAMED_FIRST, refuseNeeded } from './undone-records.ts';

/** What an import stated of a record before. */
export interface FormerRow {
  row: StatementRow;
  stated: Stated | null;
}

export interface ChangedRecord {
  resource: string;
  id: string;
  change: 'added' | 'changed' | 'removed';
}

/** Fields that say when a record was written. */
const STAMPS = ['created_at', 'updated_at'];

export class RestatedRecords {
  readonly #edit: Edit;
  readonly #groups: GroupDates;
  readonly #former = new Map<number, FormerRow[]>();
  /** Imports whose files are notes. */
  readonly #areNotes = new Set<number>();
  /** Records before, by resource and id; undefined: the journal didn't have it. */
  readonly before = new Map<string, Whole | undefined>();

  constructor(edit: Edit) {
    this.#edit = edit;
    this.#groups = new GroupDates(edit.db, edit.settings);
  }

  /**
   * Takes an import's statements away; the records stay as they are until settle().
   * @param areNotes whether its file is one of notes: else, what notes that were read
   * again for its trades state isn't the file's
   */
  take(importId: number, areNotes: boolean): FormerRow[] {
    const { stated, importId: line } = this.#edit;
    const all = Map.groupBy(
      stated.table.rowsOfLine(importId),
      (row) => areNotes || row.path === '',
    );
    const former = (all.get(true) ?? []).map((row): FormerRow => {
      const resource = resourceNamed(row.resource);
      const id = this.#presentId(row);
      const present = this.#remember(resource, id);
      return { row, stated: stated.table.statedIn(row, resource, present ?? {}) };
    });
    for (const { row } of former) {
      const resource = resourceNamed(row.resource);
      stated.capture(resource, this.#presentId(row), line);
    }

    stated.table.removeLine(importId);
    stated.table.putBack(all.get(false) ?? []);
    if (areNotes) this.#areNotes.add(importId);
    this.#former.set(importId, former);
    return former;
  }

  #presentId({ resource, record_id }: StatementRow): string {
    return resource === trades.path
      ? this.#edit.stated.anchors.tradeOf(record_id)
      : record_id;
  }

  #remember(resource: ListResource, id: string): Whole | undefined {
    const key = `${resource.path} ${id}`;
    if (this.before.has(key)) return this.before.get(key);

    const present = this.#edit.stated.find(resource, id);
    this.before.set(key, present);
    this.#groups.remember(
      resource === tradeGroups
        ? id
        : ((present?.['group_id'] as string | undefined) ?? null),
    );

    return present;
  }

  /**
   * Writes the records by what all lines state now.
   * @throws UserError if one goes that other lines are about
   */
  settle(): ChangedRecord[] {
    const { stated, db, user } = this.#edit;
    const going: [ListResource, string][] = [];
    const all = [...this.before.keys()].map((key) => key.split(' ') as [string, string]);

    for (const resource of NAMED_FIRST) {
      for (const [path, id] of all) {
        if (path === resource.path && stated.refold(resource, id) === 'gone')
          going.push([resource, id]);
      }
    }

    for (const [resource, id] of going.toReversed()) {
      if (!stated.find(resource, id)) continue;
      // A record that a line removed before is only removed again.
      const wasThere = this.before.get(`${resource.path} ${id}`) !== undefined;
      if (wasThere)
        refuseNeeded(stated, this.#edit.imports, { db, user: user.id, resource, id });
      deleteRecord(db, resource, user.id, id);
    }

    this.#groups.settle();
    return all.flatMap(([path, id]) => this.#changeOf(path, id) ?? []);
  }

  #changeOf(path: string, id: string): ChangedRecord | undefined {
    const before = this.before.get(`${path} ${id}`);
    const after = this.#edit.stated.find(resourceNamed(path), id);
    if (!before && !after) return undefined;
    if (!before || !after)
      return { resource: path, id, change: before ? 'removed' : 'added' };

    const isSame = Object.keys(after).every(
      (name) => STAMPS.includes(name) || same(after[name], before[name]),
    );
    return isSame ? undefined : { resource: path, id, change: 'changed' };
  }

  /** What an import stated otherwise before, or not at all: a row without fields. */
  replacedOf(importId: number): { before: StatementRow[]; added: StatementRow[] } {
    const { table, find } = this.#statedNow();
    const former = new Map(
      (this.#former.get(importId) ?? []).map((own) => [keyOf(own.row), own]),
    );
    const added: StatementRow[] = [];

    for (const row of table.rowsOfLine(importId)) {
      const before = former.get(keyOf(row));
      if (row.path !== '' && !this.#areNotes.has(importId)) continue;
      if (!before) added.push(row);
      else if (
        isSameRow(
          before,
          row,
          table.statedIn(row, resourceNamed(row.resource), find(row) ?? {}),
        )
      )
        former.delete(keyOf(row));
    }

    const changed = [...former.values()].map(({ row, stated }) => ({
      ...row,
      fields: JSON.stringify(stated),
    }));
    return { before: changed, added: added.map((row) => ({ ...row, fields: null })) };
  }

  #statedNow() {
    const { stated } = this.#edit;
    const find = (row: StatementRow) =>
      stated.find(resourceNamed(row.resource), this.#presentId(row));
    return { table: stated.table, find };
  }
}

function keyOf({ resource, record_id, kind, path }: StatementRow): string {
  return JSON.stringify([resource, record_id, kind, path]);
}

function isSameRow(
  { row, stated }: FormerRow,
  now: StatementRow,
  statedNow: Stated | null,
): boolean {
  const { fields: _, ...before } = row;
  const { fields: __, ...after } = now;
  return same(before, after) && same(inOrder(stated), inOrder(statedNow));
}

/** Fields in one order: a reader may state them in another. */
function inOrder(stated: Stated | null): [string, unknown][] {
  return Object.entries(stated ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}
