/** The journal file, its schema and its users. */
import { SCHEMA_SQL } from '../embedded.ts';
import { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { storedNumber, storedText } from './stored-value.ts';

/** The journal file, for reading. */
export function openJournal(path: string): ReadOnlyFile {
  return new ReadOnlyFile(path, schemaProblem);
}

/** The owner of records, with the time zone of their days and their base currency. */
export interface User {
  id: string;
  name: string | null;
  timezone: string;
  base_currency: string;
  starting_balance: number | null;
  breakeven_tolerance: number;
}

const USER_COLUMNS =
  'id, name, timezone, base_currency, starting_balance, breakeven_tolerance';

export function findUser(reader: Reader, userId: string): User | undefined {
  const row = reader.get<User>(
    `SELECT ${USER_COLUMNS} FROM users WHERE id = ${TEXT}`,
    userId,
  );
  return row && checked(row);
}

export function listUsers(reader: Reader): User[] {
  return reader.all<User>(`SELECT ${USER_COLUMNS} FROM users ORDER BY id`).map(checked);
}

/** Another program may have written values of other types. */
function checked(user: User): User {
  const { starting_balance, breakeven_tolerance, id, timezone, base_currency } = user;
  if (starting_balance !== null) storedNumber(starting_balance);
  storedNumber(breakeven_tolerance);
  for (const text of [id, timezone, base_currency]) storedText(text);
  return user;
}

// Detects journal files among SQLite files, and their version.

export const APPLICATION_ID = Number(/application_id = (\d+)/.exec(SCHEMA_SQL)?.[1]);
export const SCHEMA_VERSION = Number(/user_version = (\d+)/.exec(SCHEMA_SQL)?.[1]);

/** The reason why this version can't use a file as a journal; undefined if it can. */
export function schemaProblem(
  applicationId: number,
  version: number,
): string | undefined {
  if (applicationId !== APPLICATION_ID) {
    return 'it is not a journal-api journal (wrong application_id); pass the right file with --db, or restore a backup';
  }
  if (version > SCHEMA_VERSION) {
    return `its schema version ${version} is newer than this program supports (${SCHEMA_VERSION}); use a newer journal-api`;
  }
  if (version < SCHEMA_VERSION) {
    return `its schema version ${version} is older than this program's (${SCHEMA_VERSION}); run "journal-api upgrade"`;
  }

  return undefined;
}

/** A table, index, view or trigger with its CREATE statement. */
export interface SchemaObject {
  type: 'table' | 'index' | 'view' | 'trigger';
  name: string;
  sql: string;
}

/**
 * The objects of a file's schema, in order of creation, without SQLite's own tables and
 * indexes.
 */
export function schemaOf(reader: Reader): SchemaObject[] {
  const sql =
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
  return reader.all<SchemaObject>(sql);
}

/**
 * A statement without comments, layout, and the quotes around a renamed table, for
 * comparison.
 */
export function normalSql(sql: string): string {
  return sql
    .replace(/--.*$/gm, '')
    .replace(/"(\w+)"/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),;]) ?/g, '$1')
    .trim();
}

/**
 * The columns and constraints of a CREATE TABLE, each as a normalised text. Their order
 * may differ: ALTER TABLE adds columns after the constraints.
 */
export function tableParts(sql: string): string[] {
  const text = normalSql(sql);
  const parts = [''];
  let depth = 0;

  for (const character of text.slice(text.indexOf('(') + 1, text.lastIndexOf(')'))) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }

  return parts.map((part) => part.trim());
}
