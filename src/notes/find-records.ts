/**
 * The records that the parts of notes are about, in the journal or new. What can't be
 * found is reported.
 */
import type Database from 'better-sqlite3';
import type { ListResource } from '../journal/resource.ts';
import {
  groupJournals,
  missedTrades,
  sessions,
  tradeJournals,
  weeklyReviews,
} from '../journal/resources/journals.ts';
import { tradeGroups, trades } from '../journal/resources/trades.ts';
import type { Values, WriteSettings } from '../journal-write/record.ts';
import { Reader } from '../sqlite/reader.ts';
import { UserRows } from '../sqlite/user-rows.ts';
import { addDays } from '../time.ts';
import { DayRecords, type EntriesOf } from './day-records.ts';
import { type FoundTrade, TradeFinder } from './find-trade.ts';
import { Markets } from './missed-markets.ts';
import type { NotedRecord, ReadBackOf, StatedRecord } from './note.ts';
import { type Attachment, takenPictures } from './note-pictures.ts';
import { OF_GROUP, OF_TRADE } from './reading/stored-fields.ts';
import { type FoundGroup, GroupFinder } from './records/find-group.ts';
import { FormerRecords, FormerTrades } from './records/former-note.ts';
import { valuesOfGroup } from './records/group-sections.ts';
import { missedIds } from './records/missed-ids.ts';
import { PrintedParts } from './records/printed-parts.ts';
import { ReadBacks } from './records/read-back.ts';
import { TradeFacts } from './records/trade-facts.ts';
import { type NoteReport, TradeSections } from './records/trade-sections.ts';

/** The parts of notes, and what is reported of them. */
interface NotedReading extends NoteReport {
  records: Iterable<StatedRecord>;
  /** Of an edited note. */
  printed?: readonly NotedRecord[];
  /** Set once its records were found. */
  readBack?: ReadBackOf;
}

/**
 * With the id of an import whose notes are read again, and the ids of the records on
 * their lines.
 */
type NotedSettings = WriteSettings & {
  again?: number | undefined;
  former?: ReadonlyMap<string, string> | undefined;
};

/** The order of writing: entries refer to trades. */
const ORDER: readonly ListResource[] = [
  sessions,
  trades,
  tradeGroups,
  tradeJournals,
  groupJournals,
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
  for (const part of parts) finder.readBacks.begin(part);
  // Trades first: what is no trade is text of its session.
  for (const part of parts) if (part.resource !== sessions) finder.find(part);
  finder.settleUnfound();
  for (const part of parts) if (part.resource === sessions) finder.find(part);
  // No part at all is an unreadable note.
  if (parts.length > 0) finder.findGone();

  reading.readBack = (problems) => finder.readBacks.all(problems);
  const found = [...finder.found.values()];
  return ORDER.flatMap((resource) =>
    found.filter((record) => record.resource === resource),
  );
}

/** Whether any section of a note is about a trade or group that the journal has. */
export function hasKnownTrade(
  reader: Reader,
  user: string,
  zone: string,
  parts: readonly NotedRecord[],
): boolean {
  const finder = new GroupFinder(reader, user, new TradeFinder(reader, user, zone));
  return parts.some(
    ({ clues }) => clues !== undefined && finder.markFor(clues) !== undefined,
  );
}

class RecordFinder {
  /** Each note states its own part of a record. */
  readonly found = new Map<string, NotedRecord>();
  readonly readBacks: ReadBacks;
  readonly #records: DayRecords;
  readonly #markets: Markets;
  readonly #sections: TradeSections;
  readonly #former: FormerRecords;
  readonly #missedIds: ReadonlyMap<NotedRecord, string>;
  /** Of an edited note; undefined otherwise. */
  readonly #printed: PrintedParts | undefined;
  /** Pictures of missed trades, which are those of their day, by note and day. */
  readonly #ofMissed = new Map<string, Attachment[]>();

