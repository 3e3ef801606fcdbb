/**
 * Costly and profitable habits: of all tested rows that a trader can act on, those that
 * differ from the rest by more than chance. Formulas: docs/analytics.md, rates:
 * bench/accuracy.md.
 */
import type * as z from 'zod';
import { roundMoney, Sum } from '../../money.ts';
import type { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import {
  type Accumulator,
  type ClosedTrade,
  type Column,
  IN_BASE,
} from './closed-trade.ts';
import {
  ALL_DIMENSIONS,
  type Dimension,
  dimensionOfField,
  factsOfDimension,
} from './dimensions.ts';
import { keysRecord } from './groups.ts';
import { benjaminiHochberg } from './permutation-test.ts';
import { chancesOf } from './row-chances.ts';
import { LEAST_DAYS, LEAST_TRADES, type Row, Sample } from './sample.ts';

const MOST_COSTS = 5;
const MOST_GAINS = 3;
const TOO_FEW = `no row with ${LEAST_TRADES} closed trades on ${LEAST_DAYS} days, and other trades; choose a longer period`;
/**
 * Trades in both of two rows, over those in either: from this share on, the rows are the
 * same finding.
 */
const NEAR_COPY = 0.8;

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
    description:
      'The one or two dimensions of the row, with its keys; null for trades without one',
  }),
  trades: f.count('Trades'),
  net_pnl: f.money(`Net P&L, ${IN_BASE}`),
  expectancy: f.money('Mean net P&L per trade, in the base currency'),
  expectancy_rest: f.money('Mean net P&L of all other trades'),
  net_pnl_without: f.money('Net P&L of all other trades, in the base currency'),
}));

export const leaksRecord = f.object(
  () => ({
    tried: f.count(
      `Tested rows: those with at least ${LEAST_TRADES} trades on ${LEAST_DAYS} days, copies in several accounts counted once`,
    ),
    found: f.count('Tested rows that differ from the rest by more than chance'),
    near_copies: f.count(
      'Rows among these that are not listed because a row above them has nearly the same trades',
    ),
    reason: f.orNull(f.ours('Reason if no row was tested; else null')),
    costs: f.list(
      rowRecord,
      `The ${MOST_COSTS} most costly rows: by (expectancy - expectancy_rest) x trades`,
    ),
    gains: f.list(rowRecord, `The ${MOST_GAINS} most profitable rows`),
  }),
  "The most costly and most profitable rows that a trader can act on: permutation tests of whole days at the 5 % level, with the correction of Benjamini and Hochberg; rows that follow from the day's own results by shuffling within days. Often empty: in most journals no row differs by more than chance",
);

type Result = z.infer<typeof leaksRecord>;

/** A row that differs from the rest. */
interface Found extends Row {
  net: number;
  /** Its cost (negative) or gain. */
  impact: number;
}

export class Leaks implements Accumulator {
  readonly columns: readonly Column[];
  readonly #sample: Sample;
  readonly #dimensions: readonly Dimension[];
  readonly #net = new Sum();

  /**
   * @param hidesTexts whether to leave out dimensions by texts
   * @param fields names of the trader's to test, too
   */
  constructor(clock: ZoneClock, hidesTexts: boolean, fields: readonly string[] = []) {
    const known = ALL_DIMENSIONS.filter((dimension) => {
      const { isActionable = true, reveals } = factsOfDimension(dimension);
      return isActionable && !(hidesTexts && reveals === 'text');
    });
    this.#dimensions = [...known, ...fields.map(dimensionOfField)];
    this.#sample = new Sample(this.#dimensions, clock);
    this.columns = this.#sample.columns;
  }

  add(trade: ClosedTrade): void {
    this.#sample.add(trade);
    this.#net.add(trade.net);
  }

  /** Tests all rows. */
  result(): Result {
    let rows: Row[] = [];
    for (const dimensions of [...this.#dimensions.map((one) => [one]), ...PAIRS]) {
      rows = rows.concat(this.#sample.rowsOf(dimensions));
    }

    const chances = chancesOf(this.#sample, rows, benjaminiHochberg);
    const flags = benjaminiHochberg(chances);
    const found = rows.filter((_, i) => flags[i]).map((row) => this.#found(row));
    const costs = this.#distinct(
      found.filter(({ impact }) => impact < 0),
      MOST_COSTS,
    );
    const gains = this.#distinct(
      found.filter(({ impact }) => impact > 0),
      MOST_GAINS,
    );
    const tried = chances.filter((chance) => chance !== null).length;

    return {
      tried,
      found: found.length,
      near_copies: costs.copies + gains.copies,
      reason: tried > 0 ? null : TOO_FEW,
      costs: costs.rows.map((row) => this.#shown(row)),
      gains: gains.rows.map((row) => this.#shown(row)),
    };
  }

  #found(row: Row): Found {
    const sum = new Sum();
    for (const trade of row.members) sum.add(this.#sample.results.nets[trade] as number);
    const net = sum.value;
    const rest = (this.#net.value - net) / (this.#sample.results.n - row.members.length);
    return { ...row, net, impact: net - rest * row.members.length };
  }

  #shown({ columns, keys, members, net }: Found): Result['costs'][number] {
    const rest = new Sum();
    rest.addSum(this.#net);
    rest.add(-net);

    return {
      by: Object.fromEntries(
        columns.map(({ dimension }, i) => [dimension, keys[i]]),
      ) as Record<string, never>,
      trades: members.length,
      net_pnl: roundMoney(net),
      expectancy: roundMoney(net / members.length),
      expectancy_rest: roundMoney(rest.value / (this.#sample.results.n - members.length)),
      net_pnl_without: roundMoney(rest.value),
    };
  }

  /** The rows with the largest impact that aren't near-copies of previous ones. */
  #distinct(found: Found[], most: number): { rows: Found[]; copies: number } {
    const rows: Found[] = [];
    let copies = 0;
    for (const row of found.sort((a, b) => this.#byImpact(a, b))) {
      if (rows.length === most) break;

      const isIn = new Set(row.members);
      const isCopy = rows.some(({ members }) => {
        const both = members.reduce(
          (count, trade) => count + (isIn.has(trade) ? 1 : 0),
          0,
        );
        return both >= NEAR_COPY * (members.length + isIn.size - both);
      });
      if (isCopy) copies++;
      else rows.push(row);
    }

    return { rows, copies };
  }

  /** Largest impact first; if equal, fewer dimensions first. */
  #byImpact(a: Found, b: Found): number {
    return (
      roundMoney(Math.abs(b.impact)) - roundMoney(Math.abs(a.impact)) ||
      a.columns.length - b.columns.length ||
      this.#placeOf(a) - this.#placeOf(b) ||
      (JSON.stringify(a.keys) < JSON.stringify(b.keys) ? -1 : 1)
    );
  }

  /** The order of rows with equal impact. */
  #placeOf({ columns }: Row): number {
    const [first, second] = columns.map(({ dimension }) => dimension) as [
      Dimension,
      Dimension?,
    ];
    if (second === undefined) return this.#dimensions.indexOf(first);
    return PAIRS.findIndex(([one, other]) => one === first && other === second);
  }
}
