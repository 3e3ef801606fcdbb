/** Prints the review of a week, below its figures, so that importing it changes nothing. */
import type { Values } from '../../journal-write/record.ts';
import { addDays } from '../../time.ts';
import { readDayNote } from './day/read-days.ts';
import { FORMS, type Form, goalLines, isSame, propertyText, textOf } from './print-day.ts';

const TEXTS = [
  ...[
    ['summary', 'Summary'],
    ['went_well', 'Went well'],
    ['went_wrong', 'Went wrong'],
  ],
  ...[
    ['lesson', 'Lesson'],
    ['focus', 'Focus'],
  ],
] as const;

/**
 * @param monday of the week
 * @param review its fields, without empty ones
 * @param figures lines that aren't read back
 */
export function printWeek(monday: string, review: Values, figures: readonly string[]): string {
  for (const form of FORMS) {
    const text = weekText(monday, review, figures, form);
    if (form === 'json' || isReadBack(text, review)) return text;
  }
  throw new Error('no form is left');
}

function weekText(monday: string, review: Values, figures: readonly string[], form: Form): string {
  const properties = ['rating', 'mistakes'].map((name) => {
    const value = review[name];
    return value === undefined ? `${name}:` : `${name}: ${propertyText(value, form)}`;
  });
  const texts = TEXTS.flatMap(([field = '', title]) => {
    const value = review[field];
    return [`## ${title}`, ...(value === undefined ? [] : [textOf(field, value as string, form)]), ''];
  });
  const next = (review['next_goals'] ?? []) as string[];
  const goals = goalLines(review['goals'], form);
  return [
    ...['---', 'type: week', `period_start: ${monday}`, `period_end: ${addDays(monday, 6)}`, ...properties, '---'],
    ...['<!-- figures -->', ...figures, '<!-- end of figures -->', '', ...texts],
    ...(goals.length > 0 ? goals : ['## Goals', '']),
    ...(form === 'plain' || next.length === 0 ? [] : [`next_goals:: ${JSON.stringify(next)}`, '']),
    ...['## Next week', ...(form === 'plain' ? next.map((goal) => `- ${goal}`) : []), ''],
  ].join('\n');
}

function isReadBack(text: string, review: Values): boolean {
  const { records, problems } = readDayNote({ file: '', path: 'week.md', text }, { zone: 'UTC' });
  return problems.length === 0 && records.length === 1 && isSame(records[0]?.values ?? {}, review);
}
