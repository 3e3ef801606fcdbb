/**
 * A trade made of fills: while it is open in a walk, and as a journal record with all
 * fields that the user doesn't write.
 */

import { UserError } from '../../errors.ts';
import { PERSON_FIELDS } from '../../journal/person-fields.ts';
import { trades } from '../../journal/resources/trades.ts';
import { type DatedCost, statedGrossOf } from '../../journal/trade-exits.ts';
import type { Execution } from '../../journal-write/record.ts';
import { storedFields, type Values } from '../../journal-write/record.ts';
import type { FillLink } from '../../journal-write/record-writer.ts';
import { positionOf, realisedBy } from '../../journal-write/trade.ts';
import {
  asDecimal,
  difference,
  isNoise,
  roundMoney,
  Sum,
  totalMoney,
} from '../../money.ts';
import type { Fill } from '../../statements/fill-row.ts';

/** A trade's part of a fill. */
interface TradeExecution {
  fill: string;
  executed_at: string;
  side: 'buy' | 'sell';
  quantity: number;
  price: number;
  /** In the trade's currency: the fill's own, or its share by quantity. */
  fees: number;
  has_time: boolean;
  /** Of an exit: what its fill states that it realised. */
  stated_gross_pnl: number | null;
  stated_net_pnl: number | null;
}

export interface WalkedTrade {
  /** The id of the execution that opened it. */
  id: string;
  /** The fill that states its instrument: the opening one, or the last symbol change. */
  instrument: Fill;
  opening: Fill;
  last: Fill;
  side: 'long' | 'short';
  /**
   * At least one, the opening one first; in a closed trade, bought and sold quantities
   * are equal.
   */
  executions: TradeExecution[];
  /** Costs with days of their own, such as funding, in their order. */
  costs: Fill[];
  open: number;
  /** Whether units came or went for a reason that no file states. */
  isUnsure: boolean;
}

export { UNSURE } from '../../statements/stated-records.ts';

type WalkedFields = ReturnType<typeof walkedFields>;

/**
 * The fields that the walk decides: all but the id, the times of writing, and those that
 * only the user writes.
 */
export const WALKED_FIELDS = storedFields(trades)
  .map(({ name }) => name)
  .filter(
    (name) => !['id', 'created_at', 'updated_at', ...PERSON_FIELDS].includes(name),
  ) as (keyof WalkedFields)[];

/** @param baseCurrency the user's: exchange rates to others are ignored */
export function walkedFields(trade: WalkedTrade, baseCurrency: string) {
  const { opening, last, instrument, open } = trade;
  const executions = executionsOf(trade);
  const position = positionOf(executions);
  const gross = grossOf(trade, executions);
  if (!position || gross === undefined) {
    const what = `quantities of ${instrument.symbol} since ${opening.executed_at} are too far apart to be added`;
    throw new UserError(
      `${what}; correct its splits and its smallest quantities in the file`,
    );
  }

  const isOpen = open > 0;
  const fees = totalMoney([position.fees, ...trade.costs.map((cost) => cost.fees)]);
  const closing = executions.at(-1) as Execution;
  const hasRate = last.rate_base === baseCurrency && instrument.currency !== baseCurrency;

  return {
    account: opening.account,
    symbol: instrument.symbol,
    market: instrument.market,
    side: trade.side,
    status: isOpen ? 'open' : 'closed',
    executed_at: position.executed_at,
    closed_at: isOpen ? null : closing.executed_at,
    has_time: (executions[0] as Execution).has_time && (isOpen || closing.has_time),
    // Parts rounded after a split may add up to less than the open quantity.
    quantity: Math.max(position.quantity, open),
    open_quantity: open,
    multiplier: opening.multiplier,
    entry_price: position.entry_price,
    exit_price: position.exit_price,
    currency: instrument.currency,
    fx_rate: hasRate ? last.rate : null,
    // Fees are never below 0: net rebates count as P&L.
    gross_pnl: fees < 0 ? roundMoney(gross - fees) : gross,
    fees: Math.max(0, fees),
    underlying: instrument.underlying,
    expiration: instrument.expiration,
    strike: instrument.strike,
    option_type: instrument.option_type,
    source: opening.format,
  };
}

