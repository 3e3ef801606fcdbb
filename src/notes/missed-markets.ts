/**
 * Markets of missed trades, which notes don't state: they follow from the trades that the
 * journal has.
 */
import type Database from 'better-sqlite3';
import { futureOf } from '../journal/derivatives.ts';
import { missedTrades } from '../journal/resources/missed-trades.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import { RecordWriter } from '../journal-write/record-writer.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';

/**
 * Missed trades with the market that followed from the journal when they were last
 * written.
 */
const GUESSED = `SELECT m.id, m.symbol, m.market, r.fields ->> '$.market?' AS guess, max(r.import_id)
  FROM import_records AS r JOIN missed_trades AS m ON m.user_id = r.user_id AND m.id = r.record_id
  WHERE r.user_id = ${USER} AND r.resource = 'missed-trades' AND r.fields ->> '$.market?' IS NOT NULL
    AND r.fields ->> '$.market' IS NULL
  GROUP BY m.id`;

const STATE = `UPDATE import_records SET fields = json_set(fields, '$.market?', @market)
  WHERE user_id = ${USER} AND resource = 'missed-trades' AND record_id = @id
    AND fields ->> '$.market?' IS NOT NULL`;

/** Call it once trades have changed. One that another program gave a market keeps it. */
export function settleMarkets(db: Database.Database, settings: WriteSettings): void {
  const rows = new UserRows(db, settings.user.id);
  const guessed = rows.all<Record<'id' | 'symbol' | 'market' | 'guess', string>>(GUESSED);
  if (guessed.length === 0) return;

  const markets = new Markets(rows);
  const writer = new RecordWriter(db, missedTrades, settings);
  for (const { id, symbol, market: present, guess } of guessed) {
    const market = markets.of(symbol);
    if (market === guess || present !== guess) continue;

    writer.put({ id, market });
    rows.run(STATE, { id, market });
  }
}

/** Of symbols, by the trades that the journal has. */
interface KnownMarkets {
  /** Of the last trade with a symbol or underlying, in small letters. */
  of: ReadonlyMap<string, string>;
  /** That of all trades, if they have one. */
  only: string;
}

export class Markets {
  readonly #rows: UserRows;
  /** Read once. */
  #known: KnownMarkets | undefined;

  constructor(rows: UserRows) {
    this.#rows = rows;
  }

  /**
   * The market of trades in a symbol, else "future" for a known root, else the only
   * market of all trades.
   */
  of(symbol: string): string {
    this.#known ??= this.#marketsNow();
    return (
      this.#known.of.get(symbol.toLowerCase()) ??
      (futureOf(symbol) ? 'future' : this.#known.only)
    );
  }

  #marketsNow(): KnownMarkets {
    const rows = this.#rows.all<{
      symbol: string;
      underlying: string | null;
      market: string;
    }>(
      `SELECT symbol, underlying, market FROM trades WHERE user_id = ${USER}
       GROUP BY symbol, underlying, market ORDER BY max(executed_at)`,
    );
    const names = rows.flatMap(({ symbol, underlying, market }) =>
      [underlying ?? symbol, symbol].map((name) => [name.toLowerCase(), market] as const),
    );
    const [only = 'other', ...more] = new Set(rows.map(({ market }) => market));
    return { of: new Map(names), only: more.length === 0 ? only : 'other' };
  }
}
