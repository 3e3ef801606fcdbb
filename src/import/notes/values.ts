/** Converts the properties of a note to the fields of a record, by the kind of each field. */
import { isScalar } from 'yaml';
import * as z from 'zod';
import { factsOf } from '../../journal/fields.ts';
import { isDate, lacksOffset, parseLocal, toInstantText, ZoneClock } from '../../time.ts';
import { flagIn, writtenValue } from '../parse/written.ts';
import { isNames, type Property, textIn } from './front-matter.ts';

/**
 * The value of a field; invalid values are rejected later, by the check of the record.
 * @param zone for times without an offset, and for dates in place of times
 * @returns undefined for an empty property of a field that can't be null
 */
export function fieldValue(schema: z.ZodType, property: Property, zone: string): unknown {
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
export function timeOf(text: string, zone: string): string {
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
export function memberCalled(name: string, { shape }: z.ZodObject): z.ZodType | undefined {
  return Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined;
}

function plainValue(property: Property): unknown {
  if (isScalar(property)) return property.value;
  if (Array.isArray(property)) return property.map(plainValue);
  return Object.fromEntries(Object.entries(property).map(([name, own]) => [name, plainValue(own)]));
}
