/** What lies beside the source and travels inside the bundle: the version and the schema. Run from source, the files are read. */
import { readFileSync } from 'node:fs';

declare const EMBEDDED_VERSION: string | undefined;
declare const EMBEDDED_SCHEMA: string | undefined;

const fileBeside = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** The version of the program, as package.json has it. */
export const VERSION: string =
  typeof EMBEDDED_VERSION === 'string' ? EMBEDDED_VERSION : JSON.parse(fileBeside('package.json')).version;

/** schema.sql: the journal file as it is made today. */
export const SCHEMA_SQL = typeof EMBEDDED_SCHEMA === 'string' ? EMBEDDED_SCHEMA : fileBeside('schema.sql');
