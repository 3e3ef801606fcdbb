/** The single trade: the record of the list, with its executions, its group and what was written about it. */
import * as z from 'zod';
import { type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import { ifSmall, isSmall, NotSmall, octetsOfEach, requireFitting } from './answer-size.ts';
import * as f from './fields.ts';
import type { User } from './journal.ts';
import { shapeOf } from './list.ts';
import type { ListResource } from './resource.ts';
import { groupJournals } from './resources/group-journals.ts';
import { tradeGroups } from './resources/trade-groups.ts';
import { tradeJournals } from './resources/trade-journals.ts';
import { execution, trades } from './resources/trades.ts';
import { type RecordShape, recordShape } from './row-mapper.ts';

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

/** Rows of one kind that belong to a trade. */
interface Part {
  shape: RecordShape;
  source: string;
  column: string;
  value: string;
  order: string;
  /** So many are read at once; where there are more, all are measured before. */
  few: number;
}

type ReadPart = (part: Part) => Row[];

const executionShape = recordShape(execution);

const executionsOf = (id: string): Part => ({
  shape: executionShape,
  source: 'executions',
  column: 'trade_id',
  value: id,
  order: 'executed_at, position',
  few: 5000,
});

const FEW_RECORDS = 20;

const recordsOf = (resource: ListResource, column: string, value: string): Part => ({
  shape: shapeOf(resource),
  source: resource.source,
  column,
  value,
  order: `${resource.orderBy} DESC, id DESC`,
  few: FEW_RECORDS,
});

/**
 * @returns undefined where this user has no such trade
 * @throws AnswerTooLarge
 */
export function findTrade(reader: Reader, user: User, id: string, mayReadJournals: boolean): Row | undefined {
  const small = ifSmall(() => ({ trade: assemble((part) => readFew(reader, user, part), id, mayReadJournals) }));
  if (small) return small.trade;
  let octets = 0;
  const measured = (part: Part) => {
    octets += octetsOf(reader, user, part);
    requireFitting(
      octets,
      `the trade ${id} with all that belongs to it`,
      `its journal entries come in pages from /v1/trade-journals?trade_id=${id}`,
    );
    return readAll(reader, user, part);
  };
  return assemble(measured, id, mayReadJournals);
}

function assemble(read: ReadPart, id: string, mayReadJournals: boolean): Row | undefined {
  const [trade] = read(recordsOf(trades, 'id', id));
  if (!trade) return undefined;
  const groupId = trade['group_id'] as string | null;
  const detail = {
    ...trade,
    executions: read(executionsOf(id)),
    group: groupId === null ? null : (read(recordsOf(tradeGroups, 'id', groupId))[0] ?? null),
  };
  if (!mayReadJournals) return { ...detail, journals: null, group_journals: null, withheld: ['journals:read'] };
  return {
    ...detail,
    journals: read(recordsOf(tradeJournals, 'trade_id', id)),
    group_journals: groupId === null ? [] : read(recordsOf(groupJournals, 'group_id', groupId)),
  };
}

/** Ends with an error for ifSmall where there are more than a few rows, or a large one. */
function readFew(reader: Reader, user: User, part: Part): Row[] {
  const { shape, few } = part;
  const rows = reader.all(
    `SELECT ${shape.columns} ${clauseOf(part)} AND ${isSmall(shape.octets)} ORDER BY ${part.order} LIMIT ${few + 1}`,
    user.id,
    part.value,
    octetsOfEach(5 * FEW_RECORDS),
  );
  if (rows.length > few) throw new NotSmall();
  return rows.map(shape.toRecord);
}

function readAll(reader: Reader, user: User, part: Part): Row[] {
  const sql = `SELECT ${part.shape.columns} ${clauseOf(part)} ORDER BY ${part.order}`;
  return reader.all(sql, user.id, part.value).map(part.shape.toRecord);
}

/** How many octets the rows of a part take, about. */
function octetsOf(reader: Reader, user: User, part: Part): number {
  const sql = `SELECT coalesce(sum(100 + ${part.shape.octets}), 0) AS octets ${clauseOf(part)}`;
  return reader.get(sql, user.id, part.value)?.['octets'] as number;
}

function clauseOf({ source, column }: Part): string {
  return `FROM ${source} WHERE user_id = ${TEXT} AND ${column} = ${TEXT}`;
}
