/**
 * Totals that a file states and that differ for no known reason. The journal keeps them,
 * and compares them again whenever fills change: a later file, or a fill by hand, may
 * settle them.
 */
import type Database from 'better-sqlite3';
import { totalMoney } from '../../money.ts';
import { USER, UserRows } from '../../sqlite/user-rows.ts';
import {
  type ComparedTotal,
  comparedTotal,
  isRounding,
  type Reason,
  type Total,
} from './compared-totals.ts';
import { type TradeRow, tradesOf } from './import-trades.ts';

/** A total as the journal keeps it. */
interface StoredTotal {
  import_id: number;
  place: number;
  what: Total['what'];
  currency: string;
  symbol: string | null;
  amount: number;
  of_rows: number | null;
  is_total: number;
  is_realised: number;
  with_options: number;
}

const STATED = `SELECT import_id, place, what, currency, symbol, amount, of_rows, is_total,
    is_realised, with_options
  FROM stated_totals WHERE user_id = ${USER} ORDER BY import_id, place`;

const CLOSES = `SELECT u.account, u.symbol, u.underlying, u.currency, u.fees, u.net_pnl
  FROM import_fills AS p
  CROSS JOIN unmatched_closes AS u ON u.user_id = p.user_id AND u.fill_id = p.fill_id
  WHERE p.user_id = ${USER} AND p.import_id = @importId`;

/**
 * Keeps the totals of a file that differ for no known reason.
 * @param compared in the same order
 */
export function keepDiffering(
  rows: UserRows,
  { id, file }: { id: number; file: string },
  totals: readonly Total[],
  compared: readonly ComparedTotal[],
): void {
  rows.delete('stated_totals', { import_id: id });

  for (const [place, total] of totals.entries()) {
    const { difference = 0, reason = null, ours = 0 } = compared[place] ?? {};
    const isKnown = reason !== null && reason !== 'unmatched';
    if (difference === 0 || isKnown) continue;

    const { what, currency, symbol, amount, ofRows = null } = total;
    rows.insert('stated_totals', {
      import_id: id,
      place,
      file,
      what,
      currency,
      symbol,
      amount,
      of_rows: ofRows,
      is_total: Number(total.isTotal === true),
      is_realised: Number(total.isRealised === true),
      with_options: Number(total.withOptions === true),
      here: ours,
    });
  }
}

/** Symbols, as trades have them now, with rows of an import that state P&L. */
const SYMBOLS = `SELECT DISTINCT coalesce(t.symbol, f.symbol) AS symbol, p.gross_pnl IS NOT NULL AS gross,
    p.net_pnl IS NOT NULL AS net
  FROM import_fills AS p
  CROSS JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
  LEFT JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
  LEFT JOIN trades AS t ON t.user_id = e.user_id AND t.id = e.trade_id
  WHERE p.user_id = ${USER} AND p.import_id = @importId
    AND (p.gross_pnl IS NOT NULL OR p.net_pnl IS NOT NULL)`;

/** Compares kept totals with the journal as it is now. */
export function settleTotals(db: Database.Database, user: string): void {
  const rows = new UserRows(db, user);
  const stored = rows.all<StoredTotal>(STATED);

  for (const [importId, totals] of Map.groupBy(stored, ({ import_id }) => import_id)) {
    const trades = tradesOf(db, user, importId);
    const closes = rows.all<UnmatchedClose>(CLOSES, { importId });
    const stating = rows.all<StatingSymbol>(SYMBOLS, { importId });
    const facts = factsOf(trades, closes);

    for (const total of totals) {
      const context = { db, user, importId, symbols: symbolsOf(total, stating) };
      const found = comparedWith(total, trades, closes, context);
      const { place } = total;
      rows.update(
        'stated_totals',
        { import_id: importId, place },
        { ...found, ...facts },
      );
    }
  }
}

interface StatingSymbol {
  symbol: string;
  gross: number;
  net: number;
}

