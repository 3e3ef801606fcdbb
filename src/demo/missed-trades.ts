/** The sample's missed trades: seen, planned, and not taken. */
import { toInstantText } from '../time.ts';
import { at } from './calendar.ts';
import { INSTRUMENTS, toCents, toTick, type Year } from './markets.ts';
import { dice } from './random.ts';
import type { SampleMissedTrade } from './records.ts';
import { SETUPS } from './setups.ts';

type MissType = SampleMissedTrade['miss_type'];

const COUNT = 25;

const REASONS: Record<MissType, readonly string[]> = {
  hesitated: [
    'Two losses before it, and the finger stayed above the key.',
    'Waited for one more confirmation; the confirmation was the move.',
    'Wanted a better price by a few ticks.',
  ],
  almost_took: [
    'Order was typed in, and I let the spread talk me out of it.',
    'Had it on the screen with size and stop, then the phone rang.',
  ],
  cancelled: [
    'Pulled the order when the index dipped. The level held without me.',
    'Cancelled at the last moment because the news was five minutes away.',
  ],
  away: [
    'At the dentist; the alert came through and there was nothing to do about it.',
    'School run. Saw it on the chart in the evening.',
  ],
  not_filled: ['Limit was touched and not filled.', 'Price turned two ticks before the order.'],
  rule_block: [
    'Daily loss limit was reached, so the platform was closed.',
    'Third trade of the day: the rule says no.',
  ],
  other: ['The platform was reconnecting while it triggered.'],
};
const LESSONS = [
  'Use a stop order at the level, then there is nothing to hesitate about.',
  'A missed trade costs nothing. The trade that makes up for it does.',
  'The rule was right even though this one would have worked.',
  'Alerts one step earlier.',
];
const OUTCOMES = [
  'would_win',
  'would_win',
  'would_lose',
  'would_win',
  'would_lose',
  'would_breakeven',
  'unknown',
] as const;

export function missedTrades(year: Year): SampleMissedTrade[] {
  const types = Object.keys(REASONS) as MissType[];
  return Array.from({ length: COUNT }, (_, index) => {
    const chance = dice(51, index);
    const day = Math.floor(((index + 0.6) / COUNT) * year.days.length) - chance.int(0, 4);
    const one = chance.weighted(INSTRUMENTS);
    const setup = chance.weighted(SETUPS.filter((setup) => !setup.swing && setup.markets.includes(one.market)));
    const long = setup.longOnly ?? chance.chance(0.55);
    const sign = long ? 1 : -1;
    const missType = index < types.length ? types[index]! : chance.pick(types.slice(0, 6));
    const outcome = chance.pick(OUTCOMES);
    const entry = toTick(one, year.price(one.symbol, day) * (1 + 0.3 * one.volatility * chance.bell()));
    const stop = toTick(one, entry * (1 - sign * one.stop));
    const step = Math.abs(entry - stop);
    const wanted = 125 / (step * one.multiplier * (one.currency === 'JPY' ? 1 / entry : 1));
    const quantity = Number((Math.max(1, Math.round(wanted / one.lot)) * one.lot).toFixed(8));
    const r = {
      would_win: Number(chance.between(0.8, 3).toFixed(1)),
      would_lose: -1,
      would_breakeven: 0,
      unknown: null,
    }[outcome];
    const missed = at(year.days[day]!, chance.between(one.hours[0] + 5, one.hours[1] - 20));
    return {
      id: `m-${String(index + 1).padStart(2, '0')}`,
      missed_at: toInstantText(missed),
      symbol: one.symbol,
      market: one.market,
      side: long ? 'long' : 'short',
      setup: setup.name,
      miss_type: missType,
      reason: chance.pick(REASONS[missType]),
      planned_entry: entry,
      planned_stop: stop,
      planned_target: toTick(one, entry + sign * step * 2),
      planned_quantity: quantity,
      hypothetical_outcome: outcome,
      hypothetical_r: r,
      hypothetical_pnl: r === null ? null : toCents(r * step * quantity * one.multiplier),
      currency: one.currency,
      emotions:
        missType === 'rule_block' || missType === 'away'
          ? []
          : chance.some(['hesitant', 'annoyed', 'afraid', 'calm', 'regret'], 2),
      lesson: chance.chance(0.6) ? chance.pick(LESSONS) : null,
      notes: null,
      tags: missType === 'rule_block' ? ['rules'] : [],
      created_at: toInstantText(missed + 20 * 60_000),
      updated_at: toInstantText(missed + 20 * 60_000),
    };
  });
}
