/**
 * Fidelity's history of one account or several: days only, newest first, with dividends,
 * core funds and transfers. The first words of an action state the kind of row.
 */

import type { RowError } from '../../errors.ts';
import {
  type Cell,
  cellError,
  moneyIn,
  orNothing,
  refuseEmpty,
} from '../../parse/cells.ts';
import { type CsvRow, type CsvTable, raggedTable } from '../../parse/csv-rows.ts';
import { type Instrument, occOption, option, stock } from '../../parse/instruments.ts';
import { dateIn, justAfter } from '../../parse/times.ts';
import { monthNamed } from '../../time.ts';
import { type FileFill, fill, type StatedCash, unclear } from '../fills/reading.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable, inOrderOfTime } from '../tables/fills.ts';
import { KNOWN } from './known.ts';

const COLUMNS = {
  executed_at: 'Run Date',
  account: optional(['Account Number', 'Account']),
  action: mayBeEmpty('Action'),
  symbol: mayBeEmpty('Symbol'),
  type: optional(['Type', 'Security Type']),
  currency: optional('Currency'),
  quantity: {
    column: 'Quantity',
    optional: 'cells',
    text: (text: string) => text.replace(/^-/, ''),
  },
  price: { column: ['Price ($)', 'Price'], optional: 'cells', read: moneyIn },
  fees: {
    column: ['Commission ($)', 'Commission'],
    plus: [['Fees ($)', 'Fees']],
    optional: true,
    read: moneyIn,
    sign: 'absolute',
  },
  accrued: optional(['Accrued Interest ($)', 'Accrued Interest']),
  amount: mayBeEmpty(['Amount ($)', 'Amount']),
  balance: optional(['Cash Balance ($)', 'Cash Balance']),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

type Meaning = Pick<FileFill, 'kind' | 'side' | 'effect'> &
  Partial<Pick<FileFill, 'mayShort' | 'cancels'>>;

/** A bond at its end, or units that their issuer takes back: sold for the amount. */
const REDEMPTION = { kind: 'delivery', side: 'sell', effect: 'close' } as const;

/** The first match applies. */
const ACTIONS: readonly [begins: RegExp, meaning: Meaning][] = [
  [/^BUY CANCEL\b/, { kind: 'trade', side: 'sell', effect: null, cancels: true }],
  [/^SELL CANCEL\b/, { kind: 'trade', side: 'buy', effect: null, cancels: true }],
  [/^YOU BOUGHT OPENING\b/, { kind: 'trade', side: 'buy', effect: 'open' }],
  [
    /^YOU BOUGHT (CLOSING|SHORT COVER|TO COVER)\b/,
    { kind: 'trade', side: 'buy', effect: 'close' },
  ],
  [/^YOU BOUGHT\b/, { kind: 'trade', side: 'buy', effect: null }],
  [/^YOU SOLD OPENING\b/, { kind: 'trade', side: 'sell', effect: 'open' }],
  [
    /^YOU SOLD SHORT SALE\b/,
    { kind: 'trade', side: 'sell', effect: null, mayShort: true },
  ],
  [/^YOU SOLD CLOSING\b/, { kind: 'trade', side: 'sell', effect: 'close' }],
  [/^YOU SOLD\b/, { kind: 'trade', side: 'sell', effect: null }],
  [/^REINVESTMENT\b/, { kind: 'trade', side: 'buy', effect: null }],
  [/^ASSIGNED\b/, { kind: 'assignment', side: null, effect: 'close' }],
  [/^EXPIRED\b/, { kind: 'expiration', side: null, effect: 'close' }],
  [/^EXERCISED\b/, { kind: 'exercise', side: null, effect: 'close' }],
  [/^(REDEMPTION|FULL CALL|PARTIAL CALL) PAYOUT\b/, REDEMPTION],
];

/**
 * Other rows by their beginning. Rows with a quantity add or remove units without a
 * reason.
 */
const OTHERS: readonly [begins: RegExp, is: string][] = [
  [/^REVERSE SPLIT|^DISTRIBUTION|^STOCK SPLIT/, 'split or distribution'],
  [
    /^MERGER|^SPIN|^CONVERSION|^NAME CHANGE|^TENDER|^RIGHTS|^LIQUIDATION/,
    'corporate action',
  ],
  [/^IN LIEU/, 'cash in lieu'],
  [/^REDEMPTION|^MATUR|^CALLED|^(FULL|PARTIAL) CALL/, 'redemption'],
  [/^DIVIDEND|^RETURN OF CAPITAL|^(LONG|SHORT)-TERM CAP/, 'dividend'],
  [/^INTEREST|^MARGIN INTEREST|^MUNI EXEMPT INT/, 'interest'],
  // A retirement plan has fees at the end: RECORDKEEPING FEE.
  [/^FEE|^ASSET\/ACCT FEE|^ADVISORY FEE|\bFEES?$/, 'fee'],
  [/^CONTRIB|^PARTIC|^CO CONTR|^ROLLOVER|^WITHDRAWALS?$/, 'contribution'],
  [/^TRANSFER|^JOURNAL|^EXCHANGE|^DELIVER|^RECEIVED/, 'transfer'],
  [
    /^(ELECTRONIC FUNDS|DIRECT|WIRE|CHECK|BILL|CASH CONTR|DEBIT CARD|CASH ADVANCE)/,
    'deposit or withdrawal',
  ],
  [/^SHORT VS MARGIN/, 'mark to market'],
  [/^(YOU LOANED|LOAN|(INCREASE|DECREASE) COLLATERAL)/, 'securities lending'],
  [/^(SHARES|DEPOSIT|STOCK PLAN|ESPP|RSU)\b/, 'shares deposited'],
  // Last: other rows may name a tax refund, or a bond of a tax.
  [/TAX\b/, 'tax'],
];

/** Reasons of rows that are income, also of a core fund. */
const INCOME = ['dividend', 'interest'];

export const fidelity = fillsTable({
  ...KNOWN.fidelity,
  table: (text) => withShiftedRows(raggedTable('Run Date')(withWholeQuotes(text))),
  columns: COLUMNS,
  dates: 'mdy',
  daysOnly: true,
  skip(cells, file) {
    const { executed_at, action, quantity } = cells;
    const meaning = meaningOf(cells);
    if (!meaning && !/^\d/.test(executed_at.text)) return 'disclaimer';
    const other = OTHERS.find(([begins]) => begins.test(action.text.toUpperCase()))?.[1];
    // What a core fund pays is income; the fund itself is cash.
    if (isCash(cells))
      return INCOME.includes(other ?? '')
        ? `${other} of cash`
        : 'core or money market fund';
    if (meaning) return undefined;

    const hasUnits = (orNothing(quantity, moneyIn) ?? 0) !== 0;
    if (hasUnits && other === undefined && !isOfPlan(cells)) throw unknown(action);

    if (isMove(cells)) file.moved(symbolOf(cells));
    return (
      other ?? (hasUnits ? 'row of a retirement plan' : 'other row without a quantity')
    );
  },
  flows: {
    meanings: [
      [/^dividend/, 'dividend'],
      [/^interest/, 'interest'],
      [/^tax$/, 'tax'],
      [/^fee$/, 'fee'],
      [/^(contribution|deposit or withdrawal)$/, 'funding'],
      [/^transfer$/, 'transfer'],
      [/^cash in lieu$/, 'other'],
    ],
    read: (cells, file) => [
      {
        account: accountOf(cells, file),
        amount: isMove(cells) ? 0 : (orNothing(cells.amount, moneyIn) ?? 0),
        currency: 'USD',
        symbol: cells.symbol.text || null,
        description: cells.action.text,
      },
    ],
  },
  instrument: instrumentOf,
  row(cells, fill, file) {
    const { action, price, executed_at, type } = cells;
    const meaning = meaningOf(cells) as Meaning;
    const isTrade = meaning.kind === 'trade';
    if (isTrade) refuseEmpty(price);
    const event = {
      ...meaning,
      account: accountOf(cells, file),
      executedAt: dayOf(cells, file),
      mayShort: meaning.mayShort ?? /^short$/i.test(type?.text ?? ''),
      price: isTrade ? fill.price : redeemedAt(cells, fill.instrument),
    };
    if (isTrade) refuseOtherAmount(cells, { ...fill, ...event });
    // A correction comes after the original, also in another file.
    const isCorrection = /\bCORRECTED CONFIRM\b/i.test(action.text) && !event.cancels;

    return isCorrection && event.executedAt < file.instantIn(executed_at)
      ? { ...event, executedAt: justAfter(event.executedAt) }
      : event;
  },
  end: (fills, file) => ({
    fills: inOrderOfTime([...reverseSplits(file), ...movesOf(file), ...fills]),
    cash: endingCash(file),
  }),
});

/**
 * Some versions quote the first words of a cell only: "Individual" X12345678, "Date
 * downloaded" 11/20/2026.
 */
function withWholeQuotes(text: string): string {
  return text
    .replace(
      /^( ?\d\d[/-]\d\d[/-]\d{4},)"([^"\r\n]*)" ([A-Z0-9]{1,20})(?=,)/gm,
      '$1"$2 $3"',
    )
    .replace(/^"(Date downloaded)" ([^"\r\n]*)/gm, '"$1 $2"');
}

/**
 * In a version with columns of exchanges, the header has Quantity, Currency, Price, but
 * rows have currency, price, quantity. The cells are put in the header's order.
 */
function withShiftedRows({ header, rows }: CsvTable): CsvTable {
  const at = header.cells.findIndex((name) => name.trim() === 'Quantity');
  const isShifted =
    header.cells[at + 1]?.trim() === 'Currency' &&
    /^Price/.test(header.cells[at + 2]?.trim() ?? '');
  if (!isShifted) return { header, rows };

  const put = (row: CsvRow): CsvRow => {
    const [currency = '', price = '', quantity = ''] = row.cells.slice(at, at + 3);
    if (!/^\s*[A-Z]{3}\s*$/.test(currency)) return row;
    return { ...row, cells: row.cells.toSpliced(at, 3, quantity, currency, price) };
  };

  return { header, rows: rows.map(put) };
}

function meaningOf({ action, quantity, amount }: Cells): Meaning | undefined {
  const words = action.text.toUpperCase().replaceAll(/\s+/g, ' ');
  const meaning = ACTIONS.find(([begins]) => begins.test(words))?.[1];
  if (meaning !== REDEMPTION) return meaning;

  const isPaid = [quantity, amount].every((cell) => orNothing(cell, moneyIn));
  return isPaid ? meaning : undefined;
}

/** The price of redeemed units, and 0 of any others. */
function redeemedAt(cells: Cells, { multiplier }: Instrument): number {
  if (meaningOf(cells) !== REDEMPTION) return 0;
  return Math.abs(moneyIn(cells.amount) / moneyIn(cells.quantity)) / (multiplier ?? 1);
}

/** Whether the row is of a retirement plan, whose funds have names only. */
function isOfPlan({ symbol, type, price }: Cells): boolean {
  return symbol.text === '' && type?.text === '' && price.text === '';
}

/** Securities of the past often have only a number, in the action. */
function symbolOf({ symbol, action }: Cells): Cell {
  return {
    ...symbol,
    text: symbol.text || (IN_PARENTHESES.exec(action.text)?.[1] ?? ''),
  };
}

function unknown(action: Cell): RowError {
  const known =
    'YOU BOUGHT, YOU SOLD, BUY CANCEL, SELL CANCEL, REINVESTMENT, ASSIGNED, EXPIRED or EXERCISED';
  return cellError(action, `must begin with ${known}, or have no quantity`);
}

/**
 * Uninvested cash is in funds with a price of 1 and symbols that end in XX, or under a
 * number: CASH (315994103).
 */
function isCash({ symbol, price, action }: Cells): boolean {
  const isFund =
    /^[A-Z]{3}XX$|^FCASH$/.test(symbol.text) ||
    /\bCORE ACCOUNT\b|\b(CASH|FDIC INSURED DEPOSIT[^(]{0,80}) \(\d\w{8}\)/i.test(
      action.text,
    );
  return isFund && (orNothing(price, moneyIn) ?? 1) === 1;
}

/**
 * A history of one account has it in the file's name: History_for_Account_X12345678.csv.
 */
function accountOf({ account }: Cells, { context }: TableFile): string | null {
  if (account?.text) return account.text;

  const [, inName = null] =
    /^History_for_Account_([A-Z0-9]+)/i.exec(context.fileName) ?? [];
  return inName;
}

const AS_OF = /\bas of (?:([A-Z]{3})-(\d\d?)-(\d{4})|(\d[\d/-]{5,9}))/i;

/** The actual day, if it isn't the row's: as of Mar-13-2025, AS OF 03-13-25. */
function dayOf({ action, executed_at }: Cells, file: TableFile): string {
  const [, month, day = '', year, digits] = AS_OF.exec(action.text) ?? [];
  const number = month === undefined ? undefined : monthNamed(month);
  const text =
    number === undefined ? digits : `${year}-${number}-${day.padStart(2, '0')}`;
  return file.instantIn(text === undefined ? executed_at : { ...action, text });
}

const IN_WORDS = /\b(CALL|PUT) \(([A-Z.]{1,6}\d?)\)/;
const TERMS = /([A-Z]{3}) (\d\d) (\d\d) \$(\d{1,6}(?:\.\d{1,3})?) \((\d{1,6}) SHS\)/;
const IN_PARENTHESES = /\(([A-Z0-9.]{1,12})\) \((?:Cash|Margin|Short|Shares)\)$/i;
const NUMBER = /^(?=[A-Z0-9]*\d)[A-Z0-9]{8,9}$/;

/**
 * Shares by symbol, options such as -DAL250516P65; bonds by number, with a price in
 * percent.
 */
function instrumentOf(cells: Cells, _file: TableFile): Instrument {
  const { symbol, action, currency } = cells;
  if (currency && !['', 'USD'].includes(currency.text)) {
    throw cellError(currency, 'must be USD');
  }

  const contract = optionOf(cells);
  if (contract) return contract;

  const { text } = symbolOf(cells);
  if (text === '') refuseEmpty(symbol);
  const isOption =
    /\d{6}[CP]\d|^-/.test(text) || /(OPENING|CLOSING) TRANSACTION\b/i.test(action.text);
  if (isOption) {
    throw cellError({ ...symbol, text }, 'must be an option, such as -SPY261120C450');
  }

  return isBond(cells)
    ? { ...stock(text), market: 'other', multiplier: 0.01 }
    : stock(text);
}

function optionOf({ symbol, action }: Cells): Instrument | undefined {
  const words = action.text.toUpperCase().replaceAll(/\s+/g, ' ');
  const [, month = '', day = '', year = '', price, size] = TERMS.exec(words) ?? [];
  const more = size === undefined ? {} : { multiplier: Number(size) };
  const contract = occOption(symbol.text);
  if (contract) return option(contract, more);

  const [, type, underlying] = IN_WORDS.exec(words) ?? [];
  const number = monthNamed(month);
  if (symbol.text !== '' || underlying === undefined || number === undefined)
    return undefined;

  const expiration = dateIn({ ...action, text: `20${year}-${number}-${day}` }, 'ymd');
  const optionType = type === 'CALL' ? 'call' : 'put';
  return option({ underlying, expiration, strike: Number(price), optionType }, more);
}

/**
 * Whether the amount paid is a hundredth of price times units. At its end, a bond pays
 * about its units.
 */
function isBond(cells: Cells): boolean {
  const { quantity, price, amount } = cells;
  const paid = Math.abs(orNothing(amount, moneyIn) ?? 0);
  const units = orNothing(quantity, moneyIn) ?? 0;
  const value =
    units * (meaningOf(cells) === REDEMPTION ? 50 : (orNothing(price, moneyIn) ?? 0));
  return (
    NUMBER.test(symbolOf(cells).text) && value > 0 && paid > 0 && paid < value * 0.05
  );
}

/**
 * @throws RowError if the amount paid differs from price times units with costs by more
 * than rounding of the price
 */
function refuseOtherAmount({ amount, accrued }: Cells, fill: FileFill): void {
  const stated = orNothing(amount, moneyIn);
  if (stated === null || stated === 0 || fill.cancels) return;

  const { instrument, price, fees, market } = { ...fill, market: fill.instrument.market };
  const size = instrument.multiplier ?? (market === 'option' ? 100 : 1);
  const units = Number(fill.quantity) * size;
  const interest = Math.abs(orNothing(accrued, moneyIn) ?? 0);
  const value = units * price + (fill.side === 'buy' ? fees + interest : interest - fees);
  if (Math.abs(Math.abs(stated) - value) <= 0.02 + units * 0.005 + value * 0.001) return;

  throw cellError(amount, 'must be price times quantity with the costs');
}

/** The balance after the latest row: the first, unless the file was turned round. */
function endingCash(file: TableFile<typeof COLUMNS>): StatedCash[] {
  const rows = file
    .rows()
    .filter(
      ({ balance }) => balance !== undefined && orNothing(balance, moneyIn) !== null,
    );
  const [first, last] = [rows[0], rows.at(-1)];
  if (!first || !last) return [];

  const isTurned = file.instantIn(first.executed_at) < file.instantIn(last.executed_at);
  const latest = isTurned ? last : first;
  if (!latest.balance) return [];

  const amount = moneyIn(latest.balance);
  const at = file.instantIn(latest.executed_at).slice(0, 10);
  return [{ account: accountOf(latest, file), currency: 'USD', amount, at }];
}

const REORGANISATION = /^REVERSE SPLIT R\/S (FROM|TO) .*#REOR (\w{1,20})\w/i;

const MOVES = [
  'split or distribution',
  'corporate action',
  'redemption',
  'contribution',
  'transfer',
  'shares deposited',
];

/** Whether a row adds or removes units without a reason. */
function isMove(cells: Cells): boolean {
  const { action, quantity } = cells;
  if (
    meaningOf(cells) ||
    symbolOf(cells).text === '' ||
    isCash(cells) ||
    REORGANISATION.test(action.text)
  )
    return false;
  const is = OTHERS.find(([begins]) => begins.test(action.text.toUpperCase()))?.[1] ?? '';
  return MOVES.includes(is) && (orNothing(quantity, moneyIn) ?? 0) !== 0;
}

function movesOf(file: TableFile<typeof COLUMNS>): FileFill[] {
  return file
    .rows()
    .filter(isMove)
    .map((cells) => {
      const instrument = optionOf(cells) ?? stock(symbolOf(cells).text);
      const move = {
        line: cells.symbol.line,
        account: accountOf(cells, file),
        executedAt: dayOf(cells, file),
        instrument,
      };
      return unclear(
        fill({ ...move, hasTime: false, side: null, quantity: null, price: 0 }),
      );
    });
}

/**
 * A reverse split has one row that removes the old units, and another that adds the new
 * ones.
 */
function reverseSplits(file: TableFile<typeof COLUMNS>): FileFill[] {
  const rows = file.rows().flatMap((cells) => {
    const [, way = '', number = ''] = REORGANISATION.exec(cells.action.text) ?? [];
    const units = number === '' ? 0 : (orNothing(cells.quantity, moneyIn) ?? 0);
    const account = accountOf(cells, file);
    return units === 0
      ? []
      : [
          {
            cells,
            account,
            units,
            isOld: way.toUpperCase() === 'TO',
            key: `${account} ${number}`,
          },
        ];
  });
  return [...Map.groupBy(rows, ({ key }) => key).values()].flatMap((ofKey) => {
    const [before, ...others] = ofKey.filter(({ isOld }) => isOld);
    const [after, ...more] = ofKey.filter(({ isOld }) => !isOld);
    const isPair = before && after && others.length + more.length === 0;
    if (!isPair || before.cells.symbol.text === '' || after.cells.symbol.text === '') {
      for (const { cells } of ofKey) file.moved(symbolOf(cells));
      return [];
    }

    const [former, symbol] = [before.cells.symbol.text, after.cells.symbol.text];
    const change = {
      line: after.cells.symbol.line,
      account: after.account,
      executedAt: file.instantIn(after.cells.executed_at),
      hasTime: false,
      side: null,
      price: 0,
    };
    const quantity = after.units / before.units;
    const split = fill({ ...change, kind: 'split', instrument: stock(former), quantity });
    if (former === symbol) return [split];

    const renamed = {
      kind: 'symbol_change',
      instrument: stock(symbol),
      formerSymbol: former,
      quantity: null,
    } as const;
    return [split, fill({ ...change, ...renamed })];
  });
}
