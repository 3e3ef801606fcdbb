/**
 * Data of a key that hides symbols: views with pseudonyms for symbols, ids, and labels
 * that contain a symbol, over the views of what the key shows. Statements read, compare
 * and sort only pseudonyms, so no response or order depends on true names. Nothing is
 * copied: SQLite calls a function for each value that a statement reads.
 */

import type Database from 'better-sqlite3';
import * as z from 'zod';
import { isIdPseudonym, Memo, Pseudonyms } from '../keys/lens.ts';
import { foldCase } from '../sqlite/functions.ts';
import { Forgotten, type Laid, type Reader, TEXT } from '../sqlite/reader.ts';
import { revealsOf, unwrapped } from './hidden-fields.ts';
import { once } from './once.ts';
import { RESOURCES } from './resources/index.ts';
import { TakesLong } from './response-size.ts';
import { parseStored, storedJson } from './stored-value.ts';

// Detects labels that contain a symbol of the journal: "AAPL fade", "btc-usdt news".

/**
 * Length of symbols found across words of a label. Symbols one letter shorter are found
 * within words; shorter ones match too many.
 */
const LONG = 4;

/** Longer labels aren't searched: they count as containing one. */
const MAX_SEARCHED = 1000;

/** Parts of option symbols that aren't names. */
const NO_NAMES = new Set(['call', 'put']);

const SEPARATORS = /[^\p{L}\p{N}]+/u;

export class SymbolsInLabels {
  /** Symbols and their parts, in lower case: found as words. */
  readonly #words = new Set<string>();
  /** Those of three letters or more: found within words. */
  readonly #inWords = new Set<string>();
  /** The long ones without separators, and their lengths: found anywhere. */
  readonly #long = new Set<string>();
  readonly #lengths = new Set<number>();
  /** Those of two letters, in capitals: found anywhere. */
  readonly #capitals = new Set<string>();
  /** Symbols without letters and digits. */
  readonly #signs = new Set<string>();

  add(symbol: string): void {
    const parts = wordsOf(symbol);
    if (parts.length === 0) this.#signs.add(symbol);
    this.#addLong(foldCase(parts.join('')));

    for (const part of parts) {
      const folded = foldCase(part);
      if (
        parts.length > 1 &&
        (part.length === 1 || !/\p{L}/u.test(part) || NO_NAMES.has(folded))
      )
        continue;
      this.#words.add(folded);
      this.#addLong(folded);
      if (folded.length === LONG - 1) this.#inWords.add(folded);
      if (part.length === 2) this.#capitals.add(part.toUpperCase());
    }
  }

