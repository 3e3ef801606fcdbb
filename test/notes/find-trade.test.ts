/** Finding a trade by symbol, time, day, price or number. */
import { expect, test } from 'vitest';
import { createJournalInMemory } from '../../src/journal-write/open.ts';
import { addUser, newUser } from '../../src/journal-write/users.ts';
import { TradeFinder } from '../../src/notes/find-trade.ts';
import type { TradeClues } from '../../src/notes/note.ts';
import { agrees, figureIn } from '../../src/parse/cells.ts';
import { Reader } from '../../src/sqlite/reader.ts';
import { NOW } from '../helpers.ts';

const db = createJournalInMemory();
addUser(db, newUser('me', {}), NOW);
const insert = db.prepare(
  `INSERT INTO trades (user_id, market, status, quantity, open_quantity, currency, gross_pnl, id, symbol, underlying, side, executed_at, entry_price)
   VALUES ('me', 'future', 'open', 1, 1, 'USD', 0, ?, ?, ?, ?, ?, ?)`,
);
insert.run('a', 'MNQZ5', 'MNQ', 'short', '2026-11-02T14:30:10.000Z', 25_271.5);
insert.run('b', 'MNQZ5', 'MNQ', 'long', '2026-11-02T14:30:50.000Z', 25_270.75);
insert.run('c', 'MNQZ5', 'MNQ', 'long', '2026-11-02T14:42:00.000Z', 25_280.36);
insert.run('d', 'MGCG6', 'MGC', 'long', '2026-11-02T14:43:00.000Z', 4000);
const finder = () => new TradeFinder(new Reader(db), 'me', 'America/Chicago');
const found = (clues: TradeClues) => {
  try {
    return finder().find(clues).id;
  } catch (error) {
    return (error as Error).message;
  }
};
const at = (time: string) => Date.parse(`2026-11-02T${time}Z`);
const day = '2026-11-02';

test.each<[string, TradeClues, string]>([
  ['its id', { id: 'c', symbol: 'AAPL', day }, 'c'],
  ['an unknown id and a time', { id: 'x', symbol: 'MNQ', at: at('14:42:00') }, 'c'],
  ['the minute', { symbol: 'MNQ', at: at('14:42:00') }, 'c'],
  ['the minute alone', { at: at('14:43:00') }, 'd'],
  ['the minute and the side', { symbol: 'mnq', side: 'short', at: at('14:30:00') }, 'a'],
  ['the minute and the second', { symbol: 'MNQZ5', at: at('14:30:48') }, 'b'],
  [
    'the minute and the price',
    { symbol: 'MNQ', at: at('14:30:00'), entryPrice: { value: 25_270.8, decimals: 1 } },
    'b',
  ],
  ['a time five minutes off', { symbol: 'MNQ', at: at('14:47:00') }, 'c'],
  ['the day, if it is the only one in the symbol', { symbol: 'MGC', day }, 'd'],
  ['the day and the side', { symbol: '/MNQ', side: 'short', day }, 'a'],
  [
    'the day and a rounded price',
    { symbol: 'MNQZ25', day, entryPrice: { value: 25_280.4, decimals: 1 } },
    'c',
  ],
  ['the day and the number', { symbol: 'MNQ1!', day, number: 3 }, 'c'],
])('a trade is found by %s', (_by, clues, id) => {
  expect(found(clues)).toBe(id);
});

test.each<[string, TradeClues, string]>([
  [
    'two of a minute',
    { symbol: 'MNQ', at: at('14:30:00') },
    'there are 2 trades in MNQ at 2026-11-02 08:30: 08:30 MNQZ5 short a, 08:30 MNQZ5 long b; add the id of one',
  ],
  [
    'six minutes off',
    { symbol: 'MNQ', at: at('14:48:01') },
    'there is no trade in MNQ at 2026-11-02 08:48; correct the time or symbol, or add its id',
  ],
  [
    'another symbol',
    { symbol: 'ES', side: 'long', at: at('14:43:00') },
    'there is no long trade in ES at 2026-11-02 08:43; trades then: 08:42 MNQZ5 long c, 08:43 MGCG6 long d; correct the time or symbol, or add its id',
  ],
  [
    'two of a day',
    { symbol: 'MNQ', side: 'long', day, number: 4 },
    'there is no long trade in MNQ with the number 4 on 2026-11-02; trades then: 08:30 MNQZ5 short a, 08:30 MNQZ5 long b, 08:42 MNQZ5 long c, 08:43 MGCG6 long d; correct the number or symbol, or add its id',
  ],
])('%s: the error names the candidates', (_what, clues, message) => {
  expect(found(clues)).toBe(message);
});

test('in a minute that occurs twice, a single trade is found, and two are named', () => {
  const clues = { symbol: 'ES', at: Date.parse('2025-11-02T06:30:00Z') };
  insert.run('f', 'ESZ5', 'ES', 'long', '2025-11-02T07:30:00.000Z', 6800);
  expect(found(clues)).toBe('f');
  insert.run('e', 'ESZ5', 'ES', 'long', '2025-11-02T06:30:00.000Z', 6800);
  expect(found(clues)).toContain(
    'there are 2 trades in ES at 2025-11-02 01:30: 01:30 ESZ5 long e',
  );
});

test('an error shows the minute in a zone with half-hour offset', () => {
  const india = new TradeFinder(new Reader(db), 'me', 'Asia/Kolkata');
  expect(() => india.find({ symbol: 'ES', at: at('14:30:00') })).toThrow(
    'no trade in ES at 2026-11-02 20:00;',
  );
});

test.each([
  ['25,660.00', 25_660, 2],
  ['4,250.5', 4250.5, 1],
  ['25270,75', 25_270.75, 2],
  ['25.660,5', 25_660.5, 1],
  ['1,234,567', 1_234_567, 0],
  ['+$348', 348, 0],
  ['-$145', -145, 0],
  ['$-1.5', -1.5, 1],
  ['−0.24', -0.24, 2],
  ['–0.24', -0.24, 2],
  ['12 500', 12_500, 0],
  ['1e-8', 1e-8, 20],
])('%s is read', (text, value, decimals) => {
  expect(figureIn(text)).toEqual({ value, decimals });
});

test.each(['', '-', '1-2', '2.6R', '1:2', '1,23,4', '4.5 pm', '1'.repeat(50)])(
  "%s isn't a figure",
  (text) => {
    expect(figureIn(text)).toBeUndefined();
  },
);

test('a figure agrees with a value to the decimals written', () => {
  const isIn = (text: string, value: number) =>
    agrees(figureIn(text) as { value: number; decimals: number }, value);
  expect([
    isIn('4215.4', 4215.36),
    isIn('4215.4', 4215.34),
    isIn('0.73', 0.725),
    isIn('-1', -1.013),
  ]).toEqual([...[true, false, true, true]]);
});
