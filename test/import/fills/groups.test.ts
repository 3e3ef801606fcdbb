/** Legs opened by one order or at one instant become groups; the user's own grouping, ungrouping and naming stay. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportJournal } from '../../../src/export/index.ts';
import type { FileFill, FormatTraits } from '../../../src/import/fills/reading.ts';
import { type Instrument, option, stock } from '../../../src/parse/instruments.ts';
import { runs } from '../../effort.ts';
import { FillHome } from '../fill-home.ts';
import { at, makeFileFill } from './make-file-fill.ts';

const FORMAT: FormatTraits = { name: 'x', hasUniqueIds: true };

/** "C100" and "P95" of 5 December, "C100b" of 16 January; else shares. */
function instrumentOf(word: string, underlying = 'META'): Instrument {
  const [, letter, strike, later] = /^([CP])(\d+)(b?)$/.exec(word) ?? [];
  if (!letter) return { ...stock(word), multiplier: 1 };
  const optionType = letter === 'C' ? 'call' : 'put';
  const expiration = later ? '2027-01-16' : '2026-12-05';
  return option(
    { underlying, expiration, strike: Number(strike), optionType },
    { multiplier: 100 },
  );
}

let count = 0;

/** "+1 C100 @5": a fill by an order at a second; without an order if that is null. */
function leg(
  text: string,
  orderId: string | null,
  second: number,
  changes: Partial<FileFill> = {},
): FileFill {
  const [quantity = '', word = '', price = '@1'] = text.split(' ');
  return makeFileFill({
    executionId: String(++count),
    instrument: instrumentOf(word),
    executedAt: at(second),
    side: quantity.startsWith('-') ? 'sell' : 'buy',
    quantity: Math.abs(Number(quantity)),
    price: Number(price.slice(1)),
    mayShort: true,
    orderId,
    ...changes,
  });
}

const order = (
  texts: string,
  orderId: string | null,
  second: number,
  changes: Partial<FileFill> = {},
) => texts.split(', ').map((text) => leg(text, orderId, second, changes));

function homeOf(...files: readonly (readonly FileFill[])[]): FillHome {
  const home = new FillHome().withUser();
  for (const fills of files) home.take(fills, { format: FORMAT });
  return home;
}

/** Each group by name, with the symbols of its legs. */
function groupsIn(home: FillHome): string[] {
  return home
    .rows(
      `SELECT g.name, (SELECT group_concat(symbol, ' + ') FROM (SELECT trim(substr(symbol, -4)) AS symbol FROM trades AS t
         WHERE t.user_id = g.user_id AND t.group_id = g.id ORDER BY symbol)) AS legs FROM trade_groups AS g ORDER BY g.opened_at, g.id`,
    )
    .map(({ name, legs }) => `${name}: ${legs}`);
}

const VERTICAL = 'META 2026-12-05 call vertical 100/105: C100 + C105';

