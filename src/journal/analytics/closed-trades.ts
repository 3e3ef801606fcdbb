/**
 * The closed trades of a window, one by one in the order (closed_at, id), with their money in the user's base currency:
 * what every figure is computed from.
 */
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { epochOf } from '../../time.ts';
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
  /** Base currency, not rounded. */
  gross: number;
  fees: number;
  net: number;
  /** Net over initial risk; null without a risk. */
  r: number | null;
  outcome: Outcome;
  // From here on only as far as the pass asked for.
  symbol: string;
  /** Each once: a tag written twice on one trade is one tag. */
  tags: readonly string[];
  mistakes: readonly string[];
  account: string | null;
  market: string;
  side: string;
  setup: string | null;
  hasStop: boolean;
  /** The rules of each of its journal entries, as JSON; empty without an entry. */
  rules: readonly string[];
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

/** How much of each trade a pass needs: its money, the labels that a summary counts too, or everything. */
type Detail = 'money' | 'labels' | 'all';

const MONEY = 'closed_at, id, executed_at, currency, fx_rate, gross_pnl, fees, net_pnl, r_multiple';
const LABELS = `${MONEY}, symbol, tags, mistakes`;
const COLUMNS: Record<Detail, string> = {
  money: MONEY,
  labels: LABELS,
  all: `${LABELS}, account, market, side, setup, stop_loss IS NOT NULL,
    (SELECT json_group_array(rules) FROM trade_journals AS j WHERE j.user_id = t.user_id AND j.trade_id = t.id)`,
};

type Columns = [
  closedAt: string,
  id: string,
  executedAt: string,
  currency: string,
  fxRate: number | null,
  gross: number,
  fees: number,
  net: number,
  r: number | null,
  symbol: string,
  tags: string,
  mistakes: string,
  account: string | null,
  market: string,
  side: string,
  setup: string | null,
  hasStop: number,
  rules: string,
];

// Rows are fetched in chunks: a journal of a million trades must not stand in memory at once, nor hold up other requests.
const CHUNK = 1000;

/** What a pass over closed trades does with them. */
export interface Visitor {
  detail: Detail;
  visit: (trade: ClosedTrade) => void;
  leftOut?: LeftOut;
}

/** Visits the closed trades of a selection in the order (closed_at, id), pausing between chunks of them. */
export function* visitClosedTrades(
  reader: Reader,
  user: User,
  { range, filters }: Selection,
  { detail, visit, leftOut }: Visitor,
): Generator<void, void> {
  // Only the view knows outcomes; to pass through the table is cheaper.
  const source = filters['outcome'] === undefined ? 'trades' : 'trade_records';
  const isFiltered = Object.keys(filters).length > 0;
  const words = new JsonLists((list) => [...new Set(list)]);
  const rules = new JsonLists((list) => list);
  let last: Position | undefined;
  for (;;) {
    const where = new Where(user.id);
    where.add('closed_at IS NOT NULL');
    // The position alone: beside a bound on the same side, SQLite may begin at that one, and skip what it has seen before.
    where.range('closed_at', last ? { from: null, to: range.to } : range);
    if (last) where.add(`(closed_at, id) > (${TEXT}, ${TEXT})`, ...last);
    // A filter may let nothing through: then a chunk is of the trades that are looked at.
    const end = isFiltered ? endOfChunk(reader, where) : undefined;
    if (end) where.add(`(closed_at, id) <= (${TEXT}, ${TEXT})`, ...end);
    where.filter(tradeFilters, filters, { byIndex: false });
    const rows = reader.rows(
      `SELECT ${COLUMNS[detail]} FROM ${source} AS t WHERE ${where.sql} ORDER BY closed_at, id LIMIT ${CHUNK}`,
      ...where.values,
    ) as Columns[];
    for (const row of rows) {
      const rate = rateOf(user, row[3], row[4]);
      if (rate === null) leftOut?.add(row[3]);
      else visit(toTrade(row, rate, user.breakeven_tolerance, words, rules));
    }
    const next = isFiltered ? end : rows.length === CHUNK ? positionOf(rows.at(-1) as Columns) : undefined;
    // After a long pass, the figures that are made of it take a while themselves.
    if (next || last) yield;
    if (!next) return;
    last = next;
  }
}

type Position = [closedAt: string, id: string];

/** Where the next chunk of trades ends; undefined where there are fewer left. */
function endOfChunk(reader: Reader, where: Where): Position | undefined {
  const [row] = reader.rows(
    `SELECT closed_at, id FROM trades WHERE ${where.sql} ORDER BY closed_at, id LIMIT 1 OFFSET ${CHUNK - 1}`,
    ...where.values,
  ) as Position[];
  return row;
}

function positionOf([closedAt, id]: Columns): Position {
  return [closedAt, id];
}

/** What one unit of a currency is in the base currency; null where unknown. */
export function rateOf(user: User, currency: string, fxRate: number | null): number | null {
  return currency === user.base_currency ? 1 : fxRate;
}

/**
 * How a trade ended: money within the tolerance of the base currency is neither won nor lost. The view trade_records says the
 * same of each trade, but costs a scan half as much again.
 */
function outcomeOf(net: number, tolerance: number): Outcome {
  if (Math.abs(net) <= tolerance * 1.000000000001) return 'breakeven';
  return net > 0 ? 'win' : 'loss';
}

function toTrade(row: Columns, rate: number, tolerance: number, words: JsonLists, rules: JsonLists): ClosedTrade {
  const net = row[7] * rate;
  return {
    id: row[1],
    closedAt: row[0],
    closedMs: epochOf(row[0]),
    enteredMs: epochOf(row[2]),
    gross: row[5] * rate,
    fees: row[6] * rate,
    net,
    r: row[8],
    outcome: outcomeOf(net, tolerance),
    symbol: row[9],
    tags: words.parse(row[10]),
    mistakes: words.parse(row[11]),
    account: row[12],
    market: row[13],
    side: row[14],
    setup: row[15],
    hasStop: row[16] === 1,
    rules: rules.parse(row[17]),
  };
}

const NONE: readonly string[] = [];

/** Lists of strings from their JSON text. Tags and mistakes recur, so each text is parsed once, up to a number of texts. */
class JsonLists {
  readonly #parsed = new Map<string, readonly string[]>();
  readonly #listed: (list: string[]) => readonly string[];

  /** @param listed what is made of a list that was parsed */
  constructor(listed: (list: string[]) => readonly string[]) {
    this.#listed = listed;
  }

  parse(json: string | undefined): readonly string[] {
    if (json === undefined || json === '[]') return NONE;
    let list = this.#parsed.get(json);
    if (!list) {
      list = this.#listed(JSON.parse(json) as string[]);
      if (this.#parsed.size < 10_000) this.#parsed.set(json, list);
    }
    return list;
  }
}
