/**
 * What lines of the list of imports state of records: the only place that reads and
 * writes it.
 */
import type Database from 'better-sqlite3';
import type { ListResource } from '../journal/resource.ts';
import { hasAccount } from '../journal/resources/cash-flows.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { storedFields, type Values } from '../journal-write/record.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { FieldKinds, isEmpty, type Stated, type Statement } from './fold.ts';

/** A row of import_records. */
export interface StatementRow {
  resource: string;
  record_id: string;
  import_id: number;
  kind: Statement['kind'];
  path: string;
  /**
   * JSON: an object of what is stated; or the names of fields that have the record's
   * values; null: the fields that its import names, or all that aren't empty if it names
   * none. An object of null: another program removed the record.
   */
  fields: string | null;
  place: number | null;
  account: string | null;
  clock: string | null;
  digits: number | null;
}

/** What a file wrote of a closed trade. */
export interface WrittenTrade {
  /**
   * Entry and exit as written, joined by a slash; '' if the file states the zone; null if
   * unknown.
   */
  clock: string | null;
  /** Of the file, in one number; null if unknown. */
  digits: number | null;
}

/** Where a statement stands, and what its file wrote of a trade. */
export interface StatementPlace extends WrittenTrade {
  /** Of the note; '' if it isn't one. */
  path: string;
  /** The row or the line. */
  place: number | null;
  /**
   * Of a trade or cash flow, as the file or --account names it, before renames; '': none;
   * null: unknown.
   */
  account: string | null;
}

export const NO_PLACE: StatementPlace = {
  path: '',
  place: null,
  account: null,
  clock: null,
  digits: null,
};

/**
 * Statements that are written together: one by one, they take a tenth of an import's
 * time.
 */
const AT_ONCE = 1000;

/** Whether it has no values of its own: it names fields, whose values the record has. */
export function isCompact({ fields }: Pick<StatementRow, 'fields'>): boolean {
  return fields === null || fields.startsWith('[');
}

const COLUMNS =
  'resource, record_id, import_id, kind, path, fields, place, account, clock, digits';

const STAMPS: readonly string[] = ['id', 'created_at', 'updated_at'];

export class StatementTable {
  readonly #rows: UserRows;
  readonly #kinds = new Map<string, FieldKinds>();
  /** Statements of the present line that aren't written yet, by resource and id. */
  readonly #waiting = new Map<string, StatementRow>();
  /** Names of fields that an import states, by import and resource. */
  readonly #named = new Map<string, string | undefined>();

  constructor(db: Database.Database, user: string) {
    this.#rows = new UserRows(db, user);
  }

  kindsOf(resource: ListResource): FieldKinds {
    const known = this.#kinds.get(resource.path) ?? new FieldKinds(resource);
    this.#kinds.set(resource.path, known);
    return known;
  }

  /**
   * Adds a statement of fields that have the record's values now.
   * @param names of all stated fields
   * @param isNew whether the record is new: these are written together
   * @returns whether the line states the record for the first time
   */
  addPresent(
    resource: string,
    id: string,
    importId: number,
    {
      names,
      isNew,
      ...place
    }: StatementPlace & { names: readonly string[]; isNew: boolean },
  ): boolean {
    const key = `${resource} ${id}`;
    if (this.#waiting.has(key)) return false;

    const sorted = names.toSorted();
    const fields = this.#isNamed(importId, resource, sorted)
      ? null
      : JSON.stringify(sorted);
    const row: StatementRow = {
      resource,
      record_id: id,
      import_id: importId,
      kind: 'stated',
      fields,
      ...place,
    };
    if (!isNew) return this.#rows.insertNew('import_records', { ...row });

    this.#waiting.set(key, row);
    if (this.#waiting.size === AT_ONCE) this.write();
    return true;
  }

  /**
   * Adds a statement of values.
   * @returns whether the line states the record for the first time
   */
  add(
    resource: string,
    id: string,
    importId: number,
    { stated, ...place }: StatementPlace & { stated: Stated },
  ): boolean {
    this.write();
    const fields = JSON.stringify(stated);

    return this.#rows.insertNew('import_records', {
      resource,
      record_id: id,
      import_id: importId,
      kind: 'stated',
      fields,
      ...place,
    });
  }

