import createClient from 'openapi-fetch';
import type { Access, Answers } from './answers.ts';
import type { components, paths } from './generated/openapi-typescript.ts';

type Trade = components['schemas']['Trade'];

export async function ask({ url, key }: Access): Promise<Answers> {
  const { GET } = createClient<paths>({
    baseUrl: url,
    headers: { Authorization: `Bearer ${key}` },
  });
  const trades: Trade[] = [];
  let cursor: string | null = null;
  do {
    const query: { symbol: string; limit: number; cursor?: string } = {
      symbol: 'MNQ',
      limit: 7,
    };
    if (cursor !== null) query.cursor = cursor;
    const { data: page, error } = await GET('/v1/trades', { params: { query } });
    if (!page) throw new Error(error.detail);
    trades.push(...page.data);
    cursor = page.pagination.next_cursor;
  } while (cursor !== null);
  const me = await GET('/v1/me');
  const summary = await GET('/v1/summary', { params: { query: { period: '90d' } } });
  const analytics = await GET('/v1/analytics/summary', {
    params: { query: { period: '90d' } },
  });
  const trade = await GET('/v1/trades/{id}', {
    params: { path: { id: (trades[0] as Trade).id } },
  });
  const refused = await GET('/v1/me', { params: { query: { colour: 'red' } as never } });
  return {
    trades: trades.map(({ id }) => id),
    extent: me.data?.data.extent.trades,
    netPnl: [
      summary.data?.data.performance.net_pnl ?? NaN,
      analytics.data?.data.performance?.net_pnl ?? NaN,
    ],
    executions: trade.data?.data.executions.length ?? NaN,
    refused: [refused.response.status, refused.error?.code ?? ''],
  };
}
