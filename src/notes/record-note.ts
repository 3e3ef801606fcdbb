/** Reads a note as a record: its properties, its text, and the date in its name. */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { isScalar, Scalar } from 'yaml';
import * as z from 'zod';
import { RowError } from '../errors.ts';
import { factsOf, isNamed } from '../journal/fields.ts';
import { unwrapped } from '../journal/hidden-fields.ts';
import type { ListResource } from '../journal/resource.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { trades } from '../journal/resources/trades.ts';
import type { Values } from '../journal-write/record.ts';
import { executionList } from '../journal-write/trade.ts';
import { flagIn, writtenValue } from '../parse/written.ts';
import {
  addDays,
  isDate,
  lacksOffset,
  parseLocal,
  toInstantText,
  ZoneClock,
} from '../time.ts';
import {
  type FrontMatter,
  inlineFields,
  isNames,
  type Property,
  tagsIn,
  textIn,
  withoutLinks,
} from './front-matter.ts';
import { NOTE_PROPERTIES } from './reading/field-names.ts';
import { isOfTrade, traderName, traderProperty } from './reading/trader-values.ts';
import { clearDateIn, mondayOf } from './reading/written-dates.ts';

/**
 * Notes of a resource: their names, as values of the property `type` besides its path,
 * and the field for the text below the properties.
 */
const KINDS: Readonly<Record<string, { names: readonly string[]; body: string }>> = {
  'trade-groups': { names: ['trade-group', 'group'], body: 'notes' },
  trades: { names: ['trade'], body: 'notes' },
  'trade-journals': {
    names: ['trade-journal', 'journal', 'journal-entry', 'entry'],
    body: 'body',
  },
  'group-journals': { names: ['group-journal'], body: 'body' },
  sessions: { names: ['session', 'trading-session', 'trading-day'], body: 'notes' },
  'weekly-reviews': { names: ['weekly-review', 'review', 'weekly'], body: 'summary' },
  'missed-trades': { names: ['missed-trade', 'missed'], body: 'notes' },
};

/** The resource of a name: the value of `type`, or a folder's name. */
export function resourceNamed(word: string): ListResource | undefined {
  const name = plainName(word);
  return RESOURCES.find(
    ({ path }) => KINDS[path] && (path === name || KINDS[path].names.includes(name)),
  );
}

/** "Weekly Reviews" becomes weekly-reviews. */
export function plainName(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
}

/**
 * @param path of the file within its vault: "Trading/2026-11-20.md"
 * @param zone for times without an offset, and for dates
 * @param unknown called with each property without a field
 * @throws RowError if a value appears twice
 */
export function recordOfNote(
  { properties, names, body }: FrontMatter,
  path: string,
  resource: ListResource,
  zone: string,
  unknown: (property: string) => void,
): Values {
  const name = basename(path).replace(/\.md$/i, '');
  const written = new Map(names);
  const noted = notedIn(resource, properties, body, written);
  const hasTitle = noted.has('title');
  const writtenName = (plain: string) => written.get(plain) ?? plain;
  const values: Values = { id: idOf(path), ...timesOf(resource, noted, name, zone) };

  for (const [property, value] of noted) {
    const [field = '', member] = property.split('.');
    const schema = fieldOf(resource, field);
    if (schema) putField(values, { field, member, schema }, value, zone);
    else if (
      !NOTE_PROPERTIES.includes(property) &&
      !putNamed(values, resource, writtenName(property), value)
    )
      unknown(property);
  }

  if (Array.isArray(values['tags'])) values['tags'] = values['tags'].map(withoutHash);
  else if (fieldOf(resource, 'tags')) values['tags'] = tagsIn(body);
  putText(values, KINDS[resource.path]?.body ?? 'notes', body);
  if (fieldOf(resource, 'title') && !hasTitle && !/^[\d\s._W-]*$/.test(name))
    values['title'] = name;

  return values;
}

