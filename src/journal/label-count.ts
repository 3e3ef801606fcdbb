/** Counts the uses of labels. Labels that differ only in letter case count as one, shown in the most frequent spelling. */
import { foldCase } from '../sqlite/functions.ts';
import { STEP } from './in-steps.ts';

interface Label {
  count: number;
  /** Its first occurrence. */
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
   * @param at kept for the first record with a label
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

  /** The most used labels, up to a maximum; ties by code units. */
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
