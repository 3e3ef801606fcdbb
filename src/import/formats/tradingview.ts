/**
 * TradingView's list of a strategy's trades: two rows per trade, entry and exit, in the
 * chart's language. Columns are in one of two orders, headings end with the currency, and
 * only the file's name has the symbol.
 */
import { quote, RowError } from '../../errors.ts';
import { contractSize, futureOf } from '../../journal/derivatives.ts';
import { roundMoney } from '../../money.ts';
import {
  type Cell,
  cellError,
  moneyIn,
  numberIn,
  positiveIn,
} from '../../parse/cells.ts';
import { type CsvRow, isEmpty, readCsv } from '../../parse/csv-rows.ts';
import {
  cfd,
  coins,
  forexPair,
  future,
  type Instrument,
  stock,
} from '../../parse/instruments.ts';
import { assumedZone, dayStartIn, decimalOf } from '../../parse/times.ts';
import { closedTrades, pointsOf, type RoundTrip } from '../tables/closed-trade.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  optional,
  type Places,
  type TableFile,
} from '../tables/declaration.ts';
import type { ReadContext } from '../tables/format.ts';
import { rowsTable } from '../tables/rows.ts';
import { KNOWN } from './known.ts';

const COLUMNS = {
  // Lists of paper trading have trades of several symbols.
  symbol: optional('symbol'),
  number: mayBeEmpty('number'),
  type: mayBeEmpty('type'),
  executed_at: mayBeEmpty('time'),
  signal: mayBeEmpty('signal'),
  price: mayBeEmpty('price'),
  quantity: mayBeEmpty('quantity'),
  // Of the position at entry; some versions lack it.
  value: optional('value'),
  net: mayBeEmpty('net P&L'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;
type File = TableFile<typeof COLUMNS>;

export const tradingview = rowsTable({
  ...KNOWN.tradingview,
  table(text) {
    const { header, rows } = readCsv(text);
    return { header, rows: rows.filter((row) => !isEmpty(row)) };
  },
  places: placesIn,
  columns: COLUMNS,
  dates: 'reformatted',
  zone: (_, context) => assumedZone(context),
  style: (rows) => ({ decimal: decimalOf(rows.map(({ price }) => price.text)) }),
  end(rows, file) {
    const { context } = file;
    const [first] = rows;
    const stated = currencyNamed(first?.net) ?? currencyNamed(first?.price);
    const currency = stated ?? context.user.base_currency;
    const hasTimes = file.once(hasTimesOfDay);
    const trades: StatedTrade[] = [];

    for (const ofTrade of Map.groupBy(
      rows,
      ({ symbol, number }) => `${symbol?.text} ${number.text}`,
    ).values()) {
      const [entry, exit] = pairOf(ofTrade, file);
      if (exit === undefined) file.skip('open position', ofTrade.length);
      else
        trades.push(
          tradeOf(entry, exit, instrumentIn(context, currency, entry.symbol), file),
        );
    }

    const { records, notes } = closedTrades('tradingview', withFees(trades));
    const total = trades.reduce((sum, { net }) => sum + net, 0);

    return {
      records,
      notes: [
        ...(hasTimes
          ? []
          : [
              'this file has dates without times; hours and holding times are meaningless',
            ]),
        ...(first && stated === null
          ? [`no currency in this file; using ${currency}`]
          : []),
        ...notes,
      ],
      stated: [{ what: 'net', currency, symbol: null, amount: roundMoney(total) }],
    };
  },
});

const SYMBOL = /^symbol$/i;

/** English column names. */
const NAMES = {
  Type: /^type$/i,
  Date: /^date/i,
  Price: /^price\b/i,
  Quantity: /^(contracts|quantity|qty|(position )?size( \(qty\))?)$/i,
  'Net P&L': /^(net )?(p&l|pnl|profit)( [A-Z]{3,5})?$/i,
};

/** @throws RowError if an English header lacks a column */
function refuseMissing({ cells: names, line }: CsvRow): void {
  const missing = Object.entries(NAMES).filter(
    ([, pattern]) => !names.some((name) => pattern.test(name)),
  );
  const [first] = missing;
  if (first && missing.length <= 2)
    throw new RowError(first[0], 'is missing from the header', line);
}

/**
 * Columns by English name, else by position: number; type, time and signal; price,
 * quantity, P&L.
 */
function placesIn(header: CsvRow, [first]: readonly CsvRow[]): Places {
  refuseMissing(header);
  const symbol = header.cells.findIndex((name) => SYMBOL.test(name));
  if (symbol === -1) return otherPlacesIn(header, first);

  const others = header.cells.flatMap((_, index) => (index === symbol ? [] : index));
  const without = (row: CsvRow) => ({
    ...row,
    cells: others.map((index) => row.cells[index] ?? ''),
  });

  const places = Object.entries(otherPlacesIn(without(header), first && without(first)));
  return {
    symbol,
    ...Object.fromEntries(places.map(([name, place]) => [name, others[place as number]])),
  };
}

/** The columns without that of the symbol. */
function otherPlacesIn(header: CsvRow, first: CsvRow | undefined): Places {
  const { cells: names, line } = header;
  const named = (pattern: RegExp, otherwise: number) => {
    const index = names.findIndex((name) => pattern.test(name));
    return index === -1 ? otherwise : index;
  };

  const isDate = (index: number) =>
    /^\d{1,4}[-/.]\d\d?[-/.]\d/.test(first?.cells[index] ?? '');
  const time = [1, 2, 3].find(isDate) ?? named(NAMES.Date, 2);
  const type = named(NAMES.Type, 1);
  const signal = [1, 2, 3].find((index) => index !== time && index !== type) ?? 3;
  const quantity = named(NAMES.Quantity, 5);
  const after = names.findIndex(
    (name, index) => index > quantity && name !== '' && !/[(（%]/.test(name),
  );
  const net = named(NAMES['Net P&L'], after);
  const value = names.findIndex((name, index) => index > quantity && /[)）]$/.test(name));
  if (net === -1 || quantity >= names.length)
    throw new RowError('Net P&L', 'is missing from the header', line);

  const places = {
    number: 0,
    type,
    executed_at: time,
    signal,
    price: named(NAMES.Price, 4),
    quantity,
    net,
  };

  return { ...places, value: value === -1 ? undefined : value };
}

/**
 * The currency at the end of a heading; null if it has none, as a strategy without a
 * currency of its own.
 */
function currencyNamed(cell: Cell | undefined): string | null {
  const named = /\b([A-Z]{3,5})$/.exec(cell?.column ?? '')?.[1] ?? null;
  return named === 'NONE' ? null : named;
}

function hasTimesOfDay({ rows }: File): boolean {
  return rows().some(({ executed_at }) => executed_at.text.includes(':'));
}

function instantOf({ executed_at: cell }: Cells, file: File): string {
  if (file.once(hasTimesOfDay)) return file.instantIn(cell);
  return dayStartIn(cell, file.order);
}

const ENTRY =
  /entry|entrada|entrée|einstieg|entrata|ingresso|вход|giriş|wejście|エントリー|进场|進場|入场|진입/i;
const EXIT =
  /exit|salida|saída|sortie|ausstieg|uscita|выход|çıkış|wyjście|エグジット|決済|出场|出場|离场|청산/i;
const LONG = /long|larg|compra|лонг|длин|uzun|多|ロング|롱|매수/i;
const SHORT = /short|cort|court|venda|vente|шорт|корот|kısa|空|ショート|숏|매도/i;

/** @returns entry and exit of one trade; the exit is undefined while it is open */
function pairOf(
  rows: readonly [Cells, ...Cells[]],
  file: File,
): [Cells, Cells | undefined] {
  const [first, second, ...more] = rows;
  const { number, type } = first;
  if (more.length > 0) {
    throw new RowError(
      number.column,
      `trade ${number.text} has more than two rows`,
      more[0]?.number.line,
    );
  }

  if (second === undefined) return [first, undefined];

  const kinds = [kindOf(type), kindOf(second.type)];
  if (kinds[0] === kinds[1] && kinds[0] !== undefined) {
    throw new RowError(
      type.column,
      `trade ${number.text} must have one entry and one exit`,
      second.type.line,
    );
  }

  const isUnnamed = kinds[0] === undefined && kinds[1] === undefined;
  const isExitFirst = isUnnamed
    ? isLater(first, second, file)
    : kinds[0] === 'exit' || kinds[1] === 'entry';
  const [entry, exit] = isExitFirst ? [second, first] : [first, second];
  // The time of a future exit is empty, or a word.
  const isOpen = /^open$/i.test(exit.signal.text) || !/\d/.test(exit.executed_at.text);

  return [entry, isOpen ? undefined : exit];
}

function isLater(first: Cells, second: Cells, file: File): boolean {
  const [a, b] = [instantOf(first, file), instantOf(second, file)];
  if (a !== b) return a > b;
  throw cellError(first.type, 'must contain entry or exit');
}

function kindOf({ text }: Cell): 'entry' | 'exit' | undefined {
  if (ENTRY.test(text)) return 'entry';
  return EXIT.test(text) ? 'exit' : undefined;
}

interface StatedTrade extends RoundTrip {
  net: number;
}

/** A closed trade with gross P&L from its prices and contract size. */
function tradeOf(
  entry: Cells,
  exit: Cells,
  instrument: Instrument,
  file: File,
): StatedTrade {
  const { style } = file;
  const { type, price } = entry;
  const isShort = SHORT.test(type.text);
  if (isShort === LONG.test(type.text)) {
    throw cellError(type, 'must be Entry long, Exit long, Entry short or Exit short');
  }

  const end = (cells: Cells) => ({
    executedAt: instantOf(cells, file),
    price: numberIn(cells.price, style),
  });

  const quantity = positiveIn(exit.quantity, style);
  const trade = {
    line: type.line,
    id: null,
    account: null,
    instrument,
    side: isShort ? ('short' as const) : ('long' as const),
    quantity,
    entry: end(entry),
    exit: end(exit),
    fees: 0,
    gross: 0,
    net: moneyIn(exit.net, style),
  };
  const value = entry.value && numberIn(entry.value, style);
  const [ofProfit, ofPrice] = [currencyNamed(exit.net), currencyNamed(price)];
  const hasPriceInCurrency =
    ofProfit === null || ofPrice === null || ofProfit === ofPrice;
  const multiplier = sizeOf(trade, hasPriceInCurrency ? value : undefined);

  return { ...trade, multiplier, gross: roundMoney(pointsOf(trade) * multiplier) };
}

/**
 * Money per point: the position's value divided by price and quantity, else the specified
 * contract size.
 */
function sizeOf(
  { instrument, entry, quantity }: RoundTrip,
  value: number | undefined,
): number {
  if (value)
    return Number((Math.abs(value) / Math.abs(entry.price * quantity)).toPrecision(3));
  return instrument.market === 'future'
    ? (contractSize(instrument.underlying ?? '')?.multiplier ?? 1)
    : 1;
}

/**
 * Commissions are gross minus net P&L, unless that is negative, as after a currency
 * conversion.
 */
function withFees(trades: readonly StatedTrade[]): RoundTrip[] {
  const fees = trades.map(({ gross, net }) => roundMoney(gross - net));
  const isPlain = fees.every((fee) => fee > -0.0051) && fees.some((fee) => fee > 0.0051);
  if (isPlain)
    return trades.map((trade, index) => ({ ...trade, fees: fees[index] as number }));

  const isRounded = fees.every((fee) => Math.abs(fee) <= 0.0051);
  return trades.map((trade) => ({
    ...trade,
    gross: trade.net,
    multiplier: isRounded ? (trade.multiplier ?? null) : null,
  }));
}

const CRYPTO =
  /^(BINANCE\w*|BYBIT|OKX|COINBASE|KRAKEN|BITSTAMP|BITFINEX|BITGET|KUCOIN|MEXC|GEMINI|GATEIO|PHEMEX|CRYPTO\w*|DERIBIT|BITMEX|HTX|HYPERLIQUID)$/;
/** Brokers with prices for CFDs and currencies. */
const CFDS =
  /^(OANDA|FX|FOREXCOM|FXCM|CAPITALCOM|PEPPERSTONE|EIGHTCAP|BLACKBULL|SAXO|ICMARKETS|VANTAGE|FPMARKETS|FUSIONMARKETS|SPREADEX|EASYMARKETS|TICKMILL|ACTIVTRADES|SKILLING|GLOBALPRIME|IG|TVC)$/;
const FUTURES = /^(CME|CBOT|NYMEX|COMEX|EUREX|ICE\w*|CFE|CBOE)$/;

/**
 * --symbol NASDAQ:AAPL, else in the file's name: Strategy_NASDAQ_AAPL_2026-11-20.csv
 * @param cell the row's symbol, if the file has a column of them
 */
function instrumentIn(
  { fileName, symbol: typed }: ReadContext,
  currency: string,
  cell: Cell | undefined,
): Instrument {
  if (cell?.text === '') throw RowError.missing([cell.column], cell.line);

  const text = cell?.text ?? typed;
  const inName = /(?:^|_)([A-Z0-9]+)(?:_(?:MINI|IDC|DLY))?_([^_]+)_\d{4}-\d\d-\d\d/;
  const [, exchange = '', symbol] =
    (text ? /^(?:([^:]+):)?(.+)$/.exec(text) : inName.exec(fileName)) ?? [];
  if (symbol === undefined) {
    const example = 'Strategy_NASDAQ_AAPL_2026-11-20.csv';
    throw new RowError(
      null,
      `no symbol in the file's name; use TradingView's own, such as ${example}, or pass --symbol NASDAQ:AAPL; got ${quote(fileName)}`,
    );
  }

  return tradingViewInstrument(exchange, symbol, currency);
}

/** @param currency of instruments without their own by exchange or name */
export function tradingViewInstrument(
  exchange: string,
  symbol: string,
  currency: string,
): Instrument {
  if (symbol.endsWith('!') || FUTURES.test(exchange))
    return { ...future(symbol), currency };
  if (CRYPTO.test(exchange)) return coins(symbol, currency);
  const pair = forexPair(symbol);
  if (pair) return { ...pair, currency };
  if (CFDS.test(exchange)) return cfd(symbol, currency);
  return { ...(hasMonth(symbol) ? future(symbol) : stock(symbol)), currency };
}

/**
 * With a broker in place of the exchange, only the symbol shows a future: MESZ2026, NQZ5.
 */
function hasMonth(symbol: string): boolean {
  const { root, month = null, year } = futureOf(symbol) ?? {};
  return month !== null && (year?.length === 4 || contractSize(root ?? '') !== undefined);
}
