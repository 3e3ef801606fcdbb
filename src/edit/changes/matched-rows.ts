/**
 * Rows of a file that is read again: which of them are the rows that it had before, and
 * whether they state anything else now.
 */
import type { IncomingFill } from '../../import/fills/incoming.ts';
import type { RestatedRow } from '../../import/fills/make-trades.ts';
import type { FileRecord } from '../../import/fills/reading.ts';
import { cashFlows } from '../../journal/resources/cash-flows.ts';
import { trades } from '../../journal/resources/trades.ts';
import { same } from '../../journal-write/record.ts';
import type { Fill } from '../../statements/fill-row.ts';
import { type FillStatement, NOTHING_WRITTEN } from '../../statements/fills.ts';
import type { FormerRow } from './restated-records.ts';

/** Rows of a file: fills and records, each by its line. */
export interface FileRows {
  fills: readonly IncomingFill[];
  records: readonly FileRecord[];
}

/** A row with its statement before. */
export type ChangedRow = RestatedRow & {
  was: FillStatement | undefined;
  /** P&L that the row states now. */
  stated?: IncomingFill['stated'];
};

/** The place in a reading of each row before; undefined if it is gone. */
interface FoundPlaces {
  places: (number | undefined)[];
  /** Places of new rows. */
  left: Set<number>;
}

/**
 * Each row of fills with its statement before, and its fill before and after.
 * @param found as placesIn() or placesOfSame() finds them
 * @param isKnown whether the journal has a fill of this id
 */
export function changedRows(
  importId: number,
  stated: readonly FillStatement[],
  incoming: readonly IncomingFill[],
  { places, left }: FoundPlaces,
  isKnown: (id: string) => boolean,
): ChangedRow[] {
  const before = stated.map((was, at) => {
    const place = places[at];
    if (place === undefined) return goneRow(importId, was);

    const now = incoming[place] as IncomingFill;
    if (!isMerged(was.fill, now.fill, isKnown))
      now.fill = { ...now.fill, ...idsOf(was.fill) };
    return presentRow(importId, was, place, now);
  });
  const added = [...left].map((place) =>
    presentRow(importId, undefined, place, incoming[place] as IncomingFill),
  );
  return [...before, ...added];
}

function goneRow(importId: number, was: FillStatement): ChangedRow {
  const { place, fees, account, written, fill } = was;
  return { importId, place, fees, account, written, from: fill, to: undefined, was };
}

/**
 * Whether a row becomes the fill that another import has under the row's present symbol.
 * Any other row of the file stays the fill that it was.
 */
function isMerged(was: Fill, now: Fill, isKnown: (id: string) => boolean): boolean {
  return was.symbol !== now.symbol && was.id !== now.id && isKnown(now.id);
}

function presentRow(
  importId: number,
  was: FillStatement | undefined,
  place: number,
  now: IncomingFill,
): ChangedRow {
  const { fees, fees_stated } = now.fill;

  return {
    importId,
    place,
    fees: { fees, fees_stated },
    account: now.account,
    written: was?.written ?? NOTHING_WRITTEN,
    from: was?.fill,
    to: now.fill,
    was,
    stated: now.stated,
  };
}

function idsOf({
  id,
  execution_id,
  part,
}: Fill): Pick<Fill, 'id' | 'execution_id' | 'part'> {
  return { id, execution_id, part };
}

/** The same row of the file stays the same trade. */
export function keepTradeIds(
  former: readonly FormerRow[],
  before: FileRows | undefined,
  records: readonly FileRecord[],
): void {
  // Cash flows of the file have places of their own.
  const ofFile = former.filter(
    ({ row }) => row.path === '' && row.resource !== cashFlows.path,
  );
  const areLines = before?.records.length === ofFile.length;
  if (!areLines && records.length !== ofFile.length) return;

  const keys = areLines ? linesOf(before.records) : placesOf(records);
  const present = areLines ? linesOf(records) : keys;
  const byKey = new Map(present.map((key, place) => [key, records[place] as FileRecord]));

  for (const { row } of ofFile) {
    const record = byKey.get(keys[row.place ?? -1] ?? '');
    if (row.resource === trades.path && record) record.storedId = row.record_id;
  }
}

