/** A proposed mapping, its open questions and their answers. */
import type { Mapping, Source } from './schema.ts';

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
}

export interface Proposal {
  mapping: Mapping;
  questions: Question[];
}

/** A mapping changed by an answer. */
export function patched(mapping: Mapping, { fields, ...rest }: Patch): Mapping {
  const changed = Object.entries({ ...mapping.fields, ...fields }).filter(([, source]) => source !== undefined);
  return { ...mapping, ...rest, fields: Object.fromEntries(changed) as Mapping['fields'] };
}

/** A mapping with its open questions, for a file written without a terminal. */
export function withQuestions({ mapping, questions }: Proposal): Mapping {
  const open = questions.filter(({ isAssumed }) => !isAssumed);
  if (open.length === 0) return mapping;
  const unsure = open.map(({ about, text, answers }) => {
    const others = answers.slice(1).map(({ label }) => label);
    const or = others.length > 0 ? ` (or: ${others.join('; ')})` : '';
    return [about, `${text} Assumed: ${answers[0]?.label}${or}.`] as const;
  });
  return { ...mapping, unsure: Object.fromEntries(unsure) };
}
