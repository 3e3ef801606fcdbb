/** The cash sections of thinkorswim's statement: costs and seconds of fills, and options that expired or were assigned. */

import { quote, RowError } from '../../errors.ts';
import { type FileFill, fill, type StatedTotal, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, joined, knownWord, orNothing, sideIn, wordIn } from '../parse/columns.ts';
import type { CsvRow } from '../parse/csv-rows.ts';
import { contractSize, futureOf, type Instrument, option, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, priceIn32nds } from '../parse/numbers.ts';
import { instantIn, monthOf } from '../parse/times.ts';
import type { Statement } from './thinkorswim-positions.ts';

// Instruments and prices in thinkorswim's exports.

const TYPES = {
  STOCK: 'stock',
  ETF: 'stock',
  FUND: 'stock',
  CALL: 'call',
  PUT: 'put',
  FUTURE: 'future',
  FOREX: 'forex',
} as const;

export function priceIn(cell: Cell): number {
  return /\d'\d/.test(cell.text) ? priceIn32nds(cell) : numberIn(cell);
}

/** /ESU25 1/50 4 AUG 25 (Monday) (Wk2): an option on a future with contract size and expiration; Exp then has its code. */
const FUTURE_OPTION = /^(\/[A-Z0-9]+(?::X[A-Z]{3})?) 1\/(\d+) (.*)$/;

export function instrumentOf(
  cells: Record<'symbol' | 'type', Cell> & { expiration?: Cell; strike?: Cell },
): Instrument {
  const [, future, size, series] = FUTURE_OPTION.exec(cells.symbol.text) ?? [];
  const symbol = future ?? cells.symbol.text;
  const type = wordIn(cells.type, TYPES);
  if (type === 'stock' && !symbol.startsWith('/')) return stock(symbol);
  if (type === 'forex') return { ...stock(symbol, symbol.split('/')[1]), market: 'forex' };
  const root = futureOf(symbol)?.root;
  if (type === 'stock' || type === 'future') return { ...stock(symbol), market: 'future', underlying: root ?? null };
  const { expiration, strike } = cells;
  if (!expiration || !strike) throw RowError.missing(['Exp', 'Strike'], cells.type.line);
  const known = root === undefined || !symbol.startsWith('/') ? undefined : contractSize(root)?.multiplier;
  const multiplier = size === undefined ? known : Number(size);
  if (multiplier === undefined && symbol.startsWith('/')) {
    const { column, line } = cells.symbol;
    throw new RowError(column, `unknown contract size for options on ${symbol}; export the futures section too`, line);
  }
  const terms = { multiplier: multiplier ?? null };
  const [own, day] = [numberIn(strike), expirationIn(series, expiration)];
  const contract = { underlying: symbol, strike: own, optionType: type };
  if (day !== undefined) return option({ ...contract, expiration: day }, terms);
  const named = `${symbol} ${series ?? expiration.text} ${type === 'call' ? 'C' : 'P'}${own}`;
  return { ...option({ ...contract, expiration: '' }, terms), symbol: named, expiration: null };
}

/**
 * The day in 18 NOV 22, with or without the kind of series after it, else by the code of a weekly option.
 * @returns undefined for a series of an option on a future without either
 */
function expirationIn(series: string | undefined, { text, column, line }: Cell): string | undefined {
  const [, day = '', month = '', year = ''] = /\b(\d\d?) ([A-Z]{3}) (\d{4}|\d\d)\b/i.exec(series ?? text) ?? [];
  const number = monthOf(month);
  if (number !== undefined) return `${year.padStart(4, '20')}-${number}-${day.padStart(2, '0')}`;
  const weekly = weeklyIn(text);
  if (weekly !== undefined || series !== undefined) return weekly;
  throw new RowError(column, `must be a date, such as 18 NOV 22; got "${text}"`, line);
}

const MONTH_CODES = 'FGHJKMNQUVXZ';

/**
 * The day of a weekly option by the exchanges' code: /EX2F26 is the second Friday of January 2026, /E1AQ25 the first Monday
 * of August 2025, with B to D for Tuesday to Thursday.
 */
