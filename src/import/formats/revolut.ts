/**
 * Revolut's account statement of shares: prices are texts with their currency, costs are
 * only in the amount.
 */
import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  currencyIn,
  knownWord,
  moneyIn,
  orNothing,
  plainPriceIn,
  positiveIn,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import { stock } from '../../parse/instruments.ts';
import { changeOf, type FileFill, pairsOf, unclear } from '../fills/reading.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { baseCurrencyNote } from '../tables/format.ts';
import { KNOWN } from './known.ts';

const SIGNS: Readonly<Record<string, string>> = {
  $: 'USD',
  US$: 'USD',
  '€': 'EUR',
  '£': 'GBP',
};

/** Shares added or removed without a trade. */
const SPLIT = /^STOCK SPLIT$/i;
const MERGER = /^MERGER - STOCK$/i;
/** Money for shares; another row removes them, if any. */
const PAYOUT = /^(MERGER - CASH|POSITION CLOSURE)$/i;
const TRADE = /^(BUY|SELL)(?: - .+)?$/i;

const COLUMNS = {
  executed_at: 'Date',
  symbol: mayBeEmpty('Ticker'),
  type: 'Type',
  side: {
    column: 'Type',
    text: (text: string) =>
      SPLIT.test(text) || MERGER.test(text) ? 'BUY' : (TRADE.exec(text)?.[1] ?? text),
  },
  units: mayBeEmpty('Quantity'),
  // 0,76672417: a spreadsheet's decimal comma.
  quantity: {
    column: 'Quantity',
    text: (text: string) => text.replace(/^-/, '').replace(/^(\d+),(?=\d{4,}$)/, '$1.'),
  },
  price: { column: 'Price per share', optional: 'cells', read: () => 0 },
  each: mayBeEmpty('Price per share'),
  total: mayBeEmpty('Total Amount'),
  currency: 'Currency',
} as const;

type Cells = CellsOf<typeof COLUMNS>;
type File = TableFile<typeof COLUMNS>;

export const revolut = fillsTable({
  ...KNOWN.revolut,
  columns: COLUMNS,
  dates: 'ymd',
  zone: 'UTC',
  skip(cells, file) {
    const { type, symbol, units } = cells;
    if ([TRADE, SPLIT].some((own) => own.test(type.text))) return undefined;
    if (MERGER.test(type.text) && units.text !== '') return undefined;

    const isPaid = PAYOUT.test(type.text) && !paysForRemoved(cells, file);
    if (symbol.text !== '' && (units.text !== '' || isPaid)) file.moved(symbol);
    return type.text.toLowerCase();
  },
  flows: {
    meanings: [
      [/^cash top-up\b/, 'deposit'],
      [/^cash withdrawal\b/, 'withdrawal'],
      [/\btax\b/, 'tax'],
      [/^(dividend|return of capital)\b/, 'dividend'],
      [/\bfee\b/, 'fee'],
      [/\binterest\b|^bond coupon\b/, 'interest'],
      [/^transfer\b/, 'transfer'],
      [/^(reward|merger - cash|position closure)\b/, 'other'],
    ],
    read: (cells, file) => [
      {
        amount: paysForRemoved(cells, file) ? 0 : totalOf(cells),
        currency: currencyIn(cells.currency),
        symbol: cells.symbol.text || null,
        description: cells.type.text,
      },
    ],
  },
  instrument: ({ symbol, currency }) => stock(symbol.text, currencyIn(currency)),
  row({ type, units, each, total, currency }, { side, quantity }) {
    // A reverse split takes shares away.
    const kind = SPLIT.test(type.text) ? 'split' : 'symbol_change';
    if (kind === 'split' || MERGER.test(type.text))
      return { kind, side: units.text.startsWith('-') ? 'sell' : 'buy' };

    const price = amountIn(each, currency);
    const value = Number(quantity) * price;
    const paid = Math.abs(amountIn(total, currency));
    const cost = side === 'buy' ? paid - value : value - paid;
    const most = 5 + value * 0.02;
    if (Math.abs(cost) > most + Number(quantity) * 0.005) {
      throw cellError(
        total,
        `must be about quantity times price, which is ${roundMoney(value)}`,
      );
    }
    // Cents are too few decimals for a price near them.
    if (Math.abs(cost) > most)
      return { price: roundMoney(paid / Number(quantity)), fees: 0 };

    return {
      price: positiveIn({ ...each, text: String(price) }),
      fees: roundMoney(cost),
    };
  },
  notes: [
    'fees are the difference between each total and quantity times price, rounding included',
  ],
  end: (fills, file) => ({ fills: withMergers(fills, file) }),
});

