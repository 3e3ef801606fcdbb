/** Which labels contain a symbol of the journal: "AAPL fade", "btc-usdt news". */
import { foldCase } from '../sqlite/functions.ts';

/** Symbols this long are found within other words: a shorter one would be, too, where nobody means it. */
const LONG = 4;

/** Longer labels aren't searched: they count as containing one. */
const MAX_SEARCHED = 1000;

/** Parts of option symbols that name no instrument. */
const NO_NAMES = new Set(['call', 'put']);

const SEPARATORS = /[^\p{L}\p{N}]+/u;

export class SymbolsInLabels {
  /** Symbols and their parts, as words in any letter case. */
  readonly #words = new Set<string>();
  /** The long ones without separators, and their lengths: found anywhere, in any letter case. */
  readonly #long = new Set<string>();
  readonly #lengths = new Set<number>();
  /** Two or three capital letters or digits: found anywhere. */
  readonly #capitals = new Set<string>();
  /** Symbols without letters and digits. */
  readonly #signs = new Set<string>();

  add(symbol: string): void {
    const parts = symbol.split(SEPARATORS).filter((part) => part !== '');
    if (parts.length === 0) this.#signs.add(symbol);
    this.#addLong(foldCase(parts.join('')));
    for (const part of parts) {
      const folded = foldCase(part);
      if (parts.length > 1 && (part.length === 1 || !/\p{L}/u.test(part) || NO_NAMES.has(folded))) continue;
      this.#words.add(folded);
      this.#addLong(folded);
      if (part.length > 1 && part.length < LONG) this.#capitals.add(part.toUpperCase());
    }
  }

  areIn(label: string): boolean {
    if (label.length > MAX_SEARCHED) return true;
    const words = foldCase(label)
      .split(SEPARATORS)
      .filter((word) => word !== '');
    if (words.some((word) => this.#words.has(word))) return true;
    if (hasPart(words.join(''), this.#lengths, this.#long)) return true;
    return hasPart(label, CAPITALS, this.#capitals) || [...this.#signs].some((sign) => label.includes(sign));
  }

  #addLong(name: string): void {
    if (name.length < LONG) return;
    this.#long.add(name);
    this.#lengths.add(name.length);
  }
}

const CAPITALS = [2, 3];

/** Whether a text contains one of the names, which have these lengths. */
function hasPart(text: string, lengths: Iterable<number>, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  for (const length of lengths) {
    for (let i = 0; i + length <= text.length; i++) if (names.has(text.slice(i, i + length))) return true;
  }
  return false;
}
