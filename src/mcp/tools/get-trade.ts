import * as z from 'zod';
import { visibleText } from '../../http/visible-text.ts';
import { type Api, ToolError } from '../api.ts';
import {
  compactRecord,
  pick,
  type Row,
  rowOf,
  rowsOf,
  table,
  uncut,
} from '../compact.ts';
import { fittedOrError } from '../fit.ts';
import { picturesOf } from '../pictures.ts';
import { detail, NO_MARKET_PRICES, tool, WithImages } from '../tool.ts';
import { idInOtherCase } from '../trade-lists.ts';

const LEG_COLUMNS = [
  'id',
  'symbol',
  'side',
  'quantity',
  'entry_price',
  'exit_price',
  'net_pnl',
  'status',
];

export const getTrade = tool({
  name: 'get_trade',
  title: 'One trade',
  description: 'A trade or group, by id: executions, legs, entries, up to 4 pictures.',
  scopes: ['trades:read'],
  input: () =>
    z.strictObject({
      id: z.string(),
      kind: z.enum(['trade', 'group']).optional(),
      detail,
      pictures: z.boolean().optional(),
    }),
  output: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  async call({ id, kind, detail, pictures }, api) {
    const { timezone } = (await api.me()).user;
    const data = await found(id, kind, api).catch(async (error: unknown) => {
      const other = error instanceof ToolError ? await idInOtherCase(id, api) : undefined;
      if (other === undefined) throw error;
      return found(other, kind, api);
    });
    const answer = detail === 'full' ? uncut(data) : shortened(data, timezone);
    if (!pictures) return answer;

    const { says, images } = await picturesOf(data, api);
    return new WithImages({ ...answer, pictures: says }, images);
  },
});

function shortened({ trades, ...rest }: Row, timezone: string): object {
  return fittedOrError(timezone, (how) => ({
    ...compactRecord(asIs(rest), how),
    ...(trades && {
      trades: table(
        rowsOf(trades).map((trade) => pick(LEG_COLUMNS, trade)),
        how,
      ),
    }),
    timezone,
  }));
}

/** The trade, or the group, with an id. */
async function found(
  id: string,
  kind: 'trade' | 'group' | undefined,
  api: Api,
): Promise<Row> {
  const trade = kind === 'group' ? missing(id) : tradeOf(id, api);
  return trade.catch(async (error: unknown) => {
    const isGroup = error instanceof ToolError && kind !== 'trade';
    const group = isGroup ? await groupOf(id, api) : undefined;
    if (!group) throw error;
    return group;
  });
}

const missing = (id: string): Promise<Row> =>
  Promise.reject(
    new ToolError(`there is no trade group with the id "${visibleText(id)}"`),
  );

const tradeOf = (id: string, api: Api) =>
  api.data(`/v1/trades/${encodeURIComponent(id)}`);

/**
 * Fields of a position that the group's record lacks, or has without those of its legs.
 */
const OF_POSITION = [
  'name',
  'description',
  'side',
  'outcome',
  'quantity',
  'contracts',
  'setup',
  'tags',
  'mistakes',
  'rating',
];

/** The response for each trade of a group includes the group's record and entries. */
async function groupOf(id: string, api: Api): Promise<Row | undefined> {
  const [trades, positions] = await Promise.all([
    api.dataIfAny<Row[]>('/v1/trades', { group_id: id, order: 'asc', limit: 100 }),
    api.dataIfAny<Row[]>('/v1/positions', { id }),
  ]);
  const first = trades?.[0];
  if (!trades || !first) return undefined;

  const { group = null, group_journals = null } = await tradeOf(String(first['id']), api);
  const position = positions?.find(({ kind }) => kind !== 'trade');
  return {
    ...rowOf(group),
    ...(position && pick(OF_POSITION, position)),
    group_journals,
    trades,
  };
}

const NO_FILLS = 'none: recorded as a whole, without fills';

/**
 * Of an open trade, what its exits have realised; of a closed one that is its net P&L.
 */
function asIs({ net_pnl = null, realised_pnl = net_pnl, ...data }: Row): Row {
  const { executions = null } = data;
  const shown =
    Array.isArray(executions) && executions.length === 0 ? NO_FILLS : executions;
  const known = { ...data, executions: shown };
  if (data['status'] !== 'open') return { ...known, net_pnl };
  return executions === null
    ? { ...known, net_pnl, realised_pnl }
    : { ...known, realised_pnl, market_prices: NO_MARKET_PRICES };
}
