/** What tells a journal file from any other SQLite file, and its version from others. */
import { SCHEMA_SQL } from '../embedded.ts';
import type { Reader } from '../sqlite/reader.ts';

export const APPLICATION_ID = Number(/application_id = (\d+)/.exec(SCHEMA_SQL)?.[1]);
export const SCHEMA_VERSION = Number(/user_version = (\d+)/.exec(SCHEMA_SQL)?.[1]);

/** Why a file can't be used as a journal by this version; undefined where it can. */
export function schemaProblem(applicationId: number, version: number): string | undefined {
  if (applicationId !== APPLICATION_ID) {
    return 'it is not a journal-api journal (wrong application_id); name the right file with --db, or restore a backup';
  }
  if (version > SCHEMA_VERSION) {
    return `its schema version ${version} is newer than this program supports (${SCHEMA_VERSION}); use a newer journal-api`;
  }
  if (version < SCHEMA_VERSION) {
    return `its schema version ${version} is older than this program's (${SCHEMA_VERSION}); run "journal-api upgrade"`;
  }
  return undefined;
}

/** A table, index, view or trigger as its CREATE statement makes it. */
export interface SchemaObject {
  type: 'table' | 'index' | 'view' | 'trigger';
  name: string;
  sql: string;
}

/** What a file's schema holds, in the order it was made; SQLite's own tables and indexes left out. */
export function schemaOf(reader: Reader): SchemaObject[] {
  const sql =
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid";
  return reader.all(sql) as unknown as SchemaObject[];
}

/** A statement without its comments, its layout, and the quotes that a renamed table gets: two that differ only in these are equal. */
export function normalSql(sql: string): string {
  return sql
    .replace(/--.*$/gm, '')
    .replace(/"(\w+)"/g, '$1')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),;]) ?/g, '$1')
    .trim();
}

/**
 * What stands between the outer parentheses of a CREATE TABLE, one text a column or constraint, normalised. Their order says
 * little: ALTER TABLE puts a new column behind the constraints.
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
