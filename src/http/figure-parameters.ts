/** Parameters of figures: the unit to count, the sections and the rows. */

import { nearest } from '../errors.ts';
import {
  ALL_DIMENSIONS,
  BY_FIELD,
  type Dimension,
  dimensionNamed,
  FIELD_FORM,
  FIELD_PATTERN,
} from '../journal/analytics/dimensions.ts';
import {
  LONG_SECTIONS,
  MOST_FIELDS_TESTED,
  type Question,
  SECTIONS,
  type Section,
} from '../journal/analytics/index.ts';
import { MISSED_GROUPS, type MissedGroup } from '../journal/analytics/missed.ts';
import { UNITS, type Unit } from '../journal/resource.ts';
import { conditionOf, revealedBy, unknownDimension } from './condition-parameters.ts';
import { type Parameter, type Query, shown } from './parameter.ts';
import { invalidParameter } from './problem.ts';

export const unit: Parameter = {
  name: 'unit',
  description:
    'Unit to count: trade counts each trade, position counts the legs of a trade group as one ' +
    'trade that closes with its last leg. Filters then compare what belongs to the position as a ' +
    'whole (status, outcome, side, net P&L, quantity), and symbol, market, account and labels of ' +
    'any leg',
  schema: { type: 'string', enum: UNITS, default: 'trade' },
  example: 'position',
  validationError: (text) =>
    (UNITS as readonly string[]).includes(text)
      ? undefined
      : `must be trade or position; got "${shown(text)}"`,
};

/** Names of sections. */
const PARTS = ['period', ...SECTIONS];

export const sections: Parameter = {
  name: 'sections',
  description:
    `Only these sections, separated by commas: ${SECTIONS.join(', ')}. ` +
    `period is always included. Default: all except ${LONG_SECTIONS.join(', ')}`,
  schema: namesSchema(PARTS),
  example: 'performance,mistakes',
  validationError: (text) => namesError(text, PARTS, PARTS.length),
};

export const groupBy: Parameter = {
  name: 'group_by',
  description:
    'Adds groups: rows of figures by one or two of these together, separated by a comma: ' +
    `${ALL_DIMENSIONS.join(', ')}, ${FIELD_FORM} (${BY_FIELD})`,
  schema: namesSchema([...ALL_DIMENSIONS, FIELD_PATTERN]),
  example: 'setup,weekday',
  validationError(text) {
    const fields = text.split(',').filter((name) => name.startsWith('field:'));
    const wrong = fields.find((name) => dimensionNamed(name) === undefined);
    if (wrong !== undefined) return unknownDimension(wrong);
    const known = text.split(',').map((name) => dimensionNamed(name) ?? name);
    return namesError(
      known.join(','),
      [...ALL_DIMENSIONS, ...fields.map(named), FIELD_FORM],
      2,
    );
  },
  reveals: (text) => revealedBy(dimensionsIn(text)),
};

export const groupMissedBy: Parameter = {
  name: 'group_by',
  description: `Adds groups: rows by one or two of these together, separated by a comma: ${MISSED_GROUPS.join(', ')}`,
  schema: namesSchema(MISSED_GROUPS),
  example: 'miss_type',
  validationError: (text) => namesError(text, MISSED_GROUPS, 2),
};

export const missedGroupsOf = ({ group_by }: Query) =>
  (group_by?.split(',') ?? []) as MissedGroup[];

const named = (text: string) => dimensionNamed(text) as Dimension;

const dimensionsIn = (text: string) => text.split(',').map(named);

const MAX_EXTREMES = 100;

const extremes = (name: string, which: string): Parameter => ({
  name,
  description:
    `Takes this number of trades out of every section, those with the ${which} net P&L after ` +
    `exclude, and adds what_if: figures with and without them; at most ${MAX_EXTREMES}`,
  schema: { type: 'integer', minimum: 1, maximum: MAX_EXTREMES },
  example: 5,
  validationError: (text) =>
    /^[1-9]\d*$/.test(text) && Number(text) <= MAX_EXTREMES
      ? undefined
      : `must be a whole number from 1 to ${MAX_EXTREMES}, such as 5; got "${shown(text)}"`,
  reveals: () => ['money'],
});

