/** Fees of one fill in several files: the largest counts, cost or rebate. */
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { exportJournal } from '../../../src/export/index.ts';
import { FillHome } from '../fill-home.ts';
import { makeFileFills } from './make-file-fill.ts';

const stating = (fees: number) =>
  makeFileFills(['buy 1 @ 100', 'sell 1 @ 101'], { fees });
const costs = (home: FillHome) =>
  home.rows('SELECT gross_pnl, fees, net_pnl FROM trades');

const stated = (home: FillHome) =>
  home.rows('SELECT DISTINCT fees, fees_stated FROM fills');

/** 5 made by price, and half a dollar back on each of the two fills. */
const REBATED = [{ gross_pnl: 6, fees: 0, net_pnl: 6 }];

test.each([
  [[-0.5], undefined],
  [[0, -0.5], undefined],
  [[-0.5, 0], undefined],
  [[0.25, -0.5, 0.1], undefined],
  // The same if a file omits the account.
  [[0, -0.5], 'a'],
  [[-0.5, 0], 'a'],
])(
  'files that state %j: the rebate counts (first one in account %s)',
  (stated, account) => {
    const home = new FillHome().withUser();
    stated.forEach(
      (fees, index) =>
        void home.take(stating(fees), { account: index === 0 ? account : undefined }),
    );
    expect(costs(home)).toEqual(REBATED);
  },
);

test('undo of one file keeps the rebate that another states', () => {
  const home = new FillHome().withUser();
  for (const fees of [-0.5, 0.1, -0.6]) home.take(stating(fees));
  home.undo();
  expect(costs(home)).toEqual(REBATED);
});

test('an export adds the rebate to a journal that has the fills without it', async () => {
  const [home, other] = [new FillHome().withUser(), new FillHome().withUser()];
  home.take(stating(-0.5));
  other.take(stating(0));
  await exportJournal({
    journal: home.journal,
    folder: home.path('export'),
    as: 'jsonl',
  });
  other.import(home.path('export/fills.jsonl'));
  expect(costs(other)).toEqual(REBATED);
});

test('fees count as stated while any file states them, even as 0', () => {
  const home = new FillHome().withUser();
  const unstated = makeFileFills(['buy 1 @ 100', 'sell 1 @ 101'], { feesStated: false });
  home.take(unstated);
  expect(stated(home)).toEqual([{ fees: 0, fees_stated: 0 }]);
  home.take(stating(0));
  expect(stated(home)).toEqual([{ fees: 0, fees_stated: 1 }]);
  home.take(unstated);
  expect(stated(home)).toEqual([{ fees: 0, fees_stated: 1 }]);
  home.undo(2);
  expect(stated(home)).toEqual([{ fees: 0, fees_stated: 0 }]);
});

test.each([
  ['tradovate', 0, false],
  ['tradovate', 0.5, true],
  ['quantower', 0, true],
])(
  'of a fill by %s with fees of %d, an export of an earlier version has them stated: %s',
  async (format, fees, is) => {
    const [home, copy] = [new FillHome().withUser(), new FillHome().withUser()];
    home.take(stating(fees), { format: { name: format } });
    await exportJournal({
      journal: home.journal,
      folder: home.path('export'),
      as: 'jsonl',
    });
    const path = home.path('export/fills.jsonl');
    const earlier = readFileSync(path, 'utf8').replaceAll(
      /"(?:fees_stated":(?:true|false)|order_id":null),?/g,
      '',
    );
    writeFileSync(path, earlier.replaceAll(',}', '}'));
    copy.import(home.path('export'));
    expect(stated(copy)).toEqual([{ fees, fees_stated: Number(is) }]);
    expect(copy.rows('SELECT DISTINCT fees_stated FROM import_fills')).toEqual([
      { fees_stated: Number(is) },
    ]);
  },
);
