/**
 * How files are recognised whose header's marks don't suffice. Readers aren't needed for
 * it.
 */
import { headerIn } from '../../parse/csv-rows.ts';
import { firstZipped, isZip } from '../../parse/open-file.ts';
import { type FormatBase, hasMarks, hasNoKnownExtension } from '../tables/format.ts';

type Recogniser = FormatBase['looksLike'];

/** The names in a file's first line. */
function firstNames(
  start: string,
  line: string | undefined = start.split(/\r?\n/, 1)[0],
) {
  return (line ?? '').split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim());
}

// Trading platforms.

/** A list of trades, whose numbered first column is in the language of the account. */
export const tradingview: Recogniser = (start) => {
  const [header = ''] = start.split('\n', 1);
  const names = firstNames(start, header);
  const [first = ''] = names.filter((name) => !/^symbol$/i.test(name));
  const isNumbered = /#|^trade number$|№|^nr\b|n[.º°]|^n[uú]m|番号|编号|번호/i.test(
    first,
  );

  return (
    isNumbered &&
    !names.some((name) => /^instrument$/i.test(name)) &&
    names.length >= 7 &&
    names.some((name) => name.endsWith('%') || /^(profit|net p&l)\b/i.test(name))
  );
};

export const tradingviewBalance: Recogniser = (start) =>
  / position for symbol \S+ at price /.test(start) &&
  start.includes(' Position AVG Price was ');

export const rithmicOrders: Recogniser = (start) =>
  ['Account', 'Buy/Sell', 'Symbol', 'Qty ', 'Update Time'].every((name) =>
    start.includes(name),
  );

export const rithmic: Recogniser = (start) =>
  start.includes('Entry Order Number') && start.includes('Exit Order Number');

/** A row of MetaTrader's text. */
export const METATRADER_ROW =
  /^"?(?:\d{4}\.\d\d\.\d\d \d\d:\d\d(?::\d\d)?"?[,;\t]"?\d+|\d+"?[,;\t]"?\d{4}\.\d\d\.\d\d \d\d:\d\d(?::\d\d)?)"?([,;\t])/m;

const HEADINGS =
  /content="(?:client terminal|strategy tester)"|<title>(?:Statement|Strategy Tester)|<meta name="version" content="Build|Closed Transactions:/i;

/**
 * Columns of other programs' tables, with amounts among or after MetaTrader's: FTMO's
 * journal has Pips.
 */
const OTHER_NAMES =
  /[,;\t]"?(?:[^,;\t"\n]{0,40}\b)?(?:pips|points|duration|seconds|net|gain|magic)\b/i;

/** The same in HTML with any headings. */
const PAGE_ROW =
  /<td[^<>]*>(?:\d+<\/td>\s*<td[^<>]*>\d{4}\.\d\d\.\d\d \d\d:\d\d|\d{4}\.\d\d\.\d\d \d\d:\d\d(?::\d\d)?<\/td>\s*<td[^<>]*>\d+<)/i;

export const metatrader: Recogniser = (start, fileName) => {
  if (isZip(start))
    return /\.xlsx$/i.test(fileName) || start.includes('[Content_Types].xml');
  if (METATRADER_ROW.test(start))
    return !OTHER_NAMES.test(start.slice(0, start.search(METATRADER_ROW)));
  return /<(html|table)/i.test(start) && (HEADINGS.test(start) || PAGE_ROW.test(start));
};

// Brokers.

/** A position of XTB's workbook, whose header is in the language of the account. */
export const XTB_POSITION =
  /^,?"?\d{6,}"?,,?"?[\w.#-]{2,20}"?,,?"?(?:BUY|SELL|Closed)"?,"?[\d.]+"?,"?\d{4}-\d\d-\d\d [\d:.]+"?,"?[\d.]+"?,"?\d{4}-\d\d-\d\d [\d:.]+"?,"?[\d.]+"?,/im;

