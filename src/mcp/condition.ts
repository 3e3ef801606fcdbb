/** Conditions on trades: an object of dimensions, or a list of alternatives. */
import * as z from 'zod';
import { nearest } from '../errors.ts';
import { ALL_DIMENSIONS } from '../journal/analytics/dimensions.ts';
import { ToolError } from './api.ts';

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Name of the row of trades without a key. */
export const NO_KEY = '(none)';

export const condition = (what: string) => z.unknown().meta({ type: 'object', description: what }).optional();

/**
 * The parameter for the API: JSON, with numbers for the names of weekdays.
 * @throws ToolError for an unknown dimension
 */
export function conditionText(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  return JSON.stringify(Array.isArray(given) ? given.map(clause) : clause(given));
}

function clause(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (!(ALL_DIMENSIONS as readonly string[]).includes(name)) throw new ToolError(unknownDimension(name));
      return [name, Array.isArray(value) ? value.map((key) => keyOf(name, key)) : keyOf(name, value)];
    }),
  );
}

function keyOf(dimension: string, key: unknown): unknown {
  if (key === NO_KEY) return null;
  if (dimension !== 'weekday' || typeof key !== 'string') return key;
  const day = WEEKDAYS.findIndex((name) => key.toLowerCase().startsWith(name.toLowerCase()));
  return day < 0 ? key : day + 1;
}

function unknownDimension(name: string): string {
  const meant = nearest(name, ALL_DIMENSIONS);
  return `unknown dimension "${name.slice(0, 60)}"; ${meant ? `did you mean ${meant}?` : `choices: ${ALL_DIMENSIONS.join(', ')}`}`;
}