  constructor(
    db: Database.Database,
    { user, timeZone, again, former: formerIds }: NotedSettings,
    reading: NotedReading,
    parts: readonly NotedRecord[],
  ) {
    const reader = new Reader(db);
    const zone = timeZone ?? user.timezone;
    this.#records = new DayRecords(reader, user.id, again);
    this.#markets = new Markets(new UserRows(db, user.id));

    const finder = new TradeFinder(reader, user.id, zone);
    const groups = new GroupFinder(reader, user.id, finder);
    const former =
      again === undefined ? new FormerTrades(reader, user.id, finder) : undefined;
    const known = { finder, groups, facts: new TradeFacts(db, user), former };
    this.readBacks = new ReadBacks(finder);
    this.#sections = new TradeSections(known, reading, this.readBacks);
    this.#printed = reading.printed && new PrintedParts(reading.printed);
    this.#former = new FormerRecords(formerIds, this.#printed !== undefined);
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
    if (resource === trades || resource === tradeGroups) return this.#trade(part);
    if (resource === missedTrades) return this.#missed(part);

    this.#sections.keepStayed(part);
    const before = this.#printed?.of(resource, date);
    const was = before && shownBy(before.values, before);
    if (resource === weeklyReviews) {
      const values = shownBy(part.values, part);
      this.readBacks.putWhole(part, values);
      return this.#week(part, values, was);
    }

    const values = shownBy(
      this.#sections.sessionWithTexts(part),
      part,
      this.#ofMissed.get(dayOf(part)),
    );
    this.readBacks.putWhole(part, values);
    this.#session(part, withTags(values, part, before), was);
  }

  settleUnfound(): void {
    this.#sections.settleUnfound();
  }

  /** Parts of an edited note that were deleted from it. */
  findGone(): void {
    for (const [part, id] of this.#printed?.left() ?? []) {
      const { resource, values } = part;
      const gone = {
        ...part,
        values: {},
        attachments: [],
        figures: [],
        lines: {},
        isGone: true,
      };
      if (resource === missedTrades) this.#add({ ...gone, was: values }, id, {});
      else if (resource === trades || resource === tradeGroups)
        this.#goneTrade(gone, part);
      else if (resource === weeklyReviews) this.#week(gone, {}, shownBy(values, part));
      else this.#session(gone, {}, shownBy(values, part));
    }
  }

  #session(part: NotedRecord, values: Values, before: Values = {}): void {
    const { date } = part;
    if (!isThere(values, before)) return;

    const known = this.#former.of(part, sessions) ?? this.#records.sessionOf(date);
    const id = known ?? this.#records.newSession(date);
    this.#add({ ...part, ...this.#was({ date, ...before }) }, id, { date, ...values });
  }

  #week(part: NotedRecord, values: Values, before: Values = {}): void {
    const { date } = part;
    if (!isThere(values, before)) return;

    const known = this.#former.of(part, weeklyReviews) ?? this.#records.reviewOf(date);
    const defaults = { period_start: date, period_end: addDays(date, 6) };
    this.#add(
      { ...part, defaults, ...this.#was(before) },
      known ?? `week:${date}`,
      values,
    );
  }

  #missed(part: NotedRecord): void {
    this.readBacks.putMissed(part);
    const id = this.#missedIds.get(part) as string;
    const defaults = { market: this.#markets.of(part.values['symbol'] as string) };
    const before = this.#printed?.of(missedTrades, id);
    const { values, attachments } = takenPictures(part.values, part.pictures);
    const day = dayOf(part);
    const earlier = this.#ofMissed.get(day) ?? [];
    this.#ofMissed.set(day, [...earlier, ...attachments]);

    const was = this.#was(before?.values ?? {});
    this.#add({ ...part, defaults, ...was }, id, withTags(values, part, before));
  }

  #trade(part: NotedRecord): void {
    const group = this.#sections.groupOf(part);
    if (group) return this.#group(group, part);

    const trade = this.#sections.find(part);
    if (!trade) return;

    const values = this.#sections.valuesOf(trade, part);
    const printed = this.#printed?.of(trades, trade.id);
    this.#putSection(ofTrade(trade), part, withTags(values, part, printed), printed);
  }

  #group(group: FoundGroup, part: NotedRecord): void {
    if (!this.#sections.isFirst(part, `trade group ${group.id}`)) return;

    const values = this.#sections.valuesOfGroup(group, part);
    const printed = asOfGroup(group, this.#printed?.of(tradeGroups, group.id));
    this.#putSection(ofGroup(group), part, withTags(values, part, printed), printed);
  }

  #goneTrade(gone: NotedRecord, part: NotedRecord): void {
    const group = this.#sections.groupOf(part);
    if (group) return this.#putSection(ofGroup(group), gone, {}, asOfGroup(group, part));

    const trade = this.#sections.findGone(part);
    if (trade) this.#putSection(ofTrade(trade), gone, {}, part);
  }

  /** @param before the section as printed */
  #putSection(
    about: About,
    part: NotedRecord,
    values: Values,
    before?: NotedRecord,
  ): void {
    const { clues = {}, figures = [] } = part;
    const { resource, id, fields } = about;
    const [itself, ofEntry] = picked(shownBy(values, part), fields);
    const [was, wasOfEntry] = picked(
      before ? shownBy(before.values, before) : {},
      fields,
    );
    if (isThere(itself, was))
      this.#add({ ...part, resource, ...this.#was(was) }, id, itself);

    // A section that the user wrote is a journal entry; a printed one, with an id, may be
    // empty.
    const isByUser = clues.id === undefined && !before;
    const isWritten = isByUser && (isThere(itself) || figures.length > 0);
    if (isThere(ofEntry, wasOfEntry) || isWritten)
      this.#entry(about, part, ofEntry, wasOfEntry);
  }

  #entry(
    { id, entries, of, at }: About,
    part: NotedRecord,
    values: Values,
    before: Values,
  ): void {
    const former = this.#former.of(part, entries) ?? this.#former.removed(part, entries);
    const known = former ?? this.#records.entryOf(id, entries);
    const entryId = known ?? this.#records.newEntry(id, entries);
    const entry = {
      ...part,
      resource: entries,
      defaults: { phase: 'post_trade', created_at: at },
      ...this.#was({ ...before, ...of }),
    };
    this.#add(entry, entryId, { ...values, ...of });
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
      values: {
        ...before?.values,
        ...values,
        ...attachmentsOf(before?.values, values),
        id,
      },
      lines: { ...before?.lines, ...part.lines },
    });
  }
}

