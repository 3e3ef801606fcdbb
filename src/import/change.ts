/**
 * `import change`: reads the file of an import again, with other options or by the current reader. Fills and closed trades are
 * replaced row by row; what the user wrote stays with the rows. One transaction and one line, undone like an import.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, onLine, UserError } from '../errors.ts';
import { AccountNames } from '../import-tables/account-names.ts';
import { applyRates } from '../import-tables/exchange-rates.ts';
import { type FillStatement, FillTable } from '../import-tables/fills.ts';
import type { ImportEntry, ImportOptionsKept, ImportTable } from '../import-tables/imports.ts';
import { renameTrades, WRITTEN_FIELDS } from '../import-tables/walked-trades.ts';
import { trades } from '../journal/resources/trades.ts';
import { same, type Values, type WriteSettings } from '../journal-write/record.ts';
import { RecordWriter } from '../journal-write/record-writer.ts';
import { type Line, type LineReport, withLine } from './edit/line.ts';
import { LiveKeys, type ShownByKey } from './edit/live-keys.ts';
import { type DayChange, dailyChanges, dailyNet, type NotedDay, notedDays } from './edit/moved-days.ts';
import type { Replaced } from './edit/undo.ts';
import type { Job } from './files/job.ts';
import { planFile } from './files/plan.ts';
import { readFile } from './files/read.ts';
import { FileSource } from './files/source.ts';
import { FillDuplicates, type Stored } from './fills/duplicates.ts';
import { type IncomingFill, incomingFills } from './fills/incoming.ts';
import { type MadeTrades, type RestatedRow, restateFills } from './fills/make-trades.ts';
import { GivenMultipliers } from './fills/multiplier.ts';
import { type FileRecord, sumOf } from './fills/reading.ts';
import { lackingOf, refuseUnstorable } from './fills/store-fills.ts';
import { FORMATS } from './formats/index.ts';
import { mappedFormat } from './mapping/format.ts';
import { type LoadedMapping, loadMapping } from './mapping/load.ts';
import { Tickets } from './write/records.ts';
import type { TargetOptions } from './write/target-journal.ts';

export interface ChangeOptions extends TargetOptions {
  id: number;
  /** The file, if it isn't where it was. */
  file?: string | undefined;
  /** Options to change; the others stay. */
  given: ImportOptionsKept;
  map?: LoadedMapping | undefined;
}

export interface ChangeReport extends LineReport {
  /** The imports that were changed: the named one, and those that state some of the same rows. */
  changed: { id: number; file: string }[];
  trades: Pick<MadeTrades['trades'], 'added' | 'changed' | 'removed'> & { renamed: number };
  /** Trades whose labels and entries moved to the one with most of the same rows. */
  moved: MadeTrades['trades']['moved'];
  /** Days whose net P&L changes, in the base currency. */
  days: DayChange[];
  keys: ShownByKey[];
  /** Notes with headings of trades that have other times now. */
  notes: NotedDay[];
}

/** A file read with some options. */
interface Read {
  job: Job;
  incoming: IncomingFill[];
  records: FileRecord[];
  rows: number;
  skipped: Record<string, number>;
}

/** @throws UserError that names the problem; nothing is changed then */
export function changeImport(options: ChangeOptions, line: string): ChangeReport {
  return withLine(options, { format: 'change', line, of: options.id }, (own) => new FileChange(own, options).run());
}

class FileChange {
  readonly #own: Line;
  readonly #options: ChangeOptions;
  readonly #fills: FillTable;
  readonly #settings: WriteSettings;
  #renamed = 0;

  constructor(own: Line, options: ChangeOptions) {
    this.#own = own;
    this.#options = options;
    this.#fills = new FillTable(own.db, own.user.id);
    this.#settings = { user: own.user, timeZone: undefined, account: undefined, now: own.now };
  }

