/** What imports left in a journal, to compare a changed import with a first one done right. */
import type { Row } from '../../src/sqlite/reader.ts';
import type { ImportHome } from './home.ts';

const TABLES =
  'trades executions fills trade_groups found_groups trade_journals group_journals sessions weekly_reviews missed_trades';

/** All records, and what they are made from, without timestamps. */
export function answers(home: ImportHome): unknown {
  const plain = ({ created_at: _, updated_at: __, ...row }: Row) => withoutAccounts(row);
  return TABLES.split(' ').map((table) => [table, home.rows(`SELECT * FROM ${table}`).map(plain).sort()]);
}

/** Ids keep the account in which a row was first read. */
function withoutAccounts(row: Row): string {
  return JSON.stringify(row).replaceAll(/@[0-9a-f]{8}|:[0-9a-f]{8}(?=:)/g, '');
}

/** What an import states, as undo and later imports see it. */
export function statements(home: ImportHome, id = 1): unknown {
  return [
    home
      .rows(`SELECT resource, record_id, change, before, after, place, account FROM import_records WHERE import_id = ${id}
      ORDER BY resource, record_id`)
      .map(withoutAccounts)
      .sort(),
    home
      .rows(
        `SELECT fill_id, place, fees, fees_stated, account FROM import_fills WHERE import_id = ${id} ORDER BY fill_id`,
      )
      .map(withoutAccounts)
      .sort(),
    home.rows(`SELECT sha256, format, resource, account, rows, fills, records, trades, skipped, options, mapping
      FROM imports WHERE id = ${id}`),
  ];
}
