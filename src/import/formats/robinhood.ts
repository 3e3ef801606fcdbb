/** Robinhood's account activity: a row a fill, newest first, with days only; deposits, dividends and a disclaimer between. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, refuseEmpty } from '../parse/columns.ts';
import { csvRows, isEmpty } from '../parse/csv-rows.ts';
import { type Instrument, option, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, DAYS_ONLY, dateIn, dayStartIn } from '../parse/times.ts';
import { type Format, movedNote } from './format.ts';

const COLUMNS = {
  date: 'Activity Date',
  instrument: 'Instrument',
  description: 'Description',
  code: 'Trans Code',
  quantity: 'Quantity',
  price: 'Price',
  amount: 'Amount',
};

type Cells = Record<keyof typeof COLUMNS, Cell>;
type Meaning = Pick<FileFill, 'kind' | 'side' | 'effect'> & Partial<Pick<FileFill, 'mayShort'>>;

/** What codes of rows that change a position stand for. */
const CODES: Readonly<Record<string, Meaning>> = {
  Buy: { kind: 'trade', side: 'buy', effect: null },
  Sell: { kind: 'trade', side: 'sell', effect: null },
  BTO: { kind: 'trade', side: 'buy', effect: 'open' },
  STO: { kind: 'trade', side: 'sell', effect: 'open' },
  BTC: { kind: 'trade', side: 'buy', effect: 'close' },
  STC: { kind: 'trade', side: 'sell', effect: 'close' },
  OEXP: { kind: 'expiration', side: null, effect: 'close' },
  OASGN: { kind: 'assignment', side: null, effect: 'close' },
  OEXCS: { kind: 'exercise', side: null, effect: 'close' },
  OCA: { kind: 'exercise', side: null, effect: 'close' },
};

/** What the other codes stand for. */
const OTHERS: Readonly<Record<string, string>> = {
  ACH: 'deposit or withdrawal',
  RTP: 'deposit or withdrawal',
  WIRE: 'deposit or withdrawal',
  XENT: 'transfer between accounts',
  XENT_CC: 'transfer between accounts',
  ITRF: 'transfer between accounts',
  ACATI: 'transfer between brokers',
  ACATO: 'transfer between brokers',
  JNL: 'journal entry',
  CDIV: 'dividend',
  MDIV: 'dividend',
  SDIV: 'dividend',
  DIV: 'dividend',
  DTAX: 'tax',
  NRAT: 'tax',
  DFEE: 'fee',
  AFEE: 'fee',
  GOLD: 'fee',
  DCF: 'fee',
  MINT: 'margin interest',
  INT: 'interest',
  SLIP: 'stock lending income',
  GDBP: 'bonus',
  GMPC: 'bonus',
  REC: 'bonus',
  MISC: 'other money',
  FUTSWP: 'money moved to or from futures',
  CIL: 'cash in lieu',
  SCAP: 'capital gain distribution',
  LCAP: 'capital gain distribution',
  ROC: 'return of capital',
};

/** Corporate actions and transfers: the rows tell how many units came, and nothing of what they came for. */
const ACTIONS = 'SPL SPR MRGS MRGC SOFF SXCH NCHG CONV LIQ SPAC ACATI ACATO REC SDIV ITRF JNL XENT XENT_CC T/A'.split(
  ' ',
);

