/** Creation times: a trade made from fills of earlier trades is as old as the oldest of them. */
import { expect, test } from 'vitest';
import type { FileFill } from '../../../src/import/fills/reading.ts';
import { FillHome } from '../fill-home.ts';
import { makeFileFill, makeFileFills } from './make-file-fill.ts';

const DAY = 86_400_000;

const ages = (home: FillHome) =>
  home
    .rows('SELECT id, notes, created_at FROM trades ORDER BY executed_at, id')
    .map(({ id, notes, created_at }) => [
      String(id).split(':').at(-1),
      notes,
      String(created_at).slice(0, 10),
    ]);

test('two trades merged by an earlier fill keep the first creation time', () => {
  const [opening, ...later] = makeFileFills([
    'buy 1 @ 9',
    'buy 1 @ 10',
    'sell 1 @ 11',
    'buy 1 @ 10',
    'sell 2 @ 11',
  ]);
  const home = new FillHome().withUser();
  for (const file of [later.slice(0, 2), later.slice(2)]) {
    home.take(file);
    home.now += DAY;
  }
  home.import(
    home.lines('trades.jsonl', { id: 'x:MESZ6:2026-11-02:4', notes: 'waited' }),
  );
  expect(ages(home)).toEqual([
    ['2', null, '2026-11-20'],
    ['4', 'waited', '2026-11-21'],
    ['5', null, '2026-11-21'],
  ]);
  home.take([opening as FileFill]);
  expect(ages(home)).toEqual([['1', 'waited', '2026-11-20']]);
});

test('trades with a shared fill keep the first creation time, even with only that fill', () => {
  const fills = makeFileFills(['buy 1 @ 100', 'sell 3 @ 101', 'buy 2 @ 99']);
  const home = new FillHome().withUser();
  home.take(fills);
  const created = '2026-12-24T10:00:00.000Z';
  home.import(
    home.lines('trades.jsonl', {
      id: 'x:MESZ6:2026-11-02:2',
      created_at: created,
      notes: 'turned',
    }),
  );
  const between = makeFileFill({
    executionId: '9',
    side: 'sell',
    quantity: 2,
    executedAt: '2026-11-02T15:00:00.500Z',
  });
  home.take([between]);
  expect(ages(home)).toEqual([
    ['1', null, '2026-11-20'],
    ['9', 'turned', '2026-11-20'],
  ]);
});
