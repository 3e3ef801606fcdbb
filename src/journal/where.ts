/** WHERE clauses: of one user, within a range, by the filters of a resource. */
import { type Bindable, TEXT } from '../sqlite/reader.ts';
import type { Filter, Match } from './resource.ts';

/** Half-open bounds in the form of the column they are compared with; null where open. */
export interface Range {
  from: string | null;
  to: string | null;
}

/** The SQL of each way to compare a column with the one value of a filter. */
const COMPARISONS: Record<Match, (column: string) => string> = {
  exact: (column) => `${column} = ${TEXT}`,
  nocase: (column) => `${column} = ${TEXT} COLLATE NOCASE`,
  member: (column) => `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${TEXT} COLLATE NOCASE)`,
};

/** A WHERE clause that always begins with the user: there is no query for everybody's records. */
export class Where {
  readonly #terms = [`user_id = ${TEXT}`];
  readonly values: Bindable[];

  constructor(userId: string) {
    this.values = [userId];
  }

  add(term: string, ...values: Bindable[]): void {
    this.#terms.push(term);
    this.values.push(...values);
  }

  range(column: string, { from, to }: Range): void {
    if (from !== null) this.add(`${column} >= ${TEXT}`, from);
    if (to !== null) this.add(`${column} < ${TEXT}`, to);
  }

  /** Compares several columns as one row value, which an index on all of them serves. */
  compare(columns: readonly string[], operator: '<' | '<=' | '>' | '>=', values: readonly string[]): void {
    this.add(`(${columns.join(', ')}) ${operator} (${columns.map(() => TEXT).join(', ')})`, ...values);
  }

  /**
   * @param declared the filters of the resource by name
   * @param given the value of each filter in use, by name
   * @param byIndex false where records are read by the index of another column, and a filter is to pick no other
   */
  filter(
    declared: Readonly<Record<string, Filter>>,
    given: Readonly<Record<string, string>>,
    { byIndex }: { byIndex: boolean },
  ): void {
    const unknown = Object.keys(given).find((name) => !Object.hasOwn(declared, name));
    if (unknown !== undefined) throw new Error(`no such filter: ${unknown}`);
    // In one order, however they were given: each order would be a statement of its own.
    for (const [name, filter] of Object.entries(declared)) {
      const value = given[name];
      if (value === undefined) continue;
      // SQLite uses no index for a column with a + before it.
      const term = COMPARISONS[filter.match](byIndex ? filter.column : `+${filter.column}`);
      // Without statistics about the data, SQLite may rather read everything in range than use the index, unless told that matches are rare.
      this.add(byIndex && filter.indexed ? `unlikely(${term})` : term, value);
    }
  }

  get sql(): string {
    return this.#terms.join(' AND ');
  }
}
