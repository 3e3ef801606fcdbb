/** Robinhood's account activity: a row a fill, newest first, with days only; deposits, dividends and a disclaimer between. */
import { quote, RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import type { FileFill } from '../fills/reading.ts';
import { type Cell, refuseEmpty } from '../parse/columns.ts';
import { type Instrument, option, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { dateIn } from '../parse/times.ts';
import { byMeaning, knownWord, wordIn } from '../parse/words.ts';
import { mayBeEmpty } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';
import { raggedTable } from '../table/tables.ts';

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
const OTHERS = byMeaning({
  'deposit or withdrawal': 'ACH, RTP, WIRE',
  'transfer between accounts': 'XENT, XENT_CC, ITRF',
  'transfer between brokers': 'ACATI, ACATO',
  'journal entry': 'JNL',
  dividend: 'CDIV, MDIV, SDIV, DIV',
  tax: 'DTAX, NRAT',
  fee: 'DFEE, AFEE, GOLD, DCF',
  'margin interest': 'MINT',
  interest: 'INT',
  'stock lending income': 'SLIP',
  bonus: 'GDBP, GMPC, REC',
  'other money': 'MISC',
  'money moved to or from futures': 'FUTSWP',
  'cash in lieu': 'CIL',
  'capital gain distribution': 'SCAP, LCAP',
  'return of capital': 'ROC',
});

/** Corporate actions and transfers: the rows tell how many units came, and nothing of what they came for. */
const ACTIONS = 'SPL SPR MRGS MRGC SOFF SXCH NCHG CONV LIQ SPAC ACATI ACATO REC SDIV ITRF JNL XENT XENT_CC T/A'.split(
  ' ',
);

export const robinhood = fillsTable({
  name: 'robinhood',
  description: 'Robinhood: Account > Reports and statements > Reports, the account activity as CSV',
  evidence: 'real files',
  marks: ['Activity Date', 'Trans Code'],
  table: raggedTable('Activity Date'),
  columns: {
    executed_at: 'Activity Date',
    symbol: mayBeEmpty('Instrument'),
    description: mayBeEmpty('Description'),
    code: mayBeEmpty('Trans Code'),
    size: 'Quantity',
    unit_price: mayBeEmpty('Price'),
    amount: mayBeEmpty('Amount'),
  },
  dates: 'mdy',
  daysOnly: true,
  skip({ code, symbol, size }, file) {
    if (code.text === '' && symbol.text === '' && size.text === '') return 'disclaimer';
    if (knownWord(code, CODES)) return undefined;
    if (!ACTIONS.includes(code.text.toUpperCase()) || size.text === '') return otherOf(code, size);
    file.moved(symbol);
    return knownWord(code, OTHERS) ?? 'corporate action';
  },
  instrument: instrumentOf,
  row({ code, description, size, unit_price, amount }, { instrument }) {
    const meaning = wordIn(code, CODES);
    if (meaning.effect !== null && instrument.market !== 'option') {
      const { column, text, line } = description;
      throw new RowError(column, `must name an option, such as SPY 6/19/2026 Call $450.00; got ${quote(text)}`, line);
    }
    // Behind the quantity of an option that expired stands S where long ones went.
    const isSold = /S$/i.test(size.text);
    const quantity = positiveIn({ ...size, text: size.text.replace(/^[-(]|S$|\)$/gi, '') });
    const own = { ...meaning, side: meaning.side ?? (isSold ? 'sell' : null), quantity };
    if (meaning.kind !== 'trade') return own;
    refuseEmpty(unit_price, amount);
    return {
      ...own,
      ...costOf(unit_price, amount, meaning.side, quantity * (instrument.market === 'option' ? 100 : 1)),
    };
  },
});

/** @throws RowError where a code that nobody knows has a quantity: it may be of a fill */
function otherOf(code: Cell, quantity: Cell): string {
  const other = knownWord(code, OTHERS);
  if (other !== undefined) return other;
  if (quantity.text === '') return `${code.text || 'no code'}, without a quantity`;
  const known = [...Object.keys(CODES), ...ACTIONS, ...Object.keys(OTHERS)].join(', ');
  const { column, text, line } = code;
  throw new RowError(column, `must be one of ${known}, or have no quantity; got ${quote(text)}`, line);
}

/**
 * The amount is what was paid or got, fees included. The price has whole cents: of fractions of shares, and of fills at
 * several prices, it is rounded, which must not pass for a fee.
 */
function costOf(price: Cell, amount: Cell, side: FileFill['side'], units: number): { price: number; fees: number } {
  const paid = Math.abs(moneyIn(amount));
  const value = moneyIn(price) * units;
  const fees = roundMoney(side === 'buy' ? paid - value : value - paid);
  if (Number.isInteger(units) && fees >= 0) return { price: moneyIn(price), fees };
  return { price: paid / units, fees: 0 };
}

const OPTION = /(?:^|\s)(\S+) (\d{1,2}\/\d{1,2}\/\d{4}) (Call|Put) \$([\d,.]+)/i;

function instrumentOf({ symbol, description }: Record<'symbol' | 'description', Cell>): Instrument {
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
  refuseEmpty(symbol);
  return stock(symbol.text);
}
