/** The history of tastyworks, as tastytrade was called until 2021: times without a zone, fees and commissions in one column. */
import { RowError } from '../../journal-write/row-error.ts';
import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { readCsv } from '../parse/csv-rows.ts';
import { future, type Instrument, option, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, dateIn, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { type Format, movedNote } from './format.ts';

const COLUMNS = {
  time: 'Date/Time',
  code: 'Transaction Code',
  subcode: 'Transaction Subcode',
  symbol: 'Symbol',
  side: 'Buy/Sell',
  effect: 'Open/Close',
  quantity: 'Quantity',
  expiration: 'Expiration Date',
  strike: 'Strike',
  optionType: 'Call/Put',
  price: 'Price',
  fees: 'Fees',
  amount: 'Amount',
};

type Cells = Record<keyof typeof COLUMNS, Cell>;

const CODES = { Trade: 'fill', 'Receive Deliver': 'delivery', 'Money Movement': 'money' } as const;

/** What deliveries stand for; of the others the rows don't tell what units came for. */
const DELIVERIES = {
  Expiration: 'expiration',
  Assignment: 'assignment',
  'Cash Settled Assignment': 'assignment',
  Exercise: 'exercise',
  'Cash Settled Exercise': 'exercise',
  'Buy to Open': 'trade',
  'Sell to Open': 'trade',
  'Buy to Close': 'trade',
  'Sell to Close': 'trade',
  'Forward Split': 'move',
  'Reverse Split': 'move',
  'Symbol Change': 'move',
  'Stock Merger': 'move',
  'Spin Off': 'move',
  ACAT: 'move',
  Transfer: 'move',
  Dividend: 'move',
} as const;

export const tastytradeOlder: Format = {
  name: 'tastytrade-older',
  description: 'tastyworks, as tastytrade was called until 2021: History > Transactions, downloaded as CSV',
  evidence: 'documentation',
  platform: 'tastytrade',
  holds: 'trades',
  looksLike: (start) =>
    ['Transaction Code', 'Transaction Subcode', 'Buy/Sell', 'Open/Close'].every((name) => start.includes(name)),
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const { header, rows } = readCsv(text);
    const cellsOf = columnsOf(header, COLUMNS, { account: 'Account Reference' });
    const skipped = new Map<string, number>();
    const moved: string[] = [];
    const fills: FileFill[] = [];
    for (const row of rows) {
      const { account, ...cells } = cellsOf(row);
      const kind = kindOf(cells);
      if (kind === 'money' || kind === 'move') skip(skipped, (cells.subcode.text || cells.code.text).toLowerCase());
      if (kind === 'move') moved.push(`${cells.symbol.text} on line ${row.line}`);
      else if (kind !== 'money') fills.push({ ...fillOf(cells, kind, zone), account: account?.text || null });
    }
    const notes = moved.length > 0 ? [note, movedNote(moved)] : [note];
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes });
  },
};

function kindOf({ code, subcode }: Cells): FileFill['kind'] | 'move' | 'money' {
  const meaning = wordIn(code, CODES);
  if (meaning === 'delivery') return wordIn(subcode, DELIVERIES);
  return meaning === 'fill' ? 'trade' : 'money';
}

function fillOf(cells: Cells, kind: FileFill['kind'], zone: string): FileFill {
  const { time, symbol, side, effect, quantity, price, fees, amount } = cells;
  refuseEmpty(time, symbol, quantity, ...(kind === 'trade' ? [side, price] : []));
  const units = positiveIn(quantity);
  const paid = kind === 'trade' ? numberIn(price) : 0;
  const money = Math.abs(orNothing(amount, moneyIn) ?? 0);
  return fill({
    line: time.line,
    instrument: instrumentOf(cells, paid > 0 && money > 0 ? Number((money / paid / units).toPrecision(6)) : null),
    executedAt: instantIn(time, 'mdy', zone),
    kind,
    side: orNothing(side, (cell) => wordIn(cell, { Buy: 'buy', Sell: 'sell' } as const)),
    effect: orNothing(effect, (cell) => wordIn(cell, { Open: 'open', Close: 'close' } as const)),
    mayShort: symbol.text.startsWith('/'),
    quantity: units,
    price: paid,
    fees: Math.abs(orNothing(fees, moneyIn) ?? 0),
  });
}

/** @param told money per point and unit, as the amount tells it */
function instrumentOf({ symbol, expiration, strike, optionType }: Cells, told: number | null): Instrument {
  if (optionType.text === '') return symbol.text.startsWith('/') ? future(symbol.text) : stock(symbol.text);
  refuseEmpty(expiration, strike);
  // Of a future's option nothing else than the money tells the size.
  if (symbol.text.includes('/') && told === null) {
    throw new RowError(
      symbol.column,
      'is an option on a future, whose size can only be told where it was traded',
      symbol.line,
    );
  }
  return option(
    {
      underlying: symbol.text,
      expiration: dateIn(expiration, 'mdy'),
      strike: numberIn(strike),
      optionType: wordIn(optionType, { C: 'call', P: 'put', Call: 'call', Put: 'put' } as const),
    },
    { multiplier: symbol.text.includes('/') ? told : null },
  );
}