describe('legs', () => {
  test.each([
    [
      'of one order, filled at any time',
      [leg('+1 C100', 'a', 0), leg('-1 C105', 'a', 9)],
      [VERTICAL],
    ],
    ['of one instant, without orders', order('+1 C100, -1 C105', null, 0), [VERTICAL]],
    [
      'of one instant, each by its own order',
      [leg('+1 C100', 'a', 0), leg('-1 C105', 'b', 0)],
      [VERTICAL],
    ],
    [
      'of several instants, without orders',
      [leg('+1 C100', null, 0), leg('-1 C105', null, 1)],
      [],
    ],
    ['of two orders', [leg('+1 C100', 'a', 0), leg('-1 C105', 'b', 1)], []],
    [
      'of two spreads at one instant, each by its order',
      [...order('+1 C100, -1 C105', 'a', 0), ...order('+1 P95, -1 P90', 'b', 0)],
      ['META 2026-12-05 put vertical 90/95: P90 + P95', VERTICAL],
    ],
    [
      'of an order, with a leg that is alone in its own',
      [...order('+1 C100, -1 C105', 'a', 0), leg('+1 P95', 'b', 0)],
      [VERTICAL],
    ],
    [
      'of two underlyings',
      [
        leg('+1 C100', 'a', 0),
        leg('-1 C105', 'a', 0, { instrument: instrumentOf('C105', 'NVDA') }),
      ],
      [],
    ],
    [
      'of two accounts',
      [
        leg('+1 C100', 'a', 0, { account: '1' }),
        leg('-1 C105', 'a', 0, { account: '2' }),
      ],
      [],
    ],
    [
      'of two currencies',
      [
        leg('+1 C100', 'a', 0),
        leg('-1 C105', 'a', 0, {
          instrument: { ...instrumentOf('C105'), currency: 'EUR' },
        }),
      ],
      [],
    ],
    [
      'of a day without times',
      order('+1 C100, -1 C105', null, 0, { hasTime: false }),
      [],
    ],
    [
      'of an order without times',
      order('+1 C100, -1 C105', 'a', 0, { hasTime: false }),
      [VERTICAL],
    ],
    [
      'that are shares and a call on them',
      order('+100 META @100, -1 C105', 'a', 0),
      ['META 2026-12-05 covered call 105: C105 + META'],
    ],
    ['that are shares of two companies', order('+100 META, +100 NVDA', 'a', 0), []],
    [
      'that close, of a roll',
      [
        ...order('+1 C100, -1 C105', 'a', 0),
        ...order('-1 C100, +1 C105, +1 C110, -1 C115', 'b', 9),
      ],
      [VERTICAL, 'META 2026-12-05 call vertical 110/115: C110 + C115'],
    ],
  ])('%s', (_, fills, groups) =>
    expect(groupsIn(homeOf(fills)).sort()).toEqual([...groups].sort()),
  );
});

test('a group has the dates of its legs, its strategy, and its maximum loss', () => {
  const open = order('+2 C100 @5, -2 C105 @3', 'a', 0);
  const home = homeOf(open, [leg('-2 C100 @6', 'b', 20)]);
  const about = {
    kind: 'multi_leg',
    strategy: 'vertical',
    underlying: 'META',
    market: 'option',
    currency: 'USD',
    initial_risk: 400,
  };
  const [group] = home.everything()['trade-groups'] ?? [];
  expect(group).toMatchObject({
    ...about,
    status: 'open',
    opened_at: at(0),
    closed_at: null,
    leg_count: 2,
    gross_pnl: 200,
  });
  const { groups } = home.take([leg('+2 C105 @1', 'c', 30)], { format: FORMAT });
  expect(groups).toEqual({ added: [], changed: 1, removed: 0, kept: [] });
  const [closed] = home.everything()['trade-groups'] ?? [];
  expect(closed).toMatchObject({
    ...about,
    status: 'closed',
    closed_at: at(30),
    gross_pnl: 600,
    r_multiple: 1.5,
  });
});

test('an import older than spread detection is grouped by the next', () => {
  const home = homeOf(order('+1 C100, -1 C105', null, 0));
  home.write(
    'UPDATE trades SET group_id = NULL; DELETE FROM trade_groups; DELETE FROM found_groups',
  );
  home.take([leg('+1 P95', null, 5)], { format: FORMAT });
  expect(groupsIn(home)).toEqual([VERTICAL]);
});

test('a file that names the order of known fills groups them', () => {
  const fills = [leg('+1 C100', null, 0), leg('-1 C105', null, 5)];
  const home = homeOf(fills);
  expect(groupsIn(home)).toEqual([]);
  home.take(
    fills.map((own) => ({ ...own, orderId: 'a' })),
    { format: FORMAT },
  );
  expect(groupsIn(home)).toEqual([VERTICAL]);
});

