/**
 * Compares the totals that a file states with those of its trades; each difference has
 * its symbols and reason. The journal keeps totals that differ for no known reason.
 */
import type Database from 'better-sqlite3';
import { roundMoney, Sum, totalMoney } from '../../money.ts';
import { USER, UserRows } from '../../sqlite/user-rows.ts';

/** The reason for a difference; null if unknown. */
export type Reason =
  | 'rounding'
  | 'open_costs'
  | 'average_price'
  | 'unmatched'
  | 'option_premium'
  | 'other_files'
  | null;

interface ComparedAmount {
  /** The file's amount. */
  amount: number;
  ours: number;
  difference: number;
  reason: Reason;
}

export interface ComparedTotal extends ComparedAmount {
  /** position: open units, below 0 if short. */
  what: 'gross' | 'net' | 'fees' | 'position';
  currency: string;
  /** Null: of all symbols. */
  symbol: string | null;
  /**
   * Whether the file states it as one amount, or as amounts of its rows, which are added
   * up.
   */
  stated_as: 'total' | 'rows';
  /** Whether it includes options on the symbol. */
  withOptions?: boolean;
  /** The reason for a difference, if the file shows it. */
  why?: string;
  /** Costs of open positions, which a realised P&L excludes: excluded here too. */
  open_costs: number;
  /**
   * The symbols that differ, the largest difference first; none if the file states only a
   * total.
   */
  by_symbol: (ComparedAmount & { symbol: string })[];
}

/** The compared facts of a trade. */
interface ComparableTrade {
  id: string;
  symbol: string;
  underlying: string | null;
  side: string;
  currency: string;
  multiplier: number;
  open_quantity: number;
  gross_pnl: number;
  fees: number;
  /** Costs of the open quantity. */
  open_costs: number;
}

interface Context {
  db: Database.Database;
  user: string;
  importId: number;
  /** Symbols with unmatched closes. */
  unmatched: ReadonlySet<string>;
}

/** The amounts of a symbol, or of all if it is null. */
interface SymbolContext extends Context {
  symbol: string | null;
}

export type Total = Pick<
  ComparedTotal,
  'what' | 'currency' | 'symbol' | 'withOptions' | 'why' | 'amount'
> & {
  isTotal?: true;
  /** Sums of rows by symbol; undefined for a total stated as one. */
  bySymbol?: ReadonlyMap<string, number>;
  /** The symbols of these rows, those before a change of name, too; undefined: all. */
  symbols?: ReadonlySet<string> | undefined;
  /** Whether it is realised only: without the costs of open positions. */
  isRealised?: boolean;
  /** What the file's rows add up to, if that isn't its total. */
  ofRows?: number;
};

export function comparedTotal(
  total: Total,
  trades: readonly ComparableTrade[],
  context: Context,
): ComparedTotal {
  const {
    bySymbol,
    symbols: _,
    isRealised: __,
    ofRows: ___,
    isTotal = false,
    why,
    ...stated
  } = total;
  const summed = trades.filter((trade) => isOf(trade, total));
  const compared = comparedAmount(total.amount, summed, total, {
    ...context,
    symbol: total.symbol,
  });

  return {
    ...stated,
    stated_as: isTotal || total.what === 'position' ? 'total' : 'rows',
    ...compared,
    ...(why !== undefined && compared.difference !== 0 && { why }),
    open_costs: leavesOpenCosts(total) ? openCostsOf(summed) : 0,
    by_symbol: bySymbol ? differentSymbols(bySymbol, summed, total, context) : [],
  };
}

/**
 * Whether a total includes a trade: a sum of rows none of symbols whose rows state
 * nothing.
 */
function isOf({ currency, symbol, underlying }: ComparableTrade, total: Total): boolean {
  if (currency !== total.currency || total.symbols?.has(symbol) === false) return false;
  if (total.symbol === null || symbol === total.symbol) return true;
  return total.withOptions === true && underlying === total.symbol;
}

/**
 * The symbols whose amounts differ by more than rounding, the largest difference first.
 */
function differentSymbols(
  stated: ReadonlyMap<string, number>,
  trades: readonly ComparableTrade[],
  total: Total,
  context: Context,
): ComparedTotal['by_symbol'] {
  const bySymbol = Map.groupBy(trades, ({ symbol }) => symbol);
  const symbols = [...new Set([...stated.keys(), ...bySymbol.keys()])];
  const compared = symbols.map((symbol) => ({
    symbol,
    ...comparedAmount(stated.get(symbol) ?? 0, bySymbol.get(symbol) ?? [], total, {
      ...context,
      symbol,
    }),
  }));
  return compared
    .filter(({ difference, reason }) => difference !== 0 && reason !== 'rounding')
    .sort((a, b) => Math.abs(b.difference) - Math.abs(a.difference));
}

function comparedAmount(
  amount: number,
  trades: readonly ComparableTrade[],
  total: Total,
  context: SymbolContext,
): ComparedAmount {
  const ours = totalMoney(trades.map((trade) => amountOf(trade, total)));
  const difference = roundMoney(ours - amount);

  return {
    amount,
    ours,
    difference,
    reason: reasonOf({ amount, ours, difference }, trades, total, context),
  };
}

