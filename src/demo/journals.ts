/** Journal entries of the sample's trades and groups. The texts follow from the figures. */
import type * as z from 'zod';
import type { tradeJournals as journals } from '../journal/resources/trade-journals.ts';
import { daysBetween } from '../time.ts';
import type { SampleGroup } from './groups.ts';
import { MISTAKES, mistakeNamed } from './plan.ts';
import { type Dice, dice } from './random.ts';
import { MINUTE, netOf, outcomeOf, type SampleTrade, signedAmount, stamps } from './sample-trade.ts';
import * as texts from './texts.ts';

/** An entry without its id and the times derived from its moment. */
type Entry = Partial<z.infer<(typeof journals)['record']>> & { moment: number };

export function tradeJournals(trades: readonly SampleTrade[]) {
  const entries = trades.flatMap((trade, index) => {
    const chance = dice(11, index);
    if (trade.group_id || !chance.chance(trade.mistakes.length > 0 ? 0.5 : 0.24)) return [];
    const [opened, closed] = [Date.parse(trade.executed_at), Date.parse(trade.closed_at ?? '')];
    const minutes = (low: number, high: number): number => chance.int(low, high) * MINUTE;
    const written: Entry[] = [];
    if (trade.setup && chance.chance(0.22))
      written.push(beforehand(chance, trade, 'pre_trade', opened - minutes(4, 25)));
    if (trade.closed_at === null) written.push(beforehand(chance, trade, 'during', opened + minutes(6, 12)));
    else {
      const halfway = Math.floor((opened + closed) / 2000) * 1000;
      if (chance.chance(0.12)) written.push(beforehand(chance, trade, 'during', halfway));
      written.push(after(chance, trade, 'post_trade', closed + minutes(3, 25)));
      if (chance.chance(0.14)) written.push(after(chance, trade, 'review', closed + minutes(60, 140)));
    }
    return written.map((entry) => ({ trade_id: trade.id, ...entry }));
  });
  return numbered('tj', entries);
}

export function groupJournals(groups: readonly SampleGroup[], trades: readonly SampleTrade[]) {
  const entries = groups.flatMap((group, index) => {
    const moment = Date.parse(group.opened_at) - 12 * MINUTE;
    const plan = { title: `Plan: ${group.name}`, body: group.notes, emotions: ['calm'], confidence: 4, tags: ['plan'] };
    const written: Entry[] = [];
    if (index % 4 === 2 || group.status === 'open') written.push({ moment, phase: 'pre_trade', ...plan });
    const net = trades.reduce((sum, trade) => sum + (trade.group_id === group.id ? netOf(trade) : 0), 0);
    if (group.status === 'closed' && index % 5 !== 4) written.push(afterGroup(dice(14, index), group, net));
    return written.map((entry) => ({ group_id: group.id, ...entry }));
  });
  return numbered('gj', entries);
}

/** Sorts entries by time and adds ids and times. */
function numbered<T extends { moment: number }>(prefix: string, entries: readonly T[]) {
  const inOrder = [...entries].sort((a, b) => a.moment - b.moment);
  return inOrder.map(({ moment, ...entry }, index) => {
    return { id: `${prefix}-${String(index + 1).padStart(4, '0')}`, ...entry, ...stamps(moment) };
  });
}

function beforehand(chance: Dice, trade: SampleTrade, phase: 'pre_trade' | 'during', moment: number): Entry {
  const words = wordsOf(trade);
  const isPlan = phase === 'pre_trade';
  const body = texts.fillIn(chance.pick(isPlan ? texts.BEFORE : texts.DURING), words);
  const entry = { moment, phase, body, emotions: [chance.pick(texts.FEELINGS.before)], confidence: chance.int(2, 5) };
  return isPlan ? { ...entry, title: `Plan: ${words.name}`, tags: ['plan'] } : entry;
}

