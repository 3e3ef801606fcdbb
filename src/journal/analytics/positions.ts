/**
 * Positions: the legs of a trade group as one, closed with the last of them. A trade
 * without a group is its own position.
 */

import { foldCase } from '../../sqlite/functions.ts';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import type { User } from '../journal.ts';
import type { Unit } from '../resource.ts';
import { positionFilters } from '../resources/positions.ts';
import { storedInstant, storedNumber } from '../stored-value.ts';
import { type TraderValue, valueIn } from '../trader-fields.ts';
import { isOneOf, Where } from '../where.ts';
import {
  type Accumulator,
  type ClosedTrade,
  type NamedValues,
  type RealisedExit,
  rateOf,
} from './closed-trade.ts';
import { sumOf } from './statistics.ts';
import {
  asOpen,
  followedPlan,
  type GroupRow,
  type TradeRow,
  type TradeRows,
  uniqueLabels,
  uniqueNumbers,
} from './trade-rows.ts';

type Filters = Readonly<Record<string, string>>;

/**
 * A closed position excluded from figures: these currencies of its legs have no exchange
 * rate.
 */
export interface WithoutRate {
  currencies: string[];
  /** The position as if the rate were 1, for conditions that don't depend on money. */
  asIfRated: () => ClosedTrade;
}

/** Columns for the position of a leg, and for the order of entry. */
export const COLUMNS_OF_LEGS = ['group', 'entered'] as const;

/**
 * Legs read together, of the groups that a chunk of trades closes: a query for each group
 * takes three times as long.
 */
const MOST_LEGS = 5000;

const INSTANT_LENGTH = '2026-11-20T14:30:00.000Z'.length;

export class Positions {
  readonly #reader: Reader;
  readonly #user: User;
  readonly #rows: TradeRows;
  readonly #filters: Filters;
  /** Positions by the leg of the chunk that closes them. */
  #closed = new Map<string, ClosedTrade | WithoutRate>();

  constructor(reader: Reader, user: User, rows: TradeRows, filters: Filters) {
    this.#reader = reader;
    this.#user = user;
    this.#rows = rows;
    this.#filters = filters;
  }

