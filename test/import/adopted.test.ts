/** Journals with trades older than fills: those of Tradovate's exports are matched with their fills. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { upgradeJournal } from '../../src/journal-write/migrate.ts';
import { MIGRATION_STEPS } from '../../src/statements/migration-steps.ts';
import { FillHome } from './fill-home.ts';

const SCHEMA_2 = readFileSync(
  join(fileURLToPath(new URL('../fixtures', import.meta.url)), 'schema-2.sql'),
  'utf8',
);

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const pair = (
  buy: number,
  sell: number,
  qty: number,
  prices: string,
  pnl: string,
  bought: string,
  sold: string,
) =>
  `MESZ6,${buy},${sell},${qty},${prices},${pnl},11/02/2026 ${bought},11/02/2026 ${sold}`;

const OLD = [
  // A short of two; a long that a sell of three reverses to a short of two.
  pair(12, 11, 1, '6800.00,6801.00', '$5.00', '09:31:00', '09:30:00'),
  pair(13, 11, 1, '6811.00,6801.00', '$(50.00)', '09:32:00', '09:30:00'),
  pair(21, 22, 1, '6800.00,6802.50', '$12.50', '10:00:00', '10:05:00'),
  pair(23, 22, 2, '6800.50,6802.50', '$20.00', '10:10:00', '10:05:00'),
];
const LATER = [pair(32, 31, 1, '6790.00,6800.00', '$50.00', '11:10:00', '11:00:00')];

const EXECUTIONS: Record<string, string[]> = {
  'tradovate:MESZ6:11': [
    '09:30:00 sell 2 6801',
    '09:31:00 buy 1 6800',
    '09:32:00 buy 1 6811',
  ],
  'tradovate:MESZ6:21': ['10:00:00 buy 1 6800', '10:05:00 sell 1 6802.5'],
  'tradovate:MESZ6:22': ['10:05:00 sell 2 6802.5', '10:10:00 buy 2 6800.5'],
};
const GROSS = [-45, 12.5, 20];

/** The result of version 2 for the old file, with the user's later text. */
async function upgraded(account: string | null): Promise<FillHome> {
  const home = new FillHome();
  const db = new Database(home.journal);
  db.exec(SCHEMA_2);
  db.exec("INSERT INTO users (id, timezone) VALUES ('me', 'UTC')");
  Object.entries(EXECUTIONS).forEach(([id, lines], index) => {
    const rows = lines.map((line) => line.split(' ') as [string, string, string, string]);
    const at = (time: string | undefined) => `2026-11-02T${time}.000Z`;
    const opened = rows.filter(([, side]) => side === rows[0]?.[1]);
    db.prepare(
      `INSERT INTO trades (user_id, id, account, symbol, market, side, status, executed_at, closed_at, quantity, open_quantity,
         multiplier, entry_price, exit_price, currency, gross_pnl, fees, source, notes)
       VALUES ('me', ?, ?, 'MESZ6', 'future', ?, 'closed', ?, ?, ?, 0, 5, ?, ?, 'USD', ?, 0, 'tradovate', ?)`,
    ).run(
      id,
      account,
      rows[0]?.[1] === 'buy' ? 'long' : 'short',
      at(rows[0]?.[0]),
      at(rows.at(-1)?.[0]),
      opened.reduce((sum, [, , quantity]) => sum + Number(quantity), 0),
      Number(rows[0]?.[3]),
      index === 0 ? 6805.5 : Number(rows.at(-1)?.[3]),
      GROSS[index],
      index === 1 ? 'waited' : null,
    );
    const insert = db.prepare(
      "INSERT INTO executions (user_id, trade_id, position, executed_at, side, quantity, price) VALUES ('me', ?, ?, ?, ?, ?, ?)",
    );
    rows.forEach(([time, side, quantity, price], position) => {
      insert.run(id, position, at(time), side, Number(quantity), Number(price));
    });
  });
  // The account of one trade was corrected by hand.
  db.exec(
    "UPDATE trades SET account = 'ira', fees = 1.24, setup = 'pullback' WHERE id = 'tradovate:MESZ6:21'",
  );
  db.close();
  await upgradeJournal(home.journal, { steps: MIGRATION_STEPS });
  return home;
}

const files = (home: FillHome, ...pairs: string[][]) =>
  pairs.map((rows, index) =>
    home.file(`Performance-${index}.csv`, [HEADER, ...rows].join('\n')),
  );

const answers = (home: FillHome) => JSON.stringify(home.everything());

describe.each([null, 'sim'])('trades of account %s', (account) => {
  test.each([undefined, 'sim', 'other'])(
    'the same file again, --account %s, changes nothing',
    async (given) => {
      const home = await upgraded(account);
      const before = answers(home);
      const [path] = files(home, OLD) as [string];
      const report = home.import(path, { account: given });
      expect(report.files[0]).toMatchObject({ added: 0, changed: 0, unchanged: 3 });
      expect(answers(home)).toBe(before);
      home.undo();
      expect(answers(home)).toBe(before);
    },
  );

  test('the file in pieces, in any order, changes nothing', async () => {
    const home = await upgraded(account);
    const before = answers(home);
    for (const path of files(home, OLD.slice(2), OLD.slice(1, 3), OLD.slice(0, 2)))
      home.import(path);
    expect(answers(home).replaceAll(/"updated_at":"[^"]*"/g, '')).toBe(
      before.replaceAll(/"updated_at":"[^"]*"/g, ''),
    );
  });

  test("next month's file continues from it", async () => {
    const home = await upgraded(account);
    const [path] = files(home, [...OLD.slice(2), ...LATER]) as [string];
    expect(home.import(path).files[0]).toMatchObject({
      added: 1,
      changed: 0,
      unchanged: 2,
    });
    expect(
      home.rows('SELECT id, gross_pnl, notes FROM trades ORDER BY executed_at, id'),
    ).toEqual([
      { id: 'tradovate:MESZ6:11', gross_pnl: -45, notes: null },
      { id: 'tradovate:MESZ6:21', gross_pnl: 12.5, notes: 'waited' },
      { id: 'tradovate:MESZ6:22', gross_pnl: 20, notes: null },
      { id: 'tradovate:MESZ6:31', gross_pnl: 50, notes: null },
    ]);
  });
});

test('a pair that begins within an old trade continues it', async () => {
  const home = await upgraded(null);
  const [path] = files(home, [
    pair(24, 22, 1, '6801.50,6802.50', '$5.00', '10:20:00', '10:05:00'),
  ]) as [string];
  home.import(path);
  expect(
    home.rows('SELECT id, quantity, gross_pnl FROM trades ORDER BY executed_at, id'),
  ).toEqual([
    { id: 'tradovate:MESZ6:11', quantity: 2, gross_pnl: -45 },
    { id: 'tradovate:MESZ6:21', quantity: 1, gross_pnl: 12.5 },
    { id: 'tradovate:MESZ6:22', quantity: 3, gross_pnl: 25 },
  ]);
});

test("records older than fills can't be undone as an import", async () => {
  const home = await upgraded(null);
  expect(() => home.undo()).toThrow('there is no import to undo');
});
