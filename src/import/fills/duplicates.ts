/**
 * Detects fills and closed trades that seem to be in the journal already, from another
 * kind of export. They would count twice, so a file with any is rejected unless the user
 * passes --allow-duplicates.
 */
import { UserError } from '../../errors.ts';
import { BY_HAND, type Fill, PART } from '../../statements/fill-row.ts';
import type { FillTable } from '../../statements/fills.ts';
import type { ImportTable, StatedTrade } from '../../statements/imports.ts';
import { DAY, fromInstantText, toInstantText } from '../../time.ts';
import { keyWithoutAccount, mayShareAccount } from './identity.ts';
import type { IncomingFill } from './incoming.ts';
import { familyOf } from './known-fills.ts';
import type { FormatTraits } from './reading.ts';

/** The journal's tables to compare with. */
export interface Stored {
  fills: FillTable;
  imports: ImportTable;
}

/** Duplicates in a file, for the error message. */
class Found {
  readonly #noun: string;
  #count = 0;
  #first: { line: number; symbol: string; as: string } | undefined;

  constructor(noun: string) {
    this.#noun = noun;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(line: number, symbol: string, as: string): void {
    this.#count++;
    this.#first ??= { line, symbol, as };
  }

  refuse(): void {
    if (!this.#first) return;

    const { line, symbol, as } = this.#first;
    const [number, are, others] =
      this.#count === 1
        ? [`1 ${this.#noun}`, 'is a duplicate', `it is a separate ${this.#noun}`]
        : [
            `${this.#count} ${this.#noun}s`,
            'are duplicates',
            `they are separate ${this.#noun}s`,
          ];
    throw new UserError(
      `${number} in this file (first on line ${line}, ${symbol}) ${are}: already in the journal as ${as}; pass --allow-duplicates if ${others}`,
    );
  }
}

/**
 * Compares the fills of a file, or of one format in a journal's export, with those of the
 * journal.
 */
export class FillDuplicates {
  readonly #stored: Stored;
  readonly #format: FormatTraits;
  readonly #found = new Found('fill');
  #byId: ReadonlyMap<string, readonly Fill[]> | undefined;

  constructor(stored: Stored, format: FormatTraits) {
    this.#stored = stored;
    this.#format = format;
  }

  /**
   * Compares a new fill with those of other formats.
   * @param alike the journal's fills that differ in the account at most
   */
  compare(fill: Fill, alike: readonly Fill[], line: number): void {
    const duplicate =
      alike.find((other) => isOfOtherFormat(fill, other)) ?? this.#withSameId(fill);
    if (duplicate) this.#add(fill, duplicate, line);
  }

  /**
   * Whether fills are compared with all of a file's, known ones, too.
   * @param ofPlatform formats with closed trades
   */
  comparesWhole(ofPlatform: readonly string[]): boolean {
    const { mayStateOrders, platform } = this.#format;
    const mayBeOrders =
      mayStateOrders === true &&
      platform !== undefined &&
      this.#stored.fills.platforms().length > 0;
    return mayBeOrders || this.#closedTradeFormats(ofPlatform).length > 0;
  }

  #closedTradeFormats(ofPlatform: readonly string[]): string[] {
    const mapped = this.#stored.imports
      .list()
      .filter(({ format }) => format.startsWith('map:'));
    return [...ofPlatform, ...mapped.map(({ format }) => format)];
  }

