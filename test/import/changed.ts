/** What imports left in a journal, to compare a changed import with a first one done right. */
import Database from 'better-sqlite3';
import { isNameOfImport } from '../../src/journal/strategies.ts';
import { newUser } from '../../src/journal-write/users.ts';
import type { Row } from '../../src/sqlite/reader.ts';
import { StatedRecords } from '../../src/statements/stated-records.ts';
import { resourceNamed } from '../../src/statements/statement-table.ts';
import type { ImportHome } from './home.ts';

const TABLES =
  'trades executions fills trade_groups found_groups trade_journals group_journals sessions weekly_reviews missed_trades';

/** What an import states of records, whether or not their values stand in its statements. */
function statedBy(home: ImportHome, id: number): Row[] {
  const db = new Database(home.journal, { readonly: true });
  try {
    const user = newUser('me', {});
    const records = new StatedRecords(db, {
      user,
      timeZone: undefined,
      account: undefined,
      now: '',
    });
    return records.table
      .rowsOfLine(id)
      .map(({ import_id: _, path: __, digits: ___, clock: ____, ...row }) => {
        const resource = resourceNamed(row.resource);
        const present = records.find(resource, row.record_id) ?? {};
        const stated = records.table.statedIn(
          { ...row, import_id: id, path: '', digits: null, clock: null },
          resource,
          present,
        );
        // A missed trade on the same line of a note keeps its id.
        const record_id = row.resource === 'missed-trades' ? null : row.record_id;
        return {
          ...row,
          record_id,
          fields: JSON.stringify(Object.entries(stated ?? {}).sort()),
        };
      });
  } finally {
    db.close();
  }
}

/** The next import names a group anew that lost a leg to the trader's own. */
function withoutMadeName(row: Row): Row {
  const isMade = 'strategy' in row && isNameOfImport(String(row['name']));
  return isMade ? { ...row, name: null } : row;
}

/** All records, and what they are made from, without timestamps. A missed trade on the same line keeps its id. */
export function answers(home: ImportHome): unknown {
  const plain = ({ created_at: _, updated_at: __, ...row }: Row) =>
    withoutAccounts('missed_at' in row ? { ...row, id: null } : withoutMadeName(row));
  return TABLES.split(' ').map((table) => [
    table,
    home.rows(`SELECT * FROM ${table}`).map(plain).sort(),
  ]);
}

/** Ids keep the account in which a row was first read. */
function withoutAccounts(row: Row): string {
  return JSON.stringify(row).replaceAll(/@[0-9a-f]{8}|:[0-9a-f]{8}(?=:)/g, '');
}

/** What an import states, as undo and later imports see it. */
export function statements(home: ImportHome, id = 1): unknown {
  return [
    statedBy(home, id).map(withoutAccounts).sort(),
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
