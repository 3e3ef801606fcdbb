import * as z from 'zod';
import type { Api, Query } from '../api.ts';
import { compact, type Row, startAndEnd } from '../compact.ts';
import { page } from '../fit.ts';
import { dates, detail, limit, tool, tradeFilters, words } from '../tool.ts';

/** Columns of a row; get_trade shows the rest. */
const COLUMNS = [
  'id',
  'executed_at',
  'closed_at',
  'symbol',
  'side',
  'quantity',
  'entry_price',
  'exit_price',
  'net_pnl',
  'r_multiple',
  'holding_seconds',
  'setup',
  'tags',
  'mistakes',
  'currency',
];

export const findTrades = tool({
  name: 'find_trades',
  title: 'Find trades',
  description:
    'Trades by dates, labels, result or words in their texts. Dates filter by closed_at, like figures; for open trades, set status to open.',
  scopes: ['trades:read'],
  input: () =>
    z.strictObject({
      ...dates,
      ...tradeFilters,
      status: z.enum(['open', 'closed']).optional(),
      q: words,
      sort: z
        .enum(['executed_at', 'closed_at', 'net_pnl', 'r_multiple', 'holding_seconds'])
        .optional()
        .describe('net_pnl compares in the base currency'),
      order: z.enum(['asc', 'desc']).optional(),
      limit: limit(20, 50),
      cursor: z.string().optional(),
      detail,
    }),
  output: {
    type: 'object',
    properties: { trades: { type: ['object', 'array'] }, next_cursor: { type: 'string' } },
    required: ['trades'],
  },
  async call({ period, start, end, sort, order, limit, detail, cursor, ...filters }, api) {
    const days = await startAndEnd({ period, start, end }, api);
    const isDated = days.start !== undefined || days.end !== undefined;
    const { base_currency } = (await api.me()).user;
    const answer = await page(api, {
      path: '/v1/trades',
      query: {
        ...filters,
        ...days,
        order,
        cursor,
        // Compares trades in several currencies.
        sort: sort === 'net_pnl' ? 'net_pnl_base' : sort,
        date_field: isDated && filters.status !== 'open' ? 'closed_at' : undefined,
      },
      limit,
      full: detail === 'full',
      name: 'trades',
      row: (trade) => rowOf(trade, base_currency),
    });
    const isPart = 'next_cursor' in answer && cursor === undefined;
    return isPart ? { ...answer, ...(await closedMatches({ ...filters, ...days }, api)) } : answer;
  },
});

/** Adds the open quantity of an open trade, and the result in the base currency if its own differs. */
function rowOf(trade: Row, base: string): Row {
  const columns = [
    ...COLUMNS,
    ...(trade['status'] === 'open' ? ['open_quantity'] : []),
    ...(trade['group_id'] === null ? [] : ['group_id']),
    ...(trade['currency'] === base ? [] : ['net_pnl_base']),
  ];
  return Object.fromEntries(columns.map((name) => [name, trade[name] ?? null]));
}

/** The total of closed matches if the page is only a part; figures have no search for words. */
async function closedMatches({ q, status, ...filters }: Query, api: Api): Promise<object> {
  if (q !== undefined || status === 'open' || !(await api.me()).key.scopes.includes('analytics:read')) return {};
  const data = await api.data('/v1/analytics/summary', { ...filters, sections: 'performance,data_quality' });
  const { trades = null, net_pnl = null, currency = null } = data['performance'] as Row;
  const { without_rate = null } = data['data_quality'] as Row;
  const matches = { trades, net_pnl, currency, ...(without_rate !== 0 && { without_rate }) };
  return { closed_matches: compact(matches, { timeZone: 'UTC', text: 20, rows: 1 }) };
}
