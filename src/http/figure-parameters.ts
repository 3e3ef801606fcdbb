/** How figures are asked for: what counts as one trade, which parts of the answer, and which rows. */
import { nearest } from '../errors.ts';
import { UNITS } from '../journal/analytics/closed-trades.ts';
import { ALL_DIMENSIONS, type Dimension } from '../journal/analytics/dimensions.ts';
import { SECTIONS, type Section } from '../journal/analytics/index.ts';
import { type Parameter, type Query, shown } from './parameter.ts';
import { invalidParameter } from './problem.ts';

export const unit: Parameter = {
  name: 'unit',
  description:
    'What counts as one: each trade, or with position the legs of a trade group together, as one trade that is closed when the last leg is. Filters then choose the positions with a leg that matches, and count them whole',
  schema: { type: 'string', enum: UNITS, default: 'trade' },
  example: 'position',
  validationError: (text) =>
    (UNITS as readonly string[]).includes(text) ? undefined : `must be trade or position; got "${shown(text)}"`,
};

/** What sections may name. */
const PARTS = ['period', ...SECTIONS];

export const sections: Parameter = {
  name: 'sections',
  description: `Only these parts of the answer, separated by commas: ${SECTIONS.join(', ')}. period is always there, asked for or not. All of them unless given`,
  schema: namesSchema(PARTS),
  example: 'performance,mistakes',
  validationError: (text) => namesError(text, PARTS, PARTS.length),
};

export const groupBy: Parameter = {
  name: 'group_by',
  description: `Adds groups: rows of figures by one or two of these together, separated by a comma: ${ALL_DIMENSIONS.join(', ')}`,
  schema: namesSchema(ALL_DIMENSIONS),
  example: 'setup,weekday',
  validationError: (text) => namesError(text, ALL_DIMENSIONS, 2),
};

export const top: Parameter = {
  name: 'top',
  description:
    'At most so many rows in each breakdown and in groups; the rest is summed up in one more row, marked other',
  schema: { type: 'integer', minimum: 1 },
  example: 5,
  validationError: (text) =>
    /^[1-9]\d*$/.test(text) ? undefined : `must be a whole number of at least 1, such as 5; got "${shown(text)}"`,
};

export function unitOf(query: Query): (typeof UNITS)[number] {
  return query['unit'] === 'position' ? 'position' : 'trade';
}

/**
 * The rows and parts that the analytics is asked for. What is grouped is always given.
 * @throws Problem for groups without group_by
 */
export function partsOf(query: Query): { sections: Section[]; groupBy: Dimension[]; top: number | null } {
  const groupBy = (query['group_by']?.split(',') ?? []) as Dimension[];
  const named = query['sections']?.split(',').filter((name) => name !== 'period') as Section[] | undefined;
  if (named?.includes('groups') && groupBy.length === 0) {
    throw invalidParameter('sections', 'groups needs group_by, such as group_by=setup');
  }
  const wanted = named ?? SECTIONS.filter((section) => section !== 'groups');
  return {
    sections: groupBy.length > 0 ? [...wanted, 'groups'] : wanted,
    groupBy,
    top: query['top'] === undefined ? null : Number(query['top']),
  };
}

function namesSchema(names: readonly string[]) {
  return { type: 'string', pattern: `^(${names.join('|')})(,(${names.join('|')}))*$` };
}

function namesError(text: string, names: readonly string[], most: number): string | undefined {
  const given = text.split(',');
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, names);
    return `knows no "${shown(unknown)}"${meant ? `; did you mean ${meant}?` : '.'} It takes ${names.join(', ')}, separated by commas`;
  }
  if (new Set(given).size < given.length) return 'names one of them twice';
  return given.length > most ? `takes at most ${most} of them` : undefined;
}
