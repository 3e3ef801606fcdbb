/**
 * Kraken's ledgers: what each trade took from one asset and brought to another, in rows that share a reference, among
 * deposits, rewards and transfers. Times are UTC, without fractions of seconds.
 */
import { asDecimal } from '../../journal-write/quantities.ts';
import { RowError } from '../../journal-write/row-error.ts';
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
  txid: 'txid',
  refid: 'refid',
  time: 'time',
  type: 'type',
  asset: 'asset',
  amount: 'amount',
  fee: 'fee',
};

const TOO = { feeCurrency: 'feecurrency' };

type Cells = Record<keyof typeof COLUMNS, Cell> & Partial<Record<keyof typeof TOO, Cell>>;

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
  description: 'Kraken: Documents > Export > Ledgers (ledgers.csv); Trades says more about the same trades',
  evidence: 'samples',
  platform: 'kraken',
  holds: 'trades',
  hasUniqueIds: true,
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return ['txid', 'refid', 'asset', 'amount', 'balance'].every((name) => header.includes(name));
  },
  read(text, { timeZone }) {
    const { header, rows } = readFilledCsv(text);
    const cellsOf = columnsOf(header, COLUMNS, TOO);
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
    const lone = [...trades].filter(([, own]) => new Set(own.map(({ asset }) => asset.text)).size === 1);
    for (const [refid, own] of lone) {
      trades.delete(refid);
      for (const _ of own) skip(skipped, 'one side of a trade');
    }
    const fills = [...trades.values()].map((own) => fillOf(own, order, timeZone ?? 'UTC'));
    const notes = [
      'the sides of a trade are put together by their reference; times have no fractions of seconds',
      ...rewritten,
    ];
    if (lone.length > 0) {
      notes.push(
        `the other side of ${lone.length === 1 ? 'a trade' : `${lone.length} trades`} (${lone
          .map(([refid]) => refid)
          .slice(0, 5)
          .join(', ')}) is not in this file, which makes no fill: export all assets, and whole days`,
      );
    }
    if (skipped.has('margin trade')) notes.push('margin trades are incomplete in this export: import Trades instead');
    return reading({ rows: rows.length, fills: oldestFirst(fills), skipped, notes });
  },
};

/** What an asset is priced in, the first before all others; names have X before coins and Z before currencies in older files. */
const QUOTES = 'USD EUR GBP CAD AUD JPY CHF USDT USDC DAI USDG EURT BTC ETH'.split(' ');

function plainName(asset: string): string {
  const name = /^[XZ]([A-Z]{3})$/.exec(asset)?.[1] ?? asset.replace(/\.[A-Z]$/, '');
  return name === 'XBT' ? 'BTC' : name;
}

function rank(asset: string): number {
  const at = QUOTES.indexOf(plainName(asset));
  return at === -1 ? QUOTES.length : at;
}

/** A side may be in several rows, one for each part that was filled. */
function fillOf(rows: readonly Cells[], order: DateOrder, zone: string): FileFill {
  const [first] = rows as [Cells, ...Cells[]];
  const sides = [...Map.groupBy(rows, ({ asset }) => asset.text)].sort(([a], [b]) => rank(a) - rank(b));
  const [[quote, paid], [base, got], ...more] = sides as [[string, Cells[]], [string, Cells[]]];
  const quoted = sumOf(paid, ({ amount }) => amount);
  const traded = sumOf(got, ({ amount }) => amount);
  if (more.length > 0 || quoted * traded >= 0) {
    const { column, text, line } = first.refid;
    throw new RowError(column, `${text} must have two sides: what was paid, and what was got`, line);
  }
  refuseTwice(rows);
  const feesIn = (asset: string) =>
    sumOf(
      rows.filter((row) => feeAsset(row) === plainName(asset)),
      ({ fee }) => fee,
    );
  const elsewhere = rows.find(
    (row) => orNothing(row.fee, numberIn) && ![base, quote].map(plainName).includes(feeAsset(row)),
  );
  if (elsewhere?.feeCurrency) {
    throw new RowError(
      elsewhere.feeCurrency.column,
      `must be ${plainName(base)} or ${plainName(quote)}, as traded`,
      elsewhere.fee.line,
    );
  }
  const isOlder = /^X[A-Z]{3}$/.test(base) && /^[XZ][A-Z]{3}$/.test(quote);
  return fill({
    line: first.refid.line,
    executionId: first.refid.text,
    instrument: coins(isOlder ? `${base}${quote}` : `${base}/${quote}`, plainName(quote)),
    executedAt: instantIn((paid[0] as Cells).time, order, zone),
    side: traded > 0 ? 'buy' : 'sell',
    quantity: Math.abs(traded),
    price: Math.abs(quoted / traded),
    fees: feesIn(quote),
    feeQuantity: feesIn(base),
  });
}

function feeAsset({ feeCurrency, asset }: Cells): string {
  return plainName(feeCurrency?.text || asset.text);
}

function refuseTwice(rows: readonly Cells[]) {
  const seen = new Set<string>();
  for (const { txid } of rows) {
    if (txid.text === '') continue;
    if (seen.has(txid.text)) throw new RowError(txid.column, `${txid.text} is in this file twice`, txid.line);
    seen.add(txid.text);
  }
}

function sumOf(rows: readonly Cells[], cellOf: (row: Cells) => Cell): number {
  return asDecimal(rows.reduce((sum, row) => sum + (orNothing(cellOf(row), numberIn) ?? 0), 0));
}
