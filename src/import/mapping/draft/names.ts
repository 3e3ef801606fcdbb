/**
 * What names of columns and words of cells mean, in any language: one plain table. A name
 * that may mean two things, such as Amount, is in none of its lists.
 */
import { isCostName, isKindName, plainName, plainWord } from '../confirm/names.ts';

/** Words that make up names, in any order: Open Price, Preis Einstieg, fecha y hora. */
const PARTS = {
  price:
    'price, px, kurs, preis, prix, cours, precio, prezzo, preco, koers, prijs, cena, pris, цена, 価格, 約定単価, 成交价格, 체결가',
  moment:
    'time, date, datetime, timestamp, at, dt, day, datum, zeit, uhrzeit, heure, fecha, hora, data, ora, tijd, czas, dato, дата, время, 日付, 約定日, 成交日期, 거래일',
  units:
    'quantity, qty, shares, contracts, units, menge, stuck, anzahl, quantite, qte, cantidad, quantita, qta, quantidade, qtd, qtde, aantal, ilosc, sztuk, antal, antall, titres, titulos, количество, 数量, 約定数量, 成交数量, 수량',
  result:
    'pnl, p&l, pl, profit, loss, gain, result, gewinn, verlust, ergebnis, resultat, ganancia, beneficio, resultado, profitto, utile, risultato, lucro, winst, resultaat, zysk, wynik, прибыль, 損益, 실현손익',
  opened:
    'open, opened, opening, entry, entered, in, eroffnung, einstieg, ouverture, entree, apertura, entrada, ingresso, abertura, instap, otwarcia, wejscia, входа, открытия',
  closed:
    'close, closed, closing, exit, exited, out, schluss, ausstieg, cloture, fermeture, sortie, cierre, salida, chiusura, uscita, fechamento, saida, sluiting, uitstap, zamkniecia, wyjscia, выхода, закрытия',
  bought: 'buy, bought, purchase, kauf, achat, compra, acquisto, aankoop, zakupu',
  sold: 'sell, sold, sale, verkauf, vente, venta, vendita, venda, verkoop, sprzedazy',
  done: 'execution, exec, executed, fill, filled, trade, traded, deal, transaction, ausfuhrung, handels, esecuzione, ejecucion, operation, operacion, operazione, operacao, negocio, transakcji, сделки',
  gross: 'gross, brutto, brut, bruto, lordo',
  net: 'net, netto, neto, liquido',
  average: 'avg, average',
  filler:
    'd, de, di, of, no, number, nombre, numero, liczba, per, unit, share, unitaire, unitario, jednostkowa, and, &, y, e, i, realized, realised',
} as const;

type Part = keyof typeof PARTS;

/** Names of one part, or of two; besides these words they have only fillers. */
const COMPOSED = {
  executed_at: ['done', 'moment'],
  moment: ['moment', 'moment'],
  opened_at: ['opened', 'moment'],
  closed_at: ['closed', 'moment'],
  quantity: ['units', 'units'],
  executed_quantity: ['done', 'units'],
  bought: ['bought', 'units'],
  sold: ['sold', 'units'],
  buy_price: ['bought', 'price'],
  sell_price: ['sold', 'price'],
  price: ['price', 'price'],
  executed_price: ['done', 'price'],
  entry_price: ['opened', 'price'],
  exit_price: ['closed', 'price'],
  pnl: ['result', 'result'],
  gross_pnl: ['gross', 'result'],
  net_pnl: ['net', 'result'],
} as const satisfies Record<string, readonly [Part, Part]>;

/** Whole names, those that say more first. */
const NAMES = {
  symbol:
    'symbol, ticker, ticker symbol, symbol name, trading symbol, instrument symbol, instrument, contract, pair, trading pair, security, stock, scrip, epic, wertpapier, titel, valeur, titre, symbole, simbolo, instrumento, valor, activo, ativo, papel, strumento, titolo, product, produkt, prodotto, producto, walor, papier, vardepapper, vardepapper beskrivning, vaerdipapir, verdipapir, инструмент, тикер, 銘柄, 证券代码, 종목명, isin',
  moment:
    'zeitpunkt, horodatage, tijdstip, transactiedatum, affarsdag, handelsdag, handelsdato, tarih',
  opened_at: 'open, opened, eroffnet',
  closed_at: 'close, closed, geschlossen',
  bought: 'bought',
  sold: 'sold',
  pnl: 'closed pnl, closed p&l',
  currency:
    'currency, ccy, curr, cur, currency code, trade currency, price currency, instrument currency, quote currency, wahrung, handelswahrung, devise, divisa, moneda, valuta, moeda, munt, waluta, instrumentvaluta, валюта, 通貨, 币种, 통화',
  account:
    'account, account name, account id, account number, konto, depot, compte, cuenta, conto, conta, rekening, rachunek, счет',
  market:
    'market, asset class, asset category, asset type, instrument type, security type, symbol type, product type, market type, sec type',
  multiplier: 'multiplier, point value, contract size, contract multiplier',
  underlying: 'underlying, underlying symbol, root symbol',
  expiration:
    'expiration, expiry, expiration date, expiry date, exp date, exp, maturity, verfall, vencimiento, scadenza',
  strike: 'strike, strike price, exercise price, basispreis',
  option_type:
    'option type, put call, call put, call or put, right, p c, c p, optionstyp',
} as const satisfies Record<string, string>;

