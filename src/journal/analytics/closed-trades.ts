/**
 * The closed trades of a window, one by one in the order (closed_at, id), with their money in the user's base currency:
 * what every figure is computed from.
 */
import type { Reader } from '../../read-only-file.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { type Range, Where } from '../where.ts';

/** Which trades: bounds of closed_at as UTC text, and trade filters by name. */
export interface Selection {
  range: Range;
  filters: Readonly<Record<string, string>>;
}

type Outcome = 'win' | 'loss' | 'breakeven';

export interface ClosedTrade {
  id: string;
  closedAt: string;
  /** Epoch milliseconds. */
  closedMs: number;
  enteredMs: number;
  account: string | null;
  symbol: string;
  market: string;
  side: string;
  setup: string | null;
  tags: readonly string[];
  mistakes: readonly string[];
  /** Base currency, not rounded. */
  gross: number;
  fees: number;
  net: number;
  /** Net over initial risk; null without a risk. */
  r: number | null;
  outcome: Outcome;
  hasStop: boolean;
}

/** Trades whose money can't be put into the base currency: in no figure but here. */
export class LeftOut {
  trades = 0;
  readonly #currencies = new Set<string>();

  add(currency: string): void {
    this.trades++;
    this.#currencies.add(currency);
  }

  get currencies(): string[] {
    return [...this.#currencies].sort();
  }
}

const COLUMNS =
  'closed_at, id, executed_at, account, symbol, market, side, setup, tags, mistakes, currency, fx_rate, gross_pnl, fees, net_pnl, initial_risk, stop_loss IS NOT NULL';

type Columns = [
  closedAt: string,
  id: string,
  executedAt: string,
  account: string | null,
  symbol: string,
  market: string,
  side: string,
  setup: string | null,
  tags: string,
  mistakes: string,
  currency: string,
  fxRate: number | null,
  gross: number,
  fees: number,
  net: number,
  risk: number | null,
  hasStop: number,
];

// Rows are fetched in chunks: a journal of a million trades must not stand in memory at once.
const CHUNK = 2000;

export function* closedTrades(
  reader: Reader,
  user: User,
  selection: Selection,
  leftOut: LeftOut,
): Generator<ClosedTrade> {
  let last: Columns | undefined;
  for (;;) {
    const where = whereClosed(user, selection);
    if (last) where.add('(closed_at, id) > (?, ?)', last[0], last[1]);
    const rows = reader.rows(
      `SELECT ${COLUMNS} FROM trade_records WHERE ${where.sql} ORDER BY closed_at, id LIMIT ${CHUNK}`,
      ...where.values,
    ) as Columns[];
    for (const row of rows) {
      const rate = rateOf(user, row[10], row[11]);
      if (rate === null) leftOut.add(row[10]);
      else yield toTrade(row, rate, user.breakeven_tolerance);
    }
    if (rows.length < CHUNK) return;
    last = rows.at(-1);
  }
}

/** The WHERE clause for a selection of closed trades, of trade_records. */
export function whereClosed(user: User, selection: Selection): Where {
  const where = new Where(user.id);
  where.filter(tradeFilters, selection.filters);
  where.add('closed_at IS NOT NULL');
  where.range('closed_at', selection.range);
  return where;
}

/** What one unit of a currency is in the base currency; null where unknown. */
export function rateOf(user: User, currency: string, fxRate: number | null): number | null {
  return currency === user.base_currency ? 1 : fxRate;
}

/**
 * How a trade ended: money within the tolerance of the base currency is neither won nor lost. The view trade_records says the
 * same of each trade, but costs a scan half as much again; at the edge this rounds as it does, by the binary value.
 */
function outcomeOf(net: number, tolerance: number): Outcome {
  const beyond = Math.abs(net) - tolerance;
  const within = Math.abs(beyond) < 1e-8 ? Number(Math.abs(net).toFixed(8)) <= tolerance : beyond < 0;
  if (within) return 'breakeven';
  return net > 0 ? 'win' : 'loss';
}

function toTrade(row: Columns, rate: number, tolerance: number): ClosedTrade {
  const [
    closedAt,
    id,
    executedAt,
    account,
    symbol,
    market,
    side,
    setup,
    tags,
    mistakes,
    ,
    ,
    gross,
    fees,
    own,
    risk,
    hasStop,
  ] = row;
  const net = own * rate;
  return {
    id,
    closedAt,
    closedMs: Date.parse(closedAt),
    enteredMs: Date.parse(executedAt),
    account,
    symbol,
    market,
    side,
    setup,
    tags: listOf(tags),
    mistakes: listOf(mistakes),
    gross: gross * rate,
    fees: fees * rate,
    net,
    r: risk === null ? null : own / risk,
    outcome: outcomeOf(net, tolerance),
    hasStop: hasStop === 1,
  };
}

const NONE: readonly string[] = [];

function listOf(json: string): readonly string[] {
  return json === '[]' ? NONE : JSON.parse(json);
}
