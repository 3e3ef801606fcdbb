/** Trades as the source of figures: read a thousand at a time, with money in the user's base currency. */

import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import { netOf, outcomeOf } from '../derived-trade.ts';
import { once, remembered } from '../in-steps.ts';
import type { User } from '../journal.ts';
import { journalFields } from '../resources/common.ts';
import { ifSmall, isSmall, ResponseTooLarge } from '../response-size.ts';
import { storedInstant, storedJson, storedList, storedNumber } from '../stored-value.ts';
import type { Where } from '../where.ts';
import {
  type ClosedTrade,
  type Column,
  type ReadColumn,
  type RuleAnswer,
  rateOf,
  type TradeContext,
} from './closed-trade.ts';

/** Maximum size of a trade's labels, or of an entry's rules and mistakes. */
const MAX_OCTETS = '256000';
const ENTRY_OCTETS = 'octet_length(rules) + octet_length(mistakes)';
const GROUP_OCTETS = 'octet_length(tags) + coalesce(octet_length(strategy), 0) + coalesce(octet_length(underlying), 0)';

/** Rules and mistakes of each journal entry in turn, as the inside of a JSON list; null without an entry. */
const entries = (table: string, isAbout: string, octets = MAX_OCTETS) =>
  `(SELECT group_concat(rules || ',' || mistakes) FROM ${table} AS j WHERE j.user_id = t.user_id AND ${isAbout} AND ${isSmall(ENTRY_OCTETS, octets)}) AS entries`;

/** Emotions, followed_plan and confidence of each journal entry in turn, as the inside of a JSON list. */
const FEELING_OCTETS = 'octet_length(emotions)';
const feelings = (table: string, isAbout: string, octets = MAX_OCTETS) =>
  `(SELECT group_concat(emotions || ',' || coalesce(followed_plan, 'null') || ',' || coalesce(confidence, 'null')) FROM ${table} AS j WHERE j.user_id = t.user_id AND ${isAbout} AND ${isSmall(FEELING_OCTETS, octets)}) AS feelings`;

// A new column goes into closed-trade.ts, a query, TradeRow, toTrade, and positions.ts if legs have to share it. Net P&L and R are computed here: SQLite
// formats net_pnl as text to round it, which would take a fifth of the time for reading these columns.
const ALWAYS = 'id, closed_at, currency, fx_rate, gross_pnl, fees';

/** Columns that are read only for figures that count them. */
const COLUMNS = {
  entered: 'executed_at',
  risk: 'risk',
  group: 'group_id',
  symbol: 'symbol',
  underlying: 'underlying',
  side: 'side',
  setup: 'setup',
  account: 'account',
  market: 'market',
  rating: 'rating',
  tags: 'tags',
  mistakes: 'mistakes',
  stop: 'stop_loss IS NOT NULL AS has_stop',
  entries: entries('trade_journals', 'j.trade_id = t.id'),
  feelings: feelings('trade_journals', 'j.trade_id = t.id'),
  quantity: 'quantity',
  timeframe: 'timeframe',
  excursions: 'mae, mfe, mae_bound, mfe_bound',
  strategy: `(SELECT strategy FROM trade_groups AS g WHERE g.user_id = t.user_id AND g.id = t.group_id AND ${isSmall('coalesce(octet_length(strategy), 0)', MAX_OCTETS)}) AS strategy`,
} satisfies Record<ReadColumn, string>;

const ALL_COLUMNS = Object.keys(COLUMNS) as ReadColumn[];

const NO_CONTEXT: TradeContext = { sequence: null, session: null, size: null };

/** Labels of unlimited length. */
const LABELS: readonly Column[] = ['underlying', 'setup', 'account', 'timeframe', 'tags', 'mistakes'];

function octetsOf(labels: readonly Column[]): string {
  return labels.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ') || '0';
}

/** Columns of a group that its legs lack. */
const GROUP_COLUMNS = 'id, currency, initial_risk, underlying, strategy, market, tags';
const OF_GROUP_ENTRIES = { entries, feelings };

/** A row of the query: money in the trade's own currency, lists as JSON text. Columns that aren't read are undefined. */
export interface TradeRow {
  id: string;
  closed_at: string;
  currency: string;
  fx_rate: number | null;
  gross_pnl: number;
  fees: number;
  executed_at: string | undefined;
  risk: number | null | undefined;
  group_id: string | null | undefined;
  symbol: string;
  underlying: string | null;
  side: string;
  setup: string | null;
  account: string | null;
  market: string;
  rating: number | null;
  tags: string | undefined;
  mistakes: string | undefined;
  has_stop: 0 | 1;
  entries: string | null | undefined;
  feelings: string | null | undefined;
  quantity: number | undefined;
  timeframe: string | null | undefined;
  mae: number | null | undefined;
  mfe: number | null | undefined;
  mae_bound: number | null | undefined;
  mfe_bound: number | null | undefined;
  strategy: string | null | undefined;
}

