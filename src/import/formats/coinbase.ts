/** Coinbase's fills of Pro and Advanced Trade: one per row, in UTC, unordered. */

import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  knownWord,
  moneyIn,
  numberIn,
  positiveIn,
  wordIn,
} from '../../parse/cells.ts';
import {
  type CsvRow,
  type CsvTable,
  pointedTable,
  readFilledCsv,
} from '../../parse/csv-rows.ts';
import { coins } from '../../parse/instruments.ts';
import { dateIn, decimalOf } from '../../parse/times.ts';
import { type FileFill, oldestFirst } from '../fills/reading.ts';
import {
  type Cells as CellsOf,
  type FlowParts,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable, inOrderOfIds } from '../tables/fills.ts';
import { rowsTable } from '../tables/rows.ts';
import { KNOWN } from './known.ts';

// Coinbase's report of all transactions: trades among deposits, rewards and payments,
// with some lines above the header. Column names differ by version.

const COLUMNS = {
  executed_at: 'Timestamp',
  type: 'Transaction Type',
  asset: 'Asset',
  quantity: 'Quantity Transacted',
  subtotal: 'Subtotal',
  total: [
    'Total (inclusive of fees and/or spread)',
    'Total (inclusive of fees)',
    'Total',
  ],
  notes: mayBeEmpty('Notes'),
  execution_id: optional('ID'),
  currency: ['Price Currency', 'Spot Price Currency'],
} as const;

type Cells = CellsOf<typeof COLUMNS>;

/**
 * Kinds of rows: a side, both sides of a conversion, coins added or removed without a
 * trade, money.
 */
const TYPES = byMeaning({
  buy: 'Buy, Advanced Trade Buy, Advance Trade Buy',
  sell: 'Sell, Advanced Trade Sell, Advance Trade Sell',
  convert: 'Convert',
  move: [
    'Send, Receive, Rewards Income, Reward Income, Staking Income, Inflation Reward, Learning Reward',
    'Coinbase Earn, Incentives Rewards Payout, Card Spend, Card Buy Back, Card Rebate, Paid for an order',
    'Pro Deposit, Pro Withdrawal, Exchange Deposit, Exchange Withdrawal, Asset Migration',
    'Vault Withdrawal, Retail Staking Transfer, Retail Unstaking Transfer, Retail Eth2 Deprecation',
    'Wrap Asset, Unwrap, Credit Card Reward, Interest Payout, Airdrop, Donation, ETH2 Deposit',
    'Portfolio Transfer, Retail Simple Dust, Retail Simple Price Improvement, Raise Offering Deposit',
    'Raise Offering Distribution, Raise Offering Pooling, Administrative Debit, Administrative Credit',
    'Transfer, Prime Deposit, Prime Withdrawal, Admin Debit, Admin Credit',
  ],
  money: [
    'Deposit, Withdrawal, Fiat Deposit, Fiat Withdrawal, Derivatives Settlement, Cfm Funding',
    'FCM Futures USDC Sell, FCM Futures USDC Sell Additional Encumberment',
    'FCM Futures USDC Sell Additional Encumberment Rollup, Interest, Subscription, Subscription Rebate',
    'Subscription Rebates (24 Hours), Cash To Savings, Savings To Cash',
  ],
});

/** Readable names of internal types. */
const NAMES = byMeaning({
  'money moved to or from futures': [
    'Cfm Funding, FCM Futures USDC Sell, FCM Futures USDC Sell Additional Encumberment',
    'FCM Futures USDC Sell Additional Encumberment Rollup',
  ],
  'result of derivatives': 'Derivatives Settlement',
  'staking transfer':
    'Retail Staking Transfer, Retail Unstaking Transfer, Retail Eth2 Deprecation, ETH2 Deposit',
  'remainder of coins': 'Retail Simple Dust',
  'price improvement': 'Retail Simple Price Improvement',
  'correction by the platform':
    'Administrative Debit, Administrative Credit, Admin Debit, Admin Credit',
});

