/** The arguments of a call: harmless near misses are taken for what they mean, all else is refused with the nearest that there is. */
import * as z from 'zod';
import { nearest } from '../errors.ts';
import { ourNamesFor } from '../http/usual-names.ts';
import { ToolError } from './api.ts';

interface Schema {
  type?: string;
  enum?: string[];
  items?: Schema;
}

/** Up to so many choices are listed in an error if none is near. */
const FEW_CHOICES = 12;
const MAX_SHOWN = 60;

/** @throws ToolError that names what is wrong, and what to write instead */
export function readArguments<I extends z.ZodObject>(input: I, given: object, name: string): z.infer<I> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  const meant = Object.fromEntries(
    Object.entries(given)
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

/** The choice that is the same in another case, or the singular of what was sent. */
function choiceMeant(value: string, choices: readonly string[]): string {
  const forms = [plain(value), plain(value).replace(/s$/, ''), plain(value).replace(/es$/, '')];
  return choices.find((choice) => forms.includes(plain(choice))) ?? value;
}

function unknownArgument(key: string, names: readonly string[], tool: string): string {
  const meant = ourNamesFor(key).find((ours) => names.includes(ours)) ?? nearest(key, names);
  const said = `there is no argument "${key.slice(0, MAX_SHOWN)}"`;
  return meant ? `${said}; did you mean ${meant}?` : `${said}; ${tool} takes ${names.join(', ')}`;
}

function unknownValue(value: unknown, choices: readonly string[]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const meant = nearest(text, choices);
  const said = `"${text.slice(0, MAX_SHOWN)}" is not one of the choices`;
  const all = `it takes ${choices.join(', ')}`;
  if (!meant) return `${said}; ${all}`;
  return choices.length > FEW_CHOICES ? `${said}; did you mean ${meant}?` : `${said}; did you mean ${meant}? (${all})`;
}
