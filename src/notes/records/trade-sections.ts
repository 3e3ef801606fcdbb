/**
 * The trades that sections of notes are about. What can't be found, or may be a wrong one, is
 * reported; what is no trade is text of its session.
 */
import { type Problem, RowError } from '../../errors.ts';
import { agrees } from '../../import/parse/numbers.ts';
import type { Values } from '../../journal-write/record.ts';
import { type FoundTrade, isOf, type TradeFinder } from '../find-trade.ts';
import type { NotedRecord, StayedText, TradeClues } from '../note.ts';
import {
  type FoundGroup,
  factsOfGroup,
  type GroupFinder,
  valuesOfGroup,
} from './group-sections.ts';
import { differencesOf, type Facts, type TradeFacts } from './trade-facts.ts';

/** What is reported of notes. */
export interface NoteReport {
  notes: string[];
  problems?: Problem[];
  /** Lines that look like a field or a trade, and stayed text. */
  stayed?: StayedText[];
}

export class TradeSections {
  readonly #finder: TradeFinder;
  readonly #groups: GroupFinder;
  readonly #facts: TradeFacts;
  readonly #report: NoteReport;
  /** Lines of sections that are text, by the place of their note's day. */
  readonly #texts = new Map<string, Set<number>>();
  /** The place of each section, by its trade or group. */
  readonly #places = new Map<string, string>();

  constructor(finder: TradeFinder, groups: GroupFinder, facts: TradeFacts, report: NoteReport) {
    this.#finder = finder;
    this.#groups = groups;
    this.#facts = facts;
    this.#report = report;
  }

  /** The group of a section; undefined if it is about a trade, or text. */
  groupOf({ clues = {} }: NotedRecord): FoundGroup | undefined {
    return this.#groups.find(clues);
  }

  /** Whether no section before was about the same trade or group; else it is reported. */
  isFirst(part: NotedRecord, name: string): boolean {
    const { file, line } = part;
    const before = this.#places.get(name);
    if (before !== undefined) {
      this.#problem(part, line, `${name} already has a section at ${before}; keep one`);
      return false;
    }

    this.#places.set(name, `${file}:${line}`);
    for (const problem of part.problems ?? []) this.#report.problems?.push(problem);
    return true;
  }

  /** The trade of a section; undefined if it is text, or its trade isn't known. */
  find(part: NotedRecord): FoundTrade | undefined {
    const { file, line, clues = {} } = part;
    const whyText = this.#whyText(part);
    if (whyText !== undefined) {
      this.#keepText(part, whyText);
      return undefined;
    }

    const trade = this.#tradeOf(part);
    if (!trade || !this.isFirst(part, `trade ${trade.id}`)) return undefined;

    const guess = this.#guessIn(trade, clues);
    if (guess !== undefined) this.#report.notes.push(`${file}:${line}: ${guess}`);

    return trade;
  }

  /** The trade of a section that was deleted; undefined if it went, too. */
  findGone({ clues = {} }: NotedRecord): FoundTrade | undefined {
    return this.#found(clues, () => {});
  }

  /** What a section states of its trade: figures that differ from the fills are reported. */
  valuesOf(trade: FoundTrade, part: NotedRecord): Values {
    const values = this.#withRisk(trade.executed_at, part);
    this.#compare(this.#facts.of(trade.id), part, values);
    return values;
  }

