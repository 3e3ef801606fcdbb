/** Reads a note as a record: its properties, its text, and the date in its name. */
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { Scalar } from 'yaml';
import * as z from 'zod';
import { factsOf } from '../../journal/fields.ts';
import type { ListResource } from '../../journal/resource.ts';
import { trades } from '../../journal/resources/trades.ts';
import type { Values } from '../../journal-write/record.ts';
import { RowError } from '../../journal-write/row-error.ts';
import { executionList } from '../../journal-write/single-trade.ts';
import { addDays, isDate } from '../../time.ts';
import { type FrontMatter, inlineFields, type Property, textIn, withoutCode, withoutLinks } from './front-matter.ts';
import { kindOf } from './kinds.ts';
import { fieldValue, memberCalled, timeOf } from './values.ts';

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