export type Meaning = keyof typeof NAMES | keyof typeof COMPOSED;

const WORDS_OF = new Map(
  Object.entries<string>(PARTS).map(([part, words]) => [
    part,
    new Set(words.split(', ')),
  ]),
);
const BY_MEANING = new Map(
  Object.entries<string>(NAMES).map(([meaning, names]) => [meaning, names.split(', ')]),
);
const MEANINGS = new Set([...Object.keys(NAMES), ...Object.keys(COMPOSED)] as Meaning[]);

/**
 * The place of a column's name among those of a meaning, composed names last; -1 if it
 * isn't one of them.
 */
export function placeOfName(column: string, meaning: Meaning): number {
  // A quantity with a unit in its name may be an amount of money.
  const written = /quantity/.test(meaning) ? [column] : [column, withoutUnit(column)];
  const forms = written.map(plainName);
  const names = BY_MEANING.get(meaning) ?? [];
  const found = Math.max(...forms.map((form) => names.indexOf(form)));
  if (found !== -1) return found;

  return forms.some((form) => isComposed(form, meaning)) ? names.length : -1;
}

const COMPOUND = /^(.+?)s?(kurs|preis|prijs|koers|datum|zeit|tijd|stuck)$/;

function isComposed(name: string, meaning: Meaning): boolean {
  const [first, second] =
    meaning in COMPOSED ? COMPOSED[meaning as keyof typeof COMPOSED] : [];
  if (!first || !second) return false;

  const has = (part: Part, word: string) => WORDS_OF.get(part)?.has(word) === true;
  const whole = name.replace(/\bp l\b/, 'pnl').split(' ');
  const words = whole.length === 1 ? name.replace(COMPOUND, '$1 $2').split(' ') : whole;
  // An average of several trades is no fill.
  const isMore = (word: string) =>
    has('filler', word) || (first !== second && has('average', word));

  const isPart = (word: string) => has(first, word) || has(second, word) || isMore(word);
  const hasBoth = (wanted: string[]) =>
    [first, second].every((part) => wanted.some((word) => has(part, word)));
  const isOf = (wanted: string[]) => wanted.every(isPart) && hasBoth(wanted);

  return isOf(words) || isOf(whole);
}

/** Whether any field has a column of this name, or its name says that it holds costs. */
export function isKnownName(column: string): boolean {
  if (isCostName(column)) return true;
  return [...MEANINGS].some((meaning) => placeOfName(column, meaning) !== -1);
}

/** Other figures of the same kind: next to one, a plain "Price" may be the order's. */
const KIN = {
  price:
    /price|\bpx\b|\brate\b|kurs\b|preis|prix|\bcours\b|precio|prezzo|preco|koers|prijs|\bcena|\bpris\b|\bavg|average|цена|価格|単価|价/,
  quantity:
    /quant|\bqty|\bqte|\bqta|\bqtd|size|volume|filled|executed|remaining|\blots?\b|shares|contracts|units|menge|stuck|anzahl|cantidad|aantal|ilosc|\bantall?\b|nominal|количество|数量/,
} as const;

export function isKin(column: string, of: keyof typeof KIN): boolean {
  const name = plainName(column);
  return (
    KIN[of].test(name) &&
    !/strike|exercise|basispreis|\bfx\b|exchange|valuta|wechsel|devisen|conver/.test(name)
  );
}

export function isOtherDay(column: string): boolean {
  return /settle|value date|valuta|valeur|expir|maturity|verfall|vencim|scaden|ex date|pay date/.test(
    plainName(column),
  );
}

const SIDES =
  /side|direct|\bdir\b|\bbuy\b|\bb s\b|\bbs\b|long short|\bl s\b|position|seite|richtung|kauf|\bsens\b|achat|\blado\b|sentido|compra|\blato\b|direzione|segno|\bc v\b|richting|koop|\bk s\b|kupno|strona|kierunek|\bkob\b|\bkjop\b|направление|売買|买卖|매매/;

