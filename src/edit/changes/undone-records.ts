/**
 * Records that an undone line states: what they are before it goes, and writing them as
 * the lines that are left state them, with the dates of their groups.
 */
import type Database from 'better-sqlite3';
import { RowError, UserError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { tradeGroups } from '../../journal/resources/trade-groups.ts';
import { trades } from '../../journal/resources/trades.ts';
import {
  deleteRecord,
  mentionsOf,
  referencesTo,
  same,
  type Values,
  type WriteSettings,
} from '../../journal-write/record.ts';
import { RecordWriter } from '../../journal-write/record-writer.ts';
import { USER, type UserRows } from '../../sqlite/user-rows.ts';
import { FieldKinds, type Statement } from '../../statements/fold.ts';
import type { ImportTable } from '../../statements/imports.ts';
import {
  nonEmpty,
  type StatedRecords,
  type Whole,
} from '../../statements/stated-records.ts';
import {
  resourceNamed,
  type StatementRow,
  singular,
  standing,
} from '../../statements/statement-table.ts';
import { datesOf, LegGroupTable } from '../../statements/walked-trades.ts';

/** A record that an undone line states. */
export interface Touched {
  resource: ListResource;
  id: string;
  wasThere: boolean;
  /** Whether another program removed it. */
  isMissing: boolean;
  /** Of a trade. */
  group: string | null;
}

/** Numbers of records by what an undo did to them. */
export interface RecordCounts {
  removed: number;
  restored: number;
  kept: number;
}

export class UndoneRecords {
  readonly #db: Database.Database;
  readonly #settings: WriteSettings;
  readonly #imports: ImportTable;
  readonly #stated: StatedRecords;
  /** Records that another program removed: path and id. */
  readonly missing: { resource: string; id: string }[] = [];

  constructor(
    db: Database.Database,
    settings: WriteSettings,
    imports: ImportTable,
    stated: StatedRecords,
  ) {
    this.#db = db;
    this.#settings = settings;
    this.#imports = imports;
    this.#stated = stated;
  }

  /**
   * Records that lines state, as they are before those go.
   * @param more statements that go with the lines
   * @throws UserError if another program wrote what they state
   */
  touch(lines: readonly number[], more: readonly StatementRow[] = []): Touched[] {
    const rows = [...this.#rowsOf(lines), ...more];
    const touched = new Map<string, Touched>();
    for (const row of rows) {
      if (row.resource === 'imports') continue;

      const [resource, id] = this.#recordOf(row);
      const key = `${row.resource} ${id}`;
      if (!touched.has(key)) touched.set(key, this.#touchedBy(lines, resource, id));
    }

    return [...touched.values()];
  }

  /** Whether lines state a record themselves. Call it before they go. */
  statedBy(lines: readonly number[]): (record: Touched) => boolean {
    const stated = new Set(
      this.#rowsOf(lines)
        .filter(({ resource }) => resource !== 'imports')
        .map((row) => `${row.resource} ${this.#recordOf(row)[1]}`),
    );
    return ({ resource, id }) => stated.has(`${resource.path} ${id}`);
  }

  #rowsOf(lines: readonly number[]): StatementRow[] {
    return lines.flatMap((id) => this.#stated.table.rowsOfLine(id));
  }

  #recordOf({ resource: path, record_id }: StatementRow): [ListResource, string] {
    const resource = resourceNamed(path);
    const id = resource === trades ? this.#stated.anchors.tradeOf(record_id) : record_id;
    return [resource, id];
  }

  #touchedBy(lines: readonly number[], resource: ListResource, id: string): Touched {
    const records = this.#stated;
    const present = records.find(resource, id);
    const group = (present?.['group_id'] as string | undefined) ?? null;
    if (!present)
      return {
        resource,
        id,
        group,
        wasThere: false,
        isMissing: this.#isMissing(resource, id),
      };

    if (records.isWrittenSince(resource, id, lines, present))
      throw changedSince(resource, id);

    for (const name of resource === trades ? records.anchors.namesOf(id) : [id])
      records.table.makeExplicit(resource, name, present);
    this.#refuseForeign(lines, resource, id, present);
    records.capture(resource, id, records.table.nextLine(), present);

    return { resource, id, group, wasThere: true, isMissing: false };
  }

  /** Whether another program removed a record that lines state. */
  #isMissing(resource: ListResource, id: string): boolean {
    const statements = this.#stated.statementsOf(resource, id);
    return this.#stated.expected(resource, id, statements) !== undefined;
  }

  /**
   * @throws UserError if another program wrote a field that the lines state, or any of a
   * record that goes with them
   */
  #refuseForeign(
    lines: readonly number[],
    resource: ListResource,
    id: string,
    present: Whole,
  ): void {
    const records = this.#stated;
    const statements = records.statementsOf(resource, id, present);
    const expected = records.expected(resource, id, statements, present);
    const foreign = records.foreignIn(resource, id, present, expected);
    const written = Object.keys(foreign).map((name) => name.replace(/[+-]$/, ''));

    const isOfLines = ({ line, kind }: Statement) =>
      lines.includes(line) && kind !== 'foreign';
    const ofLines = statements.filter(isOfLines);
    const rest = statements.filter((statement) => !isOfLines(statement));
    const isGoing =
      !records.isMade(resource, id) && !records.expected(resource, id, rest, present);
    const stated = namesIn(ofLines.filter(({ kind }) => kind === 'stated'));
    const lost = isGoing
      ? nonEmpty(written, records.table.kindsOf(resource).flat(present))
      : written.filter((name) => stated.has(name));
    if (lost.length > 0) throw writtenSince(resource, id, lost);
  }

  /** Dates of groups that follow from their legs. */
  datesOf(touched: readonly Touched[]): GroupDates {
    const dates = new GroupDates(this.#db, this.#settings);
    for (const { resource, id, group } of touched)
      dates.remember(resource === tradeGroups ? id : group);
    return dates;
  }

  /** Writes records as the lines that are left state them. */
  refold(touched: readonly Touched[]): RecordCounts {
    const counts = { removed: 0, restored: 0, kept: 0 };
    const going: Touched[] = [];
    for (const resource of NAMED_FIRST) {
      for (const record of touched) {
        if (record.resource !== resource) continue;
        if (record.isMissing)
          this.missing.push({ resource: resource.path, id: record.id });
        else if (this.#put(record, counts) === 'gone' && record.wasThere)
          going.push(record);
      }
    }

    // Those that refer to others first.
    for (const record of going.toReversed()) this.#remove(record);
    counts.removed += going.length;
    return counts;
  }

  #put({ resource, id }: Touched, counts: RecordCounts): 'gone' | undefined {
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

  #remove({ resource, id }: Touched): void {
    const db = this.#db;
    const user = this.#settings.user.id;
    const foreign = this.#stated.foreignOf(resource, id);
    if (foreign.length > 0) throw writtenSince(resource, id, foreign);

    refuseNeeded(this.#stated, this.#imports, { db, user, resource, id });
    deleteRecord(db, resource, user, id);
    this.#stated.table.forgetForeign(resource.path, id);
  }
}

/** Names of the fields that statements state. */
function namesIn(statements: readonly Statement[]): Set<string> {
  const keys = statements.flatMap(({ stated }) => Object.keys(stated ?? {}));
  return new Set(keys.map((name) => name.replace(/[+?-]$/, '')));
}

function changedSince({ path, title }: ListResource, id: string): UserError {
  return new UserError(
    `another program has changed ${id} (${title}) since; ` +
      `to undo the import all the same, remove it first: journal-api remove ${path} ${id}`,
  );
}

function writtenSince(
  resource: ListResource,
  id: string,
  names: readonly string[],
): UserError {
  const unique = [...new Set(names)];
  return new UserError(
    `another program has changed ${unique.slice(0, 5).join(', ')} of ${id} ` +
      `(${resource.title}) since; clear that there first, or keep the import`,
  );
}

// Records that go, and other lines that are about them.

/** Formats of lines that state no record, only facts about one. */
const GOES_ALONG: readonly string[] = ['account', 'excursions'];

/**
 * @throws UserError if another line states something of a record that goes, or of one
 * that refers to it
 */
export function refuseNeeded(
  stated: StatedRecords,
  imports: ImportTable,
  {
    db,
    user,
    resource,
    id,
  }: { db: Database.Database; user: string; resource: ListResource; id: string },
): void {
  const names = resource === trades ? stated.anchors.namesOf(id) : [id];
  const rows = names.flatMap((name) =>
    standing(stated.table.rowsOf(resource.path, name)),
  );
  const about = mentionsOf(db, user, resource, id).flatMap((mention) =>
    standing(stated.table.rowsOf(mention.resource, mention.id)),
  );
  const line = [...rows, ...about].find((row) => isNeeding(row, imports));
  if (!line) return;

  const { file = '' } = imports.find(line.import_id) ?? {};
  throw new UserError(
    `import ${line.import_id} (${file}) is about ${singular(resource)} ${id}; ` +
      `journal-api import undo ${line.import_id}`,
  );
}

function isNeeding({ kind, import_id }: StatementRow, imports: ImportTable): boolean {
  return kind === 'stated' && !GOES_ALONG.includes(imports.find(import_id)?.format ?? '');
}

/** A later line builds on an undone one. */
export function builtOnBy(id: number): UserError {
  return new UserError(
    `import ${id} builds on it; undo that first: journal-api import undo ${id}`,
  );
}

/**
 * Dates of groups that follow from their legs, as long as the user gave them no others.
 */
export class GroupDates {
  readonly #legs: LegGroupTable;
  readonly #writer: RecordWriter;
  readonly #following = new Set<string>();

  constructor(db: Database.Database, settings: WriteSettings) {
    this.#legs = new LegGroupTable(db, settings.user.id, settings.now);
    this.#writer = new RecordWriter(db, tradeGroups, settings);
  }

  /** Call it before the legs of a group change. */
  remember(group: string | null): void {
    if (group === null || this.#following.has(group)) return;

    const dates: Values = datesOf(this.#legs.ofGroup(group));
    const stored = this.#writer.find(group)?.record;
    if (
      stored &&
      Object.entries(dates).every(([name, value]) => same(stored[name], value))
    )
      this.#following.add(group);
  }

  /** Call it once they have changed. */
  settle(): void {
    for (const id of this.#following) {
      const legs = this.#legs.ofGroup(id);
      if (legs.length > 0 && this.#writer.find(id))
        this.#writer.put({ id, ...datesOf(legs) });
    }
  }
}

// Records that a line brought, and that nothing else touched since: undo of a large file
// removes them together, a quarter of the time that it takes one by one.

/** Groups before their trades, trades before records that refer to them. */
export const NAMED_FIRST: readonly ListResource[] = [
  ...new Set([tradeGroups, trades, ...RESOURCES]),
];

/**
 * Removes the records that a line alone states, with its statements of them. Those that
 * another program wrote to, or that others refer to, stay.
 * @returns their number
 */
export function deleteSole(rows: UserRows, importId: number): number {
  const [line] = rows.where<{ imported_at: string; stated: string | null }>(
    'SELECT imported_at, stated FROM imports',
    {
      id: importId,
    },
  );
  if (!line?.stated) return 0;

  const named = JSON.parse(line.stated) as Record<string, string[]>;
  let count = 0;
  // Those that refer to others first.
  for (const resource of NAMED_FIRST.toReversed()) {
    if (resource.table === null || !isWhole(resource, named[resource.path])) continue;

    const ids = rows
      .all<{ id: string }>(deletionOf(resource, resource.table), {
        importId,
        resource: resource.path,
        at: line.imported_at,
      })
      .map(({ id }) => id);
    if (ids.length === 0) continue;

    rows.run(
      `DELETE FROM import_records WHERE user_id = ${USER} AND resource = @resource
        AND import_id = @importId
         AND record_id IN (SELECT value FROM json_each(@ids))`,
      { resource: resource.path, importId, ids: JSON.stringify(ids) },
    );
    count += ids.length;
  }

  return count;
}

function isWhole(resource: ListResource, names: readonly string[] = []): boolean {
  const stated = Object.fromEntries(names.map((name) => [name, true]));
  return new FieldKinds(resource).isWhole({
    line: 0,
    kind: 'stated',
    path: '',
    record: '',
    stated,
  });
}

function deletionOf(resource: ListResource, table: string): string {
  const free = referencesTo(resource).map(
    ([other, column]) =>
      `NOT EXISTS (SELECT 1 FROM ${other} AS o WHERE o.user_id = t.user_id AND o.${column} = t.id)`,
  );
  const ofTrades = [
    't.group_id IS NULL',
    `NOT EXISTS (SELECT 1 FROM executions AS e
       WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.fill_id IS NOT NULL)`,
  ];
  const conditions = [...free, ...(resource === trades ? ofTrades : [])];

  return `DELETE FROM ${table} AS t WHERE t.user_id = ${USER} AND t.updated_at = @at
    AND t.id IN (SELECT r.record_id FROM import_records AS r
      WHERE r.user_id = ${USER} AND r.resource = @resource AND r.import_id = @importId
        AND r.kind = 'stated' AND r.fields IS NULL AND NOT EXISTS (
          SELECT 1 FROM import_records AS o WHERE o.user_id = r.user_id AND o.resource = r.resource
            AND o.record_id = r.record_id AND (o.import_id <> r.import_id OR o.kind <> r.kind)))
    ${conditions.map((condition) => `AND ${condition}`).join('\n')} RETURNING id`;
}
