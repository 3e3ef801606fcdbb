/**
 * Compares the totals that a file states with those of its trades; each difference has
 * its symbols and reason.
 */
import type Database from 'better-sqlite3';
import { roundMoney, Sum, totalMoney } from '../../money.ts';

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
export interface ComparableTrade {
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
export function isRounding(
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
