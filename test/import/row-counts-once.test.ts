/**
 * A row counts once: the same rows again, from a file read otherwise or saved again, change no total,
 * or the import is refused and names the import that holds them.
 *
 * MATRIX=all tries every cell, MATRIX_ONLY=TEXT those whose "fixture | variant | state" contains
 * the text (several parts are separated by a comma and must all occur), and both print the counts and the failed cells.
 * MATRIX_OUT=FILE writes all cells as JSON.
 */
import { writeFileSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { isThorough } from '../effort.ts';
import { randomNumbers, SEED } from '../seed.ts';
import { allFixtures, type Cell, FixtureMatrix, type Outcome, STATES, type State, VARIANTS } from './matrix.ts';

const ONLY = (process.env['MATRIX_ONLY'] ?? '').split(',').filter((part) => part !== '');
const OUT = process.env['MATRIX_OUT'];
const isWhole = process.env['MATRIX'] === 'all' || ONLY.length > 0 || isThorough;

interface Tried extends Cell {
  fixture: string;
  variant: string;
  state: State;
}

/** Patterns of cells known to fail; empty once all are mended. */
const KNOWN: readonly RegExp[] = [];

const nameOf = ({ fixture, variant, state }: Pick<Tried, 'fixture' | 'variant' | 'state'>) =>
  `${fixture} | ${variant} | ${state}`;

const tried: Tried[] = [];
const draw = randomNumbers(SEED ^ 0x2f6b);
const fixtures = allFixtures().filter(({ label }) => (isWhole || draw(8) === 0) && mayMatch(label));

/** Whether cells of the fixture may be asked for: a part that names a fixture has a slash. */
function mayMatch(label: string): boolean {
  return ONLY.filter((part) => part.includes('/')).every((part) => label.includes(part));
}

function isAsked(name: string): boolean {
  return ONLY.every((part) => name.includes(part));
}

test.each(fixtures)('rows of $label count once', { timeout: 300_000 }, (fixture) => {
  const matrix = new FixtureMatrix(fixture);
  if (!matrix.isImported) return;
  const failed: string[] = [];
  for (const state of STATES) {
    for (const variant of VARIANTS) {
      const name = nameOf({ fixture: fixture.label, variant, state });
      if (!isAsked(name) || (!isWhole && draw(10) !== 0)) continue;
      const cell = matrix.cell(variant, state);
      if (!cell) continue;
      tried.push({ fixture: fixture.label, variant, state, ...cell });
      const isKnown = KNOWN.some((pattern) => pattern.test(name));
      if (isFailed(cell) && !isKnown) failed.push(`${name}: ${cell.outcome}: ${cell.message}`);
    }
  }
  expect(failed).toEqual([]);
});

const isFailed = ({ outcome }: Cell) => outcome === 'wrong' || outcome === 'unhelpful';

afterAll(() => {
  if (OUT !== undefined) writeFileSync(OUT, JSON.stringify(tried, null, 1));
  if (isWhole) console.log(tableOf());
});

/** Counts of outcomes by variant. */
function tableOf(): string {
  const outcomes: readonly Outcome[] = ['same', 'refused', 'unhelpful', 'wrong'];
  const line = (name: string, cells: readonly Tried[]) => {
    const counts = outcomes.map((wanted) => cells.filter(({ outcome }) => outcome === wanted).length);
    return [name.padEnd(28), ...counts.map((count) => String(count).padStart(9))].join(' ');
  };
  const title = ['variant'.padEnd(28), ...outcomes.map((name) => name.padStart(9))].join(' ');
  const variants = VARIANTS.map((name) =>
    line(
      name,
      tried.filter(({ variant }) => variant === name),
    ),
  );
  return [title, ...variants, line('all', tried)].join('\n');
}
