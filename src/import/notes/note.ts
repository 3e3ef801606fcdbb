/** Reads a note as a record: its properties, its text, and the date in its name. */

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { isScalar, Scalar } from 'yaml';
import * as z from 'zod';
import { RowError } from '../../errors.ts';
import { factsOf } from '../../journal/fields.ts';
import type { ListResource } from '../../journal/resource.ts';
import { trades } from '../../journal/resources/trades.ts';
import type { Values } from '../../journal-write/record.ts';
import { executionList } from '../../journal-write/trade.ts';
import { addDays, isDate, lacksOffset, parseLocal, toInstantText, ZoneClock } from '../../time.ts';
import { flagIn, writtenValue } from '../parse/written.ts';
import {
  type FrontMatter,
  inlineFields,
  isNames,
  type Property,
  textIn,
  withoutCode,
  withoutLinks,
} from './front-matter.ts';
import { kindOf } from './kinds.ts';

/** Properties of the note itself, without a field. */
const OF_NOTE = new Set(['type', 'aliases', 'alias', 'cssclass', 'cssclasses', 'publish', 'permalink']);

/**
 * @param path of the file within its vault: "Trading/2026-11-20.md"
 * @param zone for times without an offset, and for dates
 * @param unknown called with each property without a field
 * @throws RowError if a value appears twice
 */
export function recordOfNote(
  { properties, body }: FrontMatter,
  path: string,
  resource: ListResource,
  zone: string,
  unknown: (property: string) => void,
): Values {
  const name = basename(path).replace(/\.md$/i, '');
  // An exported note has an id, and all its values are properties.
  const isExported = properties.has('id');
  const inline = isExported ? [] : inlineOf(resource, body);
  const given = new Map(
    [...inline, ...properties].map(([own, value]) => [
      own,
      isExported ? withoutReferenceLink(own, value) : bare(own, value),
    ]),
  );
  const values: Values = { id: idOf(path) };
  for (const [field, value] of timesOf(resource, given, name, zone)) values[field] = value;
  for (const [property, value] of given) {
    const [field = '', member] = property.split('.');
    const schema = fieldOf(resource, field);
    if (!schema) {
      if (!OF_NOTE.has(property)) unknown(property);
    } else if (member === undefined) put(values, field, fieldValue(schema, value, zone));
    else values[field] = { ...(values[field] as Values | undefined), ...memberOf(schema, member, value, zone) };
  }
  if (Array.isArray(values['tags'])) values['tags'] = values['tags'].map(withoutHash);
  else if (fieldOf(resource, 'tags')) values['tags'] = tagsIn(body);
  putText(values, kindOf(resource)?.body ?? 'notes', body);
  if (fieldOf(resource, 'title') && !given.has('title') && !/^[\d\s._W-]*$/.test(name)) values['title'] = name;
  return values;
}

/** Text fields, whose links stay. */
const TEXTS = new Set([
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
]);

function bare(name: string, value: Property): Property {
  if (TEXTS.has(name.split('.').at(-1) ?? '')) return value;
  return withoutLinks(name === 'tags' ? spacedTags(value) : value);
}

const REFERENCES = ['trade', 'group', 'trade_id', 'group_id', 'best_trade_id', 'worst_trade_id'];

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
const OTHER_NAMES = new Set(['created', 'week', 'date', 'time', 'trade', 'group', 'symbol', 'executed_at']);

/** The inline fields of a text that its record has. */
function inlineOf(resource: ListResource, body: string): [string, Property][] {
  return [...inlineFields(body)].filter(([name, value]) => {
    const schema = fieldOf(resource, name.split('.')[0] ?? '');
    const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
    const isKnown = schema !== undefined || OTHER_NAMES.has(name);
    return (
      isKnown && name !== 'id' && !WRITTEN_BELOW.has(name) && (!Array.isArray(value) || inner instanceof z.ZodArray)
    );
  });
}

function put(values: Values, field: string, value: unknown): void {
  if (value !== undefined) values[field] = value;
}

function putText(values: Values, field: string, body: string): void {
  if (values[field] === undefined) values[field] = body === '' ? null : body;
  else if (body !== '') throw new RowError(field, 'is both a property and the text below; keep one');
}

