/**
 * Data of a key that hides symbols: a copy in memory of its part of the journal, with pseudonyms for symbols, ids, and labels that contain
 * a symbol. Each version of the journal is copied once. The copy has no true names, so no statement can read or compare them, or sort by
 * them.
 */

import type Database from 'better-sqlite3';
import * as z from 'zod';
import { SCHEMA_SQL } from '../embedded.ts';
import { Pseudonyms } from '../keys/lens.ts';
import { foldCase } from '../sqlite/functions.ts';
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { revealsOf, unwrapped } from './hidden-fields.ts';
import { once } from './in-steps.ts';
import { RESOURCES } from './resources/index.ts';
import { parseStored, storedJson } from './stored-value.ts';

// Detects labels that contain a symbol of the journal: "AAPL fade", "btc-usdt news".

/** Length of symbols found across words of a label. Symbols one letter shorter are found within words; shorter ones match too many. */
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
      if (parts.length > 1 && (part.length === 1 || !/\p{L}/u.test(part) || NO_NAMES.has(folded))) continue;
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
      folded.some((word) => this.#words.has(word) || hasPart(word, [LONG - 1], this.#inWords)) ||
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
function hasPart(text: string, lengths: Iterable<number>, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  for (const length of lengths) {
    for (let i = 0; i + length <= text.length; i++) if (names.has(text.slice(i, i + length))) return true;
  }
  return false;
}

/** The tables and indexes that schema.sql makes, by name and by table. */
const TABLES = once(
  () => new Map([...SCHEMA_SQL.matchAll(/^CREATE TABLE [\s\S]*?;$/gm)].map(([sql]) => [sql.split(' ')[2], sql])),
);
const INDEXES = once(() =>
  [...SCHEMA_SQL.matchAll(/^CREATE INDEX .*;$/gm)].map(([sql]) => ({ sql, table: sql.split(' ')[4] ?? '' })),
);

/** Records copied in one step, which takes a few milliseconds. */
const STEP = 200;

/** Maximum octets of a record's labels as JSON; larger lists are omitted. */
const MAX_LABEL_OCTETS = 20_000;

/** After every id. */
const LAST = '\x7f';

type Rename = (text: string) => string;
type Names = Readonly<Record<'symbol' | 'label' | 'id', Rename>>;

/** The view with a key's part of a table, which is copied. */
export const shownOf = (table: string) => `shown_${table}`;

/**
 * Creates empty tables in place of those of the file.
 * @param tables tables to copy; each has a view with the name that shownOf returns
 * @returns a function that fills them, unless they match the journal already
 */
export function layCopy(db: Database.Database, tables: readonly string[], userId: string, seed: Buffer) {
  const pseudonyms = new Pseudonyms(seed);
  let symbols = new SymbolsInLabels();
  const names: Names = {
    symbol: (text) => (text === '' ? text : pseudonyms.ofSymbol(foldCase(text))),
    label: (text) => (symbols.areIn(text) ? pseudonyms.ofLabel(foldCase(text)) : text),
    id: (text) => pseudonyms.ofId(text),
  };
  for (const [name, rename] of Object.entries(names))
    addFunction(db, `shown_${name}`, (text) => rename(text as string));
  // The file has checked the copied rows already.
  db.pragma('foreign_keys = OFF');
  db.pragma('ignore_check_constraints = ON');
  for (const table of tables) db.exec((TABLES().get(table) as string).replace('CREATE TABLE', 'CREATE TEMP TABLE'));
  for (const { sql, table } of INDEXES())
    if (tables.includes(table)) db.exec(sql.replace('CREATE INDEX ', 'CREATE INDEX temp.'));
  const inserts = tables.map((table) => [table, insertOf(db, table, names)] as const);

  let copied: unknown;
  return function* (reader: Reader): Generator<void> {
    const version = reader.get('PRAGMA data_version')?.['data_version'];
    if (version === copied) return;
    copied = undefined;
    db.pragma('query_only = OFF');
    try {
      for (const table of tables) db.exec(`DELETE FROM temp.${table}`);
      pseudonyms.clear();
      symbols = yield* symbolsOf(reader, userId);
      for (const [table, sql] of inserts) {
        for (const [after, upTo] of steps(reader, table === 'executions' ? 'trades' : table, userId)) {
          db.prepare(sql).run(after, upTo);
          yield;
        }
      }
    } finally {
      db.pragma('query_only = ON');
    }
    copied = version;
  };
}

/** The pseudonym of a label, or the label itself, in the copy that the reader reads. */
export function labelShown(reader: Reader, label: string): string {
  return reader.get('SELECT shown_label(?) AS label', label)?.['label'] as string;
}

/** @param value converts a value that isn't null */
function addFunction(db: Database.Database, name: string, value: (stored: unknown) => unknown): void {
  db.function(name, { deterministic: true, directOnly: true }, (stored) => (stored === null ? null : value(stored)));
}

/** SQL that copies the records after one id, up to another. */
function insertOf(db: Database.Database, table: string, names: Names): string {
  const shape = RESOURCES.find((resource) => resource.table === table)?.record.shape ?? {};
  // The copy computes its own computed columns.
  const columns = db.prepare('SELECT name FROM pragma_table_info(?, ?)').pluck().all(table, 'main') as string[];
  const values = columns.map((column) => {
    if (column === 'user_id' || table === 'users') return column;
    // A column of executions, which aren't a resource.
    if (column === 'trade_id') return `shown_id(${column})`;
    if (column === 'fill_id') return 'NULL';
    const field = shape[column] as z.ZodType | undefined;
    const rename = field && renaming(field, names);
    if (!field || !rename) return column;
    const reveals = revealsOf(field);
    if (unwrapped(field) instanceof z.ZodString) return `shown_${reveals}(${column})`;
    const read = storedJson(field);
    const name = `shown_${table}_${column}`;
    addFunction(db, name, (json) => {
      const renamed = rename(read(parseStored(json)) as never);
      return renamed === null ? null : JSON.stringify(renamed);
    });
    const left = field instanceof z.ZodNullable ? 'NULL' : "'[]'";
    return `CASE WHEN octet_length(${column}) > ${MAX_LABEL_OCTETS} THEN ${left} ELSE ${name}(${column}) END`;
  });
  const key = table === 'executions' ? 'trade_id' : 'id';
  return `INSERT INTO temp.${table} (${columns.join(', ')}) SELECT ${values.join(', ')} FROM temp.${shownOf(table)}
    WHERE ${key} > ${TEXT} AND ${key} <= ${TEXT}`;
}

/** A function that replaces the names in a value; undefined if it has none. */
function renaming(schema: z.ZodType, names: Names): ((value: never) => unknown) | undefined {
  const reveals = revealsOf(schema);
  const rename = reveals === 'symbol' || reveals === 'label' || reveals === 'id' ? names[reveals] : undefined;
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodArray) {
    const each = rename ?? (reveals ? undefined : renaming(inner.element as z.ZodType, names));
    return each && ((value: never[]) => value.map((item) => each(item)));
  }
  if (!(inner instanceof z.ZodObject)) return rename && ((value: string | null) => value && rename(value));
  const members = Object.entries(inner.shape).flatMap(([name, member]) => {
    const each = renaming(member as z.ZodType, names);
    return each ? [[name, each] as const] : [];
  });
  if (members.length === 0) return undefined;
  return (value: Record<string, never> | null) =>
    value && { ...value, ...Object.fromEntries(members.map(([name, each]) => [name, each(value[name] as never)])) };
}

