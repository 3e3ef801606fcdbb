/**
 * Brokers in Europe whose numbers are texts: Revolut's prices have their currency, XTB's
 * cash operations are comments.
 */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { changeOf, type FileFill, pairsOf, unclear } from '../fills/reading.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  currencyIn,
  knownWord,
  orNothing,
  refuseEmpty,
  wordIn,
} from '../parse/columns.ts';
import { type CsvRow, type CsvTable, csvRows, isEmpty } from '../parse/csv-rows.ts';
import { cfd, type Instrument, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, plainPriceIn, positiveIn } from '../parse/numbers.ts';
import { usualZone } from '../parse/times.ts';
import type { Zone } from '../tables/clock.ts';
import { pointsOf } from '../tables/closed-trade.ts';
import { mayBeEmpty, optional } from '../tables/declaration.ts';
import { fillsTable, inOrderOfTime } from '../tables/fills.ts';
import { baseCurrencyNote, type ReadContext } from '../tables/format.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';
import { XTB_POSITION, xtb as xtbPositions } from './recognisers.ts';

// Revolut's account statement of shares: costs are only in the amount.

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

// Scalable Capital's transactions: one row an order, with decimal commas.

const SCALABLE_SIDES = { Buy: 'buy', Sell: 'sell', 'Savings plan': 'buy' } as const;
const COMMAS = { decimal: ',' } as const;

export const scalable = fillsTable({
  ...KNOWN.scalable,
  columns: {
    date: 'date',
    executed_at: { column: 'time', day: 'date' },
    status: 'status',
    symbol: mayBeEmpty('isin'),
    type: 'type',
    side: { column: 'type', words: SCALABLE_SIDES },
    units: mayBeEmpty('shares'),
    quantity: { column: 'shares', text: (text) => text.replace(/^-/, '') },
    price: 'price',
    amount: mayBeEmpty('amount'),
    fees: { column: 'fee', optional: 'cells', sign: 'absolute' },
    tax: mayBeEmpty('tax'),
    currency: 'currency',
    execution_id: mayBeEmpty('reference'),
  },
  dates: 'ymd',
  style: COMMAS,
  zone: (_, context) => usualZone(context, 'Europe/Berlin', "that of Scalable's times"),
  skip({ status, type, symbol, units }, file) {
    if (!/^executed$/i.test(status.text))
      return `${status.text.toLowerCase()} transaction`;
    if (knownWord(type, SCALABLE_SIDES)) return undefined;
    if (symbol.text !== '' && units.text !== '') file.moved(symbol);
    return type.text.toLowerCase();
  },
  flows: {
    meanings: [
      [/^(?:deposit|withdrawal)$/, 'funding'],
      [/^distribution$/, 'dividend'],
      [/^interest$/, 'interest'],
      [/^fee$/, 'fee'],
      [/^tax(?:es)?$/, 'tax'],
    ],
    read: ({ amount, currency, symbol, type, execution_id }) => [
      {
        id: execution_id.text || null,
        amount: orNothing(amount, (cell) => numberIn(cell, COMMAS)) ?? 0,
        currency: currencyIn(currency),
        symbol: symbol.text || null,
        description: type.text,
      },
    ],
  },
  instrument: ({ symbol, currency }) => stock(symbol.text, currencyIn(currency)),
  row({ amount }, { quantity, price, fees }) {
    const paid = Math.abs(numberIn(amount, COMMAS));
    const value = Number(quantity) * price;
    const rounding = 0.01 + Number(quantity) * 0.005;
    // Some versions add the fee.
    const isNear = [value, value + fees, value - fees].some(
      (own) => Math.abs(own - paid) <= rounding,
    );
    if (isNear) return {};
    throw cellError(
      amount,
      `must be about shares times price, which is ${roundMoney(value)}`,
    );
  },
  end(fills, { rows }) {
    const taxes = roundMoney(
      rows().reduce((sum, { type, tax }) => {
        const isTrade = knownWord(type, SCALABLE_SIDES) !== undefined;
        return (
          sum + (isTrade ? (orNothing(tax, (cell) => numberIn(cell, COMMAS)) ?? 0) : 0)
        );
      }, 0),
    );
    return {
      fills,
      notes: taxes === 0 ? [] : [`taxes of ${taxes} are excluded from figures`],
    };
  },
});