  /**
   * Reads the positions that a chunk of trades closes, if they match the filters.
   */
  meet(rows: readonly TradeRow[]): void {
    this.#closed = new Map();
    const closing = this.#closedBy(rows.filter(({ group_id }) => group_id !== null));
    const ids = closing.map(({ group_id }) => group_id);
    const matching = matchingGroups(this.#reader, this.#user, ids, this.#filters);
    const groups = this.#rows.groups([...matching]);
    let batch: string[] = [];
    let legs = 0;

    for (const [i, group] of closing.entries()) {
      if (matching.has(group.group_id)) {
        batch.push(group.group_id);
        legs += group.legs;
      }

      if (legs < MOST_LEGS && i < closing.length - 1) continue;

      for (const [id, of] of legsOf(this.#rows, this.#user, batch)) {
        const position = this.#together(id, of, groups.get(id) ?? this.#rows.group(id));
        this.#closed.set(lastOf(of).id, position);
      }

      batch = [];
      legs = 0;
    }
  }

  /**
   * The position that a leg of the chunk closes; undefined if another leg closes it, a
   * leg is open, or it doesn't match the filters.
   */
  closedBy({ id }: TradeRow): ClosedTrade | WithoutRate | undefined {
    return this.#closed.get(id);
  }

  /** Those of these groups that match the filters, whether they are closed or open. */
  ofGroups(ids: readonly string[]): (ClosedTrade | WithoutRate)[] {
    const matching = matchingGroups(this.#reader, this.#user, ids, this.#filters);
    return [...legsOf(this.#rows, this.#user, [...matching])].map(([id, legs]) => {
      const closed = legs.map((leg) => ({
        ...leg,
        closed_at: leg.closed_at ?? leg.executed_at,
      }));
      const position = this.#together(id, closed, this.#rows.group(id));
      if (legs.every((leg) => leg.closed_at !== null)) return position;
      if (!isWithoutRate(position)) return asOpen(position);
      return { ...position, asIfRated: () => asOpen(position.asIfRated()) };
    });
  }

  /** The groups without an open leg whose last leg is one of these. */
  #closedBy(legs: readonly TradeRow[]): { group_id: string; legs: number }[] {
    const rows = this.#reader.all<{
      group_id: string;
      legs: number;
      closed: number;
      last: string;
    }>(
      `SELECT group_id, count(*) AS legs, count(closed_at) AS closed, max(closed_at || id) AS last FROM trades
       WHERE user_id = ${TEXT} AND ${isOneOf('group_id')} GROUP BY group_id`,
      this.#user.id,
      JSON.stringify([...new Set(legs.map(({ group_id }) => group_id))]),
    );
    const ids = new Set(legs.map(({ id }) => id));
    return rows.filter(
      ({ legs, closed, last }) => closed === legs && ids.has(last.slice(INSTANT_LENGTH)),
    );
  }

  #together(
    groupId: string,
    rows: readonly TradeRow[],
    group: GroupRow,
  ): ClosedTrade | WithoutRate {
    const legs: ClosedTrade[] = [];
    const currencies = new Set<string>();
    for (const row of rows) {
      const leg = this.#rows.toTrade(row);
      if (leg) legs.push(leg);
      else currencies.add(row.currency);
    }

    const positionOf = (all: readonly ClosedTrade[]) => ({
      ...this.#moneyOf(rows, all, group),
      groupId,
      unitId: groupId,
      ...this.#labelsOf(all, group),
      context: (all[0] as ClosedTrade).context,
    });

    if (currencies.size === 0) return positionOf(legs);
    return {
      currencies: [...currencies],
      asIfRated: () =>
        positionOf(rows.map((row) => this.#rows.toTrade(row, 1) as ClosedTrade)),
    };
  }

  #moneyOf(rows: readonly TradeRow[], legs: readonly ClosedTrade[], group: GroupRow) {
    const last = lastOf(rows);
    const net = sumOf(legs.map((leg) => leg.net));
    const r = this.#rOf(rows, group);

    return {
      id: last.id,
      closedAt: last.closed_at,
      closedMs: storedInstant(last.closed_at),
      day: this.#rows.clock.dayOf(storedInstant(last.closed_at)),
      // Legs are in the order of entry.
      enteredMs: (legs[0] as ClosedTrade).enteredMs,
      gross: sumOf(legs.map((leg) => leg.gross)),
      fees: sumOf(legs.map((leg) => leg.fees)),
      net,
      exits: this.#rows.readsExits ? exitsTogether(legs) : null,
      r,
      risk: r === null ? null : this.#riskOf(last, group),
      outcome: this.#rows.outcomeOf(net),
      allQuantity: sumOf(legs.map((leg) => leg.allQuantity)),
      contracts: sumOf(legs.map((leg) => leg.contracts)),
      contractFees: sumOf(legs.map((leg) => leg.contractFees)),
      ...nativeMoneyOf(legs),
      ...(legs.length === 1 ? alone(legs[0] as ClosedTrade) : OF_SEVERAL),
    };
  }

  /**
   * The group's R in its own currency, as in the group's record; null without a risk, or
   * if a leg has another currency.
   */
  #rOf(legs: readonly TradeRow[], { currency, initial_risk }: GroupRow): number | null {
    if (initial_risk === null || legs.some((leg) => leg.currency !== currency))
      return null;
    return storedNumber(sumOf(legs.map((leg) => this.#rows.netOf(leg))) / initial_risk);
  }

  /** In the base currency, at the rate of the leg that closed last. */
  #riskOf({ currency, fx_rate }: TradeRow, { initial_risk }: GroupRow): number {
    return storedNumber(
      (initial_risk as number) * (rateOf(this.#user, currency, fx_rate) ?? 1),
    );
  }

  /** What all legs share is unknown to a key that doesn't see all of them. */
  #ofWhole<T>(group: GroupRow, value: T): T | null {
    return group.is_whole === 1 ? value : null;
  }

  #labelsOf(legs: readonly ClosedTrade[], group: GroupRow) {
    const { rules, mistakes, emotions, followed, confidence } =
      this.#rows.entriesOf(group);
    return {
      symbol: shared(legs, 'symbol') ?? group.underlying,
      underlying: shared(legs, 'underlying') ?? group.underlying,
      side: group.side ?? null,
      setup: this.#ofWhole(group, group.setup ?? shared(legs, 'setup')) ?? group.strategy,
      timeframe: shared(legs, 'timeframe'),
      account: shared(legs, 'account'),
      market: shared(legs, 'market') ?? group.market,
      rating: this.#ofWhole(group, group.rating ?? shared(legs, 'rating')),
      tags: uniqueLabels([
        ...legs.flatMap((leg) => leg.tags),
        ...this.#rows.labels(group.tags),
      ]),
      mistakes: uniqueLabels([
        ...legs.flatMap((leg) => leg.mistakes),
        ...this.#rows.labels(group.mistakes),
        ...mistakes,
      ]),
      hasStop: legs.some((leg) => leg.hasStop),
      journalRules: [...legs.flatMap((leg) => leg.journalRules), ...rules],
      strategy: group.strategy,
      emotions: uniqueLabels([...legs.flatMap((leg) => leg.emotions), ...emotions]),
      confidence: uniqueNumbers([
        ...legs.flatMap((leg) => leg.confidence),
        ...confidence,
      ]),
      fields: fieldsTogether(legs),
      followedPlan: followedPlan([
        ...legs.flatMap((leg) => leg.followedPlan ?? []),
        ...followed,
      ]),
    };
  }
}

export function isWithoutRate(one: ClosedTrade | WithoutRate): one is WithoutRate {
  return 'currencies' in one;
}

/** The exits of all legs; null for a single one that realises all at its close. */
function exitsTogether(legs: readonly ClosedTrade[]): ClosedTrade['exits'] {
  if (legs.length === 1) return (legs[0] as ClosedTrade).exits;
  return legs.flatMap((leg) => leg.exits ?? [atClose(leg)]);
}

/** All that a trade realised, at its close. */
const atClose = ({ closedMs, gross, fees, net }: ClosedTrade): RealisedExit => ({
  at: closedMs,
  gross,
  fees,
  net,
});

/** Fields without meaning for several legs: their worst moments differ. */
const OF_SEVERAL = {
  quantity: null,
  mae: null,
  mfe: null,
  maeBound: null,
  mfeBound: null,
};
const alone = ({ quantity, mae, mfe, maeBound, mfeBound }: ClosedTrade) => ({
  quantity,
  mae,
  mfe,
  maeBound,
  mfeBound,
});

/** The legs of groups in the order of entry, by group. */
function legsOf(
  rows: TradeRows,
  user: User,
  ids: readonly string[],
): Map<string, TradeRow[]> {
  const legs: TradeRow[] = [];
  const ofGroups = () => new Where(user.id).add(isOneOf('group_id'), JSON.stringify(ids));
  if (ids.length > 0)
    rows.inOrder(['group_id', 'executed_at'], ofGroups, (chunk) => {
      for (const row of chunk) legs.push(row);
    });
  return Map.groupBy(legs, ({ group_id }) => group_id as string);
}

/** Those of the groups that pass all filters, each as a whole. */
export function matchingGroups(
  reader: Reader,
  user: User,
  ids: readonly string[],
  filters: Filters,
): ReadonlySet<string> {
  if (ids.length === 0 || Object.keys(filters).length === 0) return new Set(ids);

  const where = new Where(user.id)
    .add(isOneOf('id'), JSON.stringify(ids))
    .filter(positionFilters, filters, { byIndex: false });
  const rows = reader.all<{ id: string }>(
    `SELECT id FROM group_positions AS t WHERE ${where.sql}`,
    ...where.values,
  );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Value shared by all legs, in the spelling of the first; null if a leg has another or
 * none.
 */
function shared<T, K extends keyof T>(legs: readonly T[], field: K): T[K] | null {
  const [first, ...others] = legs.map((leg) => leg[field]);
  return first != null && others.every((other) => isSame(first, other)) ? first : null;
}

/** Fields that the trader named: null if a leg has another value, or none. */
function fieldsTogether(legs: readonly ClosedTrade[]): NamedValues {
  const all = legs.map(({ fields }) => fields);
  const names = new Set(all.flatMap((fields) => Object.keys(fields)));
  return Object.fromEntries(
    [...names].map((name) => [
      name,
      sharedValue(all.map((fields) => valueIn(fields, name))),
    ]),
  );
}

function sharedValue(values: readonly (TraderValue | null)[]): TraderValue | null {
  const [first = null, ...others] = values;
  return others.every((other) => isSame(first, other)) ? first : null;
}

function isSame(a: unknown, b: unknown): boolean {
  return (
    a === b ||
    (typeof a === 'string' && typeof b === 'string' && foldCase(a) === foldCase(b))
  );
}

/** The leg that closes a position. */
function lastOf(legs: readonly TradeRow[]): TradeRow {
  const isLater = (a: TradeRow, b: TradeRow) =>
    a.closed_at > b.closed_at || (a.closed_at === b.closed_at && a.id > b.id);
  return legs.reduce((latest, leg) => (isLater(leg, latest) ? leg : latest));
}

/** Money in the currency of all legs; null if they have several. */
function nativeMoneyOf(
  legs: readonly ClosedTrade[],
): Pick<ClosedTrade, 'currency' | 'nativeNet'> {
  const currency = shared(legs, 'currency');
  return {
    currency,
    nativeNet:
      currency === null ? null : sumOf(legs.map((leg) => leg.nativeNet as number)),
  };
}

// Legs among the trades that figures count.

/**
 * The unit that a trader counts by: a spread is one trade to them, so positions if any
 * trade is the leg of a group.
 */
export function unitFor(reader: Reader, user: Pick<User, 'id'>): Unit {
  const leg = reader.get(
    `SELECT 1 AS found FROM trades WHERE user_id = ${TEXT} AND group_id > '' LIMIT 1`,
    user.id,
  );
  return leg === undefined ? 'trade' : 'position';
}

/** Counts legs, for a hint on figures that count each of them as a trade. */
export class Legs implements Accumulator {
  readonly columns = ['group'] as const;
  readonly #groups = new Set<string>();
  #trades = 0;
  #legs = 0;

  add({ groupId }: ClosedTrade): void {
    this.#trades++;
    if (groupId === null) return;
    this.#legs++;
    this.#groups.add(groupId);
  }

  /** @returns undefined if none of the trades is a leg */
  hint(): string | undefined {
    if (this.#legs === 0) return undefined;
    const legs = this.#legs === 1 ? 'trades is a leg' : 'trades are legs';
    const positions = this.#groups.size === 1 ? 'position' : 'positions';

    return (
      `${this.#legs} of ${this.#trades} ${legs} of ${this.#groups.size} ${positions}; ` +
      'add unit=position'
    );
  }
}
