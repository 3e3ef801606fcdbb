/**
 * Trades as the source of figures: read a thousand at a time, with money in the user's
 * base currency.
 */

import { foldCase, STILL_WANTED } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import { netOf, outcomeOf } from '../derived-trade.ts';
import type { User } from '../journal.ts';
import { once, remembered } from '../once.ts';
import { journalFields } from '../resource.ts';
import type { TradeGroup } from '../resources/trade-groups.ts';
import type { Trade } from '../resources/trades.ts';
import { ifSmall, isSmall, ResponseTooLarge } from '../response-size.ts';
import {
  parseStored,
  storedInstant,
  storedJson,
  storedList,
  storedNumber,
} from '../stored-value.ts';
import type { Exit } from '../trade-exits.ts';
import { type TraderFields, validFields } from '../trader-fields.ts';
import { isOneOf, type Where } from '../where.ts';
import {
  type ClosedTrade,
  type Column,
  type ReadColumn,
  type RealisedExit,
  type RuleAnswer,
  rateOf,
  type TradeContext,
} from './closed-trade.ts';
import { ExitRows, MAY_HAVE_SEVERAL, type RowWithExits } from './exit-rows.ts';

/** Maximum size of a trade's labels, or of those of an entry. */
const MAX_OCTETS = '256000';
const RULE_OCTETS = 'octet_length(rules) + octet_length(mistakes)';
const EMOTION_OCTETS = 'octet_length(emotions)';
const GROUP_OCTETS =
  'octet_length(tags) + octet_length(mistakes) + coalesce(octet_length(strategy), 0) + coalesce(octet_length(underlying), 0) + coalesce(octet_length(setup), 0) + octet_length(fields)';

/**
 * Facts of each journal entry in turn, as the inside of a JSON list; null without an
 * entry.
 */
const entries = (table: string, isAbout: string, octets = MAX_OCTETS) =>
  `(SELECT group_concat('[' || rules || ',' || mistakes || ',' || emotions || ',' || coalesce(followed_plan, 'null') || ',' || coalesce(confidence, 'null') || ']')
    FROM ${table} AS j WHERE j.user_id = t.user_id AND ${isAbout} AND ${isSmall(`max(${RULE_OCTETS}, ${EMOTION_OCTETS})`, octets)}) AS entries`;
type Entry = [
  rules: unknown,
  mistakes: string[],
  emotions: string[],
  followedPlan: 0 | 1 | null,
  confidence: number | null,
];

// Net P&L and R are computed here: SQLite formats net_pnl as text to round it, which
// would take a fifth of the time for reading these columns.
const ALWAYS = 'id, closed_at, currency, fx_rate, gross_pnl, fees';

/** Columns that are read only for figures that count them. */
const COLUMNS: Readonly<Record<ReadColumn, string>> = {
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
  quantity: 'quantity',
  timeframe: 'timeframe',
  excursions: 'mae, mfe, mae_bound, mfe_bound',
  exits: `multiplier, open_quantity, ${MAY_HAVE_SEVERAL} AS has_several`,
  fields: `fields, CASE WHEN group_id IS NOT NULL THEN (SELECT fields FROM trade_groups AS g WHERE g.user_id = t.user_id AND g.id = t.group_id AND ${isSmall('octet_length(fields)', MAX_OCTETS)}) END AS group_fields`,
  strategy: `(SELECT strategy FROM trade_groups AS g WHERE g.user_id = t.user_id AND g.id = t.group_id AND ${isSmall('coalesce(octet_length(strategy), 0)', MAX_OCTETS)}) AS strategy`,
};

const ALL_COLUMNS = Object.keys(COLUMNS) as ReadColumn[];

/** Columns that the exits of a closed trade follow from. */
const COLUMNS_OF_SEVERAL: readonly Column[] = ['side', 'entered'];

const NO_CONTEXT: TradeContext = {
  sequence: null,
  session: null,
  size: null,
  quartiles: null,
};

const NO_FIELDS: TraderFields = {};

/** Labels of unlimited length. */
const LABELS: readonly Column[] = [
  'underlying',
  'setup',
  'account',
  'timeframe',
  'tags',
  'mistakes',
  'fields',
];

function octetsOf(labels: readonly Column[]): string {
  return labels.map((name) => `coalesce(octet_length(${name}), 0)`).join(' + ') || '0';
}

/**
 * A row of the query: money in the trade's own currency, lists as JSON text. Columns that
 * aren't read are undefined.
 */
