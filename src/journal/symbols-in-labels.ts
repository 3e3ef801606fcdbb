/** Detects labels that contain a symbol of the journal: "AAPL fade", "btc-usdt news". */
import { foldCase } from '../sqlite/functions.ts';

/** Length of symbols found across words of a label. Symbols one letter shorter are found within words; shorter ones match too many. */
const LONG = 4;

/** Longer labels aren't searched: they count as containing one. */
const MAX_SEARCHED = 1000;

/** Parts of option symbols that aren't names. */
const NO_NAMES = new Set(['call', 'put']);

const SEPARATORS = /[^\p{L}\p{N}]+/u;

export class SymbolsInLabels {
  /** Symbols and their parts, in lower case: found as words. */
  readonly #words = new Set<string>();
  /** Those of three letters or more: found within words. */
  readonly #inWords = new Set<string>();
  /** The long ones without separators, and their lengths: found anywhere. */
  readonly #long = new Set<string>();
  readonly #lengths = new Set<number>();
  /** Those of two letters, in capitals: found anywhere. */
  readonly #capitals = new Set<string>();
  /** Symbols without letters and digits. */
  readonly #signs = new Set<string>();

  add(symbol: string): void {
    const parts = wordsOf(symbol);
    if (parts.length === 0) this.#signs.add(symbol);
    this.#addLong(foldCase(parts.join('')));
    for (const part of parts) {
      const folded = foldCase(part);
      if (parts.length > 1 && (part.length === 1 || !/\p{L}/u.test(part) || NO_NAMES.has(folded))) continue;
      this.#words.add(folded);
      this.#addLong(folded);
      if (folded.length === LONG - 1) this.#inWords.add(folded);
      if (part.length === 2) this.#capitals.add(part.toUpperCase());
    }
  }

  areIn(label: string): boolean {
    if (label.length > MAX_SEARCHED) return true;
    const words = wordsOf(label);
    const folded = words.map(foldCase);
    return (
      folded.some((word) => this.#words.has(word) || hasPart(word, [LONG - 1], this.#inWords)) ||
      hasPart(folded.join(''), this.#lengths, this.#long) ||
      words.some((word) => hasPart(word, [2], this.#capitals)) ||
      [...this.#signs].some((sign) => label.includes(sign))
    );
  }

  #addLong(name: string): void {
    if (name.length < LONG) return;
    this.#long.add(name);
    this.#lengths.add(name.length);
  }
}

/** Wide and other forms of a letter equal that letter. */
function wordsOf(text: string): string[] {
  const separated = text.normalize('NFKC').split(SEPARATORS);
  return separated.filter((word) => word !== '');
}

/** Whether a text contains one of the names, which have these lengths. */
function hasPart(text: string, lengths: Iterable<number>, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  for (const length of lengths) {
    for (let i = 0; i + length <= text.length; i++) if (names.has(text.slice(i, i + length))) return true;
  }
  return false;
}
