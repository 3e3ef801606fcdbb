/** One trade, by its id. */
import { findTrade, tradeDetailRecord } from '../../journal/trade.ts';
import { NO_PARAMETERS } from '../parameter.ts';
import { notFound } from '../problem.ts';
import type { Endpoint } from '../route.ts';

export const singleTrade: Endpoint = {
  operationId: 'getTrade',
  tag: 'trades',
  summary: 'One trade',
  description:
    'One trade with its executions, its group and its journal entries. Without the scope journals:read the entries are null, and withheld names them.',
  parameters: () => NO_PARAMETERS,
  gives: { data: tradeDetailRecord, name: 'TradeDetail' },
  handle: ({ reader, user, pathId, key }) => {
    const trade = findTrade(reader, user, pathId, key.scopes.includes('journals:read'));
    // The same for an id that is unknown, malformed, or another user's.
    if (!trade) throw notFound('unknown trade id; /v1/trades lists them');
    return { data: trade };
  },
};
