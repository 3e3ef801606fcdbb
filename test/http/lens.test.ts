/** Responses to a key with a lens equal those of a journal with only its visible data, byte for byte. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Lens } from '../../src/keys/lens.ts';
import { keptFirst } from '../corpus.ts';
import { runs } from '../effort.ts';
import { tradeRow, World } from '../helpers.ts';
import { filler } from '../journal/analytics/fill.ts';
import { question } from '../journal/analytics/journals.ts';
import {
  addLimits,
  addNotes,
  answer,
  copyShown,
  everything,
  FIELD_PATHS,
  hidden,
  journalReturns,
  LISTS,
  PATHS,
  pages,
  rewriteTexts,
  scale,
  TABLES,
  withoutReturn,
} from './lens-worlds.ts';

const lens: fc.Arbitrary<Lens & { sinceTrade: number | null }> = fc.record({
  accounts: fc.constantFrom(null, ['main'], ['MAIN', 'other'], ['nobody']),
  since: fc.constant(null),
  hides: fc.constant([]),
  sinceTrade: fc.constantFrom(null, 0, 0.3, 0.6, 0.9),
});

/** Shrinking a failure would ask thousands of worlds everything, for half an hour. */
const AT_ONCE = { endOnFailure: true };

test('accounts and since: every response equals that of a journal with only the visible data', async () => {
  const world = new World();
  const other = new World();
  const whole = other.key();
  const fill = filler(world);
  let n = 0;
  await fc.assert(
    fc.asyncProperty(
      question,
      lens,
      async ({ journal, now }, { accounts, sinceTrade }) => {
        fill(journal);
        addNotes(world);
        const times = journal.trades.map(({ executed_at }) => executed_at).sort();
        const at =
          sinceTrade === null ? undefined : times[Math.floor(sinceTrade * times.length)];
        const shown = { accounts, since: at?.slice(0, 10) ?? null, hides: [] };
        if (accounts === null && shown.since === null) return;
        addLimits(world, shown.since);
        copyShown(world, other, shown);
        world.now = now;
        other.now = now;
        const key = world.key(undefined, 'me', `key_${n++}`, shown);
        for (const path of [...PATHS, ...FIELD_PATHS]) {
          const part = await answer(world, path, key);
          expect([path, journalReturns(part)]).toEqual([path, []]);
          expect([path, withoutReturn(part)]).toEqual([
            path,
            withoutReturn(await answer(other, path, whole)),
          ]);
        }
        for (const list of LISTS) {
          const path = `/v1/${list}?limit=1`;
          expect(await pages(world, path, key)).toEqual(await pages(other, path, whole));
        }
        const extentOf = async (of: World, key: string) =>
          (await of.ask('/v1/me', { key })).body.data.extent;
        expect(await extentOf(world, key)).toEqual(await extentOf(other, whole));
        for (const { id } of journal.trades) {
          const path = `/v1/trades/${id}`;
          expect([path, await answer(world, path, key)]).toEqual([
            path,
            await answer(other, path, whole),
          ]);
        }
      },
    ),
    { numRuns: runs(60, 1, 2), ...AT_ONCE },
  );
}, 300_000);

test.each<[string, Lens['hides'], (world: World, which: number) => void]>([
  [
    'texts',
    ['texts'],
    (world, which) => rewriteTexts(world, which === 0 ? 'zqxj' : 'wvbkp longer'),
  ],
  ['amounts', ['money'], (world, which) => scale(world, which === 0 ? 2 ** 20 : 2 ** 26)],
])(
  '%s hidden: two journals that differ only in these give the same bytes, everywhere',
  async (_title, hides, change) => {
    const worlds = [new World(), new World()];
    // Without the triggers that set updated_at, only the hidden data differs.
    for (const { db } of worlds)
      for (const table of [...TABLES.filter((name) => name !== 'executions'), 'users'])
        db.exec(`DROP TRIGGER ${table}_touch`);
    const fills = worlds.map(filler);
    const keys = worlds.map((world) =>
      world.key(undefined, 'me', 'key_same', hidden(hides)),
    );
    const full = worlds.map((world) => world.key());
    await fc.assert(
      fc.asyncProperty(question, async ({ journal, now }) => {
        const ids = journal.trades.slice(0, 3).map(({ id }) => id);
        const seen: string[][] = [];
        const whole: string[][] = [];
        for (const [i, world] of worlds.entries()) {
          fills[i]?.(journal);
          addNotes(world);
          for (const table of TABLES.slice(3).concat('trades', 'trade_groups', 'users'))
            world.db.exec(
              `UPDATE ${table} SET created_at = '2026-01-01T00:00:00.000Z', updated_at = '2026-01-01T00:00:00.000Z'`,
            );
          change(world, i);
          world.now = now;
          seen.push(await everything(world, keys[i] as string, ids));
          whole.push(await everything(world, full[i] as string, ids));
        }
        const differing = seen[0]?.findIndex((one, i) => one !== seen[1]?.[i]) as number;
        expect(seen[1]?.[differing]).toEqual(seen[0]?.[differing]);
        // Else the test would prove nothing.
        if (journal.trades.some(({ gross_pnl }) => gross_pnl !== 0))
          expect(whole[1]).not.toEqual(whole[0]);
      }),
      { ...keptFirst('hidden-amounts', runs(40, 1, 2)), ...AT_ONCE },
    );
  },
  1_500_000,
);

