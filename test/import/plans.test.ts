/** Plans of an import's joins: none reads all executions or fills of the user for each row, which takes time by the square. */
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ImportHome } from './home.ts';

const HEADER =
  'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp';
const ROWS = [
  'MESU6,1,2,1,5000,5001,$5.00,07/01/2026 10:00:00,07/01/2026 10:01:00',
  'MESU6,3,4,1,5000,4999,$(5.00),07/02/2026 10:00:00,07/02/2026 10:01:00',
];

test.each([
  ['an import', (home: ImportHome, path: string) => home.import(path)],
  [
    'an import of more fills',
    (home: ImportHome, path: string) => {
      home.import(home.file('first.csv', [HEADER, ROWS[0]].join('\n')));
      home.import(path);
    },
  ],
])('%s joins executions and fills by their indexes', (_title, run) => {
  const home = new ImportHome().withUser();
  const prepare = vi.spyOn(Database.prototype, 'prepare');
  onTestFinished(() => prepare.mockRestore());
  run(home, home.file('Performance.csv', [HEADER, ...ROWS].join('\n')));
  const statements = new Set(prepare.mock.calls.map(([sql]) => sql));
  const db = new Database(home.journal, { readonly: true });
  onTestFinished(() => void db.close());
  const joins = [...statements]
    .filter(
      (sql) => /^\s*(SELECT|WITH)\b/.test(sql) && /\b(executions|fills)\b/.test(sql),
    )
    .map((sql) => ({ sql, steps: planOf(db, sql) }))
    .filter(({ steps }) => steps.length > 1);
  expect(joins.length).toBeGreaterThan(3);
  const whole = joins.filter(({ steps }) =>
    steps.some((step) =>
      /^SEARCH [cef] (?!.*\b(executions|fills)_days\b).*\(user_id=\?\)/.test(step),
    ),
  );
  expect(whole).toEqual([]);
});

/** The lookups of a statement, in their order. */
function planOf(db: Database.Database, sql: string): string[] {
  const bound = Object.fromEntries(
    [...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]),
  );
  const values =
    Object.keys(bound).length > 0 ? [bound] : Array.from(sql.matchAll(/\?/g), () => null);
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as {
    detail: string;
  }[];
  return plan.map(({ detail }) => detail).filter((detail) => detail.startsWith('SEARCH'));
}
