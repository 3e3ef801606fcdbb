/** What figures cost: processor time of uncached answers, beside plain reading of the same trades. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { cpuOf, inProcess } from '../in-process.ts';
import type { Question } from '../question.ts';

const TRADES = 100_000;
const YEAR =
  "closed_at >= '2025-11-20T05:00:00.000Z' AND closed_at < '2026-11-21T05:00:00.000Z'";

/** The columns that a year's figures need. */
const SCANNED = `id, closed_at, currency, fx_rate, gross_pnl, fees, executed_at, initial_risk,
  group_id, symbol, setup, tags, mistakes, stop_loss IS NOT NULL,
  (SELECT group_concat(rules || ',' || mistakes) FROM trade_journals AS j
    WHERE j.user_id = t.user_id AND j.trade_id = t.id)`;

const ANALYTICS = [
  '',
  'sections=performance',
  'sections=groups&group_by=setup',
  'sections=groups&group_by=tag,weekday',
  'sections=groups&group_by=day',
  'sections=leaks',
  'sections=exits',
  'sections=simulation',
  'unit=position',
  'tag=news',
  'mistake=oversized',
  'where={"weekday":5}',
  'exclude={"after":"losses"}',
  'best=5&worst=5&exclude={"trade_of_day":"10+","size":"over_3x"}',
];

export const figures: Question = async (folder) => {
  const { asks, change, close } = inProcess(folder, TRADES);
  addGroups(join(folder, 'journal.db'));
  const ask = asks();
  const rows: [string, string][] = [];
  const note = (name: string, ms: number) => void rows.push([name, ms.toFixed(0)]);

  const db = new Database(join(folder, 'journal.db'), { readonly: true });
  const scan = db
    .prepare(`SELECT ${SCANNED} FROM trades AS t WHERE user_id = 'me' AND ${YEAR}`)
    .raw();
  note('20,000 trades of a year, only read', await cpuOf(() => scan.all()));
  db.close();

  const year = 'days=365&end=2026-11-20';
  note(
    '`/v1/summary` of that year',
    await cpuOf(() => ask(`/v1/summary?${year}`), change),
  );
  for (const query of ANALYTICS) {
    const name = query === '' ? 'analytics of all, without parameters' : `\`${query}\``;
    note(
      name,
      await cpuOf(
        () => ask(`/v1/analytics/summary?${encodeURI(query).replaceAll('+', '%2B')}`),
        change,
      ),
    );
  }
  close();
  return { columns: ['Figures of 100,000 trades', 'CPU ms'], rows };
};

/** Every fourth trade becomes a leg of a group of four. */
function addGroups(journal: string): void {
  const db = new Database(journal);
  db.exec(`
    INSERT INTO trade_groups (user_id, id, name, kind, market, status, opened_at, currency,
      initial_risk)
    SELECT 'me', 'g' || (rowid / 16), 'Spread', 'multi_leg', 'stock', 'open', min(executed_at),
      'USD', 100
    FROM trades WHERE rowid % 16 < 4 GROUP BY rowid / 16;
    UPDATE trades SET group_id = 'g' || (rowid / 16) WHERE rowid % 16 < 4;
    ANALYZE;
  `);
  db.close();
}
