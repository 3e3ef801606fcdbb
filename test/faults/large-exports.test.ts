/** Exports of each format, as long as the docs allow: read in bounded memory and time. */
import { execFileSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FORMATS } from '../../src/import/formats/index.ts';
import { MOST_BYTES } from '../../src/import/parse/bounds.ts';
import { isExhaustive } from '../effort.ts';
import { temporaryFolder } from '../helpers.ts';
import { exportOf, FORMS } from './export-forms.ts';
import { printFigures } from './figures.ts';

const READ = fileURLToPath(new URL('read-export.ts', import.meta.url));
const ROWS = isExhaustive ? 300_000 : 30_000;
/** Processor time, so that a busy machine doesn't matter. */
const MAX_SECONDS = 60;
const MAX_RSS_MB = 1500;

/** A database is read row by row; other tests cover plain records. */
const OTHERS = ['freqtrade', 'jsonl', 'json', 'csv', 'markdown'];
const names = FORMATS.map(({ name }) => name).filter((name) => !OTHERS.includes(name));

test('each format has a long export here', () => {
  expect(Object.keys(FORMS).concat('freqtrade-backtest').sort()).toEqual(
    names.toSorted(),
  );
});

/** Reads an export in a process of its own. */
function readExport(
  name: string,
  count: number,
): { path: string; rows: number; made: number; seconds: number; mb: number } {
  const { file, content } = exportOf(name, count, MOST_BYTES);
  const path = join(temporaryFolder(), file);
  writeFileSync(path, content);
  const output = execFileSync(process.execPath, [READ, name, path], {
    encoding: 'utf8',
    maxBuffer: 1 << 20,
  });
  return { path, ...JSON.parse(output) };
}

test.each(names)('%s', { timeout: 300_000 }, (name) => {
  const { path, rows, made, seconds, mb } = readExport(name, ROWS);
  printFigures(
    `${name}: ${rows} rows, ${(statSync(path).size / 1e6).toFixed()} MB: ${seconds.toFixed(1)} s, ${mb.toFixed()} MB`,
  );
  expect(rows >= ROWS || statSync(path).size > MOST_BYTES * 0.95).toBe(true);
  // Rates make neither fills nor records.
  if (name !== 'rates') expect(made).toBeGreaterThan(rows / 4);
  expect(seconds).toBeLessThan(MAX_SECONDS);
  expect(mb).toBeLessThan(MAX_RSS_MB);
  // Four times the rows take four times the time, or less while V8 compiles: by the square they would take sixteen.
  expect(seconds).toBeLessThan(8 * readExport(name, ROWS / 4).seconds + 0.5);
});
