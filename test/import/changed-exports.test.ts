/** Exports read wrong at first: after weeks of writing, a change gives every answer of a first import done right. */
import { expect, test } from 'vitest';
import { annotate } from '../../src/edit/annotate.ts';
import { changeImport } from '../../src/edit/change.ts';
import { edit } from '../../src/edit/edit.ts';
import { undoImport } from '../../src/edit/undo.ts';
import { sessions, tradeJournals } from '../../src/journal/resources/journals.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { isExhaustive, isThorough } from '../effort.ts';
import { randomNumbers, SEED } from '../seed.ts';
import { answers, statements } from './changed.ts';
import { allExports } from './exports.ts';
import { ImportHome } from './home.ts';

const draw = randomNumbers(SEED ^ 0x5bd1);

/** One of so many, others in each run. */
const ONE_OF = isThorough ? 4 : 40;

const tried = allExports().filter(() => isExhaustive || draw(ONE_OF) === 0);

const ZONES = [
  'Asia/Tokyo',
  'America/Chicago',
  'Europe/Berlin',
  'Pacific/Auckland',
  'UTC',
  'Asia/Kolkata',
];
/** For files with times, or fills, only. */
const MORE = { date: '2026-01-15', symbol: 'MNQ' };

interface Options {
  account?: string;
  timeZone?: string;
}

/** Other accounts and zones, one or both. */
function drawn(): [wrong: Options, right: Options] {
  const zone = () => ZONES[draw(ZONES.length)] as string;
  const both: [Options, Options] = [
    { account: 'wrong', timeZone: zone() },
    { account: 'main', timeZone: zone() },
  ];
  const kind = draw(4);
  if (kind === 0) for (const own of both) delete own.account;
  if (kind === 1) both[1].timeZone = both[0].timeZone as string;
  if (kind === 2) delete both[0].account;
  return both;
}

const homeOf = () => new ImportHome().withUser('me', { timezone: 'America/New_York' });
const options = (home: ImportHome) => ({ ...home.target, now: home.now + 60_000 });

/** Rows of the file in each trade, by id. */
function rowsOf(home: ImportHome): Map<string, string> {
  const rows = home.rows(
    `SELECT t.id, coalesce((SELECT json_group_array(place) FROM (SELECT DISTINCT p.place AS place FROM executions AS e
         JOIN fills AS f ON f.user_id = e.user_id AND f.execution_id = e.fill_id
         JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id AND p.import_id = 1
       WHERE e.user_id = t.user_id AND e.trade_id = t.id ORDER BY p.place)), '') AS fills,
       (SELECT place FROM import_records AS r WHERE r.record_id = t.id AND r.resource = 'trades' AND r.import_id = 1) AS place
     FROM trades AS t`,
  );
  return new Map(rows.map(({ id, fills, place }) => [id as string, `${fills} ${place}`]));
}

type Numbered = readonly (readonly [id: string, number: number])[];

/** Labels, stops and entries on some trades, a group of two, a diary. */
function write(home: ImportHome, ids: Numbered): void {
  const line = (name: string, act: Parameters<typeof edit>[2]) =>
    edit(options(home), { name, line: name, resource: trades }, act);
  const none = { tags: [], mistakes: [] };
  const labels = { fields: {}, add: none, remove: none, group: undefined };
  for (const [id, number] of ids) {
    line('annotate', (own) => {
      const fields = {
        setup: `setup ${number}`,
        notes: `note ${number}`,
        stop_loss: 1,
        rating: 1 + (number % 5),
      };
      annotate(own, [id], { ...labels, fields, add: { ...none, tags: ['late'] } });
    });
    const entry = {
      id: `entry-${number}`,
      trade_id: id,
      phase: 'review',
      body: 'Chased.',
    };
    line('note', (own) => void own.put(tradeJournals, entry));
  }
  const pair = ids.slice(-2).map(([id]) => id);
  const of = `WHERE id IN (SELECT value FROM json_each('${JSON.stringify(pair)}'))`;
  if (
    pair.length === 2 &&
    home.rows(`SELECT DISTINCT currency FROM trades ${of}`).length === 1
  )
    line('group', (own) => annotate(own, pair, { ...labels, group: 'Mine' }));
  line(
    'note',
    (own) => void own.put(sessions, { id: 'day', date: '2026-11-20', notes: 'Tired.' }),
  );
}

test.each(tried)('account and zone of $label', ({ path: of, dates }) => {
  const home = homeOf();
  const path = of();
  const [wrong, right] = drawn();
  try {
    home.import(path, { ...MORE, dates, ...wrong });
  } catch {
    return;
  }
  if (home.rows('SELECT 1 FROM imports').length !== 1) return;
  const before = rowsOf(home);
  const every = Math.max(1, Math.floor(before.size / 6));
  const chosen = [...before.keys()].sort().filter((_, place) => place % every === 0);
  write(
    home,
    chosen.map((id, number) => [id, number] as const),
  );
  const [written, findings] = [answers(home), home.findings()];
  const given = {
    ...(right.account !== undefined && { account: right.account }),
    timezone: right.timeZone as string,
  };
  const report = changeImport({ ...options(home), id: 1, given }, 'import change 1');

  const fresh = homeOf();
  fresh.import(path, { ...MORE, dates, ...right });
  const numbered = home.rows(
    "SELECT trade_id AS id, CAST(substr(id, 7) AS INTEGER) AS number FROM trade_journals WHERE id LIKE 'entry-%' ORDER BY number",
  ) as { id: string; number: number }[];
  // Each text is on the trade with the same rows, if there is one.
  const rows = rowsOf(home);
  const after = new Map([...rows].map(([id, own]) => [own, id]));
  // Ids keep the account in which a row was first read.
  const inFresh = new Map([...rowsOf(fresh)].map(([id, own]) => [own, id]));
  const freshId = (id: string) => inFresh.get(rows.get(id) as string) ?? id;
  for (const { id, number } of numbered)
    expect(after.get(before.get(chosen[number] as string) as string) ?? id).toBe(id);
  if (
    new Set(numbered.map(({ id }) => id)).size === numbered.length &&
    report.moved.length === 0
  ) {
    write(
      fresh,
      numbered.map(({ id, number }) => [freshId(id), number] as const),
    );
    expect(answers(home)).toEqual(answers(fresh));
    expect(home.findings()).toEqual(fresh.findings());
  }
  if (report.import === null) return;
  expect(statements(home)).toEqual(statements(fresh));
  undoImport(options(home), report.import);
  expect(answers(home)).toEqual(written);
  expect(home.findings()).toEqual(findings);
});
