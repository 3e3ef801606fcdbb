/** Meanings of words in cells, in the languages of exports. */

export interface SideMeaning {
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
    'buy, bought, b, bot, long, l, purchase, market buy, limit buy, stop buy, kauf, kaufen, gekauft, k, achat, achete, compra, comprar, acquisto, koop, aankoop, gekocht, open long, close short, buy limit, buy stop, kupno, kupiono, kup, zakup',
    BUY,
  ),
  ...each(
    'sell, sold, s, sld, sale, short, market sell, limit sell, stop sell, verkauf, verkaufen, verkauft, v, vente, vendu, venta, vender, venda, vendita, verkoop, verkocht, open short, close long, sell limit, sell stop, sprzedaz, sprzedano, sprzedaj',
    SELL,
  ),
  ...each('buy to open, bto, buy_to_open, bought to open, open buy, buy open, buy long', {
    side: 'buy',
    effect: 'open',
  }),
  ...each(
    'buy to close, btc, buy_to_close, buy to cover, buy cover, bc, bought to close, bought to cover, cover, cover short, short cover, close buy, buy close',
    { side: 'buy', effect: 'close' },
  ),
  ...each('sell to open, sto, sell_to_open, sold to open, open sell, sell open', { side: 'sell', effect: 'open' }),
  ...each('sell to close, stc, sell_to_close, sold to close, close sell, sell close, sell long', {
    side: 'sell',
    effect: 'close',
  }),
  ...each('sell short, sold short, short sale, ss, sshrt, short sell', SHORT),
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
  /deposit|conversion|withdraw|dividend|interest|transfer|cancel|reject|expired order|balance|total|einzahlung|auszahlung|zinsen|storno|depot|retrait|dividende|interet|virement|annul|deposito|retiro|interes|transferencia|prelievo|bonifico|storting|opname|rente|airdrop|staking|reward|wplata|wyplata|dywidend|odsetki|przelew|anulow/i;

/** @param among all words of the column: next to "Sell", a "Short" opens a short */
export function sideMeaning(word: string, among: readonly string[] = []): SideMeaning | undefined {
  const isShort = plain(word) === 'short' && among.some((other) => plain(other) !== 'short' && isPlainSell(other));
  return isShort ? SHORT : lookUp(SIDES, word);
}

function isPlainSell(word: string): boolean {
  return lookUp(SIDES, word) === SELL;
}

export function positionMeaning(word: string): 'long' | 'short' | undefined {
  return lookUp(POSITIONS, word);
}

export function marketMeaning(word: string): string | undefined {
  return lookUp(MARKETS, word);
}

export function effectMeaning(word: string): 'open' | 'close' | undefined {
  return lookUp(EFFECTS, word);
}

export function optionTypeMeaning(word: string): 'call' | 'put' | undefined {
  return lookUp(OPTION_TYPES, word);
}

export function isNoTrade(word: string): boolean {
  return NO_TRADE.test(plain(word));
}

function each<T>(words: string, meaning: T): Record<string, T> {
  return Object.fromEntries(words.split(', ').map((word) => [word, meaning]));
}

function lookUp<T>(words: Readonly<Record<string, T>>, word: string): T | undefined {
  const key = plain(word);
  return Object.hasOwn(words, key) ? words[key] : undefined;
}

/** Lower case without accents. */
function plain(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase().replaceAll('ł', 'l');
}
