/** The trades of a response as tests see them: by day of closing, and each once if it was copied into several accounts. */
import { foldCase } from '../../sqlite/functions.ts';
import type { ZoneClock } from '../../time.ts';
import { mapInSteps, remembered, STEP, sortInSteps } from '../in-steps.ts';
import type { Accumulator, ClosedTrade, Column } from './closed-trade.ts';
import { type Dimension, factsOfDimension, type Key } from './dimensions.ts';
import { KeyColumn } from './key-columns.ts';
import { type Days, wholeDays } from './permutation-test.ts';
import { signOf } from './sequences.ts';
import { WithinDays } from './within-days.ts';

/** Minimum of a tested row, copies counted once. */
export const LEAST_TRADES = 20;
export const LEAST_DAYS = 5;

/** Maximum time between the entries of copies. */
const MINUTE = 60_000;

/** The results of trades and a seed made from them, for tests and simulations. */
export class Results {
  /** In the order of closing, with the number of each day. */
  readonly nets: number[] = [];
  readonly days: number[] = [];
  #seed = 0x2545f491;

  add({ net, closedMs, day }: Pick<ClosedTrade, 'net' | 'closedMs' | 'day'>): void {
    this.nets.push(net);
    this.days.push(day);
    // From times and signs only: if all amounts are multiplied by one factor, the same numbers are drawn.
    for (const part of [closedMs, closedMs / 2 ** 32, Math.sign(net)]) {
      this.#seed = Math.imul(this.#seed ^ part, 0x9e3779b1);
      this.#seed ^= this.#seed >>> 15;
    }
  }

  get n(): number {
    return this.nets.length;
  }

  /** 32 bits. */
  get seed(): number {
    return this.#seed;
  }
}

/** The trades of one key, or of a key of each of two dimensions. */
export interface Row {
  columns: readonly KeyColumn[];
  keys: readonly Key[];
  /** Their places in the order of closing. */
  members: number[];
}

/** Trades that a test counts, in the order of their days. */
export interface Counted extends Days {
  /** Their places in the sample. */
  trades: Int32Array;
}

/** Trades with their keys in some dimensions, and the test of rows by these. */
export class Sample implements Accumulator {
  readonly columns: readonly Column[];
  readonly results = new Results();
  readonly keys: ReadonlyMap<Dimension, KeyColumn>;
  readonly accounts: number[] = [];
  readonly trades: Pick<ClosedTrade, 'enteredMs' | 'context'>[] = [];
  readonly signs: number[] = [];
  /** Numbers of symbol and side; of trades that can't be copies, negative. */
  readonly #contracts: number[] = [];
  readonly #known = new Map<string | null, number>();
  readonly #folded = remembered(foldCase);
  readonly #clock: ZoneClock;

  constructor(dimensions: readonly Dimension[], clock: ZoneClock) {
    this.keys = new Map(dimensions.map((dimension) => [dimension, new KeyColumn(dimension)]));
    this.columns = [
      ...(['symbol', 'side', 'account', 'entered'] as const),
      ...dimensions.flatMap((dimension) => factsOfDimension(dimension).columns ?? []),
    ];
    this.#clock = clock;
  }

