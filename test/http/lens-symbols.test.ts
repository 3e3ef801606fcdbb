/** Responses to a key that hides symbols: the same journal with pseudonyms, without a byte of the true names. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import { overlayOf } from '../../src/journal/lens-views.ts';
import type { Lens } from '../../src/keys/lens.ts';
import { TEXT } from '../../src/sqlite/reader.ts';
import { runs } from '../effort.ts';
import { type Row, tradeRow, World } from '../helpers.ts';
import { filler } from '../journal/analytics/fill.ts';
import { type Question, question } from '../journal/analytics/journals.ts';
import {
  addLimits,
  addNotes,
  answer,
  copyShown,
  everything,
  LISTS,
  PATHS,
  pages,
  rewriteTexts,
  withoutReturn,
} from './lens-worlds.ts';

const HIDES = ['texts', 'symbols'] as const;
const LENS: Lens = { accounts: null, since: null, hides: HIDES };

/** The seed of keys in tests. */
const SEED = Buffer.alloc(32, 7);

function pseudonym(kind: string, name: string, length = 6): string {
  const bytes = createHmac('sha256', SEED).update(`${kind} ${name}`).digest();
  return `${kind}-${[...bytes.subarray(0, length)].map((byte) => 'abcdefghijkmnpqrstuvwxyz23456789'[byte % 32]).join('')}`;
}

const fold = (text: string) => text.toLowerCase().normalize('NFC');
const idOf = (id: string) => pseudonym('id', id, 13);
const symbolOf = (symbol: string) => pseudonym('sym', fold(symbol));

/** Labels, with the symbols in each, if any. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  'AAPL fade': ['aapl'],
  'my btcusd plan': ['btcusd'],
  'B.T.C-usd': ['btcusd'],
  'es open': ['es'],
  xESx: ['es'],
  'yes, chased': [],
  'ÄÖ-day': ['äö'],
  '7203': ['7203'],
};
const NAMES = Object.keys(LABELS);

/** Adds such labels to the journal of a world. */
function addLabels(world: World): void {
  const pick = (n: string) =>
    `CASE (rowid * 7 + ${n}) % ${NAMES.length} ${NAMES.map((name, i) => `WHEN ${i} THEN '${name}'`).join(' ')} END`;
  world.db.exec(`
    UPDATE trades SET account = 'AAPL fade' WHERE rowid % 5 = 0;
    INSERT INTO account_limits (user_id, import_id, account, balance, max_loss, trailing, since)
      SELECT 'me', 1, 'AAPL fade', 1000, 900, 'static', max(since) FROM account_limits;
    UPDATE trades SET setup = ${pick('1')}, timeframe = ${pick('2')}, tags = json_array('news', ${pick('3')}) WHERE rowid % 2 = 0;
    UPDATE trades SET mistakes = json_array(${pick('4')}, 'chased') WHERE rowid % 3 = 0;
    UPDATE trade_groups SET strategy = ${pick('5')}, tags = json_array(${pick('1')}), setup = ${pick('6')}, mistakes = json_array(${pick('3')}) WHERE rowid % 2 = 0;
    UPDATE trade_journals SET rules = json_array(json_object('rule', ${pick('2')}, 'followed', json('true'))), emotions = json_array(${pick('6')});
    UPDATE sessions SET mood = ${pick('1')}, review = json_object('mistakes', json_array(${pick('3')}), 'lesson', 'AAPL');
    UPDATE missed_trades SET setup = ${pick('4')}, emotions = json_array(${pick('5')});`);
}

const TEXTS =
  'title body went_well went_wrong lesson name plan summary focus reason notes source market_context';
const EMPTIED = 'attachments goals next_goals fields';
const PRICES =
  'entry_price exit_price price stop_loss take_profit strike expiration multiplier planned_entry planned_stop planned_target';
const IDS = ['id', 'trade_id', 'group_id', 'best_trade_id', 'worst_trade_id'];

