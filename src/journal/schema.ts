/** What tells a journal file from any other SQLite file, and its version from others. */
import { SCHEMA_SQL } from '../embedded.ts';

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