  run(): { report: Omit<ChangeReport, keyof LineReport>; changed: number; trades: number; changesFills: boolean } {
    const { db, user, imports } = this.#own;
    const entry = entryOf(imports, this.#options.id);
    const kept = optionsOf(entry, this.#options.given);
    const [keys, net] = [new LiveKeys(db, user, this.#options.keys, this.#options.now), dailyNet(db, user)];
    const noted = notedDays(db, user);
    this.#fills.fixAccounts();
    const entries = [entry, ...this.#overlapping(entry)];
    const reads = entries.map((own) => {
      const bytes = bytesOf(own, own === entry ? this.#options.file : undefined);
      return { entry: own, before: this.#readBefore(own, bytes), after: this.#read(own, bytes, kept) };
    });
    const rows = reads.flatMap((own) => this.#rowsOf(own));
    const isOfFills = rows.some(({ from, to }) => !sameRow(from, to));
    const made = isOfFills ? this.#restate(rows, reads, kept) : undefined;
    const records = reads.map((own) => this.#restateRecords(own, kept));
    applyRates(db, user);
    for (const [place, own] of reads.entries()) this.#store(own, rows, records[place]?.replaced ?? [], kept);
    const days = dailyChanges(net, dailyNet(db, user));
    const counts = { added: 0, changed: 0, removed: 0, ...made?.trades };
    const ofRecords = sum(records.map(({ changed: count }) => count));
    const changed = counts.added + counts.changed + counts.removed + this.#renamed + ofRecords;
    const { added, removed } = counts;
    return {
      report: {
        changed: entries.map(({ id, file }) => ({ id, file })),
        trades: { added, changed: counts.changed + ofRecords, removed, renamed: this.#renamed },
        moved: made?.trades.moved ?? [],
        ...{ days, keys: keys.changes(), notes: noted() },
      },
      ...{ changed, trades: changed, changesFills: true },
    };
  }

  /** Other imports that state some of the same rows. @throws UserError if one can't be changed along */
  #overlapping(entry: ImportEntry): ImportEntry[] {
    const { db, user, imports } = this.#own;
    const sharing = db
      .prepare(
        `SELECT o.import_id FROM import_fills AS p JOIN import_fills AS o ON o.user_id = p.user_id AND o.fill_id = p.fill_id
         WHERE p.user_id = @user AND p.import_id = @id UNION
         SELECT o.import_id FROM import_records AS p JOIN import_records AS o ON o.user_id = p.user_id AND o.resource = p.resource
           AND o.record_id = p.record_id JOIN imports AS i ON i.user_id = o.user_id AND i.id = o.import_id
         WHERE p.user_id = @user AND p.import_id = @id AND p.resource = 'trades' AND i.sha256 IS NOT NULL`,
      )
      .pluck();
    const found = new Map([[entry.id, entry]]);
    for (const { id } of found.values()) {
      for (const other of sharing.all({ user: user.id, id }) as number[]) {
        if (found.has(other)) continue;
        const own = entryOf(imports, other);
        const isSame = same(own.options, entry.options) && own.format === entry.format;
        const stop = (why: string) =>
          new UserError(
            `import ${other} (${own.file}) states some of the same rows, but ${why}; undo it first: journal-api import undo ${other}`,
          );
        if (!isSame) throw stop('was read with other options');
        try {
          bytesOf(own, undefined);
        } catch (error) {
          throw stop(messageOf(error));
        }
        found.set(other, own);
      }
    }
    found.delete(entry.id);
    return [...found.values()];
  }

  /** The file as it was read, to find its rows again; undefined if it can't be read so any more. */
  #readBefore(entry: ImportEntry, bytes: Buffer): Read | undefined {
    try {
      return this.#read(entry, bytes, entry.options ?? {});
    } catch (error) {
      if (error instanceof UserError) return undefined;
      throw error;
    }
  }

  #read(entry: ImportEntry, bytes: Buffer, kept: ImportOptionsKept): Read {
    const { db, user } = this.#own;
    const path = resolve(
      this.#options.id === entry.id && this.#options.file ? this.#options.file : (entry.path as string),
    );
    const map = kept.map === undefined ? undefined : (this.#options.map ?? this.#mappingOf(entry, kept.map));
    const table = map && mappedFormat(map);
    const job = planFile(path, kept.as, kept.format, table && { table, notes: table });
    if (job.format.holds !== trades.path || job.format.name === 'rates') {
      throw new UserError(
        `import ${entry.id} (${entry.file}) holds no fills or closed trades; import the file again to update its records`,
      );
    }
    const multipliers = new GivenMultipliers(new Map(Object.entries(kept.multipliers ?? {})));
    const source = new FileSource({ ...job, bytes });
    const reading = readFile(job, source, { user, timeZone: kept.timezone, date: kept.date });
    const names = new AccountNames(db, user.id);
    const how = { format: job.format, account: kept.account, names, multipliers };
    const incoming = incomingFills(reading.fills, how, this.#fills);
    return {
      ...{ job, incoming, records: [...reading.records] },
      rows: reading.rows ?? sumOf(reading.skipped),
      skipped: Object.fromEntries(reading.skipped),
    };
  }

  #mappingOf(entry: ImportEntry, file: string): LoadedMapping {
    const text = this.#own.db
      .prepare('SELECT mapping FROM imports WHERE user_id = ? AND id = ?')
      .pluck()
      .get(this.#own.user.id, entry.id) as string | null;
    return text === null ? loadMapping(file) : loadMapping(file, Buffer.from(text));
  }

  /** Each row with its statement before, and its fill before and after. */
  #rowsOf({ entry, before, after }: Change): ChangedRow[] {
    const stated = [...this.#fills.statements([entry.id])];
    const lines = before?.incoming.length === stated.length ? linesOf(before.incoming) : undefined;
    const keyOf = (place: number) => lines?.[place] ?? `place ${place}`;
    const keys = lines ? linesOf(after.incoming) : after.incoming.map((_, place) => `place ${place}`);
    const places = new Map(keys.map((key, place) => [key, place]));
    const rowOf = (was: FillStatement | undefined, now: number | undefined): ChangedRow => {
      const own = now === undefined ? undefined : (after.incoming[now] as IncomingFill);
      const { fees, fees_stated } = own?.fill ?? (was as FillStatement).fees;
      const { account } = own ?? (was as FillStatement);
      const place = now ?? (was as FillStatement).place;
      return { importId: entry.id, place, fees: { fees, fees_stated }, account, from: was?.fill, to: own?.fill, was };
    };
    const rows = stated.map((was) => {
      const now = places.get(keyOf(was.place));
      places.delete(keyOf(was.place));
      return rowOf(was, now);
    });
    return [...rows, ...[...places.values()].map((place) => rowOf(undefined, place))];
  }

  #restate(rows: readonly RestatedRow[], reads: readonly Change[], kept: ImportOptionsKept): MadeTrades {
    const stored: Stored = { fills: this.#fills, imports: this.#own.imports };
    const check = () => {
      for (const { after } of reads) {
        const { format } = after.job;
        const duplicates = kept.allow_duplicates ? undefined : new FillDuplicates(stored, format);
        const lacking = after.incoming.map(({ fill, line }) =>
          onLine(line, () => {
            refuseUnstorable(fill);
            return lackingOf(fill, line, this.#fills, duplicates);
          }),
        );
        const added = after.incoming.filter((_, place) => lacking[place] === 'fill');
        duplicates?.compareOrders(after.incoming, added);
        const others = FORMATS.filter((own) => own.platform === format.platform && own.name !== format.name);
        if (format.platform !== undefined)
          duplicates?.compareClosedTrades(
            added,
            others.map(({ name }) => name),
          );
        duplicates?.refuse();
      }
    };
    return restateFills(this.#own.db, this.#fills, rows, { ...this.#settings, check, groups: !kept.no_groups });
  }

  /** Closed trades that the file states as such. */
  #restateRecords(
    { entry, before, after }: Change,
    kept: ImportOptionsKept,
  ): { changed: number; replaced: Replaced['records'] } {
    const { db, user, imports, importId } = this.#own;
    const stated = db
      .prepare(
        "SELECT record_id AS id, place, account FROM import_records WHERE user_id = ? AND import_id = ? AND resource = 'trades' AND change <> 'removed'",
      )
      .all(user.id, entry.id) as { id: string; place: number | null; account: string | null }[];
    if (stated.length === 0 && after.records.length === 0) return { changed: 0, replaced: [] };
    const lines = before?.records.length === stated.length ? linesOf(before.records) : undefined;
    const keys = lines ? linesOf(after.records) : after.records.map((_, place) => `place ${place}`);
    const idsBefore = new Map<string, string>();
    for (const { id, place } of stated) {
      const own = place ?? before?.records.findIndex(({ values }) => values['id'] === id) ?? -1;
      if (own < 0)
        throw new UserError(
          `${id} isn't found in the file as it was read; undo import ${entry.id}, and import the file again`,
        );
      idsBefore.set(lines?.[own] ?? `place ${own}`, id);
    }
    const known = new Set(stated.map(({ id }) => id));
    const tickets = after.job.format.hasTickets ? new Tickets(db, user.id, kept.account) : undefined;
    const rows = after.records.map((record, place) => {
      const [own = record] =
        tickets && !known.has(record.values['id'] as string) ? tickets.resolved([record]) : [record];
      return { record: own, place, before: idsBefore.get(keys[place] as string) };
    });
    const ids = new Map(
      rows.flatMap(({ record, before: id }) =>
        id === undefined ? [] : [[id, record.values['id'] as string] as const],
      ),
    );
    const [gone] = [...known].filter((id) => !ids.has(id));
    if (gone !== undefined)
      throw new UserError(
        `trade ${gone} is no longer in the file as it would be read; undo import ${entry.id} instead`,
      );
    const renamed = renameTrades(db, user.id, ids);
    const clash = [...renamed].find(([id, now]) => now !== ids.get(id));
    if (clash)
      throw new UserError(
        `trade ${clash[0]} would become ${ids.get(clash[0])}, which another import states; undo one of them`,
      );
    this.#renamed += renamed.size;
    const names = new AccountNames(db, user.id);
    let changed = 0;
    const writer = new RecordWriter(
      db,
      { ...trades, table: 'trades' },
      { ...this.#settings, timeZone: kept.timezone },
      {
        onChange: (stored, whole) => {
          if (stored === whole) return;
          changed++;
          imports.addRecord(importId, trades.path, stored, whole);
        },
      },
    );
    const note = db.prepare(
      `INSERT INTO import_records (user_id, resource, record_id, import_id, change, place, account) VALUES (?, 'trades', ?, ?, 'added', ?, ?)
       ON CONFLICT (user_id, resource, record_id, import_id) DO UPDATE SET place = excluded.place, account = excluded.account`,
    );
    for (const { record, place } of rows) {
      const values = this.#unwritten(entry, before?.records, record);
      const account = (values['account'] ?? kept.account ?? null) as string | null;
      writer.put({ ...values, account: names.of(account) });
      note.run(user.id, values['id'], entry.id, place, account ?? '');
    }
    imports.writeAdded(importId);
    const replaced = stated.map(({ id, place, account }) => ({ from: id, to: ids.get(id) as string, place, account }));
    return { changed, replaced };
  }

  /** A record without the texts and labels that the user has changed since. */
  #unwritten(entry: ImportEntry, before: readonly FileRecord[] | undefined, { line, values }: FileRecord): Values {
    const { db, imports } = this.#own;
    const stored = new RecordWriter(db, { ...trades, table: 'trades' }, this.#settings).find(
      values['id'] as string,
    )?.record;
    if (!stored) return { ...values };
    const later = imports.othersOf(entry.id, { resource: trades.path, id: values['id'] as string });
    const then = before?.find((own) => own.line === line)?.values;
    const isOwn = (name: string) =>
      later.some(({ change }) => Object.hasOwn(change.after ?? {}, name)) ||
      (then !== undefined && !same(stored[name] ?? null, then[name] ?? (Array.isArray(stored[name]) ? [] : null)));
    const own: ReadonlySet<string> = new Set(WRITTEN_FIELDS.filter((name) => isOwn(name)));
    return Object.fromEntries(Object.entries(values).filter(([name]) => !own.has(name)));
  }

  /** The entry as it is now, and what undo needs to put it back. */
  #store(
    { entry, after }: Change,
    rows: readonly ChangedRow[],
    records: Replaced['records'],
    kept: ImportOptionsKept,
  ): void {
    const { db, user, importId } = this.#own;
    const find = db.prepare(`SELECT ${STORED.join(', ')} FROM imports WHERE user_id = ? AND id = ?`);
    const own = rows.filter((row) => row.importId === entry.id);
    const replaced: Replaced = {
      ...{ import: entry.id, entry: find.get(user.id, entry.id) as Replaced['entry'], records },
      fills: own.map(({ was, to, place }) => ({ was: was ?? null, place: to ? place : null })),
    };
    db.prepare(
      "INSERT INTO import_records (user_id, resource, record_id, import_id, change, before, after) VALUES (?, 'imports', ?, ?, 'changed', ?, 'null')",
    ).run(user.id, String(entry.id), importId, JSON.stringify(replaced));
    const map = kept.map === undefined ? null : (this.#options.map ?? this.#mappingOf(entry, kept.map)).text;
    const path =
      this.#options.id === entry.id && this.#options.file !== undefined ? resolve(this.#options.file) : entry.path;
    const values = {
      ...{
        format: after.job.format.name,
        account: kept.account ?? null,
        options: JSON.stringify(kept),
        mapping: map ?? null,
        path,
      },
      ...{ rows: after.rows, skipped: JSON.stringify(after.skipped), fills: after.incoming.length },
    };
    const set = Object.keys(values).map((name) => `${name} = @${name}`);
    db.prepare(`UPDATE imports SET ${set.join(', ')} WHERE user_id = @user AND id = @id`).run({
      ...values,
      user: user.id,
      id: entry.id,
    });
  }
}

/** A row with its statement before. */
type ChangedRow = RestatedRow & { was: FillStatement | undefined };

interface Change {
  entry: ImportEntry;
  before: Read | undefined;
  after: Read;
}

/** Columns of an import that a change replaces. */
const STORED = ['format', 'account', 'options', 'mapping', 'path', 'rows', 'skipped', 'fills'];

function entryOf(imports: ImportTable, id: number): ImportEntry {
  const entry = imports.find(id);
  if (!entry) throw new UserError(`there is no import ${id} to change; "journal-api import list" shows all`);
  if (entry.sha256 === null)
    throw new UserError(`import ${id} (${entry.file}) isn't a file; undo it instead: journal-api import undo ${id}`);
  return entry;
}

/** @throws UserError that asks for the options which an earlier version didn't keep */
function optionsOf(entry: ImportEntry, given: ImportOptionsKept): ImportOptionsKept {
  const isMapped = entry.format.startsWith('map:');
  if (entry.options === null && (given.timezone === undefined || (isMapped && given.map === undefined))) {
    throw new UserError(
      `import ${entry.id} is from an earlier version, which didn't keep its --timezone${isMapped ? ' and --map' : ''} or --multiplier; pass them to import change`,
    );
  }
  const before = entry.options ?? (entry.account === null ? {} : { account: entry.account });
  const multipliers = given.multipliers && { ...before.multipliers, ...given.multipliers };
  const kept: ImportOptionsKept = { ...before, ...given, ...(multipliers && { multipliers }) };
  // A format and a mapping replace each other.
  if (given.format !== undefined) delete kept.map;
  if (given.map !== undefined) delete kept.format;
  return kept;
}

/** @throws UserError if the file isn't there, or has other bytes than those imported */
function bytesOf({ id, file, path, sha256 }: ImportEntry, given: string | undefined): Buffer {
  const own = given ?? path;
  if (own === null)
    throw new UserError(`the path of ${file} is unknown; pass it: journal-api import change ${id} ${file}`);
  let bytes: Buffer;
  try {
    bytes = readFileSync(own);
  } catch (error) {
    throw new UserError(
      `${own} can't be read (${messageOf(error)}); pass the file: journal-api import change ${id} FILE`,
    );
  }
  if (createHash('sha256').update(bytes).digest('hex') === sha256) return bytes;
  throw new UserError(
    `${own} isn't the file of import ${id}: its bytes are others; import it instead, or pass the right file`,
  );
}

/** The line of each row, numbered if a line has several. */
function linesOf(incoming: readonly { line: number }[]): string[] {
  const counts = new Map<number, number>();
  return incoming.map(({ line }) => {
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    return `line ${line} ${count}`;
  });
}

function sameRow(from: RestatedRow['from'], to: RestatedRow['to']): boolean {
  return (
    from !== undefined &&
    to !== undefined &&
    Object.entries(to).every(([name, value]) => same(value, from[name as keyof typeof from]))
  );
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