/** The properties and inline fields of a note. */
function notedIn(
  resource: ListResource,
  properties: FrontMatter['properties'],
  body: string,
  names: Map<string, string>,
): Map<string, Property> {
  // An exported note has an id, and all its values are properties.
  const isExported = properties.has('id');
  const inline = isExported ? [] : inlineOf(resource, body, names);
  const plain = isExported ? withoutReferenceLink : bare;
  return new Map(
    [...inline, ...properties].map(([name, value]) => [name, plain(name, value)]),
  );
}

function putField(
  values: Values,
  {
    field,
    member,
    schema,
  }: { field: string; member: string | undefined; schema: z.core.$ZodType },
  value: Property,
  zone: string,
): void {
  if (member === undefined) put(values, field, fieldValue(schema, value, zone));
  else
    values[field] = {
      ...(values[field] as Values | undefined),
      ...memberOf(schema, member, value, zone),
    };
}

/**
 * Keeps a property without a field as one of the trader's.
 * @returns whether it can be one
 */
function putNamed(
  values: Values,
  resource: ListResource,
  property: string,
  value: Property,
): boolean {
  const name = traderName(property);
  const named = traderProperty(value);
  if (!mayName(resource, property) || name === undefined || named === undefined)
    return false;

  values['fields'] = { ...(values['fields'] as Values | undefined), [name]: named };
  return true;
}

/** Whether a record may have a name of the trader's: one that no field of a trade has. */
function mayName(resource: ListResource, name: string): boolean {
  return fieldOf(resource, 'fields') !== undefined && !isOfTrade(name, 'session');
}

/** Text fields, whose links stay. */
const TEXTS = [
  'body',
  'notes',
  'summary',
  'plan',
  'lesson',
  'went_well',
  'went_wrong',
  'focus',
  'reason',
  'title',
];

function bare(name: string, value: Property): Property {
  if (TEXTS.includes(name.split('.').at(-1) ?? '')) return value;
  return withoutLinks(name === 'tags' ? spacedTags(value) : value);
}

const REFERENCES = [
  'trade',
  'group',
  'trade_id',
  'group_id',
  'best_trade_id',
  'worst_trade_id',
];

function withoutReferenceLink(name: string, value: Property): Property {
  return REFERENCES.includes(name) ? withoutLinks(value) : value;
}

/** Tags have no spaces: "opex a-plus" is two tags, even without a comma. */
function spacedTags(value: Property): Property {
  const text = textIn(value);
  if (text === undefined || text.includes(',')) return value;
  return new Scalar(text.trim().replaceAll(/\s+/g, ','));
}

/** Fields of the text itself. */
const WRITTEN_BELOW = new Set(['body', 'notes', 'summary', 'title']);

/** Other names that timesOf reads. */
const OTHER_NAMES = new Set([
  'created',
  'week',
  'date',
  'time',
  'trade',
  'group',
  'symbol',
  'executed_at',
]);

/** The inline fields of a text that its record has. */
function inlineOf(
  resource: ListResource,
  body: string,
  names: Map<string, string>,
): [string, Property][] {
  return [...inlineFields(body, names)].filter(([name, value]) => {
    const schema = fieldOf(resource, name.split('.')[0] ?? '');
    const isKnown = schema !== undefined || OTHER_NAMES.has(name);
    const isList = schema !== undefined && unwrapped(schema) instanceof z.ZodArray;
    const mayBeNamed =
      mayName(resource, name) &&
      traderName(names.get(name) ?? name) !== undefined &&
      traderProperty(value) !== undefined;
    return (
      (isKnown || mayBeNamed) &&
      name !== 'id' &&
      !WRITTEN_BELOW.has(name) &&
      (!Array.isArray(value) || isList || !isKnown)
    );
  });
}

function put(values: Values, field: string, value: unknown): void {
  if (value !== undefined) values[field] = value;
}

function putText(values: Values, field: string, body: string): void {
  if (values[field] === undefined) values[field] = body === '' ? null : body;
  else if (body !== '')
    throw new RowError(field, 'is both a property and the text below; keep one');
}

/** The schema of a field that isn't derived; undefined if none. */
function fieldOf(resource: ListResource, name: string): z.core.$ZodType | undefined {
  if (resource === trades && name === 'executions') return executionList;
  const schema = Object.hasOwn(resource.record.shape, name)
    ? resource.record.shape[name]
    : undefined;
  return schema && !factsOf(schema).derived ? schema : undefined;
}

