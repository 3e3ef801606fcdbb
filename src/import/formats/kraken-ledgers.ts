/**
 * Kraken's ledgers: what each trade took from one asset and brought to another, in rows that share a reference, among
 * deposits, rewards and transfers. Times are UTC, without fractions of seconds.
 */
import { RowError } from '../../journal-write/row-error.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins } from '../parse/instruments.ts';
import { rewrittenOrder } from '../parse/local-style.ts';
import { numberIn } from '../parse/numbers.ts';
import { type DateOrder, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { type FileFill, type Format, fill, oldestFirst, reading, skip } from './format.ts';

const COLUMNS = { refid: 'refid', time: 'time', type: 'type', asset: 'asset', amount: 'amount', fee: 'fee' };

type Cells = Record<keyof typeof COLUMNS, Cell>;

const TYPES = {
  trade: 'trade',
  spend: 'trade',
  receive: 'trade',
  conversion: 'trade',
  sale: 'trade',
  margin: 'margin trade',
  rollover: 'margin trade',
  settled: 'margin trade',
  deposit: 'deposit',
  withdrawal: 'withdrawal',
  transfer: 'transfer',
  custodytransfer: 'transfer',
  staking: 'reward',
  reward: 'reward',
  earn: 'reward',
  dividend: 'reward',
  airdrop: 'reward',
  fork: 'reward',
  'invite bonus': 'reward',
  credit: 'adjustment',
  adjustment: 'adjustment',
  reserve: 'adjustment',
  dustsweeping: 'adjustment',
  'dust sweep': 'adjustment',
  nfttrade: 'NFT',
  'nft trade': 'NFT',
  nftcreatorfee: 'NFT',
  creatorfee: 'NFT',
  nftrebate: 'NFT',
  interest: 'reward',
} as const;

export const krakenLedgers: Format = {
  name: 'kraken-ledgers',
  description: 'Kraken: Documents > Export > Ledgers (ledgers.csv); Trades has more of the same trades',
  platform: 'kraken',
  holds: 'trades',
  hasUniqueIds: true,
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return ['txid', 'refid', 'asset', 'amount', 'balance'].every((name) => header.includes(name));
  },
  read(text, { timeZone }) {
    const { header, rows } = readFilledCsv(text);
    const cellsOf = columnsOf(header, COLUMNS);
    const skipped = new Map<string, number>();
    const trades = new Map<string, Cells[]>();
    const all = rows.map(cellsOf);
    const { order, notes: rewritten } = rewrittenOrder(all.map(({ time }) => time));
    for (const cells of all) {
      const meaning = wordIn(cells.type, TYPES);
      if (meaning !== 'trade') skip(skipped, meaning);
      // Points that pay fees are no money.
      else if (cells.asset.text === 'KFEE') skip(skipped, 'fee points');
      else {
        refuseEmpty(cells.refid, cells.time, cells.asset, cells.amount);
        trades.set(cells.refid.text, [...(trades.get(cells.refid.text) ?? []), cells]);
      }
    }
    const lone = [...trades].filter(([, own]) => own.length === 1).map(([refid]) => refid);
    for (const refid of lone) {
      trades.delete(refid);
      skip(skipped, 'one side of a trade');
    }
    const fills = [...trades.values()].map((own) => fillOf(own, order, timeZone ?? 'UTC'));
    const notes = [
      'the sides of a trade are put together by their reference; times have no fractions of seconds',
      ...rewritten,
    ];
    if (lone.length > 0) {
      notes.push(
        `the other side of ${lone.length === 1 ? 'a trade' : `${lone.length} trades`} (${lone.slice(0, 5).join(', ')}) is not in this file, which makes no fill: export all assets, and whole days`,
      );
    }
    if (skipped.has('margin trade')) notes.push('trades on margin are not in this export whole: take Trades');
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes });
  },
};

/** What an asset is priced in, the first before all others; names have X before coins and Z before currencies in older files. */
const QUOTES = 'USD EUR GBP CAD AUD JPY CHF USDT USDC DAI USDG EURT BTC ETH'.split(' ');

function plainName(asset: string): string {
  const name = /^[XZ]([A-Z]{3})$/.exec(asset)?.[1] ?? asset.replace(/\.[A-Z]$/, '');
  return name === 'XBT' ? 'BTC' : name;
}

function rank({ asset }: Cells): number {
  const at = QUOTES.indexOf(plainName(asset.text));
  return at === -1 ? QUOTES.length : at;
}

function fillOf(rows: readonly Cells[], order: DateOrder, zone: string): FileFill {
  const [first, second, ...more] = [...rows].sort((a, b) => rank(a) - rank(b)) as [Cells, Cells, ...Cells[]];
  const quoted = numberIn(first.amount);
  const traded = numberIn(second.amount);
  if (more.length > 0 || quoted * traded >= 0) {
    const { column, text, line } = first.refid;
    throw new RowError(column, `${text} must have two rows: of what was paid, and of what was got`, line);
  }
  const fee = (cell: Cell) => orNothing(cell, numberIn) ?? 0;
  const [base, quote] = [second.asset.text, first.asset.text];
  const isOlder = /^X[A-Z]{3}$/.test(base) && /^[XZ][A-Z]{3}$/.test(quote);
  return fill({
    line: Math.min(first.refid.line, second.refid.line),
    executionId: first.refid.text,
    instrument: coins(isOlder ? `${base}${quote}` : `${base}/${quote}`, plainName(quote)),
    executedAt: instantIn(first.time, order, zone),
    side: traded > 0 ? 'buy' : 'sell',
    quantity: Math.abs(traded),
    price: Math.abs(quoted / traded),
    fees: fee(first.fee),
    feeQuantity: fee(second.fee),
  });
}
