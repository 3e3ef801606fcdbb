/** Words of a proposal: sides, markets, effects, and rows without a trade. */

import type { Source } from '../schema.ts';
import { type ColumnSeen, rough, wordsOf } from './columns-seen.ts';
import type { Draft } from './draft.ts';
import { fitOf } from './names.ts';

// Meanings of words in cells, in the languages of exports.

interface SideMeaning {
  side: 'buy' | 'sell';
  /** Whether the word states that it opens or closes. */
  effect?: 'open' | 'close';
  /** Whether it may open a short: "sell short". */
  isShort?: true;
}

const BUY: SideMeaning = { side: 'buy' };
const SELL: SideMeaning = { side: 'sell' };
const SHORT: SideMeaning = { side: 'sell', effect: 'open', isShort: true };

const SIDES: Readonly<Record<string, SideMeaning>> = {
  ...each(
    'buy, bought, b, bot, long, l, purchase, market buy, limit buy, stop buy, kauf, kaufen, gekauft, k, achat, achete, compra, comprar, acquisto, koop, aankoop, gekocht, open long, close short, buy limit, buy stop, kupno, kupiono, kup, zakup, kop, kopt, kob, kobt, kjop, kjopt',
    BUY,
  ),
  ...each(
    'sell, sold, s, sld, sale, short, market sell, limit sell, stop sell, verkauf, verkaufen, verkauft, v, vente, vendu, venta, vender, venda, vendita, verkoop, verkocht, open short, close long, sell limit, sell stop, sprzedaz, sprzedano, sprzedaj, salj, sald, salg, solgt',
    SELL,
  ),
  ...each('buy to open, bto, buy_to_open, bought to open, open buy, buy open, buy long, entry long', {
    side: 'buy',
    effect: 'open',
  }),
  ...each(
    'buy to close, btc, buy_to_close, buy to cover, buy cover, bc, bought to close, bought to cover, cover, cover short, short cover, close buy, buy close, exit short',
    { side: 'buy', effect: 'close' },
  ),
  ...each('sell to open, sto, sell_to_open, sold to open, open sell, sell open', { side: 'sell', effect: 'open' }),
  ...each('sell to close, stc, sell_to_close, sold to close, close sell, sell close, sell long, exit long', {
    side: 'sell',
    effect: 'close',
  }),
  ...each('sell short, sold short, short sale, ss, sshrt, short sell, entry short', SHORT),
};

const POSITIONS: Readonly<Record<string, 'long' | 'short'>> = {
  ...each('long, l, buy, bought, b, kauf, achat, compra, acquisto, koop, kupno, dluga', 'long' as const),
  ...each(
    'short, s, sell, sold, ss, verkauf, vente, venta, venda, vendita, verkoop, sprzedaz, krotka',
    'short' as const,
  ),
};

const MARKETS: Readonly<Record<string, string>> = {
  ...each(
    'stock, stocks, equity, equities, eq, stk, share, shares, etf, etfs, aktie, aktien, action, actions, acciones, acao, acoes, azioni, aandelen, akcje, akcja',
    'stock',
  ),
  ...each(
    'future, futures, fut, futuros, futuro, termingeschaft, kontrakty, kontrakt terminowy, kontrakty terminowe',
    'future',
  ),
  ...each(
    'option, options, opt, equity option, future option, optionen, opciones, opcoes, opzioni, opties, opcje, opcja',
    'option',
  ),
  ...each('forex, fx, currency, currencies, devisen, divisas, waluty', 'forex'),
  ...each('crypto, cryptocurrency, spot, coin, krypto, cripto, kryptowaluty, kryptowaluta', 'crypto'),
  ...each('cfd, cfds', 'cfd'),
};

const EFFECTS: Readonly<Record<string, 'open' | 'close'>> = {
  ...each('open, o, to open, opening, entry, e, entree, eroffnung, otwarcie', 'open' as const),
  ...each('close, c, to close, closing, exit, x, schliessung, cierre, zamkniecie', 'close' as const),
};

const OPTION_TYPES: Readonly<Record<string, 'call' | 'put'>> = {
  ...each('call, c, ce, calls, european call, call option', 'call' as const),
  ...each('put, p, pe, puts, european put, put option', 'put' as const),
};

/** Words in the place of a side that mean no trade. */
const NO_TRADE =
  /deposit|conversion|withdraw|dividend|interest|transfer|cancel|reject|expired order|balance|total|einzahlung|auszahlung|zinsen|storno|depot|retrait|dividende|interet|virement|annul|deposito|retiro|interes|transferencia|prelievo|bonifico|storting|opname|rente|airdrop|staking|reward|wplata|wyplata|dywidend|odsetki|przelew|anulow|uttag|insattning|utdelning|\branta|udbytte|utbytte|\bsend|receive|stak(e|ing)|payment|custody|\bfees?\b|forex (credit|debit)|top.?up/i;

