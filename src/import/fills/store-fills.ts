/**
 * The steps of a file's fills, in order: each gets its identity and multiplier (incoming.ts); fills out of bounds are rejected; fills are
 * compared with the journal, then with other exports (duplicates.ts); their instruments are walked, the fills written, and the trades
 * updated (make-trades.ts).
 */

import * as z from 'zod';
import { onLine, quote, RowError } from '../../errors.ts';
import { type Fill, PART, replacesFees, replacesOrder } from '../../import-tables/fill-row.ts';
import type { FillTable } from '../../import-tables/fills.ts';
import { trades } from '../../journal/resources/trades.ts';
import { explainIssues } from '../../journal-write/explain.ts';
import { storable } from '../../journal-write/record.ts';
import { FillDuplicates, type Stored } from './duplicates.ts';
import { isSameAccount, keyWithoutAccount } from './identity.ts';
import { type IncomingFill, platformOf } from './incoming.ts';
import { type Progress, type WalkedBefore, walkBefore } from './make-trades.ts';
import type { FormatTraits } from './reading.ts';
import { PROGRESS_EVERY } from './trades/trade-changes.ts';

// Comparison of fills with the journal: new facts, and contradictions.

/** What the journal lacks of a fill: another export may have the fees or account that the first omits. */
type Lacking = 'fill' | 'account' | 'fees' | 'order' | 'nothing';

/**
 * @param duplicates compares new fills with other formats; undefined: they are separate fills
 * @throws RowError if the fill contradicts the journal
 */
export function lackingOf(fill: Fill, line: number, table: FillTable, duplicates: FillDuplicates | undefined): Lacking {
  const known = knownAs(fill, line, table);
  if (known) return replacesFees(fill, known) ? 'fees' : replacesOrder(fill, known) ? 'order' : 'nothing';
  const alike = table.alike(fill);
  if (alike.some((other) => (other.account === null) !== (fill.account === null) && isSameButAccount(fill, other))) {
    return 'account';
  }
  duplicates?.compare(fill, alike, line);
  return 'fill';
}

/** Fields that a fill has in common in every file; parts of an execution may differ in quantity only. */
const FACTS = ['executed_at', 'kind', 'side', 'price', 'quantity', 'account'] as const;

/**
 * The same fill in the journal; undefined if it is new.
 * @throws RowError if the journal contradicts it
 */
function knownAs(fill: Fill, line: number, table: FillTable): Fill | undefined {
  const known = table.find(fill.id);
  const comparable = known ? [known] : table.partsOf(fill.execution_id).filter(({ part }) => part !== PART.adopted);
  for (const other of comparable) {
    const differing = FACTS.find((name) => {
      if (name === 'quantity' && fill.part !== other.part) return false;
      if (name === 'account') return !isSameAccount(other, fill);
      return other[name] !== fill[name];
    });
    if (differing !== undefined) {
      throw new RowError(
        differing,
        `this fill of ${fill.symbol} has ${quote(other[differing])} in the journal but ${quote(fill[differing])} in this file; pass the --timezone and --account of its import ("journal-api import list"), or change that import: journal-api import change ID --timezone ZONE --account NAME`,
        line,
      );
    }
  }
  return known;
}

/** The counterparts of a file's unnamed fills in accounts that other files name. */
interface NamedElsewhere {
  executions: string[];
  /** Fills that match several accounts, so that their own is unknown. */
  unclear: Fill[];
}

/** @param incoming fills already stored in the journal */
function namedElsewhere(incoming: readonly IncomingFill[], table: FillTable): NamedElsewhere {
  const found: NamedElsewhere = { executions: [], unclear: [] };
  const isNamed = new Map<string, boolean>();
  for (const { fill } of incoming) {
    if (fill.account !== null) continue;
    const { platform, symbol } = fill;
    const named = isNamed.get(symbol) ?? table.traitsOf(platform, symbol).named === true;
    isNamed.set(symbol, named);
    if (!named) continue;
    const others = table.alike(fill).filter((other) => other.account !== null && isSameButAccount(fill, other));
    for (const { execution_id } of others) found.executions.push(execution_id);
    if (others.length > 1) found.unclear.push(fill);
  }
  return found;
}

