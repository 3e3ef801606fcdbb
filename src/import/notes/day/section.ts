/** A part of a note that becomes a record: named fields and text. */

import type { Problem } from '../../../errors.ts';
import type { Values } from '../../../journal-write/record.ts';
import type { NotedFields } from '../../fills/reading.ts';
import { figureIn } from '../../parse/numbers.ts';
import { isNames, type Property, textIn, withoutLinks } from '../front-matter.ts';
import { DERIVED_FIELD, fieldNamed, isText, type Scope } from './labels.ts';
import { isList, plainOf, readValue, rIn } from './values.ts';

// Missed trades in notes: the reason and the hypothetical result.

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/hesita|second.guess|froze/i, 'hesitated'],
  [/almost/i, 'almost_took'],
  [/cancel/i, 'cancelled'],
  [/\baway\b|\bdesk\b|asleep|slept/i, 'away'],
  [/not filled|no fill|unfilled|never filled/i, 'not_filled'],
  [/\brules?\b|\blimit\b|not allowed|max(?:imum)? loss/i, 'rule_block'],
];

export function missTypeOf(reason: string): string {
  const start = reason.slice(0, 300);
  return REASONS.find(([words]) => words.test(start))?.[1] ?? 'other';
}

/** The outcome by hypothetical R or P&L. */
export function outcomeOf({ hypothetical_r: r, hypothetical_pnl: pnl }: Values): string {
  const made = typeof r === 'number' ? r : pnl;
  if (typeof made !== 'number') return 'unknown';
  return made > 0 ? 'would_win' : made < 0 ? 'would_lose' : 'would_breakeven';
}

const PRICES: readonly (readonly [RegExp, string])[] = [
  [/@ ?(\d[\d.,]{0,14})/, 'planned_entry'],
  [/\bstop:? (\d[\d.,]{0,14})/i, 'planned_stop'],
  [/\b(?:target|tp):? (\d[\d.,]{0,14})/i, 'planned_target'],
];

const R = /[-+−]?\d{1,3}(?:\.\d{1,2})?R\b/;

/** ORB, hesitated, would have been +3R: prices, then a setup, a reason and a result, separated by commas or dashes. */
export function readMissed(rest: string, part: Section, line: number): void {
  let left = rest;
  for (const [pattern, field] of PRICES) {
    const figure = figureIn(pattern.exec(left)?.[1]?.replace(/[.,]$/, '') ?? '');
    if (!figure) continue;
    part.set(field, figure.value, line);
    left = left.replace(pattern, '');
  }
  for (const piece of left.split(/,|;| [—–-] /)) {
    const words = piece.trim().replaceAll(/^[—–-] ?/g, '');
    const r = R.exec(words)?.[0];
    if (r !== undefined) part.set('hypothetical_r', rIn(r)?.value, line);
    else if (missTypeOf(words) !== 'other') part.set('reason', words, line);
    else if (words !== '' && !part.has('setup')) part.set('setup', words, line);
  }
}

// The user's text, collected line by line.

class TextOf {
  readonly #lines: string[] = [];

  add(line: string): void {
    this.#lines.push(line);
  }

  /** The text without empty lines and rules around it; null if nothing else is left. */
  get text(): string | null {
    const lines = this.#lines;
    let first = 0;
    let last = lines.length;
    while (first < last && isEdge(lines[first] as string)) first++;
    while (last > first && isEdge(lines[last - 1] as string)) last--;
    // A removed field between two empty lines leaves one of them.
    const left = lines
      .slice(first, last)
      .filter((line, index, all) => line.trim() !== '' || all[index - 1]?.trim() !== '');
    return left.length === 0 ? null : left.join('\n').trimEnd();
  }
}

function isEdge(line: string): boolean {
  return line.length < 100 && /^[ \t]*(?:-{3,}[ \t]*)?$/.test(line);
}

