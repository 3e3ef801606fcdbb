import * as z from 'zod';
import type { Unit } from '../../journal/resource.ts';
import { STATUSES } from '../../journal/resource.ts';
import type { Api, Query } from '../api.ts';
import { condition, conditionText, startAndEnd } from '../arguments.ts';
import { compactRecord, type ListedRow, type Row } from '../compact.ts';
import { page } from '../fit.ts';
import {
  countedBy,
  dates,
  detail,
  emptyPeriodHint,
  limit,
  NO_MARKET_PRICES,
  tool,
  tradeFilters,
  underlyingHint,
  unit,
  withHints,
  words,
} from '../tool.ts';
import { entriesOf, groupTexts, matchesOf, openRisk } from '../trade-lists.ts';

/** Columns of a row; get_trade shows the rest. */
const COLUMNS = [
  'id',
  'executed_at',
  'closed_at',
  'symbol',
  'side',
  'quantity',
  'multiplier',
  'entry_price',
  'exit_price',
  'fees',
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

/** The same of a position. */
const [, ...AFTER_ID] = COLUMNS.filter((name) => name !== 'symbol');
const POSITION_COLUMNS = ['id', 'kind', 'name', ...AFTER_ID, 'contracts'];
const OPEN_POSITION_COLUMNS = [
  ...POSITION_COLUMNS.map((name) => (name === 'net_pnl' ? 'realised_pnl' : name)),
  'risk',
];

export const findTrades = tool({
  name: 'find_trades',
  title: 'Find trades',
  description:
    'Trades by dates, labels, result, dimensions (where) or words in their texts, with number and net P&L of all. Dates filter by closed_at, like figures; open trades: status=open.',
  scopes: ['trades:read'],
  input: () =>
    z.strictObject({
      ...dates,
      ...tradeFilters,
      where: condition('a row of analyze_performance'),
      status: z.enum(STATUSES).optional(),
      q: words,
      sort: z
        .enum(['executed_at', 'closed_at', 'net_pnl', 'r_multiple', 'holding_seconds'])
        .optional()
        .describe('net_pnl in the base currency'),
      order: z.enum(['asc', 'desc']).optional(),
      notes: z.boolean().optional().describe('text of each post_trade entry'),
      limit: limit(20, 50),
      cursor: z.string().optional(),
      unit,
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
    {
      period,
      start,
      end,
      sort,
      order,
      limit,
      detail,
      cursor,
      notes,
      where,
      unit: asked,
      ...given
    },
    api,
  ) {
    const { unit, counts } = await countedBy(asked, api);
    const days = await startAndEnd({ period, start, end }, api);
    const isDated = days.start !== undefined || days.end !== undefined;
    const filters: Query = {
      ...given,
      where: conditionText(where),
      ...days,
      date_field: isDated && given.status !== 'open' ? 'closed_at' : undefined,
    };
    const { base_currency } = (await api.me()).user;
    const { path, row, withNotes } = LISTS[unit];
    const { hint: found = null, ...answer } = await page(api, {
      path,
      query: { ...filters, order, cursor, sort: sortField(sort, unit) },
      limit,
      full: detail === 'full',
      name: 'trades',
      row: (record) => row(record, base_currency),
      completed: (records) => withNotes(records, notes === true, api),
    });
    const { matches, accounts, hint } = await matchesOf(filters, unit, api);
    const isOpen = given.status === 'open';
    const hints = [
      hint,
      await underlyingHint(given.symbol, api),
      matches['trades'] === 0 && given.q !== undefined ? IN_THE_JOURNAL : undefined,
      given.q === undefined && found === null
        ? await emptyPeriodHint(Number(matches['trades']), filters, api)
        : undefined,
    ];
    const more = {
      matches,
      ...(accounts && { accounts }),
      ...(isOpen && !(await api.hidesMoney()) && (await openRisk(filters, unit, api))),
      ...(isOpen && { market_prices: NO_MARKET_PRICES }),
    };
    const how = { timeZone: 'UTC', text: 600, rows: 9 };

    return {
      ...compactRecord(withHints({ hint: found }, hints), how),
      ...counts,
      ...answer,
      ...compactRecord(more, how),
    };
  },
});

interface List {
  path: string;
  row: (record: Row, base: string) => Row;
  /** Adds whether the trader wrote about a record, and what. */
  withNotes: (records: ListedRow[], withTexts: boolean, api: Api) => Promise<Row[]>;
}

const LISTS: Readonly<Record<Unit, List>> = {
  trade: { path: '/v1/trades', row: rowOfTrade, withNotes: withNotesOfTrades },
  position: {
    path: '/v1/positions',
    row: rowOfPosition,
    withNotes: withNotesOfPositions,
  },
};

/**
 * The API's name: net_pnl compares in the base currency; positions are in the order of
 * opening.
 */
function sortField(sort: string | undefined, unit: Unit): string | undefined {
  if (sort === 'executed_at' && unit === 'position') return undefined;
  return sort === 'net_pnl' ? 'net_pnl_base' : sort;
}

const IN_THE_JOURNAL =
  "q searches the trades' own texts and labels; text searches journal entries, too, and read_notes also sessions";

/** Shows the result in the base currency if a trade's own differs. */
function rowOfTrade(trade: Row, base: string): Row {
  const isOpen = trade['status'] === 'open';
  return columnsOf(trade, base, [
    ...(isOpen ? OPEN_COLUMNS : COLUMNS),
    ...(trade['group_id'] === null ? [] : ['group_id']),
  ]);
}

/** A single trade among positions has no kind. */
function rowOfPosition(position: Row, base: string): Row {
  const { opened_at = null, kind = null } = position;
  const isOpen = position['status'] === 'open';
  const record = {
    ...position,
    executed_at: opened_at,
    kind: kind === 'trade' ? null : kind,
  };
  return columnsOf(record, base, isOpen ? OPEN_POSITION_COLUMNS : POSITION_COLUMNS);
}

function columnsOf(record: Row, base: string, names: readonly string[]): Row {
  const columns = [
    ...names,
    ...(record['currency'] === base ? [] : ['net_pnl_base']),
    ...['has_notes', 'post_trade'].filter((name) => name in record),
  ];
  return Object.fromEntries(columns.map((name) => [name, record[name] ?? null]));
}

async function withNotesOfTrades(
  trades: ListedRow[],
  withTexts: boolean,
  api: Api,
): Promise<ListedRow[]> {
  const texts = await entriesOf(
    trades.map(({ id }) => id),
    api,
  );
  return trades.map((trade) => {
    const { id, notes } = trade;
    const notesOfTrade = typeof notes === 'string' ? notes : null;
    return {
      ...trade,
      ...written(
        texts.has(id) || notesOfTrade !== null,
        texts.get(id) ?? notesOfTrade,
        withTexts,
      ),
    };
  });
}

/**
 * The notes of single trades are on the trades; those of a group are entries about it.
 */
async function withNotesOfPositions(
  all: ListedRow[],
  withTexts: boolean,
  api: Api,
): Promise<ListedRow[]> {
  const idsOf = (isGroup: boolean) =>
    all.flatMap(({ id, kind }) => ((kind !== 'trade') === isGroup ? [id] : []));
  const ofTrades = await notedTrades(idsOf(false), withTexts, api);
  const ofGroups = await groupTexts(idsOf(true), withTexts, api);

  return all.map((position) => {
    const { id } = position;
    if (position['kind'] === 'trade') return { ...position, ...ofTrades.get(id) };
    return {
      ...position,
      ...written(ofGroups.has(id), ofGroups.get(id) ?? null, withTexts),
    };
  });
}

async function notedTrades(
  ids: readonly string[],
  withTexts: boolean,
  api: Api,
): Promise<ReadonlyMap<string, Row>> {
  if (ids.length === 0) return new Map();
  const query = { id: ids.join(','), fields: 'notes,multiplier', limit: ids.length };
  const { data } = await api.get<{ data: ListedRow[] }>('/v1/trades', query);
  const noted = await withNotesOfTrades(data, withTexts, api);
  return new Map(noted.map(({ id, notes: _, ...columns }) => [id, columns]));
}

function written(isWritten: boolean, text: string | null, withTexts: boolean): Row {
  return {
    has_notes: isWritten ? true : null,
    ...(withTexts && text !== null && { post_trade: text }),
  };
}
