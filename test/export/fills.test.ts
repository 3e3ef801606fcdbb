/** A journal of fills exported to a new one: later imports give the same result in both. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { EXPORT_FORMS, type ExportForm } from '../../src/export/forms.ts';
import { exportJournal } from '../../src/export/index.ts';
import type { FileFill } from '../../src/import/fills/reading.ts';
import { FillHome } from '../import/fill-home.ts';
import { anyPieces, piecesOf, toldPieces } from '../import/fills/any-pieces.ts';
import { at, makeFileFill } from '../import/fills/make-file-fill.ts';

let folders = 0;

async function exported(home: FillHome, as: ExportForm): Promise<string> {
  const folder = home.path(`export-${++folders}`);
  await exportJournal({ journal: home.journal, folder, as });
  return folder;
}

/** A new journal made from an export of another. */
async function copyOf(home: FillHome, as: ExportForm = 'jsonl'): Promise<FillHome> {
  const copy = new FillHome();
  copy.now += 86_400_000;
  copy.import(await exported(home, as));
  return copy;
}

/** All records, with the fill of each execution and the files that state each fill. */
const contentOf = (home: FillHome) => ({
  ...home.everything(),
  tables: home.contents(),
  stated: home.rows(
    `SELECT p.fill_id, i.file, i.format, i.account, p.place, p.fees, p.fees_stated FROM import_fills AS p
     JOIN imports AS i ON i.user_id = p.user_id AND i.id = p.import_id ORDER BY 1, 2`,
  ),
});

function taking(files: readonly (readonly FileFill[])[]): FillHome {
  const home = new FillHome().withUser();
  for (const file of files) home.take(file);
  return home;
}

test.each(EXPORT_FORMS.map((as) => [as]))(
  'any journal, as %s',
  { timeout: 60_000 },
  async (as) => {
    await fc.assert(
      fc.asyncProperty(anyPieces, async (pieces) => {
        const home = taking(piecesOf(pieces));
        const bytes = home.hash();
        const folder = await exported(home, as);
        const again = home.import(folder);
        expect(again.files.map(({ added, changed }) => added + changed)).toEqual(
          again.files.map(() => 0),
        );
        expect(home.hash()).toBe(bytes);
        expect(contentOf(await copyOf(home, as))).toEqual(contentOf(home));
      }),
      { numRuns: 3 },
    );
  },
);

test('later files give the same trades in the copy, and earlier ones change nothing', {
  timeout: 60_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(toldPieces, fc.nat({ max: 3 }), async (pieces, first) => {
      const files = piecesOf(pieces);
      // An export of nothing holds no file to import.
      fc.pre(files.slice(0, first + 1).some((file) => file.length > 0));
      const home = taking(files.slice(0, first + 1));
      const copy = await copyOf(home);
      for (const file of files.slice(0, first + 1)) {
        expect(copy.take(file)).toMatchObject({
          added: 0,
          trades: { added: 0, changed: 0, removed: 0 },
        });
      }
      expect(copy.trades()).toEqual(home.trades());
      for (const file of files.slice(first + 1))
        for (const own of [home, copy]) own.take(file);
      expect(copy.trades()).toEqual(home.trades());
    }),
    { numRuns: 5 },
  );
});

const fill = (id: number, side: 'buy' | 'sell', changes: Partial<FileFill> = {}) =>
  makeFileFill({
    executionId: String(id),
    side,
    executedAt: at(id),
    price: 100 + id,
    fees: 1,
    ...changes,
  });
const ID = (id: number) => `x:MESZ6:2026-11-02:${id}`;

