/**
 * The closed trades of a window, one by one in the order (closed_at, id), with their money in the user's base currency:
 * what every figure is computed from.
 */
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { AnswerTooLarge, ifSmall, isSmall } from '../answer-size.ts';
import type { User } from '../journal.ts';
import { journalFields } from '../resources/common.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedJson } from '../stored-json.ts';
import { storedInstant, storedList, storedNumber } from '../stored-value.ts';
import { type Range, Where } from '../where.ts';
import { rateOf } from './base-currency.ts';

/** Which trades: bounds of closed_at as UTC text, and trade filters by name. */
export interface Selection {
  range: Range;
  filters: Readonly<Record<string, string>>;
}

/** How much is read of each trade: its money, the labels that the summary counts too, or everything. */
type Detail = 'money' | 'labels' | 'all';

/** What the labels of a trade, or the rules of an entry, may take. */
const MAX_OCTETS = '256000';
const LABEL_OCTETS = 'octet_length(tags) + octet_length(mistakes)';
const ALL_OCTETS = `${LABEL_OCTETS} + coalesce(octet_length(setup), 0) + coalesce(octet_length(account), 0)`;
const OCTETS_BY_DETAIL: Record<Detail, string> = { money: '0', labels: LABEL_OCTETS, all: ALL_OCTETS };

// A new column goes into the query, into ClosedTradeRow, and into toTrade.
const MONEY = 'id, closed_at, executed_at, currency, fx_rate, gross_pnl, fees, net_pnl, r_multiple';
const LABELS = `${MONEY}, symbol, tags, mistakes`;
const ALL = `${LABELS}, account, market, side, setup, stop_loss IS NOT NULL AS has_stop,
  (SELECT json_group_array(json(rules)) FROM trade_journals AS j
   WHERE j.user_id = t.user_id AND j.trade_id = t.id AND ${isSmall('octet_length(rules)', MAX_OCTETS)}) AS journal_rules`;

const COLUMNS_BY_DETAIL: Record<Detail, string> = { money: MONEY, labels: LABELS, all: ALL };

/** What the query gives: money in the trade's own currency, lists as JSON text. Columns beyond the detail are undefined. */
interface ClosedTradeRow {
  id: string;
  closed_at: string;
  executed_at: string;
  currency: string;
  fx_rate: number | null;
  gross_pnl: number;
  fees: number;
  net_pnl: number;
  r_multiple: number | null;
  symbol: string;
  tags: string | undefined;
  mistakes: string | undefined;
  account: string | null;
  market: string;
  side: string;
  setup: string | null;
  has_stop: 0 | 1;
  journal_rules: string | undefined;
}

/** A closed trade with its money in the base currency, not rounded. */
export type ClosedTrade = Readonly<ReturnType<typeof toTrade>>;

/** @param rate what one unit of the trade's currency is in the base currency */
function toTrade(row: ClosedTradeRow, rate: number, tolerance: number, parse: ListParsers) {
  const net = storedNumber(row.net_pnl * rate);
  return {
    id: row.id,
    closedAt: row.closed_at,
    /** Epoch milliseconds. */
    closedMs: storedInstant(row.closed_at),
    enteredMs: storedInstant(row.executed_at),
    gross: storedNumber(row.gross_pnl * rate),
    fees: storedNumber(row.fees * rate),
    net,
    /** Net over initial risk; null without a risk. */
    r: row.r_multiple === null ? null : storedNumber(row.r_multiple),
    outcome: outcomeOfNet(net, tolerance),
    symbol: row.symbol,
    /** Each once: a tag written twice on one trade is one tag. */
    tags: parse.labels(row.tags),
    mistakes: parse.labels(row.mistakes),
    account: row.account,
    market: row.market,
    side: row.side,
    setup: row.setup,
    hasStop: row.has_stop === 1,
    /** The rules of each of its journal entries; empty without an entry. */
    journalRules: parse.rules(row.journal_rules),
  };
}

type Outcome = 'win' | 'loss' | 'breakeven';

interface RuleAnswer {
  rule: string;
  /** Null where not answered. */
  followed: boolean | null;
}

interface ListParsers {
  labels: (json: string | undefined) => readonly string[];
  rules: (json: string | undefined) => readonly (readonly RuleAnswer[])[];
}

const EMPTY: readonly never[] = [];

const storedRules = storedJson(journalFields.rules);

/** Parses lists from JSON text, each text once: the same few recur, and parsing all makes the summary a fifth slower. */
function listParser<T>(parse: (json: string) => readonly T[]): (json: string | undefined) => readonly T[] {
  const parsed = new Map<string, readonly T[]>();
  return (json) => {
    if (json === undefined || json === '[]') return EMPTY;
    let list = parsed.get(json);
    if (list === undefined) {
      list = parse(json);
      if (parsed.size < 10_000 && json.length < 1000) parsed.set(json, list);
    }
    return list;
  };
}

/**
 * Whether a trade won, lost, or broke even within the tolerance (both in the base currency). The view trade_records computes the
 * same, but reading it takes half as long again as the table.
 */
