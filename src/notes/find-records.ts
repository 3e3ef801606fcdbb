/**
 * The records that the parts of notes are about, in the journal or new. What can't be found is
 * reported.
 */
import type Database from 'better-sqlite3';
import type { ListResource } from '../journal/resource.ts';
import { tradeJournals } from '../journal/resources/journals.ts';
import { missedTrades } from '../journal/resources/missed-trades.ts';
import { sessions } from '../journal/resources/sessions.ts';
import { trades } from '../journal/resources/trades.ts';
import { weeklyReviews } from '../journal/resources/weekly-reviews.ts';
import type { Values, WriteSettings } from '../journal-write/record.ts';
import { Reader } from '../sqlite/reader.ts';
import { addDays } from '../time.ts';
import { DayRecords } from './day-records.ts';
import { type FoundTrade, TradeFinder } from './find-trade.ts';
import type { NotedRecord, StatedRecord } from './note.ts';
import { OF_TRADE } from './reading/stored-fields.ts';
import { FormerRecords } from './records/former-records.ts';
import { missedIds } from './records/missed-ids.ts';
import { PrintedParts } from './records/printed-parts.ts';
import { TradeFacts } from './records/trade-facts.ts';
import { type NoteReport, TradeSections } from './records/trade-sections.ts';

/** The parts of notes, and what is reported of them. */
interface NotedReading extends NoteReport {
  records: Iterable<StatedRecord>;
  /** Of an edited note. */
  printed?: readonly NotedRecord[];
}

/**
 * With the id of an import whose notes are read again, and the ids of the records on their lines.
 */
type NotedSettings = WriteSettings & {
  again?: number | undefined;
  former?: ReadonlyMap<string, string> | undefined;
};

/** The order of writing: entries refer to trades. */
const ORDER: readonly ListResource[] = [
  sessions,
  trades,
  tradeJournals,
  missedTrades,
  weeklyReviews,
];

/**
 * The records of day notes, each merged from all notes about it.
 * @param reading receives what is reported of them
 */
export function foundRecords(
  db: Database.Database,
  settings: NotedSettings,
  reading: NotedReading,
): NotedRecord[] {
  const parts = [...(reading.records as Iterable<NotedRecord>)];
  const finder = new RecordFinder(db, settings, reading, parts);
  // Trades first: what is no trade is text of its session.
  for (const part of parts) if (part.resource !== sessions) finder.find(part);
  for (const part of parts) if (part.resource === sessions) finder.find(part);
  // No part at all is an unreadable note.
  if (parts.length > 0) finder.findGone();

  const found = [...finder.found.values()];
  return ORDER.flatMap((resource) => found.filter((record) => record.resource === resource));
}

class RecordFinder {
  /** Each note states its own part of a record. */
  readonly found = new Map<string, NotedRecord>();
  readonly #records: DayRecords;
  readonly #facts: TradeFacts;
  readonly #sections: TradeSections;
  readonly #former: FormerRecords;
  readonly #missedIds: ReadonlyMap<NotedRecord, string>;
  /** Of an edited note; undefined otherwise. */
  readonly #printed: PrintedParts | undefined;

