/** Which fills must be walked together after some are added, removed or changed. */

import {
  BY_HAND,
  type Fill,
  type Instruments,
  PART,
  type SymbolTraits,
} from '../../../statements/fill-row.ts';
import type { FillTable } from '../../../statements/fills.ts';
import { instrumentKey, isSpelled, SPELLED_FORMATS, sameSymbols } from '../identity.ts';

/** Fills that are walked together, and the start of the walk. */
export interface Affected {
  instruments: Instruments;
  /** The start of the walk: the latest flat instant before the first change. */
  from: string;
}

/**
 * @param changed fills to add, remove or change; the journal lacks the added ones so far
 * and still has the removed ones
 */
export function affectedBy(changed: Iterable<Fill>, table: FillTable): Affected[] {
  const changes = new ChangedFills(table);
  for (const fill of changed) changes.add(fill);
  return changes.affected();
}

type Traits = ReadonlySet<keyof SymbolTraits>;

class ChangedFills {
  readonly #table: FillTable;
  /** The earliest changed fill of each instrument. */
  readonly #earliest = new Map<string, Fill>();
  readonly #symbolChanges: Fill[] = [];
  /** Of fills before and after the change, by platform and symbol. */
  readonly #traits = new Map<string, SymbolTraits>();
  /** By platform. */
  readonly #families = new Map<string, SymbolFamilies>();
  /** Symbols that may have other spellings, by platform. */
  readonly #spelled = new Map<string, Set<string>>();

  constructor(table: FillTable) {
    this.#table = table;
  }

  add(fill: Fill): void {
    addTraits(this.#traitsOf(fill.platform, fill.symbol), fill);
    if (fill.kind === 'symbol_change') this.#symbolChanges.push(fill);
    if (isSpelled(fill)) this.#addSpelled(fill);

    const key = `${fill.platform} ${instrumentKey(fill)}`;
    const first = this.#earliest.get(key);
    if (!first || fill.executed_at < first.executed_at) this.#earliest.set(key, fill);
  }

  affected(): Affected[] {
    // The fee of an order is shared by all its fills, even those before a flat point.
    const hasOrderFees = this.#table.feeRates
      .inForce()
      .some(({ per_order }) => per_order !== null);
    const affected = new Map<string, Affected>();

    for (const fill of this.#earliest.values()) {
      const { platform, market, currency, executed_at } = fill;
      const symbols = this.#familyOf(fill);
      const traits = this.#traitsOfAny(platform, symbols);

      const account = isOfAllAccounts(traits) ? undefined : fill.account;
      const instruments: Instruments = { platform, market, currency, symbols, account };
      const key = JSON.stringify([
        platform,
        market,
        currency,
        symbols[0],
        account,
      ]).toLowerCase();
      // Changes merge only if their fills are walked from the beginning.
      if (affected.has(key)) continue;

      const isWhole = hasOrderFees || isWalkedWhole(traits) || symbols.length > 1;
      const from = isWhole ? '' : this.#table.flatPoint(instruments, executed_at);
      affected.set(key, { instruments, from });
    }

    return [...affected.values()];
  }

  #addSpelled({ platform, symbol }: Fill): void {
    const symbols = this.#spelled.get(platform);
    if (symbols) symbols.add(symbol);
    else this.#spelled.set(platform, new Set([symbol]));
  }

  #traitsOf(platform: string, symbol: string): SymbolTraits {
    const key = `${platform} ${symbol}`.toLowerCase();
    const traits = this.#traits.get(key) ?? this.#table.traitsOf(platform, symbol);
    this.#traits.set(key, traits);
    return traits;
  }

  #traitsOfAny(platform: string, symbols: readonly string[]): Traits {
    const found = new Set<string>();
    for (const symbol of symbols) {
      const traits = Object.entries(this.#traitsOf(platform, symbol));
      for (const [name, isPresent] of traits) if (isPresent) found.add(name);
    }
    return found as Set<keyof SymbolTraits>;
  }

  #familyOf({ platform, symbol }: Fill): string[] {
    const known = this.#families.get(platform);
    if (known) return known.of(symbol);

    const changes = this.#symbolChanges.filter((fill) => fill.platform === platform);
    const families = new SymbolFamilies([
      ...this.#table.symbolChanges(platform),
      ...changes,
    ]);
    for (const symbols of this.#sameSymbols(platform)) families.join(symbols);
    this.#families.set(platform, families);
    return families.of(symbol);
  }

  /** Symbols of a platform that are one instrument, in several spellings. */
  #sameSymbols(platform: string): string[][] {
    const changed = this.#spelled.get(platform);
    if (!changed) return [];
    return sameSymbols([...changed, ...this.#table.symbolsOf(platform, SPELLED_FORMATS)]);
  }
}

function addTraits(traits: SymbolTraits, { account, part, kind, format }: Fill): void {
  traits[account === null ? 'unnamed' : 'named'] = true;
  if (part === PART.adopted) traits.adopted = true;
  if (part === PART.cancels) traits.cancelled = true;
  if (part === PART.booked) traits.booked = true;
  if (kind === 'unclear') traits.unclear = true;
  if (format === BY_HAND) traits.by_hand = true;
}

/**
 * Adopted fills are replaced by stated ones in any account; and one file's account
 * applies to the same fill of another.
 */
function isOfAllAccounts(traits: Traits): boolean {
  return traits.has('adopted') || (traits.has('named') && traits.has('unnamed'));
}

/** Whether the effect of some fills depends on all others. */
function isWalkedWhole(traits: Traits): boolean {
  return (
    isOfAllAccounts(traits) ||
    traits.has('cancelled') ||
    traits.has('unclear') ||
    traits.has('booked') ||
    traits.has('by_hand')
  );
}

/** Families of symbols joined by symbol changes, and of spellings of one symbol. */
class SymbolFamilies {
  readonly #families: Set<string>[] = [];

  constructor(changes: readonly { symbol: string; former_symbol: string | null }[]) {
    for (const { symbol, former_symbol } of changes)
      this.join([symbol, former_symbol ?? symbol]);
  }

  /** Sorted, so that the order of changes doesn't matter. */
  of(symbol: string): string[] {
    const family = this.#families.find((symbols) => symbols.has(symbol));
    return family ? [...family].sort() : [symbol];
  }

  join(symbols: readonly string[]): void {
    const joined = new Set(symbols);
    const related = this.#families.filter((family) =>
      symbols.some((name) => family.has(name)),
    );

    for (const family of related) {
      for (const symbol of family) joined.add(symbol);
      this.#families.splice(this.#families.indexOf(family), 1);
    }

    this.#families.push(joined);
  }
}
