/** Which fills of another export are duplicates, and which only look like it. */
import { describe, expect, test } from 'vitest';
import type { FileFill } from '../../../src/import/fills/reading.ts';
import { FillHome } from '../fill-home.ts';
import { makeFileFill } from './make-file-fill.ts';

const one = { name: 'one', platform: 'p' };
const two = { name: 'two', platform: 'p' };
const fill = (time: string, changes: Partial<FileFill> = {}) =>
  makeFileFill({ executedAt: `2026-11-02T${time}Z`, quantity: 3, ...changes });

const ALREADY = /already in the journal/;
const count = (home: FillHome) =>
  home.rows('SELECT count(*) AS fills FROM fills')[0]?.['fills'];

describe('a fill that another export of the platform states equally', () => {
  test('is a duplicate if one of them names no account', () => {
    const home = new FillHome().withUser();
    home.take([fill('15:00:07.000')], { format: one, account: 'a' });
    expect(() => home.take([fill('15:00:07.000')], { format: two })).toThrow(ALREADY);
  });

  test('is separate in another account', () => {
    const home = new FillHome().withUser();
    home.take([fill('15:00:07.000')], { format: one, account: 'a' });
    home.take([fill('15:00:07.000')], { format: two, account: 'b' });
    expect(count(home)).toBe(2);
  });
});

describe('a fill with the same id, if the platform has unique ids', () => {
  const known = fill('15:00:07.000', { executionId: 'E1', price: 100.25 });
  const taking = (changes: Partial<FileFill>) => {
    const home = new FillHome().withUser();
    home.take([known], { format: { ...one, hasUniqueIds: true } });
    home.take([{ ...known, ...changes }], { format: { ...two, hasUniqueIds: true } });
    return home;
  };

  test.each<[string, Partial<FileFill>]>([
    ['a rounded price', { price: 100.3 }],
    ['a time in another zone', { executedAt: '2026-11-02T20:00:07.000Z', price: 100.3 }],
  ])('is a duplicate with %s', (_, changes) => {
    expect(() => taking(changes)).toThrow(ALREADY);
  });

  test.each<[string, Partial<FileFill>]>([
    ['on the other side', { side: 'sell', price: 100.3 }],
    ['two days later', { executedAt: '2026-11-04T15:00:07.000Z' }],
    ['with another id', { executionId: 'E2', price: 100.3 }],
  ])('is separate %s', (_, changes) => {
    expect(count(taking(changes))).toBe(2);
  });
});

describe('fills that add up to those of a day', () => {
  const orders = { mayStateOrders: true };

  test.each(['05:00:00.000', '03:30:00.000'])(
    'are duplicates if the other export has dates only (%s)',
    (start) => {
      for (const [first, second] of [
        [start, '15:07:09.000'],
        ['15:07:09.000', start],
      ] as const) {
        const home = new FillHome().withUser();
        home.take([fill(first)], { format: { ...one, ...orders } });
        expect(() =>
          home.take([fill(second)], { format: { ...two, ...orders } }),
        ).toThrow(ALREADY);
      }
    },
  );

  test('are separate if both have times and the same number of fills', () => {
    const home = new FillHome().withUser();
    home.take([fill('15:07:08.000')], { format: { ...one, ...orders } });
    home.take([fill('15:07:09.000')], { format: { ...two, ...orders } });
    expect(count(home)).toBe(2);
  });

  test('are separate if the export has ids', () => {
    const home = new FillHome().withUser();
    home.take([fill('15:00:00.000', { executionId: '1' })], {
      format: { ...one, ...orders },
    });
    home.take([fill('15:30:00.000', { executionId: '2' })], {
      format: { ...one, ...orders },
    });
    expect(count(home)).toBe(2);
  });
});
