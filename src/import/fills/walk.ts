/**
 * Fills to trades: one account's fills in the order they happened, walked from flat to flat. A fill that goes through zero
 * closes one trade and opens the next; what closes nothing is unmatched, unless it may open a short.
 */

import type { Fill } from '../../journal-write/fills.ts';
import { asDecimal, difference, isNoise } from '../../journal-write/quantities.ts';
import { roundMoney } from '../../money.ts';
import { instrumentOf } from './fill.ts';

/** What one trade has of a fill. */
interface TradeExecution {
  /** The execution's id. */
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
  /** The fill whose instrument it is in: the opening one, or the last change of symbol. */
  instrument: Fill;
  opening: Fill;
  last: Fill;
  side: 'long' | 'short';
  /** At least one, the opening one first; of a closed trade as much is bought as sold. */
  executions: TradeExecution[];
  /** Units still open; 0 once closed. */
  open: number;
}

/** A fill, or the part of it that stays out of all trades. */
export interface Leftover {
  fill: Fill;
  /** Null: all that would have been open. */
  quantity: number | null;
}

export interface Walk {
  /** In the order they were opened. */
  trades: WalkedTrade[];
  /** Closes with nothing open. */
  unmatched: Leftover[];
  /** Remainders too small to keep a trade open. */
  dust: Leftover[];
}

/** @param fills of one account, in the order they happened, each execution once */
export function walk(fills: readonly Fill[]): Walk {
  const walker = new Walker();
  for (const fill of fills) walker.take(fill);
  return walker.end();
}

class Walker {
  readonly #walk: Walk = { trades: [], unmatched: [], dust: [] };
  readonly #positions = new Map<string, Position>();

  take(fill: Fill): void {
    const key = instrumentOf(fill);
    const position = this.#positions.get(key);
    if (fill.state === 'cancels') this.#walk.unmatched.push({ fill, quantity: fill.quantity });
    else if (fill.kind === 'split') position?.split(fill.quantity ?? 1);
    else if (fill.kind === 'symbol_change') this.#rename(fill, key);
    else this.#trade(fill, key, position);
  }

  end(): Walk {
    for (const position of this.#positions.values()) if (position.isDust) this.#sweep(position);
    return this.#walk;
  }

  #rename(fill: Fill, key: string): void {
    const former = instrumentOf(fill, fill.former_symbol ?? fill.symbol);
    const position = this.#positions.get(former);
    if (!position || this.#positions.has(key)) return;
    this.#positions.delete(former);
    this.#positions.set(key, position);
    position.trade.instrument = fill;
  }

  #trade(fill: Fill, key: string, before: Position | undefined): void {
    let position = before;
    const side = fill.side ?? position?.closingSide;
    if (side === undefined) {
      this.#walk.unmatched.push({ fill, quantity: fill.quantity });
      return;
    }
    const rest = new Rest(fill, side, position?.open ?? 0);
    if (position && side === position.closingSide) {
      this.#close(position, rest, key);
      position = undefined;
    } else if (position?.isDust) {
      this.#sweep(position);
      this.#positions.delete(key);
      position = undefined;
    }
    if (rest.quantity === 0) {
      if (!before) this.#walk.unmatched.push({ fill, quantity: null });
      return;
    }
    if (!mayOpen(fill, side)) {
      this.#walk.unmatched.push({ fill, quantity: rest.quantity });
    } else if (position) {
      position.add(rest);
    } else {
      position = new Position(rest);
      this.#positions.set(key, position);
      this.#walk.trades.push(position.trade);
    }
  }

  /** What the fill has beyond the position stays in the rest. */
  #close(position: Position, rest: Rest, key: string): void {
    const beyond = difference(rest.quantity, position.open);
    if (beyond > 0 && position.isNegligible(beyond)) {
      if (!isNoise(beyond, position.opened)) this.#walk.dust.push({ fill: rest.fill, quantity: beyond });
      rest.quantity = position.open;
    }
    position.reduce(rest);
    if (position.open === 0) this.#positions.delete(key);
  }

  /** Closes a trade at its last fill, although a remainder is open. */
  #sweep(position: Position): void {
    this.#walk.dust.push({ fill: position.trade.last, quantity: position.open });
    position.dropOpen();
  }
}

