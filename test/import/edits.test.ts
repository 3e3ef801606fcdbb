/** Commands that write records, and their undo in any order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  annotate,
  noteOnDay,
  noteOnTrade,
  removeRecords,
} from '../../src/edit/annotate.ts';
import { type Edit, edit } from '../../src/edit/edit.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { UserError } from '../../src/errors.ts';
import type { ListResource } from '../../src/journal/resource.ts';
import { RESOURCES } from '../../src/journal/resources/index.ts';
import { sessions } from '../../src/journal/resources/journals.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import type { Row } from '../../src/sqlite/reader.ts';
import { runs } from '../effort.ts';
import { FillHome } from './fill-home.ts';
import { TRADE } from './home.ts';

const FILLS = `symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp
MESZ6,2,1,1,6800.00,6801.00,$5.00,11/02/2026 09:31:00,11/02/2026 09:30:00
MESZ6,3,4,1,6800.00,6802.50,$12.50,11/02/2026 10:00:00,11/02/2026 10:05:00`;

function journal(): FillHome {
  const home = new FillHome().withUser('me', { timezone: 'America/New_York' });
  home.import(home.file('Performance.csv', FILLS));
  home.import(
    home.lines(
      'trades.jsonl',
      { ...TRADE, tags: ['news'] },
      { ...TRADE, id: 't2', setup: 'ORB' },
    ),
  );
  home.import(
    home.lines('sessions.jsonl', { id: 's1', date: '2026-11-20', notes: 'Calm.' }),
  );
  home.import(
    home.lines('trade-journals.jsonl', {
      id: 'e1',
      trade_id: 't1',
      phase: 'review',
      body: 'Late.',
    }),
  );
  return home;
}

/** All visible rows, by table, without updated_at. */
function rowsOf(home: FillHome): Record<string, Row[]> {
  const tables = RESOURCES.flatMap(({ table }) => table ?? []);
  return Object.fromEntries(
    ['executions', 'fills', ...tables].map((table) => [
      table,
      home
        .rows(`SELECT * FROM ${table} ORDER BY 1, 2, 3`)
        .map(({ updated_at: _, ...row }) => row),
    ]),
  );
}

function act(home: FillHome, resource: ListResource, change: (edit: Edit) => void) {
  home.now += 1000;
  const options = home.target;
  return edit(options, { name: 'annotate', line: 'annotate', resource }, change).import;
}

const label = fc.constantFrom('news', 'News', 'late', 'a');
const labels = fc.record({
  tags: fc.array(label, { maxLength: 2 }),
  mistakes: fc.array(label, { maxLength: 1 }),
});
const ids = fc.uniqueArray(fc.constantFrom('t1', 't2', 'fill 1', 'fill 2'), {
  minLength: 1,
  maxLength: 3,
});

const step = fc.oneof(
  fc.record({
    kind: fc.constant('annotate' as const),
    ids,
    fields: fc.record(
      {
        setup: fc.constantFrom('ORB', 'VWAP', null),
        rating: fc.constantFrom(1, 3, null),
        initial_risk: fc.constantFrom(100, 0.1, null),
        stop_loss: fc.constantFrom(99, null),
      },
      { requiredKeys: [] },
    ),
    add: labels,
    remove: labels,
    group: fc.constantFrom(undefined, undefined, 'pair', 'other', null),
  }),
  fc.record({
    kind: fc.constant('note' as const),
    trade: fc.constantFrom(null, 't1', 'fill 1'),
  }),
  fc.record({
    kind: fc.constant('remove' as const),
    what: fc.constantFrom(
      'sessions s1',
      'trade-journals e1',
      'trades t2',
      'sessions day:2026-11-20',
      'trade-groups group:pair',
    ),
  }),
  fc.record({
    kind: fc.constant('import' as const),
    resource: fc.constantFrom('sessions', 'trades'),
    values: fc.record({
      notes: fc.constantFrom('x', 'y'),
      tags: fc.constantFrom(['news'], ['b'], []),
    }),
  }),
);

