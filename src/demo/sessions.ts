/** The sample's trading days: what was planned, what the market did, and how it went. */
import { dayNumber, toInstantText, weekdayOf } from '../time.ts';
import { at } from './calendar.ts';
import { instrumentOf, toTick, type Year } from './markets.ts';
import { type Dice, dice } from './random.ts';
import type { SampleSession, SampleTrade } from './records.ts';
import { byClosingDay, dollarsOf, inWords } from './results.ts';

type Context = NonNullable<SampleSession['market_context']>;
type Review = NonNullable<SampleSession['review']>;
type Level = Context['key_levels'][number];

/** Goals that a day, or a week, can be checked against. */
export const GOALS: readonly { text: string; met: (trades: readonly SampleTrade[]) => boolean }[] = [
  {
    text: 'No stop moved away from the price',
    met: (trades) => !trades.some((one) => one.mistakes.includes('moved stop')),
  },
  {
    text: 'Only trades with a written setup',
    met: (trades) => trades.every((one) => one.setup !== null || one.group_id !== null),
  },
  {
    text: 'No trade in the quarter of an hour after a loss',
    met: (trades) => !trades.some((one) => one.mistakes.includes('revenge trade')),
  },
  {
    text: 'Size from the calculator, every time',
    met: (trades) => !trades.some((one) => one.mistakes.includes('oversized')),
  },
  {
    text: 'Let winners run to the first target',
    met: (trades) => !trades.some((one) => one.mistakes.includes('exited early')),
  },
  {
    text: 'No chasing: a missed entry is a missed trade',
    met: (trades) => !trades.some((one) => one.mistakes.includes('chased entry')),
  },
];

const PLANS: readonly ((symbols: string, level: Level) => string)[] = [
  (symbols, level) => `Watch ${symbols}. Nothing before ${level.symbol} has shown what it does at ${level.price}.`,
  (symbols, level) =>
    `${symbols} on the list. Above ${level.price} in ${level.symbol} I look for pullbacks to buy, below it for failed bounces. Two trades are enough.`,
  (symbols) =>
    `First half hour only watching. ${symbols}: take the first setup that comes to a level, skip what starts in the middle.`,
  (symbols) => `Half size until the first win. Candidates: ${symbols}.`,
  (_, level) => `One idea: ${level.symbol} around ${level.price}. If it isn't there by eleven, the day is for reading.`,
];
const NOTES = [
  'Volume dried up after eleven.',
  'Spreads wider than usual at the open.',
  'Spent the lunch break away from the desk; it helped.',
  'Slow start, then everything at once.',
  'Phone in the other room.',
];
const GREEN = [
  'Took what was on the list and stopped when it was done.',
  'Good entries; the patience of the first hour paid.',
  'Both sides of the plan were written down, so the turn was no surprise.',
  'Exits at the planned prices.',
];
const RED = [
  'Losses were small and came from planned trades.',
  'Stopped when the plan was used up.',
  'Kept the size down although it was tempting to press.',
  'Wrote everything down while it was fresh.',
];
const QUIET = ['No trade was the right number of trades.', 'Watched, marked levels, left it alone.'];
const MARKET = [
  'Index led, single stocks followed late.',
  'Breadth better than the index.',
  'Narrow: a handful of names did all the work.',
  'Bonds and stocks moved together again.',
];

export function tradingSessions(year: Year, trades: readonly SampleTrade[]): SampleSession[] {
  const closedOn = byClosingDay(trades);
  return year.days.flatMap((date, day) => {
    const chance = dice(21, day);
    const closed = closedOn.get(date) ?? [];
    const isRecent = year.days.length - day <= 64;
    return chance.chance(isRecent ? 0.94 : closed.length > 0 ? 0.42 : 0.1)
      ? [session(chance, year, day, date, closed)]
      : [];
  });
}

