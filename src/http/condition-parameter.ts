/** A condition on trades in JSON, checked dimension by dimension. */
import { nearest } from '../errors.ts';
import { type Clause, nameOfKey } from '../journal/analytics/condition.ts';
import { ALL_DIMENSIONS, type Dimension, factsOfDimension, type Key } from '../journal/analytics/dimensions.ts';
import { shown } from './parameter.ts';

export const MAX_CONDITION_LENGTH = 2000;
const MAX_CLAUSES = 5;

/** @returns the condition, or an error that follows its name */
export function readCondition(text: string): Clause[] | string {
  if (text.length > MAX_CONDITION_LENGTH) return `must have at most ${MAX_CONDITION_LENGTH} characters`;
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
  for (const one of list) {
    const clause = clauseOf(one);
    if (typeof clause === 'string') return clause;
    clauses.push(clause);
  }
  return clauses;
}

function clauseOf(sent: unknown): Clause | string {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) {
    return 'must be an object of dimensions, such as {"weekday":5,"hour":[14,15]}, or a list of such objects';
  }
  const entries = Object.entries(sent);
  if (entries.length === 0) return 'must have at least one dimension, such as {"weekday":5}';
  const clause: Partial<Record<Dimension, readonly Key[]>> = {};
  for (const [name, value] of entries) {
    const dimension = ALL_DIMENSIONS.find((one) => one === name);
    if (!dimension) {
      const meant = nearest(name, ALL_DIMENSIONS);
      return `has no dimension "${shown(name)}"${meant ? `; did you mean ${meant}?` : '.'} It takes ${ALL_DIMENSIONS.join(', ')}`;
    }
    const keys: unknown[] = Array.isArray(value) ? value : [value];
    const wrong = keysError(dimension, keys);
    if (wrong !== undefined) return wrong;
    clause[dimension] = keys as Key[];
  }
  return clause;
}

function keysError(dimension: Dimension, sent: readonly unknown[]): string | undefined {
  const { keys, form } = factsOfDimension(dimension);
  if (sent.length === 0) return `has no key for ${dimension}; add a key or remove the dimension`;
  if (sent.some((key) => typeof key === 'object' && key !== null)) {
    return `has keys of ${dimension} that are not texts, numbers, true, false or null`;
  }
  if (form) {
    const wrong = (sent as Key[]).find((key) => key !== null && !form.isKey(String(key)));
    if (wrong === undefined) return undefined;
    return `has no ${dimension} "${shown(String(wrong))}"; it takes one such as ${form.example}, or null`;
  }
  if (!keys) return undefined;
  const names = new Set(keys.map((key) => nameOfKey(dimension, key)));
  const unknown = (sent as Key[]).find((key) => key !== null && !names.has(nameOfKey(dimension, key)));
  if (unknown === undefined) return undefined;
  return `has no ${dimension} "${shown(String(unknown))}"; it takes ${keys.join(', ')} or null`;
}
