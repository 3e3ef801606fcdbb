/** The records of files, written into one journal: each id once a file, derived values compared once all is there that makes them. */
import { resolve } from 'node:path';
import type Database from 'better-sqlite3';
import type { ListResource } from '../../journal/resource.ts';
import { tradeJournals } from '../../journal/resources/trade-journals.ts';
import { trades } from '../../journal/resources/trades.ts';
import { DerivedCheck, type DerivedValues, derivedValuesIn } from '../../journal-write/derived-values.ts';
import {
  type GivenRecord,
  same,
  type Values,
  type WholeRecord,
  type WriteSettings,
} from '../../journal-write/record.ts';
import { type Change, type OnChange, RecordWriter } from '../../journal-write/record-writer.ts';
import { FileErrors, RowError } from '../../journal-write/row-error.ts';
import { Reader } from '../../sqlite/reader.ts';
import type { DailyRates } from '../fills/daily-rates.ts';
import type { FileRecord } from '../fills/reading.ts';
import type { RateReport } from '../report/import-report.ts';
import { FilledTrades } from './filled-trades.ts';
import { NAMES_OF_TRADE, TradeFinder } from './find-trade.ts';
import { routeRow } from './journal-rows.ts';
import { fillRates } from './rates.ts';

/** The records of one file. */
export interface FileRecords {
  /** As it is named in messages. */
  file: string;
  resource: ListResource;
  records: Iterable<FileRecord>;
  /** Whether the records can be gone through a second time. */
  isRepeatable: boolean;
  /** Whether each is a note's, in a file of its own. */
  areNotes: boolean;
  /** Whether a file of trades comes after this one in the same import. */
  tradesFollow: boolean;
  /** Whether the fills that its trades are made from come after this one in the same import. */
  fillsFollow: boolean;
  changed: RecordChanged;
}

/** Called with each record that was put, the path of its resource and its note's; returns whether it is the first time in this file. */
export type RecordChanged = (path: string, ...change: [...Parameters<OnChange>, note: string | null]) => boolean;

export class RecordImport {
  readonly #db: Database.Database;
  readonly #settings: WriteSettings;
  readonly #writers = new Map<ListResource, RecordWriter>();
  readonly #derived: DerivedCheck;
  /** Made where an entry needs it. */
  #trades: TradeFinder | undefined;
  /** What files of groups say of sums that only trades in a later file can bear out. */
  #awaitingTrades: DerivedValues[] = [];
  readonly #filled: FilledTrades;
  /** The one of the file that is being written. */
  #changed: RecordChanged = () => true;
  /** Whether the fills that its trades are made from come after it. */
  #fillsFollow = false;
  /** The absolute path of the note that has the record. */
  #note: string | null = null;
  /** Whether the record that was put last is in the file for the first time. */
  #isFirst = true;

  constructor(db: Database.Database, settings: WriteSettings) {
    this.#db = db;
    this.#settings = settings;
    this.#derived = new DerivedCheck(db, settings.user);
    this.#filled = new FilledTrades(db, settings);
  }

