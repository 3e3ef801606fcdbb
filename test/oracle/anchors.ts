/** Trades named by the rows that they are made of, since their ids may be others in another journal. */
import { UserError } from '../../src/errors.ts';
import type { ImportHome } from '../import/home.ts';

export interface Anchor {
  id: string;
  /** For each of its fills or its record, the rows that state it. */
  parts: readonly (readonly Place[])[];
}

/** A row of a file: of a fill, or of a record. */
interface Place {
  line: number;
  place: number;
  isFill: boolean;
}

/** A statement of a trade, not only of labels. */
const IS_WHOLE = "kind = 'stated' AND (fields IS NULL OR fields LIKE '%executed_at%')";

const PLACES = `SELECT e.executed_at AS at, f.id AS part, p.import_id AS line, p.place, 1 AS isFill FROM executions AS e
    JOIN fills AS f ON f.user_id = e.user_id AND f.execution_id = e.fill_id
    JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id WHERE e.trade_id = @id
  UNION SELECT '', '', import_id, place, 0 FROM import_records
    WHERE resource = 'trades' AND record_id = @id AND ${IS_WHOLE} ORDER BY 1, 2, 3, 4, 5`;

const OF_FILL = `SELECT DISTINCT e.trade_id AS id FROM import_fills AS p
  JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
  JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
  WHERE p.import_id = @line AND p.place = @place`;

const OF_RECORD = `SELECT record_id AS id FROM import_records
  WHERE resource = 'trades' AND ${IS_WHOLE} AND import_id = @line AND place = @place`;

export function anchorOf(home: ImportHome, id: string): Anchor {
  const rows = home.rows(PLACES, { id }) as {
    part: string;
    line: number;
    place: number;
    isFill: number;
  }[];
  const parts = Map.groupBy(rows, ({ part }) => part).values();
  const placeOf = ({ line, place, isFill }: (typeof rows)[number]) => ({
    line,
    place,
    isFill: isFill === 1,
  });
  return { id, parts: [...parts].map((places) => places.map(placeOf)) };
}

/** Finds what commands name in a journal that has other lines. */
export class Lines {
  /** Lines of this journal by those of the first one; undefined: they are the same. */
  readonly #known: ReadonlyMap<number, number> | undefined;

  constructor(known?: ReadonlyMap<number, number>) {
    this.#known = known;
  }

  /** @throws UserError if this journal doesn't have it */
  lineOf(line: number): number {
    const found = this.#find(line);
    if (found === undefined) throw new UserError(`no line ${line} here`);
    return found;
  }

  /** @throws UserError if this journal has none of its rows */
  tradeOf(home: ImportHome, anchor: Anchor): string {
    const found = this.findTrade(home, anchor);
    if (found === undefined) throw new UserError(`no trade ${anchor.id} here`);
    return found;
  }

  /** The trade with most of what the trade was made of; of several, that of its earliest part. */
  findTrade(home: ImportHome, { id, parts }: Anchor): string | undefined {
    if (this.#known === undefined || parts.length === 0) return id;

    const counts = new Map<string, number>();
    for (const places of parts) {
      for (const trade of new Set(places.flatMap((place) => this.#tradesOf(home, place))))
        counts.set(trade, (counts.get(trade) ?? 0) + 1);
    }
    const most = Math.max(...counts.values());
    const best = [...counts.keys()].filter((trade) => counts.get(trade) === most);
    return best.includes(id) ? id : best[0];
  }

  #tradesOf(home: ImportHome, { line: given, place, isFill }: Place): string[] {
    const line = this.#find(given);
    if (line === undefined) return [];
    return home
      .rows(isFill ? OF_FILL : OF_RECORD, { line, place })
      .map((row) => row['id'] as string);
  }

  #find(line: number): number | undefined {
    return this.#known === undefined ? line : this.#known.get(line);
  }
}
