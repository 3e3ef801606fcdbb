/** TradeZero's trades: a fill a row, date and time apart, what it cost in six columns. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { byTime, type FileFill, fill, reading, type StatedTotal } from '../fills/reading.ts';
import { type Cell, columnsOf, currencyIn, joined, orNothing, refuseEmpty } from '../parse/columns.ts';
import { readCsv } from '../parse/csv-rows.ts';
import { type Instrument, option, stock } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const REQUIRED = {
  date: 'T/D',
  currency: 'Currency',
  side: 'Side',
  symbol: 'Symbol',
  quantity: 'Qty',
  price: 'Price',
  time: 'Exec Time',
};

const COSTS = {
  commission: 'Comm',
  sec: 'SEC',
  taf: 'TAF',
  nscc: 'NSCC',
  nasdaq: 'Nasdaq',
  ecnRemove: 'ECN Remove',
  ecnAdd: 'ECN Add',
};

const OPTIONAL = { account: 'Account', gross: 'Gross Proceeds', net: 'Net Proceeds', ...COSTS };

type Cells = Record<keyof typeof REQUIRED, Cell> & Partial<Record<keyof typeof OPTIONAL, Cell>>;

/** A sell short may close a long first; a buy to cover never opens one. */
const SIDES = {
  B: { side: 'buy', effect: null, mayShort: false },
  S: { side: 'sell', effect: null, mayShort: false },
  SS: { side: 'sell', effect: null, mayShort: true },
  BC: { side: 'buy', effect: 'close', mayShort: false },
  Buy: { side: 'buy', effect: null, mayShort: false },
  Sell: { side: 'sell', effect: null, mayShort: false },
  'Sell Short': { side: 'sell', effect: null, mayShort: true },
  'Buy to Cover': { side: 'buy', effect: 'close', mayShort: false },
} as const;

export const tradezero: Format = {
  name: 'tradezero',
  description: "TradeZero: the portal's trade history, exported as CSV",
  evidence: 'real files',
  holds: 'trades',
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return ['T/D', 'S/D', 'Exec Time'].every((name) => header.includes(name));
  },
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const { header, rows } = readCsv(text);
    const cellsOf = columnsOf(header, REQUIRED, OPTIONAL);
    const cells = rows.map(cellsOf);
    const fills = cells.map((own) => fillOf(own, zone));
    const stated = totalsOf(cells, fills);
    // Rows stand by account type and symbol.
    fills.sort(byTime);
    return reading({ fills, notes: [note], stated });
  },
};

function fillOf(cells: Cells, zone: string): FileFill {
  refuseEmpty(cells.date, cells.currency, cells.side, cells.symbol, cells.quantity, cells.price, cells.time);
  currencyIn(cells.currency);
  const instrument = instrumentIn(cells);
  const { side, effect, mayShort } = wordIn(cells.side, SIDES);
  return fill({
    line: cells.symbol.line,
    account: cells.account?.text || null,
    instrument,
    executedAt: instantIn(joined(cells.date, cells.time), 'mdy', zone),
    side,
    effect,
    mayShort,
    quantity: positiveIn(cells.quantity),
    price: numberIn(cells.price),
    fees: costOf(cells),
  });
}

/** Shares; options as exchanges write them: SPY260619C00450000. */
function instrumentIn(cells: Cells): Instrument {
  const { symbol, currency } = cells;
  const parts = /^([A-Z.]{1,6}) *(\d\d)(\d\d)(\d\d)([CP])(\d{8})$/.exec(symbol.text);
  if (!parts) return shareOf(cells);
  const [, underlying = '', year, month, day, letter, strike] = parts;
  return option(
    {
      underlying,
      expiration: `20${year}-${month}-${day}`,
      strike: Number(strike) / 1000,
      optionType: letter === 'C' ? 'call' : 'put',
    },
    { currency: currency.text },
  );
}

/** @throws RowError where the money is that of a contract of many: an option whose symbol is written in another way */
function shareOf({ symbol, currency, quantity, price, gross }: Cells): Instrument {
  const money = Math.abs((gross && orNothing(gross, numberIn)) ?? 0);
  const value = Math.abs(numberIn(quantity) * numberIn(price));
  if (gross && value > 0 && money > value * 1.5) {
    const reason = `is not the quantity times the price of ${quote(symbol.text)}: options are read as SPY260619C00450000`;
    throw new RowError(gross.column, reason, gross.line);
  }
  return stock(symbol.text, currency.text);
}

function costOf(cells: Cells): number {
  const names = Object.keys(COSTS) as (keyof typeof COSTS)[];
  const costs = names.map((name) => (cells[name] && orNothing(cells[name], numberIn)) ?? 0);
  return roundMoney(costs.reduce((sum, cost) => sum + cost, 0));
}

/** What came in less what went out is the P&L, where nothing was open before nor is after. */
function totalsOf(cells: readonly Cells[], fills: readonly FileFill[]): StatedTotal[] {
  const open = new Map<string, number>();
  for (const { account, instrument, side, quantity } of fills) {
    const key = `${account} ${instrument.symbol}`;
    open.set(key, roundMoney((open.get(key) ?? 0) + (side === 'buy' ? 1 : -1) * Number(quantity)));
  }
  if ([...open.values()].some((quantity) => quantity !== 0)) return [];
  const sums = new Map<string, StatedTotal>();
  for (const own of cells) {
    for (const what of ['gross', 'net'] as const) {
      const amount = own[what] && orNothing(own[what], numberIn);
      if (amount === null || amount === undefined) continue;
      const currency = own.currency.text;
      const before = sums.get(`${what} ${currency}`)?.amount ?? 0;
      sums.set(`${what} ${currency}`, { what, currency, symbol: null, amount: roundMoney(before + amount) });
    }
  }
  return [...sums.values()];
}
