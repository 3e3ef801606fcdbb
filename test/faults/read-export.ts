/** A process that reads each export that it is sent with the reader of its format, as the import does, and answers with result and cost. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { textOf } from '../../src/import/files/contents.ts';
import { FORMATS } from '../../src/import/formats/index.ts';
import { loadAll } from '../../src/import/on-demand.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { newUser } from '../../src/journal-write/users.ts';

export interface Asked {
  format: string;
  file: string;
}

export interface Cost {
  rows: number;
  /** Fills and records. */
  made: number;
  /** Processor time, so that a busy machine doesn't matter. */
  seconds: number;
  /** The most memory that the process has taken so far. */
  mb: number;
}

await loadAll();

// As the program sets them before it reads a file whole.
for (const flag of ['--heap-growing-percent=20', '--semi-space-growth-factor=1'])
  setFlagsFromString(flag);

process.on('message', (asked: Asked) => process.send?.(costOf(asked)));

function costOf({ format: name, file }: Asked): Cost {
  const format = FORMATS.find((known) => known.name === name);
  if (!format || format.streamed || format.notes)
    throw new Error(`${name} is no format that is read whole`);

  const context = {
    resource: trades,
    user: newUser('me', {}),
    fileName: basename(file),
    timeZone: undefined,
    date: '2026-01-15',
  };
  const bytes = readFileSync(file);
  // What earlier files left is no cost of this one.
  globalThis.gc?.();
  const since = process.cpuUsage();
  const {
    rows = 0,
    fills,
    records,
  } = format.binary
    ? format.read(bytes, { ...context, path: file })
    : format.read(textOf({ file, bytes }, true), context);
  const { user, system } = process.cpuUsage(since);

  return {
    rows,
    made: fills.length + [...records].length,
    seconds: (user + system) / 1e6,
    mb: process.resourceUsage().maxRSS / 1000,
  };
}
