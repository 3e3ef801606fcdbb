/** Names of columns and words of cells, in exports and spreadsheets of many languages. */
import { byMeaning } from '../../parse/columns.ts';

/** Names by meaning: fields of targets, and parts of fields such as date and time. */
const NAMES = {
  symbol:
    'symbol, ticker, pairs, instrument symbol, symbol name, ticker symbol, instrument, contract, contract name, security, market, pair, trading pair, asset, product, scrip, stock, coin, trading symbol, epic, wertpapier, titel, wert, instrumento, simbolo, activo, ativo, papel, valor, valeur, titre, symbole, strumento, titolo, produkt, produit, producto, prodotto, fonds, effect, contracts, company, scrip name, underlying asset, walor, papier, papier wartosciowy, spolka, nazwa instrumentu, vardepapper/beskrivning, vardepapper, vaerdipapir, verdipapir, isin',
  executed_at:
    'datetime, date time, date/time, timestamp, execution time, exec time, executed at, execution date, fill time, filled time, filled at, trade time, trade datetime, transaction time, transaction date, created at, date utc, date(utc), time utc, time(utc), date & time, order execution time, zeitpunkt, ausfuhrungszeit, datum/uhrzeit, datum uhrzeit, date heure, horodatage, date execution, fecha hora, fecha y hora, data ora, data e ora, data hora, datum tijd, tijdstip, deal time, trade created at, execution date and time, transaction date time, data i czas, data czas, data i godzina, czas transakcji, data transakcji, data wykonania, czas wykonania',
  date: 'date, trade date, t/d, trade day, day, activity date, exec date, run date, transaction date, deal date, datum, handelstag, buchungstag, tag, jour, date operation, fecha, fecha operacion, dia, data, data operazione, data negocio, transactiedatum, dzien, data operacji, tradedate, affarsdag, handelsdag, handelsdato',
  time: 'time, time of day, exec time, execution time, trade time, order time, order execution time, uhrzeit, zeit, heure, hora, ora, tijd, godzina, czas',
  opened_at:
    'open time, opentime, opened at, opened, open date, open datetime, opening time, opening date, entry time, entry date, entry datetime, entered at, entered, date opened, time opened, entry, buy date, buy time, bought, bought timestamp, bought at, date bought, purchase date, kaufdatum, date achat, fecha compra, data acquisto, data compra, aankoopdatum, create time, eroffnung, eroffnungszeit, eroffnet, einstiegszeit, einstieg, einstiegsdatum, ouverture, date ouverture, date entree, apertura, fecha apertura, fecha entrada, data apertura, data di apertura, abertura, data abertura, data entrada, openingstijd, opening, opening time utc, date entry, otwarcie, czas otwarcia, data otwarcia, data zakupu, data kupna, data wejscia, godzina otwarcia, open',
  closed_at:
    'close time, closetime, closed at, closed, close date, closed date, closing time, closing date, exit time, exit date, exit datetime, exited at, exited, date closed, time closed, exit, sell date, sell time, sold, sold timestamp, sold at, date sold, sale date, verkaufsdatum, date vente, fecha venta, data vendita, data venda, verkoopdatum, filled/settlement time, settlement time, schliesszeit, schlusszeit, geschlossen, ausstiegszeit, ausstieg, ausstiegsdatum, cloture, date cloture, fermeture, date sortie, cierre, fecha cierre, fecha salida, chiusura, data chiusura, data di chiusura, fechamento, data fechamento, data saida, sluitingstijd, sluiting, closing time utc, date exit, zamkniecie, czas zamkniecia, data zamkniecia, data sprzedazy, data wyjscia, godzina zamkniecia, close',
  side: 'side, action, type, direction, buy/sell, b/s, bs, trade type, transaction type, transaction, order side, operation, long/short, market pos, market pos., trans code, dir, seite, richtung, kauf/verkauf, art, typ, sens, achat/vente, lado, sentido, operacion, tipo, compra/venta, tipo operacion, lato, direzione, operazione, segno, compra/venda, c/v, operacao, richting, koop/verkoop, soort, v/k, k/s, kupno/sprzedaz, rodzaj, strona, kierunek, operacja, typ transakcji, rodzaj transakcji, l/s, typ av transaktion, transaktionstyp, kob/salg, kjop/salg, b or s, buy or sell',
  quantity:
    'quantity, qty, qty., size, volume, shares, contracts, lots, lot, units, filled, filled qty, filled quantity, vol, vol., fill qty, exec qty, executed, executed qty, no. of shares, number of shares, position size, menge, stuck, stucke, stuckzahl, anzahl, nominale, quantite, qte, nombre, cantidad, titulos, acciones, volumen, quantita, qta, quantidade, qtd, qtde, qtd., aantal, hoeveelheid, numero, size tokens, closing quantity, trade quantity, closed quantity, lot size, filled size, executed quantity, last qty, ilosc, liczba, liczba sztuk, sztuki, wolumen, grosse, positionsgrosse, antal, antall, maengde, mangd, amount',
  price:
    'price, fill price, exec price, execution price, executed price, avg price, avg. price, average price, trade price, t. price, price / share, price per share, avg fill price, filled price, unit price, rate, amount, kurs, preis, ausfuhrungskurs, prix, cours, prix unitaire, precio, cotizacion, prezzo, preco, koers, prijs, prezzo medio, preco medio, precio medio, cena, cena jednostkowa, cena wykonania, cena transakcji, pris, koers per stuk',
  entry_price:
    'entry price, open price, opening price, avg entry, avg entry price, avg. entry price, average entry price, entry, open, in, price in, buy price, purchase price, bought price, kaufpreis, kaufkurs, prix achat, precio compra, prezzo acquisto, preco compra, aankoopprijs, einstieg, einstiegskurs, eroffnungskurs, einstiegspreis, prix entree, prix ouverture, prix d entree, precio entrada, precio apertura, precio de entrada, prezzo apertura, prezzo ingresso, prezzo di ingresso, preco entrada, preco de entrada, openingskoers, instapkoers, cena otwarcia, kurs otwarcia, cena wejscia, cena zakupu, cena kupna',
  exit_price:
    'exit price, close price, closing price, avg exit, avg exit price, avg. exit price, average exit price, exit, close, out, price out, sell price, sold price, sale price, verkaufspreis, verkaufskurs, prix vente, precio venta, prezzo vendita, preco venda, verkoopprijs, filled price, ausstieg, ausstiegskurs, schlusskurs, ausstiegspreis, prix sortie, prix cloture, prix de sortie, precio salida, precio cierre, precio de salida, prezzo chiusura, prezzo uscita, prezzo di uscita, preco saida, preco de saida, sluitkoers, uitstapkoers, cena zamkniecia, kurs zamkniecia, cena wyjscia, cena sprzedazy',
  fees: 'fee, fees, total fees, fee(s), commission, commissions, comm, comm., comm/fee, commission fee, trading fee, trading fees, brokerage, charges, cost, costs, transaction costs, exchange fee, exchange fees, clearing fee, clearing fees, regulatory fees, reg fee, nfa fee, routing fee, sec, sec fee, taf, nscc, nasdaq, ecn remove, ecn add, swap, swaps, tax, taxes, stamp duty, gebuhr, gebuhren, provision, spesen, kosten, kommission, fremdspesen, frais, courtage, comision, comisiones, gastos, tasas, commissione, commissioni, spese, tasse, comissao, taxas, taxa, custos, corretagem, emolumentos, commissie, transactiekosten, costes de transaccion, costes, frais de courtage, costi di transazione, custos de transacao, transaction fees, commision, commisions, fee charged, fees charged, commission amount, brokerage fee, prowizja, prowizje, oplata, oplaty, koszty, podatek, provisjon, kurtage, kurtasje, avgift, avgifter, omkostninger, gebyr, gst, stt, brokerage charges, other charges',
  amount:
    'value, trade value, amount, total, total value, trade amount, gross amount, principal, principal amount, order value, consideration, turnover, betrag, gesamtbetrag, montant, importe, importo, controvalore, bedrag, wartosc, kwota, wartosc transakcji, belopp, belob, belop, summa',
  fee_currency:
    'fee currency, fee coin, fee asset, fee unit, fee ccy, fee token, commission currency, commission asset, commission coin',
  currency:
    'currency, ccy, curr, trade currency, currency (price / share), settlement currency, quote currency, quote asset, wahrung, devise, divisa, moneda, valuta, moeda, munt, waluta, cur, instrumentvaluta, instrument currency',
  pnl: 'pnl, p&l, p/l, p / l, pl, profit, profit/loss, profit and loss, profit loss, gain, gain/loss, realized pnl, realized p&l, realized p/l, realized pl, realised pnl, realised p&l, realised pl, realised p/l, realized profit, realized_pl, closed pnl, closed p&l, closedpnl, result, gewinn, gewinn/verlust, guv, g/v, ergebnis, resultat, plus value, ganancia, beneficio, resultado, profitto, utile, risultato, lucro, winst, winst/verlies, resultaat, return $, profit usd, pnl usd, total pnl, zysk, zysk/strata, wynik, zysk strata, p/l usd, resultat sek, vinst, gevinst',
  gross_pnl:
    'gross pnl, gross p&l, gross p/l, gross profit, gross pl, gross, brutto, gewinn brutto, brut, bruto, lordo, utile lordo, gross usd, gross eur, gross $, zysk brutto, wynik brutto',
  net_pnl:
    'net pnl, net p&l, net p/l, net profit, net pl, net, netto, gewinn netto, nettogewinn, resultat net, resultado neto, beneficio neto, utile netto, lucro liquido, resultado liquido, nettoresultaat, net return, net usd, net eur, net $, net profit loss, zysk netto, wynik netto',
  account:
    'account, account name, account id, account number, account no, acct, acct., portfolio, konto, depot, kontonummer, compte, cuenta, conto, conta, rekening, rachunek, numer rachunku',
  id: 'trade id, execution id, exec id, fill id, transaction id, deal id, deal, ticket, id, trade #, trade no, trade no., trade number, txid, tx id, match id, reference, ref, no, no., nr, nr., n°, #, transaktionsnummer, geschaftsnummer, ausfuhrungsnummer, numero, id operacion, id operazione, id operacao, position id, position, transactie id, numer, numer transakcji, nr transakcji, id transakcji, nr zlecenia, pozycja',
  market:
    'asset class, asset category, asset type, instrument type, security type, symbol type, product type, market type, segment, wertpapierart, anlageklasse, classe d actifs, tipo de activo, tipo strumento, tipo de ativo, soort instrument, market segment, rynek, klasa aktywow, typ instrumentu, rodzaj instrumentu',
  multiplier:
    'multiplier, point value, contract size, contract multiplier, kontraktgrosse, multiplikator, multiplicateur, multiplicador, moltiplicatore',
  strike:
    'strike, strike price, exercise price, basispreis, strike preis, prix exercice, precio ejercicio, prezzo esercizio, preco exercicio, uitoefenprijs',
  expiration:
    'expiration, expiry, expiration date, expiry date, exp, exp date, exp., maturity, verfall, verfalldatum, verfallsdatum, echeance, vencimiento, scadenza, vencimento, expiratie, expiratiedatum, wygasniecie, data wygasniecia',
  option_type:
    'option type, put/call, call/put, call or put, right, p/c, c/p, put call, optionstyp, type option, tipo opcion, tipo opzione, tipo opcao, instrument type',
  underlying:
    'underlying, underlying symbol, underlier, root, root symbol, basiswert, sous jacent, subyacente, sottostante, ativo objeto, onderliggende waarde, instrument bazowy',
  effect: 'open/close, o/c, effect, pos effect, position effect, open close, e/x, entry/exit',
  status: 'status, state, order status, zustand, statut, estado, stato, estatus, stan',
  stop_loss: 'stop, stop loss, stoploss, sl, s / l, initial stop, stop price, stopp, stop_loss',
  take_profit:
    'target, take profit, takeprofit, tp, t / p, profit target, kursziel, ziel, objectif, objetivo, obiettivo, alvo, doel',
  initial_risk: 'risk, initial risk, risk $, risk amount, risk usd, risiko, risque, riesgo, rischio, risco, risico',
  mae: 'mae, max adverse excursion, maximum adverse excursion, position mae',
  mfe: 'mfe, max favorable excursion, maximum favourable excursion, position mfe',
  setup:
    'setup, strategy, playbook, pattern, buy rule, strategie, muster, configuration, estrategia, patron, strategia, modello, padrao, setups, trade setup, system',
  timeframe: 'timeframe, time frame, tf, chart, zeitrahmen, unite de temps, temporalidad, orizzonte, tempo grafico',
  tags: 'tags, tag, keywords, labels, stichworte, schlagworte, etiquettes, mots cles, etiquetas, palabras clave, etichette, trefwoorden',
  mistakes: 'mistakes, mistake, errors, fehler, erreurs, errores, errori, erros, fouten',
  rating:
    'rating, grade, score, stars, bewertung, note sur 5, puntuacion, valoracion, voto, nota, avaliacao, cijfer, beoordeling',
  notes:
    'notes, note, comment, comments, remarks, journal, description, market action, notizen, notiz, kommentar, bemerkung, bemerkungen, commentaire, commentaires, notas, comentario, comentarios, observaciones, commento, commenti, osservazioni, observacoes, opmerkingen, opmerking, notities, notatki, uwagi, komentarz, komentarze',
  plan: 'plan, trading plan, game plan, premarket, pre market, pre-market plan, tagesplan, piano, plano',
  mood: 'mood, emotion, emotions, feeling, stimmung, humeur, estado de animo, umore, humor, stemming',
  lesson:
    'lesson, lessons, lesson learned, lessons learned, takeaway, lektion, lehre, lecon, leccion, lezione, licao, les',
  went_well: 'went well, what went well, good, gut, was lief gut, bien, bene, bem, goed',
  went_wrong: 'went wrong, what went wrong, bad, schlecht, was lief schlecht, mal, male, slecht',
  bias: 'bias, market bias, outlook, daily bias, ausblick, biais, sesgo',
  condition: 'condition, conditions, market condition, market conditions, market window, marktlage, regime',
  sleep_hours: 'sleep, sleep hours, hours slept, schlaf, sommeil, sueno, sonno, sono, slaap',
  energy: 'energy, energy level, energie, energia',
  reason: 'reason, why, reason missed, why missed, grund, warum, raison, motivo, motivo per cui, reden',
  trade_id: 'trade, trade id, trade_id, tradeid',
} as const satisfies Record<string, string>;

