/** What the sample trader wrote about trades and groups. The words follow from the figures: nothing claims what a trade didn't do. */
import { toInstantText } from '../time.ts';
import { dice } from './random.ts';
import type { SampleGroup, SampleGroupJournal, SampleTrade, SampleTradeJournal } from './records.ts';
import { inWords, netOf, outcomeOf } from './results.ts';
import { mistakeNamed } from './setups.ts';

const MINUTE = 60_000;

type Entry = Omit<SampleTradeJournal, 'id' | 'trade_id' | 'created_at' | 'updated_at'>;

/** What an entry starts from: fields that most entries leave empty. */
const BLANK: Omit<Entry, 'phase'> = {
  title: null,
  body: null,
  went_well: null,
  went_wrong: null,
  lesson: null,
  emotions: [],
  confidence: null,
  execution_rating: null,
  followed_plan: null,
  rules: [],
  mistakes: [],
  tags: [],
  attachments: [],
};

/** A trade as the sentences below speak of it. */
interface Told {
  name: string;
  setup: string;
  entry: number;
  exit: number;
  stop: number | null;
  result: string;
  r: string;
  held: string;
  wrongSide: 'below' | 'above';
}

type Sentence = (told: Told) => string;

const BEFORE: readonly Sentence[] = [
  (t) =>
    `**Why:** ${t.setup} in ${t.name}. Want to see it hold near ${t.entry}${t.stop === null ? '' : `; wrong ${t.wrongSide} ${t.stop}`}.`,
  (t) =>
    `${t.name} is the cleanest chart on the list. Entry around ${t.entry}${t.stop === null ? ', stop still to be decided' : `, out at ${t.stop}, no discussion`}.`,
  (t) =>
    `Waiting for ${t.name} at ${t.entry}.\n\n- ${t.setup}\n- ${t.stop === null ? 'no stop written down yet' : `stop ${t.stop}`}\n- no order if the spread is wide`,
  (t) => `Watching ${t.entry} in ${t.name} since before the open. If volume does not come with it, I leave it alone.`,
];
const DURING: readonly Sentence[] = [
  (t) => `In at ${t.entry}. It moved at once, then nothing. Stop stays, hands off until the next bar closes.`,
  (t) => `${t.name} is sitting on my entry. Volume is lower than I would like; the idea isn't wrong yet.`,
  (t) => `Filled at ${t.entry}. Caught myself looking at the P&L column, hid it.`,
  () => 'Halfway through and it is doing neither. Planned exit is unchanged.',
];
const WON: readonly Sentence[] = [
  (t) => `${t.result}, ${t.r}. ${t.name}, ${t.setup}, as written: in at ${t.entry}, out at ${t.exit}.`,
  (t) =>
    `It took ${t.held}. It never came back to the entry in a way that worried me, and ${t.exit} was close to where I wanted to sell.`,
  (t) => `The second push was the one that paid. Average out ${t.exit}. ${t.result} after costs.`,
  (t) => `Almost took it off at half of that. Left the order where it was and got ${t.r}.`,
  (t) => `Entry ${t.entry} was a little late and still fine. ${t.name} had room and used it: ${t.result}.`,
];
const LOST: readonly Sentence[] = [
  (t) =>
    `${t.result}, ${t.r}. In at ${t.entry}, out at ${t.exit}. The level was good, the market went through it anyway.`,
  (t) => `${t.name} tested the entry twice and the second test failed. Out at ${t.exit}.`,
  (t) => `Out after ${t.held}. Reading it again, I would take the same trade tomorrow.`,
  (t) => `The ${t.setup} needed the wider market with it, and that had turned before I entered. ${t.result}.`,
  (t) => `A plain loss: ${t.r}. Nothing to repair except perhaps the time of day.`,
];
const SCRATCHED: readonly Sentence[] = [
  (t) => `Out where I came in, ${t.exit}. It had its chance and did not move.`,
  (t) => `Scratched ${t.name} at the entry. Paid the commission and nothing else.`,
];
const SLIPPED: Record<string, readonly Sentence[]> = {
  'moved stop': [
    (t) =>
      `Gave ${t.name} "a bit more room" while it was already against me. Out at ${t.exit} in the end, ${t.result}.`,
    (t) =>
      `The first stop${t.stop === null ? '' : ` at ${t.stop}`} was the right one. I moved it because I did not want to be wrong. ${t.r}.`,
  ],
  'chased entry': [
    (t) =>
      `Missed the trigger and bought the move instead of the level: ${t.entry}. From there the stop was too far away. ${t.result}.`,
    (t) => `Three bars late in ${t.name}. I knew it when I clicked. Out at ${t.exit}.`,
  ],
  oversized: [
    (t) => `About double the usual size in ${t.name}. ${t.result}, and every tick felt like an opinion about me.`,
    (t) => `Typed the size from memory and not from the calculator. ${t.r} on far too much money.`,
  ],
  'no plan': [
    (t) => `No level, no stop, just a feeling that ${t.name} had to move. ${t.result}.`,
    (t) =>
      `There is nothing in the plan about this trade. In at ${t.entry}, out at ${t.exit}, and I could not say why at either price.`,
  ],
  'exited early': [
    (t) => `Out at ${t.exit} because it paused. ${t.result}, and the reason I was in had not changed at all.`,
    (t) => `${t.name} went on without me. ${t.result} for a trade that was planned for two R.`,
  ],
  'revenge trade': [
    (t) => `Back in ${t.name} minutes after the loss, to get it back. ${t.result}.`,
    (t) => `Not a setup: an answer to the trade before. Out at ${t.exit}, ${t.r}.`,
  ],
};
const WELL = [
  'Waited for the bar to close before I entered.',
  'Size from the calculator, stop in the market with the entry.',
  'Left the orders alone after the entry.',
  'Wrote the level down before the open.',
];
const PARTIAL = 'Took the first part off where the plan said.';
const BADLY = [
  'Entered while the wider market was pulling the other way.',
  'Looked at it too often after the entry.',
  'Took it although the range of the day was nearly used up.',
  'Ignored the level right in front of the first target.',
];
const LESSONS = [
  'One loss of one R is the price of the setup.',
  'The trades that feel boring are the ones in the plan.',
  'Less to do between noon and two.',
  'If the wider market disagrees, half size or none.',
  'A partial at one R makes it easier to hold the rest.',
];
const RULES = [
  'The stop stays where it was placed',
  'Only setups from the plan',
  'Risk at most 1 % of the account',
  'Let the target or the stop decide',
  'No entry more than a quarter R past the trigger',
];

