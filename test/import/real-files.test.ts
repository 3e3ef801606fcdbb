/** Exports as platforms wrote them, where they lie beside the project: in any order, twice, and taken back. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { undoImport } from '../../src/import/write/undo.ts';
import { ImportHome } from './home.ts';

const FOLDER = new URL('../../../shared/data', import.meta.url).pathname;

/** What people or programs derived from exports, in no platform's own format. */
const NO_EXPORTS = /journal-of-a-trader|TradeLog\.csv|zerodha\/(Trades|Instruments|trades).*\.csv/;

const folders = existsSync(FOLDER)
  ? readdirSync(FOLDER, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !NO_EXPORTS.test(entry.name))
      .map(({ name }) => name)
      .sort()
  : [];

const OPTIONS = { date: '2019-01-15', timeZone: 'America/New_York' };

/** Imports the files that can be; others are refused in words, and leave nothing. */
function importAll(home: ImportHome, paths: readonly string[]): number {
  let imported = 0;
  for (const path of paths) {
    try {
      home.import(path, OPTIONS);
      imported++;
    } catch (error) {
      expect((error as Error).name).toMatch(/^(UserError|UsageError|ImportStopped)$/);
    }
  }
  return imported;
}

const homeOf = () => new ImportHome().withUser('me', { timezone: 'America/New_York' });

describe.skipIf(folders.length === 0)('real exports', () => {
  test.each(folders)('of %s', (name) => {
    const paths = readdirSync(join(FOLDER, name))
      .map((file) => join(FOLDER, name, file))
      .filter((path) => !NO_EXPORTS.test(path))
      .sort();
    const home = homeOf();
    expect(importAll(home, paths)).toBeGreaterThan(0);
    const once = home.contents();

    importAll(home, paths);
    expect(home.contents()).toEqual(once);

    const other = homeOf();
    importAll(other, [...paths].reverse());
    expect(other.contents()).toEqual(once);

    for (;;) {
      const [last] = home.rows('SELECT max(id) AS id FROM imports');
      if (last?.['id'] == null) break;
      undoImport({ journal: home.journal, now: home.now });
    }
    expect(home.contents()).toEqual([[], [], []]);
  });
});
