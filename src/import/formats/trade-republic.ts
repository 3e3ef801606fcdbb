/**
 * Trade Republic's transactions: trades among card payments, interest and transfers, in
 * UTC and unordered. A knocked-out warrant has two rows: one that removes the units, and
 * seconds later one with the money.
 */
import type { FlowKind } from '../../journal/resources/cash-flows.ts';
import { roundMoney, totalMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  currencyIn,
  knownWord,
  numberIn,
  orNothing,
  positiveIn,
  refuseEmpty,
  sumIn,
  wordIn,
} from '../../parse/cells.ts';
import { coins, type Instrument, stock } from '../../parse/instruments.ts';
import { clockMs } from '../../parse/times.ts';
import { type FileFill, unclear } from '../fills/reading.ts';
import {
  type Cells as CellsOf,
  type FlowParts,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { inOrderOfTime } from '../tables/fills.ts';
import { rowsTable } from '../tables/rows.ts';
import { KNOWN } from './known.ts';

const COLUMNS = {
  executed_at: 'datetime',
  // Without the default account.
  account: {
    column: 'account_type',
    optional: true,
    text: (text: string) => text.replace(/^DEFAULT$/, ''),
  },
  category: 'category',
  type: 'type',
  asset: optional('asset_class'),
  symbol: mayBeEmpty('symbol'),
  shares: mayBeEmpty('shares'),
  price: mayBeEmpty('price'),
  amount: mayBeEmpty('amount'),
  fee: mayBeEmpty('fee'),
  tax: mayBeEmpty('tax'),
  currency: mayBeEmpty('currency'),
  execution_id: mayBeEmpty('transaction_id'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const CATEGORIES = {
  TRADING: 'trading',
  CASH: 'cash',
  CORPORATE_ACTION: 'action',
  DELIVERY: 'delivery',
} as const;

const SIDES = {
  BUY: 'buy',
  SELL: 'sell',
  SAVINGS_PLAN_EXECUTED: 'buy',
  BENEFITS_SAVEBACK_EXECUTION: 'buy',
  BENEFITS_SPARE_CHANGE_EXECUTION: 'buy',
} as const;

/**
 * Units sold for money. A warrant or bond at its end has a separate row for the payment.
 */
const EXITS = { WARRANT_EXERCISE: true, REDEMPTION: true, FINAL_MATURITY: true } as const;

const PAYMENT = 'TILG';

/** Readable names of cash rows; others keep the file's name. */
const CASH = byMeaning({
  dividend: 'DIVIDEND, DISTRIBUTION, DIVIDEND_EQUIVALENT_PAYMENT',
  interest: 'INTEREST_PAYMENT, COUPON_PAYMENT',
  tax: 'TAX_OPTIMIZATION, TAX_REFUND, SSP_TAX_CORRECTION_INVOICE',
  card: [
    'CARD_TRANSACTION, CARD_TRANSACTION_INTERNATIONAL, CARD_ORDERING_FEE',
    'CARD_TRANSACTION_REFUND, CARD_TRANSACTION_REFUND_REVERSAL',
  ],
  'deposit or withdrawal': [
    'CUSTOMER_INBOUND, CUSTOMER_INPAYMENT, CUSTOMER_OUTBOUND_REQUEST, TRANSFER_INBOUND, TRANSFER_OUTBOUND',
    'TRANSFER_INSTANT_INBOUND, TRANSFER_INSTANT_OUTBOUND, TRANSFER_DIRECT_DEBIT_INBOUND',
    'CUSTOMER_OUTBOUND, CUSTOMER_INPAYMENT_REVERSAL, VIBAN_TRANSFER_INBOUND, VIBAN_TRANSFER_OUTBOUND',
  ],
  bonus: 'STOCKPERK, BONUS, BENEFITS_SAVEBACK, REFERRAL, KINDERGELD_BONUS, GIFT',
  'other payment': 'MANUAL_CASH_TRANSFER, GENERAL_INBOUND, PAYMENT',
  'payment for a private fund: its units come later': 'PRIVATE_MARKET_BUY',
});

export const tradeRepublic = rowsTable({
  ...KNOWN['trade-republic'],
  columns: COLUMNS,
  dates: 'ymd',
  zone: 'UTC',
  skip(cells, file) {
    const { category, type, symbol } = cells;
    const kind = wordIn(category, CATEGORIES);
    if (kind === 'trading') return undefined;
    if (kind === 'cash')
      return type.text === PAYMENT ? undefined : (knownWord(type, CASH) ?? named(type));
    if (knownWord(type, EXITS) || isMigration(cells)) return undefined;

    if (symbol.text !== '') file.moved(symbol);
    return named(type);
  },
  flows: {
    meanings: [
      [/^deposit or withdrawal$/, 'funding'],
      [/^dividend$/, 'dividend'],
      [/^interest$/, 'interest'],
      [/^tax$/, 'tax'],
      [/^bonus$|^card$|^other payment$/, 'other'],
      [/\bfee$/, 'fee'],
    ],
    read: flowsOf,
  },
  end(rows, file) {
    const payments = paymentsOf(rows, file);
    const fills = rows.flatMap((cells) => {
      if (cells.type.text === PAYMENT || isMigration(cells)) return [];
      if (wordIn(cells.category, CATEGORIES) === 'trading') return tradeOf(cells, file);
      return exitOf(cells, payments.get(cells), file);
    });
    const taken = new Set(payments.values());

    for (const cells of rows) {
      if (cells.type.text === PAYMENT && !taken.has(cells))
        file.skip('payment without a row of units in this file');
    }

    skipMigrations(rows.filter(isMigration), file);

    return { fills: inOrderOfTime([...fills, ...movesOf(file)]), notes: notesOf(rows) };
  },
});

/** The amount of a row, and a fee and tax beside it. */
function flowsOf({ amount, fee, tax, currency, symbol, type, execution_id: id }: Cells) {
  const cash = (cell: Cell, part: string, kind?: FlowKind): FlowParts => ({
    id: id.text === '' ? null : id.text + part,
    amount: orNothing(cell, numberIn) ?? 0,
    currency: currencyIn(currency),
    symbol: symbol.text || null,
    description: named(type),
    ...(kind && { kind }),
  });
  return [cash(amount, ''), cash(fee, '.fee', 'fee'), cash(tax, '.tax', 'tax')];
}

function named({ text }: Cell): string {
  return text.toLowerCase().replaceAll('_', ' ');
}

function isMigration({ category, type }: Cells): boolean {
  return type.text === 'MIGRATION' && category.text !== 'TRADING';
}

/**
 * Units added or removed by a split, a bonus or a delivery; the rows don't state the
 * position before.
 */
function movesOf(file: TableFile<typeof COLUMNS>): FileFill[] {
  return file
    .rows()
    .filter(
      (cells) =>
        ['CORPORATE_ACTION', 'DELIVERY'].includes(cells.category.text) &&
        cells.symbol.text !== '' &&
        !knownWord(cells.type, EXITS) &&
        !isMigration(cells),
    )
    .map((cells) => {
      const currency = cells.currency.text === '' ? 'EUR' : currencyIn(cells.currency);
      const instrument = instrumentOf(cells, currency);

      return unclear(
        file.fill(cells, {
          line: cells.symbol.line,
          instrument,
          side: null,
          quantity: null,
          price: 0,
        }),
      );
    });
}

const MONTH_MS = 31 * 86_400_000;

/**
 * The payment of each exit without a price. Payments of a symbol are in the same order,
 * within a month of the exit.
 */
function paymentsOf(rows: readonly Cells[], file: TableFile): Map<Cells, Cells> {
  const paid = new Map<Cells, Cells>();
  const timed = rows
    .filter((cells) => cells.type.text === PAYMENT || isUnpriced(cells))
    .map((cells) => ({ cells, at: clockMs(file.instantIn(cells.executed_at)) }))
    .sort((a, b) => a.at - b.at);
  for (const ofSymbol of Map.groupBy(timed, ({ cells }) => cells.symbol.text).values()) {
    const [payments, exits] = [true, false].map((is) =>
      ofSymbol.filter(({ cells }) => (cells.type.text === PAYMENT) === is),
    );
    let next = 0;
    for (const { cells, at } of exits ?? []) {
      while (at - (payments?.[next]?.at ?? at) > MONTH_MS) next++;
      const payment = payments?.[next];
      if (!payment || payment.at - at > MONTH_MS) continue;
      paid.set(cells, payment.cells);
      next++;
    }
  }

  return paid;
}

function isUnpriced({ category, type, shares, price }: Cells): boolean {
  return (
    category.text !== 'TRADING' &&
    knownWord(type, EXITS) === true &&
    shares.text !== '' &&
    orNothing(price, numberIn) === null
  );
}

/** A move between depots has two rows with a sum of 0. */
function skipMigrations(rows: readonly Cells[], file: TableFile): void {
  for (const ofSymbol of Map.groupBy(rows, ({ symbol }) => symbol.text).values()) {
    const units = roundMoney(sumIn(ofSymbol.map(({ shares }) => shares)));
    if (units !== 0) file.moved(ofSymbol[0].symbol);
    file.skip('migration', ofSymbol.length);
  }
}

/** Bonds are counted in currency and priced as a fraction, so every multiplier is 1. */
function instrumentOf({ symbol, asset }: Cells, currency: string): Instrument {
  const word = asset?.text ?? '';
  if (word === 'CRYPTO') return coins(symbol.text, currency);
  const market = ['', 'STOCK', 'FUND', 'ETF', 'MUTUAL_FUND'].includes(word)
    ? 'stock'
    : 'other';
  return { ...stock(symbol.text, currency), market, multiplier: 1 };
}

function fillOf(
  cells: Cells,
  stated: Pick<FileFill, 'side' | 'price'> & Partial<FileFill>,
  file: TableFile,
): FileFill {
  const { currency, shares, fee, symbol } = cells;
  refuseEmpty(symbol);
  const cost = orNothing(fee, numberIn);

  return file.fill(cells, {
    instrument: stated.instrument ?? instrumentOf(cells, currencyIn(currency)),
    quantity: Math.abs(numberIn(shares)),
    fees: cost ? -cost : 0,
    ...stated,
  });
}

function tradeOf(cells: Cells, file: TableFile): FileFill {
  const { type, shares, price } = cells;
  const side = wordIn(type, SIDES);
  refuseEmpty(shares, price);
  positiveIn({ ...shares, text: shares.text.replace(/^-/, '') });
  const stated = fillOf(cells, { side, price: numberIn(price) }, file);
  refuseOtherAmount(cells, stated);
  return stated;
}

/**
 * @throws RowError if the amount isn't shares times price; for bonds it includes interest
 */
function refuseOtherAmount(
  { amount, asset }: Cells,
  { quantity, price }: FileFill,
): void {
  const paid = orNothing(amount, numberIn);
  if (paid === null || asset?.text === 'BOND') return;
  const value = Number(quantity) * price;
  if (Math.abs(Math.abs(paid) - value) <= 0.02 + value * 0.005) return;
  throw cellError(amount, `must be shares times price, ${roundMoney(value)}`);
}

/** The exit of a warrant or bond at its end, with its own price or its payment. */
function exitOf(cells: Cells, payment: Cells | undefined, file: TableFile): FileFill[] {
  const { symbol, type, price, shares, currency } = cells;
  const units = sumIn([shares]);
  if (units === 0) {
    file.skip(named(type));
    return [];
  }

  const exit = { side: 'sell', kind: 'exercise', effect: 'close' } as const;
  const stated = orNothing(price, numberIn);
  if (stated !== null) return [fillOf(cells, { ...exit, price: stated }, file)];
  if (!payment) {
    file.moved(symbol);
    file.skip(`${named(type)} without a payment`);
    return [];
  }

  file.skip('payment of a warrant or bond, used for its sale');
  const paid = numberIn(payment.amount);
  const currencyOf = currencyIn(currency.text === '' ? payment.currency : currency);
  const instrument = instrumentOf(cells, currencyOf);
  const cost = 0 - sumIn([cells.fee, payment.fee]);

  return [
    fillOf(
      cells,
      { ...exit, instrument, price: paid / Math.abs(units), fees: roundMoney(cost) },
      file,
    ),
  ];
}

/** Notes on amounts excluded from figures: taxes, and accrued interest of bonds. */
function notesOf(rows: readonly Cells[]): string[] {
  const taxes = rows.map(({ tax }) => orNothing(tax, numberIn) ?? 0);
  const bonds = rows.filter(
    ({ asset, amount, price, type }) =>
      asset?.text === 'BOND' &&
      amount.text !== '' &&
      price.text !== '' &&
      type.text !== PAYMENT,
  );
  const interest = bonds.map(
    ({ amount, shares, price }) => numberIn(amount) + numberIn(shares) * numberIn(price),
  );
  const [tax, accrued] = [taxes, interest].map(
    (amounts) => Math.round(totalMoney(amounts) * 100) / 100,
  );

  return [
    ...(tax ? [`taxes of ${tax} on trades are excluded from figures`] : []),
    ...(accrued
      ? [`accrued interest of ${accrued} in bond trades is excluded from figures`]
      : []),
  ];
}
