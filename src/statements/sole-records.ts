/**
 * Records that a line brought, and that nothing else touched since: undo of a large file
 * removes them together, a quarter of the time that it takes one by one.
 */

import type { ListResource } from '../journal/resource.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { tradeGroups } from '../journal/resources/trade-groups.ts';
import { trades } from '../journal/resources/trades.ts';
import { referencesTo } from '../journal-write/record.ts';
import { USER, type UserRows } from '../sqlite/user-rows.ts';
import { FieldKinds } from './fold.ts';

/** Groups before their trades, trades before records that refer to them. */
export const NAMED_FIRST: readonly ListResource[] = [
  ...new Set([tradeGroups, trades, ...RESOURCES]),
];

/**
 * Removes the records that a line alone states, with its statements of them. Those that
 * another program wrote to, or that others refer to, stay.
 * @returns their number
 */
export function deleteSole(rows: UserRows, importId: number): number {
  const [line] = rows.where<{ imported_at: string; stated: string | null }>(
    'SELECT imported_at, stated FROM imports',
    {
      id: importId,
    },
  );
  if (!line?.stated) return 0;

  const named = JSON.parse(line.stated) as Record<string, string[]>;
  let count = 0;
  // Those that refer to others first.
  for (const resource of NAMED_FIRST.toReversed()) {
    if (resource.table === null || !isWhole(resource, named[resource.path])) continue;

    const ids = rows
      .all<{ id: string }>(deletionOf(resource, resource.table), {
        importId,
        resource: resource.path,
        at: line.imported_at,
      })
      .map(({ id }) => id);
    if (ids.length === 0) continue;

    rows.run(
      `DELETE FROM import_records WHERE user_id = ${USER} AND resource = @resource
        AND import_id = @importId
         AND record_id IN (SELECT value FROM json_each(@ids))`,
      { resource: resource.path, importId, ids: JSON.stringify(ids) },
    );
    count += ids.length;
  }

  return count;
}

function isWhole(resource: ListResource, names: readonly string[] = []): boolean {
  const stated = Object.fromEntries(names.map((name) => [name, true]));
  return new FieldKinds(resource).isWhole({
    line: 0,
    kind: 'stated',
    path: '',
    record: '',
    stated,
  });
}

function deletionOf(resource: ListResource, table: string): string {
  const free = referencesTo(resource).map(
    ([other, column]) =>
      `NOT EXISTS (SELECT 1 FROM ${other} AS o WHERE o.user_id = t.user_id AND o.${column} = t.id)`,
  );
  const ofTrades = [
    't.group_id IS NULL',
    `NOT EXISTS (SELECT 1 FROM executions AS e
       WHERE e.user_id = t.user_id AND e.trade_id = t.id AND e.fill_id IS NOT NULL)`,
  ];
  const conditions = [...free, ...(resource === trades ? ofTrades : [])];

  return `DELETE FROM ${table} AS t WHERE t.user_id = ${USER} AND t.updated_at = @at
    AND t.id IN (SELECT r.record_id FROM import_records AS r
      WHERE r.user_id = ${USER} AND r.resource = @resource AND r.import_id = @importId
        AND r.kind = 'stated' AND r.fields IS NULL AND NOT EXISTS (
          SELECT 1 FROM import_records AS o WHERE o.user_id = r.user_id AND o.resource = r.resource
            AND o.record_id = r.record_id AND (o.import_id <> r.import_id OR o.kind <> r.kind)))
    ${conditions.map((condition) => `AND ${condition}`).join('\n')} RETURNING id`;
}
