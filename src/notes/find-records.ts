/**
 * Day notes into the journal: finds the record that each part of a note is about, and reports what
 * can't be found or stored.
 */
import { resolve } from 'node:path';
import type Database from 'better-sqlite3';
import { type Problem, RowError } from '../errors.ts';
import { agrees } from '../import/parse/numbers.ts';
import type { ListResource } from '../journal/resource.ts';
import { tradeJournals } from '../journal/resources/journals.ts';
import { missedTrades } from '../journal/resources/missed-trades.ts';
import { sessions } from '../journal/resources/sessions.ts';
import { trades } from '../journal/resources/trades.ts';
import { weeklyReviews } from '../journal/resources/weekly-reviews.ts';
import { same, type Values, type WriteSettings } from '../journal-write/record.ts';
import { Reader } from '../sqlite/reader.ts';
import { addDays } from '../time.ts';
import { type FoundTrade, isOf, TradeFinder } from './find-trade.ts';
import type { NotedRecord, StatedRecord, TradeClues } from './note.ts';
import { DayRecords, TRADE_FIELDS } from './stored-day.ts';
import { differencesOf, TradeFacts } from './trade-facts.ts';

/** The parts of notes, and what is reported of them. */
interface NotedReading {
  records: Iterable<StatedRecord>;
  notes: string[];
  problems?: Problem[];
  printed?: readonly NotedRecord[];
}

/**
 * With the id of an import whose notes are read again, and the ids of the records on their lines.
 */
type NotedSettings = WriteSettings & {
  again?: number | undefined;
  former?: ReadonlyMap<string, string> | undefined;
};

/** The place of a record in a note. */
export function placeInNote(resource: string, path: string, line: number | null): string {
  return `${resource} ${path} ${line}`;
}

/** The place of a part in its note; in the printed one, below 0, if it was deleted from it. */
export function placeOf({ line, isGone }: Pick<StatedRecord, 'line' | 'isGone'>): number {
  return isGone === true ? -line : line;
}

/** The order of writing: entries refer to trades. */
const ORDER = [sessions, trades, tradeJournals, missedTrades, weeklyReviews];

/**
 * The records of day notes, each merged from all notes about it.
 * @param reading its problems and notes receive those of its records
 */
export function foundRecords(
  db: Database.Database,
  settings: NotedSettings,
  reading: NotedReading,
): NotedRecord[] {
  const finder = new RecordFinder(db, settings, reading);
  const parts = [...(reading.records as Iterable<NotedRecord>)];
  finder.findMissed(parts.filter(({ resource }) => resource === missedTrades));
  // Trades first: what is no trade is text of its session.
  for (const part of parts) if (part.resource !== sessions) finder.find(part);
  for (const part of parts) if (part.resource === sessions) finder.find(part);
  // No part at all is an unreadable note.
  if (parts.length > 0) finder.findGone();
  return ORDER.flatMap((resource) => finder.found.filter((own) => own.resource === resource));
}

class RecordFinder {
  readonly #records: DayRecords;
  readonly #finder: TradeFinder;
  readonly #facts: TradeFacts;
  readonly #reading: NotedReading;
  readonly #zones: { zone: string; userZone: string };
  readonly #found = new Map<string, NotedRecord>();
  /** Of found records, with their resource. */
  readonly #ids = new Set<string>();
  /** Ids of missed trades that the journal has. */
  readonly #known = new Map<NotedRecord, string | undefined>();
  /** Lines of parts that are text, by the place of their note's day. */
  readonly #texts = new Map<string, Set<number>>();
  /** The place of each trade's section, by id. */
  readonly #sections = new Map<string, string>();
  readonly #former: ReadonlyMap<string, string>;
  /** Of an edited note; undefined otherwise. */
  readonly #printed: PrintedParts | undefined;

  constructor(
    db: Database.Database,
    { user, timeZone, again, former }: NotedSettings,
    reading: NotedReading,
  ) {
    const reader = new Reader(db);
    this.#records = new DayRecords(reader, user.id, again);
    this.#finder = new TradeFinder(reader, user.id, timeZone ?? user.timezone);
    this.#facts = new TradeFacts(db, user);
    this.#reading = reading;
    this.#former = former ?? new Map();
    this.#printed = reading.printed && new PrintedParts(reading.printed);
    this.#zones = { zone: timeZone ?? user.timezone, userZone: user.timezone };
  }

