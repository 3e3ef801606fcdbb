/**
 * Bybit's log of a unified account: each change of its balances. A fill of a contract or an option is a row; one of spot is
 * two, of what was paid and of what was got.
 */

import { asDecimal } from '../../journal-write/quantities.ts';
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney, Sum } from '../../money.ts';
import { type FileFill, fill, oldestFirst, reading, type StatedTotal, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { coins, type Instrument, option } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import { monthOf } from '../parse/times.ts';
import { sideIn, wordIn } from '../parse/words.ts';
import { isSettledInCoins } from './bybit.ts';
import { clockOf, tableIn } from './bybit-trades.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  currency: 'Currency',
  contract: 'Contract',
  type: 'Type',
  direction: 'Direction',
  quantity: 'Quantity',
  price: 'Filled Price',
  funding: 'Funding',
  fee: 'Fee Paid',
  cashFlow: 'Cash Flow',
  action: 'Action',
};
const TOO = { account: 'Uid', id: 'TradeId' };

type Cells = Record<keyof typeof COLUMNS | 'time', Cell> & Partial<Record<keyof typeof TOO, Cell>>;

const HEADER = ['Currency', 'Contract', 'Type', 'Direction', 'Fee Paid', 'Cash Flow', 'Wallet Balance'];

/** What a row is, as the names of its types in the API are grouped. */
const TYPES = {
  TRADE: 'trade',
  LIQUIDATION: 'close',
  ADL: 'close',
  DELIVERY: 'close',
  SETTLEMENT: 'funding',
  ...named('transfer', 'TRANSFER_IN TRANSFER_OUT TRANSFER_IN_INS_LOAN TRANSFER_OUT_INS_LOAN PREMARKET_TRANSFER_OUT'),
  ...named('transfer', 'PEF_TRANSFER_IN PEF_TRANSFER_OUT CUSTODY_LOCK CUSTODY_UNLOCK CUSTODY_UNLOCK_REFUND'),
  ...named('bonus', 'AIRDROP BONUS BONUS_RECOLLECT BONUS_TRANSFER_IN BONUS_TRANSFER_OUT FEE_REFUND CASHBACK'),
  ...named('interest', 'INTEREST AUTO_DEDUCTION PEF_PROFIT_SHARE CUSTODY_NETWORK_FEE CUSTODY_SETTLE_FEE'),
  ...named('conversion', 'CURRENCY_BUY CURRENCY_SELL SPOT_REPAYMENT_SELL SPOT_REPAYMENT_BUY --'),
  ...named('loan', 'BORROWED_AMOUNT_INS_LOAN PRINCIPLE_REPAYMENT_INS_LOAN INTEREST_REPAYMENT_INS_LOAN'),
  ...named('loan', 'AUTO_SOLD_COLLATERAL_INS_LOAN AUTO_BUY_LIABILITY_INS_LOAN AUTO_PRINCIPLE_REPAYMENT_INS_LOAN'),
  ...named('loan', 'AUTO_INTEREST_REPAYMENT_INS_LOAN LOANS_BORROW_FUNDS LOANS_PLEDGE_ASSET'),
  ...named('subscription', 'TOKENS_SUBSCRIPTION TOKENS_REDEMPTION FLEXIBLE_STAKING_SUBSCRIPTION'),
  ...named('subscription', 'FLEXIBLE_STAKING_REDEMPTION FLEXIBLE_STAKING_REFUND FIXED_STAKING_SUBSCRIPTION'),
  ...named('subscription', 'FIXED_STAKING_REFUND LAUNCHPOOL_SUBSCRIPTION'),
} as const;

function named<T extends string>(meaning: T, names: string): Record<string, T> {
  return Object.fromEntries(names.split(' ').map((name) => [name, meaning]));
}