export const coinbaseTransactions = rowsTable({
  ...KNOWN['coinbase-transactions'],
  table: currencyApart,
  columns: COLUMNS,
  // The difference between total and subtotal.
  includedCosts: ['Fees and/or Spread', 'Fees'],
  dates: 'ymd',
  zone: 'UTC',
  skip({ type, asset, currency }) {
    const meaning = wordIn(type, TYPES);
    if (/^(buy|sell)$/.test(meaning) && asset.text === currency.text)
      return 'purchase or sale of money for itself';
    return meaning === 'move' || meaning === 'money'
      ? (knownWord(type, NAMES) ?? type.text.toLowerCase())
      : undefined;
  },
  flows: {
    meanings: [
      [/^(fiat )?deposit$/, 'deposit'],
      [/^(fiat )?withdrawal$/, 'withdrawal'],
      [/^purchase or sale of money/, 'funding'],
      [/^(send|receive)$/, 'funding'],
      [/^(pro|exchange|prime) (deposit|withdrawal)$|transfer$|^money moved/, 'transfer'],
      [/^(interest|interest payout)$|(rewards?|staking) income$/, 'interest'],
      [/^subscription/, 'fee'],
      [/^(correction|card|incentives)/, 'other'],
    ],
    read: (cells) => (isMoneyMoved(cells) ? [moneyMoved(cells)] : []),
  },
  end(rows, file) {
    const paired = pairsOf(rows);
    const fills = rows.flatMap((cells) => {
      const type = wordIn(cells.type, TYPES);
      if (paired.has(cells)) return pairedSideOf(cells, file);
      return type === 'convert'
        ? conversionOf(cells, file)
        : tradeOf(cells, type === 'buy' ? type : 'sell', file);
    });
    const isCoin = (cells: Cells) =>
      wordIn(cells.type, TYPES) === 'move' && !isMoneyMoved(cells);
    const moves = file.rows().filter(isCoin).length;
    const note = `${moves} rows add or remove coins without a trade (sent, received, rewards); they make no fill and no cash flow; record what they cost with journal-api fill`;

    return { fills: oldestFirst(fills), notes: moves > 0 ? [note] : [] };
  },
});

/** Whether a row moves the currency in which its amounts are. */
function isMoneyMoved({ asset, currency }: Cells): boolean {
  return asset.text === currency.text;
}

/** Words for money that leaves, in files whose quantities have no sign. */
const LEAVES = /withdrawal|^send$|^sell$|subscription$|debit|card spend/i;

function moneyMoved({
  executed_at,
  type,
  quantity,
  currency,
  notes,
  execution_id: id,
}: Cells): FlowParts {
  const amount = numberIn(quantity);
  return {
    id: id?.text || null,
    hasTime: hasTime(executed_at),
    amount: LEAVES.test(type.text) ? 0 - Math.abs(amount) : amount,
    currency: currency.text,
    description: notes.text || type.text,
  };
}

/**
 * Before 2021 the currency was in the column names: USD Subtotal, USD Total (inclusive of
 * fees).
 */
function currencyApart(text: string): CsvTable {
  const { header, rows } = withSubtotal(
    pointedTable([COLUMNS.executed_at, COLUMNS.type, COLUMNS.quantity])(text),
  );
  const inName = /^([A-Z]{3}) (?=Subtotal|Total|Fees|Spot Price)/;
  const currency = header.cells
    .map((name) => inName.exec(name)?.[1])
    .find((found) => found !== undefined);
  if (currency === undefined) return { header, rows };

  return {
    header: {
      ...header,
      cells: ['Price Currency', ...header.cells.map((name) => name.replace(inName, ''))],
    },
    rows: rows.map(({ line, cells }) => ({ line, cells: [currency, ...cells] })),
  };
}

/**
 * In 2018 rows had days, and the amount with its fees only: the value is the quantity at
 * the spot price.
 */
