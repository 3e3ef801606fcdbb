/**
 * The steps of a file's fills, in order: each gets its identity and multiplier
 * (incoming.ts); fills out of bounds are rejected; fills are found in the journal
 * (known-fills.ts), then compared with other exports (duplicates.ts); their instruments
 * are walked, the fills written, and the trades updated (make-trades.ts).
 */

import * as z from 'zod';
import { onLine, RowError } from '../../errors.ts';
import { trades } from '../../journal/resources/trades.ts';
import { explainIssues, storable } from '../../journal-write/record.ts';
import {
  addsToExit,
  BY_HAND,
  type Fill,
  finerExit,
  PART,
  replacesFees,
  replacesOrder,
} from '../../statements/fill-row.ts';
import type { FillTable, WrittenFill } from '../../statements/fills.ts';
import { FillDuplicates, refuseSameFills, type Stored } from './duplicates.ts';
import { packed, type RowDigits } from './identity/compared-rows.ts';
import { mayShareAccount, platformIdOf, Spellings, withFreeIds } from './identity.ts';
import { type IncomingFill, platformOf } from './incoming.ts';
import {
  type Finer,
  type KnownRow,
  type MatchedFills,
  matchedFills,
} from './known-fills.ts';
import { type Progress, type WalkedBefore, walkBefore } from './make-trades.ts';
import type { FormatTraits } from './reading.ts';
import { PROGRESS_EVERY } from './trades/trade-changes.ts';

// Bounds of a fill in the journal, checked for a clear error before SQLite would reject
// it.

const {
  account,
  symbol,
  currency,
  underlying,
  expiration,
  strike,
  multiplier,
  executed_at,
} = trades.record.shape;
/** Fields that a fill shares with its trade. */
const SHAPE = {
  account,
  symbol,
  currency,
  underlying,
  expiration,
  strike,
  multiplier,
  executed_at,
};
const schema = z.object(SHAPE);

/** Markets without negative prices; futures can have them, as oil did in 2020. */
const NEVER_NEGATIVE: readonly Fill['market'][] = ['stock', 'option', 'forex', 'crypto'];

