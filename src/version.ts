import { readFileSync } from 'node:fs';

// The build puts the package's version here; run from source, the program reads it.
declare const EMBEDDED_VERSION: string | undefined;

export const VERSION: string =
  typeof EMBEDDED_VERSION === 'string'
    ? EMBEDDED_VERSION
    : JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
