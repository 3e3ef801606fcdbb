/** Charles Schwab's transaction history: days only, mostly newest first; dividends, fees and transfers between. */
import { messageOf } from '../../errors.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type CsvRow, csvRows, isEmpty } from '../parse/csv-rows.ts';
import { type Instrument, option, stock } from '../parse/instruments.ts';
import { parseJson } from '../parse/json-text.ts';
import { moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, DAYS_ONLY, dateIn, dayStartIn } from '../parse/times.ts';
import { type Format, movedNote } from './format.ts';

const REQUIRED = {
  date: 'Date',
  action: 'Action',
  symbol: 'Symbol',
  quantity: 'Quantity',
  price: 'Price',
  fees: ['Fees & Comm', 'Fees & Commissions'],
  amount: 'Amount',
};

type Cells = Record<keyof typeof REQUIRED, Cell>;
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
  'Stock Split',
  'Reverse Split',
  'Stock Merger',
  'Cash/Stock Merger',
  'Cash Merger',
  'Cash Merger Adj',
  'Stock Merger Adj',
  'Final Cash Liquid',
  'Final Cash Liquid Adj',
  'Dist Rights Trans',
  'Promotional Award',
  'Name Change',
  'Conversion',
  'Spin-off',
  'Stock Div Dist',
  'Mandatory Reorg Exc',
  'Options Frwd Split',
  'Options Frwd Split Adj',
  'Journaled Shares',
  'Journal',
  'Internal Transfer',
  'Security Transfer',
  'Stock Plan Activity',
  'Full Redemption',
  'Full Redemption Adj',
  'Adjustment',
];

export const schwab: Format = {
  name: 'schwab',
  description: 'Charles Schwab: Accounts > Transaction History, exported as CSV or JSON',
  evidence: 'real files',
  holds: 'trades',
  looksLike(start) {
    if (/^\s*\{/.test(start)) return start.includes('"BrokerageTransactions"');
    const lines = start.split('\n', 3);
    return lines.some((line) => ['Action', 'Symbol', 'Fees & Comm'].every((name) => line.includes(name)));
  },
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const all = (/^\s*\{/.test(text) ? rowsOfJson(text) : csvRows(text)).filter((row) => !isEmpty(row));
    const at = all.findIndex(({ cells }) => cells.some((cell) => cell.trim().toLowerCase() === 'action'));
    const [header, ...rows] = all.slice(Math.max(at, 0));
    if (!header) throw new RowError(null, 'the file is empty: its first line must name the columns', 1);
    const cellsOf = columnsOf(header, REQUIRED);
    const account = /\baccount\s+([\w.*-]+)/i.exec(text.slice(0, text.indexOf('\n')))?.[1] ?? null;
    const skipped = new Map<string, number>();
    const moved: string[] = [];
    const fills: FileFill[] = [];
    for (const row of rows) {
      const cells = cellsOf(row);
      const meaning = meaningOf(cells);
      if (/total$/i.test(cells.date.text)) skip(skipped, 'total line');
      else if (meaning) fills.push(fillOf(cells, meaning, zone, account));
      else if (cells.quantity.text === '') skip(skipped, cells.action.text.toLowerCase() || 'no action');
      else {
        moved.push(moveOf(cells));
        skip(skipped, cells.action.text.toLowerCase());
      }
    }
    const notes = [note, DAYS_ONLY];
    if (moved.length > 0) notes.push(movedNote(moved));
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes });
  },
};

/** The same transactions as JSON: objects with the columns' names. */
function rowsOfJson(text: string): CsvRow[] {
  const names = Object.values(REQUIRED).map((own) => (typeof own === 'string' ? own : (own[0] as string)));
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
  return [{ line: 1, cells: names }, ...rows];
}

function meaningOf({ action }: Cells): Meaning | undefined {
  const word = action.text.toLowerCase();
  return Object.entries(ACTIONS).find(([name]) => name.toLowerCase() === word)?.[1];
}

/** @throws RowError where an action that nobody knows has a quantity: it may be a fill */
function moveOf({ action: { text, column, line }, symbol }: Cells): string {
  if (MOVES.some((name) => name.toLowerCase() === text.toLowerCase())) return `${symbol.text} on line ${line}`;
  const known = [...Object.keys(ACTIONS), ...MOVES].join(', ');
  throw new RowError(column, `must be one of ${known}, or have no quantity; got ${quote(text)}`, line);
}

function fillOf(cells: Cells, meaning: Meaning, zone: string, account: string | null): FileFill {
  const isTrade = meaning.kind === 'trade';
  refuseEmpty(cells.date, cells.symbol, cells.quantity, ...(isTrade ? [cells.price] : []));
  // 07/15/2024 as of 07/12/2024: booked, and when it was.
  const date = { ...cells.date, text: cells.date.text.replace(/^.* as of /i, '') };
  const instrument = instrumentOf(cells.symbol);
  if (/ to (open|close)$/i.test(cells.action.text) && instrument.market !== 'option') {
    const { column, text, line } = cells.symbol;
    throw new RowError(column, `must be an option, such as AAPL 01/19/2024 150.00 C; got ${quote(text)}`, line);
  }
  return fill({
    ...meaning,
    line: cells.date.line,
    account,
    instrument,
    executedAt: dayStartIn(date, 'mdy', zone),
    quantity: positiveIn({ ...cells.quantity, text: cells.quantity.text.replace(/^-/, '') }),
    price: isTrade ? moneyIn(cells.price) : 0,
    fees: Math.abs(orNothing(cells.fees, moneyIn) ?? 0),
  });
}

/** AAPL, or an option: AAPL 01/19/2024 150.00 C. */
function instrumentOf(symbol: Cell): Instrument {
  const [, underlying, expiration, strike, type] =
    /^(\S+) (\d\d?\/\d\d?\/\d{4}) ([\d.,]+) ([CP])$/.exec(symbol.text) ?? [];
  if (!underlying || !expiration || !strike) return stock(symbol.text);
  return option({
    underlying,
    expiration: dateIn({ ...symbol, text: expiration }, 'mdy'),
    strike: numberIn({ ...symbol, text: strike }),
    optionType: type === 'C' ? 'call' : 'put',
  });
}