test('the copy keeps notes, changes and removals', async () => {
  const home = taking([
    [1, 2, 3, 4, 5, 6, 7].map((id) => fill(id, id % 2 ? 'buy' : 'sell')),
  ]);
  const words = { notes: 'waited', tags: ['a'], rating: 4, account: 'ira' };
  home.import(home.lines('trades.jsonl', { id: ID(1), ...words }));
  home.import(
    home.lines('trade-journals.jsonl', {
      id: 'j',
      trade_id: ID(1),
      phase: 'review',
      body: 'why',
    }),
  );
  home.write(
    `DELETE FROM trades WHERE id = '${ID(3)}'; UPDATE trades SET fees = 7 WHERE id = '${ID(5)}'`,
  );
  const copy = await copyOf(home);
  expect(contentOf(copy)).toEqual(contentOf(home));
  const next = [7, 8, 9].map((id) => fill(id, id % 2 ? 'buy' : 'sell'));
  for (const own of [home, copy]) own.take(next);
  expect(copy.trades()).toEqual(home.trades());
  expect(copy.rows(`SELECT status FROM trades WHERE id = '${ID(7)}'`)).toEqual([
    { status: 'closed' },
  ]);
});

test('each import can be undone in the copy', async () => {
  const home = taking([
    [fill(1, 'buy'), fill(2, 'sell')],
    [fill(2, 'sell'), fill(3, 'buy'), fill(4, 'sell')],
  ]);
  const copy = await copyOf(home);
  const imports = copy.rows(
    "SELECT id, file, imported_at FROM imports WHERE file LIKE 'file-%' ORDER BY id",
  );
  expect(imports).toMatchObject([{ file: 'file-1' }, { file: 'file-2' }]);
  expect(imports.map((row) => row['imported_at'])).toEqual(
    home.rows('SELECT imported_at FROM imports').map((row) => row['imported_at']),
  );
  copy.undo(imports[1]?.['id'] as number);
  home.undo(2);
  expect(copy.trades()).toEqual(home.trades());
});

test('fills alone make their trades, and a later export continues an earlier one', async () => {
  const home = taking([[fill(1, 'buy')]]);
  const early = await exported(home, 'csv');
  home.take([fill(2, 'sell'), fill(3, 'buy', { account: 'a' })]);
  const late = await exported(home, 'csv');
  const alone = new FillHome().withUser();
  alone.import(`${late}/fills.csv`);
  expect(alone.trades()).toEqual(home.trades());
  const copy = new FillHome();
  copy.import(early);
  copy.import(late);
  expect(copy.trades()).toEqual(home.trades());
});

test('a journal without fills has no file of them', async () => {
  const home = new FillHome().withUser();
  expect(
    readdirSync(await exported(home, 'jsonl')).filter((name) =>
      /fills|imports/.test(name),
    ),
  ).toEqual([]);
});

test.each<[string, Record<string, unknown>, string]>([
  [
    'a price below 0',
    { price: -1, market: 'stock' },
    '1: price: must be 0 or more; got -1',
  ],
  [
    'an unknown side',
    { side: 'short' },
    '1: side: must be one of buy, sell; got "short"',
  ],
  ['an unknown field', { sides: 'buy' }, '1: sides: unknown field; did you mean side?'],
  ['a missing field', { price: undefined }, '1: price: is missing'],
  [
    'another time of a known fill',
    { executed_at: at(9) },
    '1: executed_at: this fill of MESZ6 has',
  ],
])('%s is refused with its line', async (_, changes, words) => {
  const home = taking([[fill(1, 'buy')]]);
  const [stored] = home.rows('SELECT * FROM fills');
  const {
    user_id: ___,
    may_short,
    has_time,
    fees_stated,
    ...row
  } = stored as Record<string, unknown>;
  const stated = [{ import: 1, place: 0, fees: 1, fees_stated: true }];
  const path = home.lines('fills.jsonl', {
    ...row,
    may_short: may_short === 1,
    has_time: has_time === 1,
    fees_stated: fees_stated === 1,
    stated,
    ...changes,
  });
  const bytes = home.hash();
  expect(home.refusalOf(path)).toContain(words);
  expect(home.hash()).toBe(bytes);
});

test('fills of unlisted imports are of the file itself, in its order from 0', async () => {
  const home = taking([[fill(1, 'buy'), fill(2, 'sell')]]);
  const copy = new FillHome().withUser() as FillHome;
  const text = readFileSync(join(await exported(home, 'jsonl'), 'fills.jsonl'), 'utf8');
  copy.import(copy.file('fills.jsonl', text));
  expect(copy.rows('SELECT place FROM import_fills ORDER BY place')).toEqual([
    { place: 0 },
    { place: 1 },
  ]);
});
