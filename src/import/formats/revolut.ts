/**
 * Revolut's account statement of shares: prices are texts with their currency, costs are
 * only in the amount.
 */
import { roundMoney } from '../../money.ts';
import { changeOf, type FileFill, pairsOf, unclear } from '../fills/reading.ts';
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
} from '../parse/cells.ts';
import { stock } from '../parse/instruments.ts';
import { mayBeEmpty, optional } from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { baseCurrencyNote } from '../tables/format.ts';
import { KNOWN } from './known.ts';

const SIGNS: Readonly<Record<string, string>> = {
  $: 'USD',
  US$: 'USD',
  '€': 'EUR',
  '£': 'GBP',
};

/** Shares added without a trade. */
const SPLIT = /^STOCK SPLIT$/i;
const TRADE = /^(BUY|SELL)(?: - .+)?$/i;

export const revolut = fillsTable({
  ...KNOWN.revolut,
  columns: {
    executed_at: 'Date',
    symbol: mayBeEmpty('Ticker'),
    type: 'Type',
    side: {
      column: 'Type',
      text: (text) => (SPLIT.test(text) ? 'BUY' : (TRADE.exec(text)?.[1] ?? text)),
    },
    units: mayBeEmpty('Quantity'),
    // 0,76672417: a spreadsheet's decimal comma.
    quantity: {
      column: 'Quantity',
      text: (text) => text.replace(/^-/, '').replace(/^(\d+),(?=\d{4,}$)/, '$1.'),
    },
    price: { column: 'Price per share', optional: 'cells', read: () => 0 },
    each: mayBeEmpty('Price per share'),
    total: mayBeEmpty('Total Amount'),
    currency: 'Currency',
  },
  dates: 'ymd',
  zone: 'UTC',
  skip({ type, symbol, units }, file) {
    if (TRADE.test(type.text) || SPLIT.test(type.text)) return undefined;
    if (symbol.text !== '' && units.text !== '') file.moved(symbol);
    return type.text.toLowerCase();
  },
  flows: {
    meanings: [
      [/^cash top-up\b/, 'deposit'],
      [/^cash withdrawal\b/, 'withdrawal'],
      [/\btax\b/, 'tax'],
      [/^dividend\b/, 'dividend'],
      [/\bfee\b/, 'fee'],
      [/\binterest\b/, 'interest'],
      [/^transfer\b/, 'transfer'],
    ],
    read: ({ total, currency, symbol, type }) => [
      {
        amount: total.text === '' ? 0 : amountIn(total, currency),
        currency: currencyIn(currency),
        symbol: symbol.text || null,
        description: type.text,
      },
    ],
  },
  instrument: ({ symbol, currency }) => stock(symbol.text, currencyIn(currency)),
  row({ type, units, each, total, currency }, { side, quantity }) {
    // A reverse split takes shares away.
    if (SPLIT.test(type.text))
      return { kind: 'split', side: units.text.startsWith('-') ? 'sell' : 'buy' };

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
});

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
