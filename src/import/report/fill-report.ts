/** The report of an import of fills, or of a platform's closed trades. */
import type Database from 'better-sqlite3';
import { roundMoney, totalMoney } from '../../money.ts';
import type { Fill } from '../../statements/fill-row.ts';
import { type ComparedDays, comparedDays } from './compared-days.ts';
import {
  type ComparedTotal,
  comparedTotal,
  type Total,
  type TradeRow,
  tradesOf,
} from './compared-totals.ts';

export interface FillReport {
  /**
   * Trades whose units came or went for a reason that no file states, by symbol: they
   * have the tag "unsure".
   */
  unsure: { symbol: string; trades: number }[];
  /** Number of fills in the file; parts of an execution count separately. */
  fills: number;
  /** Number of fills new to the journal. */
  new_fills: number;
  /** Trades with fills of the file. */
  trades: {
    closed: number;
    open: number;
    added: number;
    changed: number;
    removed: number;
  };
  /**
   * Groups of legs opened by one order or at one instant; kept are those without legs
   * that have the user's text.
   */
  groups: {
    added: { strategy: string; legs: number }[];
    changed: number;
    removed: number;
    kept: string[];
  };
  /** First and last instant of those trades, UTC text; null without trades. */
  first: string | null;
  last: string | null;
  /** P&L of those trades. */
  money: Money[];
  by_symbol: (Money & { symbol: string; trades: number; open_quantity: number })[];
  /** Totals that the file states, compared with those of its trades. */
  stated: ComparedTotal[];
  /** What its rows state that they realised, by day. */
  days: ComparedDays;
  /** Days whose earlier exits realise another amount since this file. */
  changed_days: ChangedDay[];
  /** Unmatched closes; they wait for a file with the opening fills. */
  unmatched: LeftOut[];
  /** Costs without an imported fill, by currency. */
  waiting_costs: { currency: string; costs: number; amount: number }[];
  /** Remainders too small to keep a trade open. */
  dust: LeftOut[];
  /** The trader's own fees for fills without stated fees, by currency. */
  own_fees: { currency: string; amount: number }[];
  /**
   * Underlyings, or symbols without one, with neither stated nor own fees: they count as
   * 0.
   */
  without_fees: string[];
  /** Fees in other currencies, excluded from figures. */
  other_fees: { currency: string; amount: number }[];
  /**
   * Currencies of trades without an exchange rate to the user's base currency: excluded
   * from figures.
   */
  without_rate: string[];
  /**
   * Trades whose notes and labels moved to the trade that now has most of their fills.
   */
  moved: { from: string; to: string }[];
  /** Trades changed by hand, left unchanged. */
  kept: string[];
  /**
   * Expirations booked by the user, which the file replaces in whole or in part, with
   * their line in the list of imports.
   */
  replaced: { symbol: string; import: number }[];
}

/** What exits of a day realised, before and after an import. */
interface ChangedDay {
  date: string;
  currency: string;
  before: number;
  after: number;
}

interface Money {
  currency: string;
  gross: number;
  fees: number;
  net: number;
}

export interface LeftOut {
  symbol: string;
  account: string | null;
  executed_at: string;
  side: 'buy' | 'sell' | null;
  /** Null: the whole open quantity. */
  quantity: number | null;
}

/** Totals and fees that a file states. */
interface Statement {
  totals: readonly Total[];
  otherFees: FillReport['other_fees'];
}

/** A fill, or a part of one, that belongs to no trade. */
interface Leftover {
  fill: Fill;
  quantity: number | null;
}

/** Result of importing a file's fills. */
interface FillResult {
  stated: number;
  added: number;
  trades: Pick<FillReport['trades'], 'added' | 'changed' | 'removed'> &
    Pick<FillReport, 'moved' | 'kept'>;
  groups: FillReport['groups'];
  unmatched: readonly Leftover[];
  dust: readonly Leftover[];
  unsure: readonly string[];
  replaced: readonly Fill[];
  changedDays: readonly ChangedDay[];
  fees: { own: FillReport['own_fees']; without: FillReport['without_fees'] };
}

