/** Each platform's file is detected by exactly one format, independent of its name. */
import { readFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { KNOWN_FORMATS } from '../../src/import/files/recognise.ts';
import { UNIQUE_IDS } from '../../src/import/formats/platforms.ts';
import { decode } from '../../src/parse/open-file.ts';
import { allExports, realOfUnknown } from './exports.ts';
import { ImportHome } from './home.ts';

const PLATFORMS = KNOWN_FORMATS.filter(({ holds }) => holds !== undefined);

function recognising(start: string, fileName: string): string[] {
  return PLATFORMS.filter((format) => format.looksLike(start, fileName)).map(
    ({ name }) => name,
  );
}

const STARTS: [format: string, start: string][] = [
  [
    'oanda',
    'TICKET,TRANSACTION DATE,TRANSACTION TYPE,DETAILS,INSTRUMENT,PRICE,UNITS,DIRECTION,SPREAD COST,STOP LOSS,TAKE PROFIT,FINANCING,COMMISSION,PL,BALANCE',
  ],
  ['revolut', 'Date,Ticker,Type,Quantity,Price per share,Total Amount,Currency,FX Rate'],
  [
    'revolut-older',
    'Trade Date,Settle Date,Currency,Activity Type,Symbol / Description,Symbol,Description,Quantity,Price,Amount',
  ],
  [
    'revolut-older',
    'Trade Date;Settle Date;Currency;Activity Type;Symbol / Description;Quantity;Price;Amount',
  ],
  [
    'xtb',
    ',Pozycja,Symbol,Typ,Wolumen\n,881888549,SBUX.US,BUY,3,2026-05-06 20:37:10.522,77.08,2026-05-06 20:37:10.522,122.3,xStation 5',
  ],
  [
    'xtb-cash',
    ',ID,Type,Time,Comment,Symbol,Amount,\n,294997602,Dywidenda,2026-02-21 00:11:25',
  ],
  ['xtb-cash', 'ID;Type;Time;Symbol;Comment;Amount'],
  [
    'xtb-cash',
    'Account number;1;;;;;;\nCash Operations;;;;;;;\nDate from (UTC);2006-01-01 00:00:00;;;;;;\nType;Ticker;Instrument;Time;Amount;ID;Comment;Product',
  ],
  [
    'xtb',
    'Instrument,Ticker,Category,Type,Volume,Open Price,Open Time (UTC),Close Price,Close Time (UTC),Product,Profit/Loss,Gross Profit,Purchase Value,Sale Value,Stop Loss,Take Profit,Commission,Margin,Swap,Rollover,Open Conversion Rate,Close Conversion Rate,Close Origin,Position ID,Comment',
  ],
  [
    'binance-spot',
    'Date(UTC),Pair,Base Asset,Quote Asset,Type,Price,Amount,Total,Fee,Fee Coin',
  ],
  [
    'groww-orders',
    'Stock name,Symbol,ISIN,Type,Quantity,Value,Exchange,Exchange Order Id,Execution date and time,Order status',
  ],
  [
    'scalable',
    'date;time;status;reference;description;assetType;type;isin;shares;price;amount;fee;tax;currency',
  ],
  ['mexc', 'Paare,Zeit,Seite,Realisierter Preis,Ausgeführter Betrag,Gesamt,Gebühr,Rolle'],
  ['binance-spot', 'Tiempo,Par,Lado,Precio,Ejecutado,Cantidad,Tarifa'],
  [
    'binance-transactions',
    'ID de usuario,Tiempo,Cuenta,Operación,Moneda,Cambio,Observación',
  ],
  [
    'etrade',
    'For Account:,####0000\n\nTransactionDate,TransactionType,SecurityType,Symbol,Quantity,Amount,Price,Commission,Description',
  ],
  [
    'etrade',
    'Activity/Trade Date,Transaction Date,Settlement Date,Activity Type,Description,Symbol,Cusip,Quantity #,Price $,Amount $,Commission,Category,Note',
  ],
  [
    'questrade',
    'Transaction Date,Settlement Date,Action,Symbol,Description,Quantity,Price,Gross Amount,Commission,Net Amount,Currency,Account #,Activity Type,Account Type',
  ],
  [
    'questrade-edge',
    '"Symbol","Action","Fill qty","Fill price","Currency","Exec time","Total value","Time placed","Option","Strategy","Commission","Account",',
  ],
  [
    'tradervue',
    'Open Datetime,Close Datetime,Symbol,Side,Volume,Exec Count,Entry Price,Exit Price,Gross P&L,Gross P&L (%),Shared,Notes,Tags',
  ],
  [
    'tradervue-executions',
    'Date,Time,Symbol,Quantity,Price,Side,Commission,TransFee,ECNFee',
  ],
  ['ofx', 'OFXHEADER:100\nDATA:OFXSGML\nVERSION:102\n\n<OFX>\n<INVSTMTMSGSRSV1>'],
  ['ofx', '<?xml version="1.0"?>\n<?OFX OFXHEADER="200" VERSION="220"?>\n<OFX>'],
  [
    'okx',
    'UID:7,Account Type:Main,Time Zone:UTC+3\nid,Order id,Time,Trade Type,Symbol,Action,Amount,Trading Unit,Filled Price,PnL,Fee,Fee Unit,Position Change,Position Balance,Balance Change,Balance,Balance Unit',
  ],
  ['kucoin', 'tradeCreatedAt,symbol,side,price,size,funds,fee,feeCurrency'],
  [
    'kucoin',
    'Time,Pair,Side,FilledPrice,FilledPriceCoin,Amount,AmountCoin,Volume,VolumeCoin,Fee,FeeCoin',
  ],
  [
    'kucoin',
    'UID,Account Type,Order ID,Symbol,Side,Order Type,Avg. Filled Price,Filled Amount,Filled Volume,Filled Volume (USDT),Filled Time(UTC+02:00),Fee,Maker/Taker,Fee Currency',
  ],
  ['mexc', 'Pairs,Time,Side,Filled Price,Executed Amount,Total,Fee,Role'],
  [
    'bitvavo',
    'Timezone,Date,Time,Type,Currency,Amount,Quote Currency,Quote Price,Received / Paid Currency,Received / Paid Amount,Fee currency,Fee amount,Status,Transaction ID,Address',
  ],
  [
    'sierra-chart',
    'Symbol\tTrade Type\tEntry DateTime\tExit DateTime\tEntry Price\tExit Price\tTrade Quantity\tProfit/Loss (C)\tCommission (C)\tAccount',
  ],
  [
    'upstox',
    'UCC,7\n\nDate,Company,Amount,Exchange,Segment,Scrip Code,Instrument Type,Strike Price,Expiry,Trade Num,Trade Time,Side,Quantity,Price',
  ],
  [
    'fyers',
    'Report Title,Tradebook report\nSymbol name,Symbol code,Date & time,Side,Product type,Qty,Traded price,Total value,Segment,Exchange order ID',
  ],
  ['fyers-api', 'id,qty,symbol,orderDateTime,side,tradedPrice,orderNumStatus,slNo'],
  [
    'groww',
    `P&L Statement for stocks${'\n'.repeat(28)}Stock name,ISIN,Quantity,Buy date,Buy price,Buy value,Sell date,Sell price,Sell value,Realised P&L,Remark`,
  ],
  [
    'angel-one',
    'ClientCode,X\n\nScrip/Contract,Buy/Sell,Buy Price,Sell Price,Quantity,Brokerage,GST,STT,Sebi Tax,Order Type,Segment,Exchange,Order ID,Trade ID,Date',
  ],
  [
    'ftmo-metrix',
    'Ticket;Open;Type;Volume;Symbol;Price;S/L;T/P;Close;Price;Swap;Commissions;Profit;Pips;Duration\n10001;2026.03.10 09:35:12;buy;0.20',
  ],
  [
    'ctrader',
    'ID,Symbol,Closing Direction,Opening Time (UTC),Closing Time (UTC),Entry Price,Closing Price,Closing Volume,Net (USD),Balance (USD)',
  ],
  [
    'exness',
    'ticket,opening_time_utc,closing_time_utc,type,lots,symbol,opening_price,closing_price,commission_usd,swap_usd,profit_usd',
  ],
  [
    'ig',
    'TextDate,Summary,MarketName,Period,ProfitAndLoss,Transaction type,Reference,Open level,Close level,Size,Currency,PL Amount,Cash transaction,DateUtc,OpenDateUtc,CurrencyIsoCode',
  ],
  [
    'tradovate',
    'symbol,_priceFormat,_priceFormatType,_tickSize,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp,duration',
  ],
  [
    'tradovate-fills',
    '_id,_orderId,_contractId,_timestamp,_tradeDate,_action,_qty,_price,_active,_accountId,Fill ID,Order ID,Timestamp,Date,Account,B/S,Quantity,Price,_priceFormat,_priceFormatType,_tickSize,Contract,Product,Product Description,commission',
  ],
  [
    'tradovate-orders',
    'orderId,Account,Order ID,B/S,Contract,Product,Product Description,avgPrice,filledQty,Fill Time,lastCommandId,Status,_priceFormat,_priceFormatType,_tickSize,spreadDefinitionId,Version ID,Timestamp,Date,Quantity,Text,Type,Limit Price,Stop Price',
  ],
  [
    'tradovate-cash',
    'Account,Transaction ID,Timestamp,Date,Delta,Amount,Cash Change Type,Currency,Contract',
  ],
  ['rates', 'date,currency,rate'],
  ['rates', 'Date,USD,JPY,BGN,CYP,CZK,'],
  ['rates', 'Date, USD, JPY, BGN, \n20 November 2026, 1.25, 150, 1.95, '],
  [
    'rates',
    '<Envelope xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref"><Cube>',
  ],
  ['rates', `PK\u0003\u0004${'\0'.repeat(26)}eurofxref-hist.csv\u0001`],
  [
    'topstepx',
    'Id,ContractName,EnteredAt,ExitedAt,EntryPrice,ExitPrice,Fees,PnL,Size,Type,TradeDay,TradeDuration',
  ],
  [
    'topstepx-orders',
    'Id,AccountName,ContractName,Status,Type,Size,Side,CreatedAt,TradeDay,FilledAt,CancelledAt,StopPrice,LimitPrice,ExecutePrice,PositionDisposition',
  ],
  [
    'tradingview-balance',
    'Time,Balance before,Balance after,Realized PnL (value),Realized PnL (currency),Action\n2026-11-02 10:00:00,1,2,1,USD,"Close long position for symbol CME_MINI:MES1! at price 2 for 1 units. Position AVG Price was 1.000000, currency: USD"',
  ],
  [
    'tradingview',
    'Trade number,Type,Date and time,Signal,Price USD,Size (qty),Size (value),Net PnL USD,Return %,Commission USD',
  ],
  [
    'ninjatrader',
    'A title\nInstrument;Action;Time;Price;E/X;Quantity;Account display name',
  ],
  [
    'ninjatrader-performance',
    'Numéro d’ordre;Instrument;Compte;Stratégie;Pos. marché.;Qté;Prix d’entrée;Prix de sortie;Heure d’entrée;Heure de sortie;Profit',
  ],
  [
    'tradingview-orders',
    'Symbol,Side,Type,Quantity,Limit price,Fill price,Placing time,Closing time,Order ID',
  ],
  ['metatrader', 'Positions;;;\n2026.11.02 10:00:00;501;EURUSD;buy;0.5'],
  [
    'quantower',
    'Account,Date/Time,Symbol,Description,Symbol type,Expiration date,Strike price,Side,Order type,Quantity,Price,Gross P/L,Fee,Net P/L,Trade value,Trade ID,Order ID,Position ID,Connection name,Comment,Exchange',
  ],
  [
    'rithmic',
    'DEMO\nMESZ6\nEntry Order Number,Entry Buy/Sell,Entry Price,Entry Time,Exit Order Number,Exit Price,Exit Time,Fill Size,Trade P&L,Trade Life Span,Commission & Fees',
  ],
  [
    'rithmic-orders',
    'Completed Orders\nAccount,Status,Buy/Sell,Qty To Fill,Max Show Qty,Symbol,Order Number,Update Time (EDT),Qty Filled,Avg Fill Price',
  ],
  [
    'tradingview-orders',
    'Symbol,Side,Type,Qty,Fill Price,Commission,Placing Time,Closing Time,Order ID,Leverage',
  ],
  [
    'tradingview',
    'Trade #,Type,Date/Time,Signal,Price USD,Position size (qty),Position size (value),Net P&L USD,Net P&L %,Run-up USD,Run-up %,Cumulative P&L USD,Cumulative P&L %',
  ],
  [
    'metatrader',
    '<!DOCTYPE html><html><head><title>Statement: 1 - N</title></head><body>Closed Transactions:',
  ],
  ['metatrader', '<html><head><meta name="generator" content="client terminal"></head>'],
  ['metatrader', '<html><head><title>Strategy Tester: MACD Sample</title>'],
  [
    'metatrader',
    '<html><head><title>x</title><meta name="generator" content="strategy tester">',
  ],
  [
    'ninjatrader-performance',
    'Trade number,Instrument,Account,Strategy,Market pos.,Qty,Entry price,Exit price,Entry time,Exit time,Entry name,Exit name,Profit,Cum. net profit,Commission,MAE,MFE,ETD,Bars,',
  ],
  [
    'ninjatrader',
    'Instrument,Action,Quantity,Price,Time,ID,E/X,Position,Order ID,Name,Commission,Rate,Account,Connection,',
  ],
  [
    'tastytrade',
    'Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency',
  ],
  [
    'ibkr-activity',
    'Statement,Header,Field Name,Field Value\nStatement,Data,BrokerName,Interactive Brokers\nStatement,Data,Title,Activity Statement\n',
  ],
  [
    'ibkr-activity',
    'Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Exchange,Quantity,T. Price,Proceeds,Comm/Fee,Basis,Realized P/L,Code',
  ],
  [
    'ibkr-activity',
    'Statement,Header,Название поля,Значение поля\nStatement,Data,BrokerAddress,',
  ],
  [
    'ibkr-activity',
    'Kopf,Data,x\nTransaktionen,Header,DataDiscriminator,Anlagekategorie,Währung,Symbol,Datum/Zeit',
  ],
  [
    'ibkr-transactions',
    'Statement,Header,Field Name,Field Value\nStatement,Data,Title,Transaction History\nTransaction History,Header,Date,Account,Description,Transaction Type,Symbol',
  ],
  [
    'ibkr-flex',
    '"MSG","Not ready."\n"ClientAccountID","AccountAlias","Model","CurrencyPrimary"',
  ],
  [
    'ibkr-flex',
    '"Symbol","DateTime","Quantity","TradePrice","Buy/Sell","AssetClass","CurrencyPrimary"',
  ],
  [
    'ibkr-flex',
    '<?xml version="1.0"?>\n<FlexQueryResponse queryName="q" type="AF"><FlexStatements count="1">',
  ],
  [
    'thinkorswim',
    'Account Statement for 1 (ira) since 11/1/26 through 11/20/26\n\nCash Balance\nDATE,TIME,TYPE',
  ],
  [
    'tastytrade-older',
    'Date/Time,Transaction Code,Transaction Subcode,Symbol,Buy/Sell,Open/Close,Quantity,Expiration Date,Strike,Call/Put,Price,Fees,Amount,Description,Account Reference',
  ],
  [
    'coinbase-transactions',
    'Transactions\nUser,N,7\nID,Timestamp,Transaction Type,Asset,Quantity Transacted,Price Currency,Price at Transaction,Subtotal,Total (inclusive of fees and/or spread),Fees and/or Spread,Notes',
  ],
  [
    'kraken-ledgers',
    '"txid","refid","time","type","subtype","aclass","asset","amount","fee","balance"',
  ],
  [
    'bybit-trades',
    'Market,Filled Type,Filled Quantity,Filled Price,Order Price,Fee Rate,Trading Fee,feeCoin,ExecFeeV2,Direction,Order Type,Trasaction ID,Order No.,Transaction Time(UTC+0)',
  ],
  [
    'bybit-spot',
    'UID: 7,Company Name: ,Country:\nUid,Spot Pairs,Order Type,Direction,Filled Value,Filled Price,Filled Quantity,Fees,Transaction ID,Order No.,Timestamp (UTC+0)',
  ],
  [
    'thinkorswim',
    'This document was exported from the paperMoney platform.\n\nAccount Statement for D-1 since 1/1/26 ',
  ],
  [
    'thinkorswim-activity',
    "Today's Trade Activity for 1SCHW (ira) on 11/20/26 16:00:00\n\nFilled Orders",
  ],
  [
    'tradovate',
    'Position ID,Timestamp,Trade Date,Net Pos,Net Price,Bought,Avg. Buy,Sold,Avg. Sell,Account,Contract,Product,Product Description,_priceFormat,_priceFormatType,_tickSize,Pair ID,Buy Fill ID,Sell Fill ID,Paired Qty,Buy Price,Sell Price,P/L,Currency,Bought Timestamp,Sold Timestamp',
  ],
  [
    'robinhood',
    '"Activity Date","Process Date","Settle Date","Instrument","Description","Trans Code","Quantity","Price","Amount"',
  ],
  [
    'etoro',
    'Position ID,Action,Amount,Units,Open Date,Close Date,Leverage,Spread,Profit,Open Rate,Close Rate,Take profit rate,Stop lose rate,Rollover Fees and Dividends,Copied From,Type,ISIN,Notes',
  ],
  [
    'etoro',
    'ID posizione,Azione,Importo,Unità,Data di apertura,Data di chiusura,Leva,Spread,Profitto,Tasso di apertura,Tasso di chiusura,Commissioni rollover e dividendi,Copiato da,Tipologia,ISIN,Note',
  ],
  [
    'fidelity',
    'Run Date,Action,Symbol,Description,Type,Price ($),Quantity,Commission ($),Fees ($),Accrued Interest ($),Amount ($),Cash Balance ($),Settlement Date',
  ],
  [
    'fidelity',
    'Brokerage\n\nRun Date,Account,Action,Symbol,Security Description,Security Type,Quantity,Price ($),Commission ($),Fees ($),Accrued Interest ($),Amount ($),Settlement Date',
  ],
  [
    'schwab',
    '"Date","Action","Symbol","Description","Quantity","Price","Fees & Comm","Amount"',
  ],
  [
    'degiro',
    'Date,Time,Product,ISIN,Reference exchange,Venue,Quantity,Price,,Local value,,Value,,Exchange rate,Transaction and/or third,,Total,,Order ID\n02-11-2026,15:30,ACME INC,US0000000001,NSY,XNYS,1,22.2000,USD,-22.20,USD,-20.74,EUR,1.0702,,EUR,-20.74,EUR,a',
  ],
  [
    'tradezero',
    'Account,T/D,S/D,Currency,Type,Side,Symbol,Qty,Price,Exec Time,Comm,SEC,TAF,NSCC,Nasdaq,ECN Remove,ECN Add,Gross Proceeds,Net Proceeds,Clr Broker,Liq,Note',
  ],
  ['das', 'Time,Symb,Side,Price,Qty,Route,Broker,Account,Type,Cloid,P / L,'],
  [
    'kraken',
    '"txid","ordertxid","pair","time","type","ordertype","price","cost","fee","vol","margin","misc","ledgers"',
  ],
  [
    'coinbase',
    'portfolio,trade id,product,side,created at,size,size unit,price,fee,total,price/fee/total unit',
  ],
  [
    'binance',
    'Uid,Time,Symbol,Side,Price,Quantity,Amount,Fee,Realized Profit,Buyer,Maker,Trade ID,Order ID',
  ],
  ['binance-spot', '"Date(UTC)","Pair","Side","Price","Executed","Amount","Fee"'],
  [
    'bybit',
    'Contracts,Trade Type,Qty,Entry Price,Realized P&L,Filled Price,Exit Type,Filled/Settlement Time(UTC+0),Create Time',
  ],
  [
    'binance-orders',
    'Time,OrderNo,Pair,Type¹,Side,Order Price,Order Amount,Time,Executed²,Average Price,Trading total³,Status',
  ],
  [
    'binance-transactions',
    '"User ID","Time","Account","Operation","Coin","Change","Remark"',
  ],
  [
    'bybit-log',
    'UID: 7,Company Name: ,Country:\nUid,Currency,Contract,Type,Direction,Quantity,Position,Filled Price,Funding,Fee Paid,Cash Flow,Change,Wallet Balance,Action,Time(UTC)',
  ],
  [
    'kraken-futures',
    'uid,dateTime,account,type,symbol,contract,change,new balance,new average entry price,trade price,mark price,funding rate,realized pnl,fee,realized funding,collateral',
  ],
  [
    'hyperliquid',
    'Account,Coin,Execution Price,Size Tokens,Size USD,Side,Timestamp IST,Start Position,Direction,Closed PnL,Transaction Hash,Order ID,Crossed,Fee,Trade ID,Timestamp',
  ],
  [
    'trading212',
    'Action,Time,ISIN,Ticker,Name,No. of shares,Price / share,Currency (Price / share),Exchange rate,Result,Currency (Result),Total,Currency (Total),Notes,ID',
  ],
  [
    'zerodha',
    'symbol,isin,trade_date,exchange,segment,series,trade_type,auction,quantity,price,trade_id,order_id,order_execution_time',
  ],
  [
    'trade-republic',
    '"datetime","date","account_type","category","type","asset_class","name","symbol","shares","price","amount","fee","tax","currency","original_amount","original_currency","fx_rate","description","transaction_id","counterparty_name","counterparty_iban","payment_reference","mcc_code"',
  ],
  [
    'webull',
    'Name,Symbol,Side,Status,Filled,Total Qty,Price,Avg Price,Time-in-Force,Placed Time,Filled Time',
  ],
  [
    'tradezella',
    'Account Name,Adjusted Cost,Adjusted Proceeds,Avg Buy Price,Avg Sell Price,Exit Efficiency,Best Exit,Open Date,Open Time,Zella Score',
  ],
  [
    'tradezella-template',
    'Date,Time,Symbol,Buy/Sell,Quantity,Price,Spread,Expiration,Strike,Call/Put,Commission,Fees',
  ],
  ['zerodha-orders', 'Time,Type,Instrument,Product,Qty.,Avg. price,Status'],
  [
    'schwab',
    '{\n  "FromDate": "11/01/2026",\n  "ToDate": "11/30/2026",\n  "BrokerageTransactions": [',
  ],
  ['freqtrade-backtest', '{"metadata":{"S":{"run_id":"a"}},"strategy":{"S":{"trades":[]'],
  [
    'freqtrade-backtest',
    `PK\u0003\u0004${'\0'.repeat(26)}backtest-result-2026-11-02_10-00-00.json{`,
  ],
  [
    'hyperliquid',
    '[{"closedPnl":"0.0","coin":"ABC","dir":"Open Long","px":"18","startPosition":"0.0","sz":"9"',
  ],
  ['freqtrade', 'SQLite format 3\0 CREATE TABLE pairlocks (id INTEGER'],
];

describe('the beginning of a file', () => {
  test.each(STARTS)('%s', (format, start) => {
    for (const name of ['', 'export.csv', 'trades.csv', 'trades.json', 'export.bin']) {
      expect(recognising(`${start}\n`, name)).toEqual([format]);
      expect(recognising(`${start.replaceAll('\n', '\r\n')}\r\n`, name)).toEqual([
        format,
      ]);
    }
  });

  test('of every platform is tried', () => {
    const tried = [...new Set(STARTS.map(([format]) => format))];
    expect(tried.sort(), 'a new format needs a row in STARTS').toEqual(
      PLATFORMS.map(({ name }) => name).sort(),
    );
  });

  test('of each platform has its section in docs/platforms.md', () => {
    const docs = readFileSync(
      new URL('../../docs/platforms.md', import.meta.url),
      'utf8',
    );
    const names = [...docs.matchAll(/^\*\*[^*]+\*\* \(([^)]*)\)\./gm)].map(
      ([, all]) => all,
    );
    const without = PLATFORMS.filter(
      ({ name }) => !names.some((all) => all?.includes(`\`${name}\``)),
    ).map(({ name }) => name);

    expect(without, 'a section begins with: **Acme** (`acme`).').toEqual([]);
  });

  test.each([
    '{"id":"t1","symbol":"MNQ"}\n',
    '[{"id":"t1"}]',
    '{"data":[{"id":"t1"}],"pagination":{}}',
    'id,symbol,market,side,status,executed_at,closed_at,quantity,entry_price,exit_price,fees\n',
    'a,b\n',
    '',
  ])("of plain records isn't a platform's: %j", (start) => {
    for (const name of ['', 'trades.csv', 'trades.jsonl', 'trades.json'])
      expect(recognising(start, name)).toEqual([]);
  });
});