export type Meaning = keyof typeof NAMES;

const MEANINGS = new Map(
  Object.entries(NAMES).map(([meaning, names]) => [meaning as Meaning, names.split(', ').map(plainName)]),
);

/** Meanings by name. */
const BY_NAME = Map.groupBy(
  [...MEANINGS].flatMap(([meaning, names]) => names.map((name) => ({ name, meaning }))),
  ({ name }) => name,
);

/** The words of names that may appear among other words. */
const WORDS = new Map(
  [...MEANINGS].map(([meaning, names]) => [meaning, names.map((name) => (name.length > 3 ? name.split(' ') : []))]),
);

/**
 * Score of a column's name for a meaning.
 * @returns 3 for one of the names, 2 if only a unit in brackets or a trailing currency differs, 1 if it contains all
 *   words of a name, 0 if it doesn't fit; earlier names score slightly higher
 */
export function fitOf(column: string, meaning: Meaning): number {
  const names = MEANINGS.get(meaning) ?? [];
  const forms = formsOf(column);
  const [whole] = forms;
  for (const [index, form] of forms.entries()) {
    const at = names.indexOf(form);
    if (at !== -1) return 3 - (index === 2 ? 1 : 0) - at / 1000;
  }
  if (meaning === 'fees' && isFee(whole)) return 1.6;
  if (meaning === 'currency' && /\b(fees?|commission)\b/.test(whole)) return 0;
  if (OTHER_UNIT.test(column) || isNamedOtherwise(forms, meaning)) return 0;
  // Gross and net amounts aren't P&L.
  if (/pnl$/.test(meaning) && /amount|value|proceeds|volume/.test(whole)) return 0;
  if (meaning === 'quantity' && (/\b(USDT?|EUR)\b/.test(column) || /quote|turnover|notional/.test(whole))) return 0;
  if (meaning === 'price' && OTHER_RATE.test(whole)) return 0;
  const words = new Set(whole.split(' '));
  const at = (WORDS.get(meaning) ?? []).findIndex((own) => own.length > 0 && own.every((word) => words.has(word)));
  return at === -1 ? 0 : 1 - at / 1000;
}

