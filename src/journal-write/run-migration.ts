/** Runs migrations that ALTER TABLE can't do: they create trades_new, which receives the rows of trades and replaces it. */
import Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import { explainSqlite } from './explain.ts';

type Values = Record<string, unknown>;

const SUFFIX = '_new';

/** Number of rejected rows that are named. */
const NAMED = 5;

/**
 * Runs the SQL of a migration, then replaces each table such as trades by its trades_new, with all rows and rowids.
 * @throws UserError that names the rows that a new table rejects, or a column that it lacks
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

/** The first few rows that a new table rejects, with the reason. */
function refusals(db: Database.Database, name: string, made: string, columns: readonly string[]): string[] {
  const insert = db.prepare(
    `INSERT INTO ${made} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
  );
  const words: string[] = [];
  // Not an iterator: nothing can be written while one is open.
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
