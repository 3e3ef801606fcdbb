/**
 * What each closing fill of a trade realised: what its row states if that adds up to the trade, else
 * first in, first out within the trade, with its own costs and its share of the costs of what it
 * closes. Formulas: docs/analytics.md.
 */
import { asDecimal, decimalsOf, difference, isNoise, roundMoney, Sum } from '../money.ts';
import type { Trade } from './resources/trades.ts';

/** An execution as far as exits depend on it. */
export interface ExitFill {
  executed_at: string;
  side: string;
  quantity: number;
  price: number;
  fees: number;
  /** What the row of an exit states that it realised, before and after costs. */
  stated_gross_pnl?: number | null;
  stated_net_pnl?: number | null;
  /** Of an exit of an open trade: the rate of its day. */
  fx_rate?: number | null;
}

/** A trade as far as its exits depend on it; realised_pnl is their sum. */
export interface RealisingTrade
  extends Pick<
    Trade,
    'side' | 'executed_at' | 'closed_at' | 'open_quantity' | 'multiplier'
  > {
  gross_pnl: number;
  realised_pnl: number;
}

type Matched = Pick<Trade, 'side' | 'multiplier'>;

/** Money of an exit, not rounded. */
interface Amounts {
  gross: number;
  net: number;
}

/** Money in the trade's currency, rounded: the exits of a trade add up to it to the last digit. */
export interface Exit {
  executed_at: string;
  gross: number;
  fees: number;
  net: number;
  /** Of an open trade: the exchange rate of its day; null: the trade's. */
  fx_rate: number | null;
}

/**
 * The exits of a trade, one for each closing fill, in their order.
 * @param fills in the order they happened
 * @returns null if the fills don't make up the trade: then all of it is realised at its close
 */
export function exitsOf(
  trade: RealisingTrade,
  fills: readonly ExitFill[],
): Exit[] | null {
  const opening = openingSideOf(trade);
  const closing = fills.filter(({ side }) => side !== opening);
  if (!makeUp(trade, fills)) return null;

  const matched = matchedExits(trade, fills);
  if (matched.some(({ net }) => !Number.isFinite(net))) return null;

  const stated = statedExits(trade, fills, matched, (found) =>
    addsUp(found, trade, fills),
  );
  const exits = stated?.exits ?? matched;
  const rounding = stated?.rounding ?? ROUNDING;
  const gross = settled(trade.gross_pnl, amountsOf(exits, 'gross'), closing, rounding);
  const nets = settled(trade.realised_pnl, amountsOf(exits, 'net'), closing, rounding);

  return closing.map(({ executed_at, fx_rate = null }, i) => {
    const [before, net] = [gross[i] as number, nets[i] as number];
    const rate = trade.closed_at === null ? fx_rate : null;
    return {
      executed_at,
      gross: before,
      fees: roundMoney(before - net),
      net,
      fx_rate: rate,
    };
  });
}

/**
 * Money of the exits by their fills alone, first in, first out: not rounded, and infinite for
 * prices and quantities at their bounds.
 */