test('amounts hidden: their lengths have no effect, not even on the truncation of texts in the summary', async () => {
  const worlds = [new World(), new World()];
  const keys = worlds.map((world) =>
    world.key(undefined, 'me', 'key_same', hidden(['money'])),
  );
  for (const [i, world] of worlds.entries()) {
    for (let n = 0; n < 8; n++) {
      world.insert(
        'trades',
        tradeRow(`t${n}`, {
          symbol: `S${n}`,
          setup: `s${n}`,
          gross_pnl: n % 3 === 0 ? -3 : 2,
        }),
      );
      world.insert('trade_journals', {
        ...{ id: `n${n}`, trade_id: `t${n}`, phase: 'during', body: '', lesson: '' },
        created_at: `2026-11-1${n}T15:00:00.000Z`,
      });
      world.insert('weekly_reviews', {
        id: `w${n}`,
        period_start: `2026-11-1${n}`,
        period_end: `2026-11-1${n}`,
      });
    }
    scale(world, i === 0 ? 1 : 2 ** 30);
  }
  let isCut = false;
  for (let length = 100; length <= 240; length += 4) {
    const texts: string[] = [];
    for (const [i, world] of worlds.entries()) {
      const text = 'x '.repeat(length / 2);
      world.db
        .prepare('UPDATE trade_journals SET title = @text, body = @text, lesson = @text')
        .run({ text });
      world.db
        .prepare(
          'UPDATE weekly_reviews SET summary = @text, lesson = @text, focus = @text',
        )
        .run({ text });
      const { body } = await world.ask('/v1/summary', {
        key: keys[i] as string,
        lens: true,
      });
      texts.push(JSON.stringify(body.data));
      isCut ||= body.data.recent_journals[0].excerpt.length < length - 20;
    }
    expect([length, texts[1]]).toEqual([length, texts[0]]);
  }
  expect(isCut).toBe(true);
}, 60_000);

test('amounts hidden: a cursor does not reveal its position in R, because digits of R reveal amounts', async () => {
  const world = new World();
  for (const n of [1, 2, 3, 4])
    world.insert(
      'trades',
      tradeRow(`t${n}`, { gross_pnl: 1234.56 * n, initial_risk: 789.13 }),
    );
  const digits = String((1234.56 * 4) / 789.13);
  const path = '/v1/trades?sort=r_multiple&limit=1';
  const cursorFor = async (key: string) =>
    (await world.ask(path, { key, lens: true })).body.pagination.next_cursor;
  const isRevealed = (cursor: string) =>
    Buffer.from(cursor, 'base64url').toString('latin1').includes(digits.slice(0, 12));
  const [full, key] = [
    world.key(),
    world.key(undefined, 'me', 'key_hides', hidden(['money'])),
  ];
  expect([isRevealed(await cursorFor(full)), isRevealed(await cursorFor(key))]).toEqual([
    true,
    false,
  ]);
  const ids: string[] = [];
  for (let next = path; next !== ''; ) {
    const { body } = await world.ask(next, { key, lens: true });
    ids.push(body.data[0].id);
    const { next_cursor: cursor } = body.pagination;
    next = cursor === null ? '' : `${path}&cursor=${cursor}`;
  }
  expect(ids).toEqual(['t4', 't3', 't2', 't1']);
  const cursor = await cursorFor(key);
  const changed = [
    `${cursor}A`,
    `A${cursor}`,
    cursor.replace('.', ''),
    `.${cursor.split('.')[1]}`,
    cursor.split('.')[0],
  ];
  for (const wrong of [...changed, await cursorFor(full)]) {
    const { status, body } = await world.ask(`${path}&cursor=${wrong}`, {
      key,
      lens: true,
    });
    expect([wrong, status, body.code]).toEqual([wrong, 400, 'invalid_cursor']);
  }
});
