/**
 * Rows by one or two dimensions together: setups by weekday, months by symbol; and
 * warnings about them.
 */

import type * as z from 'zod';
import { roundMoney } from '../../money.ts';
import { foldCase } from '../../sqlite/functions.ts';
import type { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import { responseTooLarge } from '../response-size.ts';
import {
  type Accumulator,
  type ClosedTrade,
  type Column,
  IN_BASE,
} from './closed-trade.ts';
import {
  ALL_DIMENSIONS,
  BY_FIELD,
  type Dimension,
  factsOfDimension,
  type Key,
} from './dimensions.ts';
import { holm } from './permutation-test.ts';
import { chancesOf } from './row-chances.ts';
import { LEAST_TRADES, type Row, Sample } from './sample.ts';
import {
  COLUMNS_OF_ROWS,
  type CountedRow,
  figuresOf,
  merged,
  rowShape,
  sorted,
  spellingsOf,
  Tally,
  withRest,
} from './tally.ts';

// The same trades by symbol, market, hour and so on.

/** Rows of breakdowns with text keys and with numeric keys. */
export const namedRow = f.record(() => ({
  key: f.orNull(f.label('The value; null if the trade has none')),
  ...rowShape(),
}));
export const numberedRow = f.record(() => ({
  key: f.orNull(f.count('The value')),
  ...rowShape(),
}));

const named = (dimension: Dimension) => f.list(namedRow, factsOfDimension(dimension).by);
const numbered = (dimension: Dimension) =>
  f.list(numberedRow, factsOfDimension(dimension).by);

export const breakdownsRecord = f.record(() => ({
  symbol: named('symbol'),
  underlying: named('underlying'),
  market: named('market'),
  side: named('side'),
  setup: named('setup'),
  tag: named('tag'),
  mistake: named('mistake'),
  weekday: numbered('weekday'),
  hour: numbered('hour'),
  month: named('month'),
  account: named('account'),
  holding_time: named('holding_time'),
  r_multiple: named('r_multiple'),
}));

export const breakdownDimensions = () =>
  Object.keys(breakdownsRecord.shape) as (keyof typeof breakdownsRecord.shape)[];

/** The rows of one dimension, counted trade by trade. */
export class Breakdown implements Accumulator {
  readonly columns: readonly Column[];
  readonly dimension: Dimension;
  readonly #keyOf: ReturnType<typeof factsOfDimension>['keyOf'];
  readonly #clock: ZoneClock;
  readonly #tallies = new Map<Key, Tally>();

  constructor(dimension: Dimension, clock: ZoneClock) {
    this.dimension = dimension;
    const { keyOf, columns = [] } = factsOfDimension(dimension);
    this.#keyOf = keyOf;
    this.columns = [...COLUMNS_OF_ROWS, ...columns];
    this.#clock = clock;
  }

  add(trade: ClosedTrade): void {
    const keys = this.#keyOf(trade, this.#clock);
    if (typeof keys === 'object' && keys !== null) {
      for (const key of keys) this.#addTo(key, trade);
    } else this.#addTo(keys, trade);
  }

  #addTo(key: Key, trade: ClosedTrade): void {
    let tally = this.#tallies.get(key);
    if (!tally) {
      tally = new Tally();
      this.#tallies.set(key, tally);
    }
    tally.add(trade);
  }

  /**
   * Sorted by net P&L, highest first, then by key; rows of an ordered dimension by key.
   */
  rows(): CountedRow[] {
    const { isLabel } = factsOfDimension(this.dimension);
    const counted = [...this.#tallies];
    const shown = isLabel
      ? spellingsOf(counted.map(([key, { trades }]) => [key, trades]))
      : (key: Key) => key;
    const rows = merged(counted.map(([key, tally]) => ({ keys: [shown(key)], tally })));
    return sorted(rows, [this.dimension]);
  }

  /** @param top maximum rows, before one more row for the rest */
  result(top: number | null) {
    const rows = withRest(this.rows(), top);
    return rows.map(({ keys: [key], tally, ...marks }) => ({
      key: key as string,
      ...figuresOf(tally),
      ...marks,
    }));
  }
}

/**
 * The section breakdowns.
 * @param top maximum rows of each, before one more row for the rest
 */
export function resultsOf(breakdowns: readonly Breakdown[], top: number | null) {
  const rows: [string, unknown][] = [];
  for (const one of breakdowns) rows.push([one.dimension, one.result(top)]);
  return Object.fromEntries(rows) as z.infer<typeof breakdownsRecord>;
}

const keyField = (dimension: Dimension) => {
  const { by, keys } = factsOfDimension(dimension);
  const fieldOf = { number: f.count, boolean: f.flag, string: f.label };
  const kind = typeof (keys?.[0] ?? '') as keyof typeof fieldOf;
  return f.orNull<z.ZodType>(fieldOf[kind](by)).optional();
};

/** The keys of a row, one per dimension. */
export const keysRecord = f.record(
  () => Object.fromEntries(ALL_DIMENSIONS.map((name) => [name, keyField(name)])),
  f.orNull(f.traderValue(BY_FIELD)),
);

const groupRecord = f.record(() => ({
  by: keysRecord.meta({
    description:
      "The row's group: a key for each dimension of group_by, null for trades without one",
  }),
  ...rowShape(),
  gross_pnl: f.money(`P&L before fees, ${IN_BASE}`),
  net_pnl_native: f
    .orNull(
      f.money(
        'Only with group_by=currency: net P&L in that currency; null if legs have several, and in the row of the rest',
      ),
    )
    .optional(),
  stands_out: f
    .flag(
      "True if the mean differs from that of all other trades by more than chance, else absent. Permutation test at the 5 % level, with Holm's correction over the rows of at least 20 trades on 5 days",
    )
    .optional(),
  by_definition: f
    .flag(
      'True if at least 95 % of at least 20 trades win, or lose, and fewer than 70 % of all others: the label may state the result rather than its cause. Only by mistake, emotion, tag or rule alone, else absent',
    )
    .optional(),
  same_trades_as: f
    .strings(
      'Keys of rows that share at least nine tenths of the trades of the larger row, of rows of at least 20 trades by one dimension; absent if none',
    )
    .optional(),
}));

export const groupsRecord = f.list(
  groupRecord,
  'The same trades by the one or two dimensions of group_by: rows by net P&L, highest first; by key if all dimensions have an order',
);

/** More rows exceed the size of a response. */
const MAX_ROWS = 50_000;

/** Keys of the second dimension if there is only one. */
const NO_SECOND: readonly Key[] = [null];

export class Groups implements Accumulator {
  readonly columns: readonly Column[];
  readonly #dimensions: readonly Dimension[];
  readonly #clock: ZoneClock;
  readonly #rows: CountedRow[] = [];
  /** The same rows by their first key, then by their second. */
  readonly #byKeys = new Map<Key, Map<Key, CountedRow>>();
  readonly #sample: Sample;
  /** For each dimension, numbers of trades by spelling. */
  readonly #counts: Map<Key, number>[];

  constructor(dimensions: readonly Dimension[], clock: ZoneClock) {
    this.#dimensions = dimensions;
    this.#clock = clock;
    this.#sample = new Sample(dimensions, clock);
    this.columns = [...COLUMNS_OF_ROWS, ...this.#sample.columns];
    this.#counts = dimensions.map(() => new Map());
  }

  add(trade: ClosedTrade): void {
    this.#sample.add(trade);
    const firsts = this.#keysOf(0, trade);
    const seconds = this.#dimensions.length === 1 ? NO_SECOND : this.#keysOf(1, trade);
    for (const first of firsts)
      for (const second of seconds) this.#rowOf(first, second).tally.add(trade);
  }

  /** Keys of a trade in one of the dimensions. */
  #keysOf(i: 0 | 1, trade: ClosedTrade): readonly Key[] {
    const { keyOf, isLabel } = factsOfDimension(this.#dimensions[i] as Dimension);
    const keys = keyOf(trade, this.#clock);
    const list = typeof keys === 'object' && keys !== null ? keys : [keys];

    if (isLabel) {
      const counts = this.#counts[i] as Map<Key, number>;
      for (const key of list) counts.set(key, (counts.get(key) ?? 0) + 1);
    }

    return list;
  }

  /** @throws ResponseTooLarge if there are too many rows */
  #rowOf(first: Key, second: Key): CountedRow {
    let rows = this.#byKeys.get(first);
    if (!rows) {
      rows = new Map();
      this.#byKeys.set(first, rows);
    }

    let row = rows.get(second);
    if (!row) {
      if (this.#rows.length === MAX_ROWS) throw tooManyRows(this.#dimensions);
      row = {
        keys: this.#dimensions.length === 1 ? [first] : [first, second],
        tally: new Tally(),
      };
      rows.set(second, row);
      this.#rows.push(row);
    }

    return row;
  }

  result(top: number | null): z.infer<typeof groupsRecord> {
    const isByCurrency = this.#dimensions.includes('currency');
    const facts = this.#dimensions.map(factsOfDimension);
    const shown = this.#counts.map((counts, i) =>
      facts[i]?.isLabel ? spellingsOf(counts) : (key: Key) => key,
    );
    const spelt = Array.from(this.#rows, ({ keys, tally }) => ({
      keys: keys.map((key, i) => (shown[i] as (key: Key) => Key)(key)),
      tally,
    }));
    const rows = sorted(merged(spelt), this.#dimensions);
    const enough =
      this.#dimensions.length === 0 ? [] : this.#sample.rowsOf(this.#dimensions);
    const standing = this.#standingOut(enough);
    const warnings = this.#warningsOf(enough);
    const marked = rows.map((row) => ({
      ...row,
      ...(standing.has(JSON.stringify(row.keys)) && { stands_out: true }),
      ...warnings(row),
    }));

    return withRest(marked, top).map(({ keys, tally, ...marks }) => ({
      by: Object.fromEntries(
        this.#dimensions.map((dimension, i) => [dimension, keys[i]]),
      ) as Record<string, never>,
      ...figuresOf(tally),
      gross_pnl: roundMoney(tally.gross.value),
      ...(isByCurrency && {
        net_pnl_native: 'other' in marks ? null : tally.nativeNetPnl,
      }),
      ...marks,
    }));
  }

  /** Keys of the rows that stand out, as text. */
  #standingOut(rows: readonly Row[]): Set<string> {
    const flags = holm(chancesOf(this.#sample, rows, holm));
    return new Set(
      rows.filter((_, i) => flags[i]).map(({ keys }) => JSON.stringify(keys)),
    );
  }

  /** @returns function for the warnings about a row by one dimension */
  #warningsOf(enough: readonly Row[]) {
    const [dimension, second] = this.#dimensions;
    if (dimension === undefined || second !== undefined) return () => ({});

    const { signs } = this.#sample;
    const countOf = (sign: number) => signs.filter((other) => other === sign).length;
    const all = { trades: signs.length, wins: countOf(1), losses: countOf(-1) };
    const members = enough.flatMap((row) => [...row.members]);
    const isAnyInTwo = new Set(members).size < members.length;
    const same = sameTrades(isAnyInTwo ? enough : []);

    return ({ keys: [key = null], tally }: CountedRow) => {
      const others = same.get(key);
      return {
        ...(key !== null &&
          isHindsight(dimension) &&
          isByDefinition(tally, all) && { by_definition: true }),
        ...(others && { same_trades_as: others.toSorted() }),
      };
    };
  }

  /** A sentence for each label that may be misspelt. */
  misspelt(): string[] {
    return this.#dimensions.flatMap((dimension, i) => {
      const counts = this.#counts[i] as Map<Key, number>;
      const shown = spellingsOf(counts);
      const merged = new Map<Key, number>();
      for (const [key, count] of counts)
        merged.set(shown(key), (merged.get(shown(key)) ?? 0) + count);
      return misspeltLabels(dimension, [...merged]);
    });
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0;
  }
}