  /**
   * Detects orders whose executions the journal has, and the reverse: a day's new fills
   * that add up to the journal's other fills of that day are duplicates.
   * @param added the new fills among them
   */
  compareOrders(incoming: readonly IncomingFill[], added: readonly IncomingFill[]): void {
    const { mayStateOrders, platform } = this.#format;
    if (!mayStateOrders || platform === undefined || !this.#found.isEmpty) return;

    const byDay = Map.groupBy(incoming, ({ fill }) => dayOf(fill));
    const executions = added.filter(({ fill }) => isExecution(fill));
    for (const [day, ofDay] of Map.groupBy(executions, ({ fill }) => dayOf(fill))) {
      const [first] = ofDay;
      const keys = new Set(byDay.get(day)?.map(({ fill }) => keyWithoutAccount(fill)));
      const others = this.#stored.fills
        .ofDay(first.fill)
        .filter((other) => isExecution(other) && mayShareAccount(first.fill, other))
        .filter((other) => other.format !== BY_HAND)
        .filter(
          (other) =>
            !keys.has(keyWithoutAccount(other)) &&
            !(first.hasId && other.format === first.fill.format),
        );
      const [duplicate] = others;
      if (
        !duplicate ||
        (others.length === ofDay.length && !mayBeDay(first.fill) && !mayBeDay(duplicate))
      )
        continue;

      const isSame = addUpTheSame(
        ofDay.map(({ fill }) => fill),
        others,
      );
      if (isSame) for (const { fill, line } of ofDay) this.#add(fill, duplicate, line);
    }
  }

  /**
   * Compares fills with closed trades of the same platform and of mappings.
   * @param ofPlatform formats with closed trades
   */
  compareClosedTrades(
    incoming: readonly IncomingFill[],
    ofPlatform: readonly string[],
  ): void {
    const formats = this.#closedTradeFormats(ofPlatform);
    if (formats.length === 0 || !this.#found.isEmpty) return;

    for (const [symbol, rows] of Map.groupBy(incoming, ({ fill }) => fill.symbol)) {
      const closed = this.#stored.imports.closedTrades(formats, symbol);
      if (closed.length === 0) continue;

      const isStored = among(
        closed.filter(({ closed_at }) => closed_at !== null).flatMap(tradeEnds),
      );
      for (const { fill, line } of rows)
        if (isStored(fill))
          this.#found.add(
            line,
            symbol,
            'closed trades of another export of this platform, or of a mapping',
          );
    }
  }

  refuse(): void {
    this.#found.refuse();
  }

  /**
   * If ids are unique, equal ids mean equal fills across exports, although pairs, prices
   * and times may differ.
   */
  #withSameId(fill: Fill): Fill | undefined {
    if (!this.#format.hasUniqueIds) return undefined;

    this.#byId ??= Map.groupBy(this.#stored.fills.ofOtherFormats(fill), idInAccount);
    return this.#byId
      .get(idInAccount(fill))
      ?.find(
        (other) =>
          isOfOtherFormat(fill, other) &&
          other.side === fill.side &&
          isWithinADay(fill, other),
      );
  }

  #add(fill: Fill, { id, format, account }: Fill, line: number): void {
    const importId = this.#stored.fills.firstImport(id);
    const where = account === fill.account ? '' : `, ${accountText(account)}`;
    const from = importId === undefined ? '' : ` (import ${importId})`;
    this.#found.add(line, fill.symbol, `${format}${where}${from}`);
  }
}

function accountText(account: string | null): string {
  return account === null ? 'without an account' : `in account ${account}`;
}

/**
 * @param trades new ones of a file, already stored in the journal
 * @throws UserError if the journal has them as fills; those of a file of no platform, as
 * trades of any kind
 */
export function refuseClosedTrades(
  trades: readonly (StatedTrade & { line: number })[],
  { name, platform }: FormatTraits,
  { fills, imports }: Stored,
): void {
  if (platform === undefined) return refuseAnyTrades(trades, name, imports);

  const found = new Found('trade');
  for (const [symbol, ofSymbol] of Map.groupBy(trades, (trade) => trade.symbol)) {
    const isFilled = among(fills.endsIn(platform, symbol));
    for (const trade of ofSymbol) {
      if (tradeEnds(trade).some(isFilled))
        found.add(trade.line, symbol, 'fills of another export of this platform');
    }
  }

  found.refuse();
}

/**
 * For a file of no platform: a mapping's or another journal's trades may be any
 * platform's. Within one format ids suffice.
 */
function refuseAnyTrades(
  trades: readonly (StatedTrade & { line: number })[],
  format: string,
  imports: ImportTable,
): void {
  const found = new Found('trade');
  const added = new Set(trades.map(({ id }) => id));
  const closed = trades.filter(({ closed_at }) => (closed_at ?? null) !== null);

  for (const [symbol, ofSymbol] of Map.groupBy(closed, (trade) => trade.symbol)) {
    const ofFormat = new Set(imports.closedTrades([format], symbol).map(({ id }) => id));
    const others = Map.groupBy(
      imports
        .allClosedTrades(symbol)
        .filter(({ id }) => !added.has(id) && !ofFormat.has(id)),
      minutesOf,
    );
    for (const trade of ofSymbol) {
      const same = others
        .get(minutesOf(trade))
        ?.find((other) => isSameTrade(trade, other));
      if (same) found.add(trade.line, symbol, `trade ${same.id}`);
    }
  }

  found.refuse();
}

/**
 * Within a format, ids identify equal fills. One by hand counts once with that of a file.
 */
function isOfOtherFormat(fill: Fill, other: Fill): boolean {
  return (
    !areTwins(fill, other) &&
    other.part !== PART.adopted &&
    fill.part !== PART.booked &&
    other.format !== fill.format &&
    mayShareAccount(fill, other)
  );
}

