/** For each reader an export with repeatable rows: a made-up file of test/fixtures/exports, else a few rows of its form. */
import { readFileSync } from 'node:fs';
import { allExports } from '../import/exports.ts';

interface Form {
  /** A made-up export, or the name of a file with this text. */
  file: string;
  text?: string;
  /** Lines to repeat; default: all after the first. */
  rows?: RegExp;
  /** Values unique to a row, besides numbers of nine digits and more. */
  ids?: RegExp;
  /** Whether its dates with slashes have the day first. */
  isDayFirst?: boolean;
}

const BALANCE =
  '"Close long position for symbol OANDA:GBPUSD at price 1.35 for 2 units. Position AVG Price was 1.34, currency: USD, rate: 1.000000, point value: 1.000000"';

export const FORMS: Readonly<Record<string, Form>> = {
  tradovate: { file: 'tradovate/Performance.csv' },
  'tradovate-fills': { file: 'tradovate/Fills.csv' },
  'tradovate-orders': { file: 'tradovate/Orders.csv' },
  'tradovate-cash': { file: 'tradovate/Cash History.csv' },
  topstepx: { file: 'topstepx/trades_export.csv' },
  'topstepx-orders': {
    file: 'orders_export.csv',
    text: 'Id,AccountName,ContractName,Status,Type,Size,Side,CreatedAt,TradeDay,FilledAt,ExecutePrice,CreationDisposition\n910050001,X1,MNQH6,Filled,Market,3,Bid,03/02/2026 09:00:00 -05:00,03/02/2026 00:00:00 -06:00,03/02/2026 10:00:00 -05:00,25000.250000000,Trader\n910050002,X1,MNQH6,Filled,Market,3,Ask,03/02/2026 09:00:00 -05:00,03/02/2026 00:00:00 -06:00,03/02/2026 11:00:00 -05:00,25010.250000000,Trader\n',
  },
  'rithmic-orders': {
    file: 'orders.csv',
    text: '"Completed Orders"\n"Account","Status","Remarks","Buy/Sell","Qty To Fill","Symbol","Price Type","Avg Fill Price","Order Number","Update Time (EDT)","Qty Filled","Commission Fill Rate"\n"A1","Filled","","S","2","MNQH6","M","25010.1250","910050003","2026-02-02 09:52:19","2","0.51"\n"A1","Filled","","B","2","MNQH6","L","25000.0000","910050001","2026-02-02 09:40:00","2","0.51"\n',
    rows: /^"A1"/,
  },
  quantower: { file: 'quantower/trades.csv', ids: /\b[TOP]\d+\b/g },
  rithmic: { file: 'rithmic/Performance.csv', rows: /^100[1-6]/, ids: /\b100\d\b/g },
  tradingview: {
    file: 'tradingview/Crossing_Averages_NSE_ANANDRATHI_2026-02-20.csv',
    ids: /^\d+(?=,)/g,
  },
  'tradingview-orders': {
    file: 'history.csv',
    text: 'Symbol,Side,Type,Qty,Fill Price,Commission,Placing Time,Closing Time,Order ID,Leverage\nCME_MINI:NQ1!,Sell,Limit,1,25419,,2026-02-02 23:38:50,2026-02-03 05:31:17,910050004,\nCME_MINI:NQ1!,Buy,Market,1,25297,,2026-02-02 23:37:36,2026-02-02 23:37:36,910050003,20:1\n',
  },
  'tradingview-balance': {
    file: 'balance.csv',
    text: `Time,Balance Before,Balance After,Realized PnL (value),Realized PnL (currency),Action\n2026-02-03 10:00:00,0,0,0.02,USD,${BALANCE}\n2026-02-02 10:00:00,0,0,-1.7,USD,"Commission for: ${BALANCE.slice(1)}\n`,
  },
  metatrader: {
    file: 'metatrader/Statement.htm',
    rows: /^<tr(?!.*&nbsp;).*<td>(buy|sell)<\/td>/,
    ids: /(?<=">)\d{8}(?=<)/g,
  },
  'ftmo-metrix': { file: 'ftmo-metrix/export.csv', ids: /^9100\d{4}/g },
  ctrader: {
    file: 'ctrader-history/ctrader-history.csv',
    ids: /\bPID\d\b/g,
    isDayFirst: true,
  },
  exness: { file: 'exness-personal-area/exness.csv' },
  ig: { file: 'ig-transaction-history/transactions.csv', ids: /\bXA\dAA\dAA\b/g },
  'sierra-chart': { file: 'sierra-trades-list/TradesList.txt', rows: /^MNQ/ },
  upstox: {
    file: 'trades.csv',
    text: 'UPSTOX\nUCC,7\n\nDate,Company,Amount,Exchange,Segment,Scrip Code,Instrument Type,Strike Price,Expiry,Trade Num,Trade Time,Side,Quantity,Price\n2026-05-12,NIFTY,6787.5,FON,FO,NIFTY,European Call,24500,14-05-2026,910050001,14:40:12,Sell,75,90.5\n2026-05-12,NIFTY,6018.75,FON,FO,NIFTY,European Call,24500,14-05-2026,910050002,09:20:05,Buy,75,80.25\n',
    rows: /^2026/,
  },
  fyers: { file: 'fyers-tradebook/fyers-tradebook.csv', rows: /^ACME.*(Overnight|CNC)/ },
  'fyers-api': { file: 'fyers-api-tradebook/tradebook.csv', ids: /\b26\d{12}(?=:)/g },
  groww: {
    file: 'groww.csv',
    text: `P&L Statement for stocks${'\n'.repeat(28)}Stock name,ISIN,Quantity,Buy date,Buy price,Buy value,Sell date,Sell price,Sell value,Realised P&L,Remark\nACME STEEL LTD,INE000A00001,100,05-05-2026,300.5,30050,11-05-2026,312.5,31250,1200,\n`,
    rows: /^ACME/,
  },
  'groww-orders': {
    file: 'groww-orders.csv',
    text: 'Stock name,Symbol,ISIN,Type,Quantity,Value,Exchange,Exchange Order Id,Execution date and time,Order status\nACME LTD,ACME,INE000A01010,BUY,6,60000,NSE,1100000000001,12-05-2026 10:15 AM,Executed\nACME LTD,ACME,INE000A01010,SELL,6,61000,NSE,1100000000002,12-05-2026 03:15 PM,Executed\n',
    ids: /\b11\d{11}\b/g,
  },
  'angel-one': {
    file: 'angelone-trades-history/angel.csv',
    rows: /^ACME/,
    ids: /\b[15]0[0-9]+(?=,)/g,
  },
  okx: {
    file: 'okx-trading-history/okx-trading-history.csv',
    rows: /,Spot,/,
    ids: /\b\d{18}\b/g,
  },
  kucoin: { file: 'kucoin-orders/Spot Orders_Filled Orders.csv', ids: /\b66aa\d\d\b/g },
  mexc: { file: 'mexc-spot-trades/mexc-spot-trades.csv' },
  bitvavo: { file: 'bitvavo/bitvavo.csv', ids: /[0-9a-f]{8}(?=-[0-9a-f]{4}-)/g },
  oanda: { file: 'oanda-transactions/transactions.csv', rows: /USD_JPY/, ids: /^70\d/g },
  revolut: { file: 'revolut-invest/trading-account-statement.csv' },
  'revolut-older': { file: 'revolut-invest/older-statement.csv', rows: /,(BUY|SELL),/ },
  xtb: {
    file: 'closed.csv',
    text: ',Position,Symbol,Type,Volume,Open time,Open price,Close time,Close price,Open origin,Close origin,Purchase value,Sale value,SL,TP,Margin,Commission,Swap,Rollover,Gross P/L,Comment\n,830000101,ACME.US,BUY,3,2026-05-06 20:37:10.522,77,2026-05-07 20:37:10.522,122.5,xStation 5,xStation 5,231,367.5,,,,0,0,0,136.5,\n',
    rows: /ACME/,
  },
  'xtb-cash': { file: 'xtb-cash-csv/xtb.csv' },
  etrade: { file: 'etrade-transactions/DownloadTxnHistory.csv', rows: /^04.*ACME/ },
  questrade: {
    file: 'Activities.csv',
    text: 'Transaction Date,Settlement Date,Action,Symbol,Description,Quantity,Price,Gross Amount,Commission,Net Amount,Currency,Account #,Activity Type,Account Type\n2026-04-14 12:00:00 AM,2026-04-14 12:00:00 AM,Sell,ZSP.TO,BMO,-100.00000,49.29000000,4929.00,-0.35,4928.65,CAD,00000001,Trades,Individual RRSP\n2026-04-13 12:00:00 AM,2026-04-13 12:00:00 AM,Buy,ZSP.TO,BMO,100.00000,48.00000000,-4800.00,-0.35,-4800.35,CAD,00000001,Trades,Individual RRSP\n',
  },
  'questrade-edge': { file: 'questrade-edge-executions/executions.csv' },
  tradervue: { file: 'tradervue-trades/tradervue-trades.csv' },
  'tradervue-executions': { file: 'tradervue-trades/tradervue-generic-executions.csv' },
  ofx: {
    file: 'statement.ofx',
    text: 'OFXHEADER:100\n<OFX><INVSTMTMSGSRSV1><CURDEF>USD<ACCTID>1\n<BUYSTOCK><FITID>910050001<DTTRADE>20260202<UNIQUEID>000000AA1<UNITS>10<UNITPRICE>100<TOTAL>-1000</BUYSTOCK>\n<SELLSTOCK><FITID>910050002<DTTRADE>20260203<UNIQUEID>000000AA1<UNITS>-10<UNITPRICE>101<TOTAL>1010</SELLSTOCK>\n</INVSTMTMSGSRSV1></OFX>\n',
    rows: /STOCK/,
  },
  'ninjatrader-performance': { file: 'ninjatrader/Trade Performance.csv' },
  ninjatrader: {
    file: 'ninjatrader/NinjaTrader Grid 2026-03-04 04-10 PM.csv',
    ids: /\b[0-9a-f]{32}\b/g,
  },
  tastytrade: { file: 'tastytrade/Tasty.csv', rows: /,Trade,.*,SOFI,Equity,/ },
  'tastytrade-older': {
    file: 'tastyworks.csv',
    text: 'Date/Time,Transaction Code,Transaction Subcode,Symbol,Buy/Sell,Open/Close,Quantity,Expiration Date,Strike,Call/Put,Price,Fees,Amount,Description,Account Reference\n02/03/2026 10:30 AM,Trade,Sell,/MESH6,Sell,Close,1,,,,6802.00,1.25,0.00,Sold 1 /MESH6,Individual XXX39\n02/02/2026 10:30 AM,Trade,Buy,/MESH6,Buy,Open,1,,,,6800.00,1.25,0.00,Bought 1 /MESH6,Individual XXX39\n',
  },
  'ibkr-transactions': {
    file: 'history.csv',
    text: 'Statement,Header,Field Name,Field Value\nStatement,Data,Title,Transaction History\nSummary,Data,Base Currency,USD\nTransaction History,Header,Date,Account,Description,Transaction Type,Symbol,Quantity,Price,Price Currency,Gross Amount ,Commission,Net Amount\nTransaction History,Data,2026-02-03,U***1,SOME CO,Sell,ZZZ,-10.0,110.0,USD,1100.0,-1.4,1098.6\nTransaction History,Data,2026-02-02,U***1,SOME CO,Buy,ZZZ,10.0,100.0,USD,-1000.0,-1.4,-1001.4\n',
    rows: /^Transaction History,Data/,
  },
  'ibkr-activity': {
    file: 'ibkr-activity/data_numbers_within_quotes.csv',
    rows: /^Trades,Data,Order,/,
  },
  'ibkr-flex': {
    file: 'ibkr-flex/trades.xml',
    rows: /<Trade .*"STK"/,
    ids: /\b[0-9a-f]{8}\.[0-9a-f]{8}(?=\.)/g,
  },
  thinkorswim: { file: 'thinkorswim/TD_Ameritrade.csv', rows: /^,02\/10\/2026/ },
  'thinkorswim-activity': {
    file: 'today.csv',
    text: "Today's Trade Activity for 1234XX (mine) on 2/2/26 16:00:00\n\nFilled Orders\n,,Exec Time,Spread,Side,Qty,Pos Effect,Symbol,Exp,Strike,Type,Price,Net Price,Price Improvement,Order Type\n,,2/2/26 09:31:20,STOCK,BUY,+100,TO CLOSE,XYZ,,,STOCK,10.25,10.25,.00,LMT\n,,2/2/26 09:30:05,STOCK,SELL,-100,TO OPEN,XYZ,,,STOCK,10.50,10.50,.00,LMT\n\nCanceled Orders\n",
    rows: /^,,\d/,
  },
  robinhood: {
    file: 'robinhood/Hood.csv',
    rows: /ACH Deposit|Interest Payment|"CDIV"|"(BTO|STC)","2"/,
  },
  schwab: { file: 'schwab/transactions.csv', rows: /,(Sell|Buy),QLD/ },
  fidelity: { file: 'fidelity/Accounts_History.csv', rows: /,YOU (BOUGHT|SOLD)/ },
  etoro: {
    file: 'closed.csv',
    text: 'Position ID,Action,Amount,Units,Open Date,Close Date,Leverage,Profit(USD),Overnight Fees and Dividends,Type,ISIN\n3100000001,Buy Apple,500.00,2.5,2026-02-03 15:31:07,2026-03-14 16:02:44,1,71.05,-0.05,Stocks,US0378331005\n',
  },
  'trade-republic': {
    file: 'trade-republic/Transaktionsexport.csv',
    ids: /\b0000\d{4}(?=-aaaa)/g,
  },
  scalable: {
    file: 'scalable.csv',
    text: 'date;time;status;reference;description;assetType;type;isin;shares;price;amount;fee;tax;currency\n2026-05-06;13:10:35;Executed;"SCAL000001";"Acme";Security;Sell;US0000000001;-30;8,00;240,00;0,99;0,00;EUR\n2026-05-04;13:10:35;Executed;"SCAL000002";"Acme";Security;Buy;US0000000001;30;7,34;-220,20;0,99;0,00;EUR\n',
    ids: /SCAL\d{6}/g,
  },
  webull: { file: 'webull/Webull_Orders_Records.csv' },
  degiro: { file: 'degiro/Transactions.csv', ids: /[0-9a-f]{8}(?=-[0-9a-f]{4}-)/g },
  tradezero: { file: 'tradezero/example_tradezero_file.csv' },
  das: { file: 'das/Trades.csv' },
  kraken: { file: 'kraken/trades.csv', ids: /(?<="[TO])\w{5}(?=-)/g },
  'kraken-ledgers': {
    file: 'ledgers.csv',
    text: '"txid","refid","time","type","subtype","aclass","subclass","asset","wallet","amount","fee","balance"\n"L910050001","T910050001","2026-02-01 10:00:00","trade","tradespot","currency","fiat","EUR","spot / main",-40.0000,0.1000,59.9000\n"L910050002","T910050001","2026-02-01 10:00:00","trade","tradespot","currency","crypto","ABC","spot / main",4.0000,0,4.0000\n',
    ids: /(?<=")[LT]\d+(?=")/g,
  },
  'kraken-futures': {
    file: 'log.csv',
    text: 'uid,dateTime,account,type,symbol,contract,change,new balance,new average entry price,trade price,mark price,funding rate,realized pnl,fee,realized funding,collateral\nu910050002,2026-02-01 10:00:00,flex,futures trade,usd,pf_abcusd,-0.1,0,,69,70,,0,0.1,,\nu910050001,2026-02-01 10:00:00,flex,futures trade,pf_abcusd,pf_abcusd,-1,-1,69,69,70,,,,,\n',
    ids: /^u\d+/g,
  },
  coinbase: { file: 'coinbase/fills.csv', ids: /(?<=default,)\d+/g },
  'coinbase-transactions': {
    file: 'report.csv',
    text: '\nTransactions\nUser,Somebody,7\nID,Timestamp,Transaction Type,Asset,Quantity Transacted,Price Currency,Price at Transaction,Subtotal,Total (inclusive of fees and/or spread),Fees and/or Spread,Notes\nx910050003,2026-02-03 10:00:00 UTC,Convert,ABC,-1,EUR,€12.00,€12.00,€11.90,€0.10,Converted 1 ABC to 4 XYZ\nx910050002,2026-02-02 10:00:00 UTC,Advanced Trade Sell,ABC,-1,EUR,€11.00,€11.00,€10.80,€0.20,Sold 1 ABC\nx910050001,2026-02-01 10:00:00 UTC,Buy,ABC,2,EUR,€10.00,€20.00,€20.40,€0.40,Bought 2 ABC\n',
    rows: /^x\d/,
    ids: /^x\d+/g,
  },
  binance: {
    file: 'binance/Binance-Futures-Trade-History-202601201200(UTC+6)-part1-of1.csv',
  },
  'binance-spot': {
    file: 'spot.csv',
    text: '"Date(UTC)","Pair","Side","Price","Executed","Amount","Fee"\n"2026-02-02 12:00:00","ABCUSDT","SELL","11","9.99ABC","109.89USDT","0.1USDT"\n"2026-02-02 11:00:00","ABCUSDT","BUY","10","10ABC","100USDT","0.01ABC"\n',
  },
  'binance-orders': {
    file: 'Binance-Spot-Order-History(UTC+2).csv',
    text: 'Time,OrderNo,Pair,Type¹,Side,Order Price,Order Amount,Time,Executed²,Average Price,Trading total³,Status\n2026-02-02 08:00:00,910050002,ABCUSDT,Limit,SELL,11,10ABC,2026-02-02 12:00:00,10ABC,11.00,110USDT,FILLED\n2026-02-02 10:00:00,910050001,ABCUSDT,Market,BUY,0,10ABC,2026-02-02 10:00:01,10ABC,10,100USDT,FILLED\n',
  },
  'binance-transactions': {
    file: 'transactions.csv',
    text: 'User_ID,UTC_Time,Account,Operation,Coin,Change,Remark\n1,2026-02-01 10:00:00,Spot,Transaction Spend,USDT,-20,\n1,2026-02-01 10:00:00,Spot,Transaction Buy,ABC,2,\n1,2026-02-01 10:00:00,Spot,Transaction Fee,ABC,-0.003,\n',
    rows: /^1,/,
    ids: /(?<=:)00:00(?=,)/g,
  },
  bybit: { file: 'bybit/Bybit-UM-Perp-ClosedPNL-1768435200-1768608000.csv' },
  'bybit-trades': {
    file: 'trades.csv',
    text: 'Market,Filled Type,Filled Quantity,Filled Price,Order Price,Fee Rate,Trading Fee,feeCoin,ExecFeeV2,Direction,Order Type,Trasaction ID,Order No.,Transaction Time(UTC+0)\nABCUSDT,Trade,1,11,11,0.0005,0.01,USDT,0.011,Short,Limit, 910050002, o2,12:00 2026-02-02\nABCUSDT,Trade,1,10,10,0.0005,0.01,USDT,0.01,Long,Market, 910050001, o1,10:00 2026-02-01\n',
  },
  'bybit-spot': {
    file: 'spot.csv',
    text: 'UID: 7,Company Name: ,Country:\nUid,Spot Pairs,Order Type,Direction,Filled Value,Filled Price,Filled Quantity,Fees,Transaction ID,Order No.,Timestamp (UTC+0)\n7,ABCUSDT,MARKET,SELL,21.978,11,1.998,0.02,910050002,o2,2026-02-02 12:00:00\n7,ABCUSDT,LIMIT,BUY,20,10,2,0.002,910050001,o1,2026-02-01 10:00:00\n',
    rows: /^7,/,
  },
  'bybit-log': {
    file: 'AssetChangeDetails_uta.csv',
    text: 'UID: 7,Company Name: ,Country:\nUid,Currency,Contract,Type,Direction,Quantity,Position,Filled Price,Funding,Fee Paid,Cash Flow,Change,Wallet Balance,Action,Time(UTC)\n7,USDT,ABCUSDT,TRADE,SELL,1,0,121,0,-0.1,21,20.9,113,CLOSE,2026-02-02 15:00:00\n7,USDT,ABCUSDT,SETTLEMENT,BUY,--,1,--,-0.005,0,0,-0.005,100,SETTLEMENT,2026-02-02 12:00:00\n7,USDT,ABCUSDT,TRADE,BUY,1,1,100,0,-0.1,0,-0.1,100,OPEN,2026-02-02 10:00:00\n',
    rows: /^7,/,
  },
  hyperliquid: { file: 'hyperliquid/fills.csv', rows: /,ETH,/ },
  trading212: {
    file: 'trading212/export.csv',
    rows: /^(Market|Limit) /,
    ids: /trade\d+/g,
  },
  zerodha: { file: 'zerodha/tradebook-own.csv' },
  'zerodha-orders': {
    file: 'orders.csv',
    text: 'Time,Type,Instrument,Product,Qty.,Avg. price,Status\n2026-03-02 09:31:00,SELL,ACME,CNC,10/10,110.00,COMPLETE\n2026-03-02 09:30:00,BUY,ACME,CNC,10/10,100.00,COMPLETE\n',
  },
  tradezella: { file: 'tradezella/trades_export.csv' },
  'tradezella-template': { file: 'tradezella/generic-template.csv', rows: /,ABC,/ },
  rates: { file: 'rates.csv', text: 'date,currency,rate\n2026-02-02,GBP,1.15\n' },
};

const DAY = 86_400_000;
const DAYS = 8000;
const PADDED = (number: number) => String(number).padStart(2, '0');

/** Platforms' date formats: patterns, their groups, and how to write them. */
const DATES: readonly [
  RegExp,
  order: string,
  (y: number, m: string, d: string) => string,
][] = [
  [/\b2026-(\d\d)-(\d\d)/g, 'md', (y, m, d) => `${y}-${m}-${d}`],
  [/\b2026\.(\d\d)\.(\d\d)/g, 'md', (y, m, d) => `${y}.${m}.${d}`],
  [/\b2025\.(\d\d)\.(\d\d)/g, 'md', (y, m, d) => `${y}.${m}.${d}`],
  [/\b(\d\d?)\/(\d\d?)\/2026/g, 'md', (y, m, d) => `${m}/${d}/${y}`],
  [/\b(\d\d)-(\d\d)-2026/g, 'dm', (y, m, d) => `${d}-${m}-${y}`],
  [/\b2026(\d\d)(\d\d)(?=[;"<])/g, 'md', (y, m, d) => `${y}${m}${d}`],
  [/\b(\d\d?)\/(\d\d?)\/26(?=[ ,])/g, 'md', (y, m, d) => `${m}/${d}/${PADDED(y % 100)}`],
];

/** A part of a row that differs between copies, and how. */
type Part = string | ((copy: number) => string);

/** Makes a copy of a row some days earlier, with its own ids. */
function copierOf(
  row: string,
  { ids, isDayFirst = false }: Form,
): (copy: number) => string {
  let parts: Part[] = [row];
  const vary = (pattern: RegExp, make: (found: RegExpExecArray) => Part) => {
    parts = parts.flatMap((part) => {
      if (typeof part !== 'string') return [part];
      const found = [...part.matchAll(pattern)];
      const between = (place: number) => {
        const { index = 0, 0: text = '' } = found[place - 1] ?? {};
        return part.slice(index + text.length, found[place]?.index);
      };
      return found
        .flatMap((own, place) => [between(place), make(own)])
        .concat(between(found.length));
    });
  };
  if (ids)
    vary(
      ids,
      ([id]) =>
        (copy) =>
          idOf(id, copy),
    );
  for (const [pattern, usual, write] of DATES) {
    const swaps = isDayFirst && pattern.source.includes('/');
    vary(pattern, ([, first, second]) => {
      const [month, day] = (usual === 'md') !== swaps ? [first, second] : [second, first];
      const time = Date.UTC(2026, Number(month) - 1, Number(day));
      return (copy) => {
        const date = new Date(time - (copy % DAYS) * DAY);
        const parts = [PADDED(date.getUTCMonth() + 1), PADDED(date.getUTCDate())] as [
          string,
          string,
        ];
        const [m, d] = swaps ? parts.reverse() : parts;
        return write(date.getUTCFullYear(), m as string, d as string);
      };
    });
  }
  vary(
    /\b(?<![.\d])\d{9,15}\b(?!\.)/g,
    ([id]) =>
      (copy) =>
        String(Number(id) + copy * 1000),
  );
  return (copy) =>
    parts.map((part) => (typeof part === 'string' ? part : part(copy))).join('');
}

/** Days repeat after some years: then the time of day differs, if it must be unique. */
function idOf(id: string, copy: number): string {
  if (/^\d+$/.test(id)) return String(BigInt(id) + BigInt(copy * 100));
  const again = Math.floor(copy / DAYS);
  return id.includes(':')
    ? `${PADDED(Math.floor(again / 60))}:${PADDED(again % 60)}`
    : `${id}${copy.toString(36)}`;
}

/** An export of a format with a number of rows, up to a number of bytes. */
export function exportOf(
  format: string,
  rows: number,
  mostBytes: number,
): { file: string; content: string } {
  if (format === 'freqtrade-backtest') return backtestOf(rows, mostBytes);
  const form = FORMS[format] as Form;
  const file = form.file.replace(/.*\//, '');
  const lines = (form.text ?? readFileSync(pathOf(form.file), 'utf8'))
    .replaceAll('\r', '')
    .split('\n');
  const isRow = lines.map((line, index) =>
    form.rows ? form.rows.test(line) : index > 0 && /\w/.test(line),
  );
  const [first, last] = [isRow.indexOf(true), isRow.lastIndexOf(true)];
  const head = lines.slice(0, first);
  const tail = lines.slice(last + 1);
  const own = lines
    .filter((_, index) => isRow[index])
    .map((line) => copierOf(line, form));
  const room = mostBytes - Buffer.byteLength(head.concat(tail).join('\n')) - 1000;
  return { file, content: [...head, ...copies(own, rows, room), ...tail].join('\n') };
}

/** Copies of all rows, up to the maximum size. */
function copies(
  own: readonly ((copy: number) => string)[],
  rows: number,
  room: number,
): string[] {
  const grown: string[] = [];
  for (let bytes = 0; grown.length < rows; ) {
    const text = (own[grown.length % own.length] as (copy: number) => string)(
      Math.floor(grown.length / own.length),
    );
    bytes += Buffer.byteLength(text) + 1;
    if (bytes > room) break;
    grown.push(text);
  }
  return grown;
}

function pathOf(name: string): string {
  const found = allExports().find(
    (own) => own.name === name && own.label.startsWith('made-up'),
  );
  if (!found) throw new Error(`there is no ${name} in test/fixtures/exports`);
  return found.path();
}

function backtestOf(rows: number, mostBytes: number): { file: string; content: string } {
  const file = 'backtest-result.json';
  const { trades } = JSON.parse(
    readFileSync(pathOf(`freqtrade-backtest/${file}`), 'utf8'),
  ).strategy.StrategyTestV3;
  const own = trades.map((trade: unknown) =>
    copierOf(JSON.stringify(trade), { file: '' }),
  );
  const grown = copies(own, rows, mostBytes - 1000);
  return {
    file,
    content: `{"strategy":{"StrategyTestV3":{"stake_currency":"BTC","trades":[${grown.join(',')}]}}}`,
  };
}
