/**
 * Fills of an account that has a name join across formats: a position that one file opens
 * may be closed by another's. Before that, a file is compared with what other formats
 * state of the account, for the same fills would count twice.
 */

import { UserError } from '../../../errors.ts';
import { BY_HAND, type Fill } from '../../../statements/fill-row.ts';
import type { FillTable } from '../../../statements/fills.ts';
import type { ImportTable } from '../../../statements/imports.ts';
import { DAY, fromInstantText, toInstantText } from '../../../time.ts';
import type { IncomingFill } from '../incoming.ts';
import { familyOf } from '../known-fills.ts';

/** Zones are up to 26 hours apart, by quarters of an hour. */
const QUARTER = 15;
const MOST_MINUTES = 26 * 60;

/** A zone's clocks change by this: its two offsets make two shifts. */
const CHANGE = 60;

/** Equal prices at another time of day may be separate fills: fewer prove nothing. */
const LEAST_SHIFTED = 3;

type ComparedFill = Pick<
  Fill,
  'symbol' | 'side' | 'quantity' | 'price' | 'executed_at' | 'has_time'
>;

type StoredFill = ComparedFill & Pick<Fill, 'id' | 'format'>;

/**
 * @param incoming all fills of a file, with the accounts that they will have
 * @throws UserError if over half of them, or of the account's others in their span, are
 * the same
 */
export function refuseSameFills(
  incoming: readonly Pick<IncomingFill, 'fill'>[],
  format: string,
  { fills, imports }: { fills: FillTable; imports: ImportTable },
): void {
  const family = familyOf(format);
  const isOther = (name: string) => familyOf(name) !== family && name !== BY_HAND;
  if (!imports.list().some((entry) => isOther(entry.format))) return;

  const traded = incoming.map(({ fill }) => fill).filter(({ kind }) => kind === 'trade');
  const byAccount = Map.groupBy(traded, ({ platform, account }) =>
    account === null ? '' : `${platform} ${account.toLowerCase()}`,
  );
  byAccount.delete('');

  for (const ofFile of byAccount.values()) {
    const [{ platform, account }] = ofFile;
    const others = fills
      .ofAccount({ platform, account: account as string, ...widened(spanOf(ofFile)) })
      .filter((other) => isOther(other.format));
    for (const ofFormat of Map.groupBy(others, (other) => other.format).values()) {
      const same = sameFills(ofFile, ofFormat);
      if (same) throw duplicated(same, fills, account as string);
    }
  }
}

/** What two sets of fills have in common, if that is over half of the smaller. */
interface SameFills {
  count: number;
  of: number;
  /** Minutes from the stored fills to those of the file. */
  shift: number;
  example: StoredFill;
}

function sameFills(
  ofFile: readonly ComparedFill[],
  stored: readonly StoredFill[],
): SameFills | undefined {
  const [spanOfStored, spanOfFile] = [widened(spanOf(stored)), widened(spanOf(ofFile))];
  const [inSpan, storedInSpan] = [
    ofFile.filter((fill) => isWithin(fill, spanOfStored)),
    stored.filter((fill) => isWithin(fill, spanOfFile)),
  ];
  const smaller = Math.min(inSpan.length, storedInSpan.length);
  const shifts = shiftsBetween(inSpan, storedInSpan);

  for (const shift of [0, ...shifts.keys()]) {
    const here = shifts.get(shift);
    if (!here) continue;

    const count =
      here.count + (shift === 0 ? 0 : (shifts.get(shift + CHANGE)?.count ?? 0));
    if (count * 2 > smaller && (shift === 0 || count >= LEAST_SHIFTED))
      return {
        count: Math.min(count, smaller),
        of: smaller,
        shift,
        example: here.example,
      };
  }

  return undefined;
}

interface Shift {
  count: number;
  example: StoredFill;
}

/** Numbers of fills that are the same, one to one, at each shift between two zones. */
function shiftsBetween(
  ofFile: readonly ComparedFill[],
  stored: readonly StoredFill[],
): Map<number, Shift> {
  const shifts = new Map<number, Shift>();
  const byFacts = Map.groupBy(stored, factsOf);
  for (const [facts, alike] of Map.groupBy(ofFile, factsOf)) {
    const [here, there] = [byMinute(alike), byMinute(byFacts.get(facts) ?? [])];
    for (const [minute, inFile] of here) {
      for (const [other, ofJournal] of there) {
        const shift = shiftBetween(minute, other);
        if (shift === undefined) continue;

        const known = shifts.get(shift) ?? {
          count: 0,
          example: ofJournal[0] as StoredFill,
        };
        known.count += Math.min(inFile.length, ofJournal.length);
        shifts.set(shift, known);
      }
    }
  }

  return shifts;
}

/** Fills by the minute of their times, or by the day if they have none. */
function byMinute<T extends ComparedFill>(fills: readonly T[]): Map<string, T[]> {
  return Map.groupBy(fills, ({ executed_at, has_time }) =>
    has_time ? executed_at.slice(0, 16) : executed_at.slice(0, 10),
  );
}

/** Undefined if no two zones are so far apart. */
function shiftBetween(a: string, b: string): number | undefined {
  // A day is a day, wherever it begins.
  if (a.length !== b.length || a.length === 10) {
    const apart = Math.abs(Date.parse(a.slice(0, 10)) - Date.parse(b.slice(0, 10)));
    return apart < DAY ? 0 : undefined;
  }
  const minutes = (Date.parse(`${a}Z`) - Date.parse(`${b}Z`)) / 60_000;
  return Math.abs(minutes) <= MOST_MINUTES && minutes % QUARTER === 0
    ? minutes
    : undefined;
}

function factsOf({ symbol, side, quantity, price }: ComparedFill): string {
  return `${symbol.toLowerCase()} ${side} ${quantity} ${price}`;
}

interface Span {
  from: string;
  to: string;
}

function spanOf(fills: readonly ComparedFill[]): Span {
  let [from, to] = ['9999', ''];
  for (const { executed_at } of fills) {
    if (executed_at < from) from = executed_at;
    if (executed_at > to) to = executed_at;
  }
  return { from, to };
}

function widened({ from, to }: Span): Span {
  const margin = MOST_MINUTES * 60_000;
  return {
    from: toInstantText(fromInstantText(from) - margin),
    to: toInstantText(fromInstantText(to) + margin),
  };
}

function isWithin({ executed_at }: ComparedFill, { from, to }: Span): boolean {
  return executed_at >= from && executed_at <= to;
}

function duplicated(
  { count, of, shift, example }: SameFills,
  fills: FillTable,
  account: string,
): UserError {
  const importId = fills.firstImport(example.id);
  const from = `${example.format}${importId === undefined ? '' : ` (import ${importId})`}`;
  const apart =
    shift === 0 ? '' : `, ${hoursOf(shift)} apart, which may be two time zones`;
  return new UserError(
    `${count} of ${of} fills of this file in its span are already in account ${account} as ${from}${apart}; ` +
      'pass --allow-duplicates if they are separate fills',
  );
}

function hoursOf(minutes: number): string {
  const hours = Math.abs(minutes) / 60;
  return hours === 1 ? '1 hour' : `${hours} hours`;
}
