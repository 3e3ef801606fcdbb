/**
 * Binance's history of all transactions: a row each for what was paid, what was got and the fee, told together by their
 * second. It has no pairs, no prices and no ids; the history of trades has all of those.
 */
import { asDecimal } from '../../journal-write/quantities.ts';
import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, refuseEmpty } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
import { clockOf } from './binance.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  account: ['Account', 'Konto'],
  operation: ['Operation', 'Operacja'],
  coin: ['Coin', 'Moneta'],
  change: ['Change', 'Zmien'],
};

type Cells = Record<keyof typeof COLUMNS | 'time', Cell>;

/** Rows of a trade. What a plain Buy or Sell is on both rows, is also on that of what was paid. */
const TRADE =
  /^(buy|sell|(binance )?convert|large otc trading|small assets exchange bnb|transaction (related|buy|spend|sold|revenue))$/i;
const FEE = /^(transaction )?fee$/i;
/** The rows of a purchase and those of a sale of one second are apart. */
const SOLD = /^transaction (sold|revenue)$/i;

export const binanceTransactions: Format = {
  name: 'binance-transactions',
  description:
    'Binance: Wallet > Transaction History, exported as CSV: spot, from the changes of coins; Trade History has more',
  evidence: 'samples',
  platform: 'binance-spot',
  mayStateOrders: true,
  holds: 'trades',
  looksLike(start) {
    const names = (start.split(/\r?\n/, 1)[0] ?? '').split(/[,;\t]/).map((name) => name.replaceAll('"', '').trim());
    return Object.values(COLUMNS).every((own) => [own].flat().some((name) => names.includes(name)));
  },
  read(text, context) {
    const { header, rows } = readFilledCsv(text);
    const clock = clockOf(context, { header, rows });
    const cellsOf = columnsOf(header, { ...COLUMNS, time: clock.column });
    const skipped = new Map<string, number>();
    const groups = new Map<string, Cells[]>();
    for (const row of rows) {
      const cells = cellsOf(row);
      const { time, account, operation, coin, change } = cells;
      refuseEmpty(time, account, operation, coin, change);
      const isOfTrade = TRADE.test(operation.text) || FEE.test(operation.text);
      if (!isOfTrade || /future/i.test(account.text)) skip(skipped, operation.text.toLowerCase());
      else {
        const key = `${account.text} ${time.text}`;
        groups.set(key, [...(groups.get(key) ?? []), cells]);
      }
    }
    const unclear: Cells[] = [];
    const fills = [...groups.values()].flatMap((own) => fillsOf(own, clock.instantIn, unclear));
    for (const _ of unclear) skip(skipped, UNCLEAR);
    const notes = [...clock.notes, 'trades of one second are one here: Trade History has each, with its price'];
    const [first] = unclear;
    if (first) {
      notes.push(
        `${unclear.length} rows (the first on line ${first.time.line}) are of several trades of one second, which nothing tells apart: they are left out; Trade History has them`,
      );
    }
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes });
  },
};

const UNCLEAR = 'row of several trades of one second';

/** @param unclear gets the rows that could be of several trades */
function fillsOf(rows: readonly Cells[], instant: (cell: Cell) => string, unclear: Cells[]): FileFill[] {
  const isFee = ({ operation }: Cells) => FEE.test(operation.text);
  const trades = Map.groupBy(
    rows.filter((row) => !isFee(row)),
    ({ operation }) => SOLD.test(operation.text),
  );
  const fees = rows.filter(isFee);
  // A fee of a second with nothing else is of a trade on margin, or of none.
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
  const { account, time } = own[0] as Cells;
  return [
    fill({
      line: time.line,
      account: /^spot$/i.test(account.text) ? null : account.text,
      instrument: coins(`${base}${quote}`, quote),
      executedAt: instant(time),
      side: got > 0 ? 'buy' : 'sell',
      quantity: Math.abs(got),
      price: Math.abs(paid / got),
      fees: feesIn(quote),
      feeQuantity: feesIn(base),
      otherFee: third ? { amount: feesIn(third.coin.text), currency: third.coin.text } : null,
    }),
  ];
}

/** What was paid stands with a minus. */
function sumOf(rows: readonly Cells[]): number {
  return rows.reduce((sum, { change }) => sum - numberIn(change), 0);
}

/** What prices are in, the first before all others: USDT is priced in lira, euros are in USDT. */
const QUOTES =
  'TRY BRL UAH ZAR PLN RUB NGN BIDR IDRT JPY USDT USDC BUSD FDUSD TUSD USDP PAX DAI EUR GBP AUD BTC ETH BNB TRX XRP'.split(
    ' ',
  );

function rank(coin: string): number {
  const at = QUOTES.indexOf(coin);
  return at === -1 ? QUOTES.length : at;
}
