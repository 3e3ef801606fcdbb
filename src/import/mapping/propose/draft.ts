/** A mapping being built: columns in use, and questions for the user. */
import type { DayOrder } from '../../parse/date-order.ts';
import type { Mapping, Source } from '../schema.ts';
import { type ColumnSeen, decimalSeen, isDay, isNumeric, rough } from './columns.ts';
import { fitOf, type Meaning } from './vocabulary.ts';

/** Changes by an answer; a field without a source is removed. */
export type Patch = Partial<Pick<Mapping, 'dates' | 'decimal' | 'zone'>> & {
  fields?: Record<string, Source | undefined>;
};

export interface Question {
  /** Its field or member of the mapping. */
  about: string;
  text: string;
  /** The first is the mapping's current state. */
  answers: { label: string; patch: Patch }[];
  /** Kind of value the user may type instead. */
  typed?: 'zone' | 'currency';
  /** Whether imports assume the first answer anyway, with a note: asked only on a terminal. */
  isAssumed?: true;
}

export interface Settings {
  user: { timezone: string; base_currency: string };
  /** If the user stated it. */
  timeZone: string | undefined;
  /** The order of day and month, if the user stated it. */
  dates?: DayOrder | undefined;
}

/** Minimum score of a name. */
const LEAST_FIT = 0.5;

type Test = (column: ColumnSeen) => boolean;

export class Draft {
  readonly columns: readonly ColumnSeen[];
  readonly fields: Record<string, Source> = {};
  readonly questions: Question[] = [];
  readonly skip: NonNullable<Mapping['skip']> = [];
  /** Run once all fields are set, with the rows that aren't skipped. */
  readonly checks: ((rows: readonly number[]) => void)[] = [];
  readonly #taken = new Set<ColumnSeen>();
  readonly #decimal: '.' | ',';

  constructor(columns: readonly ColumnSeen[]) {
    this.columns = columns;
    this.#decimal = decimalSeen(columns.filter((column) => isNumeric(column) && !isDay(column))) ?? '.';
  }

  /** The number in a row of a column; 0 if there is none. */
  at(column: ColumnSeen | undefined, row: number): number {
    const cell = column?.all[row] ?? '';
    const digits = cell.replace(this.#decimal === '.' ? /[^\d.]/g : /[^\d,]/g, '').replace(',', '.');
    const value = Number(digits);
    return Number.isFinite(value) && rough(cell) < 0 ? -value : value || 0;
  }

  /** Free columns that pass a test. */
  free(test: Test): ColumnSeen[] {
    return this.columns.filter((column) => !this.#taken.has(column) && column.cells.length > 0 && test(column));
  }

  /** Free columns that fit, the best first. */
  fitting(meaning: Meaning, test: Test = () => true, least = LEAST_FIT): ColumnSeen[] {
    return this.free(test)
      .map((column) => ({ column, fit: fitOf(column.name, meaning) }))
      .filter(({ fit }) => fit >= least)
      .sort((a, b) => b.fit - a.fit)
      .map(({ column }) => column);
  }

  best(meaning: Meaning, test?: Test): ColumnSeen | undefined {
    return this.fitting(meaning, test)[0];
  }

  /** Sets the source of a field; its columns are no longer free. */
  put(field: string, source: Source, ...columns: readonly (ColumnSeen | undefined)[]): void {
    this.fields[field] = source;
    for (const column of columns) if (column) this.#taken.add(column);
  }

  /** Sets a field to the best fitting column, if any. */
  take(field: string, meaning: Meaning, test?: Test): ColumnSeen | undefined {
    const column = this.best(meaning, test);
    if (column) this.put(field, column.name, column);
    return column;
  }

  takeAll(meanings: readonly Meaning[], test?: Test): void {
    for (const meaning of meanings) this.take(meaning, meaning, test);
  }

  /** Sets a field to a column of numbers above 0: a 0 counts as empty. */
  takePositive(field: string, meaning: Meaning, test: Test = isNumeric): void {
    const column = this.take(field, meaning, test);
    const zeros = [...new Set(column?.cells.filter((cell) => rough(cell) === 0))];
    if (column && zeros.length > 0) this.put(field, { column: column.name, empty: zeros });
  }

  /** All columns of a field. */
  sourcesOf(field: string): ColumnSeen[] {
    const source = this.fields[field];
    const names = typeof source === 'string' ? source : source && 'column' in source ? source.column : [];
    return [names].flat().flatMap((name) => this.columns.find((column) => column.name === name) ?? []);
  }

  /** The column of a field, if it has exactly one. */
  columnOf(field: string): ColumnSeen | undefined {
    const all = this.sourcesOf(field);
    return all.length === 1 ? all[0] : undefined;
  }

  /** The constant of a field, if it has one. */
  constantOf(field: string): unknown {
    const source = this.fields[field];
    return typeof source === 'object' && 'value' in source ? source.value : undefined;
  }

  /** @param answers changes of the mapping by label; the first is its current state */
  ask(
    about: string,
    text: string,
    answers: Readonly<Record<string, Patch>>,
    more?: Pick<Question, 'typed' | 'isAssumed'>,
  ): void {
    const labelled = Object.entries(answers).map(([label, patch]) => ({ label, patch }));
    this.questions.push({ about, text, answers: labelled, ...more });
  }

  /** The same, if an answer only changes the source of the field that it is about. */
  askForSource(field: string, text: string, sources: Readonly<Record<string, Source | undefined>>): void {
    const patches = Object.entries(sources).map(([label, source]) => [label, { fields: { [field]: source } }]);
    this.ask(field, text, Object.fromEntries(patches));
  }
}
