/**
 * OKX's trading history: a spot fill is two rows of an order, one for each of its coins; a fill of a contract is one row. The
 * line above the header has the zone.
 */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { type FileFill, fill, oldestFirst } from '../fills/reading.ts';
import { byMeaning, cellError, orNothing, wordIn } from '../parse/columns.ts';
import { coins, type Instrument } from '../parse/instruments.ts';
import { numberIn, positiveIn } from '../parse/numbers.ts';
import type { Zone } from '../table/clock.ts';
import { type Cells as CellsOf, mayBeEmpty, optional, type TableFile } from '../table/declaration.ts';
import { feePaidIn } from '../table/fills.ts';
import { rowsTable } from '../table/rows.ts';

const COLUMNS = {
  id: 'id',
  order: mayBeEmpty('Order id'),
  executed_at: 'Time',
  type: mayBeEmpty('Trade Type'),
  symbol: mayBeEmpty('Symbol'),
  // Partial liquidation close long, Liquidation long, ADL close short, Delivery long.
  action: {
    column: 'Action',
    text: (text: string) =>
      text
        .replace(/^(?:(?:partial )?liquidation|ADL|delivery) (?:close )?(?=long|short)/i, 'Close ')
        .replace(/^(?:(?:partial )?liquidation|ADL) (?=buy|sell)/i, ''),
    optional: 'cells',
  },
  amount: mayBeEmpty('Amount'),
  unit: mayBeEmpty('Trading Unit'),
  price: mayBeEmpty('Filled Price'),
  pnl: optional('PnL'),
  fee: mayBeEmpty('Fee'),
  fee_unit: mayBeEmpty('Fee Unit'),
  coin: mayBeEmpty('Balance Unit'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const TYPES = byMeaning({ spot: 'Spot', contract: 'Swap, Perpetual, Perpetual swap, Futures, Expiry futures' });

export const okx = rowsTable({
  name: 'okx',
  description: 'OKX: Assets > Order center > Trading history, exported as CSV: spot, and contracts in USDT or USDC',
  evidence: 'samples',
  hasUniqueIds: true,
  marks: ['Order id', 'Trade Type', 'Trading Unit', 'Filled Price', 'Balance Change', 'Balance Unit'],
  columns: COLUMNS,
  dates: 'ymd',
  zone: zoneOf,
  skip({ symbol, type, action }) {
    if (symbol.text === '') return (type.text || action.text).toLowerCase() || 'row without a symbol';
    return /^funding fee/i.test(action.text) ? 'funding' : undefined;
  },
  end(rows, file) {
    const isSpot = ({ type }: Cells) => wordIn(type, TYPES) === 'spot';
    const legs = rows.filter(isSpot);
    const { fills, alone } = spotFills(legs, file);
    file.skip('leg whose other leg is missing', alone);
    const contracts = rows.filter((cells) => !isSpot(cells)).map((cells) => contractFill(cells, file));
    const all = [...fills, ...contracts].sort((a, b) => a.line - b.line);
    const notes = [
      ...(alone > 0 ? [`${alone} rows of spot have no other leg in this file; export whole days`] : []),
      ...(file.skipped.has('funding') ? ['funding is excluded from figures because it belongs to no fill'] : []),
    ];
    return { fills: oldestFirst(all), notes };
  },
});

/** Time Zone:UTC+3 above the header. */
function zoneOf(_: string, __: unknown, text: string): Zone | undefined {
  const parts = /\bTime Zone: ?UTC(?:([-+])(\d\d?)(?::?(\d\d))?)?/i.exec(text.slice(0, 500));
  if (!parts) return undefined;
  const [, sign = '+', hours = '0', minutes = '00'] = parts;
  return { zone: 'UTC', offset: `${sign}${hours.padStart(2, '0')}:${minutes}` };
}

/** Each row of the traded coin with the row of its order for the money. */
function spotFills(legs: readonly Cells[], file: TableFile): { fills: FileFill[]; alone: number } {
  const money = Map.groupBy(
    legs.filter((cells) => !isOfCoin(cells)),
    ({ order }) => order.text,
  );
  let alone = 0;
  const fills = legs.filter(isOfCoin).flatMap((cells): FileFill[] => {
    const value = positiveIn(cells.amount) * positiveIn(cells.price);
    const others = money.get(cells.order.text) ?? [];
    const at = others.findIndex(
      ({ amount, action }) =>
        action.text !== cells.action.text && Math.abs(numberIn(amount) - value) <= 1e-4 * value + 1e-8,
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
  const { id, order, executed_at, symbol, action, amount, price } = cells;
  const [coin, currency = ''] = symbol.text.split('-');
  const costs = [cells, other].map(({ fee, fee_unit }) =>
    feePaidIn(fee_unit.text, 0 - (orNothing(fee, numberIn) ?? 0), { currency, coin }),
  );
  const sum = (key: 'fees' | 'feeQuantity') => roundMoney(costs.reduce((total, own) => total + (own[key] ?? 0), 0));
  return fill({
    line: id.line,
    executionId: id.text,
    orderId: order.text,
    instrument: coins(symbol.text, currency),
    executedAt: file.instantIn(executed_at),
    side: wordIn(action, { Buy: 'buy', Sell: 'sell' } as const),
    quantity: positiveIn(amount),
    price: positiveIn(price),
    fees: sum('fees'),
    feeQuantity: sum('feeQuantity'),
    otherFee: costs.find(({ otherFee }) => otherFee)?.otherFee ?? null,
  });
}

const ACTIONS = {
  Buy: { side: 'buy', effect: null },
  Sell: { side: 'sell', effect: null },
  'Open long': { side: 'buy', effect: 'open' },
  'Close long': { side: 'sell', effect: 'close' },
  'Open short': { side: 'sell', effect: 'open' },
  'Close short': { side: 'buy', effect: 'close' },
} as const;

function contractFill({ pnl, fee, fee_unit, ...cells }: Cells, file: TableFile): FileFill {
  const { id, order, executed_at, action, amount, price } = cells;
  const instrument = contractOf(cells);
  const { side, effect } = wordIn(action, ACTIONS);
  const gross = effect === 'open' ? null : pnl && orNothing(pnl, numberIn);
  return fill({
    line: id.line,
    executionId: id.text,
    orderId: order.text,
    instrument,
    executedAt: file.instantIn(executed_at),
    side,
    effect,
    quantity: positiveIn(amount),
    price: positiveIn(price),
    mayShort: true,
    stated: gross ? { gross } : null,
    ...feePaidIn(fee_unit.text, 0 - (orNothing(fee, numberIn) ?? 0), { currency: instrument.currency }),
  });
}

/** BTC-USDT-SWAP. Amounts in contracts need their size, which is derived from the P&L. */
function contractOf({ symbol, unit }: Pick<Cells, 'symbol' | 'unit'>): Instrument {
  const [coin = '', currency = ''] = symbol.text.split('-');
  if (!['USDT', 'USDC'].includes(currency)) {
    const problem = 'a contract settled in coins, which this format does not read; remove its rows';
    throw new RowError(symbol.column, problem, symbol.line);
  }
  const kind = wordIn(unit, { cont: 'contracts', contracts: 'contracts', [coin]: 'coins' } as const);
  return { ...coins(symbol.text, currency), ...(kind === 'contracts' && { market: 'future', underlying: coin }) };
}
