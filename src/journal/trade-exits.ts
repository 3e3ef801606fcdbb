/**
 * What each closing fill of a trade realised: what its row states if that adds up to the
 * trade, else first in, first out within the trade, with its own costs and its share of
 * the costs of what it closes. Formulas: docs/analytics.md.
 */
import {
  decimalsOf,
  difference,
  isNoise,
  roundDecimal,
  roundMoney,
  Sum,
  totalMoney,
} from '../money.ts';
import { toInstantText } from '../time.ts';
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

/** A cost of a trade with a day of its own, such as funding; below 0 if received. */
export interface DatedCost {
  at: string;
  amount: number;
  /** Of an open trade: the rate of its day. */
  fx_rate: number | null;
}

/**
 * @param json the column dated_costs; what another program wrote there and is no cost is
 * left out
 */
export function datedCostsOf(json: string | null): DatedCost[] {
  const items: unknown[] = JSON.parse(json ?? '[]');
  return items.flatMap((item) => {
    if (!Array.isArray(item)) return [];
    const [at, amount, fx_rate]: unknown[] = item;
    if (!isInstantText(at) || !isAmount(amount)) return [];
    return [{ at, amount, fx_rate: isAmount(fx_rate) && fx_rate > 0 ? fx_rate : null }];
  });
}

const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) < 1e15;

function isInstantText(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const at = Date.parse(value);
  return !Number.isNaN(at) && toInstantText(at) === value;
}

/** The column dated_costs, by time; null without any. */
export function datedCostsJson(costs: readonly DatedCost[]): string | null {
  if (costs.length === 0) return null;
  return JSON.stringify(costs.map(({ at, amount, fx_rate }) => [at, amount, fx_rate]));
}

/**
 * Money in the trade's currency, rounded: the exits of a trade and its dated costs add up
 * to it to the last digit.
 */
export interface Exit {
  executed_at: string;
  gross: number;
  fees: number;
  net: number;
  /** Of an open trade: the exchange rate of its day; null: the trade's. */
  fx_rate: number | null;
  /** Whether it is a cost with a day of its own, without a fill. */
  isCost?: true;
}

/**
 * The exits of a trade, one for each closing fill, in their order.
 * @param fills in the order they happened
 * @param costs those of the trade that have days of their own: no exit has a share of
 * them
 * @returns null if the fills don't make up the trade: then all of it is realised at its
 * close
 */
