/** A mapping being built: columns in use, and questions for the user. */
import { UserError } from '../../../errors.ts';
import type { Question } from '../proposal.ts';
import type { Mapping, Source } from '../schema.ts';
import { type ColumnSeen, decimalSeen, isDay, isNumeric, rough } from './columns-seen.ts';
import { fitOf, type Meaning } from './names.ts';

/** Minimum score of a name. */
const LEAST_FIT = 0.5;

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

  /** Free columns that fit, the best first. */
  fitting(meaning: Meaning, test: (column: ColumnSeen) => boolean = () => true, least = LEAST_FIT): ColumnSeen[] {
    return this.free(test)
      .map((column) => ({ column, fit: fitOf(column.name, meaning) }))
      .filter(({ fit }) => fit >= least)
      .sort((a, b) => b.fit - a.fit)
      .map(({ column }) => column);
  }

  /** Free columns that pass a test. */
  free(test: (column: ColumnSeen) => boolean): ColumnSeen[] {
    return this.columns.filter((column) => !this.#taken.has(column) && column.cells.length > 0 && test(column));
  }

  best(meaning: Meaning, test?: (column: ColumnSeen) => boolean): ColumnSeen | undefined {
    return this.fitting(meaning, test)[0];
  }

  /** Sets the source of a field; its columns are no longer free. */
  put(field: string, source: Source | undefined, ...columns: readonly (ColumnSeen | undefined)[]): void {
    if (source === undefined) return;
    this.fields[field] = source;
    for (const column of columns) if (column) this.#taken.add(column);
  }

  /** Sets a field to the best fitting column, if any. */
  take(field: string, meaning: Meaning, test?: (column: ColumnSeen) => boolean): ColumnSeen | undefined {
    const column = this.best(meaning, test);
    if (column) this.put(field, column.name, column);
    return column;
  }

  /** The column of a field, if it has exactly one. */
  columnOf(field: string): ColumnSeen | undefined {
    const source = this.fields[field];
    const name = typeof source === 'string' ? source : source && 'column' in source ? source.column : undefined;
    return this.columns.find((column) => column.name === name);
  }

  /** All columns of a field. */
  sourcesOf(field: string): ColumnSeen[] {
    const source = this.fields[field];
    const names = typeof source === 'string' ? [source] : source && 'column' in source ? [source.column].flat() : [];
    return names.flatMap((name) => this.columns.find((column) => column.name === name) ?? []);
  }

  /** @throws UserError if there are no answers */
  ask(question: Question): void {
    if (question.answers.length === 0) throw new UserError(`${question.about}: nothing to choose from`);
    this.questions.push(question);
  }
}
