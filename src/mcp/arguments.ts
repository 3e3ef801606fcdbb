/**
 * The arguments of a call: accepts harmless variants, and rejects the rest with the
 * nearest valid choice. Periods become days.
 */

import * as z from 'zod';
import { bareName, nearest, valueAt } from '../errors.ts';
import { ourNamesFor } from '../http/parameter.ts';
import {
  ALL_DIMENSIONS,
  type Dimension,
  dimensionInCondition,
  FIELD_FORM,
} from '../journal/analytics/dimensions.ts';
import { CALENDAR_PERIODS, periodOf } from '../journal/analytics/period.ts';
import { isDate, mondayOfWeek, monthNamed, ZoneClock } from '../time.ts';
import { type Api, ToolError } from './api.ts';

// Conditions on trades: an object of dimensions, or a list of alternatives.

/** Most characters of an argument that an error repeats. */
const MAX_SHOWN = 60;

/** Name of the row of trades without a key. */
export const NO_KEY = '(none)';

export const condition = (what: string) =>
  z.unknown().meta({ type: 'object', description: what }).optional();

/**
 * The parameter for the API: JSON, with null for the name of trades without a key.
 * @throws ToolError for an unknown dimension
 */
export function conditionText(given: unknown): string | undefined {
  if (given === undefined) return undefined;
  return JSON.stringify(Array.isArray(given) ? given.map(clause) : clause(given));
}

/** A condition that also requires a key. */
export function withKey(given: unknown, dimension: Dimension, key: string): unknown {
  const clauses = [given ?? {}]
    .flat()
    .map((one) => ({ ...Object(one), [dimension]: key }));
  return clauses.length === 1 ? clauses[0] : clauses;
}

/** The dimensions of a condition. */
export function dimensionsIn(given: unknown): Dimension[] {
  const clauses = [given].flat().filter((one) => typeof one === 'object' && one !== null);
  return clauses.flatMap(Object.keys).flatMap((name) => dimensionInCondition(name) ?? []);
}

function clause(given: unknown): unknown {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (dimensionInCondition(name) === undefined)
        throw new ToolError(unknownDimension(name));
      return [
        name,
        Array.isArray(value) ? value.map((key) => keyOf(name, key)) : keyOf(name, value),
      ];
    }),
  );
}

function keyOf(dimension: string, key: unknown): unknown {
  if (key === NO_KEY) return null;
  if (typeof key !== 'string') return key;
  if (dimension === 'week') return mondayOf(key);
  return key;
}

function unknownDimension(name: string): string {
  const meant = nearest(name, ALL_DIMENSIONS);
  const advice = meant
    ? `did you mean ${meant}?`
    : `choices: ${ALL_DIMENSIONS.join(', ')}, ${FIELD_FORM}`;
  return `unknown dimension "${name.slice(0, MAX_SHOWN)}"; ${advice}`;
}

interface Schema {
  type?: string;
  enum?: string[];
  items?: Schema;
  anyOf?: Schema[];
}

/** Most choices listed next to a suggestion. */
const FEW_CHOICES = 12;

/** @throws ToolError that names the problem and a valid argument */
export function readArguments<I extends z.ZodObject>(
  input: I,
  given: object,
  name: string,
): z.infer<I> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' }) as {
    properties?: Record<string, Schema>;
  };
  const meant = Object.fromEntries(
    Object.entries(withCondition(given, properties))
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [
        key,
        Object.hasOwn(properties, key)
          ? asMeant(value, properties[key] as Schema)
          : value,
      ]),
  );
  const result = input.safeParse(meant);
  if (result.success) return result.data;

  const names = Object.keys(input.shape);
  const problems = result.error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownArgument(key, names, name)).join('; ');

    const where = issue.path.join('.') || 'arguments';
    if (issue.path[0] === 'group_by' && issue.path.length > 1) {
      const choices = [...ALL_DIMENSIONS, FIELD_FORM];
      return `${where}: ${unknownValue(valueAt(meant, issue.path), choices)}`;
    }
    if (issue.code !== 'invalid_value') return `${where}: ${issue.message}`;

    const value = valueAt(meant, issue.path);
    return value === undefined
      ? `${where}: ${issue.message}`
      : `${where}: ${unknownValue(value, issue.values.map(String))}`;
  });
  throw new ToolError(problems.join('; '));
}

/**
 * Moves several labels, or (none), from a filter that takes one label to the condition.
 */
function withCondition(given: object, properties: Record<string, Schema>): object {
  const moved = Object.entries(given).filter(
    ([name, value]) =>
      (ALL_DIMENSIONS as readonly string[]).includes(name) &&
      properties[name]?.type === 'string' &&
      (Array.isArray(value) || value === NO_KEY),
  );
  if (moved.length === 0) return given;

  const names = moved.map(([name]) => name);
  const rest = Object.fromEntries(
    Object.entries(given).filter(([name]) => !names.includes(name)),
  );
  if (properties['where'] === undefined)
    throw new ToolError(`${names.join(' and ')}: send one label`);

  const where =
    typeof rest['where'] === 'string' ? jsonIn(rest['where']) : (rest['where'] ?? {});
  const clauses = [where]
    .flat()
    .map((clause) => ({ ...(clause as object), ...Object.fromEntries(moved) }));
  return { ...rest, where: clauses.length === 1 ? clauses[0] : clauses };
}