// XTB's xStation: the workbook of closed positions, in the account's language and
// currency, and cash operations.

/**
 * UTC in files that name it, as of 2026; else the given zone, else that of XTB's servers.
 */
function zoneOf(_: string, context: ReadContext, text: string): Zone {
  return /^"?Date from \(UTC\)/m.test(text.slice(0, 1000))
    ? { zone: 'UTC' }
    : usualZone(context, 'Europe/Warsaw', "that of XTB's times");
}

/**
 * Shares have the code of their market: SBUX.US, TXT.PL; other symbols are contracts on
 * differences.
 */
function instrumentIn(symbol: string, currency: string): Instrument {
  return /^[A-Z0-9]+\.[A-Z]{2}(?:_\d)?$/.test(symbol)
    ? stock(symbol, currency)
    : cfd(symbol, currency);
}

// Closed positions. The header has a name in each language for the same columns in the
// same order.

const NAMES = ['id', 'symbol', 'type', 'volume', 'opened', 'entry', 'closed', 'exit'];

export const xtb = tradesTable({
  ...KNOWN.xtb,
  table: closedPositions,
  columns: {
    id: 'id',
    symbol: 'symbol',
    type: 'type',
    quantity: 'volume',
    executed_at: 'opened',
    closed_at: 'closed',
    entry_price: 'entry',
    exit_price: 'exit',
    gross_pnl: 'gross',
    fees: {
      column: 'commission',
      plus: ['swap', 'rollover'],
      optional: 'cells',
      sign: 'negate',
    },
  },
  dates: ['ymd', 'excel'],
  zone: zoneOf,
  skip: ({ type }) => (type.text === '' ? 'title or total line' : undefined),
  instrument: ({ symbol }, { context, text }) =>
    instrumentIn(
      symbol.text,
      accountCurrency(text, context) ?? context.user.base_currency,
    ),
  row({ type }, trade) {
    const stated = wordIn(type, { BUY: 'long', SELL: 'short', Closed: null } as const);
    if (stated !== null) return { side: stated };
    // In MetaTrader's sheet the prices and the P&L state the side.
    const points = pointsOf({ ...trade, side: 'long' });
    if (points * trade.gross === 0)
      throw cellError(type, 'must be BUY or SELL if prices and P&L leave the side open');
    return { side: points * trade.gross > 0 ? 'long' : 'short' };
  },
  end(_, { text, context, rows }) {
    const totals = rows().filter(
      ({ id, type }) => type.text === '' && /^total$/i.test(id.text),
    );
    const currency = accountCurrency(text, context) ?? context.user.base_currency;
    const amount = roundMoney(
      totals.reduce((sum, { gross_pnl }) => sum + numberIn(gross_pnl), 0),
    );

    return {
      stated:
        totals.length === 0
          ? []
          : [{ isTotal: true, what: 'gross', currency, symbol: null, amount }],
      notes: [
        ...(accountCurrency(text, context) === undefined
          ? [baseCurrencyNote(context)]
          : []),
        'open positions, pending orders and cash operations of the workbook are not imported',
      ],
    };
  },
  states: [],
});

const CURRENCIES = ['PLN', 'EUR', 'USD', 'GBP', 'CZK', 'RON', 'HUF', 'CHF'];

/** The currency among the account's data above the tables, in any sheet. */
function accountCurrency(
  text: string,
  { otherSheets = () => [] }: ReadContext,
): string | undefined {
  for (const sheet of [text, ...otherSheets()]) {
    const cells = sheet.split('\n', 12).flatMap((line) => line.split(','));
    const found = cells.find((cell) => CURRENCIES.includes(cell));
    if (found !== undefined) return found;
  }
  return undefined;
}

const COSTS = ['commission', 'swap', 'rollover', 'gross'];