describe("a user's decision", () => {
  const legs = () => order('+1 C100, -1 C105, +1 P95', 'a', 0);
  const later = () => [leg('-1 C100 @2', 'b', 30), leg('+1 C105 @2', 'c', 40)];
  const again = (home: FillHome, fills: FileFill[]) => {
    home.take(later(), { format: FORMAT });
    home.undo();
    home.take(fills, { format: FORMAT });
    home.take([leg('+1 P90', 'd', 50)], { format: FORMAT });
  };

  test.each([
    [
      'an ungrouped leg',
      "UPDATE trades SET group_id = NULL WHERE symbol LIKE '%P95'",
      ['META 2026-12-05 3 legs 95/100/105: C100 + C105'],
    ],
    [
      'an ungrouped group',
      'UPDATE trades SET group_id = NULL; DELETE FROM trade_groups',
      [],
    ],
    [
      'a name',
      "UPDATE trade_groups SET name = 'My spread'",
      ['My spread: C100 + C105 + P95'],
    ],
    [
      'a group of the user',
      `INSERT INTO trade_groups (user_id, id, name, kind, market, status, opened_at, currency)
         VALUES ('me', 'own', 'Hedge', 'hedge', 'option', 'open', '2026-11-02T15:00:00.000Z', 'USD');
       UPDATE trades SET group_id = 'own' WHERE symbol LIKE '%P95'`,
      ['Hedge: P95', 'META 2026-12-05 3 legs 95/100/105: C100 + C105'],
    ],
  ])('stays: %s', (_, sql, groups) => {
    const fills = legs();
    const home = homeOf(fills);
    home.write(sql);
    expect(groupsIn(home).sort()).toEqual([...groups].sort());
    again(home, fills);
    // The next import names what is left of a group.
    const named = groups.map((group) =>
      group.replace('3 legs 95/100/105', 'call vertical 100/105'),
    );
    expect(groupsIn(home).sort()).toEqual(named.sort());
  });

  test('of a spread that has one leg left stays, and so does its name', () => {
    const home = homeOf(order('+1 C100, -1 C105', 'a', 0));
    home.write("UPDATE trades SET group_id = NULL WHERE symbol LIKE '%C105'");
    home.take([leg('-1 C100', 'b', 20)], { format: FORMAT });
    const name = VERTICAL.replace('C100 + C105', 'C100');
    expect(groupsIn(home)).toEqual([name]);
    expect(home.rows('SELECT status FROM trade_groups')).toEqual([{ status: 'closed' }]);
  });

  test('stays if an earlier fill gives the trade another opening', () => {
    const home = homeOf(order('+1 C100, -1 C105', 'a', 10));
    home.write('UPDATE trades SET group_id = NULL; DELETE FROM trade_groups');
    home.take(order('+1 C100, -1 C105', 'z', 0), { format: FORMAT });
    expect(groupsIn(home)).toEqual([]);
    home.undo();
    expect(groupsIn(home)).toEqual([]);
  });

  test('stays when the fills are imported again after an undo', () => {
    const fills = order('+1 C100, -1 C105', 'a', 0);
    const home = homeOf(fills);
    home.write('UPDATE trades SET group_id = NULL; DELETE FROM trade_groups');
    home.undo();
    home.take(fills, { format: FORMAT });
    expect(groupsIn(home)).toEqual([]);
  });

  test('moves with the fills into an account that a file names', () => {
    const fills = order('+1 C100, -1 C105', 'a', 0);
    const home = homeOf(fills);
    home.write("UPDATE trade_groups SET name = 'My spread', notes = 'patience'");
    const entry = {
      id: 'j',
      group_id: home.rows('SELECT id FROM trade_groups')[0]?.['id'],
      phase: 'review',
    };
    home.import(home.lines('group-journals.jsonl', entry));
    home.take(fills, { format: FORMAT, account: 'main' });
    expect(groupsIn(home)).toEqual(['My spread: C100 + C105']);
    expect(
      home.rows(
        'SELECT j.id, g.notes FROM group_journals AS j JOIN trade_groups AS g ON g.id = j.group_id',
      ),
    ).toEqual([{ id: 'j', notes: 'patience' }]);
  });

  test.each([
    [
      'a journal entry',
      "INSERT INTO group_journals (user_id, id, group_id, phase) SELECT 'me', 'j', id, 'review' FROM trade_groups",
    ],
    ['notes', "UPDATE trade_groups SET notes = 'patience'"],
    ['a name', "UPDATE trade_groups SET name = 'My spread'"],
  ])(
    'keeps a group without trades that has %s, until its fills are imported again',
    (_, sql) => {
      const fills = order('+1 C100, -1 C105', 'a', 0);
      const home = homeOf(fills);
      home.write(sql);
      const before = home.everything();
      const { groups } = home.undo();
      expect(groups.kept).toHaveLength(1);
      expect(home.rows('SELECT count(*) AS trades FROM trades')).toEqual([{ trades: 0 }]);
      home.take(fills, { format: FORMAT });
      const legs = (all: ReturnType<FillHome['everything']>) =>
        all['trade-groups']?.map(({ name, notes, leg_count }) => [
          name,
          notes,
          leg_count,
        ]);
      expect(legs(home.everything())).toEqual(legs(before));
    },
  );
});