function tooManyRows(dimensions: readonly Dimension[]) {
  return responseTooLarge(
    `groups by ${dimensions.join(' and ')}`,
    MAX_ROWS * 250,
    'remove a dimension, or choose a shorter period',
  );
}

// Warnings about rows: what looks like a finding, but is none.

type Counts = Pick<Tally, 'trades' | 'wins' | 'losses'>;

const NEARLY_ALL = 0.95;
const MOST_OF_OTHERS = 0.7;

/** Whether nearly all trades of a row win, or lose, and those outside of it don't. */
function isByDefinition(row: Counts, all: Counts): boolean {
  const others = all.trades - row.trades;
  if (row.trades < LEAST_TRADES || others === 0) return false;

  return (['wins', 'losses'] as const).some(
    (sign) =>
      row[sign] >= NEARLY_ALL * row.trades &&
      all[sign] - row[sign] < MOST_OF_OTHERS * others,
  );
}

/** Two rows share at least this part of the trades of the larger one. */
const SHARED = 0.9;

/** Maximum trades compared, so that rows with all trades take no longer. */
const MOST_COMPARED = 20_000_000;

/** Other rows with nearly the same trades, by the key of each row of one dimension. */
function sameTrades(rows: readonly Row[]): Map<Key, string[]> {
  const same = new Map<Key, string[]>();
  let left = MOST_COMPARED;

  for (const [i, row] of rows.entries()) {
    for (let j = i + 1; j < rows.length; j++) {
      const other = rows[j] as Row;
      if (left-- < 0) return same;
      const [small, large] = [row.members, other.members].sort(
        (a, b) => a.length - b.length,
      );
      if (!small || !large || small.length < SHARED * large.length) continue;
      left -= small.length + large.length;
      if (sharedOf(small, large) < SHARED * large.length) continue;

      const [key, otherKey] = [row.keys[0] as Key, other.keys[0] as Key];
      same.set(key, [...(same.get(key) ?? []), String(otherKey)]);
      same.set(otherKey, [...(same.get(otherKey) ?? []), String(key)]);
    }
  }

  return same;
}

