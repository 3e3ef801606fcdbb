/** The periods that the arrows step to. */
import { expect, test } from 'vitest';
import { nameOfSpan, periodsBeside } from '../../src/web/periods.ts';

test.each<[name: string | null, before: string, after: string | null]>([
  ['90d', '2026-11', null],
  [null, '2026-11', null],
  ['all', '2026-11', null],
  ['2026', '2026-11', null],
  ['this_month', '2026-10', null],
  ['last_month', '2026-09', '2026-11'],
  ['2026-01', '2025-12', '2026-02'],
  ['this_week', '2026-W46', null],
  ['last_week', '2026-W45', '2026-W47'],
  ['2026-W01', '2025-W52', '2026-W02'],
  ['2021-W01', '2020-W53', '2021-W02'],
  ['today', '2026-11-19', null],
  ['2026-11-19', '2026-11-18', '2026-11-20'],
  ['2026-03-01', '2026-02-28', '2026-03-02'],
  ['2026-13', '2026-11', null],
])('beside %s are %s and %s', (name, before, after) => {
  expect(periodsBeside(name, '2026-11-20')).toEqual({ before, after });
});

test('a week belongs to the year of its Thursday', () => {
  const weeks = ['2025-12-29', '2026-12-28', '2027-01-04'].map((first) =>
    nameOfSpan({ unit: 'week', first }),
  );
  expect(weeks).toEqual(['2026-W01', '2026-W53', '2027-W01']);
});
