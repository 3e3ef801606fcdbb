/**
 * DEGIRO's transactions. Headers are in the account's language, and most currencies are in unnamed columns. Columns are
 * therefore found by their positions, in code: a declaration needs names.
 */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { byTime, type FileFill, fill, oldestFirst, reading, skip, unclear } from '../fills/reading.ts';
import { type Cell, cellError, currencyIn, joined, orNothing, refuseEmpty } from '../parse/columns.ts';
import { type CsvRow, csvRows, isEmpty } from '../parse/csv-rows.ts';
import { type Instrument, option, stock } from '../parse/instruments.ts';
import { type NumberStyle, numberIn, positiveIn } from '../parse/numbers.ts';
import { assumedZone, instantIn, monthOf } from '../parse/times.ts';
import { costsOf } from '../table/costs.ts';
import type { Format } from '../table/format.ts';

/** Positions of columns; the currency of an amount is in the next column, or in its name. */
interface Places {
  quantity: number;
  price: Amount;
  local: Amount;
  value: Amount;
  rate: number;
  fees: Amount[];
  total: number;
  orderId: number;
}

interface Amount {
  index: number;
  currency: { index: number } | { name: string };
}

/** Date, time, product and ISIN come first in every language. */
const [DATE, TIME, PRODUCT, ISIN] = [0, 1, 2, 3] as const;

interface Table {
  header: CsvRow;
  places: Places;
  style: NumberStyle;
  zone: string;
}

export const degiro: Format = {
  name: 'degiro',
  description: 'DEGIRO: Inbox > Transactions, exported as CSV (in any language)',
  evidence: 'real files',
  holds: 'trades',
  looksLike(start) {
    const [header] = start.split(/\r?\n/, 1);
    const names = (header ?? '').split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim());
    const isUnnamed = (from: number, to: number) => names.slice(from, to).filter((name) => name === '').length >= 2;
    return (
      names.length >= 15 && /\bISIN\b/.test(names[ISIN] ?? '') && !names.slice(0, ISIN).includes('') && isUnnamed(6, 12)
    );
  },
  read(text, context) {
    const { zone, note } = assumedZone(context);
    const [header, ...rows] = csvRows(text).filter((row) => !isEmpty(row));
    if (!header) throw new RowError(null, 'the file is empty; its first line must name the columns', 1);
    const places = placesIn(header, rows[0]);
    const table: Table = { header, places, style: styleOf(rows, places), zone };
    if (!addsUp(rows, table)) throw unknownHeader(header);
    const skipped = new Map<string, number>();
    const fills: FileFill[] = [];
    const withoutOrder: FileFill[] = [];
    for (const row of rows) {
      const own = fillOf(row, table);
      if (!own) skip(skipped, 'row without units');
      else fills.push(own);
      if (own && !hasOrder(row, places)) withoutOrder.push(own);
    }
    const notes = [note, 'times have no seconds in this export'];
    if (withoutOrder.length > 0) {
      notes.push(`${withoutOrder.length} rows without an order, such as corporate actions, are read as fills`);
    }
    const moves = movesIn(withoutOrder);
    const ordered = [...moves, ...oldestFirst(fills)].sort(byTime);
    return reading({ rows: rows.length, fills: ordered, skipped, notes });
  },
};

/** Whether value and fees make the total of most rows: an unknown column among them would count as a fee. */
function addsUp(rows: readonly CsvRow[], table: Table): boolean {
  const { value, fees, total } = table.places;
  const wrong = rows.filter((row) => {
    const amount = (index: number) => orNothing(cellOf(table, row, index), (own) => numberIn(own, table.style)) ?? 0;
    const sum = fees.reduce((made, { index }) => made + amount(index), amount(value.index));
    return amount(total) !== 0 && Math.abs(sum - amount(total)) > 0.05 + Math.abs(sum) / 1000;
  });
  return wrong.length * 2 <= rows.length;
}

/** Units replaced by others without an order: a split, a merger or a change of name. Trades of both are unsure. */
function movesIn(withoutOrder: readonly FileFill[]): FileFill[] {
  const shares = withoutOrder.filter(({ instrument }) => instrument.market === 'stock');
  const ofTime = Map.groupBy(shares, ({ executedAt }) => executedAt);
  return shares
    .filter(({ executedAt, side }) => ofTime.get(executedAt)?.some((other) => other.side !== side))
    .map(unclear);
}

/**
 * After the ISIN: one or two exchanges, the quantity, then amounts with their currencies, the price first, up to the order id.
 */