function amountOf(
  { side, open_quantity, gross_pnl, fees, open_costs }: ComparableTrade,
  total: Total,
): number {
  if (total.what === 'position') return side === 'long' ? open_quantity : -open_quantity;
  if (total.what === 'gross') return gross_pnl;
  if (total.what === 'fees') return fees;
  return gross_pnl - fees + (leavesOpenCosts(total) ? open_costs : 0);
}

/**
 * Whether open costs are excluded: a realised net P&L includes only costs of closed
 * units.
 */
function leavesOpenCosts({ what, isRealised }: Total): boolean {
  return what === 'net' && isRealised === true;
}

function openCostsOf(trades: readonly ComparableTrade[]): number {
  return totalMoney(trades.map(({ open_costs }) => open_costs));
}

/** Whether rounding explains a difference of two amounts. @param trades their number */
function isRounding(
  apart: number,
  stated: number,
  ours: number,
  trades: number,
): boolean {
  const largest = Math.max(Math.abs(stated), Math.abs(ours));
  return Math.abs(apart) <= Math.max(5e-5 * largest, 1e-8 * trades);
}

/** The first reason that explains a difference. */
function reasonOf(
  { amount, ours, difference }: Omit<ComparedAmount, 'reason'>,
  trades: readonly ComparableTrade[],
  total: Total,
  context: SymbolContext,
): Reason {
  const { unmatched, symbol } = context;
  if (difference === 0) return null;
  if (total.what === 'position') return unmatched.size > 0 ? 'unmatched' : null;

  const isRounded = (apart: number) => isRounding(apart, amount, ours, trades.length);
  if (isRounded(difference)) return 'rounding';

  const openCosts = leavesOpenCosts(total) ? openCostsOf(trades) : 0;
  if (openCosts !== 0 && isRounded(difference - openCosts)) return 'open_costs';

  const apart = total.what === 'fees' ? 0 : apartAtAveragePrice(trades, total, context);
  if (apart !== 0 && isRounded(difference + apart)) return 'average_price';

  const isUnmatched = symbol === null ? unmatched.size > 0 : unmatched.has(symbol);
  return isUnmatched ? 'unmatched' : reasonInFills(trades, context);
}

/** How far the P&L of partly closed trades at the average price is from the journal's. */
function apartAtAveragePrice(
  trades: readonly ComparableTrade[],
  total: Total,
  { db, user }: Context,
): number {
  const partly = trades.filter(({ open_quantity }) => open_quantity > 0);
  return totalMoney(
    partly.map(
      (trade) => atAveragePrice(db, user, trade, total.what) - amountOf(trade, total),
    ),
  );
}

/** A reason that the fills of trades show. */
function reasonInFills(
  trades: readonly ComparableTrade[],
  { db, user, importId }: Context,
): Reason {
  const hasFill = (condition: string, ...params: unknown[]) => {
    const found = db.prepare(
      `SELECT 1 FROM executions AS e
       JOIN fills AS f ON f.user_id = e.user_id AND f.execution_id = e.fill_id
       WHERE e.user_id = ? AND e.trade_id = ? AND ${condition} LIMIT 1`,
    );
    return trades.some(({ id }) => found.get(user, id, ...params) !== undefined);
  };

  if (hasFill("f.kind IN ('assignment', 'exercise')")) return 'option_premium';

  const isElsewhere = `NOT EXISTS (
    SELECT 1 FROM import_fills AS p
    WHERE p.user_id = f.user_id AND p.fill_id = f.id AND p.import_id = ?)`;
  return hasFill(isElsewhere, importId) ? 'other_files' : null;
}

/**
 * P&L at the average price of the position, as some brokers book it; the journal closes
 * what was opened first.
 */
function atAveragePrice(
  db: Database.Database,
  user: string,
  { id, side, multiplier }: ComparableTrade,
  what: Total['what'],
): number {
  const rows = db
    .prepare<string[], { side: string; quantity: number; price: number; fees: number }>(
      `SELECT side, quantity, price, fees FROM executions
       WHERE user_id = ? AND trade_id = ? ORDER BY executed_at, position`,
    )
    .all(user, id);
  const opening = side === 'long' ? 'buy' : 'sell';
  const direction = side === 'long' ? multiplier : -multiplier;
  const held = { units: 0, value: 0, fees: 0 };
  const sum = new Sum();

  for (const { quantity, price, fees, ...row } of rows) {
    if (row.side === opening) {
      held.units += quantity;
      held.value += price * quantity;
      held.fees += fees;
      continue;
    }

    const share = quantity / held.units;
    sum.add((price * quantity - held.value * share) * direction);
    if (what === 'net') sum.add(-fees - held.fees * share);
    held.value -= held.value * share;
    held.fees -= held.fees * share;
    held.units -= quantity;
  }

  return roundMoney(sum.value);
}

/** A trade that an import states in whole or in part. */
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

// Totals that differ for no known reason. The journal keeps them, and compares them again
// whenever fills change: a later file, or a fill by hand, may settle them.

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