export const bybitLog: Format = {
  name: 'bybit-log',
  description: 'Bybit: Data Export > Transaction Log of the unified account (AssetChangeDetails_uta), CSV',
  evidence: 'samples',
  platform: 'bybit',
  mayStateOrders: true,
  holds: 'trades',
  hasUniqueIds: true,
  looksLike: (start) => HEADER.every((name) => start.includes(name)),
  read(text) {
    const table = tableIn(text, HEADER);
    const clock = clockOf(table, /^Time\b/i);
    const cellsOf = columnsOf(table.header, { ...COLUMNS, time: clock.column }, TOO);
    const skipped = new Map<string, number>();
    const funding = new Map<string, number>();
    const fills: FileFill[] = [];
    const legs = new Map<string, Cells[]>();
    for (const row of table.rows) {
      const cells = cellsOf(row);
      const type = wordIn(cells.type, TYPES);
      if (type === 'funding') addFunding(funding, cells);
      if (type !== 'trade' && type !== 'close') skip(skipped, type);
      else if (!isDerivative(cells)) {
        const { contract, time, direction, price, id } = cells;
        const key = [contract, time, direction, price, ...(id ? [id] : [])].map((cell) => cell.text).join();
        legs.set(key, [...(legs.get(key) ?? []), cells]);
      } else if (isSettledInCoins(cells.contract)) skip(skipped, IN_COINS);
      else fills.push(fillOf(cells, type === 'close', clock.instantIn));
    }
    for (const own of legs.values()) {
      const isOneSide = new Set(own.map(({ currency }) => currency.text)).size === 1;
      if (!isOneSide) fills.push(spotFillOf(own, clock.instantIn));
      else for (const _ of own) skip(skipped, ONE_SIDE);
    }
    const notes = [...clock.notes, ...notesOn(skipped, funding)];
    return reading({ rows: table.rows.length, ...withTotals(oldestFirst(fills)), skipped, notes });
  },
};

/** Where others are in the same currency, what fills of contracts state is summed by symbol, since those state nothing. */
function withTotals(fills: readonly FileFill[]): { fills: FileFill[]; stated: StatedTotal[] } {
  const silent = new Set(fills.filter(({ stated }) => stated === null).map(({ instrument }) => instrument.currency));
  const stated: StatedTotal[] = [];
  const mixed = fills.filter((own) => own.stated !== null && silent.has(own.instrument.currency));
  for (const [symbol, own] of Map.groupBy(mixed, ({ instrument }) => instrument.symbol)) {
    const currency = own[0]?.instrument.currency as string;
    const sum = new Sum();
    for (const { stated: said } of own) sum.add(said?.gross ?? 0);
    stated.push({ what: 'gross', currency, symbol, amount: roundMoney(sum.value) });
  }
  return { fills: fills.map((own) => (silent.has(own.instrument.currency) ? { ...own, stated: null } : own)), stated };
}

const IN_COINS = 'fill of a contract settled in coins';
const ONE_SIDE = 'one side of a trade';

function notesOn(skipped: ReadonlyMap<string, number>, funding: ReadonlyMap<string, number>): string[] {
  const sums = [...funding].map(([currency, sum]) => `${sum} ${currency}`);
  return [
    ...(skipped.has(IN_COINS) ? ['contracts settled in coins are not read: their trades are not in the journal'] : []),
    ...(sums.length > 0 ? [`funding (${sums.join(', ')}) is in no figure: it belongs to no fill`] : []),
    ...(skipped.has(ONE_SIDE)
      ? ['the other side of some trades of spot is not in this file: export all coins, and whole days']
      : []),
    ...(skipped.has('conversion') ? ['conversions are not read: the two sides of one do not name each other'] : []),
  ];
}

function addFunding(sums: Map<string, number>, { currency, funding }: Cells): void {
  const amount = orNothing(funding, numberIn) ?? 0;
  sums.set(currency.text, roundMoney((sums.get(currency.text) ?? 0) + amount));
}