  /** Looks for missed trades in the journal: all of them by time, then what is left by line. */
  findMissed(parts: readonly NotedRecord[]): void {
    if (this.#printed) return this.#findPrintedMissed(parts, this.#printed);

    const placeOf = ({ file, line }: NotedRecord) => ({
      path: resolve(file),
      line,
      ...this.#zones,
    });
    for (const part of parts)
      this.#known.set(
        part,
        this.#formerOf(part, missedTrades) ?? this.#records.missedOf(part.values, placeOf(part)),
      );
    for (const part of parts) {
      if (this.#known.get(part) !== undefined) continue;
      this.#known.set(part, this.#records.missedOnLine(part.values, placeOf(part)));
    }
  }

  /** Of an edited note: each has the id of the one that was printed. */
  #findPrintedMissed(parts: readonly NotedRecord[], printed: PrintedParts): void {
    const pairs = printed.pairMissed(parts);
    for (const before of printed.missed) {
      const part = pairs.get(before);
      const place = part
        ? placeInNote(missedTrades.path, '', part.line)
        : placeInNote(missedTrades.path, REMOVED, -before.line);
      const known = this.#former.get(place) ?? this.#records.missedAt(before.values);
      // It went while the note was open.
      const id = known ?? this.#newMissed(before);
      printed.found(missedTrades, id, before);
      if (part) this.#known.set(part, id);
    }
    for (const part of parts) {
      if (this.#known.has(part)) continue;
      const former = this.#former.get(placeInNote(missedTrades.path, '', part.line));
      this.#known.set(part, former ?? this.#records.missedAt(part.values));
    }
  }

  /** Parts of an edited note that were deleted from it. */
  findGone(): void {
    for (const [part, id] of this.#printed?.left() ?? []) {
      const { resource, date, values } = part;
      const gone = { ...part, values: {}, attachments: [], figures: [], lines: {}, isGone: true };
      if (resource === missedTrades) this.#add({ ...gone, was: values }, id, {});
      else if (resource === trades) this.#goneTrade(gone, part);
      else if (resource === weeklyReviews) this.#week(gone, values);
      else this.#session(gone, {}, values);
      void date;
    }
  }

  #goneTrade(gone: NotedRecord, { clues = {}, ...before }: NotedRecord): void {
    let trade: FoundTrade;
    try {
      trade = this.#finder.find(clues);
    } catch (error) {
      // It went with its section while the note was open.
      if (error instanceof RowError) return;
      throw error;
    }
    this.#putTrade(trade, gone, {}, before);
  }