test('an export keeps all of it', async () => {
  const fills = [
    ...order('+1 C100, -1 C105', 'a', 0),
    ...order('+1 P95, -1 P90', 'b', 5),
    ...order('+1 C80, -1 C85', 'c', 9),
  ];
  const home = homeOf(fills);
  home.write(`UPDATE trade_groups SET name = 'My spread' WHERE name LIKE '%100/105%';
    UPDATE trades SET group_id = NULL WHERE option_type = 'put'; DELETE FROM trade_groups WHERE name LIKE '%put%'`);
  await exportJournal({
    journal: home.journal,
    folder: home.path('export'),
    as: 'jsonl',
  });
  const copy = new FillHome();
  copy.import(home.path('export'));
  const later = [
    leg('-1 C100', 'd', 20),
    leg('-1 P95', 'd', 20),
    leg('-1 C80', 'd', 20),
    leg('+1 C85', 'd', 20),
  ];
  for (const own of [home, copy]) own.take(later, { format: FORMAT });
  expect(groupsIn(copy)).toEqual([
    'My spread: C100 + C105',
    'META 2026-12-05 call vertical 80/85: C80 + C85',
  ]);
  expect(copy.everything()['trade-groups']?.map(({ status }) => status)).toEqual([
    'closed',
    'open',
  ]);
  expect(groupsIn(home)).toEqual(groupsIn(copy));
});

test('with --no-groups nothing is grouped, now or by a later import', () => {
  const fills = order('+1 C100, -1 C105', 'a', 0);
  const home = new FillHome().withUser();
  home.take(fills, { format: FORMAT, groups: false });
  home.take(order('+1 P95, -1 P90', 'b', 9), { format: FORMAT });
  home.take([leg('-1 C100', 'c', 20)], { format: FORMAT });
  expect(groupsIn(home)).toEqual(['META 2026-12-05 put vertical 90/95: P90 + P95']);
});

/** Orders of a few legs at two instants, in two accounts or none, of two companies; and fills that close some of them. */
const anyFills = fc
  .array(
    fc.record({
      orderId: fc.constantFrom('a', 'b', null),
      second: fc.integer({ min: 0, max: 2 }),
      account: fc.constantFrom(null, '1', '2'),
      underlying: fc.constantFrom('META', 'META', 'NVDA'),
      word: fc.constantFrom('C100', 'C105', 'P95', 'P90', 'C100b', 'shares'),
      quantity: fc.constantFrom(-2, -1, 1, 1, 2, 100),
      price: fc.integer({ min: 1, max: 9 }),
      hasTime: fc.constantFrom(true, true, true, false),
    }),
    { minLength: 2, maxLength: 8 },
  )
  .map((own) =>
    own.map(({ word, quantity, price, underlying, second, ...more }, place) =>
      makeFileFill({
        ...more,
        executionId: String(place + 1),
        instrument:
          word === 'shares' ? instrumentOf(underlying) : instrumentOf(word, underlying),
        executedAt: more.hasTime ? at(second) : '2026-11-02T05:00:00.000Z',
        side: quantity < 0 ? 'sell' : 'buy',
        quantity: Math.abs(quantity),
        price,
      }),
    ),
  );

/** The contents of the journal, except timestamps and import ids. */
function state(home: FillHome): unknown[] {
  return [
    ...home.contents(),
    ...['trade_groups', 'found_groups'].map((table) =>
      home
        .rows(`SELECT * FROM ${table}`)
        .map(({ created_at: _, updated_at: __, ...row }) => JSON.stringify(row))
        .sort(),
    ),
  ];
}

