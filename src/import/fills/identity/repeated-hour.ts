/** The hour that comes twice when clocks go back: a time in it has two instants. */
import { localText, toInstantText } from '../../../time.ts';
import type { RowEnd } from './row.ts';

/** By how much clocks go back, in milliseconds: Lord Howe's by half an hour. */
const CHANGES = [3_600_000, 1_800_000];

/**
 * The ends of a row with the other instants of its times, if they have some.
 * @param clocks as written, by end; '' if the file states the zone
 */
export function otherInstants(
  ends: readonly RowEnd[],
  clocks: readonly string[],
  zone: string | null,
): RowEnd[][] {
  if (zone === null) return [];

  const choices = ends.map((end, index) => {
    const other = end.hasTime
      ? otherInstant(end.instant, clocks[index] ?? '', zone)
      : undefined;
    return other === undefined ? [end] : [end, { ...end, instant: other }];
  });
  const all = choices.reduce<RowEnd[][]>(
    (rows, choice) => rows.flatMap((row) => choice.map((end) => [...row, end])),
    [[]],
  );
  // The first has the instants as they are.
  return all.slice(1);
}

function otherInstant(instant: string, clock: string, zone: string): string | undefined {
  if (clock === '') return undefined;
  const at = Date.parse(instant);
  const others = CHANGES.flatMap((change) => [at + change, at - change]).map(
    toInstantText,
  );
  return others.find((other) => localText(other, zone) === clock);
}