  /** The record on the same line of a note that is read again. */
  #formerOf(part: NotedRecord, { path }: ListResource): string | undefined {
    const note = this.#printed ? '' : resolve(part.file);
    const id = this.#former.get(placeInNote(path, note, placeOf(part)));
    return this.#ids.has(`${path} ${id}`) ? undefined : id;
  }

  get found(): NotedRecord[] {
    return [...this.#found.values()];
  }

  find(part: NotedRecord): void {
    if (part.resource === trades) this.#trade(part);
    else if (part.resource === missedTrades) this.#missed(part);
    else if (part.resource === weeklyReviews) this.#week(part);
    else {
      const texts = this.#texts.get(`${part.file} ${part.date}`);
      const values = texts
        ? { ...part.values, notes: part.notesWith?.(texts) ?? null }
        : part.values;
      const before = this.#printed?.of(sessions, part.date);
      this.#session(part, withTags(values, part, before), before?.values);
    }
  }

  #session(part: NotedRecord, values: Values, before?: Values): void {
    const { date } = part;
    if (Object.keys(values).length + Object.keys(before ?? {}).length === 0) return;
    const id =
      this.#formerOf(part, sessions) ??
      this.#records.sessionOf(date) ??
      this.#records.newSession(date);
    this.#add({ ...part, ...this.#was({ date, ...before }) }, id, { date, ...values });
  }

  /** The values of an edited part as printed. */
  #was(values: Values): { was?: Values } {
    return this.#printed ? { was: values } : {};
  }

  /**
   * Whether a part without a time or number is text: of a symbol that the journal lacks, or not of
   * exactly one trade.
   */
  #isText({ doubt, clues = {} }: NotedRecord): boolean {
    if (doubt === 'side') return !this.#finder.knows(clues.symbol ?? '');
    return doubt === 'symbol' && this.#finder.fitting(clues).length !== 1;
  }

  #trade(part: NotedRecord): void {
    const { file, line, clues = {}, figures = [] } = part;
    if (this.#isText(part)) {
      const place = `${file} ${part.date}`;
      const texts = this.#texts.get(place) ?? new Set();
      this.#texts.set(place, texts.add(line));
      return;
    }
    let trade: FoundTrade;
    try {
      trade = this.#finder.find(clues);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      return this.#problem(part, line, error.message);
    }
    const before = this.#sections.get(trade.id);
    if (before !== undefined) {
      return this.#problem(
        part,
        line,
        `trade ${trade.id} already has a section at ${before}; keep one`,
      );
    }
    this.#sections.set(trade.id, `${file}:${line}`);
    for (const problem of part.problems ?? []) this.#reading.problems?.push(problem);
    const guess = this.#guessIn(trade, clues);
    if (guess !== undefined) this.#reading.notes.push(`${file}:${line}: ${guess}`);
    const values = this.#withRisk(trade, part);
    const differences = differencesOf(this.#facts.of(trade.id), figures, values);
    for (const difference of differences) this.#reading.notes.push(`${file}:${difference}`);
    const printed = this.#printed?.of(trades, trade.id);
    this.#putTrade(trade, part, withTags(values, part, printed), printed);
  }

  /** @param before the section as printed */
  #putTrade(
    trade: FoundTrade,
    part: NotedRecord,
    values: Values,
    before?: Partial<NotedRecord>,
  ): void {
    const { clues = {}, figures = [] } = part;
    const [ofTrade, wasTrade] = [values, before?.values ?? {}].map((own) => picked(own, true)) as [
      Values,
      Values,
    ];
    const [ofEntry, wasEntry] = [
      { ...picked(values, false), ...attachmentsOf(part) },
      { ...picked(before?.values ?? {}, false), ...attachmentsOf(before ?? {}) },
    ];
    const isThere = (...all: Values[]) => all.some((own) => Object.keys(own).length > 0);
    if (isThere(ofTrade, wasTrade))
      this.#add({ ...part, ...this.#was(wasTrade) }, trade.id, ofTrade);
    // A section that the user wrote is a journal entry; a printed one, with an id, may be empty.
    const isOwn = clues.id === undefined && !before && (isThere(ofTrade) || figures.length > 0);
    if (isThere(ofEntry, wasEntry) || isOwn) this.#entry(trade, part, ofEntry, wasEntry);
  }

  /** Why the trade may be a wrong one: the report names it, so that nothing is taken in silence. */
  #guessIn(
    trade: FoundTrade,
    { id, at, symbol, side, entryPrice }: TradeClues,
  ): string | undefined {
    const isNear = at === undefined || this.#finder.isOfMinute(trade, at);
    if (id === trade.id) {
      if (isOf(trade, symbol, side)) return undefined;
      const named = [side, 'trade', symbol && `in ${symbol}`].filter(Boolean).join(' ');
      return `the section is of ${this.#finder.nameOf(trade)} by its id, but names a ${named}`;
    }
    if (isNear || (entryPrice && agrees(entryPrice, trade.entry_price))) return undefined;
    return `no trade was entered in that minute; the section is of ${this.#finder.nameOf(trade)}`;
  }

  #entry(trade: FoundTrade, part: NotedRecord, given: Values, before: Values): void {
    const place = placeInNote(tradeJournals.path, REMOVED, placeOf(part));
    const former = this.#formerOf(part, tradeJournals) ?? this.#former.get(place);
    const known = former ?? this.#records.entryOf(trade.id);
    const defaults = { phase: 'post_trade', created_at: trade.closed_at ?? trade.executed_at };
    const of = { trade_id: trade.id };
    const entry = {
      ...part,
      resource: tradeJournals,
      defaults,
      ...this.#was({ ...before, ...of }),
    };
    this.#add(entry, known ?? this.#records.newEntry(trade.id), { ...given, ...of });
  }

  /** The values with a risk in percent of the balance at entry as an amount. */
  #withRisk(trade: FoundTrade, part: NotedRecord): Values {
    const { risk_percent: percent, ...rest } = part.values;
    if (typeof percent !== 'number' || rest['initial_risk'] !== undefined) return rest;
    const balance = this.#facts.balanceAt(trade);
    const line = part.lines['risk_percent'] ?? 1;
    if (typeof balance === 'string') {
      this.#problem(part, line, `risk: ${percent} % ${balance}; write an amount`);
      return rest;
    }
    part.lines['initial_risk'] ??= line;
    return { ...rest, initial_risk: (balance * percent) / 100 };
  }

  #week(part: NotedRecord, before = this.#printed?.of(weeklyReviews, part.date)?.values): void {
    if (Object.keys(part.values).length + Object.keys(before ?? {}).length === 0) return;
    const known = this.#formerOf(part, weeklyReviews) ?? this.#records.reviewOf(part.date);
    const period = { period_start: part.date, period_end: addDays(part.date, 6) };
    this.#add(
      { ...part, defaults: period, ...this.#was(before ?? {}) },
      known ?? `week:${part.date}`,
      part.values,
    );
  }

  #missed(part: NotedRecord): void {
    const { symbol } = part.values as Record<'symbol', string>;
    const id = this.#known.get(part) ?? this.#newMissed(part);
    const defaults = { market: this.#facts.marketOf(symbol) };
    const before = this.#printed?.of(missedTrades, id);
    this.#add(
      { ...part, defaults, ...this.#was(before?.values ?? {}) },
      id,
      withTags(part.values, part, before),
    );
  }

  #newMissed({ date, values }: NotedRecord): string {
    const { missed_at: at, symbol } = values as Record<'missed_at' | 'symbol', string>;
    return this.#records.newMissed(date, at.slice(11, 16).replace(':', ''), symbol);
  }

  #add(part: NotedRecord, id: string, values: Values): void {
    // Each note states its own part of a record.
    const key = `${part.resource.path} ${id} ${part.file}`;
    this.#ids.add(`${part.resource.path} ${id}`);
    const before = this.#found.get(key);
    const lines = { ...before?.lines, ...part.lines };
    this.#found.set(key, { ...part, values: { ...before?.values, ...values, id }, lines });
  }

  #problem({ file }: NotedRecord, line: number, message: string): void {
    this.#reading.problems?.push({ file, line, message });
  }
}

