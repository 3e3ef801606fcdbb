/** Rates of currencies by day: a table of date, currency and rate, or the European Central Bank's reference rates as they come. */
import { CURRENCY_PATTERN } from '../../journal/fields.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import { type Cell, columnsOf } from '../parse/columns.ts';
import { type CsvTable, readCsv } from '../parse/csv-rows.ts';
import { positiveIn } from '../parse/numbers.ts';
import { dateIn } from '../parse/times.ts';
import { DailyRates } from '../rates.ts';
import { type Format, reading, skip } from './format.ts';

const CURRENCY = ['currency', 'Currency', 'CURRENCY'];
const RATE = ['rate', 'Rate', 'fx_rate', 'rate_to_base', 'Rate to base', 'rate to base'];

export const rates: Format = {
  name: 'rates',
  description:
    "Rates of currencies: a table of date, currency, rate (1 unit in your base currency), or the ECB's eurofxref-hist.csv; fills missing fx_rate",
  holds: 'trades',
  looksLike(start) {
    const names = headerOf(start);
    if (names[0]?.toLowerCase() !== 'date') return false;
    return isEcb(names) || (CURRENCY.some((name) => names.includes(name)) && RATE.some((name) => names.includes(name)));
  },
  read(text, { user }) {
    const table = readCsv(text);
    return isEcb(table.header.cells) ? readEcb(table, user.base_currency) : readTable(table, user.base_currency);
  },
};

function headerOf(start: string): string[] {
  const line = /\S.*/.exec(start)?.[0] ?? '';
  return line.split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim());
}

/** A column a currency, and nothing else. */
function isEcb([first, ...names]: readonly string[]): boolean {
  const filled = names.filter((name) => name !== '');
  return first?.toLowerCase() === 'date' && filled.length > 0 && filled.every((name) => /^[A-Z]{3}$/.test(name));
}

function readTable({ header, rows }: CsvTable, base: string) {
  const cellsOf = columnsOf(header, { date: ['date', 'Date', 'DATE'], currency: CURRENCY, rate: RATE });
  const daily = new DailyRates();
  const skipped = new Map<string, number>();
  for (const row of rows) {
    const { date, currency, rate } = cellsOf(row);
    const name = currency.text.toUpperCase();
    if (!CURRENCY_PATTERN.test(name)) {
      throw new RowError(
        currency.column,
        `must be a currency, such as EUR; got ${quote(currency.text)}`,
        currency.line,
      );
    }
    if (name === base) skip(skipped, 'rate of the base currency itself');
    else add(daily, name, date, positiveIn(rate));
  }
  return { ...reading({ rows: rows.length, skipped }), rates: daily };
}

/** Units of each currency for one euro: crossed where the base currency is another. Where the bank has none it writes N/A. */
function readEcb({ header, rows }: CsvTable, base: string) {
  const daily = new DailyRates();
  const currencies = header.cells.map((name, index) => ({ name, index })).filter(({ name }) => /^[A-Z]{3}$/.test(name));
  const skipped = new Map<string, number>();
  for (const { line, cells } of rows) {
    const cellAt = (index: number, column: string): Cell => ({ text: (cells[index] ?? '').trim(), column, line });
    const date = cellAt(0, 'Date');
    const perEuro = new Map([['EUR', 1]]);
    for (const { name, index } of currencies) {
      const cell = cellAt(index, name);
      if (cell.text !== '' && cell.text !== 'N/A') perEuro.set(name, positiveIn(cell));
    }
    const ofBase = perEuro.get(base);
    if (ofBase === undefined) skip(skipped, `day without a rate of ${base}`);
    else for (const [name, own] of perEuro) if (name !== base) add(daily, name, date, ofBase / own);
  }
  const notes = ['rates are units for 1 EUR in this file'];
  if (base !== 'EUR') notes.push(`rates to ${base} are crossed through EUR`);
  return { ...reading({ rows: rows.length, skipped, notes }), rates: daily };
}

function add(daily: DailyRates, currency: string, date: Cell, rate: number): void {
  const day = dateIn(date, 'ymd');
  // As exact as any source of rates, without the noise of a division.
  const before = daily.add(currency, day, Number(rate.toPrecision(10)));
  if (before === undefined) return;
  throw new RowError(date.column, `has two rates of ${currency} on ${day}: ${before} and ${rate}`, date.line);
}
