/**
 * Interactive Brokers' Transaction History: fills and cash with days only. Prices are in
 * the trade's currency, amounts and commissions in the account's.
 */
import { quote, RowError } from '../../errors.ts';
import { contractSize, futureOf } from '../../journal/derivatives.ts';
import { roundMoney } from '../../money.ts';
import {
  type Cell,
  cellError,
  knownWord,
  numberIn,
  orNothing,
  positiveIn,
} from '../../parse/cells.ts';
import { type CsvTable, csvRows } from '../../parse/csv-rows.ts';
import type { Instrument } from '../../parse/instruments.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { named, namedOption } from './ibkr.ts';
import { KNOWN } from './known.ts';

const TYPES = {
  Buy: { side: 'buy' },
  Sell: { side: 'sell' },
  Assignment: { kind: 'assignment', side: null, effect: 'close' },
  Exercise: { kind: 'exercise', side: null, effect: 'close' },
  Expiration: { kind: 'expiration', side: null, effect: 'close' },
} as const;

const COLUMNS = {
  executed_at: 'Date',
  side: { column: 'Transaction Type', optional: 'cells', words: TYPES },
  symbol: 'Symbol',
  units: 'Quantity',
  quantity: { column: 'Quantity', text: (text: string) => text.replace(/^-(?=.)/, '') },
  price: mayBeEmpty('Price'),
  gross: mayBeEmpty('Gross Amount'),
  commission: mayBeEmpty('Commission'),
  account: optional('Account'),
  description: optional('Description'),
  currency: optional('Price Currency'),
  multiplier: optional('Multiplier'),
  rate: optional('Exchange Rate'),
  otherFees: optional('Transaction Fees'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

/** Rows that don't change a position, or only state a trade in the account's currency. */
const NO_FILL =
  /^(forex trade component|dividend|payment in lieu|foreign tax|withholding tax|other fee|fee|commission adjustment|deposit|withdrawal|(credit|debit|broker|investment) interest|adjustment|sales tax|transaction tax)/i;

/** Rows that add or remove shares without a price. */
const MOVE =
  /^(corporate action|transfer|stock |grant|cash transfer|internal transfer|position transfer)/i;

export const ibkrTransactions = fillsTable({
  ...KNOWN['ibkr-transactions'],
  table: transactionsIn,
  columns: COLUMNS,
  dates: 'ymd',
  daysOnly: true,
  skip({ side: type, units, symbol }, file) {
    if (knownWord(type, TYPES)) return undefined;
    if (NO_FILL.test(type.text) || orNothing(units, numberIn) === null)
      return type.text.toLowerCase();
    if (!MOVE.test(type.text)) {
      throw cellError(
        type,
        `must be one of ${Object.keys(TYPES).join(', ')}, or have no quantity`,
      );
    }

    file.moved(symbol);
    return type.text.toLowerCase();
  },
  instrument: (cells, file) => instrumentIn(cells, currencyOf(cells, file), file),
  row(cells, { quantity, price, instrument }, file) {
    const base = file.once(baseIn);
    const mayShort = instrument.market !== 'stock';
    const cost = (cell: Cell | undefined) => orNothing(cell, numberIn) ?? 0;
    const fee = 0 - roundMoney(cost(cells.commission) + cost(cells.otherFees));
    if (base === null || base === instrument.currency) return { mayShort, fees: fee };

    const value = Number(quantity) * price * (instrument.multiplier ?? 0);
    const rate = value > 0 ? grossIn(cells) / value : 0;
    if (rate === 0)
      return { mayShort, otherFee: fee === 0 ? null : { amount: fee, currency: base } };

    return {
      mayShort,
      fees: roundMoney(fee / rate),
      rate: { base, value: Number(rate.toPrecision(8)) },
    };
  },
});

/** @param start the beginning of a file */
function baseIn({ text }: TableFile<typeof COLUMNS>): string | null {
  const named = csvRows(text).find(
    ({ cells: [section, , name] }) => section === 'Summary' && name === 'Base Currency',
  );
  return named?.cells[3]?.trim() ?? null;
}

/** The lines of the section, below its header. */
function transactionsIn(text: string): CsvTable {
  const lines = csvRows(text)
    .map(({ line, cells }) => ({ line, cells: cells.map((cell) => cell.trim()) }))
    .filter(({ cells }) => cells[0] === 'Transaction History');
  const at = lines.findIndex(({ cells }) => cells[1] === 'Header');
  const header = lines[at];
  if (!header) throw new RowError(null, 'has no header of transactions', lines[0]?.line);
  return {
    header,
    rows: lines.filter(({ cells }, index) => index > at && cells[1] === 'Data'),
  };
}

/**
 * If no column has the rate: the median of amount / price over all rows, since bonds are
 * quoted in percent.
 */
function usualRates(file: TableFile<typeof COLUMNS>): Map<string, number> {
  const base = file.once(baseIn);
  const found = new Map<string, number[]>();
  for (const cells of file.rows()) {
    const { side: type, symbol, units: quantity, price, gross, currency } = cells;
    if (!/^(buy|sell)$/i.test(type.text) || optionCell(cells) || !currency) continue;
    if (currency.text === base || /[FGHJKMNQUVXZ]\d$/.test(symbol.text)) continue;

    // A cell that isn't a number is an error of its own row.
    const [units, paid, money] = [quantity, price, gross].map(({ text }) =>
      Math.abs(Number(text.replaceAll(',', ''))),
    );
    if (!units || !paid || !money) continue;

    found.set(currency.text, [
      ...(found.get(currency.text) ?? []),
      money / (units * paid),
    ]);
  }

  return new Map(
    [...found].map(([name, rates]) => [
      name,
      rates.sort((a, b) => a - b)[rates.length >> 1] as number,
    ]),
  );
}

/** The cell that names an option, in the broker's or the exchanges' notation. */
function optionCell({
  symbol,
  description,
}: Pick<Cells, 'symbol' | 'description'>): Cell | undefined {
  if (/ \d\d[A-Z]{3}\d\d [\d.]+ [CP]$/.test(description?.text ?? '')) return description;
  return /(\d{6}[CP]\d{8}| [CP]$)/.test(symbol.text) ? symbol : undefined;
}

function currencyOf(
  { currency: cell, symbol }: Cells,
  file: TableFile<typeof COLUMNS>,
): string {
  const currency = orNothing(cell, ({ text }) => text) ?? file.once(baseIn);
  if (currency !== null && /^[A-Z]{3}$/.test(currency)) return currency;
  const problem = `must be a currency, such as USD; got ${quote(cell?.text ?? '')}`;
  throw new RowError('Price Currency', problem, symbol.line);
}

function grossIn({ gross }: Cells): number {
  return Math.abs(orNothing(gross, numberIn) ?? 0);
}

/** Money per point and unit, from amount, price and rate. */
function derivedSize(
  cells: Cells,
  currency: string,
  file: TableFile<typeof COLUMNS>,
): number | null {
  const rate = orNothing(cells.rate, positiveIn) ?? file.once(usualRates).get(currency);
  const usual = currency === file.once(baseIn) ? 1 : rate;
  const value = positiveIn(cells.quantity) * (orNothing(cells.price, numberIn) ?? 0);
  const gross = grossIn(cells);
  return usual !== undefined && value !== 0 && gross !== 0
    ? gross / (value * usual)
    : null;
}

function instrumentIn(
  cells: Cells,
  currency: string,
  file: TableFile<typeof COLUMNS>,
): Instrument {
  const { symbol, multiplier } = cells;
  const derived = derivedSize(cells, currency, file);
  const stated = orNothing(multiplier, positiveIn);
  const option = optionCell(cells);
  if (option)
    return namedOption(option, {
      currency,
      multiplier: stated ?? (derived === null ? 100 : Math.round(derived)),
    });

  const root = futureOf(symbol.text)?.root;
  const size =
    root === undefined || root === symbol.text ? undefined : contractSize(root);
  if (size)
    return named(symbol.text, 'future', {
      currency,
      multiplier: stated ?? size.multiplier,
    });

  // Rates of other days are close to this day's.
  const isNear = (multiplier: number) =>
    derived !== null && Math.abs(Math.log(derived / multiplier)) < 0.4;
  if (derived === null || isNear(1))
    return named(symbol.text, 'stock', { currency, multiplier: 1 });
  // Bonds are quoted in percent.
  if (isNear(0.01)) return named(symbol.text, 'other', { currency, multiplier: 0.01 });

  throw cellError(symbol, 'the amount must be the quantity times the price');
}
