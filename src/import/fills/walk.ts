/**
 * Makes trades from one account's fills in the order they happened, flat to flat. A fill that reverses the position closes
 * one trade and opens the next; a close without an open position is unmatched, unless it may open a short.
 */
import type { Fill } from '../../journal-write/fill-row.ts';
import { difference, isNoise } from '../../journal-write/quantities.ts';
import { DayQueue, daysOf } from './day-order.ts';
import { instrumentKey } from './instrument-key.ts';
import { OpenPosition, UntakenFill, type WalkedTrade } from './open-position.ts';

/** A fill, or a part of one, that belongs to no trade. */
export interface Leftover {
  fill: Fill;
  /** Null: the whole open quantity. */
  quantity: number | null;
}

export interface Walk {
  /** In the order they were opened. */
  trades: WalkedTrade[];
  unmatched: Leftover[];
  /** Remainders too small to keep a trade open. */
  dust: Leftover[];
}

/** @param fills of one account, in the order they happened, each execution once */
export function walk(fills: readonly Fill[]): Walk {
  const walker = new Walker();
  for (const together of daysOf(fills)) {
    const [first] = together as [Fill];
    if (together.length === 1) walker.take(first);
    else walker.takeDay(together);
  }
  return walker.end();
}

class Walker {
  readonly #walk: Walk = { trades: [], unmatched: [], dust: [] };
  readonly #positions = new Map<string, OpenPosition>();
  /** Instruments whose units came or went for a reason that no file states. */
  readonly #unsure = new Set<string>();

  take(fill: Fill): void {
    const key = instrumentKey(fill);
    const position = this.#positions.get(key);
    if (fill.kind === 'cost') this.#walk.unmatched.push({ fill, quantity: null });
    else if (fill.state === 'cancels') this.#walk.unmatched.push({ fill, quantity: fill.quantity });
    else if (fill.kind === 'split') this.#split(fill, position);
    else if (fill.kind === 'symbol_change') this.#rename(fill, key);
    else if (fill.kind === 'unclear') this.#doubt(key, position);
    else if (fill.kind === 'transfer') this.#transfer(fill, key, position);
    else this.#trade(fill, key, position);
  }

  takeDay(fills: readonly Fill[]): void {
    const queue = new DayQueue(fills, {
      held: (key) => this.#positions.get(key),
      isReady: (fill) => this.#isReady(fill),
    });
    for (let fill = queue.next(); fill; fill = queue.next()) this.take(fill);
  }

  end(): Walk {
    for (const position of this.#positions.values()) if (position.isDust) this.#sweep(position);
    return this.#walk;
  }

  /** Whether a fill would now be fully matched. */
  #isReady(fill: Fill): boolean {
    const { kind, side, quantity } = fill;
    if (fill.state === 'cancels' || kind === 'unclear') return true;
    if (kind === 'symbol_change') {
      const former = this.#positions.get(instrumentKey(fill, fill.former_symbol ?? fill.symbol));
      return (
        former !== undefined && (quantity === null || former.isNegligible(Math.abs(difference(former.open, quantity))))
      );
    }
    const position = this.#positions.get(instrumentKey(fill));
    if (kind === 'split') return position !== undefined && (side !== 'sell' || position.open > Number(quantity));
    const own = side ?? position?.closingSide;
    if (own === undefined) return false;
    if (position && own === position.closingSide && fill.effect !== 'open') {
      const beyond = quantity === null ? 0 : difference(quantity, position.open);
      return beyond <= 0 || position.isNegligible(beyond) || mayOpen(fill, own, true);
    }
    return mayOpen(fill, own, false);
  }

  #split(fill: Fill, position: OpenPosition | undefined): void {
    const { side, quantity } = fill;
    if (side === null) {
      position?.split(quantity ?? 1);
      return;
    }
    const after = Number(position?.open) + (side === 'buy' ? 1 : -1) * Number(quantity);
    if (position && after > 0) position.split(after / position.open);
    else this.#walk.unmatched.push({ fill, quantity });
  }

  #rename(fill: Fill, key: string): void {
    const former = instrumentKey(fill, fill.former_symbol ?? fill.symbol);
    const position = this.#positions.get(former);
    if (this.#unsure.has(former)) this.#unsure.add(key);
    if (!position && fill.quantity !== null) this.#walk.unmatched.push({ fill, quantity: fill.quantity });
    if (!position) return;
    if (this.#positions.has(key)) {
      this.#doubt(key, this.#positions.get(key));
      this.#doubt(former, position);
      return;
    }
    this.#positions.delete(former);
    this.#positions.set(key, position);
    position.trade.instrument = fill;
  }

  #doubt(key: string, position: OpenPosition | undefined): void {
    this.#unsure.add(key);
    if (position) position.trade.isUnsure = true;
  }

  /** Outgoing units leave their trade at cost. */
  #transfer(fill: Fill, key: string, position: OpenPosition | undefined): void {
    const beyond = difference(Number(fill.quantity), position?.open ?? 0);
    if (beyond > 0 && !position?.isNegligible(beyond)) this.#walk.unmatched.push({ fill, quantity: beyond });
    if (!position) return;
    position.withdraw(Number(fill.quantity));
    if (position.open > 0) return;
    this.#positions.delete(key);
    if (position.trade.executions.length === 0) this.#walk.trades.splice(this.#walk.trades.indexOf(position.trade), 1);
  }

  #trade(fill: Fill, key: string, before: OpenPosition | undefined): void {
    let position = before;
    const side = fill.side ?? position?.closingSide;
    if (side === undefined) {
      this.#walk.unmatched.push({ fill, quantity: fill.quantity });
      return;
    }
    const untaken = new UntakenFill(fill, side, position?.open ?? 0);
    const isClosing = position !== undefined && side === position.closingSide;
    if (position && isClosing) {
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
    if (!mayOpen(fill, side, isClosing)) {
      this.#walk.unmatched.push({ fill, quantity: untaken.quantity });
    } else if (position) {
      position.add(untaken);
    } else {
      position = new OpenPosition(untaken);
      position.trade.isUnsure = this.#unsure.has(key);
      this.#positions.set(key, position);
      this.#walk.trades.push(position.trade);
    }
  }

  /** Closes a position; the rest of the fill stays in the untaken fill. */
  #close(position: OpenPosition, untaken: UntakenFill, key: string): void {
    const beyond = difference(untaken.quantity, position.open);
    if (beyond > 0 && position.isNegligible(beyond)) {
      if (!isNoise(beyond, position.opened)) this.#walk.dust.push({ fill: untaken.fill, quantity: beyond });
      untaken.quantity = position.open;
    }
    position.reduce(untaken);
    if (position.open === 0) this.#positions.delete(key);
  }

  /** Closes a trade at its last fill despite an open remainder. */
  #sweep(position: OpenPosition): void {
    this.#walk.dust.push({ fill: position.trade.last, quantity: position.open });
    position.dropOpen();
  }
}

/**
 * Whether a fill may open or enlarge a position.
 * @param isClosing whether it closes one first
 */
function mayOpen(fill: Fill, side: 'buy' | 'sell', isClosing: boolean): boolean {
  if (fill.effect !== null) return fill.effect === 'open' || (fill.effect === 'close_then_open' && isClosing);
  if (fill.side === null || fill.kind === 'expiration' || fill.kind === 'delivery') return false;
  if (fill.kind !== 'trade' && fill.market === 'option') return false;
  return side === 'buy' || fill.may_short;
}
