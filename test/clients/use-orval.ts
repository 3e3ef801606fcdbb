import type { Access, Answers } from './answers.ts';
import {
  getAnalyticsSummary,
  getMe,
  getSummary,
  getTrade,
  listTrades,
  type Trade,
} from './generated/orval.ts';

/** The generated functions contain the address. */
export async function ask({ key }: Access): Promise<Answers> {
  const init = { headers: { Authorization: `Bearer ${key}` } };
  const trades: Trade[] = [];
  let cursor: string | null = null;
  do {
    const page = await listTrades(
      { symbol: 'MNQ', limit: 7, ...(cursor !== null && { cursor }) },
      init,
    );
    if (page.status !== 200) throw new Error(String(page.status));
    trades.push(...page.data.data);
    cursor = page.data.pagination.next_cursor;
  } while (cursor !== null);
  const me = await getMe(init);
  const summary = await getSummary({ period: '90d' }, init);
  const analytics = await getAnalyticsSummary({ period: '90d' }, init);
  const trade = await getTrade((trades[0] as Trade).id, init);
  const refused = await listTrades({ colour: 'red' } as never, init);
  return {
    trades: trades.map(({ id }) => id),
    extent: me.status === 200 ? me.data.data.extent.trades : undefined,
    netPnl: [
      summary.status === 200 ? summary.data.data.performance.net_pnl : NaN,
      analytics.status === 200 ? (analytics.data.data.performance?.net_pnl ?? NaN) : NaN,
    ],
    executions: trade.status === 200 ? trade.data.data.executions.length : NaN,
    refused: [refused.status, refused.status === 400 ? refused.data.code : ''],
  };
}