/** The symbols that a sum of rows is of; undefined: all. */
function symbolsOf(
  { what, is_total }: StoredTotal,
  stating: readonly StatingSymbol[],
): ReadonlySet<string> | undefined {
  if (is_total === 1 || (what !== 'gross' && what !== 'net')) return undefined;
  const found = stating.filter((row) => row[what] === 1).map(({ symbol }) => symbol);
  // Records have no rows of fills.
  return found.length > 0 ? new Set(found) : undefined;
}

/** An unmatched close of an import. */
interface UnmatchedClose {
  account: string | null;
  symbol: string;
  underlying: string | null;
  currency: string;
  fees: number;
  net_pnl: number | null;
}

interface Comparison {
  here: number;
  cause: Cause | null;
}

type Cause = 'unmatched_closes' | 'no_trades' | 'unknown';

/** Unmatched closes realised what their rows state, here, too. */
function comparedWith(
  stored: StoredTotal,
  trades: readonly TradeRow[],
  closes: readonly UnmatchedClose[],
  context: {
    db: Database.Database;
    user: string;
    importId: number;
    symbols: ReadonlySet<string> | undefined;
  },
): Comparison {
  const { what, currency, symbol, amount, of_rows } = stored;
  const included = closes.filter(
    (close) => close.currency === currency && isOfSymbol(close, stored),
  );
  const ofCloses =
    what === 'position' ? 0 : totalMoney(included.map((close) => statedBy(close, what)));
  const silent = included.filter(
    ({ net_pnl }) => what === 'position' || net_pnl === null,
  );
  const total: Total = {
    what,
    currency,
    symbol,
    amount: totalMoney([amount, -ofCloses]),
    isRealised: stored.is_realised === 1,
    withOptions: stored.with_options === 1,
    symbols: context.symbols,
  };

  const { ours, difference, reason } = comparedTotal(total, trades, {
    ...context,
    unmatched: new Set(silent.map((close) => close.symbol)),
  });
  const here = totalMoney([ours, ofCloses]);
  // Else the file contradicts itself.
  const isAsItsRows =
    of_rows !== null &&
    isRounding(totalMoney([here, -of_rows]), of_rows, here, trades.length);
  const isSettled =
    difference === 0 || isAsItsRows || (reason ?? 'unmatched') !== 'unmatched';

  return { here, cause: isSettled ? null : causeOf(reason, trades) };
}

function causeOf(reason: Reason, trades: readonly TradeRow[]): Cause {
  if (reason === 'unmatched') return 'unmatched_closes';
  return trades.length === 0 ? 'no_trades' : 'unknown';
}

function isOfSymbol(
  { symbol, underlying }: UnmatchedClose,
  total: Pick<StoredTotal, 'symbol' | 'with_options'>,
): boolean {
  if (total.symbol === null || symbol === total.symbol) return true;
  return total.with_options === 1 && underlying === total.symbol;
}

function statedBy({ fees, net_pnl }: UnmatchedClose, what: Total['what']): number {
  if (what === 'fees') return net_pnl === null ? 0 : fees;
  if (net_pnl === null) return 0;
  return what === 'gross' ? net_pnl + fees : net_pnl;
}

/** What decides who sees a total, and in which periods. */
function factsOf(
  trades: readonly TradeRow[],
  closes: readonly UnmatchedClose[],
): Record<string, string | null> {
  const accounts = new Set([...trades, ...closes].map(({ account }) => account));
  const [account = null] = accounts.size === 1 ? accounts : [];
  const opened = trades.map(({ executed_at }) => executed_at).sort();
  const closed = trades.map((trade) => trade.closed_at ?? trade.executed_at).sort();
  // Unmatched closes were opened before, at an unknown time.
  const [first = null] = closes.length > 0 ? [] : opened;

  return { account, opened_at: first, closed_at: closed.at(-1) ?? null };
}