const TAG = /(?<=^|\s)#([\p{L}\p{N}_/-]{1,60})/gu;
const CODE = /`[^`\n]*`/g;
const LONGEST = 100_000;

/** #words, except numbers and code. */
function tagsIn(text: string): string[] {
  const tags = [...text.slice(0, LONGEST).replaceAll(CODE, ' ').matchAll(TAG)].map(([, tag]) => tag as string);
  return [...new Set(tags.filter((tag) => !/^\d+$/.test(tag)))];
}

const PICTURE = /!\[([^\][\n]{0,300})\]\((https?:\/\/[^\s()]{1,2000})\)/g;

/** Pictures with web addresses; local ones stay text. */
function picturesIn(text: string): { url: string; caption: string | null }[] {
  return [...text.slice(0, LONGEST).matchAll(PICTURE)].map(([, caption, url]) => ({
    url: url as string,
    caption: caption === '' ? null : (caption as string),
  }));
}

/** Facts that help to find a trade and are compared, but not stored. */
const FACTS = ['symbol', 'side', 'time', 'date', 'number', 'entry', 'exit', 'quantity', 'pnl', 'r', 'result'];

export class Section {
  readonly scope: Scope;
  readonly line: number;
  readonly problems: Problem[] = [];
  /** Noted facts, by field. */
  readonly facts = new Map<string, { text: string; line: number }>();
  readonly #file: string;
  readonly #values: Values = {};
  readonly #lines: Record<string, number> = {};
  readonly #texts = new Map<string, TextOf>();
  /** Its unchanged lines. */
  readonly raw: string[] = [];
  #attached: { url: string; caption: string | null }[] = [];

  constructor(scope: Scope, file: string, line: number) {
    this.scope = scope;
    this.#file = file;
    this.line = line;
  }

  /** The field for text without a name. */
  get ownText(): string {
    return this.scope === 'trade' ? 'body' : 'notes';
  }

  addText(field: string, text: string, line: number): void {
    const own = this.#texts.get(field) ?? new TextOf();
    this.#texts.set(field, own);
    this.#lines[field] ??= line;
    own.add(text);
  }

  set(field: string, value: unknown, line: number): void {
    this.#values[field] = value;
    this.#lines[field] = line;
  }

  append(field: string, value: unknown, line: number): void {
    const before = this.#values[field];
    this.set(field, [...(Array.isArray(before) ? before : []), value], line);
  }

  problem(line: number, message: string): void {
    this.problems.push({ file: this.#file, line, message });
  }

  /**
   * Sets a value by the name of its field.
   * @param isSure whether a field is certainly meant; else an unreadable value is text
   * @returns whether it was a field
   */
  give(name: string, text: string, line: number, isSure: boolean): boolean {
    const field = fieldNamed(name, this.scope);
    if (field === undefined) return false;
    if (field === DERIVED_FIELD || text === '') return isSure || field === DERIVED_FIELD;
    if (this.scope !== 'session' && FACTS.includes(field)) {
      if (!this.facts.has(field)) this.facts.set(field, { text: plainOf(text), line });
      return true;
    }
    if (isText(field) && !/^["–—-]/.test(text)) {
      this.addText(field, plainOf(text), line);
      return true;
    }
    const isPercent = field === 'initial_risk' && /%$/.test(text);
    const read = readValue(
      isPercent ? 'risk_percent' : field,
      isPercent || field === 'risk_percent' ? text.replace(/ ?%$/, '') : text,
    );
    if ('value' in read) {
      this.set(isPercent ? 'risk_percent' : field, read.value, line);
      return true;
    }
    if (isSure) this.problem(line, `${name.trim()}: ${read.expected}`);
    return isSure;
  }

  /** Sets a YAML property. @returns whether it has a field */
  giveProperty(name: string, property: Property, line: number): boolean {
    if (name === 'entries' && Array.isArray(property)) return this.#giveEntries(property, line);
    const field = fieldNamed(name, this.scope);
    if (field === undefined) return false;
    if (Array.isArray(property) && isList(field)) {
      const items = textsOf(withoutLinks(property)).map((text) =>
        field === 'tags' ? text.replace(/^#(?=\S)/, '') : text,
      );
      const value = field === 'goals' ? goalsIn(property) : items;
      if (items.length > 0) this.set(field, value, line);
      return true;
    }
    const text = textsOf(property)[0]?.trim() ?? '';
    this.give(name, text, line, true);
    return true;
  }

  /** Journalit's [{time, price}]: the first is the entry. */
  #giveEntries([first, ...more]: readonly Property[], line: number): boolean {
    if (first === undefined || !isNames(first)) return true;
    for (const name of more.length === 0 ? ['time', 'price'] : ['time']) {
      this.give(name, textIn(first[name]) ?? '', line, true);
    }
    return true;
  }

  /** Attaches the web addresses of a property; local files are skipped. */
  attachFrom(property: Property): boolean {
    const urls = textsOf(property).filter((text) => /^https?:\/\/\S{1,2000}$/.test(text));
    this.attach(urls.map((url) => ({ url, caption: null })));
    return true;
  }

  has(field: string): boolean {
    return this.#values[field] !== undefined;
  }

  attach(pictures: readonly { url: string; caption: string | null }[]): void {
    const known = new Set(this.#attached.map(({ url }) => url));
    this.#attached = this.#attached.concat(pictures.filter(({ url }) => !known.has(url)));
  }

  get attachments() {
    return this.#attached;
  }

  /** Whether it has nothing besides the trade's name. */
  get isEmpty(): boolean {
    return Object.keys(this.fields().values).length === 0 && this.#attached.length === 0;
  }

  /** All fields. #words are tags unless tags are named. */
  fields(): NotedFields {
    const values: Values = { ...this.#values };
    for (const [field, own] of this.#texts) {
      const { text } = own;
      if (text === null || values[field] !== undefined) continue;
      values[field] = text;
      if (field === this.ownText && values['tags'] === undefined) {
        const tags = tagsIn(text);
        if (tags.length > 0) values['tags'] = tags;
      }
      if (this.scope === 'trade') this.attach(picturesIn(text));
    }
    return { values, lines: this.#lines };
  }
}

/** The texts of a property: each item of a list, the main member of an object. */
function textsOf(property: Property): string[] {
  const text = textIn(withoutLinks(property));
  if (text !== undefined) return [text];
  if (Array.isArray(property)) return property.flatMap((own) => textsOf(own).slice(0, 1));
  const names = property as Readonly<Record<string, Property>>;
  const main = names['price'] ?? names['text'] ?? names['time'] ?? names['value'];
  return main === undefined ? [] : textsOf(main);
}

function goalsIn(list: readonly Property[]): { text: string; met: boolean | null }[] {
  return list.flatMap((own) => {
    const [text] = textsOf(own);
    const met = Array.isArray(own) || !('met' in own) ? undefined : textIn((own as Record<string, Property>)['met']);
    return text === undefined ? [] : [{ text, met: met === 'true' ? true : met === 'false' ? false : null }];
  });
}
