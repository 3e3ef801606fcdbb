/** WHERE clauses for one user, a range, and the filters of a resource. */
import { foldCase } from '../sqlite/functions.ts';
import { type Bindable, NUMBER, TEXT } from '../sqlite/reader.ts';
import { selectedSymbols } from './kraken-pairs.ts';
import { type Filter, type Match, PATH } from './resource.ts';
import { fieldName, fieldValue, type TraderValue } from './trader-fields.ts';

/** Half-open bounds in the form of their column; null if open. */
export interface Range {
  from: string | null;
  to: string | null;
}

/** SQL with its bound values. */
type Term = [sql: string, ...bound: Bindable[]];

/** Compares a column with a filter's value. */
type Comparison = (column: string, value: string) => Term;

const COMPARISONS: Record<Match, Comparison> = {
  exact: (column, value) => [`${column} = ${TEXT}`, value],
  ids: (column, value) =>
    value.includes(',')
      ? [
          `${column} IN (SELECT value FROM json_each(${TEXT}))`,
          JSON.stringify(value.split(',')),
        ]
      : [`${column} = ${TEXT}`, value],
  label: isLabel,
  member: (rows, value) => {
    const [sql, bound] = isLabel('value', value);
    return [`EXISTS (SELECT 1 FROM ${rows} WHERE ${sql})`, bound];
  },
  // Python prints True.
  flag: (column, value) => [
    `(${column}) = ${NUMBER}`,
    value.toLowerCase() === 'true' ? 1 : 0,
  ],
  at_least: (column, value) => [`${column} >= ${NUMBER}`, Number(value)],
  at_most: (column, value) => [`${column} <= ${NUMBER}`, Number(value)],
  named: hasNamed,
};

/**
 * The name and the value of a filter such as confluence:3; undefined if it has none of
 * these.
 */
export function namedIn(text: string): { name: string; value: TraderValue } | undefined {
  const colon = text.indexOf(':');
  const name = fieldName(text.slice(0, Math.max(0, colon)));
  const value = fieldValue(text.slice(colon + 1));
  return name === undefined || value === undefined ? undefined : { name, value };
}

/** @param rows with the values, with PATH */
function hasNamed(rows: string, text: string): Term {
  const { name, value } = namedIn(text) as NonNullable<ReturnType<typeof namedIn>>;
  const isNumber = typeof value === 'number';
  const isSame = isNumber
    ? `typeof(value) <> 'text' AND value = ${NUMBER}`
    : `typeof(value) = 'text' AND fold_case(value) = ${TEXT}`;
  const paths = Array.from({ length: rows.split(PATH).length - 1 }, () => `$."${name}"`);
  const sql = `EXISTS (SELECT 1 FROM ${rows.replaceAll(PATH, TEXT)} WHERE ${isSame})`;

  return [sql, ...paths, isNumber ? value : foldCase(value)];
}

/**
 * SQLite compares ASCII letters itself, and by an index. A text with other letters never
 * equals one without.
 */
function isLabel(column: string, value: string): [sql: string, bound: Bindable] {
  return isAscii(value)
    ? [`${column} = ${TEXT} COLLATE NOCASE`, value]
    : [`fold_case(${column}) = ${TEXT}`, foldCase(value)];
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** The values that a filter compares with: one, or the symbols of one instrument. */
export function comparedWith({ isSymbol }: Filter, value: string): string[] {
  return isSymbol ? selectedSymbols(value) : [value];
}

/**
 * Whether an index finds the matches of a filter with this value. Those of a few ids are
 * sorted. Of two symbols no index has the order.
 */
export function isIndexed(filter: Filter, value: string): boolean {
  const { indexed, match } = filter;
  return (
    indexed === true &&
    (match !== 'label' || isAscii(value)) &&
    comparedWith(filter, value).length === 1
  );
}

/** One of the terms; in parentheses if they are several. */
function anyOf(terms: readonly Term[]): Term {
  const [first, ...more] = terms as [Term, ...Term[]];
  if (more.length === 0) return first;

  const sql = terms.map(([term]) => term).join(' OR ');
  return [`(${sql})`, ...terms.flatMap(([, ...bound]) => bound)];
}

/** Condition that a column has one of the texts of a JSON list. */
export const isOneOf = (column: string) =>
  `${column} IN (SELECT value FROM json_each(${TEXT}))`;

/**
 * A WHERE clause that always begins with the user: no query reads the records of all
 * users.
 */
export class Where {
  readonly #terms = [`user_id = ${TEXT}`];
  readonly values: Bindable[];

  constructor(userId: string) {
    this.values = [userId];
  }

  add(term: string, ...values: Bindable[]): this {
    this.#terms.push(term);
    for (const value of values) this.values.push(value);
    return this;
  }

  range(column: string, { from, to }: Range): this {
    if (from !== null) this.add(`${column} >= ${TEXT}`, from);
    if (to !== null) this.add(`${column} < ${TEXT}`, to);
    return this;
  }

  /** Compares several columns as one row value, which an index on all of them serves. */
  compare(
    columns: readonly string[],
    operator: '<' | '<=' | '>' | '>=',
    values: readonly Bindable[],
  ): this {
    return this.add(
      `(${columns.join(', ')}) ${operator} (${columns.map(() => TEXT).join(', ')})`,
      ...values,
    );
  }

  /**
   * @param declared the filters of the resource by name
   * @param given the value of each filter in use, by name
   * @param byIndex false if records are read by the index of another column, so that a
   * filter doesn't change the index
   */
  filter(
    declared: Readonly<Record<string, Filter>>,
    given: Readonly<Record<string, string>>,
    { byIndex }: { byIndex: boolean },
  ): this {
    const unknown = Object.keys(given).find((name) => !Object.hasOwn(declared, name));
    if (unknown !== undefined) throw new Error(`unknown filter: ${unknown}`);

    // Always in the same order, because each order would need its own statement.
    for (const [name, filter] of Object.entries(declared)) {
      const value = given[name];
      if (value === undefined) continue;

      const values = comparedWith(filter, value);
      const usesIndex = byIndex && filter.indexed && values.length === 1;
      // SQLite uses no index for a column after a +.
      const column = filter.indexed && !usesIndex ? `+${filter.column}` : filter.column;
      const [term, ...bound] = anyOf(
        values.map((v) => COMPARISONS[filter.match](column, v)),
      );
      // Without statistics SQLite may read the whole range instead of using the index;
      // likelihood() marks matches as rare.
      const likelihood = filter.match === 'ids' ? 0.0001 : 0.0625;
      this.add(usesIndex ? `likelihood(${term}, ${likelihood})` : term, ...bound);
    }

    return this;
  }

  get sql(): string {
    return this.#terms.join(' AND ');
  }

  /**
   * With a condition on the matches. SQLite would check it before a filter's subquery: a
   * missing tag takes 40 instead of 67 ms.
   */
  sqlThen(condition: string): string {
    const last = this.#terms.at(-1) as string;
    if (!last.startsWith('EXISTS')) return `${this.sql} AND ${condition}`;
    return [...this.#terms.slice(0, -1), `CASE WHEN ${last} THEN ${condition} END`].join(
      ' AND ',
    );
  }
}

/**
 * The id of a trade group among those of trades, which may be the same; ids have no
 * spaces.
 */
export const markedId = (id: string): string => `group ${id}`;