export const xtb: Recogniser = (start) =>
  XTB_POSITION.test(start) ||
  hasMarks(start, [
    'Ticker',
    'Open Time (UTC)',
    'Close Time (UTC)',
    'Gross Profit',
    'Position ID',
  ]);

const withCommas = (text: string) => text.replace(/[;\t]/g, ',');

/** A spreadsheet may have changed the delimiter. */
export const ibkrTransactions: Recogniser = (start) =>
  /^Transaction History,Header,/m.test(withCommas(start.replace(/"/g, '')));

export const ibkrActivity: Recogniser = (start, fileName) =>
  !ibkrTransactions(start, fileName) &&
  /^([^,\r\n\u2028\u2029]+,Header,DataDiscriminator,|Statement,(Header,|Data,BrokerName))/m.test(
    withCommas(start.replace(/["\r]/g, '')),
  );

export const ibkrFlex: Recogniser = (start) =>
  /^\s*(<\?xml[^>]*>\s*)?<FlexQueryResponse\b/.test(start) || isFlexCsv(start);

function isFlexCsv(start: string): boolean {
  if (/^"?(BOF|HEADER)"?[,;\t]/m.test(start))
    return start.includes('ClientAccountID') || start.includes('CurrencyPrimary');
  if (/^"?ClientAccountID"?[,;\t]/m.test(start)) return true;
  return headerIn(start, ['CurrencyPrimary', 'Quantity']) !== undefined;
}

export const thinkorswim: Recogniser = (start) =>
  /^"?(Account )?Statement for .* since /im.test(start) ||
  /^DATE,TIME,TYPE,REF #,/m.test(start);

export const thinkorswimActivity: Recogniser = (start) =>
  /^"?Today's Trade Activity for /im.test(start);

export const schwab: Recogniser = (start) => {
  if (/^\s*\{/.test(start)) return start.includes('"BrokerageTransactions"');
  const lines = start.split('\n', 3);
  return lines.some((line) =>
    ['Action', 'Symbol', 'Fees & Comm'].every((name) => line.includes(name)),
  );
};

/** The place of the ISIN in DEGIRO's header in every language. */
export const DEGIRO_ISIN = 3;

export const degiro: Recogniser = (start) => {
  const names = firstNames(start);
  const isUnnamed = (from: number, to: number) =>
    names.slice(from, to).filter((name) => name === '').length >= 2;

  return (
    names.length >= 15 &&
    /\bISIN\b/.test(names[DEGIRO_ISIN] ?? '') &&
    !names.slice(0, DEGIRO_ISIN).includes('') &&
    isUnnamed(6, 12)
  );
};

/** Either DAS's own name of the symbol column, or its order number, marks the file. */
export const das: Recogniser = (start) =>
  ['Symb', 'Cloid'].some((name) => hasMarks(start, [...DAS_MARKS, name]));

export const DAS_MARKS = [
  'Time',
  ['Symb', 'Symbol'],
  ['Side', 'B/S'],
  'Price',
  ['Qty', 'Shares'],
] as const;

export const groww: Recogniser = (start) =>
  /^"?Stock name"?[,;]"?ISIN"?[,;]"?Quantity"?[,;]"?Buy date"?[,;]/im.test(start);

// Exchanges.

/** A column name without footnote marks, as in Executed². */
export function withoutFootnote(name: string): string {
  return name.replace(/[¹²³]/g, '').trim();
}

export const BINANCE_ORDER_MARKS = [
  'Pair',
  'Side',
  'Order Amount',
  ['Executed', 'Filled'],
  ['Average Price', 'AvgTrading Price'],
  ['Trading total', 'Total'],
  'Status',
] as const;

export const binanceOrders: Recogniser = (start) =>
  hasMarks(withoutFootnote(start), BINANCE_ORDER_MARKS);

export const BYBIT_CONTRACT_HEADER = ['Filled Type', 'Filled Price'];

export const bybitTrades: Recogniser = (start) =>
  /\bTransaction Time ?\(/.test(start) &&
  BYBIT_CONTRACT_HEADER.every((name) => start.includes(name));

export const coinbaseTransactions: Recogniser = (start) =>
  /Subtotal|Amount Transacted/.test(start) &&
  ['Transaction Type', 'Quantity Transacted'].every((name) => start.includes(name));

/** Headers of the site in two versions, and of API clients. */
const HYPERLIQUID_HEADERS = [
  ['Coin', 'Direction', 'Fee', 'Size Tokens'],
  ['Coin', 'Direction', 'Fee', 'Start Position'],
  ['time', 'coin', 'dir', 'px', 'sz'],
];

/** Field names of the API. */
export const HYPERLIQUID_API = ['coin', 'px', 'sz', 'dir', 'closedPnl', 'startPosition'];

export const hyperliquid: Recogniser = (start) =>
  /^[[{]/.test(start)
    ? HYPERLIQUID_API.every((name) => start.includes(`"${name}"`))
    : HYPERLIQUID_HEADERS.some((names) => hasMarks(start, names));

// Programs, and general formats.

export const freqtrade: Recogniser = (start, fileName) =>
  start.startsWith('SQLite format 3\0') &&
  (/pairlock/.test(start) || /trades|freqtrade/i.test(fileName));

/** The name of a backtest's result. */
export const BACKTEST_RESULT = /\bbacktest-result-[\d_-]+\.json/i;

export const freqtradeBacktest: Recogniser = (start) =>
  isZip(start)
    ? firstZipped(start, BACKTEST_RESULT)
    : /^\s*\{/.test(start) && /"strategy"\s*:\s*\{\s*"[^"]*"\s*:\s*\{/.test(start);

export const ofx: Recogniser = (start) =>
  /OFXHEADER[:=]/.test(start) &&
  (/<INVSTMT/.test(start) || !/<(?:BANKMSGSRSV1|CREDITCARDMSGSRSV1)>/.test(start));

export const RATES_CURRENCY = ['currency', 'Currency', 'CURRENCY'];
export const RATES_RATE = [
  'rate',
  'Rate',
  'fx_rate',
  'rate_to_base',
  'Rate to base',
  'rate to base',
];

/** The European Central Bank's own file names, for one day, 90 days or all. */
export const ECB_FILE = /\beurofxref[\w-]{0,40}\.(csv|xml)/i;

export const rates: Recogniser = (start) => {
  if (isZip(start)) return firstZipped(start, ECB_FILE);
  if (start.startsWith('<')) return start.includes('/vocabulary/2002-08-01/eurofxref');

  const names = firstNames(start, /\S.*/.exec(start)?.[0] ?? '');
  if (names[0]?.toLowerCase() !== 'date') return false;

  const hasOne = (of: readonly string[]) => of.some((name) => names.includes(name));
  return isEcb(names) || (hasOne(RATES_CURRENCY) && hasOne(RATES_RATE));
};

/** A date and one column per currency, nothing else. */
export function isEcb([first, ...names]: readonly string[]): boolean {
  const filled = names.filter((name) => name !== '');
  return (
    first?.toLowerCase() === 'date' &&
    filled.length > 0 &&
    filled.every((name) => /^[A-Z]{3}$/.test(name))
  );
}

export const jsonLines: Recogniser = (start, fileName) =>
  /\.(jsonl|ndjson)$/i.test(fileName) ||
  (hasNoKnownExtension(fileName) && /^\s*\{/.test(start) && !beginsEnvelope(start));

export const json: Recogniser = (start, fileName) =>
  /\.json$/i.test(fileName) ||
  (hasNoKnownExtension(fileName) && (/^\s*\[/.test(start) || beginsEnvelope(start)));

function beginsEnvelope(start: string): boolean {
  return /^\s*\{\s*"data"\s*:/.test(start);
}

export const csv: Recogniser = (_start, fileName) => /\.csv$/i.test(fileName);
