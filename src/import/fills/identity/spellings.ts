/**
 * Symbols that the files of a platform spell in several ways: each spelling is the same
 * instrument.
 */
import { KRAKEN_FORMATS, pairKey, pairName } from '../../../journal/kraken-pairs.ts';
import { BY_HAND, type Fill, type PlacedFill } from '../../../statements/fill-row.ts';
import type { FillTable } from '../../../statements/fills.ts';

/** Formats of fills that may have a symbol in another spelling. */
export const SPELLED_FORMATS: readonly string[] = [...KRAKEN_FORMATS, BY_HAND];

/** Whether the files of a format spell symbols in several ways. */
function hasSpellings(format: string): boolean {
  return KRAKEN_FORMATS.includes(format);
}

/** The spellings of a format's symbols in the journal. */
export class Spellings {
  readonly #table: Pick<FillTable, 'symbolsOf'>;
  readonly #areSeveral: boolean;
  readonly #keys = new Map<string, string>();
  /** By platform, then by key. */
  readonly #stored = new Map<string, Map<string, string[]>>();

  constructor(table: Pick<FillTable, 'symbolsOf'>, format: string) {
    this.#table = table;
    this.#areSeveral = hasSpellings(format);
  }

  /** Equal for all spellings of a symbol. */
  keyOf(symbol: string): string {
    let key = this.#keys.get(symbol);
    if (key === undefined) {
      key = this.#areSeveral ? pairKey(symbol) : symbol.toLowerCase();
      this.#keys.set(symbol, key);
    }
    return key;
  }

  /** A symbol, and its other spellings on a platform. */
  of(platform: string, symbol: string): readonly string[] {
    if (!this.#areSeveral) return [symbol];

    const stored = this.#storedOn(platform).get(this.keyOf(symbol)) ?? [];
    const name = symbol.toLowerCase();
    return [symbol, ...stored.filter((other) => other.toLowerCase() !== name)];
  }

  #storedOn(platform: string): Map<string, string[]> {
    const known = this.#stored.get(platform);
    if (known) return known;

    const symbols = this.#table.symbolsOf(platform);
    const byKey = Map.groupBy(symbols, (symbol) => this.keyOf(symbol));
    this.#stored.set(platform, byKey);
    return byKey;
  }
}

/** The fills of an instrument under one symbol, whatever their files have. */
export function inOneSpelling(placed: readonly PlacedFill[]): readonly PlacedFill[] {
  const symbol = placed[0]?.fill.symbol;
  if (placed.every(({ fill }) => fill.symbol === symbol)) return placed;

  const names = presentNames(placed.map(({ fill }) => fill));
  if (names.size === 0) return placed;

  return placed.map((row) => {
    const { fill } = row;
    return isSpelled(fill) ? renamed(row, names.get(fill.symbol.toLowerCase())) : row;
  });
}

/**
 * The fills of an instrument under the symbols of the trades that were made of them: an
 * earlier version made trades of each spelling.
 * @param tradedSymbols by id of the fill, if it has a trade
 */
export function underTradedSymbols(
  placed: readonly PlacedFill[],
  tradedSymbols: () => ReadonlyMap<string, string>,
): readonly PlacedFill[] {
  const present = inOneSpelling(placed);
  if (present === placed) return placed;

  const byFill = tradedSymbols();
  const bySymbol = new Map(
    placed.flatMap(({ fill }) => {
      const symbol = byFill.get(fill.id);
      return symbol === undefined ? [] : [[nameIn(fill), symbol] as const];
    }),
  );

  return placed.map((row, place) => {
    const { fill } = row;
    if (!isSpelled(fill)) return row;

    const symbol = byFill.get(fill.id) ?? bySymbol.get(nameIn(fill));
    return renamed(row, symbol ?? present[place]?.fill.symbol);
  });
}

function nameIn({ account, symbol }: Fill): string {
  return JSON.stringify([account, symbol]).toLowerCase();
}

function renamed(placed: PlacedFill, symbol = placed.fill.symbol): PlacedFill {
  const { fill } = placed;
  return symbol === fill.symbol ? placed : { ...placed, fill: { ...fill, symbol } };
}

/** Whether a fill may have a symbol in another spelling. */
export function isSpelled({ format }: Pick<Fill, 'format'>): boolean {
  return SPELLED_FORMATS.includes(format);
}

/** Symbols of one instrument each, which are several. */
export function sameSymbols(symbols: Iterable<string>): string[][] {
  // The journal doesn't distinguish capitals.
  const distinct = new Map<string, string>();
  for (const symbol of symbols) {
    const name = symbol.toLowerCase();
    if (!distinct.has(name)) distinct.set(name, symbol);
  }

  const byKey = Map.groupBy(distinct.values(), (symbol) => pairKey(symbol));
  return [...byKey.values()].filter(({ length }) => length > 1);
}

/**
 * The present name of each symbol in several spellings, if fills of files have it; in
 * lower case. Fills by hand keep the symbol of another platform's file.
 */
function presentNames(
  fills: readonly Pick<Fill, 'format' | 'symbol'>[],
): Map<string, string> {
  const others = new Set(fills.flatMap((fill) => (isSpelled(fill) ? [] : [fill.symbol])));
  const ofFiles = new Set(
    fills.flatMap(({ format, symbol }) => (hasSpellings(format) ? [symbol] : [])),
  );
  const candidates = fills.flatMap((fill) =>
    ofFiles.has(fill.symbol) || (isSpelled(fill) && !others.has(fill.symbol))
      ? [fill.symbol]
      : [],
  );

  const names = new Map<string, string>();
  for (const symbols of sameSymbols(candidates)) {
    if (!symbols.some((symbol) => ofFiles.has(symbol))) continue;

    const apart = symbols.find((symbol) => symbol.includes('/'));
    const name = pairName(apart ?? (symbols[0] as string));
    for (const symbol of symbols) names.set(symbol.toLowerCase(), name);
  }

  return names;
}