/**
 * "5" for 5, "Long" for long, "futures" for future, "setup,weekday" for a list, JSON in a
 * text for an object.
 */
function asMeant(value: unknown, schema: Schema): unknown {
  const { type, items, anyOf: [choices] = [] } = schema;
  // Other texts than the choices are kept as they are.
  if (choices) return asMeant(value, choices);
  if (type === 'array' && items) {
    const list = typeof value === 'string' ? listIn(value) : value;
    return Array.isArray(list) ? list.map((item) => asMeant(item, items)) : list;
  }
  if (type === 'string' && typeof value === 'number') return String(value);
  return typeof value === 'string' ? meantByText(value, schema) : value;
}

function meantByText(text: string, { type, enum: choices }: Schema): unknown {
  if (choices) return choiceMeant(text, choices);

  switch (type) {
    case 'integer':
    case 'number':
      return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : text;
    case 'object':
      return jsonIn(text) ?? text;
    default:
      return text;
  }
}

function listIn(text: string): unknown {
  return text.startsWith('[')
    ? (jsonIn(text) ?? text)
    : text.split(',').map((part) => part.trim());
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The choice that differs only in case, or is the singular of the value. */
function choiceMeant(value: string, choices: readonly string[]): string {
  const forms = [
    bareName(value),
    bareName(value).replace(/s$/, ''),
    bareName(value).replace(/es$/, ''),
  ];
  return choices.find((choice) => forms.includes(bareName(choice))) ?? value;
}

function unknownArgument(key: string, names: readonly string[], tool: string): string {
  const meant =
    ourNamesFor(key).find((ours) => names.includes(ours)) ?? nearest(key, names);
  const problem = `unknown argument "${key.slice(0, MAX_SHOWN)}"`;
  return meant
    ? `${problem}; did you mean ${meant}?`
    : `${problem}; ${tool} takes ${names.join(', ')}`;
}

function unknownValue(value: unknown, choices: readonly string[]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const meant = nearest(text, choices);
  const problem = `"${text.slice(0, MAX_SHOWN)}" is not one of the choices`;
  const all = `choices: ${choices.join(', ')}`;
  if (!meant) return `${problem}; ${all}`;
  return `${problem}; did you mean ${meant}?${choices.length > FEW_CHOICES ? '' : ` (${all})`}`;
}

// The days of a call, by a period, a day, a month in words, or bounds.

/** The API's name of a period: last_week for "last week", 2026-10 for "October 2026". */
function periodMeant(text: string): string {
  const [, month, year] = /^([a-z]{3})[a-z]* (\d{4})$/i.exec(text.trim()) ?? [];
  const number = monthNamed(month ?? '');
  if (number !== undefined) return `${year}-${number}`;
  const isName = /^[a-z][a-z _-]*$/i.test(text.trim());
  return isName ? text.trim().toLowerCase().replace(/[ -]+/g, '_') : text.trim();
}

interface Dates {
  period?: string | undefined;
  start?: string | undefined;
  end?: string | undefined;
}

/** A period for figures; a day becomes its start and end. */
export function datesForFigures({ period, ...bounds }: Dates): Dates {
  if (period === undefined) return bounds;
  const meant = periodMeant(period);
  requireNoBounds(bounds);
  return isDate(meant) ? { start: meant, end: meant } : { period: meant };
}

/**
 * The same for lists, which have no periods.
 * @returns start and end; of a period, dates in the user's zone, both included
 * @throws ToolError for an unknown period, or a period with start or end
 */
export async function startAndEnd(
  given: Dates,
  api: Api,
): Promise<Omit<Dates, 'period'>> {
  const { period, ...bounds } = datesForFigures(given);
  if (period === undefined) return bounds;

  const clock = new ZoneClock((await api.me()).user.timezone);
  const asked = periodOf(clock, period, clock.dateOf(api.now()), null);
  if (!asked) {
    const meant = nearest(period, CALENDAR_PERIODS);
    const advice = meant ? `; did you mean ${meant}?` : '';
    const choices = `7d, 4w, 3m, 1y, 2026-10, all, ${CALENDAR_PERIODS.join(', ')}`;
    throw new ToolError(
      `unknown period "${period.slice(0, MAX_SHOWN)}"${advice} (${choices})`,
    );
  }

  const { span } = asked;
  return { start: span.first ?? undefined, end: span.last ?? undefined };
}

function requireNoBounds({ start, end }: Dates): void {
  if (start !== undefined || end !== undefined)
    throw new ToolError('send either period or start and end, not both');
}

/** 2026-11-16 for 2026-W47; any other text unchanged. */
function mondayOf(week: string): string {
  return mondayOfWeek(week.toUpperCase()) ?? week;
}
