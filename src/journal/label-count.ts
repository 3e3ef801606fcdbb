/** Counts how often labels are used. Those that differ only in the case of their letters are one, shown as it is written most often. */
import { foldCase } from '../sqlite/functions.ts';
import { STEP } from './in-steps.ts';

interface Label {
  count: number;
  /** Where it was met first. */
  first: string;
  spellings: Spelling[];
}

interface Spelling {
  text: string;
  count: number;
  label: Label;
}

export interface CountedLabel {
  value: string;
  count: number;
  first: string;
}

export class LabelCount {
  readonly #spellings = new Map<string, Spelling>();
  readonly #labels = new Map<string, Label>();

  /**
   * Counts the labels of one record, each once.
   * @param at what is kept of the first record that has a label
   */
  add(labels: readonly unknown[], at: string): void {
    const counted: Label[] = [];
    for (const text of labels) {
      if (typeof text !== 'string' || text === '') continue;
      const spelling = this.#spellingOf(text, at);
      const { label } = spelling;
      if (counted.includes(label)) continue;
      counted.push(label);
      spelling.count++;
      label.count++;
    }
  }

  has(text: string): boolean {
    return this.#labels.has(foldCase(text));
  }

  /** At most so many: most used first, then by code units. */
  *mostUsed(most: number): Generator<void, CountedLabel[]> {
    let first: CountedLabel[] = [];
    for (const label of this.#labels.values()) {
      first.push({ value: mostUsed(label.spellings).text, count: label.count, first: label.first });
      if (first.length < most + STEP) continue;
      first = first.sort(byUse).slice(0, most);
      yield;
    }
    return first.sort(byUse).slice(0, most);
  }

  #spellingOf(text: string, at: string): Spelling {
    const known = this.#spellings.get(text);
    if (known) return known;
    const fold = foldCase(text);
    let label = this.#labels.get(fold);
    if (!label) {
      label = { count: 0, first: at, spellings: [] };
      this.#labels.set(fold, label);
    }
    const spelling = { text, count: 0, label };
    label.spellings.push(spelling);
    this.#spellings.set(text, spelling);
    return spelling;
  }
}

function byUse(a: CountedLabel, b: CountedLabel): number {
  return b.count - a.count || (a.value < b.value ? -1 : 1);
}

function mostUsed(spellings: readonly Spelling[]): Spelling {
  return spellings.reduce((best, one) =>
    one.count > best.count || (one.count === best.count && one.text < best.text) ? one : best,
  );
}
