/**
 * Fields that a key hides, by the kind of data that their declarations name. A field
 * without one is hidden, too.
 */
import * as z from 'zod';
import type { Hidden } from '../keys/lens.ts';
import { factsIfAny, isNamed, othersOf, type Reveals } from './fields.ts';

/** Symbols and ids are shown as pseudonyms: see pseudonyms.ts. */
const HIDES: Readonly<Record<Hidden, readonly Reveals[]>> = {
  money: ['money'],
  texts: ['text'],
  symbols: ['text', 'price'],
};

/** The option of a key that hides this kind of data; undefined if none does. */
export function hiddenAs(reveals: Reveals, hides: readonly Hidden[]): Hidden | undefined {
  return hides.find((hidden) => HIDES[hidden].includes(reveals));
}

/** The kind of data that a leaf reveals; undefined if unclassified. */
export function revealsOf(schema: z.core.$ZodType): Reveals | undefined {
  const inner = unwrapped(schema);
  const reveals = factsIfAny(schema)?.reveals ?? factsIfAny(inner)?.reveals;
  if (reveals) return reveals;
  // Values of the program itself.
  return inner instanceof z.ZodEnum ||
    inner instanceof z.ZodLiteral ||
    isListOfOurs(inner)
    ? 'nothing'
    : undefined;
}

const isListOfOurs = (schema: z.core.$ZodType) =>
  schema instanceof z.ZodArray &&
  (schema.element instanceof z.ZodEnum || schema.element instanceof z.ZodLiteral);

export function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  let inner = schema;
  while (inner instanceof z.ZodNullable || inner instanceof z.ZodOptional)
    inner = inner.unwrap();
  return inner;
}

type Project = (value: never) => unknown;

const projections = new WeakMap<z.core.$ZodType, Map<string, Project | undefined>>();

/**
 * A function that removes the hidden and undeclared parts of a value.
 * @returns undefined if the value itself is hidden
 */
export function projectionOf(
  schema: z.core.$ZodType,
  hides: readonly Hidden[],
): Project | undefined {
  const name = hides.join();
  const known = projections.get(schema) ?? new Map<string, Project | undefined>();
  projections.set(schema, known);
  if (!known.has(name)) known.set(name, projection(schema, hides));
  return known.get(name);
}

function projection(
  schema: z.core.$ZodType,
  hides: readonly Hidden[],
): Project | undefined {
  const reveals = revealsOf(schema);
  if (reveals) return hiddenAs(reveals, hides) ? undefined : (value) => value;

  const inner = unwrapped(schema);
  if (inner instanceof z.ZodObject) {
    const members = Object.entries(inner.shape).flatMap(([name, member]) => {
      const project = projectionOf(member, hides);
      return project ? [[name, project] as const] : [];
    });
    const ofOthers = othersOf(inner);
    const others = ofOthers && projectionOf(ofOthers, hides);
    return (value: Record<string, never> | null) =>
      value && projected(value, members, others);
  }
  if (inner instanceof z.ZodArray) {
    const project = projectionOf(inner.element, hides);
    return (
      project && ((value: never[] | null) => (value === null ? null : value.map(project)))
    );
  }

  return undefined;
}

function projected(
  value: Record<string, never>,
  members: readonly (readonly [string, Project])[],
  others: Project | undefined,
): object {
  const shown: Record<string, unknown> = {};
  const declared = new Set(others ? members.map(([name]) => name) : []);
  for (const name of others ? Object.keys(value) : [])
    if (others && !declared.has(name)) shown[name] = others(value[name] as never);

  for (const [name, project] of members) {
    if (Object.hasOwn(value, name)) shown[name] = project(value[name] as never);
  }
  return shown;
}

/**
 * The SQL in place of a column for a key: hidden texts are removed before any code reads
 * them.
 */
export function columnIfHidden(
  name: string,
  schema: z.core.$ZodType,
  hides: readonly Hidden[],
): string | undefined {
  const reveals = revealsOf(schema);
  const inner = unwrapped(schema);
  if (reveals === 'text' && hiddenAs('text', hides)) {
    if (inner !== schema) return 'NULL';
    if (isNamed(schema)) return "'{}'";
    return inner instanceof z.ZodArray ? "'[]'" : "''";
  }
  if (reveals || !(inner instanceof z.ZodObject)) return undefined;

  const texts = Object.entries(inner.shape).filter(([member, field]) =>
    columnIfHidden(member, field, hides),
  );
  if (texts.length === 0) return undefined;

  return `CASE WHEN stored."${name}" IS NOT NULL THEN json_remove(stored."${name}", ${texts.map(([text]) => `'$.${text}'`).join(', ')}) END`;
}