/** Files that platforms wrote, where they lie beside the project; in folders by platform. */
/** Files derived from exports, and exports without a reader. */
const OTHERS =
  /journal-of-a-trader|TradeLog\.csv|Instruments\.csv|zerodha\/tradebook\.csv|(notes)\//;

describe('files of platforms', () => {
  test.each(allExports())('$label', ({ name, path }) => {
    const own = path();
    if (statSync(own).isDirectory()) return;
    const start = decode(readFileSync(own).subarray(0, 4096), true) ?? '';
    const formats = recognising(start, name.replace(/.*\//, ''));
    expect(formats).toHaveLength(OTHERS.test(name) ? 0 : 1);
  });
});

test.each(realOfUnknown())('%s is of an unknown platform', (path) => {
  const start = decode(readFileSync(path).subarray(0, 4096), true) ?? '';
  expect(recognising(start, '')).toEqual([]);
});

test.each([
  ['near its beginning', 1],
  ['far down', 100],
])('the error of a NUL in an export, %s, names its line', (_, rows) => {
  const header =
    'symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\n';
  const row = (symbol: string, i: number) =>
    `${symbol},${2 * i},${2 * i + 1},1,0.8,1,1,11/20/2026 10:00:00,11/20/2026 10:01:00\n`;
  const home = new ImportHome().withUser();
  const good = Array.from({ length: rows }, (_, i) => row('MESZ6', i)).join('');
  expect(
    home.refusalOf(
      home.file('Performance.csv', `${header}${good}${row('ME\0SZ6', rows)}`),
    ),
  ).toBe(
    `${rows + 2}: symbol: must be text without NUL characters or halves of characters`,
  );
});

test('each format with unique execution ids exists', () => {
  const unique = KNOWN_FORMATS.filter(({ hasUniqueIds }) => hasUniqueIds).map(
    ({ name }) => name,
  );
  expect(unique.sort()).toEqual([...UNIQUE_IDS].sort());
});
