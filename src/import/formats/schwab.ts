/** Charles Schwab's transaction history: days only, mostly newest first; dividends, fees and transfers between. */
import { messageOf } from '../../errors.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import type { FileFill } from '../fills/reading.ts';
import { type Cell, refuseEmpty } from '../parse/columns.ts';
import type { CsvTable } from '../parse/csv-rows.ts';
import { type Instrument, option, stock } from '../parse/instruments.ts';
import { parseJson } from '../parse/json-text.ts';
import { moneyIn, numberIn } from '../parse/numbers.ts';
import { dateIn } from '../parse/times.ts';
import { knownWord, wordIn } from '../parse/words.ts';
import { fillsTable } from '../table/fills.ts';
import { raggedTable } from '../table/tables.ts';

type Meaning = Pick<FileFill, 'kind' | 'side' | 'effect'>;

/** What actions that change a position at a price stand for. */
const ACTIONS: Readonly<Record<string, Meaning>> = {
  Buy: { kind: 'trade', side: 'buy', effect: null },
  Sell: { kind: 'trade', side: 'sell', effect: null },
  'Buy to Open': { kind: 'trade', side: 'buy', effect: 'open' },
  'Sell to Open': { kind: 'trade', side: 'sell', effect: 'open' },
  'Buy to Close': { kind: 'trade', side: 'buy', effect: 'close' },
  'Sell to Close': { kind: 'trade', side: 'sell', effect: 'close' },
  'Sell Short': { kind: 'trade', side: 'sell', effect: 'open' },
  'Buy to Cover': { kind: 'trade', side: 'buy', effect: 'close' },
  'Reinvest Shares': { kind: 'trade', side: 'buy', effect: null },
  Expired: { kind: 'expiration', side: null, effect: 'close' },
  Assigned: { kind: 'assignment', side: null, effect: 'close' },
  'Exchange or Exercise': { kind: 'exercise', side: null, effect: 'close' },
};

/** Actions by which shares come or go without a trade: the rows don't tell what they came for. */
const MOVES = [
  'Stock Split, Reverse Split, Stock Merger, Cash/Stock Merger, Cash Merger, Cash Merger Adj',
  'Stock Merger Adj, Final Cash Liquid, Final Cash Liquid Adj, Dist Rights Trans, Promotional Award',
  'Name Change, Conversion, Spin-off, Stock Div Dist, Mandatory Reorg Exc, Options Frwd Split',
  'Options Frwd Split Adj, Journaled Shares, Journal, Internal Transfer, Security Transfer',
  'Stock Plan Activity, Full Redemption, Full Redemption Adj, Adjustment',
].flatMap((names) => names.split(', '));

export const schwab = fillsTable({
  name: 'schwab',
  description: 'Charles Schwab: Accounts > Transaction History, exported as CSV or JSON',
  evidence: 'real files',
  marks: ['Action', 'Symbol', 'Fees & Comm'],
  looksLike(start) {
    if (/^\s*\{/.test(start)) return start.includes('"BrokerageTransactions"');
    const lines = start.split('\n', 3);
    return lines.some((line) => ['Action', 'Symbol', 'Fees & Comm'].every((name) => line.includes(name)));
  },
  table: (text) => (/^\s*\{/.test(text) ? tableInJson(text) : raggedTable('Action')(text)),
  columns: {
    // 07/15/2024 as of 07/12/2024: booked, and when it was.
    executed_at: { column: 'Date', text: (text) => text.replace(/^.* as of /i, '') },
    action: 'Action',
    symbol: 'Symbol',
    quantity: { column: 'Quantity', text: (text) => text.replace(/^-/, '') },
    price: { column: 'Price', optional: 'cells', read: moneyIn },
    fees: { column: ['Fees & Comm', 'Fees & Commissions'], optional: 'cells', read: moneyIn, sign: 'absolute' },
    amount: { column: 'Amount', optional: 'cells' },
  },
  dates: 'mdy',
  daysOnly: true,
  skip({ executed_at, action, quantity, symbol }, file) {
    if (/total$/i.test(executed_at.text)) return 'total line';
    if (knownWord(action, ACTIONS)) return undefined;
    if (quantity.text === '') return action.text.toLowerCase() || 'no action';
    refuseUnknown(action);
    file.moved(symbol);
    return action.text.toLowerCase();
  },
  instrument: ({ symbol, action }) => instrumentOf(symbol, action),
  row({ action, price }, own, { text }) {
    const meaning = wordIn(action, ACTIONS);
    if (meaning.kind === 'trade') refuseEmpty(price);
    const account = /\baccount\s+([\w.*-]+)/i.exec(text.slice(0, text.indexOf('\n')))?.[1] ?? null;
    return { ...meaning, account, price: meaning.kind === 'trade' ? own.price : 0 };
  },
});

/** The same transactions as JSON: objects with the columns' names. */
function tableInJson(text: string): CsvTable {
  const names = ['Date', 'Action', 'Symbol', 'Quantity', 'Price', 'Fees & Comm', 'Amount'];
  let content: unknown;
  try {
    content = parseJson(text);
  } catch (error) {
    throw new RowError(null, `not valid JSON: ${messageOf(error)}`, 1);
  }
  const list = (content as Record<string, unknown>)['BrokerageTransactions'];
  if (!Array.isArray(list)) throw RowError.missing(['BrokerageTransactions'], 1);
  const lines = [...text.matchAll(/"Action"\s*:/g)].map(({ index }) => index);
  let line = 1;
  let counted = 0;
  const rows = list.map((item: unknown, index) => {
    const at = lines[index] ?? counted;
    line += text.slice(counted, at).split('\n').length - 1;
    counted = at;
    const own = (item ?? {}) as Record<string, unknown>;
    return { line, cells: names.map((name) => (typeof own[name] === 'string' ? own[name] : '')) };
  });
  return { header: { line: 1, cells: names }, rows };
}

/** @throws RowError where an action that nobody knows has a quantity: it may be a fill */
function refuseUnknown({ text, column, line }: Cell): void {
  if (MOVES.some((name) => name.toLowerCase() === text.toLowerCase())) return;
  const known = [...Object.keys(ACTIONS), ...MOVES].join(', ');
  throw new RowError(column, `must be one of ${known}, or have no quantity; got ${quote(text)}`, line);
}

/** AAPL, or an option: AAPL 01/19/2024 150.00 C. */
function instrumentOf(symbol: Cell, action: Cell): Instrument {
  const [, underlying, expiration, strike, type] =
    /^(\S+) (\d\d?\/\d\d?\/\d{4}) ([\d.,]+) ([CP])$/.exec(symbol.text) ?? [];
  if (!underlying || !expiration || !strike) {
    if (!/ to (open|close)$/i.test(action.text)) return stock(symbol.text);
    const { column, text, line } = symbol;
    throw new RowError(column, `must be an option, such as AAPL 01/19/2024 150.00 C; got ${quote(text)}`, line);
  }
  return option({
    underlying,
    expiration: dateIn({ ...symbol, text: expiration }, 'mdy'),
    strike: numberIn({ ...symbol, text: strike }),
    optionType: type === 'C' ? 'call' : 'put',
  });
}