export function exitsOf(
  whole: RealisingTrade,
  fills: readonly ExitFill[],
  costs: readonly DatedCost[] = [],
): Exit[] | null {
  const trade = costs.length === 0 ? whole : withoutCosts(whole, fills, costs);
  const parts = partsOf(trade, fills);
  if (!makeUp(trade, fills, parts)) return null;

  const matched = matchedParts(trade, parts);
  if (matched.some(({ net }) => !Number.isFinite(net))) return null;

  const { closing } = parts;
  const stated = statedExits(trade, fills, { closing, matched }, (found) =>
    addsUp(found, trade, fills),
  );
  const exits = stated?.exits ?? matched;
  const rounding = stated?.rounding ?? ROUNDING;
  const gross = settled(trade.gross_pnl, exits, 'gross', { closing, rounding });
  const nets = settled(trade.realised_pnl, exits, 'net', { closing, rounding });

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
 * What a trade would have realised without some costs. A surplus of rebates is part of
 * its gross.
 */
function withoutCosts(
  trade: RealisingTrade,
  fills: readonly ExitFill[],
  costs: readonly DatedCost[],
): RealisingTrade {
  const dated = totalMoney(costs.map(({ amount }) => amount));
  const fees = totalMoney(fills.map((fill) => fill.fees));
  const surplus = Math.min(0, fees + dated) - Math.min(0, fees);
  return {
    ...trade,
    gross_pnl: roundMoney(trade.gross_pnl + surplus),
    realised_pnl: roundMoney(trade.realised_pnl + dated),
  };
}

/** The exits of a trade with its dated costs, in the order of time. */
export function withDatedCosts(
  exits: readonly Exit[],
  costs: readonly DatedCost[],
): Exit[] {
  const paid = costs.map(
    ({ at, amount, fx_rate }): Exit => ({
      executed_at: at,
      gross: 0,
      fees: amount,
      net: 0 - amount,
      fx_rate,
      isCost: true,
    }),
  );
  return [...exits, ...paid].sort((a, b) => {
    if (a.executed_at === b.executed_at) return 0;
    return a.executed_at < b.executed_at ? -1 : 1;
  });
}

/**
 * Money of the exits by their fills alone, first in, first out: not rounded, and infinite
 * for prices and quantities at their bounds.
 */
export function matchedExits(trade: Matched, fills: readonly ExitFill[]): Amounts[] {
  return matchedParts(trade, partsOf(trade, fills));
}

function matchedParts(
  { side, multiplier }: Matched,
  { opening, closing }: Parts,
): Amounts[] {
  const lots = new Lots(opening);
  const direction = side === 'long' ? 1 : -1;

  return closing.map((fill) => {
    const { value, fees } = lots.take(fill.quantity);
    const gross = (fill.price * fill.quantity - value) * direction * multiplier;
    return { gross, net: gross - fees - fill.fees };
  });
}

/**
 * Realised P&L before costs of an open trade whose rows state each of its exits as first
 * in, first out does, or average prices do; null if they don't.
 */
export function statedGrossOf(trade: Matched, fills: readonly ExitFill[]): number | null {
  const parts = partsOf(trade, fills);
  const exits = { closing: parts.closing, matched: matchedParts(trade, parts) };
  const found = statedExits(trade, fills, exits, () => true, true);
  return found && roundMoney(sumOf(found.exits, 'gross'));
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

/** The fills of a trade by what they do, each in their order. */
interface Parts {
  opening: ExitFill[];
  closing: ExitFill[];
}

function partsOf(trade: Pick<Trade, 'side'>, fills: readonly ExitFill[]): Parts {
  const side = openingSideOf(trade);
  const parts: Parts = { opening: [], closing: [] };
  for (const fill of fills)
    (fill.side === side ? parts.opening : parts.closing).push(fill);
  return parts;
}

/**
 * Whether fills lead from flat to what the trade has open, within its times. Any program
 * may have written them.
 */
function makeUp(
  trade: RealisingTrade,
  fills: readonly ExitFill[],
  { opening, closing }: Parts,
): boolean {
  const [first, last] = [fills[0], fills.at(-1)];
  if (!first || !last || first.executed_at < trade.executed_at) return false;

  const [opened, closed] = [quantityOf(opening), quantityOf(closing)];
  if (!isNoise(opened - closed - trade.open_quantity, opened)) return false;

  return (
    trade.closed_at === null ||
    (last === closing.at(-1) && last.executed_at === trade.closed_at)
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
 * @param exits the closing fills, and what these make of them
 * @param isAccepted whether they are those of the trade
 * @param isOpen whether each must be what first in, first out or average prices make of
 * it
 */
function statedExits(
  trade: Matched & { closed_at?: string | null },
  fills: readonly ExitFill[],
  { closing, matched }: { closing: readonly ExitFill[]; matched: readonly Amounts[] },
  isAccepted: (found: StatedExits) => boolean,
  isOpen = trade.closed_at === null,
): StatedExits | null {
  const first = closing[0];
  if ((first?.stated_net_pnl ?? first?.stated_gross_pnl ?? null) === null) return null;

  const isMatched = (found: StatedExits) =>
    !isOpen || areAlike(found, matched) || areAlike(found, averageExits(trade, fills));
  for (const reading of READINGS) {
    const found = statedAs(reading, closing, matched);
    if (found && isAccepted(found) && isMatched(found)) return found;
  }

  return null;
}

/** What rows may state. */
interface Reading {
  kind: keyof Amounts;
  column: 'stated_gross_pnl' | 'stated_net_pnl';
  /** @param cost the exit's own costs and its share of those of what it closes */
  amountOf: (stated: number, exit: ExitFill, cost: number) => number;
}

/**
 * After all costs, before costs, after their own costs, after the costs of what they
 * close, as for purchases with a fee in the traded coin.
 */
const READINGS: readonly Reading[] = [
  { kind: 'net', column: 'stated_net_pnl', amountOf: (net) => net },
  { kind: 'gross', column: 'stated_gross_pnl', amountOf: (gross) => gross },
  { kind: 'gross', column: 'stated_net_pnl', amountOf: (net, { fees }) => net + fees },
  {
    kind: 'gross',
    column: 'stated_gross_pnl',
    amountOf: (gross, { fees }, cost) => gross + cost - fees,
  },
];

/** Null unless the row of each exit states an amount. */
function statedAs(
  { kind, column, amountOf }: Reading,
  closing: readonly ExitFill[],
  matched: readonly Amounts[],
): StatedExits | null {
  const exits: Amounts[] = [];
  let decimals = FEWEST_DECIMALS;

  for (const [i, fill] of closing.entries()) {
    const stated = fill[column] ?? null;
    if (stated === null) return null;

    const { gross, net } = matched[i] as Amounts;
    const cost = difference(gross, net);
    const amount = amountOf(stated, fill, cost);
    exits.push(
      kind === 'net'
        ? { gross: amount + cost, net: amount }
        : { gross: amount, net: difference(amount, cost) },
    );
    decimals = Math.max(decimals, decimalsOf(stated));
  }

  return { kind, exits, rounding: 0.5 * 10 ** -decimals };
}

/**
 * Whether stated exits add up to the trade. A surplus of rebates is part of its gross
 * P&L.
 */
function addsUp(
  { kind, exits, rounding }: StatedExits,
  { gross_pnl, realised_pnl }: RealisingTrade,
  fills: readonly ExitFill[],
): boolean {
  const fees = new Sum();
  for (const fill of fills) fees.add(fill.fees);
  const total = kind === 'net' ? realised_pnl : gross_pnl + Math.min(0, fees.value);
  return isWithin(sumOf(exits, kind) - total, rounding * exits.length);
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

/** Half of the last digit of money. */
const ROUNDING = 0.5e-8;

/**
 * Amounts of exits that add up to the total. What the fills don't explain, such as a cost
 * without a fill, is shared by quantity; the last exit takes the remainder of rounding.
 * @param rounding half of the last digit of each amount
 */
function settled(
  total: number,
  exits: readonly Amounts[],
  kind: keyof Amounts,
  { closing, rounding }: { closing: readonly ExitFill[]; rounding: number },
): number[] {
  const rest = total - sumOf(exits, kind);
  const isRounding = Math.abs(rest) <= rounding * exits.length;
  const units = isRounding ? 0 : quantityOf(closing);
  const others = new Sum();

  const shared = exits.map((exit, i) => {
    const share = isRounding ? 0 : (rest * (closing[i] as ExitFill).quantity) / units;
    // Without noise, which would decide halves of the last digit.
    const amount = roundDecimal(
      share === 0 ? exit[kind] : difference(exit[kind], -share),
    );
    if (i < exits.length - 1) others.add(amount);
    return amount;
  });

  others.add(-total);
  if (shared.length > 0) shared[shared.length - 1] = roundMoney(-others.value);

  return shared;
}

function sumOf(exits: readonly Amounts[], kind: keyof Amounts): number {
  const sum = new Sum();
  for (const exit of exits) sum.add(exit[kind]);
  return sum.value;
}

function quantityOf(fills: readonly ExitFill[]): number {
  const sum = new Sum();
  for (const { quantity } of fills) sum.add(quantity);
  return sum.value;
}
