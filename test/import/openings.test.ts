/** Closed trades of files with and without times of opening: a known opening stays. */
import { expect, test } from 'vitest';
import { changeImport } from '../../src/edit/change.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { ImportHome } from './home.ts';

const FILES = {
  'whole.csv': `ID,Symbol,Opening Direction,Opening Time (UTC+0),Closing Time (UTC+0),Entry Price,Closing Price,Closing Quantity,Net USD,Balance USD
11,EURUSD,Buy,19/11/2026 08:00:00.000,19/11/2026 09:30:00.000,1.10000,1.10100,0.1 Lots,10.00,1010.00
12,EURUSD,Sell,19/11/2026 10:00:00.000,19/11/2026 11:00:00.000,1.10100,1.10200,0.1 Lots,-10.00,1000.00
`,
  // The same trades, and a later one.
  'closings.csv': `ID,Symbol,Opening Direction,Closing Time (UTC+0),Entry Price,Closing Price,Closing Quantity,Net USD,Balance USD
11,EURUSD,Buy,19/11/2026 09:30:00.000,1.10000,1.10100,0.1 Lots,10.00,1010.00
12,EURUSD,Sell,19/11/2026 11:00:00.000,1.10100,1.10200,0.1 Lots,-10.00,1000.00
13,EURUSD,Sell,19/11/2026 12:00:00.000,1.10200,1.10100,0.1 Lots,10.00,1010.00
`,
};
type Name = keyof typeof FILES;

const [FIRST, SECOND, THIRD] = ['09:30', '11:00', '12:00'];
const KNOWN = ['08:00', '10:00', THIRD];
const UNKNOWN = [FIRST, SECOND, THIRD];

class Home extends ImportHome {
  take(name: Name): void {
    this.import(this.file(name, FILES[name]));
  }

  line(name: Name): number {
    const lines = this.rows('SELECT id, file FROM imports ORDER BY id DESC');
    return lines.find(({ file }) => file === name)?.['id'] as number;
  }

  openings(): string[] {
    return this.rows('SELECT executed_at FROM trades ORDER BY closed_at').map((row) =>
      String(row['executed_at']).slice(11, 16),
    );
  }
}

test.each<[string, Name[], string[]]>([
  // The later file didn't state it otherwise.
  ['stays when a file without it comes', ['whole.csv', 'closings.csv'], KNOWN],
  ['replaces what such a file gave', ['closings.csv', 'whole.csv'], UNKNOWN],
])('a known opening %s', (_, order, left) => {
  const home = new Home().withUser();
  for (const name of order) home.take(name);
  expect(home.openings()).toEqual(KNOWN);

  const id = home.line('closings.csv');
  changeImport({ ...home.target, id, given: { account: 'Main' } }, 'import change');
  expect(home.openings()).toEqual(KNOWN);
  undoImport(home.target);
  expect(home.openings()).toEqual(KNOWN);

  undoImport(home.target, home.line('whole.csv'));
  expect(home.openings()).toEqual(left);
  home.take('whole.csv');
  expect(home.openings()).toEqual(KNOWN);
  undoImport(home.target, id);
  expect(home.openings()).toEqual(KNOWN.slice(0, 2));
  expect(home.findings()).toEqual([]);
});

test('a trade that ended at another time or price is corrected, though the file has no opening', () => {
  const home = new Home().withUser();
  home.take('whole.csv');
  const corrected = FILES['closings.csv'].replace('1.10000,1.10100', '1.10000,1.10120');
  home.import(home.file('corrected.csv', corrected));
  expect(home.rows("SELECT exit_price FROM trades WHERE id LIKE 'ctrader:11%'")).toEqual([
    { exit_price: 1.1012 },
  ]);
});
