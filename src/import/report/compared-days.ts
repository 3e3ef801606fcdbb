/**
 * What a file's rows state that they realised, compared by day with the exits of the
 * journal; each day that differs has its reason.
 */
import type Database from 'better-sqlite3';
import {
  datedCostsOf,
  type Exit,
  exitsOf,
  type RealisingTrade,
} from '../../journal/trade-exits.ts';
import { roundMoney, totalMoney } from '../../money.ts';
import { dateOfDay, fromInstantText, ZoneClock } from '../../time.ts';

/**
 * - option_premium: the file adds the premium of assigned and exercised options to the
 *   shares
 * - other_units: the file closes units of an open trade at the average price, or not the
 *   first first
 * - opening: the row opened a position here
 * - other_sum: the rows of a closed trade add up to another amount than its prices
 */
export type DayReason = 'option_premium' | 'other_units' | 'opening' | 'other_sum';

interface ComparedDay {
  date: string;
  currency: string;
  /** The file's amount. */
  amount: number;
  ours: number;
  difference: number;
  reason: DayReason;
}

export interface ComparedDays {
  /** Days with a row that states realised P&L, by currency. */
  stated: number;
  /** Those that differ by a cent or more, oldest first. */
  differing: ComparedDay[];
}

/** Half a cent, and noise. */
const LEAST = 0.005 * (1 + 1e-6);

interface StatedRow {
  execution_id: string;
  executed_at: string;
  currency: string;
  fees: number;
  amount: number;
  /** Whether it is after costs. */
  isNet: 0 | 1;
  isUnmatched: 0 | 1;
}

interface ExitRow {
  trade_id: string;
  fill_id: string | null;
  executed_at: string;
  side: string;
  quantity: number;
  price: number;
  fees: number;
  stated_gross_pnl: number | null;
  stated_net_pnl: number | null;
}

type TradeRow = RealisingTrade & {
  id: string;
  isBooked: 0 | 1;
  dated_costs: string | null;
};

const STATED = `SELECT f.execution_id, f.executed_at, f.currency, total(f.fees) AS fees,
    total(coalesce(p.net_pnl, p.gross_pnl)) AS amount, max(p.net_pnl IS NOT NULL) AS isNet,
    EXISTS (SELECT 1 FROM unmatched_closes AS u
      WHERE u.user_id = f.user_id AND u.fill_id = f.id) AS isUnmatched
  FROM import_fills AS p CROSS JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
  WHERE p.user_id = @userId AND p.import_id = @importId
    AND (p.gross_pnl IS NOT NULL OR p.net_pnl IS NOT NULL)
  GROUP BY f.execution_id ORDER BY f.executed_at`;

const TRADES = `SELECT id, side, executed_at, closed_at, open_quantity, multiplier, gross_pnl,
    realised_pnl, dated_costs, EXISTS (SELECT 1 FROM executions AS e
      JOIN fills AS f ON f.user_id = e.user_id AND f.execution_id = e.fill_id
      WHERE e.user_id = t.user_id AND e.trade_id = t.id AND f.kind IN ('assignment', 'exercise'))
      AS isBooked
  FROM trade_records AS t
  WHERE user_id = @userId AND id IN (SELECT value FROM json_each(@ids))`;

const EXECUTIONS = `SELECT trade_id, fill_id, executed_at, side, quantity, price, fees,
    stated_gross_pnl, stated_net_pnl FROM executions
  WHERE user_id = @userId AND trade_id IN (SELECT value FROM json_each(@ids))
  ORDER BY trade_id, executed_at, position`;

/** @param trades ids of those with fills of the import */
export function comparedDays(
  db: Database.Database,
  user: { id: string; timezone: string },
  importId: number,
  trades: readonly string[],
): ComparedDays {
  const stated = db
    .prepare<[object], StatedRow>(STATED)
    .all({ userId: user.id, importId });
  const realised = realisedByFill(db, user.id, trades);
  const clock = new ZoneClock(user.timezone);

  const rows = stated.map((row) => {
    const date = dateOfDay(clock.dayOf(fromInstantText(row.executed_at)));
    return { ...row, date, ...oursOf(row, realised.get(row.execution_id)) };
  });
  const byDay = Map.groupBy(rows, ({ date, currency }) => `${date} ${currency}`);

  const days = [...byDay.values()].map((ofDay): ComparedDay => {
    const [{ date, currency }] = ofDay;
    const amount = totalMoney(ofDay.map((row) => row.amount));
    const ours = totalMoney(ofDay.map((row) => row.ours));
    const apart = (row: (typeof rows)[number]) => Math.abs(row.ours - row.amount);
    const { reason } = ofDay.reduce((most, row) =>
      apart(row) > apart(most) ? row : most,
    );
    return {
      date,
      currency,
      amount,
      ours,
      difference: roundMoney(ours - amount),
      reason,
    };
  });

  return {
    stated: days.length,
    differing: days.filter(({ difference }) => Math.abs(difference) > LEAST),
  };
}

interface RealisedFill {
  exit: Exit;
  /** Its own costs. */
  fees: number;
  trade: TradeRow;
}

/** The exits of trades by the fill that made each. */
function realisedByFill(
  db: Database.Database,
  userId: string,
  trades: readonly string[],
): Map<string, RealisedFill> {
  const which = { userId, ids: JSON.stringify(trades) };
  const fills = Map.groupBy(
    db.prepare<[object], ExitRow>(EXECUTIONS).all(which),
    ({ trade_id }) => trade_id,
  );
  const realised = new Map<string, RealisedFill>();

  for (const trade of db.prepare<[object], TradeRow>(TRADES).all(which)) {
    const executions = fills.get(trade.id) ?? [];
    const closing = executions.filter(
      ({ side }) => (side === 'buy') !== (trade.side === 'long'),
    );
    const exits = exitsOf(trade, executions, datedCostsOf(trade.dated_costs)) ?? [];
    for (const [i, exit] of exits.entries()) {
      const { fill_id, fees } = closing[i] as ExitRow;
      if (fill_id !== null) realised.set(fill_id, { exit, fees, trade });
    }
  }

  return realised;
}

/** What the journal has of what a row states, and the reason if that differs. */
function oursOf(
  { amount, fees, isNet, isUnmatched }: StatedRow,
  realised: RealisedFill | undefined,
): { ours: number; reason: DayReason } {
  // An opening may state its costs.
  if (isUnmatched || (!realised && amount === 0 - fees))
    return { ours: amount, reason: 'opening' };
  if (!realised) return { ours: 0, reason: 'opening' };

  const { exit, trade } = realised;
  // After all costs or the row's own, before costs or before the row's own.
  const [usual, other] = isNet
    ? ([exit.net, exit.gross - realised.fees] as const)
    : ([exit.gross, exit.net + realised.fees] as const);
  const equal = [usual, other].find((reading) => Math.abs(reading - amount) <= LEAST);
  return { ours: equal ?? usual, reason: reasonIn(trade) };
}

function reasonIn({ closed_at, isBooked }: TradeRow): DayReason {
  if (isBooked) return 'option_premium';
  return closed_at === null ? 'other_units' : 'other_sum';
}