  /** The same of a group; what a group lacks stays in its text, and is reported. */
  valuesOfGroup(group: FoundGroup, part: NotedRecord): Values {
    const values = this.#withRisk(group.opened_at, part);
    this.#compare(factsOfGroup(group), part, values);
    return valuesOfGroup(group, part, values, (stayed) => {
      this.#report.stayed?.push(stayed);
      this.#report.notes.push(
        `${stayed.file}:${stayed.line}: ${stayed.reason}; it stays in the text`,
      );
    });
  }

  #compare(facts: Facts, { file, figures = [] }: NotedRecord, values: Values): void {
    for (const difference of differencesOf(facts, figures, values))
      this.#report.notes.push(`${file}:${difference}`);
  }

  /** The values of a session, with sections that turned out to be text. */
  sessionWithTexts({ file, date, values, notesWith }: NotedRecord): Values {
    const lines = this.#texts.get(`${file} ${date}`);
    return lines ? { ...values, notes: notesWith?.(lines) ?? null } : values;
  }

  /** Reports lines that look like a field or a trade in the journal. */
  keepStayed({ file, date: day, stayed = [] }: NotedRecord): void {
    for (const { symbol, ...line } of stayed)
      if (this.#isKnown(symbol, day)) this.#report.stayed?.push({ file, ...line });
  }

  #isKnown(symbol: { name: string; of: 'journal' | 'day' } | undefined, day: string): boolean {
    if (!symbol) return true;
    return symbol.of === 'journal'
      ? this.#finder.knows(symbol.name)
      : this.#finder.fitting({ day, symbol: symbol.name }).length > 0;
  }

  /**
   * Why a part without a time or number is text: of a symbol that the journal lacks, or not of
   * exactly one trade. Undefined if it is a trade.
   */
  #whyText({ doubt, clues = {} }: NotedRecord): string | undefined {
    const { symbol = '', day } = clues;
    if (doubt === 'side')
      return this.#finder.knows(symbol) ? undefined : `the journal has no trade in ${symbol}`;
    if (doubt !== 'symbol') return undefined;

    const fitting = this.#finder.fitting(clues);
    if (fitting.length === 1) return undefined;
    if (fitting.length === 0) return `no trade in ${symbol} was entered on ${day}`;

    const times = fitting.map((trade) => this.#finder.timeOf(trade));
    return `${fitting.length} trades fit: ${times.join(', ')}`;
  }

  #keepText({ file, date, line, heading = '' }: NotedRecord, reason: string): void {
    const place = `${file} ${date}`;
    const lines = this.#texts.get(place) ?? new Set();
    this.#texts.set(place, lines.add(line));
    this.#report.stayed?.push({ file, line, text: heading, reason });
  }

  #tradeOf(part: NotedRecord): FoundTrade | undefined {
    return this.#found(part.clues ?? {}, ({ message }) => this.#problem(part, part.line, message));
  }

  #found(clues: TradeClues, failed: (error: RowError) => void): FoundTrade | undefined {
    try {
      return this.#finder.find(clues);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      failed(error);
      return undefined;
    }
  }

  /** Why the trade may be a wrong one: the report names it, so that nothing is taken in silence. */
  #guessIn(
    trade: FoundTrade,
    { id, at, symbol, side, entryPrice }: TradeClues,
  ): string | undefined {
    const name = () => this.#finder.nameOf(trade);
    if (id === trade.id) {
      if (isOf(trade, symbol, side)) return undefined;
      const named = [side, 'trade', symbol && `in ${symbol}`].filter(Boolean).join(' ');
      return `the section is of ${name()} by its id, but names a ${named}`;
    }

    const isNear = at === undefined || this.#finder.isOfMinute(trade, at);
    if (isNear || (entryPrice && agrees(entryPrice, trade.entry_price))) return undefined;

    return `no trade was entered in that minute; the section is of ${name()}`;
  }

  /** The values with a risk in percent of the balance at entry as an amount. */
  #withRisk(enteredAt: string, part: NotedRecord): Values {
    const { risk_percent: percent, ...values } = part.values;
    if (typeof percent !== 'number' || values['initial_risk'] !== undefined) return values;

    const balance = this.#facts.balanceAt(enteredAt);
    const line = part.lines['risk_percent'] ?? 1;
    if (typeof balance === 'string') {
      this.#problem(part, line, `risk: ${percent} % ${balance}; write an amount`);
      return values;
    }

    part.lines['initial_risk'] ??= line;
    return { ...values, initial_risk: (balance * percent) / 100 };
  }

  #problem({ file }: NotedRecord, line: number, message: string): void {
    this.#report.problems?.push({ file, line, message });
  }
}
