/** A row of the table "fills": its type, its columns and their conversion. */
import type { Trade } from '../journal/resources/trades.ts';

/**
 * A fill, or the stated part of one: a row of the table "fills", whose column "part" holds both paired_with and state.
 * Times are UTC text, money is in `currency`.
 */
export interface Fill {
  /** Format and identity: "tradovate:MESZ6:22". A part of an execution has a suffix. */
  id: string;
  /** The id shared by the parts of one execution; the own id of a whole one. */
  execution_id: string;
  /** If a file states executions as pairs of buy and sell: the other end's execution id. Null: the whole execution. */
  paired_with: string | null;
  state: FillState;
  platform: string;
  format: string;
  account: string | null;
  symbol: string;
  market: Trade['market'];
  currency: string;
  underlying: string | null;
  expiration: string | null;
  strike: number | null;
  option_type: 'call' | 'put' | null;
  multiplier: number;
  executed_at: string;
  kind: FillKind;
  side: 'buy' | 'sell' | null;
  quantity: number | null;
  price: number;
  fees: number;
  fee_quantity: number;
  effect: FillEffect | null;
  may_short: boolean;
  rate_base: string | null;
  rate: number | null;
  former_symbol: string | null;
  /** False: executed_at is the start of a day. */
  has_time: boolean;
  /** The platform's order, if a file names it. */
  order_id: string | null;
  /** Whether a file states the fees, even as 0. */
  fees_stated: boolean;
}

/** A fill's fees in a file, and whether the file states them. */
export type StatedFees = Pick<Fill, 'fees' | 'fees_stated'>;

/** Whether one file's fees of a fill replace another's: stated ones win, then higher ones. */
export function replacesFees(fees: StatedFees, known: StatedFees): boolean {
  if (fees.fees_stated !== known.fees_stated) return fees.fees_stated;
  return Math.abs(fees.fees) > Math.abs(known.fees);
}

/** Whether a file's order id of a fill replaces the known one: the alphabetically first wins, independent of the order of files. */
export function replacesOrder({ order_id }: Pick<Fill, 'order_id'>, known: Pick<Fill, 'order_id'>): boolean {
  return order_id !== null && (known.order_id === null || order_id < known.order_id);
}

/**
 * - split: changes the open quantity by units added (buy) or removed (sell); without a side, by new units per old one
 * - transfer: units leave without a trade
 * - unclear: units came or went for a reason that the file doesn't state
 * - cost: fees of fills that another file states
 */
export const FILL_KINDS = [
  'trade',
  'expiration',
  'assignment',
  'exercise',
  'delivery',
  'split',
  'symbol_change',
  'transfer',
  'unclear',
  'cost',
] as const;
type FillKind = (typeof FILL_KINDS)[number];

/** close_then_open: opens a position only with units beyond an open position. */
export const FILL_EFFECTS = ['open', 'close', 'close_then_open'] as const;
export type FillEffect = (typeof FILL_EFFECTS)[number];

/** Whether a file states a fill whole. */
export function isWhole({ paired_with, state }: Fill): boolean {
  return paired_with === null && state === 'stated';
}

/** A fill with its place in each file that states it, by import. */
export interface PlacedFill {
  fill: Fill;
  places: ReadonlyMap<number, number>;
}

/**
 * - stated: a file states it
 * - adopted: made from a trade of a journal without fills
 * - cancels: cancels a fill that this or another file states
 */
type FillState = 'stated' | 'adopted' | 'cancels';

/** Traits of a symbol's fills that decide which must be walked together. */
export interface SymbolTraits {
  /** Whether some have an account. */
  named: boolean;
  /** Whether some have none. */
  unnamed: boolean;
  /** Whether some are adopted. */
  adopted: boolean;
  /** Whether some cancel others. */
  cancelled: boolean;
  /** Whether units came or went for a reason that no file states. */
  unclear: boolean;
}

/** Selects fills that are walked together: of a symbol and its former symbols, in one account or all. */
export interface Instruments {
  platform: string;
  market: string;
  currency: string;
  symbols: readonly string[];
  /** Undefined: all accounts. */
  account: string | null | undefined;
}

