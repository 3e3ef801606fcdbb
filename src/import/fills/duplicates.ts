/**
 * Fills and closed trades that the journal seems to have already, from an export that states them in another way. They would
 * count twice, so a file with any is refused, unless the person says that they are others.
 */
import { UserError } from '../../errors.ts';
import { type Fill, type FillTable, isWhole } from '../../journal-write/fills.ts';
import type { ClosedTrade, ImportTable } from '../../journal-write/imports.ts';
import { isSameAccount } from './accounts.ts';
import { isCopy, isSameEnd, isSameTrade, minuteOf, minutesOf, tradeEnds, withoutSeconds } from './closed-trades.ts';
import { keyWithoutAccount } from './identity.ts';
import type { IncomingFill } from './incoming.ts';
import type { FormatTraits } from './reading.ts';

/** What the journal has that may be the same. */
export interface Stored {
  fills: FillTable;
  imports: ImportTable;
}

/** Duplicates in a file, for the message that refuses it. */
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

  /** @throws UserError if there are any */
  refuse(): void {
    if (!this.#first) return;
    const { line, symbol, as } = this.#first;
    const [number, are, others] =
      this.#count === 1
        ? [`1 ${this.#noun}`, 'is a duplicate', 'it is another']
        : [`${this.#count} ${this.#noun}s`, 'are duplicates', 'they are others'];
    throw new UserError(
      `${number} of this file (the first on line ${line}, ${symbol}) ${are}: in the journal already, as ${as}; pass --allow-duplicates if ${others}`,
    );
  }
}

/** The fills of a file, or of one format in an export of a journal, beside those of the journal. */
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
   * Compares a new fill with what other formats brought.
   * @param alike what the journal has that is alike in all but the account
   */
  compare(fill: Fill, alike: readonly Fill[], line: number): void {
    const duplicate = alike.find((other) => isOfOtherFormat(fill, other)) ?? this.#withSameId(fill);
    if (duplicate) this.#add(fill, duplicate, line);
  }

  /**
   * An order of several executions is none of them, but what they add up to: where the new fills of a day are in sum what
   * the journal has of that day in other pieces, they are the same.
   * @param added those of the fills that are new
   */
  compareOrders(incoming: readonly IncomingFill[], added: readonly IncomingFill[]): void {
    const { mayStateOrders, platform } = this.#format;
    if (!mayStateOrders || platform === undefined || !this.#found.isEmpty || !this.#stored.fills.hasAny(platform))
      return;
    const byDay = Map.groupBy(incoming, ({ fill }) => dayOf(fill));
    const executions = added.filter(({ fill }) => isExecution(fill));
    for (const [day, ofDay] of Map.groupBy(executions, ({ fill }) => dayOf(fill))) {
      const [first] = ofDay as [IncomingFill];
      const keys = new Set(byDay.get(day)?.map(({ fill }) => keyWithoutAccount(fill)));
      const others = this.#stored.fills
        .ofDay(first.fill)
        .filter((other) => isExecution(other) && isSameAccount(first.fill, other))
        .filter((other) => !keys.has(keyWithoutAccount(other)) && !(first.hasId && other.format === first.fill.format));
      const [duplicate] = others;
      if (!duplicate || (others.length === ofDay.length && !mayBeDay(first.fill) && !mayBeDay(duplicate))) continue;
      const isSame = addUpTheSame(
        ofDay.map(({ fill }) => fill),
        others,
      );
      if (isSame) for (const { fill, line } of ofDay) this.#add(fill, duplicate, line);
    }
  }

  /**
   * Compares fills with the closed trades of the same platform, and with those that mappings brought.
   * @param ofPlatform formats that state closed trades
   */
  compareClosedTrades(incoming: readonly IncomingFill[], ofPlatform: readonly string[]): void {
    const mapped = this.#stored.imports.list().filter(({ format }) => format.startsWith('map:'));
    const formats = [...ofPlatform, ...mapped.map(({ format }) => format)];
    if (formats.length === 0 || !this.#found.isEmpty) return;
    for (const [symbol, own] of Map.groupBy(incoming, ({ fill }) => fill.symbol)) {
      const closed = this.#stored.imports.closedTrades(formats, symbol);
      const ends = closed.filter(({ closed_at }) => closed_at !== null).flatMap(tradeEnds);
      const byMinute = Map.groupBy(ends, minuteOf);
      for (const { fill, line } of own) {
        const isStored = byMinute.get(minuteOf(fill))?.some((end) => isSameEnd(fill, end));
        if (isStored)
          this.#found.add(line, symbol, 'closed trades of another export of this platform, or of a mapping');
      }
    }
  }

  /** @throws UserError if there are any */
  refuse(): void {
    this.#found.refuse();
  }

  /** Where ids are unique, all exports mean the same by one; a pair, a price and a time each may tell in its own way. */
  #withSameId(fill: Fill): Fill | undefined {
    if (!this.#format.hasUniqueIds) return undefined;
    this.#byId ??= Map.groupBy(this.#stored.fills.ofOtherFormats(fill), ownId);
    return this.#byId
      .get(ownId(fill))
      ?.find((other) => isOfOtherFormat(fill, other) && other.side === fill.side && isWithinADay(fill, other));
  }

  #add(fill: Fill, { format, account }: Fill, line: number): void {
    const where = account === fill.account ? '' : account === null ? ', without an account' : `, in account ${account}`;
    this.#found.add(line, fill.symbol, `${format}${where}`);
  }
}

