/** The history of tastyworks, as tastytrade was called until 2021: times without a zone, fees and commissions in one column. */
import { RowError } from '../../journal-write/row-error.ts';
import { unclear } from '../fills/changes.ts';
import { byTime, type FileFill } from '../fills/reading.ts';
import { orNothing, refuseEmpty } from '../parse/columns.ts';
import { future, type Instrument, option, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn } from '../parse/numbers.ts';
import { dateIn } from '../parse/times.ts';
import { byMeaning, wordIn } from '../parse/words.ts';
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

/** What deliveries stand for. */
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
  description: 'tastyworks, as tastytrade was called until 2021: History > Transactions, downloaded as CSV',
  evidence: 'documentation',
  platform: 'tastytrade',
  marks: ['Transaction Code', 'Transaction Subcode', 'Buy/Sell', 'Open/Close'],
  columns: COLUMNS,
  dates: 'mdy',
  skip(cells, file) {
    const kind = kindOf(cells);
    if (kind === 'unclear') file.moved(cells.symbol);
    // Of a future's option nothing tells the size here.
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

/** @param told money per point and unit, as the amount tells it */
function instrumentOf({ symbol, expiration, strike, option_type: optionType }: Cells, told: number | null): Instrument {
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