/** FeeSEC, Opening Fee, Commission Amount; not the rate or coin of a fee, nor an amount after fees. */
function isFee(name: string): boolean {
  if (
    /rate\b|currency|coin|asset|unit|type|token|balance|after|before|incl|excl|\bnet|gross|dividend|withh|bps|%/.test(
      name,
    )
  ) {
    return false;
  }
  return /^(fees?\d?|comm(ission)?s?)\b|\b(fees?|commissions?|charges|duty|levy)( amount)?$/.test(name);
}

/** An exchange rate, not a price. */
const OTHER_RATE =
  /(fx|exchange|conversion|currency|interest|base|valuta|wechsel|devisen|change|cambio) ?(rate|kurs|koers)?$/;

/** A column with the exact name of another meaning doesn't match by a word in it: Instrument Type isn't a symbol. */
function isNamedOtherwise(forms: readonly string[], meaning: Meaning): boolean {
  return forms.some((form) => BY_NAME.get(form)?.some((named) => named.meaning !== meaning));
}

/** Marks of another unit: P&L in points, return in percent, fees to date. */
const OTHER_UNIT = /points|pips|ticks|percent|%|cumul|running|kumul|return|to date/i;

/** Whether any meaning has this name. */
export function isKnownName(column: string): boolean {
  const forms = formsOf(column);
  return forms.some((form) => BY_NAME.has(form)) || isFee(forms[0]);
}