/** The schema of a field that isn't derived; undefined if none. */
function fieldOf(resource: ListResource, name: string): z.ZodType | undefined {
  if (resource === trades && name === 'executions') return executionList;
  const schema = Object.hasOwn(resource.record.shape, name) ? (resource.record.shape[name] as z.ZodType) : undefined;
  return schema && !factsOf(schema).derived ? schema : undefined;
}

/** A member such as review.lesson: editors of properties don't show nested ones. */
function memberOf(schema: z.ZodType, name: string, value: Property, zone: string): Values {
  const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
  const member = inner instanceof z.ZodObject ? memberCalled(name, inner) : undefined;
  return { [name]: member ? fieldValue(member, value, zone) : textIn(value) };
}

/** 2026-11-20, or in other programs' names of day notes 2026_11_20, 20261120. */
const DAY = /(?<!\d)(\d{4})([-_.]?)(\d\d)\2(\d\d)(?!\d)/;
const WEEK = /(?<!\d)(\d{4})[-_ ]?W(\d\d)(?!\d)/i;

/** Times of a record with other names, or in the file name. Used properties are removed. */
function timesOf(
  resource: ListResource,
  given: Map<string, Property>,
  name: string,
  zone: string,
): [field: string, value: unknown][] {
  const take = (...names: string[]): string | undefined => {
    const found = names.find((own) => given.has(own));
    const text = found === undefined ? undefined : textIn(given.get(found));
    if (found !== undefined && text !== undefined) given.delete(found);
    return text?.trim() === '' ? undefined : text?.trim();
  };
  const [, year, , month, date] = DAY.exec(name) ?? [];
  const day = year === undefined ? undefined : `${year}-${month}-${date}`;
  const named = day !== undefined && isDate(day) ? day : undefined;
  const created = take('created');
  const stamp = (own: string | undefined): [string, unknown][] =>
    own === undefined || given.has('created_at') ? [] : [['created_at', timeOf(own, zone)]];
  const withTime = (date: string | undefined, time: string | undefined) =>
    date === undefined ? time : time === undefined || time.length > 8 ? (time ?? date) : `${date}T${time}`;
  switch (resource.path) {
    case 'sessions':
      return [...(given.has('date') || !named ? [] : [['date', named] as [string, unknown]]), ...stamp(created)];
    case 'weekly-reviews':
      return [...weekOf(take('week') ?? name), ...stamp(created)];
    case 'missed-trades': {
      const at = withTime(take('date') ?? named, take('time'));
      return [
        ...(at === undefined || given.has('missed_at') ? [] : [['missed_at', timeOf(at, zone)] as [string, unknown]]),
        ...stamp(created),
      ];
    }
    case 'trade-journals':
    case 'group-journals': {
      const about = take('trade', 'group');
      const field = resource.path === 'trade-journals' ? 'trade_id' : 'group_id';
      const at = withTime(take('executed_at', 'date') ?? named, take('time'));
      const symbol = resource.path === 'trade-journals' ? take('symbol') : undefined;
      return [
        ...(about === undefined ? [] : [[field, about] as [string, unknown]]),
        ...(symbol === undefined ? [] : [['symbol', symbol] as [string, unknown]]),
        ...(symbol === undefined || at === undefined ? [] : [['executed_at', timeOf(at, zone)] as [string, unknown]]),
        ...stamp(created ?? at),
      ];
    }
    default:
      return stamp(created);
  }
}

/** The Monday and the Sunday of 2026-W47. */
function weekOf(text: string): [string, unknown][] {
  const [, year = '', week = ''] = WEEK.exec(text) ?? [];
  if (year === '' || Number(week) < 1 || Number(week) > 53) return [];
  // 4 January is always in the first week.
  const fourth = `${year}-01-04`;
  const weekday = (new Date(fourth).getUTCDay() + 6) % 7;
  const monday = addDays(fourth, (Number(week) - 1) * 7 - weekday);
  return [
    ['period_start', monday],
    ['period_end', addDays(monday, 6)],
  ];
}

