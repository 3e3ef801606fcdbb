/**
 * A note that is imported again replaces what it stated before: what it no longer says is
 * gone.
 */

import { statSync } from 'node:fs';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import {
  deleteRecord,
  type GivenRecord,
  same,
  type Values,
} from '../journal-write/record.ts';
import type { LineStatements, Said } from './line.ts';
import type { StatedRecords } from './stated-records.ts';
import { resourceNamed, type StatementRow, standing } from './statement-table.ts';

export class NoteVersions {
  readonly #records: StatedRecords;
  readonly #line: LineStatements;
  /** The former version of each note, by path. */
  readonly #former = new Map<string, Map<string, StatementRow>>();
  readonly #stated = new Set<string>();
  /** Number of notes that have another path now. */
  moved = 0;
  /** Paths of notes that state anything else than their former versions. */
  readonly #changed = new Set<string>();
  /** What notes state as their former versions did. */
  readonly #said: StatementRow[] = [];

  readonly #paths: readonly string[];

  /** @param paths of the notes that are imported */
  constructor(line: LineStatements, paths: readonly string[]) {
    this.#paths = paths;
    this.#line = line;
    this.#records = line.records;
  }

  /**
   * Whether the former version of a note states the same of a record: then nothing is
   * written, and what later lines state of it stays.
   */
  isSaid(resource: ListResource, given: GivenRecord, said: Said): boolean {
    const { path = '' } = said;
    if (path === '') return false;

    const { id } = given.record;
    this.#follow(resource, given, said);
    const former = this.#formerOf(resource, id, path);
    this.#stated.add(`${path} ${resource.path} ${former?.record_id ?? id}`);
    if (!former) {
      if (this.#formerRows(path).size > 0) this.#changed.add(path);
      return false;
    }

    const { table } = this.#records;
    const present = this.#records.find(resource, id) ?? {};
    const before = table.statedIn(former, resource, present);
    const isSame = same(
      sorted(before ?? {}),
      sorted(this.#line.statedBy(resource, given, said)),
    );
    if (isSame)
      this.#said.push({
        ...former,
        fields: JSON.stringify(before),
        place: said.place ?? null,
      });
    else this.#changed.add(path);

    // It may be on another line of the note.
    if (isSame && said.place !== former.place) table.move(former, said.place ?? null);
    return isSame;
  }

  #formerOf(resource: ListResource, id: string, path: string): StatementRow | undefined {
    const names = resource === trades ? this.#records.anchors.namesOf(id) : [id];
    const former = this.#formerRows(path);
    return names
      .map((name) => former.get(`${resource.path} ${name}`))
      .find((row) => row !== undefined);
  }

  #formerRows(path: string): Map<string, StatementRow> {
    let rows = this.#former.get(path);
    if (!rows) {
      const all = this.#records.table.rowsOfNote(path, this.#line.importId);
      rows = new Map(all.map((row) => [`${row.resource} ${row.record_id}`, row]));
      this.#former.set(path, rows);
    }
    return rows;
  }

  /**
   * A note that was moved keeps its former versions: it says the same, or has the id of
   * its record.
   */
  #follow(resource: ListResource, given: GivenRecord, said: Said): void {
    const { path = '', isById = false } = said;
    if (this.#formerRows(path).size > 0) return;

    const { table } = this.#records;
    const { id } = given.record;
    const stated = sorted(this.#line.statedBy(resource, given, said));

    const saysSame = (row: StatementRow) =>
      isById ||
      same(
        sorted(
          table.statedIn(row, resource, this.#records.find(resource, id) ?? {}) ?? {},
        ),
        stated,
      );

    const names = resource === trades ? this.#records.anchors.namesOf(id) : [id];
    const rows = names.flatMap((name) => table.rowsOf(resource.path, name));
    const from = rows.findLast(
      (row) => row.path !== path && this.#isGone(row.path) && saysSame(row),
    )?.path;
    if (from === undefined) return;

    table.moveNote(from, path);
    this.#former.delete(path);
    this.moved++;
  }

  #isGone(path: string): boolean {
    return path !== '' && !this.#paths.includes(path) && !isFile(path);
  }

  /**
   * Takes away what the notes no longer state. Call it once they are written.
   * @param seen called with each record before it may change
   * @param unread paths of notes of which something couldn't be read: what they said
   * before stays
   */
  settle(
    user: string,
    seen: (resource: ListResource, before: Values) => void,
    unread: ReadonlySet<string>,
  ): void {
    for (const path of this.#paths) {
      for (const row of this.#formerRows(path).values()) {
        if (unread.has(path)) this.#keepWords(path, row);
        else this.#settleRecord(path, row, user, seen);
      }
    }

    // A changed note states all its records: the line of its former version may go.
    const { importId } = this.#line;
    const again = this.#said.filter(({ path }) => this.#changed.has(path));
    this.#records.table.putBack(again.map((row) => ({ ...row, import_id: importId })));
  }

  /** Whether a note states the same as its former version. */
  isSame(path: string): boolean {
    return this.#formerRows(path).size > 0 && !this.#changed.has(path);
  }

  /** Whether a note states anything else than its former version. */
  get isOther(): boolean {
    return this.#changed.size > 0;
  }

  /** What a note said of a record before, and doesn't say differently now, stays. */
  #keepWords(path: string, row: StatementRow): void {
    const resource = resourceNamed(row.resource);
    const id =
      resource === trades ? this.#records.anchors.tradeOf(row.record_id) : row.record_id;
    const isStated = this.#stated.has(`${path} ${row.resource} ${row.record_id}`);
    if (!isStated || !this.#line.hasNoted(resource, id)) return;

    const { table } = this.#records;
    const { importId } = this.#line;
    const now = table
      .rowsOf(row.resource, id)
      .find((other) => other.import_id === importId && other.path === path);
    const said = JSON.parse(now?.fields ?? '{}') as Values;
    const before =
      table.statedIn(row, resource, this.#records.find(resource, id) ?? {}) ?? {};
    const kept = Object.entries(before).filter(([name]) => !(name in said));
    table.extend(row.resource, id, importId, path, Object.fromEntries(kept));
    this.#records.refold(resource, id);
  }

  #settleRecord(
    path: string,
    row: StatementRow,
    user: string,
    seen: (resource: ListResource, before: Values) => void,
  ): void {
    const resource = resourceNamed(row.resource);
    const { anchors } = this.#records;
    const id = resource === trades ? anchors.tradeOf(row.record_id) : row.record_id;
    const isStated = this.#stated.has(`${path} ${row.resource} ${row.record_id}`);
    if (!isStated && row.fields === '{}') return void this.#said.push(row);

    const before = this.#records.find(resource, id);
    if (!isStated) {
      if (before) this.#records.capture(resource, id, this.#line.importId, before);
      this.#changed.add(path);
      this.#line.withdraw(row.resource, row.record_id, path);
    } else if (!this.#line.hasNoted(resource, id)) return;

    if (!before) return;

    seen(resource, before);
    if (
      this.#records.refold(resource, id) !== 'gone' ||
      this.#isHeld(resource, row.record_id, path)
    )
      return;

    const { created_at } = before;
    this.#records.table.addForeign(resource.path, id, this.#line.importId, {
      created_at,
    });
    deleteRecord(this.#records.db, resource, user, id);
  }

  /** Whether another line states something of a record. */
  #isHeld(resource: ListResource, id: string, path: string): boolean {
    const rows = this.#records.table.rowsOf(resource.path, id);
    return standing(rows).some((row) => row.kind === 'stated' && row.path !== path);
  }
}

/** Whether there is a file at a path. */
export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function sorted(values: Values): [string, unknown][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
