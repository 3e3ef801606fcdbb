/** Kraken's trades: one fill per row, in UTC, with fees in the quote currency. */

import { RowError } from '../../errors.ts';
import { asDecimal } from '../../money.ts';
import { type FileFill, fill, oldestFirst } from '../fills/reading.ts';
import { byMeaning, type Cell, orNothing, wordIn } from '../parse/columns.ts';
import { readFilledCsv } from '../parse/csv-rows.ts';
import { coins, quoteOf } from '../parse/instruments.ts';
import { numberIn } from '../parse/numbers.ts';
import { rewrittenOrder } from '../parse/times.ts';
import { type Cells as CellsOf, mayBeEmpty, optional, type TableFile } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';
import { rowsTable } from '../table/rows.ts';

// Kraken's ledgers: the assets paid and received in each trade, in rows with a shared reference, among deposits, rewards and
// transfers. Times are UTC, without fractions of seconds.

const COLUMNS = {
  txid: mayBeEmpty('txid'),
  refid: 'refid',
  executed_at: 'time',
  type: 'type',
  asset: 'asset',
  amount: 'amount',
  fee: mayBeEmpty('fee'),
  fee_currency: optional('feecurrency'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

const TYPES = byMeaning({
  trade: 'trade, spend, receive, conversion, sale',
  'margin trade': 'margin, rollover, settled',
  deposit: 'deposit',
  withdrawal: 'withdrawal',
  transfer: 'transfer, custodytransfer, hybridearndeposit, hybridearnwithdrawal',
  reward: 'staking, reward, earn, dividend, airdrop, fork, invite bonus, interest',
  adjustment: 'credit, adjustment, reserve, dustsweeping, dust sweep',
  NFT: 'nfttrade, nft trade, nftcreatorfee, creatorfee, nftrebate',
});

export const krakenLedgers = rowsTable({
  name: 'kraken-ledgers',
  description: 'Kraken: Documents > Export > Ledgers (ledgers.csv); Trades is better',
  evidence: 'samples',
  platform: 'kraken',
  hasUniqueIds: true,
  marks: ['txid', 'refid', 'asset', 'amount', 'balance'],
  table: readFilledCsv,
  columns: COLUMNS,
  dates: rewrittenOrder,
  zone: (_, { timeZone = 'UTC' }) => ({
    zone: timeZone,
    note: 'sides of a trade are matched by their reference; times have no fractions of seconds',
  }),
  skip({ type, asset }) {
    const meaning = wordIn(type, TYPES);
    if (meaning !== 'trade') return meaning;
    // Fee points aren't money.
    return asset.text === 'KFEE' ? 'fee points' : undefined;
  },
  end(rows, file) {
    const trades = Map.groupBy(rows, ({ refid }) => refid.text);
    const isLone = (own: readonly Cells[]) => new Set(own.map(({ asset }) => asset.text)).size === 1;
    const lone = [...trades].filter(([, own]) => isLone(own));
    file.skip('row without its other side', lone.flatMap(([, own]) => own).length);
    const fills = [...trades.values()].filter((own) => !isLone(own)).map((own) => fillOf(own, file));
    const ids = lone.slice(0, 5).map(([refid, [row]]) => `${refid} (${row?.type.text} of ${row?.asset.text})`);
    const notes = [
      ...(lone.length > 0
        ? [
            `${lone.length} references with only one side in this file are skipped: ${ids.join(', ')}; if they are trades, export all assets and whole days`,
          ]
        : []),
      ...(file.skipped.has('margin trade')
        ? ['margin trades are incomplete in this export; import Trades instead']
        : []),
    ];
    return { fills: oldestFirst(fills), notes };
  },
});

/** Quote currencies by precedence. Older files prefix coins with X and currencies with Z. */
const QUOTES = 'USD EUR GBP CAD AUD JPY CHF USDT USDC DAI USDG EURT BTC ETH'.split(' ');

function plainName(asset: string): string {
  const name = /^[XZ]([A-Z]{3})$/.exec(asset)?.[1] ?? asset.replace(/\.[A-Z]$/, '');
  return name === 'XBT' ? 'BTC' : name;
}

function rank(asset: string): number {
  const at = QUOTES.indexOf(plainName(asset));
  return at === -1 ? QUOTES.length : at;
}

/** A side may have several rows, one per partial fill. */
function fillOf(rows: readonly Cells[], file: TableFile): FileFill {
  const [first] = rows as [Cells, ...Cells[]];
  const sides = [...Map.groupBy(rows, ({ asset }) => asset.text)].sort(([a], [b]) => rank(a) - rank(b));
  const [[quote, paid], [base, got], ...more] = sides as [[string, Cells[]], [string, Cells[]]];
  const quoted = sumOf(paid, ({ amount }) => amount);
  const traded = sumOf(got, ({ amount }) => amount);
  if (more.length > 0 || quoted * traded >= 0) {
    const { column, text, line } = first.refid;
    throw new RowError(column, `${text} must have two sides: assets paid and received`, line);
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
  if (elsewhere?.fee_currency) {
    throw new RowError(
      elsewhere.fee_currency.column,
      `must be ${plainName(base)} or ${plainName(quote)}, the traded assets`,
      elsewhere.fee.line,
    );
  }
  const isOlder = /^X[A-Z]{3}$/.test(base) && /^[XZ][A-Z]{3}$/.test(quote);
  return fill({
    line: first.refid.line,
    executionId: first.refid.text,
    instrument: coins(isOlder ? `${base}${quote}` : `${base}/${quote}`, plainName(quote)),
    executedAt: file.instantIn((paid[0] as Cells).executed_at),
    side: traded > 0 ? 'buy' : 'sell',
    quantity: Math.abs(traded),
    price: Math.abs(quoted / traded),
    fees: feesIn(quote),
    feeQuantity: feesIn(base),
  });
}

function feeAsset({ fee_currency, asset }: Cells): string {
  return plainName(fee_currency?.text || asset.text);
}

function refuseTwice(rows: readonly Cells[]) {
  const seen = new Set<string>();
  for (const { txid } of rows) {
    if (txid.text === '') continue;
    if (seen.has(txid.text))
      throw new RowError(txid.column, `${txid.text} appears twice in this file; keep one`, txid.line);
    seen.add(txid.text);
  }
}

function sumOf(rows: readonly Cells[], cellOf: (row: Cells) => Cell): number {
  return asDecimal(rows.reduce((sum, row) => sum + (orNothing(cellOf(row), numberIn) ?? 0), 0));
}

export const kraken = fillsTable({
  name: 'kraken',
  description: 'Kraken: Documents > Export > Trades (trades.csv)',
  evidence: 'real files',
  hasUniqueIds: true,
  marks: ['txid', 'ordertxid', 'pair', 'vol'],
  table: readFilledCsv,
  columns: {
    execution_id: 'txid',
    order_id: optional('ordertxid'),
    symbol: 'pair',
    executed_at: 'time',
    side: 'type',
    quantity: 'vol',
    price: 'price',
    fees: { column: 'fee', optional: 'cells' },
    margin: { column: 'margin', optional: true },
  },
  dates: rewrittenOrder,
  zone: (_, { timeZone }) =>
    timeZone === undefined
      ? { zone: 'UTC', note: "this format has no time zone; using UTC, Kraken's own" }
      : { zone: timeZone },
  instrument: ({ symbol }) => coins(symbol.text, quoteIn(symbol)),
  // A sell on margin may open a short.
  row: ({ margin }) => ({ mayShort: margin !== undefined && (orNothing(margin, numberIn) ?? 0) > 0 }),
});

/** XLTCZEUR: older names prefix coins with X and currencies with Z. No pair is in TUSD or BUSD. */
function quoteIn(pair: Cell): string {
  const [, currency, coin] = /^X[A-Z]{3}(?:Z([A-Z]{3})|X([A-Z]{3}))$/.exec(pair.text) ?? [];
  const quote = currency ?? coin ?? quoteOf(pair, (own) => own !== 'TUSD' && own !== 'BUSD');
  return quote === 'XBT' ? 'BTC' : quote;
}