/** Ranges of ids for steps of equal size, by the table's primary key, including hidden rows. */
function* steps(reader: Reader, table: string, userId: string): Generator<[after: string, upTo: string]> {
  if (table === 'users') return yield ['', LAST];
  const sql = `SELECT id FROM main.${table} WHERE user_id = ${TEXT} AND id > ${TEXT} ORDER BY id LIMIT 1 OFFSET ${STEP - 1}`;
  for (let after = ''; after !== LAST; ) {
    const upTo = (reader.get(sql, userId, after)?.['id'] as string | undefined) ?? LAST;
    yield [after, upTo];
    after = upTo;
  }
}

/** Columns of the visible tables that contain symbols. */
const SYMBOL_COLUMNS = once(() =>
  RESOURCES.flatMap(({ table, record }) =>
    Object.entries(record.shape).flatMap(([column, field]) =>
      table !== null && revealsOf(field as z.ZodType) === 'symbol' ? [[table, column] as const] : [],
    ),
  ),
);

/** The symbols in a key's part of the journal, including those of its sessions' price levels. */
function* symbolsOf(reader: Reader, userId: string): Generator<void, SymbolsInLabels> {
  const found = new Set<string>();
  const queries = [
    ...SYMBOL_COLUMNS().map(([table, column]) => [
      table,
      `SELECT DISTINCT ${column} AS symbol FROM temp.${shownOf(table)} AS t`,
    ]),
    [
      'sessions',
      `SELECT DISTINCT CASE level.type WHEN 'object' THEN level.value ->> '$.symbol' END AS symbol FROM temp.${shownOf('sessions')} AS t
        JOIN main.sessions AS own ON own.user_id = t.user_id AND own.id = t.id, json_each(own.market_context, '$.key_levels') AS level`,
    ],
  ] as const;
  for (const [table, sql] of queries) {
    for (const [after, upTo] of steps(reader, table as string, userId)) {
      const rows = reader.all(
        `${sql} WHERE t.user_id = ${TEXT} AND t.id > ${TEXT} AND t.id <= ${TEXT}`,
        userId,
        after,
        upTo,
      );
      for (const { symbol } of rows) if (typeof symbol === 'string' && symbol !== '') found.add(symbol);
      yield;
    }
  }
  const symbols = new SymbolsInLabels();
  for (const symbol of found) symbols.add(symbol);
  return symbols;
}
