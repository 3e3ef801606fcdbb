/** Responses of the hand-written rivals: the same records as journal-api, read competently. */
import Database from 'better-sqlite3';

const TRADE = `id, account, symbol, market, side, status, outcome, executed_at, closed_at, holding_seconds, has_time, quantity, open_quantity,
  multiplier, entry_price, exit_price, currency, fx_rate, gross_pnl, fees, net_pnl, net_pnl_base, initial_risk, risk, r_multiple, stop_loss, take_profit, mae,
  mfe, mae_bound, mfe_bound, setup, timeframe, tags, mistakes, rating, notes, group_id, underlying, expiration, strike, option_type, source, created_at, updated_at`;
const ENTRY = `id, trade_id, phase, title, body, went_well, went_wrong, lesson, emotions, confidence, execution_rating, followed_plan,
  rules, mistakes, tags, attachments, created_at, updated_at`;

/** @param {string} path of the journal file */
export function answers(path) {
  const db = new Database(path, { readonly: true });
  const page = db.prepare(
    `SELECT ${TRADE} FROM trade_records WHERE user_id = ? AND executed_at < ? ORDER BY executed_at DESC, id DESC LIMIT ?`,
  );
  const trade = db.prepare(
    `SELECT ${TRADE} FROM trade_records WHERE user_id = ? AND id = ?`,
  );
  const executions = db.prepare(
    'SELECT executed_at, has_time, side, quantity, price, fees FROM executions WHERE user_id = ? AND trade_id = ? ORDER BY executed_at, position',
  );
  const entries = db.prepare(
    `SELECT ${ENTRY} FROM trade_journals WHERE user_id = ? AND trade_id = ? ORDER BY created_at DESC, id DESC`,
  );
  const tradeOf = (row) => {
    row.has_time = row.has_time === 1;
    row.tags = JSON.parse(row.tags);
    row.mistakes = JSON.parse(row.mistakes);
    if (row.r_multiple !== null) row.r_multiple = Math.round(row.r_multiple * 1e6) / 1e6;
    return row;
  };
  const fillOf = (row) => ({ ...row, has_time: row.has_time === 1 });
  const entryOf = (row) => {
    for (const list of ['emotions', 'rules', 'mistakes', 'tags', 'attachments'])
      row[list] = JSON.parse(row[list]);
    row.followed_plan = row.followed_plan === null ? null : row.followed_plan === 1;
    return row;
  };
  return {
    page(end = '9999-12-31T00:00:00Z', limit = 50) {
      const rows = page.all('me', new Date(end).toISOString(), limit + 1);
      const more = rows.length > limit;
      if (more) rows.pop();
      const last = rows.at(-1);
      const cursor = more
        ? Buffer.from(JSON.stringify([last.executed_at, last.id])).toString('base64url')
        : null;
      return {
        data: rows.map(tradeOf),
        pagination: { limit, has_more: more, next_cursor: cursor },
      };
    },
    trade(id) {
      const row = trade.get('me', id);
      const journals = entries.all('me', id).map(entryOf);
      return {
        data: {
          ...tradeOf(row),
          executions: executions.all('me', id).map(fillOf),
          group: null,
          journals,
          group_journals: [],
        },
      };
    },
  };
}
