/** Positions: the legs of a trade group as one, closed with the last of them. A trade without a group is its own position. */
import { Sum } from '../../money.ts';
import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import { mapInSteps } from '../in-steps.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedNumber } from '../stored-value.ts';
import { Where } from '../where.ts';
import { type ClosedTrade, rateOf } from './closed-trade.ts';
import { squareError } from './statistics.ts';
import {
  followedPlan,
  type GroupRow,
  isOneOf,
  sourceFor,
  type TradeRow,
  type TradeRows,
  uniqueLabels,
} from './trade-rows.ts';

type Filters = Readonly<Record<string, string>>;

/** A closed position excluded from figures: these currencies of its legs have no exchange rate. */
export interface WithoutRate {
  currencies: string[];
  /** The position as if the rate were 1, for conditions that don't depend on money. */
  asIfRated: () => ClosedTrade;
}

/** Columns for the position of a leg, and for the order of entry. */
export const COLUMNS_OF_LEGS = ['group', 'entered'] as const;

/** A group with at least one leg met. */
interface MetGroup {
  id: string;
  /** Number of its legs. */
  legs: number;
  /** Id of the leg that closes it; null for an open group. */
  last: string | null;
  met: TradeRow[];
}

/** Maximum legs kept until the last of their group is met: reading them again makes unit=position a seventh slower. */
const MAX_KEPT = 10_000;

const INSTANT_LENGTH = '2026-11-20T14:30:00.000Z'.length;

export class Positions {
  readonly #reader: Reader;
  readonly #user: User;
  readonly #rows: TradeRows;
  readonly #filters: Filters;
  /** Groups from the first leg met to the last. */
  readonly #groups = new Map<string, MetGroup>();
  /** Groups that legs of the current chunk close, if any of their legs matches the filters. */
  #matching: ReadonlySet<string> = new Set();
  #rowsOfGroups: ReadonlyMap<string, GroupRow> = new Map();
  #kept = 0;

  constructor(reader: Reader, user: User, rows: TradeRows, filters: Filters) {
    this.#reader = reader;
    this.#user = user;
    this.#rows = rows;
    this.#filters = filters;
  }

