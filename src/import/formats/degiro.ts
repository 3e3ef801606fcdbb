/**
 * DEGIRO's transactions. Headers are in the account's language, and most currencies are
 * in unnamed columns, so columns are found by their places.
 */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  type Cell,
  cellError,
  currencyIn,
  joined,
  type NumberStyle,
  numberIn,
  orNothing,
  positiveIn,
  sumIn,
} from '../../parse/cells.ts';
import { type CsvRow, raggedTable } from '../../parse/csv-rows.ts';
import { type Instrument, optionIn, stock } from '../../parse/instruments.ts';
import { assumedZone } from '../../parse/times.ts';
import { byTime, type FileFill, unclear } from '../fills/reading.ts';
import { costsOf, unitOfPrice } from '../tables/costs.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  optional,
  type Places,
  type Row,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { KNOWN } from './known.ts';
import { DEGIRO_ISIN } from './recognisers.ts';

const COLUMNS = {
  date: 'date',
  time: 'time',
  executed_at: {
    value:
      (file: TableFile) =>
      ({ date, time }: Row) =>
        file.instantIn(joined(date as Cell, time as Cell)),
  },
  product: 'product',
  isin: mayBeEmpty('ISIN'),
  quantity: 'quantity',
  price: 'price',
  price_currency: mayBeEmpty('currency of the price'),
  local: mayBeEmpty('local value'),
  value: mayBeEmpty('value'),
  value_currency: mayBeEmpty('currency of the value'),
  rate: mayBeEmpty('exchange rate'),
  fee: mayBeEmpty('fee'),
  fee_currency: mayBeEmpty('currency of the fee'),
  other_fee: optional('other fee'),
  other_fee_currency: optional('currency of the other fee'),
  total: mayBeEmpty('total'),
  order: mayBeEmpty('order'),
  after_order: mayBeEmpty('after the order'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;
type File = TableFile<typeof COLUMNS>;

export const degiro = fillsTable({
  ...KNOWN.degiro,
  table: raggedTable('ISIN'),
  places: placesIn,
  columns: COLUMNS,
  dates: 'dmy',
  zone: (_, context) => assumedZone(context),
  style: styleOf,
  skip({ quantity }, file) {
    file.once(refuseOtherColumns);
    return quantity.text !== '' && numberIn(quantity, file.style) === 0
      ? 'row without units'
      : undefined;
  },
  signed: true,
  instrument: ({ product, isin, quantity, price, price_currency, local }, { style }) => {
    const { currency, scale } = unitOfPrice(price_currency);
    const amount = Math.abs(
      numberIn(quantity, style) * roundMoney(numberIn(price, style) * scale),
    );
    const multiplier = multiplierOf(
      amount,
      Math.abs(sumIn([local], style) * scale),
      local,
    );
    // Symbols have a maximum of 64 characters; longer names of funds may differ only at
    // their ends.
    return instrumentIn(product.text.length <= 64 ? product : isin, currency, multiplier);
  },
  row(cells, { line, instrument, price }, { style }) {
    const { currency, scale } = unitOfPrice(cells.price_currency);
    const base = currencyIn(cells.value_currency);
    const rate = rateOf(cells, sumIn([cells.local], style) * scale, style);
    const isExpiration =
      instrument.market === 'option' && price === 0 && !hasOrder(cells);

    return {
      kind: isExpiration ? 'expiration' : 'trade',
      price: roundMoney(price * scale),
      mayShort: instrument.market !== 'stock',
      ...costsOf(costsIn(cells, style), { currency, base, rate, line }),
      rate: rate === null || base === currency ? null : { base, value: rate },
    };
  },
  end(fills, file) {
    const lines = new Set(
      file.rows().flatMap((cells) => (hasOrder(cells) ? [] : [cells.product.line])),
    );
    const withoutOrder = fills
      .filter(({ line }) => lines.has(line))
      .sort((a, b) => a.line - b.line);
    const notes = [
      `${withoutOrder.length} rows without an order, such as corporate actions, are read as fills`,
    ];

    return {
      fills: [...movesIn(withoutOrder), ...fills].sort(byTime),
      notes: withoutOrder.length > 0 ? notes : [],
    };
  },
  notes: ['times have no seconds in this export'],
});

/**
 * @throws RowError unless value and fees make the total of most rows: an unknown column
 * among them would count as a fee
 */
function refuseOtherColumns({ header, style, rows }: File): void {
  const all = rows();
  const wrong = all.filter(({ value, fee, other_fee, total }) => {
    const sum = sumIn([value, fee, other_fee], style);
    const stated = sumIn([total], style);
    return stated !== 0 && Math.abs(sum - stated) > 0.05 + Math.abs(sum) / 1000;
  });
  if (wrong.length * 2 > all.length) throw unknownHeader(header);
}

/**
 * Units replaced by others without an order: a split, a merger or a change of name.
 * Trades of both are unsure.
 */
function movesIn(withoutOrder: readonly FileFill[]): FileFill[] {
  const shares = withoutOrder.filter(({ instrument }) => instrument.market === 'stock');
  const ofTime = Map.groupBy(shares, ({ executedAt }) => executedAt);
  return shares
    .filter(({ executedAt, side }) =>
      ofTime.get(executedAt)?.some((other) => other.side !== side),
    )
    .map(unclear);
}

/**
 * After the ISIN: one or two exchanges, the quantity, then amounts with their currencies,
 * the price first, up to the order id.
 */
function placesIn(header: CsvRow, [first]: readonly CsvRow[]): Places {
  const names = header.cells.map((name) => name.trim());
  const price = names.findIndex(
    (name, index) => index > DEGIRO_ISIN + 1 && name !== '' && names[index + 1] === '',
  );
  const named = names.flatMap((name, index) =>
    index >= price && name !== '' ? [index] : [],
  );
  const isOlder =
    named.length === 8 && !/^-?[\d.,\s]+$/.test(first?.cells[price - 1]?.trim() ?? '');
  // Until about 2020, each currency preceded its amount, and there was one exchange.
  const [quantity, amounts] = isOlder ? [price, named.slice(1)] : [price - 1, named];
  const [at = -1, local, value, rate, ...rest] = amounts;
  const [fee, otherFee, ...more] = rest.slice(0, -2);
  const [total, order] = rest.slice(-2);
  if (
    price === -1 ||
    value === undefined ||
    fee === undefined ||
    order === undefined ||
    more.length > 0
  )
    throw unknownHeader(header);

  const currencyOf = (index: number, otherwise: number | string): number | string => {
    if (isOlder) return index - 1;
    return (
      /\b[A-Z]{3}$/.exec(names[index] as string)?.[0] ??
      (names[index + 1] === '' ? index + 1 : otherwise)
    );
  };

  // A column between two amounts with a currency has none of its own.
  const common =
    names[value + 1] === '' ? undefined : /\b[A-Z]{3}$/.exec(names[order - 1] ?? '')?.[0];
  const base = currencyOf(value, common ?? value + 1);

  return {
    date: 0,
    time: 1,
    product: 2,
    isin: DEGIRO_ISIN,
    quantity,
    price: at,
    local,
    value,
    rate,
    fee,
    total,
    order,
    price_currency: currencyOf(at, common ?? value + 1),
    value_currency: base,
    fee_currency: currencyOf(fee, common ?? base),
    other_fee: otherFee,
    other_fee_currency: otherFee && currencyOf(otherFee, common ?? base),
    after_order: order + 1,
  };
}

function unknownHeader(header: CsvRow): RowError {
  const wanted =
    'exchange, quantity, price, local value, value, exchange rate, fees, total and order';
  return new RowError(
    null,
    `unknown header; after the ISIN it must have ${wanted}, in this order`,
    header.line,
  );
}

/**
 * Prices have decimals in every row, which shows the decimal separator. French files have
 * a space between thousands.
 */
function styleOf(rows: readonly Cells[]): NumberStyle {
  const texts = rows.flatMap(({ price, local, value }) => [
    price.text,
    local.text,
    value.text,
  ]);
  const marksOf = (all: readonly string[]) =>
    new Set(all.flatMap((text) => /([.,])\d+$/.exec(text)?.[1] ?? []));
  const ofPrices = marksOf(rows.map(({ price }) => price.text));
  const marks = ofPrices.size > 0 ? ofPrices : marksOf(texts);

  return {
    decimal: marks.has(',') && !marks.has('.') ? ',' : '.',
    ...(texts.some((text) => /\d\s\d{3}\b/.test(text)) ? { thousands: ' ' } : {}),
  };
}

/** In some exports, the order id is one column to the right of its name. */
function hasOrder({ order, after_order: after }: Cells): boolean {
  return order.text !== '' || after.text !== '';
}

/**
 * Exchange rate from the price's currency to the account's. The two values show the
 * direction of the stated rate.
 */
function rateOf(
  { rate, value }: Cells,
  local: number,
  style: NumberStyle,
): number | null {
  const stated = orNothing(rate, (cell) => positiveIn(cell, style));
  if (stated === null) return null;
  const paid = sumIn([value], style);
  if (local === 0 || paid === 0) return roundMoney(1 / stated);
  const apart = (quote: number) => Math.abs(Math.log(quote / (paid / local)));
  const all = [1 / stated, stated, 100 / stated, stated * 100];
  return all.reduce((best, quote) => (apart(quote) < apart(best) ? quote : best));
}

/** ADYEN P1000.00 20DEC24 */
const OPTION =
  /^(?<underlying>.+?) (?<type>[CP])(?<strike>\d+(?:[.,]\d+)?) (?<day>\d\d)(?<month>[A-Z]{3})(?<year>\d\d)$/;

function instrumentIn(
  product: Cell,
  currency: string,
  multiplier: number | null,
): Instrument {
  const text = product.text.replace(/,(?=\d+ \d\d[A-Z]{3}\d\d$)/, '.');
  const contract = optionIn({ ...product, text }, [OPTION], { currency, multiplier });
  if (contract) return contract;

  const share = stock(product.text, currency);
  // Bonds are quoted in percent, futures have a size.
  return multiplier === null || multiplier === 1
    ? share
    : { ...share, market: 'other', multiplier };
}

/** @throws RowError if the amount paid isn't a multiple of quantity times price */
function multiplierOf(amount: number, paid: number, local: Cell): number | null {
  if (amount === 0 || paid === 0) return null;
  const near = (multiplier: number) =>
    Math.abs(paid - amount * multiplier) <= 0.006 + paid * 0.001;
  const found = [1, 0.01, Math.round(paid / amount)].find(
    (multiplier) => multiplier > 0 && near(multiplier),
  );
  if (found !== undefined) return found;
  throw cellError(local, 'must be the quantity times the price');
}

/** With a minus, in the account's currency unless the column has another. */
function costsIn(
  cells: Cells,
  style: NumberStyle,
): { amount: number; currency: string }[] {
  const { fee, fee_currency, other_fee, other_fee_currency } = cells;
  const costs = [
    [fee, fee_currency],
    [other_fee, other_fee_currency],
  ] as const;

  return costs.flatMap(([cell, currency]) => {
    const amount = sumIn([cell], style);
    return amount === 0 || !currency
      ? []
      : [{ amount: -amount, currency: currencyIn(currency) }];
  });
}