function isThere(...all: Values[]): boolean {
  return all.some((values) => Object.keys(values).length > 0);
}

/** What a section is about. */
interface About {
  resource: ListResource;
  id: string;
  /** Those that belong to it; the others belong to its journal entry. */
  fields: readonly string[];
  entries: EntriesOf;
  /** The reference of an entry. */
  of: Values;
  /** When an entry was written, if its note states no time. */
  at: string;
}

const ofTrade = ({ id, executed_at, closed_at }: FoundTrade): About => ({
  resource: trades,
  id,
  fields: OF_TRADE,
  entries: tradeJournals,
  of: { trade_id: id },
  at: closed_at ?? executed_at,
});

const ofGroup = ({ id, opened_at, closed_at }: FoundGroup): About => ({
  resource: tradeGroups,
  id,
  fields: OF_GROUP,
  entries: groupJournals,
  of: { group_id: id },
  at: closed_at ?? opened_at,
});

/** A printed section of a group, with the values that its text keeps. */
function asOfGroup(
  group: FoundGroup,
  part: NotedRecord | undefined,
): NotedRecord | undefined {
  return part && { ...part, values: valuesOfGroup(group, part, part.values, () => {}) };
}

/** The fields of a section that belong to its trade or group, and those of its entry. */
function picked(values: Values, fields: readonly string[]): [Values, Values] {
  const [itself, ofEntry]: [Values, Values] = [{}, {}];
  for (const [name, value] of Object.entries(values))
    (fields.includes(name.split('.')[0] as string) ? itself : ofEntry)[name] = value;
  return [itself, ofEntry];
}

/**
 * The values of an edited part: of tags that were named, and aren't any more, only new
 * #words of the text are left.
 */
function withTags(
  values: Values,
  { lines, textTags = [] }: NotedRecord,
  before: NotedRecord | undefined,
): Values {
  if (before?.lines['tags'] === undefined || lines['tags'] !== undefined) return values;
  return { ...values, tags: textTags.filter((tag) => !before.textTags?.includes(tag)) };
}

/** Values with the pictures of a part as attachments. @param more of other parts */
function shownBy(
  values: Values,
  { pictures, attachments: onWeb = [] }: NotedRecord,
  more: readonly Attachment[] = [],
): Values {
  const { values: left, attachments } = takenPictures(values, pictures);
  const all = [...onWeb, ...attachments, ...more];
  return all.length > 0 ? { ...left, attachments: all } : left;
}

/** The attachments of two parts of one record. */
function attachmentsOf(...parts: readonly (Values | undefined)[]): Values {
  const lists = parts.flatMap(
    (values) => (values?.['attachments'] as Attachment[]) ?? [],
  );
  return lists.length > 0 ? { attachments: lists } : {};
}

function dayOf({ file, date }: NotedRecord): string {
  return `${file} ${date}`;
}
