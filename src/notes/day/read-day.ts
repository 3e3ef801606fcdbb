/**
 * Reads a day note line by line: the session, a section per trade, missed trades. Several days may
 * share a note.
 */
import { type Problem, RowError } from '../../errors.ts';
import type { NotedRecord } from '../note.ts';
import { fieldNamed, headingNamed, isText, type Scope } from './fields.ts';
import { boldIn, bulletIn, CALLOUT_LEVEL, checkIn, type Line, labelIn, type Row } from './lines.ts';
import { Section } from './section.ts';
import { type AmbiguousDate, ambiguous, dateIn, type Title, titleIn } from './titles.ts';
import { flagIn, readMissed } from './values.ts';

/** Deeper than any heading: a line in bold, a row of a table, a bullet. */
const LINE_LEVEL = CALLOUT_LEVEL + 1;

/**
 * Days and trades of a note: its records are written in one transaction, and a note in words never
 * has as many.
 */
const MOST_PARTS = 10_000;

/** The field for text until the next heading. */
interface Target {
  field: string;
  level: number;
  /** Below a heading of the user's own, which stays in the text. */
  isOwn: boolean;
}

interface Day {
  date: string | undefined;
  session: Section;
  trades: Section[];
  missed: Section[];
  /** Parts by the numbers in their names: later headings may refer to them. */
  numbered: Map<string, Section>;
}

export interface DayContext {
  file: string;
  /** From --date or the file name. */
  date: string | undefined;
  /** For times without one. */
  zone: string;
  /** The review of a week has no days and no trades of its own. */
  scope: 'session' | 'week';
}

/** Words of a day's heading besides its date. */
const OF_DAY =
  /^(?:session|day|daily|trading|trade|journal|log|notes?|diary|recap|week|mon|tues?|wed|thu|thurs|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|st|nd|rd|th)$/;

export class DayReader {
  readonly #context: DayContext;
  readonly #skipped: string[];
  readonly #days: Day[] = [];
  readonly problems: Problem[] = [];
  #day: Day;
  #part: Section | undefined;
  #target: Target | undefined;
  /** What bullets mean below a heading. */
  #mode: { kind: 'goals' | 'missed' | 'next_goals'; level: number } | undefined;
  #isTemplate = false;
  #bullet: number | undefined;
  #parts = 0;

  constructor(context: DayContext, skipped: string[]) {
    this.#context = context;
    this.#skipped = skipped;
    this.#day = this.#begin(undefined, 1);
  }

  get session(): Section {
    return this.#day.session;
  }

  /** Makes the whole note about one trade. */
  about(part: Section): void {
    this.#part = part;
    (part.scope === 'missed' ? this.#day.missed : this.#day.trades).push(part);
  }

  read(lines: readonly Line[]): void {
    for (const line of lines) this.#line(line);
  }

  /** @returns the parts of days with a date: each begins with its session */
  finish(): NotedRecord[] {
    return this.#days.flatMap((day) => this.#records(day));
  }

  #begin(date: string | undefined, line: number): Day {
    this.#count(line);
    const session = new Section(this.#context.scope, this.#context.file, line);
    this.#day = { date, session, trades: [], missed: [], numbered: new Map() };
    this.#days.push(this.#day);
    this.#part = this.#target = this.#mode = this.#bullet = undefined;
    return this.#day;
  }

  #line(line: Line): void {
    if (line.kind === 'heading') return this.#heading(line.level, line.title, line);
    if (this.#isTemplate) return;
    if (line.kind === 'table') return this.#table(line.rows);
    if (this.#bullet !== undefined && !this.#isBelowBullet(line)) this.#leavePart();
    this.#part?.raw.push(line.raw);
    switch (line.kind) {
      case 'callout':
        return this.#heading(CALLOUT_LEVEL, line.title, line);
      case 'end':
        return this.#endCallout();
      case 'exact':
        // The figures of a printed week are only shown.
        if (line.field !== 'figures') this.#current().set(line.field, line.text, line.number);
        return;
      case 'rule':
        if (this.#target && !this.#target.isOwn) this.#target = undefined;
        else this.#text(line.raw, line.number);
        return;
      case 'text':
        return this.#written(line);
      default:
        return this.#text(line.raw, line.number);
    }
  }

  /** The current trade, else the session. */
  #current(): Section {
    return this.#part ?? this.#day.session;
  }

  #scope(): Scope {
    return this.#part?.scope ?? this.#context.scope;
  }

  #leavePart(): void {
    this.#number();
    this.#part = this.#target = this.#bullet = undefined;
  }

