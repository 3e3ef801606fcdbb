/** Sides, effects and kinds of options in a proposal: fields whose values are words of cells. */
import type { Source } from '../schema.ts';
import { type ColumnSeen, wordsOf } from './columns.ts';
import type { Draft } from './draft.ts';
import { isNoTrade, meaningOf, sideOf } from './vocabulary.ts';

/** Maximum number of distinct words in a column of sides. */
export const MOST_WORDS = 60;

/** The side of fills (buy, sell) or trades (long, short), with the effects in its words. */
export function putSide(draft: Draft, isFill: boolean): void {
  const meaning = (word: string) => (isFill ? sideOf(word) : meaningOf('position', word));
  const column = bestOf(draft, 'side', (word) => meaning(word) !== undefined);
  if (!column) {
    const signs = draft.best('side', ({ cells }) => cells.every((cell) => /^[-+]?1$/.test(cell)));
    const [above, below] = isFill ? ['buy', 'sell'] : ['long', 'short'];
    if (signs)
      draft.put(
        'side',
        withWords(signs, (word) => (word.startsWith('-') ? below : above)),
        signs,
      );
    else putSideByStart(draft, isFill);
    return;
  }
  draft.put('side', withWords(column, meaning), column);
  const strange = wordsOf(column).filter((word) => meaning(word) === undefined);
  const none = strange.filter(isNoTrade);
  if (none.length > 0) draft.skip.push({ column: column.name, is: none, reason: 'no trade' });
  const unknown = strange.filter((word) => !isNoTrade(word));
  draft.checks.push((rows) => {
    const left = unknown.filter((word) => rows.some((row) => column.all[row] === word));
    if (left.length === 0) return;
    draft.ask(
      'side',
      `Unknown words in ${column.name}: ${left.slice(0, 8).join(', ')}. Add them to "words" or to "skip".`,
      { 'unknown, so rows with them stop the import': {} },
    );
  });
  if (isFill) putEffects(draft, column);
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
  const other = column.cells.find((cell) => !startOf(cell));
  if (other === undefined) return;
  draft.skip.push({ column: column.name, not: used.map(([start]) => start), match: 'start', reason: 'no trade' });
  draft.ask('side', `Rows with any other beginning of ${column.name} are skipped, such as ${other}.`, { skipped: {} });
}

function putEffects(draft: Draft, column: ColumnSeen): void {
  const words = wordsOf(column);
  // Next to "Sell", a "Short" opens a short.
  const isShortSale = (word: string) =>
    /^short$/i.test(word) && words.some((other) => !/^short$/i.test(other) && meaningOf('side', other) === 'sell');
  const meaning = (word: string) => (isShortSale(word) ? 'sell open short' : (meaningOf('side', word) ?? ''));
  const effectOf = (word: string) => meaning(word).split(' ')[1] ?? null;
  const mayShort = (word: string) => meaning(word).endsWith(' short');
  const put = (field: string, of: (word: string) => string | boolean | null) =>
    draft.put(field, { column: column.name, words: Object.fromEntries(words.map((word) => [word, of(word)])) });
  if (!takeWords(draft, 'effect') && words.some(effectOf)) put('effect', effectOf);
  if (words.some(mayShort)) put('may_short', mayShort);
}

/** A column that has only known words. */
export function takeWords(draft: Draft, field: 'effect' | 'option_type'): boolean {
  const column = draft.best(field, ({ cells }) => cells.every((cell) => meaningOf(field, cell) !== undefined));
  if (column)
    draft.put(
      field,
      withWords(column, (word) => meaningOf(field, word)),
      column,
    );
  return column !== undefined;
}

/** The market by a column's words, if there is such a column. */
export function takeMarket(draft: Draft): boolean {
  const column = bestOf(draft, 'market', (word) => meaningOf('market', word) !== undefined);
  if (!column) return false;
  const unknown = wordsOf(column).filter((word) => meaningOf('market', word) === undefined);
  if (unknown.length > 0) {
    const words = unknown.slice(0, 8).join(', ');
    draft.ask('market', `Unknown words in ${column.name}: ${words}. Which markets are they?`, { other: {} });
  }
  draft.put(
    'market',
    withWords(column, (word) => meaningOf('market', word) ?? 'other'),
    column,
  );
  return true;
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
function withWords(column: ColumnSeen, meaning: (word: string) => string | undefined): Source {
  const words = wordsOf(column).flatMap((word) => {
    const own = meaning(word);
    return own === undefined || own === word.toLowerCase() ? [] : [[word, own] as const];
  });
  return words.length === 0 ? column.name : { column: column.name, words: Object.fromEntries(words) };
}
