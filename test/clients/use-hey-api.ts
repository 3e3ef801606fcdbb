import type { Access, Answers } from './answers.ts';
import { client } from './generated/hey-api/client.gen.ts';
import {
  getAnalyticsSummary,
  getMe,
  getSummary,
  getTrade,
  listTrades,
  type Trade,
} from './generated/hey-api/index.ts';

export async function ask({ url, key }: Access): Promise<Answers> {
  client.setConfig({ baseUrl: url, auth: key });
  const trades: Trade[] = [];
  let cursor: string | null = null;
  do {
    const query: { symbol: string; limit: number; cursor?: string } = {
      symbol: 'MNQ',
      limit: 7,
    };
    if (cursor !== null) query.cursor = cursor;
    const { data: page, error } = await listTrades({ query });
    if (!page) throw new Error(JSON.stringify(error));
    trades.push(...page.data);
    cursor = page.pagination.next_cursor;
  } while (cursor !== null);
  const me = await getMe();
  const summary = await getSummary({ query: { period: '90d' } });
  const analytics = await getAnalyticsSummary({ query: { period: '90d' } });
  const trade = await getTrade({ path: { id: (trades[0] as Trade).id } });
  const refused = await getMe({ query: { colour: 'red' } as never });
  return {
    trades: trades.map(({ id }) => id),
    extent: me.data?.data.extent.trades,
    netPnl: [
      summary.data?.data.performance.net_pnl ?? NaN,
      analytics.data?.data.performance?.net_pnl ?? NaN,
    ],
    executions: trade.data?.data.executions.length ?? NaN,
    refused: [refused.response?.status ?? 0, refused.error?.code ?? ''],
  };
}
