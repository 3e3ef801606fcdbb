/** Fills that the journal seems to have already, told in another way: counted twice, unless the person says they are others. */
import { UserError } from '../../errors.ts';
import { type Fill, type FillTable, isWhole } from '../../journal-write/fills.ts';
import { isSameAccount } from './accounts.ts';
import { keyWithoutAccount } from './identity.ts';
import type { FormatTraits } from './reading.ts';

/** A fill of a file. */
export interface StatedFill {
  fill: Fill;
  line: number;
  /** Whether the file gives an id of the platform's for it. */
  hasId: boolean;
  /** Whether the journal lacks it. */
  isNew: boolean;
}

export class Twins {
  readonly #table: FillTable;
  readonly #format: FormatTraits;
  #byId: ReadonlyMap<string, readonly Fill[]> | undefined;
  #count = 0;
  #first: { fill: Fill; twin: Fill; line: number } | undefined;

  constructor(table: FillTable, format: FormatTraits) {
    this.#table = table;
    this.#format = format;
  }

  /** Whether this platform's fills may be in the journal as orders, or the other way round. */
  get mayBeOrders(): boolean {
    const { mayStateOrders, platform } = this.#format;
    return mayStateOrders === true && platform !== undefined && this.#count === 0 && this.#table.hasAny(platform);
  }

  /** @param alike what the journal has that is alike in all but the account */
  look(fill: Fill, alike: readonly Fill[], line: number): void {
    const twin = alike.find((other) => isTwin(fill, other)) ?? this.#namedAlike(fill);
    if (twin) this.#add(fill, twin, line);
  }

  /**
   * An order of several executions is none of them, but what they add up to: where the new fills of a day are in sum what
   * the journal has of that day in other pieces, they are the same.
   * @param stated all fills of the file
   */
  lookAtOrders(stated: readonly StatedFill[]): void {
    for (const own of Map.groupBy(stated, ({ fill }) => dayOf(fill)).values()) {
      const added = own.filter(({ fill, isNew }) => isNew && isExecution(fill));
      const [first] = added;
      if (!first) continue;
      const keys = new Set(own.map(({ fill }) => keyWithoutAccount(fill)));
      const others = this.#table
        .ofDay(first.fill)
        .filter((other) => isExecution(other) && isSameAccount(first.fill, other))
        .filter((other) => !keys.has(keyWithoutAccount(other)) && !(first.hasId && other.format === first.fill.format));
      const [twin] = others;
      if (!twin || (others.length === added.length && !mayBeDay(first.fill) && !mayBeDay(twin))) continue;
      const isSame = addUpTheSame(
        added.map(({ fill }) => fill),
        others,
      );
      if (isSame) for (const { fill, line } of added) this.#add(fill, twin, line);
    }
  }

  /** @throws UserError where there are any */
  refuse(): void {
    if (!this.#first) return;
    const { fill, twin, line } = this.#first;
    const isOne = this.#count === 1;
    const account =
      twin.account === fill.account
        ? ''
        : twin.account === null
          ? ', without an account'
          : `, in account ${twin.account}`;
    throw new UserError(
      `${isOne ? 'a fill' : `${this.#count} fills`} of this file (the first on line ${line}, ${fill.symbol}) ${isOne ? 'is' : 'are'} in the journal already, as ${twin.format}${account}: imported again ${isOne ? 'it' : 'they'} would count twice; --allow-duplicates if ${isOne ? 'it is another' : 'they are others'}`,
    );
  }

  /** Where ids are unique, all exports mean the same by one; a pair, a price and a time each may tell in its own way. */
  #namedAlike(fill: Fill): Fill | undefined {
    if (!this.#format.hasUniqueIds) return undefined;
    this.#byId ??= Map.groupBy(this.#table.ofOtherFormats(fill), ownId);
    return this.#byId
      .get(ownId(fill))
      ?.find((other) => isTwin(fill, other) && other.side === fill.side && isWithinADay(fill, other));
  }

  #add(fill: Fill, twin: Fill, line: number): void {
    this.#count++;
    this.#first ??= { fill, twin, line };
  }
}

/** Within a format, ids tell which fills are the same. */
function isTwin(fill: Fill, other: Fill): boolean {
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
