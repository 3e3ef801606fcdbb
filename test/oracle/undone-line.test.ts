/** Any lines of `import list`, and one of them undone: the journal is as if that line had never been. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { keptFirst } from '../corpus.ts';
import { isExhaustive, isThorough, runs } from '../effort.ts';
import { printFigures } from '../faults/figures.ts';
import { cashSequence, type Drawn, sequence } from './commands.ts';
import { type Difference, differencesOf, UNCOMPARED } from './compare.ts';
import { GivenJournal, type Line, NO_LINE } from './journals.ts';
import { type Case, reasonsOf } from './known-differences.ts';

/** Lines of each sequence that are undone, each in a copy of its own. */
const UNDONE = 3;

/**
 * The long run draws other sequences each time, and may find a difference that isn't known yet. The others try the same ones, until undo
 * is right by design.
 */
const SEED_OF_FEW = 54;

function sequences(): number {
  if (isExhaustive) return 1000;
  return isThorough ? 60 : 6;
}

class Counts {
  readonly #counts = new Map<string, number>();

  add(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  get text(): string {
    const rows = [...this.#counts].sort(([, a], [, b]) => b - a);
    return rows.map(([what, count]) => `${count} ${what}`).join(', ');
  }
}

/** @throws Error with the lines and the differences that aren't known */
function undo(journal: GivenJournal, line: Line, counts: Counts): void {
  const undone = journal.undone(line);
  const without = journal.without(line);
  if (typeof undone === 'string') {
    expect(undone).toMatch(/\w/);
    return counts.add(
      typeof without === 'string' ? 'refused, as without the line' : 'refused',
    );
  }
  if (typeof without === 'string')
    return counts.add('not comparable: a later line needs it');

  expect(undone.findings()).toEqual([]);
  const differences = differencesOf(undone, without);
  if (differences.length === 0) return counts.add('equal');

  const of: Case = { lines: journal.lines, undone: line };
  const reasons = reasonsOf(differences, of);
  if (!reasons) throw new Error(textOf(of, differences));
  for (const reason of reasons) counts.add(`different: ${reason}`);
}

function textOf({ lines, undone }: Case, differences: readonly Difference[]): string {
  const shown = lines.map(
    ({ id, given }) =>
      `${id === undone.id ? 'undone ' : ''}${id} ${JSON.stringify(given)}`,
  );
  const values = (row: Difference['undone'], fields: readonly string[]) =>
    JSON.stringify(
      row && fields.length > 0
        ? Object.fromEntries(fields.map((name) => [name, row[name]]))
        : row,
    );
  const found = differences.map(({ table, undone: own, replayed, fields }) => {
    const id = own?.['id'] ?? replayed?.['id'] ?? '';
    return `${table} ${id}: ${values(own, fields)}, without the line ${values(replayed, fields)}`;
  });
  return [...shown, ...found].join('\n');
}

function undoneIn(commands: typeof sequence | typeof cashSequence, counts: Counts) {
  const places = fc.array(fc.nat(100), {
    minLength: UNDONE,
    maxLength: UNDONE,
    size: 'max',
  });
  return fc.property<[Drawn[], number[]]>(commands, places, (drawn, drawnPlaces) => {
    const journal = new GivenJournal(drawn);
    const lines = journal.lines.filter(({ id }) => id !== NO_LINE);
    const chosen = new Set(drawnPlaces.map((place) => lines[place % lines.length]));
    for (const line of chosen) if (line) undo(journal, line, counts);
  });
}

test('any line undone leaves the journal as if it had never been, or undo is refused', {
  timeout: 3_600_000,
}, () => {
  const counts = new Counts();
  const journals = undoneIn(sequence, counts);
  const kept = keptFirst<[Drawn[], number[]]>('undone-line', sequences());
  fc.assert(journals, isExhaustive ? kept : { ...kept, seed: SEED_OF_FEW });
  printFigures(`lines undone: ${counts.text}`);
});

test('the same of files with cash flows, of those by hand, and of accounts that they are in', {
  timeout: 3_600_000,
}, () => {
  const counts = new Counts();
  fc.assert(undoneIn(cashSequence, counts), keptFirst('undone-cash', runs(1000, 6, 20)));
  printFigures(`lines of cash undone: ${counts.text}`);
});

test('every table of records is compared', () => {
  expect(UNCOMPARED, 'a new table belongs to TABLES of compare.ts').toEqual([]);
});
