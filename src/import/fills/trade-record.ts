/** A walked trade as a journal record: all fields derived from its fills, and none that the user writes. */

import { UserError } from '../../errors.ts';
import type { Fill } from '../../import-tables/fill-row.ts';
import type { Values } from '../../journal-write/record.ts';
import { type Execution, positionOf, realisedBy } from '../../journal-write/trade.ts';
import { roundMoney } from '../../money.ts';

/** A trade's part of a fill. */
export interface TradeExecution {
  fill: string;
  executed_at: string;
  side: 'buy' | 'sell';
  quantity: number;
  price: number;
  /** In the trade's currency: the fill's own, or its share by quantity. */
  fees: number;
}

export interface WalkedTrade {
  /** The id of the execution that opened it. */
  id: string;
  /** The fill that states its instrument: the opening one, or the last symbol change. */
  instrument: Fill;
  opening: Fill;
  last: Fill;
  side: 'long' | 'short';
  /** At least one, the opening one first; in a closed trade, bought and sold quantities are equal. */
  executions: TradeExecution[];
  open: number;
  /** Whether units came or went for a reason that no file states. */
  isUnsure: boolean;
}

/** The tag of trades whose units came or went for a reason that no file states. */
export const UNSURE = 'unsure';

/** The fields that the walk decides; their order doesn't matter. */
export const WALKED_FIELDS = [
  'account',
  'symbol',
  'market',
  'side',
  'status',
  'executed_at',
  'closed_at',
  'quantity',
  'open_quantity',
  'multiplier',
  'entry_price',
  'exit_price',
  'currency',
  'fx_rate',
  'gross_pnl',
  'fees',
  'underlying',
  'expiration',
  'strike',
  'option_type',
  'source',
] as const;

export type WalkedFields = Record<(typeof WALKED_FIELDS)[number], string | number | null>;

/** @param baseCurrency the user's: exchange rates to others are ignored */
export function walkedFields(trade: WalkedTrade, baseCurrency: string): WalkedFields {
  const { opening, last, instrument, open } = trade;
  const executions = executionsOf(trade);
  const position = positionOf(executions);
  const gross = realisedBy(executions, opening.multiplier);
  if (!position || gross === undefined) {
    const what = `quantities of ${instrument.symbol} since ${opening.executed_at} are too far apart to be added`;
    throw new UserError(`${what}; correct its splits and its smallest quantities in the file`);
  }
  const isOpen = open > 0;
  const hasRate = last.rate_base === baseCurrency && instrument.currency !== baseCurrency;
  return {
    account: opening.account,
    symbol: instrument.symbol,
    market: instrument.market,
    side: trade.side,
    status: isOpen ? 'open' : 'closed',
    executed_at: position.executed_at,
    closed_at: isOpen ? null : (executions.at(-1) as Execution).executed_at,
    // Parts rounded after a split may add up to less than the open quantity.
    quantity: Math.max(position.quantity, open),
    open_quantity: open,
    multiplier: opening.multiplier,
    entry_price: position.entry_price,
    exit_price: position.exit_price,
    currency: instrument.currency,
    fx_rate: hasRate ? last.rate : null,
    // Fees are never below 0: net rebates count as P&L.
    gross_pnl: position.fees < 0 ? roundMoney(gross - position.fees) : gross,
    fees: Math.max(0, position.fees),
    underlying: instrument.underlying,
    expiration: instrument.expiration,
    strike: instrument.strike,
    option_type: instrument.option_type,
    source: opening.format,
  };
}

/** The executions as the API returns them. */
export function executionsOf(trade: WalkedTrade): Execution[] {
  return trade.executions.map(({ fill: _, ...execution }) => execution);
}

export function tradeRecord(trade: WalkedTrade, baseCurrency: string): Values {
  return { id: trade.id, ...walkedFields(trade, baseCurrency), executions: executionsOf(trade) };
}