export interface TradeRow
  extends Pick<
      Trade,
      | 'id'
      | 'currency'
      | 'fx_rate'
      | 'gross_pnl'
      | 'fees'
      | 'symbol'
      | 'side'
      | 'setup'
      | 'account'
    >,
    Pick<
      Trade,
      | 'market'
      | 'rating'
      | 'underlying'
      | 'timeframe'
      | 'executed_at'
      | 'quantity'
      | 'group_id'
      | 'risk'
    >,
    Pick<
      Trade,
      'mae' | 'mfe' | 'mae_bound' | 'mfe_bound' | 'multiplier' | 'open_quantity'
    > {
  closed_at: string;
  has_several: RowWithExits['has_several'];
  exits?: readonly Exit[] | null;
  tags: string | undefined;
  mistakes: string | undefined;
  has_stop: 0 | 1;
  entries: string | null | undefined;
  strategy: string | null;
  fields: string | undefined;
  /** Of its group; null without one. */
  group_fields: string | null | undefined;
}

/** Columns of a group that its legs lack. */
const GROUP_COLUMNS =
  'id, currency, initial_risk, underlying, strategy, market, tags, setup, mistakes, rating, is_whole';

/** That of the whole position. */
const GROUP_SIDE =
  '(SELECT p.side FROM group_positions AS p WHERE p.user_id = t.user_id AND p.id = t.id) AS side';

export interface GroupRow
  extends Pick<
    TradeGroup,
    | 'id'
    | 'currency'
    | 'initial_risk'
    | 'underlying'
    | 'strategy'
    | 'market'
    | 'setup'
    | 'rating'
  > {
  tags: string;
  mistakes: string;
  is_whole: 0 | 1;
  /** Undefined if it isn't read. */
  side?: string | null;
  entries: string | null | undefined;
}

/** What the journal entries of a trade or group state together. */
interface JournalEntries {
  rules: readonly (readonly RuleAnswer[])[];
  mistakes: readonly string[];
  emotions: readonly string[];
  /** Answers to followed_plan. */
  followed: readonly boolean[];
  confidence: readonly number[];
}

// Trades are read in chunks, so that a journal of a million trades never fills the memory
// and other requests get their turn.
export const CHUNK = 1000;

/** Maximum size of labels of each of a chunk. */
const CHUNK_OCTETS = '16000';

/**
 * Trades read at once, with their maximum octets of labels: if one has more, fewer trades
 * are read at once.
 */
const READS = [
  { limit: CHUNK, octets: CHUNK_OCTETS },
  { limit: 20, octets: MAX_OCTETS },
];

const NO_ENTRIES: JournalEntries = {
  rules: [],
  mistakes: [],
  emotions: [],
  followed: [],
  confidence: [],
};

const storedRules = once(() => storedJson(journalFields().rules));