  constructor(
    db: Database.Database,
    { user, timeZone, again, former }: NotedSettings,
    reading: NotedReading,
    parts: readonly NotedRecord[],
  ) {
    const reader = new Reader(db);
    const zone = timeZone ?? user.timezone;
    this.#records = new DayRecords(reader, user.id, again);
    this.#facts = new TradeFacts(db, user);

    const finder = new TradeFinder(reader, user.id, zone);
    this.#sections = new TradeSections(finder, this.#facts, reading);
    this.#printed = reading.printed && new PrintedParts(reading.printed);
    this.#former = new FormerRecords(former, this.#printed !== undefined);
    this.#missedIds = missedIds(
      parts.filter(({ resource }) => resource === missedTrades),
      {
        records: this.#records,
        former: this.#former,
        printed: this.#printed,
        zone,
        userZone: user.timezone,
      },
    );
  }

  find(part: NotedRecord): void {
    const { resource, date } = part;
    if (resource === trades) return this.#trade(part);
    if (resource === missedTrades) return this.#missed(part);

    this.#sections.keepStayed(part);
    const before = this.#printed?.of(resource, date);
    if (resource === weeklyReviews) return this.#week(part, before?.values);

    const values = this.#sections.sessionWithTexts(part);
    this.#session(part, withTags(values, part, before), before?.values);
  }

  /** Parts of an edited note that were deleted from it. */
  findGone(): void {
    for (const [part, id] of this.#printed?.left() ?? []) {
      const { resource, values } = part;
      const gone = { ...part, values: {}, attachments: [], figures: [], lines: {}, isGone: true };
      if (resource === missedTrades) this.#add({ ...gone, was: values }, id, {});
      else if (resource === trades) this.#goneTrade(gone, part);
      else if (resource === weeklyReviews) this.#week(gone, values);
      else this.#session(gone, {}, values);
    }
  }

  #session(part: NotedRecord, values: Values, before: Values = {}): void {
    const { date } = part;
    if (!isThere(values, before)) return;

    const known = this.#former.of(part, sessions) ?? this.#records.sessionOf(date);
    const id = known ?? this.#records.newSession(date);
    this.#add({ ...part, ...this.#was({ date, ...before }) }, id, { date, ...values });
  }

  #week(part: NotedRecord, before: Values = {}): void {
    const { date, values } = part;
    if (!isThere(values, before)) return;

    const known = this.#former.of(part, weeklyReviews) ?? this.#records.reviewOf(date);
    const defaults = { period_start: date, period_end: addDays(date, 6) };
    this.#add({ ...part, defaults, ...this.#was(before) }, known ?? `week:${date}`, values);
  }

  #missed(part: NotedRecord): void {
    const id = this.#missedIds.get(part) as string;
    const defaults = { market: this.#facts.marketOf(part.values['symbol'] as string) };
    const before = this.#printed?.of(missedTrades, id);
    const values = withTags(part.values, part, before);
    this.#add({ ...part, defaults, ...this.#was(before?.values ?? {}) }, id, values);
  }

  #trade(part: NotedRecord): void {
    const trade = this.#sections.find(part);
    if (!trade) return;

    const values = this.#sections.valuesOf(trade, part);
    const printed = this.#printed?.of(trades, trade.id);
    this.#putTrade(trade, part, withTags(values, part, printed), printed);
  }

  #goneTrade(gone: NotedRecord, part: NotedRecord): void {
    const trade = this.#sections.findGone(part);
    if (trade) this.#putTrade(trade, gone, {}, part);
  }

  /** @param before the section as printed */
  #putTrade(trade: FoundTrade, part: NotedRecord, values: Values, before?: NotedRecord): void {
    const { clues = {}, figures = [] } = part;
    const ofTrade = picked(values, true);
    const wasOfTrade = picked(before?.values ?? {}, true);
    if (isThere(ofTrade, wasOfTrade))
      this.#add({ ...part, ...this.#was(wasOfTrade) }, trade.id, ofTrade);

    const ofEntry = { ...picked(values, false), ...attachmentsOf(part) };
    const wasOfEntry = { ...picked(before?.values ?? {}, false), ...attachmentsOf(before) };
    // A section that the user wrote is a journal entry; a printed one, with an id, may be empty.
    const isWritten = clues.id === undefined && !before && (isThere(ofTrade) || figures.length > 0);
    if (isThere(ofEntry, wasOfEntry) || isWritten) this.#entry(trade, part, ofEntry, wasOfEntry);
  }

  #entry(trade: FoundTrade, part: NotedRecord, values: Values, before: Values): void {
    const former =
      this.#former.of(part, tradeJournals) ?? this.#former.removed(part, tradeJournals);
    const known = former ?? this.#records.entryOf(trade.id);
    const of = { trade_id: trade.id };
    const entry = {
      ...part,
      resource: tradeJournals,
      defaults: { phase: 'post_trade', created_at: trade.closed_at ?? trade.executed_at },
      ...this.#was({ ...before, ...of }),
    };
    this.#add(entry, known ?? this.#records.newEntry(trade.id), { ...values, ...of });
  }

  /** The values of an edited part as printed. */
  #was(values: Values): { was?: Values } {
    return this.#printed ? { was: values } : {};
  }

  #add(part: NotedRecord, id: string, values: Values): void {
    const key = `${part.resource.path} ${id} ${part.file}`;
    this.#former.take(part.resource, id);
    const before = this.found.get(key);

    this.found.set(key, {
      ...part,
      values: { ...before?.values, ...values, id },
      lines: { ...before?.lines, ...part.lines },
    });
  }
}

function isThere(...all: Values[]): boolean {
  return all.some((values) => Object.keys(values).length > 0);
}

/** The fields of a section that belong to the trade, or those of its entry. */
function picked(values: Values, areOfTrade: boolean): Values {
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name]) => OF_TRADE.includes(name.split('.')[0] as string) === areOfTrade,
    ),
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

function attachmentsOf(part: NotedRecord | undefined): Values {
  const { attachments = [] } = part ?? {};
  return attachments.length > 0 ? { attachments } : {};
}