function isSameButAccount(fill: Fill, other: Fill): boolean {
  return keyWithoutAccount(other) === keyWithoutAccount(fill);
}

// Bounds of a fill in the journal, checked for a clear error before SQLite would reject it.

const { account, symbol, currency, underlying, expiration, strike, multiplier, executed_at } = trades.record.shape;
/** Fields that a fill shares with its trade. */
const SHAPE = { account, symbol, currency, underlying, expiration, strike, multiplier, executed_at };
const schema = z.object(SHAPE);

/** Markets without negative prices; futures can have them, as oil did in 2020. */
const NEVER_NEGATIVE: readonly Fill['market'][] = ['stock', 'option', 'forex', 'crypto'];

/** @throws RowError that names the field and a valid value */
export function refuseUnstorable(fill: Fill): void {
  const { error } = schema.safeParse(fill);
  if (error) throw explainIssues(error.issues, SHAPE, fill);
  for (const name of ['account', 'symbol', 'underlying'] as const) storable(fill[name], undefined, name);
  const { market, price, quantity, fees } = fill;
  for (const [name, value] of Object.entries({ price, quantity, fees })) {
    if (value !== null && !Number.isFinite(value)) throw new RowError(name, `must be a number; got ${value}`);
  }
  if (price < 0 && NEVER_NEGATIVE.includes(market)) {
    throw new RowError('price', `must be 0 or more; got ${price}`);
  }
}

/** Result of storing a file's fills, before their trades are made. */
export interface StoredFills {
  /** Number of executions, or parts of executions, in the file. */
  stated: number;
  added: number;
  namedElsewhere: NamedElsewhere;
  before: WalkedBefore[];
}

type StoreSettings = Progress & {
  format: FormatTraits;
  /** Whether suspected duplicates from another export are separate fills. */
  allowDuplicates: boolean;
  /** Names of the platform's formats with closed trades instead of fills. */
  closedTradeFormats?: readonly string[];
};

/**
 * All steps but the last, which doesn't need the fills in memory.
 * @param stored the journal's tables
 * @param incoming fills of one file, in its order
 * @param importId the import that states them, already in the journal
 * @throws RowError, UserError if the file contradicts itself or the journal; the caller rolls the transaction back
 */
export function storeFills(
  stored: Stored,
  incoming: readonly IncomingFill[],
  importId: number,
  settings: StoreSettings,
): StoredFills {
  const table = stored.fills;
  for (const { line, fill } of incoming) onLine(line, () => refuseUnstorable(fill));
  const duplicates = settings.allowDuplicates ? undefined : new FillDuplicates(stored, settings.format);
  const lacking = compared(incoming, table, duplicates, settings);
  const added = incoming.filter((_, place) => lacking[place] === 'fill');
  if (added.length > 0) {
    duplicates?.compareOrders(incoming, added);
    duplicates?.compareClosedTrades(incoming, settings.closedTradeFormats ?? []);
  }
  duplicates?.refuse();
  const changed = incoming.filter((_, place) => lacking[place] !== 'nothing');
  const before = walkBefore(
    changed.map(({ fill }) => fill),
    table,
  );
  for (const [place, own] of incoming.entries()) {
    const { line, fill } = own;
    const lacks = lacking[place];
    if (lacks === 'fill' || lacks === 'account') onLine(line, () => table.add(fill));
    else if (lacks !== 'nothing') table.put(fill);
    table.state(own.fill.id, importId, place, own.fill, own.account);
    if (place % PROGRESS_EVERY === 0) settings.progress?.('fills', place, incoming.length);
  }
  return { before, stated: incoming.length, added: added.length, namedElsewhere: namedElsewhere(incoming, table) };
}

/** What the journal lacks of each fill: everything, if it has none of the platform. */
function compared(
  incoming: readonly IncomingFill[],
  table: FillTable,
  duplicates: FillDuplicates | undefined,
  { format }: StoreSettings,
): Lacking[] {
  const isFirst = !table.hasAny(platformOf(format));
  return incoming.map(({ fill, line }) => (isFirst ? 'fill' : lackingOf(fill, line, table, duplicates)));
}
