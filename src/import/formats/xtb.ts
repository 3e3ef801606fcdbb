/**
 * XTB's xStation: the workbook of closed positions, in the account's language and
 * currency, and cash operations, whose trades are comments.
 */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  type Cell,
  cellError,
  numberIn,
  orNothing,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import { type CsvRow, type CsvTable, csvRows, isEmpty } from '../../parse/csv-rows.ts';
import { cfd, type Instrument, stock } from '../../parse/instruments.ts';
import { usualZone } from '../../parse/times.ts';
import type { FileFill } from '../fills/reading.ts';
import type { Zone } from '../tables/clock.ts';
import { pointsOf } from '../tables/closed-trade.ts';
import { mayBeEmpty } from '../tables/declaration.ts';
import { fillsTable, inOrderOfTime } from '../tables/fills.ts';
import { baseCurrencyNote, type ReadContext } from '../tables/format.ts';
import { tradesTable } from '../tables/trades.ts';
import { KNOWN } from './known.ts';
import { XTB_POSITION, xtb as xtbPositions } from './recognisers.ts';

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
  if (
    profit === null ||
    [gross, net].some((amount) => Math.abs(amount - profit) <= 0.011)
  )
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
    const once = [...new Map(priced.map((fill) => [fill.executionId, fill])).values()];
    skip('operation that is there twice', fills.length - once.length);
    return {
      fills: once,
      notes: [`${baseCurrencyNote(context)}; prices in another one are amount per unit`],
    };
  },
  hasFees: false,
});