/** Whether one of two fills is by hand, so that the walk joins them. */
function areTwins(fill: Fill, other: Fill): boolean {
  return (
    [fill.format, other.format].includes(BY_HAND) &&
    fill.platform === other.platform &&
    fill.account?.toLowerCase() === other.account?.toLowerCase()
  );
}

function idInAccount({ execution_id }: Fill): string {
  return execution_id.slice(execution_id.lastIndexOf(':') + 1);
}

function isWithinADay(fill: Fill, other: Fill): boolean {
  return (
    Math.abs(Date.parse(fill.executed_at) - Date.parse(other.executed_at)) <= 86_400_000
  );
}

function isExecution(fill: Fill): boolean {
  return fill.kind === 'trade' && fill.part === null;
}

/** Whether the time may be the start of a day, as in exports with dates only. */
function mayBeDay({ executed_at }: Fill): boolean {
  return /:[03]0:00\.000Z$/.test(executed_at);
}

function dayOf({ symbol, account, side, executed_at }: Fill): string {
  return JSON.stringify([symbol, account?.toLowerCase(), side, executed_at.slice(0, 10)]);
}

/** In units and in money, since an order's price is rounded. */
function addUpTheSame(fills: readonly Fill[], others: readonly Fill[]): boolean {
  const isClose = (a: number, b: number, tolerance: number) =>
    Math.abs(a - b) <= tolerance * Math.abs(b);
  const units = (executions: readonly Fill[]) =>
    executions.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0);
  const money = (executions: readonly Fill[]) =>
    executions.reduce((sum, { quantity, price }) => sum + (quantity ?? 0) * price, 0);
  return (
    isClose(units(fills), units(others), 1e-9) &&
    isClose(money(fills), money(others), 1e-5)
  );
}

// Comparison of closed trades that exports state without fills: with each other, and of
// their ends with fills.

/** The opening or closing of a trade, as both a fill and a closed trade state it. */
interface TradeEnd {
  account: string | null;
  executed_at: string;
  side: string | null;
}

function tradeEnds({ account, side, executed_at, closed_at }: StatedTrade): TradeEnd[] {
  const [opening, closing] =
    side === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
  return [
    { account, executed_at, side: opening },
    { account, executed_at: closed_at, side: closing },
  ];
}

/**
 * Key that equal ends share: minute and side, but no price, which may be an average in a
 * closed trade.
 */
function minuteOf({ executed_at, side }: TradeEnd): string {
  return `${executed_at.slice(0, 16)} ${side}`;
}

/** Whether one of some ends is that of a trade or fill. */
function among(ends: readonly TradeEnd[]): (end: TradeEnd) => boolean {
  const byMinute = Map.groupBy(ends, minuteOf);
  return (end) =>
    byMinute
      .get(minuteOf(end))
      ?.some(
        (other) =>
          mayShareAccount(end, other) && isSameTime(end.executed_at, other.executed_at),
      ) === true;
}

function isSameSpan(trade: StatedTrade, other: StatedTrade): boolean {
  return (
    mayShareAccount(trade, other) &&
    isSameTime(trade.executed_at, other.executed_at) &&
    isSameTime(trade.closed_at, other.closed_at)
  );
}

/** Key of the side and the minutes of both ends. */
function minutesOf({ side, executed_at, closed_at }: StatedTrade): string {
  return `${side} ${executed_at.slice(0, 16)} ${closed_at.slice(0, 16)}`;
}

/**
 * Whether two trades are the same, although a file may have rounded the prices.
 * @param other with the same side and minutes
 */
function isSameTrade(trade: StatedTrade, other: StatedTrade): boolean {
  const isClose = (a: number, b: number) => Math.abs(a - b) <= 1e-4 * Math.abs(b);
  return (
    trade.quantity === other.quantity &&
    isClose(trade.entry_price, other.entry_price) &&
    isClose(trade.exit_price, other.exit_price) &&
    isSameSpan(trade, other)
  );
}

/** To the second, or to the minute if one has no seconds. */
function isSameTime(a: string, b: string): boolean {
  const isWhole = a.slice(17, 19) === '00' || b.slice(17, 19) === '00';
  return isWhole ? a.slice(0, 16) === b.slice(0, 16) : a.slice(0, 19) === b.slice(0, 19);
}

// Fills of an account that has a name join across formats: a position that one file opens
// may be closed by another's. Before that, a file is compared with what other formats state
// of the account, for the same fills would count twice.

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