/** Whether a column's name says that it may hold the side. */
export function isSideName(column: string): boolean {
  return isKindName(column) || SIDES.test(plainName(column));
}

/** Costs that may be income, be in the price, or what is left of an amount. */
export function isUnclearCost(column: string): boolean {
  return /after|before|incl|excl|\bnet|gross|balance|spread|taxable|\bpre|rebate|swap|funding|rollover|financing/.test(
    plainName(column),
  );
}

/**
 * The zone in names of columns with times: Time (UTC), Closing Time (UTC+2); "?" for
 * parts of an hour.
 */
export function zoneIn(columns: readonly string[]): string | undefined {
  const offset = /(?:\b|_)(?:UTC|GMT) ?(?:([-+])0?(\d{1,2})(?::?(\d\d))?)?(?![\w+-])/i;
  const [whole, sign, hours = '0', minutes = '00'] = columns.flatMap(
    (name) => offset.exec(name) ?? [],
  );
  if (whole === undefined) return undefined;
  if (minutes !== '00') return '?';

  // Etc/GMT-2 is two hours ahead of Greenwich.
  return hours === '0' ? 'UTC' : `Etc/GMT${sign === '+' ? '-' : '+'}${hours}`;
}

const CURRENCIES =
  /\b(USD|EUR|GBP|CHF|JPY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|HKD|SGD|ZAR|BRL|MXN|TRY|KRW|CNY|USDT|USDC)\b/;

/** The currency in a column's name: Price (USD), Net P&L INR. */
export function currencyIn(column: string): string | undefined {
  return CURRENCIES.exec(column)?.[1];
}

function withoutUnit(column: string): string {
  return column
    .slice(0, 100)
    .replace(/[([{][^([{)\]}]*[)\]}]/g, ' ')
    .replace(CURRENCIES, ' ')
    .replace(/[ _](UTC|GMT)$/i, ' ');
}

/** Words of cells. Those of a side may state its effect. */
const WORDS = {
  side: {
    buy: 'buy, bought, b, bot, purchase, kauf, gekauft, achat, achete, compra, acquisto, koop, aankoop, kupno, zakup, kop, kopt, kob, kjop, покупка, 買, 買付, 买入, 매수',
    sell: 'sell, sold, s, sld, sale, verkauf, verkauft, vente, vendu, venta, venda, vendita, verkoop, sprzedaz, salj, sald, salg, продажа, 売, 売付, 卖出, 매도',
    'buy open': 'buy to open, bto, bought to open, buy open',
    'buy close':
      'buy to close, btc, bought to close, buy close, buy to cover, buy cover, bought to cover, cover',
    'sell open':
      'sell to open, sto, sold to open, sell open, sell short, sold short, short sale, short sell',
    'sell close': 'sell to close, stc, sold to close, sell close',
  },
  position: {
    long: 'long, l, largo, lungo, 買建',
    short: 'short, corto, 売建',
  },
  market: {
    stock:
      'stock, stocks, equity, equities, eq, stk, share, shares, etf, etfs, aktie, aktien, actions, acciones, acoes, azioni, aandelen, akcje',
    future: 'future, futures, fut, futuros',
    option: 'option, options, opt, optn, optionen, opciones, opzioni, opties, opcje',
    forex: 'forex, fx, devisen',
    crypto: 'crypto, cryptocurrency, krypto, cripto',
    cfd: 'cfd, cfds',
  },
  option_type: {
    call: 'call, c, ce, calls',
    put: 'put, p, pe, puts',
  },
  // Rows that count: of a status, of a kind, and kinds of orders.
  counts: {
    yes: 'filled, fill, fills, fully filled, executed, execution, complete, completed, done, closed, trade, trades, ausgefuhrt, ejecutada, eseguito, executada, uitgevoerd, zrealizowane, market, limit, stop, stop limit, mkt, lmt, market order, limit order, 約定, 成交, 체결',
  },
} as const satisfies Record<string, Record<string, string>>;

const BY_WORD = new Map(
  Object.entries<Record<string, string>>(WORDS).map(([kind, meanings]) => {
    const pairs = Object.entries(meanings).flatMap(([meaning, words]) =>
      words.split(', ').map((word) => [word, meaning] as const),
    );
    return [kind, new Map(pairs)];
  }),
);

/** The meaning of a cell's word; undefined if unknown. */
export function meaningOf(kind: keyof typeof WORDS, word: string): string | undefined {
  return BY_WORD.get(kind)?.get(plainWord(word));
}
