/**
 * What lies beside the source and travels inside the bundle: version, schema, migrations,
 * pages. Run from source, the files are read. Long texts are no strings of the code,
 * which every command would compile.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

declare const EMBEDDED_VERSION: string | undefined;
declare const EMBEDDED_COMMANDS: readonly CommandLine[] | undefined;
declare const EMBEDDED: EmbeddedParts | undefined;

/** The script of a thread: its file or its text, and data that it needs. */
export interface ThreadScript {
  script: URL | string;
  data: Readonly<Record<string, unknown>>;
}

interface EmbeddedParts {
  (part: 'schema' | 'skill' | 'sample'): string;
  (part: 'migrations'): readonly string[];
  (part: 'assets'): Readonly<Record<string, string>>;
  thread: () => ThreadScript;
}

/** A command as the list of all commands shows it. */
export interface CommandLine {
  /** With its arguments: get <path> [parameters...] */
  usage: string;
  description: string;
  hasOptions: boolean;
}

const beside = (name: string) => new URL(`../${name}`, import.meta.url);
const fileBeside = (name: string) => readFileSync(beside(name), 'utf8');
const embedded = typeof EMBEDDED === 'function' ? EMBEDDED : undefined;

/** The version of the program, as package.json has it. */
export const VERSION: string =
  typeof EMBEDDED_VERSION === 'string'
    ? EMBEDDED_VERSION
    : JSON.parse(fileBeside('package.json')).version;

/** The list of all commands; undefined when run from source. */
export const COMMAND_LINES =
  typeof EMBEDDED_COMMANDS === 'object' ? EMBEDDED_COMMANDS : undefined;

/** schema.sql: the journal file as it is made today. */
export const SCHEMA_SQL = embedded?.('schema') ?? fileBeside('schema.sql');

/** The skill that tells agents with a shell how to ask the journal. */
export function skillText(): string {
  return embedded?.('skill') ?? fileBeside('skills/trading-journal/SKILL.md');
}

/** Resources of the sample trader, in the order of their import. */
const SAMPLES = [
  'trade-groups',
  'trades',
  'trade-journals',
  'group-journals',
  'sessions',
  'weekly-reviews',
  'missed-trades',
];

/** The sample trader's records by resource, as JSON Lines. */
export function sampleTexts(): Readonly<Record<string, string>> {
  const packed = embedded?.('sample');
  if (packed !== undefined)
    return JSON.parse(brotliDecompressSync(Buffer.from(packed, 'base64')).toString());
  return Object.fromEntries(
    SAMPLES.map((name) => [name, fileBeside(`src/demo/sample/${name}.jsonl`)]),
  );
}

/**
 * The files of migrations/ in order: the first takes a journal from version 1 to 2, and
 * so on.
 */
export function migrationsSql(): readonly string[] {
  const names = () => readdirSync(beside('migrations')).sort();
  return (
    embedded?.('migrations') ?? names().map((name) => fileBeside(`migrations/${name}`))
  );
}

/**
 * A file that a page is made of, by its name in dist/assets, where `npm run build` puts
 * them.
 */
export function readAsset(name: string): Buffer {
  if (!embedded) return readFileSync(beside(`dist/assets/${name}`));
  return brotliDecompressSync(Buffer.from(embedded('assets')[name] ?? '', 'base64'));
}

/**
 * The script of a thread that reads the journal (src/http/thread-main.ts), the same
 * program as this one.
 */
export function threadScript(): ThreadScript {
  return embedded?.thread() ?? { script: beside('src/http/thread-main.ts'), data: {} };
}