/** What is left of a fill, with its fees. */
class Rest {
  readonly fill: Fill;
  readonly side: 'buy' | 'sell';
  quantity: number;
  #fees: number;

  constructor(fill: Fill, side: 'buy' | 'sell', open: number) {
    this.fill = fill;
    this.side = side;
    // A fee in the traded coin leaves less of what was bought, and takes more than what was sold.
    const feeQuantity = side === 'buy' ? -fill.fee_quantity : fill.fee_quantity;
    this.quantity = fill.quantity === null ? open : Math.max(0, asDecimal(fill.quantity + feeQuantity));
    this.#fees = roundMoney(fill.fees + fill.fee_quantity * Math.abs(fill.price) * fill.multiplier);
  }

  /** Takes a part out, with its share of the fees. */
  split(quantity: number): TradeExecution {
    const { fill, side } = this;
    const isAll = quantity >= this.quantity;
    const fees = isAll ? this.#fees : roundMoney((this.#fees * quantity) / this.quantity);
    this.quantity = isAll ? 0 : difference(this.quantity, quantity);
    this.#fees = roundMoney(this.#fees - fees);
    return { fill: fill.execution_id, executed_at: fill.executed_at, side, quantity, price: fill.price, fees };
  }
}

class Position {
  readonly trade: WalkedTrade;
  readonly #direction: 'buy' | 'sell';
  /** All that was opened, in today's units. */
  opened = 0;

  constructor(rest: Rest) {
    const { fill, side } = rest;
    this.#direction = side;
    this.trade = {
      id: fill.execution_id,
      instrument: fill,
      opening: fill,
      last: fill,
      side: side === 'buy' ? 'long' : 'short',
      executions: [],
      open: 0,
    };
    this.add(rest);
  }

  get open(): number {
    return this.trade.open;
  }

  get closingSide(): 'buy' | 'sell' {
    return this.#direction === 'buy' ? 'sell' : 'buy';
  }

  /** Whether what is open is a remainder that closing fills left. */
  get isDust(): boolean {
    return this.open > 0 && this.isNegligible(this.open);
  }

  /** Whether a quantity is nothing beside the position. A whole share or contract never is. */
  isNegligible(quantity: number): boolean {
    const { market } = this.trade.instrument;
    if (isNoise(quantity, this.opened)) return true;
    return quantity < this.opened * 0.001 && (market === 'crypto' || (market === 'stock' && quantity < 1));
  }

  add(rest: Rest): void {
    const { quantity } = rest;
    this.trade.executions.push(rest.split(quantity));
    this.trade.last = rest.fill;
    this.trade.open = asDecimal(this.open + quantity);
    this.opened = asDecimal(this.opened + quantity);
  }

  reduce(rest: Rest): void {
    const quantity = Math.min(rest.quantity, this.open);
    if (quantity === 0) return;
    this.trade.executions.push(rest.split(quantity));
    this.trade.last = rest.fill;
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
  }

  dropOpen(): void {
    this.#dropOpen(this.open);
  }

  /** Takes what is open out of the opening executions, the last first, so that as much is bought as sold. */
  #dropOpen(quantity: number): void {
    const { executions } = this.trade;
    let left = quantity;
    for (let at = executions.length - 1; at >= 0 && left > 0; at--) {
      const execution = executions[at] as TradeExecution;
      if (execution.side !== this.#direction) continue;
      const dropped = Math.min(left, execution.quantity);
      left = difference(left, dropped);
      if (dropped < execution.quantity) execution.quantity = difference(execution.quantity, dropped);
      else executions.splice(at, 1);
    }
    this.trade.open = 0;
  }
}

/** Whether a fill may open a position, or make one larger. */
function mayOpen(fill: Fill, side: 'buy' | 'sell'): boolean {
  if (fill.effect !== null) return fill.effect === 'open';
  if (fill.side === null || fill.kind === 'expiration' || fill.kind === 'delivery') return false;
  if (fill.kind !== 'trade' && fill.market === 'option') return false;
  return side === 'buy' || fill.may_short;
}
