/**
 * The table "fills", column by column: type, reading, writing and export follow from the
 * declaration. Not a list of the API: its export names the imports that state each fill.
 */
import * as z from 'zod';
import * as f from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import { market, resource } from '../journal/resource.ts';
import { decimalsOf } from '../money.ts';
import { type Reader, type Row, TEXT } from '../sqlite/reader.ts';

/**
 * - split: changes the open quantity by units added (buy) or removed (sell); without a
 *   side, by new units per old one
 * - transfer: units leave without a trade
 * - unclear: units came or went for a reason that the file doesn't state
 * - cost: fees of fills that another file states, or of what was held
 */
const FILL_KINDS = [
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

/** close_then_open: opens a position only with units beyond an open position. */
const FILL_EFFECTS = ['open', 'close', 'close_then_open'] as const;
export type FillEffect = (typeof FILL_EFFECTS)[number];

/**
 * Values of the column "part" for fills that aren't stated by a file; any other is the
 * other end of a pair.
 * - adopted: made from a trade of a journal without fills
 * - cancels: cancels a fill that this or another file states
 * - booked: an expiration that no file states; closes what is open after all stated fills
 * - dated: a cost of what was held then, such as funding
 */
export const PART = {
  adopted: 'adopted',
  cancels: 'cancelled',
  booked: 'booked',
  dated: 'dated',
} as const;

/** The format of fills that the user records by hand. */
export const BY_HAND = 'fill';

/** Whether a user recorded a fill, by hand or as an expiration: no platform states it. */
export function isRecorded({ format, part }: Pick<Fill, 'format' | 'part'>): boolean {
  return format === BY_HAND || part === PART.booked;
}

/**
 * The columns but user_id, as schema.sql has them: type and meaning. Times are UTC text,
 * money is in `currency`.
 */
export const FILL_COLUMNS = {
  id: f.text('Format and identity'),
  execution_id: f.text('Shared by the parts of one execution'),
  part: f.orNull(f.text('Part of the execution; null: the whole')),
  platform: f.text('Platform'),
  format: f.text('Format of the first file that stated it'),
  account: f.orNull(f.text('Account')),
  symbol: f.symbol('Ticker or contract'),
  market: market(),
  currency: f.currency('Currency of price and fees'),
  underlying: f.orNull(f.text('Underlying')),
  expiration: f.orNull(f.expiration('Last day of the contract')),
  strike: f.orNull(f.number('Strike')),
  option_type: f.orNull(f.choice(['call', 'put'], 'Kind of option')),
  multiplier: f.positive('Money per point and unit'),
  executed_at: f.instant('Time'),
  kind: f.choice(FILL_KINDS, 'Kind of event'),
  side: f.orNull(f.choice(['buy', 'sell'], 'Side; null: closes the position')),
  quantity: f.orNull(f.positive('Units; null: the whole position')),
  price: f.number('Price'),
  fees: f.number('Costs; negative for a rebate'),
  fee_quantity: f.number('A fee paid in the traded coin'),
  effect: f.orNull(f.choice(FILL_EFFECTS, 'Effect stated by the file')),
  may_short: f.flag('Whether it may open a short'),
  rate_base: f.orNull(f.text('Target currency of the rate')),
  rate: f.orNull(f.positive('1 unit of the currency in rate_base')),
  former_symbol: f.orNull(f.text('Former symbol')),
  has_time: f.flag('Whether the file states a time, not only a date'),
  order_id: f.orNull(f.text("The platform's order")),
  fees_stated: f.flag('Whether a file states the fees, even as 0'),
  stated_gross_pnl: f.orNull(f.number('P&L that its row states, before costs')),
  stated_net_pnl: f.orNull(f.number('P&L that its row states, after costs')),
  lots: f.orNull(f.text('What it closed, as JSON: the day, units and cost of each lot')),
};

/**
 * A fill, or the stated part of one.
 * - id: of a part of an execution, with a suffix
 * - execution_id: shared by the parts of one execution; the own id of a whole one
 * - part: if a file states executions as pairs of buy and sell, the other end's execution
 *   id; or a value of PART
 * - has_time: if false, executed_at is the start of a day
 */
export type Fill = z.infer<z.ZodObject<typeof FILL_COLUMNS>>;

/** A fill's fees in a file, and whether the file states them. */
export type StatedFees = Pick<Fill, 'fees' | 'fees_stated'>;

/**
 * Whether one file's fees of a fill replace another's: stated ones win, then higher ones.
 */
export function replacesFees(fees: StatedFees, known: StatedFees): boolean {
  if (fees.fees_stated !== known.fees_stated) return fees.fees_stated;
  return Math.abs(fees.fees) > Math.abs(known.fees);
}

/**
 * What the rows of a fill state of its exit: P&L before or after costs, and the lots that
 * it closed; null: nothing.
 */
export type StatedExit = Pick<Fill, 'stated_gross_pnl' | 'stated_net_pnl' | 'lots'>;

/**
 * What one file states of a fill's exit beside another: the amount with more decimals, of
 * equals the larger one, independent of the order of files.
 */
export function finerExit(exit: StatedExit, known: StatedExit): StatedExit {
  const { lots } = exit;
  return {
    stated_gross_pnl: finer(exit.stated_gross_pnl, known.stated_gross_pnl),
    stated_net_pnl: finer(exit.stated_net_pnl, known.stated_net_pnl),
    lots: lots !== null && lots > (known.lots ?? '') ? lots : known.lots,
  };
}

/**
 * A lot that a fill closed: the day it was opened, its units, and what they cost with all
 * costs.
 */
export type ClosedLot = readonly [day: string, units: number, cost: number];

export function lotsOf({ lots }: Pick<Fill, 'lots'>): readonly ClosedLot[] {
  return lots === null ? [] : JSON.parse(lots);
}

/** The id of the execution that opened a lot, of which only the closing fill is known. */
export function lotId(closedBy: string, place: number): string {
  return `${closedBy}~lot${place}`;
}

/** Whether a file states of a known fill's exit what its other files lack. */
export function addsToExit(exit: StatedExit, known: StatedExit): boolean {
  const both = finerExit(exit, known);
  return (
    both.stated_gross_pnl !== known.stated_gross_pnl ||
    both.stated_net_pnl !== known.stated_net_pnl ||
    both.lots !== known.lots
  );
}

function finer(amount: number | null, known: number | null): number | null {
  if (amount === null || known === null) return amount ?? known;

  const [digits, knownDigits] = [decimalsOf(amount), decimalsOf(known)];
  if (digits === knownDigits) return Math.max(amount, known);
  return digits > knownDigits ? amount : known;
}

/**
 * Whether a file's order id of a fill replaces the known one: the alphabetically first
 * wins, independent of the order of files.
 */
export function replacesOrder(
  { order_id }: Pick<Fill, 'order_id'>,
  known: Pick<Fill, 'order_id'>,
): boolean {
  return order_id !== null && (known.order_id === null || order_id < known.order_id);
}

/** The other end's execution id; null unless the fill is stated as one of a pair. */
export function pairOf({ part }: Fill): string | null {
  return MARKS.includes(part) ? null : part;
}

const MARKS: readonly (string | null)[] = Object.values(PART);

/**
 * A fill in the JSON that a change of an import keeps for its undo: journals of earlier
 * versions hold the column "part" as two.
 */
export type KeptFill = Omit<Fill, 'part' | keyof StatedExit> &
  Partial<StatedExit> & {
    paired_with: string | null;
    state: 'stated' | keyof typeof PART;
  };

export function keptFill({ part, ...fill }: Fill): KeptFill {
  const state =
    (Object.keys(PART) as (keyof typeof PART)[]).find((name) => PART[name] === part) ??
    'stated';
  return { ...fill, paired_with: state === 'stated' ? part : null, state };
}

export function fromKept({ paired_with, state, ...fill }: KeptFill): Fill {
  const { stated_gross_pnl = null, stated_net_pnl = null, lots = null } = fill;
  const part = state === 'stated' ? paired_with : PART[state];
  return { ...fill, stated_gross_pnl, stated_net_pnl, lots, part };
}

/** A fill with its place in each file that states it, by import. */
export interface PlacedFill {
  fill: Fill;
  places: ReadonlyMap<number, number>;
  /**
   * The id that orders fills of one instant if no file does, where it isn't the fill's.
   */
  orderedBy?: string;
}

/**
 * Traits that some fills of a symbol have, which decide what must be walked together:
 * with an account or without one, made from a trade, cancelling others, units that came
 * or went for a reason that no file states, expirations that the user booked, fills by
 * hand.
 */
export type SymbolTraits = Partial<
  Record<
    'named' | 'unnamed' | 'adopted' | 'cancelled' | 'unclear' | 'booked' | 'by_hand',
    boolean
  >
>;

/**
 * Selects fills that are walked together: of a symbol and its former symbols, in one
 * account or all.
 */
export interface Instruments {
  platform: string;
  market: string;
  currency: string;
  symbols: readonly string[];
  /** Undefined: all accounts. */
  account: string | null | undefined;
}

const NAMES = Object.keys(FILL_COLUMNS) as (keyof Fill)[];
const FLAGS = NAMES.filter(
  (name) => f.factsOf(FILL_COLUMNS[name]).kind === 'flag',
) as Flag[];
type Flag = {
  [Name in keyof Fill]: Fill[Name] extends boolean ? Name : never;
}[keyof Fill];

/** The columns to read from a table named f. */
export const READ = NAMES.map((name) => `f.${name}`).join(', ');

/** The columns of a fill as they are stored. */
export function valuesOf(fill: Fill): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (const name of NAMES)
    row[name] = typeof fill[name] === 'boolean' ? Number(fill[name]) : fill[name];
  return row;
}

