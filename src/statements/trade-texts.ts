/** What persons wrote about trades, while the trades are made again from fills: it moves with them. */
import type Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import { PERSON_FIELDS } from '../journal/person-fields.ts';
import { trades } from '../journal/resources/trades.ts';
import type { Values, WriteSettings } from '../journal-write/record.ts';
import { UserRows } from '../sqlite/user-rows.ts';
import { isEmpty } from './fold.ts';
import { MEASURE_OF, MEASURED, StatedRecords, UNSURE } from './stated-records.ts';
import { resourceNamed, type StatementRow } from './statement-table.ts';
import type { Holding } from './trade-anchors.ts';
import { FORMER, MENTIONS } from './walked-trades.ts';

export interface MovedTexts {
  from: string;
  to: string;
}

export class TradeTexts {
  readonly #records: StatedRecords;
  readonly #rows: UserRows;
  readonly #line: number;

  constructor(db: Database.Database, settings: WriteSettings) {
    this.#records = new StatedRecords(db, settings);
    this.#rows = new UserRows(db, settings.user.id);
    this.#line = this.#records.table.nextLine();
  }

  /**
   * Call it before a trade changes.
   * @param held its parts of fills
   * @param record as it is stored
   */
  remember(id: string, held: readonly Holding[], record: Values): void {
    const mentions = this.#mentionsOf(id);
    const isWritten = PERSON_FIELDS.some((name) => {
      const value = name === 'tags' ? withoutUnsure(record[name]) : record[name];
      return !isEmpty(value);
    });
    if (mentions.length === 0 && !isWritten) return;

    this.#records.anchors.holdAs(id, held);
    this.#records.capture(trades, id, this.#line);
    for (const { resource, id: entry } of mentions) this.#records.capture(resource, entry, this.#line);
  }

  /**
   * Call it once trades have changed, before those that are gone are deleted.
   * @param changed ids of trades that changed
   * @param going ids of those that are about to be deleted
   * @param heirOf the trade that most of some fills of a trade went to, if they have other ids now
   * @throws UserError if nothing is left of a trade that something is said about
   */
  settle(
    changed: readonly string[],
    going: ReadonlySet<string>,
    heirOf: (trade: string, fills: ReadonlySet<string>) => string | undefined,
  ): MovedTexts[] {
    if (!this.#records.anchors.has()) return [];

    const { anchors } = this.#records;
    const moved = anchors.settle(changed, going, heirOf).flatMap(({ id, from, to }) => {
      if (to !== undefined) return [{ from, to }];
      this.#refuseLost(id, from);
      anchors.forget([id]);
      return [];
    });
    const touched = moved.flatMap(({ from, to }) => [from, to]);
    const others = changed.filter((id) => anchors.isSaid(id));
    for (const id of new Set([...touched, ...others])) if (!going.has(id)) this.#records.refold(trades, id);
    for (const { from } of moved) {
      for (const { resource, id } of this.#mentionsOf(from)) this.#records.refold(resource, id);
    }
    const pairs = moved.map(({ from, to }) => [`${from} ${to}`, { from: from.replace(FORMER, ''), to }] as const);
    return [...new Map(pairs).values()];
  }

  #mentionsOf(trade: string) {
    return MENTIONS.flatMap(([table, column, path]) => {
      const rows = this.#rows.where<{ id: string }>(`SELECT id FROM ${table}`, { [column]: trade });
      return rows.map(({ id }) => ({ resource: resourceNamed(path), id }));
    });
  }

  /** @param trade that showed what was said about it */
  #refuseLost(id: string, trade: string): void {
    const { table } = this.#records;
    const mentions = this.#mentionsOf(trade);
    const rows = [
      ...table.rowsOf(trades.path, id),
      ...mentions.flatMap((own) => table.rowsOf(own.resource.path, own.id)),
    ].filter((row) => row.kind !== 'removed' && !isOfPosition(row));
    const line = rows.find(({ kind }) => kind === 'stated');
    const name = trade.replace(FORMER, '');
    if (line) throw this.#neededBy(line.import_id, name);
    if (rows.length === 0) return;

    const stated = rows.flatMap(({ fields }) => Object.keys(JSON.parse(fields ?? '{}') ?? {}));
    const what = mentions.length > 0 ? ['journal entries or weekly reviews'] : [];
    const names = [...new Set(stated.map((own) => own.replace(/[+?-]$/, '')))].filter((own) =>
      (PERSON_FIELDS as readonly string[]).includes(own),
    );
    const group = names.includes('group_id') ? `, and run journal-api ungroup ${name}` : '';
    throw new UserError(
      `this would delete trade ${name} and lose its ${[...names, ...what].join(', ')}; move them to another trade first${group}`,
    );
  }

  #neededBy(line: number, trade: string): UserError {
    const [row] = this.#rows.where<{ file: string }>('SELECT file FROM imports', { id: line });
    return new UserError(`import ${line} (${row?.file}) is about trade ${trade}; journal-api import undo ${line}`);
  }
}

/** Whether a statement says nothing beyond the excursions of a position, which go with it. */
function isOfPosition({ fields }: StatementRow): boolean {
  if (fields === null || fields.startsWith('[')) return false;
  return Object.keys(JSON.parse(fields) ?? {}).every((name) => name === MEASURE_OF || MEASURED.includes(name));
}

function withoutUnsure(tags: unknown): unknown[] {
  return (tags as unknown[]).filter((tag) => tag !== UNSURE);
}
