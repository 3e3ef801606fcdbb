/** The report of an import of fills, or of a platform's closed trades. */
import type Database from 'better-sqlite3';
import {
  datedCostsOf,
  type Exit,
  exitsOf,
  type RealisingTrade,
} from '../../journal/trade-exits.ts';
import { roundMoney, totalMoney } from '../../money.ts';
import type { Fill } from '../../statements/fill-row.ts';
import { dateOfDay, fromInstantText, ZoneClock } from '../../time.ts';
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
  fees: { byRates: FillReport['own_fees']; without: FillReport['without_fees'] };
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
    own_fees: changes.fees.byRates,
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

// What a file's rows state that they realised, compared by day with the exits of the
// journal; each day that differs has its reason.

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

type RealisedTrade = RealisingTrade & {
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
function comparedDays(
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
  trade: RealisedTrade;
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

  for (const trade of db.prepare<[object], RealisedTrade>(TRADES).all(which)) {
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

function reasonIn({ closed_at, isBooked }: RealisedTrade): DayReason {
  if (isBooked) return 'option_premium';
  return closed_at === null ? 'other_units' : 'other_sum';
}
