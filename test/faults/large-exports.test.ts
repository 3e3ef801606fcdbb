/** Exports of each format, as long as the docs allow: read in bounded memory and time. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { FORMATS } from '../../src/import/formats/index.ts';
import { MOST_BYTES } from '../../src/parse/open-file.ts';
import { isExhaustive } from '../effort.ts';
import { temporaryFolder } from '../helpers.ts';
import { exportOf, FORMS } from './export-forms.ts';
import { printFigures } from './figures.ts';
import type { Asked, Cost } from './read-export.ts';

const READ = fileURLToPath(new URL('read-export.ts', import.meta.url));
const ROWS = isExhaustive ? 300_000 : 12_000;
/** The same export with fewer rows: these times fewer. */
const FEWER = 8;
/** Twenty times what most formats take. */
const MAX_SECONDS = (2 / 1000) * ROWS;
const MAX_RSS_MB = 1500;

/** A database is read row by row; other tests cover plain records. */
const OTHERS = ['freqtrade', 'jsonl', 'json', 'csv', 'markdown'];
const names = FORMATS.map(({ name }) => name).filter((name) => !OTHERS.includes(name));

test('each format has a long export here', () => {
  expect(
    Object.keys(FORMS).concat('freqtrade-backtest').sort(),
    'a new format needs a row in export-forms.ts',
  ).toEqual(names.toSorted());
});

let reader: ChildProcess | undefined;

function endReader(): void {
  reader?.kill();
  reader = undefined;
}

afterAll(endReader);

/** @throws Error if the process that reads it ends */
async function costOf(asked: Asked): Promise<Cost> {
  // To load all readers takes longer than to read most exports: one process does it once.
  reader ??= fork(READ, { execArgv: ['--expose-gc'] });
  const own = reader;
  const answered = new AbortController();
  const { signal } = answered;
  const ended = once(own, 'exit', { signal }).then(([code, by]) => {
    reader = undefined;
    throw new Error(`the reading process ended with ${code ?? by}`);
  });
  own.send(asked);
  try {
    const [cost] = await Promise.race([once(own, 'message', { signal }), ended]);
    return cost as Cost;
  } finally {
    ended.catch(() => undefined);
    answered.abort();
  }
}

/** An export with a number of rows, as a file. */
function writtenExport(format: string, count: number): Asked {
  const { file: name, content } = exportOf(format, count, MOST_BYTES);
  const file = join(temporaryFolder(), name);
  writeFileSync(file, content);
  return { format, file };
}

/** Eight times the rows take eight times the time, or less while V8 compiles: by the square they would take 64. */
const mostFor = (secondsForFewer: number) => 2 * FEWER * secondsForFewer + 0.2;

test.each(names)('%s', { timeout: 3_600_000 }, async (name) => {
  // The memory for an export as long as it may be is that of a process of its own.
  if (isExhaustive) endReader();
  const short = writtenExport(name, ROWS / FEWER);
  const long = writtenExport(name, ROWS);
  let fewer = (await costOf(short)).seconds;
  const { rows, made, mb, ...first } = await costOf(long);
  let { seconds } = first;
  // A disturbed measurement is repeated.
  for (let again = 0; again < 2 && seconds > mostFor(fewer); again++) {
    fewer = Math.max(fewer, (await costOf(short)).seconds);
    seconds = Math.min(seconds, (await costOf(long)).seconds);
  }

  const { size } = statSync(long.file);
  printFigures(
    `${name}: ${rows} rows, ${(size / 1e6).toFixed()} MB: ${seconds.toFixed(1)} s, ${mb.toFixed()} MB`,
  );
  expect(rows >= ROWS || size > MOST_BYTES * 0.95).toBe(true);
  // Rates make neither fills nor records.
  if (name !== 'rates') expect(made).toBeGreaterThan(rows / 4);
  expect(seconds).toBeLessThan(MAX_SECONDS);
  expect(mb).toBeLessThan(MAX_RSS_MB);
  expect(seconds).toBeLessThan(mostFor(fewer));
});