/** The fields of a section that belong to the trade, or those of its entry. */
function picked(values: Values, areTrades: boolean): Values {
  return Object.fromEntries(
    Object.entries(values).filter(([name]) => TRADE_FIELDS.includes(name) === areTrades),
  );
}

/**
 * The values of an edited part: of tags that were named, and aren't any more, only new #words of
 * the text are left.
 */
function withTags(
  values: Values,
  { lines, textTags = [] }: NotedRecord,
  before: NotedRecord | undefined,
): Values {
  if (before?.lines['tags'] === undefined || lines['tags'] !== undefined) return values;

  return { ...values, tags: textTags.filter((tag) => !before.textTags?.includes(tag)) };
}

function attachmentsOf({ attachments = [] }: Partial<NotedRecord>): Values {
  return attachments.length > 0 ? { attachments } : {};
}

/**
 * In the place of a note's path: a record that its edit removed, by its line in the printed note.
 */
export const REMOVED = '-';

/** The parts of a note as printed, before it was edited. */
class PrintedParts {
  readonly missed: readonly NotedRecord[];
  /** By resource and the record's id; sessions and reviews by their day. */
  readonly #byRecord = new Map<string, NotedRecord>();
  readonly #left = new Map<NotedRecord, string>();

  constructor(parts: readonly NotedRecord[]) {
    this.missed = parts.filter(({ resource }) => resource === missedTrades);
    for (const part of parts)
      if (part.resource !== missedTrades)
        this.found(part.resource, part.clues?.id ?? part.date, part);
  }

  found({ path }: ListResource, id: string, part: NotedRecord): void {
    this.#byRecord.set(`${path} ${id}`, part);
    this.#left.set(part, id);
  }

  /** The part of a record, which is not deleted then. */
  of({ path }: ListResource, id: string): NotedRecord | undefined {
    const part = this.#byRecord.get(`${path} ${id}`);
    if (part) this.#left.delete(part);
    return part;
  }

  /** Parts that the saved note doesn't have. */
  left(): ReadonlyMap<NotedRecord, string> {
    return this.#left;
  }

  /**
   * Sections of the saved note by those as printed: equal ones first, then those of one time,
   * symbol and side, then of two of these.
   */
  pairMissed(saved: readonly NotedRecord[]): Map<NotedRecord, NotedRecord> {
    const pairs = new Map<NotedRecord, NotedRecord>();
    const free = new Set(saved);
    const alike = (a: NotedRecord, b: NotedRecord) =>
      ['missed_at', 'symbol', 'side'].filter((name) => a.values[name] === b.values[name]).length;
    const isPair = [
      (a: NotedRecord, b: NotedRecord) => same(a.values, b.values),
      (a: NotedRecord, b: NotedRecord) => alike(a, b) === 3,
      (a: NotedRecord, b: NotedRecord) => alike(a, b) === 2,
    ];
    for (const isOne of isPair) {
      for (const before of this.missed) {
        const part = pairs.has(before) ? undefined : [...free].find((own) => isOne(before, own));
        if (!part) continue;
        pairs.set(before, part);
        free.delete(part);
      }
    }
    return pairs;
  }
}