/** @throws RowError that names the field and a valid value */
export function refuseUnstorable(fill: Fill): void {
  const { error } = schema.safeParse(fill);
  if (error) throw explainIssues(error.issues, SHAPE, fill);

  for (const name of ['account', 'symbol', 'underlying'] as const)
    storable(fill[name], undefined, name);
  const { market, price, quantity, fees } = fill;
  for (const [name, value] of Object.entries({ price, quantity, fees })) {
    if (value !== null && !Number.isFinite(value))
      throw new RowError(name, `must be a number; got ${value}`);
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
  /** Notes for the user on rows that the journal has in another form. */
  notes: string[];
  before: WalkedBefore[];
}

type StoreSettings = Progress & {
  format: FormatTraits;
  /** Whether suspected duplicates are separate fills. */
  allowDuplicates: boolean;
  /** The zone in which the file's times without one were read. */
  zone: string | null;
  /** Names of the platform's formats with closed trades instead of fills. */
  closedTradeFormats?: readonly string[];
  /**
   * Whether an imported file is read again: fills recorded by hand since are no
   * duplicates.
   */
  isAgain?: boolean;
};

/** A fill of a file, and what the journal becomes by it. */
interface StoredFill {
  incoming: IncomingFill;
  /** The new fill, with ids that no other has; undefined if it is known. */
  fill: Fill | undefined;
  /** The journal's fill before; undefined if it is new. */
  known: Known | undefined;
  /** What changes of the known one. */
  changes: Partial<Fill>;
}

/**
 * The columns of a known fill that files may state differently: the others aren't read
 * without need.
 */
type Known = KnownRow['fill'];

const NO_CHANGES: Partial<Fill> = {};

/**
 * All steps but the last, which doesn't need the fills in memory.
 * @param stored the journal's tables
 * @param incoming fills of one file, in its order
 * @param importId the import that states them, already in the journal
 * @throws RowError, UserError if the file contradicts itself or the journal; the caller
 * rolls the transaction back
 */
export function storeFills(
  stored: Stored,
  incoming: readonly IncomingFill[],
  importId: number,
  settings: StoreSettings,
): StoredFills {
  const table = stored.fills;
  for (const { line, fill } of incoming) onLine(line, () => refuseUnstorable(fill));

  const matched = matchedFills(incoming, table, settings);
  if (incoming.length > 0) stored.imports.setHolder(importId, matched.holder);
  const rows = settledRows(matched, table, settings.format);
  const added = rows.filter(({ known }) => !known);

  if (!settings.allowDuplicates && added.length > 0) {
    refuseDuplicates(stored, rows, settings);
    refuseSameFills(rows.map(comparable), settings.format.name, stored);
  }

  const reordered = reorderedRows(matched);
  const changed = rows.filter(
    ({ known, changes, incoming: row }) =>
      !known || changes !== NO_CHANGES || reordered.has(row),
  );
  const before = walkBefore(
    changed.flatMap((row) => asChanged(row, table)),
    table,
  );

  for (const [place, row] of rows.entries()) {
    storeRow(row, { importId, place, digitsOf: matched.digitsOf }, table);
    if (place % PROGRESS_EVERY === 0)
      settings.progress?.('fills', place, incoming.length);
  }

  const notes = [
    ...matched.notes,
    ...otherInstruments(rows, matched, { table, format: settings.format }),
  ];
  return { before, stated: incoming.length, added: added.length, notes };
}

/** New rows get ids that no other fill has, and known ones those of the journal. */
function settledRows(
  matched: MatchedFills,
  table: FillTable,
  format: FormatTraits,
): StoredFill[] {
  const platform = platformOf(format);
  const isFirst = !table.hasAny(platform) && !table.hasFormat(format.name);
  const { holder } = matched;
  const ofHolder = holder === null ? platform : table.platformIn(holder, platform);
  const takenIds = new Set<string>();

  const isTaken = (fill: Fill) =>
    takenIds.has(fill.id) ||
    (!isFirst &&
      (table.find(fill.id) !== undefined ||
        table.partsOf(fill.execution_id).some((other) => isOtherExecution(other, fill))));

  return matched.rows.map(({ incoming, stored }) => {
    if (stored) return knownRow(incoming, stored, matched, ofHolder);

    const fill = withFreeIds(inHolder(incoming.fill, holder, ofHolder), isTaken);
    takenIds.add(fill.id);

    return { incoming, fill, known: undefined, changes: NO_CHANGES };
  });
}

/** A fill without an account in that of the account which holds others of its file. */
function inHolder(fill: Fill, holder: string | null, platform: string): Fill {
  return holder === null || fill.account !== null
    ? fill
    : { ...fill, account: holder, platform };
}

/**
 * Whether a stored fill with the execution id of a new one is another execution: parts of
 * one are in one account.
 */
function isOtherExecution(stored: Fill, fill: Fill): boolean {
  if (stored.part === PART.adopted) return false;
  return !mayShareAccount(stored, fill) || (stored.part === null && fill.part === null);
}

/**
 * A row that the journal has: it may add fees, an order, an account or digits.
 * @param platform by which fills of the holder are walked
 */
function knownRow(
  incoming: IncomingFill,
  stored: KnownRow,
  { holder, finer }: MatchedFills,
  platform: string,
): StoredFill {
  const known = stored.fill;
  const account = stored.isInferred ? null : known.account;
  const fill = inHolder(incoming.fill, holder, platform);
  const changes = changesBy(fill, { known, account }, finer(incoming, stored));
  const isChanged = Object.keys(changes).length > 0;
  return { incoming, fill: undefined, known, changes: isChanged ? changes : NO_CHANGES };
}

/**
 * What a row says of its instrument, which is no part of its identity: the journal keeps
 * what it has.
 */
const INSTRUMENT = ['market', 'currency'] as const;

/**
 * Notes on rows whose instrument an earlier import read otherwise, as with a mapping that
 * was edited since.
 */
function otherInstruments(
  rows: readonly StoredFill[],
  { rows: matches }: MatchedFills,
  { table, format: { name } }: { table: FillTable; format: FormatTraits },
): string[] {
  // The rows of a symbol have one market and currency.
  const instruments = new Map<string, Fill | undefined>();
  const instrumentOf = ({ id, symbol }: Known) => {
    if (!instruments.has(symbol)) instruments.set(symbol, table.find(id));
    return instruments.get(symbol);
  };

  const counts = new Map<number, { count: number; fields: Set<string> }>();
  for (const [place, { incoming, known }] of rows.entries()) {
    const importId = matches[place]?.stored?.statements[0]?.importId;
    if (!known || importId === undefined) continue;

    const instrument = instrumentOf(known);
    const fields = INSTRUMENT.filter(
      (field) => incoming.fill[field] !== instrument?.[field],
    );
    if (fields.length === 0) continue;

    const found = counts.get(importId) ?? { count: 0, fields: new Set() };
    found.count++;
    for (const field of fields) found.fields.add(field);
    counts.set(importId, found);
  }

  const map = name.startsWith('map:') ? ' --map FILE' : '';
  return [...counts].map(([importId, { count, fields }]) => {
    const differ = count === 1 ? '1 row differs' : `${count} rows differ`;
    const command = `journal-api import change ${importId}${map}`;
    return `${differ} from import ${importId} in ${[...fields].join(' and ')}, which stay as they are; to read that import as this file: ${command}`;
  });
}

/**
 * What a file adds to a known fill.
 * @param account that its files name
 * @param finer whether the file has more digits
 */
function changesBy(
  fill: Fill,
  { known, account }: { known: Known; account: string | null },
  finer: Finer,
): Partial<Fill> {
  const changes: Partial<Fill> = {};
  if (replacesFees(fill, known)) {
    changes.fees = fill.fees;
    changes.fees_stated = fill.fees_stated;
  }

  if (replacesOrder(fill, known)) changes.order_id = fill.order_id;
  if (addsToExit(fill, known)) Object.assign(changes, finerExit(fill, known));
  if (account === null && fill.account !== null && fill.account !== known.account) {
    changes.account = fill.account;
    changes.platform = fill.platform;
  }

  if (finer.time && fill.executed_at !== known.executed_at)
    changes.executed_at = fill.executed_at;
  if (finer.price && fill.price !== known.price) changes.price = fill.price;
  if (finer.quantity && fill.quantity !== known.quantity)
    changes.quantity = fill.quantity;

  return changes;
}

/** What the file wrote, where it isn't what the journal has. */
function writtenOf(
  { incoming, fill: added, known, changes }: StoredFill,
  digits: RowDigits | undefined,
): WrittenFill {
  const { fill, clock, platformId } = incoming;
  const stored =
    added ?? (changes === NO_CHANGES ? known : { ...known, ...changes }) ?? fill;

  return {
    clock,
    digits: digits ? packed(digits) : null,
    identity:
      stored.id === fill.id || platformIdOf(String(stored.id)) === platformId
        ? null
        : platformId,
    executed_at: fill.executed_at === stored.executed_at ? null : fill.executed_at,
    price: fill.price === stored.price ? null : fill.price,
    quantity: fill.quantity === stored.quantity ? null : fill.quantity,
    gross_pnl: incoming.stated?.gross ?? null,
    net_pnl: incoming.stated?.net ?? null,
    lots: fill.lots,
  };
}

/**
 * Compares new fills with other formats and with closed trades.
 * @throws UserError if any seems to be in the journal
 */
function refuseDuplicates(
  stored: Stored,
  rows: readonly StoredFill[],
  { format, closedTradeFormats = [], isAgain = false }: StoreSettings,
): void {
  const added = rows.flatMap(({ incoming, fill }) => (fill ? [{ incoming, fill }] : []));
  const table = stored.fills;
  const duplicates = new FillDuplicates(stored, format);
  const platforms = new Set(added.map(({ fill }) => fill.platform)).add(BY_HAND);

  if ([...platforms].some((platform) => table.hasAny(platform))) {
    const alike = alikeInOtherFormats(table, new Spellings(table, format.name));
    for (const { fill, incoming } of added) {
      const others = alike(fill).filter((other) => !isAgain || other.format !== BY_HAND);
      duplicates.compare(fill, others, incoming.line);
    }
  }

  if (duplicates.comparesWhole(closedTradeFormats)) {
    duplicates.compareOrders(rows.map(comparable), added.map(comparable));
    duplicates.compareClosedTrades(rows.map(comparable), closedTradeFormats);
  }

  duplicates.refuse();
}

/**
 * Fills of other formats that state the same, and those by hand without an account;
 * looked up once for equal rows, which may be thousands.
 */
function alikeInOtherFormats(
  table: FillTable,
  spellings: Spellings,
): (fill: Fill) => readonly Fill[] {
  const known = new Map<string, readonly Fill[]>();
  return (fill) => {
    const { format, platform, symbol, executed_at, side, quantity, price } = fill;
    const key = JSON.stringify([
      format,
      platform,
      symbol,
      executed_at,
      side,
      quantity,
      price,
    ]);
    let found = known.get(key);

    if (!found) {
      const platforms = new Set([platform, BY_HAND]);
      const all = [...platforms].flatMap((name) =>
        spellings
          .of(name, symbol)
          .flatMap((spelling) =>
            table.alike({ ...fill, platform: name, symbol: spelling }),
          ),
      );
      found = all.filter((other) => other.format !== format);
      known.set(key, found);
    }

    return found;
  };
}

/** With the ids, account, time and amounts of the journal. */
function comparable({
  incoming,
  fill,
  known,
}: Pick<StoredFill, 'incoming' | 'fill'> & Partial<StoredFill>): IncomingFill {
  return { ...incoming, fill: fill ?? { ...incoming.fill, ...known } };
}

/** Known rows of one instant whose order no single earlier file states. */
function reorderedRows({ rows }: MatchedFills): Set<IncomingFill> {
  const reordered = new Set<IncomingFill>();
  for (const group of ofOneInstant(rows)) {
    const [first, ...others] = group.map(
      ({ stored }) => new Set(stored.statements.map(({ importId }) => importId)),
    ) as [Set<number>, ...Set<number>[]];
    const isKnown = [...first].some((id) => others.every((ids) => ids.has(id)));
    if (!isKnown) for (const { incoming } of group) reordered.add(incoming);
  }

  return reordered;
}

interface OrderedRow {
  incoming: IncomingFill;
  stored: KnownRow;
}

/** Known rows of one instant, symbol and account, if there are several. */
function ofOneInstant(rows: MatchedFills['rows']): OrderedRow[][] {
  const byInstant = new Map<string, OrderedRow[]>();
  for (const { incoming, stored } of rows) {
    if (!stored) continue;
    const { executed_at: instant } = stored.fill;
    const others = byInstant.get(instant);
    if (others) others.push({ incoming, stored });
    else byInstant.set(instant, [{ incoming, stored }]);
  }

  const several = [...byInstant.values()].filter(({ length }) => length > 1);
  const ofAccounts = several.flatMap((group) => [
    ...Map.groupBy(
      group,
      ({ stored: { fill } }) => `${fill.symbol} ${fill.account}`,
    ).values(),
  ]);
  return ofAccounts.filter(({ length }) => length > 1);
}

/** The fills whose instruments are walked again. */
function asChanged({ fill, known, changes }: StoredFill, table: FillTable): Fill[] {
  if (fill) return [fill];
  const before = known && table.find(known.id);
  return before ? [before, { ...before, ...changes }] : [];
}

function storeRow(
  row: StoredFill,
  { importId, place, digitsOf }: Place & Pick<MatchedFills, 'digitsOf'>,
  table: FillTable,
): void {
  const { incoming, fill, known, changes } = row;
  if (fill) onLine(incoming.line, () => table.add(fill));
  else if (known && changes !== NO_CHANGES) table.fold(known, changes);

  const { account, fill: stated } = incoming;
  const fillId = (fill ?? known)?.id ?? '';
  const written = writtenOf(row, digitsOf(stated));
  table.state({ fillId, importId, place, fees: stated, account, written });
}

/** The place of a row in its import. */
interface Place {
  importId: number;
  place: number;
}
