/** The sample's missed trades: decided like the others, but not taken. */
import { toInstantText } from '../time.ts';
import { toCents, toTick, type Year } from './market.ts';
import { SETUPS } from './plan.ts';
import { dice } from './random.ts';
import { MINUTE, stamps } from './sample-trade.ts';
import { MISSED, MISSED_LESSONS } from './texts.ts';
import { courseOf, decide } from './trades.ts';

const COUNT = 25;
const TYPES = Object.keys(MISSED) as (keyof typeof MISSED)[];

export function missedTrades(year: Year) {
  return Array.from({ length: COUNT }, (_, index) => {
    const chance = dice(51, index);
    const day = Math.floor(((index + 0.6) / COUNT) * year.days.length) - chance.int(0, 4);
    const decision = decide(chance, year, day, SETUPS);
    const { instrument: one, long, setup, begin } = decision;
    const { price, stop, quantity, result } = courseOf(chance, year, decision);
    const type = TYPES[index] ?? chance.pick(TYPES.slice(0, 6));
    const r = chance.chance(0.15) ? null : Number(result.toFixed(1));
    return {
      id: `m-${String(index + 1).padStart(2, '0')}`,
      missed_at: toInstantText(begin),
      symbol: one.symbol,
      market: one.market,
      side: long ? 'long' : 'short',
      setup: setup?.name ?? null,
      miss_type: type,
      reason: chance.pick(MISSED[type]),
      planned_entry: price,
      planned_stop: stop,
      planned_target: toTick(one, price + (price - stop) * 2),
      planned_quantity: quantity,
      hypothetical_outcome: r === null ? 'unknown' : r > 0 ? 'would_win' : r < 0 ? 'would_lose' : 'would_breakeven',
      hypothetical_r: r,
      hypothetical_pnl: r === null ? null : toCents(r * Math.abs(price - stop) * quantity * one.multiplier),
      currency: one.currency,
      emotions: type === 'rule_block' ? [] : chance.some(['hesitant', 'annoyed', 'afraid', 'calm', 'regret'], 2),
      lesson: chance.chance(0.6) ? chance.pick(MISSED_LESSONS) : null,
      tags: type === 'rule_block' ? ['rules'] : [],
      ...stamps(begin + 20 * MINUTE),
    };
  });
}
