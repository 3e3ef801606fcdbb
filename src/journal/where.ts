import { type Bindable, TEXT } from '../sqlite/reader.ts';
import type { Filter } from './resource.ts';

/** Half-open bounds in the form of the column they are compared with; null where open. */
export interface Range {
  from: string | null;
  to: string | null;
}

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

  /** @param byIndex false where the records come by the index of another order, and these are only looked at */
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
      const term = TERMS[filter.match](byIndex ? filter.column : `+${filter.column}`);
      // Said to be rare, or without figures about the data SQLite may rather go through all that lies within the bounds.
      this.add(byIndex && filter.indexed ? `unlikely(${term})` : term, value);
    }
  }

  range(column: string, { from, to }: Range): void {
    if (from !== null) this.add(`${column} >= ${TEXT}`, from);
    if (to !== null) this.add(`${column} < ${TEXT}`, to);
  }

  get sql(): string {
    return this.#terms.join(' AND ');
  }
}

const TERMS = {
  exact: (column: string) => `${column} = ${TEXT}`,
  nocase: (column: string) => `${column} = ${TEXT} COLLATE NOCASE`,
  member: (column: string) => `EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${TEXT} COLLATE NOCASE)`,
};
