/** Imports day notes: sessions, fields of trades, journal entries and missed trades. Reports what can't be imported. */
import { resolve } from 'node:path';
import type Database from 'better-sqlite3';
import { type Problem, quote, RowError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { missedTrades } from '../../journal/resources/missed-trades.ts';
import { sessions } from '../../journal/resources/sessions.ts';
import { tradeJournals } from '../../journal/resources/trade-journals.ts';
import { trades } from '../../journal/resources/trades.ts';
import { same, type Values, type WholeRecord, type WriteSettings } from '../../journal-write/record.ts';
import { type Change, RecordWriter } from '../../journal-write/record-writer.ts';
import { Reader } from '../../sqlite/reader.ts';
import type { NotedDay, NotedDays, NotedFields, NotedMissed, NotedTrade } from '../fills/reading.ts';
import { futureOf } from '../parse/instruments.ts';
import { type FoundTrade, TradeFinder } from './find-trade.ts';
import { differencesOf, TradeFacts } from './from-fills/trade-facts.ts';
import type { RecordChanged } from './records.ts';
import { DayRecords, TRADE_FIELDS } from './stored-day.ts';

export interface DayCounts extends Record<Change, number> {
  problems: Problem[];
  /** Figures that differ from the fills, and replaced values. */
  notes: string[];
}

/** A record to write, merged from all notes about it. */
interface Pending {
  resource: ListResource;
  file: string;
  /** The first line of its part of the note. */
  line: number;
  values: Values;
  lines: Record<string, number>;
}

const REPLACED_SHOWN = 20;

export class DayImport {
  readonly #db: Database.Database;
  readonly #settings: WriteSettings;
  readonly #records: DayRecords;
  readonly #finder: TradeFinder;
  readonly #facts: TradeFacts;
  readonly #pending = new Map<string, Pending>();
  readonly #problems: Problem[];
  readonly #notes: string[] = [];
  readonly #replaced: string[] = [];
  /** The absolute path of the current record's note. */
  #note: string | null = null;
  /** The place of each trade's section, by id. */
  readonly #sections = new Map<string, string>();

  constructor(db: Database.Database, settings: WriteSettings, { problems }: Pick<NotedDays, 'problems'>) {
    const { user, timeZone } = settings;
    this.#db = db;
    this.#settings = settings;
    this.#problems = [...problems];
    const reader = new Reader(db);
    this.#records = new DayRecords(reader, user.id);
    this.#finder = new TradeFinder(reader, user.id, timeZone ?? user.timezone);
    this.#facts = new TradeFacts(db, user);
  }

  /** @param changed called with each written record */
  write(days: readonly NotedDay[], changed: RecordChanged): DayCounts {
    for (const day of days) {
      this.#session(day);
      for (const trade of day.trades) this.#trade(day, trade);
      for (const missed of day.missed) this.#missed(day, missed);
    }
    const counts = { added: 0, changed: 0, unchanged: 0 };
    for (const resource of [sessions, trades, tradeJournals, missedTrades]) {
      const writer = this.#writerOf(resource, changed);
      for (const pending of this.#pending.values()) {
        if (pending.resource !== resource) continue;
        const change = this.#put(writer, pending);
        if (change) counts[change]++;
      }
    }
    const more = this.#replaced.length - REPLACED_SHOWN;
    const replaced = [
      ...this.#replaced.slice(0, REPLACED_SHOWN),
      ...(more > 0 ? [`replaced ${more} more values`] : []),
    ];
    return { ...counts, problems: this.#problems.toSorted(byPlace), notes: [...this.#notes, ...replaced] };
  }

  #session({ file, line, date, values, lines }: NotedDay): void {
    if (Object.keys(values).length === 0) return;
    const id = this.#records.sessionOf(date) ?? this.#records.newSession(date);
    this.#add(sessions, id, { file, line, values: { date, ...values }, lines });
  }

  #trade({ file }: NotedDay, noted: NotedTrade): void {
    const { clues, line } = noted;
    const found = this.#found(file, noted);
    if (!found) return;
    const before = this.#sections.get(found.id);
    if (before !== undefined) {
      return this.#problem(file, line, `trade ${found.id} already has a section at ${before}; keep one`);
    }
    this.#sections.set(found.id, `${file}:${line}`);
    const fields = this.#withRisk(file, found, noted);
    const ofTrade = Object.entries(fields.values).filter(([name]) => TRADE_FIELDS.includes(name));
    const ofEntry = Object.entries(fields.values).filter(([name]) => !TRADE_FIELDS.includes(name));
    const { lines } = fields;
    for (const difference of differencesOf(this.#facts.of(found.id), noted)) this.#notes.push(`${file}:${difference}`);
    if (ofTrade.length > 0) this.#add(trades, found.id, { file, line, values: Object.fromEntries(ofTrade), lines });
    // A section that the user wrote is a journal entry; a printed one, with an id, may be empty.
    const isOwn = clues.id === undefined && (ofTrade.length > 0 || noted.figures.length > 0);
    if (ofEntry.length > 0 || noted.attachments.length > 0 || isOwn) {
      this.#entry(found, { file, line, values: Object.fromEntries(ofEntry), lines }, noted);
    }
  }

  #found(file: string, { clues, line }: NotedTrade): FoundTrade | undefined {
    try {
      return this.#finder.find(clues);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
      this.#problem(file, line, error.message);
      return undefined;
    }
  }

  #entry(trade: FoundTrade, given: Omit<Pending, 'resource'>, { attachments }: NotedTrade): void {
    const known = this.#records.entryOf(trade.id);
    const id = known ?? this.#records.newEntry(trade.id);
    const values: Values = { ...given.values, trade_id: trade.id };
    if (known === undefined)
      Object.assign(values, { phase: 'post_trade', created_at: trade.closed_at ?? trade.executed_at });
    if (attachments.length > 0) values['attachments'] = attachments;
    this.#add(tradeJournals, id, { ...given, values });
  }

  /** Converts a risk in percent of the balance at entry to an amount. */
  #withRisk(file: string, trade: FoundTrade, { values, lines }: NotedFields): NotedFields {
    const { risk_percent: percent, ...rest } = values;
    if (typeof percent !== 'number') return { values: rest, lines };
    if (rest['initial_risk'] !== undefined) return { values: rest, lines };
    const balance = this.#facts.balanceAt(trade);
    const line = lines['risk_percent'] ?? 1;
    if (typeof balance === 'string') {
      this.#problem(file, line, `risk: ${percent} % ${balance}; write an amount`);
      return { values: rest, lines };
    }
    const { initial_risk: own = line } = lines;
    return { values: { ...rest, initial_risk: (balance * percent) / 100 }, lines: { ...lines, initial_risk: own } };
  }

  #missed({ file, date }: NotedDay, { line, values, lines, missedAt, symbol, side }: NotedMissed): void {
    const found = { missed_at: missedAt, symbol, side };
    const known = this.#records.missedOf(found);
    const taken = new Set([...this.#pending.values()].map(({ values: own }) => own['id'] as string));
    const time = missedAt.slice(11, 16).replace(':', '');
    const id = known ?? this.#records.newMissed(date, time, symbol, taken);
    const market = known === undefined ? { market: this.#marketOf(symbol) } : {};
    this.#add(missedTrades, id, { file, line, values: { ...found, ...market, ...values }, lines });
  }

  /** The market of trades in the symbol, else "future" for a known root, else the only market of all trades. */
  #marketOf(symbol: string): string {
    return this.#facts.marketOf(symbol) ?? (futureOf(symbol) ? 'future' : (this.#facts.onlyMarket() ?? 'other'));
  }

  #add(resource: ListResource, id: string, given: Omit<Pending, 'resource'>): void {
    const key = `${resource.path} ${id}`;
    const before = this.#pending.get(key);
    this.#pending.set(key, {
      resource,
      file: given.file,
      line: given.line,
      values: { ...before?.values, ...given.values, id },
      lines: { ...before?.lines, ...given.lines },
    });
  }

  #problem(file: string, line: number, message: string): void {
    this.#problems.push({ file, line, message });
  }

  #writerOf(resource: ListResource, changed: RecordChanged): RecordWriter {
    const table = resource.table as string;
    return new RecordWriter(this.#db, { ...resource, table }, this.#settings, {
      onChange: (stored, whole) => {
        if (stored) this.#noteReplaced(resource, stored, whole);
        changed(resource.path, stored, whole, this.#note);
      },
    });
  }

  /** Writes a record; reports and skips invalid fields. */
  #put(writer: RecordWriter, { resource, file, line, values: given, lines }: Pending): Change | undefined {
    const left = { ...given };
    this.#note = resolve(file);
    for (;;) {
      try {
        return writer.put(nested(left, () => writer.find(left['id'] as string)?.record));
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        for (const one of [error, ...error.others]) {
          const name = nameIn(left, one.field);
          this.#problem(file, name === undefined ? line : (lines[name] ?? line), one.message);
          if (name === undefined) return undefined;
          delete left[name];
        }
        if (Object.keys(left).length === 1 && resource === trades) return undefined;
      }
    }
  }

  #noteReplaced({ title }: ListResource, { record: before }: WholeRecord, { record }: WholeRecord): void {
    if (before === record) return;
    for (const [name, value] of Object.entries(record)) {
      const own = before[name];
      const isEmpty = own === null || own === undefined || (Array.isArray(own) && own.length === 0);
      if (name === 'updated_at' || name === 'attachments' || isEmpty || same(own, value)) continue;
      const what = title.replace(/(?:ie)?s$/, (end) => (end === 'ies' ? 'y' : ''));
      this.#replaced.push(`replaced ${name} of ${what} ${record['id']}: ${quote(own)} is now ${quote(value)}`);
    }
  }
}

function byPlace(a: Problem, b: Problem): number {
  return a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1;
}

/** The given name of an error's field: "review.rating" is given as such, "goals[0].text" as goals. */
function nameIn(values: Values, field: string | null): string | undefined {
  const names = field === null ? [] : [field, field.split(/[.[]/)[0] as string];
  return names.find((name) => Object.hasOwn(values, name) && name !== 'id');
}

/** A record with fields put into their objects: market_context.bias leaves the object's other members unchanged. */
function nested(flat: Values, stored: () => Values | undefined): Values {
  const record: Values = {};
  for (const [name, value] of Object.entries(flat)) {
    const [field = '', member] = name.split('.');
    if (member === undefined) record[name] = name === 'attachments' ? withStored(value, stored()?.[name]) : value;
    else record[field] = { ...((record[field] ?? stored()?.[field]) as Values | undefined), [member]: value };
  }
  return record;
}

function withStored(given: unknown, stored: unknown): unknown {
  const before = (stored ?? []) as { url: string }[];
  const known = new Set(before.map(({ url }) => url));
  return before.concat((given as { url: string }[]).filter(({ url }) => !known.has(url)));
}