/** The closed positions of all sheets, with English names. */
function closedPositions(
  text: string,
  { otherSheets = () => [] }: ReadContext,
): CsvTable {
  const sheets = [text, ...otherSheets().filter((sheet) => xtbPositions(sheet, ''))];
  const rows = sheets.flatMap((sheet) =>
    XTB_POSITION.test(sheet) ? positionsIn(sheet) : newerPositionsIn(sheet),
  );
  return { header: { line: 1, cells: [...NAMES, ...COSTS] }, rows };
}

/** Columns of workbooks as of 2026, in the order of the names above. */
const NEWER = [
  'Position ID',
  'Ticker',
  'Type',
  'Volume',
  'Open Time (UTC)',
  'Open Price',
  'Close Time (UTC)',
  'Close Price',
  'Commission',
  'Swap',
  'Rollover',
  'Gross Profit',
];

function newerPositionsIn(text: string): CsvRow[] {
  const all = csvRows(text).filter((row) => !isEmpty(row));
  const at = all.findIndex(({ cells }) => cells.includes('Close Time (UTC)'));
  const header = all[at]?.cells ?? [];
  const missing = NEWER.filter((name) => !header.includes(name));
  if (missing.length > 0) throw RowError.missing(missing, all[at]?.line ?? 1);

  return all.slice(at + 1).flatMap(({ line, cells }) => {
    const named = NEWER.map((name) => cells[header.indexOf(name)] ?? '');
    const [id, , type] = named;
    // The total, below its label.
    if (id === '' && type === '') return [];
    refuseOtherProfit({
      column: 'Profit/Loss',
      text: cells[header.indexOf('Profit/Loss')] ?? '',
      line,
      parts: named.slice(-4).map((cell) => Number(cell)),
    });
    return [{ line, cells: named }];
  });
}

/** @throws RowError if the profit is neither the gross profit nor that after the costs */
function refuseOtherProfit({
  parts,
  ...cell
}: Cell & { parts: readonly number[] }): void {
  const profit = orNothing(cell, numberIn);
  const gross = parts.at(-1) ?? 0;
  const net = parts.reduce((sum, part) => sum + part, 0);
  if (profit === null || [gross, net].some((own) => Math.abs(own - profit) <= 0.011))
    return;
  throw cellError(
    cell,
    'must be Gross Profit, or that with Commission, Swap and Rollover',
  );
}

function positionsIn(text: string): CsvRow[] {
  const all = csvRows(text).filter((row) => !isEmpty(row));
  const at = all.findIndex(({ cells }) => XTB_POSITION.test(`${cells.join(',')},`));
  const header = all[at - 1];
  if (!header) throw new RowError(null, 'has no header above its positions');

  const places = header.cells.flatMap((name, index) =>
    name.trim() === '' ? [] : [index],
  );
  const names = places.map((index) => (header.cells[index] as string).trim());
  // Before the costs are margin, limits and values; after them, the P&L and a comment.
  const swap = names.findIndex((name) => /^swap$/i.test(name));
  const rollover = /^rollover$/i.test(names[swap + 1] ?? '') ? 1 : 0;
  if (swap <= NAMES.length || names.length !== swap + rollover + 3) {
    throw new RowError(
      names.join(', '),
      'must end with commission, Swap, Rollover, P&L and comment',
      header.line,
    );
  }

  return all.slice(at).map(({ line, cells }) => {
    const named = places.map((index) => cells[index] ?? '');
    const costs = [
      named[swap - 1],
      named[swap],
      rollover ? named[swap + 1] : '0',
      named[swap + rollover + 1],
    ];
    return {
      line,
      cells: [...named.slice(0, NAMES.length), ...costs.map((cell) => cell ?? '')],
    };
  });
}

// Cash operations: a comment such as OPEN BUY 8/42.5658 @ 11.7480, of an order of
// 42.5658, makes a fill.

const COMMENT =
  /^(OPEN|CLOSE) (BUY|SELL) (\d+(?:\.\d+)?)(?:\/\d+(?:\.\d+)?)? @ (\d+(?:\.\d+)?)$/;
const part = (index: number) => (text: string) => COMMENT.exec(text)?.[index] ?? text;