export interface GroupRow {
  id: string;
  currency: string;
  initial_risk: number | null;
  underlying: string | null;
  strategy: string | null;
  market: string;
  tags: string;
  entries: string | null | undefined;
  feelings: string | null | undefined;
}

interface JournalEntries {
  rules: readonly (readonly RuleAnswer[])[];
  mistakes: readonly string[];
}

interface Feelings {
  emotions: readonly string[];
  /** Answers of the entries to followed_plan. */
  followed: readonly boolean[];
  confidence: readonly number[];
}

// Trades are read in chunks, so that a journal of a million trades never fills the memory and other requests get their turn.
export const CHUNK = 1000;

/** Maximum size of labels of each of a chunk. */
const CHUNK_OCTETS = '16000';

/** Trades read at once, with their maximum octets of labels: if one has more, fewer trades are read at once. */
const READS = [
  { limit: CHUNK, octets: CHUNK_OCTETS },
  { limit: 20, octets: MAX_OCTETS },
];

const NO_ENTRIES: JournalEntries = { rules: [], mistakes: [] };
const NO_FEELINGS: Feelings = { emotions: [], followed: [], confidence: [] };

const storedRules = once(() => storedJson(journalFields().rules));

export class TradeRows {
  readonly #reader: Reader;
  readonly #user: User;
  readonly clock: ZoneClock;
  readonly #select: { trade: string; octets: string; groupEntries: readonly ('entries' | 'feelings')[] };
  readonly #labels = remembered((json) => uniqueLabels(storedList(json) as string[]));
  readonly #entries = remembered((json) => {
    const lists = storedList(`[${json}]`) as unknown[][];
    const rules = lists.filter((_, i) => i % 2 === 0);
    return {
      rules: rules.map(storedRules()) as RuleAnswer[][],
      mistakes: lists.flatMap((list, i) => (i % 2 === 1 ? (list as string[]) : [])),
    };
  });
  readonly #feelings = remembered((json) => {
    const said = storedList(`[${json}]`);
    return {
      emotions: uniqueLabels(said.flatMap((list, i) => (i % 3 === 0 ? (list as string[]) : []))),
      followed: said.flatMap((answer, i) => (i % 3 === 1 && answer !== null ? answer === 1 : [])),
      confidence: uniqueNumbers(said.flatMap((value, i) => (i % 3 === 2 && value !== null ? (value as number) : []))),
    };
  });

  /** @param columns columns that the figures count in addition to money */
  constructor(reader: Reader, user: User, columns: readonly Column[]) {
    this.#reader = reader;
    this.#user = user;
    this.clock = new ZoneClock(user.timezone);
    const read = ALL_COLUMNS.filter((name) => columns.includes(name));
    this.#select = {
      trade: [ALWAYS, ...read.map((name) => COLUMNS[name])].join(', '),
      octets: octetsOf(read.filter((name) => LABELS.includes(name))),
      groupEntries: (['entries', 'feelings'] as const).filter((name) => read.includes(name)),
    };
  }

  /**
   * The next trades in the order of a time, as many as their labels allow; isLast if there are no more.
   * @throws ResponseTooLarge if the labels of a trade are too large to count
   */
  read(
    source: string,
    where: Where,
    order: 'closed_at' | 'executed_at' | 'group_id, executed_at',
  ): { rows: TradeRow[]; isLast: boolean } {
    for (const { limit, octets } of READS) {
      const sql = `SELECT ${this.#select.trade} FROM ${source} AS t WHERE ${where.sql} AND ${isSmall(this.#select.octets, octets)} ORDER BY ${order}, id LIMIT ${limit}`;
      const rows = ifSmall(() => this.#reader.all(sql, ...where.values) as unknown as TradeRow[]);
      if (rows) return { rows, isLast: rows.length < limit };
    }
    throw this.#tooManyLabels();
  }

  group(id: string): GroupRow {
    const row = this.#groups([id], MAX_OCTETS)?.[0];
    if (!row) throw this.#tooManyLabels();
    return row;
  }

  /** Several groups at once: a sixth of the time of reading each. Empty if the labels of a group are too large for that. */
  groups(ids: readonly string[]): Map<string, GroupRow> {
    return new Map(this.#groups(ids, CHUNK_OCTETS)?.map((row) => [row.id, row]));
  }

  #groups(ids: readonly string[], octets: string): GroupRow[] | undefined {
    const ofEntries = this.#select.groupEntries.map((name) =>
      OF_GROUP_ENTRIES[name]('group_journals', 'j.group_id = t.id', octets),
    );
    const columns = [GROUP_COLUMNS, ...ofEntries].join(', ');
    const sql = `SELECT ${columns} FROM trade_groups AS t WHERE user_id = ${TEXT} AND ${isOneOf('id')} AND ${isSmall(GROUP_OCTETS, octets)}`;
    return ifSmall(() => this.#reader.all(sql, this.#user.id, JSON.stringify(ids)) as unknown as GroupRow[]);
  }

  /**
   * Null without an exchange rate to the base currency.
   * @param unknownRate value for an unknown rate
   */
  toTrade(row: TradeRow, unknownRate: number | null = null): ClosedTrade | null {
    const rate = rateOf(this.#user, row.currency, row.fx_rate) ?? unknownRate;
    if (rate === null) return null;
    const inBase = (amount: number | null | undefined) => (amount == null ? null : storedNumber(amount * rate));
    const ownNet = this.netOf(row);
    const net = storedNumber(ownNet * rate);
    const { rules, mistakes } = this.entriesOf(row);
    const { emotions, followed, confidence } = this.feelingsOf(row);
    return {
      id: row.id,
      groupId: row.group_id ?? null,
      closedAt: row.closed_at,
      closedMs: storedInstant(row.closed_at),
      day: this.clock.dayOf(storedInstant(row.closed_at)),
      enteredMs: row.executed_at === undefined ? Number.NaN : storedInstant(row.executed_at),
      gross: storedNumber(row.gross_pnl * rate),
      fees: storedNumber(row.fees * rate),
      net,
      r: row.risk == null ? null : storedNumber(ownNet / row.risk),
      risk: inBase(row.risk),
      mae: inBase(row.mae),
      mfe: inBase(row.mfe),
      maeBound: inBase(row.mae_bound),
      mfeBound: inBase(row.mfe_bound),
      outcome: this.outcomeOf(net),
      symbol: row.symbol,
      underlying: row.underlying ?? row.symbol,
      side: row.side,
      setup: row.setup,
      account: row.account,
      market: row.market,
      rating: row.rating,
      tags: this.labels(row.tags),
      mistakes:
        mistakes.length === 0 ? this.labels(row.mistakes) : uniqueLabels([...this.labels(row.mistakes), ...mistakes]),
      hasStop: row.has_stop === 1,
      journalRules: rules,
      currency: row.currency,
      ownNet,
      quantity: row.quantity === undefined ? null : storedNumber(row.quantity),
      allQuantity: row.quantity === undefined ? Number.NaN : storedNumber(row.quantity),
      timeframe: row.timeframe ?? null,
      strategy: row.strategy ?? null,
      emotions,
      confidence,
      followedPlan: followedPlan(followed),
      context: NO_CONTEXT,
    };
  }

  netOf({ gross_pnl, fees }: TradeRow): number {
    return netOf(this.#reader, gross_pnl, fees);
  }

  outcomeOf(net: number): ClosedTrade['outcome'] {
    return outcomeOf(this.#user, net);
  }

  labels(json: string | undefined): readonly string[] {
    return json === undefined || json === '[]' ? [] : this.#labels(json);
  }

  entriesOf({ entries }: Pick<TradeRow, 'entries'>): JournalEntries {
    return entries == null ? NO_ENTRIES : this.#entries(entries);
  }

  feelingsOf({ feelings }: Pick<TradeRow, 'feelings'>): Feelings {
    return feelings == null ? NO_FEELINGS : this.#feelings(feelings);
  }

  /** An error that names the record with too large labels. */
  #tooManyLabels(): ResponseTooLarge {
    const found = [
      ['trades', octetsOf(LABELS), 'labels of the trade'],
      ['trade_journals', ENTRY_OCTETS, 'rules and mistakes of the journal entry'],
      ['trade_groups', GROUP_OCTETS, 'labels of the trade group'],
      ['group_journals', ENTRY_OCTETS, 'rules and mistakes of the group journal entry'],
      ['trade_journals', FEELING_OCTETS, 'emotions of the journal entry'],
      ['group_journals', FEELING_OCTETS, 'emotions of the group journal entry'],
    ].flatMap(([table, octets, what]) => {
      const sql = `SELECT id FROM ${table} WHERE user_id = ${TEXT} AND ${octets} > ${MAX_OCTETS} LIMIT 1`;
      const row = this.#reader.get(sql, this.#user.id);
      return row ? `${what} ${row['id']}` : [];
    });
    return new ResponseTooLarge(
      `the ${found[0]} take more than ${Number(MAX_OCTETS) / 1000} KB, too much to count; shorten them`,
    );
  }
}

/** Condition that a column has one of the texts of a JSON list. */
export const isOneOf = (column: string) => `${column} IN (SELECT value FROM json_each(${TEXT}))`;

/** False if any entry has false; null if none answers. */
export function followedPlan(answers: readonly boolean[]): boolean | null {
  return answers.length === 0 ? null : !answers.includes(false);
}

export const uniqueNumbers = (numbers: readonly number[]) => [...new Set(numbers)];

/** Each label once: of those that differ only in case the first by code units, whatever the order in which they were read. */
export function uniqueLabels(labels: readonly string[]): readonly string[] {
  if (labels.length < 2) return labels;
  const byFold = new Map<string, string>();
  for (const label of labels) {
    const fold = foldCase(label);
    const known = byFold.get(fold);
    if (known === undefined || label < known) byFold.set(fold, label);
  }
  return [...byFold.values()];
}

/** Only the view has outcomes; reading the table is cheaper. */
export function sourceFor(filters: Readonly<Record<string, string>>): string {
  return filters['outcome'] === undefined ? 'trades' : 'trade_records';
}
