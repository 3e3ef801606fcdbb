/** Records of trades made from fills: fields that the user may set, and facts that the fills decide. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ExportForm } from '../../src/export/forms.ts';
import { exportJournal } from '../../src/export/index.ts';
import { FolderWatch } from '../../src/import/files/watch.ts';
import { loadMapping } from '../../src/import/mapping/load.ts';
import { FillHome } from './fill-home.ts';

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const PAIR =
  'MNQZ6,2,1,8,25660.00,25683.50,$376.00,11/02/2026 09:30:00,11/02/2026 09:31:00';
const THIRDS = [
  'MNQZ6,2,1,1,25660.25,25683.50,$46.50,11/02/2026 09:30:12,11/02/2026 09:31:00',
  'MNQZ6,3,1,2,25660.50,25683.50,$92.00,11/02/2026 09:30:12,11/02/2026 09:31:00',
];

function filled(...pairs: string[]): { home: FillHome; id: string } {
  const home = new FillHome().withUser('me', { timezone: 'UTC' });
  home.import(
    home.file(
      'Performance.csv',
      [HEADER, ...(pairs.length > 0 ? pairs : [PAIR])].join('\n'),
    ),
  );
  return { home, id: home.rows('SELECT id FROM trades')[0]?.['id'] as string };
}

describe('a record of a trade made from fills', () => {
  test.each<[string, unknown, string]>([
    ['entry_price', 500, '500 in this row, but the fills of this trade give 25660'],
    ['quantity', 9, '9 in this row, but the fills of this trade give 8'],
    ['exit_price', 25685, '25685 in this row, but the fills of this trade give 25683.5'],
    ['side', 'short', '"short" in this row, but the fills of this trade give "long"'],
    ['multiplier', 20, '20 in this row, but the fills of this trade give 2'],
    ['gross_pnl', -402212, '-402212 in this row, but the fills of this trade give 376'],
    ['market', 'stock', '"stock" in this row, but the fills of this trade give "future"'],
    [
      'executed_at',
      '2026-11-02T09:29:00Z',
      'in this row, but the fills of this trade give "2026-11-02T09:30:00.000Z"',
    ],
    [
      'closed_at',
      '2026-11-02T09:32:00Z',
      'in this row, but the fills of this trade give "2026-11-02T09:31:00.000Z"',
    ],
  ])('with another %s is rejected with both values', (field, value, words) => {
    const { home, id } = filled();
    const before = home.hash();
    const said = home.refusal('trades', { id, [field]: value });
    expect(said.startsWith(`1: ${field}: `)).toBe(true);
    expect(said).toContain(words);
    expect(home.hash()).toBe(before);
  });

  test.each<[string, string]>([
    ['trades.csv', 'id,entry_price\nID,25660\nID,500\n'],
    ['trades.json', '[{"id": "ID", "setup": "ORB",\n"entry_price": 500}]'],
    ['trade.md', '---\ntype: trade\nid: ID\nentry_price: 500\n---\nWaited.'],
  ])('is rejected in %s', (name, text) => {
    const { home, id } = filled();
    const file = home.file(name, text.replaceAll('ID', id));
    expect(home.refusalOf(file)).toMatch(
      /^\d+: entry_price: 500 in this row, but the fills of this trade give 25660/,
    );
  });

  test('with other executions is rejected', () => {
    const { home, id } = filled();
    const executions = [
      { executed_at: '2026-11-02T09:30:00Z', side: 'buy', quantity: 8, price: 25660 },
      { executed_at: '2026-11-02T09:31:00Z', side: 'sell', quantity: 8, price: 25685 },
    ];
    expect(home.refusal('trades', { id, executions })).toContain(
      '1: executions: differ from the fills of this trade',
    );
  });

  test("with the user's fields is imported", () => {
    const { home, id } = filled();
    const own = {
      ...{ setup: 'ORB', tags: ['open'], mistakes: ['late'], rating: 4, notes: 'waited' },
      ...{
        initial_risk: 100,
        stop_loss: 25600,
        take_profit: 25700,
        mae: -20,
        mfe: 400,
        timeframe: '5m',
      },
      ...{ account: 'main', fees: 2.5 },
    };
    home.import(
      home.lines('trades.jsonl', {
        id,
        entry_price: 25660,
        quantity: 8,
        side: 'long',
        ...own,
      }),
    );
    const [record] = Object.values(home.everything()).flatMap((rows) =>
      rows.filter((row) => row['id'] === id),
    );
    expect(record).toMatchObject({
      ...own,
      entry_price: 25660,
      gross_pnl: 376,
      net_pnl: 373.5,
    });
  });

  test('with fees other than the stated ones is rejected', () => {
    const home = new FillHome().withUser('me', { timezone: 'UTC' });
    const fills = [
      'trade id,product,side,created at,size,size unit,price,fee,total,price/fee/total unit',
      '1,ABC-USD,BUY,2026-11-02T10:00:00.000Z,2,ABC,10,0.12,-20.12,USD',
      '2,ABC-USD,SELL,2026-11-02T11:00:00.000Z,2,ABC,11,0.13,21.87,USD',
    ];
    home.import(home.file('fills.csv', fills.join('\n')));
    const id = home.rows('SELECT id FROM trades')[0]?.['id'];
    expect(home.refusal('trades', { id, fees: 2.5 })).toContain(
      '1: fees: 2.5 in this row, but the fills of this trade give 0.25',
    );
  });

  test('with rounded values changes nothing', () => {
    const { home, id } = filled(...THIRDS);
    const before = home.contents();
    for (const entry_price of [25660.4166667, 25660.42, 25660.4, 25660]) {
      const rounded = {
        executed_at: '2026-11-02T09:30:00Z',
        side: 'long',
        gross_pnl: 138.5,
        exit_price: null,
      };
      const report = home.import(
        home.lines('trades.jsonl', { id, symbol: 'mnqz6', entry_price, ...rounded }),
      );
      expect(report.files).toMatchObject([{ changed: 0, unchanged: 1 }]);
    }
    expect(home.contents()).toEqual(before);
    expect(home.refusal('trades', { id, entry_price: 25660.43 })).toContain(
      'give 25660.4166666667',
    );
    expect(home.refusal('trades', { id, entry_price: 25661 })).toContain(
      '25661 in this row',
    );
  });

  test('by a mapping that keeps its id is rejected as well', () => {
    const { home, id } = filled();
    const map = {
      name: 'own',
      target: 'trades',
      prefix_ids: false,
      fields: {
        id: 'Id',
        symbol: 'Symbol',
        market: { value: 'future' },
        side: 'Side',
        quantity: 'Qty',
        executed_at: 'In',
        closed_at: 'Out',
        entry_price: 'Entry',
        exit_price: 'Exit',
      },
    };
    const row = `${id},MNQZ6,long,8,2026-11-02T09:30:00Z,2026-11-02T09:31:00Z,500,25683.5`;
    const file = home.file('own.csv', `Id,Symbol,Side,Qty,In,Out,Entry,Exit\n${row}`);
    const said = home.refusalOf(file, {
      map: loadMapping(home.file('map.json', JSON.stringify(map))),
    });
    expect(said).toContain(
      '2: entry_price: 500 in this row, but the fills of this trade give 25660',
    );
  });

  test('that an earlier version accepted can be corrected', () => {
    const { home, id } = filled();
    home.write(
      `UPDATE trades SET entry_price = 500, gross_pnl = 402936 WHERE id = '${id}'`,
    );
    expect(home.refusal('trades', { id, entry_price: 600 })).toContain(
      '600 in this row, but the fills of this trade give 25660',
    );
    home.import(home.lines('trades.jsonl', { id, entry_price: 500, notes: 'as it was' }));
    home.import(home.lines('trades.jsonl', { id, entry_price: 25660, gross_pnl: 376 }));
    expect(home.rows('SELECT entry_price, gross_pnl, notes FROM trades')).toEqual([
      { entry_price: 25660, gross_pnl: 376, notes: 'as it was' },
    ]);
  });

  test.each<[ExportForm, string]>([
    ['jsonl', 'trades.jsonl'],
    ['csv', 'trades.csv'],
  ])(
    'in an export as %s imports unchanged, and is rejected with another price',
    async (as, name) => {
      const { home, id } = filled(...THIRDS);
      home.import(home.lines('own.jsonl', { id, fees: 1.5, notes: 'waited' }), {
        as: 'trades',
      });
      const before = home.contents();
      const folder = home.path('out');
      await exportJournal({ journal: home.journal, folder, as });
      home.import(folder);
      expect(home.contents()).toEqual(before);
      const file = join(folder, name);
      writeFileSync(file, readFileSync(file, 'utf8').replace('25660.4166666667', '500'));
      expect(() => home.import(folder)).toThrow(
        '500 in this row, but the fills of this trade give 25660.4166666667',
      );
      expect(home.contents()).toEqual(before);
    },
  );

  test('is rejected in a watched folder until it changes', () => {
    const { home, id } = filled();
    mkdirSync(home.path('in'));
    const said: string[] = [];
    const watch = new FolderWatch({
      folder: home.path('in'),
      take: (path) => void home.import(path),
      note: (line) => said.push(line),
    });
    const write = (price: number) =>
      home.lines('in/trades.jsonl', { id, notes: 'waited', entry_price: price });
    const before = home.contents();
    write(500);
    for (let look = 0; look < 3; look++) Array.from(watch.look());
    expect(said).toHaveLength(1);
    expect(said[0]).toContain(
      'trades.jsonl:1: entry_price: 500 in this row, but the fills of this trade give 25660',
    );
    expect(home.contents()).toEqual(before);
    write(25660);
    for (let look = 0; look < 2; look++) Array.from(watch.look());
    expect(home.rows('SELECT entry_price, notes FROM trades')).toEqual([
      { entry_price: 25660, notes: 'waited' },
    ]);
    home.undo();
    expect(home.contents()).toEqual(before);
  });
});
