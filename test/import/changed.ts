/** What imports left in a journal, to compare a changed import with a first one done right. */
import type { Row } from '../../src/sqlite/reader.ts';
import type { ImportHome } from './home.ts';

const TABLES =
  'trades executions fills trade_groups found_groups trade_journals group_journals sessions weekly_reviews missed_trades';

/** All records, and what they are made from, without timestamps. */
export function answers(home: ImportHome): unknown {
  const plain = ({ created_at: _, updated_at: __, ...row }: Row) => JSON.stringify(row);
  return TABLES.split(' ').map((table) => [table, home.rows(`SELECT * FROM ${table}`).map(plain).sort()]);
}

/** What an import states, as undo and later imports see it. */
export function statements(home: ImportHome, id = 1): unknown {
  return [
    home.rows(`SELECT resource, record_id, change, before, after, place, account FROM import_records WHERE import_id = ${id}
      ORDER BY resource, record_id`),
    home.rows(
      `SELECT fill_id, place, fees, fees_stated, account FROM import_fills WHERE import_id = ${id} ORDER BY fill_id`,
    ),
    home.rows(`SELECT sha256, format, resource, account, rows, fills, records, trades, skipped, options, mapping
      FROM imports WHERE id = ${id}`),
  ];
}
