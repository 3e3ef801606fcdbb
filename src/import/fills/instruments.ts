/** Which fills have to be walked together, once some come or go. */
import {
  ADOPTED_PART,
  CANCELLED_PART,
  type Fill,
  type FillTable,
  type Instruments,
  type SymbolTraits,
} from '../../journal-write/fills.ts';

/** Fills that are walked together, and from when on. */
export interface Affected {
  instruments: Instruments;
  /** The walk's beginning: the latest instant at which nothing was open before the first change. */
  from: string;
}

/** @param changed fills that come, go or change; the journal doesn't have those yet that come, and still has those that go */
export function affectedBy(changed: readonly Fill[], table: FillTable): Affected[] {
  const families = new Map<string, Families>();
  const traitsOf = traitsWith(changed, table);
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
    const traits = symbols.map((own) => traitsOf(platform, own));
    const has = (name: keyof SymbolTraits) => traits.some((own) => own[name]);
    // Adopted fills give way to what files state, in whichever account; and an account that one file names is that of another.
    const isOfAllAccounts = has('adopted') || (has('named') && has('unnamed'));
    const isWhole = isOfAllAccounts || has('cancelled') || symbols.length > 1;
    const account = isOfAllAccounts ? undefined : fill.account;
    const instruments: Instruments = { platform, market, currency, symbols, account };
    const key = JSON.stringify([platform, market, currency, symbols[0], account]).toLowerCase();
    const known = affected.get(key);
    if (!known) affected.set(key, { instruments, first: executed_at, isWhole });
    else if (executed_at < known.first) known.first = executed_at;
  }
  return [...affected.values()].map(({ instruments, first, isWhole }) => ({
    instruments,
    from: isWhole ? '' : table.flatPoint(instruments, first),
  }));
}

/** What the fills of a symbol are like, those of the journal and those that come. */
function traitsWith(changed: readonly Fill[], table: FillTable): (platform: string, symbol: string) => SymbolTraits {
  const known = new Map<string, SymbolTraits>();
  const traitsOf = (platform: string, symbol: string): SymbolTraits => {
    const key = `${platform} ${symbol}`.toLowerCase();
    const traits = known.get(key) ?? table.traitsOf(platform, symbol);
    known.set(key, traits);
    return traits;
  };
  for (const { platform, symbol, account, part } of changed) {
    const traits = traitsOf(platform, symbol);
    traits[account === null ? 'unnamed' : 'named'] = true;
    if (part === ADOPTED_PART) traits.adopted = true;
    if (part === CANCELLED_PART) traits.cancelled = true;
  }
  return traitsOf;
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
