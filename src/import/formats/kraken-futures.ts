/**
 * Kraken's log of a derivatives account: for each fill a row with the change of the position, and one with its P&L and fee.
 * No id connects them, but both are in the same order. Times are UTC.
 */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { type FileFill, fill, oldestFirst } from '../fills/reading.ts';
import { byMeaning, orNothing, refuseEmpty, wordIn } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
import { rewrittenOrder } from '../parse/times.ts';
import { type Cells as CellsOf, mayBeEmpty, optional, type TableFile } from '../table/declaration.ts';
import { feePaidIn } from '../table/fills.ts';
import { rowsTable } from '../table/rows.ts';

const COLUMNS = {
  id: mayBeEmpty('uid'),
  executed_at: mayBeEmpty('dateTime'),
  type: 'type',
  symbol: mayBeEmpty('symbol'),
  change: mayBeEmpty('change'),
  price: mayBeEmpty('trade price'),
  pnl: mayBeEmpty('realized pnl'),
  fee: mayBeEmpty('fee'),
  funding: mayBeEmpty('realized funding'),
  // Older files have it only in the row of the position.
  contract: optional('contract'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const TYPES = byMeaning({
  trade: 'futures trade, futures assignor, futures assignee',
  close: [
    'futures liquidation, futures partial liquidation, futures unwind, futures unwind bankrupt',
    'futures unwind counterparty, covered liquidation, settlement',
  ],
  funding: 'funding rate change',
  conversion: 'conversion, conversion credit, auto conversion',
  interest: 'interest payment',
  'fee points': 'kfee applied',
  transfer: [
    'transfer, subaccount transfer, cross-exchange transfer, admin transfer, position transfer, deposit',
    'withdrawal',
  ],
  tax: 'futures tax withheld, futures tax refund',
});

const IN_COINS = 'row of a contract settled in coins';

export const krakenFutures = rowsTable({
  name: 'kraken-futures',
  description: 'Kraken: Documents > Export, product Derivatives: the account log, CSV',
  evidence: 'samples',
  hasUniqueIds: true,
  marks: ['uid', 'new average entry price', 'trade price', 'realized pnl'],
  table: readFilledCsv,
  columns: COLUMNS,
  dates: rewrittenOrder,
  zone: () => ({ zone: 'UTC', note: 'times are in UTC' }),
  skip({ type, symbol }) {
    const meaning = wordIn(type, TYPES);
    if (meaning !== 'trade' && meaning !== 'close') return meaning;
    return CONTRACT.test(symbol.text) && !LINEAR.test(symbol.text) ? IN_COINS : undefined;
  },
  end(rows, file) {
    const [positions, others] = [true, false].map((is) =>
      rows.filter(({ symbol }) => CONTRACT.test(symbol.text) === is),
    ) as [Cells[], Cells[]];
    const money = Map.groupBy(others, momentOf);
    const fills = positions.map((own) => fillOf(own, money.get(momentOf(own))?.shift(), file));
    // The rest belongs to contracts settled in coins.
    file.skip(IN_COINS, [...money.values()].flat().length);
    const funding = file.rows().reduce((sum, { type, funding: paid }) => {
      return wordIn(type, TYPES) === 'funding' ? roundMoney(sum + (orNothing(paid, numberIn) ?? 0)) : sum;
    }, 0);
    const notes = [
      ...(funding === 0 ? [] : [`funding (total ${funding}) is excluded from figures because it belongs to no fill`]),
      ...(file.skipped.has(IN_COINS)
        ? ['contracts settled in coins are skipped: their trades are not in the journal']
        : []),
    ];
    return { fills: oldestFirst(fills), notes };
  },
});

/** Contracts settled in money, such as pf_xbtusd and ff_ethusd_261225; pi_ and fi_ are settled in coins, pv_ and fv_ in others. */
const CONTRACT = /^[pf][a-z]_[a-z0-9]+(_\d{6})?$/i;
const LINEAR = /^[pf]f_\w+?(usd|eur|usdt|usdc)(_\d{6})?$/i;

/** Key of both rows of a fill; rows with equal keys are in the same order. */
function momentOf({ executed_at, price, contract }: Cells): string {
  return `${executed_at.text} ${price.text} ${contract?.text ?? ''}`;
}

/** @param money row with the fill's P&L; undefined if fee points paid its fee and it has no P&L */
function fillOf(cells: Cells, money: Cells | undefined, file: TableFile): FileFill {
  const { id, executed_at, type, symbol, change, price } = cells;
  refuseEmpty(id, executed_at, symbol, change, price);
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
    executedAt: file.instantIn(executed_at),
    side: quantity > 0 ? 'buy' : 'sell',
    quantity: Math.abs(quantity),
    price: numberIn(price),
    ...feePaidIn(paid, fee, { currency }),
    effect: wordIn(type, TYPES) === 'close' ? 'close' : null,
    mayShort: true,
    stated: typeof made === 'number' && paid === currency ? { gross: made } : null,
  });
}