/** The currency in a column's name: Price (USD), Net P&L INR, Amount EUR. */
export function currencyIn(column: string): string | undefined {
  return /(?:^|[\s([])([A-Z]{3,4})[)\]]?$/.exec(column.trim())?.[1];
}

export const CURRENCIES =
  'USD EUR GBP CHF JPY INR CAD AUD NZD SEK NOK DKK PLN CZK HUF HKD SGD ZAR BRL MXN TRY USDT USDC BTC ETH'.split(' ');

function withoutUnit(column: string): string {
  return column
    .replace(/[([{][^([{)\]}]*[)\]}]/g, ' ')
    .replace(/\s([A-Z]{3,4})$/, (whole, code) => (CURRENCIES.includes(code) ? ' ' : whole));
}

/** Forms of a column's name for comparison: whole, with compound words unsplit, without its unit. */
function formsOf(column: string): [whole: string, together: string, unitless: string] {
  return [plainName(column), plainName(column.toLowerCase()), plainName(withoutUnit(column))];
}

/** In lower case without accents; compound words are split. */
function plainName(name: string): string {
  const split = name.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('ß', 'ss');
  return withoutAccents(split)
    .replace(/[\s_.:*/-]+/g, ' ')
    .trim();
}

function withoutAccents(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ł', 'l');
}

