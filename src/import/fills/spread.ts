/** Spreads of legs: strategy and maximum loss. */
import type { Strategy } from '../../journal/position-name.ts';
import { roundMoney, totalMoney } from '../../money.ts';
import { compareText } from './identity.ts';

export interface Leg {
  side: 'long' | 'short';
  quantity: number;
  entry_price: number;
  multiplier: number;
  underlying: string | null;
  expiration: string | null;
  strike: number | null;
  /** Null: not an option. */
  option_type: 'call' | 'put' | null;
}

/** An option with all facts that a strategy depends on. */
interface OptionLeg extends Leg {
  expiration: string;
  strike: number;
  option_type: 'call' | 'put';
}

const STRATEGIES = {
  2: twoLegs,
  3: threeLegs,
  4: fourLegs,
} as const;

/** The strategy of legs; docs/spreads.md has the table. */
export function strategyOf(legs: readonly Leg[]): Strategy {
  const options = sorted(legs.filter(isOption));
  const [share, ...others] = legs.filter((leg) => !isOption(leg));
  if (share)
    return others.length === 0 && options.length === 1
      ? coveredCall(share, options)
      : 'custom';
  const named = STRATEGIES[options.length as keyof typeof STRATEGIES];
  return named?.(options) ?? 'custom';
}

function coveredCall(share: Leg, [option]: readonly OptionLeg[]): Strategy {
  const isCall =
    option?.option_type === 'call' && option.side === 'short' && share.side === 'long';
  return isCall && unitsOf(share) === unitsOf(option) ? 'covered call' : 'custom';
}

function twoLegs([a, b]: readonly OptionLeg[]): Strategy | undefined {
  if (!a || !b) return undefined;
  return a.option_type === b.option_type ? twoOfOneType(a, b) : putAndCall(a, b);
}

/** A put and a call on one side. */
function putAndCall(a: OptionLeg, b: OptionLeg): Strategy | undefined {
  const isOneSize = a.side === b.side && a.quantity === b.quantity;
  if (!isOneSize || a.expiration !== b.expiration) return undefined;

  const [put, call] = a.option_type === 'put' ? [a, b] : [b, a];
  if (put.strike === call.strike) return 'straddle';
  return put.strike < call.strike ? 'strangle' : undefined;
}

/** Two puts, or two calls, one bought and the other sold. */
function twoOfOneType(a: OptionLeg, b: OptionLeg): Strategy | undefined {
  if (a.side === b.side) return undefined;

  const isOneDate = a.expiration === b.expiration;
  const isOneStrike = a.strike === b.strike;
  if (a.quantity !== b.quantity) return isOneDate && !isOneStrike ? 'ratio' : undefined;
  if (isOneDate) return isOneStrike ? undefined : 'vertical';
  return isOneStrike ? 'calendar' : 'diagonal';
}

function threeLegs([low, middle, high]: readonly OptionLeg[]): Strategy | undefined {
  if (!low || !middle || !high) return undefined;

  const isOneKind = [middle, high].every(
    ({ option_type, expiration }) =>
      option_type === low.option_type && expiration === low.expiration,
  );
  const isWinged =
    low.side === high.side && middle.side !== low.side && low.strike < middle.strike;
  const isBalanced =
    low.quantity === high.quantity && middle.quantity === 2 * low.quantity;

  return isOneKind && isWinged && isBalanced && middle.strike < high.strike
    ? 'butterfly'
    : undefined;
}

/**
 * Two puts below two calls, one of each pair bought and the other sold, the outer two on
 * one side.
 */
function fourLegs(legs: readonly OptionLeg[]): Strategy | undefined {
  const puts = legs.filter(({ option_type }) => option_type === 'put');
  const [low, lower, upper, high] = [
    ...puts,
    ...legs.filter(({ option_type }) => option_type === 'call'),
  ];
  if (!low || !lower || !upper || !high || puts.length !== 2) return undefined;

  const isOneSize = legs.every(
    ({ expiration, quantity }) =>
      expiration === low.expiration && quantity === low.quantity,
  );
  const isWinged =
    low.side === high.side && lower.side === upper.side && low.side !== lower.side;
  if (
    !isOneSize ||
    !isWinged ||
    low.strike >= lower.strike ||
    upper.strike >= high.strike
  )
    return undefined;
  if (lower.strike > upper.strike) return undefined;

  return lower.strike === upper.strike ? 'iron butterfly' : 'iron condor';
}

/**
 * The maximum loss of legs at expiration, including premiums but not fees.
 * @returns null if the loss is unbounded, if the legs expire on several days, or if they
 * can't lose
 */
export function riskOf(legs: readonly Leg[]): number | null {
  const options = legs.filter(isOption);
  if (
    options.length !== legs.length ||
    new Set(options.map(({ expiration }) => expiration)).size !== 1
  )
    return null;

  const unitsIn = (type: string) =>
    totalMoney(options.filter((leg) => leg.option_type === type).map(signedUnits));
  if (unitsIn('call') < 0 || unitsIn('put') < 0) return null;

  const paid = totalMoney(options.map((leg) => signedUnits(leg) * leg.entry_price));
  const worst = Math.min(...options.map(({ strike }) => payoffAt(strike, options)));
  const risk = roundMoney(paid - worst);

  return risk >= 1e-8 && risk < 1e15 ? risk : null;
}

function payoffAt(price: number, options: readonly OptionLeg[]): number {
  return totalMoney(
    options.map((leg) => {
      const { option_type, strike } = leg;
      return (
        signedUnits(leg) *
        Math.max(0, option_type === 'call' ? price - strike : strike - price)
      );
    }),
  );
}

function isOption(leg: Leg): leg is OptionLeg {
  return leg.option_type !== null && leg.strike !== null && leg.expiration !== null;
}

/** By day, then by strike, puts first. */
function sorted(options: readonly OptionLeg[]): OptionLeg[] {
  const typeOf = ({ option_type }: OptionLeg) => (option_type === 'put' ? 0 : 1);
  return [...options].sort(
    (a, b) =>
      compareText(a.expiration, b.expiration) ||
      a.strike - b.strike ||
      typeOf(a) - typeOf(b),
  );
}

function unitsOf({ quantity, multiplier }: Leg): number {
  return roundMoney(quantity * multiplier);
}

function signedUnits(leg: Leg): number {
  return leg.side === 'long' ? unitsOf(leg) : -unitsOf(leg);
}
