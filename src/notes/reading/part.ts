/**
 * A part of a note that becomes a record: the session, a trade, a missed trade or the
 * review of a week. It holds what the note states of it: fields, facts, texts and its
 * unchanged lines.
 */
import { mistyped, type Problem } from '../../errors.ts';
import { LONGEST_NAME, LONGEST_VALUE, MOST_FIELDS } from '../../journal/trader-fields.ts';
import type { Values } from '../../journal-write/record.ts';
import type { Property } from '../front-matter.ts';
import type { Misspelt } from '../note.ts';
import {
  DERIVED_FIELD,
  fieldNamed,
  fieldsOf,
  isFact,
  isText,
  kindOf,
  type Scope,
} from './field-names.ts';
import { plainOf, readValue } from './field-values.ts';
import type { Title } from './titles.ts';
import { isOfTrade, traderName, traderProperty, traderValue } from './trader-values.ts';

/** What the value of a named field is; undefined for a name without a field. */
export type Stated =
  | { is: 'derived' }
  | { is: 'empty' }
  /** Helps to find a trade and is compared, but not stored. */
  | { is: 'fact'; field: string; text: string }
  | { is: 'text'; field: string; text: string }
  | { is: 'value'; field: string; value: unknown }
  | { is: 'unreadable'; message: string };

export function statedIn(scope: Scope, name: string, text: string): Stated | undefined {
  const field = fieldNamed(name, scope);
  if (field === undefined) return undefined;
  if (field === DERIVED_FIELD) return { is: 'derived' };
  if (text === '') return { is: 'empty' };
  if (isFact(field, scope)) return { is: 'fact', field, text: plainOf(text) };
  if (isText(field) && !/^["–—-]/.test(text))
    return { is: 'text', field, text: plainOf(text) };

  const isPercent =
    field === 'risk_percent' || (field === 'initial_risk' && /%$/.test(text));
  const read = readValue(kindOf(field), isPercent ? text.replace(/ ?%$/, '') : text);
  if ('expected' in read)
    return { is: 'unreadable', message: `${name.trim()}: ${read.expected}` };

  return { is: 'value', field: isPercent ? 'risk_percent' : field, value: read.value };
}

/** Fields that the trader named are values of fields such as fields.confluence. */
const NAMED = 'fields.';

/** What a field with a name of the trader's states of a part; or why it is text. */
export function traderStated(
  part: Part,
  written: string,
  value: string | Property,
): Stated | { is: 'text only'; reason: string } {
  const textOnly = (reason: string) => ({ is: 'text only', reason }) as const;
  if (part.scope === 'missed')
    return textOnly('a missed trade takes no names of your own');

  if (isOfTrade(written, part.scope))
    return textOnly(`${written.trim()} is a field of a trade`);

  const name = traderName(written);
  if (name === undefined)
    return textOnly(`a name has at most ${LONGEST_NAME} letters, digits, _ and -`);
  if (value === '') return { is: 'empty' };

  const read = typeof value === 'string' ? traderValue(value) : traderProperty(value);
  if (read === undefined)
    return textOnly(
      `a value of ${written.trim()} has at most ${LONGEST_VALUE} characters`,
    );

  const field = NAMED + name;
  const isFull =
    namedIn(part.values).length >= MOST_FIELDS && !Object.hasOwn(part.values, field);
  if (isFull) return textOnly(`a record has at most ${MOST_FIELDS} names of your own`);

  return { is: 'value', field, value: read };
}

/** The fields among some that the trader named. */
export function namedIn(values: Values): string[] {
  return Object.keys(values).filter((field) => field.startsWith(NAMED));
}

/**
 * The names that the trader gave fields of a part, if they are nearly that of another.
 */
export function misspeltIn({ values, scope }: Part): Misspelt[] {
  const names = namedIn(values).map(nameInNotes);
  const fields = names.length === 0 ? [] : fieldsOf(scope);

  return names.flatMap((name) => {
    const meant = mistyped(name, fields);
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** The name that a field such as fields.confluence has in notes. */
export function nameInNotes(field: string): string {
  return field.startsWith(NAMED) ? field.slice(NAMED.length) : field;
}

/** Where a part begins. */
interface PartStart {
  scope: Scope;
  file: string;
  line: number;
  title?: Title | undefined;
  /** Of its heading; bullets and rows have the highest, a whole note has 0. */
  level?: number;
  /** Of its bullet: lines that are indented further belong to it. */
  indent?: number | undefined;
}

export class Part {
  readonly scope: Scope;
  readonly file: string;
  readonly line: number;
  readonly title: Title | undefined;
  readonly level: number;
  indent: number | undefined;
  readonly problems: Problem[] = [];
  /** Of a row: the lines of its table's head, which go with it if it is text. */
  head: readonly string[] = [];
  /** Its unchanged lines. */
  readonly raw: string[] = [];
  readonly facts = new Map<string, { text: string; line: number }>();
  readonly values: Values = {};
  /** The line of each field. */
  readonly lines: Record<string, number> = {};
  /** Lines by field, and parts whose lines are meant if they turn out to be text. */
  readonly texts = new Map<string, (string | Part)[]>();
  /** Pictures by address. */
  readonly pictures = new Map<string, { url: string; caption: string | null }>();

  constructor({ scope, file, line, title, level = 0, indent }: PartStart) {
    this.scope = scope;
    this.file = file;
    this.line = line;
    this.title = title;
    this.level = level;
    this.indent = indent;
    if (title && title.rest !== '' && title.id === undefined)
      this.addText(this.textField, title.rest, line);
  }

  /** Whether the whole note is this part. */
  get isWholeNote(): boolean {
    return this.level === 0;
  }

  /** The field for text without a name. */
  get textField(): string {
    return textFieldOf(this.scope);
  }

  addText(field: string, text: string | Part, line: number): void {
    const texts = this.texts.get(field);
    if (texts) texts.push(text);
    else this.texts.set(field, [text]);
    this.lines[field] ??= line;
  }

  set(field: string, value: unknown, line: number): void {
    this.values[field] = value;
    this.lines[field] = line;
  }

  append(field: string, item: unknown, line: number): void {
    const before = this.values[field];
    if (Array.isArray(before)) before.push(item);
    this.set(field, Array.isArray(before) ? before : [item], line);
  }

  /** The first of several facts counts. */
  put(stated: Stated, line: number): void {
    if (stated.is === 'fact') {
      const { field, text } = stated;
      if (!this.facts.has(field)) this.facts.set(field, { text, line });
    } else if (stated.is === 'text') this.addText(stated.field, stated.text, line);
    else if (stated.is === 'value') this.set(stated.field, stated.value, line);
    else if (stated.is === 'unreadable') this.problem(line, stated.message);
  }

  problem(line: number, message: string): void {
    this.problems.push({ file: this.file, line, message });
  }

  /** The numbers by which later headings may name its trade. */
  get numbers(): string[] {
    return [this.facts.get('number')?.text, this.title?.number].flatMap((number) =>
      number === undefined ? [] : `${number}`,
    );
  }
}

export const textFieldOf = (scope: Scope) => TEXT_FIELDS[scope];

const TEXT_FIELDS: Record<Scope, string> = {
  session: 'notes',
  trade: 'body',
  missed: 'notes',
  week: 'summary',
};
