/** Conditions on trades in JSON, checked dimension by dimension. */
import { nearest } from '../errors.ts';
import {
  type Bounds,
  type Clause,
  isBounds,
  type KeyOrBounds,
  nameOfKey,
} from '../journal/analytics/condition.ts';
import {
  ALL_DIMENSIONS,
  type Dimension,
  dimensionInCondition,
  FIELD_FORM,
  factsOfDimension,
  ID,
  type Key,
} from '../journal/analytics/dimensions.ts';
import { NAME_RULE } from '../journal/trader-fields.ts';
import { weekdayNamed } from '../time.ts';
import { type Parameter, shown } from './parameter.ts';

const MAX_CONDITION_LENGTH = 2000;
export const MAX_CLAUSES = 5;

/** @returns the condition, or an error that follows its name */
function readCondition(text: string): Clause[] | string {
  if (text.length > MAX_CONDITION_LENGTH)
    return `must have at most ${MAX_CONDITION_LENGTH} characters`;

  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    return `must be JSON, such as {"weekday":5,"hour":[14,15]}; got "${shown(text)}"`;
  }

  const list = Array.isArray(sent) ? sent : [sent];
  if (list.length === 0 || list.length > MAX_CLAUSES)
    return `must be an object, or a list of 1 to ${MAX_CLAUSES} objects`;

  const clauses: Clause[] = [];
  for (const item of list) {
    const clause = clauseOf(item);
    if (typeof clause === 'string') return clause;
    clauses.push(clause);
  }

  return clauses;
}

function clauseOf(sent: unknown): Clause | string {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return (
      'must be an object of dimensions, such as {"weekday":5,"hour":[14,15]}, ' +
      'or a list of such objects'
    );
  }

  const entries = Object.entries(sent);
  if (entries.length === 0)
    return 'must have at least one dimension, such as {"weekday":5}';

  const clause: Partial<Record<Dimension, readonly KeyOrBounds[]>> = {};
  for (const [name, value] of entries) {
    const dimension = dimensionInCondition(name);
    if (!dimension) return unknownDimension(name);
    const keys: unknown[] = [value].flat().map((key) => keyNamed(dimension, key));
    const wrong = keysError(dimension, keys);
    if (wrong !== undefined) return wrong;
    if (clause[dimension]) return `has ${dimension} twice; keep one`;
    clause[dimension] = keys as KeyOrBounds[];
  }

  return clause;
}

/** The key that a name stands for: weekdays have names, too. */
function keyNamed(dimension: Dimension, key: unknown): unknown {
  if (dimension !== 'weekday' || typeof key !== 'string') return key;
  return weekdayNamed(key) ?? key;
}

export function unknownDimension(name: string): string {
  if (name.startsWith('field:'))
    return `has no dimension "${shown(name)}": a field ${NAME_RULE}`;

  const meant = nearest(name, ALL_DIMENSIONS);
  const advice = meant ? `; did you mean ${meant}?` : '.';
  return `has no dimension "${shown(name)}"${advice} ${knownDimensions()}`;
}

function knownDimensions(): string {
  return (
    `It takes ${ALL_DIMENSIONS.join(', ')}. ` +
    `It also takes ${ID} for single trades, and ${FIELD_FORM} for a field of the trader's own`
  );
}

/** What is wrong with the keys of a dimension; undefined if nothing is. */
function keysError(dimension: Dimension, sent: readonly unknown[]): string | undefined {
  const { keys, form, fieldValueOf } = factsOfDimension(dimension);
  if (sent.length === 0)
    return `has no key for ${dimension}; add a key or remove the dimension`;
  const bounds = sent.filter(isBounds);
  if (fieldValueOf && bounds.length > 0) {
    if (!bounds.every(areBounds))
      return `has bounds of ${dimension} that are not {"min": number, "max": number}, or one of them`;
    return keysError(
      dimension,
      sent.map((key) => (isBounds(key) ? 0 : key)),
    );
  }
  if (bounds.length > 0) {
    return `has keys of ${dimension} that are not texts, numbers, true, false or null`;
  }

  const names = new Set(keys?.map((key) => nameOfKey(dimension, key)));
  const isKey = (key: Key) => {
    if (key === null) return true;
    if (form) return form.isKey(String(key));
    return keys === undefined || names.has(nameOfKey(dimension, key));
  };

  const wrong = (sent as Key[]).find((key) => !isKey(key));
  if (wrong === undefined) return undefined;

  const choices = form ? `one such as ${form.example},` : (keys ?? []).join(', ');
  return `has no ${dimension} "${shown(String(wrong))}"; it takes ${choices} or null`;
}

function areBounds(bounds: Bounds): boolean {
  const entries = Object.entries(bounds);
  return (
    entries.length > 0 &&
    entries.every(
      ([name, value]) => (name === 'min' || name === 'max') && Number.isFinite(value),
    )
  );
}

/** Kinds of data that keys of these dimensions reveal. */
export function revealedBy(dimensions: readonly Dimension[]) {
  return dimensions.flatMap((dimension) => factsOfDimension(dimension).reveals ?? []);
}

const KEYS =
  'a JSON object of group_by dimensions, each with a key or a list of keys as in the rows of ' +
  'groups; of a field also numbers from one to another: {"field:vix":{"min":15,"max":20}}; ' +
  'and of ids of the trades, or positions: {"id":["t1","t2"]}. ' +
  'All must match, labels in any letter case; null selects trades without a key. ' +
  `In a list of up to ${MAX_CLAUSES} such objects, any may match`;

const condition = (name: string, what: string, example: string): Parameter => ({
  name,
  description: `${what}: ${KEYS}`,
  schema: { type: 'string', maxLength: MAX_CONDITION_LENGTH },
  example,
  validationError: (text) => {
    const read = readCondition(text);
    return typeof read === 'string' ? read : undefined;
  },
  reveals: (text) =>
    revealedBy(
      (conditionOf(text) ?? []).flatMap((clause) => Object.keys(clause)) as Dimension[],
    ),
  symbolsIn: (text) =>
    (conditionOf(text) ?? [])
      .flatMap(({ symbol = [], underlying = [] }) => [...symbol, ...underlying])
      .filter((key) => key !== null)
      .map(String),
});

export const where = condition(
  'where',
  'Only trades, or with unit=position positions, that meet a condition',
  '{"weekday":5,"hour":[14,15]}',
);

/** The same for lists. */
export const whereClosed = condition(
  'where',
  'Only closed trades that meet a condition, those that a row of groups counts',
  '{"weekday":5,"hour":[14,15]}',
);

export const exclude = condition(
  'exclude',
  'Takes the trades that meet a condition out of every section, and adds what_if: ' +
    'figures with and without them',
  '{"after":"losses"}',
);

/** The clauses of a valid condition; null without one. */
export function conditionOf(text: string | undefined): Clause[] | null {
  return text === undefined ? null : (readCondition(text) as Clause[]);
}
