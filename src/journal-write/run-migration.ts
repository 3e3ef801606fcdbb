/** How a migration changes what ALTER TABLE can't: it makes trades_new, which gets the rows of trades and takes its place. */
import Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import { explainSqlite } from './explain.ts';

type Values = Record<string, unknown>;

const SUFFIX = '_new';

/** How many of the rows that a new table refuses are named. */
const NAMED = 5;

/**
 * Runs the SQL of a migration, and puts each table trades_new that it makes in the place of trades, with all rows and their rowids.
 * @throws UserError that names the rows which a new table refuses, or a column which it hasn't got
 */
export function runMigration(db: Database.Database, sql: string): void {
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck();
  const before = tables.all() as string[];
  db.exec(sql);
  for (const made of tables.all() as string[]) {
    const name = made.slice(0, -SUFFIX.length);
    if (made.endsWith(SUFFIX) && !before.includes(made) && before.includes(name)) replaceTable(db, name, made);
  }
}

function replaceTable(db: Database.Database, name: string, made: string): void {
  const columns = columnsOf(db, name);
  const kept = new Set(columnsOf(db, made));
  const lost = columns.find((column) => !kept.has(column));
  if (lost !== undefined) {
    throw new UserError(
      `${name} has the column ${lost}, which is not the journal's own; move it to a table of your own`,
    );
  }
  const list = [...(hasRowid(db, name) ? ['rowid'] : []), ...columns].join(', ');
  try {
    db.exec(`INSERT INTO ${made} (${list}) SELECT ${list} FROM ${name}`);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    throw new UserError(refusals(db, name, made, columns).join('; '));
  }
  db.exec(`DROP TABLE ${name}; ALTER TABLE ${made} RENAME TO ${name};`);
}

/** The columns that hold something: a column that is computed is no part of a row. */
function columnsOf(db: Database.Database, table: string): string[] {
  const columns = db.pragma(`table_xinfo(${table})`) as { name: string; hidden: number }[];
  return columns.filter(({ hidden }) => hidden === 0).map(({ name }) => name);
}

function hasRowid(db: Database.Database, table: string): boolean {
  const [{ wr }] = db.pragma(`table_list(${table})`) as [{ wr: number }];
  return wr === 0;
}

function isRefusal(error: unknown): error is Error {
  return error instanceof Database.SqliteError && error.code.startsWith('SQLITE_CONSTRAINT');
}

/** Which rows a new table refuses, and why: the first few. */
function refusals(db: Database.Database, name: string, made: string, columns: readonly string[]): string[] {
  const insert = db.prepare(
    `INSERT INTO ${made} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
  );
  const words: string[] = [];
  // Not an iterator: while one is open, nothing can be written.
  const rowsAt = db.prepare(`SELECT ${columns.join(', ')} FROM ${name} LIMIT 1000 OFFSET ?`);
  for (let offset = 0; words.length < NAMED; offset += 1000) {
    const rows = rowsAt.all(offset) as Values[];
    if (rows.length === 0) break;
    for (const row of rows) {
      try {
        insert.run(row);
      } catch (error) {
        if (!isRefusal(error)) throw error;
        if (words.length < NAMED) words.push(`${labelOf(name, row)}: ${explainSqlite(error.message, row).message}`);
      }
    }
  }
  return words;
}

/** trades t1 (user me) */
function labelOf(table: string, row: Values): string {
  if (table === 'users') return `user ${row['id']}`;
  return `${table} ${row['id'] ?? `of trade ${row['trade_id']}`} (user ${row['user_id']})`;
}
