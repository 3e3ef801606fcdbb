/**
 * Fills that the user recorded by hand: one that a file states, too, counts once. They
 * are joined only here, so that it doesn't matter which came first, and the undo of
 * either leaves the other.
 */

import {
  BY_HAND,
  type Fill,
  type PlacedFill,
  replacesFees,
} from '../../../statements/fill-row.ts';
import { fromInstantText, ZoneClock } from '../../../time.ts';
import { compareText, instrumentKey } from '../identity.ts';

/** A fill by hand and the same fill of a file. */
export interface Twins {
  byHand: PlacedFill;
  stated: PlacedFill;
}

/**
 * @param placed whole executions
 * @param zone the user's, whose days fills without times have
 */
export function twinsIn(placed: readonly PlacedFill[], zone: () => string): Twins[] {
  const byHand = placed.filter(({ fill }) => fill.format === BY_HAND);
  if (byHand.length === 0) return [];

  const stated = placed.filter(
    ({ fill }) => fill.format !== BY_HAND && fill.kind === 'trade',
  );
  const byFacts = Map.groupBy(stated.toSorted(byTime), factsOf);
  const taken = new Set<PlacedFill>();

  return byHand.toSorted(byTime).flatMap((entered) => {
    const twin = byFacts
      .get(factsOf(entered))
      ?.find(
        (other) => !taken.has(other) && isAtSameTime(entered.fill, other.fill, zone),
      );
    if (!twin) return [];

    taken.add(twin);
    return [{ byHand: entered, stated: twin }];
  });
}

/** Whether a fill by hand is that of a file. @param zone the user's */
export function isTwin(byHand: Fill, stated: Fill, zone: () => string): boolean {
  return (
    factsOfFill(byHand) === factsOfFill(stated) && isAtSameTime(byHand, stated, zone)
  );
}

/** The fills without those by hand that a file states, too. */
export function withoutTwins(
  placed: readonly PlacedFill[],
  twins: readonly Twins[],
): readonly PlacedFill[] {
  if (twins.length === 0) return placed;

  const joined = new Map<PlacedFill, PlacedFill[]>();
  for (const pair of twins) {
    joined.set(pair.byHand, []);
    joined.set(pair.stated, [joinedFill(pair)]);
  }

  return placed.flatMap((fill) => joined.get(fill) ?? [fill]);
}

/**
 * The ids of two rows that are one fill: the id that a trade shows, and the hidden one.
 */
export function idsOf({ byHand, stated }: Twins): { shown: string; hidden: string } {
  const [first, second] = isFirst(byHand, stated) ? [byHand, stated] : [stated, byHand];
  return { shown: first.fill.execution_id, hidden: second.fill.execution_id };
}

/** What the file states, under the id that came first. */
function joinedFill(twins: Twins): PlacedFill {
  const { byHand, stated } = twins;
  const fill = { ...stated.fill };
  if (isFirst(byHand, stated)) {
    fill.id = byHand.fill.id;
    fill.execution_id = byHand.fill.execution_id;
  }

  if (!stated.fill.fees_stated && replacesFees(byHand.fill, stated.fill)) {
    fill.fees = byHand.fill.fees;
    fill.fees_stated = byHand.fill.fees_stated;
  }

  return {
    fill,
    places: new Map([...byHand.places, ...stated.places]),
    orderedBy: stated.fill.execution_id,
  };
}

/** Whether the line of a fill is earlier than that of another. */
function isFirst(fill: PlacedFill, other: PlacedFill): boolean {
  return Math.min(...fill.places.keys()) < Math.min(...other.places.keys());
}

function byTime({ fill: a }: PlacedFill, { fill: b }: PlacedFill): number {
  return compareText(a.executed_at, b.executed_at) || compareText(a.id, b.id);
}

function factsOf({ fill }: PlacedFill): string {
  return factsOfFill(fill);
}

function factsOfFill(fill: Fill): string {
  const { side, quantity, price } = fill;
  return `${instrumentKey(fill)} ${side} ${quantity} ${price}`;
}

/** To the minute; if one has a day only, on that day. */
function isAtSameTime(fill: Fill, other: Fill, zone: () => string): boolean {
  if (fill.has_time && other.has_time)
    return fill.executed_at.slice(0, 16) === other.executed_at.slice(0, 16);
  const clock = new ZoneClock(zone());
  const dayOf = ({ executed_at }: Fill) => clock.dayOf(fromInstantText(executed_at));
  return dayOf(fill) === dayOf(other);
}