function withoutHash(tag: unknown): unknown {
  return typeof tag === 'string' ? tag.replace(/^#(?=\S)/, '') : tag;
}

/** #words of the text, except in code, addresses and headings, and except numbers. */
function tagsIn(body: string): string[] {
  const found = [...withoutCode(body).matchAll(/(?<=^|\s)#([\p{L}\p{N}_/-]+)/gu)].map(([, tag]) => tag as string);
  return [...new Set(found.filter((tag) => !/^\d+$/.test(tag)))];
}

const LONGEST = 100;

/** A stable id: the path reduced to letters, digits and . _ ~ -; if that loses anything, a hash is appended. */
function idOf(path: string): string {
  const stem = path.replace(/\.md$/i, '');
  const cleaned = stem.replaceAll('/', '~').replaceAll(/[^A-Za-z0-9._~-]/g, '-');
  const isWhole = cleaned.length <= LONGEST && stem.replaceAll('/', '~') === cleaned && !stem.includes('~');
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
function fieldValue(schema: z.ZodType, property: Property, zone: string): unknown {
  const inner = schema instanceof z.ZodNullable ? (schema.unwrap() as z.ZodType) : schema;
  if (isScalar(property) && property.value === null) {
    if (schema instanceof z.ZodNullable) return null;
    return inner instanceof z.ZodArray ? [] : undefined;
  }
  if (inner instanceof z.ZodArray) return listOf(inner.element as z.ZodType, property, zone);
  if (inner instanceof z.ZodObject) return objectOf(inner, property, zone);
  if (!isScalar(property)) return plainValue(property);
  return scalarOf(inner, textIn(property) ?? '', property.value, zone);
}

function scalarOf(schema: z.ZodType, text: string, value: unknown, zone: string): unknown {
  if (schema instanceof z.ZodString || schema instanceof z.ZodURL) return text;
  if (schema instanceof z.ZodEnum) return writtenValue(schema, text);
  switch (factsOf(schema).kind) {
    case 'instant':
      return timeOf(text, zone);
    case 'date':
      return text.slice(0, 10);
    case 'flag':
      return flagIn(text) ?? value;
    case 'text':
      return text;
    default:
      return value;
  }
}

/** A date becomes the start of the day. */
function timeOf(text: string, zone: string): string {
  if (isDate(text)) return toInstantText(new ZoneClock(zone).startOfDay(text));
  const local = lacksOffset(text) ? parseLocal(text, zone) : undefined;
  return local === undefined ? text : toInstantText(local);
}

/** A list, or text with items separated by commas; for items that are objects, text is their first member. */
function listOf(element: z.ZodType, property: Property, zone: string): unknown {
  const items = Array.isArray(property) ? property : isScalar(property) ? wordsOf(textIn(property) ?? '') : [property];
  return items
    .filter((item) => typeof item === 'string' || !isScalar(item) || item.value !== null)
    .map((item) => {
      const text = typeof item === 'string' ? item : textIn(item);
      if (!(element instanceof z.ZodObject)) return text ?? plainValue(item as Property);
      if (text !== undefined) return writtenValue(element, text);
      return answerOf(element, item as Property) ?? objectOf(element, item as Property, zone);
    });
}

/** YAML reads "- wait for the close: yes" as an object: its name is no member, and its value the answer. */
function answerOf(element: z.ZodObject, property: Property): unknown {
  if (!isNames(property)) return undefined;
  const [[name, value] = ['', undefined], ...others] = Object.entries(property);
  const answer = textIn(value);
  if (others.length > 0 || answer === undefined || memberCalled(name, element)) return undefined;
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
    Object.entries(property).map(([name, own]) => {
      const member = memberCalled(name, schema);
      return [name, member ? fieldValue(member, own, zone) : plainValue(own)];
    }),
  );
}

/** The schema of a member; undefined for an unknown name, even "constructor". */
function memberCalled(name: string, { shape }: z.ZodObject): z.ZodType | undefined {
  return Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
}

function plainValue(property: Property): unknown {
  if (isScalar(property)) return property.value;
  if (Array.isArray(property)) return property.map(plainValue);
  return Object.fromEntries(Object.entries(property).map(([name, own]) => [name, plainValue(own)]));
}