/** The executions as the API returns them. */
export function executionsOf(trade: WalkedTrade): Execution[] {
  return trade.executions.map(
    ({ executed_at, side, quantity, price, fees, has_time }) => ({
      executed_at,
      side,
      quantity,
      price,
      fees,
      has_time,
    }),
  );
}

export function linksOf(trade: WalkedTrade): FillLink[] {
  return trade.executions.map(({ fill, stated_gross_pnl, stated_net_pnl }) => ({
    fill_id: fill,
    stated_gross_pnl,
    stated_net_pnl,
  }));
}

export function datedCosts({ costs }: WalkedTrade): DatedCost[] {
  return costs.map(({ executed_at: at, fees: amount }) => ({
    at,
    amount,
    fx_rate: null,
  }));
}

/** What a trade realised before fees, so far if open; undefined without a sum. */
function grossOf(
  { side, opening: { multiplier }, open, executions }: WalkedTrade,
  facts: readonly Execution[],
): number | undefined {
  const stated = open > 0 ? statedGrossOf({ side, multiplier }, executions) : null;
  return stated ?? realisedBy(facts, multiplier);
}

export function tradeRecord(trade: WalkedTrade, baseCurrency: string): Values {
  return {
    id: trade.id,
    ...walkedFields(trade, baseCurrency),
    executions: executionsOf(trade),
  };
}

// A trade while it is open: quantities in current units, fees by quantity.

/** The rest of a fill that no trade has taken yet, with its fees. */
export class UntakenFill {
  readonly fill: Fill;
  readonly side: 'buy' | 'sell';
  quantity: number;
  #fees: number;

  constructor(fill: Fill, side: 'buy' | 'sell', open: number) {
    this.fill = fill;
    this.side = side;
    // A fee in the traded coin reduces what was bought and adds to what was sold.
    const feeQuantity = side === 'buy' ? -fill.fee_quantity : fill.fee_quantity;
    this.quantity =
      fill.quantity === null ? open : Math.max(0, asDecimal(fill.quantity + feeQuantity));
    this.#fees = roundMoney(
      fill.fees + fill.fee_quantity * Math.abs(fill.price) * fill.multiplier,
    );
  }

  /** Takes a part out, with its share of the fees. */
  take(quantity: number): TradeExecution {
    const { fill, side } = this;
    const isAll = quantity >= this.quantity;
    const fees = isAll ? this.#fees : roundMoney((this.#fees * quantity) / this.quantity);
    this.quantity = isAll ? 0 : difference(this.quantity, quantity);
    this.#fees = roundMoney(this.#fees - fees);
    const { execution_id, executed_at, price, has_time } = fill;
    const stated = { stated_gross_pnl: null, stated_net_pnl: null };
    return {
      fill: execution_id,
      executed_at,
      side,
      quantity,
      price,
      fees,
      has_time,
      ...stated,
    };
  }

  /** Takes the part that closes a position: all that the row states is realised by it. */
  takeExit(quantity: number): TradeExecution {
    const { stated_gross_pnl, stated_net_pnl } = this.fill;
    return { ...this.take(quantity), stated_gross_pnl, stated_net_pnl };
  }
}

export class OpenPosition {
  readonly trade: WalkedTrade;
  readonly #direction: 'buy' | 'sell';
  /** The total quantity opened, in current units. */
  opened = 0;

  constructor(untaken: UntakenFill) {
    const { fill, side } = untaken;
    this.#direction = side;
    this.trade = {
      id: fill.execution_id,
      instrument: fill,
      opening: fill,
      last: fill,
      side: side === 'buy' ? 'long' : 'short',
      executions: [],
      costs: [],
      open: 0,
      isUnsure: false,
    };
    this.add(untaken);
  }

  get open(): number {
    return this.trade.open;
  }

  get closingSide(): 'buy' | 'sell' {
    return this.#direction === 'buy' ? 'sell' : 'buy';
  }

  get isDust(): boolean {
    return this.open > 0 && this.isNegligible(this.open);
  }

