/** An agent's questions about the sample trader's year: legs that look like trades, and other figures that once misled. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sampleJournal } from '../../../src/demo/index.ts';
import { importPaths } from '../../../src/import/index.ts';
import { loadAll } from '../../../src/import/on-demand.ts';
import { NOW, temporaryFolder, World } from '../../helpers.ts';
import { Exact } from './exact.ts';

await loadAll();

const { user, records } = sampleJournal('2026-11-20') as {
  user: any;
  records: Record<string, any[]>;
};
const trades = records['trades'] as any[];
const legsOf = (group: { id: string }) =>
  trades.filter((trade) => 'group_id' in trade && trade.group_id === group.id);

const netOf = (of: readonly { gross_pnl: number; fees: number }[]) =>
  Exact.sum(of.map(({ gross_pnl, fees }) => Exact.of(gross_pnl).minus(Exact.of(fees))))
    .rounded(8)
    .toNumber();

/** Sends requests about the sample. */
function sample() {
  const { id: _, ...settings } = user;
  const world = new World(settings);
  const folder = join(temporaryFolder(), 'records');
  mkdirSync(folder);
  for (const [name, list] of Object.entries(records)) {
    writeFileSync(
      join(folder, `${name}.jsonl`),
      list.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
  }
  importPaths({ paths: [folder], journal: world.files.journal, now: NOW });
  const key = world.key();
  return async (path: string) => {
    const { status, body } = await world.ask(path, { key });
    expect(status, body.detail).toBe(200);
    return body.data;
  };
}

test('the underlying SPY is its shares and options; the symbol only its shares', async () => {
  const ask = sample();
  const ofSpy = trades.filter(
    (trade) =>
      trade.status === 'closed' && (trade.symbol === 'SPY' || trade.underlying === 'SPY'),
  );
  const options = ofSpy.filter((trade) => trade.symbol !== 'SPY');
  expect(options).toHaveLength(19);
  const net = async (query: string) =>
    (await ask(`/v1/analytics/summary?sections=performance&${query}`)).performance
      .net_pnl;
  expect(await net('underlying=spy')).toBe(netOf(ofSpy));
  expect(await net('symbol=SPY')).toBe(
    netOf(ofSpy.filter((trade) => trade.symbol === 'SPY')),
  );
  const { breakdowns } = await ask('/v1/analytics/summary?sections=breakdowns');
  const row = breakdowns.underlying.find(({ key }: any) => key === 'SPY');
  expect(row).toMatchObject({ trades: ofSpy.length, net_pnl: netOf(ofSpy) });
});

test('an iron condor is one position, and none of its legs is the best symbol or the largest win', async () => {
  const ask = sample();
  const condors = records['trade-groups']!.filter(
    ({ strategy, status }) => strategy === 'iron condor' && status === 'closed',
  );
  const { performance, groups } = await ask(
    '/v1/analytics/summary?unit=position&group_by=group&sections=performance,groups',
  );
  for (const condor of condors) {
    const row = groups.find(({ by }: any) => by.group === condor.id);
    expect(row).toMatchObject({ trades: 1, net_pnl: netOf(legsOf(condor)) });
  }
  // Its best leg has a higher net than any position.
  const bestLeg = Math.max(
    ...trades.filter(({ status }) => status === 'closed').map((trade) => netOf([trade])),
  );
  expect(performance.largest_win.net_pnl).toBeLessThan(bestLeg);
  const { top_symbols } = await ask('/v1/summary?period=1y&unit=position');
  const symbols = [
    ...top_symbols.most_traded,
    ...top_symbols.best,
    ...top_symbols.worst,
  ].map(({ symbol }) => symbol);
  const condorLegs = condors.flatMap((condor) =>
    legsOf(condor).map(({ symbol }) => symbol),
  );
  expect(condorLegs).toHaveLength(16);
  expect(symbols.filter((symbol) => condorLegs.includes(symbol))).toEqual([]);
});

test('positions add up to the trades that are not legs of an open position', async () => {
  const ask = sample();
  const of = async (unit: string) =>
    ask(
      `/v1/analytics/summary?unit=${unit}&sections=performance,open,data_quality&start=2000-01-01`,
    );
  const [byTrade, byPosition] = [await of('trade'), await of('position')];
  const total = (data: any) => data.performance.net_pnl + data.open.realised_pnl;
  expect(total(byPosition)).toBeCloseTo(total(byTrade), 6);
  const groups = new Set(records['trade-groups']!.map(({ id }) => id));
  const legs = trades.filter(
    (trade) => 'group_id' in trade && groups.has(trade.group_id as string),
  );
  const count = (data: any) =>
    data.performance.trades + data.open.trades + data.data_quality.without_rate;
  expect(count(byTrade) - count(byPosition)).toBe(legs.length - groups.size);
});

test('an empty period shows the extent of the trades', async () => {
  const ask = sample();
  const { performance, journal } = await ask('/v1/summary?days=7&end=2020-01-31');
  expect(performance.trades).toBe(0);
  const closed = trades.filter(({ status }) => status === 'closed');
  expect(journal.closed_trades).toBe(closed.length);
  const period = `start=${journal.first_trade_at}&end=${journal.last_trade_at}`;
  const { data_quality, performance: all } = await ask(`/v1/analytics/summary?${period}`);
  // The end is excluded, and so is the last trade.
  expect(all.trades + data_quality.without_rate).toBe(closed.length - 1);
});

test('trades without an exchange rate are excluded and counted, in the compact summary too', async () => {
  const world = new World({ base_currency: 'CHF' });
  const row = {
    symbol: 'AAPL',
    market: 'stock',
    side: 'long',
    quantity: 1,
    entry_price: 1,
    currency: 'USD',
  };
  const at = '2026-11-10T15:00:00.000Z';
  world.insert('trades', {
    ...row,
    id: 't',
    status: 'closed',
    executed_at: at,
    closed_at: at,
    open_quantity: 0,
    gross_pnl: 5,
  });
  world.insert('trades', {
    ...row,
    id: 'o',
    status: 'open',
    executed_at: at,
    closed_at: null,
    open_quantity: 1,
    gross_pnl: 0,
  });
  const { body } = await world.ask('/v1/summary', { key: world.key() });
  expect(body.data).toMatchObject({
    performance: { trades: 0 },
    data_quality: { without_rate: 1, currencies_left_out: ['USD'] },
    open: { trades: 1, realised_pnl: 0 },
    journal: { closed_trades: 1, first_trade_at: at, last_trade_at: at },
  });
});

test('responses to an agent’s questions are short', async () => {
  const ask = sample();
  const size = async (path: string) => JSON.stringify(await ask(path)).length;
  // Some four characters are a token: 2,000 tokens at most.
  for (const query of [
    'sections=performance,previous&period=last_month',
    'sections=mistakes,groups&group_by=mistake&top=10',
    'sections=groups&group_by=setup,weekday&top=12',
    'sections=groups&group_by=month&period=this_year',
    'sections=groups&group_by=weekday',
    'sections=rules',
  ]) {
    expect(await size(`/v1/analytics/summary?${query}`), query).toBeLessThan(6000);
  }
});
