/** One trade, by its id, and the labels of all. */
import { labelsOf, labelsRecord, MAX_LABELS } from '../../journal/labels.ts';
import { findTrade, tradeDetailRecord } from '../../journal/trade.ts';
import { top } from '../figure-parameters.ts';
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
  isLong: () => false,
  gives: { data: tradeDetailRecord, name: 'TradeDetail' },
  handle: ({ reader, user, pathId, key }) => {
    const trade = findTrade(reader, user, pathId, key.scopes.includes('journals:read'));
    // The same for an id that is unknown, malformed, or another user's.
    if (!trade) throw notFound('unknown trade id; /v1/trades lists them');
    return { data: trade };
  },
};

const LABEL_PARAMETERS = [
  { ...top, description: `Maximum labels of each kind, capped at ${MAX_LABELS}` },
];

export const labels: Endpoint = {
  operationId: 'getLabels',
  tag: 'trades',
  summary: 'The labels in use',
  description:
    'The accounts, symbols, underlyings, setups, tags and mistakes of the trades, and the emotions and rules of the journal entries: the values that filters take. Without the scope journals:read the last two are null, and withheld names them.',
  parameters: () => LABEL_PARAMETERS,
  isLong: () => true,
  gives: { data: labelsRecord, name: 'Labels' },
  handle({ reader, user, key, query }) {
    const most = Math.min(Number(query['top'] ?? MAX_LABELS), MAX_LABELS);
    return { data: labelsOf(reader, user, key.scopes, most) };
  },
};
