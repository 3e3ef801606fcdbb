/**
 * Processor time of each kind of figures, compared with the default analytics: node bench/figures.ts [TRADES [ROUNDS]]
 * (default: 100,000 trades, every fourth a leg of a group of four, and 7 rounds)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import {
  analyticsOf,
  LONG_SECTIONS,
  type Question,
  SECTIONS,
} from '../src/journal/analytics/index.ts';
import { between } from '../src/journal/analytics/period.ts';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { findUser, type User } from '../src/journal/journal.ts';
import { addFunctions } from '../src/sqlite/functions.ts';
import { Reader } from '../src/sqlite/reader.ts';
import { ZoneClock } from '../src/time.ts';
import { makeJournal } from './make-journal.ts';

/** Conditions that need the walk over days, the usual sizes, sessions and journal entries. */
const CONDITIONS: Partial<Question> = {
  where: [{ followed_plan: [true, null], sleep: ['7h_to_8h', null] }],
  exclude: [
    { trade_of_day: ['10+'], emotion: [null] },
    { weekday: [5], size: ['over_3x'] },
  ],
  best: 5,
  worst: 5,
};

const trades = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 7);

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
try {
  const path = join(home, 'journal.db');
  makeJournal(path, trades);
  addGroups(path);
  const db = new Database(path, { readonly: true });
  addFunctions(db);
  const reader = new Reader(db);
  const user = findUser(reader, 'me') as User;
  const everything: Question = {
    asked: between(new ZoneClock(user.timezone), { from: null, to: null }, Date.now()),
    filters: {},
    unit: 'trade',
    sections: SECTIONS.filter(
      (section) => !['groups', 'what_if', ...LONG_SECTIONS].includes(section),
    ),
    groupBy: [],
    top: null,
    now: Date.now(),
  };
  const ways: [string, Partial<Question>][] = [
    ['as it is', {}],
    ['`sections=performance`', { sections: ['performance'] }],
    ['`sections=groups&group_by=setup`', { sections: ['groups'], groupBy: ['setup'] }],
    [
      '`sections=groups&group_by=tag,weekday`',
      { sections: ['groups'], groupBy: ['tag', 'weekday'] },
    ],
    ['`sections=groups&group_by=day`', { sections: ['groups'], groupBy: ['day'] }],
    ['`sections=leaks`', { sections: ['leaks'] }],
    ['`sections=exits`', { sections: ['exits'] }],
    ['`sections=simulation`', { sections: ['simulation'] }],
    ['`sections=daily`', { sections: ['daily'] }],
    ['`sections=limits`', { sections: ['limits'] }],
    ['`unit=position`', { unit: 'position' }],
    ['`unit=position&tag=news`', { unit: 'position', filters: { tag: 'news' } }],
    ['`tag=news`', { filters: { tag: 'news' } }],
    ['`mistake=oversized`', { filters: { mistake: 'oversized' } }],
    ['`where={"weekday":5}`', { where: [{ weekday: [5] }] }],
    [
      '`exclude={"after":"losses"}`',
      { sections: [...everything.sections, 'what_if'], exclude: [{ after: ['losses'] }] },
    ],
    ['all conditions at once', { sections: [...everything.sections, 'what_if'], ...CONDITIONS }],
  ];
  const times = ways.map(() => [] as number[]);
  for (let round = -1; round < rounds; round++) {
    for (const [i, [, more]] of ways.entries()) {
      const started = process.cpuUsage();
      analyticsOf(reader, user, { ...everything, ...more });
      const { user: own, system } = process.cpuUsage(started);
      if (round >= 0) times[i]?.push((own + system) / 1000);
    }
  }
  db.close();
  const medians = times.map((of) => medianOf(of) as number);
  console.log(`| Analytics of ${trades} trades | CPU ms | |\n|---|---|---|`);
  for (const [i, [name]] of ways.entries()) {
    const [own, first] = [medians[i] as number, medians[0] as number];
    console.log(`| ${name} | ${own.toFixed(0)} | ${(own / first).toFixed(2)}x |`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

function addGroups(path: string): void {
  const db = new Database(path);
  db.exec(`
    INSERT INTO trade_groups (user_id, id, name, kind, market, status, opened_at, currency, initial_risk)
    SELECT 'me', 'g' || (rowid / 16), 'Spread', 'multi_leg', 'stock', 'open', min(executed_at), 'USD', 100
    FROM trades WHERE rowid % 16 < 4 GROUP BY rowid / 16;
    UPDATE trades SET group_id = 'g' || (rowid / 16) WHERE rowid % 16 < 4;
    INSERT INTO imports (user_id, id, imported_at, file, format, resource, rows, fills, records, trades)
    VALUES ('me', 1, '2026-01-02T00:00:00.000Z', 'limits set', 'limits', 'limits', 2, 0, 0, 0);
    INSERT INTO account_limits (user_id, import_id, account, balance, max_loss, trailing, target)
    VALUES ('me', 1, 'main', 5e6, 4e6, 'eod', 9e9), ('me', 1, 'swing', 5e6, 4e6, 'intraday', 9e9);
    ANALYZE;
  `);
  db.close();
}
