/** The single trade: the record of the list, with its executions, its group and what was written about it. */
import * as z from 'zod';
import { type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import * as f from './fields.ts';
import type { User } from './journal.ts';
import { shapeOf } from './list.ts';
import type { ListResource } from './resource.ts';
import { groupJournals } from './resources/group-journals.ts';
import { tradeGroups } from './resources/trade-groups.ts';
import { tradeJournals } from './resources/trade-journals.ts';
import { execution, trades } from './resources/trades.ts';
import { recordShape } from './row-mapper.ts';

export const tradeDetailRecord = trades.record.extend({
  executions: f.list(execution, 'Its executions, oldest first'),
  group: tradeGroups.record.nullable().meta({ description: 'The trade group it is a leg of' }),
  journals: z
    .array(tradeJournals.record)
    .nullable()
    .meta({ description: 'What was written about it, newest first; null where the key may not read journals' }),
  group_journals: z
    .array(groupJournals.record)
    .nullable()
    .meta({ description: 'What was written about its group, newest first; null where the key may not read journals' }),
  withheld: z.array(z.literal('journals:read')).optional().meta({
    description: 'Scopes that the key lacks and that would show more; only there where something is withheld',
  }),
});

const executionShape = recordShape(execution);

/** @returns undefined where this user has no such trade */
export function findTrade(reader: Reader, user: User, id: string, mayReadJournals: boolean): Row | undefined {
  const [trade] = recordsWith(reader, trades, user, 'id', id);
  if (!trade) return undefined;
  const groupId = trade['group_id'] as string | null;
  const executions = reader
    .all(
      `SELECT ${executionShape.columns} FROM executions WHERE user_id = ${TEXT} AND trade_id = ${TEXT} ORDER BY executed_at, position`,
      user.id,
      id,
    )
    .map(executionShape.toRecord);
  const detail = {
    ...trade,
    executions,
    group: groupId === null ? null : (recordsWith(reader, tradeGroups, user, 'id', groupId)[0] ?? null),
  };
  if (!mayReadJournals) return { ...detail, journals: null, group_journals: null, withheld: ['journals:read'] };
  return {
    ...detail,
    journals: recordsWith(reader, tradeJournals, user, 'trade_id', id),
    group_journals: groupId === null ? [] : recordsWith(reader, groupJournals, user, 'group_id', groupId),
  };
}

function recordsWith(reader: Reader, resource: ListResource, user: User, column: string, value: string): Row[] {
  const { columns, toRecord } = shapeOf(resource);
  return reader
    .all(
      `SELECT ${columns} FROM ${resource.source} WHERE user_id = ${TEXT} AND ${column} = ${TEXT} ORDER BY ${resource.orderBy} DESC, id DESC`,
      user.id,
      value,
    )
    .map(toRecord);
}