export class TradeRows {
  readonly #reader: Reader;
  readonly #user: User;
  readonly clock: ZoneClock;
  /** Null if no figure counts them. */
  readonly #exits: ExitRows | null;
  readonly #select: { trade: string; octets: string; group: (octets: string) => string };
  readonly #labels = remembered((json) => uniqueLabels(storedList(json) as string[]));
  readonly #fields = remembered((json) => validFields(parseStored(json)));
  readonly #entries = remembered((json): JournalEntries => {
    const entries = storedList(`[${json}]`) as Entry[];
    return {
      rules: entries.map(([rules]) => storedRules()(rules) as RuleAnswer[]),
      mistakes: entries.flatMap(([, mistakes]) => mistakes),
      emotions: uniqueLabels(entries.flatMap(([, , emotions]) => emotions)),
      followed: entries.flatMap(([, , , followed]) =>
        followed === null ? [] : followed === 1,
      ),
      confidence: uniqueNumbers(
        entries.flatMap(([, , , , confidence]) => confidence ?? []),
      ),
    };
  });

  /** @param columns columns that the figures count in addition to money */
  constructor(reader: Reader, user: User, columns: readonly Column[]) {
    this.#reader = reader;
    this.#user = user;
    this.clock = new ZoneClock(user.timezone);
    this.#exits = columns.includes('exits') ? new ExitRows(reader, user) : null;

    const wanted = this.hasSeveralExits
      ? [...columns, ...COLUMNS_OF_SEVERAL]
      : columns.filter((name) => name !== 'exits');
    const read = ALL_COLUMNS.filter((name) => wanted.includes(name));
    this.#select = {
      trade: [ALWAYS, ...read.map((name) => COLUMNS[name])].join(', '),
      octets: octetsOf(read.filter((name) => LABELS.includes(name))),
      group: (octets) =>
        [
          GROUP_COLUMNS,
          ...(read.includes('side') ? [GROUP_SIDE] : []),
          ...(read.includes('entries')
            ? [entries('group_journals', 'j.group_id = t.id', octets)]
            : []),
        ].join(', '),
    };
  }

  /**
   * The next trades in the order of a time, as many as their labels allow; isLast if
   * there are no more.
   * @throws ResponseTooLarge if the labels of a trade are too large to count
   */
  read(
    source: string,
    where: Where,
    order: string,
    index = '',
  ): { rows: TradeRow[]; isLast: boolean } {
    for (const { limit, octets } of READS) {
      const sql = `SELECT ${this.#select.trade} FROM ${source} AS t ${index} WHERE ${where.sql} AND ${isSmall(this.#select.octets, octets)} ORDER BY ${order}, id LIMIT ${limit}`;
      const rows = ifSmall(() => this.#reader.all<TradeRow>(sql, ...where.values));
      if (!rows) continue;
      this.#exits?.addTo(rows);
      return { rows, isLast: rows.length < limit };
    }
    throw this.#tooManyLabels();
  }

  /**
   * Visits all trades by these columns and the id, a chunk at a time.
   * @param begin condition of each chunk
   * @param source the table, or the view if a filter needs it; index: what finds the rows
   */
  inOrder(
    columns: readonly ('closed_at' | 'executed_at' | 'group_id')[],
    begin: () => Where,
    visit: (rows: readonly TradeRow[]) => void,
    { source = 'trades', index = '' } = {},
  ): void {
    for (let last: TradeRow | undefined; ; ) {
      const where = begin();
      const from = last;
      // With a plus, so that SQLite finds groups by their ids rather than by this bound.
      const keyset = columns.map((column) =>
        column === 'group_id' ? `+${column}` : column,
      );
      if (from)
        where.compare([...keyset, 'id'], '>', [
          ...columns.map((column) => from[column]),
          from.id,
        ]);
      const { rows, isLast } = this.read(source, where, columns.join(', '), index);
      visit(rows);
      if (isLast) return;

      last = rows.at(-1);
    }
  }

  group(id: string): GroupRow {
    const row = this.#groups([id], MAX_OCTETS)?.[0];
    if (!row) throw this.#tooManyLabels();
    return row;
  }

  /**
   * Several groups at once: a sixth of the time of reading each. Empty if the labels of a
   * group are too large for that.
   */
  groups(ids: readonly string[]): Map<string, GroupRow> {
    return new Map(this.#groups(ids, CHUNK_OCTETS)?.map((row) => [row.id, row]));
  }

  #groups(ids: readonly string[], octets: string): GroupRow[] | undefined {
    const sql = `SELECT ${this.#select.group(octets)} FROM trade_groups AS t WHERE user_id = ${TEXT} AND ${isOneOf('id')} AND ${isSmall(GROUP_OCTETS, octets)}`;
    return ifSmall(() =>
      this.#reader.all<GroupRow>(sql, this.#user.id, JSON.stringify(ids)),
    );
  }

  /**
   * Null without an exchange rate to the base currency.
   * @param unknownRate value for an unknown rate
   */
  toTrade(row: TradeRow, unknownRate: number | null = null): ClosedTrade | null {
    const { currency, fx_rate, exits } = row;
    const rate =
      rateOf(this.#user, currency, fx_rate) ?? rateOfExits(exits) ?? unknownRate;
    if (rate === null) return null;

    const inBase = (amount: number | null | undefined) =>
      amount == null ? null : storedNumber(amount * rate);
    const nativeNet = this.netOf(row);
    const net = storedNumber(nativeNet * rate);
    const { rules, mistakes, emotions, followed, confidence } = this.entriesOf(row);

    return {
      id: row.id,
      groupId: row.group_id ?? null,
      unitId: row.id,
      closedAt: row.closed_at,
      closedMs: storedInstant(row.closed_at),
      day: this.clock.dayOf(storedInstant(row.closed_at)),
      enteredMs:
        row.executed_at === undefined ? Number.NaN : storedInstant(row.executed_at),
      gross: storedNumber(row.gross_pnl * rate),
      fees: storedNumber(row.fees * rate),
      net,
      exits: this.#exitsInBase(row, rate),
      r: row.risk == null ? null : storedNumber(nativeNet / row.risk),
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
        mistakes.length === 0
          ? this.labels(row.mistakes)
          : uniqueLabels([...this.labels(row.mistakes), ...mistakes]),
      hasStop: row.has_stop === 1,
      journalRules: rules,
      currency: row.currency,
      nativeNet,
      quantity: row.quantity === undefined ? null : storedNumber(row.quantity),
      allQuantity: row.quantity === undefined ? Number.NaN : storedNumber(row.quantity),
      contracts: isContract(row) ? storedNumber(row.quantity) : 0,
      contractFees: isContract(row) ? storedNumber(row.fees * rate) : 0,
      timeframe: row.timeframe ?? null,
      strategy: row.strategy ?? null,
      emotions,
      confidence,
      followedPlan: followedPlan(followed),
      fields: this.fieldsOf(row),
      context: NO_CONTEXT,
    };
  }

  /** Exits of an open trade have the rates of their days, if those are known. */
  #exitsInBase({ currency, exits }: TradeRow, rate: number): RealisedExit[] | null {
    if (exits == null) return null;
    const isForeign = currency !== this.#user.base_currency;
    return exits.map((exit) =>
      inBaseCurrency(exit, isForeign ? (exit.fx_rate ?? rate) : rate),
    );
  }

  /** A trade as if it closed at its entry: while it is open, only its exits count. */
  toOpenTrade(row: TradeRow, unknownRate: number | null = null): ClosedTrade | null {
    const trade = this.toTrade({ ...row, closed_at: row.executed_at }, unknownRate);
    return trade && asOpen(trade);
  }

  get readsExits(): boolean {
    return this.#exits !== null;
  }

  /** Whether exits are read, and any closed trade may have several. */
  get hasSeveralExits(): boolean {
    return this.#exits?.hasSeveral ?? false;
  }

  /** Whether exits are read, and any trade has costs with days of their own. */
  get hasDatedCosts(): boolean {
    return this.#exits?.hasCosts ?? false;
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

  /** Fields that the trader named: those of the trade, else of its group. */
  fieldsOf({
    fields,
    group_fields,
  }: Pick<TradeRow, 'fields' | 'group_fields'>): TraderFields {
    const [ofTrade, ofGroup] = [this.#fieldsIn(fields), this.#fieldsIn(group_fields)];
    if (ofGroup === NO_FIELDS) return ofTrade;
    return ofTrade === NO_FIELDS ? ofGroup : { ...ofGroup, ...ofTrade };
  }

  #fieldsIn(json: string | null | undefined): TraderFields {
    return json == null || json === '{}' ? NO_FIELDS : this.#fields(json);
  }

  entriesOf({ entries }: Pick<TradeRow, 'entries'>): JournalEntries {
    return entries == null ? NO_ENTRIES : this.#entries(entries);
  }

  /** An error that names the record with too large labels. */
  #tooManyLabels(): ResponseTooLarge {
    const found = [
      ['trades', octetsOf(LABELS), 'labels of the trade'],
      ['trade_journals', RULE_OCTETS, 'rules and mistakes of the journal entry'],
      ['trade_groups', GROUP_OCTETS, 'labels of the trade group'],
      ['group_journals', RULE_OCTETS, 'rules and mistakes of the group journal entry'],
      ['trade_journals', EMOTION_OCTETS, 'emotions of the journal entry'],
      ['group_journals', EMOTION_OCTETS, 'emotions of the group journal entry'],
    ].flatMap(([table, octets, what]) => {
      const sql = `SELECT id FROM ${table} WHERE user_id = ${TEXT} AND ${STILL_WANTED} AND ${octets} > ${MAX_OCTETS} LIMIT 1`;
      const row = this.#reader.get(sql, this.#user.id);
      return row ? `${what} ${row['id']}` : [];
    });
    return new ResponseTooLarge(
      `the ${found[0]} take more than ${Number(MAX_OCTETS) / 1000} KB, too much to count; shorten them`,
    );
  }
}

