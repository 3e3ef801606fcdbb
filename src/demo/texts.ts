/** Texts of the sample trader. Words in braces are placeholders for figures. */

/** Fills in the placeholders of a sentence. */
export function fillIn(sentence: string, words: Record<string, string | number>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(words[name]));
}

/** Notes of trades, by setup. */
export const SETUP_NOTES: Record<string, readonly string[]> = {
  'opening range breakout': ['Second push out of the first 15 minutes.', 'Range was narrow, so the stop could be.'],
  'pullback to VWAP': ['First touch after a strong open.', 'Third touch; they get weaker.'],
  'failed breakdown': ['Low taken out, no follow-through, back above in two bars.', 'Shorts trapped under the low.'],
  'range fade': ['Edge of the range, volume falling.'],
  'London breakout': ['Asian range had been narrow.', 'Broke after the first half hour, not with it.'],
  'trend continuation': ['Clean flag.', 'Third leg, still orderly.', 'With the trend of the week.'],
  'earnings drift': ['Third day after the report, still moving the same way.', 'Gap held on the first pullback.'],
};

/** Journal entries of trades: before, during and after. */
export const BEFORE = [
  '**Why:** {setup} in {name}. Want to see it hold near {entry}; {stop}.',
  'Waiting for {name} at {entry}.\n\n- {setup}\n- {stop}\n- no order if the spread is wide',
  'Watching {entry} in {name} since before the open. If volume does not come with it, I leave it alone.',
];
export const DURING = ['In at {entry}. Hands off until the bar closes.', 'Filled at {entry}. Hid the P&L column.'];
export const AFTER = {
  win: [
    '{result}, {r}. {name}, {setup}, as written: in at {entry}, out at {exit}.',
    'It took {held}. It never came back to the entry in a way that worried me. Out at {exit}.',
    'The second push was the one that paid. Average out {exit}. {result} after costs.',
    'Almost took it off at half of that. Left the order where it was: {r}.',
  ],
  loss: [
    '{result}, {r}. In at {entry}, out at {exit}. The level was good, the market went through it anyway.',
    '{name} tested the entry twice and the second test failed. Out at {exit}.',
    'Out after {held}. Reading it again, I would take the same trade tomorrow.',
    'The {setup} needed the wider market with it, and that had turned before I entered. {result}.',
  ],
  breakeven: ['Out where I came in, {exit}. It had its chance.', 'Scratched {name}. Paid the commission, no more.'],
};
export const AFTER_MISTAKE: Record<string, readonly string[]> = {
  'moved stop': ['Gave {name} "a bit more room". Out at {exit}, {result}.', 'The first stop was right. {result}, {r}.'],
  'chased entry': [
    'Plain FOMO: took the move, not the level. In at {entry}, {result}.',
    'Three bars late in {name}. Out at {exit}.',
  ],
  oversized: ['About double the usual size in {name}. {result}.', 'Size from memory. {r} on far too much money.'],
  'no plan': ['No level, no stop, just a feeling about {name}. {result}.', 'Bored, and {name} was moving. {result}.'],
  'exited early': ['Out at {exit} because it paused. {result}.', '{name} went on without me. {result}, {r}.'],
  'revenge trade': ['Back in {name} minutes after the loss. {result}.', 'To get the last loss back. {result}, {r}.'],
};
export const MISTAKE_LESSONS: Record<string, string> = {
  'moved stop': 'The stop is a decision I make before I have money in it. After that it only moves towards profit.',
  'chased entry': 'Past the trigger the same stop costs more and the target pays less. Wait for the next one.',
  oversized: 'With that size I watched the P&L and not the chart. The calculator sets the size, not the mood.',
  'no plan': 'Without a written level there was nothing that could tell me I was wrong.',
  'exited early': 'I take the full loss when it comes, so I need the full win when it comes.',
  'revenge trade': 'The market did not owe me the last loss back. Stand up, walk, come back with a reason.',
};
export const TOOK_A_PART = 'Took the first part off where the plan said.';
export const WENT_WELL = ['Waited for the bar to close.', 'Left the orders alone.', 'Had the level before the open.'];
export const WENT_WRONG = ['The index pulled the other way.', 'Looked at it too often.', 'The range was used up.'];
export const TRADE_LESSONS = ['One R is the price of the setup.', 'Boring trades pay.', 'Half size against the index.'];
export const FEELINGS = {
  before: ['calm', 'focused', 'impatient', 'tense'],
  win: ['calm', 'content', 'focused', 'relieved'],
  loss: ['disappointed', 'calm', 'tired', 'frustrated'],
  breakeven: ['calm', 'bored', 'tired'],
  mistake: ['anxious', 'angry', 'greedy', 'ashamed'],
};

/** Journal entries of closed groups. */
export const GROUP_AFTER = {
  win: ['{result}, {share}. {underlying} did what the {strategy} needed, and the exit was planned.'],
  loss: ['{result}, {share}. {underlying} did not do what the {strategy} needed.', 'Out with {result}, {share}.'],
};
export const GROUP_LESSONS = ['The exit date matters more than the strikes.', 'Know the worst case before you order.'];

/** Sessions and weekly reviews. */
export const DAY_PLANS = ['Watch {symbols}. Nothing before {symbol} is at {price}.', 'Only {symbol}, around {price}.'];
export const DAY_NOTES = ['Volume dried up after eleven.', 'Slow start, then all at once.', 'Phone in the other room.'];
export const MOODS = ['rested', 'calm', 'a little tired', 'impatient', 'focused', 'distracted', 'good', null];
export const MARKET_NOTES = ['Index led, single stocks followed.', 'A few names did it all.', 'Breadth was better.'];
export const REVIEW_WELL = {
  green: ['Took what was on the list and stopped when it was done.', 'The patience of the first hour paid.'],
  red: ['Stopped when the plan was used up.', 'Wrote everything down while it was fresh.'],
  quiet: ['No trade was the right number of trades.', 'Watched, marked levels, left it alone.'],
};
export const REVIEW_LESSONS = ['Noon is for lunch.', 'When the first level fails, wait.', 'After a loss, stand up.'];
/** News: weekday and days of the month of publication, in New York time. */
export const NEWS = [
  [2, 10, 13, 'Consumer prices at 8:30'],
  [3, 1, 31, 'Crude inventories at 10:30'],
  [4, 1, 31, 'Jobless claims at 8:30'],
  [5, 1, 7, 'Employment report at 8:30'],
] as const;
/** Levels: distance from the previous close, in daily moves. */
export const LEVELS = [
  ['pivot', 0, 'close of the day before'],
  ['resistance', 0.7, 'high of the day before'],
  ['support', -0.7, 'low of the day before'],
] as const;
export const WEEK_FOCUS = ['Entries at the level', 'Fewer trades before ten', 'Hold the second half to the target'];

/** Missed trades: reasons and lessons. */
export const MISSED = {
  hesitated: ['Two losses before it, and the finger stayed above the key.', 'What I was waiting for was the move.'],
  almost_took: ['Order was typed in; the spread talked me out of it.', 'Had size and stop, then the phone rang.'],
  cancelled: ['Pulled the order when the index dipped.', 'Cancelled because the news was five minutes away.'],
  away: ['At the dentist; the alert came through.', 'School run. Saw it on the chart in the evening.'],
  not_filled: ['Limit was touched and not filled.', 'Price turned two ticks before the order.'],
  rule_block: ['Daily loss limit was reached.', 'Third trade of the day: the rule says no.'],
  other: ['The platform was reconnecting while it triggered.'],
};
export const MISSED_LESSONS = ['Use a stop order at the level.', 'A miss costs nothing; making up for it does.'];
