/** TradeZero's trades: one fill per row, separate date and time, costs in seven columns. */
import { quote, RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import type { FileFill, StatedTotal } from '../fills/reading.ts';
import { type Cell, currencyIn, orNothing } from '../parse/columns.ts';
import { type Instrument, occOption, option, stock } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
import { totals } from '../table/closed-trade.ts';
import { fillsTable, inOrderOfTime } from '../table/fills.ts';

const BUY = { side: 'buy' } as const;
const SELL = { side: 'sell' } as const;
/** May close a long first. */
const SHORT = { side: 'sell', mayShort: true } as const;
/** Never opens a long. */
const COVER = { side: 'buy', effect: 'close' } as const;

export const tradezero = fillsTable({
  name: 'tradezero',
  description: "TradeZero: the portal's trade history, exported as CSV",
  evidence: 'real files',
  marks: ['T/D', 'S/D', 'Exec Time'],
  columns: {
    date: 'T/D',
    currency: 'Currency',
    side: {
      column: 'Side',
      words: {
        B: BUY,
        S: SELL,
        SS: SHORT,
        BC: COVER,
        Buy: BUY,
        Sell: SELL,
        'Sell Short': SHORT,
        'Buy to Cover': COVER,
      },
    },
    symbol: 'Symbol',
    quantity: 'Qty',
    price: 'Price',
    executed_at: { column: 'Exec Time', day: 'date' },
    account: { column: 'Account', optional: true },
    gross: { column: 'Gross Proceeds', optional: true },
    net: { column: 'Net Proceeds', optional: true },
    fees: { column: 'Comm', optional: true, plus: ['SEC', 'TAF', 'NSCC', 'Nasdaq', 'ECN Remove', 'ECN Add'] },
  },
  dates: 'mdy',
  instrument: instrumentIn,
  row: (_, { fees }) => ({ fees: roundMoney(fees) }),
  // Rows are ordered by account type and symbol.
  order: inOrderOfTime,
  end: (fills, { rows }) => ({ stated: totalsOf(rows(), fills) }),
});

type Cells = Record<'symbol' | 'currency' | 'quantity' | 'price', Cell> & Record<'gross' | 'net', Cell | undefined>;

/** Shares; options with OCC symbols: SPY260619C00450000. */
function instrumentIn(cells: Cells): Instrument {
  const { symbol, currency } = cells;
  currencyIn(currency);
  const contract = occOption(symbol.text);
  return contract ? option(contract, { currency: currency.text }) : shareOf(cells);
}

/** @throws RowError if the amount implies a contract of several units: an option with another kind of symbol */
function shareOf({ symbol, currency, quantity, price, gross }: Cells): Instrument {
  const money = Math.abs(orNothing(gross, numberIn) ?? 0);
  const value = Math.abs(numberIn(quantity) * numberIn(price));
  if (gross && value > 0 && money > value * 1.5) {
    const reason = `must be the quantity times the price of ${quote(symbol.text)}; an option needs a symbol such as SPY260619C00450000`;
    throw new RowError(gross.column, reason, gross.line);
  }
  return stock(symbol.text, currency.text);
}

/** Proceeds minus costs are the P&L if no position is open before or after. */
function totalsOf(cells: readonly Cells[], fills: readonly FileFill[]): StatedTotal[] {
  const open = new Map<string, number>();
  for (const { account, instrument, side, quantity } of fills) {
    const key = `${account} ${instrument.symbol}`;
    open.set(key, roundMoney((open.get(key) ?? 0) + (side === 'buy' ? 1 : -1) * Number(quantity)));
  }
  if ([...open.values()].some((quantity) => quantity !== 0)) return [];
  return totals(
    cells.flatMap((own) =>
      (['gross', 'net'] as const).flatMap((what) => {
        const amount = orNothing(own[what], numberIn);
        return amount === null ? [] : [{ what, currency: own.currency.text, amount }];
      }),
    ),
  );
}
