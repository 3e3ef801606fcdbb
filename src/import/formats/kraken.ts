/**
 * Kraken: trades, one fill per row with fees in the quote currency; ledgers; the log of a
 * derivatives account. Times are UTC.
 */
import { RowError } from '../../errors.ts';
import { assetName, pairName } from '../../journal/kraken-pairs.ts';
import { asDecimal, roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  numberIn,
  orNothing,
  refuseEmpty,
  sumIn,
  wordIn,
} from '../../parse/cells.ts';
import { readFilledCsv } from '../../parse/csv-rows.ts';
import { byPrecedence, coins, quoteOf } from '../../parse/instruments.ts';
import { usualZone } from '../../parse/times.ts';
import { DATED, type FileFill, oldestFirst, type StatedCash } from '../fills/reading.ts';
import {
  type Cells as CellsOf,
  type FlowParts,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { feePaidIn, fillsTable } from '../tables/fills.ts';
import type { ReadContext } from '../tables/format.ts';
import { rowsTable } from '../tables/rows.ts';
import { KNOWN } from './known.ts';

// Kraken's ledgers: the assets paid and received in each trade, in rows with a shared
// reference, among deposits, rewards and transfers. Times are UTC, without fractions of
// seconds.

const LEDGER = {
  txid: mayBeEmpty('txid'),
  refid: 'refid',
  executed_at: 'time',
  type: 'type',
  asset: 'asset',
  amount: 'amount',
  fee: mayBeEmpty('fee'),
  fee_currency: optional('feecurrency'),
  balance: optional('balance'),
} as const;

type LedgerCells = CellsOf<typeof LEDGER>;

const LEDGER_TYPES = byMeaning({
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
  ...KNOWN['kraken-ledgers'],
  table: readFilledCsv,
  columns: LEDGER,
  dates: 'reformatted',
  zone: (_, context) => ({
    zone: zoneOf(context).zone,
    note: 'sides of a trade are matched by their reference; times have no fractions of seconds',
  }),
  skip({ type, asset }) {
    const meaning = wordIn(type, LEDGER_TYPES);
    if (meaning !== 'trade') return meaning;
    // Fee points aren't money.
    return asset.text === 'KFEE' ? 'fee points' : undefined;
  },
  flows: {
    meanings: [
      [/^deposit$/, 'deposit'],
      [/^withdrawal$/, 'withdrawal'],
      [/^transfer$/, 'transfer'],
      [/^reward$/, 'interest'],
      [/^adjustment$/, 'other'],
    ],
    // A pending row has no id; it comes a second time.
    read: (cells) => (isMoney(cells) && cells.txid.text !== '' ? ledgerFlows(cells) : []),
  },
  end(rows, file) {
    const trades = Map.groupBy(rows, ({ refid }) => refid.text);
    const isLone = (entries: readonly LedgerCells[]) =>
      new Set(entries.map(({ asset }) => asset.text)).size === 1;
    const lone = [...trades].filter(([, entries]) => isLone(entries));
    file.skip(
      'row without its other side',
      lone.flatMap(([, entries]) => entries).length,
    );

    const fills = [...trades.values()]
      .filter((entries) => !isLone(entries))
      .map((entries) => ledgerFill(entries, file));
    const ids = lone
      .slice(0, 5)
      .map(([refid, [row]]) => `${refid} (${row?.type.text} of ${row?.asset.text})`);
    const notes = [
      ...(lone.length > 0
        ? [
            `${lone.length} references with only one side in this file are skipped: ${ids.join(', ')}; if they are trades, export all assets and whole days`,
          ]
        : []),
      ...(file.skipped.has('margin trade')
        ? ['margin trades are incomplete in this export; import Trades instead']
        : []),
      ...movedCoins(file),
    ];

    return { fills: oldestFirst(fills), notes, cash: endingCash(file) };
  },
});

/** Currencies and stablecoins: what trades are quoted in, by precedence. */
const MONEY = [
  'USD',
  'EUR',
  'GBP',
  'CAD',
  'AUD',
  'JPY',
  'CHF',
  'USDT',
  'USDC',
  'DAI',
  'USDG',
  'EURT',
];

type LedgerFile = TableFile<typeof LEDGER>;

function isMoney({ asset }: LedgerCells): boolean {
  return MONEY.includes(plainName(asset.text));
}

/** The amount, and its fee apart. */
function ledgerFlows({ txid, asset, type, amount, fee }: LedgerCells): FlowParts[] {
  const currency = plainName(asset.text);
  const cost = 0 - sumIn([fee]);
  const description = `Kraken ${type.text}`;

  return [
    { id: txid.text, amount: numberIn(amount), currency, description },
    {
      id: `${txid.text}-fee`,
      kind: 'fee',
      amount: cost,
      currency,
      description: `${description} fee`,
    },
  ];
}

/** Coins that came or went without a trade: their cost is unknown. */
function movedCoins(file: LedgerFile): string[] {
  const moved = file.rows().filter((cells) => {
    const meaning = wordIn(cells.type, LEDGER_TYPES);
    return ['deposit', 'withdrawal', 'reward'].includes(meaning) && !isMoney(cells);
  });
  if (moved.length === 0) return [];

  const coins = [...new Set(moved.map(({ asset }) => plainName(asset.text)))];
  const more = coins.length > 5 ? ` and ${coins.length - 5} more` : '';
  return [
    `${moved.length} rows move coins without a trade (${coins.slice(0, 5).join(', ')}${more}); ` +
      'they are no cash flows; record what they cost with journal-api fill',
  ];
}

/** The latest balance of each currency. */
function endingCash(file: LedgerFile): StatedCash[] {
  const latest = new Map<string, StatedCash>();
  for (const { asset, balance, executed_at: time } of file.rows()) {
    const amount = balance && orNothing(balance, numberIn);
    const currency = plainName(asset.text);
    // EUR.HOLD and the like are other wallets.
    const isOther = asset.text.includes('.') || !MONEY.includes(currency);
    if (amount === null || amount === undefined || isOther) continue;
    if ((latest.get(currency)?.at ?? '') > time.text) continue;
    latest.set(currency, { account: null, currency, amount, at: time.text });
  }

  return [...latest.values()];
}

/** The name of an asset as a currency: USD of ZUSD, ETH of ETH.S, BTC of XBT. */
function plainName(asset: string): string {
  const name = assetName(asset.replace(/\.[A-Z]$/, ''));
  return name === 'XBT' ? 'BTC' : name;
}

const byQuote = byPrecedence([...MONEY, 'BTC', 'ETH']);

function notTwoSided({ refid: { column, text, line } }: LedgerCells): RowError {
  return new RowError(
    column,
    `${text} must have two sides: assets paid and received`,
    line,
  );
}

/** A side may have several rows, one per partial fill. */
function ledgerFill(
  rows: readonly [LedgerCells, ...LedgerCells[]],
  file: TableFile,
): FileFill {
  const [first] = rows;
  const [paidSide, gotSide, ...more] = [
    ...Map.groupBy(rows, ({ asset }) => asset.text),
  ].sort(([a], [b]) => byQuote(plainName(a), plainName(b)));
  if (!paidSide || !gotSide || more.length > 0) throw notTwoSided(first);

  const [quote, paid] = paidSide;
  const [base, got] = gotSide;
  const quoted = sumOf(paid, ({ amount }) => amount);
  const traded = sumOf(got, ({ amount }) => amount);
  if (quoted * traded >= 0) throw notTwoSided(first);

  refuseTwice(rows);
  const feesIn = (asset: string) =>
    sumOf(
      rows.filter((row) => feeAsset(row) === plainName(asset)),
      ({ fee }) => fee,
    );

  const elsewhere = rows.find(
    (row) =>
      orNothing(row.fee, numberIn) &&
      ![base, quote].map(plainName).includes(feeAsset(row)),
  );
  if (elsewhere?.fee_currency) {
    throw new RowError(
      elsewhere.fee_currency.column,
      `must be ${plainName(base)} or ${plainName(quote)}, the traded assets`,
      elsewhere.fee.line,
    );
  }

  return file.fill(paid[0], {
    line: first.refid.line,
    executionId: first.refid.text,
    instrument: coins(pairName(`${base}/${quote}`), plainName(quote)),
    side: traded > 0 ? 'buy' : 'sell',
    quantity: Math.abs(traded),
    price: Math.abs(quoted / traded),
    fees: feesIn(quote),
    feeQuantity: feesIn(base),
  });
}

function feeAsset({ fee_currency, asset }: LedgerCells): string {
  return plainName(fee_currency?.text || asset.text);
}

function refuseTwice(rows: readonly LedgerCells[]) {
  const seen = new Set<string>();
  for (const { txid } of rows) {
    if (txid.text === '') continue;
    if (seen.has(txid.text))
      throw new RowError(
        txid.column,
        `${txid.text} appears twice in this file; keep one`,
        txid.line,
      );

    seen.add(txid.text);
  }
}

function sumOf(rows: readonly LedgerCells[], cellOf: (row: LedgerCells) => Cell): number {
  return asDecimal(sumIn(rows.map(cellOf)));
}

export const kraken = fillsTable({
  ...KNOWN.kraken,
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
  dates: 'reformatted',
  zone: (_, context) => zoneOf(context),
  instrument: ({ symbol }) => coins(pairName(symbol.text), quoteIn(symbol)),
  // A sell on margin may open a short.
  row: ({ margin }) => ({ mayShort: sumIn([margin]) > 0 }),
});

/** The zone of Kraken's times, unless the user states another. */
function zoneOf(context: ReadContext): ReturnType<typeof usualZone> {
  return usualZone(context, 'UTC', "Kraken's own");
}

/** The currency of a price. No pair is in TUSD or BUSD. */
function quoteIn(pair: Cell): string {
  const [, present] = pairName(pair.text).split('/');
  const [, currency, coin] =
    /^X[A-Z]{3}(?:Z([A-Z]{3})|X([A-Z]{3}))$/.exec(pair.text) ?? [];
  const quote =
    present ??
    currency ??
    coin ??
    quoteOf(pair, (name) => name !== 'TUSD' && name !== 'BUSD');
  return plainName(quote);
}

// The log of a derivatives account: for each fill a row with the change of the position,
// and one with its P&L and fee. No id connects them, but both are in the same order.
// Times are UTC.

const LOG = {
  execution_id: mayBeEmpty('uid'),
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

type LogCells = CellsOf<typeof LOG>;

const LOG_TYPES = byMeaning({
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
  ...KNOWN['kraken-futures'],
  table: readFilledCsv,
  columns: LOG,
  dates: 'reformatted',
  zone: () => ({ zone: 'UTC', note: 'times are in UTC' }),
  skip(cells) {
    const { type, symbol } = cells;
    const meaning = wordIn(type, LOG_TYPES);
    if (meaning === 'funding') return isCharged(cells) ? undefined : meaning;
    if (meaning !== 'trade' && meaning !== 'close') return meaning;
    return CONTRACT.test(symbol.text) && !LINEAR.test(symbol.text) ? IN_COINS : undefined;
  },
  end(all, file) {
    const rows = all.filter((cells) => !isFunding(cells));
    const { positions = [], others = [] } = Object.groupBy(rows, ({ symbol }) =>
      CONTRACT.test(symbol.text) ? 'positions' : 'others',
    );
    const money = Map.groupBy(others, momentOf);
    const fills = positions.map((position) =>
      logFill(position, money.get(momentOf(position))?.shift(), file),
    );
    for (const cells of all) if (isFunding(cells)) fills.push(fundingFill(cells, file));
    // The rest belongs to contracts settled in coins.
    file.skip(IN_COINS, [...money.values()].flat().length);

    const excluded = file.rows().filter((cells) => isFunding(cells) && !isCharged(cells));
    const funding = roundMoney(sumIn(excluded.map((cells) => cells.funding)));
    const notes = [
      ...(funding === 0
        ? []
        : [
            `funding (total ${funding}) is excluded from figures: its contract is unknown`,
          ]),
      ...(file.skipped.has(IN_COINS)
        ? ['contracts settled in coins are skipped: their trades are not in the journal']
        : []),
    ];

    return { fills: oldestFirst(fills), notes };
  },
});

/**
 * Contracts settled in money, such as pf_xbtusd and ff_ethusd_261225; pi_ and fi_ are
 * settled in coins, pv_ and fv_ in others.
 */
const CONTRACT = /^[pf][a-z]_[a-z0-9]+(_\d{6})?$/i;
const LINEAR = /^[pf]f_\w+?(usd|eur|usdt|usdc)(_\d{6})?$/i;

const isFunding = ({ type }: LogCells) => wordIn(type, LOG_TYPES) === 'funding';

/** Whether a row states funding, and its contract, which is settled in money. */
const isCharged = ({ contract, funding }: LogCells) =>
  LINEAR.test(contract?.text ?? '') && sumIn([funding]) !== 0;

function fundingFill(
  { contract, funding, ...cells }: LogCells,
  file: TableFile,
): FileFill {
  const instrument = linear(contract?.text ?? '');
  const paid = feePaidIn(
    cells.symbol.text.toUpperCase(),
    0 - sumIn([funding]),
    instrument,
  );
  return file.fill(cells, { instrument, ...DATED, fees: 0, ...paid });
}

const linear = (contract: string) =>
  coins(contract.toUpperCase(), LINEAR.exec(contract)?.[1]?.toUpperCase() ?? '');

/** Key of both rows of a fill; rows with equal keys are in the same order. */
function momentOf({ executed_at, price, contract }: LogCells): string {
  return `${executed_at.text} ${price.text} ${contract?.text ?? ''}`;
}

/**
 * @param money row with the fill's P&L; undefined if fee points paid its fee and it has
 * no P&L
 */
function logFill(
  cells: LogCells,
  money: LogCells | undefined,
  file: TableFile,
): FileFill {
  const { execution_id, executed_at, type, symbol, change, price } = cells;
  refuseEmpty(execution_id, executed_at, symbol, change, price);
  const quantity = numberIn(change);
  if (quantity === 0) throw new RowError(change.column, 'must not be 0', change.line);

  const instrument = linear(symbol.text);
  const { currency } = instrument;
  const paid = money?.symbol.text.toUpperCase() ?? currency;
  const fee = sumIn([money?.fee]);
  const gross = orNothing(money?.pnl, numberIn);

  return file.fill(cells, {
    instrument,
    side: quantity > 0 ? 'buy' : 'sell',
    quantity: Math.abs(quantity),
    price: numberIn(price),
    ...feePaidIn(paid, fee, { currency }),
    effect: wordIn(type, LOG_TYPES) === 'close' ? 'close' : null,
    mayShort: true,
    stated: gross !== null && paid === currency ? { gross } : null,
  });
}