  /**
   * Whether a quantity is negligible for the position. A whole share or contract never
   * is.
   */
  isNegligible(quantity: number): boolean {
    const { market } = this.trade.instrument;
    if (isNoise(quantity, this.opened)) return true;
    return (
      quantity < this.opened * 0.001 &&
      (market === 'crypto' || (market === 'stock' && quantity < 1))
    );
  }

  add(untaken: UntakenFill): void {
    const { quantity } = untaken;
    this.trade.executions.push(untaken.take(quantity));
    this.trade.last = untaken.fill;
    this.trade.open = asDecimal(this.open + quantity);
    this.opened = asDecimal(this.opened + quantity);
  }

  reduce(untaken: UntakenFill): void {
    const quantity = Math.min(untaken.quantity, this.open);
    if (quantity === 0) return;
    this.trade.executions.push(untaken.takeExit(quantity));
    this.trade.last = untaken.fill;
    const left = difference(this.open, quantity);
    if (isNoise(left, this.opened)) this.#dropOpen(left);
    else this.trade.open = left;
  }

  split(ratio: number): void {
    this.trade.executions.forEach((execution, index) => {
      const { quantity, price } = execution;
      this.trade.executions[index] = {
        ...execution,
        quantity: asDecimal(quantity * ratio),
        price: asDecimal(price / ratio),
      };
    });
    this.trade.open = asDecimal(this.open * ratio);
    this.opened = asDecimal(this.opened * ratio);
    this.#fit();
  }

  /**
   * Removes the same fraction of what is left of each opening execution, so that the
   * remaining units keep their cost, and earlier closes the units that they closed.
   */
  withdraw(quantity: number): void {
    const { executions } = this.trade;
    const gone = Math.min(quantity, this.open);
    const left = new Map<TradeExecution, number>();
    let open = 0;

    for (const execution of executions) {
      if (execution.side === this.#direction) left.set(execution, execution.quantity);
      else
        for (const [opening, units] of left)
          left.set(opening, (units * (open - execution.quantity)) / open);
      open +=
        execution.side === this.#direction ? execution.quantity : -execution.quantity;
    }

    let rest = gone;
    for (const [place, [execution, units]] of [...left].entries()) {
      const removed =
        place === left.size - 1 ? rest : Math.min(rest, asDecimal((gone * units) / open));
      rest = difference(rest, removed);
      execution.fees = roundMoney(
        (execution.fees * (execution.quantity - removed)) / execution.quantity,
      );
      execution.quantity = difference(execution.quantity, removed);
    }

    this.trade.executions = executions.filter(
      (execution) => !left.has(execution) || !isNoise(execution.quantity, this.opened),
    );
    this.trade.open = difference(this.open, gone);
    this.opened = difference(this.opened, gone);
    this.#fit();
  }

  /**
   * Rounding each part must not leave another sum than the open quantity: the largest
   * opening takes the rest.
   */
  #fit(): void {
    const sum = new Sum();
    let largest: TradeExecution | undefined;
    for (const execution of this.trade.executions) {
      const isOpening = execution.side === this.#direction;
      sum.add(isOpening ? execution.quantity : -execution.quantity);
      if (isOpening && execution.quantity > (largest?.quantity ?? 0)) largest = execution;
    }

    if (largest) largest.quantity = asDecimal(largest.quantity + this.open - sum.value);
  }

  dropOpen(): void {
    this.#dropOpen(this.open);
  }

  /**
   * Removes the open quantity from the opening executions, the last first, so that bought
   * equals sold.
   */
  #dropOpen(quantity: number): void {
    const { executions } = this.trade;
    let left = quantity;
    for (let at = executions.length - 1; at >= 0 && left > 0; at--) {
      const execution = executions[at] as TradeExecution;
      if (execution.side !== this.#direction) continue;
      const dropped = Math.min(left, execution.quantity);
      left = difference(left, dropped);
      if (dropped < execution.quantity)
        execution.quantity = difference(execution.quantity, dropped);
      else executions.splice(at, 1);
    }

    this.trade.open = 0;
  }
}
