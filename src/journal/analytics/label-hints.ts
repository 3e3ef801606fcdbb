/** Hints about labels of a request that no trade has, with the nearest existing ones. */

import { foldCase } from '../../sqlite/functions.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import { LabelCount } from '../labels.ts';
import { MAX_HINTS, missingLabel, missingLabels } from '../missing-labels.ts';
import { trades } from '../resources/trades.ts';
import type { ClosedTrade } from './closed-trade.ts';
import { type Selection, visitClosedTrades } from './closed-trades.ts';
import type { NamedLabel } from './condition.ts';
import { factsOfDimension } from './dimensions.ts';

/**
 * One sentence per missing label, compared with the whole journal; undefined if none.
 * @param filters filters to check
 * @param named labels in conditions
 */
export function* labelHint(
  reader: Reader,
  user: User,
  { filters, unit }: Pick<Selection, 'filters' | 'unit'>,
  named: readonly NamedLabel[],
): Generator<void, string | undefined> {
  const sentences = yield* missingLabels(reader, user, trades, filters);
  if (named.length > 0) yield* addMissingKeys(sentences, reader, user, unit, named);
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

function* addMissingKeys(
  sentences: string[],
  reader: Reader,
  user: User,
  unit: Selection['unit'],
  named: readonly NamedLabel[],
) {
  const clock = new ZoneClock(user.timezone);
  const dimensions = [...new Set(named.map(({ dimension }) => dimension))];
  const counts = new Map(dimensions.map((dimension) => [dimension, new LabelCount()]));
  // A condition sees trades without an exchange rate, too.
  const where = {
    columns: dimensions.flatMap((dimension) => factsOfDimension(dimension).columns ?? []),
    matches(trade: ClosedTrade) {
      for (const [dimension, count] of counts) count.add([factsOfDimension(dimension).keyOf(trade, clock)].flat(), '');
      return false;
    },
  };
  yield* visitClosedTrades(reader, user, { range: { from: null, to: null }, filters: {}, unit, where }, []);
  const unique = new Map(named.map((one) => [`${one.dimension} ${foldCase(one.label)}`, one]));
  const missing = [...unique.values()].filter(({ dimension, label }) => !counts.get(dimension)?.has(label));
  const described = missing.slice(0, MAX_HINTS - sentences.length);
  for (const { dimension, label } of described)
    sentences.push(yield* missingLabel(`closed ${unit}s`, dimension, label, counts.get(dimension) as LabelCount));
  const more = missing.length - described.length;
  if (more > 0) sentences.push(more === 1 ? 'Another label is unknown.' : `${more} other labels are unknown.`);
}