export const robinhood: Format = {
  name: 'robinhood',
  description: 'Robinhood: Account > Reports and statements > Reports, the account activity as CSV',
  evidence: 'real files',
  holds: 'trades',
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return ['Activity Date', 'Trans Code'].every((name) => header.includes(name));
  },
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const [header, ...rows] = csvRows(text).filter((row) => !isEmpty(row));
    if (!header) throw new RowError(null, 'the file is empty: its first line must name the columns', 1);
    const cellsOf = columnsOf(header, COLUMNS);
    const skipped = new Map<string, number>();
    const moved: string[] = [];
    const fills: FileFill[] = [];
    for (const row of rows) {
      const cells = cellsOf(row);
      const code = cells.code.text.toUpperCase();
      const meaning = Object.entries(CODES).find(([word]) => word.toUpperCase() === code)?.[1];
      if (code === '' && cells.instrument.text === '' && cells.quantity.text === '') skip(skipped, 'disclaimer');
      else if (meaning) fills.push(fillOf(cells, meaning, zone));
      else if (ACTIONS.includes(code) && cells.quantity.text !== '') {
        skip(skipped, OTHERS[code] ?? 'corporate action');
        moved.push(`${cells.instrument.text} on line ${row.line}`);
      } else skip(skipped, otherOf(cells));
    }
    const notes = [note, DAYS_ONLY];
    if (moved.length > 0) notes.push(movedNote(moved));
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes });
  },
};

/** @throws RowError where a code that nobody knows has a quantity: it may be of a fill */
function otherOf({ code: { text, column, line }, quantity }: Cells): string {
  const other = OTHERS[text.toUpperCase()];
  if (other !== undefined) return other;
  if (quantity.text === '') return `${text || 'no code'}, without a quantity`;
  const known = [...Object.keys(CODES), ...ACTIONS, ...Object.keys(OTHERS)].join(', ');
  throw new RowError(column, `must be one of ${known}, or have no quantity; got ${quote(text)}`, line);
}

function fillOf(cells: Cells, meaning: Meaning, zone: string): FileFill {
  refuseEmpty(cells.date, cells.quantity);
  const instrument = instrumentOf(cells);
  if (meaning.effect !== null && instrument.market !== 'option') {
    const { column, text, line } = cells.description;
    throw new RowError(column, `must name an option, such as SPY 6/19/2026 Call $450.00; got ${quote(text)}`, line);
  }
  const isTrade = meaning.kind === 'trade';
  if (isTrade) refuseEmpty(cells.price, cells.amount);
  // Behind the quantity of an option that expired stands S where long ones went.
  const isSold = /S$/i.test(cells.quantity.text);
  const quantity = positiveIn({ ...cells.quantity, text: cells.quantity.text.replace(/^[-(]|S$|\)$/gi, '') });
  const units = quantity * (instrument.market === 'option' ? 100 : 1);
  const { price, fees } = isTrade ? costOf(cells, meaning.side, units) : { price: 0, fees: 0 };
  return fill({
    ...meaning,
    line: cells.date.line,
    instrument,
    executedAt: dayStartIn(cells.date, 'mdy', zone),
    side: meaning.side ?? (isSold ? 'sell' : null),
    quantity,
    price,
    fees,
  });
}

/**
 * The amount is what was paid or got, fees included. The price has whole cents: of fractions of shares, and of fills at
 * several prices, it is rounded, which must not pass for a fee.
 */
function costOf({ price, amount }: Cells, side: FileFill['side'], units: number): { price: number; fees: number } {
  const paid = Math.abs(moneyIn(amount));
  const value = moneyIn(price) * units;
  const fees = roundMoney(side === 'buy' ? paid - value : value - paid);
  if (Number.isInteger(units) && fees >= 0) return { price: moneyIn(price), fees };
  return { price: paid / units, fees: 0 };
}

const OPTION = /(\S+) (\d{1,2}\/\d{1,2}\/\d{4}) (Call|Put) \$([\d,.]+)/i;

function instrumentOf({ instrument, description }: Cells): Instrument {
  const text = description.text.replaceAll(/\s+/g, ' ');
  const [, underlying, expiration, type, strike] = OPTION.exec(text) ?? [];
  if (underlying && expiration && type && strike) {
    const cell = (own: string): Cell => ({ ...description, text: own });
    return option({
      underlying,
      expiration: dateIn(cell(expiration), 'mdy'),
      strike: numberIn(cell(strike)),
      optionType: type.toLowerCase() as 'call' | 'put',
    });
  }
  refuseEmpty(instrument);
  return stock(instrument.text);
}
