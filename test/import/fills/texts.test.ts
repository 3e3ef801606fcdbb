/** The user's text on a trade whose fills a new fill splits or merges. */
import { describe, expect, test } from 'vitest';
import type { FileFill } from '../../../src/import/fills/reading.ts';
import { FillHome } from '../fill-home.ts';
import { at, makeFileFills } from './make-file-fill.ts';

const ID = (id: string) => `x:MESZ6:2026-11-02:${id}`;

/** A fill before all others. */
const [opening] = makeFileFills(['buy 1 @ 100'], {
  executionId: '0',
  executedAt: '2026-11-02T14:00:00.000Z',
}) as [FileFill];

const noted = (home: FillHome) =>
  home
    .rows('SELECT id, open_quantity, notes FROM trades ORDER BY executed_at, id')
    .map(
      ({ id, open_quantity, notes }) =>
        `${String(id).split(':').at(-1)} open ${open_quantity}: ${notes}`,
    );

function withNotes(lines: readonly string[], trade = '1'): FillHome {
  const home = new FillHome().withUser();
  home.take(makeFileFills(lines));
  home.import(home.lines('trades.jsonl', { id: ID(trade), notes: 'waited' }));
  return home;
}

describe('a fill that an earlier one splits into two trades', () => {
  test('keeps it on the trade with its id, if both hold the same quantity', () => {
    const home = withNotes(['sell 2 @ 101']);
    expect(home.take([opening]).trades.moved).toEqual([]);
    expect(noted(home)).toEqual(['0 open 0: null', '1 open 1: waited']);
  });

  test('moves it to the other trade, if that holds more', () => {
    const home = withNotes(['sell 3 @ 101']);
    expect(home.take([{ ...opening, quantity: 2 }]).trades.moved).toEqual([
      { from: ID('1'), to: ID('0') },
    ]);
    expect(noted(home)).toEqual(['0 open 0: waited', '1 open 1: null']);
  });
});

test("the trade's share of a fill decides, not the whole fill", () => {
  const home = withNotes(['buy 1 @ 100', 'sell 3 @ 101']);
  home.take([{ ...opening, side: 'sell' }]);
  expect(noted(home)).toEqual(['0 open 0: waited', '2 open 3: null']);
});

test('all of the text moves', () => {
  const written = {
    ...{
      setup: 'orb',
      timeframe: '5m',
      tags: ['a'],
      mistakes: ['late'],
      rating: 4,
      notes: 'waited',
    },
    ...{ initial_risk: 50, stop_loss: 99, take_profit: 110, mae: -5, mfe: 8 },
  };
  const home = new FillHome().withUser();
  home.take(makeFileFills(['buy 2 @ 101', 'sell 3 @ 102']));
  home.import(home.lines('trades.jsonl', { id: ID('1'), ...written }));
  home.take([opening]);
  expect(home.everything()['trades']).toMatchObject([{ id: ID('0'), ...written }]);
});

test('undo of a file takes its labels from a trade whose id has changed', () => {
  const home = withNotes(['buy 2 @ 101', 'sell 3 @ 102']);
  home.take([opening]);
  expect(home.undo(2)).toMatchObject({ missing: [], records: { restored: 1 } });
  expect(noted(home)).toEqual(['0 open 0: null']);
});

test("an undo that would delete a trade in the user's group names the command that ungroups it", () => {
  const home = new FillHome().withUser();
  home.take(
    makeFileFills(['buy 1 @ 100', 'sell 1 @ 101', 'buy 1 @ 102', 'sell 1 @ 103']),
  );
  home.write(
    "INSERT INTO trade_groups (user_id, id, name, kind, status, opened_at, closed_at, currency, market, created_at, updated_at) SELECT 'me', 'g', 'g', 'custom', 'closed', min(executed_at), max(closed_at), 'USD', 'future', min(created_at), min(created_at) FROM trades; UPDATE trades SET group_id = 'g'",
  );
  expect(() => home.undo(1)).toThrow(
    `lose its group_id; move them to another trade first, and run journal-api ungroup ${ID('1')}`,
  );
});

test.each(['best_trade_id', 'worst_trade_id'])(
  'a weekly review that refers to it as %s stops an undo',
  (field) => {
    const home = new FillHome().withUser();
    home.take(makeFileFills(['buy 1 @ 100', 'sell 1 @ 101']));
    const week = { id: 'w', period_start: '2026-11-02', period_end: '2026-11-08' };
    home.import(home.lines('weekly-reviews.jsonl', { ...week, [field]: ID('1') }));
    const before = home.hash();
    expect(() => home.undo(1)).toThrow(
      'import 2 (weekly-reviews.jsonl) is about trade x:MESZ6:2026-11-02:1; journal-api import undo 2',
    );
    expect(home.hash()).toBe(before);
  },
);

describe('a trade that the user removed', () => {
  const taken = () => {
    const home = new FillHome().withUser();
    home.take(makeFileFills(['buy 1 @ 100', 'sell 1 @ 101', 'buy 1 @ 90']));
    home.write(`DELETE FROM trades WHERE id = '${ID('1')}'`);
    return home;
  };
  const next = makeFileFills(['sell 1 @ 95'], { executionId: '9', executedAt: at(9) });

  test("stays out while its fills don't change", () => {
    const home = taken();
    home.take(next);
    expect(noted(home)).toEqual(['3 open 0: null']);
  });

  test('is made again if its fills change', () => {
    const home = taken();
    const scaled = makeFileFills(['buy 1 @ 99'], {
      executionId: '8',
      executedAt: '2026-11-02T15:00:00.500Z',
    });
    home.take(scaled);
    expect(noted(home)).toEqual(['1 open 2: null']);
  });

  test("isn't counted as removed if another replaces it", () => {
    const home = taken();
    expect(home.take([opening]).trades).toMatchObject({ added: 1, removed: 1 });
    expect(noted(home)).toEqual(['0 open 2: null']);
  });
});

test('executions that the user changed stay, and the report names the trade', () => {
  const home = new FillHome().withUser();
  home.take(makeFileFills(['buy 1 @ 100', 'sell 1 @ 101']));
  home.write(
    `UPDATE executions SET price = 50 WHERE side = 'buy'; UPDATE trades SET entry_price = 50`,
  );
  const scaled = makeFileFills(['buy 1 @ 99'], {
    executionId: '8',
    executedAt: '2026-11-02T15:00:00.500Z',
  });
  expect(home.take(scaled).trades).toMatchObject({ changed: 0, kept: [ID('1')] });
  expect(home.rows('SELECT quantity, entry_price FROM trades')).toEqual([
    { quantity: 1, entry_price: 50 },
  ]);
});