  /**
   * @param progress called before each record, and at the end, with how many are written and how many of them were new or other ones
   * @returns how many records were added, changed and found as they are
   * @throws UserError that names file and line of each error; RowError where the whole file is to blame
   */
  write(given: FileRecords, progress: (done: number, changed: number) => void): Record<Change, number> {
    const { file, resource, records, tradesFollow, fillsFollow, changed } = given;
    this.#changed = changed;
    this.#fillsFollow = fillsFollow;
    const counts = { added: 0, changed: 0, unchanged: 0 };
    const derived: DerivedValues[] = [];
    const errors = new FileErrors();
    let done = 0;
    for (const { file: own = file, line, values, error } of untilBroken(records)) {
      progress(done++, counts.added + counts.changed);
      try {
        if (error) throw error;
        this.#note = given.areNotes ? resolve(own) : null;
        const row = this.#rowOf(resource, values);
        const id = row.values['id'] as string;
        counts[this.#writerOf(row.resource).put(row.values)]++;
        if (!this.#isFirst) throw twice(given, row.resource, id);
        const said = derivedValuesIn(row.resource, row.values);
        if (said) this.#check({ resource: row.resource, id, values: said, file: own, line }, derived);
      } catch (error) {
        if (!(error instanceof RowError)) throw error;
        errors.add(error, own, Number.isNaN(line) ? undefined : line);
      }
    }
    progress(done, counts.added + counts.changed);
    errors.refuse();
    this.#checkAll(derived, tradesFollow);
    return counts;
  }

  /** A feed is made of other resources' records, and an entry may name its trade by symbol and time. */
  #rowOf(resource: ListResource, values: Values): { resource: ListResource; values: Values } {
    const row = resource.table === null ? routeRow(values) : { resource, values };
    if (row.resource !== tradeJournals || !NAMES_OF_TRADE.some((name) => Object.hasOwn(values, name))) return row;
    const { user, timeZone } = this.#settings;
    this.#trades ??= new TradeFinder(new Reader(this.#db), user.id, timeZone ?? user.timezone);
    const symbol = values['symbol'] === undefined ? {} : { symbol: values['symbol'] };
    return { ...row, values: this.#trades.resolved({ ...row.values, ...symbol }) };
  }

  /** Gives trades that lack a rate theirs. */
  fillRates(rates: DailyRates, changed: RecordChanged): RateReport {
    this.#changed = changed;
    const writer = this.#writerOf(trades);
    return fillRates(this.#db, this.#settings.user, rates, (values) => writer.put(values));
  }

  /** Checks what follows from the record alone; what other records have a part in is kept for the end of the file. */
  #check(given: DerivedValues, later: DerivedValues[]): void {
    if (given.resource.metrics || awaitsTrades(given)) later.push(given);
    else this.#derived.check(given);
  }

  /** Checks what can be checked by now, and keeps what waits for trades. */
  #checkAll(given: readonly DerivedValues[], tradesFollow: boolean): void {
    const all = [...this.#awaitingTrades, ...given];
    const waits = (values: DerivedValues) => tradesFollow && awaitsTrades(values);
    this.#awaitingTrades = all.filter(waits);
    for (const values of all) if (!waits(values)) this.#derived.check(values);
  }

  /** What fills of an export change comes after its trades, which are as they are to be then. */
  #settled(given: GivenRecord, stored: WholeRecord): GivenRecord {
    const { executions } = given;
    if (this.#fillsFollow && executions && !same(executions, stored.executions)) return given;
    return this.#filled.settled(given, stored);
  }

  #writerOf(resource: ListResource): RecordWriter {
    let writer = this.#writers.get(resource);
    if (!writer) {
      if (resource.table === null) throw new Error(`${resource.path} is no table`);
      writer = new RecordWriter(this.#db, { ...resource, table: resource.table }, this.#settings, {
        settled: resource === trades ? (given, stored) => this.#settled(given, stored) : undefined,
        onChange: (stored, whole) => {
          this.#isFirst = this.#changed(resource.path, stored, whole, this.#note);
        },
      });
      this.#writers.set(resource, writer);
    }
    return writer;
  }
}

/** The records; what ends them early is the last one's error, and knows its line itself. */
function* untilBroken(records: Iterable<FileRecord>): Generator<FileRecord> {
  try {
    yield* records;
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    yield { line: error.line ?? Number.NaN, values: {}, error };
  }
}

function awaitsTrades({ resource }: DerivedValues): boolean {
  return resource.source === 'trade_group_records';
}

/** Where the id was met first is looked for only now: to remember all of them takes more memory than a long file has. */
function twice({ records, resource: of, isRepeatable }: FileRecords, resource: ListResource, id: string): RowError {
  for (const { file, line, values } of isRepeatable ? records : []) {
    const row = of.table === null ? routeRow(values) : { resource, values };
    if (row.resource === resource && row.values['id'] === id) {
      const where = file === undefined ? `on line ${line}` : `in ${file}`;
      return new RowError('id', `"${id}" is ${where} already: which of the two is right?`);
    }
  }
  return new RowError('id', `"${id}" is in this file already: which of the two is right?`);
}
