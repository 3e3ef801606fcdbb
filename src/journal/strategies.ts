/**
 * Positions by their legs: names in the words of a trader, such as "SPY 2026-06-19 iron
 * condor 540/545/560/565" or "HOOD 2026-05-15 145 call", the strategy of a spread, and its
 * maximum loss. The only place that makes them.
 */
import { roundMoney, totalMoney } from '../money.ts';

/** Facts of a trade that names depend on. */
export interface NamedLeg {
  symbol: string;
  underlying: string | null;
  expiration: string | null;
  strike: number | null;
  /** Null: not an option. */
  option_type: 'call' | 'put' | null;
}

export interface NamedPosition {
  /** `trade`, or the kind of the trade group. */
  kind: string;
  underlying: string | null;
  strategy: string | null;
  legs: readonly NamedLeg[];
}

/** Strategies that imports detect. */
export const STRATEGIES = [
  'vertical',
  'ratio',
  'calendar',
  'diagonal',
  'straddle',
  'strangle',
  'butterfly',
  'iron condor',
  'iron butterfly',
  'covered call',
  'custom',
] as const;

export type Strategy = (typeof STRATEGIES)[number];

/** What every option has. */
interface OptionTerms {
  expiration: string;
  strike: number;
  option_type: 'call' | 'put';
}

type PossibleTerms = Pick<NamedLeg, keyof OptionTerms>;

/**
 * Underlying, expirations, strategy and strikes; put or call if all legs are one of them.
 */
export function positionName(position: NamedPosition): string {
  const { kind, legs } = position;
  const [only] = legs;
  if (kind === 'trade' && only) return tradeName(only);

  const options = legs.filter(isOption).sort(byDayAndStrike);
  const parts = [
    underlyingOf(position),
    joined(options.map(({ expiration }) => expiration)),
    strategyName(position, options),
    joined(options.map(({ strike }) => String(strike))),
  ];
  return parts.filter((part) => part !== '').join(' ');
}

/** The symbol, or the parts of an option's. */
function tradeName(trade: NamedLeg): string {
  if (!isOption(trade)) return trade.symbol;
  const { underlying, symbol, expiration, strike, option_type } = trade;
  return `${underlying ?? symbol} ${expiration} ${strike} ${option_type}`;
}

/**
 * The name that a trader reads, and the description next to a name of the trader's own.
 * @param stored the name of the trade group; empty: hidden or none
 */
export function namesOf(
  stored: string,
  position: NamedPosition,
): { name: string; description: string | null } {
  const description = positionName(position);
  return stored === '' || stored === description || isNameOfImport(stored)
    ? { name: description, description: null }
    : { name: stored, description };
}

const IMPORT_NAMES = [
  /(?:^| )\d{4}-\d\d-\d\d(?:\/(?:…|\d{4}-\d\d-\d\d))* (?:\d+ (?:put |call )?legs?|(?:put |call )?(?:vertical|ratio|calendar|diagonal|straddle|strangle|butterfly|iron condor|iron butterfly|covered call))(?: [\d./…-]+)?$/,
  // Of version 10 and older: "META 19 Dec 2025 715/720 call vertical".
  / \d{1,2} [A-Z][a-z]{2} \d{4}(?:\/\d{1,2} [A-Z][a-z]{2} \d{4})* (?:\d+ legs|(?:[\d./-]+ )?(?:(?:put|call|long|short) )?(?:vertical|ratio|calendar|diagonal|straddle|strangle|butterfly|iron condor|iron butterfly|covered call))$/,
];

/** Whether an import made a name, perhaps of other legs than the group has now. */
export function isNameOfImport(name: string): boolean {
  return IMPORT_NAMES.some((form) => form.test(name));
}

function underlyingOf({ underlying, legs }: NamedPosition): string {
  return underlying ?? joined(legs.map((leg) => leg.underlying ?? leg.symbol));
}

function strategyName(
  { kind, strategy, legs }: NamedPosition,
  options: readonly OptionTerms[],
): string {
  const isNamed = strategy !== null && strategy !== 'custom';
  const name = isNamed ? strategy : KINDS[kind];
  const [type, ...others] = distinct(options.map(({ option_type }) => option_type));
  const shared = options.length > 1 && others.length === 0 ? `${type} ` : '';
  if (name === undefined)
    return `${legs.length} ${shared}leg${legs.length === 1 ? '' : 's'}`;

  return /\b(?:put|call)s?\b/i.test(name) ? name : shared + name;
}

/** Kinds of groups that are a name without a strategy. */
const KINDS: Readonly<Record<string, string>> = {
  scaled: 'scaled',
  rolled: 'rolled',
  hedge: 'hedge',
};

/** Most different expirations or strikes in a name. */
const MOST = 6;

/** Different texts in their order. */
function joined(texts: readonly string[]): string {
  const all = distinct(texts);
  return all.length > MOST ? `${all[0]}/…/${all.at(-1)}` : all.join('/');
}

function isOption<T extends PossibleTerms>(leg: T): leg is T & OptionTerms {
  return leg.option_type !== null && leg.strike !== null && leg.expiration !== null;
}

function byDayAndStrike(a: OptionTerms, b: OptionTerms): number {
  if (a.expiration !== b.expiration) return a.expiration < b.expiration ? -1 : 1;
  return a.strike - b.strike;
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

// Strategy and maximum loss of a spread.

/** What they depend on. */
export interface Leg extends Omit<NamedLeg, 'symbol'> {
  side: 'long' | 'short';
  quantity: number;
  entry_price: number;
  multiplier: number;
}

type OptionLeg = Leg & OptionTerms;

const BY_OPTIONS = {
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
  const named = BY_OPTIONS[options.length as keyof typeof BY_OPTIONS];
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

/** By day, then by strike, puts first. */
function sorted(options: readonly OptionLeg[]): OptionLeg[] {
  const typeOf = ({ option_type }: OptionLeg) => (option_type === 'put' ? 0 : 1);
  return options.toSorted((a, b) => byDayAndStrike(a, b) || typeOf(a) - typeOf(b));
}

function unitsOf({ quantity, multiplier }: Leg): number {
  return roundMoney(quantity * multiplier);
}

function signedUnits(leg: Leg): number {
  return leg.side === 'long' ? unitsOf(leg) : -unitsOf(leg);
}