/** Number of trades in both. @param a in their order, as b */
function sharedOf(a: Int32Array, b: Int32Array): number {
  let [shared, at] = [0, 0];
  for (const trade of a) {
    while ((b[at] as number) < trade) at++;
    if (b[at] === trade) shared++;
  }
  return shared;
}

/**
 * Labels in the trader's words: those of others, such as symbols, may well be one letter
 * apart.
 */
const IN_OWN_WORDS = [
  'setup',
  'tag',
  'mistake',
  'emotion',
  'rule',
  'mood',
  'strategy',
  'condition',
  'bias',
] satisfies readonly Dimension[];

const SHORTEST = 5;
const TIMES = 10;
/** Maximum frequent labels compared, and maximum sentences. */
const MOST_FREQUENT = 200;
const MOST_SENTENCES = 3;

/** A label and its number of trades. */
type Counted = readonly [label: Key, trades: number];

/** Sentences about rare labels that differ from a frequent one in a letter. */
function misspeltLabels(dimension: Dimension, labels: readonly Counted[]): string[] {
  if (!IN_OWN_WORDS.some((name) => name === dimension)) return [];

  const known = labels
    .flatMap(([key, trades]) =>
      typeof key === 'string' && key.length >= SHORTEST ? [{ key, trades }] : [],
    )
    .sort((a, b) => b.trades - a.trades || (a.key < b.key ? -1 : 1));
  const frequent = known.slice(0, MOST_FREQUENT);
  const sentences: string[] = [];

  for (const { key, trades } of known) {
    const meant = frequent.find(
      (other) => other.trades >= TIMES * trades && isLetterApart(key, other.key),
    );
    if (!meant) continue;
    sentences.push(
      `The ${dimension} "${key}" (${trades}) is one letter from "${meant.key}" (${meant.trades}).`,
    );
    if (sentences.length === MOST_SENTENCES) break;
  }

  return sentences;
}

/** Whether two texts differ in one letter that is missing, added or another one. */
function isLetterApart(one: string, other: string): boolean {
  const [a, b] = [foldCase(one), foldCase(other)];
  if (Math.abs(a.length - b.length) > 1) return false;

  let start = 0;
  while (start < a.length && a[start] === b[start]) start++;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a.at(-1 - end) === b.at(-1 - end)) end++;

  const differing = [a, b].map((text) => text.slice(start, text.length - end));
  return differing.every((part) => part === '' || /^\p{L}$/u.test(part)) && a !== b;
}

/** Whether keys may be written in knowledge of the result. */
const isHindsight = (dimension: Dimension | undefined) =>
  dimension !== undefined && factsOfDimension(dimension).isHindsight === true;
