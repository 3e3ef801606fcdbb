/**
 * TradingView's list of a strategy's trades: two rows per trade, entry and exit, in the chart's language. Columns are in one of
 * two orders, headings end with the currency, and only the file's name has the symbol.
 * In code because columns are found by position, and rows are paired.
 */
import { quote, RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { reading, skip } from '../fills/reading.ts';
import { type Cell, cellError } from '../parse/columns.ts';
import { type CsvRow, isEmpty, readCsv } from '../parse/csv-rows.ts';
import { cfd, coins, contractSize, forexPair, future, futureOf, type Instrument, stock } from '../parse/instruments.ts';
import { moneyIn, type NumberStyle, numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, dateOrderOf, dayStartIn, decimalOf, instantIn, spreadsheetOrder } from '../parse/times.ts';
import { closedTrades, pointsOf, type RoundTrip } from '../table/closed-trade.ts';
import type { Format, ReadContext } from '../table/format.ts';

export const tradingview: Format = {
  name: 'tradingview',
  description: 'TradingView: Strategy Report, List of trades, Export (CSV), with its original file name',
  evidence: 'real files',
  holds: 'trades',
  looksLike(start) {
    const [header = ''] = start.split('\n', 1);
    const names = header.split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim());
    const isNumbered = /#|^trade number$|№|^nr\b|n[.º°]|^n[uú]m|番号|编号|번호/i.test(names[0] ?? '');
    return (
      isNumbered &&
      !names.some((name) => /^instrument$/i.test(name)) &&
      names.length >= 7 &&
      names.some((name) => name.endsWith('%') || /^(profit|net p&l)\b/i.test(name))
    );
  },
  read(text, context) {
    const { header, rows } = readCsv(text);
    const data = rows.filter((row) => !isEmpty(row));
    const columns = columnsIn(header, data);
    const { zone, note } = assumedZone(context);
    const instrument = instrumentIn(context, columns.currency ?? context.user.base_currency);
    const times = data.map(({ cells }) => cells[columns.time] ?? '');
    const order = dateOrderOf(times, spreadsheetOrder(times));
    const hasTimes = data.some(({ cells }) => /:/.test(cells[columns.time] ?? ''));
    const style: NumberStyle = { decimal: decimalOf(data.map(({ cells }) => cells[columns.price] ?? '')) };
    const instant = (cell: Cell) => (hasTimes ? instantIn : dayStartIn)(cell, order, zone);
    const skipped = new Map<string, number>();
    const trades: StatedTrade[] = [];
    for (const own of Map.groupBy(data, ({ cells }) => cells[0]).values()) {
      const [entry, exit] = pairOf(own, columns, instant);
      if (exit === undefined) skip(skipped, 'open position', own.length);
      else trades.push(tradeOf(entry, exit, columns, { instrument, style, instant }));
    }
    const { records, notes } = closedTrades('tradingview', withFees(trades));
    const total = trades.reduce((sum, { net }) => sum + net, 0);
    return reading({
      rows: data.length,
      records,
      skipped,
      notes: [
        note,
        ...(hasTimes ? [] : ['this file has dates without times; hours and holding times are meaningless']),
        ...(columns.currency === null ? [`no currency in this file; using ${instrument.currency}`] : []),
        ...notes,
      ],
      stated: [{ what: 'net', currency: instrument.currency, symbol: null, amount: roundMoney(total) }],
    });
  },
};

interface Columns {
  type: number;
  time: number;
  signal: number;
  price: number;
  quantity: number;
  /** Value of the position at entry; -1 in versions without it. */
  value: number;
  net: number;
  names: readonly string[];
  /** Of the P&L; null if the heading has none. */
  currency: string | null;
  hasPriceInCurrency: boolean;
}

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
  const missing = Object.entries(NAMES).filter(([, pattern]) => !names.some((name) => pattern.test(name)));
  const [first] = missing;
  if (first && missing.length <= 2) throw new RowError(first[0], 'is missing from the header', line);
}

