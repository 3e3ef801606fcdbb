/**
 * A row counts once: the same rows again, from a file read otherwise or saved again, change no
 * total, or the import is refused and names the import that holds them.
 *
 * MATRIX=all tries every cell. MATRIX_ONLY=TEXT tries those whose "fixture | variant | state" has
 * the text; of several parts, separated by commas, each must be in it, as in
 * MATRIX_ONLY='real das/Trades.csv,seconds cut,plain'. Both print the counts and the failed cells.
 * MATRIX_OUT=FILE writes all cells as JSON. The variants and states are listed in matrix.ts.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { isExhaustive, isThorough } from '../effort.ts';
import { randomNumbers, SEED } from '../seed.ts';
import type { Cell, Outcome, State } from './matrix.ts';
import { allFixtures, FixtureMatrix, STATES, VARIANTS } from './matrix.ts';

const ONLY = (process.env['MATRIX_ONLY'] ?? '').split(',').filter((part) => part !== '');
const OUT = process.env['MATRIX_OUT'];

const isAsked = process.env['MATRIX'] === 'all' || ONLY.length > 0;
const isWhole = isAsked || isExhaustive;

/** One of so many fixtures is tried, and of its cells one of so many. */
const ONE_FIXTURE_OF = isThorough ? 10 : 12;
const ONE_CELL_OF = isThorough ? 3 : 10;

const MOST_PRINTED = 100;

interface TriedCell extends Cell {
  fixture: string;
  variant: string;
  state: State;
}

/** Cells known to fail. */
const KNOWN: readonly RegExp[] = [
  // A run of a tester is known by its settings and results, and some of those are durations.
  /mt5-tester\.html \| seconds cut \|/,
];

const tried: TriedCell[] = [];
const draw = randomNumbers(SEED ^ 0x2f6b);
const fixtures = allFixtures().filter(
  ({ label }, index) => mayMatch(label) && (index === 0 || isDrawn(ONE_FIXTURE_OF)),
);

function isDrawn(oneOf: number): boolean {
  return isWhole || draw(oneOf) === 0;
}

/** Parts with a slash name a fixture. */
function mayMatch(label: string): boolean {
  return ONLY.every((part) => !part.includes('/') || label.includes(part));
}

function nameOf({ fixture, variant, state }: Omit<TriedCell, keyof Cell>): string {
  return `${fixture} | ${variant} | ${state}`;
}

function isTried(name: string): boolean {
  return ONLY.every((part) => name.includes(part)) && isDrawn(ONE_CELL_OF);
}

const isFailed = ({ outcome }: Cell) => outcome === 'wrong' || outcome === 'unhelpful';
const isKnown = (cell: TriedCell) => KNOWN.some((pattern) => pattern.test(nameOf(cell)));
const lineOf = (cell: TriedCell) => `${nameOf(cell)}: ${cell.outcome}: ${cell.message}`;

function placesOf(fixture: string): Omit<TriedCell, keyof Cell>[] {
  return STATES.flatMap((state) =>
    VARIANTS.map((variant) => ({ fixture, variant, state })),
  );
}

test.each(fixtures)('rows of $label count once', { timeout: 300_000 }, (fixture) => {
  const places = placesOf(fixture.label).filter((place) => isTried(nameOf(place)));
  if (places.length === 0) return;
  const matrix = new FixtureMatrix(fixture);
  if (!matrix.isImported) return;

  const failed: string[] = [];
  for (const place of places) {
    const cell = matrix.cell(place.variant, place.state);
    if (!cell) continue;
    const named = Object.assign({}, place, cell);
    tried.push(named);
    if (isFailed(named) && !isKnown(named)) failed.push(lineOf(named));
  }
  expect(failed).toEqual([]);
});

afterAll(() => {
  if (OUT !== undefined) writeFileSync(OUT, JSON.stringify(tried, null, 1));
  if (!isAsked && !isThorough) return;
  console.log(table());

  const failed = tried.filter(isFailed);
  const lines = failed.slice(0, MOST_PRINTED).map(lineOf);
  const rest = failed.length - lines.length;
  if (rest > 0) lines.push(`and ${rest} more; MATRIX_OUT=FILE writes all`);
  if (lines.length > 0) console.log(lines.join('\n'));

  const mended = KNOWN.filter(
    (pattern) => !failed.some((cell) => pattern.test(nameOf(cell))),
  );
  if (isWhole && ONLY.length === 0 && mended.length > 0) {
    console.log(`no cell fails any more of: ${mended.join(' ')}`);
  }
});

/** Counts of outcomes by variant. */
function table(): string {
  const outcomes: readonly Outcome[] = ['same', 'refused', 'unhelpful', 'wrong'];
  const row = (name: string, values: readonly unknown[]) =>
    [name.padEnd(28), ...values.map((value) => String(value).padStart(10))].join('');
  const counted = (name: string, cells: readonly TriedCell[]) => {
    const of = (wanted: Outcome) =>
      cells.filter(({ outcome }) => outcome === wanted).length;
    return row(name, outcomes.map(of));
  };
  const rows = VARIANTS.map((name) =>
    counted(
      name,
      tried.filter(({ variant }) => variant === name),
    ),
  );
  return ['', row('variant', outcomes), ...rows, counted('all', tried)].join('\n');
}
