/** Records that go with an undone line, and other lines that are about them. */
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { trades } from '../../journal/resources/trades.ts';
import { mentionsOf } from '../../journal-write/record.ts';
import type { ImportTable } from '../../statements/imports.ts';
import type { StatedRecords } from '../../statements/stated-records.ts';
import {
  type StatementRow,
  singular,
  standing,
} from '../../statements/statement-table.ts';

/** Formats of lines that state no record, only facts about one. */
const GOES_ALONG: readonly string[] = ['account', 'excursions'];

/**
 * @throws UserError if another line states something of a record that goes, or of one
 * that refers to it
 */
export function refuseNeeded(
  stated: StatedRecords,
  imports: ImportTable,
  {
    db,
    user,
    resource,
    id,
  }: { db: Database.Database; user: string; resource: ListResource; id: string },
): void {
  const names = resource === trades ? stated.anchors.namesOf(id) : [id];
  const rows = names.flatMap((name) =>
    standing(stated.table.rowsOf(resource.path, name)),
  );
  const about = mentionsOf(db, user, resource, id).flatMap((mention) =>
    standing(stated.table.rowsOf(mention.resource, mention.id)),
  );
  const line = [...rows, ...about].find((row) => isNeeding(row, imports));
  if (!line) return;

  const { file = '' } = imports.find(line.import_id) ?? {};
  throw new UserError(
    `import ${line.import_id} (${file}) is about ${singular(resource)} ${id}; ` +
      `journal-api import undo ${line.import_id}`,
  );
}

function isNeeding({ kind, import_id }: StatementRow, imports: ImportTable): boolean {
  return kind === 'stated' && !GOES_ALONG.includes(imports.find(import_id)?.format ?? '');
}

/** A later line builds on an undone one. */
export function builtOnBy(id: number): UserError {
  return new UserError(
    `import ${id} builds on it; undo that first: journal-api import undo ${id}`,
  );
}