export const best = extremes('best', 'highest');
export const worst = extremes('worst', 'lowest');

export const top: Parameter = {
  name: 'top',
  description:
    'Maximum rows in each breakdown and in groups; one more row, marked other, sums up the rest',
  schema: { type: 'integer', minimum: 1 },
  example: 5,
  validationError: (text) =>
    /^[1-9]\d*$/.test(text)
      ? undefined
      : `must be a whole number of at least 1, such as 5; got "${shown(text)}"`,
};

export const leaks: Parameter = {
  name: 'leaks',
  description: `fields: adds leaks, which then also tests the ${MOST_FIELDS_TESTED} most used fields of the trader's own; more rows are tried, so a row has to differ more`,
  schema: { type: 'string', enum: ['fields'] },
  example: 'fields',
  validationError: (text) =>
    text === 'fields' ? undefined : `must be fields; got "${shown(text)}"`,
  reveals: () => ['text'],
};

export function unitOf(query: Query): Unit {
  return query['unit'] === 'position' ? 'position' : 'trade';
}

/** Parameters that select sections, rows and conditions. */
type Parts = Pick<
  Question,
  'sections' | 'groupBy' | 'leaksFields' | 'top' | 'where' | 'exclude' | 'best' | 'worst'
>;

/**
 * The rows and sections of a request. groups and what_if are included whenever their
 * parameters are given.
 * @throws Problem for groups without group_by, and for what_if without exclude, best or
 * worst
 */
export function partsOf(query: Query): Parts {
  const groupBy = query['group_by'] === undefined ? [] : dimensionsIn(query['group_by']);
  const isWhatIf = ['exclude', 'best', 'worst'].some((name) => query[name] !== undefined);
  const named = query['sections']?.split(',').filter((name) => name !== 'period') as
    | Section[]
    | undefined;
  if (named?.includes('groups') && groupBy.length === 0) {
    throw invalidParameter('sections', 'groups needs group_by, such as group_by=setup');
  }
  if (named?.includes('what_if') && !isWhatIf) {
    throw invalidParameter(
      'sections',
      'what_if needs exclude, best or worst, such as best=5',
    );
  }

  const leaksFields = query['leaks'] === 'fields';
  const unless: readonly Section[] = [
    'groups',
    'what_if',
    ...(leaksFields ? (['leaks'] as const) : []),
    ...(named ? [] : LONG_SECTIONS),
  ];
  const wanted = (named ?? SECTIONS).filter((section) => !unless.includes(section));

  return {
    sections: [
      ...wanted,
      ...(groupBy.length > 0 ? (['groups'] as const) : []),
      ...(isWhatIf ? (['what_if'] as const) : []),
      ...(leaksFields ? (['leaks'] as const) : []),
    ],
    groupBy,
    leaksFields,
    top: query['top'] === undefined ? null : Number(query['top']),
    where: conditionOf(query['where']),
    exclude: conditionOf(query['exclude']),
    best: Number(query['best'] ?? 0),
    worst: Number(query['worst'] ?? 0),
  };
}

function namesSchema(names: readonly string[]) {
  return { type: 'string', pattern: `^(${names.join('|')})(,(${names.join('|')}))*$` };
}

function namesError(
  text: string,
  names: readonly string[],
  most: number,
): string | undefined {
  const given = text.split(',');
  const unknown = given.find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const meant = nearest(unknown, names);
    const advice = meant ? `; did you mean ${meant}?` : '.';
    return `has no "${shown(unknown)}"${advice} It takes ${names.join(', ')}, separated by commas`;
  }
  if (new Set(given).size < given.length) return 'has a duplicate; name each once';

  return given.length > most ? `takes at most ${most} names` : undefined;
}
