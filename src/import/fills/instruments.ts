/** Fills that must be walked together after some are added or removed. */
import type { Fill, Instruments, SymbolTraits } from '../../journal-write/fill-row.ts';
import type { FillTable } from '../../journal-write/fills.ts';

import { instrumentKey } from './instrument-key.ts';

/** Fills that are walked together, and the start of the walk. */
export interface Affected {
  instruments: Instruments;
  /** The start of the walk: the latest flat instant before the first change. */
  from: string;
}

/** @param changed fills to add, remove or change; the journal lacks the added ones so far and still has the removed ones */
export function affectedBy(changed: Iterable<Fill>, table: FillTable): Affected[] {
  const { earliest, symbolChanges, traitsOf } = surveyed(changed, table);
  // The fee of an order is shared by all its fills, even those before a flat point.
  const hasOrderFees = table.feeRates.inForce().some(({ per_order }) => per_order !== null);
  const families = new Map<string, Families>();
  const affected = new Map<string, { instruments: Instruments; first: string; isWhole: boolean }>();
  for (const { platform, market, currency, symbol, account: own, executed_at } of earliest) {
    const family =
      families.get(platform) ?? new Families([...table.symbolChanges(platform), ...symbolChanges(platform)]);
    families.set(platform, family);
    const symbols = family.of(symbol);
    const traits = symbols.map((one) => traitsOf(platform, one));
    const has = (name: keyof SymbolTraits) => traits.some((one) => one[name]);
    // Adopted fills are replaced by stated ones in any account; and one file's account applies to the same fill of another.
    const isOfAllAccounts = has('adopted') || (has('named') && has('unnamed'));
    const isWhole = isOfAllAccounts || hasOrderFees || has('cancelled') || has('unclear') || symbols.length > 1;
    const account = isOfAllAccounts ? undefined : own;
    const instruments: Instruments = { platform, market, currency, symbols, account };
    const key = JSON.stringify([platform, market, currency, symbols[0], account]).toLowerCase();
    // Changes merge only if their fills are walked from the beginning.
    if (!affected.has(key)) affected.set(key, { instruments, first: executed_at, isWhole });
  }
  return [...affected.values()].map(({ instruments, first, isWhole }) => ({
    instruments,
    from: isWhole ? '' : table.flatPoint(instruments, first),
  }));
}

interface Survey {
  earliest: Iterable<Fill>;
  symbolChanges: (platform: string) => Fill[];
  /** Traits of a symbol's fills, stored and changed. */
  traitsOf: (platform: string, symbol: string) => SymbolTraits;
}

function surveyed(changed: Iterable<Fill>, table: FillTable): Survey {
  const earliest = new Map<string, Fill>();
  const changes: Fill[] = [];
  const known = new Map<string, SymbolTraits>();
  const traitsOf = (platform: string, symbol: string): SymbolTraits => {
    const key = `${platform} ${symbol}`.toLowerCase();
    const traits = known.get(key) ?? table.traitsOf(platform, symbol);
    known.set(key, traits);
    return traits;
  };
  for (const fill of changed) {
    const { platform, symbol, account, state, kind, executed_at } = fill;
    const traits = traitsOf(platform, symbol);
    traits[account === null ? 'unnamed' : 'named'] = true;
    if (state === 'adopted') traits.adopted = true;
    if (state === 'cancels') traits.cancelled = true;
    if (kind === 'unclear') traits.unclear = true;
    if (kind === 'symbol_change') changes.push(fill);
    const key = `${platform} ${instrumentKey(fill)}`;
    const first = earliest.get(key);
    if (!first || executed_at < first.executed_at) earliest.set(key, fill);
  }
  return {
    earliest: earliest.values(),
    symbolChanges: (platform) => changes.filter((own) => own.platform === platform),
    traitsOf,
  };
}

/** Families of symbols joined by symbol changes. */
class Families {
  readonly #families: Set<string>[] = [];

  constructor(changes: readonly { symbol: string; former_symbol: string | null }[]) {
    for (const { symbol, former_symbol } of changes) {
      const joined = new Set([symbol, former_symbol ?? symbol]);
      for (const family of this.#families.filter((own) => [...joined].some((one) => own.has(one)))) {
        for (const one of family) joined.add(one);
        this.#families.splice(this.#families.indexOf(family), 1);
      }
      this.#families.push(joined);
    }
  }

  /** Sorted, so that the order of changes doesn't matter. */
  of(symbol: string): string[] {
    const family = this.#families.find((own) => own.has(symbol));
    return family ? [...family].sort() : [symbol];
  }
}
