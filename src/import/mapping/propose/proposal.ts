/** A mapping in the making: which columns are taken, and what is to be asked. */
import { UserError } from '../../../errors.ts';
import type { Mapping, Source } from '../schema.ts';
import type { ColumnSeen } from './columns-seen.ts';
import { fitOf, type Meaning } from './names.ts';

/** What an answer changes; a field without a source is left out. */
export type Patch = Partial<Pick<Mapping, 'dates' | 'decimal' | 'zone'>> & {
  fields?: Record<string, Source | undefined>;
};

export interface Question {
  /** The field, or the member of the mapping, that it is about. */
  about: string;
  text: string;
  /** The first is what the mapping has. */
  answers: { label: string; patch: Patch }[];
  /** What may be typed instead of one of the answers. */
  typed?: 'zone' | 'currency';
  /** Whether the first answer is what an import takes anyway, and says in its report: asked on a terminal only. */
  isAssumed?: true;
}

export interface Settings {
  user: { timezone: string; base_currency: string };
  /** Where the person said so. */
  timeZone: string | undefined;
}

export interface Proposal {
  mapping: Mapping;
  questions: Question[];
}

/** Names that fit less are not taken. */
const LEAST_FIT = 0.5;

export class Draft {
  readonly columns: readonly ColumnSeen[];
  readonly fields: Record<string, Source> = {};
  readonly questions: Question[] = [];
  readonly skip: NonNullable<Mapping['skip']> = [];
  readonly #taken = new Set<ColumnSeen>();

  constructor(columns: readonly ColumnSeen[]) {
    this.columns = columns;
  }

  /** Columns that are still free and fit, the best first. */
  fitting(meaning: Meaning, test: (column: ColumnSeen) => boolean = () => true, least = LEAST_FIT): ColumnSeen[] {
    return this.free(test)
      .map((column) => ({ column, fit: fitOf(column.name, meaning) }))
      .filter(({ fit }) => fit >= least)
      .sort((a, b) => b.fit - a.fit)
      .map(({ column }) => column);
  }

  /** Columns that are still free and pass. */
  free(test: (column: ColumnSeen) => boolean): ColumnSeen[] {
    return this.columns.filter((column) => !this.#taken.has(column) && column.cells.length > 0 && test(column));
  }

  best(meaning: Meaning, test?: (column: ColumnSeen) => boolean): ColumnSeen | undefined {
    return this.fitting(meaning, test)[0];
  }

  /** Gives a field its source; its columns are not free any more. */
  put(field: string, source: Source | undefined, ...columns: readonly (ColumnSeen | undefined)[]): void {
    if (source === undefined) return;
    this.fields[field] = source;
    for (const column of columns) if (column) this.#taken.add(column);
  }

  /** A field by the best column that fits; nothing where none does. */
  take(field: string, meaning: Meaning, test?: (column: ColumnSeen) => boolean): ColumnSeen | undefined {
    const column = this.best(meaning, test);
    if (column) this.put(field, column.name, column);
    return column;
  }

  /** The column that a field is read from, where it is one. */
  columnOf(field: string): ColumnSeen | undefined {
    const source = this.fields[field];
    const name = typeof source === 'string' ? source : source && 'column' in source ? source.column : undefined;
    return this.columns.find((column) => column.name === name);
  }

  /** @throws UserError where the answers are none */
  ask(question: Question): void {
    if (question.answers.length === 0) throw new UserError(`${question.about}: nothing to choose from`);
    this.questions.push(question);
  }
}

/** A mapping with what an answer changes. */
export function patched(mapping: Mapping, { fields, ...rest }: Patch): Mapping {
  const changed = Object.entries({ ...mapping.fields, ...fields }).filter(([, source]) => source !== undefined);
  return { ...mapping, ...rest, fields: Object.fromEntries(changed) as Mapping['fields'] };
}

/** A mapping as its file has it where nobody is there to ask: with the questions that are open. */
export function withQuestions({ mapping, questions }: Proposal): Mapping {
  const open = questions.filter(({ isAssumed }) => !isAssumed);
  if (open.length === 0) return mapping;
  const said = open.map(({ about, text, answers }) => {
    const others = answers.slice(1).map(({ label }) => label);
    const or = others.length > 0 ? ` (or: ${others.join('; ')})` : '';
    return [about, `${text} Taken: ${answers[0]?.label}${or}.`] as const;
  });
  return { ...mapping, unsure: Object.fromEntries(said) };
}
