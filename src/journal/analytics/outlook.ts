/** Chances of an account to pass or to breach a limit within the next days. Formulas: docs/limits.md. */
import type * as z from 'zod';
import { roundRatio } from '../../money.ts';
import * as f from '../fields.ts';
import { daysDrawer, PATHS, STEPS } from './simulation.ts';
import type { DayOfCloses, Standing } from './standing.ts';
import { Random } from './statistics.ts';

/** Fewer days show too little. */
const LEAST_DAYS = 20;
const HORIZONS = [20, 60] as const;
const LONGEST = HORIZONS[1];

const share = (what: string) => f.ratio(`Share of paths that ${what}, 0 to 1`);

export const outlookRecord = f.object(
  {
    sample: f.count('Days with trades, the source of the paths'),
    reason: f.orNull(f.ours('Reason for missing chances; else null')),
    chances: f.orNull(
      f.list(
        f.item({
          days: f.count('Number of further days with trades'),
          passed: f.orNull(share('pass first; null without a target')),
          breached: share('breach a limit first'),
          neither: share('do neither'),
        }),
        'One row for each number of days',
      ),
    ),
  },
  `What may happen if the next days are like those so far: ${PATHS} paths of whole days, drawn with weights per path as for simulation`,
);

type Outlook = z.infer<typeof outlookRecord>;

/** Simulates with pauses. @param standing after the last close; it stays as it is */
export function* outlookOf(
  standing: Standing,
  days: readonly DayOfCloses[],
  seed: number,
  hasPassed: boolean,
): Generator<void, Outlook> {
  const sample = days.length;
  const reason =
    standing.breached !== null
      ? 'a limit was breached'
      : hasPassed
        ? 'the account has passed'
        : sample < LEAST_DAYS
          ? `fewer than ${LEAST_DAYS} days with trades`
          : null;
  if (reason !== null) return { sample, reason, chances: null };
  /** Numbers of paths that end on a day, by the number of days to it. */
  const ends = { passed: new Uint32Array(LONGEST + 1), breached: new Uint32Array(LONGEST + 1) };
  const draw = daysDrawer(
    days.map((_, i) => [i]),
    new Random(seed),
  );
  const drawn = new Uint32Array(LONGEST);
  let done = 0;
  for (let path = 0; path < PATHS; path++) {
    draw(drawn);
    const own = standing.copy();
    let closes = 0;
    for (let i = 0; i < LONGEST && own.breached === null && !own.isPassed; i++) {
      const day = days[drawn[i] as number] as DayOfCloses;
      closes += follow(own, day);
      if (own.breached !== null) (ends.breached[i + 1] as number)++;
      else if (own.isPassed) (ends.passed[i + 1] as number)++;
    }
    done += LONGEST + days.length + closes;
    if (done < STEPS) continue;
    done = 0;
    yield;
  }
  const within = (counts: Uint32Array, last: number) => counts.subarray(0, last + 1).reduce((sum, n) => sum + n, 0);
  const hasTarget = Number.isFinite(standing.bounds.target);
  const chances = HORIZONS.map((last) => {
    const [passed, breached] = [within(ends.passed, last), within(ends.breached, last)];
    return {
      days: last,
      passed: hasTarget ? roundRatio(passed / PATHS) : null,
      breached: roundRatio(breached / PATHS),
      neither: roundRatio((PATHS - passed - breached) / PATHS),
    };
  });
  return { sample, reason, chances };
}

/** Adds a day, up to the close that ends the path. @returns number of closes looked at */
function follow(standing: Standing, day: DayOfCloses): number {
  standing.enter(standing.day + 1);
  if (standing.closeQuietly(day)) return 0;
  const before = standing.profit;
  for (const [i, profit] of day.profits.entries()) {
    standing.close(before + profit);
    if (standing.breached !== null || standing.isPassed) return i;
  }
  return day.profits.length;
}
