/**
 * What a record is by what lines of the list of imports state of it: a field has the
 * value that the latest of them states, a list the items that they add and don't take
 * away. Knows no database.
 */
import * as z from 'zod';
import { isNamed } from '../journal/fields.ts';
import type { ListResource } from '../journal/resource.ts';
import type { Values } from '../journal-write/record.ts';

/**
 * What a line states of a record, by name: values, `review.lesson` of a member of an
 * object, `tags+` and `tags-` of items that a list gets and loses, `notes+` of a
 * paragraph that a text gets, `phase?` of a value that holds only if no line states
 * another.
 */
export type Stated = Values;

/** What one line states of one record. */
export interface Statement {
  /** The id of the line. */
  line: number;
  /** A foreign one is no line's: what another program had written before the line. */
  kind: 'stated' | 'removed' | 'foreign';
  /**
   * Of the note that states it; '' otherwise. Of one note, the latest statement counts.
   */
  path: string;
  /** The record's id; of a trade made from fills, that which it had then. */
  record: string;
  /** Null of a foreign one: another program removed the record. */
  stated: Stated | null;
}

/** One value, item or paragraph, in its place in the order of statements. */
interface Word {
  by: Statement;
  name: string;
  verb: 'set' | 'add' | 'take' | 'append' | 'default';
  value: unknown;
}

/** How the fields of a resource are stated. */
export class FieldKinds {
  /** Lists, also those within objects; all but executions. */
  readonly #lists = new Set<string>();
  readonly #objects = new Set<string>();
  readonly #needed: readonly string[];

  constructor({ record, orderBy, needed = [orderBy] }: ListResource) {
    for (const [name, schema] of Object.entries(record.shape)) this.#add(name, schema);
    this.#needed = needed;
  }

  #add(name: string, schema: z.core.$ZodType): void {
    const inner = schema instanceof z.ZodNullable ? schema.unwrap() : schema;
    if (inner instanceof z.ZodArray) this.#lists.add(name);
    // Each name is stated by itself.
    if (isNamed(inner)) this.#objects.add(name);
    if (!(inner instanceof z.ZodObject)) return;