export function tradeJournals(trades: readonly SampleTrade[]): SampleTradeJournal[] {
  const entries = trades.flatMap((trade, index) => {
    const chance = dice(11, index);
    if (trade.group_id !== null || !chance.chance(trade.mistakes.length > 0 ? 0.5 : 0.24)) return [];
    const opened = Date.parse(trade.executed_at);
    const at = (phase: Entry['phase'], moment: number) => ({
      trade_id: trade.id,
      ...entryOn(index, trade, phase),
      moment,
    });
    const written = [];
    if (trade.setup !== null && chance.chance(0.22)) written.push(at('pre_trade', opened - chance.int(4, 25) * MINUTE));
    if (trade.closed_at === null) return [...written, at('during', opened + chance.int(6, 12) * MINUTE)];
    const closed = Date.parse(trade.closed_at);
    if (chance.chance(0.12)) written.push(at('during', Math.floor((opened + closed) / 2000) * 1000));
    written.push(at('post_trade', closed + chance.int(3, 25) * MINUTE));
    if (chance.chance(0.14)) written.push(at('review', closed + chance.int(60, 140) * MINUTE));
    return written;
  });
  return entries
    .sort((a, b) => a.moment - b.moment)
    .map(({ moment, ...entry }, index) => ({
      id: `tj-${String(index + 1).padStart(4, '0')}`,
      ...entry,
      ...stampsAt(moment),
    }));
}

