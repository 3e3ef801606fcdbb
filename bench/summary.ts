/**
 * Processor time of a year's summary, compared with a plain SQLite scan of the same columns of the same trades, of the year and the
 * previous one: node bench/summary.ts [TRADES [ROUNDS]] (default: 100,000 in five years, so 20,000 in the period, and 15 rounds)
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { lastDaysTo, rangeOf, type Span } from '../src/journal/analytics/period.ts';
import { medianOf } from '../src/journal/analytics/statistics.ts';
import { summaryOf } from '../src/journal/analytics/summary.ts';
import { findUser, type User } from '../src/journal/journal.ts';
import { Reader } from '../src/sqlite/reader.ts';
import { ZoneClock } from '../src/time.ts';
import { makeJournal } from './make-journal.ts';

const trades = Number(process.argv[2] ?? 100_000);
const rounds = Number(process.argv[3] ?? 15);

// Columns that the summary reads in the previous period, and in its own.
const BEFORE = 'id, closed_at, currency, fx_rate, gross_pnl, fees';
const PERIOD = `${BEFORE}, executed_at, initial_risk, group_id, symbol, setup, tags, mistakes, stop_loss IS NOT NULL,
  (SELECT group_concat(rules || ',' || mistakes) FROM trade_journals AS j WHERE j.user_id = t.user_id AND j.trade_id = t.id)`;

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
try {
  const path = join(home, 'journal.db');
  makeJournal(path, trades);
  const db = new Database(path, { readonly: true });
  const reader = new Reader(db);
  const user = findUser(reader, 'me') as User;
  const scan = (columns: string) =>
    db
      .prepare(
        `SELECT ${columns} FROM trades AS t WHERE user_id = 'me' AND closed_at >= ? AND closed_at < ? ORDER BY closed_at, id`,
      )
      .raw();
  const [period, before] = [scan(PERIOD), scan(BEFORE)];
  const count = db.prepare('SELECT count(*) FROM trades');
  const asked = lastDaysTo(new ZoneClock(user.timezone), 365, '2026-11-20');
  const [range, previous] = [rangeOf(asked.span), rangeOf(asked.previous as Span)];
  const times: [scan: number[], summary: number[]] = [[], []];
  let counted = 0;
  for (let round = -2; round < rounds; round++) {
    let started = process.cpuUsage();
    const rows = period.all(range.from, range.to).length;
    before.all(previous.from, previous.to);
    count.get();
    const scanned = millisecondsSince(started);
    started = process.cpuUsage();
    counted = summaryOf(reader, user, asked, 'trade', [], Date.now()).performance.trades;
    const summed = millisecondsSince(started);
    if (counted !== rows) throw new Error(`${rows} trades scanned, ${counted} counted`);
    if (round < 0) continue;
    times[0].push(scanned);
    times[1].push(summed);
  }
  db.close();
  const [plain, ours] = times.map(medianOf) as [number, number];
  console.log(
    `Journal of ${trades} trades, ${counted} of them in the period: scan ${plain.toFixed(1)} ms, summary ${ours.toFixed(1)} ms: ${(ours / plain).toFixed(2)}x`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}

function millisecondsSince(started: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
