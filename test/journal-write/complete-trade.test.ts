/** Completing a trade from a file's values and the journal's: one case per row. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Execution, Values, WholeRecord } from '../../src/journal-write/record.ts';
import { completeTrade } from '../../src/journal-write/trade.ts';
import { newUser } from '../../src/journal-write/users.ts';
import { toInstantText } from '../../src/time.ts';

const NOW = '2026-11-20T15:00:00.000Z';
const user = newUser('me', { base_currency: 'EUR' });

/** Fills a minute apart, from 14:30 on: +2@100 bought two at 100. */
function fills(text: string, fees = 0): Execution[] {
  return text.split(' ').map((fill, index) => {
    const [quantity, price] = fill.slice(1).split('@').map(Number) as [number, number];
    const side = fill.startsWith('+') ? 'buy' : 'sell';
    return { executed_at: minute(index), side, quantity, price, fees, has_time: true };
  });
}

const minute = (n: number) => toInstantText(Date.UTC(2026, 10, 2, 14, 30 + n));

const NAMED = { id: 't1', symbol: 'AAPL', market: 'stock' };
const OPEN = {
  ...NAMED,
  side: 'long',
  status: 'open',
  executed_at: minute(0),
  quantity: 10,
  entry_price: 100,
};
const CLOSED = { ...OPEN, status: 'closed', closed_at: minute(60), exit_price: 103.5 };

const complete = (
  record: Values,
  executions?: Execution[],
  stored?: WholeRecord,
  account?: string,
) =>
  completeTrade({ record: { id: 't1', ...record }, executions }, stored, {
    user,
    account,
    now: NOW,
  });

const stored = (record: Values, executions?: Execution[]) => complete(record, executions);

