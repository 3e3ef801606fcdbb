/** The risk of a position in a foreign currency, in the base currency. */
import { expect, test } from 'vitest';
import { tradeRow, World } from '../../helpers.ts';

test('the risk of a position is converted as its money is', async () => {
  const world = new World({ base_currency: 'USD', starting_balance: 10_000 });
  for (let day = 1; day <= 30; day++) {
    const at = `2026-06-${String(day).padStart(2, '0')}T10:00:00.000Z`;
    const group = {
      name: 'Spread',
      kind: 'multi_leg',
      market: 'option',
      status: 'closed',
      currency: 'EUR',
    };
    world.insert('trade_groups', {
      id: `g${day}`,
      ...group,
      opened_at: at,
      closed_at: at,
      initial_risk: 100,
    });
    // 1 EUR is 1.25 USD: a risk of 100 EUR is 125 USD.
    const leg = {
      currency: 'EUR',
      fx_rate: 1.25,
      gross_pnl: day % 3 === 0 ? -100 : 100,
      executed_at: at,
    };
    world.insert('trades', tradeRow(`t${day}`, { ...leg, group_id: `g${day}` }));
  }
  const path = '/v1/analytics/summary?unit=position&sections=simulation,performance';
  const { simulation, performance } = (await world.ask(path, { key: world.key() })).body
    .data;
  expect(simulation.average_risk.amount).toBe(125);
  expect(performance).toMatchObject({ net_pnl: 1250, total_r: 10 });
});
