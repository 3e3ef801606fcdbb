/**
 * The single trade: the record of the list, with its executions, group and journal
 * entries.
 */

import * as z from 'zod';
import { type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import * as f from './fields.ts';
import type { User } from './journal.ts';
import { shapeOf } from './list.ts';
import { once } from './once.ts';
import type { ListResource } from './resource.ts';
import { groupJournals, tradeJournals } from './resources/journals.ts';
import { tradeGroups } from './resources/trade-groups.ts';
import { execution, executionExits, trades } from './resources/trades.ts';
import {
  ifSmall,
  isSmall,
  NotSmall,
  octetsOfEach,
  requireFitting,
} from './response-size.ts';
import { type RecordShape, recordShape } from './stored-value.ts';
import {
  type DatedCost,
  datedCostsOf,
  type ExitFill,
  exitsOf,
  positionsAfter,
  type RealisingTrade,
} from './trade-exits.ts';

export const executionRecord = f.record(() => ({
  ...execution.shape,
  ...executionExits(),
}));

export const tradeDetailRecord = f.record(() => ({
  ...trades.record.shape,
  executions: f.list(executionRecord, 'Its executions, oldest first'),
  dated_costs: f.list(
    f.item({
      at: f.instant('Time'),
      amount: f.money('The cost, in the currency of the trade; negative if received'),
    }),
    'Those of its fees that have days of their own, such as funding, oldest first',
  ),
  group: tradeGroups.record
    .nullable()
    .meta({ description: 'Its trade group; null without one' }),
  journals: z.array(tradeJournals.record).nullable().meta({
    description:
      'Its journal entries, newest first; null without the scope journals:read',
  }),
  group_journals: z.array(groupJournals.record).nullable().meta({
    description:
      'Journal entries of its group, newest first; null without the scope journals:read',
  }),
  withheld: z.array(z.literal('journals:read')).optional().meta({
    description: 'Missing scopes that would show more; absent if nothing is withheld',
  }),
}));

/** Rows of one kind that belong to a trade, and the statements that read them. */
interface Part {
  shape: RecordShape;
  /** Maximum rows that are read at once; if there are more, all are measured first. */
  few: number;
  /**
   * SQL for a few rows, with an error for a large one; for all rows; for their
   * approximate octets.
   */
  sql: { few: string; all: string; octets: string };
}

type ReadPart = (part: Part, value: string) => Row[];

// Built once: each statement is looked up by its text, and long ones took a tenth of the
// time of a response.
function part(
  shape: RecordShape,
  source: string,
  column: string,
  order: string,
  few: number,
): Part {
  const clause = `FROM ${source} WHERE user_id = ${TEXT} AND ${column} = ${TEXT}`;
  return {
    shape,
    few,
    sql: {
      few: `SELECT ${shape.columns} ${clause} AND ${isSmall(shape.octets)} ORDER BY ${order} LIMIT ${few + 1}`,
      all: `SELECT ${shape.columns} ${clause} ORDER BY ${order}`,
      octets: `SELECT coalesce(sum(100 + ${shape.octets}), 0) AS octets ${clause}`,
    },
  };
}

const FEW_RECORDS = 20;
const OCTETS_OF_EACH = octetsOfEach(5 * FEW_RECORDS);

const recordsBy = (resource: ListResource, column: string): Part =>
  part(
    shapeOf(resource),
    resource.source,
    column,
    `${resource.orderBy} DESC, id DESC`,
    FEW_RECORDS,
  );

const TRADE = once(() => recordsBy(trades, 'id'));
const EXECUTIONS = once(() =>
  part(executionShape(), 'executions', 'trade_id', 'executed_at, position', 5000),
);
const COSTS = once(() => part(recordShape(storedCosts()), 'trades', 'id', 'id', 1));
const GROUP = once(() => recordsBy(tradeGroups, 'id'));
const JOURNALS = once(() => recordsBy(tradeJournals, 'trade_id'));
const GROUP_JOURNALS = once(() => recordsBy(groupJournals, 'group_id'));

/**
 * @returns undefined if the user has no such trade
 * @throws ResponseTooLarge
 */
export function findTrade(
  reader: Reader,
  user: User,
  id: string,
  mayReadJournals: boolean,
): Row | undefined {
  const few: ReadPart = (part, value) => readFew(reader, user, part, value);
  const small = ifSmall(() => ({ trade: assemble(few, id, mayReadJournals) }));
  if (small) return small.trade;

  let octets = 0;
  const measured: ReadPart = ({ sql, shape }, value) => {
    octets += reader.only<{ octets: number }>(sql.octets, user.id, value).octets;
    requireFitting(
      octets,
      `the trade ${id} with its executions and journal entries`,
      `read its journal entries in pages from /v1/trade-journals?trade_id=${id}`,
    );
    return reader.all(sql.all, user.id, value).map(shape.toRecord);
  };

  return assemble(measured, id, mayReadJournals);
}

function assemble(read: ReadPart, id: string, mayReadJournals: boolean): Row | undefined {
  const [trade] = read(TRADE(), id);
  if (!trade) return undefined;

  const groupId = trade['group_id'] as string | null;
  const costs = datedCostsOf(
    (read(COSTS(), id)[0]?.['dated_costs'] ?? null) as string | null,
  );
  const detail = {
    ...trade,
    executions: withExits(trade, read(EXECUTIONS(), id), costs),
    dated_costs: costs.map(({ at, amount }) => ({ at, amount })),
    group: groupId === null ? null : (read(GROUP(), groupId)[0] ?? null),
  };
  if (!mayReadJournals)
    return {
      ...detail,
      journals: null,
      group_journals: null,
      withheld: ['journals:read'],
    };

  return {
    ...detail,
    journals: read(JOURNALS(), id),
    group_journals: groupId === null ? [] : read(GROUP_JOURNALS(), groupId),
  };
}

/**
 * An execution with what its exit follows from: the P&L that its fill states. An infinite
 * one, which another program wrote, states nothing.
 */
function executionShape(): RecordShape {
  const shape = recordShape(execution);
  const stated = ['stated_gross_pnl', 'stated_net_pnl'].map(
    (name) => `iif(abs(${name}) < 9e999, ${name}, NULL) AS ${name}`,
  );

  return { ...shape, columns: [shape.columns, ...stated].join(', ') };
}

/** As the journal stores them. */
const storedCosts = () =>
  z.object({ dated_costs: f.orNull(f.text('Costs with days of their own, as JSON')) });

/** Adds to each execution what it realised, and the position after it. */
function withExits(
  trade: Row,
  executions: readonly Row[],
  costs: readonly DatedCost[],
): Row[] {
  const fills = executions as unknown as ExitFill[];
  const positions = positionsAfter(fills);
  const exits = exitsOf(trade as unknown as RealisingTrade, fills, costs)?.values();
  const opening = trade['side'] === 'long' ? 'buy' : 'sell';

  return executions.map(
    ({ stated_gross_pnl: _gross, stated_net_pnl: _net, ...fill }, i) => ({
      ...fill,
      realised_pnl: fill['side'] === opening ? null : (exits?.next().value?.net ?? null),
      position: positions[i],
    }),
  );
}

/** Ends with an error for ifSmall if there are more than a few rows, or a large one. */
function readFew(
  reader: Reader,
  user: User,
  { sql, shape, few }: Part,
  value: string,
): Row[] {
  const rows = reader.all(sql.few, user.id, value, OCTETS_OF_EACH);
  if (rows.length > few) throw new NotSmall();
  return rows.map(shape.toRecord);
}
