/** Exchanges of coins: KuCoin, MEXC, Bitvavo with one fill or order per row, and OKX. */
import { roundMoney } from '../../money.ts';
import {
  amountIn,
  byMeaning,
  type Cell,
  cellError,
  joined,
  numberIn,
  orNothing,
  positiveIn,
  sumIn,
  wordIn,
} from '../../parse/cells.ts';
import {
  coinOf,
  coins,
  type Instrument,
  quoteOf,
  settledInCoins,
} from '../../parse/instruments.ts';
import { instantIn } from '../../parse/times.ts';
import { isTimeZone } from '../../time.ts';
import { DATED, type FileFill, oldestFirst } from '../fills/reading.ts';
import { type Zone, zoneNamed } from '../tables/clock.ts';
import {
  type Cells as CellsOf,
  type FlowParts,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { feeIn, feePaidIn, fillsTable } from '../tables/fills.ts';
import { rowsTable } from '../tables/rows.ts';
import { KNOWN } from './known.ts';

// KuCoin: orders or their fills, as today and until 2022; fills of 2022; fills of 2019.

export const kucoin = fillsTable({
  ...KNOWN.kucoin,
  columns: {
    account: optional('UID'),
    kind: optional('Account Type'),
    order_id: optional(['Order ID', 'orderId']),
    execution_id: optional('tradeId'),
    ordered: { column: 'Order Time', like: /^Order Time\b/, optional: true },
    executed_at: {
      column: 'Filled Time(UTC)',
      like: /^(?:Filled Time\b.*|Time|tradeCreatedAt)$/,
    },
    symbol: ['Symbol', 'Pair'],
    side: 'Side',
    quantity: ['Filled Amount', 'Amount', 'size'],
    price: ['Avg. Filled Price', 'FilledPrice', 'price'],
    fee: { column: 'Fee', optional: 'cells' },
    fee_currency: {
      column: ['Fee Currency', 'FeeCoin', 'feeCurrency'],
      optional: 'cells',
    },
    tax: optional('Tax'),
    status: optional('Status'),
    role: optional('Maker/Taker'),
  },
  dates: 'ymd',
  zone: zoneNamed,
  skip: ({ quantity, status }) =>
    orNothing(quantity, numberIn)
      ? undefined
      : `${status?.text.toLowerCase() || 'unfilled'} order`,
  instrument: ({ symbol }) => coins(symbol.text, quoteOf(symbol)),
  row({ fee, fee_currency, kind, ordered, role }, { instrument, orderId, executionId }) {
    return {
      // A row of an order, or of one of its fills, which have a role.
      executionId: ordered && !role ? (orderId ?? null) : executionId,
      mayShort: /margin/i.test(kind?.text ?? ''),
      ...feeIn(fee, fee_currency, {
        currency: instrument.currency,
        coin: coinOf(instrument),
      }),
    };
  },
  end: (_, file) => ({ notes: taxNote(file.rows().flatMap(({ tax }) => tax ?? [])) }),
  allCosts: true,
});

/** The file doesn't name the currency of the taxes. */
function taxNote(cells: readonly Cell[]): string[] {
  const total = roundMoney(sumIn(cells));
  return total === 0
    ? []
    : [
        `taxes of ${total}, in a currency that the file doesn't name, are excluded from figures`,
      ];
}

// MEXC's spot trades: the fee with its coin.

export const mexc = fillsTable({
  ...KNOWN.mexc,
  columns: {
    account: optional('UID'),
    symbol: ['Pairs', 'Paare'],
    executed_at: { column: ['Time', 'Zeit'], like: /^(?:Time|Zeit) ?\(/ },
    side: {
      column: ['Side', 'Seite'],
      words: { Buy: 'buy', Sell: 'sell', Kaufen: 'buy', Verkaufen: 'sell' },
    },
    price: ['Filled Price', 'Gefüllter Preis', 'Realisierter Preis'],
    quantity: ['Executed Amount', 'Ausgeführter Betrag'],
    fee: { column: ['Fee', 'Gebühr'], optional: 'cells' },
  },
  dates: 'ymd',
  zone: zoneNamed,
  instrument: ({ symbol }) => coins(symbol.text, quoteOf(symbol)),
  row({ fee }, { instrument }) {
    const pair = { currency: instrument.currency, coin: coinOf(instrument) };
    if (/^0(?:\.0*)?$/.test(fee.text)) return {};
    const paid = orNothing(fee, (cell) => amountIn(cell, {}, [pair.coin, pair.currency]));
    return paid ? feePaidIn(paid.currency, paid.amount, pair) : {};
  },
  allCosts: true,
});

// Bitvavo: trades among deposits and rewards. Each row names the zone of its time.

/** Types without a trade; some state the price of the day. */
const OTHER_ROWS =
  /staking|deposit|withdrawal|rebate|affiliate|incentive|transfer|assigned|reward|distribution|airdrop/i;

const BITVAVO = {
  zone: 'Timezone',
  date: 'Date',
  executed_at: { column: 'Time', day: 'date' },
  side: 'Type',
  coin: 'Currency',
  amount: mayBeEmpty('Amount'),
  quantity: { column: 'Amount', text: (text: string) => text.replace(/^-/, '') },
  currency: 'Quote Currency',
  price: 'Quote Price',
  fee: { column: 'Fee amount', optional: 'cells' },
  fee_currency: mayBeEmpty('Fee currency'),
  status: 'Status',
  execution_id: 'Transaction ID',
} as const;

type BitvavoCells = CellsOf<typeof BITVAVO>;

export const bitvavo = fillsTable({
  ...KNOWN.bitvavo,
  columns: BITVAVO,
  dates: 'ymd',
  zone: () => ({ zone: 'UTC' }),
  skip({ side, currency, price, status }) {
    if (/^(?:cancell?ed|rejected|failed|expired)$/i.test(status.text))
      return `${status.text.toLowerCase()} transaction`;
    // A trade without a price is an error.
    if (/^(?:buy|sell)$/i.test(side.text)) return undefined;
    return OTHER_ROWS.test(side.text) || (currency.text === '' && price.text === '')
      ? side.text.toLowerCase()
      : undefined;
  },
  flows: {
    meanings: [
      [/^deposit$/, 'deposit'],
      [/^withdrawal$/, 'withdrawal'],
      [/^(staking|rebate|affiliate|incentive|reward|distribution)/, 'other'],
    ],
    read: bitvavoFlows,
  },
  instrument: ({ coin, currency }) =>
    coins(`${coin.text}-${currency.text}`, currency.text),
  row({ zone, date, executed_at, fee, fee_currency, coin, currency }) {
    if (!isTimeZone(zone.text))
      throw cellError(zone, 'must be a time zone, such as Europe/Amsterdam');
    return {
      executedAt: instantIn(joined(date, executed_at), 'ymd', zone.text),
      ...feeIn(fee, fee_currency, { currency: currency.text, coin: coin.text }),
    };
  },
  end(fills, file) {
    const isMove = ({ side, coin }: BitvavoCells) =>
      OTHER_ROWS.test(side.text) && !isEuro(coin);
    const moves = file.rows().filter(isMove).length;
    const note = `${moves} rows move coins without a trade; they make no fill and no cash flow; record what they cost with journal-api fill`;
    return { fills, notes: moves > 0 ? [note] : [] };
  },
  allCosts: true,
});

/** The currency of an account at Bitvavo. */
function isEuro({ text }: Cell): boolean {
  return text === 'EUR';
}

/** Money that moved, and its fee. */
function bitvavoFlows(cells: BitvavoCells): FlowParts[] {
  const { zone, date, executed_at, side, coin, amount, fee, fee_currency, execution_id } =
    cells;
  if (!isEuro(coin) || !isTimeZone(zone.text)) return [];

  const common = {
    executedAt: instantIn(joined(date, executed_at), 'ymd', zone.text),
    currency: coin.text,
    description: side.text,
  };
  const cost = isEuro(fee_currency) ? (orNothing(fee, numberIn) ?? 0) : 0;
  const id = execution_id.text;
  return [
    { ...common, id, amount: orNothing(amount, numberIn) ?? 0 },
    { ...common, id: `${id}.fee`, kind: 'fee', amount: 0 - Math.abs(cost) },
  ];
}

// OKX: a spot fill is two rows of an order, one for each of its coins; a fill of a
// contract is one row. The line above the header has the zone.

const OKX = {
  execution_id: 'id',
  order_id: mayBeEmpty('Order id'),
  executed_at: 'Time',
  type: mayBeEmpty('Trade Type'),
  symbol: mayBeEmpty('Symbol'),
  // Partial liquidation close long, Liquidation long, ADL close short, Delivery long.
  action: {
    column: 'Action',
    text: (text: string) =>
      text
        .replace(
          /^(?:(?:partial )?liquidation|ADL|delivery) (?:close )?(?=long|short)/i,
          'Close ',
        )
        .replace(/^(?:(?:partial )?liquidation|ADL) (?=buy|sell)/i, ''),
    optional: 'cells',
  },
  amount: mayBeEmpty('Amount'),
  unit: mayBeEmpty('Trading Unit'),
  price: mayBeEmpty('Filled Price'),
  pnl: optional('PnL'),
  fee: mayBeEmpty('Fee'),
  fee_unit: mayBeEmpty('Fee Unit'),
  change: mayBeEmpty('Balance Change'),
  coin: mayBeEmpty('Balance Unit'),
} as const;

type Cells = CellsOf<typeof OKX>;

const OKX_TYPES = byMeaning({
  spot: 'Spot',
  contract: 'Swap, Perpetual, Perpetual swap, Futures, Expiry futures',
});

export const okx = rowsTable({
  ...KNOWN.okx,
  columns: OKX,
  dates: 'ymd',
  zone: zoneAbove,
  skip({ symbol, type, action }) {
    if (symbol.text === '')
      return (type.text || action.text).toLowerCase() || 'row without a symbol';
    return isFunding({ action }) && SETTLED_IN_COINS.test(symbol.text)
      ? 'funding'
      : undefined;
  },
  end(rows, file) {
    const isSpot = ({ type }: Cells) => wordIn(type, OKX_TYPES) === 'spot';
    const legs = rows.filter(isSpot);
    const { fills, alone } = spotFills(legs, file);
    file.skip('leg whose other leg is missing', alone);

    const contracts = rows
      .filter((cells) => !isSpot(cells))
      .map((cells) => (isFunding(cells) ? fundingFill : contractFill)(cells, file));
    const all = [...fills, ...contracts].sort((a, b) => a.line - b.line);
    const notes = [
      ...(alone > 0
        ? [`${alone} rows of spot have no other leg in this file; export whole days`]
        : []),
    ];

    return { fills: oldestFirst(all), notes };
  },
});

/** Time Zone:UTC+3 above the header. */
function zoneAbove(_: string, __: unknown, text: string): Zone | undefined {
  const [, zone = ''] = /\bTime Zone: ?(UTC[-+:\d]*)/i.exec(text.slice(0, 500)) ?? [];
  return zoneNamed(`(${zone.toUpperCase()})`);
}

/** Each row of the traded coin with the row of its order for the money. */
function spotFills(
  legs: readonly Cells[],
  file: TableFile,
): { fills: FileFill[]; alone: number } {
  const money = Map.groupBy(
    legs.filter((cells) => !isOfCoin(cells)),
    ({ order_id }) => order_id.text,
  );
  let alone = 0;
  const fills = legs.filter(isOfCoin).flatMap((cells): FileFill[] => {
    const value = positiveIn(cells.amount) * positiveIn(cells.price);
    const others = money.get(cells.order_id.text) ?? [];
    const at = others.findIndex(
      ({ amount, action }) =>
        action.text !== cells.action.text &&
        Math.abs(numberIn(amount) - value) <= 1e-4 * value + 1e-8,
    );
    const [other] = at === -1 ? [] : others.splice(at, 1);
    if (!other) alone++;

    return other ? [spotFill(cells, other, file)] : [];
  });
  for (const others of money.values()) alone += others.length;

  return { fills, alone };
}

function isOfCoin({ symbol, coin }: Cells): boolean {
  const [base, quote] = symbol.text.split('-');
  if (coin.text === base) return true;
  if (coin.text === quote) return false;
  throw cellError(coin, `must be one of the coins of ${symbol.text}`);
}

function spotFill(cells: Cells, other: Cells, file: TableFile): FileFill {
  const { symbol, action, amount, price } = cells;
  const [coin, currency = ''] = symbol.text.split('-');
  const costs = [cells, other].map(({ fee, fee_unit }) =>
    feePaidIn(fee_unit.text, 0 - sumIn([fee]), { currency, coin }),
  );
  const sum = (key: 'fees' | 'feeQuantity') =>
    roundMoney(costs.reduce((total, cost) => total + (cost[key] ?? 0), 0));

  return file.fill(cells, {
    instrument: coins(symbol.text, currency),
    side: wordIn(action, { Buy: 'buy', Sell: 'sell' } as const),
    quantity: positiveIn(amount),
    price: positiveIn(price),
    fees: sum('fees'),
    feeQuantity: sum('feeQuantity'),
    otherFee: costs.find(({ otherFee }) => otherFee)?.otherFee ?? null,
  });
}

const isFunding = ({ action }: Pick<Cells, 'action'>) =>
  /^funding fee/i.test(action.text);

const SETTLED_IN_COINS = /-USD-/;

function fundingFill({ change, coin, ...cells }: Cells, file: TableFile): FileFill {
  const instrument = contractOf(cells);
  const { currency } = instrument;
  const paid = feePaidIn(coin.text || currency, 0 - numberIn(change), { currency });
  return file.fill(cells, { instrument, ...DATED, fees: 0, ...paid });
}

const ACTIONS = {
  Buy: { side: 'buy', effect: null },
  Sell: { side: 'sell', effect: null },
  'Open long': { side: 'buy', effect: 'open' },
  'Close long': { side: 'sell', effect: 'close' },
  'Open short': { side: 'sell', effect: 'open' },
  'Close short': { side: 'buy', effect: 'close' },
} as const;

function contractFill(
  { pnl, fee, fee_unit, ...cells }: Cells,
  file: TableFile,
): FileFill {
  const { action, amount, price } = cells;
  const instrument = contractOf(cells);
  const { side, effect } = wordIn(action, ACTIONS);
  const gross = effect === 'open' ? null : pnl && orNothing(pnl, numberIn);

  return file.fill(cells, {
    instrument,
    side,
    effect,
    quantity: positiveIn(amount),
    price: positiveIn(price),
    mayShort: true,
    stated: gross ? { gross } : null,
    ...feePaidIn(fee_unit.text, 0 - sumIn([fee]), { currency: instrument.currency }),
  });
}

/** BTC-USDT-SWAP. Amounts in contracts need their size, which is derived from the P&L. */
function contractOf({ symbol, unit }: Pick<Cells, 'symbol' | 'unit'>): Instrument {
  const [coin = '', currency = ''] = symbol.text.split('-');
  if (!['USDT', 'USDC'].includes(currency)) throw settledInCoins(symbol);

  const kind = wordIn(unit, {
    cont: 'contracts',
    contracts: 'contracts',
    [coin]: 'coins',
  } as const);
  return {
    ...coins(symbol.text, currency),
    ...(kind === 'contracts' && { market: 'future', underlying: coin }),
  };
}