function withSubtotal({ header, rows }: CsvTable): CsvTable {
  const names = header.cells;
  const placeOf = (pattern: RegExp) => names.findIndex((name) => pattern.test(name));
  const amount = placeOf(/ Amount Transacted \(Inclusive/);
  if (amount === -1) return { header, rows };

  const day = placeOf(/^Timestamp/);
  const units = placeOf(/^Quantity/);
  const price = placeOf(/ Spot Price/);
  const currency = names[amount]?.slice(0, 3);

  const cell = ({ cells, line }: CsvRow, at: number): Cell => ({
    text: cells[at] ?? '',
    column: names[at] ?? '',
    line,
  });

  return {
    header: {
      ...header,
      cells: [`${currency} Subtotal`, ...names.with(amount, `${currency} Total`)],
    },
    rows: rows.map((row) => {
      const value = numberIn(cell(row, units)) * moneyIn(cell(row, price), STYLE);
      const at = `${dateIn(cell(row, day), 'mdy')} ${DAY_START}`;

      return {
        ...row,
        cells: [
          String(roundMoney(value)),
          ...row.cells.map((text, index) => (index === day ? at : text)),
        ],
      };
    }),
  };
}

const DAY_START = '00:00:00.000';

function hasTime({ text }: Cells['executed_at']): boolean {
  return !text.endsWith(DAY_START);
}

const STYLE = {
  symbols: ['CA$', 'A$', 'R$', '$', '€', '£', '¥', '₹', 'CHF', 'Kč', 'zł'],
};

interface Money {
  currency: string;
  /** Value of the coins, and the money paid or received for them. */
  worth: number;
  paid: number;
}

function moneyOf({ currency, subtotal, total }: Cells): Money {
  return {
    currency: currency.text,
    worth: Math.abs(moneyIn(subtotal, STYLE)),
    paid: Math.abs(moneyIn(total, STYLE)),
  };
}

function tradeOf(cells: Cells, side: 'buy' | 'sell', file: TableFile): FileFill {
  const { executed_at, asset, quantity } = cells;
  const units = Math.abs(numberIn(quantity));
  if (units === 0) throw new RowError(quantity.column, 'must not be 0', quantity.line);

  const { currency, worth, paid } = moneyOf(cells);
  const pair = pairIn(cells, units);

  return file.fill(cells, {
    instrument: coins(
      `${asset.text}-${pair?.quote ?? currency}`,
      pair?.quote ?? currency,
    ),
    hasTime: hasTime(executed_at),
    side,
    quantity: units,
    price: pair?.price ?? worth / units,
    fees: pair?.fees ?? roundMoney(side === 'buy' ? paid - worth : worth - paid),
    rate:
      pair && worth > 0 ? { base: currency, value: worth / (pair.price * units) } : null,
  });
}

/**
 * Bought 1.5 ETH for 0.0603 BTC on ETH-BTC at 0.04 BTC/ETH: the total includes the fee,
 * the price doesn't.
 */
const PAIR =
  /^(?:Bought|Sold) [\d.,]+ (\S+) for ([\d.,]+) (\S+) on \S+ at ([\d.,]+) ([^\s/]+)\/([^\s/]+)$/i;

/** A coin traded for another: the amounts of the row are their values in money. */
function pairIn({ asset, notes, currency }: Cells, units: number) {
  const [, traded, total = '', quote = '', at = '', priced, unit] =
    PAIR.exec(notes.text) ?? [];
  if (traded !== asset.text || unit !== traded || priced !== quote) return undefined;
  if (quote === currency.text || MONEY.test(quote)) return undefined;
  const amount = (text: string) => positiveIn({ ...notes, text });
  const price = amount(at);
  return { quote, price, fees: roundMoney(Math.abs(amount(total) - price * units)) };
}

/** Currencies and stablecoins: trades for them stay in the file's currency. */
const MONEY =
  /^(?:USDC?|USDT|EURC?|GBP|PYUSD|DAI|GUSD|PAX|USDP|CAD|AUD|SGD|CHF|JPY|BRL|TRY)$/;

/** Rows of conversions without notes: one for each of the two coins, with the same id. */
function pairsOf(rows: readonly Cells[]): Set<Cells> {
  const silent = rows.filter(
    ({ type, notes }) => wordIn(type, TYPES) === 'convert' && notes.text === '',
  );
  const pairs = [
    ...Map.groupBy(
      silent,
      ({ execution_id: id, executed_at }) => id?.text || executed_at.text,
    ).values(),
  ];

  const isPair = ([first, other, ...more]: readonly Cells[]) =>
    first !== undefined &&
    other !== undefined &&
    more.length === 0 &&
    isGiven(first) !== isGiven(other);

  return new Set(pairs.filter(isPair).flat());
}

function isGiven({ quantity }: Cells): boolean {
  return numberIn(quantity) < 0;
}

function pairedSideOf(cells: Cells, file: TableFile): FileFill[] {
  // Money can't be traded for itself.
  if (cells.asset.text === cells.currency.text) return [];

  const trade = tradeOf(cells, isGiven(cells) ? 'sell' : 'buy', file);
  return [
    isGiven(cells) || trade.executionId === null
      ? trade
      : { ...trade, executionId: `${trade.executionId}.to` },
  ];
}

/**
 * Coins given and received; in some countries with a decimal comma, unlike other cells.
 */
const CONVERTED = /^Converted ([\d.,]+) (\S+) to ([\d.,]+) (\S+)$/i;

/**
 * Converted 0.005 BTC to 0.15 ETH: a sale of one coin for money, and a purchase of the
 * other. Money paid beyond the value is the fee of the purchase.
 */
function conversionOf(cells: Cells, file: TableFile): FileFill[] {
  const { asset, notes, quantity } = cells;
  const parts = CONVERTED.exec(notes.text);
  if (!parts)
    throw new RowError(
      notes.column,
      'must state the conversion, such as Converted 0.005 BTC to 0.15 ETH',
      notes.line,
    );

  const [, soldAmount = '', from, amount = '', to = ''] = parts;
  if (asset.text !== from) {
    file.skip('other side of a conversion');
    return [];
  }

  const { currency, worth, paid } = moneyOf(cells);
  const sold = tradeOf(cells, 'sell', file);
  const units = Math.abs(numberIn(quantity));
  const isComma =
    soldAmount.includes(',') && Number(soldAmount.replace(',', '.')) === units;
  const decimal = isComma ? ',' : decimalOf([amount]);
  const got = positiveIn({ ...notes, text: amount }, { decimal });
  const fees = roundMoney(Math.max(paid - worth, 0));
  const bought = {
    ...sold,
    executionId: sold.executionId === null ? null : `${sold.executionId}.to`,
    instrument: coins(`${to}-${currency}`, currency),
    side: 'buy' as const,
    quantity: got,
    price: Math.min(worth, paid) / got,
    fees,
  };
  const whole = fees > 0 ? { ...sold, price: paid / units, fees: 0 } : sold;

  // Money can't be traded for itself.
  return [...(from === currency ? [] : [whole]), ...(to === currency ? [] : [bought])];
}

export const coinbase = fillsTable({
  ...KNOWN.coinbase,
  table: readFilledCsv,
  columns: {
    execution_id: 'trade id',
    account: { column: 'portfolio', optional: true },
    symbol: 'product',
    executed_at: 'created at',
    side: 'side',
    quantity: 'size',
    price: 'price',
    fees: { column: 'fee', optional: 'cells' },
    currency: 'price/fee/total unit',
  },
  dates: 'reformatted',
  zone: 'UTC',
  instrument: ({ symbol, currency }) => coins(symbol.text, currency.text),
  order: inOrderOfIds,
});
