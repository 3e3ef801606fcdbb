/**
 * Time and memory of an upgrade from version 9 with 100,000 trades: node bench/upgrade.ts [KIND...],
 * by default all: plain (closed trades of one file), labels (each labelled later), fills (trades made
 * from fills, each labelled), renamed (their account was). The memory is that of the whole run.
 */
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { upgradeJournal } from '../src/journal-write/migrate.ts';
import { MIGRATION_STEPS } from '../src/statements/migration-steps.ts';

const TRADES = 100_000;

const ROWS =
  'INSERT INTO import_records (user_id, resource, record_id, import_id, change, before, after, account)';
const OF_FILE = `${ROWS} SELECT 'me', 'trades', id, 1, 'added', NULL, NULL, 'main' FROM trades;`;
const LABELLED = `${ROWS} SELECT 'me', 'trades', id, 2, 'changed',
  '{"rating":null,"tags":[]}', '{"rating":4,"tags":["a"]}', NULL FROM trades;`;
const RENAMED = `${ROWS} SELECT 'me', 'trades', id, 3, 'changed',
  '{"account":"main"}', '{"account":"Big"}', NULL FROM trades;
  INSERT INTO account_names VALUES ('me', 3, 'main', 'Big');
  UPDATE trades SET account = 'Big';`;

const KINDS: Readonly<Record<string, string>> = {
  plain: OF_FILE,
  labels: OF_FILE + LABELLED,
  fills: `UPDATE executions SET fill_id = trade_id || ':' || position; ${LABELLED}`,
  renamed: OF_FILE + RENAMED,
};

const JOURNAL = `
  INSERT INTO users (id, timezone) VALUES ('me', 'America/New_York');
  INSERT INTO imports (user_id, id, imported_at, file, format, resource, rows, fills, records, trades) VALUES
    ('me', 1, '2026-11-20T12:00:00.000Z', 'trades.csv', 'csv', 'trades', 1, 0, 1, 0),
    ('me', 2, '2026-11-20T12:00:00.000Z', 'annotate', 'annotate', 'trades', 1, 0, 1, 0),
    ('me', 3, '2026-11-20T12:00:00.000Z', 'account rename', 'account', 'trades', 1, 0, 1, 0);
  WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${TRADES})
  INSERT INTO trades (user_id, id, account, symbol, market, side, status, executed_at, closed_at, quantity,
    open_quantity, entry_price, exit_price, currency, gross_pnl, setup, tags, rating, notes)
  SELECT 'me', 't' || n, 'main', 'ES', 'future', 'long', 'closed',
    strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + n * 60, 'unixepoch'),
    strftime('%Y-%m-%dT%H:%M:%fZ', 1700000030 + n * 60, 'unixepoch'), 1,
    0, 100, 101, 'USD', 1, 'pullback', '["a"]', 4, 'Some notes about this trade.' FROM numbers;
  INSERT INTO executions (user_id, trade_id, position, executed_at, side, quantity, price)
  SELECT 'me', id, 0, executed_at, 'buy', 1, 100 FROM trades
  UNION ALL SELECT 'me', id, 1, closed_at, 'sell', 1, 101 FROM trades;`;

const kinds = process.argv.slice(2);
for (const kind of kinds.length > 0 ? kinds : Object.keys(KINDS)) {
  const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
  const path = join(folder, 'journal.db');
  const db = new Database(path);
  db.exec(readFileSync(new URL('../test/fixtures/schema-9.sql', import.meta.url), 'utf8'));
  db.exec(`${JOURNAL} ${KINDS[kind]}`).close();
  const size = statSync(path).size;
  const [before, since] = [process.cpuUsage(), performance.now()];
  await upgradeJournal(path, { steps: MIGRATION_STEPS });
  const { user, system } = process.cpuUsage(before);
  const figures = [
    `${((user + system) / 1e6).toFixed(1)} s of processor`,
    `${((performance.now() - since) / 1000).toFixed(1)} s in all`,
    `${Math.round(process.resourceUsage().maxRSS / 1000)} MB of memory`,
    `${Math.round(size / 1e6)} MB become ${Math.round(statSync(path).size / 1e6)}`,
  ];
  console.log(`${kind}: ${figures.join(', ')}`);
  rmSync(folder, { recursive: true });
}