export function matchedExits(trade: Matched, fills: readonly ExitFill[]): Amounts[] {
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

/**
 * Realised P&L before costs of an open trade whose rows state each of its exits as first in, first
 * out does, or average prices do; null if they don't.
 */
export function statedGrossOf(trade: Matched, fills: readonly ExitFill[]): number | null {
  const found = statedExits(trade, fills, matchedExits(trade, fills), () => true, true);
  return found && roundMoney(sumOf(amountsOf(found.exits, 'gross')).value);
}

/** The quantity held after each fill, negative for a short one. */
export function positionsAfter(
  fills: readonly Pick<ExitFill, 'side' | 'quantity'>[],
): number[] {
  let held = 0;
  let traded = 0;

  return fills.map(({ side, quantity }) => {
    traded += quantity;
    held = difference(held, side === 'buy' ? -quantity : quantity);
    if (isNoise(held, traded)) held = 0;
    return held;
  });
}

const openingSideOf = ({ side }: Pick<Trade, 'side'>) =>
  side === 'long' ? 'buy' : 'sell';

/**
 * Whether fills lead from flat to what the trade has open, within its times. Any program may have
 * written them.
 */
function makeUp(trade: RealisingTrade, fills: readonly ExitFill[]): boolean {
  const [first, last] = [fills[0], fills.at(-1)];
  if (!first || !last || first.executed_at < trade.executed_at) return false;

  const opening = openingSideOf(trade);
  const [opened, closed] = [new Sum(), new Sum()];
  for (const { side, quantity } of fills)
    (side === opening ? opened : closed).add(quantity);
  const left = opened.value - closed.value;
  if (!isNoise(left - trade.open_quantity, opened.value)) return false;

  return (
    trade.closed_at === null ||
    (last.side !== opening && last.executed_at === trade.closed_at)
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

/** Exits as their rows state them. */
interface StatedExits {
  /** What the rows state: P&L before or after costs. */
  kind: keyof Amounts;
  exits: Amounts[];
  /** Half of the last stated digit. */
  rounding: number;
}

/** Money has cents, which numbers such as 10.5 don't show. */
const FEWEST_DECIMALS = 2;

/** Noise of sums. */
const isWithin = (difference: number, rounding: number) =>
  Math.abs(difference) <= rounding * (1 + 1e-6) + ROUNDING;

/**
 * The exits as their rows state them, if all do.
 * @param matched the exits by their fills
 * @param isAccepted whether they are those of the trade
 * @param isOpen whether each must be what first in, first out or average prices make of it
 */
function statedExits(
  trade: Matched & { closed_at?: string | null },
  fills: readonly ExitFill[],
  matched: readonly Amounts[],
  isAccepted: (found: StatedExits) => boolean,
  isOpen = trade.closed_at === null,
): StatedExits | null {
  const opening = openingSideOf(trade);
  const closing = fills.filter(({ side }) => side !== opening);
  const first = closing[0];
  if ((first?.stated_net_pnl ?? first?.stated_gross_pnl ?? null) === null) return null;

  const candidates = statements(closing, matched);
  const isMatched = (found: StatedExits) =>
    !isOpen || areAlike(found, matched) || areAlike(found, averageExits(trade, fills));
  return candidates.find((found) => isAccepted(found) && isMatched(found)) ?? null;
}

/**
 * Readings of what rows state: after all costs, before costs, after their own costs, after the costs
 * of what they close, as for purchases with a fee in the traded coin.
 */
function statements(
  closing: readonly ExitFill[],
  matched: readonly Amounts[],
): StatedExits[] {
  const costs = matched.map(({ gross, net }) => difference(gross, net));
  const nets = allStated(closing, 'stated_net_pnl');
  const grosses = allStated(closing, 'stated_gross_pnl');
  const ownOf = (i: number) => (closing[i] as ExitFill).fees;
  const own = nets?.map((net, i) => net + ownOf(i));
  const entered = grosses?.map((gross, i) => gross + (costs[i] as number) - ownOf(i));

  return [
    ...(nets ? [statedAs('net', nets, nets, costs)] : []),
    ...(grosses ? [statedAs('gross', grosses, grosses, costs)] : []),
    ...(nets && own ? [statedAs('gross', own, nets, costs)] : []),
    ...(grosses && entered ? [statedAs('gross', entered, grosses, costs)] : []),
  ];
}

function statedAs(
  kind: keyof Amounts,
  amounts: readonly number[],
  written: readonly number[],
  costs: readonly number[],
): StatedExits {
  const exits = amounts.map((amount, i) => {
    const cost = costs[i] as number;
    return kind === 'net'
      ? { gross: amount + cost, net: amount }
      : { gross: amount, net: difference(amount, cost) };
  });
  const decimals = Math.max(FEWEST_DECIMALS, ...written.map(decimalsOf));
  return { kind, exits, rounding: 0.5 * 10 ** -decimals };
}

/** Null unless the row of each states an amount. */
function allStated(
  closing: readonly ExitFill[],
  name: 'stated_gross_pnl' | 'stated_net_pnl',
): number[] | null {
  const amounts = closing.flatMap((fill) => fill[name] ?? []);
  return amounts.length === closing.length ? amounts : null;
}

/** Whether stated exits add up to the trade. A surplus of rebates is part of its gross P&L. */
function addsUp(
  { kind, exits, rounding }: StatedExits,
  { gross_pnl, realised_pnl }: RealisingTrade,
  fills: readonly ExitFill[],
): boolean {
  const fees = sumOf(fills.map((fill) => fill.fees)).value;
  const total = kind === 'net' ? realised_pnl : gross_pnl + Math.min(0, fees);
  return isWithin(sumOf(amountsOf(exits, kind)).value - total, rounding * exits.length);
}

/** Whether each stated exit is another one to its last digit. */
function areAlike(
  { kind, exits, rounding }: StatedExits,
  others: readonly Amounts[],
): boolean {
  return exits.every((exit, i) =>
    isWithin(exit[kind] - (others[i] as Amounts)[kind], rounding),
  );
}

/** The exits at the average price, and with the average costs, of what is held. */
function averageExits(trade: Matched, fills: readonly ExitFill[]): Amounts[] {
  const opening = openingSideOf(trade);
  const size = opening === 'buy' ? trade.multiplier : -trade.multiplier;
  const exits: Amounts[] = [];
  let [held, value, costs] = [0, 0, 0];

  for (const { side, quantity, price, fees } of fills) {
    if (side === opening) {
      held += quantity;
      value += price * quantity;
      costs += fees;
      continue;
    }

    const share = quantity / held;
    const gross = (price * quantity - value * share) * size;
    exits.push({ gross, net: gross - fees - costs * share });
    held = difference(held, quantity);
    value -= value * share;
    costs -= costs * share;
  }

  return exits;
}

const amountsOf = (exits: readonly Amounts[], kind: keyof Amounts) =>
  exits.map((exit) => exit[kind]);

/** Half of the last digit of money. */
const ROUNDING = 0.5e-8;

/**
 * Amounts of exits that add up to the total. What the fills don't explain, such as a cost without a
 * fill, is shared by quantity; the last exit takes the remainder of rounding.
 * @param rounding half of the last digit of each amount
 */
function settled(
  total: number,
  amounts: readonly number[],
  exits: readonly ExitFill[],
  rounding: number,
): number[] {
  const [explained, units] = [
    sumOf(amounts),
    sumOf(exits.map(({ quantity }) => quantity)),
  ];
  const rest = total - explained.value;
  const isRounding = Math.abs(rest) <= rounding * amounts.length;
  const shared = amounts.map((amount, i) => {
    const share = isRounding ? 0 : (rest * (exits[i] as ExitFill).quantity) / units.value;
    // Without noise, which would decide halves of the last digit.
    return roundMoney(asDecimal(difference(amount, -share)));
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