function after(chance: Dice, trade: SampleTrade, phase: 'post_trade' | 'review', moment: number): Entry {
  const words = wordsOf(trade);
  const outcome = outcomeOf(trade);
  const mistake = mistakeNamed(trade.mistakes[0]);
  const isReview = phase === 'review';
  const tookPart = trade.tags.includes('scaled') && outcome === 'win';
  const wasLucky = mistake && mistake.name !== 'exited early' && outcome === 'win';
  const sentences = mistake ? texts.AFTER_MISTAKE[mistake.name]! : texts.AFTER[outcome];
  // A review has another sentence than the earlier entry.
  const body = texts.fillIn(sentences[(Number(trade.id.slice(2)) + Number(isReview)) % sentences.length]!, words);
  const chart = { url: `https://charts.example.com/${trade.id}.png`, caption: `${words.name}, ${words.held}` };
  const kept = chance.some(MISTAKES, 3).filter((one) => one !== mistake);
  return {
    ...{ moment, phase },
    title: isReview ? `${words.name} again, with the chart` : chance.pick([null, `${words.name}, ${words.result}`]),
    body: wasLucky ? `${body} It made money, which makes it no better.` : body,
    went_well: tookPart ? texts.TOOK_A_PART : mistake ? null : chance.pick(texts.WENT_WELL),
    went_wrong: mistake
      ? `${mistake.name[0]!.toUpperCase()}${mistake.name.slice(1)}, again.`
      : outcome === 'loss'
        ? chance.pick(texts.WENT_WRONG)
        : null,
    lesson: mistake ? texts.MISTAKE_LESSONS[mistake.name]! : chance.pick([...texts.TRADE_LESSONS, null]),
    emotions: chance.some(texts.FEELINGS[mistake ? 'mistake' : outcome], 2),
    confidence: chance.chance(0.4) ? chance.int(mistake ? 1 : 2, mistake ? 3 : 5) : null,
    execution_rating: mistake ? chance.int(1, 3) : chance.int(3, 5),
    followed_plan: !mistake,
    rules: [...(mistake ? [mistake] : []), ...kept].map((one) => ({ rule: one.rule, followed: one !== mistake })),
    mistakes: trade.mistakes,
    tags: isReview ? ['review'] : [],
    attachments: isReview || chance.chance(0.12) ? [chart] : [],
  };
}

function afterGroup(chance: Dice, group: SampleGroup, net: number): Entry {
  const closed = group.closed_at!;
  const inTime = daysBetween(group.opened_at.slice(0, 10), closed.slice(0, 10)) <= 21;
  const share = `${Math.round((Math.abs(net) / group.initial_risk) * 100)} % of the risk`;
  const words = { result: signedAmount(net), share, underlying: group.underlying, strategy: group.strategy };
  return {
    ...{ moment: Date.parse(closed) + 35 * MINUTE, phase: 'post_trade', title: group.name },
    body: texts.fillIn(chance.pick(texts.GROUP_AFTER[net > 0 ? 'win' : 'loss']), words),
    went_well: 'Every leg filled near the middle.',
    went_wrong: net > 0 ? null : 'Strikes chosen by price and not by the chart.',
    lesson: chance.pick(texts.GROUP_LESSONS),
    emotions: [net > 0 ? 'calm' : 'disappointed'],
    execution_rating: chance.int(3, 5),
    followed_plan: inTime,
    rules: [{ rule: 'Closed within three weeks', followed: inTime }],
  };
}

/** Words for the placeholders in sentences about a trade. */
function wordsOf(trade: SampleTrade) {
  const net = netOf(trade);
  const held = Date.parse(trade.closed_at ?? trade.executed_at) - Date.parse(trade.executed_at);
  const minutes = Math.max(1, Math.round(held / MINUTE));
  const hours = Math.round(minutes / 60);
  /** An average price, rounded as people write it. */
  const legible = (price: number): number => Number(price.toFixed(price < 10 ? 5 : 2));
  return {
    name: trade.underlying ? `${trade.underlying} ${trade.strike} ${trade.option_type}` : trade.symbol,
    setup: trade.setup ?? 'trade',
    entry: legible(trade.entry_price),
    exit: legible(trade.exit_price ?? trade.entry_price),
    stop: trade.stop_loss ? `stop ${trade.stop_loss}` : 'stop still to be set',
    result: signedAmount(net, trade.currency),
    r: trade.initial_risk ? `${(net / trade.initial_risk).toFixed(1)} R` : 'no R without a stop',
    held: minutes < 120 ? `${minutes} minutes` : hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`,
  };
}