/** What a step adds to the list of imports, if anything. */
function take(
  home: FillHome,
  own: typeof step extends fc.Arbitrary<infer T> ? T : never,
  fills: readonly string[],
): void {
  const idOf = (name: string) =>
    name.startsWith('fill') ? (fills[Number(name.at(-1)) - 1] as string) : name;
  if (own.kind === 'annotate') {
    act(home, trades, (edit) => annotate(edit, own.ids.map(idOf), own));
  } else if (own.kind === 'note') {
    act(home, trades, (edit) =>
      own.trade === null
        ? noteOnDay(edit, 'More.')
        : noteOnTrade(edit, idOf(own.trade), 'So.', null),
    );
  } else if (own.kind === 'remove') {
    const [path, id] = own.what.split(' ') as [string, string];
    const resource = RESOURCES.find((one) => one.path === path) as ListResource;
    act(home, resource, (edit) => removeRecords(edit, resource, [id]));
  } else {
    home.now += 1000;
    const base =
      own.resource === 'trades'
        ? { ...TRADE, id: 't2' }
        : { id: 's1', date: '2026-11-20' };
    home.import(home.lines(`${own.resource}.jsonl`, { ...base, ...own.values }));
  }
}

test('undo in any order restores the journal, row by row, or names the import to undo first', () => {
  const home = journal();
  const before = rowsOf(home);
  const fills = home
    .rows("SELECT id FROM trades WHERE id LIKE 'tradovate:%' ORDER BY id")
    .map(({ id }) => String(id));
  const known = () =>
    home.rows('SELECT id FROM imports ORDER BY id').map(({ id }) => Number(id));
  const own = known();
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 2, maxLength: 5 }),
      fc.infiniteStream(fc.nat(9)),
      (steps, order) => {
        for (const one of steps) {
          try {
            take(home, one, fills);
          } catch (error) {
            // For example a trade that others refer to: nothing was changed.
            if (!(error instanceof UserError)) throw error;
          }
        }
        for (
          let left = known().slice(own.length);
          left.length > 0;
          left = known().slice(own.length)
        ) {
          const refused: string[] = [];
          const from = (order.next().value as number) % left.length;
          const undone = [...left.slice(from), ...left.slice(0, from)].find((id) => {
            try {
              home.undo(id);
              return true;
            } catch (error) {
              refused.push((error as Error).message);
              return false;
            }
          });
          for (const message of refused)
            expect(message).toMatch(
              /journal-api import undo \d+$|since other records refer to it/,
            );
          expect([undone === undefined, refused]).toEqual([false, expect.anything()]);
        }
        expect(rowsOf(home)).toEqual(before);
      },
    ),
    { numRuns: runs(45) },
  );
});

test('an annotation follows its fills, and is undone wherever they went', () => {
  const home = journal();
  const before = rowsOf(home);
  const ofFirst = (edit: Edit) =>
    annotate(edit, ['tradovate:MESZ6:1'], {
      fields: { setup: 'ORB' },
      add: NONE,
      remove: NONE,
      group: undefined,
    });
  const annotated = act(home, trades, ofFirst) as number;
  const [header] = FILLS.split('\n');
  const earlier =
    'MESZ6,10,9,1,6799.00,6803.00,$20.00,11/02/2026 09:35:00,11/02/2026 09:29:00';
  home.import(home.file('Performance.csv', `${header}\n${earlier}`));
  expect(home.rows("SELECT id FROM trades WHERE setup = 'ORB' AND id <> 't2'")).toEqual([
    { id: 'tradovate:MESZ6:9' },
  ]);
  home.undo(annotated);
  expect(home.rows("SELECT id FROM trades WHERE setup = 'ORB' AND id <> 't2'")).toEqual(
    [],
  );
  home.undo();
  expect(rowsOf(home)).toEqual(before);
});

const NONE = { tags: [], mistakes: [] };

test('undo of a removal leaves what a later import states of the record', () => {
  const home = journal();
  const id = act(home, sessions, (edit) => removeRecords(edit, sessions, ['s1']));
  home.now += 1000;
  home.import(
    home.lines('sessions.jsonl', {
      id: 's1',
      date: '2026-11-20',
      notes: 'Written again.',
    }),
  );
  const before = home.rows('SELECT id, date, notes FROM sessions');
  expect(before).toEqual([{ id: 's1', date: '2026-11-20', notes: 'Written again.' }]);
  const undo = (one?: number) => undoImport(home.target, one);
  undo(id as number);
  expect(home.rows('SELECT id, date, notes FROM sessions')).toEqual(before);
  undo();
  expect(home.rows('SELECT id, notes FROM sessions')).toEqual([
    { id: 's1', notes: 'Calm.' },
  ]);
});