function session(chance: Dice, year: Year, day: number, date: string, closed: readonly SampleTrade[]): SampleSession {
  const begins = at(date, 505 + chance.int(0, 40));
  const ends = at(date, 962 + chance.int(0, 15));
  const reviewed = ends + chance.int(10, 90) * 60_000;
  const watched = [
    ...new Set(['MES', ...closed.map((one) => one.underlying ?? one.symbol), chance.pick(['NVDA', 'AMD', 'SPY'])]),
  ].slice(0, 4);
  const levels = watched.flatMap((symbol) => levelsOf(chance, year, day, symbol));
  const goals = chance
    .some(GOALS, 2)
    .map((goal) => ({ text: goal.text, met: closed.length === 0 ? null : goal.met(closed) }));
  return {
    id: `s-${date}`,
    date,
    name: closed.length > 0 && closed.every((one) => one.market === 'forex') ? 'London morning' : 'New York',
    started_at: toInstantText(begins),
    ended_at: toInstantText(ends),
    plan: chance.pick(PLANS)(watched.join(', '), levels[0]!),
    notes: chance.chance(0.4) ? chance.pick(NOTES) : null,
    goals,
    mood: chance.pick(['rested', 'calm', 'a little tired', 'impatient', 'focused', 'distracted', 'good', null]),
    energy: chance.int(2, 5),
    sleep_hours: chance.int(11, 17) / 2,
    market_context: contextOf(chance, year, day, date, levels),
    review: reviewOf(chance, closed, reviewed),
    tags: newsOf(date).length > 1 ? ['news day'] : [],
    created_at: toInstantText(begins - 20 * 60_000),
    updated_at: toInstantText(reviewed),
  };
}

/** Where the symbol closed the day before, and one level on either side of it. */
function levelsOf(chance: Dice, year: Year, day: number, symbol: string): Level[] {
  const one = instrumentOf(symbol);
  const price = year.price(symbol, day - 1);
  const away = (share: number): number => toTick(one, price * (1 + share * one.volatility));
  const levels: Level[] = [
    { symbol, price, kind: 'pivot', note: 'close of the day before' },
    {
      symbol,
      price: away(chance.between(0.5, 0.9)),
      kind: 'resistance',
      note: chance.pick(['high of the day before', 'top of the value area', null]),
    },
    {
      symbol,
      price: away(-chance.between(0.5, 0.9)),
      kind: 'support',
      note: chance.pick(['low of the day before', 'overnight low', null]),
    },
  ];
  return levels.slice(0, symbol === 'MES' ? 3 : chance.int(1, 2));
}

function contextOf(chance: Dice, year: Year, day: number, date: string, keyLevels: Level[]): Context {
  const week = year.price('SPY', day - 1) / year.price('SPY', day - 6) - 1;
  return {
    bias: week > 0.008 ? 'bullish' : week < -0.008 ? 'bearish' : 'neutral',
    condition: Math.abs(week) > 0.02 ? 'trending' : chance.pick(['range', 'range', 'choppy']),
    key_levels: keyLevels,
    news: newsOf(date),
    notes: chance.chance(0.5) ? chance.pick(MARKET) : null,
  };
}

/** Reports that come out on that weekday, at New York time. */
function newsOf(date: string): string[] {
  const weekday = weekdayOf(dayNumber(date));
  const dayOfMonth = Number(date.slice(8));
  const news = [];
  if (weekday === 3) news.push('Crude inventories at 10:30');
  if (weekday === 4) news.push('Jobless claims at 8:30');
  if (weekday === 5 && dayOfMonth <= 7) news.push('Employment report at 8:30', 'Wage growth');
  if (dayOfMonth >= 10 && dayOfMonth <= 13 && weekday === 2)
    news.push('Consumer prices at 8:30', 'Bond auction at 13:00');
  return news;
}

function reviewOf(chance: Dice, closed: readonly SampleTrade[], reviewed: number): Review {
  const mistakes = [...new Set(closed.flatMap((one) => one.mistakes))];
  const net = closed.reduce((sum, one) => sum + (dollarsOf(one) ?? 0), 0);
  const figures = `${closed.length === 1 ? 'One trade' : `${closed.length} trades`} closed, ${inWords(net)}.`;
  const good = closed.length === 0 ? chance.pick(QUIET) : `${figures} ${chance.pick(net > 0 ? GREEN : RED)}`;
  return {
    went_well: good,
    went_wrong:
      mistakes.length > 0
        ? `In the journal: ${mistakes.join(', ')}.`
        : net < 0
          ? 'The market had no follow-through, and I noticed late.'
          : null,
    lesson: mistakes.length > 0 || chance.chance(0.25) ? chance.pick(LESSONS) : null,
    followed_plan: mistakes.length === 0,
    rating: mistakes.length > 0 ? chance.int(1, 3) : chance.int(3, 5),
    mistakes,
    reviewed_at: toInstantText(reviewed),
  };
}

const LESSONS = [
  'The plan was better than what I did after ten.',
  'Two trades a day is my number.',
  'When the first level fails, wait for the next one.',
  'After a loss the next decision is made standing up.',
  'Noon is for lunch.',
  'If I cannot say where I am wrong, there is no trade.',
];