/**
 * @param trades of a file that are new in the journal, and in it by now
 * @throws UserError if the journal has them as fills, or as closed trades with seconds where these have none, or the other way round
 */
export function refuseClosedTrades(
  trades: readonly (ClosedTrade & { line: number })[],
  { name, platform }: FormatTraits,
  { fills, imports }: Stored,
): void {
  if (platform === undefined) return refuseAnyTrades(trades, name, imports);
  const [asFills, asTrades] = [new Found('trade'), new Found('trade')];
  const added = new Set(trades.map(({ id }) => id));
  for (const [symbol, own] of Map.groupBy(trades, (trade) => trade.symbol)) {
    const filled = Map.groupBy(fills.endsIn(platform, symbol), minuteOf);
    const others = imports.closedTrades([name], symbol).filter(({ id }) => !added.has(id));
    const alike = Map.groupBy(others, withoutSeconds);
    for (const trade of own) {
      const isFilled = tradeEnds(trade).some((end) => filled.get(minuteOf(end))?.some((fill) => isSameEnd(end, fill)));
      if (isFilled) asFills.add(trade.line, symbol, 'fills of another export of this platform');
      const copy = alike.get(withoutSeconds(trade))?.some((other) => isCopy(trade, other));
      if (copy) asTrades.add(trade.line, symbol, 'trades of another export of this platform');
    }
  }
  asFills.refuse();
  asTrades.refuse();
}

/** Of a file that is of no platform: a mapping's or another journal's trades may be any platform's. Files of one format know their own by ids. */
function refuseAnyTrades(
  trades: readonly (ClosedTrade & { line: number })[],
  format: string,
  imports: ImportTable,
): void {
  const found = new Found('trade');
  const added = new Set(trades.map(({ id }) => id));
  const closed = trades.filter(({ closed_at }) => (closed_at ?? null) !== null);
  for (const [symbol, own] of Map.groupBy(closed, (trade) => trade.symbol)) {
    const ofFormat = new Set(imports.closedTrades([format], symbol).map(({ id }) => id));
    const others = Map.groupBy(
      imports.allClosedTrades(symbol).filter(({ id }) => !added.has(id) && !ofFormat.has(id)),
      minutesOf,
    );
    for (const trade of own) {
      const same = others.get(minutesOf(trade))?.find((other) => isSameTrade(trade, other));
      if (same) found.add(trade.line, symbol, `trade ${same.id}`);
    }
  }
  found.refuse();
}

/** Within a format, ids tell which fills are the same. */
function isOfOtherFormat(fill: Fill, other: Fill): boolean {
  return other.state !== 'adopted' && other.format !== fill.format && isSameAccount(fill, other);
}

/** The platform's own id of an execution. */
function ownId({ execution_id }: Fill): string {
  return execution_id.slice(execution_id.lastIndexOf(':') + 1);
}

function isWithinADay(fill: Fill, other: Fill): boolean {
  return Math.abs(Date.parse(fill.executed_at) - Date.parse(other.executed_at)) <= 86_400_000;
}

function isExecution(fill: Fill): boolean {
  return fill.kind === 'trade' && isWhole(fill);
}

/** Whether the time is one that a day begins at, as where an export has days only. */
function mayBeDay({ executed_at }: Fill): boolean {
  return /:[03]0:00\.000Z$/.test(executed_at);
}

function dayOf({ symbol, account, side, executed_at }: Fill): string {
  return JSON.stringify([symbol, account?.toLowerCase(), side, executed_at.slice(0, 10)]);
}

/** In units and in money; an order's price is rounded. */
function addUpTheSame(fills: readonly Fill[], others: readonly Fill[]): boolean {
  const isClose = (a: number, b: number, tolerance: number) => Math.abs(a - b) <= tolerance * Math.abs(b);
  const units = (own: readonly Fill[]) => own.reduce((sum, { quantity }) => sum + (quantity ?? 0), 0);
  const money = (own: readonly Fill[]) => own.reduce((sum, { quantity, price }) => sum + (quantity ?? 0) * price, 0);
  return isClose(units(fills), units(others), 1e-9) && isClose(money(fills), money(others), 1e-5);
}
