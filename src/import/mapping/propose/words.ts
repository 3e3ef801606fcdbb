/** Words of a proposal: sides, markets, effects, and rows without a trade. */
import type { Source } from '../schema.ts';
import { rough } from './amounts.ts';
import { type ColumnSeen, wordsOf } from './columns-seen.ts';
import type { Draft } from './proposal.ts';
import {
  effectMeaning,
  isNoTrade,
  marketMeaning,
  optionTypeMeaning,
  positionMeaning,
  sideMeaning,
} from './word-meanings.ts';

/** Maximum number of distinct words in a column of sides. */
const MOST_WORDS = 60;

/** The side of fills (buy, sell) or trades (long, short), with the effects in its words. */
export function putSide(draft: Draft, isFill: boolean): void {
  const meaningOf = (word: string) => (isFill ? sideMeaning(word)?.side : positionMeaning(word));
  const column = bestOf(draft, 'side', (word) => meaningOf(word) !== undefined);
  if (!column) {
    putSideByStart(draft, isFill);
    return;
  }
  const words = wordsOf(column);
  draft.put('side', withWords(column, words, meaningOf), column);
  const strange = words.filter((word) => meaningOf(word) === undefined);
  const none = strange.filter(isNoTrade);
  if (none.length > 0) draft.skip.push({ column: column.name, is: none, reason: 'no trade' });
  const unknown = strange.filter((word) => !isNoTrade(word));
  if (unknown.length > 0) {
    draft.ask({
      about: 'side',
      text: `Unknown words in ${column.name}: ${unknown.slice(0, 8).join(', ')}. Add them to "words" or to "skip".`,
      answers: [{ label: 'unknown, so rows with them stop the import', patch: {} }],
    });
  }
  if (isFill) putEffects(draft, column, words);
}

/** Beginnings of cells that contain more than the side: Buy Acme Inc., YOU SOLD ACME (ACM). */
const STARTS = {
  fills: { 'you bought': 'buy', 'you sold': 'sell', bought: 'buy', sold: 'sell', buy: 'buy', sell: 'sell' },
  trades: { long: 'long', short: 'short', buy: 'long', sell: 'short' },
} as const;

function putSideByStart(draft: Draft, isFill: boolean): void {
  const starts = Object.entries(STARTS[isFill ? 'fills' : 'trades']);
  const startOf = (cell: string) => starts.find(([start]) => cell.toLowerCase().startsWith(start));
  const [column] = draft.fitting('side', ({ cells }) => cells.filter(startOf).length > cells.length / 2);
  if (!column) return;
  const used = starts.filter((own) => column.cells.some((cell) => startOf(cell) === own));
  draft.put('side', { column: column.name, words: Object.fromEntries(used), match: 'start' }, column);
  const others = column.cells.filter((cell) => !startOf(cell));
  if (others.length === 0) return;
  draft.skip.push({ column: column.name, not: used.map(([start]) => start), match: 'start', reason: 'no trade' });
  draft.ask({
    about: 'side',
    text: `Rows with any other beginning of ${column.name} are skipped, such as ${others[0]}.`,
    answers: [{ label: 'skipped', patch: {} }],
  });
}

function putEffects(draft: Draft, column: ColumnSeen, words: readonly string[]): void {
  const own = draft.best('effect', ({ cells }) => cells.every((cell) => effectMeaning(cell) !== undefined));
  if (own) draft.put('effect', withWords(own, wordsOf(own), effectMeaning), own);
  else if (words.some((word) => sideMeaning(word, words)?.effect)) {
    draft.put('effect', {
      column: column.name,
      words: recordOf(words, (word) => sideMeaning(word, words)?.effect ?? null),
    });
  }
  if (!words.some((word) => sideMeaning(word, words)?.isShort)) return;
  draft.put('may_short', {
    column: column.name,
    words: recordOf(words, (word) => sideMeaning(word, words)?.isShort === true),
  });
}

/** The market by a column's words; undefined if there is no such column. */
export function marketSource(draft: Draft): Source | undefined {
  const column = bestOf(draft, 'market', (word) => marketMeaning(word) !== undefined);
  if (!column) return undefined;
  const words = wordsOf(column);
  const unknown = words.filter((word) => marketMeaning(word) === undefined);
  if (unknown.length > 0) {
    draft.ask({
      about: 'market',
      text: `Unknown words in ${column.name}: ${unknown.slice(0, 8).join(', ')}. Which markets are they?`,
      answers: [{ label: 'other', patch: {} }],
    });
  }
  const source = withWords(column, words, (word) => marketMeaning(word) ?? 'other');
  draft.put('market', source, column);
  return source;
}

export function putOptionType(draft: Draft): void {
  const column = draft.best('option_type', ({ cells }) => cells.every((cell) => optionTypeMeaning(cell) !== undefined));
  if (column) draft.put('option_type', withWords(column, wordsOf(column), optionTypeMeaning), column);
}

/** Skips rows with the status of an order that wasn't filled. */
export function skipByStatus(draft: Draft): void {
  const column = draft.best('status', (own) => wordsOf(own).length <= MOST_WORDS);
  const quantity = draft.columnOf('quantity');
  // A cancelled order with a partial fill counts if the quantity column has the filled part.
  const isPartFilled = (word: string) =>
    /fill|exec/i.test(quantity?.name ?? '') &&
    column?.all.some((cell, row) => cell === word && rough(quantity?.all[row] ?? '') !== 0);
  const none = column
    ? wordsOf(column).filter(
        (word) => (isNoTrade(word) || /pending|working|placed|offen/i.test(word)) && !isPartFilled(word),
      )
    : [];
  if (column && none.length > 0 && none.length < wordsOf(column).length) {
    draft.skip.push({ column: column.name, is: none, reason: 'not executed' });
  }
}

/** The column that fits by name and has the largest share of known words. */
function bestOf(draft: Draft, meaning: 'side' | 'market', isKnown: (word: string) => boolean): ColumnSeen | undefined {
  const shares = draft
    .fitting(meaning, (column) => wordsOf(column).length <= MOST_WORDS)
    .map((column) => ({ column, share: column.cells.filter(isKnown).length / column.cells.length }))
    .sort((a, b) => b.share - a.share);
  return shares.find(({ share }) => share > 0)?.column;
}

/** A source with only the words that aren't valid values already. */
function withWords(
  column: ColumnSeen,
  words: readonly string[],
  meaningOf: (word: string) => string | undefined,
): Source {
  const other = words.filter((word) => {
    const meaning = meaningOf(word);
    return meaning !== undefined && meaning !== word.toLowerCase();
  });
  return other.length === 0
    ? column.name
    : { column: column.name, words: recordOf(other, (word) => meaningOf(word) ?? null) };
}

function recordOf<T>(words: readonly string[], meaningOf: (word: string) => T): Record<string, T> {
  return Object.fromEntries(words.map((word) => [word, meaningOf(word)]));
}
