/**
 * Fills to trades: one account's fills in the order they happened, walked from flat to flat. A fill that goes through zero
 * closes one trade and opens the next; what closes nothing is unmatched, unless it may open a short.
 */

import type { Fill } from '../../journal-write/fills.ts';
import { difference, isNoise } from '../../journal-write/quantities.ts';
import { instrumentKey } from './instrument-key.ts';
import { OpenPosition, UntakenFill, type WalkedTrade } from './open-position.ts';

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
  readonly #positions = new Map<string, OpenPosition>();

  take(fill: Fill): void {
    const key = instrumentKey(fill);
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
    const former = instrumentKey(fill, fill.former_symbol ?? fill.symbol);
    const position = this.#positions.get(former);
    if (!position || this.#positions.has(key)) return;
    this.#positions.delete(former);
    this.#positions.set(key, position);
    position.trade.instrument = fill;
  }

  #trade(fill: Fill, key: string, before: OpenPosition | undefined): void {
    let position = before;
    const side = fill.side ?? position?.closingSide;
    if (side === undefined) {
      this.#walk.unmatched.push({ fill, quantity: fill.quantity });
      return;
    }
    const untaken = new UntakenFill(fill, side, position?.open ?? 0);
    if (position && side === position.closingSide) {
      this.#close(position, untaken, key);
      position = undefined;
    } else if (position?.isDust) {
      this.#sweep(position);
      this.#positions.delete(key);
      position = undefined;
    }
    if (untaken.quantity === 0) {
      if (!before) this.#walk.unmatched.push({ fill, quantity: null });
      return;
    }
    if (!mayOpen(fill, side)) {
      this.#walk.unmatched.push({ fill, quantity: untaken.quantity });
    } else if (position) {
      position.add(untaken);
    } else {
      position = new OpenPosition(untaken);
      this.#positions.set(key, position);
      this.#walk.trades.push(position.trade);
    }
  }

  /** What the fill has beyond the position stays in the untaken fill. */
  #close(position: OpenPosition, untaken: UntakenFill, key: string): void {
    const beyond = difference(untaken.quantity, position.open);
    if (beyond > 0 && position.isNegligible(beyond)) {
      if (!isNoise(beyond, position.opened)) this.#walk.dust.push({ fill: untaken.fill, quantity: beyond });
      untaken.quantity = position.open;
    }
    position.reduce(untaken);
    if (position.open === 0) this.#positions.delete(key);
  }

  /** Closes a trade at its last fill, although a remainder is open. */
  #sweep(position: OpenPosition): void {
    this.#walk.dust.push({ fill: position.trade.last, quantity: position.open });
    position.dropOpen();
  }
}

/** Whether a fill may open a position, or make one larger. */
function mayOpen(fill: Fill, side: 'buy' | 'sell'): boolean {
  if (fill.effect !== null) return fill.effect === 'open';
  if (fill.side === null || fill.kind === 'expiration' || fill.kind === 'delivery') return false;
  if (fill.kind !== 'trade' && fill.market === 'option') return false;
  return side === 'buy' || fill.may_short;
}
