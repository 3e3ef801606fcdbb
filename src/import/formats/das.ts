/** DAS Trader's Trades window: fills with a time of day. The file has no date: the user states it. */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { stock } from '../parse/instruments.ts';
import { moneyIn } from '../parse/numbers.ts';
import { fillsTable, inOrderOfTime } from '../table/fills.ts';
import { hasMarks } from '../table/format.ts';

const BUY = { side: 'buy', mayShort: false } as const;
const SELL = { side: 'sell', mayShort: false } as const;
/** May close a long first. */
const SHORT = { side: 'sell', mayShort: true } as const;

const MARKS = ['Time', ['Symb', 'Symbol'], ['Side', 'B/S'], 'Price', ['Qty', 'Shares']];

export const das = fillsTable({
  name: 'das',
  description: 'DAS Trader: the Trades window, exported as CSV; pass its date with --date',
  evidence: 'real files',
  marks: MARKS,
  // Either DAS's own name of the symbol column, or its order number, marks the file.
  looksLike: (start) => ['Symb', 'Cloid'].some((own) => hasMarks(start, [...MARKS, own])),
  columns: {
    executed_at: { column: 'Time', day: 'date' },
    symbol: ['Symb', 'Symbol'],
    side: {
      column: ['Side', 'B/S'],
      words: {
        B: BUY,
        S: SELL,
        SS: SHORT,
        BC: BUY,
        Buy: BUY,
        Sell: SELL,
        'Sell Short': SHORT,
        Short: SHORT,
        Cover: BUY,
      },
    },
    price: 'Price',
    quantity: ['Qty', 'Shares'],
    date: { column: 'Date', optional: true },
    account: { column: 'Account', optional: true },
    gross_pnl: { column: ['P / L', 'P/L', 'PnL'], optional: true, read: moneyIn },
    fees: {
      column: ['Comm', 'Commission'],
      optional: true,
      plus: [
        ['ECNFee', 'ECN Fee'],
        ['LocFee', 'Locate Fee'],
      ],
    },
  },
  dates: 'mdy',
  instrument({ symbol }) {
    if (!/^[+./]/.test(symbol.text)) return stock(symbol.text);
    throw new RowError(symbol.column, 'must be a stock; options and futures are not supported', symbol.line);
  },
  // The window has a P/L of 0 for opening fills.
  row: (_, { stated, fees }) => ({ fees: roundMoney(fees), stated: stated?.gross ? stated : null }),
  order: inOrderOfTime,
});
