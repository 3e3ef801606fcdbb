/** schema.sql as text, and what tells a journal file from any other SQLite file. */
import { readFileSync } from 'node:fs';

// The build puts schema.sql here; run from source, the program reads it.
declare const EMBEDDED_SCHEMA: string | undefined;

export const SCHEMA_SQL =
  typeof EMBEDDED_SCHEMA === 'string'
    ? EMBEDDED_SCHEMA
    : readFileSync(new URL('../../schema.sql', import.meta.url), 'utf8');

export const APPLICATION_ID = Number(/application_id = (\d+)/.exec(SCHEMA_SQL)?.[1]);
export const SCHEMA_VERSION = Number(/user_version = (\d+)/.exec(SCHEMA_SQL)?.[1]);

/** Why a file can't be used as a journal by this version; undefined where it can. */
export function schemaProblem(applicationId: number, version: number): string | undefined {
  if (applicationId !== APPLICATION_ID) {
    return 'it is not a journal-api journal (its application_id says otherwise); name the right file with --db, or restore a backup';
  }
  if (version > SCHEMA_VERSION) {
    return `its schema is version ${version}, newer than this program knows (${SCHEMA_VERSION}); use a newer journal-api`;
  }
  if (version < SCHEMA_VERSION) {
    return `its schema is version ${version}, older than this program's (${SCHEMA_VERSION}); run "journal-api upgrade"`;
  }
  return undefined;
}

/** Names of all tables, indexes, triggers and views that schema.sql makes. */
export const SCHEMA_OBJECTS: ReadonlySet<string> = new Set(
  [...SCHEMA_SQL.matchAll(/^CREATE (?:TABLE|INDEX|TRIGGER|VIEW) (\w+)/gm)].map((match) => match[1] as string),
);
