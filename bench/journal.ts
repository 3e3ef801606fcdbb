/**
 * A journal of many trades, the same each time. Five years up to 2026-11-20, 40 symbols, tags, mistakes, risks; a journal entry for every tenth trade.
 */
import { createJournal } from '../src/journal-write/open.ts';
import { addUser, newUser } from '../src/journal-write/users.ts';

const END = Date.parse('2026-11-20T21:00:00.000Z');
const SPAN = 5 * 365 * 86_400_000;

export function makeJournal(path: string, trades: number): void {
  const db = createJournal(path);
  addUser(
    db,
    newUser('me', { timezone: 'America/New_York', starting_balance: 50_000 }),
    END - SPAN,
  );
  const trade = db.prepare(
    `INSERT INTO trades (user_id, id, account, symbol, market, side, status, executed_at, closed_at, quantity, open_quantity, entry_price,
       exit_price, currency, gross_pnl, fees, initial_risk, stop_loss, setup, timeframe, tags, mistakes, rating, notes, created_at, updated_at)
     VALUES ('me', ?, ?, ?, 'stock', ?, 'closed', ?, ?, ?, 0, ?, ?, 'USD', ?, ?, ?, ?, ?, '5m', ?, ?, ?, ?, ?, ?)`,
  );
  const entry = db.prepare(
    `INSERT INTO trade_journals (user_id, id, trade_id, phase, body, rules, created_at, updated_at)
     VALUES ('me', ?, ?, 'post_trade', ?, ?, ?, ?)`,
  );
  const random = generator(42);
  const pick = <T>(values: readonly T[]): T =>
    values[Math.floor(random() * values.length)] as T;
  const cents = (value: number) => Math.round(value * 100) / 100;
  db.transaction(() => {
    for (let i = 0; i < trades; i++) {
      const at = Math.floor(END - SPAN + (SPAN * i) / trades);
      const opened = new Date(at).toISOString();
      const closed = new Date(
        at + 60_000 + Math.floor(random() * 7_200_000),
      ).toISOString();
      const price = cents(20 + random() * 400);
      const quantity = 1 + Math.floor(random() * 300);
      const gross = cents((random() - 0.48) * 400);
      const id = `t${String(i).padStart(8, '0')}`;
      trade.run(
        id,
        pick(['main', 'swing']),
        pick(SYMBOLS),
        pick(['long', 'short']),
        opened,
        closed,
        quantity,
        price,
        cents(price + gross / quantity),
        gross,
        cents(1 + random() * 3),
        random() < 0.8 ? 100 : null,
        random() < 0.8 ? cents(price * 0.99) : null,
        pick(SETUPS),
        pick(TAGS),
        pick(MISTAKES),
        1 + Math.floor(random() * 5),
        'Waited for the retest, took it at the level.',
        opened,
        closed,
      );
      if (i % 10 === 0)
        entry.run(
          `j${id}`,
          id,
          'It went as planned, mostly.',
          pick(RULES),
          closed,
          closed,
        );
    }
  })();
  db.exec('ANALYZE');
  db.close();
}

const SYMBOLS = Array.from({ length: 40 }, (_, i) => `SYM${i}`);
const SETUPS = ['breakout', 'pullback', 'reversal', 'gap', null];
const TAGS = ['[]', '["trend"]', '["news","gap"]', '["scalp"]'];
const MISTAKES = ['[]', '[]', '[]', '["chased entry"]', '["moved stop","oversized"]'];
const RULES = [
  '[]',
  '[{"rule":"wait for the close","followed":true}]',
  '[{"rule":"risk 1 %","followed":false}]',
];

/** mulberry32: small, and the same everywhere. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