/** Columns by English name, else by position: number; type, time and signal; price, quantity, P&L. */
function columnsIn(header: CsvRow, rows: readonly CsvRow[]): Columns {
  refuseMissing(header);
  const { cells: names, line } = header;
  const named = (pattern: RegExp, otherwise: number) => {
    const index = names.findIndex((name) => pattern.test(name));
    return index === -1 ? otherwise : index;
  };
  const first = rows[0]?.cells ?? [];
  const time = [1, 2, 3].find((index) => /^\d{1,4}[-/.]\d\d?[-/.]\d/.test(first[index] ?? '')) ?? named(NAMES.Date, 2);
  const type = named(NAMES.Type, 1);
  const signal = [1, 2, 3].find((index) => index !== time && index !== type) ?? 3;
  const price = named(NAMES.Price, 4);
  const quantity = named(NAMES.Quantity, 5);
  const after = names.findIndex((name, index) => index > quantity && name !== '' && !/[(（%]/.test(name));
  const net = named(NAMES['Net P&L'], after);
  const value = names.findIndex((name, index) => index > quantity && /[)）]$/.test(name));
  if (net === -1 || quantity >= names.length) throw new RowError('Net P&L', 'is missing from the header', line);
  const currencyOf = (index: number) => /\b([A-Z]{3,5})$/.exec(names[index] ?? '')?.[1] ?? null;
  const currency = currencyOf(net);
  const hasPriceInCurrency = [currency, null].includes(currencyOf(price));
  return { type, time, signal, price, quantity, value, net, names, currency, hasPriceInCurrency };
}

function cell({ cells, line }: CsvRow, { names }: Columns, index: number): Cell {
  return { text: (cells[index] ?? '').trim(), column: names[index] || `column ${index + 1}`, line };
}

const ENTRY = /entry|entrada|entrée|einstieg|entrata|ingresso|вход|giriş|wejście|エントリー|进场|進場|入场|진입/i;
const EXIT = /exit|salida|saída|sortie|ausstieg|uscita|выход|çıkış|wyjście|エグジット|決済|出场|出場|离场|청산/i;
const LONG = /long|larg|compra|лонг|длин|uzun|多|ロング|롱|매수/i;
const SHORT = /short|cort|court|venda|vente|шорт|корот|kısa|空|ショート|숏|매도/i;

/** @returns entry and exit of one trade; the exit is undefined while it is open */
function pairOf(
  rows: readonly CsvRow[],
  columns: Columns,
  instant: (cell: Cell) => string,
): [CsvRow, CsvRow | undefined] {
  const [first, second, ...more] = rows as [CsvRow, ...CsvRow[]];
  if (more.length > 0) {
    throw new RowError(columns.names[0] ?? null, `trade ${first.cells[0]} has more than two rows`, more[0]?.line);
  }
  if (second === undefined) return [first, undefined];
  const kinds = [first, second].map((row) => kindOf(cell(row, columns, columns.type)));
  if (kinds[0] === kinds[1] && kinds[0] !== undefined) {
    const name = columns.names[columns.type] ?? null;
    throw new RowError(name, `trade ${first.cells[0]} must have one entry and one exit`, second.line);
  }
  const isUnnamed = kinds[0] === undefined && kinds[1] === undefined;
  const isExitFirst = isUnnamed
    ? isLater(first, second, columns, instant)
    : kinds[0] === 'exit' || kinds[1] === 'entry';
  const [entry, exit] = isExitFirst ? [second, first] : [first, second];
  // The time of a future exit is empty, or a word.
  const isOpen =
    /^open$/i.test(cell(exit, columns, columns.signal).text) || !/\d/.test(cell(exit, columns, columns.time).text);
  return [entry, isOpen ? undefined : exit];
}