function placesIn(header: CsvRow, first: CsvRow | undefined): Places {
  const names = header.cells.map((name) => name.trim());
  const price = names.findIndex((name, index) => index > ISIN + 1 && name !== '' && names[index + 1] === '');
  const before = first?.cells[price - 1]?.trim() ?? '';
  const namedAfter = names.filter((name, index) => index > price && name !== '').length;
  if (namedAfter === 7 && !/^-?[\d.,\s]+$/.test(before)) return olderPlaces(names, price);
  const named = names.flatMap((name, index) => (index >= price && name !== '' ? [index] : []));
  const [, local, value, rate, ...rest] = named;
  const orderId = rest.at(-1);
  const fees = rest.slice(0, -2);
  if (price === -1 || local === undefined || value === undefined || rate === undefined || orderId === undefined) {
    throw unknownHeader(header);
  }
  if (fees.length === 0 || fees.length > 2) throw unknownHeader(header);
  const amount = (index: number): Amount => {
    const name = /\b[A-Z]{3}$/.exec(names[index] as string)?.[0];
    if (name !== undefined) return { index, currency: { name } };
    if (names[index + 1] === '') return { index, currency: { index: index + 1 } };
    // A column between two amounts with a currency has none of its own.
    const own = names[value + 1] === '' ? undefined : /\b[A-Z]{3}$/.exec(names[orderId - 1] ?? '')?.[0];
    return { index, currency: own === undefined ? { index: value + 1 } : { name: own } };
  };
  const currencyOfValue = amount(value).currency;
  const ownOrBase = (index: number): Amount => {
    const own = amount(index);
    return names[index + 1] === '' || 'name' in own.currency ? own : { index, currency: currencyOfValue };
  };
  return {
    quantity: price - 1,
    price: amount(price),
    local: amount(local),
    value: amount(value),
    rate,
    fees: fees.map(ownOrBase),
    total: rest.at(-2) ?? orderId,
    orderId,
  };
}

/** Until about 2020, each currency preceded its amount, and there was one exchange. */
function olderPlaces(names: readonly string[], quantity: number): Places {
  const named = names.flatMap((name, index) => (index > quantity && name !== '' ? [index] : []));
  const [price = 0, local = 0, value = 0, rate = 0, fees = 0, total = 0, orderId = 0] = named;
  const amount = (index: number): Amount => ({ index, currency: { index: index - 1 } });
  return {
    quantity,
    price: amount(price),
    local: amount(local),
    value: amount(value),
    rate,
    fees: [amount(fees)],
    total,
    orderId,
  };
}

function unknownHeader(header: CsvRow): RowError {
  const wanted = 'exchange, quantity, price, local value, value, exchange rate, fees, total and order';
  return new RowError(null, `unknown header; after the ISIN it must have ${wanted}, in this order`, header.line);
}

/** Prices have decimals in every row, which shows the decimal separator. French files have a space between thousands. */
function styleOf(rows: readonly CsvRow[], { price, local, value }: Places): NumberStyle {
  const texts = ({ index }: Amount) => rows.map(({ cells }) => (cells[index] ?? '').trim());
  const marksOf = (amounts: readonly Amount[]) =>
    new Set(amounts.flatMap(texts).flatMap((text) => /([.,])\d+$/.exec(text)?.[1] ?? []));
  const own = marksOf([price]);
  const marks = own.size > 0 ? own : marksOf([local, value]);
  const isSpaced = [price, local, value].some((amount) => texts(amount).some((text) => /\d\s\d{3}\b/.test(text)));
  return {
    decimal: marks.has(',') && !marks.has('.') ? ',' : '.',
    ...(isSpaced ? { thousands: ' ' } : {}),
  };
}

function cellOf({ header }: Pick<Table, 'header'>, { cells, line }: CsvRow, index: number): Cell {
  const column = header.cells[index]?.trim() || `column ${index + 1}`;
  return { text: (cells[index] ?? '').trim(), column, line };
}

/** In some exports, the order id is one column to the right of its name. */
function hasOrder({ cells }: CsvRow, { orderId }: Places): boolean {
  return cells.slice(orderId).some((cell) => cell.trim() !== '');
}