function entryOn(index: number, trade: SampleTrade, phase: Entry['phase']): Entry {
  const chance = dice(12, index, phase.length);
  const told = tell(trade);
  if (phase === 'pre_trade') {
    const body = chance.pick(BEFORE)(told);
    return {
      ...BLANK,
      phase,
      title: `Plan: ${told.name}`,
      body,
      emotions: [chance.pick(['calm', 'focused', 'impatient', 'curious'])],
      confidence: chance.int(2, 5),
      tags: ['plan'],
    };
  }
  if (phase === 'during') {
    return {
      ...BLANK,
      phase,
      body: chance.pick(DURING)(told),
      emotions: [chance.pick(['calm', 'tense', 'impatient', 'focused'])],
      confidence: chance.int(2, 4),
    };
  }
  const outcome = outcomeOf(trade);
  const mistake = mistakeNamed(trade.mistakes[0]);
  const feelings = mistake
    ? ['anxious', 'angry', 'greedy', 'ashamed']
    : outcome === 'win'
      ? ['calm', 'content', 'focused', 'relieved']
      : ['disappointed', 'calm', 'tired', 'frustrated'];
  const sentences = mistake ? SLIPPED[mistake.name]! : outcome === 'win' ? WON : outcome === 'loss' ? LOST : SCRATCHED;
  const review = phase === 'review';
  const lucky = mistake !== undefined && mistake.name !== 'exited early' && outcome === 'win';
  return {
    phase,
    title: review ? `${told.name} again, with the chart` : chance.chance(0.5) ? `${told.name}, ${told.result}` : null,
    body: chance.pick(sentences)(told) + (lucky ? ' It made money, which makes it no better.' : ''),
    went_well:
      mistake && chance.chance(0.6) ? null : chance.pick(trade.tags.includes('scaled out') ? [...WELL, PARTIAL] : WELL),
    went_wrong: mistake
      ? `${mistake.name[0]!.toUpperCase()}${mistake.name.slice(1)}.`
      : outcome === 'loss'
        ? chance.pick(BADLY)
        : null,
    lesson: mistake?.lesson ?? (review || chance.chance(0.3) ? chance.pick(LESSONS) : null),
    emotions: chance.some(feelings, 2),
    confidence: chance.chance(0.4) ? chance.int(mistake ? 1 : 2, mistake ? 3 : 5) : null,
    execution_rating: mistake ? chance.int(1, 3) : chance.int(3, 5),
    followed_plan: mistake === undefined,
    rules: rulesOf(chance.some(RULES, 3), mistake?.rule),
    mistakes: trade.mistakes,
    tags: review ? ['review'] : [],
    attachments:
      review || chance.chance(0.12)
        ? [{ url: `https://charts.example.com/${trade.id}.png`, caption: `${told.name}, ${trade.timeframe ?? '5m'}` }]
        : [],
  };
}

function rulesOf(kept: readonly string[], broken: string | undefined): Entry['rules'] {
  const rules = kept.filter((rule) => rule !== broken).map((rule) => ({ rule, followed: true }));
  return broken === undefined ? rules : [{ rule: broken, followed: false }, ...rules];
}

function tell(trade: SampleTrade): Told {
  const net = netOf(trade);
  const minutes = Math.round(
    (Date.parse(trade.closed_at ?? trade.executed_at) - Date.parse(trade.executed_at)) / MINUTE,
  );
  return {
    name: trade.underlying ? `${trade.underlying} ${trade.strike} ${trade.option_type}` : trade.symbol,
    setup: trade.setup ?? 'trade',
    entry: legible(trade.entry_price),
    exit: legible(trade.exit_price ?? trade.entry_price),
    stop: trade.stop_loss,
    result: inWords(net, trade.currency),
    r: trade.initial_risk === null ? 'no R without a stop' : `${(net / trade.initial_risk).toFixed(1)} R`,
    held:
      minutes < 120
        ? `${Math.max(1, minutes)} minutes`
        : minutes < 2880
          ? `${Math.round(minutes / 60)} hours`
          : `${Math.round(minutes / 1440)} days`,
    wrongSide: trade.side === 'long' ? 'below' : 'above',
  };
}