const OPERATIONS = {
  'OPEN BUY': { side: 'buy', effect: 'open' },
  'CLOSE BUY': { side: 'sell', effect: 'close' },
  'OPEN SELL': { side: 'sell', effect: 'open' },
  'CLOSE SELL': { side: 'buy', effect: 'close' },
} as const;

/** -0. and, in files with decimal commas, 1.000,5. */
function withPoint(text: string): string {
  return /^-?[\d.]+,\d\d?$/.test(text)
    ? text.replaceAll('.', '').replace(',', '.')
    : text.replace(/\.$/, '');
}

/**
 * The amount of a symbol in another currency than the account's states the price; that of
 * a sale may be its cost alone.
 */
function inOwnCurrency(
  fills: readonly FileFill[],
  amounts: ReadonlyMap<number, Cell>,
): FileFill[] {
  const priced = fills.map((fill) => {
    const paid = Math.abs(numberIn(amounts.get(fill.line) as Cell));
    return {
      fill,
      paid,
      isOwn: Math.abs(paid - Number(fill.quantity) * fill.price) <= 0.011 + paid * 1e-4,
    };
  });
  const ofAccount = new Set(
    priced.filter(({ isOwn }) => isOwn).map(({ fill }) => fill.instrument.symbol),
  );

  return priced.map(({ fill, paid }) =>
    paid === 0 || ofAccount.has(fill.instrument.symbol)
      ? fill
      : { ...fill, price: roundMoney(paid / Number(fill.quantity)) },
  );
}

export const xtbCash = fillsTable({
  ...KNOWN['xtb-cash'],
  columns: {
    id: mayBeEmpty('ID'),
    type: mayBeEmpty('Type'),
    executed_at: 'Time',
    symbol: mayBeEmpty(['Symbol', 'Ticker']),
    comment: mayBeEmpty('Comment'),
    side: {
      column: 'Comment',
      text: (text) => text.split(' ', 2).join(' '),
      words: OPERATIONS,
    },
    quantity: { column: 'Comment', text: part(3) },
    price: { column: 'Comment', text: part(4) },
    amount: { column: 'Amount', text: withPoint },
  },
  dates: ['dmy', 'ymd'],
  zone: zoneOf,
  skip: ({ comment, type, id }) =>
    /^(?:OPEN|CLOSE) (?:BUY|SELL)\b/.test(comment.text)
      ? undefined
      : type.text.toLowerCase() || id.text.toLowerCase(),
  // Swaps and results of positions belong to trades, which other files have.
  flows: {
    meanings: [
      [/\btax$/, 'tax'],
      [/^(?:ikz?e )?(?:deposit|withdrawal)$/, 'funding'],
      [/^dividend$/, 'dividend'],
      [/^free.funds interests?$/, 'interest'],
      [/^transfer$|\bcash transfer (?:in|out)$/, 'transfer'],
      [/^spin off$/, 'other'],
      [/\bfee$/, 'fee'],
    ],
    read: ({ id, amount, symbol, comment, executed_at: time }, { context }) =>
      // A day of three digits: such a row stays skipped.
      /^\d{3}\./.test(time.text)
        ? []
        : [
            {
              id: id.text,
              amount: numberIn(amount),
              currency: context.user.base_currency,
              symbol: symbol.text || null,
              description: comment.text,
            },
          ],
  },
  instrument: ({ symbol }, { context }) =>
    instrumentIn(symbol.text, context.user.base_currency),
  row({ id }, { side, effect }) {
    refuseEmpty(id);
    return { executionId: `${id.text} ${effect} ${side}`, mayShort: effect === 'open' };
  },
  order: inOrderOfTime,
  end(fills, { context, skip, rows }) {
    const priced = inOwnCurrency(
      fills,
      new Map(rows().map(({ amount }) => [amount.line, amount])),
    );
    const once = [...new Map(priced.map((own) => [own.executionId, own])).values()];
    skip('operation that is there twice', fills.length - once.length);
    return {
      fills: once,
      notes: [`${baseCurrencyNote(context)}; prices in another one are amount per unit`],
    };
  },
  hasFees: false,
});