export const FILL_COLUMNS = [
  'id',
  'execution_id',
  'part',
  'platform',
  'format',
  'account',
  'symbol',
  'market',
  'currency',
  'underlying',
  'expiration',
  'strike',
  'option_type',
  'multiplier',
  'executed_at',
  'kind',
  'side',
  'quantity',
  'price',
  'fees',
  'fee_quantity',
  'effect',
  'may_short',
  'rate_base',
  'rate',
  'former_symbol',
  'has_time',
  'order_id',
  'fees_stated',
] as const satisfies readonly (keyof Fill | 'part')[];

/** Values of the column "part" for fills that aren't stated. */
export const PART_OF_STATE = { adopted: 'adopted', cancels: 'cancelled' } as const;

/** The columns to read from a table named f. */
export const READ = FILL_COLUMNS.map((name) => `f.${name}`).join(', ');

/** A row's values in the order of the columns. */
export type FillValues = ValuesOf<typeof FILL_COLUMNS>;
type ValuesOf<Names extends readonly (keyof Fill | 'part')[]> = {
  readonly [Place in keyof Names]: ValueOf<Names[Place]>;
};
type ValueOf<Name extends keyof Fill | 'part'> = Name extends 'part'
  ? string | null
  : Name extends Flag
    ? number
    : Fill[Exclude<Name, 'part'>];

/** A fill as a row. Written out, since a loop over the names would take as long as the insert. */
export function valuesOf(fill: Fill): FillValues {
  return [
    fill.id,
    fill.execution_id,
    partOf(fill),
    fill.platform,
    fill.format,
    fill.account,
    fill.symbol,
    fill.market,
    fill.currency,
    fill.underlying,
    fill.expiration,
    fill.strike,
    fill.option_type,
    fill.multiplier,
    fill.executed_at,
    fill.kind,
    fill.side,
    fill.quantity,
    fill.price,
    fill.fees,
    fill.fee_quantity,
    fill.effect,
    Number(fill.may_short),
    fill.rate_base,
    fill.rate,
    fill.former_symbol,
    Number(fill.has_time),
    fill.order_id,
    Number(fill.fees_stated),
  ];
}

/** A row as a fill. By position: with names, reading a row would take twice as long. */
export function fillOf(row: readonly [...FillValues, ...more: unknown[]]): Fill {
  const [
    id,
    execution_id,
    part,
    platform,
    format,
    account,
    symbol,
    market,
    currency,
    underlying,
    expiration,
    strike,
    option_type,
    multiplier,
    executed_at,
    kind,
    side,
    quantity,
    price,
    fees,
    fee_quantity,
    effect,
    may_short,
    rate_base,
    rate,
    former_symbol,
    has_time,
    order_id,
    fees_stated,
  ] = row;
  const state = stateOf(part);
  return {
    id,
    execution_id,
    state,
    paired_with: state === 'stated' ? part : null,
    platform,
    format,
    account,
    symbol,
    market,
    currency,
    underlying,
    expiration,
    strike,
    option_type,
    multiplier,
    executed_at,
    kind,
    side,
    quantity,
    price,
    fees,
    fee_quantity,
    effect,
    may_short: may_short === 1,
    rate_base,
    rate,
    former_symbol,
    has_time: has_time === 1,
    order_id,
    fees_stated: fees_stated === 1,
  };
}

/** A fill's value of the column "part". */
function partOf({ state, paired_with }: Fill): string | null {
  return state === 'stated' ? paired_with : PART_OF_STATE[state];
}

/** A fill from a row with the column "part", as in exports. */
export function fromPart<T extends { part: string | null }>({
  part,
  ...row
}: T): Omit<T, 'part'> & Pick<Fill, 'paired_with' | 'state'> {
  const state = stateOf(part);
  return { ...row, paired_with: state === 'stated' ? part : null, state };
}

function stateOf(part: string | null): FillState {
  return part === PART_OF_STATE.adopted ? 'adopted' : part === PART_OF_STATE.cancels ? 'cancels' : 'stated';
}

type Flag = 'may_short' | 'has_time' | 'fees_stated';

/** Converts 1 and 0 to true and false. */
export function withFlags<T extends Record<Flag, unknown>>(row: T): T & Record<Flag, boolean> {
  return { ...row, may_short: row.may_short === 1, has_time: row.has_time === 1, fees_stated: row.fees_stated === 1 };
}
