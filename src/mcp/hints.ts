/** Hints where a model would draw a wrong conclusion: each names the call that is right. */

import { visibleText } from '../http/visible-text.ts';
import { foldCase } from '../sqlite/functions.ts';
import type { Api, Me, Query } from './api.ts';
import type { Row } from './compact.ts';

interface Label {
  value: string;
  count: number;
}

/** A symbol that is an underlying, too, or only that: its options and futures have other symbols. */
export async function underlyingHint(symbol: string | undefined, api: Api): Promise<string | undefined> {
  const labels = symbol === undefined ? undefined : await api.dataIfAny('/v1/labels');
  if (symbol === undefined || !labels) return undefined;
  const count = (name: string) =>
    (labels[name] as unknown as Label[] | null)?.find(({ value }) => foldCase(value) === foldCase(symbol))?.count ?? 0;
  const [exact, all] = [count('symbols'), count('underlyings')];
  if (all <= exact) return undefined;
  const name = visibleText(symbol);
  return `symbol=${name} finds ${exact} ${exact === 1 ? 'trade' : 'trades'} in that exact instrument; underlying=${name} finds ${all}, with its options and futures`;
}

/**
 * A bounded period without closed trades.
 * @param trades number found, with those without an exchange rate
 */
export async function emptyPeriodHint(
  trades: number,
  { start, end, period }: Query,
  api: Api,
): Promise<string | undefined> {
  const isBounded = start !== undefined || end !== undefined || (period !== undefined && period !== 'all');
  if (trades > 0 || !isBounded) return undefined;
  // Asked again, because the journal may have grown since the start of the connection.
  const extent = ((await api.data('/v1/me')) as unknown as Me).extent['trades'];
  if (!extent) return undefined;
  return `no matching closed trades in this period; the journal's trades are from ${extent.first} to ${extent.last}`;
}

/** Number of closed trades of figures, with those without an exchange rate. */
export function closedTrades(performance: Row, quality: Row[string] | undefined): number {
  const { without_rate = 0 } = (quality ?? {}) as Row;
  return (performance['trades'] as number) + (without_rate as number);
}

/** The hints of an answer as one field, after that of the API. */
export function withHints(data: Row, hints: readonly (string | undefined)[]): { hint?: string } {
  const all = [data['hint'], ...hints].filter((hint) => typeof hint === 'string');
  return all.length === 0 ? {} : { hint: all.join('; ').replaceAll('.; ', '; ') };
}
