/**
 * A part of a note that becomes a record: the session, a trade or a missed trade, with named fields
 * and text.
 */

import type { Problem } from '../../errors.ts';
import { figureIn } from '../../import/parse/numbers.ts';
import type { ListResource } from '../../journal/resource.ts';
import { missedTrades } from '../../journal/resources/missed-trades.ts';
import { sessions } from '../../journal/resources/sessions.ts';
import { trades } from '../../journal/resources/trades.ts';
import { weeklyReviews } from '../../journal/resources/weekly-reviews.ts';
import type { Values } from '../../journal-write/record.ts';
import { parseLocal, toInstantText } from '../../time.ts';
import { isNames, type Property, tagsIn, textIn, withoutLinks } from '../front-matter.ts';
import type { NotedFigure, NotedRecord, TradeClues } from '../note.ts';
import { DERIVED_FIELD, FACTS, fieldNamed, isList, isText, kindOf, type Scope } from './fields.ts';
import type { Title } from './titles.ts';
import { clockIn, clockText, dateIn } from './titles.ts';
import { missTypeOf, outcomeOf, plainOf, printedResultIn, readValue, rIn } from './values.ts';

const RESOURCES: Record<Scope, ListResource> = {
  session: sessions,
  trade: trades,
  missed: missedTrades,
  week: weeklyReviews,
};