/** Only positions are opened and closed. */
function isDerivative({ action }: Cells): boolean {
  return wordIn({ ...action, text: action.text || '--' }, { OPEN: true, CLOSE: true, '--': false });
}

function fillOf(cells: Cells, isForced: boolean, instant: (cell: Cell) => string): FileFill {
  const { currency, contract, direction, quantity, price, fee, cashFlow, action, time } = cells;
  refuseEmpty(currency, contract, direction, quantity, price, time);
  const instrument = instrumentOf(contract, currency.text);
  const stated = orNothing(cashFlow, numberIn);
  return fill({
    line: contract.line,
    executionId: cells.id?.text || null,
    account: cells.account?.text || null,
    instrument,
    executedAt: instant(time),
    side: sideIn(direction),
    quantity: positiveIn(quantity),
    price: numberIn(price),
    // What was paid stands with a minus.
    fees: 0 - (orNothing(fee, numberIn) ?? 0),
    effect: isForced ? 'close' : wordIn(action, { OPEN: 'open', CLOSE: 'close' }),
    mayShort: true,
    // The cash of an option is its premium.
    stated: instrument.market === 'option' || stated === null ? null : { gross: stated },
  });
}

/** BTC-27MAR26-120000-C, with what it is settled in behind it or not; all else is a contract. */
function instrumentOf({ text }: Cell, currency: string): Instrument {
  const parts = /^([A-Z0-9]+)-(\d\d?)([A-Z]{3})(\d\d)-([\d.]+)-([CP])\b/.exec(text);
  const [, underlying = '', day = '', month = '', year = '', strike = '', kind] = parts ?? [];
  const number = monthOf(month);
  if (!parts || number === undefined) return coins(text, currency);
  const expiration = `20${year}-${number}-${day.padStart(2, '0')}`;
  const contract = {
    underlying,
    expiration,
    strike: Number(strike),
    optionType: kind === 'C' ? 'call' : 'put',
  } as const;
  return option(contract, { currency, multiplier: 1 });
}

/** Two executions of one second at one price can't be told apart here: they are one fill. */
function spotFillOf(legs: readonly Cells[], instant: (cell: Cell) => string): FileFill {
  const [first] = legs as [Cells, ...Cells[]];
  const { contract, direction, price, time } = first;
  refuseEmpty(contract, direction, price, time);
  const side = sideIn(direction);
  const sums = new Map<string, { quantity: number; fee: number }>();
  for (const { currency, quantity, fee } of legs) {
    const own = sums.get(currency.text) ?? { quantity: 0, fee: 0 };
    own.quantity = asDecimal(own.quantity + (orNothing(quantity, numberIn) ?? 0));
    own.fee = asDecimal(own.fee - (orNothing(fee, numberIn) ?? 0));
    sums.set(currency.text, own);
  }
  const isGot = (amount: number) => (side === 'buy' ? amount > 0 : amount < 0);
  const base = [...sums.keys()].find(
    (currency) => contract.text.startsWith(currency) && isGot(sums.get(currency)?.quantity ?? 0),
  );
  const quote = [...sums.keys()].find((currency) => contract.text.endsWith(currency) && currency !== base);
  if (base === undefined || quote === undefined) {
    throw new RowError(
      contract.column,
      `must have two rows in ${contract.text}: of what was paid, and of what was got`,
      contract.line,
    );
  }
  const others = [...sums].filter(([currency, { fee }]) => currency !== base && currency !== quote && fee !== 0);
  const [other] = others;
  return fill({
    line: contract.line,
    executionId: first.id?.text || null,
    account: first.account?.text || null,
    instrument: coins(contract.text, quote),
    executedAt: instant(time),
    side,
    quantity: Math.abs(sums.get(base)?.quantity ?? 0),
    price: numberIn(price),
    fees: sums.get(quote)?.fee ?? 0,
    feeQuantity: sums.get(base)?.fee ?? 0,
    otherFee: other ? { amount: other[1].fee, currency: other[0] } : null,
  });
}
