/**
 * What each closing fill of a trade realised: first in, first out within the trade, with its own
 * costs and its share of the costs of what it closes. Formulas: docs/analytics.md.
 */
import { asDecimal, difference, isNoise, roundMoney, Sum } from '../money.ts';
import type { Trade } from './resources/trades.ts';

/** An execution as far as exits depend on it. */
export interface ExitFill {
  executed_at: string;
  side: string;
  quantity: number;
  price: number;
  fees: number;
}

/** A trade as far as its exits depend on it; realised_pnl is their sum. */
export interface RealisingTrade
  extends Pick<Trade, 'side' | 'executed_at' | 'closed_at' | 'open_quantity' | 'multiplier'> {
  gross_pnl: number;
  realised_pnl: number;
}

/** Money in the trade's currency, rounded: the exits of a trade add up to it to the last digit. */
export interface Exit {
  executed_at: string;
  gross: number;
  fees: number;
  net: number;
}

/**
 * The exits of a trade, one for each closing fill, in their order.
 * @param fills in the order they happened
 * @returns null if the fills don't make up the trade: then all of it is realised at its close
 */
export function exitsOf(trade: RealisingTrade, fills: readonly ExitFill[]): Exit[] | null {
  const opening = openingSideOf(trade);
  const closing = fills.filter(({ side }) => side !== opening);
  if (!makeUp(trade, fills)) return null;

  const matched = matchedExits(trade, fills);
  if (matched.some(({ net }) => !Number.isFinite(net))) return null;

  const gross = settled(
    trade.gross_pnl,
    matched.map((exit) => exit.gross),
    closing,
  );
  const nets = settled(
    trade.realised_pnl,
    matched.map((exit) => exit.net),
    closing,
  );

  return closing.map(({ executed_at }, i) => {
    const [before, net] = [gross[i] as number, nets[i] as number];
    return { executed_at, gross: before, fees: roundMoney(before - net), net };
  });
}

/**
 * Money of the exits by their fills alone, first in, first out: not rounded, and infinite for
 * prices and quantities at their bounds.
 */
export function matchedExits(
  trade: Pick<Trade, 'side' | 'multiplier'>,
  fills: readonly ExitFill[],
): { gross: number; net: number }[] {
  const opening = openingSideOf(trade);
  const lots = new Lots(fills.filter(({ side }) => side === opening));
  const direction = opening === 'buy' ? 1 : -1;

  return fills
    .filter(({ side }) => side !== opening)
    .map((fill) => {
      const { value, fees } = lots.take(fill.quantity);
      const gross = (fill.price * fill.quantity - value) * direction * trade.multiplier;
      return { gross, net: gross - fees - fill.fees };
    });
}

/** The quantity held after each fill, negative for a short one. */
export function positionsAfter(fills: readonly Pick<ExitFill, 'side' | 'quantity'>[]): number[] {
  let held = 0;
  let traded = 0;

  return fills.map(({ side, quantity }) => {
    traded += quantity;
    held = difference(held, side === 'buy' ? -quantity : quantity);
    if (isNoise(held, traded)) held = 0;
    return held;
  });
}

const openingSideOf = ({ side }: Pick<Trade, 'side'>) => (side === 'long' ? 'buy' : 'sell');

/**
 * Whether fills lead from flat to what the trade has open, within its times. Any program may have
 * written them.
 */
function makeUp(trade: RealisingTrade, fills: readonly ExitFill[]): boolean {
  const [first, last] = [fills[0], fills.at(-1)];
  if (!first || !last || first.executed_at < trade.executed_at) return false;

  const opening = openingSideOf(trade);
  const [opened, closed] = [new Sum(), new Sum()];
  for (const { side, quantity } of fills) (side === opening ? opened : closed).add(quantity);
  const left = opened.value - closed.value;
  if (!isNoise(left - trade.open_quantity, opened.value)) return false;

  return (
    trade.closed_at === null || (last.side !== opening && last.executed_at === trade.closed_at)
  );
}

/** What the opening fills of a trade brought, and no exit has taken yet. */
class Lots {
  readonly #fills: readonly ExitFill[];
  #place = 0;
  /** Quantity that the current fill has left. */
  #left: number;

  constructor(fills: readonly ExitFill[]) {
    this.#fills = fills;
    this.#left = fills[0]?.quantity ?? 0;
  }

  /** @returns what was paid for the first units left, and their share of the costs */
  take(quantity: number): { value: number; fees: number } {
    const [value, fees] = [new Sum(), new Sum()];
    let missing = quantity;

    for (
      let fill = this.#fills[this.#place];
      fill && missing > 0;
      fill = this.#fills[this.#place]
    ) {
      const taken = Math.min(missing, this.#left);
      value.add(fill.price * taken);
      fees.add(fill.fees * (taken / fill.quantity));
      missing = difference(missing, taken);
      this.#left = difference(this.#left, taken);
      if (isNoise(this.#left, fill.quantity)) this.#next();
    }

    return { value: value.value, fees: fees.value };
  }

  #next(): void {
    this.#place++;
    this.#left = this.#fills[this.#place]?.quantity ?? 0;
  }
}

/** Half of the last digit of money. */
const ROUNDING = 0.5e-8;

/**
 * Amounts of exits that add up to the total. What the fills don't explain, such as a cost without a
 * fill, is shared by quantity; the last exit takes the remainder of rounding.
 */
function settled(total: number, amounts: readonly number[], exits: readonly ExitFill[]): number[] {
  const [explained, units] = [sumOf(amounts), sumOf(exits.map(({ quantity }) => quantity))];
  const rest = total - explained.value;
  const isRounding = Math.abs(rest) <= ROUNDING * amounts.length;
  const shared = amounts.map((amount, i) => {
    const share = isRounding ? 0 : (rest * (exits[i] as ExitFill).quantity) / units.value;
    // Without noise, which would decide halves of the last digit.
    return roundMoney(asDecimal(amount + share));
  });

  const others = sumOf(shared.slice(0, -1));
  others.add(-total);
  if (shared.length > 0) shared[shared.length - 1] = roundMoney(-others.value);

  return shared;
}

function sumOf(values: readonly number[]): Sum {
  const sum = new Sum();
  for (const value of values) sum.add(value);
  return sum;
}
