/**
 * The former version of a note that is read again: the records on its lines, and the
 * trades that it stated something of.
 */
import { resolve } from 'node:path';
import type { ListResource } from '../../journal/resource.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { type FoundTrade, isOf, type TradeFinder } from '../find-trade.ts';
import { type NotedRecord, placeInNote, placeOf, REMOVED } from '../note.ts';

export class FormerRecords {
  readonly #ids: ReadonlyMap<string, string>;
  readonly #isEdited: boolean;
  readonly #taken = new Set<string>();

  /**
   * @param ids by their place
   * @param isEdited the text of an editor has no path
   */
  constructor(ids: ReadonlyMap<string, string> = new Map(), isEdited = false) {
    this.#ids = ids;
    this.#isEdited = isEdited;
  }

  /** The record on the line of a part, unless another part has it. */
  of(part: NotedRecord, { path }: ListResource): string | undefined {
    const note = this.#isEdited ? '' : resolve(part.file);
    const id = this.#ids.get(placeInNote(path, note, placeOf(part)));
    return this.#taken.has(`${path} ${id}`) ? undefined : id;
  }

  /** The record that an edit removed on the line of a part. */
  removed(
    part: Pick<NotedRecord, 'line' | 'isGone'>,
    { path }: ListResource,
  ): string | undefined {
    return this.#ids.get(placeInNote(path, REMOVED, placeOf(part)));
  }

  take({ path }: ListResource, id: string): void {
    this.#taken.add(`${path} ${id}`);
  }
}

/**
 * Of a note, the latest statement of each record, unless the note doesn't have it any
 * more.
 */
const STATED = `SELECT CASE r.resource WHEN 'trades' THEN coalesce(s.trade_id, r.record_id)
    ELSE coalesce(j.trade_id, r.fields ->> 'trade_id') END AS trade, max(r.import_id)
  FROM import_records AS r
    LEFT JOIN stated_trades AS s ON s.user_id = r.user_id AND s.id = r.record_id
      AND r.resource = 'trades'
    LEFT JOIN trade_journals AS j ON j.user_id = r.user_id AND j.id = r.record_id
      AND r.resource = 'trade-journals'
  WHERE r.user_id = ${TEXT} AND r.path = ${TEXT} AND r.path <> '' AND r.kind = 'stated'
    AND r.resource IN ('trades', 'trade-journals')
  GROUP BY r.resource, r.record_id HAVING r.fields <> '{}'`;

interface FormerTrade {
  id: string;
  /** Undefined if the journal doesn't have it any more. */
  trade: FoundTrade | undefined;
}

export class FormerTrades {
  readonly #reader: Reader;
  readonly #user: string;
  readonly #finder: TradeFinder;
  readonly #known = new Map<string, readonly FormerTrade[]>();

  constructor(reader: Reader, user: string, finder: TradeFinder) {
    this.#reader = reader;
    this.#user = user;
    this.#finder = finder;
  }

  /**
   * Whether a section that finds no trade, or several, had one in its note's former
   * version.
   * @param isTaken whether another section of the note has a trade
   */
  had({ file, clues = {} }: NotedRecord, isTaken: (id: string) => boolean): boolean {
    return this.#of(resolve(file)).some(
      // A wrong time in its heading doesn't make it another section.
      ({ id, trade }) =>
        !isTaken(id) && (!trade || isOf(trade, clues.symbol, clues.side)),
    );
  }

  #of(path: string): readonly FormerTrade[] {
    let known = this.#known.get(path);
    if (!known) {
      const ids = this.#reader.all(STATED, this.#user, path).map(({ trade }) => trade);
      known = [...new Set(ids)].flatMap((id) =>
        typeof id === 'string' ? { id, trade: this.#finder.withId(id) } : [],
      );
      this.#known.set(path, known);
    }

    return known;
  }
}
