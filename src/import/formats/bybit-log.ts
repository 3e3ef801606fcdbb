/**
 * Bybit's log of a unified account: all changes of its balances. A fill of a contract or
 * an option is one row; a spot fill is two, for the coins paid and received.
 */

import { RowError } from '../../errors.ts';
import { asDecimal, totalMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  numberIn,
  orNothing,
  positiveIn,
  refuseEmpty,
  sideIn,
  sumIn,
  wordIn,
} from '../../parse/cells.ts';
import { pointedTable } from '../../parse/csv-rows.ts';
import { coins, type Instrument, optionIn } from '../../parse/instruments.ts';
import { DATED, type FileFill, oldestFirst, type StatedTotal } from '../fills/reading.ts';
import type { Cells as CellsOf, TableFile } from '../tables/declaration.ts';
import { rowsTable } from '../tables/rows.ts';
import { isSettledInCoins, zoneOf } from './bybit.ts';
import { KNOWN } from './known.ts';

const COLUMNS = {
  currency: 'Currency',
  contract: 'Contract',
  type: 'Type',
  direction: { column: 'Direction', optional: 'cells' },
  quantity: { column: 'Quantity', optional: 'cells' },
  price: { column: 'Filled Price', optional: 'cells' },
  funding: { column: 'Funding', optional: 'cells' },
  fee: { column: 'Fee Paid', optional: 'cells' },
  cashFlow: { column: 'Cash Flow', optional: 'cells' },
  action: { column: 'Action', optional: 'cells' },
  executed_at: { column: 'Time', like: /^Time\b/i },
  account: { column: 'Uid', optional: true },
  execution_id: { column: 'TradeId', optional: true },
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const HEADER = [
  'Currency',
  'Contract',
  'Type',
  'Direction',
  'Fee Paid',
  'Cash Flow',
  'Wallet Balance',
];

/** Kinds of rows by their type names in the API. */
const TYPES = byMeaning({
  trade: 'TRADE',
  close: 'LIQUIDATION, ADL, DELIVERY',
  funding: 'SETTLEMENT',
  transfer: [
    'TRANSFER_IN, TRANSFER_OUT, TRANSFER_IN_INS_LOAN, TRANSFER_OUT_INS_LOAN, PREMARKET_TRANSFER_OUT',
    'PEF_TRANSFER_IN, PEF_TRANSFER_OUT, CUSTODY_LOCK, CUSTODY_UNLOCK, CUSTODY_UNLOCK_REFUND',
  ],
  bonus:
    'AIRDROP, BONUS, BONUS_RECOLLECT, BONUS_TRANSFER_IN, BONUS_TRANSFER_OUT, FEE_REFUND, CASHBACK',
  interest:
    'INTEREST, AUTO_DEDUCTION, PEF_PROFIT_SHARE, CUSTODY_NETWORK_FEE, CUSTODY_SETTLE_FEE',
  conversion: 'CURRENCY_BUY, CURRENCY_SELL, SPOT_REPAYMENT_SELL, SPOT_REPAYMENT_BUY, --',
  loan: [
    'BORROWED_AMOUNT_INS_LOAN, PRINCIPLE_REPAYMENT_INS_LOAN, INTEREST_REPAYMENT_INS_LOAN',
    'AUTO_SOLD_COLLATERAL_INS_LOAN, AUTO_BUY_LIABILITY_INS_LOAN, AUTO_PRINCIPLE_REPAYMENT_INS_LOAN',
    'AUTO_INTEREST_REPAYMENT_INS_LOAN, LOANS_BORROW_FUNDS, LOANS_PLEDGE_ASSET',
  ],
  subscription: [
    'TOKENS_SUBSCRIPTION, TOKENS_REDEMPTION, FLEXIBLE_STAKING_SUBSCRIPTION, FLEXIBLE_STAKING_REDEMPTION',
    'FLEXIBLE_STAKING_REFUND, FIXED_STAKING_SUBSCRIPTION, FIXED_STAKING_REFUND, LAUNCHPOOL_SUBSCRIPTION',
  ],
});

export const bybitLog = rowsTable({
  ...KNOWN['bybit-log'],
  table: pointedTable(HEADER),
  columns: COLUMNS,
  dates: 'reformatted',
  zone: zoneOf,
  skip(cells) {
    const type = wordIn(cells.type, TYPES);
    if (type === 'funding')
      return fundingOf(cells) === 0 || isSettledInCoins(cells.contract)
        ? type
        : undefined;
    if (type !== 'trade' && type !== 'close') return type;
    return isDerivative(cells) && isSettledInCoins(cells.contract) ? IN_COINS : undefined;
  },
  end(all, file) {
    const isFunding = ({ type }: Cells) => wordIn(type, TYPES) === 'funding';
    const rows = all.filter((cells) => !isFunding(cells));
    const fills = rows
      .filter(isDerivative)
      .map((cells) => fillOf(cells, wordIn(cells.type, TYPES) === 'close', file));
    for (const cells of all) if (isFunding(cells)) fills.push(fundingFill(cells, file));
    const legs = Map.groupBy(
      rows.filter((cells) => !isDerivative(cells)),
      ({ contract, executed_at, direction, price, execution_id: id }) =>
        [contract, executed_at, direction, price, ...(id ? [id] : [])]
          .map(({ text }) => text)
          .join(),
    );
    for (const ofTrade of legs.values()) {
      const isOneSide = new Set(ofTrade.map(({ currency }) => currency.text)).size === 1;
      if (!isOneSide) fills.push(spotFillOf(ofTrade, file));
      else file.skip(ONE_SIDE, ofTrade.length);
    }

    return {
      ...withTotals(oldestFirst(fills)),
      notes: notesOn(file.skipped),
    };
  },
});

/**
 * Stated P&L of contracts is summed by symbol if other fills in the same currency state
 * none.
 */
function withTotals(fills: readonly FileFill[]): {
  fills: FileFill[];
  stated: StatedTotal[];
} {
  const silent = new Set(
    fills
      .filter(({ stated, isDated }) => stated === null && !isDated)
      .map(({ instrument }) => instrument.currency),
  );
  const stated: StatedTotal[] = [];
  const mixed = fills.filter(
    (fill) => fill.stated !== null && silent.has(fill.instrument.currency),
  );

  for (const [symbol, ofSymbol] of Map.groupBy(
    mixed,
    ({ instrument }) => instrument.symbol,
  )) {
    const currency = ofSymbol[0].instrument.currency;
    const amount = totalMoney(ofSymbol.map(({ stated: total }) => total?.gross ?? 0));
    stated.push({ what: 'gross', currency, symbol, amount });
  }

  return {
    fills: fills.map((fill) =>
      silent.has(fill.instrument.currency) ? { ...fill, stated: null } : fill,
    ),
    stated,
  };
}

const IN_COINS = 'fill of a contract settled in coins';
const ONE_SIDE = 'one side of a trade';

function notesOn(skipped: ReadonlyMap<string, number>): string[] {
  return [
    ...(skipped.has(IN_COINS)
      ? ['contracts settled in coins are skipped: their trades are not in the journal']
      : []),
    ...(skipped.has(ONE_SIDE)
      ? [
          'the other side of some spot trades is missing from this file; export all coins and whole days',
        ]
      : []),
    ...(skipped.has('conversion')
      ? ['conversions are skipped because their two sides do not refer to each other']
      : []),
  ];
}

/** Above 0 if received. */
const fundingOf = ({ funding }: Pick<Cells, 'funding'>) => sumIn([funding]);

function fundingFill(
  { contract, currency, funding, ...cells }: Cells,
  file: TableFile,
): FileFill {
  const instrument = instrumentOf(contract, currency.text);
  return file.fill(cells, { instrument, ...DATED, fees: 0 - fundingOf({ funding }) });
}

/** Only derivatives state whether they open or close. */
function isDerivative({ action }: Cells): boolean {
  return wordIn(
    { ...action, text: action.text || '--' },
    { OPEN: true, CLOSE: true, '--': false },
  );
}

function fillOf(cells: Cells, isForced: boolean, file: TableFile): FileFill {
  const { currency, contract, direction, quantity, price, fee, cashFlow, action } = cells;
  refuseEmpty(direction, quantity, price);
  const instrument = instrumentOf(contract, currency.text);
  const stated = orNothing(cashFlow, numberIn);

  return file.fill(cells, {
    instrument,
    side: sideIn(direction),
    quantity: positiveIn(quantity),
    price: numberIn(price),
    // Fees paid have a minus.
    fees: 0 - sumIn([fee]),
    effect: isForced ? 'close' : wordIn(action, { OPEN: 'open', CLOSE: 'close' }),
    mayShort: true,
    // The cash flow of an option is its premium.
    stated: instrument.market === 'option' || stated === null ? null : { gross: stated },
  });
}

const OPTION =
  /^(?<underlying>[A-Z0-9]+)-(?<day>\d\d?)(?<month>[A-Z]{3})(?<year>\d\d)-(?<strike>[\d.]+)-(?<type>[CP])\b/;

/**
 * An option such as BTC-27MAR26-120000-C, with or without its settlement currency;
 * anything else is a contract.
 */
function instrumentOf(contract: Cell, currency: string): Instrument {
  return (
    optionIn(contract, [OPTION], { currency, multiplier: 1 }) ??
    coins(contract.text, currency)
  );
}

/** Executions of the same second and price can't be separated: they are one fill. */
function spotFillOf(legs: readonly [Cells, ...Cells[]], file: TableFile): FileFill {
  const [first] = legs;
  const { contract, direction, price } = first;
  refuseEmpty(direction, price);

  const side = sideIn(direction);
  const sums = new Map<string, { quantity: number; fee: number }>();
  for (const { currency, quantity, fee } of legs) {
    const sum = sums.get(currency.text) ?? { quantity: 0, fee: 0 };
    sum.quantity = asDecimal(sum.quantity + sumIn([quantity]));
    sum.fee = asDecimal(sum.fee - sumIn([fee]));
    sums.set(currency.text, sum);
  }

  const isGot = (amount: number) => (side === 'buy' ? amount > 0 : amount < 0);
  const base = [...sums.keys()].find(
    (currency) =>
      contract.text.startsWith(currency) && isGot(sums.get(currency)?.quantity ?? 0),
  );
  const quote = [...sums.keys()].find(
    (currency) => contract.text.endsWith(currency) && currency !== base,
  );
  if (base === undefined || quote === undefined) {
    const problem = `must have two rows in ${contract.text}, for the coins paid and received`;
    throw new RowError(contract.column, problem, contract.line);
  }

  const others = [...sums].filter(
    ([currency, { fee }]) => currency !== base && currency !== quote && fee !== 0,
  );
  const [other] = others;

  return file.fill(first, {
    instrument: coins(contract.text, quote),
    side,
    quantity: Math.abs(sums.get(base)?.quantity ?? 0),
    price: numberIn(price),
    fees: sums.get(quote)?.fee ?? 0,
    feeQuantity: sums.get(base)?.fee ?? 0,
    otherFee: other ? { amount: other[1].fee, currency: other[0] } : null,
  });
}