function isLater(first: CsvRow, second: CsvRow, columns: Columns, instant: (cell: Cell) => string): boolean {
  const [a, b] = [first, second].map((row) => instant(cell(row, columns, columns.time))) as [string, string];
  if (a !== b) return a > b;
  const type = cell(first, columns, columns.type);
  throw cellError(type, 'must contain entry or exit');
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
  entry: CsvRow,
  exit: CsvRow,
  columns: Columns,
  { instrument, style, instant }: { instrument: Instrument; style: NumberStyle; instant: (cell: Cell) => string },
): StatedTrade {
  const type = cell(entry, columns, columns.type);
  const isShort = SHORT.test(type.text);
  if (isShort === LONG.test(type.text)) {
    throw cellError(type, 'must be Entry long, Exit long, Entry short or Exit short');
  }
  const end = (row: CsvRow) => ({
    executedAt: instant(cell(row, columns, columns.time)),
    price: numberIn(cell(row, columns, columns.price), style),
  });
  const quantity = positiveIn(cell(exit, columns, columns.quantity), style);
  const trade = {
    line: entry.line,
    id: null,
    account: null,
    instrument,
    side: isShort ? ('short' as const) : ('long' as const),
    quantity,
    entry: end(entry),
    exit: end(exit),
    fees: 0,
    gross: 0,
    net: moneyIn(cell(exit, columns, columns.net), style),
  };
  const value = columns.value === -1 ? undefined : numberIn(cell(entry, columns, columns.value), style);
  const multiplier = sizeOf(trade, columns.hasPriceInCurrency ? value : undefined);
  return { ...trade, multiplier, gross: roundMoney(pointsOf(trade) * multiplier) };
}

/** Money per point: the position's value divided by price and quantity, else the specified contract size. */
function sizeOf({ instrument, entry, quantity }: RoundTrip, value: number | undefined): number {
  if (value) return Number((Math.abs(value) / Math.abs(entry.price * quantity)).toPrecision(3));
  return instrument.market === 'future' ? (contractSize(instrument.underlying ?? '')?.multiplier ?? 1) : 1;
}

/** Commissions are gross minus net P&L, unless that is negative, as after a currency conversion. */
function withFees(trades: readonly StatedTrade[]): RoundTrip[] {
  const fees = trades.map(({ gross, net }) => roundMoney(gross - net));
  const isPlain = fees.every((fee) => fee > -0.0051) && fees.some((fee) => fee > 0.0051);
  if (isPlain) return trades.map((trade, index) => ({ ...trade, fees: fees[index] as number }));
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

/** --symbol NASDAQ:AAPL, else in the file's name: Strategy_NASDAQ_AAPL_2026-11-20.csv */
function instrumentIn({ fileName, symbol: given }: ReadContext, currency: string): Instrument {
  const inName = /(?:^|_)([A-Z0-9]+)(?:_(?:MINI|IDC|DLY))?_([^_]+)_\d{4}-\d\d-\d\d/;
  const [, exchange = '', symbol] = (given ? /^(?:([^:]+):)?(.+)$/.exec(given) : inName.exec(fileName)) ?? [];
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
export function tradingViewInstrument(exchange: string, symbol: string, currency: string): Instrument {
  if (symbol.endsWith('!') || FUTURES.test(exchange)) return { ...future(symbol), currency };
  if (CRYPTO.test(exchange)) return coins(symbol, currency);
  const pair = forexPair(symbol);
  if (pair) return { ...pair, currency };
  if (CFDS.test(exchange)) return cfd(symbol, currency);
  return { ...(hasMonth(symbol) ? future(symbol) : stock(symbol)), currency };
}

/** With a broker in place of the exchange, only the symbol shows a future: MESZ2026, NQZ5. */
function hasMonth(symbol: string): boolean {
  const { root, month = null, year } = futureOf(symbol) ?? {};
  return month !== null && (year?.length === 4 || contractSize(root ?? '') !== undefined);
}