  #endCallout(): void {
    if (this.#part?.level === CALLOUT_LEVEL) this.#leavePart();
    if (this.#target?.level === CALLOUT_LEVEL) this.#target = undefined;
    if (this.#mode?.level === CALLOUT_LEVEL) this.#mode = undefined;
  }

  #heading(level: number, words: string, line: Line): void {
    if (this.#isBeginOfDay(level, words, line) || this.#isTemplate) return;
    if (this.#part && level <= this.#part.level) this.#leavePart();
    if (this.#mode && level <= this.#mode.level) this.#mode = undefined;
    if (this.#target && (level <= this.#target.level || !this.#target.isOwn))
      this.#target = undefined;
    if (this.#beginsPart(level, words, line)) return;
    const known = headingNamed(words, this.#scope());
    if (known?.kind === 'text') {
      this.#target = { field: known.field, level, isOwn: false };
      if (this.#part) this.#part.raw.push(line.raw);
    } else if (known !== undefined && known.kind !== 'container') {
      this.#mode = { kind: known.kind, level };
    } else if (known === undefined) this.#ownHeading(level, words, line);
  }

  /**
   * A heading of the user's own stays in the text, as does the title of a callout; that of a whole
   * note doesn't.
   */
  #ownHeading(level: number, words: string, line: Line): void {
    if (level === 1 && this.#part?.level === 0) return;
    const isCallout = line.kind === 'callout';
    const field = this.#target?.field ?? this.#current().ownText;
    const keeps = this.#target?.isOwn === true && level > this.#target.level;
    this.#current().addText(field, isCallout ? words : line.raw, line.number);
    if (this.#part) this.#part.raw.push(line.raw);
    else if (!keeps) this.#target = { field, level, isOwn: true };
  }

  #isBeginOfDay(level: number, words: string, { number }: Line): boolean {
    if (this.#part?.level === 0 || level === CALLOUT_LEVEL || this.#context.scope === 'week')
      return false;
    const title = titleIn(words);
    if (title?.id !== undefined) return false;
    if (/\bY{4}-M{2}-D{2}\b/.test(words)) {
      this.#isTemplate = true;
      this.#skipped.push('template');
      return true;
    }
    const day = dateIn(words);
    if (!day || /\d:\d\d/.test(words)) return false;
    if (title?.number !== undefined && title.symbol !== undefined) return false;
    if (level > 1 && !this.#isTitleOfDay(words)) return false;
    if ('unclear' in day) {
      if (this.#day.date === undefined && this.#context.date === undefined)
        this.#unclear(day, number);
      return level === 1;
    }
    this.#isTemplate = false;
    const { date } = this.#day;
    if (date === undefined && level === 1) this.#day.date = day.date;
    else if (date !== day.date) this.#begin(day.date, number);
    else this.#leavePart();
    return true;
  }

  #isTitleOfDay(words: string): boolean {
    const left = words.toLowerCase().match(/\p{L}+/gu) ?? [];
    return left.every((word) => OF_DAY.test(word));
  }

  #unclear(date: AmbiguousDate, line: number): void {
    this.#day.session.problem(line, ambiguous(date, 'write it as'));
  }

  /** Whether a heading begins a trade, a missed trade, or later text about a trade. */
  #beginsPart(level: number, words: string, line: Line): boolean {
    if (this.#part?.level === 0 || this.#context.scope === 'week') return false;
    const title = titleIn(words);
    if (!title) return false;
    const { id, clock, number, symbol, side } = title;
    this.#number();
    const before =
      symbol === undefined && clock === undefined && this.#day.numbered.get(String(number));
    if (before) {
      this.#part = before;
      before.addText(before.ownText, '', line.number);
      return true;
    }
    const isTraded = symbol !== undefined && (side !== undefined || title.rest === '');
    const isPart = id !== undefined || clock !== undefined || number !== undefined || isTraded;
    if (!isPart || (headingNamed(words, this.#scope()) && id === undefined)) return false;
    const isMissed = title.isMissed || (this.#mode?.kind === 'missed' && clock !== undefined);
    this.#beginPart(isMissed ? 'missed' : 'trade', title, level, line);
    return true;
  }

  #beginPart(
    scope: 'trade' | 'missed',
    title: Title | undefined,
    level: number,
    { number, raw }: Line,
  ): Section {
    this.#count(number);
    const part = new Section(scope, this.#context.file, number, title, level);
    part.raw.push(raw);
    // In the place of its text, if it turns out to be text.
    const { field } = this.#target ?? { field: 'notes' };
    if (scope === 'trade') this.session.addText(field, part, number);
    (scope === 'missed' ? this.#day.missed : this.#day.trades).push(part);
    this.#part = part;
    this.#target = undefined;
    return part;
  }

  #count(line: number): void {
    if (++this.#parts <= MOST_PARTS) return;
    throw new RowError(
      null,
      `the note has more than ${MOST_PARTS} days and trades; split it into several notes`,
      line,
    );
  }

  /** Remembers the numbers of the current trade, which fields may state too. */
  #number(): void {
    const [part, { numbered }] = [this.#part, this.#day];
    if (part?.scope !== 'trade') return;
    for (const number of part.numbers) if (!numbered.has(number)) numbered.set(number, part);
  }

  #written(line: Line): void {
    const { raw, number } = line;
    if (this.#check(raw, number) || this.#label(raw, number)) return;
    const bullet = bulletIn(raw);
    if (bullet && this.#mode?.kind === 'goals' && !this.#part) {
      this.session.append('goals', { text: bullet.text, met: null }, number);
    } else if (bullet && this.#mode?.kind === 'next_goals')
      this.session.append('next_goals', bullet.text, number);
    else if (!bullet || !this.#bulletOf(bullet, line)) this.#text(raw, number);
  }

  /** A checkbox is a rule of a trade, or a goal below a heading of goals or rules. */
  #check(raw: string, line: number): boolean {
    const check = checkIn(raw);
    if (!check || flagIn(check.text) !== undefined) return false;
    const { text, isDone } = check;
    if (this.#part?.scope === 'trade' && !this.#target) {
      this.#part.append('rules', { rule: text, followed: isDone }, line);
      return true;
    }
    if (this.#part || this.#mode?.kind !== 'goals') return false;
    this.session.append('goals', { text, met: isDone }, line);
    return true;
  }

  #label(raw: string, line: number): boolean {
    const bold = boldIn(raw);
    const label = labelIn(raw);
    const current = this.#current();
    if (bold !== undefined && (!label || label.value === '')) {
      const known = headingNamed(bold, current.scope);
      if (known?.kind !== 'text') return false;
      this.#target = { field: known.field, level: LINE_LEVEL, isOwn: false };
      return true;
    }
    if (!label) return false;
    const { name, value, form } = label;
    const field = fieldNamed(name, current.scope);
    if (field === undefined) {
      if (form === 'dataview')
        current.problem(line, `${name}: unknown field; it stays in the text`);
      return false;
    }
    if (this.#target && form === 'plain') return false;
    const isBelowBold = this.#target?.level === LINE_LEVEL;
    if (this.#target && form === 'bold' && !isBelowBold && (this.#target.isOwn || !isText(field)))
      return false;
    if (isBelowBold) this.#target = undefined;
    if (current.scope === 'session' && field === 'date') return this.#date(value, line);
    return current.give(name, value, line, form !== 'plain');
  }

  #date(text: string, line: number): boolean {
    const day = dateIn(text);
    if (!day) return false;
    if ('unclear' in day) this.#unclear(day, line);
    else this.#day.date ??= day.date;
    return true;
  }

  /** Reads a bullet as a trade or missed trade: - 10:25 short MGC 4214.6 -> 4216.2 */
  #bulletOf({ text, indent }: { text: string; indent: number }, line: Line): boolean {
    if (this.#part || this.#target || this.#context.scope === 'week') return false;
    const title = titleIn(text);
    if (title?.clock === undefined || title.symbol === undefined || title.side === undefined)
      return false;
    const scope = this.#mode?.kind === 'missed' || title.isMissed ? 'missed' : 'trade';
    const part = this.#beginPart(scope, { ...title, rest: '' }, LINE_LEVEL, line);
    this.#bullet = indent;
    if (scope === 'missed') readMissed(afterTitle(text, title), part, line.number);
    part.addText(part.ownText, text, line.number);
    return true;
  }

  #isBelowBullet({ kind, raw }: Line): boolean {
    return kind === 'blank' || (kind === 'text' && indentOf(raw) > (this.#bullet ?? 0));
  }

  #text(raw: string, line: number): void {
    const current = this.#current();
    current.addText(this.#target?.field ?? current.ownText, raw, line);
  }

  #table(rows: readonly Row[]): void {
    for (const { raw } of rows) this.#part?.raw.push(raw);
    const [header, rule, ...others] = rows as [Row, Row, ...Row[]];
    if (!this.#part && this.#context.scope === 'session' && this.#rowPerTrade(header, others))
      return;
    const isOfFields = header.cells.length === 2 && (this.#part !== undefined || !this.#target);
    const left = others.filter(({ cells: [name = '', value = ''], number }) => {
      return (
        !isOfFields || (!isEmptyCell(value) && !this.#current().give(name, value, number, true))
      );
    });
    if (isOfFields && left.length === 0) return;
    for (const { raw, number } of [header, rule, ...left]) this.#text(raw, number);
  }

  /**
   * Reads a table with a symbol and a time or number as one trade per row. @returns whether it is
   * such a table
   */
  #rowPerTrade({ cells: names }: Row, rows: readonly Row[]): boolean {
    const scope = this.#mode?.kind === 'missed' ? 'missed' : 'trade';
    const fields = names.map((name) => fieldNamed(name, scope));
    if (!fields.includes('symbol') || !(fields.includes('time') || fields.includes('number')))
      return false;
    for (const { number, raw, cells } of rows) {
      const named = cells.some(
        (cell, index) => ['time', 'number'].includes(fields[index] ?? '') && /\d/.test(cell),
      );
      if (isTotal(cells) || !named) {
        this.#skipped.push(isTotal(cells) ? 'total line' : 'row without a time or a number');
        continue;
      }
      const part = this.#beginPart(scope, undefined, LINE_LEVEL, { kind: 'text', number, raw });
      names.forEach((name, index) => {
        const cell = cells[index] ?? '';
        if (!isEmptyCell(cell)) part.give(name, cell, number, true);
      });
      this.#leavePart();
    }
    return true;
  }

  #records(day: Day): NotedRecord[] {
    const { zone } = this.#context;
    const date = day.date ?? this.#context.date;
    const named = day.trades.map((part) => {
      const clues = part.clues(date, zone);
      return { part, clues, naming: part.naming(clues) };
    });
    const trades = named.flatMap(({ naming, ...own }) =>
      naming === undefined ? [] : { ...own, naming },
    );
    // A section that names no trade is text of the day.
    const texts = new Set(
      named.filter(({ naming }) => naming === undefined).map(({ part }) => part),
    );
    for (const { part, naming } of trades) if (naming === 'certain') this.#keepProblems(part);
    const own = date ?? trades[0]?.clues.day ?? day.missed[0]?.clues(date, zone).day;
    const missed = day.missed.flatMap((part) => {
      const record = part.missed(own ?? '', part.clues(date, zone));
      if (!record)
        part.problem(
          part.line,
          'a missed trade needs a time, a symbol and a side, such as 09:45 MNQ long',
        );
      this.#keepProblems(part);
      return record ?? [];
    });
    this.#keepProblems(day.session);
    if (own === undefined) return [];
    const session = day.session.record(own, undefined, texts);
    const parts = trades.map(({ part, clues, naming }): NotedRecord => {
      const record = part.record(own, clues);
      return naming === 'certain' ? record : { ...record, doubt: naming, problems: part.problems };
    });
    session.notesWith = (lines) => {
      const also = trades.flatMap(({ part }) => (lines.has(part.line) ? part : []));
      return (day.session.record(own, undefined, new Set([...texts, ...also])).values['notes'] ??
        null) as string | null;
    };
    // A note about one trade is no session.
    const isOfTrade = [...day.trades, ...day.missed].some(({ level }) => level === 0);
    return [isOfTrade ? { ...session, values: {} } : session, ...parts, ...missed];
  }

  #keepProblems({ problems }: Section): void {
    for (const problem of problems) this.problems.push(problem);
  }
}

function isEmptyCell(cell: string): boolean {
  return /^[-–—]?$/.test(cell);
}

function isTotal([first = '']: readonly string[]): boolean {
  return /^(?:totals?|sum|Σ)$/i.test(first.replaceAll(/[*_: ]/g, ''));
}

function indentOf(raw: string): number {
  return (/^[ \t]*/.exec(raw)?.[0] ?? '').length;
}

/** The text of a bullet after side and symbol. */
function afterTitle(text: string, { symbol, side }: Title): string {
  const at = Math.max(
    text.indexOf(symbol ?? '') + (symbol?.length ?? 0),
    text.toLowerCase().indexOf(side ?? '') + (side?.length ?? 0),
  );
  return text.slice(at).replace(/^[,: ]+/, '');
}
