/**
 * What persons wrote about trades, while the trades are made again from fills: it moves
 * with them.
 */

import type Database from 'better-sqlite3';
import { UserError } from '../errors.ts';
import { emptyJsonOf } from '../journal/fields.ts';
import { PERSON_FIELDS } from '../journal/person-fields.ts';
import { trades } from '../journal/resources/trades.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { MEASURE_OF, MEASURED, StatedRecords, UNSURE } from './stated-records.ts';
import { isCompact, resourceNamed, type StatementRow } from './statement-table.ts';
import type { Holding } from './trade-anchors.ts';
import { FORMER, MENTIONS } from './walked-trades.ts';

export interface MovedTexts {
  from: string;
  to: string;
}

/** Condition that a person wrote a field of a trade. */
function isWritten(name: (typeof PERSON_FIELDS)[number]): string {
  if (name === 'tags')
    return `EXISTS (SELECT 1 FROM json_each(t.tags) WHERE value <> '${UNSURE}')`;

  const empty = emptyJsonOf(trades.record.shape[name]);
  return empty === undefined ? `t.${name} IS NOT NULL` : `t.${name} <> '${empty}'`;
}

/** Selects the trades that persons wrote something about, among some. */
const SAID_OF = `SELECT t.id FROM trades AS t
  WHERE t.user_id = ${USER} AND t.id IN (SELECT value FROM json_each(@ids)) AND (${[
    ...PERSON_FIELDS.map(isWritten),
    ...MENTIONS.map(
      ([table, column]) =>
        `t.id IN (SELECT ${column} FROM ${table} WHERE user_id = ${USER})`,
    ),
  ].join(' OR ')})`;

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
   * Call it before trades change.
   * @param changing with their parts of fills
   */
  remember(changing: readonly { id: string; executions: readonly Holding[] }[]): void {
    if (changing.length === 0) return;

    const ids = JSON.stringify(changing.map(({ id }) => id));
    const said = new Set(
      this.#rows.all<{ id: string }>(SAID_OF, { ids }).map(({ id }) => id),
    );
    for (const { id, executions } of changing) {
      if (!said.has(id)) continue;
      this.#records.anchors.holdAs(id, executions);
      this.#records.capture(trades, id, this.#line);
      for (const mention of this.#mentionsOf(id))
        this.#records.capture(mention.resource, mention.id, this.#line);
    }
  }

  /**
   * Call it once trades have changed, before those that are gone are deleted.
   * @param changed ids of trades that changed
   * @param going ids of those that are about to be deleted
   * @param heirOf the trade that most of some fills of a trade went to, if they have
   * other ids now
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
    for (const id of new Set([...touched, ...others]))
      if (!going.has(id)) this.#records.refold(trades, id);
    for (const { from } of moved) {
      for (const { resource, id } of this.#mentionsOf(from))
        this.#records.refold(resource, id);
    }

    const pairs = moved.map(
      ({ from, to }) =>
        [`${from} ${to}`, { from: from.replace(FORMER, ''), to }] as const,
    );
    return [...new Map(pairs).values()];
  }

  #mentionsOf(trade: string) {
    return MENTIONS.flatMap(([table, column, path]) => {
      const rows = this.#rows.where<{ id: string }>(`SELECT id FROM ${table}`, {
        [column]: trade,
      });
      return rows.map(({ id }) => ({ resource: resourceNamed(path), id }));
    });
  }

  /** @param trade that showed what was said about it */
  #refuseLost(id: string, trade: string): void {
    const { table } = this.#records;
    const mentions = this.#mentionsOf(trade);
    const rows = [
      ...table.rowsOf(trades.path, id),
      ...mentions.flatMap((mention) => table.rowsOf(mention.resource.path, mention.id)),
    ].filter((row) => row.kind !== 'removed' && !isOfPosition(row));
    const line = rows.find(({ kind }) => kind === 'stated');
    const name = trade.replace(FORMER, '');
    if (line) throw this.#neededBy(line.import_id, name);
    if (rows.length === 0) return;

    const stated = rows.flatMap(({ fields }) =>
      Object.keys(JSON.parse(fields ?? '{}') ?? {}),
    );
    const what = mentions.length > 0 ? ['journal entries or weekly reviews'] : [];
    const names = [...new Set(stated.map((field) => field.replace(/[+?-]$/, '')))].filter(
      (field) => (PERSON_FIELDS as readonly string[]).includes(field),
    );
    const group = names.includes('group_id')
      ? `, and run journal-api ungroup ${name}`
      : '';
    throw new UserError(
      `this would delete trade ${name} and lose its ${[...names, ...what].join(', ')}; ` +
        `move them to another trade first${group}`,
    );
  }

  #neededBy(line: number, trade: string): UserError {
    const [row] = this.#rows.where<{ file: string }>('SELECT file FROM imports', {
      id: line,
    });
    return new UserError(
      `import ${line} (${row?.file}) is about trade ${trade}; journal-api import undo ${line}`,
    );
  }
}

/**
 * Whether a statement says nothing beyond the excursions of a position, which go with it.
 */
function isOfPosition(row: StatementRow): boolean {
  if (isCompact(row)) return false;
  return Object.keys(JSON.parse(row.fields as string) ?? {}).every(
    (name) => name === MEASURE_OF || MEASURED.includes(name),
  );
}