/**
 * Words of cells by their meaning. A side may also state its effect, and whether it may open a short: "sell open short".
 */
const CELLS = {
  side: {
    buy: 'buy, bought, b, bot, long, l, purchase, market buy, limit buy, stop buy, kauf, kaufen, gekauft, k, achat, achete, compra, comprar, acquisto, koop, aankoop, gekocht, open long, close short, buy limit, buy stop, kupno, kupiono, kup, zakup, kop, kopt, kob, kobt, kjop, kjopt',
    sell: 'sell, sold, s, sld, sale, short, market sell, limit sell, stop sell, verkauf, verkaufen, verkauft, v, vente, vendu, venta, vender, venda, vendita, verkoop, verkocht, open short, close long, sell limit, sell stop, sprzedaz, sprzedano, sprzedaj, salj, sald, salg, solgt',
    'buy open': 'buy to open, bto, buy_to_open, bought to open, open buy, buy open, buy long, entry long',
    'buy close':
      'buy to close, btc, buy_to_close, buy to cover, buy cover, bc, bought to close, bought to cover, cover, cover short, short cover, close buy, buy close, exit short',
    'sell open': 'sell to open, sto, sell_to_open, sold to open, open sell, sell open',
    'sell close': 'sell to close, stc, sell_to_close, sold to close, close sell, sell close, sell long, exit long',
    'sell open short': 'sell short, sold short, short sale, ss, sshrt, short sell, entry short',
  },
  position: {
    long: 'long, l, buy, bought, b, kauf, achat, compra, acquisto, koop, kupno, dluga',
    short: 'short, s, sell, sold, ss, verkauf, vente, venta, venda, vendita, verkoop, sprzedaz, krotka',
  },
  market: {
    stock:
      'stock, stocks, equity, equities, eq, stk, share, shares, etf, etfs, aktie, aktien, action, actions, acciones, acao, acoes, azioni, aandelen, akcje, akcja',
    future: 'future, futures, fut, futuros, futuro, termingeschaft, kontrakty, kontrakt terminowy, kontrakty terminowe',
    option:
      'option, options, opt, equity option, future option, optionen, opciones, opcoes, opzioni, opties, opcje, opcja',
    forex: 'forex, fx, currency, currencies, devisen, divisas, waluty',
    crypto: 'crypto, cryptocurrency, spot, coin, krypto, cripto, kryptowaluty, kryptowaluta',
    cfd: 'cfd, cfds',
  },
  effect: {
    open: 'open, o, to open, opening, entry, e, entree, eroffnung, otwarcie',
    close: 'close, c, to close, closing, exit, x, schliessung, cierre, zamkniecie',
  },
  option_type: {
    call: 'call, c, ce, calls, european call, call option',
    put: 'put, p, pe, puts, european put, put option',
  },
} as const satisfies Record<string, Record<string, string>>;