    this.#objects.add(name);
    for (const [member, schema] of Object.entries(inner.shape))
      this.#add(`${name}.${member}`, schema);
  }

  isList(name: string): boolean {
    return this.#lists.has(name);
  }

  /** Values with the members of objects as fields of their own, without empty ones. */
  flat(values: Readonly<Values>): Values {
    if (this.#objects.size === 0) return values;

    const flat: Values = {};
    for (const [name, value] of Object.entries(values)) {
      if (!this.#objects.has(name)) flat[name] = value;
      else
        for (const [member, inner] of Object.entries((value ?? {}) as Values))
          if (!isEmpty(inner)) flat[`${name}.${member}`] = inner;
    }

    return flat;
  }

  /** The reverse of flat(). */
  nested(flat: Readonly<Values>): Values {
    const values: Values = {};
    for (const [name, value] of Object.entries(flat)) {
      const [object = '', member] = name.split('.');
      if (member === undefined) values[name] = value;
      else if (!isEmpty(value))
        values[object] = { ...(values[object] as Values), [member]: value };
    }
    return values;
  }

  /** Whether a statement is enough for a record to be there. */
  isWhole({ stated }: Statement): boolean {
    const has = (name: string) => !isEmpty(stated?.[name] ?? stated?.[`${name}?`]);
    return stated !== null && this.#needed.every((names) => names.split('|').some(has));
  }
}

export interface Folded {
  /** Whether some statement is that of a whole record. */
  isWhole: boolean;
  /** The fields that are stated, with objects as fields. */
  values: Values;
  /** The words that count, by name. */
  words: ReadonlyMap<string, readonly Word[]>;
}

/** @param statements of a record, in the order of their lines */
export function fold(kinds: FieldKinds, statements: readonly Statement[]): Folded {
  let words: Word[] = [];
  let holding: Statement[] = [];
  /** What notes stated when the record was removed, by path. */
  const removed = new Map<string, readonly Word[]>();
  for (const statement of statements) {
    if (statement.kind === 'removed' || statement.stated === null) {
      for (const other of holding) removed.set(other.path, wordsOf(kinds, other));
      words = [];
      holding = [];
      continue;
    }

    const { path } = statement;
    const added = wordsOf(kinds, statement);
    // A note that states what it stated before says nothing new.
    if (path !== '' && areSame(removed.get(path), added)) continue;

    removed.delete(path);
    const isFormer = (other: Statement) => path !== '' && other.path === path;
    words = withWords(words, added, isFormer);
    holding = [...holding.filter((other) => !isFormer(other)), statement];
  }

  const byName = Map.groupBy(words, ({ name }) => name);
  const flat: Values = {};
  for (const [name, words] of byName) flat[name] = valueBy(kinds.isList(name), words);

  return {
    isWhole: holding.some((statement) => kinds.isWhole(statement)),
    values: kinds.nested(flat),
    words: byName,
  };
}

/**
 * Adds the words of a statement. Those that the former version of its note has already
 * keep their place, so that what others said since counts; those that it no longer has
 * go.
 */
function withWords(
  words: readonly Word[],
  added: readonly Word[],
  isFormer: (statement: Statement) => boolean,
): Word[] {
  const fresh = new Map(added.map((word) => [keyOf(word), word]));
  const kept = words.flatMap((word): Word[] => {
    if (!isFormer(word.by)) return [word];

    const again = fresh.get(keyOf(word));
    fresh.delete(keyOf(word));
    return again ? [again] : [];
  });
  return [...kept, ...fresh.values()];
}

function areSame(former: readonly Word[] | undefined, words: readonly Word[]): boolean {
  const keys = new Set(former?.map(keyOf));
  return former?.length === words.length && words.every((word) => keys.has(keyOf(word)));
}

function keyOf({ name, verb, value }: Word): string {
  return `${name} ${verb} ${JSON.stringify(value)}`;
}

function wordsOf(kinds: FieldKinds, by: Statement): Word[] {
  return Object.entries(by.stated ?? {}).flatMap(([key, value]): Word[] => {
    const [name, verb] = verbOf(key, kinds);
    if (verb !== 'add' && verb !== 'take') return [{ by, name, verb, value }];
    return (value as readonly unknown[]).map((item) => ({ by, name, verb, value: item }));
  });
}

function verbOf(key: string, kinds: FieldKinds): [name: string, verb: Word['verb']] {
  const name = key.slice(0, -1);
  if (key.endsWith('?')) return [name, 'default'];
  if (key.endsWith('-')) return [name, 'take'];
  if (key.endsWith('+')) return [name, kinds.isList(name) ? 'add' : 'append'];
  return [key, kinds.isList(key) ? 'add' : 'set'];
}

function valueBy(isList: boolean, words: readonly Word[]): unknown {
  if (isList) return itemsOf(words);

  const from = words.findLastIndex(({ verb }) => verb === 'set');
  const first = words[from] ?? words.find(({ verb }) => verb === 'default');
  const paragraphs = words.slice(from + 1).filter(({ verb }) => verb === 'append');
  if (paragraphs.length === 0) return first?.value ?? null;

  const texts = [first?.value, ...paragraphs.map(({ value }) => value)];
  return texts.filter((text) => !isEmpty(text)).join('\n\n');
}

function itemsOf(words: readonly Word[]): unknown[] {
  const items = new Map<string, unknown>();
  for (const { verb, value } of words) {
    if (verb === 'take') items.delete(itemKey(value));
    else items.set(itemKey(value), value);
  }
  return [...items.values()];
}

/** An item is known by its text or address, whatever else it says. */
export function itemKey(item: unknown): string {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item);
  const { url, text, rule }: { url?: unknown; text?: unknown; rule?: unknown } = item;
  return JSON.stringify(url ?? text ?? rule ?? item);
}

export function isEmpty(value: unknown): boolean {
  return (
    value === null || value === undefined || (Array.isArray(value) && value.length === 0)
  );
}