/** @param among all words of the column: next to "Sell", a "Short" opens a short */
function sideMeaning(word: string, among: readonly string[] = []): SideMeaning | undefined {
  const isShort = plain(word) === 'short' && among.some((other) => plain(other) !== 'short' && isPlainSell(other));
  return isShort ? SHORT : lookUp(SIDES, word);
}

function isPlainSell(word: string): boolean {
  return lookUp(SIDES, word) === SELL;
}

export function positionMeaning(word: string): 'long' | 'short' | undefined {
  return lookUp(POSITIONS, word);
}

function marketMeaning(word: string): string | undefined {
  return lookUp(MARKETS, word);
}

function effectMeaning(word: string): 'open' | 'close' | undefined {
  return lookUp(EFFECTS, word);
}

function optionTypeMeaning(word: string): 'call' | 'put' | undefined {
  return lookUp(OPTION_TYPES, word);
}

function isNoTrade(word: string): boolean {
  return NO_TRADE.test(plain(word));
}

function each<T>(words: string, meaning: T): Record<string, T> {
  return Object.fromEntries(words.split(', ').map((word) => [word, meaning]));
}

function lookUp<T>(words: Readonly<Record<string, T>>, word: string): T | undefined {
  const key = plain(word).replace(/ ?[-–:] ?(market|limit|stop|stop limit|mkt|lmt)$/, '');
  return Object.hasOwn(words, key) ? words[key] : undefined;
}

/** Lower case without accents. */
function plain(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase().replaceAll('ł', 'l');
}

/** Maximum number of distinct words in a column of sides. */
const MOST_WORDS = 60;

/** The side of fills (buy, sell) or trades (long, short), with the effects in its words. */
export function putSide(draft: Draft, isFill: boolean): void {
  const meaningOf = (word: string) => (isFill ? sideMeaning(word)?.side : positionMeaning(word));
  const column = bestOf(draft, 'side', (word) => meaningOf(word) !== undefined);
  if (!column) {
    const signs = draft.best('side', ({ cells }) => cells.every((cell) => /^[-+]?1$/.test(cell)));
    if (signs) draft.put('side', withWords(signs, wordsOf(signs), signMeaning(isFill)), signs);
    else putSideByStart(draft, isFill);
    return;
  }
  const words = wordsOf(column);
  draft.put('side', withWords(column, words, meaningOf), column);
  const strange = words.filter((word) => meaningOf(word) === undefined);
  const none = strange.filter(isNoTrade);
  if (none.length > 0) draft.skip.push({ column: column.name, is: none, reason: 'no trade' });
  const unknown = strange.filter((word) => !isNoTrade(word));
  draft.checks.push((rows) => {
    const left = unknown.filter((word) => rows.some((row) => column.all[row] === word));
    if (left.length === 0) return;
    draft.ask({
      about: 'side',
      text: `Unknown words in ${column.name}: ${left.slice(0, 8).join(', ')}. Add them to "words" or to "skip".`,
      answers: [{ label: 'unknown, so rows with them stop the import', patch: {} }],
    });
  });
  if (isFill) putEffects(draft, column, words);
}

/** 1 and -1 in the place of a side. */
function signMeaning(isFill: boolean): (word: string) => string {
  const [above, below] = isFill ? (['buy', 'sell'] as const) : (['long', 'short'] as const);
  return (word) => (word.startsWith('-') ? below : above);
}

/** Skips rows that another column calls a dividend, a deposit, or other events without a trade. */
export function skipEvents(draft: Draft): void {
  const columns = draft.free(({ name, cells, all }) => {
    // A cancelled order may be filled in part: skipByStatus decides.
    const isKind = fitOf(name, 'side') > 0 || /\b(type|event|kind|activity|art|typ)\b/i.test(name);
    return isKind && fitOf(name, 'status') === 0 && new Set(cells).size <= MOST_WORDS && cells.length > all.length / 2;
  });
  for (const column of columns) {
    const none = wordsOf(column).filter(isNoTrade);
    if (none.length > 0 && none.length < wordsOf(column).length) {
      draft.skip.push({ column: column.name, is: none, reason: 'no trade' });
    }
  }
}

/** A column of sides that no field reads, and that doesn't follow from the one that is read. */
export function lostSide(draft: Draft): ColumnSeen | undefined {
  const meaningOf = (cell: string) => sideMeaning(cell)?.side ?? positionMeaning(cell);
  const read = draft.columnOf('side');
  return draft
    .fitting('side', ({ cells }) => new Set(cells.map(meaningOf)).size === 2 && cells.every((cell) => meaningOf(cell)))
    .find((column) => new Set(column.all.map((cell, row) => `${meaningOf(cell)} ${read?.all[row]}`)).size > 2);
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
