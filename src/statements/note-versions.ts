/** A note that is imported again replaces what it stated before: what it no longer says is gone. */
import { deleteRecord, type GivenRecord, same, type Values } from '../journal-write/record.ts';
import type { ListResource } from '../journal/resource.ts';
import { trades } from '../journal/resources/trades.ts';
import { isEmpty } from './fold.ts';
import type { LineStatements, Said } from './line.ts';
import type { StatedRecords } from './stated-records.ts';
import { NO_PLACE, resourceNamed, type StatementRow } from './statement-table.ts';

/** A value that is gone, or a record without a field. */
export interface Gone {
  resource: ListResource;
  id: string;
  /** Undefined: the whole record. */
  field: string | undefined;
  value: unknown;
}

export class NoteVersions {
  readonly #records: StatedRecords;
  readonly #line: LineStatements;
  /** The former version of each note, by path. */
  readonly #former = new Map<string, Map<string, StatementRow>>();
  readonly #stated = new Set<string>();
  /** Number of notes that have another path now. */
  moved = 0;

  readonly #paths: readonly string[];
  readonly #isFile: (path: string) => boolean;

  /**
   * @param paths of the notes that are imported
   * @param isFile whether there is a file at a path
   */
  constructor(line: LineStatements, paths: readonly string[], isFile: (path: string) => boolean) {
    this.#paths = paths;
    this.#line = line;
    this.#records = line.records;
    this.#isFile = isFile;
  }

  /**
   * Whether the former version of a note states the same of a record: then nothing is written, and
   * what later lines state of it stays.
   */
  isSaid(resource: ListResource, given: GivenRecord, said: Said): boolean {
    const { path = '' } = said;
    if (path === '') return false;

    const id = given.record['id'] as string;
    this.#follow(resource, id, path);
    const former = this.#formerOf(resource, id, path);
    this.#stated.add(`${path} ${resource.path} ${former?.record_id ?? id}`);
    if (!former) return false;

    const { table } = this.#records;
    const before = table.statedIn(former, resource, {});
    const isSame = same(sorted(before ?? {}), sorted(this.#line.statedBy(resource, given, said)));
    // It may be on another line of the note.
    if (isSame && said.place !== former.place) table.move(former, said.place ?? null);
    return isSame;
  }

  #formerOf(resource: ListResource, id: string, path: string): StatementRow | undefined {
    const names = resource === trades ? this.#records.anchors.namesOf(id) : [id];
    const former = this.#formerRows(path);
    return names.map((name) => former.get(`${resource.path} ${name}`)).find((row) => row !== undefined);
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

  /** A note that was moved: it keeps its former versions. */
  #follow(resource: ListResource, id: string, path: string): void {
    if (this.#formerRows(path).size > 0) return;

    const { table } = this.#records;
    const others = table.rowsOf(resource.path, id).map((row) => row.path);
    const from = others.findLast((other) => other !== '' && other !== path);
    if (from === undefined || this.#paths.includes(from) || this.#isFile(from)) return;

    table.moveNote(from, path);
    this.#former.delete(path);
    this.moved++;
  }

  /** Takes away what the notes no longer state. Call it once they are written. */
  settle(user: string): Gone[] {
    return this.#paths.flatMap((path) =>
      [...this.#formerRows(path).values()].flatMap((row) => this.#settleRecord(path, row, user)),
    );
  }

  #settleRecord(path: string, row: StatementRow, user: string): Gone[] {
    const resource = resourceNamed(row.resource);
    const { anchors, table } = this.#records;
    const id = resource === trades ? anchors.tradeOf(row.record_id) : row.record_id;
    const isStated = this.#stated.has(`${path} ${row.resource} ${row.record_id}`);
    if (!isStated && row.fields === '{}') return [];

    const before = this.#records.find(resource, id);
    if (!isStated) {
      if (before) this.#records.capture(resource, id, this.#line.importId, before);
      table.add(row.resource, row.record_id, this.#line.importId, { ...NO_PLACE, path, stated: {} });
    } else if (!this.#line.hasNoted(resource, id)) return [];
    if (!before) return [];

    if (this.#records.refold(resource, id) !== 'gone') return goneIn(resource, id, before, this.#records.find(resource, id));
    if (this.#isHeld(resource, row.record_id, path)) return [];

    deleteRecord(this.#records.db, resource, user, id);
    return [{ resource, id, field: undefined, value: undefined }];
  }

  /** Whether another line states something of a record. */
  #isHeld(resource: ListResource, id: string, path: string): boolean {
    const rows = this.#records.table.rowsOf(resource.path, id);
    return rows.some((row) => row.kind === 'stated' && row.path !== path && row.fields !== '{}');
  }
}

/** Values and items that a record had before. */
export function goneIn(resource: ListResource, id: string, before: Values, after: Values = {}): Gone[] {
  return Object.entries(before).flatMap(([field, value]): Gone[] => {
    const now = after[field];
    if (Array.isArray(value) && Array.isArray(now)) {
      const lost = value.filter((item) => !now.some((other) => same(other, item)));
      return lost.length > 0 ? [{ resource, id, field, value: lost }] : [];
    }
    if (isObject(value))
      return goneIn(resource, id, value, isObject(now) ? now : {}).map((own) => ({ ...own, field: `${field}.${own.field}` }));
    return !isEmpty(value) && isEmpty(now) ? [{ resource, id, field, value }] : [];
  });
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sorted(values: Values): [string, unknown][] {
  return Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1));
}
