/**
 * The parts of a note while it is read, and what is open at a line: the day, the trade,
 * the text and the list that the line may belong to. Headings open and close them by
 * their levels.
 */
import { RowError } from '../../errors.ts';
import type { TextLine } from '../note.ts';
import { type Block, CALLOUT_LEVEL } from './blocks.ts';
import type { ListKind, Scope } from './field-names.ts';
import { Part } from './part.ts';
import type { Title } from './titles.ts';

/** Deeper than any heading: a line in bold, a row of a table, a bullet. */
export const LINE_LEVEL = CALLOUT_LEVEL + 1;

/**
 * Days and trades of a note: its records are written in one transaction, and a note in
 * words never has as many.
 */
const MOST_PARTS = 10_000;

/** A field that is a text of several lines, until the next heading. */
interface OpenText {
  field: string;
  level: number;
  /** Below a heading of the user's own, which stays in the text. */
  isOfUser: boolean;
  /**
   * Whether its heading looks like that of a trade: fields below it are none of the
   * session.
   */
  mayBeTrade?: boolean;
}

interface OpenList {
  kind: ListKind;
  level: number;
}

export interface Day {
  date: string | undefined;
  session: Part;
  trades: Part[];
  missed: Part[];
  /** Parts by the numbers in their names: later headings may refer to them. */
  numbered: Map<string, Part>;
  /** Lines that look like a field or a trade, and stayed text. */
  stayed: TextLine[];
}

export interface NoteFacts {
  file: string;
  /** From --date or the file name. */
  date: string | undefined;
  /** The review of a week has no days and no trades of its own. */
  scope: 'session' | 'week';
}

export class Outline {
  readonly facts: NoteFacts;
  readonly days: Day[] = [];
  /** Why rows and parts were skipped. */
  readonly skipped: string[];
  day: Day;
  part: Part | undefined;
  text: OpenText | undefined;
  list: OpenList | undefined;
  /** Whether no heading came yet: the first may be the note's title. */
  isAtTop = true;
  /** Whether all is skipped until the next day. */
  isTemplate = false;
  #parts = 0;

  constructor(facts: NoteFacts, skipped: string[]) {
    this.facts = facts;
    this.skipped = skipped;
    this.day = this.beginDay(undefined, 1);
  }

  /** The current trade, else the session. */
  get current(): Part {
    return this.part ?? this.day.session;
  }

  get scope(): Scope {
    return this.current.scope;
  }

  /** Whether headings and bullets may begin trades. */
  get takesTrades(): boolean {
    return this.facts.scope !== 'week' && !this.part?.isWholeNote;
  }

  /** The field that a line of text goes to. */
  get textField(): string {
    return this.text?.field ?? this.current.textField;
  }

  beginDay(date: string | undefined, line: number): Day {
    const { file, scope } = this.facts;
    this.#countPart(line);
    const session = new Part({ scope, file, line });
    this.day = { date, session, trades: [], missed: [], numbered: new Map(), stayed: [] };
    this.days.push(this.day);
    this.part = this.text = this.list = undefined;
    return this.day;
  }

  /** Makes the whole note about one trade. */
  beginWhole(part: Part): void {
    this.part = part;
    (part.scope === 'missed' ? this.day.missed : this.day.trades).push(part);
  }

  beginPart(
    { number, raw }: Pick<Block, 'number' | 'raw'>,
    scope: 'trade' | 'missed',
    level: number,
    { title, indent }: { title?: Title | undefined; indent?: number | undefined },
  ): Part {
    this.#countPart(number);
    const { file } = this.facts;
    const part = new Part({ scope, file, line: number, title, level, indent });
    part.raw.push(raw);

    (scope === 'missed' ? this.day.missed : this.day.trades).push(part);
    // In the place of its text, if it turns out to be text.
    this.day.session.addText(this.text?.field ?? 'notes', part, number);

    this.part = part;
    this.text = undefined;
    return part;
  }

  /** Later text about a trade. */
  continuePart(part: Part, line: number): void {
    this.part = part;
    this.text = undefined;
    part.indent = undefined;
    part.addText(part.textField, '', line);
  }

  leavePart(): void {
    this.keepNumbers();
    this.part = this.text = undefined;
  }

  /** Remembers the numbers of the current trade, which fields may state too. */
  keepNumbers(): void {
    const { part, day } = this;
    if (part?.scope !== 'trade') return;
    for (const number of part.numbers)
      if (!day.numbered.has(number)) day.numbered.set(number, part);
  }

  /** A heading ends what has its level or a deeper one, and any text that has a field. */
  close(level: number): void {
    if (this.part && level <= this.part.level) this.leavePart();
    if (this.list && level <= this.list.level) this.list = undefined;
    if (this.text && (level <= this.text.level || !this.text.isOfUser))
      this.text = undefined;
  }

  /** A field ends the text below a line in bold. */
  closeBold(): void {
    if (this.text?.level === LINE_LEVEL) this.text = undefined;
  }

  closeCallout(): void {
    if (this.part?.level === CALLOUT_LEVEL) this.leavePart();
    if (this.text?.level === CALLOUT_LEVEL) this.text = undefined;
    if (this.list?.level === CALLOUT_LEVEL) this.list = undefined;
  }

  /** A bullet's trade ends at the first line that isn't indented further. */
  closeBullet(block: Block): void {
    const indent = this.part?.indent;
    if (indent === undefined || block.kind === 'blank') return;
    if (block.kind !== 'text' || indentOf(block.raw) <= indent) this.leavePart();
  }

  write({ raw, number }: Pick<Block, 'number' | 'raw'>): void {
    this.current.addText(this.textField, raw, number);
  }

  #countPart(line: number): void {
    if (++this.#parts <= MOST_PARTS) return;
    throw new RowError(
      null,
      `the note has more than ${MOST_PARTS} days and trades; split it into several notes`,
      line,
    );
  }
}

function indentOf(raw: string): number {
  return /^[ \t]*/.exec(raw)?.[0].length ?? 0;
}