/** The last rate of the exits of an open trade, if each has one. */
function rateOfExits(exits: readonly Exit[] | null | undefined): number | null {
  const areRated = exits?.every(({ fx_rate }) => fx_rate !== null);
  return areRated ? (exits?.at(-1)?.fx_rate ?? null) : null;
}

function inBaseCurrency(exit: Exit, rate: number): RealisedExit {
  return {
    at: storedInstant(exit.executed_at),
    gross: storedNumber(exit.gross * rate),
    fees: storedNumber(exit.fees * rate),
    net: storedNumber(exit.net * rate),
    isCost: exit.isCost === true,
  };
}

export const asOpen = (trade: ClosedTrade): ClosedTrade => ({
  ...trade,
  closedMs: Number.NaN,
});

/** Whether its quantity is a number of contracts, if both are read. */
const isContract = ({ market, quantity }: TradeRow) =>
  quantity !== undefined && (market === 'option' || market === 'future');

/** False if any entry has false; null if none answers. */
export function followedPlan(answers: readonly boolean[]): boolean | null {
  return answers.length === 0 ? null : !answers.includes(false);
}

export const uniqueNumbers = (numbers: readonly number[]) => [...new Set(numbers)];

/**
 * Each label once: of those that differ only in case the first by code units, whatever
 * the order in which they were read.
 */
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