/** The user's lines without empty lines and rules around them; null if nothing else is left. */
function textOf(lines: readonly string[]): string | null {
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

/** The lines with those of the parts that are text. */
function flat(lines: readonly (string | Section)[], texts: ReadonlySet<Section>): string[] {
  return lines.flatMap((line) =>
    typeof line === 'string' ? line : texts.has(line) ? line.raw : [],
  );
}

function isEdge(line: string): boolean {
  return line.length < 100 && /^[ \t]*(?:-{3,}[ \t]*)?$/.test(line);
}

const LONGEST = 100_000;
const PICTURE = /!\[([^\][\n]{0,300})\]\((https?:\/\/[^\s()]{1,2000})\)/g;

export class Section {
  readonly scope: Scope;
  /** The first. */
  readonly line: number;
  readonly title: Title | undefined;
  /** Of its heading; bullets and rows have the highest, a whole note has 0. */
  readonly level: number;
  readonly problems: Problem[] = [];
  /** Its unchanged lines. */
  readonly raw: string[] = [];
  readonly #file: string;
  /** Facts that help to find a trade and are compared, but not stored, by field. */
  readonly #facts = new Map<string, { text: string; line: number }>();
  readonly #values: Values = {};
  readonly #lines: Record<string, number> = {};
  /** Lines, and parts whose lines are meant if they turn out to be text. */
  readonly #texts = new Map<string, (string | Section)[]>();
  /** By address. */
  readonly #attached = new Map<string, { url: string; caption: string | null }>();

  constructor(scope: Scope, file: string, line: number, title?: Title, level = 0) {
    this.scope = scope;
    this.#file = file;
    this.line = line;
    this.title = title;
    this.level = level;
    if (title && title.rest !== '' && title.id === undefined)
      this.addText(this.ownText, title.rest, line);
  }

  /** The field for text without a name. */
  get ownText(): string {
    return this.scope === 'trade' ? 'body' : this.scope === 'week' ? 'summary' : 'notes';
  }

  addText(field: string, text: string | Section, line: number): void {
    const own = this.#texts.get(field);
    if (own) own.push(text);
    else this.#texts.set(field, [text]);
    this.#lines[field] ??= line;
  }

  set(field: string, value: unknown, line: number): void {
    this.#values[field] = value;
    this.#lines[field] = line;
  }

  append(field: string, value: unknown, line: number): void {
    const before = this.#values[field];
    if (Array.isArray(before)) before.push(value);
    this.set(field, Array.isArray(before) ? before : [value], line);
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
    if ((this.scope === 'trade' || this.scope === 'missed') && Object.hasOwn(FACTS, field)) {
      if (!this.#facts.has(field)) this.#facts.set(field, { text: plainOf(text), line });
      return true;
    }
    if (isText(field) && !/^["–—-]/.test(text)) {
      this.addText(field, plainOf(text), line);
      return true;
    }
    const isPercent = field === 'risk_percent' || (field === 'initial_risk' && /%$/.test(text));
    const read = readValue(kindOf(field), isPercent ? text.replace(/ ?%$/, '') : text);
    if ('value' in read) {
      this.set(isPercent ? 'risk_percent' : field, read.value, line);
      return true;
    }
    if (isSure) this.problem(line, `${name.trim()}: ${read.expected}`);
    return isSure;
  }

  /** Sets a YAML property. @returns whether it has a field */
  giveProperty(name: string, property: Property, line: number): boolean {
    if (name === 'images') return this.#attach(textsOf(property));
    if (name === 'entries' && Array.isArray(property)) return this.#giveEntries(property, line);
    const field = fieldNamed(name, this.scope);
    if (field === undefined) return false;
    if (!Array.isArray(property) || !isList(field)) {
      this.give(name, textsOf(property)[0]?.trim() ?? '', line, true);
      return true;
    }
    const items = textsOf(withoutLinks(property)).map((text) =>
      field === 'tags' ? text.replace(/^#(?=\S)/, '') : text,
    );
    if (items.length > 0) this.set(field, field === 'goals' ? goalsIn(property) : items, line);
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

  /** Attaches web addresses; local files are skipped. */
  #attach(urls: readonly string[]): true {
    const web = urls.filter(
      (url) => /^https?:\/\/\S{1,2000}$/.test(url) && !this.#attached.has(url),
    );
    for (const url of web) this.#attached.set(url, { url, caption: null });
    return true;
  }

  has(field: string): boolean {
    return this.#values[field] !== undefined;
  }

  /** @param day of the note, for times without a date */
  clues(day: string | undefined, zone: string): TradeClues {
    const fact = (name: string) => this.#facts.get(name)?.text ?? '';
    const own = dateIn(fact('date')) ?? dateIn(fact('time'));
    const date = own && 'date' in own ? own.date : day;
    const clock = clockIn(fact('time'))?.clock ?? clockIn(fact('date'))?.clock ?? this.title?.clock;
    const at =
      clock && date !== undefined
        ? parseLocal(`${date} ${clockText(clock)}`, clock.zone ?? zone)
        : undefined;
    const number = Number(/\d{1,3}/.exec(fact('number'))?.[0] ?? this.title?.number ?? Number.NaN);
    return {
      id: this.title?.id,
      symbol: symbolIn(fact('symbol')) ?? this.title?.symbol,
      side: sideIn(fact('side')) ?? this.title?.side,
      at,
      day: date,
      entryPrice: figureIn(fact('entry')),
      number: Number.isInteger(number) ? number : undefined,
      countsAll: this.title?.countsSymbol !== true,
    };
  }

  /** The numbers by which later headings may name a trade. */
  get numbers(): string[] {
    return [this.#facts.get('number')?.text, this.title?.number].flatMap((own) =>
      own === undefined ? [] : `${own}`,
    );
  }

  /**
   * Whether it names a trade: by id, by time with symbol or side, or by symbol and day; with a
   * symbol only, perhaps.
   */
  naming({
    id,
    symbol,
    side,
    at,
    number,
    day,
  }: TradeClues): 'certain' | 'side' | 'symbol' | undefined {
    if (id !== undefined) return 'certain';
    if (at !== undefined) return symbol === undefined && side === undefined ? undefined : 'certain';
    if (symbol === undefined || day === undefined) return undefined;
    if (this.level === 0 || number !== undefined) return 'certain';
    if (side !== undefined) return 'side';
    return Object.keys(this.#values).length + this.#facts.size > 0 ? 'symbol' : undefined;
  }

  /**
   * @param date of the note's day
   * @param texts parts that are text
   */
  record(date: string, clues?: TradeClues, texts: ReadonlySet<Section> = new Set()): NotedRecord {
    const { values, lines, textTags } = this.#fields(texts);
    const of = { file: this.#file, line: this.line, resource: RESOURCES[this.scope], date };
    const record = { ...of, values, lines, ...(textTags.length > 0 && { textTags }) };
    return clues
      ? { ...record, clues, figures: this.#figures(), attachments: [...this.#attached.values()] }
      : record;
  }

  /** @returns undefined without a symbol, a side and a time */
  missed(date: string, { at, symbol, side }: TradeClues): NotedRecord | undefined {
    if (at === undefined || symbol === undefined || side === undefined) return undefined;
    const record = this.record(date);
    const { reason, notes, miss_type, hypothetical_outcome } = record.values;
    const derived = {
      miss_type: miss_type ?? missTypeOf(String(reason ?? notes ?? '')),
      hypothetical_outcome: hypothetical_outcome ?? outcomeOf(record.values),
    };
    return {
      ...record,
      values: { missed_at: toInstantText(at), symbol, side, ...record.values, ...derived },
    };
  }

  /** All fields. #words are tags unless tags are named. */
  #fields(texts: ReadonlySet<Section>) {
    const values: Values = { ...this.#values };
    let textTags: string[] = [];
    for (const [field, lines] of this.#texts) {
      const text = textOf(flat(lines, texts));
      if (text === null || values[field] !== undefined) continue;
      values[field] = text;
      if (field === this.ownText && this.scope !== 'week') textTags = textTags.concat(tagsIn(text));
      for (const [, caption, url = ''] of text.slice(0, LONGEST).matchAll(PICTURE)) {
        if (!this.#attached.has(url)) this.#attached.set(url, { url, caption: caption || null });
      }
    }
    if (textTags.length > 0) values['tags'] ??= textTags;
    return { values, lines: { ...this.#lines }, textTags };
  }

  #figures(): NotedFigure[] {
    const printed = this.#facts.get('result');
    const result = printed && printedResultIn(printed.text);
    const own: NotedFigure[] = result
      ? [{ field: 'net_pnl', figure: result, line: printed.line }]
      : [];
    const names = {
      entry_price: 'entry',
      exit_price: 'exit',
      quantity: 'quantity',
      net_pnl: 'pnl',
      r_multiple: 'r',
    };
    const others = Object.entries(names).flatMap(([field, name]): NotedFigure[] => {
      const fact = this.#facts.get(name);
      const figure = fact && (name === 'r' ? rIn : figureIn)(fact.text);
      return figure ? [{ field: field as NotedFigure['field'], figure, line: fact.line }] : [];
    });
    return others.some(({ field }) => field === 'net_pnl') ? others : [...own, ...others];
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
    const met =
      Array.isArray(own) || !('met' in own)
        ? undefined
        : textIn((own as Record<string, Property>)['met']);
    return text === undefined
      ? []
      : [{ text, met: met === 'true' ? true : met === 'false' ? false : null }];
  });
}

function symbolIn(text: string): string | undefined {
  const symbol = text.trim().replace(/^[$/#]/, '');
  return /^[\p{L}\p{N}./_!:-][\p{L}\p{N}./_!: -]{0,40}$/u.test(symbol) ? symbol : undefined;
}

/** Undefined for LONG / SHORT, as in templates. */
function sideIn(text: string): string | undefined {
  const isLong = /\b(?:long|buy|bought)\b/i.test(text);
  const isShort = /\b(?:short|sell|sold)\b/i.test(text);
  return isLong === isShort ? undefined : isLong ? 'long' : 'short';
}