  add(trade: ClosedTrade): void {
    const { symbol, side, account, enteredMs, context } = trade;
    this.results.add(trade);
    for (const column of this.keys.values()) column.add(trade, this.#clock);
    this.accounts.push(this.#numberOf(account && this.#folded(account)));
    const isContract = symbol !== null && side !== null;
    this.#contracts.push(isContract ? this.#numberOf(`/${side} ${this.#folded(symbol)}`) : -1);
    this.trades.push({ enteredMs, context });
    this.signs.push(signOf(trade.outcome));
  }

  #numberOf(name: string | null): number {
    const number = this.#known.get(name) ?? this.#known.size;
    this.#known.set(name, number);
    return number;
  }

  /** Rows of one dimension, or of two together, with enough trades. Pauses. */
  *rowsOf(dimensions: readonly Dimension[]): Generator<void, Row[]> {
    const columns = dimensions.map((dimension) => this.keys.get(dimension) as KeyColumn);
    const [first, second] = columns as [KeyColumn, KeyColumn | undefined];
    const [firsts, seconds] = [yield* first.keys(), second && (yield* second.keys())];
    const rows = new Map<string, Row>();
    const rowsFor = (one: readonly Key[], other: readonly Key[] | undefined) =>
      one
        .flatMap((key) => (other ? other.map((more) => [key, more]) : [[key]]))
        .map((keys) => {
          const name = JSON.stringify(keys);
          const row = rows.get(name) ?? { columns, keys, members: [] };
          rows.set(name, row);
          return row;
        });
    /** By the codes of a trade: few combinations differ. */
    const byCodes = new Map<number, Row[]>();
    const [ofFirst, ofSecond] = [first.codes, second?.codes];
    for (let i = 0; i < this.results.n; i++) {
      const a = ofFirst[i] as number;
      const b = ofSecond ? (ofSecond[i] as number) : 0;
      const code = a * (seconds?.length ?? 1) + b;
      let of = byCodes.get(code);
      if (!of) {
        of = rowsFor(firsts[a] as readonly Key[], seconds?.[b]);
        byCodes.set(code, of);
      }
      for (const row of of) row.members.push(i);
      if (i % (4 * STEP) === 0) yield;
    }
    return [...rows.values()].filter(({ members }) => members.length >= LEAST_TRADES);
  }

  /**
   * Tests rows, with pauses: whole days are shuffled; of rows that follow from the results of the same day, trades within days.
   * @returns p-value of each row, and null for rows that aren't tested
   */
  *chancesOf(rows: readonly Row[]): Generator<void, (number | null)[]> {
    const copies = yield* this.#copies();
    const chances: (number | null)[] = rows.map(() => null);
    // In rows of an account, a copy is its account's own trade.
    const isOwn = (row: Row) => copies.size > 0 && row.columns.some(({ dimension }) => dimension === 'account');
    const byAccount = Map.groupBy(rows.keys(), (i) => (isOwn(rows[i] as Row) ? this.#accountOf(rows[i] as Row) : null));
    for (const [account, which] of byAccount) {
      const counted = this.#counted(copies, account);
      const places = new Int32Array(this.results.n).fill(-1);
      for (const [place, trade] of counted.trades.entries()) places[trade] = place;
      const whole: [i: number, members: Int32Array][] = [];
      const within: [i: number, row: Row][] = [];
      for (const i of which) {
        const row = rows[i] as Row;
        const members = Int32Array.from(
          row.members.map((trade) => places[trade] as number).filter((at) => at >= 0),
        ).sort();
        const days = new Set(Array.from(members, (at) => this.results.days[counted.trades[at] as number]));
        yield;
        if (members.length < LEAST_TRADES || days.size < LEAST_DAYS || members.length === counted.nets.length) continue;
        const facts = row.columns.map(({ dimension }) => factsOfDimension(dimension));
        if (facts.some(({ isOfItself }) => isOfItself)) continue;
        if (facts.some(({ isByResults }) => isByResults)) within.push([i, row]);
        else whole.push([i, members]);
      }
      const { seed } = this.results;
      const ofWhole = yield* wholeDays(
        counted,
        whole.map(([, members]) => members),
        seed,
      );
      for (const [at, [i]] of whole.entries()) chances[i] = ofWhole[at] as number;
      if (within.length === 0) continue;
      const test = new WithinDays(this, counted, copies);
      const ofWithin = yield* test.chancesOf(
        within.map(([, row]) => row),
        seed,
      );
      for (const [at, [i]] of within.entries()) chances[i] = ofWithin[at] as number;
    }
    return chances;
  }

  #accountOf({ members }: Row): number {
    return this.accounts[members[0] as number] as number;
  }

  /** Copies of each first trade: one symbol and side, entered within a minute of it, each in another account. */
  *#copies(): Generator<void, Map<number, number[]>> {
    if (new Set(this.accounts).size < 2) return new Map();
    const able = [...this.#contracts.keys()].filter((i) => (this.#contracts[i] as number) >= 0);
    const enteredAt = (i: number) => (this.trades[i] as ClosedTrade).enteredMs;
    const contract = (i: number) => this.#contracts[i] as number;
    const sorted = yield* sortInSteps(
      able,
      (a, b) => contract(a) - contract(b) || enteredAt(a) - enteredAt(b) || a - b,
    );
    const copies = new Map<number, number[]>();
    let open: { first: number; accounts: Set<number> }[] = [];
    yield* mapInSteps(sorted, (i) => {
      open = open.filter(({ first }) => contract(first) === contract(i) && enteredAt(i) - enteredAt(first) <= MINUTE);
      const account = this.accounts[i] as number;
      const of = open.find(({ accounts }) => !accounts.has(account));
      if (!of) return void open.push({ first: i, accounts: new Set([account]) });
      of.accounts.add(account);
      copies.set(of.first, [...(copies.get(of.first) ?? []), i]);
    });
    return copies;
  }

  /** Each trade once: the first of its copies with their sum, or without the others that of an account. */
  #counted(copies: ReadonlyMap<number, readonly number[]>, account: number | null): Counted {
    const nets = [...this.results.nets];
    const isCounted = new Uint8Array(nets.length).fill(1);
    for (const [first, others] of copies) {
      const all = [first, ...others];
      const own = all.find((i) => this.accounts[i] === account);
      for (const i of all) if (i !== (own ?? first)) isCounted[i] = 0;
      if (own === undefined) nets[first] = all.reduce((sum, i) => sum + (this.results.nets[i] as number), 0);
    }
    const { days } = this.results;
    const dayOf = (i: number) => days[i] as number;
    // Nearly sorted: a clock set back just after midnight returns to the day before.
    const trades = [...isCounted.keys()].filter((i) => isCounted[i]).sort((a, b) => dayOf(a) - dayOf(b));
    const starts = [...trades.keys()].filter(
      (at) => at === 0 || days[trades[at] as number] !== days[trades[at - 1] as number],
    );
    return {
      trades: Int32Array.from(trades),
      nets: Float64Array.from(trades, (i) => nets[i] as number),
      starts: Int32Array.from([...starts, trades.length]),
    };
  }
}
