/** Binance's trade histories: USDT futures with the P&L of each fill, and spot with the coins after the amounts. */
import { RowError } from '../../errors.ts';
import type { FileFill } from '../fills/reading.ts';
import { type Cell, orNothing } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins, quoteOf } from '../parse/instruments.ts';
import { amountIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { rewrittenOrder } from '../parse/times.ts';
import { statedOffset, type Zone } from '../table/clock.ts';
import { optional } from '../table/declaration.ts';
import { feePaidIn, fillsTable } from '../table/fills.ts';
import type { ReadContext } from '../table/format.ts';

/** The time column of all Binance files: many names, followed by the zone; some times without the century. */
export const TIME = {
  column: 'Date(UTC)',
  like: /^(Date|Time|UTC_Time|Czas)( ?\(|$)/i,
  text: (text: string) => text.replace(/^(\d\d-\d\d-\d\d )/, '20$1'),
};

export const binance = fillsTable({
  name: 'binance',
  description: 'Binance: USD-M Futures > Trade History, exported as CSV',
  evidence: 'real files',
  hasUniqueIds: true,
  marks: ['Symbol', 'Side', 'Quantity', 'Realized Profit', 'Fee'],
  table: readFilledCsv,
  columns: {
    symbol: 'Symbol',
    side: 'Side',
    price: 'Price',
    quantity: 'Quantity',
    fee: { column: 'Fee', optional: 'cells' },
    gross_pnl: 'Realized Profit',
    executed_at: TIME,
    account: { column: 'Uid', optional: true },
    execution_id: { column: 'Trade ID', optional: true },
    order_id: optional('Order ID'),
    fee_currency: { column: 'Fee Coin', optional: true },
  },
  dates: rewrittenOrder,
  zone: zoneOf,
  instrument: ({ symbol }) => coins(symbol.text, currencyOf(symbol)),
  mayShort: true,
  row: ({ fee, fee_currency }, { instrument }) => feesOf(fee, fee_currency, instrument),
  end: (fills) => ({ fills: withEffects(fills) }),
});

/**
 * A fill with a profit closes a position, one from before the file if none is known. Units beyond a known position open
 * another only if the profit equals that of the known one.
 */
function withEffects(fills: readonly FileFill[]): FileFill[] {
  const positions = new Map<string, { open: number; cost: number }>();
  return fills.map((own) => {
    const { instrument, account, side, price, stated } = own;
    const key = JSON.stringify([account, instrument.symbol]);
    const { open, cost } = positions.get(key) ?? { open: 0, cost: 0 };
    const units = (side === 'buy' ? 1 : -1) * Number(own.quantity);
    const gross = stated?.gross ?? 0;
    const after = open + units;
    if (gross === 0) {
      positions.set(key, { open: after, cost: cost + units * price });
      return own;
    }
    const isWithin = Math.abs(after) <= Math.abs(open) && open * units < 0;
    const isAll = open * units < 0 && Math.abs(open * price - cost - gross) <= 1e-6 + Math.abs(gross) * 1e-4;
    if (isWithin) positions.set(key, { open: after, cost: (cost * after) / open });
    else positions.set(key, isAll ? { open: after, cost: after * price } : { open: 0, cost: 0 });
    return { ...own, judged: isWithin || isAll || open === 0 ? 'close_then_open' : 'close' };
  });
}

export const binanceSpot = fillsTable({
  name: 'binance-spot',
  description: 'Binance: Spot > Trade History, exported as CSV',
  evidence: 'samples',
  platform: 'binance-spot',
  mayStateOrders: true,
  // Newer files have the coins after the amounts; older ones, in separate columns.
  marks: ['Price', 'Executed', 'Amount', 'Fee', 'Side'],
  otherMarks: ['Market', 'Type', 'Price', 'Amount', 'Total', 'Fee Coin'],
  table: readFilledCsv,
  columns: {
    symbol: ['Pair', 'Market', 'Symbol'],
    side: ['Side', 'Type'],
    price: 'Price',
    fee: { column: 'Fee', optional: 'cells' },
    executed_at: TIME,
    executed: { column: 'Executed', optional: true },
    amount: { column: 'Amount', optional: true },
    fee_currency: { column: 'Fee Coin', optional: true },
  },
  dates: rewrittenOrder,
  zone: zoneOf,
  instrument: ({ symbol, executed, amount }) =>
    coins(symbol.text, executed && amount ? amountIn(amount).currency : quoteOf(symbol)),
  row({ executed, amount, fee, fee_currency }, { instrument: { symbol, currency } }, { header }) {
    const coin = symbol.slice(0, -currency.length).replace(/[/_-]$/, '');
    const quantity = executed ?? amount;
    if (!quantity) throw RowError.missing(['Executed'], header.line);
    return {
      quantity: executed ? amountIn(executed, {}, [coin]).amount : positiveIn(quantity),
      ...feesOf(fee, fee_currency, { currency, coin }),
    };
  },
});

function currencyOf(symbol: Cell): string {
  const currency = quoteOf({ ...symbol, text: symbol.text.replace(/_(\d{6}|PERP)$/, '') });
  if (currency !== 'USD') return currency;
  throw new RowError(
    symbol.column,
    'a contract settled in coins, which this format does not read; remove its rows',
    symbol.line,
  );
}

/** The zone in the header, such as Date(UTC) or Date(UTC+2), or in the file's name (UTC+6, UTC--6); undefined if neither. */
export function zoneOf(column: string, context: ReadContext): Zone | undefined {
  const inHeader = /^UTC_/.test(column) ? '+00:00' : statedOffset(column);
  const offset = inHeader ?? statedOffset(context.fileName);
  if (offset === undefined) return undefined;
  const note = `times are in UTC${offset}, from the file's name`;
  return { zone: 'UTC', offset, ...(inHeader === undefined && { note }) };
}

/** The coin of a fee follows the amount, or is in a separate column. */
function feesOf(fee: Cell, feeCoin: Cell | undefined, traded: { currency: string; coin?: string }): Partial<FileFill> {
  const { currency, coin } = traded;
  const paid = feeCoin
    ? { amount: orNothing(fee, numberIn) ?? 0, currency: feeCoin.text }
    : orNothing(fee, (cell) =>
        /[A-Z]/.test(cell.text) ? amountIn(cell, {}, coin ? [coin] : []) : { amount: numberIn(cell), currency },
      );
  return paid ? feePaidIn(paid.currency, paid.amount, traded) : {};
}