  /** Reads the groups of a chunk of trades together: a query for each takes three times as long. */
  *meet(rows: readonly TradeRow[]): Generator<void, void> {
    const legs = rows.filter(({ group_id }) => group_id !== null);
    const unknown = new Set(legs.flatMap(({ group_id }) => (this.#groups.has(group_id as string) ? [] : [group_id])));
    for (const group of this.#groupsOf([...unknown] as string[])) this.#groups.set(group.id, group);
    yield;
    const closed = legs.flatMap(({ id, group_id }) =>
      this.#groups.get(group_id as string)?.last === id ? [group_id as string] : [],
    );
    this.#matching = groupsWithMatchingLeg(this.#reader, this.#user, closed, this.#filters);
    this.#rowsOfGroups = this.#rows.groups([...this.#matching]);
    yield;
  }

  /** The position that a leg of the chunk closes; undefined if another leg closes it, a leg is open, or no leg matches the filters. */
  *closedBy(row: TradeRow): Generator<void, ClosedTrade | WithoutRate | undefined> {
    const groupId = row.group_id as string;
    const group = this.#groups.get(groupId) as MetGroup;
    if (group.last !== null && this.#kept < MAX_KEPT) {
      group.met.push(row);
      this.#kept++;
    }
    if (group.last !== row.id) return undefined;
    this.#groups.delete(groupId);
    this.#kept -= group.met.length;
    if (!this.#matching.has(groupId)) return undefined;
    // Legs outside the period weren't met.
    const isWhole = group.met.length === group.legs;
    const rows = isWhole ? group.met.sort(byOpening) : yield* legsOf(this.#rows, this.#user, groupId);
    yield;
    return yield* this.#together(groupId, rows);
  }

  #groupsOf(ids: readonly string[]): MetGroup[] {
    const rows = this.#reader.all(
      `SELECT group_id, count(*) AS legs, count(closed_at) AS closed, max(closed_at || id) AS last FROM trades
       WHERE user_id = ${TEXT} AND ${isOneOf('group_id')} GROUP BY group_id`,
      this.#user.id,
      JSON.stringify(ids),
    ) as { group_id: string; legs: number; closed: number; last: string }[];
    return rows.map(({ group_id, legs, closed, last }) => ({
      id: group_id,
      legs,
      last: closed < legs ? null : last.slice(INSTANT_LENGTH),
      met: [],
    }));
  }

  *#together(groupId: string, rows: readonly TradeRow[]): Generator<void, ClosedTrade | WithoutRate> {
    const legs: ClosedTrade[] = [];
    const currencies = new Set<string>();
    yield* mapInSteps(rows, (row) => {
      const leg = this.#rows.toTrade(row);
      if (leg) legs.push(leg);
      else currencies.add(row.currency);
    });
    const positionOf = (all: readonly ClosedTrade[]) => {
      const group = this.#rowsOfGroups.get(groupId) ?? this.#rows.group(groupId);
      return {
        ...this.#moneyOf(rows, all, group),
        groupId,
        ...this.#labelsOf(all, group),
        context: (all[0] as ClosedTrade).context,
      };
    };
    if (currencies.size === 0) return positionOf(legs);
    return {
      currencies: [...currencies],
      asIfRated: () => positionOf(rows.map((row) => this.#rows.toTrade(row, 1) as ClosedTrade)),
    };
  }

  #moneyOf(rows: readonly TradeRow[], legs: readonly ClosedTrade[], group: GroupRow) {
    const last = legs.reduce((latest, leg) => (isLater(leg, latest) ? leg : latest));
    const net = sumOf(legs.map((leg) => leg.net));
    const r = this.#rOf(rows, group);
    return {
      id: last.id,
      closedAt: last.closedAt,
      closedMs: last.closedMs,
      // Legs are in the order of entry.
      enteredMs: (legs[0] as ClosedTrade).enteredMs,
      gross: sumOf(legs.map((leg) => leg.gross)),
      fees: sumOf(legs.map((leg) => leg.fees)),
      net,
      netSquare: net * net,
      netSquareError: squareError(net, net * net),
      r,
      risk: r === null ? null : this.#riskOf(rows.find(({ id }) => id === last.id) as TradeRow, group),
      outcome: this.#rows.outcomeOf(net),
      ...ownMoneyOf(legs),
      ...(legs.length === 1 ? alone(legs[0] as ClosedTrade) : OF_SEVERAL),
    };
  }

  /** The group's R in its own currency, as in the group's record; null without a risk, or if a leg has another currency. */
  #rOf(legs: readonly TradeRow[], { currency, initial_risk }: GroupRow): number | null {
    if (initial_risk === null || legs.some((leg) => leg.currency !== currency)) return null;
    return storedNumber(sumOf(legs.map((leg) => this.#rows.netOf(leg))) / initial_risk);
  }

  /** In the base currency, at the rate of the leg that closed last. */
  #riskOf({ currency, fx_rate }: TradeRow, { initial_risk }: GroupRow): number {
    return storedNumber((initial_risk as number) * (rateOf(this.#user, currency, fx_rate) ?? 1));
  }

  #labelsOf(legs: readonly ClosedTrade[], group: GroupRow) {
    const { rules, mistakes } = this.#rows.entriesOf(group);
    const { emotions, followed } = this.#rows.feelingsOf(group);
    return {
      symbol: shared(legs, 'symbol') ?? group.underlying,
      underlying: shared(legs, 'underlying') ?? group.underlying,
      side: shared(legs, 'side'),
      setup: shared(legs, 'setup') ?? group.strategy,
      account: shared(legs, 'account'),
      market: shared(legs, 'market') ?? group.market,
      rating: shared(legs, 'rating'),
      tags: uniqueLabels([...legs.flatMap((leg) => leg.tags), ...this.#rows.labels(group.tags)]),
      mistakes: uniqueLabels([...legs.flatMap((leg) => leg.mistakes), ...mistakes]),
      hasStop: legs.some((leg) => leg.hasStop),
      journalRules: [...legs.flatMap((leg) => leg.journalRules), ...rules],
      strategy: group.strategy,
      emotions: uniqueLabels([...legs.flatMap((leg) => leg.emotions), ...emotions]),
      followedPlan: followedPlan([...legs.flatMap((leg) => leg.followedPlan ?? []), ...followed]),
    };
  }
}

/** Fields without meaning for several legs: their worst moments differ. */
const OF_SEVERAL = { quantity: null, mae: null, mfe: null };
const alone = ({ quantity, mae, mfe }: ClosedTrade) => ({ quantity, mae, mfe });

/** The order of legsOf. */
function byOpening(a: TradeRow, b: TradeRow): number {
  if (a.executed_at === b.executed_at) return a.id < b.id ? -1 : 1;
  return (a.executed_at as string) < (b.executed_at as string) ? -1 : 1;
}

/** The legs of a group in the order of entry. */
export function* legsOf(rows: TradeRows, user: User, groupId: string): Generator<void, TradeRow[]> {
  const legs: TradeRow[] = [];
  for (;;) {
    const where = new Where(user.id);
    where.add(`group_id = ${TEXT}`, groupId);
    const last = legs.at(-1);
    if (last) where.compare(['executed_at', 'id'], '>', [last.executed_at as string, last.id]);
    const { rows: more, isLast } = rows.read('trades', where, 'executed_at');
    for (const row of more) legs.push(row);
    if (isLast) return legs;
    yield;
  }
}

/** Those of the groups with a leg that passes all filters. */
export function groupsWithMatchingLeg(
  reader: Reader,
  user: User,
  ids: readonly string[],
  filters: Filters,
): ReadonlySet<string> {
  if (ids.length === 0 || Object.keys(filters).length === 0) return new Set(ids);
  const where = new Where(user.id);
  where.add(isOneOf('group_id'), JSON.stringify(ids));
  where.filter(tradeFilters, filters, { byIndex: false });
  const rows = reader.all(
    `SELECT DISTINCT group_id FROM ${sourceFor(filters)} AS t WHERE ${where.sql}`,
    ...where.values,
  );
  return new Set(rows.map((row) => row['group_id'] as string));
}

/** Value shared by all legs, in the spelling of the first; null if a leg has another or none. */
export function shared<T, K extends keyof T>(legs: readonly T[], field: K): T[K] | null {
  const [first, ...others] = legs.map((leg) => leg[field]);
  return first != null && others.every((other) => isSame(first, other)) ? first : null;
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'string' && typeof b === 'string' && foldCase(a) === foldCase(b));
}

function isLater(a: ClosedTrade, b: ClosedTrade): boolean {
  return a.closedAt === b.closedAt ? a.id > b.id : a.closedAt > b.closedAt;
}

/** Money in the currency of all legs; null if they have several. */
function ownMoneyOf(legs: readonly ClosedTrade[]): Pick<ClosedTrade, 'currency' | 'ownNet'> {
  const currency = shared(legs, 'currency');
  return { currency, ownNet: currency === null ? null : sumOf(legs.map((leg) => leg.ownNet as number)) };
}

/** Sum of amounts; 0 if the rest of amounts that cancel out is only rounding noise. */
export function sumOf(values: readonly number[]): number {
  const sum = new Sum();
  let size = 0;
  for (const value of values) {
    sum.add(value);
    size += Math.abs(value);
  }
  return Math.abs(sum.value) <= size * 1e-15 ? 0 : sum.value;
}
