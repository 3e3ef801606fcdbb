import * as z from 'zod';
import type { Row } from '../compact.ts';
import { startAndEnd } from '../dates.ts';
import { page } from '../page.ts';
import { dates, detail, limit, tool, tradeFilters, words } from '../tool.ts';

/** What a row tells; the rest is told of a single trade. */
const COLUMNS = [
  'id',
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

/** An open trade has no end yet: when it began, and what is open of it. */
const OF_OPEN = ['executed_at', 'open_quantity'];

export const findTrades = tool({
  name: 'find_trades',
  title: 'Find trades',
  description:
    'Trades by dates, labels, result or words in their texts. Dates compare closed_at, as figures do; for open trades say status open.',
  scopes: ['trades:read'],
  input: () =>
    z.strictObject({
      ...dates,
      ...tradeFilters,
      status: z.enum(['open', 'closed']).optional(),
      has_stop: z.boolean().optional(),
      has_journal: z.boolean().optional(),
      has_mistake: z.boolean().optional(),
      min_net_pnl: z.number().optional(),
      max_net_pnl: z.number().optional(),
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
  async call({ period, start, end, sort, limit, detail, ...query }, api) {
    const window = await startAndEnd({ period, start, end }, api);
    const isDated = window.start !== undefined || window.end !== undefined;
    return page(api, {
      path: '/v1/trades',
      query: {
        ...query,
        ...window,
        // Trades in several currencies: the worst is not the one with the most yen.
        sort: sort === 'net_pnl' ? 'net_pnl_base' : sort,
        date_field: isDated && query.status !== 'open' ? 'closed_at' : undefined,
      },
      limit,
      full: detail === 'full',
      name: 'trades',
      row: rowOf,
    });
  },
});

function rowOf(trade: Row): Row {
  const columns = trade['status'] === 'open' ? [...COLUMNS, ...OF_OPEN] : COLUMNS;
  return Object.fromEntries(columns.map((name) => [name, trade[name] ?? null]));
}
