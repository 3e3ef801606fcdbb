/** What lines of older journals stated of a record, from what they changed. */
import { describe, expect, test } from 'vitest';
import { sessions } from '../../src/journal/resources/journals.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import type { Values } from '../../src/journal-write/record.ts';
import { FieldKinds, fold, type Statement } from '../../src/statements/fold.ts';
import {
  changeOf,
  extended,
  type OlderRow,
  overridden,
} from '../../src/statements/upgrade/older-rows.ts';
import { Walk } from '../../src/statements/upgrade/walk.ts';

const kinds = new FieldKinds(sessions);

const row = (import_id: number, format: string, own: Partial<OlderRow>): OlderRow => ({
  import_id,
  change: 'changed',
  before: null,
  after: null,
  path: null,
  place: null,
  account: null,
  clock: null,
  digits: null,
  format,
  ...own,
});

const changed = (before: Values, after: Values) => ({
  before: JSON.stringify(before),
  after: JSON.stringify(after),
});

/** Said by line and kind, of a session. */
function saidOf(
  rows: readonly OlderRow[],
  present: Values | undefined,
  beyond: Values = {},
) {
  const walk = new Walk({
    id: 's',
    kinds,
    present,
    isTrade: false,
    isMade: false,
    beyond: () => ({ ...beyond }),
  });
  return walk
    .run(rows)
    .map(({ row: { import_id }, kind, stated }) => [import_id, kind, stated]);
}

describe('a change', () => {
  test('of items and members is what came and went', () => {
    const before = { tags: ['a', 'b'], review: { lesson: 'x', rating: 4 }, mood: 'calm' };
    const after = { tags: ['b', 'c'], review: { lesson: null, rating: 4 }, mood: null };
    expect(changeOf(kinds, before, after)).toEqual({
      'tags+': ['c'],
      'tags-': ['a'],
      'review.lesson': null,
      mood: null,
    });
  });

  test('by a command that writes below a text is the paragraph', () => {
    const texts = [{ notes: 'a' }, { notes: 'a\n\nb\n\nc' }] as const;
    expect(changeOf(kinds, ...texts, true)).toEqual({ 'notes+': 'b\n\nc' });
    expect(changeOf(kinds, ...texts)).toEqual({ notes: 'a\n\nb\n\nc' });
  });

  test('extends what a file says, and what others say stands before it', () => {
    const file = { tags: ['a', 'b'], mood: 'calm', notes: 'n' };
    expect(
      extended(kinds, file, { 'tags-': ['a'], 'tags+': ['c'], mood: 'tense' }),
    ).toEqual({
      ...{ tags: ['b'], 'tags-': ['a'], 'tags+': ['c'] },
      ...{ mood: 'tense', notes: 'n' },
    });
    expect(overridden(kinds, file, { 'tags-': ['a'], mood: 'tense' })).toEqual({
      ...{ tags: ['b'], 'mood?': 'calm', notes: 'n' },
    });
  });
});

test('a growing file states the record each time, but not what was written between', () => {
  const rows = [
    row(1, 'csv', { change: 'added' }),
    row(2, 'annotate', changed({ mood: null }, { mood: 'calm' })),
    row(3, 'csv', { change: 'unchanged' }),
    row(4, 'csv', changed({ notes: 'a' }, { notes: 'b' })),
  ];
  const said = saidOf(rows, {
    id: 's',
    date: '2026-11-20',
    mood: 'calm',
    notes: 'b',
    tags: [],
  });
  expect(said).toEqual([
    [1, 'stated', { date: '2026-11-20', notes: 'a' }],
    [2, 'stated', { mood: 'calm' }],
    [3, 'stated', { date: '2026-11-20', notes: 'a' }],
    [4, 'stated', { date: '2026-11-20', notes: 'b' }],
  ]);
});

test('a removed record is what it was, with what no line explains', () => {
  const before = { id: 's', date: '2026-11-20', created_at: '2026-11-20T10:00:00.000Z' };
  const rows = [
    row(1, 'csv', { change: 'added' }),
    row(2, 'remove', { change: 'removed', before: JSON.stringify(before) }),
  ];
  expect(saidOf(rows, undefined, { mood: 'calm' })).toEqual([
    [1, 'stated', { date: '2026-11-20' }],
    [2, 'foreign', { mood: 'calm', created_at: before.created_at }],
    [2, 'removed', null],
  ]);
});

test('a file that was read again changed what a later line had added', () => {
  const rows = [
    row(1, 'csv', changed({ mood: null }, { mood: 'calm' })),
    row(3, 'csv', { change: 'added' }),
  ];
  expect(saidOf(rows, { id: 's', date: '2026-11-20', mood: 'calm' })).toEqual([
    [3, 'stated', { date: '2026-11-20' }],
    [1, 'stated', { date: '2026-11-20', mood: 'calm' }],
  ]);
});

test('what another program wrote between two lines is said before the second', () => {
  const rows = [
    row(1, 'note', changed({ mood: null }, { mood: 'calm' })),
    row(2, 'note', changed({ mood: 'tense' }, { mood: 'tired' })),
  ];
  const beyond = (record: Values, statements: readonly Statement[]) => {
    const { values } = fold(kinds, statements);
    return record['mood'] === (values['mood'] ?? null) ? {} : { mood: record['mood'] };
  };
  const own = {
    id: 's',
    kinds,
    present: { id: 's', mood: 'tired' },
    isTrade: false,
    isMade: false,
    beyond,
  };
  expect(
    new Walk(own)
      .run(rows)
      .map(({ row: { import_id }, kind, stated }) => [import_id, kind, stated]),
  ).toEqual([
    [1, 'stated', { mood: 'calm' }],
    [2, 'foreign', { mood: 'tense' }],
    [2, 'stated', { mood: 'tired' }],
  ]);
});

test('a rename states nothing of trades, and labels of a file no more than themselves', () => {
  const rows = [
    row(1, 'csv', { change: 'added', account: 'main' }),
    row(2, 'account', changed({ account: 'main' }, { account: 'Big' })),
    row(3, 'csv', changed({ setup: null }, { setup: 'Fade' })),
    row(4, 'csv', { change: 'unchanged' }),
  ];
  const present = { id: 't', symbol: 'ES', account: 'Big', setup: 'Fade' };
  const walk = new Walk({
    ...{ id: 't', kinds: new FieldKinds(trades), present },
    ...{ isTrade: true, isMade: false, beyond: () => ({}) },
  });
  expect(
    walk.run(rows).map(({ row: { import_id }, stated }) => [import_id, stated]),
  ).toEqual([
    [1, { symbol: 'ES', account: 'main' }],
    [3, { setup: 'Fade' }],
    [4, { symbol: 'ES', account: 'main' }],
  ]);
});
