/** The arguments of a call: accepts harmless variants, and rejects the rest with the nearest valid choice. */

import * as z from 'zod';
import { nearest } from '../errors.ts';
import { ourNamesFor } from '../http/parameter.ts';
import { ALL_DIMENSIONS } from '../journal/analytics/dimensions.ts';
import { ToolError } from './api.ts';
import { mondayOf } from './dates.ts';

// Conditions on trades: an object of dimensions, or a list of alternatives.

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
  if (typeof key !== 'string') return key;
  if (dimension === 'week') return mondayOf(key);
  if (dimension !== 'weekday') return key;
  const day = WEEKDAYS.findIndex((name) => key.toLowerCase().startsWith(name.toLowerCase()));
  return day < 0 ? key : day + 1;
}

function unknownDimension(name: string): string {
  const meant = nearest(name, ALL_DIMENSIONS);
  return `unknown dimension "${name.slice(0, 60)}"; ${meant ? `did you mean ${meant}?` : `choices: ${ALL_DIMENSIONS.join(', ')}`}`;
}

interface Schema {
  type?: string;
  enum?: string[];
  items?: Schema;
}

/** Most choices listed next to a suggestion. */
const FEW_CHOICES = 12;
const MAX_SHOWN = 60;

/** @throws ToolError that names the problem and a valid argument */
export function readArguments<I extends z.ZodObject>(input: I, given: object, name: string): z.infer<I> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' }) as { properties?: Record<string, Schema> };
  const meant = Object.fromEntries(
    Object.entries(withCondition(given, properties))
      .filter(([, value]) => value !== null)
      .map(([key, value]) => [key, Object.hasOwn(properties, key) ? asMeant(value, properties[key] as Schema) : value]),
  );
  const result = input.safeParse(meant);
  if (result.success) return result.data;
  const names = Object.keys(input.shape);
  const problems = result.error.issues.map((issue) => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => unknownArgument(key, names, name)).join('; ');
    const where = issue.path.join('.') || 'arguments';
    if (issue.code !== 'invalid_value') return `${where}: ${issue.message}`;
    const value = issue.path.reduce<unknown>((inner, key) => (inner as Record<PropertyKey, unknown>)?.[key], meant);
    return value === undefined
      ? `${where}: ${issue.message}`
      : `${where}: ${unknownValue(value, issue.values.map(String))}`;
  });
  throw new ToolError(problems.join('; '));
}

/** Moves several labels, or (none), from a filter that takes one label to the condition. */
function withCondition(given: object, properties: Record<string, Schema>): object {
  const moved = Object.entries(given).filter(
    ([name, value]) =>
      (ALL_DIMENSIONS as readonly string[]).includes(name) &&
      properties[name]?.type === 'string' &&
      (Array.isArray(value) || value === NO_KEY),
  );
  if (moved.length === 0) return given;
  const names = moved.map(([name]) => name);
  const rest = Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
  if (properties['where'] === undefined) throw new ToolError(`${names.join(' and ')}: send one label`);
  const where = typeof rest['where'] === 'string' ? jsonIn(rest['where']) : (rest['where'] ?? {});
  const clauses = [where].flat().map((clause) => ({ ...(clause as object), ...Object.fromEntries(moved) }));
  return { ...rest, where: clauses.length === 1 ? clauses[0] : clauses };
}

/** "5" for 5, "Long" for long, "futures" for future, "setup,weekday" for a list, JSON in a text for an object. */
function asMeant(value: unknown, schema: Schema): unknown {
  const { type, items } = schema;
  if (type === 'array' && items) {
    const list = typeof value === 'string' ? listIn(value) : value;
    return Array.isArray(list) ? list.map((item) => asMeant(item, items)) : list;
  }
  if (type === 'string' && typeof value === 'number') return String(value);
  if (typeof value !== 'string') return value;
  if (schema.enum) return choiceMeant(value, schema.enum);
  if ((type === 'integer' || type === 'number') && /^-?\d{1,15}(\.\d{1,15})?$/.test(value)) return Number(value);
  if (type === 'boolean' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return type === 'object' ? (jsonIn(value) ?? value) : value;
}

function listIn(text: string): unknown {
  return text.startsWith('[') ? (jsonIn(text) ?? text) : text.split(',').map((part) => part.trim());
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const plain = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '');

/** The choice that differs only in case, or is the singular of the value. */
function choiceMeant(value: string, choices: readonly string[]): string {
  const forms = [plain(value), plain(value).replace(/s$/, ''), plain(value).replace(/es$/, '')];
  return choices.find((choice) => forms.includes(plain(choice))) ?? value;
}

function unknownArgument(key: string, names: readonly string[], tool: string): string {
  const meant = ourNamesFor(key).find((ours) => names.includes(ours)) ?? nearest(key, names);
  const problem = `unknown argument "${key.slice(0, MAX_SHOWN)}"`;
  return meant ? `${problem}; did you mean ${meant}?` : `${problem}; ${tool} takes ${names.join(', ')}`;
}

function unknownValue(value: unknown, choices: readonly string[]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const meant = nearest(text, choices);
  const problem = `"${text.slice(0, MAX_SHOWN)}" is not one of the choices`;
  const all = `choices: ${choices.join(', ')}`;
  if (!meant) return `${problem}; ${all}`;
  return `${problem}; did you mean ${meant}?${choices.length > FEW_CHOICES ? '' : ` (${all})`}`;
}