/** A row for a key that hides symbols, computed from the name of each column. */
function renamedRow(symbols: ReadonlySet<string>): (table: string, row: Row) => Row {
  const labelOf = (label: string) =>
    LABELS[label]?.some((symbol) => symbols.has(symbol))
      ? pseudonym('label', fold(label))
      : label;
  return (_table, row) => {
    const renamed = (name: string, value: string): Row[string] => {
      if (name === 'name' && 'kind' in row) return '';
      if (TEXTS.split(' ').includes(name)) return null;
      if (name === 'fields') return '{}';
      if (EMPTIED.split(' ').includes(name)) return '[]';
      if (IDS.includes(name)) return idOf(value);
      if (name === 'symbol' || name === 'underlying') return symbolOf(value);
      if (['account', 'setup', 'timeframe', 'strategy', 'mood'].includes(name))
        return labelOf(value);
      if (['tags', 'mistakes', 'emotions'].includes(name))
        return JSON.stringify(JSON.parse(value).map(labelOf));
      if (name === 'rules')
        return JSON.stringify(
          JSON.parse(value).map(
            ({ rule, followed }: { rule: string; followed: boolean }) => ({
              rule: labelOf(rule),
              followed,
            }),
          ),
        );
      if (name !== 'review') return value;
      const { mistakes, followed_plan = null } = JSON.parse(value);
      return JSON.stringify({ mistakes: mistakes.map(labelOf), followed_plan });
    };
    return Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === 'string' ? renamed(name, value) : value,
      ]),
    );
  };
}

const GONE = new Set(`${TEXTS} ${EMPTIED} ${PRICES} excerpt description`.split(' '));

/** A response without hidden data, by the names of its fields. */
function stripped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stripped);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      // The reasons of figures and the titles of errors are the program's texts.
      .filter(([name]) => {
        if (name === 'reason') return !('miss_type' in value);
        return !GONE.has(name) || (name === 'title' && 'code' in value);
      })
      .map(([name, inner]) => [name, stripped(inner)]),
  );
}

/** The requests of lens-worlds, with pseudonyms. */
const SHOWN_PATHS = [
  ...PATHS.filter((path) => !/[?&]q=/.test(path)).map((path) =>
    path.replace(
      /(symbol|underlying)=(\w+)/,
      (_, name, symbol) => `${name}=${symbolOf(symbol)}`,
    ),
  ),
  `/v1/analytics/summary?sections=performance&where={"symbol":["${symbolOf('ES')}","${symbolOf('ÄÖ')}"]}&exclude={"underlying":"${symbolOf('aapl')}"}`,
  `/v1/trades?setup=${pseudonym('label', 'aapl fade')}`,
  `/v1/trades?setup=AAPL%20fade`,
  `/v1/trades?group_id=${idOf('g')}`,
  `/v1/trade-journals?trade_id=${idOf('t0')}`,
];

const narrowed: fc.Arbitrary<Pick<Lens, 'accounts'> & { sinceTrade: number | null }> =
  fc.record({
    accounts: fc.constantFrom(null, null, ['main']),
    sinceTrade: fc.constantFrom(null, null, 0.5),
  });

test('every response equals that of a journal with other names and without texts', async () => {
  const world = new World();
  const other = new World();
  const whole = other.key();
  const fill = filler(world);
  let n = 0;
  await fc.assert(
    fc.asyncProperty(
      question,
      narrowed,
      async ({ journal, now }, { accounts, sinceTrade }) => {
        fill(journal);
        addNotes(world);
        const times = journal.trades.map(({ executed_at }) => executed_at).sort();
        const at =
          sinceTrade === null ? undefined : times[Math.floor(sinceTrade * times.length)];
        const shown = { accounts, since: at?.slice(0, 10) ?? null };
        const part = (of: unknown) =>
          accounts === null && shown.since === null ? of : withoutReturn(of);
        addLimits(world, shown.since);
        addLabels(world);
        // Twice: the symbols in use decide which labels contain one.
        const symbols = new Set<string>();
        copyShown(world, other, shown, (_table, row) => {
          for (const name of [row['symbol'], row['underlying']])
            if (typeof name === 'string') symbols.add(fold(name));
          return row;
        });
        copyShown(world, other, shown, renamedRow(symbols));
        world.now = now;
        other.now = now;
        const key = world.key(undefined, 'me', `key_${n++}`, { ...shown, hides: HIDES });
        for (const path of SHOWN_PATHS) {
          expect([path, part(await answer(world, path, key, true))]).toEqual([
            path,
            part(stripped(await answer(other, path, whole))),
          ]);
        }
        for (const list of LISTS) {
          const path = `/v1/${list}?limit=1`;
          expect(await pages(world, path, key, true)).toEqual(
            stripped(await pages(other, path, whole)),
          );
        }
        for (const { id } of journal.trades) {
          const path = `/v1/trades/${idOf(id)}`;
          expect([path, part(await answer(world, path, key, true))]).toEqual([
            path,
            part(stripped(await answer(other, path, whole))),
          ]);
          expect((await world.ask(`/v1/trades/${id}`, { key })).status).toBe(404);
        }
      },
    ),
    { numRuns: runs(40, 1, 2) },
  );
}, 600_000);