describe('a new trade', () => {
  test.each<[string, Values, string | undefined, Values]>([
    [
      'closed, from prices',
      CLOSED,
      undefined,
      { gross_pnl: 35, open_quantity: 0, fees: 0, multiplier: 1 },
    ],
    [
      'short, with a multiplier',
      { ...CLOSED, side: 'short', multiplier: 50 },
      undefined,
      { gross_pnl: -1750 },
    ],
    [
      'with its own gross_pnl',
      { ...CLOSED, gross_pnl: 34.99 },
      undefined,
      { gross_pnl: 34.99 },
    ],
    [
      'with a gross_pnl that executions contradict',
      { ...NAMED, gross_pnl: 9 },
      '+1@1 -1@2',
      { gross_pnl: 9 },
    ],
    [
      'at prices with binary noise',
      { ...CLOSED, quantity: 3, exit_price: 100.1 },
      undefined,
      { gross_pnl: 0.3 },
    ],
    [
      'below zero',
      { ...CLOSED, quantity: 1, entry_price: -37.63, exit_price: -10 },
      undefined,
      { gross_pnl: 27.63 },
    ],
    [
      'open',
      OPEN,
      undefined,
      { gross_pnl: 0, open_quantity: 10, exit_price: null, closed_at: null },
    ],
    [
      'open, with a stated open quantity',
      { ...OPEN, open_quantity: 4 },
      undefined,
      { open_quantity: 4 },
    ],
    ['with an empty list of executions', CLOSED, '', { gross_pnl: 35, quantity: 10 }],
    [
      'from executions alone',
      NAMED,
      '+0.1@100 +0.2@103 -0.3@110',
      {
        side: 'long',
        status: 'closed',
        executed_at: minute(0),
        closed_at: minute(2),
        quantity: 0.3,
        open_quantity: 0,
        entry_price: 102,
        exit_price: 110,
        gross_pnl: 2.4,
        fees: 0.75,
      },
    ],
    [
      'from executions that leave it open',
      NAMED,
      '-4@10 +1@9',
      {
        side: 'short',
        status: 'open',
        closed_at: null,
        quantity: 4,
        open_quantity: 3,
        exit_price: 9,
        gross_pnl: 1,
      },
    ],
    [
      'from executions and a multiplier',
      { ...NAMED, multiplier: 50 },
      '-1@10 +1@9',
      { gross_pnl: 50, side: 'short' },
    ],
    [
      'from executions, with its own fees',
      { ...NAMED, fees: 9 },
      '+1@1 -1@2',
      { fees: 9, gross_pnl: 1 },
    ],
    [
      'stated as open although its executions end flat',
      { ...NAMED, status: 'open' },
      '+1@1 -1@2',
      { gross_pnl: 1 },
    ],
    [
      'in the base currency by default',
      CLOSED,
      undefined,
      { currency: 'EUR', fx_rate: null },
    ],
    [
      'in the base currency at rate 1',
      { ...CLOSED, fx_rate: 1 },
      undefined,
      { fx_rate: null },
    ],
    [
      'in another currency at rate 1',
      { ...CLOSED, currency: 'USDT', fx_rate: 1 },
      undefined,
      { fx_rate: 1 },
    ],
    [
      'in another currency without a rate',
      { ...CLOSED, currency: 'USD' },
      undefined,
      { fx_rate: null },
    ],
    [
      'with the timestamp of the import',
      CLOSED,
      undefined,
      { created_at: NOW, updated_at: NOW },
    ],
    [
      'with its own timestamp',
      { ...CLOSED, created_at: minute(90) },
      undefined,
      { created_at: minute(90) },
    ],
  ])('%s', (_, given, executions, expected) => {
    const list =
      executions === undefined
        ? undefined
        : executions === ''
          ? []
          : fills(executions, 0.25);
    const whole = complete(given, list);
    expect(whole.record).toMatchObject(expected);
    expect(whole.executions).toEqual(list ?? []);
  });

  test.each<[string, Values, string | undefined, string]>([
    [
      'reversed',
      NAMED,
      '+1@10 -2@11',
      'executions: reverse the position; end the trade at flat and start another',
    ],
    [
      'reversed, despite other values',
      { ...CLOSED, quantity: 1 },
      '+1@10 -2@11',
      'executions: reverse the position; end the trade at flat and start another',
    ],
    [
      'closed, with executions that leave it open',
      { ...CLOSED },
      '+1@10',
      "gross_pnl: is missing, and can't be computed because the executions don't end flat",
    ],
    [
      'closed without an exit price',
      { ...CLOSED, exit_price: null },
      undefined,
      "gross_pnl: is missing, and can't be computed without exit_price",
    ],
    [
      'in the base currency at another rate',
      { ...CLOSED, fx_rate: 1.1 },
      undefined,
      "fx_rate: must be 1 or omitted for a trade in the user's base currency (EUR); got 1.1",
    ],
    [
      'without fields',
      { id: 't1' },
      undefined,
      'symbol, market, side, status, executed_at, quantity, entry_price: are missing',
    ],
    [
      'closed, with few fields',
      { ...NAMED, status: 'closed' },
      undefined,
      'side, executed_at, quantity, entry_price: are missing',
    ],
    [
      'from executions without a symbol',
      { id: 't1' },
      '+1@1',
      'symbol, market: are missing',
    ],
    ['without a side', { ...CLOSED, side: undefined }, undefined, 'side: is missing'],
  ])('is rejected: %s', (_, given, executions, message) => {
    const record = Object.fromEntries(
      Object.entries(given).filter(([, value]) => value !== undefined),
    );
    expect(() =>
      complete(record, executions === undefined ? undefined : fills(executions)),
    ).toThrow(message);
  });

  test('beyond all bounds is rejected by the check of the record', () => {
    expect(
      complete({ ...CLOSED, quantity: 1e300, exit_price: 1e300 }).record['gross_pnl'],
    ).toBe(Number.POSITIVE_INFINITY);
    expect(complete(NAMED, fills('+9@1 -9@1e308', 1e308)).record).toMatchObject({
      fees: Number.NaN,
      gross_pnl: Number.NaN,
    });
  });
});

