/** The sample trader's plan: setups with their edge, and mistakes with their cost. */
import type { Market } from './market.ts';

/** Name, timeframe, markets (repeated ones are likelier), added probability of a win, weight; some are never sold short. */
type SetupRow = readonly [string, string, readonly Market[], number, number, 'long only'?];
const SETUP_ROWS: readonly SetupRow[] = [
  ['opening range breakout', '5m', ['stock', 'future', 'future'], 0.03, 9],
  ['opening range breakout', '5m', ['option'], -0.03, 5],
  ['pullback to VWAP', '5m', ['stock', 'future'], 0.06, 9],
  ['failed breakdown', '15m', ['stock', 'future', 'crypto'], 0.04, 7, 'long only'],
  ['range fade', '15m', ['future', 'forex', 'crypto'], -0.07, 5],
  ['London breakout', '15m', ['forex'], 0, 3],
  ['trend continuation', '1h', ['stock', 'future', 'forex', 'crypto'], 0.02, 8],
  ['trend continuation', '1d', ['stock', 'stock', 'crypto', 'forex'], 0.02, 4],
  ['earnings drift', '1d', ['stock', 'option'], 0.05, 6],
];

/** Name, added probability of a win, weight, broken rule, missed goal. */
type MistakeRow = readonly [string, number, number, string, string];
const MISTAKE_ROWS: readonly MistakeRow[] = [
  ['moved stop', -0.22, 3, 'The stop stays where it was placed', 'No stop moved away from the price'],
  ['chased entry', -0.14, 4, 'No entry more than a quarter R past the trigger', 'No chasing: missed is missed'],
  ['oversized', -0.1, 2, 'Risk at most 1 % of the account', 'Size from the calculator, every time'],
  ['no plan', -0.15, 2, 'Only setups from the plan', 'Only trades with a written setup'],
  ['exited early', 0, 4, 'Let the target or the stop decide', 'Let winners run to the first target'],
  // Follows a loss, so it isn't drawn at random.
  ['revenge trade', -0.2, 0, 'Fifteen minutes off after a loss', 'No trade in the quarter of an hour after a loss'],
];

export type Setup = (typeof SETUPS)[number];
export const SETUPS = SETUP_ROWS.map(([name, timeframe, markets, edge, weight, sides]) => {
  return { name, timeframe, markets, edge, weight, isSwing: timeframe === '1d', isLongOnly: sides === 'long only' };
});

export type Mistake = (typeof MISTAKES)[number];
export const MISTAKES = MISTAKE_ROWS.map(([name, edge, weight, rule, goal]) => ({ name, edge, weight, rule, goal }));

export function mistakeNamed(name: string | undefined): Mistake | undefined {
  return MISTAKES.find((one) => one.name === name);
}
