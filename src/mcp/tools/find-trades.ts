import * as z from 'zod';
import type { Api, Query } from '../api.ts';
import { condition, conditionText, startAndEnd } from '../arguments.ts';
import { compact, type Row } from '../compact.ts';
import { page } from '../fit.ts';
import {
  closedTrades,
  dates,
  detail,
  emptyPeriodHint,
  limit,
  NO_MARKET_PRICES,
  tool,
  tradeFilters,
  underlyingHint,
  withHints,
  words,
} from '../tool.ts';
import { entriesOf, matchesOf, openRisk } from '../trade-lists.ts';

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
  'fields',
  'currency',
];

/** Those of an open trade: what its exits have realised in place of its net P&L. */
const OPEN_COLUMNS = [
  ...COLUMNS.map((name) => (name === 'net_pnl' ? 'realised_pnl' : name)),
  'open_quantity',
  'stop_loss',
  'risk',
];

export const findTrades = tool({
  name: 'find_trades',
  title: 'Find trades',
  description:
    'Trades by dates, labels, result, dimensions (where) or words in their texts, with the number and net P&L of all matches. Dates filter by closed_at, like figures; for open trades, set status to open.',
  scopes: ['trades:read'],
  input: () =>
    z.strictObject({
      ...dates,
      ...tradeFilters,
      where: condition('closed trades of a row of analyze_performance'),
      status: z.enum(['open', 'closed']).optional(),
      q: words,
      sort: z
        .enum(['executed_at', 'closed_at', 'net_pnl', 'r_multiple', 'holding_seconds'])
        .optional()
        .describe('net_pnl compares in the base currency'),
      order: z.enum(['asc', 'desc']).optional(),
      notes: z.boolean().optional().describe('the text of each post_trade entry'),
      limit: limit(20, 50),
      cursor: z.string().optional(),
      detail,
    }),
  output: {
    type: 'object',
    properties: {
      trades: { type: ['object', 'array'] },
      matches: { type: 'object' },
      next_cursor: { type: 'string' },
    },
    required: ['trades'],
  },
  async call(
    { period, start, end, sort, order, limit, detail, cursor, notes, where, ...given },
    api,
  ) {
    const days = await startAndEnd({ period, start, end }, api);
    const isDated = days.start !== undefined || days.end !== undefined;
    const filters: Query = {
      ...given,
      where: conditionText(where),
      ...days,
      date_field: isDated && given.status !== 'open' ? 'closed_at' : undefined,
    };
    const { base_currency } = (await api.me()).user;
    const answer = await page(api, {
      path: '/v1/trades',
      // Compares trades in several currencies.
      query: { ...filters, order, cursor, sort: sort === 'net_pnl' ? 'net_pnl_base' : sort },
      limit,
      full: detail === 'full',
      name: 'trades',
      row: (trade) => rowOf(trade, base_currency),
      completed: (trades) => withNotes(trades, notes === true, api),
    });
    const matches = await matchesOf(filters, api);
    const hints = [
      await underlyingHint(given.symbol, api),
      matches['trades'] === 0 && given.q !== undefined ? IN_THE_JOURNAL : undefined,
      given.q === undefined && !('hint' in answer)
        ? await emptyPeriodHint(closedTrades(matches, matches), filters, api)
        : undefined,
    ];
    const more = {
      matches,
      ...withHints(answer as Row, hints),
      ...(given.status === 'open' && !(await api.hidesMoney()) && (await openRisk(filters, api))),
      ...(given.status === 'open' && { market_prices: NO_MARKET_PRICES }),
    };

    return { ...answer, ...(compact(more, { timeZone: 'UTC', text: 600, rows: 1 }) as object) };
  },
});

const IN_THE_JOURNAL =
  "q searches the trades' own texts; read_notes with the same q searches journal entries and sessions";

/** Shows the result in the base currency if a trade's own differs. */
function rowOf(trade: Row, base: string): Row {
  const isOpen = trade['status'] === 'open';
  const columns = [
    ...(isOpen ? OPEN_COLUMNS : COLUMNS),
    ...(trade['group_id'] === null ? [] : ['group_id']),
    ...(trade['currency'] === base ? [] : ['net_pnl_base']),
    ...['has_notes', 'post_trade'].filter((name) => name in trade),
  ];
  return Object.fromEntries(columns.map((name) => [name, trade[name] ?? null]));
}

/** Adds whether the trader wrote about a trade, and what. */
async function withNotes(trades: Row[], withTexts: boolean, api: Api): Promise<Row[]> {
  const texts = await entriesOf(
    trades.map(({ id }) => id as string),
    api,
  );
  return trades.map((trade) => {
    const id = trade['id'] as string;
    const own = trade['notes'] ?? null;
    const written = texts.get(id) ?? own;

    return {
      ...trade,
      has_notes: texts.has(id) || own !== null ? true : null,
      ...(withTexts && written !== null && { post_trade: written }),
    };
  });
}
