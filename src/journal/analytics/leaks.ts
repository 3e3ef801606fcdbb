/**
 * Costly and profitable habits: of all tested rows that a trader can act on, those that differ from the rest by more than chance.
 * Formulas and error rates: docs/analytics.md.
 */
import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import type { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import { mapInSteps } from '../in-steps.ts';
import { type Accumulator, type ClosedTrade, type Column, IN_BASE, Results } from './closed-trade.ts';
import { ALL_DIMENSIONS, type Dimension, factsOfDimension, type Key } from './dimensions.ts';
import { keysRecord } from './groups.ts';
import { KeyColumn } from './key-columns.ts';
import { benjaminiHochberg, chancesOf } from './permutation-test.ts';

/** Minimum trades of a row, and of the trades outside it. */
const LEAST_TRADES = 20;
const MOST_COSTS = 5;
const MOST_GAINS = 3;
const TOO_FEW = `no row with ${LEAST_TRADES} closed trades and as many others; choose a longer period`;
const ALL_EQUAL = 'all trades have the same net P&L; a test needs different results';
/** Trades in both of two rows, over those in either: from this share on, the rows are the same finding. */
const NEAR_COPY = 0.8;
/** Trades between pauses: a millisecond if each is in its own row. */
const TRADES_A_STEP = 2000;

/** Dimensions that a trader can't act on: consequences of the result, calendar dates, and groups of single trades. */
const LEFT_OUT: readonly Dimension[] = [
  ...(['r_multiple', 'holding_time', 'rating', 'group'] as const),
  ...(['day', 'week', 'month', 'quarter', 'year'] as const),
];
const SINGLE = ALL_DIMENSIONS.filter((dimension) => !LEFT_OUT.includes(dimension));
const PAIRS: readonly (readonly [Dimension, Dimension])[] = [
  ['setup', 'weekday'],
  ['setup', 'hour'],
  ['setup', 'side'],
  ['setup', 'after'],
  ['weekday', 'hour'],
  ['underlying', 'side'],
  ['underlying', 'hour'],
  ['after', 'size'],
];

const rowRecord = f.record(() => ({
  by: keysRecord.meta({
    description: 'The one or two dimensions of the row, with its keys; null for trades without one',
  }),
  trades: f.count('Trades'),
  net_pnl: f.money(`Net P&L, ${IN_BASE}`),
  expectancy: f.money('Mean net P&L per trade, in the base currency'),
  expectancy_rest: f.money('Mean net P&L of all other trades'),
  net_pnl_without: f.money('Net P&L of all other trades, in the base currency'),
}));

export const leaksRecord = f.object(
  () => ({
    tried: f.count(`Tested rows: those with at least ${LEAST_TRADES} trades and as many others`),
    found: f.count('Tested rows that differ from the rest by more than chance'),
    near_copies: f.count('Rows among these that are not listed because a row above them has nearly the same trades'),
    reason: f.orNull(f.ours('Reason if no row was tested; else null')),
    costs: f.list(rowRecord, `The ${MOST_COSTS} most costly rows: by (expectancy - expectancy_rest) x trades`),
    gains: f.list(rowRecord, `The ${MOST_GAINS} most profitable rows`),
  }),
  'The most costly and most profitable rows that a trader can act on: permutation tests at the 5 % level, with the correction of Benjamini and Hochberg. Often empty: in most journals no row differs by more than chance',
);

type Result = z.infer<typeof leaksRecord>;

/** The trades of one key, or of a key of each of two dimensions. */
interface Row {
  columns: readonly KeyColumn[];
  keys: readonly Key[];
  trades: number;
  net: Sum;
}

/** A row that differs from the rest, with its impact: cost (negative) or gain. */
interface Found extends Row {
  impact: number;
}

export class Leaks implements Accumulator {
  readonly columns: readonly Column[] = SINGLE.flatMap((dimension) => factsOfDimension(dimension).columns ?? []);
  readonly #clock: ZoneClock;
  readonly #results = new Results();
  readonly #net = new Sum();
  readonly #columns = SINGLE.map((dimension) => new KeyColumn(dimension));

  constructor(clock: ZoneClock) {
    this.#clock = clock;
  }

  add(trade: ClosedTrade): void {
    this.#results.add(trade);
    this.#net.add(trade.net);
    for (const column of this.#columns) column.add(trade, this.#clock);
  }

  /** Tests all rows, with pauses. */
  *result(): Generator<void, Result> {
    const rows = yield* this.#rows();
    const parts = rows.map(({ trades, net }) => ({ trades, net: net.value }));
    const chances = yield* chancesOf(this.#results, parts);
    const flags = benjaminiHochberg(chances);
    const found = rows.filter((_, i) => flags[i]).map((row) => ({ ...row, impact: this.#impactOf(row) }));
    const costs = yield* distinct(found.filter(({ impact }) => impact < 0).sort(byImpact), MOST_COSTS);
    const gains = yield* distinct(found.filter(({ impact }) => impact > 0).sort(byImpact), MOST_GAINS);
    const tried = chances.filter((chance) => chance !== null).length;
    return {
      tried,
      found: found.length,
      near_copies: costs.copies + gains.copies,
      reason: tried > 0 ? null : rows.length > 0 ? ALL_EQUAL : TOO_FEW,
      costs: costs.rows.map((row) => this.#shown(row)),
      gains: gains.rows.map((row) => this.#shown(row)),
    };
  }

  #isTested({ trades }: Row): boolean {
    return trades >= LEAST_TRADES && this.#results.n - trades >= LEAST_TRADES;
  }

  /** Tested rows: of single dimensions, and of pairs of rows with enough trades. */
  *#rows(): Generator<void, Row[]> {
    const all: (readonly Row[])[] = [];
    const singles = new Map<Dimension, readonly (readonly Row[])[]>();
    for (const column of this.#columns) {
      const byCode = yield* largeRows(column);
      singles.set(column.dimension, byCode);
      all.push([...new Set(byCode.flat())].filter((row) => this.#isTested(row)));
      const { codes } = column;
      yield* this.#each((i, net) => {
        for (const row of byCode[codes[i] as number] as readonly Row[]) row.net.add(net);
      });
    }
    for (const pair of PAIRS) {
      const [first, second] = pair.map((name) => this.#columns[SINGLE.indexOf(name)]) as [KeyColumn, KeyColumn];
      // In the dimensions of pairs, a trade has one row only.
      const [firsts, seconds] = pair.map((name) => singles.get(name)?.map(([row]) => row)) as [
        (Row | undefined)[],
        (Row | undefined)[],
      ];
      const rows = new Map<Row, Map<Row, Row>>();
      const [ofFirst, ofSecond] = [first.codes, second.codes];
      yield* this.#each((i, net) => {
        const [a, b] = [firsts[ofFirst[i] as number], seconds[ofSecond[i] as number]];
        if (!a || !b) return;
        const row = pairOf(rows, a, b);
        row.trades++;
        row.net.add(net);
      });
      const tested = yield* mapInSteps(rows.values(), (some) =>
        [...some.values()].filter((row) => this.#isTested(row)),
      );
      all.push(tested.flat());
    }
    return all.flat();
  }

  *#each(visit: (i: number, net: number) => void): Generator<void, void> {
    const { nets } = this.#results;
    for (let i = 0; i < nets.length; i++) {
      visit(i, nets[i] as number);
      if (i % TRADES_A_STEP === 0) yield;
    }
  }

  #impactOf({ trades, net }: Row): number {
    const rest = (this.#net.value - net.value) / (this.#results.n - trades);
    return net.value - rest * trades;
  }

  #shown({ columns, keys, trades, net }: Row): Result['costs'][number] {
    const rest = new Sum();
    rest.addSum(this.#net);
    rest.add(-net.value);
    return {
      by: Object.fromEntries(columns.map(({ dimension }, i) => [dimension, keys[i]])) as Record<string, never>,
      trades,
      net_pnl: roundMoney(net.value),
      expectancy: roundMoney(net.value / trades),
      expectancy_rest: roundMoney(rest.value / (this.#results.n - trades)),
      net_pnl_without: roundMoney(rest.value),
    };
  }
}

/** Rows of each code, limited to rows with enough trades. */
function* largeRows(column: KeyColumn): Generator<void, (readonly Row[])[]> {
  const rows = new Map<Key, Row>();
  const keys = yield* column.keys();
  yield* mapInSteps(keys, (of, code) => {
    for (const key of of) {
      const row = rows.get(key) ?? { columns: [column], keys: [key], trades: 0, net: new Sum() };
      row.trades += column.trades[code] as number;
      rows.set(key, row);
    }
  });
  return yield* mapInSteps(keys, (of) =>
    of.map((key) => rows.get(key) as Row).filter(({ trades }) => trades >= LEAST_TRADES),
  );
}

function pairOf(rows: Map<Row, Map<Row, Row>>, a: Row, b: Row): Row {
  let ofFirst = rows.get(a);
  if (!ofFirst) {
    ofFirst = new Map();
    rows.set(a, ofFirst);
  }
  let row = ofFirst.get(b);
  if (!row) {
    row = { columns: [...a.columns, ...b.columns], keys: [...a.keys, ...b.keys], trades: 0, net: new Sum() };
    ofFirst.set(b, row);
  }
  return row;
}

/** The first rows that aren't near-copies of previous ones. */
function* distinct(found: readonly Found[], most: number): Generator<void, { rows: Found[]; copies: number }> {
  const rows: { row: Found; members: Uint8Array }[] = [];
  let copies = 0;
  for (const row of found) {
    if (rows.length === most) break;
    const members = yield* membersOf(row);
    yield;
    if (rows.some((other) => isNearCopy(other.members, members))) copies++;
    else rows.push({ row, members });
    yield;
  }
  return { rows: rows.map(({ row }) => row), copies };
}

/** Largest impact first; if equal, fewer dimensions first. */
function byImpact(a: Found, b: Found): number {
  return (
    roundMoney(Math.abs(b.impact)) - roundMoney(Math.abs(a.impact)) ||
    a.columns.length - b.columns.length ||
    placeOf(a) - placeOf(b) ||
    (JSON.stringify(a.keys) < JSON.stringify(b.keys) ? -1 : 1)
  );
}

/** The order of rows with equal impact. */
function placeOf({ columns }: Row): number {
  const [first, second] = columns.map(({ dimension }) => dimension);
  if (second === undefined) return SINGLE.indexOf(first as Dimension);
  return PAIRS.findIndex(([one, other]) => one === first && other === second);
}

/** 1 for each trade in a row, else 0. */
function* membersOf({ columns, keys }: Row): Generator<void, Uint8Array> {
  const members = new Uint8Array((columns[0] as KeyColumn).codes.length).fill(1);
  for (const [k, column] of columns.entries()) {
    const { codes } = column;
    const isIn = (yield* column.keys()).map((of) => (of.includes(keys[k] as Key) ? 1 : 0));
    for (let i = 0; i < members.length; i++) (members[i] as number) &= isIn[codes[i] as number] as number;
  }
  return members;
}

function isNearCopy(a: Uint8Array, b: Uint8Array): boolean {
  let [both, either] = [0, 0];
  for (let i = 0; i < a.length; i++) {
    both += (a[i] as number) & (b[i] as number);
    either += (a[i] as number) | (b[i] as number);
  }
  return both >= NEAR_COPY * either;
}