const LETTERS = 'abcdefghijklmnopqrstuvwxyz';
const word = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 7, maxLength: 10 })
  .map((letters) => letters.join('').toUpperCase());
const words = fc.uniqueArray(word, { minLength: 7, maxLength: 7, selector: fold });

/** The symbols of random journals, in any letter case. */
const SYMBOLS = ['aapl', 'btcusd', 'es', '7203', 'äö'];

/** A journal with names in all symbols, ids, labels and texts, and with unique numbers as prices. */
function named(
  world: World,
  { journal }: Question,
  names: readonly string[],
  price: number,
): void {
  filler(world)(journal);
  addNotes(world, (what) => `${names[5]} ${what}`);
  // Each is the symbol of a record: other words in labels are visible.
  const missed = {
    missed_at: '2026-01-01T00:00:00.000Z',
    market: 'stock',
    side: 'long',
    miss_type: 'away',
    currency: 'USD',
  };
  world.insert(
    'missed_trades',
    ...names.map((symbol, i) => ({ ...missed, id: `x${i}`, symbol })),
  );
  const of = (column: string) =>
    `CASE lower(${column}) ${SYMBOLS.map((symbol, i) => `WHEN '${symbol}' THEN '${names[i]}'`).join(' ')} WHEN NULL THEN NULL ELSE '${names[4]}' END`;
  const label = (i: number) => `'${names[i]?.toLowerCase()} fade'`;
  const under = `underlying = CASE WHEN underlying IS NOT NULL THEN ${of('underlying')} END`;
  world.db.exec(`
    UPDATE trades SET symbol = ${of('symbol')}, ${under}, exit_price = ${price}.25, take_profit = ${price + 1}, strike = ${price + 2}.5,
      expiration = '2031-0${(price % 9) + 1}-19', notes = '${names[0]}', source = '${names[1]}', setup = iif(rowid % 2, setup, ${label(0)}),
      tags = json_array('news', ${label(1)});
    UPDATE trades SET entry_price = ${price}.5, multiplier = 1 + ${price} / 1e9 WHERE stop_loss IS NULL OR initial_risk IS NOT NULL;
    UPDATE executions SET price = ${price}.75;
    UPDATE trade_groups SET ${under}, name = '${names[2]} spread', strategy = ${label(2)}, notes = '${names[3]}';
    UPDATE missed_trades SET symbol = iif(id GLOB 'x*', symbol, ${of('symbol')}), reason = '${names[0]}', planned_entry = ${price + 3}.5, planned_stop = ${price + 4};
    UPDATE trade_journals SET title = '${names[1]}', mistakes = json_array(${label(1)}), rules = json_array(json_object('rule', ${label(3)}, 'followed', NULL));
    UPDATE sessions SET mood = ${label(0)}, market_context = json_object('key_levels', json_array(json_object('symbol', '${names[6]}', 'price', ${price + 5})), 'news', json_array('${names[4]}'));
    UPDATE weekly_reviews SET summary = '${names[5]}', mistakes = json_array('${names[6]} chased');
    UPDATE users SET name = '${names[5]}';`);
}

/** Gives every record an id that contains a name. */
function nameIds(world: World, name: string): void {
  world.db.pragma('foreign_keys = OFF');
  for (const [table, columns] of Object.entries({
    trades: ['id', 'group_id'],
    trade_groups: ['id'],
    executions: ['trade_id'],
    trade_journals: ['id', 'trade_id'],
    group_journals: ['id', 'group_id'],
    sessions: ['id'],
    weekly_reviews: ['id', 'best_trade_id', 'worst_trade_id'],
    missed_trades: ['id'],
  }))
    world.db.exec(
      `UPDATE ${table} SET ${columns.map((column) => `${column} = '${name}.' || ${column}`).join(', ')}`,
    );
  world.db.pragma('foreign_keys = ON');
}