/** @param importId the import that states the fills, present in the journal */
export function fillReport(
  db: Database.Database,
  user: { id: string; base_currency: string; timezone: string },
  importId: number,
  statement: Statement,
  changes: FillResult,
): FillReport {
  const rows = tradesOf(db, user.id, importId);
  const closed = rows.filter(({ status }) => status === 'closed').length;
  const { added, changed, removed, moved, kept } = changes.trades;
  const isCost = ({ fill }: Leftover) => fill.kind === 'cost';
  const missing = changes.unmatched.filter((leftover) => !isCost(leftover));
  const unmatched = new Set(missing.map(({ fill }) => fill.symbol));
  const times = rows
    .flatMap(({ executed_at, closed_at }) => [executed_at, closed_at ?? executed_at])
    .sort();
  const withoutRate = rows.filter(({ lacks_rate }) => lacks_rate === 1);
  const unsure = [...Map.groupBy(changes.unsure, (symbol) => symbol)];

  return {
    unsure: unsure.map(([symbol, { length }]) => ({ symbol, trades: length })),
    fills: changes.stated,
    new_fills: changes.added,
    trades: { closed, open: rows.length - closed, added, changed, removed },
    groups: changes.groups,
    first: times[0] ?? null,
    last: times.at(-1) ?? null,
    money: moneyBy(rows, ({ currency }) => currency).map(({ rows: _, ...sums }) => sums),
    by_symbol: moneyBySymbol(rows),
    stated: statement.totals.map((total) =>
      comparedTotal(total, rows, { db, user: user.id, importId, unmatched }),
    ),
    days: daysOf(db, user, importId, { statement, rows }),
    changed_days: [...changes.changedDays],
    unmatched: missing.map(leftOut),
    waiting_costs: waitingCosts(changes.unmatched.filter(isCost)),
    dust: changes.dust.map(leftOut),
    own_fees: changes.fees.own,
    without_fees: changes.fees.without,
    other_fees: statement.otherFees,
    without_rate: [...new Set(withoutRate.map(({ currency }) => currency))],
    moved,
    kept,
    replaced: replacedExpirations(db, user.id, changes.replaced),
  };
}

/** Only files with stated P&L have days to compare. */
function daysOf(
  db: Database.Database,
  user: Parameters<typeof comparedDays>[1],
  importId: number,
  { statement, rows }: { statement: Statement; rows: readonly TradeRow[] },
): ComparedDays {
  if (!statement.totals.some(({ bySymbol }) => bySymbol))
    return { stated: 0, differing: [] };

  const ids = rows.map(({ id }) => id);
  return comparedDays(db, user, importId, ids);
}

function waitingCosts(costs: readonly Leftover[]): FillReport['waiting_costs'] {
  const byCurrency = [...Map.groupBy(costs, ({ fill }) => fill.currency)];
  return byCurrency.map(([currency, ofCurrency]) => ({
    currency,
    costs: ofCurrency.length,
    amount: totalMoney(ofCurrency.map(({ fill }) => fill.fees)),
  }));
}

function replacedExpirations(
  db: Database.Database,
  userId: string,
  replaced: readonly Fill[],
): FillReport['replaced'] {
  const bookedBy = db
    .prepare('SELECT min(import_id) FROM import_fills WHERE user_id = ? AND fill_id = ?')
    .pluck();
  return replaced.map(({ id, symbol }) => ({
    symbol,
    import: bookedBy.get(userId, id) as number,
  }));
}

function moneyBySymbol(rows: readonly TradeRow[]): FillReport['by_symbol'] {
  const bySymbol = moneyBy(rows, ({ symbol, currency }) => `${symbol} ${currency}`);
  return bySymbol.map(({ rows: ofSymbol, ...sums }) => ({
    symbol: ofSymbol[0]?.symbol ?? '',
    trades: ofSymbol.length,
    open_quantity: totalMoney(ofSymbol.map(({ open_quantity }) => open_quantity)),
    ...sums,
  }));
}

function moneyBy(
  rows: readonly TradeRow[],
  keyOf: (row: TradeRow) => string,
): (Money & { rows: TradeRow[] })[] {
  return [...Map.groupBy(rows, keyOf).values()].map((alike) => {
    const gross = totalMoney(alike.map((row) => row.gross_pnl));
    const fees = totalMoney(alike.map((row) => row.fees));

    return {
      currency: alike[0]?.currency ?? '',
      gross,
      fees,
      net: roundMoney(gross - fees),
      rows: alike,
    };
  });
}

function leftOut({ fill, quantity }: Leftover): LeftOut {
  const { symbol, account, executed_at, side } = fill;
  return { symbol, account, executed_at, side, quantity };
}