/** A member such as review.lesson: editors of properties don't show nested ones. */
function memberOf(
  schema: z.core.$ZodType,
  name: string,
  value: Property,
  zone: string,
): Values {
  const inner = unwrapped(schema);
  if (isNamed(schema)) return { [name]: traderProperty(value) };

  const member = inner instanceof z.ZodObject ? memberCalled(name, inner) : undefined;
  return { [name]: member ? fieldValue(member, value, zone) : textIn(value) };
}

/**
 * Values of a record with other names, or in the file name. Used properties are removed.
 */
function timesOf(
  { path }: ListResource,
  properties: Map<string, Property>,
  name: string,
  zone: string,
): Values {
  const take = (...names: string[]): string | undefined => {
    const found = names.find((known) => properties.has(known)) ?? '';
    const text = textIn(properties.get(found))?.trim();
    if (text !== undefined) properties.delete(found);
    return text === '' ? undefined : text;
  };

  const instant = (text: string | undefined) =>
    text === undefined ? undefined : timeOf(text, zone);
  const created = instant(take('created'));
  const times = TIMES[path]?.({ take, instant, name, day: clearDateIn(name) });
  const all = Object.entries({ ...times, created_at: created ?? times?.['created_at'] });

  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** What a note states about the times of its record. */
interface NotedTimes {
  /** The text of the first property with one of these names, which is removed. */
  take(...names: string[]): string | undefined;
  instant(text: string | undefined): string | undefined;
  /** Of the note, and the day in it. */
  name: string;
  day: string | undefined;
}

const TIMES: Readonly<Record<string, (noted: NotedTimes) => Values>> = {
  sessions: ({ day }) => ({ date: day }),
  'weekly-reviews': ({ take, name }) => weekOf(take('week') ?? name),
  'missed-trades': ({ take, instant, day }) => ({
    missed_at: instant(withTime(take('date') ?? day, take('time'))),
  }),
  'trade-journals'({ take, instant, day }) {
    const trade_id = take('trade', 'group');
    const at = instant(withTime(take('executed_at', 'date') ?? day, take('time')));
    const symbol = take('symbol');
    return { trade_id, symbol, executed_at: symbol && at, created_at: at };
  },
  'group-journals'({ take, instant, day }) {
    const group_id = take('trade', 'group');
    const at = withTime(take('executed_at', 'date') ?? day, take('time'));
    return { group_id, created_at: instant(at) };
  },
};

function withTime(
  date: string | undefined,
  time: string | undefined,
): string | undefined {
  if (date === undefined || time === undefined) return time ?? date;
  return time.length > 8 ? time : `${date}T${time}`;
}

/** The Monday and the Sunday of 2026-W47. */
function weekOf(text: string): Values {
  const monday = mondayOf(text)?.date;
  return monday === undefined
    ? {}
    : { period_start: monday, period_end: addDays(monday, 6) };
}

function withoutHash(tag: unknown): unknown {
  return typeof tag === 'string' ? tag.replace(/^#(?=\S)/, '') : tag;
}

const LONGEST = 100;

/**
 * A stable id: the path reduced to letters, digits and . _ ~ -; if that loses anything, a
 * hash is appended.
 */
function idOf(path: string): string {
  const stem = path.replace(/\.md$/i, '');
  const cleaned = stem.replaceAll('/', '~').replaceAll(/[^A-Za-z0-9._~-]/g, '-');
  const isWhole =
    cleaned.length <= LONGEST &&
    stem.replaceAll('/', '~') === cleaned &&
    !stem.includes('~');
  if (isWhole) return `note:${cleaned}`;
  const hash = createHash('sha256').update(stem).digest('hex').slice(0, 12);
  return `note:${cleaned.slice(0, LONGEST - 13)}.${hash}`;
}

// Converts the properties of a note to the fields of a record, by the kind of each field.

/**
 * The value of a field; invalid values are rejected later, by the check of the record.
 * @param zone for times without an offset, and for dates in place of times
 * @returns undefined for an empty property of a field that can't be null
 */
function fieldValue(schema: z.core.$ZodType, property: Property, zone: string): unknown {
  const inner = unwrapped(schema);
  if (isScalar(property) && property.value === null) {
    if (schema instanceof z.ZodNullable) return null;
    return inner instanceof z.ZodArray ? [] : undefined;
  }
  if (inner instanceof z.ZodArray) return listOf(inner.element, property, zone);
  if (inner instanceof z.ZodObject) return objectOf(inner, property, zone);
  if (isNamed(schema)) return namedOf(property);

  return isScalar(property) ? scalarValue(inner, property, zone) : plainValue(property);
}

/** Fields that the trader named, exactly as an export writes them. */
function namedOf(property: Property): unknown {
  if (!isNames(property)) return plainValue(property);
  return Object.fromEntries(
    Object.entries(property).map(([name, value]) => {
      const plain = plainValue(value);
      return [name, typeof plain === 'number' ? plain : (textIn(value) ?? plain)];
    }),
  );
}

function scalarValue(schema: z.core.$ZodType, property: Scalar, zone: string): unknown {
  const text = textIn(property) ?? '';
  if (schema instanceof z.ZodEnum) return writtenValue(schema, text);
  if (schema instanceof z.ZodString) return text;

  switch (factsOf(schema).kind) {
    case 'instant':
      return timeOf(text, zone);
    case 'date':
      return text.slice(0, 10);
    case 'flag':
      return flagIn(text) ?? property.value;
    case 'text':
      return text;
    default:
      return property.value;
  }
}

/** A date becomes the start of the day. */
function timeOf(text: string, zone: string): string {
  if (isDate(text)) return toInstantText(new ZoneClock(zone).startOfDay(text));
  const local = lacksOffset(text) ? parseLocal(text, zone) : undefined;
  return local === undefined ? text : toInstantText(local);
}

/**
 * A list, or text with items separated by commas; for items that are objects, text is
 * their first member.
 */
function listOf(element: z.core.$ZodType, property: Property, zone: string): unknown {
  return itemsOf(property)
    .filter((item) => typeof item === 'string' || !isScalar(item) || item.value !== null)
    .map((item) => {
      const text = typeof item === 'string' ? item : textIn(item);
      if (!(element instanceof z.ZodObject)) return text ?? plainValue(item as Property);
      if (text !== undefined) return writtenValue(element, text);
      return (
        answerOf(element, item as Property) ?? objectOf(element, item as Property, zone)
      );
    });
}

function itemsOf(property: Property): (Property | string)[] {
  if (Array.isArray(property)) return property;
  return isScalar(property) ? wordsOf(textIn(property) ?? '') : [property];
}

/**
 * YAML reads "- wait for the close: yes" as an object: its name is no member, and its
 * value the answer.
 */
function answerOf(element: z.ZodObject, property: Property): unknown {
  if (!isNames(property)) return undefined;
  const [[name, value] = ['', undefined], ...others] = Object.entries(property);
  const answer = textIn(value);
  if (others.length > 0 || answer === undefined || memberCalled(name, element))
    return undefined;
  return writtenValue(element, `${name}: ${answer}`);
}

function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function objectOf(schema: z.ZodObject, property: Property, zone: string): unknown {
  if (isScalar(property) || !isNames(property)) return plainValue(property);
  return Object.fromEntries(
    Object.entries(property).map(([name, value]) => {
      const member = memberCalled(name, schema);
      return [name, member ? fieldValue(member, value, zone) : plainValue(value)];
    }),
  );
}

/** The schema of a member; undefined for an unknown name, even "constructor". */
function memberCalled(name: string, { shape }: z.ZodObject): z.core.$ZodType | undefined {
  return Object.hasOwn(shape, name) ? shape[name] : undefined;
}

function plainValue(property: Property): unknown {
  if (isScalar(property)) return property.value;
  if (Array.isArray(property)) return property.map(plainValue);
  return Object.fromEntries(
    Object.entries(property).map(([name, value]) => [name, plainValue(value)]),
  );
}