/** Rows of a file that is read otherwise: the same line, or place, is the same row. */
export function placesIn(
  stated: readonly FillStatement[],
  before: FileRows | undefined,
  incoming: readonly IncomingFill[],
): FoundPlaces {
  const lines =
    before?.fills.length === stated.length ? linesOf(before.fills) : undefined;
  const keys = lines ? linesOf(incoming) : placesOf(incoming);
  const known = new Map(keys.map((key, place) => [key, place]));
  const places = stated.map(({ place }) => {
    const key = lines?.[place] ?? `place ${place}`;
    const found = known.get(key);
    known.delete(key);
    return found;
  });

  return { places, left: new Set(known.values()) };
}

/**
 * Rows of a file that is read as it was, perhaps by another reader: the same fill, else
 * equal facts; what is left follows the file's order if as many rows are left.
 */
export function placesOfSame(
  stated: readonly FillStatement[],
  incoming: readonly IncomingFill[],
): FoundPlaces {
  const left = new Set(incoming.keys());
  const byId = new Map(incoming.map(({ fill }, place) => [fill.id, place]));
  const places = stated.map(({ fill }) => {
    const place = byId.get(fill.id);
    return place !== undefined && left.delete(place) ? place : undefined;
  });
  if (left.size === 0) return { places, left };

  const byFacts = Map.groupBy([...left].reverse(), (place) =>
    factsOf((incoming[place] as IncomingFill).fill),
  );
  for (const [at, { fill }] of stated.entries()) {
    const place = places[at] ?? byFacts.get(factsOf(fill))?.pop();
    places[at] = place;
    if (place !== undefined) left.delete(place);
  }

  const unknown = [...places.keys()].filter((at) => places[at] === undefined);
  if (unknown.length !== left.size) return { places, left };

  const rest = [...left];
  for (const [index, at] of unknown.entries()) places[at] = rest[index];
  return { places, left: new Set() };
}

function factsOf({
  kind,
  symbol,
  account,
  side,
  quantity,
  price,
  executed_at,
}: Fill): string {
  return JSON.stringify([kind, symbol, account, side, quantity, price, executed_at]);
}

/** The line of each row, numbered if a line has several. */
function linesOf(rows: readonly { line: number }[]): string[] {
  const counts = new Map<number, number>();
  return rows.map(({ line }) => {
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    return `line ${line} ${count}`;
  });
}

function placesOf(rows: readonly unknown[]): string[] {
  return rows.map((_, place) => `place ${place}`);
}

/**
 * Whether a row states of its fill what it stated before: other files may state more of
 * it.
 */
export function isSameRow({ from, to, was, account, stated }: ChangedRow): boolean {
  if (!from || !to || !was) return false;

  const { gross_pnl, net_pnl } = was.written;
  if ((stated?.gross ?? null) !== gross_pnl || (stated?.net ?? null) !== net_pnl)
    return false;

  const isSameAccount = was.account !== null && was.account === account;
  // Another file names the account, whose fills are walked together.
  const isOfOthers = isSameAccount && from.account !== to.account;
  const { executed_at, price, quantity } = was.written;
  const before: Fill = {
    ...from,
    ...was.fees,
    executed_at: executed_at ?? from.executed_at,
    price: price ?? from.price,
    quantity: quantity ?? from.quantity,
    order_id: to.order_id === null ? null : from.order_id,
    account: isSameAccount ? to.account : from.account,
    platform: isOfOthers ? to.platform : from.platform,
  };

  return Object.entries(to).every(([name, value]) =>
    same(value, before[name as keyof Fill]),
  );
}