function outcomeOfNet(net: number, tolerance: number): Outcome {
  if (Math.abs(net) <= tolerance * 1.000000000001) return 'breakeven';
  return net > 0 ? 'win' : 'loss';
}

// Read in chunks, so that a journal of a million trades is never in memory at once and other requests get their turn.
const CHUNK = 1000;

/** How many trades are read at once, with how many octets of labels each: where one of them has more, fewer at a time. */
const READS = [
  { limit: CHUNK, octets: '16000' },
  { limit: 20, octets: MAX_OCTETS },
];

/** What a pass over closed trades reads and does. */
interface Visitor {
  detail: Detail;
  visit: (trade: ClosedTrade) => void;
  /** Called instead for a trade whose money can't be converted to the base currency: it is in no figure. */
  visitWithoutRate?: (currency: string) => void;
}

/** Visits the closed trades of a selection in the order (closed_at, id), pausing between chunks of them. */
export function* visitClosedTrades(
  reader: Reader,
  user: User,
  { range, filters }: Selection,
  { detail, visit, visitWithoutRate }: Visitor,
): Generator<void, void> {
  // Only the view knows outcomes; reading the table is cheaper.
  const source = filters['outcome'] === undefined ? 'trades' : 'trade_records';
  const isFiltered = Object.keys(filters).length > 0;
  const parse: ListParsers = {
    labels: listParser((json) => [...new Set(storedList(json) as string[])]),
    rules: listParser((json) => storedList(json).map(storedRules) as RuleAnswer[][]),
  };
  let last: Keyset | undefined;
  for (;;) {
    const where = new Where(user.id);
    where.add('closed_at IS NOT NULL');
    // The keyset without the lower bound: given both, SQLite may start at the bound and step over all earlier chunks.
    where.range('closed_at', last ? { from: null, to: range.to } : range);
    if (last) where.compare(['closed_at', 'id'], '>', last);
    // A filter may match few trades or none, so a chunk is counted in the trades that are looked at, not in those that match.
    const end = isFiltered ? endOfChunk(reader, where) : undefined;
    if (end) where.compare(['closed_at', 'id'], '<=', end);
    where.filter(tradeFilters, filters, { byIndex: false });
    const { rows, limit } = readChunk(reader, user, detail, source, where);
    for (const row of rows) {
      const rate = rateOf(user, row.currency, row.fx_rate);
      if (rate === null) visitWithoutRate?.(row.currency);
      else visit(toTrade(row, rate, user.breakeven_tolerance, parse));
    }
    const next = rows.length === limit ? closedKeyset(rows.at(-1) as ClosedTradeRow) : end;
    // After the last chunk too: what is computed from a long pass takes a while itself.
    if (next || last) yield;
    if (!next) return;
    last = next;
  }
}

/** Reads the next trades, as many as their labels allow. @throws AnswerTooLarge for one whose labels are too large to count */
function readChunk(reader: Reader, user: User, detail: Detail, source: string, where: Where) {
  for (const { limit, octets } of READS) {
    const sql = `SELECT ${COLUMNS_BY_DETAIL[detail]} FROM ${source} AS t WHERE ${where.sql} AND ${isSmall(OCTETS_BY_DETAIL[detail], octets)} ORDER BY closed_at, id LIMIT ${limit}`;
    const rows = ifSmall(() => reader.all(sql, ...where.values) as unknown as ClosedTradeRow[]);
    if (rows) return { rows, limit };
  }
  throw tooManyLabels(reader, user);
}

/** Names what is too large for a figure to be made of. */
function tooManyLabels(reader: Reader, user: User): AnswerTooLarge {
  const firstOf = (table: string, octets: string) =>
    reader.get(`SELECT id FROM ${table} WHERE user_id = ${TEXT} AND ${octets} > ${MAX_OCTETS} LIMIT 1`, user.id)?.[
      'id'
    ];
  const trade = firstOf('trades', ALL_OCTETS);
  const named =
    trade === undefined
      ? `rules of the journal entry ${firstOf('trade_journals', 'octet_length(rules)')}`
      : `labels of the trade ${trade}`;
  return new AnswerTooLarge(
    `the ${named} take more than ${Number(MAX_OCTETS) / 1000} KB, too much to count; shorten them`,
  );
}

type Keyset = [closedAt: string, id: string];

/** The last trade of the next chunk; undefined where fewer are left. */
function endOfChunk(reader: Reader, where: Where): Keyset | undefined {
  const row = reader.get(
    `SELECT closed_at, id FROM trades AS t WHERE ${where.sql} ORDER BY closed_at, id LIMIT 1 OFFSET ${CHUNK - 1}`,
    ...where.values,
  );
  return row && closedKeyset(row as Pick<ClosedTradeRow, 'closed_at' | 'id'>);
}

function closedKeyset({ closed_at, id }: Pick<ClosedTradeRow, 'closed_at' | 'id'>): Keyset {
  return [closed_at, id];
}
