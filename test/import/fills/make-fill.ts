/** Fills to walk, written in a few words. */
import type { Fill } from '../../../src/statements/fill-row.ts';

const DEFAULTS: Fill = {
  id: 'x:MESZ6:1',
  execution_id: 'x:MESZ6:1',
  part: null,
  platform: 'x',
  format: 'x',
  account: null,
  symbol: 'MESZ6',
  market: 'future',
  currency: 'USD',
  underlying: 'MES',
  expiration: null,
  strike: null,
  option_type: null,
  multiplier: 5,
  executed_at: '2026-11-02T15:00:00.000Z',
  kind: 'trade',
  side: 'buy',
  quantity: 1,
  price: 100,
  fees: 0,
  fee_quantity: 0,
  effect: null,
  may_short: true,
  rate_base: null,
  rate: null,
  former_symbol: null,
  has_time: true,
  order_id: null,
  fees_stated: true,
  stated_gross_pnl: null,
  stated_net_pnl: null,
  lots: null,
};

/** @param id of the fill; default: a buy of one contract at 100 */
export function makeFill(id: string, changes: Partial<Fill> = {}): Fill {
  return { ...DEFAULTS, id, execution_id: id, ...changes };
}

/** "buy 2 @ 100", a second after the one before. */
export function makeFills(lines: readonly string[], changes: Partial<Fill> = {}): Fill[] {
  return lines.map((line, index) => {
    const [side, quantity, , price] = line.split(' ');
    return makeFill(`f${index + 1}`, {
      side: side as Fill['side'],
      quantity: Number(quantity),
      price: Number(price),
      executed_at: new Date(
        Date.parse(DEFAULTS.executed_at) + index * 1000,
      ).toISOString(),
      ...changes,
    });
  });
}
