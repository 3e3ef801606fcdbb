/** The sample's weekly reviews, one for each week that is over. */
import { addDays, toInstantText } from '../time.ts';
import { at, mondayOf } from './calendar.ts';
import type { Year } from './markets.ts';
import { type Dice, dice } from './random.ts';
import type { SampleTrade, SampleWeeklyReview } from './records.ts';
import { byClosingDay, dollarsOf, inWords, outcomeOf } from './results.ts';
import { GOALS } from './sessions.ts';

const FOCUS = [
  'Entries at the level, not on the way to it',
  'Fewer trades before ten',
  'Hold the second half to the target',
  'Write the stop before the size',
  'One market at a time',
];
const STEADY = [
  'Waited for the levels on most days.',
  'Stops were where the plan had them.',
  'The list of the evening before was short, and that helped.',
  'Skipped more than I took.',
];
const LOOSE = [
  'Too many trades after the first loss of a day.',
  'Decided too much while already in the trade.',
  'Was trading the account and not the chart.',
  'The plan was thin on two of the days.',
];

export function weeklyReviews(year: Year, trades: readonly SampleTrade[]): SampleWeeklyReview[] {
  const closedOn = byClosingDay(trades);
  const reviews: SampleWeeklyReview[] = [];
  let monday = mondayOf(year.days[0]!);
  for (let week = 0; addDays(monday, 6) < year.today; week++, monday = addDays(monday, 7)) {
    const closed = Array.from({ length: 7 }, (_, n) => closedOn.get(addDays(monday, n)) ?? []).flat();
    const set = reviews.at(-1)?.next_goals ?? [];
    reviews.push(review(dice(31, week), monday, closed, set));
  }
  return reviews;
}

function review(
  chance: Dice,
  monday: string,
  closed: readonly SampleTrade[],
  set: readonly string[],
): SampleWeeklyReview {
  // The legs of a group say little one by one.
  const results = closed
    .filter((trade) => trade.group_id === null)
    .map((trade) => ({ trade, net: dollarsOf(trade) ?? 0 }))
    .sort((a, b) => b.net - a.net);
  const net = closed.reduce((sum, trade) => sum + (dollarsOf(trade) ?? 0), 0);
  const mistakes = [...new Set(closed.flatMap((one) => one.mistakes))];
  const best = results[0];
  const worst = results.at(-1);
  const sunday = addDays(monday, 6);
  const reviewed = toInstantText(at(sunday, 1020 + chance.int(0, 150)));
  const nextGoals = chance.some(GOALS, 2).map((goal) => goal.text);
  return {
    id: `w-${monday}`,
    period_start: monday,
    period_end: sunday,
    summary: summaryOf(chance, closed, net),
    went_well: best && best.net > 0 ? `${nameOf(best.trade)} (${inWords(best.net)}). ${chance.pick(STEADY)}` : null,
    went_wrong:
      worst && worst.net < 0
        ? `${nameOf(worst.trade)} (${inWords(worst.net)}). ${mistakes.length > 1 ? chance.pick(LOOSE) : 'Not a bad trade as such.'}`
        : null,
    lesson:
      mistakes.length > 0
        ? `Again on the list: ${mistakes.join(', ')}. The trades without a mistake are fine.`
        : closed.length > 0
          ? 'Nothing to change; do the same again.'
          : null,
    focus: chance.pick(FOCUS),
    goals: set.map((text) => ({
      text,
      met: closed.length === 0 ? null : GOALS.find((goal) => goal.text === text)!.met(closed),
    })),
    next_goals: nextGoals,
    best_trade_id: best && best.net > 0 ? best.trade.id : null,
    worst_trade_id: worst && worst.net < 0 ? worst.trade.id : null,
    rating:
      closed.length === 0
        ? null
        : Math.max(1, Math.min(5, (net > 0 ? 4 : 3) - (mistakes.length > 2 ? 2 : mistakes.length > 0 ? 0 : -1))),
    mistakes,
    reviewed_at: reviewed,
    created_at: reviewed,
    updated_at: reviewed,
  };
}

function summaryOf(chance: Dice, closed: readonly SampleTrade[], net: number): string {
  if (closed.length === 0) return 'Nothing closed this week: away from the desk.';
  const wins = closed.filter((one) => outcomeOf(one) === 'win').length;
  const figures = `${closed.length} closed, ${wins} of them winners, ${inWords(net)} after costs.`;
  const symbols = Map.groupBy(closed, (one) => one.underlying ?? one.symbol);
  const [most] = [...symbols].sort((a, b) => b[1].length - a[1].length)[0]!;
  return chance.pick([
    `${figures} Mostly ${most}.`,
    `${net > 0 ? 'A good week' : 'A week below zero'}: ${figures}`,
    `${figures} ${most} took most of the attention.`,
    `${figures} ${net > 0 ? 'The plan did its part.' : 'Smaller size until two green days in a row.'}`,
  ]);
}

function nameOf(trade: SampleTrade): string {
  return trade.setup === null ? trade.symbol : `${trade.symbol}, ${trade.setup}`;
}
