/** Instruments and prices in thinkorswim's exports. */
import { RowError } from '../../journal-write/row-error.ts';
import { type Cell, wordIn } from '../parse/columns.ts';
import { contractSize, futureOf, type Instrument, option, stock } from '../parse/instruments.ts';
import { numberIn, priceIn32nds } from '../parse/numbers.ts';
import { monthOf } from '../parse/times.ts';

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
  return option(
    {
      underlying: symbol,
      expiration: series === undefined ? expirationIn(expiration) : expirationIn({ ...cells.symbol, text: series }),
      strike: numberIn(strike),
      optionType: type,
    },
    { multiplier: multiplier ?? null },
  );
}

/** 18 NOV 22, with or without the kind of series after it. */
function expirationIn({ text, column, line }: Cell): string {
  const [, day = '', month = '', year = ''] = /\b(\d\d?) ([A-Z]{3}) (\d{4}|\d\d)\b/i.exec(text) ?? [];
  const number = monthOf(month);
  if (number !== undefined) return `${year.padStart(4, '20')}-${number}-${day.padStart(2, '0')}`;
  const weekly = weeklyIn(text);
  if (weekly !== undefined) return weekly;
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