/**
 * The row of a READ as a fill: the same object, since a copy would take as long as the
 * reading.
 */
export function fillOf<T extends object>(row: T): T & Fill {
  const fill = row as Record<Flag, unknown>;
  for (const name of FLAGS) fill[name] = fill[name] === 1;
  return fill as T & Fill;
}

/** The statement of a fill by an import: its place in the file, and its fees. */
export interface Statement extends StatedFees {
  import: number;
  place: number;
  /** As its file states it; '' for none, null if unknown. */
  account: string | null;
  /** These as the columns of import_fills. */
  clock: string | null;
  digits: number | null;
  identity: string | null;
  executed_at: string | null;
  price: number | null;
  quantity: number | null;
  gross_pnl: number | null;
  net_pnl: number | null;
  lots: string | null;
}

export const fills = resource({
  path: 'fills',
  name: 'Fill',
  title: 'fills',
  description: 'Fills stated by platforms, from which trades are made.',
  scope: 'trades:read',
  table: 'fills',
  source: 'fills',
  orderBy: 'executed_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  record: z.strictObject({
    ...FILL_COLUMNS,
    stated: f.list(
      f.item({
        import: f.count('Import'),
        place: f.count('Place in its file'),
        fees: f.number('Fees stated there'),
        fees_stated: f.flag('Whether the fees are stated there'),
        account: f.orNull(f.text('Account stated there; empty for none')),
        clock: f.orNull(
          f.text(
            'Date and time as written there, without a zone; empty if the file states the zone',
          ),
        ),
        digits: f.orNull(f.count('Digits of times, prices and quantities there')),
        identity: f.orNull(f.text("The platform's id there, if the fill's id lacks it")),
        executed_at: f.orNull(f.instant('Time there, if it is another')),
        price: f.orNull(f.number('Price there, if it is another')),
        quantity: f.orNull(f.number('Quantity there, if it is another')),
        gross_pnl: f.orNull(f.number('P&L stated there, before costs')),
        net_pnl: f.orNull(f.number('P&L stated there, after costs')),
        lots: f.orNull(f.text('Lots closed as stated there, as JSON')),
      }),
      'The imports that state it',
    ),
  }),
  filters: {},
});

/** Iterates all fills of a user by instrument, then by time. */
export function* everyFill(reader: Reader, user: Pick<User, 'id'>): Generator<Row> {
  const stated = `SELECT json_group_array(json_object('import', p.import_id, 'place', p.place,
      'fees', p.fees, 'fees_stated', json(iif(p.fees_stated, 'true', 'false')),
      'account', p.account, 'clock', p.clock, 'digits', p.digits, 'identity', p.identity,
      'executed_at', p.executed_at, 'price', p.price, 'quantity', p.quantity,
      'gross_pnl', p.gross_pnl, 'net_pnl', p.net_pnl, 'lots', p.lots))
    FROM import_fills AS p WHERE p.user_id = f.user_id AND p.fill_id = f.id`;
  const rows = reader.each<Row & { stated: string }>(
    `SELECT ${READ}, (${stated}) AS stated FROM fills AS f
     WHERE f.user_id = ${TEXT} ORDER BY f.platform, f.symbol, f.executed_at, f.id`,
    user.id,
  );
  for (const row of rows) yield { ...fillOf(row), stated: JSON.parse(row.stated) };
}