  /** What the present line states of a record further. */
  extend(
    resource: string,
    id: string,
    importId: number,
    path: string,
    stated: Stated,
  ): void {
    this.write();
    const which = { resource, record_id: id, import_id: importId, kind: 'stated', path };
    const [row] = this.#rows.where<{ fields: string }>(
      'SELECT fields FROM import_records',
      which,
    );
    const before = row ? (JSON.parse(row.fields) as Stated) : {};
    this.#rows.update('import_records', which, {
      fields: JSON.stringify({ ...before, ...stated }),
    });
  }

  addRemoved(resource: string, id: string, importId: number, place: number | null): void {
    this.write();
    this.#rows.replace('import_records', {
      resource,
      record_id: id,
      import_id: importId,
      kind: 'removed',
      path: '',
      place,
    });
  }

  /**
   * What another program had written of a record, or that it removed it.
   * @param before the line before which it wrote
   */
  addForeign(resource: string, id: string, before: number, stated: Stated | null): void {
    this.write();
    const which = {
      resource,
      record_id: id,
      import_id: before,
      kind: 'foreign',
      path: '',
    };
    const [row] = this.#rows.where<{ fields: string }>(
      'SELECT fields FROM import_records',
      which,
    );
    const known =
      stated === null || !row ? {} : (JSON.parse(row.fields) as Stated | null);
    const fields = JSON.stringify(stated && { ...known, ...stated });
    this.#rows.replace('import_records', { ...which, fields });
  }

  /** Puts back rows that replaced() returned. */
  putBack(rows: readonly StatementRow[]): void {
    this.write();
    for (const row of rows) this.#rows.replace('import_records', { ...row });
  }

  /**
   * Whether all records of an import and resource state the same fields, which the import
   * keeps.
   */
  #isNamed(importId: number, resource: string, names: readonly string[]): boolean {
    const key = `${importId} ${resource}`;
    const joined = names.join();
    if (!this.#named.has(key))
      this.#named.set(key, this.#nameFields(importId, resource, names));
    return this.#named.get(key) === joined;
  }

  #nameFields(importId: number, resource: string, names: readonly string[]): string {
    const [row] = this.#rows.where<{ stated: string | null }>(
      'SELECT stated FROM imports',
      {
        id: importId,
      },
    );
    const known = JSON.parse(row?.stated ?? '{}') as Record<string, string[]>;
    const before = known[resource];
    if (before) return before.join();

    const stated = JSON.stringify({ ...known, [resource]: names });
    this.#rows.update('imports', { id: importId }, { stated });
    return names.join();
  }

  /** Writes the statements that wait. */
  write(): void {
    if (this.#waiting.size === 0) return;

    const rows = [...this.#waiting.values()].map((row) => Object.values(row));
    const names = Object.keys([...this.#waiting.values()][0] as StatementRow);
    this.#waiting.clear();

    const values = names.map((_, place) => `value ->> ${place}`);
    this.#rows.run(
      `INSERT INTO import_records (user_id, ${names.join(', ')})
       SELECT ${USER}, ${values.join(', ')} FROM json_each(@rows) WHERE true
         ON CONFLICT DO NOTHING`,
      { rows: JSON.stringify(rows) },
    );
  }

  /** In the order in which they count. */
  rowsOf(resource: string, id: string): StatementRow[] {
    this.write();
    return this.#rows.where<StatementRow>(
      `SELECT ${COLUMNS} FROM import_records`,
      { resource, record_id: id },
      'ORDER BY import_id, kind, place, path',
    );
  }

  rowsOfLine(importId: number): StatementRow[] {
    this.write();
    return this.#rows.where<StatementRow>(
      `SELECT ${COLUMNS} FROM import_records`,
      { import_id: importId },
      "AND kind <> 'foreign' ORDER BY resource, place, record_id",
    );
  }

  /**
   * The latest statement of each record by a note, of lines before one. The index of
   * paths is the one to use: earlier lines may have many rows.
   */
  rowsOfNote(path: string, before: number): StatementRow[] {
    this.write();
    const rows = this.#rows.all<StatementRow>(
      `SELECT ${COLUMNS} FROM import_records WHERE user_id = ${USER} AND path = (@path || '')
        AND path <> '' AND +import_id < @before AND kind = 'stated' ORDER BY +import_id`,
      { path, before },
    );
    return [
      ...new Map(rows.map((row) => [`${row.resource} ${row.record_id}`, row])).values(),
    ];
  }

  /** A statement has another place in its note now. */
  move(
    { resource, record_id, import_id, kind, path }: StatementRow,
    place: number | null,
  ): void {
    this.#rows.update(
      'import_records',
      { resource, record_id, import_id, kind, path },
      { place },
    );
  }

  /** A note has another path now. */
  moveNote(from: string, to: string): void {
    this.write();
    this.#rows.run(
      `UPDATE import_records SET path = @to WHERE user_id = ${USER} AND path = (@from || '')
        AND path <> ''`,
      { from, to },
    );
    this.#rows.run(
      `UPDATE OR REPLACE import_pictures SET path = @to WHERE user_id = ${USER} AND path = (@from || '')
        AND path <> ''`,
      { from, to },
    );
  }

  /** Whether other lines state records of a resource. */
  hasOthers(resource: string, importId: number): boolean {
    const other = `SELECT 1 FROM import_records WHERE user_id = ${USER} AND resource = @resource
      AND import_id <> @importId LIMIT 1`;
    return this.#rows.get(other, { resource, importId }) !== undefined;
  }

  hasOf(resource: string, id: string): boolean {
    if (this.#waiting.has(`${resource} ${id}`)) return true;

    return this.#rows.has('import_records', { resource, record_id: id });
  }

  /** Removes what lines state; what other programs wrote before them stays. */
  removeLine(importId: number): void {
    this.write();
    this.#rows.run(
      `DELETE FROM import_records WHERE user_id = ${USER} AND import_id = @importId
        AND kind <> 'foreign'`,
      { importId },
    );
  }

  /** Forgets what a line states of a record, and what was there before it. */
  forgetLine(resource: string, id: string, importId: number): void {
    this.write();
    this.#rows.delete('import_records', { resource, record_id: id, import_id: importId });
  }

  remove({ resource, record_id, import_id, kind, path }: StatementRow): void {
    this.write();
    this.#rows.delete('import_records', { resource, record_id, import_id, kind, path });
  }

  /**
   * What other programs wrote of a record that is gone, unless a line still states
   * something of it.
   */
  forgetForeign(resource: string, id: string): void {
    if (this.rowsOf(resource, id).every(({ kind }) => kind === 'foreign'))
      this.#rows.delete('import_records', { resource, record_id: id });
  }

  /**
   * Gives statements of fields that have the record's values these values: they are about
   * to change.
   * @param present the record's values now, with executions
   */
  makeExplicit(resource: ListResource, id: string, present: Readonly<Values>): void {
    for (const row of this.rowsOf(resource.path, id)) {
      const { import_id, kind, path } = row;
      if (kind !== 'stated' || !isCompact(row)) continue;

      const stated = JSON.stringify(this.statedIn(row, resource, present));
      const which = { resource: resource.path, record_id: id, import_id, kind, path };
      this.#rows.update('import_records', which, { fields: stated });
    }
  }

  /** What a row states. @param present the record's values now */
  statedIn(
    row: StatementRow,
    resource: ListResource,
    present: Readonly<Values>,
  ): Stated | null {
    const { fields, import_id, account, kind } = row;
    if (kind === 'removed') return null;
    if (!isCompact(row)) return JSON.parse(fields as string) as Stated | null;

    const flat = this.kindsOf(resource).flat(present);
    const names =
      fields === null
        ? this.namedBy(import_id, resource)
        : (JSON.parse(fields) as string[]);
    const known =
      names ??
      Object.keys(flat).filter((name) => !STAMPS.includes(name) && !isEmpty(flat[name]));
    const stated = Object.fromEntries(known.map((name) => [name, flat[name] ?? null]));
    // Its account may have been renamed since.
    if (account !== null && hasAccount(resource)) stated['account'] = account || null;

    return stated;
  }

  /**
   * Whether a row is enough for a record to be there, whether or not it has values of its
   * own.
   */
  isWhole(row: StatementRow, resource: ListResource): boolean {
    const { fields, import_id, kind } = row;
    const names =
      fields === null ? this.namedBy(import_id, resource) : JSON.parse(fields);
    // An older journal doesn't say which fields it states.
    if (names === undefined) return kind === 'stated';

    const stated = isCompact(row)
      ? Object.fromEntries(names.map((name: string) => [name, true]))
      : names;
    return this.kindsOf(resource).isWhole({
      line: import_id,
      kind,
      path: row.path,
      record: row.record_id,
      stated,
    });
  }

  /**
   * Names of the fields that an import states of all its records; undefined in older
   * journals.
   */
  namedBy(importId: number, { path }: ListResource): string[] | undefined {
    const key = `${importId} ${path}`;
    if (!this.#named.has(key)) {
      const [row] = this.#rows.where<{ stated: string | null }>(
        'SELECT stated FROM imports',
        {
          id: importId,
        },
      );
      const all = JSON.parse(row?.stated ?? '{}') as Record<string, string[]>;
      this.#named.set(key, all[path]?.join());
    }

    return this.#named.get(key)?.split(',');
  }

  /** The line that is added next. */
  nextLine(): number {
    const row = this.#rows.get<{ id: number }>(
      `SELECT coalesce(max(id), 0) + 1 AS id FROM imports WHERE user_id = ${USER}`,
    );
    return row?.id ?? 1;
  }
}

/**
 * Rows of a record that still count: of a note the latest, and none that a line removed
 * since.
 */
export function standing(rows: readonly StatementRow[]): StatementRow[] {
  const since = rows.slice(rows.findLastIndex(({ kind }) => kind === 'removed') + 1);
  return since.filter(
    ({ path, fields }, index) =>
      fields !== '{}' &&
      (path === '' || !since.slice(index + 1).some((later) => later.path === path)),
  );
}

export function resourceNamed(path: string): ListResource {
  return RESOURCES.find((resource) => resource.path === path) as ListResource;
}

/** What one record of a resource is called. */
export function singular({ title }: ListResource): string {
  return title.replace(/(?:ie)?s$/, (end) => (end === 'ies' ? 'y' : ''));
}

/** Names of stored fields without id and times of writing. */
export function factsNames(resource: ListResource): string[] {
  return storedFields(resource).flatMap(({ name }) =>
    STAMPS.includes(name) ? [] : [name],
  );
}
