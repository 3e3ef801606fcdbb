/**
 * Daily exchange rates: a table of date, currency and rate, or the European Central
 * Bank's reference rates unchanged.
 */

import { RowError } from '../../errors.ts';
import { CURRENCY_PATTERN } from '../../journal/fields.ts';
import { type Cell, cellError, columnsOf, positiveIn } from '../../parse/cells.ts';
import { type CsvTable, readCsv } from '../../parse/csv-rows.ts';
import { textOrZipped } from '../../parse/open-file.ts';
import { xmlElements } from '../../parse/xml.ts';
import { DailyRates } from '../../statements/exchange-rates.ts';
import { reading, skip } from '../fills/reading.ts';
import { dayIn } from '../tables/clock.ts';
import type { BinaryFormat } from '../tables/format.ts';
import { KNOWN } from './known.ts';
import { ECB_FILE, isEcb, RATES_CURRENCY, RATES_RATE } from './recognisers.ts';

export const rates: BinaryFormat = {
  ...KNOWN.rates,
  read(bytes, { user }) {
    const text = textOrZipped(
      bytes,
      (name) => ECB_FILE.test(name),
      'file of ECB reference rates',
    );
    if (text.trimStart().startsWith('<'))
      return ofEuro(daysInXml(text), user.base_currency);
    const table = readCsv(text);
    return isEcb(table.header.cells)
      ? ofEuro(daysInCsv(table), user.base_currency)
      : readTable(table, user.base_currency);
  },
};

function readTable({ header, rows }: CsvTable, base: string) {
  const cellsOf = columnsOf(header, {
    date: ['date', 'Date', 'DATE'],
    currency: RATES_CURRENCY,
    rate: RATES_RATE,
  });
  const daily = new DailyRates();
  const skipped = new Map<string, number>();

  for (const row of rows) {
    const { date, currency, rate } = cellsOf(row);
    const name = currency.text.toUpperCase();
    if (!CURRENCY_PATTERN.test(name)) {
      throw cellError(currency, 'must be a currency, such as EUR');
    }
    if (name === base) skip(skipped, 'rate of the base currency itself');
    else add(daily, name, date, positiveIn(rate));
  }

  return { ...reading({ rows: rows.length, skipped }), rates: daily };
}

/** Units of each currency for one euro, on one day. */
interface EuroRates {
  date: Cell;
  rates: { currency: string; rate: Cell }[];
}

function* daysInCsv({ header, rows }: CsvTable): Generator<EuroRates> {
  const currencies = header.cells
    .map((name, index) => ({ name, index }))
    .filter(({ name }) => /^[A-Z]{3}$/.test(name));
  for (const { line, cells } of rows) {
    const cellAt = (index: number, column: string): Cell => ({
      text: (cells[index] ?? '').trim(),
      column,
      line,
    });
    yield {
      date: cellAt(0, 'Date'),
      rates: currencies.map(({ name, index }) => ({
        currency: name,
        rate: cellAt(index, name),
      })),
    };
  }
}

/** A Cube with a time is a day; following ones with a currency are its rates. */
function daysInXml(text: string): EuroRates[] {
  const days: EuroRates[] = [];
  for (const { name, attributes, line } of xmlElements(text)) {
    if (name !== 'Cube') continue;
    const { time, currency, rate = '' } = attributes;
    if (time !== undefined)
      days.push({ date: { text: time, column: 'time', line }, rates: [] });
    else if (currency !== undefined) {
      if (days.length === 0)
        throw new RowError('Cube', 'has a rate before any day', line);
      days.at(-1)?.rates.push({ currency, rate: { text: rate, column: currency, line } });
    }
  }

  return days;
}

/** Rates are crossed if the base currency isn't the euro. A missing rate is N/A. */
function ofEuro(days: Iterable<EuroRates>, base: string) {
  const daily = new DailyRates();
  const skipped = new Map<string, number>();
  let rows = 0;

  for (const day of days) {
    rows++;
    const perEuro = unitsPerEuro(day);
    const ofBase = perEuro.get(base);
    if (ofBase === undefined) {
      skip(skipped, `day without a rate of ${base}`);
      continue;
    }

    perEuro.delete(base);
    for (const [name, units] of perEuro) add(daily, name, day.date, ofBase / units);
  }

  const notes = ['rates in this file are units per EUR'];
  if (base !== 'EUR') notes.push(`rates to ${base} are crossed through EUR`);

  return { ...reading({ rows, skipped, notes }), rates: daily };
}

function unitsPerEuro({ rates }: EuroRates): Map<string, number> {
  const perEuro = new Map([['EUR', 1]]);
  for (const { currency, rate } of rates) {
    if (rate.text === '' || rate.text === 'N/A') continue;
    if (perEuro.has(currency))
      throw cellError(rate, `is a second rate of ${currency}; keep one`);
    perEuro.set(currency, positiveIn(rate));
  }
  return perEuro;
}

/** What the journal stores as a rate. */
const [LEAST, LESS_THAN] = [1e-12, 1e12];

function add(daily: DailyRates, currency: string, date: Cell, rate: number): void {
  // 20 November 2026 in the file of one day.
  const day = dayIn(date, ['ymd']);
  if (!(rate >= LEAST && rate < LESS_THAN)) {
    throw new RowError(
      date.column,
      `the rate of ${currency} on ${day} is ${rate}; a rate is at least ${LEAST} and below ${LESS_THAN}`,
      date.line,
    );
  }

  // Ten digits: as exact as any source, without noise from the division.
  const before = daily.add(currency, day, Number(rate.toPrecision(10)));
  if (before === undefined) return;

  throw new RowError(
    date.column,
    `two rates for ${currency} on ${day}: ${before} and ${rate}; keep one`,
    date.line,
  );
}