/** An average price as a person would write it. */
function legible(price: number): number {
  return Number(price.toFixed(price < 10 ? 5 : 2));
}

export function groupJournals(groups: readonly SampleGroup[], trades: readonly SampleTrade[]): SampleGroupJournal[] {
  const entries = groups.flatMap((group, index) => {
    const chance = dice(13, index);
    const opened = Date.parse(group.opened_at);
    const plan: Entry = {
      ...BLANK,
      phase: 'pre_trade',
      title: `Plan: ${group.name}`,
      body: group.notes,
      confidence: chance.int(3, 4),
      emotions: ['calm'],
      tags: ['plan'],
    };
    const written =
      index % 4 === 2 || group.status === 'open' ? [{ group_id: group.id, ...plan, moment: opened - 12 * MINUTE }] : [];
    if (group.closed_at === null || index % 5 === 4) return written;
    const net = trades.filter((trade) => trade.group_id === group.id).reduce((sum, trade) => sum + netOf(trade), 0);
    return [
      ...written,
      { group_id: group.id, ...groupEntry(group, net, index), moment: Date.parse(group.closed_at) + 35 * MINUTE },
    ];
  });
  return entries
    .sort((a, b) => a.moment - b.moment)
    .map(({ moment, ...entry }, index) => ({
      id: `gj-${String(index + 1).padStart(2, '0')}`,
      ...entry,
      ...stampsAt(moment),
    }));
}

function groupEntry(group: SampleGroup, net: number, index: number): Entry {
  const held = Date.parse(group.closed_at ?? group.opened_at) - Date.parse(group.opened_at);
  const inTime = held <= 21 * 24 * 60 * MINUTE;
  const chance = dice(14, index);
  const share =
    group.initial_risk === null
      ? ''
      : `, ${Math.round((Math.abs(net) / group.initial_risk) * 100)} % of what was at risk`;
  const won = [
    `${inWords(net)}${share}. ${group.underlying} stayed on the right side of it, and the exit was planned.`,
    `Closed the ${group.strategy} for ${inWords(net)}${share}. No adjustment that was not in the plan.`,
  ];
  const lost = [
    `${inWords(net)}${share}. ${group.underlying} did not do what the ${group.strategy} needed; the worst case was known before.`,
    `Out of the ${group.strategy} with ${inWords(net)}. Holding it to expiration would have been hope.`,
  ];
  return {
    ...BLANK,
    phase: 'post_trade',
    title: group.name,
    body: chance.pick(net > 0 ? won : lost),
    went_well:
      group.kind === 'multi_leg'
        ? 'All legs in one order, filled near the middle.'
        : 'Each leg filled near the middle.',
    went_wrong: net > 0 ? null : 'Strikes chosen by price and not by the chart.',
    lesson: chance.pick([
      'The exit date matters more than the strikes.',
      'Know the worst case before the first order.',
      'Look at the group, not at the leg that hurts.',
    ]),
    emotions: [net > 0 ? 'calm' : 'disappointed'],
    confidence: 3,
    execution_rating: chance.int(3, 5),
    followed_plan: inTime,
    rules: [
      { rule: 'Closed within three weeks', followed: inTime },
      { rule: 'One contract until the account is above 40,000', followed: true },
    ],
  };
}

function stampsAt(moment: number): { created_at: string; updated_at: string } {
  return { created_at: toInstantText(moment), updated_at: toInstantText(moment) };
}