function totalOf({ total, currency }: Cells): number {
  return total.text === '' ? 0 : amountIn(total, currency);
}

/** The mergers' rows of shares on the day of a row. */
function mergedOn({ executed_at }: Cells, file: File): Cells[] {
  const day = executed_at.text.slice(0, 10);
  return file
    .rows()
    .filter((row) => MERGER.test(row.type.text) && row.executed_at.text.startsWith(day));
}

/**
 * Whether a row has the money for shares that another row of its day removes; not if
 * others come as well.
 */
function paysForRemoved(cells: Cells, file: File): boolean {
  if (!PAYOUT.test(cells.type.text)) return false;

  const merged = mergedOn(cells, file);
  return (
    merged.some(({ symbol }) => symbol.text === cells.symbol.text) &&
    merged.every(({ units }) => units.text.startsWith('-'))
  );
}

/** Shares sold for the money of a merger, or exchanged for others. */
function withMergers(fills: readonly FileFill[], file: File): FileFill[] {
  const paid = file.rows().filter((row) => paysForRemoved(row, file));
  const replaced = new Map<FileFill, FileFill[]>();
  const merged = fills.filter(({ kind }) => kind === 'symbol_change');

  for (const rows of Map.groupBy(merged, dayOf).values()) {
    const { pairs, rest } = pairsOf(rows);
    for (const { before, after } of pairs)
      replaced.set(before, []).set(after, changeOf(before, after));
    for (const row of rest) replaced.set(row, [soldFor(paid, row, file)]);
  }

  return fills.flatMap((row) => replaced.get(row) ?? [row]);
}

const dayOf = ({ executedAt }: FileFill) => executedAt.slice(0, 10);

function soldFor(paid: readonly Cells[], row: FileFill, file: File): FileFill {
  const { symbol } = row.instrument;
  const money = paid
    .filter((cells) => cells.symbol.text === symbol)
    .reduce((sum, cells) => sum + totalOf(cells), 0);
  if (money > 0)
    return {
      ...row,
      kind: 'delivery',
      effect: 'close',
      price: money / Number(row.quantity),
    };

  file.moved({ text: symbol, line: row.line });
  return unclear(row);
}

/** EUR 100.61, $52.07, -$30.93, €50. */
function amountIn(cell: Cell, currency: Cell): number {
  const [, minus = '', mark = '', number = ''] =
    /^(-?)([A-Z]{3}|(?:US)?\$|[€£]) ?(-?[\d.,]+)$/.exec(cell.text) ?? [];
  const sign = SIGNS[mark] ?? mark;
  if (sign !== '' && sign !== currency.text)
    throw cellError(cell, `must be in ${currency.text}, the currency of its row`);
  const amount = sign === '' ? plainPriceIn(cell) : moneyIn({ ...cell, text: number });
  return minus === '' ? amount : 0 - amount;
}

// Revolut's older account statement, which other programs convert from its PDF: days
// only, a split in two rows.

const OLDER_TYPES = { BUY: 'buy', SELL: 'sell', SSP: 'split' } as const;

const OTHER_TYPES = byMeaning({
  'cash deposit': 'CDEP',
  'cash withdrawal': 'CSD',
  dividend: 'DIV',
  tax: 'DIVNRA, DIVFT',
});

/** AAPL - APPLE INC */
function tickerIn(text: string): string {
  return text.replace(/ - .*/s, '');
}