function fillOf(row: CsvRow, table: Table): FileFill | undefined {
  const { places, style, zone } = table;
  const cell = (index: number) => cellOf(table, row, index);
  refuseEmpty(cell(DATE), cell(TIME), cell(PRODUCT), cell(places.quantity), cell(places.price.index));
  const signed = numberIn(cell(places.quantity), style);
  if (signed === 0) return undefined;
  const quoted = currencyOf(row, table, places.price);
  // Pence: a hundredth of a pound.
  const scale = quoted === 'GBX' ? 0.01 : 1;
  const currency = quoted === 'GBX' ? 'GBP' : quoted;
  const price = roundMoney(numberIn(cell(places.price.index), style) * scale);
  const local = (orNothing(cell(places.local.index), (own) => numberIn(own, style)) ?? 0) * scale;
  const rate = rateOf(row, table, local);
  const base = currencyOf(row, table, places.value);
  const instrument = instrumentIn(productIn(row, table), currency, signed * price, {
    ...cell(places.local.index),
    value: local,
  });
  return fill({
    line: row.line,
    instrument,
    executedAt: instantIn(joined(cell(DATE), cell(TIME)), 'dmy', zone),
    kind: instrument.market === 'option' && price === 0 && !hasOrder(row, places) ? 'expiration' : 'trade',
    side: signed > 0 ? 'buy' : 'sell',
    quantity: Math.abs(signed),
    price,
    mayShort: instrument.market !== 'stock',
    ...costsOf(costsIn(row, table), { currency, base, rate, line: row.line }),
    rate: rate === null || base === currency ? null : { base, value: rate },
  });
}

function currencyOf(row: CsvRow, table: Table, { currency }: Amount): string {
  if ('name' in currency) return currency.name;
  return currencyIn(cellOf(table, row, currency.index));
}

/** Exchange rate from the price's currency to the account's. The two values show the direction of the stated rate. */
function rateOf(row: CsvRow, table: Table, local: number): number | null {
  const { places, style } = table;
  const cell = (index: number) => cellOf(table, row, index);
  const stated = orNothing(cell(places.rate), (own) => positiveIn(own, style));
  if (stated === null) return null;
  const value = orNothing(cell(places.value.index), (own) => numberIn(own, style)) ?? 0;
  if (local === 0 || value === 0) return roundMoney(1 / stated);
  const exact = value / local;
  const all = [1 / stated, stated, 100 / stated, stated * 100];
  return all.reduce((best, own) => (Math.abs(Math.log(own / exact)) < Math.abs(Math.log(best / exact)) ? own : best));
}

/** Symbols have a maximum of 64 characters; longer names of funds may differ only at their ends, so the ISIN is used. */
function productIn(row: CsvRow, table: Table): Cell {
  const product = cellOf(table, row, PRODUCT);
  return product.text.length <= 64 ? product : cellOf(table, row, ISIN);
}

/** ADYEN P1000.00 20DEC24 */
const OPTION = /^(.+?) ([CP])(\d+(?:[.,]\d+)?) (\d\d)([A-Z]{3})(\d\d)$/;

function instrumentIn(product: Cell, currency: string, amount: number, local: Cell & { value: number }): Instrument {
  const multiplier = multiplierOf(Math.abs(amount), local);
  const parts = OPTION.exec(product.text);
  const month = monthOf(parts?.[5] ?? '');
  if (parts && month) {
    const expiration = `20${parts[6]}-${month}-${parts[4]}`;
    const strike = Number((parts[3] as string).replace(',', '.'));
    const optionType = parts[2] === 'C' ? 'call' : 'put';
    return option({ underlying: parts[1] as string, expiration, strike, optionType }, { currency, multiplier });
  }
  const own = stock(product.text, currency);
  // Bonds are quoted in percent, futures have a size.
  return multiplier === null || multiplier === 1 ? own : { ...own, market: 'other', multiplier };
}

/** @throws RowError if the amount paid isn't a multiple of quantity times price */
function multiplierOf(amount: number, local: Cell & { value: number }): number | null {
  const paid = Math.abs(local.value);
  if (amount === 0 || paid === 0) return null;
  const near = (multiplier: number) => Math.abs(paid - amount * multiplier) <= 0.006 + paid * 0.001;
  const found = [1, 0.01, Math.round(paid / amount)].find((multiplier) => multiplier > 0 && near(multiplier));
  if (found !== undefined) return found;
  throw cellError(local, 'must be the quantity times the price');
}

/** With a minus, in the account's currency unless the column has another. */
function costsIn(row: CsvRow, table: Table): { amount: number; currency: string }[] {
  return table.places.fees.flatMap((place) => {
    const amount = orNothing(cellOf(table, row, place.index), (own) => numberIn(own, table.style)) ?? 0;
    return amount === 0 ? [] : [{ amount: -amount, currency: currencyOf(row, table, place) }];
  });
}
