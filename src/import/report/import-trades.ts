/** The trades that an import states in whole or in part. */
import type Database from 'better-sqlite3';
import type { ComparableTrade } from './compared-totals.ts';

export interface TradeRow extends ComparableTrade {
  account: string | null;
  status: string;
  executed_at: string;
  closed_at: string | null;
  /**
   * 1 if it is closed, or has an exit, and no exchange rate to the base currency is
   * known.
   */
  lacks_rate: 0 | 1;
}

/**
 * Trades with a fill of an import, or added by it as records. CROSS JOIN fixes the order
 * of the tables: the planner may begin with all executions, which takes time by the
 * square of the fills.
 */
export function tradesOf(
  db: Database.Database,
  userId: string,
  importId: number,
): TradeRow[] {
  return db
    .prepare<[{ userId: string; importId: number }], TradeRow>(
      `SELECT id, account, symbol, underlying, side, status, executed_at, closed_at, multiplier,
         open_quantity, currency, gross_pnl, fees, round(realised_pnl - net_pnl, 8) AS open_costs,
         fx_rate IS NULL AND (status = 'closed' OR EXISTS (
           SELECT 1 FROM executions AS e
           WHERE e.user_id = t.user_id AND e.trade_id = t.id
             AND (e.side = 'buy') <> (t.side = 'long') AND e.fx_rate IS NULL)) AS lacks_rate
       FROM trade_records AS t WHERE user_id = @userId AND id IN (
         SELECT e.trade_id FROM import_fills AS p
         CROSS JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
         CROSS JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
         WHERE p.user_id = @userId AND p.import_id = @importId
         UNION ALL SELECT e.trade_id FROM import_fills AS p
         CROSS JOIN fills AS c ON c.user_id = p.user_id AND c.id = p.fill_id AND c.kind = 'cost'
           AND c.part IS NULL
         CROSS JOIN fills AS f ON f.user_id = c.user_id AND f.platform = c.platform
           AND f.symbol = c.symbol AND f.kind = 'trade'
           AND f.executed_at BETWEEN c.executed_at AND substr(c.executed_at, 1, 19) || '.999Z'
         CROSS JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
         WHERE p.user_id = @userId AND p.import_id = @importId
         UNION ALL SELECT record_id FROM import_records
         WHERE user_id = @userId AND import_id = @importId AND resource = 'trades')
       ORDER BY symbol, executed_at, id`,
    )
    .all({ userId, importId });
}
