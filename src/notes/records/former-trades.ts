/** The trades that the former version of a note stated something of. */
import { resolve } from 'node:path';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { type FoundTrade, isOf, type TradeFinder } from '../find-trade.ts';
import type { NotedRecord } from '../note.ts';

/** Of a note, the latest statement of each record, unless the note doesn't have it any more. */
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
   * Whether a section that finds no trade, or several, had one in its note's former version.
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
