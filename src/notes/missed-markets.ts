/**
 * Markets of missed trades, which notes don't state: they follow from the trades that the journal
 * has.
 */
import type Database from 'better-sqlite3';
import { missedTrades } from '../journal/resources/missed-trades.ts';
import type { WriteSettings } from '../journal-write/record.ts';
import { RecordWriter } from '../journal-write/record-writer.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { TradeFacts } from './records/trade-facts.ts';

/** Missed trades with the market that followed from the journal when they were last written. */
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

  const facts = new TradeFacts(db, settings.user);
  const writer = new RecordWriter(db, missedTrades, settings);
  for (const { id, symbol, market: present, guess } of guessed) {
    const market = facts.marketOf(symbol);
    if (market === guess || present !== guess) continue;

    writer.put({ id, market });
    rows.run(STATE, { id, market });
  }
}