/** Legs of each group, by plain comparison of all pairs. */
function pairs(home: FillHome): string[] {
  const legs = home.rows(
    `SELECT t.id, t.group_id, t.market, lower(coalesce(t.account, '')) || ' ' || iif(t.market = 'option', t.underlying, t.symbol) AS about,
       f.order_id, iif(f.has_time, f.executed_at, NULL) AS instant FROM trades AS t JOIN fills AS f ON f.execution_id = t.id AND f.account IS t.account`,
  );
  const isTogether = (
    all: typeof legs,
    by: (one: (typeof legs)[0]) => unknown,
    one: (typeof legs)[0],
  ) => {
    const own = all.filter(
      (other) => other['about'] === one['about'] && by(other) === by(one),
    );
    return by(one) !== null &&
      own.length > 1 &&
      own.some(({ market }) => market === 'option')
      ? own
      : [];
  };
  const ofOrder = (one: (typeof legs)[0]) =>
    isTogether(legs, (own) => own['order_id'], one);
  const alone = legs.filter((one) => ofOrder(one).length === 0);
  const groups = legs.flatMap((one) => {
    const own = alone.includes(one)
      ? isTogether(alone, (other) => other['instant'], one)
      : ofOrder(one);
    return own.length > 0
      ? own
          .map(({ id }) => id)
          .sort()
          .join(' ')
      : [];
  });
  return [...new Set(groups)].sort();
}

function found(home: FillHome): string[] {
  const groups = Map.groupBy(
    home.rows('SELECT id, group_id FROM trades WHERE group_id IS NOT NULL'),
    (row) => row['group_id'],
  );
  return [...groups.values()]
    .map((own) =>
      own
        .map(({ id }) => id)
        .sort()
        .join(' '),
    )
    .sort();
}

/** Fills in files, each of which overlaps the next, in any order. */
const anyFiles = anyFills.chain((fills) =>
  fc.record({
    fills: fc.constant(fills),
    files: fc
      .array(
        fc.record({ from: fc.nat(fills.length - 1), length: fc.nat(fills.length) }),
        {
          maxLength: 3,
        },
      )
      .map((cuts) => [
        ...cuts.map(({ from, length }) => fills.slice(from, from + length)),
        fills,
      ])
      .chain((files) => fc.shuffledSubarray(files, { minLength: files.length })),
  }),
);

describe('with random fills', () => {
  test('groups match a comparison of all pairs, and change no money', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(anyFills, (fills) => {
        const home = homeOf(fills);
        expect(found(home)).toEqual(pairs(home));
        const plain = new FillHome().withUser();
        plain.take(fills, { format: FORMAT, groups: false });
        const money = (own: FillHome) =>
          own.rows(
            'SELECT id, gross_pnl, fees, net_pnl, quantity, status FROM trades ORDER BY id',
          );
        expect(money(home)).toEqual(money(plain));
        for (const { id, gross_pnl, net_pnl } of home.everything()['trade-groups'] ??
          []) {
          const [sums] = home.rows(
            'SELECT round(sum(gross_pnl), 8) AS gross_pnl, round(sum(net_pnl), 8) AS net_pnl FROM trades WHERE group_id = ?',
            id,
          );
          expect({ gross_pnl, net_pnl }).toEqual(sums);
        }
      }),
      { numRuns: runs(150, 6) },
    );
  });

  test('groups are the same for any order and overlap of files, and after each undo', {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(anyFiles, fc.nat(), ({ fills, files }, which) => {
        const whole = homeOf(fills);
        const home = homeOf(...files);
        expect(state(home)).toEqual(state(whole));
        const place = which % files.length;
        home.undo(place + 1);
        const without = homeOf(...files.filter((_, index) => index !== place));
        expect(state(home)).toEqual(state(without));
      }),
      { numRuns: runs(150, 6) },
    );
  });

  test("the user's decisions are the same after any file is undone and imported again", {
    timeout: 60_000,
  }, () => {
    fc.assert(
      fc.property(anyFiles, fc.nat(), fc.boolean(), ({ files }, which, isRenamed) => {
        const home = homeOf(...files);
        const [group] = home.rows('SELECT id FROM trade_groups ORDER BY id');
        fc.pre(group !== undefined);
        const id = String(group?.['id']);
        if (isRenamed)
          home.write(`UPDATE trade_groups SET name = 'Mine' WHERE id = '${id}'`);
        else
          home.write(
            `UPDATE trades SET group_id = NULL WHERE group_id = '${id}'; DELETE FROM trade_groups WHERE id = '${id}'`,
          );
        const before = state(home);
        const place = which % files.length;
        home.undo(place + 1);
        home.take(files[place] ?? [], { format: FORMAT });
        expect(state(home)).toEqual(before);
      }),
      { numRuns: runs(150, 6) },
    );
  });
});
