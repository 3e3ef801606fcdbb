/** Identities of fills. */
import { describe, expect, test } from 'vitest';
import { identified } from '../../../src/import/fills/identity.ts';
import { ID_PATTERN } from '../../../src/journal/fields.ts';
import { MES, makeFileFill } from './make-file-fill.ts';

const ids = (...fills: Parameters<typeof makeFileFill>[0][]) =>
  [...identified(fills.map(makeFileFill), { account: null })].map(
    ([, { execution }]) => execution,
  );

describe('an execution id', () => {
  test('is combined with its symbol if the platform has unique ids', () => {
    const fills = [
      makeFileFill({ executionId: '22', pairedWith: '21' }),
      makeFileFill({ executionId: '22', pairedWith: '23' }),
    ];
    const made = [...identified(fills, { account: null, hasUniqueIds: true })].map(
      ([, identity]) => identity,
    );
    expect(made).toMatchObject([
      { execution: 'MESZ6:22', part: '21' },
      { execution: 'MESZ6:22', part: '23' },
    ]);
  });

  test('is combined with day and account otherwise, without revealing the account', () => {
    const made = ids(
      { executionId: '7', account: 'U1234567' },
      { executionId: '7', account: 'U7654321' },
      { executionId: '7', executedAt: '2026-11-03T15:00:00.000Z' },
      { executionId: '7' },
    );
    expect(new Set(made).size).toBe(4);
    expect(made.join()).not.toContain('U1234567');
    expect(made[3]).toBe('MESZ6:2026-11-02:7');
  });

  test('repeated in a file is one fill', () => {
    expect(ids({ executionId: '7' }, { executionId: '7', line: 3 })).toHaveLength(1);
  });

  test('of two different fills is rejected', () => {
    expect(() =>
      ids({ executionId: '7' }, { executionId: '7', line: 3, price: 101 }),
    ).toThrow(
      'price: execution 7 of MESZ6 has 100 on line 2 but 101 here; keep the right one',
    );
  });
});

describe('without one', () => {
  test('equal rows are separate fills, numbered; a file that has fewer of them has the first', () => {
    const three = ids({}, {}, {});
    expect(new Set(three).size).toBe(3);
    expect(ids({}, {})).toEqual(three.slice(0, 2));
  });

  test("line, order and stated P&L don't matter", () => {
    expect(ids({ line: 9, price: 101 }, { stated: { gross: 1 } })).toEqual(
      ids({}, { price: 101 }).reverse(),
    );
  });

  test.each([
    { account: 'a' },
    { executedAt: '2026-11-02T15:00:00.001Z' },
    { side: 'sell' },
    { quantity: 2 },
    { price: 100.25 },
    { kind: 'assignment' },
    { instrument: { ...MES, symbol: 'MES Z6' } },
    { clock: '2026-11-02T10:00:00.000' },
  ] as const)('%j matters', (changes) => {
    expect(ids(changes)).not.toEqual(ids({}));
  });

  test.each([
    { fees: 0.01 },
    { feeQuantity: 0.01 },
    { otherFee: { amount: 1, currency: 'EUR' } },
    { effect: 'open' },
    { instrument: { ...MES, market: 'other' } },
    { instrument: { ...MES, currency: 'EUR' } },
  ] as const)("%j doesn't matter", (changes) => {
    expect(ids(changes)).toEqual(ids({}));
  });

  test('the zone in which a clock is read is no part of it', () => {
    const clock = '2026-11-02T10:00:00.000';
    const inZone = (executedAt: string) => ids({ clock, executedAt });
    expect(inZone('2026-11-02T15:00:00.000Z')).toEqual(
      inZone('2026-11-02T09:00:00.000Z'),
    );
  });
});

test.each([
  [{ executionId: '1/2 3?' }],
  [{ executionId: 'x'.repeat(500), pairedWith: 'y'.repeat(500) }],
  [
    {
      instrument: { ...MES, symbol: 'Ü'.repeat(64) },
      executionId: 'é'.repeat(64),
      account: 'ü'.repeat(500),
    },
  ],
])('%j fits an id', (changes) => {
  for (const hasUniqueIds of [true, false]) {
    const [made] = [
      ...identified([makeFileFill(changes)], { account: null, hasUniqueIds }),
    ];
    expect(`${'f'.repeat(18)}:${made?.[1].execution}`).toMatch(ID_PATTERN);
  }
});

test('symbols that cleaning makes equal get different ids', () => {
  expect(
    new Set(ids({ executionId: '1?2' }, { executionId: '1!2' }, { executionId: '1-2' }))
      .size,
  ).toBe(3);
});