function weeklyIn(text: string): string | undefined {
  const [, week, letter = 'E', month = '', year = ''] =
    /^\/[A-Z]{1,3}([1-5])([A-D])?([FGHJKMNQUVXZ])(\d\d?)(?::X[A-Z]{3})?$/.exec(text) ?? [];
  if (week === undefined) return undefined;
  const first = new Date(
    Date.UTC(Number(year.padStart(4, '2020'.slice(0, 4 - year.length))), MONTH_CODES.indexOf(month), 1),
  );
  const weekday = 'ABCDE'.indexOf(letter) + 1;
  const day = 1 + ((weekday - first.getUTCDay() + 7) % 7) + (Number(week) - 1) * 7;
  return `${first.getUTCFullYear()}-${String(first.getUTCMonth() + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

const CASH_COLUMNS = {
  date: ['Exec Date', 'Date'],
  time: ['Exec Time', 'Time'],
  type: 'Type',
  description: 'Description',
};
const CASH_EXTRAS = {
  reference: 'Ref #',
  misc: 'Misc Fees',
  commissions: ['Commissions & Fees', 'Commissions'],
  amount: 'Amount',
};

/** A cash line of a fill: BOT +300 PYPL @13.31. */
export interface CashLine {
  line: number;
  executedAt: string;
  side: string;
  quantity: number;
  price: number;
  description: string;
  fees: number;
  reference: string | null;
}

interface Cash {
  lines: CashLine[];
  /** Options that expired or became shares. */
  removed: FileFill[];
  /** Lines of such options in unknown words. */
  unclear: number[];
  /** Changes of positions without a symbol. */
  adjustments: Statement['adjustments'][number][];
  total: StatedTotal[];
}

const TRADE_TEXT = /\b(BOT|SOLD) ([-+]?[\d,.]+) /;
const TRADED_AT = /^(.*) @([-\d.,']+)/;
/** SPX 100 (Weeklys) 18 NOV 22 3900 PUT; /MESH26 XCME 5 (WEEKLY) 2 Jan 2026 6840.0 PUT. */
const OPTION_TEXT =
  /(?<!\S)(\S+)(?: (X[A-Z]{3}))? (?:1\/)?\d+ (?:\([^()]*\) )?(\d\d? [A-Z]{3} (?:\d{4}|\d\d)) ([\d.]+) (CALL|PUT)\b/i;
/** Shares from an exercised option, which no other section has: SOLD -100.0 GS UPON GOLDMAN SACHS GROUP INC. */
const DELIVERY_TEXT = /\b(BOT|SOLD) ([-+]?[\d,.]+) (\S+) UPON\b/;
/** .SPXW260410P6500, at the end of descriptions in newer statements. */
const OPTION_CODE = /\.([A-Z]+)(\d\d)(\d\d)(\d\d)([CP])([\d.]+)\s*$/;
/** Changes of positions, such as splits, without symbol and units. */
const ADJUSTMENT = /position adjustment|\bsplit\b|\bmerger\b|spin-?off/i;
const REMOVALS = [
  [/expir/i, 'expiration'],
  [/assign/i, 'assignment'],
  [/exercise/i, 'exercise'],
] as const;

/** Kinds of cash lines without a fill. */
const CASH_TYPES = {
  BAL: 'balance',
  FND: 'funding: deposit, withdrawal or adjustment',
  EFN: 'electronic funding',
  WIR: 'wire transfer',
  CRC: 'cash receipt or payment',
  JRN: 'journal entry between accounts',
  DOI: 'dividend or interest',
  LIQ: 'cash moved to or from a money market fund',
  RAD: 'line of units received or delivered',
  ADJ: 'adjustment of cash',
  TRD: 'line of a trade',
  EXP: 'line of an expiration',
} as const;

/** Reads a cash section: fills with costs, removed options, adjustments and the total. */
export function cashOf(
  [header, ...rows]: readonly CsvRow[],
  zone: string,
  account: string | null,
  skipped: Map<string, number>,
): Cash {
  const cash: Cash = { lines: [], removed: [], unclear: [], adjustments: [], total: [] };
  if (!header) return cash;
  const cellsOf = columnsOf(header, CASH_COLUMNS, CASH_EXTRAS);
  for (const row of rows) {
    const { date, time, type, description, reference, misc, commissions, amount: money } = cellsOf(row);
    const fees = [misc, commissions].reduce((sum, cell) => sum - (orNothing(cell, moneyIn) ?? 0), 0);
    if (date.text === '') {
      if (description.text === 'TOTAL')
        cash.total.push({ what: 'fees', currency: 'USD', symbol: null, amount: Math.abs(fees) });
      skip(skipped, description.text === 'TOTAL' ? 'total line' : 'cash line without a date');
      continue;
    }
    const executedAt = instantIn(joined(date, time), 'mdy', zone);
    const { side, quantity, what, price } = tradeIn(description.text);
    const removed = /^remov/i.test(description.text) ? removalOf(description) : undefined;
    const cell = (text: string): Cell => ({ ...description, text });
    if (type.text === 'TRD' && side !== '') {
      const amount = Math.abs(numberIn(cell(quantity)));
      const shown = {
        line: row.line,
        executedAt,
        side: sideIn(cell(side)),
        quantity: amount,
        price: priceIn(cell(price)),
      };
      cash.lines.push({ ...shown, description: what, fees, reference: reference?.text || null });
    } else if (type.text === 'EXP' && money && DELIVERY_TEXT.test(description.text)) {
      cash.removed.push({ ...deliveryOf(description, money), line: row.line, account, executedAt, fees });
    } else if (removed) {
      const closes = { side: null, quantity: unitsIn(description), price: 0, effect: 'close' } as const;
      cash.removed.push(fill({ ...removed, ...closes, line: row.line, account, executedAt, fees }));
    } else {
      const known = knownWord(type, CASH_TYPES);
      skip(
        skipped,
        known ?? (type.text === '' ? 'cash line without a type' : `cash line of unknown type ${quote(type.text)}`),
      );
      if (ADJUSTMENT.test(description.text)) {
        cash.adjustments.push({ line: row.line, executedAt, text: description.text });
      }
      if (/^remov/i.test(description.text)) cash.unclear.push(row.line);
    }
  }
  return cash;
}

/** BOT +1 SPY @450.00, anywhere in a description; empty texts if none. */
function tradeIn(text: string): { side: string; quantity: string; what: string; price: string } {
  const trade = TRADE_TEXT.exec(text);
  const traded = trade && TRADED_AT.exec(text.slice(trade.index + trade[0].length));
  const [, side = '', quantity = ''] = (traded && trade) ?? [];
  const [, what = '', price = ''] = traded ?? [];
  return { side, quantity, what, price };
}

/** Number of options removed, which precedes their name; an assignment may remove some. Null if not stated. */
function unitsIn(description: Cell): number | null {
  const text = /(?<![\d,])([\d,]+\.\d+) (?:\.[A-Z]|\S+ (?:X[A-Z]{3} )?(?:1\/)?\d+ )/.exec(description.text)?.[1];
  return text === undefined ? null : numberIn({ ...description, text }) || null;
}

/** Shares delivered at the strike. */
function deliveryOf(description: Cell, money: Cell): FileFill {
  const [, side = '', quantity = '', symbol = ''] = DELIVERY_TEXT.exec(description.text) ?? [];
  const units = Math.abs(numberIn({ ...description, text: quantity }));
  return fill({
    line: description.line,
    instrument: stock(symbol),
    executedAt: '',
    side: sideIn({ ...description, text: side }),
    quantity: units,
    price: Math.abs(moneyIn(money)) / units,
    mayShort: true,
  });
}

/** An option that expired, was assigned or exercised; undefined for unknown words. */
function removalOf(description: Cell): Pick<FileFill, 'instrument' | 'kind'> | undefined {
  const kind = REMOVALS.find(([word]) => word.test(description.text))?.[1];
  const [, coded, year, month, day, letter, price] = OPTION_CODE.exec(description.text) ?? [];
  if (kind && coded) {
    const contract = {
      // Afternoon and weekly series of an index have a separate root.
      underlying: coded.replace(/^(SPX|NDX|RUT|VIX|XSP|DJX)[WP]$/, '$1'),
      expiration: `20${year}-${month}-${day}`,
      strike: Number(price),
      optionType: letter === 'C' ? 'call' : 'put',
    } as const;
    return { instrument: option(contract), kind };
  }
  const [, root, exchange, expiration, strike, type] = OPTION_TEXT.exec(description.text) ?? [];
  if (!kind || !root || !expiration || !strike || !type) return undefined;
  const symbol = exchange === undefined ? root : `${root}:${exchange}`;
  const cell = (text: string): Cell => ({ ...description, text });
  const texts = { symbol: cell(symbol), type: cell(type), expiration: cell(expiration), strike: cell(strike) };
  return { instrument: instrumentOf(texts), kind };
}
