/** How the sample trader trades: setups with their edge, and the mistakes that cost it. */
import type { SampleTrade } from './records.ts';

type Market = SampleTrade['market'];

export interface Setup {
  name: string;
  timeframe: string;
  swing: boolean;
  /** Only ever bought: there is no short side to it. */
  longOnly?: true;
  markets: readonly Market[];
  /** Added to the chance to win. */
  edge: number;
  weight: number;
  notes: readonly string[];
}

export const SETUPS: readonly Setup[] = [
  {
    name: 'opening range breakout',
    timeframe: '5m',
    swing: false,
    markets: ['stock', 'future'],
    edge: 0.03,
    weight: 6,
    notes: ['Second push out of the first fifteen minutes.', 'Range was narrow, so the stop could be.'],
  },
  {
    name: 'pullback to VWAP',
    timeframe: '5m',
    swing: false,
    markets: ['stock', 'future'],
    edge: 0.06,
    weight: 7,
    notes: ['First touch after a strong open.', 'Third touch; they get weaker.'],
  },
  {
    name: 'failed breakdown',
    timeframe: '15m',
    swing: false,
    longOnly: true,
    markets: ['stock', 'future', 'crypto'],
    edge: 0.04,
    weight: 4,
    notes: ['Low taken out, no follow-through, back above in two bars.', 'Trapped shorts under the low of the night.'],
  },
  {
    name: 'range fade',
    timeframe: '15m',
    swing: false,
    markets: ['future', 'forex', 'crypto'],
    edge: -0.07,
    weight: 3,
    notes: ['Edge of the range, volume falling.'],
  },
  {
    name: 'London breakout',
    timeframe: '15m',
    swing: false,
    markets: ['forex'],
    edge: 0,
    weight: 5,
    notes: ['Asian range had been narrow.', 'Broke after the first half hour, not with it.'],
  },
  {
    name: 'trend continuation',
    timeframe: '1h',
    swing: false,
    markets: ['stock', 'future', 'forex', 'crypto'],
    edge: 0.02,
    weight: 5,
    notes: ['Flag on the hourly chart.', 'Third leg, still orderly.', 'With the trend of the week.'],
  },
  {
    name: 'trend continuation',
    timeframe: '1d',
    swing: true,
    markets: ['stock', 'crypto', 'forex'],
    edge: 0.02,
    weight: 3,
    notes: ['Flag on the hourly chart.', 'Third leg, still orderly.', 'With the trend of the week.'],
  },
  {
    name: 'earnings drift',
    timeframe: '1d',
    swing: true,
    markets: ['stock', 'option'],
    edge: 0.05,
    weight: 3,
    notes: ['Third day after the report, still moving the same way.', 'Gap held on the first pullback.'],
  },
  {
    name: 'opening range breakout',
    timeframe: '5m',
    swing: false,
    markets: ['option'],
    edge: -0.03,
    weight: 3,
    notes: ['Second push out of the first fifteen minutes.', 'Range was narrow, so the stop could be.'],
  },
];

export interface Mistake {
  name: string;
  edge: number;
  weight: number;
  /** The rule it breaks. */
  rule: string;
  lesson: string;
}

export const MISTAKES: readonly Mistake[] = [
  {
    name: 'moved stop',
    edge: -0.22,
    weight: 3,
    rule: 'The stop stays where it was placed',
    lesson: 'The stop is a decision I make before I have money in it. After that it only moves towards profit.',
  },
  {
    name: 'chased entry',
    edge: -0.14,
    weight: 4,
    rule: 'No entry more than a quarter R past the trigger',
    lesson: 'Past the trigger the same stop costs more and the target pays less. Wait for the next one.',
  },
  {
    name: 'oversized',
    edge: -0.1,
    weight: 2,
    rule: 'Risk at most 1 % of the account',
    lesson: 'With that size I watched the P&L and not the chart. The calculator sets the size, not the mood.',
  },
  {
    name: 'no plan',
    edge: -0.15,
    weight: 2,
    rule: 'Only setups from the plan',
    lesson: 'Without a written level there was nothing that could tell me I was wrong.',
  },
  {
    name: 'exited early',
    edge: 0.3,
    weight: 4,
    rule: 'Let the target or the stop decide',
    lesson: 'I take the full loss when it comes, so I need the full win when it comes. Sell a part if it must be.',
  },
];

export const REVENGE: Mistake = {
  name: 'revenge trade',
  edge: -0.2,
  weight: 0,
  rule: 'Fifteen minutes away from the screen after a loss',
  lesson: 'The market did not owe me the last loss back. Stand up, walk, come back with a reason.',
};

export function mistakeNamed(name: string | undefined): Mistake | undefined {
  return [...MISTAKES, REVENGE].find((one) => one.name === name);
}
