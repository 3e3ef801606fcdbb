/** The history of tastyworks, tastytrade's name until 2021: times without a zone, fees and commissions in one column. */
import { RowError } from '../../errors.ts';
import { byTime, type FileFill, unclear } from '../fills/reading.ts';
import { byMeaning, orNothing, refuseEmpty, wordIn } from '../parse/columns.ts';
import { future, type Instrument, optionOf, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn } from '../parse/numbers.ts';
import { type Cells as CellsOf, mayBeEmpty, optional } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';
import { changesOf } from './tastytrade.ts';

const COLUMNS = {
  executed_at: 'Date/Time',
  code: mayBeEmpty('Transaction Code'),
  subcode: mayBeEmpty('Transaction Subcode'),
  symbol: 'Symbol',
  side: { column: 'Buy/Sell', optional: 'cells', words: { Buy: 'buy', Sell: 'sell' } },
  effect: mayBeEmpty('Open/Close'),
  quantity: 'Quantity',
  expiration: mayBeEmpty('Expiration Date'),
  strike: mayBeEmpty('Strike'),
  option_type: mayBeEmpty('Call/Put'),
  price: mayBeEmpty('Price'),
  fees: { column: 'Fees', optional: 'cells', read: moneyIn, sign: 'absolute' },
  amount: mayBeEmpty('Amount'),
  account: optional('Account Reference'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const CODES = { Trade: 'fill', 'Receive Deliver': 'delivery', 'Money Movement': 'money' } as const;

/** Meanings of deliveries. */
const DELIVERIES = byMeaning({
  expiration: 'Expiration',
  assignment: 'Assignment, Cash Settled Assignment',
  exercise: 'Exercise, Cash Settled Exercise',
  trade: 'Buy to Open, Sell to Open, Buy to Close, Sell to Close',
  split: 'Forward Split, Reverse Split',
  symbol_change: 'Symbol Change, Stock Merger',
  unclear: 'Spin Off, ACAT, Transfer, Dividend',
});

export const tastytradeOlder = fillsTable({
  name: 'tastytrade-older',
  description: "tastyworks (tastytrade's name until 2021): History > Transactions, downloaded as CSV",
  evidence: 'documentation',
  platform: 'tastytrade',
  marks: ['Transaction Code', 'Transaction Subcode', 'Buy/Sell', 'Open/Close'],
  columns: COLUMNS,
  dates: 'mdy',
  skip(cells, file) {
    const kind = kindOf(cells);
    if (kind === 'unclear') file.moved(cells.symbol);
    // The contract size of a future's option is unknown here.
    const isSized = !isChange(kind) || !cells.symbol.text.includes('/');
    if (kind !== 'money' && isSized) return undefined;
    return (cells.subcode.text || cells.code.text).toLowerCase();
  },
  instrument(cells) {
    const paid = paidIn(cells);
    const money = Math.abs(orNothing(cells.amount, moneyIn) ?? 0);
    return instrumentOf(
      cells,
      paid > 0 && money > 0 ? Number((money / paid / numberIn(cells.quantity)).toPrecision(6)) : null,
    );
  },
  row(cells, own) {
    const kind = kindOf(cells);
    if (kind === 'unclear') return unclear(own);
    return {
      kind: kind === 'money' ? 'trade' : kind,
      price: paidIn(cells),
      effect: orNothing(cells.effect, (cell) => wordIn(cell, { Open: 'open', Close: 'close' } as const)),
      mayShort: cells.symbol.text.startsWith('/'),
    };
  },
  end(all, file) {
    const isOwn = ({ kind }: FileFill) => isChange(kind) && kind !== 'unclear';
    const changes = changesOf(all.filter(isOwn), () => true, file);
    return { fills: [...changes.flat(), ...all.filter((own) => !isOwn(own))].sort(byTime) };
  },
});

function isChange(kind: string): boolean {
  return kind === 'split' || kind === 'symbol_change' || kind === 'unclear';
}

function kindOf({ code, subcode }: Cells): FileFill['kind'] | 'money' {
  const meaning = wordIn(code, CODES);
  if (meaning === 'delivery') return wordIn(subcode, DELIVERIES);
  return meaning === 'fill' ? 'trade' : 'money';
}

function paidIn(cells: Cells): number {
  if (kindOf(cells) !== 'trade') return 0;
  refuseEmpty(cells.side, cells.price);
  return numberIn(cells.price);
}

/** @param derived money per point and unit, from the amount */
function instrumentOf(
  { symbol, expiration, strike, option_type: optionType }: Cells,
  derived: number | null,
): Instrument {
  if (optionType.text === '') return symbol.text.startsWith('/') ? future(symbol.text) : stock(symbol.text);
  refuseEmpty(expiration, strike);
  // The contract size of a future's option is only derived from the amount of a trade.
  if (symbol.text.includes('/') && derived === null) {
    const problem = 'unknown contract size for an option on a future; its row needs a price and an amount';
    throw new RowError(symbol.column, problem, symbol.line);
  }
  const multiplier = symbol.text.includes('/') ? derived : null;
  return optionOf({ underlying: symbol.text, expiration, strike, type: optionType }, 'mdy', { multiplier });
}
