/**
 * Binance's history of all transactions: separate rows for the coins paid, the coins received and the fee, matched by their
 * second. It has no pairs, prices or ids; the history of trades has all of these.
 */
import { asDecimal } from '../../money.ts';
import { type FileFill, fill, oldestFirst } from '../fills/reading.ts';
import type { Cell } from '../parse/columns.ts';
import { pointedTable } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
import { rewrittenOrder } from '../parse/times.ts';
import type { TableFile } from '../table/declaration.ts';
import { rowsTable } from '../table/rows.ts';
import { TIME, zoneOf } from './binance.ts';

const COLUMNS = {
  account: ['Account', 'Konto'],
  operation: ['Operation', 'Operacja'],
  coin: ['Coin', 'Moneta'],
  change: ['Change', 'Zmien'],
  executed_at: TIME,
};

type Cells = Record<keyof typeof COLUMNS, Cell>;

/** Rows of a trade. A plain Buy or Sell is on both rows, also on that of the coins paid. */
const TRADE =
  /^(buy|sell|(binance )?convert|large otc trading|small assets exchange bnb|transaction (related|buy|spend|sold|revenue))$/i;
const FEE = /^(transaction )?fee$/i;
/** Rows of a sale, which have other names than those of a purchase in the same second. */
const SOLD = /^transaction (sold|revenue)$/i;

export const binanceTransactions = rowsTable({
  name: 'binance-transactions',
  description:
    'Binance: Wallet > Transaction History, exported as CSV: spot, from balance changes (Trade History is better)',
  evidence: 'samples',
  platform: 'binance-spot',
  mayStateOrders: true,
  marks: [COLUMNS.account, COLUMNS.operation, COLUMNS.coin, COLUMNS.change],
  // Some rows lack the empty last cell.
  table: pointedTable([]),
  columns: COLUMNS,
  dates: rewrittenOrder,
  zone: zoneOf,
  skip({ account, operation }) {
    const isOfTrade = TRADE.test(operation.text) || FEE.test(operation.text);
    return isOfTrade && !/future/i.test(account.text) ? undefined : operation.text.toLowerCase();
  },
  notes: ['trades of the same second are combined; Trade History has each, with its price'],
  end(rows, file) {
    const unclear: Cells[] = [];
    const groups = Map.groupBy(rows, ({ account, executed_at }) => `${account.text} ${executed_at.text}`);
    const fills = [...groups.values()].flatMap((own) => fillsOf(own, file, unclear));
    file.skip('row of several trades in one second', unclear.length);
    const [first] = unclear;
    const notes = first && [
      `${unclear.length} rows skipped (the first on line ${first.coin.line}): several trades in one second; import Trade History instead`,
    ];
    return { fills: oldestFirst(fills), ...(notes && { notes }) };
  },
});

/** @param unclear receives rows that may belong to several trades */
function fillsOf(rows: readonly Cells[], file: TableFile, unclear: Cells[]): FileFill[] {
  const isFee = ({ operation }: Cells) => FEE.test(operation.text);
  const trades = Map.groupBy(
    rows.filter((row) => !isFee(row)),
    ({ operation }) => SOLD.test(operation.text),
  );
  const fees = rows.filter(isFee);
  // A fee alone in its second belongs to a margin trade, or to none.
  if (trades.size !== 1) {
    for (const row of rows) unclear.push(row);
    return [];
  }
  const own = [...trades.values()][0] as Cells[];
  const sums = new Map<string, number>();
  for (const { coin, change } of own) sums.set(coin.text, asDecimal((sums.get(coin.text) ?? 0) + numberIn(change)));
  const isOneWay = own.every(({ coin, change }) => numberIn(change) * (sums.get(coin.text) ?? 0) > 0);
  const [one, other, ...more] = [...sums].sort(([a], [b]) => rank(a) - rank(b));
  if (!one || !other || more.length > 0 || !isOneWay || one[1] * other[1] >= 0) {
    for (const row of rows) unclear.push(row);
    return [];
  }
  const [quote, paid] = one;
  const [base, got] = other;
  const feesIn = (name: string) => asDecimal(sumOf(fees.filter(({ coin }) => coin.text === name)));
  const third = fees.find(({ coin }) => coin.text !== base && coin.text !== quote);
  const { account, executed_at } = own[0] as Cells;
  return [
    fill({
      line: account.line,
      account: /^spot$/i.test(account.text) ? null : account.text,
      instrument: coins(`${base}${quote}`, quote),
      executedAt: file.instantIn(executed_at),
      side: got > 0 ? 'buy' : 'sell',
      quantity: Math.abs(got),
      price: Math.abs(paid / got),
      fees: feesIn(quote),
      feeQuantity: feesIn(base),
      otherFee: third ? { amount: feesIn(third.coin.text), currency: third.coin.text } : null,
    }),
  ];
}

/** Amounts paid have a minus. */
function sumOf(rows: readonly Cells[]): number {
  return rows.reduce((sum, { change }) => sum - numberIn(change), 0);
}

/** Quote currencies by precedence: USDT is priced in lira, euros in USDT. */
const QUOTES =
  'TRY BRL UAH ZAR PLN RUB NGN BIDR IDRT JPY USDT USDC BUSD FDUSD TUSD USDP PAX DAI EUR GBP AUD BTC ETH BNB TRX XRP'.split(
    ' ',
  );

function rank(coin: string): number {
  const at = QUOTES.indexOf(coin);
  return at === -1 ? QUOTES.length : at;
}
