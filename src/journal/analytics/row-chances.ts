/** p-values of rows: by shuffled days, or by results that are shuffled within days. */

import { factsOfDimension } from './dimensions.ts';
import { type Correction, wholeDays } from './permutation-test.ts';
import {
  type Copies,
  type Counted,
  LEAST_DAYS,
  LEAST_TRADES,
  type Row,
  type Sample,
} from './sample.ts';
import { WithinDays } from './within-days.ts';

/** Rows of one test, by their places among all rows. */
interface Test {
  counted: Counted;
  /** With the places of their trades. */
  whole: Map<number, Int32Array>;
  /** Rows that follow from the results of the same day. */
  within: number[];
}

/**
 * Tests rows: whole days are shuffled; of rows that follow from the results of the same
 * day, trades within days.
 * @param correction for many tests: a row that it can't mark any more is tested no
 * further
 * @returns p-value of each row, and null for rows that aren't tested
 */
export function chancesOf(
  sample: Sample,
  rows: readonly Row[],
  correction: Correction,
): (number | null)[] {
  const chances: (number | null)[] = rows.map(() => null);
  const copies = sample.copies();
  const tests = testsOf(sample, rows, copies);
  for (const { whole, within } of tests)
    for (const i of [...whole.keys(), ...within]) chances[i] = 0;
  const { seed } = sample.results;

  // First, because they aren't cut short.
  for (const { counted, within } of tests) {
    if (within.length === 0) continue;

    const test = new WithinDays(sample, counted, copies);
    const found = test.chancesOf(
      within.map((i) => rows[i] as Row),
      seed,
    );
    for (const [at, i] of within.entries()) chances[i] = found[at] as number;
  }

  for (const { counted, whole } of tests) {
    const which = [...whole.keys()];
    const marked = (found: readonly number[]) => {
      for (const [at, i] of which.entries()) chances[i] = found[at] as number;
      const flags = correction(chances);
      return which.map((i) => flags[i] as boolean);
    };
    marked(wholeDays(counted, [...whole.values()], seed, marked));
  }

  return chances;
}

/** The rows with enough trades, and others, by the trades that count. */
function testsOf(sample: Sample, rows: readonly Row[], copies: Copies): Test[] {
  // In rows of an account, a copy is its account's own trade.
  const isOfAccount = ({ columns }: Row) =>
    copies.size > 0 && columns.some(({ dimension }) => dimension === 'account');
  const accountOf = (row: Row) =>
    isOfAccount(row) ? (sample.accounts[row.members[0] as number] as number) : null;
  const tests: Test[] = [];

  for (const [account, which] of Map.groupBy(rows.keys(), (i) =>
    accountOf(rows[i] as Row),
  )) {
    const test: Test = {
      counted: sample.counted(copies, account),
      whole: new Map(),
      within: [],
    };
    const placesOf = placesIn(sample, test.counted);
    for (const i of which) {
      const row = rows[i] as Row;
      addTest(sample, test, i, row, placesOf(row));
    }
    tests.push(test);
  }

  return tests;
}

/** Adds a row with enough trades, and others, to what tests it. */
function addTest(
  sample: Sample,
  test: Test,
  i: number,
  row: Row,
  places: Int32Array,
): void {
  const { trades } = test.counted;
  if (places.length < LEAST_TRADES || places.length === trades.length) return;
  if (!areOnEnoughDays(sample, places, trades)) return;

  const facts = row.columns.map(({ dimension }) => factsOfDimension(dimension));
  if (facts.some(({ isOfItself }) => isOfItself)) return;

  if (facts.some(({ isByResults }) => isByResults)) test.within.push(i);
  else test.whole.set(i, places);
}

/** @returns function for the places of a row's trades among those that count */
function placesIn(sample: Sample, { trades }: Counted): (row: Row) => Int32Array {
  const placeOf = new Int32Array(sample.results.n).fill(-1);
  for (let place = 0; place < trades.length; place++)
    placeOf[trades[place] as number] = place;
  const isAll = placeOf.every((place, trade) => place === trade);

  return ({ members }) => {
    if (isAll) return members;

    const places = members.map((trade) => placeOf[trade] as number);
    return places.filter((at) => at >= 0).sort();
  };
}

/** @param places in order, which is that of their days */
function areOnEnoughDays(
  { results }: Sample,
  places: Int32Array,
  trades: Int32Array,
): boolean {
  let [days, last] = [0, Number.NaN];
  for (let i = 0; i < places.length && days < LEAST_DAYS; i++) {
    const day = results.days[trades[places[i] as number] as number] as number;
    if (day !== last) days++;
    last = day;
  }
  return days === LEAST_DAYS;
}