/** Meanings of cells by kind and word. */
const CELL_MEANINGS = new Map<string, ReadonlyMap<string, string>>(
  Object.entries<Record<string, string>>(CELLS).map(([kind, meanings]) => [
    kind,
    new Map(Object.entries(byMeaning(meanings))),
  ]),
);

/** The meaning of a cell's word; undefined if unknown. */
export function meaningOf(kind: keyof typeof CELLS, word: string): string | undefined {
  const plain = withoutAccents(word).trim();
  return CELL_MEANINGS.get(kind)?.get(plain.replace(/ ?[-–:] ?(market|limit|stop|stop limit|mkt|lmt)$/, ''));
}

/** The side of a fill without its effect: buy, sell. */
export function sideOf(word: string): string | undefined {
  return meaningOf('side', word)?.split(' ')[0];
}

/** Words in the place of a side that mean no trade. */
const NO_TRADE =
  /deposit|conversion|withdraw|dividend|interest|transfer|cancel|reject|expired order|balance|total|einzahlung|auszahlung|zinsen|storno|depot|retrait|dividende|interet|virement|annul|deposito|retiro|interes|transferencia|prelievo|bonifico|storting|opname|rente|airdrop|staking|reward|wplata|wyplata|dywidend|odsetki|przelew|anulow|uttag|insattning|utdelning|\branta|udbytte|utbytte|\bsend|receive|stak(e|ing)|payment|custody|\bfees?\b|forex (credit|debit)|top.?up/i;

export function isNoTrade(word: string): boolean {
  return NO_TRADE.test(withoutAccents(word).trim());
}