  areIn(label: string): boolean {
    if (label.length > MAX_SEARCHED) return true;

    const words = wordsOf(label);
    const folded = words.map(foldCase);

    return (
      folded.some(
        (word) => this.#words.has(word) || hasPart(word, [LONG - 1], this.#inWords),
      ) ||
      hasPart(folded.join(''), this.#lengths, this.#long) ||
      words.some((word) => hasPart(word, [2], this.#capitals)) ||
      [...this.#signs].some((sign) => label.includes(sign))
    );
  }

  #addLong(name: string): void {
    if (name.length < LONG) return;
    this.#long.add(name);
    this.#lengths.add(name.length);
  }
}

/** Wide and other forms of a letter equal that letter. */
function wordsOf(text: string): string[] {
  const separated = text.normalize('NFKC').split(SEPARATORS);
  return separated.filter((word) => word !== '');
}

/** Whether a text contains one of the names, which have these lengths. */
function hasPart(
  text: string,
  lengths: Iterable<number>,
  names: ReadonlySet<string>,
): boolean {
  if (names.size === 0) return false;
  for (const length of lengths) {
    for (let i = 0; i + length <= text.length; i++)
      if (names.has(text.slice(i, i + length))) return true;
  }
  return false;
}

/**
 * Records that a statement reads, within a few milliseconds: writers may have the file
 * before the next.
 */
const AT_A_TIME = 1000;

/** Maximum octets of a record's labels as JSON; larger lists are omitted. */
const MAX_LABEL_OCTETS = 20_000;

/** After every id. */
const LAST = '\x7f';

type Rename = (text: string) => string;
type Names = Readonly<Record<'symbol' | 'label' | 'id', Rename>>;

/** The view with a key's part of a table, under true names. */
export const shownOf = (table: string) => `shown_${table}`;

/** Names in one version of the journal, and lists of them as JSON, by column. */
class Version {
  readonly pseudonyms: Pseudonyms;
  readonly #symbols: SymbolsInLabels;
  readonly #lists = new Map<string, Memo<string | null>>();

  constructor(
    seed: Buffer,
    names: Iterable<string> = [],
    symbols = new SymbolsInLabels(),
  ) {
    this.pseudonyms = new Pseudonyms(seed, names);
    this.#symbols = symbols;
  }

  labelOf(text: string): string {
    return this.pseudonyms.ofLabel(text, (label) => this.#symbols.areIn(label));
  }

  listOf(
    column: string,
    json: string,
    rename: (json: string) => string | null,
  ): string | null {
    let memo = this.#lists.get(column);
    if (!memo) {
      memo = new Memo();
      this.#lists.set(column, memo);
    }
    return memo.get(json) ?? memo.set(json, rename(json));
  }
}

/**
 * Creates views with pseudonyms in place of the tables of the file.
 * @param tables each has a view with the name that shownOf returns
 * @param part which part of the journal the key shows: keys with the same part share the
 * index of its symbols
 */
export function layPseudonyms(
  db: Database.Database,
  tables: readonly string[],
  { userId, seed, part }: { userId: string; seed: Buffer; part: string },
): Omit<Laid, 'name'> {
  let version = new Version(seed);
  const names: Names = {
    symbol: (text) => (text === '' ? text : version.pseudonyms.ofSymbol(text)),
    label: (text) => version.labelOf(text),
    id: (text) => version.pseudonyms.ofId(text),
  };
  for (const [name, rename] of Object.entries(names))
    addFunction(db, `shown_${name}`, rename);
  addFunction(db, 'true_id', (id) => trueIdOf(version.pseudonyms, id));

  const addList = (name: string, rename: (json: string) => string | null) =>
    addFunction(db, name, (json) => version.listOf(name, json, rename));
  for (const table of tables) db.exec(viewOf(db, table, names, addList));

  return {
    begin(reader) {
      version = reader.kept('names', () => {
        const { folded, inLabels } = reader.kept(
          SYMBOLS,
          () => knownSymbols(symbolsOf(reader, userId)),
          part,
        );
        return new Version(seed, folded, inLabels);
      });
    },
    rewritten: withOwnIds,
    find(reader, texts, isShort) {
      const ids = texts.flatMap((text) => text.split(',')).filter(isIdPseudonym);
      findIds(reader, userId, version.pseudonyms, ids, isShort);
    },
  };
}

/**
 * Reads ids, which makes their pseudonyms known, until those asked for are; marks the
 * rest absent.
 * @throws TakesLong
 */
function findIds(
  reader: Reader,
  userId: string,
  pseudonyms: Pseudonyms,
  ids: readonly string[],
  isShort: boolean,
): void {
  // All each time, so that none is forgotten.
  const unknown = () => ids.filter((id) => pseudonyms.idOf(id) === undefined);
  for (const table of ['trades', 'trade_groups']) {
    const sql = `SELECT true_id, id FROM ${table}
      WHERE user_id = ${TEXT} AND true_id > ${TEXT} ORDER BY true_id LIMIT ${AT_A_TIME}`;
    for (let after: unknown = ''; typeof after === 'string'; ) {
      if (unknown().length === 0) return;
      if (isShort) throw new TakesLong();
      after = reader.all(sql, userId, after).at(AT_A_TIME - 1)?.['true_id'];
    }
  }

  for (const id of unknown()) pseudonyms.noteAbsent(id);
}

/** @throws Forgotten for a pseudonym that was shown too long ago */
function trueIdOf(pseudonyms: Pseudonyms, id: string): string | null {
  const found = pseudonyms.idOf(id);
  if (found === undefined && isIdPseudonym(id)) throw new Forgotten();
  return found ?? null;
}

const SAME_IDS =
  /\b((?:\w+\.)?)(id|trade_id|group_id) = (\w+\.)(id|trade_id|group_id)\b/g;
const IS_ID = /(AND (?:likelihood\()?(?:\w+\.)?)(id|trade_id|group_id) = \(\? \|\| ''\)/g;
const IN_IDS =
  /(AND (?:likelihood\()?)((?:\w+\.)?)(id|trade_id|group_id) IN \(SELECT value FROM json_each\(\(\? \|\| ''\)\)\)/g;

/**
 * A statement that joins and looks up records by their true ids, which are indexed: each
 * row gives the same result as a comparison of pseudonyms. A comparison in another form
 * is slow, not wrong.
 */
function withOwnIds(sql: string): string {
  return sql
    .replace(SAME_IDS, '$1true_$2 = $3true_$4')
    .replace(IS_ID, `$1true_$2 = true_id(${TEXT})`)
    .replace(
      IN_IDS,
      `$1unlikely($2true_$3 IN (SELECT true_id(value) FROM json_each(${TEXT})))`,
    );
}

/**
 * The same for a view of schema.sql, which keeps the true ids for statements that read
 * it.
 */
export function viewWithOwnIds(sql: string): string {
  return withOwnIds(sql)
    .replace(/ t\.(id|group_id),/g, '$& t.true_$1,')
    .replace(/ id, '/g, " id, true_id, '")
    .replace(/ t\.group_id IS NULL/g, ' t.true_group_id IS NULL');
}

/** The pseudonym of a label, or the label itself, as the key of the reader shows it. */
export function labelShown(reader: Reader, label: string): string {
  return reader.only<{ label: string }>('SELECT shown_label(?) AS label', label).label;
}

function addFunction(
  db: Database.Database,
  name: string,
  value: (stored: string) => string | null,
): void {
  db.function(
    name,
    { deterministic: true, directOnly: true },
    value as (stored: unknown) => unknown,
  );
}

/**
 * A function's result has no type: SQLite then reads and sorts a whole view of two
 * tables, instead of merging them by their indexes.
 */
const shown = (column: string, value: string) =>
  `CAST(CASE WHEN ${column} IS NOT NULL THEN ${value} END AS TEXT) AS ${column}`;

/** The SQL of a column that no resource declares; undefined for others. */
function otherColumn(table: string, column: string): string | undefined {
  const bare = OTHER_COLUMNS[table]?.[column];
  if (bare) return shown(column, `shown_${bare}(${column})`);
  if (table === 'imports' && column === 'cash') return CASH;
  return column === 'fill_id' ? `NULL AS ${column}` : undefined;
}

/**
 * SQL of the view with pseudonyms. Columns with ids have their true values next to them,
 * for joins.
 */
function viewOf(
  db: Database.Database,
  table: string,
  names: Names,
  addList: (name: string, rename: (json: string) => string | null) => void,
): string {
  const shape =
    RESOURCES.find((resource) => resource.table === table)?.record.shape ?? {};
  const columns = db
    .prepare<[string, string], string>('SELECT name FROM pragma_table_xinfo(?, ?)')
    .pluck()
    .all(table, 'main');

  const sqlOf = (column: string): string | string[] => {
    const other = otherColumn(table, column);
    if (other !== undefined) return other;

    const field = shape[column];
    if (column === 'trade_id' || (field && revealsOf(field) === 'id'))
      return [shown(column, `shown_id(${column})`), `${column} AS true_${column}`];

    const rename = field && renaming(field, names);
    if (!field || !rename) return column;
    if (unwrapped(field) instanceof z.ZodString)
      return shown(column, `shown_${revealsOf(field)}(${column})`);

    const name = `shown_${table}_${column}`;
    addList(name, renamedJson(storedJson(field), rename));
    return shown(column, listSql(column, name, field instanceof z.ZodNullable));
  };

  const values = columns.flatMap((column) =>
    column === 'user_id' || table === 'users' ? column : sqlOf(column),
  );
  return `CREATE TEMP VIEW ${table} AS SELECT ${values.join(', ')} FROM temp.${shownOf(table)}`;
}

/** The same for stored JSON. */
function renamedJson(
  read: (value: unknown) => unknown,
  rename: (value: never) => unknown,
) {
  return (json: string) => {
    const renamed = rename(read(parseStored(json)) as never);
    return renamed === null ? null : JSON.stringify(renamed);
  };
}

function listSql(column: string, name: string, isNullable: boolean): string {
  const tooLong = isNullable ? 'NULL' : "'[]'";
  return `CASE WHEN octet_length(${column}) > ${MAX_LABEL_OCTETS} THEN ${tooLong}
    WHEN ${column} = '[]' THEN '[]' ELSE ${name}(${column}) END`;
}

/** A function that replaces the names in a value; undefined if it has none. */
function renaming(
  schema: z.core.$ZodType,
  names: Names,
): ((value: never) => unknown) | undefined {
  const reveals = revealsOf(schema);
  const rename =
    reveals === 'symbol' || reveals === 'label' || reveals === 'id'
      ? names[reveals]
      : undefined;
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) {
    const each = rename ?? (reveals ? undefined : renaming(inner.element, names));
    return each && ((value: never[]) => value.map((item) => each(item)));
  }
  if (!(inner instanceof z.ZodObject))
    return rename && ((value: string | null) => value && rename(value));

  const members = Object.entries(inner.shape).flatMap(([name, member]) => {
    const each = renaming(member, names);
    return each ? [[name, each] as const] : [];
  });
  if (members.length === 0) return undefined;

  return (value: Record<string, never> | null) =>
    value && {
      ...value,
      ...Object.fromEntries(
        members.map(([name, each]) => [name, each(value[name] as never)]),
      ),
    };
}

/** Columns with names in tables that aren't a resource. */
const OTHER_COLUMNS: Readonly<
  Record<string, Readonly<Record<string, 'label' | 'symbol'>>>
> = {
  account_limits: { account: 'label' },
  unmatched_closes: { account: 'label', symbol: 'symbol', underlying: 'symbol' },
  stated_totals: { account: 'label', symbol: 'symbol' },
  account_balances: { account: 'label' },
};

/** Ending cash with pseudonyms for accounts, if they have any. */
const CASH = `(SELECT json_group_array(json_set(c.value, '$.holder',
  CASE WHEN c.value ->> '$.holder' IS NOT NULL THEN shown_label(c.value ->> '$.holder') END))
  FROM json_each(cash) AS c) AS cash`;

/** Visits the ids of a table, including hidden rows, in ranges of equal size. */
function visitRanges(
  reader: Reader,
  table: string,
  userId: string,
  visit: (after: string, upTo: string) => void,
): void {
  if (table === 'users') return visit('', LAST);
  const sql = `SELECT id FROM main.${table} WHERE user_id = ${TEXT} AND id > ${TEXT} ORDER BY id LIMIT 1 OFFSET ${AT_A_TIME - 1}`;
  for (let after = ''; after !== LAST; ) {
    const upTo = reader.get<{ id: string }>(sql, userId, after)?.id ?? LAST;
    visit(after, upTo);
    after = upTo;
  }
}

/** Columns of the visible tables that contain symbols. */
const SYMBOL_COLUMNS = once(() =>
  RESOURCES.flatMap(({ table, record }) =>
    Object.entries(record.shape).flatMap(([column, field]) =>
      table !== null && revealsOf(field) === 'symbol' ? [[table, column] as const] : [],
    ),
  ),
);

/**
 * The symbols in a key's part of the journal, including those of its sessions' price
 * levels.
 */
function symbolsOf(reader: Reader, userId: string): ReadonlySet<string> {
  const found = new Set<string>();
  const others = `SELECT symbol, underlying FROM temp.${shownOf('unmatched_closes')} WHERE user_id = ${TEXT}
    UNION SELECT symbol, NULL FROM temp.${shownOf('stated_totals')} WHERE user_id = ${TEXT}`;
  for (const { symbol, underlying } of reader.all(others, userId, userId))
    for (const name of [symbol, underlying])
      if (typeof name === 'string') found.add(name);
  const queries = [
    ...SYMBOL_COLUMNS().map(([table, column]) => [
      table,
      `SELECT DISTINCT ${column} AS symbol FROM temp.${shownOf(table)} AS t`,
    ]),
    [
      'sessions',
      `SELECT DISTINCT CASE level.type WHEN 'object' THEN level.value ->> '$.symbol' END AS symbol FROM temp.${shownOf('sessions')} AS t
        JOIN main.sessions AS stored ON stored.user_id = t.user_id AND stored.id IS t.id, json_each(stored.market_context, '$.key_levels') AS level`,
    ],
  ] as const;

  for (const [table, sql] of queries) {
    visitRanges(reader, table, userId, (after, upTo) => {
      const rows = reader.all(
        `${sql} WHERE t.user_id = ${TEXT} AND t.id > ${TEXT} AND t.id <= ${TEXT}`,
        userId,
        after,
        upTo,
      );
      for (const { symbol } of rows)
        if (typeof symbol === 'string' && symbol !== '') found.add(symbol);
    });
  }

  return found;
}

const SYMBOLS = 'symbols';

/** Name of the fact that has the symbols of a part of the journal. */
export const symbolsFact = (part: string) => `${SYMBOLS} ${part}`;

/** The symbols of a key's part of the journal, as its views need them. */
export interface KnownSymbols {
  symbols: ReadonlySet<string>;
  folded: ReadonlySet<string>;
  inLabels: SymbolsInLabels;
}

export function knownSymbols(symbols: ReadonlySet<string>): KnownSymbols {
  const inLabels = new SymbolsInLabels();
  for (const symbol of symbols) inLabels.add(symbol);
  return { symbols, folded: new Set([...symbols].map(foldCase)), inLabels };
}
