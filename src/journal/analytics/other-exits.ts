/**
 * Trades and positions with exits in a period that close after it or are still open, or
 * closed before it and have costs in it: no other figure counts them.
 */
import { STILL_WANTED } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { fromInstantText } from '../../time.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { type Range, Where } from '../where.ts';
import type { ClosedTrade, RealisedExit } from './closed-trade.ts';
import type { Selection } from './condition.ts';
import { closedBeforeCosts, MAY_HAVE_SEVERAL } from './exit-rows.ts';
import type { Positions, WithoutRate } from './positions.ts';
import { sourceFor, type TradeRow, type TradeRows } from './trade-rows.ts';

/** A trade or position; if it has no exchange rate, null or its currencies. */
export type Found = ClosedTrade | WithoutRate | null;

/** Columns of trades that exits follow from. */
export const COLUMNS_OF_EXITS = ['exits', 'entered'] as const;

/** Whether an exit is in a period. */
export function isWithin({ from, to }: Range): (exit: RealisedExit) => boolean {
  const first = from === null ? Number.NEGATIVE_INFINITY : fromInstantText(from);
  const end = to === null ? Number.POSITIVE_INFINITY : fromInstantText(to);
  return ({ at }) => at >= first && at < end;
}

interface OtherSelection extends Pick<Selection, 'range' | 'filters'> {
  /** Of closed ones, the first close; the end of the period unless it is earlier. */
  closedFrom?: string;
}

/**
 * Visits all that may have exits in a period; whether they do, their exits show.
 * @param positions if the unit is the position
 * @param visit receives the row of a trade, null of a position
 */
export function visitOthers(
  reader: Reader,
  user: User,
  selection: OtherSelection,
  reading: TradeRows,
  positions: Positions | null,
  visit: (found: Found, row: TradeRow | null) => void,
): void {
  const { from, to } = selection.range;
  const closedFrom = selection.closedFrom ?? to;
  const source = sourceFor(selection.filters);

  const visitSingles = (
    order: 'executed_at' | 'closed_at',
    index: string,
    begin: () => Where,
  ) => {
    const hint = reader.overlay || source !== 'trades' ? '' : `INDEXED BY ${index}`;
    const conditions = () => {
      const where = begin().filter(tradeFilters, selection.filters, { byIndex: false });
      if (positions) where.add('group_id IS NULL');
      return where;
    };

    const each = (rows: readonly TradeRow[]) => {
      for (const row of rows)
        visit(
          row.closed_at === null ? reading.toOpenTrade(row) : reading.toTrade(row),
          row,
        );
    };

    reading.inOrder([order], conditions, each, { source, index: hint });
  };

  visitSingles('executed_at', 'trades_status', () => openBefore(reader, user, to));
  if (closedFrom !== null && reading.hasSeveralExits)
    visitSingles('closed_at', 'trades_closed', () => closedLater(user, closedFrom, to));
  const isLate = from !== null && reading.hasDatedCosts;
  if (isLate)
    visitSingles('closed_at', 'trades_dated_costs', () => closedBeforeCosts(user, from));
  if (!positions) return;

  const late = isLate ? groupsBeforeCosts(reader, user, from) : [];
  const groups = groupsBeyond(reader, user, to).concat(late);
  for (const found of positions.ofGroups(groups)) visit(found, null);
}

/**
 * Visits the exits of trades that closed before an instant and have costs at it or later.
 */
export function visitLate(
  user: User,
  at: string,
  reading: TradeRows,
  visit: (exits: readonly RealisedExit[]) => void,
): void {
  if (!reading.hasDatedCosts) return;
  const each = (rows: readonly TradeRow[]) => {
    for (const row of rows) visit(reading.toTrade(row)?.exits ?? []);
  };
  reading.inOrder(['closed_at'], () => closedBeforeCosts(user, at), each);
}

function openBefore(reader: Reader, user: User, to: string | null): Where {
  const where = new Where(user.id).add("status = 'open'");
  where.range('executed_at', { from: null, to });
  // No index has the open ones that a key with a lens sees.
  return reader.overlay ? where.add(STILL_WANTED) : where;
}

/**
 * Trades entered before the end of a period and closed later, if they may have earlier
 * exits.
 */
function closedLater(user: User, closedFrom: string, to: string | null): Where {
  return new Where(user.id)
    .range('closed_at', { from: closedFrom, to: null })
    .range('executed_at', { from: null, to })
    .add(MAY_HAVE_SEVERAL);
}

const groupIds = (reader: Reader, where: Where) =>
  reader
    .all<{ group_id: string }>(
      `SELECT DISTINCT group_id FROM trades AS t WHERE ${where.sql} AND ${STILL_WANTED}`,
      ...where.values,
    )
    .map((row) => row.group_id);

/** Groups closed before an instant with costs at it or later. */
function groupsBeforeCosts(reader: Reader, user: User, at: string): string[] {
  const where = closedBeforeCosts(user, at).add('group_id IS NOT NULL');
  return groupIds(reader, where.add(`NOT ${HAS_LATER_LEG}`, at));
}

/**
 * Groups with a leg entered before an instant, and one that is open or closes at it or
 * later.
 */
function groupsBeyond(reader: Reader, user: User, at: string | null): string[] {
  const idsOf = (where: Where) => groupIds(reader, where);

  const ofGroups = () => {
    const where = new Where(user.id).add('group_id IS NOT NULL');
    return at === null ? where : where.add(HAS_EARLIER_LEG, at);
  };

  const open = idsOf(ofGroups().add("status = 'open'"));
  if (at === null) return open;

  return [
    ...new Set([
      ...open,
      ...idsOf(ofGroups().range('closed_at', { from: at, to: null })),
    ]),
  ];
}

const HAS_LATER_LEG = `EXISTS (SELECT 1 FROM trades AS e WHERE e.user_id = t.user_id
  AND e.group_id = t.group_id AND (e.closed_at IS NULL OR e.closed_at >= ${TEXT}))`;

const HAS_EARLIER_LEG = `EXISTS (SELECT 1 FROM trades AS e
  WHERE e.user_id = t.user_id AND e.group_id = t.group_id AND e.executed_at < ${TEXT})`;
