/** A plain closed trade, as passed to accumulators. */

import type { ClosedTrade } from '../../../src/journal/analytics/closed-trade.ts';

export function closed({
  net = 0,
  closedMs = 0,
  ...more
}: Partial<ClosedTrade> = {}): ClosedTrade {
  return {
    id: 't',
    groupId: null,
    closedAt: new Date(closedMs).toISOString(),
    closedMs,
    day: Math.floor(closedMs / 86_400_000),
    enteredMs: closedMs - 3_600_000,
    gross: net,
    fees: 0,
    net,
    exits: null,
    r: null,
    risk: null,
    mae: null,
    mfe: null,
    maeBound: null,
    mfeBound: null,
    outcome: net > 0 ? 'win' : net < 0 ? 'loss' : 'breakeven',
    symbol: 'AAPL',
    underlying: 'AAPL',
    side: 'long',
    setup: null,
    account: null,
    market: 'stock',
    rating: null,
    tags: [],
    mistakes: [],
    hasStop: false,
    journalRules: [],
    currency: 'USD',
    ownNet: net,
    quantity: 1,
    allQuantity: 1,
    contracts: 0,
    contractFees: 0,
    timeframe: null,
    strategy: null,
    emotions: [],
    confidence: [],
    followedPlan: null,
    fields: {},
    context: { sequence: null, session: null, size: null, quartiles: null },
    ...more,
  };
}