export const revolutOlder = fillsTable({
  ...KNOWN['revolut-older'],
  columns: {
    executed_at: 'Trade Date',
    symbol: {
      column: ['Symbol', 'Symbol / Description'],
      text: tickerIn,
      optional: 'cells',
    },
    description: { column: 'Symbol / Description', text: tickerIn, optional: true },
    type: 'Activity Type',
    side: { column: 'Activity Type', read: () => null },
    units: { column: 'Quantity', optional: 'cells', read: (cell) => moneyIn(cell) },
    quantity: { column: 'Quantity', read: (cell) => Math.abs(moneyIn(cell)) },
    price: { column: 'Price', optional: 'cells', read: (cell) => moneyIn(cell) },
    amount: mayBeEmpty('Amount'),
    currency: optional('Currency'),
  },
  dates: 'local',
  daysOnly: true,
  zone: 'UTC',
  skip(cells, file) {
    if (knownWord(cells.type, OLDER_TYPES)) return undefined;
    if (cells.units.text !== '') file.moved(cells.symbol);
    return (
      knownWord(cells.type, OTHER_TYPES) ??
      (cells.type.text.toLowerCase() || 'row without an activity type')
    );
  },
  flows: {
    meanings: [
      [/^cash deposit$/, 'deposit'],
      [/^cash withdrawal$/, 'withdrawal'],
      [/^dividend$/, 'dividend'],
      [/^tax$/, 'tax'],
    ],
    read: ({ amount, currency, symbol, type }, { context }) => [
      {
        amount: orNothing(amount, moneyIn) ?? 0,
        currency: currency ? currencyIn(currency) : context.user.base_currency,
        symbol: symbol.text || null,
        description: knownWord(type, OTHER_TYPES) ?? type.text,
      },
    ],
  },
  instrument({ symbol, description, currency }, { context }) {
    const named = symbol.text === '' && description ? description : symbol;
    refuseEmpty(named);
    return stock(
      named.text,
      currency ? currencyIn(currency) : context.user.base_currency,
    );
  },
  row({ type, units, amount }, { quantity, price }) {
    const kind = wordIn(type, OLDER_TYPES);
    if (kind === 'split')
      return { kind, side: moneyIn(units) < 0 ? 'sell' : 'buy', price: 0 };

    const value = Number(quantity) * price;
    const paid = orNothing(amount, (cell) => Math.abs(moneyIn(cell))) ?? value;
    const cost = kind === 'buy' ? paid - value : value - paid;
    if (Math.abs(cost) > 5 + value * 0.02 + Number(quantity) * 0.005) {
      throw cellError(
        amount,
        `must be about quantity times price, which is ${roundMoney(value)}`,
      );
    }

    // Prices are rounded to cents.
    return cost > 0.05
      ? { side: kind, fees: roundMoney(cost) }
      : { side: kind, price: paid / Number(quantity) };
  },
  end: (fills, file) => ({
    fills: withSplits(fills, file.moved),
    notes: file.header.cells.includes('Currency') ? [] : [baseCurrencyNote(file.context)],
  }),
});

/** A split has a row of the shares removed, and one of those added. */
function withSplits(
  fills: readonly FileFill[],
  moved: (symbol: Pick<Cell, 'text' | 'line'>) => void,
): FileFill[] {
  const rows = fills.filter(({ kind }) => kind === 'split');
  const replaced = new Map<FileFill, FileFill[]>();
  const groups = Map.groupBy(
    rows,
    ({ executedAt, instrument }) => `${executedAt} ${instrument.symbol}`,
  );

  for (const { pairs, rest } of [...groups.values()].map(pairsOf)) {
    for (const { before, after } of pairs)
      replaced.set(before, []).set(after, changeOf(before, after));
    for (const row of rest) {
      replaced.set(row, [unclear(row)]);
      moved({ text: row.instrument.symbol, line: row.line });
    }
  }

  return fills.flatMap((row) => replaced.get(row) ?? [row]);
}
