/** The agents' journal, with planted facts: correct answers are known without the program. */
import type Database from 'better-sqlite3';
import { filler } from '../journal/analytics/fill.ts';
import { type Planted, plantedJournal } from '../journal/analytics/planted.ts';

type Row = Record<string, string | number | null>;

/** An open journal with the user me. */
export interface Target {
  db: Database.Database;
  insert: (table: string, ...rows: Row[]) => void;
}

const { journal, planted } = plantedJournal();

/** The time of the questions. */
export const ASKED_AT = Date.parse('2026-06-20T03:00:00.000Z');

export const PLANTED: readonly Planted[] = planted;

/** What a trader calls a trade: the legs of a group are one, with the sum of their results. */
export function asPositions(legs: readonly Planted[]): Planted[] {
  const positions = new Map<string, Planted>();
  for (const leg of legs) {
    const id = leg.groupId ?? leg.id;
    const before = positions.get(id);
    const symbol = leg.groupId === null ? leg.symbol : 'SPX';
    positions.set(
      id,
      before ? { ...before, cents: before.cents + leg.cents } : { ...leg, symbol },
    );
  }
  return [...positions.values()];
}

interface Step {
  id: string;
  at: string;
  net: number;
}

/**
 * The longest runs of wins and losses, and the maximum drawdown, of positions; those that close at
 * the same instant are one step of the drawdown.
 */
export function runsAndDrawdown() {
  const closed = new Map<string, Step>();
  for (const { id, group_id, closed_at, gross_pnl, fees, fx_rate } of journal.trades) {
    const name = group_id ?? id;
    const { at = '', net = 0, id: last = '' } = closed.get(name) ?? {};
    const leg = { id, at: closed_at as string };
    const later = leg.at > at || (leg.at === at && id > last) ? leg : { id: last, at };
    closed.set(name, { ...later, net: net + (gross_pnl - fees) * (fx_rate ?? 1) });
  }

  const steps = [...closed.values()].sort((a, b) =>
    a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1,
  );
  let [run, wins, losses, total, peak, drawdown] = [0, 0, 0, 0, 0, 0];
  for (const [i, { at, net }] of steps.entries()) {
    run = net > 0 ? Math.max(run, 0) + 1 : Math.min(run, 0) - 1;
    wins = Math.max(wins, run);
    losses = Math.max(losses, -run);
    total += net;
    if (steps[i + 1]?.at === at) continue;
    peak = Math.max(peak, total);
    drawdown = Math.max(drawdown, peak - total);
  }
  return { wins, losses, drawdown };
}

/** The median share of their best result that winners kept. */
export function medianKept(): number {
  const kept = journal.trades
    .filter(({ gross_pnl, fees }) => gross_pnl > fees)
    .map(({ gross_pnl, fees }) => (gross_pnl - fees) / (2 * gross_pnl + 10))
    .sort((a, b) => a - b);
  const middle = kept.length / 2;
  return (
    ((kept[Math.ceil(middle) - 1] as number) + (kept[Math.floor(middle)] as number)) / 2
  );
}

/** The planted trades, with an open trade, fills, entries with texts, a review, a missed trade and excursions. */
export function fillPlanted(target: Target): void {
  filler(target)(journal);
  target.db.exec(
    'UPDATE trades SET mfe = 2 * abs(gross_pnl) + 10, mae = -abs(gross_pnl) - 10',
  );
  target.insert('trades', {
    id: 't-open',
    symbol: 'AAPL',
    market: 'stock',
    side: 'long',
    status: 'open',
    executed_at: '2026-06-13T01:00:00.000Z',
    quantity: 1,
    open_quantity: 1,
    entry_price: 100,
    currency: 'USD',
    gross_pnl: 0,
  });
  target.insert('executions', {
    trade_id: 't0243',
    position: 0,
    executed_at: '2025-06-12T02:02:00.000Z',
    side: 'buy',
    quantity: 8,
    price: 100,
  });
  target.insert('trade_journals', {
    id: 'j-stop',
    trade_id: 't0243',
    phase: 'review',
    body: 'I moved my stop again, against the plan.',
    created_at: '2025-06-13T00:00:00.000Z',
  });
  target.insert('weekly_reviews', {
    id: 'w-1',
    period_start: '2026-05-18',
    period_end: '2026-05-24',
    focus: 'no size after losses',
  });
  target.insert('missed_trades', {
    id: 'm-1',
    missed_at: '2026-05-20T01:00:00.000Z',
    symbol: 'MNQ',
    market: 'future',
    side: 'long',
    currency: 'USD',
    miss_type: 'hesitated',
    hypothetical_outcome: 'would_win',
    hypothetical_pnl: 75,
  });
  target.db.exec(
    "UPDATE sessions SET plan = 'two trades, then stop' WHERE date = '2026-05-28'",
  );
}
