/** The sample's sessions and weekly reviews. */
import { addDays, dayNumber, daysBetween, toInstantText, weekdayOf } from '../time.ts';
import { at } from './calendar.ts';
import { sampleInstrument, toTick, type Year } from './market.ts';
import { MISTAKES, type Mistake } from './plan.ts';
import { type Dice, dice } from './random.ts';
import { byClosingDay, dollarsOf, MINUTE, outcomeOf, type SampleTrade, signedAmount, stamps } from './sample-trade.ts';
import * as texts from './texts.ts';

export function tradingSessions(year: Year, trades: readonly SampleTrade[]) {
  const closedOn = byClosingDay(trades);
  return year.days.flatMap((date, day) => {
    const chance = dice(21, day);
    const closed = closedOn.get(date) ?? [];
    const isRecent = year.days.length - day <= 64;
    const isKept = chance.chance(isRecent ? 0.94 : closed.length > 0 ? 0.42 : 0.1);
    return isKept ? [session(chance, year, day, date, closed)] : [];
  });
}

function session(chance: Dice, year: Year, day: number, date: string, closed: readonly SampleTrade[]) {
  const begins = at(date, chance.between(505, 545));
  const ends = at(date, chance.between(962, 977));
  const reviewed = ends + chance.int(10, 90) * MINUTE;
  const traded = closed.map((one) => one.underlying ?? one.symbol);
  const watched = [...new Set(['MES', ...traded, chance.pick(['NVDA', 'AMD', 'SPY'])])].slice(0, 4);
  const levels = watched.flatMap((symbol) => levelsOf(year, day, symbol));
  const [weekday, dayOfMonth] = [weekdayOf(dayNumber(date)), Number(date.slice(8))];
  const news = texts.NEWS.filter(([on, from, to]) => weekday === on && dayOfMonth >= from && dayOfMonth <= to);
  const week = year.price('SPY', day - 1) / year.price('SPY', day - 6) - 1;
  return {
    id: `s-${date}`,
    date,
    name: closed.length > 0 && closed.every((one) => one.market === 'forex') ? 'London morning' : 'New York',
    started_at: toInstantText(begins),
    ended_at: toInstantText(ends),
    plan: texts.fillIn(chance.pick(texts.DAY_PLANS), { ...levels[0]!, symbols: watched.join(', ') }),
    notes: chance.chance(0.4) ? chance.pick(texts.DAY_NOTES) : null,
    goals: goalsMet(chance.some(MISTAKES, 2), closed),
    mood: chance.pick(texts.MOODS),
    energy: chance.int(2, 5),
    sleep_hours: chance.int(11, 17) / 2,
    market_context: {
      bias: week > 0.008 ? 'bullish' : week < -0.008 ? 'bearish' : 'neutral',
      condition: Math.abs(week) > 0.02 ? 'trending' : chance.pick(['range', 'range', 'choppy']),
      key_levels: levels,
      news: news.map(([, , , report]) => report),
      notes: chance.chance(0.5) ? chance.pick(texts.MARKET_NOTES) : null,
    },
    review: { ...lookBack(chance, closed, reviewed), followed_plan: closed.every((one) => one.mistakes.length === 0) },
    tags: news.some(([on]) => on === 2 || on === 5) ? ['news day'] : [],
    ...stamps(begins - 20 * MINUTE, reviewed),
  };
}

function levelsOf(year: Year, day: number, symbol: string) {
  const one = sampleInstrument(symbol);
  return texts.LEVELS.slice(0, symbol === 'MES' ? 3 : 1).map(([kind, distance, note]) => {
    return { symbol, price: toTick(one, year.price(symbol, day - 1) * (1 + distance * one.volatility)), kind, note };
  });
}

/** A review of each past week. */
export function weeklyReviews(year: Year, trades: readonly SampleTrade[]) {
  const closedOn = byClosingDay(trades);
  const first = addDays(year.days[0]!, 1 - weekdayOf(dayNumber(year.days[0]!)));
  const goalsOf = (week: number) => dice(32, week).some(MISTAKES, 2);
  return Array.from({ length: Math.floor(daysBetween(first, year.today) / 7) }, (_, week) => {
    const chance = dice(31, week);
    const monday = addDays(first, 7 * week);
    const closed = Array.from({ length: 7 }, (_, n) => closedOn.get(addDays(monday, n)) ?? []).flat();
    // A single leg of a group is not meaningful.
    const ranked = closed.filter((one) => !one.group_id).sort((a, b) => dollarsOf(b) - dollarsOf(a));
    const [best, worst] = [ranked[0], ranked.at(-1)];
    const reviewed = at(addDays(monday, 6), chance.between(1020, 1170));
    return {
      id: `w-${monday}`,
      period_start: monday,
      period_end: addDays(monday, 6),
      summary: summaryOf(closed),
      ...lookBack(chance, closed, reviewed),
      focus: chance.pick(texts.WEEK_FOCUS),
      goals: goalsMet(goalsOf(week - 1), closed),
      next_goals: goalsOf(week).map(({ goal }) => goal),
      best_trade_id: best && dollarsOf(best) > 0 ? best.id : null,
      worst_trade_id: worst && dollarsOf(worst) < 0 ? worst.id : null,
      ...stamps(reviewed),
    };
  });
}

/** Review fields that days and weeks share. */
function lookBack(chance: Dice, closed: readonly SampleTrade[], reviewed: number) {
  const mistakes = [...new Set(closed.flatMap((one) => one.mistakes))];
  const slipped = mistakes.length > 0;
  const kind = closed.length === 0 ? 'quiet' : dollarsOf(...closed) > 0 ? 'green' : 'red';
  return {
    went_well: chance.pick(texts.REVIEW_WELL[kind]),
    went_wrong: slipped ? `In the journal: ${mistakes.join(', ')}.` : kind === 'red' ? 'No follow-through.' : null,
    lesson: slipped || chance.chance(0.25) ? chance.pick(texts.REVIEW_LESSONS) : null,
    rating: kind === 'quiet' ? null : slipped ? chance.int(1, 3) : chance.int(3, 5),
    mistakes,
    reviewed_at: toInstantText(reviewed),
  };
}

/** Goals to avoid a mistake, and whether they were met. */
function goalsMet(goals: readonly Mistake[], closed: readonly SampleTrade[]) {
  const isMet = ({ name }: Mistake): boolean => !closed.some((one) => one.mistakes.includes(name));
  return goals.map((goal) => ({ text: goal.goal, met: closed.length > 0 ? isMet(goal) : null }));
}

/** "8 closed, 5 of them winners, +312 USD after costs." */
function summaryOf(closed: readonly SampleTrade[]): string {
  const wins = closed.filter((one) => outcomeOf(one) === 'win').length;
  const figures = `${closed.length} closed, ${wins} of them winners, ${signedAmount(dollarsOf(...closed))} after costs.`;
  return closed.length > 0 ? figures : 'Nothing closed: away from the desk.';
}