describe('a stored trade', () => {
  const FLAT = '+1@10 -1@11';
  test.each<[string, WholeRecord, Values, string | undefined, Values]>([
    [
      'keeps omitted fields',
      stored({ ...CLOSED, notes: 'n', fees: 2 }),
      { id: 't1' },
      undefined,
      { notes: 'n', fees: 2, gross_pnl: 35 },
    ],
    [
      'clears a field given as null',
      stored({ ...CLOSED, notes: 'n' }),
      { notes: null },
      undefined,
      { notes: null },
    ],
    [
      'keeps its gross_pnl if no price changes',
      stored({ ...CLOSED, gross_pnl: 34 }),
      { notes: 'n' },
      undefined,
      { gross_pnl: 34 },
    ],
    [
      'gets a new gross_pnl if a price changes',
      stored({ ...CLOSED, gross_pnl: 34 }),
      { exit_price: 101 },
      undefined,
      { gross_pnl: 10 },
    ],
    [
      'uses later prices instead of its executions',
      stored(NAMED, fills(FLAT)),
      { exit_price: 12 },
      undefined,
      { gross_pnl: 2 },
    ],
    [
      'closes, and leaves nothing open',
      stored(OPEN),
      { status: 'closed', closed_at: minute(9), exit_price: 101 },
      undefined,
      { open_quantity: 0, gross_pnl: 10 },
    ],
    [
      'keeps its open quantity',
      stored({ ...OPEN, open_quantity: 4 }),
      { quantity: 12 },
      undefined,
      { open_quantity: 4, gross_pnl: 0 },
    ],
    [
      'if open, keeps its realised P&L',
      stored(NAMED, fills('+4@10 -1@11')),
      { multiplier: 10 },
      undefined,
      { gross_pnl: 10 },
    ],
    [
      'gets new executions',
      stored(NAMED, fills(FLAT)),
      { id: 't1' },
      '-2@10 +2@9 ',
      { side: 'short', quantity: 2, entry_price: 10, gross_pnl: 2 },
    ],
    [
      'is reopened by new executions',
      stored(NAMED, fills(FLAT)),
      { id: 't1' },
      '+1@10',
      {
        status: 'open',
        closed_at: null,
        exit_price: null,
        open_quantity: 1,
        gross_pnl: 0,
      },
    ],
    [
      'keeps later values if executions are the same',
      stored({ ...NAMED, fees: 3 }, fills(FLAT)),
      { id: 't1' },
      FLAT,
      { fees: 3 },
    ],
    [
      'loses its executions but not its prices',
      stored(NAMED, fills(FLAT)),
      { id: 't1' },
      '',
      { entry_price: 10, exit_price: 11, gross_pnl: 1 },
    ],
    [
      'keeps its currency',
      stored({ ...CLOSED, currency: 'USD', fx_rate: 0.9 }),
      { id: 't1' },
      undefined,
      { currency: 'USD', fx_rate: 0.9 },
    ],
    [
      'loses its rate when it changes to the base currency',
      stored({ ...CLOSED, currency: 'USD', fx_rate: 0.9 }),
      { currency: 'EUR' },
      undefined,
      { fx_rate: null },
    ],
    [
      'keeps its timestamps',
      stored({ ...CLOSED, created_at: minute(90), updated_at: minute(91) }),
      { notes: 'n' },
      undefined,
      { created_at: minute(90), updated_at: minute(91) },
    ],
  ])('%s', (_, before, given, executions, expected) => {
    const list =
      executions === undefined
        ? undefined
        : executions === ''
          ? []
          : fills(executions.trim());
    const copy = structuredClone(before);
    const whole = complete(given, list, before);
    expect(whole.record).toMatchObject(expected);
    expect(whole.executions).toEqual(list ?? before.executions);
    expect(before).toEqual(copy);
  });
});

test.each([
  ['a new trade without one gets it', {}, undefined, 'main'],
  ['a new trade with one keeps its own', { account: 'own' }, undefined, 'own'],
  ['a stored trade without one gets it', {}, { account: null }, 'main'],
  ['a stored trade with one keeps it', {}, { account: 'own' }, 'own'],
  ['null counts as none', { account: null }, { account: 'own' }, 'main'],
])('the default account: %s', (_, given, before, account) => {
  const whole = complete(
    { ...CLOSED, ...given },
    undefined,
    before && stored({ ...CLOSED, ...before }),
    'main',
  );
  expect(whole.record['account']).toBe(account);
});

test('P&L of fills that end flat is proceeds minus cost', () => {
  const fill = fc.record({
    lots: fc.integer({ min: 1, max: 400 }),
    ticks: fc.integer({ min: -100, max: 200_000 }),
  });
  const property = fc.property(
    fc.array(fill, { minLength: 1, maxLength: 12 }),
    fill,
    fc.constantFrom('buy' as const, 'sell' as const),
    fc.constantFrom(1, 0.01, 1e-8),
    fc.constantFrom(1, 5, 50, 1000),
    (opening, last, side, lot, multiplier) => {
      // In whole numbers of lots and ticks of a quarter, which are exact.
      const total = opening.reduce((sum, { lots }) => sum + lots, 0);
      const all = [
        ...opening.map((one) => ({ ...one, side })),
        { ...last, lots: total, side: side === 'buy' ? 'sell' : 'buy' } as const,
      ];
      const flow = all.reduce(
        (sum, one) => sum + (one.side === 'sell' ? 1 : -1) * one.lots * one.ticks,
        0,
      );
      const turnover = all.reduce((sum, one) => sum + one.lots * Math.abs(one.ticks), 0);
      const executions = all.map((one, index) => ({
        executed_at: minute(index),
        side: one.side,
        quantity: Number((one.lots * lot).toPrecision(15)),
        price: one.ticks / 4,
        fees: 0,
        has_time: true,
      }));
      const { record } = complete({ ...NAMED, multiplier }, executions);
      expect(record).toMatchObject({
        status: 'closed',
        open_quantity: 0,
        side: side === 'buy' ? 'long' : 'short',
      });
      const exact = (flow / 4) * lot * multiplier;
      // Lots of 0.01 aren't exact in binary: each of the sums that nearly cancel out has 15 digits.
      const noise = (turnover / 4) * lot * multiplier * 1e-15;
      expect(Math.abs((record['gross_pnl'] as number) - exact)).toBeLessThanOrEqual(
        1e-8 + noise,
      );
    },
  );
  fc.assert(property);
});
