/** What lies beside the source and travels inside the bundle: version, schema, migrations, pages. Run from source, the files are read. */
import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

declare const EMBEDDED_SKILL: string | undefined;
declare const EMBEDDED_VERSION: string | undefined;
declare const EMBEDDED_SCHEMA: string | undefined;
declare const EMBEDDED_ASSETS: (() => Readonly<Record<string, string>>) | undefined;
declare const EMBEDDED_MIGRATIONS: readonly string[] | undefined;

const beside = (name: string) => new URL(`../${name}`, import.meta.url);
const fileBeside = (name: string) => readFileSync(beside(name), 'utf8');

/** The version of the program, as package.json has it. */
export const VERSION: string =
  typeof EMBEDDED_VERSION === 'string' ? EMBEDDED_VERSION : JSON.parse(fileBeside('package.json')).version;

/** schema.sql: the journal file as it is made today. */
export const SCHEMA_SQL = typeof EMBEDDED_SCHEMA === 'string' ? EMBEDDED_SCHEMA : fileBeside('schema.sql');

/** The skill that tells agents with a shell how to ask the journal. */
export const SKILL_MD =
  typeof EMBEDDED_SKILL === 'string' ? EMBEDDED_SKILL : fileBeside('skills/trading-journal/SKILL.md');

/** The files of migrations/ in order: the first takes a journal from version 1 to 2, and so on. */
export const MIGRATIONS_SQL: readonly string[] =
  typeof EMBEDDED_MIGRATIONS === 'object'
    ? EMBEDDED_MIGRATIONS
    : readdirSync(beside('migrations'))
        .sort()
        .map((name) => fileBeside(`migrations/${name}`));

/** A file that a page is made of, by its name in dist/assets, where `npm run build` puts them. */
export function readAsset(name: string): Buffer {
  if (typeof EMBEDDED_ASSETS !== 'function') return readFileSync(beside(`dist/assets/${name}`));
  return brotliDecompressSync(Buffer.from(EMBEDDED_ASSETS()[name] ?? '', 'base64'));
}
