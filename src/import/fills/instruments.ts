/** Which fills have to be walked together, once some come or go. */
import type { Fill, FillTable, Instruments } from '../../journal-write/fills.ts';

/** Fills that are walked together, and from when on. */
export interface Affected {
  instruments: Instruments;
  /** The walk's beginning: the latest instant at which nothing was open before the first change. */
  from: string;
}

/** @param changed fills that come, go or change; the journal doesn't have those yet that come, and still has those that go */
export function affectedBy(changed: readonly Fill[], table: FillTable): Affected[] {
  const families = new Map<string, Families>();
  const adopted = new Map<string, boolean>();
  const hasAdopted = (platform: string, symbol: string): boolean => {
    const key = `${platform} ${symbol}`;
    const known = adopted.get(key) ?? table.hasAdopted(platform, symbol);
    adopted.set(key, known);
    return known;
  };
  const affected = new Map<string, { instruments: Instruments; first: string; isWhole: boolean }>();
  for (const fill of changed) {
    const { platform, market, currency, symbol, executed_at } = fill;
    let family = families.get(platform);
    if (!family) {
      family = new Families([
        ...table.symbolChanges(platform),
        ...changed.filter((own) => own.kind === 'symbol_change'),
      ]);
      families.set(platform, family);
    }
    const symbols = family.of(symbol);
    // Adopted fills give way to what files state, in whichever account.
    const isAdopted = symbols.some((own) => hasAdopted(platform, own));
    const instruments: Instruments = {
      platform,
      market,
      currency,
      symbols,
      account: isAdopted ? undefined : fill.account,
    };
    const key = JSON.stringify([platform, market, currency, symbols[0], instruments.account]).toLowerCase();
    const known = affected.get(key);
    if (!known) affected.set(key, { instruments, first: executed_at, isWhole: isAdopted || symbols.length > 1 });
    else if (executed_at < known.first) known.first = executed_at;
  }
  return [...affected.values()].map(({ instruments, first, isWhole }) => ({
    instruments,
    from: isWhole ? '' : table.flatPoint(instruments, first),
  }));
}

/** Symbols that changes of symbol join. */
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

  /** In an order that doesn't hang on the changes'. */
  of(symbol: string): string[] {
    const family = this.#families.find((own) => own.has(symbol));
    return family ? [...family].sort() : [symbol];
  }
}
