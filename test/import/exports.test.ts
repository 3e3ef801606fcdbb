/** Real exports, all of a platform together: in any order, repeated, and undone. */
import { describe, expect, test } from 'vitest';
import { undoImport } from '../../src/edit/undo.ts';
import { allExports, type Export, sampled } from './exports.ts';
import { ImportHome, withoutIds } from './home.ts';

/** Files derived from exports, in no platform's format. */
const NO_EXPORTS =
  /journal-of-a-trader|TradeLog\.csv|zerodha\/(Trades|Instruments|trades|tradebook\.).*csv/;

/** Real exports without a reader, and one in another currency than the user's. */
const UNKNOWN = /^real (notes|oanda-transactions)$/;

const exported = allExports().filter(({ name }) => !NO_EXPORTS.test(name));
const folders = sampled(
  [...Map.groupBy(exported, ({ label }) => label.replace(/\/.*/, ''))].map(
    ([label, files]) => ({
      label,
      files,
    }),
  ),
);

const OPTIONS = { date: '2019-01-15', timeZone: 'America/New_York' };

type OpenExport = Pick<Export, 'dates'> & { path: string };

/** Imports valid files; others are rejected with a clear error and leave nothing. */
function importAll(home: ImportHome, exports: readonly OpenExport[]): number {
  let imported = 0;
  for (const { path, dates } of exports) {
    try {
      for (const { rows } of home.import(path, { ...OPTIONS, dates }).files) {
        const skipped = Object.values(rows.skipped).reduce(
          (sum, count) => sum + count,
          0,
        );
        expect([rows.read, rows.used >= 0]).toEqual([rows.used + skipped, true]);
      }
      imported++;
    } catch (error) {
      expect((error as Error).name).toMatch(/^(UserError|UsageError)$/);
    }
  }
  return imported;
}

const homeOf = () => new ImportHome().withUser('me', { timezone: 'America/New_York' });
const opened = (exports: readonly Export[]) =>
  exports.map(({ path, dates }) => ({ path: path(), dates }));

describe('exports', () => {
  test.each(folders.filter(({ label }) => !UNKNOWN.test(label)))(
    '$label',
    ({ files: exports }) => {
      const paths = opened(exports);
      const home = homeOf();
      expect(importAll(home, paths)).toBeGreaterThan(0);
      const once = home.contents();

      importAll(home, paths);
      expect(home.contents()).toEqual(once);

      const other = homeOf();
      importAll(other, [...paths].reverse());
      expect(withoutIds(other.contents())).toEqual(withoutIds(once));

      for (;;) {
        const [last] = home.rows('SELECT max(id) AS id FROM imports');
        if (last?.['id'] == null) break;
        undoImport(home.target);
      }
      expect(home.contents()).toEqual([[], [], []]);
    },
  );
});
