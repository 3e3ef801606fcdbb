/**
 * Kraken's log of a derivatives account: of each fill a row with the change of the position, and one with the money it made
 * and its fee. Nothing names both; they stand in the same order. Times are UTC.
 */
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { rewrittenOrder } from '../parse/local-style.ts';
import { numberIn } from '../parse/numbers.ts';
import { type DateOrder, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import type { Format } from './format.ts';

const COLUMNS = {
  id: 'uid',
  time: 'dateTime',
  type: 'type',
  symbol: 'symbol',
  change: 'change',
  price: 'trade price',
  pnl: 'realized pnl',
  fee: 'fee',
  funding: 'realized funding',
};

/** Older files have it in the row of the position only. */
const TOO = { contract: 'contract' };

type Cells = Record<keyof typeof COLUMNS, Cell> & Partial<Record<keyof typeof TOO, Cell>>;

const TYPES = {
  'futures trade': 'trade',
  'futures liquidation': 'close',
  'futures partial liquidation': 'close',
  'futures assignor': 'trade',
  'futures assignee': 'trade',
  'futures unwind': 'close',
  'futures unwind bankrupt': 'close',
  'futures unwind counterparty': 'close',
  'covered liquidation': 'close',
  settlement: 'close',
  'funding rate change': 'funding',
  conversion: 'conversion',
  'conversion credit': 'conversion',
  'auto conversion': 'conversion',
  'interest payment': 'interest',
  'kfee applied': 'fee points',
  transfer: 'transfer',
  'subaccount transfer': 'transfer',
  'cross-exchange transfer': 'transfer',
  'admin transfer': 'transfer',
  'position transfer': 'transfer',
  deposit: 'transfer',
  withdrawal: 'transfer',
  'futures tax withheld': 'tax',
  'futures tax refund': 'tax',
} as const;

const IN_COINS = 'row of a contract settled in coins';

export const krakenFutures: Format = {
  name: 'kraken-futures',
  description: 'Kraken: Documents > Export, product Derivatives: the account log, CSV',
  evidence: 'samples',
  holds: 'trades',
  hasUniqueIds: true,
  looksLike: (start) =>
    ['uid', 'new average entry price', 'trade price', 'realized pnl'].every((name) => start.includes(name)),
  read(text) {
    const { header, rows } = readFilledCsv(text);
    const cellsOf = columnsOf(header, COLUMNS, TOO);
    const skipped = new Map<string, number>();
    const positions: (Cells & { isForced: boolean })[] = [];
    const money = new Map<string, Cells[]>();
    let funding = 0;
    const all = rows.map(cellsOf);
    const { order, notes } = rewrittenOrder(all.map(({ time }) => time));
    for (const cells of all) {
      const type = wordIn(cells.type, TYPES);
      const isPosition = CONTRACT.test(cells.symbol.text);
      if (type === 'funding') funding = roundMoney(funding + (orNothing(cells.funding, numberIn) ?? 0));
      if (type !== 'trade' && type !== 'close') skip(skipped, type);
      else if (isPosition && !LINEAR.test(cells.symbol.text)) skip(skipped, IN_COINS);
      else if (isPosition) positions.push({ ...cells, isForced: type === 'close' });
      else money.set(momentOf(cells), [...(money.get(momentOf(cells)) ?? []), cells]);
    }
    const fills = positions.map((own) => fillOf(own, money.get(momentOf(own))?.shift(), order));
    // What is left is of contracts settled in coins.
    for (const own of money.values()) for (const _ of own) skip(skipped, IN_COINS);
    return reading({
      rows: rows.length,
      fills: oldestFirst(fills),
      skipped,
      notes: [
        'times are in UTC in this format',
        ...notes,
        ...(funding === 0 ? [] : [`funding (${funding} in all) is in no figure: it belongs to no fill`]),
        ...(skipped.has(IN_COINS)
          ? ['contracts settled in coins are not read: their trades are not in the journal']
          : []),
      ],
    });
  },
};

/** pf_xbtusd, ff_ethusd_261225: what is settled in money; pi_ and fi_ are settled in coins, pv_ and fv_ in others. */
const CONTRACT = /^[pf][a-z]_[a-z0-9]+(_\d{6})?$/i;
const LINEAR = /^[pf]f_\w+?(usd|eur|usdt|usdc)(_\d{6})?$/i;

/** Both rows of a fill have it; equal ones stand in the same order. */
function momentOf({ time, price, contract }: Cells): string {
  return `${time.text} ${price.text} ${contract?.text ?? ''}`;
}

/** @param money what the fill made; undefined where points paid its fee and it made nothing */
function fillOf(cells: Cells & { isForced: boolean }, money: Cells | undefined, order: DateOrder): FileFill {
  const { id, time, symbol, change, price, isForced } = cells;
  refuseEmpty(id, time, symbol, change, price);
  const quantity = numberIn(change);
  if (quantity === 0) throw new RowError(change.column, 'must not be 0', change.line);
  const currency = LINEAR.exec(symbol.text)?.[1]?.toUpperCase() ?? '';
  const paid = money?.symbol.text.toUpperCase() ?? currency;
  const fee = (money && orNothing(money.fee, numberIn)) ?? 0;
  const made = money && orNothing(money.pnl, numberIn);
  return fill({
    line: id.line,
    executionId: id.text,
    instrument: coins(symbol.text.toUpperCase(), currency),
    executedAt: instantIn(time, order, 'UTC'),
    side: quantity > 0 ? 'buy' : 'sell',
    quantity: Math.abs(quantity),
    price: numberIn(price),
    ...(paid === currency ? { fees: fee } : { otherFee: fee === 0 ? null : { amount: fee, currency: paid } }),
    effect: isForced ? 'close' : null,
    mayShort: true,
    stated: typeof made === 'number' && paid === currency ? { gross: made } : null,
  });
}