/** A text, and all that it may encode: escapes, percent, base64, hexadecimal. */
function decodings(text: string): string {
  const unescaped = text.replace(/\\u([0-9a-f]{4})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const percent = unescaped.replace(/%([0-9a-f]{2})/gi, (_, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const runs = percent.match(/[\w+/-]{8,}={0,2}/g) ?? [];
  const decoded = runs.flatMap((run) => [
    // From each of the four possible starts of a group of four.
    ...[0, 1, 2, 3].map((from) =>
      Buffer.from(run.slice(from), 'base64').toString('latin1'),
    ),
    Buffer.from(run.match(/[0-9a-f]{8,}/i)?.[0] ?? '', 'hex').toString('latin1'),
  ]);
  return [percent, ...decoded].join('\n').toLowerCase();
}

const idsShown = async (world: World, key: string): Promise<string[]> =>
  (await world.ask('/v1/trades?limit=3', { key, lens: true })).body.data.map(
    ({ id }: { id: string }) => id,
  );

test('no byte of hidden data is in a response, encoded or not', async () => {
  const world = new World();
  let n = 0;
  await fc.assert(
    fc.asyncProperty(question, words, fc.boolean(), async (asked, names, hidesMoney) => {
      const price = 7_654_321;
      named(world, asked, names, price);
      nameIds(world, names[6] as string);
      world.now = asked.now;
      const hides = hidesMoney ? (['money', ...HIDES] as const) : HIDES;
      const lens = { ...LENS, accounts: n % 3 === 0 ? [`main`] : null, hides };
      const key = world.key(undefined, 'me', `key_${n++}`, lens);
      const seen = await everything(world, key, await idsShown(world, key));
      const hidden = [
        ...names.map(fold),
        ...[0, 1, 2, 3, 4, 5].map((more) => String(price + more)),
        '2031-0',
      ];
      for (const text of seen) {
        const all = decodings(text);
        expect([hidden.filter((name) => all.includes(name)), text]).toEqual([[], text]);
      }
      // Else the test would prove nothing.
      if (asked.journal.trades.length > 0)
        expect(
          (await everything(world, world.key(), [])).join('').toLowerCase(),
        ).toContain(fold(names[6] as string));
    }),
    { numRuns: runs(30, 1, 2) },
  );
}, 600_000);

/** Names with pseudonyms in the same order, as symbols and in labels. */
function inSameOrder(names: readonly string[]): string[] {
  const forms: ((name: string) => string)[] = [
    symbolOf,
    (name) => pseudonym('label', `${fold(name)} fade`),
  ];
  const orderOf = (some: readonly string[]) =>
    forms.map((form) =>
      some
        .map((_, i) => i)
        .sort((a, b) => (form(some[a] as string) < form(some[b] as string) ? -1 : 1)),
    );
  const wanted = JSON.stringify(orderOf(names));
  for (let n = 0; ; n++) {
    const others = names.map((_, i) =>
      `XQ${'ZWVUTS'[i]}${n.toString(36)}YX`.toUpperCase(),
    );
    if (JSON.stringify(orderOf(others)) === wanted) return others;
  }
}

test('two journals that differ only in symbols, prices and texts give the same bytes, except for pseudonyms', async () => {
  const worlds = [new World(), new World()];
  for (const { db } of worlds)
    for (const { name } of db
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name LIKE '%_touch'",
      )
      .all() as { name: string }[])
      db.exec(`DROP TRIGGER ${name}`);
  const keys = worlds.map((world) => world.key(undefined, 'me', 'key_same', LENS));
  const full = worlds.map((world) => world.key());
  await fc.assert(
    fc.asyncProperty(question, word, async (asked, one) => {
      const first = [one, 'MNQZ26', 'ESXXFUT', 'BTCUSDT'];
      const names = [first, inSameOrder(first)];
      const seen: string[][] = [];
      const whole: string[][] = [];
      for (const [i, world] of worlds.entries()) {
        const [a, b, c, d] = names[i] as [string, string, string, string];
        named(world, asked, [a, b, c, d, a, b, c], 7_654_321 + 111 * i);
        rewriteTexts(world, i === 0 ? 'zqxj' : 'wvbkp longer');
        // The visible part of stops: their distance in money is the risk, from which R is computed.
        world.db.exec(`UPDATE trades SET entry_price = entry_price * ${2 ** i}, stop_loss = stop_loss * ${2 ** i}, multiplier = multiplier / ${2 ** i}
          WHERE stop_loss IS NOT NULL AND initial_risk IS NULL`);
        for (const table of [
          'trades',
          'trade_groups',
          'trade_journals',
          'group_journals',
          'sessions',
          'weekly_reviews',
          'missed_trades',
          'users',
        ])
          world.db.exec(
            `UPDATE ${table} SET created_at = '2026-01-01T00:00:00.000Z', updated_at = '2026-01-01T00:00:00.000Z'`,
          );
        world.now = asked.now;
        seen.push(
          await everything(
            world,
            keys[i] as string,
            await idsShown(world, keys[i] as string),
          ),
        );
        whole.push(await everything(world, full[i] as string, []));
      }
      const pairs = (names[0] as string[]).flatMap((name, i) => {
        const other = names[1]?.[i] as string;
        return [
          [symbolOf(name), symbolOf(other)],
          ...['fade', 'chased'].map((more) => [
            pseudonym('label', `${fold(name)} ${more}`),
            pseudonym('label', `${fold(other)} ${more}`),
          ]),
        ] as [string, string][];
      });
      const mapped = (text: string) =>
        pairs.reduce((all, [from, to]) => all.replaceAll(from, to), text);
      const withoutTag = (text: string) => text.replace(/\["etag","[^\]]*\]/, '');
      const [expected, shown] = [
        seen[0]?.map(mapped).map(withoutTag),
        seen[1]?.map(withoutTag),
      ];
      const differing = expected?.findIndex((text, i) => text !== shown?.[i]) as number;
      expect(shown?.[differing]).toEqual(expected?.[differing]);
      expect(whole[1]).not.toEqual(whole[0]);
    }),
    { numRuns: runs(30, 1, 2) },
  );
}, 600_000);

test('a filter accepts a pseudonym, in any letter case; any other word is the same error, even a symbol of the journal', async () => {
  const world = new World();
  world.insert(
    'trades',
    tradeRow('a', { symbol: 'AAPLXY', underlying: 'AAPLXX' }),
    tradeRow('b', { symbol: 'MNQZ26' }),
  );
  const key = world.key(undefined, 'me', 'key_a', LENS);
  const ask = async (path: string) => {
    const { status, body } = await world.ask(path, { key, lens: true });
    const { request_id: _, ...rest } = body;
    return { status, body: rest };
  };
  for (const [name, path] of [
    ['symbol', '/v1/trades?symbol='],
    ['underlying', '/v1/trades?underlying='],
    ['symbol', '/v1/trade-groups?symbol='],
    ['underlying', '/v1/trade-groups?underlying='],
    ['symbol', '/v1/journal-rows?symbol='],
    ['symbol', '/v1/missed-trades?symbol='],
    ['symbol', '/v1/analytics/summary?symbol='],
  ] as const) {
    const [real, none] = [await ask(`${path}AAPLXY`), await ask(`${path}QQQQQQ`)];
    expect([path, real.status, real.body.param, real.body.detail]).toEqual([
      path,
      400,
      name,
      expect.stringContaining('sym-'),
    ]);
    expect(real).toEqual(none);
  }
  for (const name of ['where', 'exclude'])
    for (const dimension of ['symbol', 'underlying']) {
      const asked = async (symbol: string) =>
        ask(`/v1/analytics/summary?${name}={"${dimension}":[null,"${symbol}"]}`);
      const [real, none] = [await asked('AAPLXY'), await asked('QQQQQQ')];
      expect([name, real.status, real.body.code]).toEqual([
        name,
        400,
        'invalid_parameter',
      ]);
      expect(real).toEqual(none);
      expect((await asked(symbolOf('AAPLXY'))).status).toBe(200);
    }
  for (const symbol of [symbolOf('AAPLXY'), symbolOf('aaplxy').toUpperCase()])
    expect((await ask(`/v1/trades?symbol=${symbol}`)).body.data).toMatchObject([
      { id: idOf('a'), symbol: symbolOf('AAPLXY') },
    ]);
  expect(
    (await ask(`/v1/trades?underlying=${symbolOf('AAPLXX')}`)).body.data,
  ).toHaveLength(1);
  expect((await ask('/v1/trades/a')).body).toEqual((await ask('/v1/trades/c')).body);
  expect((await ask(`/v1/trades?symbol=${symbolOf('none')}`)).body.hint).toMatch(
    /most used: "sym-/,
  );
});

test('ids are found by pseudonyms that this server has not shown, and by those it has forgotten', async () => {
  const [world, cold] = [new World(), new World()];
  for (const { db } of [world, cold])
    db.exec(`INSERT INTO trade_groups (user_id, id, name, kind, market, status, opened_at, currency)
      VALUES ('me', 'g', 'g', 'custom', 'stock', 'open', '2026-01-01T00:00:00.000Z', 'USD')`);
  const rows = Array.from({ length: 2500 }, (_, i) =>
    tradeRow(`t${i}`, { group_id: i % 500 === 0 ? 'g' : null }),
  );
  for (const each of [world, cold])
    each.db.transaction(() => each.insert('trades', ...rows))();
  const keys = [world, cold].map((each) => each.key(undefined, 'me', 'key_a', LENS));
  const paths = [
    `/v1/trades/${idOf('t2400')}`,
    `/v1/trades?group_id=${idOf('g')}&fields=id`,
    `/v1/trades/${idOf('none')}`,
    '/v1/trades/t2400',
    '/v1/trades?group_id=g',
  ];
  for (const path of paths) {
    await world.ask('/v1/trades?limit=100', { key: keys[0] as string, lens: true });
    const [first, again] = [
      await answer(cold, path, keys[1] as string, true),
      await answer(world, path, keys[0] as string, true),
    ];
    expect([
      path,
      JSON.stringify(first).replace(/"(created|updated)_at":"[^"]*"/g, ''),
    ]).toEqual([
      path,
      JSON.stringify(again).replace(/"(created|updated)_at":"[^"]*"/g, ''),
    ]);
  }
  const statuses = await Promise.all(
    paths.map(
      async (path) =>
        (await cold.ask(path, { key: keys[1] as string, lens: true })).status,
    ),
  );
  expect(statuses).toEqual([200, 200, 404, 404, 200]);
  // No pseudonym was shown before this statement.
  const journal = openJournal(world.files.journal);
  const overlay = overlayOf(LENS, { user_id: 'me', seed: Buffer.alloc(32, 8) });
  const sql = `SELECT id FROM trades WHERE user_id = ${TEXT} AND group_id = ${TEXT} ORDER BY executed_at, id`;
  const [all, found] = await journal.readLong(
    (reader) => {
      const { id } = reader.get("SELECT shown_id('g') AS id") as { id: string };
      const shown = reader.all(sql, 'me', id);
      for (let i = 0; i < 25_000; i++) reader.get('SELECT shown_id(?)', `x${i}`);
      return [shown, reader.all(sql, 'me', id)];
    },
    { overlay },
  );
  journal.close();
  expect(all).toHaveLength(5);
  expect(found).toEqual(all);
});

test('a changed journal: new symbols, and labels that contain one, have pseudonyms immediately', async () => {
  const world = new World();
  world.insert('trades', tradeRow('a', { symbol: 'AAPLXY', setup: 'gap and aaplxy' }));
  const symbols = async (key: string) =>
    (await world.ask('/v1/labels', { key, lens: true })).body.data.symbols.map(
      ({ value }: { value: string }) => value,
    );
  const key = world.key(undefined, 'me', 'key_a', LENS);
  expect(await symbols(key)).toEqual([symbolOf('AAPLXY')]);
  const setups = async () =>
    (await world.ask('/v1/trades?fields=setup', { key, lens: true })).body.data.map(
      ({ setup }: Row) => setup,
    );
  expect(await setups()).toEqual([pseudonym('label', 'gap and aaplxy')]);
  world.db.exec("UPDATE trades SET symbol = 'MSFTXY'");
  expect([await symbols(key), await setups()]).toEqual([
    [symbolOf('MSFTXY')],
    ['gap and aaplxy'],
  ]);
});
