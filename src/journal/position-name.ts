/**
 * Names of positions, in the words of a trader: "SPY 2026-06-19 iron condor
 * 540/545/560/565", "HOOD 2026-05-15 145 call". The only place that makes them.
 */

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

interface OptionLeg extends NamedLeg {
  expiration: string;
  strike: number;
  option_type: 'call' | 'put';
}

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
  options: readonly OptionLeg[],
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

function isOption<T extends NamedLeg>(leg: T): leg is T & OptionLeg {
  return leg.option_type !== null && leg.strike !== null && leg.expiration !== null;
}

function byDayAndStrike(a: OptionLeg, b: OptionLeg): number {
  if (a.expiration !== b.expiration) return a.expiration < b.expiration ? -1 : 1;
  return a.strike - b.strike;
}

function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
