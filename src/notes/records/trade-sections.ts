/**
 * The trades that sections of notes are about. What can't be found, or may be a wrong
 * one, is reported; what is no trade is text of its session.
 */
import { type Problem, RowError } from '../../errors.ts';
import type { Values } from '../../journal-write/record.ts';
import { agrees } from '../../parse/cells.ts';
import { type FoundTrade, isOf, type TradeFinder } from '../find-trade.ts';
import type { NotedRecord, TradeClues } from '../note.ts';
import type { FoundGroup, GroupFinder } from './find-group.ts';
import type { FormerTrades } from './former-note.ts';
import { factsOfGroup, valuesOfGroup } from './group-sections.ts';
import type { ReadBacks } from './read-back.ts';
import { differencesOf, type Facts, type TradeFacts } from './trade-facts.ts';

/** What is reported of notes. */
export interface NoteReport {
  notes: string[];
  problems?: Problem[];
}

/** What sections of trades are looked up in. */
interface Known {
  finder: TradeFinder;
  groups: GroupFinder;
  facts: TradeFacts;
  /** Of the notes' former versions; undefined if the same version is read again. */
  former: FormerTrades | undefined;
}

export class TradeSections {
  readonly #finder: TradeFinder;
  readonly #groups: GroupFinder;
  readonly #facts: TradeFacts;
  readonly #former: FormerTrades | undefined;
  readonly #report: NoteReport;
  readonly #readBacks: ReadBacks;
  /** Sections without a trade, and why. */
  readonly #unfound: { part: NotedRecord; error: RowError }[] = [];
  /** Lines of sections that are text, by the place of their note's day. */
  readonly #texts = new Map<string, Set<number>>();
  /** The place of each section, by its trade or group. */
  readonly #places = new Map<string, string>();

  constructor(
    { finder, groups, facts, former }: Known,
    report: NoteReport,
    readBacks: ReadBacks,
  ) {
    this.#finder = finder;
    this.#groups = groups;
    this.#facts = facts;
    this.#former = former;
    this.#report = report;
    this.#readBacks = readBacks;
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

  /**
   * The trade of a section; undefined if there isn't exactly one: settleUnfound() reports
   * it.
   */
  find(part: NotedRecord): FoundTrade | undefined {
    const { file, line, clues = {} } = part;
    const trade = this.#found(clues, (error) => this.#unfound.push({ part, error }));
    if (!trade || !this.isFirst(part, `trade ${trade.id}`)) return undefined;

    const guess = this.#guessIn(trade, clues);
    if (guess !== undefined) this.#report.notes.push(`${file}:${line}: ${guess}`);

    return trade;
  }

  /**
   * Once all sections were looked at: one that had a trade in the note's former version
   * is an error, as is a note about one trade; others are text.
   */
  settleUnfound(): void {
    for (const { part, error } of this.#unfound) {
      const isTaken = (id: string) => this.#places.has(`trade ${id}`);
      if (part.heading === undefined || this.#former?.had(part, isTaken)) {
        this.#problem(part, part.line, error.message);
        for (const problem of part.problems ?? []) this.#report.problems?.push(problem);
      } else this.#keepText(part, part.heading);
    }
  }

  /** The trade of a section that was deleted; undefined if it went, too. */
  findGone({ clues = {} }: NotedRecord): FoundTrade | undefined {
    return this.#found(clues, () => {});
  }

  /**
   * What a section states of its trade: figures that differ from the fills are reported.
   */
  valuesOf(trade: FoundTrade, part: NotedRecord): Values {
    const values = this.#withRisk(trade.executed_at, part);
    this.#compare(this.#facts.of(trade.id), part, values);
    this.#readBacks.putTrade(part, trade, values);
    return values;
  }

  /** The same of a group; what a group lacks stays in its text, and is reported. */
  valuesOfGroup(group: FoundGroup, part: NotedRecord): Values {
    const values = this.#withRisk(group.opened_at, part);
    this.#compare(factsOfGroup(group), part, values);
    const known = valuesOfGroup(group, part, values, (stayed) =>
      this.#readBacks.putStayed(part, stayed),
    );
    this.#readBacks.putGroup(part, group, known);
    return known;
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
  keepStayed(part: NotedRecord): void {
    for (const { symbol, otherwise, mark, reason, ...line } of part.stayed ?? []) {
      const why = this.#isKnown(symbol, part.date) ? reason : otherwise;
      if (why === undefined) continue;

      const [trade] = symbol?.of === 'day' ? this.#ofDay(symbol.name, part.date) : [];
      const example = trade
        ? `, as in ${mark} ${this.#finder.timeOf(trade)} ${symbol?.name} ${trade.side}`
        : '';
      this.#readBacks.putStayed(part, { ...line, reason: why + example });
    }
  }

  #ofDay(symbol: string, day: string): readonly FoundTrade[] {
    return this.#finder.fitting({ day, symbol });
  }

  #isKnown(
    symbol: { name: string; of: 'journal' | 'day' } | undefined,
    day: string,
  ): boolean {
    if (!symbol) return true;
    return symbol.of === 'journal'
      ? this.#finder.knows(symbol.name)
      : this.#ofDay(symbol.name, day).length > 0;
  }

  #keepText(part: NotedRecord, heading: string): void {
    const { file, date, line, clues = {} } = part;
    const place = `${file} ${date}`;
    const lines = this.#texts.get(place) ?? new Set();
    this.#texts.set(place, lines.add(line));

    const reason = this.#finder.whyNot(clues);
    this.#readBacks.putStayed(part, { line, text: heading.trim(), reason });
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

  /**
   * Why the trade may be a wrong one: the report names it, so that nothing is taken in
   * silence.
   */
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
    if (typeof percent !== 'number' || values['initial_risk'] !== undefined)
      return values;

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
