/** Rithmic: closed trades by account and contract. */
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ImportHome } from './home.ts';

const HEADER =
  'Entry Order Number,Entry Buy/Sell,Entry Price,Entry Time,Exit Order Number,Exit Price,Exit Time,Fill Size,Trade P&L,Trade Life Span,Commission & Fees';

const PERFORMANCE = [
  'DEMO-001',
  'MESZ6',
  HEADER,
  '1001,B,6800.25,2026-11-02 09:35:12,1002,6805.50,2026-11-02 09:42:15,2,52.50,00:07:03,2.40',
  '1001,B,6800.25,2026-11-02 09:35:12,1002,6805.50,2026-11-02 09:42:15,2,52.50,00:07:03,2.40',
  'MNQZ6',
  HEADER,
  '1003,S,25000.00,2026-11-02 10:15:05,1004,25010.00,2026-11-02 10:28:40,1,-20.00,00:13:35,1.20',
  '',
  'DEMO-002',
  'MNQZ6',
  HEADER,
  '2003,S,25000.00,2026-11-02 10:15:05,2004,24985.25,2026-11-02 10:28:40,1,29.50,00:13:35,1.20',
  'Total,,,,,,,1,29.50,,1.20',
].join('\n');

describe('a file of our own', () => {
  test('has the accounts and the contracts that stand before its tables', () => {
    const home = new ImportHome().withUser();
    const path = home.file('performance.csv', PERFORMANCE);
    const [report] = home.import(path, { timeZone: 'America/Chicago' }).files;
    expect(report).toMatchObject({
      format: 'rithmic',
      rows: 5,
      added: 4,
      skipped: [{ reason: 'total line', count: 1 }],
    });
    expect(
      home
        .rows('SELECT id, account, executed_at, multiplier, gross_pnl, fees FROM trades ORDER BY id')
        .map((row) => Object.values(row).join(' ')),
    ).toEqual([
      'rithmic:MESZ6:1001:1002 DEMO-001 2026-11-02T15:35:12.000Z 5 52.5 2.4',
      'rithmic:MESZ6:1001:1002.2 DEMO-001 2026-11-02T15:35:12.000Z 5 52.5 2.4',
      'rithmic:MNQZ6:1003:1004 DEMO-001 2026-11-02T16:15:05.000Z 2 -20 1.2',
      'rithmic:MNQZ6:2003:2004 DEMO-002 2026-11-02T16:15:05.000Z 2 29.5 1.2',
    ]);
    expect(home.import(path, { timeZone: 'America/Chicago' }).files[0]).toMatchObject({ added: 0, unchanged: 4 });
  });

  test('P&L at another price a point than the exchange has is said', () => {
    const home = new ImportHome().withUser();
    home.import(home.file('performance.csv', PERFORMANCE.replace('-20.00', '-50.00')));
    expect(home.notes.join('\n')).toContain('line 8: the P&L of -50 is 5 a point; a point of MNQZ6 is 2');
  });

  test.each([
    [',B,', ',X,', '4: Entry Buy/Sell: must be one of B, Buy, S, Sell; got "X"'],
    [',B,6800.25', ',B,', '4: Entry Price: is missing'],
    ['\nMESZ6\n', '\n', '3: contract: is missing'],
    [',Fill Size,', ',Lots,', '3: Fill Size: is missing in the header'],
  ])('%j for %j is refused', (from, to, message) => {
    const home = new ImportHome().withUser();
    expect(home.refusalOf(home.file('performance.csv', PERFORMANCE.replace(from, to)))).toContain(message);
  });
});

const FOLDER = new URL('../../../shared/data/formats-seen', import.meta.url).pathname;

describe.skipIf(!existsSync(FOLDER))('a sample', () => {
  test('adds up, and its P&L in a wrong contract is said', () => {
    const home = new ImportHome().withUser();
    const [report] = home.import(`${FOLDER}/rithmic-perf.csv`).files;
    expect(report?.platform?.money).toEqual([{ currency: 'USD', gross: 82, fees: 3.6, net: 78.4 }]);
    expect(home.notes.join()).toContain('line 5: the P&L of 29.5 is 2 a point');
  });
});
