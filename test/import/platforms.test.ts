/** Platforms' exports with one table: what each file gives, which other forms are read, and what is refused. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { FileReport } from '../../src/import/report/report.ts';
import { roundMoney } from '../../src/money.ts';
import { allExports, pathOf } from './exports.ts';
import { ImportHome } from './home.ts';

interface Contents {
  /** Rows read; those skipped by reason. */
  rows: number;
  skipped?: Readonly<Record<string, number>>;
  closed: number;
  /** Of closed trades, by currency: "510.5 USD". */
  gross: string;
  fees: string;
  /** Open units by symbol, below 0 if short. */
  open?: Readonly<Record<string, unknown>>;
  /** The user's base currency. */
  base?: string;
  /** Number of unmatched fills. */
  unmatched?: number;
}

/** Sums were computed without the program; those of real files are in the notes beside them. */
const FILES: readonly [label: string, contents: Contents][] = [
  [
    'made-up ftmo-metrix/export.csv',
    { rows: 4, closed: 4, gross: '510.5 USD', fees: '17 USD' },
  ],
  [
    'real ftmo-metrix/export-1706151888.csv',
    { rows: 27, closed: 27, gross: '5348.6 USD', fees: '190.58 USD' },
  ],
  [
    'real ftmo-metrix/ftmo-slash-headers.csv',
    { rows: 2, closed: 2, gross: '32 USD', fees: '2 USD' },
  ],
  [
    'made-up ctrader-history/ctrader-history.csv',
    { rows: 3, closed: 3, gross: '9113.96 EUR', fees: '13.55 EUR' },
  ],
  [
    'real ctrader-history/ctrader-history.csv',
    { rows: 2, closed: 2, gross: '45 USD', fees: '2.1 USD' },
  ],
  [
    'made-up exness-personal-area/exness.csv',
    { rows: 3, closed: 3, gross: '15 USD', fees: '1.15 USD' },
  ],
  [
    'real exness-personal-area/exness.csv',
    { rows: 3, closed: 3, gross: '64.44 USD', fees: '0 USD' },
  ],
  [
    'made-up ig-transaction-history/transactions.csv',
    {
      rows: 4,
      closed: 2,
      gross: '-1003.5 EUR',
      fees: '0 EUR',
    },
  ],
  [
    'real ig-transaction-history/ig-transaction-history-capture.csv',
    { rows: 5, closed: 4, gross: '31.46 EUR', fees: '0 EUR' },
  ],
  [
    'made-up sierra-trades-list/TradesList.txt',
    {
      rows: 6,
      skipped: { 'total line': 1 },
      closed: 4,
      gross: '125 USD',
      fees: '12.36 USD',
    },
  ],
  [
    'real sierra-trades-list/TradesList.txt',
    {
      rows: 67,
      skipped: { 'total line': 1 },
      closed: 55,
      gross: '-35 USD',
      fees: '0 USD',
    },
  ],
  [
    'made-up upstox-trades/trade_2627.xlsx',
    {
      rows: 8,
      skipped: { 'note below the table': 1 },
      closed: 1,
      gross: '1125 INR',
      fees: '0 INR',
      open: {
        'BANKNIFTY 2026-05-26 FUT': -30,
        'ACME STEEL LTD': 10,
        'NIFTY 2026-05-14 P24000': -75,
        'ACME TAX SAVER FUND - D': 12.5,
      },
    },
  ],
  [
    'real upstox-trades/trade_2526.xlsx',
    {
      rows: 280,
      skipped: { 'note below the table': 1 },
      closed: 32,
      gross: '-48532.5 INR',
      fees: '0 INR',
      open: {
        'NIFTY 2025-05-15 C25100': 600,
        'NIFTY 2025-09-09 P24700': 75,
        'SBI Magnum Tax Gain Scheme - D': 96.32,
        'MIRAE ASSET TAX SAVER FUND - D': 824.61,
        'JIOBLACKROCK NIFTY 50 INDEX FU': 9922.9,
        'JIOBLACKROCK NIFTY NEXT 50 IND': 9831,
      },
    },
  ],
  [
    'made-up fyers-tradebook/fyers-tradebook.csv',
    {
      rows: 8,
      skipped: { 'entry of the clearing (NDIR)': 2 },
      closed: 2,
      gross: '-195 INR',
      fees: '0 INR',
      open: { 'ACME-EQ': 2500 },
    },
  ],
  [
    'real fyers-tradebook/fyers-tradebook-2026-07-25_2026-08-25.csv',
    {
      rows: 39,
      skipped: { 'entry of the clearing (NDIR)': 14 },
      closed: 3,
      gross: '-22652.5 INR',
      fees: '0 INR',
      open: { ANGELONE26SEP280CE: 5000 },
    },
  ],
  [
    'made-up fyers-api-tradebook/tradebook.csv',
    {
      rows: 9,
      skipped: { 'rejected order': 1, 'trade of an earlier download in this file': 2 },
      closed: 2,
      gross: '70 INR',
      fees: '0 INR',
      open: { 'PORTS-EQ': 7 },
    },
  ],
  // 86 rows repeat the orders of an earlier download: with each of them counted, gross would be 3793.98.
  [
    'real fyers-api-tradebook/tradebook.csv',
    {
      rows: 178,
      skipped: { 'trade of an earlier download in this file': 86 },
      closed: 45,
      gross: '1627.94 INR',
      fees: '0 INR',
      open: { 'PAYTM-EQ': 20 },
    },
  ],
  [
    'made-up groww-pnl/groww-pnl.xlsx',
    {
      rows: 9,
      skipped: { 'title or note': 4, 'open position': 1 },
      closed: 4,
      gross: '1249.5 INR',
      fees: '0 INR',
    },
  ],
  [
    'real groww-pnl/groww-pnl.xlsx',
    {
      rows: 135,
      skipped: { 'title or note': 5, 'open position': 3 },
      closed: 127,
      gross: '1989.2 INR',
      fees: '0 INR',
    },
  ],
  [
    'made-up angelone-trades-history/angel.csv',
    {
      rows: 6,
      skipped: { 'note below the table': 1 },
      closed: 2,
      gross: '1705 INR',
      fees: '41.5 INR',
    },
  ],
  [
    'real angelone-trades-history/angel.csv',
    { rows: 2, closed: 1, gross: '200 INR', fees: '3.38 INR' },
  ],
  [
    'made-up okx-trading-history/okx-trading-history.csv',
    {
      rows: 10,
      skipped: { transfer: 1 },
      closed: 2,
      gross: '19.99 USDT',
      fees: '3.764 USDT',
    },
  ],
  // All ADA was bought before the file.
  [
    'real okx-trading-history/okx-trading-history.csv',
    {
      rows: 14,
      closed: 0,
      gross: '',
      fees: '',
      open: { 'BTC-EUR': 0.06420284 },
      unmatched: 6,
    },
  ],
  [
    'made-up kucoin-orders/Spot Orders_Filled Orders.csv',
    {
      rows: 3,
      skipped: { 'cancel order': 1 },
      closed: 1,
      gross: '100 USDT',
      fees: '6.1 USDT',
    },
  ],
  [
    'made-up kucoin-orders/kucoin_order_history.csv',
    { rows: 2, closed: 1, gross: '10 USDT', fees: '0.21 USDT' },
  ],
  [
    'made-up kucoin-orders/kucoin_order_history_old.csv',
    { rows: 2, closed: 1, gross: '0.0005 BTC', fees: '0.0000205 BTC' },
  ],
  [
    'real kucoin-orders/kucoin_order_history.csv',
    {
      rows: 2,
      closed: 0,
      gross: '',
      fees: '',
      open: { 'XRP-USDT': 432.59183198 },
      unmatched: 1,
    },
  ],
  [
    'real kucoin-orders/kucoin_order_history_old.csv',
    { rows: 2, closed: 1, gross: '1e-7 BTC', fees: '0.00000305 BTC' },
  ],
  [
    'real kucoin-orders/spot-orders-filled-orders.csv',
    { rows: 1, closed: 0, gross: '', fees: '', open: { 'BTC-USDT': 0.1 } },
  ],
  [
    'made-up mexc-spot-trades/mexc-spot-trades.csv',
    {
      rows: 3,
      closed: 1,
      gross: '-50 USDT',
      fees: '5.95 USDT',
      open: { '1INCHUSDT': 99.9 },
    },
  ],
  [
    'real mexc-spot-trades/mexc-spot-trades.csv',
    { rows: 2, closed: 0, gross: '', fees: '', open: { BTCUSDT: 0.05 }, unmatched: 1 },
  ],
  [
    'made-up bitvavo/bitvavo.csv',
    {
      rows: 5,
      skipped: { 'cancelled transaction': 1, staking: 1 },
      closed: 1,
      gross: '5 EUR',
      fees: '0.41 EUR',
    },
  ],
  [
    'real bitvavo/bitvavo.csv',
    {
      rows: 34,
      skipped: { withdrawal: 5, deposit: 1, staking: 9 },
      closed: 1,
      gross: '0.01406522 EUR',
      fees: '0.06406522 EUR',
      open: { 'BTC-EUR': 0.00279063, 'ETH-EUR': 0.01071395, 'USDT-EUR': 32.156874 },
      unmatched: 1,
    },
  ],
  [
    'made-up oanda-transactions/transactions.csv',
    {
      rows: 9,
      skipped: {
        'market order': 1,
        'fill of a position that is still open': 1,
        'close of a position opened before the file': 1,
      },
      closed: 2,
      gross: '12 USD',
      fees: '2.1 USD',
    },
  ],
  [
    'real oanda-transactions/oanda_history_demo.csv',
    {
      rows: 12,
      skipped: { 'market order': 1 },
      closed: 5,
      gross: '7.0141 AUD',
      fees: '0 AUD',
      base: 'AUD',
    },
  ],
  [
    'made-up revolut-invest/trading-account-statement.csv',
    {
      rows: 9,
      skipped: {
        'transfer from revolut trading ltd to revolut securities europe uab': 1,
      },
      closed: 2,
      gross: '-7.245 EUR, 19.5 USD',
      fees: '2 USD, 2.005 EUR',
    },
  ],
  [
    'made-up revolut-invest/older-statement.csv',
    {
      rows: 8,
      closed: 1,
      gross: '250 USD',
      fees: '0.25 USD',
      open: { MSFT: 2 },
    },
  ],
  [
    'real revolut-invest/trading-account-statement_2025-03-24_2025-12-31_en-us_anon01.csv',
    {
      rows: 48,
      closed: 10,
      gross: '240.98284014 EUR, 575.85945453 USD',
      fees: '17.05945453 USD, 3.83284014 EUR',
      open: {
        LMT: 1.26799264,
        NVDA: 2.70779872,
        IT: 2.38593554,
        LNTH: 10.61450631,
        VWCE: 7.90126459,
        AMD: 2.81812733,
      },
    },
  ],
  [
    'made-up xtb-xlsx/account_de.xlsx',
    {
      rows: 5,
      skipped: { 'title or total line': 2 },
      closed: 3,
      gross: '114.1 EUR',
      fees: '2 EUR',
    },
  ],
  // 254.66 in the first sheet, 30.98 in that of MetaTrader.
  [
    'real xtb-xlsx/demo_XTB_broker_statement_currency_PLN.xlsx',
    {
      rows: 9,
      skipped: { 'title or total line': 2 },
      closed: 7,
      gross: '285.64 PLN',
      fees: '0 PLN',
    },
  ],
  [
    'made-up xtb-cash-csv/xtb.csv',
    {
      rows: 8,
      skipped: { swap: 1 },
      closed: 1,
      gross: '22.4 USD',
      fees: '0 USD',
      open: { 'SPYL.DE': 3.5 },
    },
  ],
  // Three operations are there twice, with the same ids: they count once.
  [
    'real xtb-cash-csv/xtb.csv',
    {
      rows: 46,
      skipped: {
        'operation that is there twice': 3,
        'free funds interests': 1,
        'profit/loss (fx/cfd)': 3,
        swap: 1,
      },
      closed: 2,
      gross: '-0.12 USD',
      fees: '0 USD',
      open: { 'SPYL.DE': 214.5658, 'CSPX.UK': 0.1799, 'FLOA.UK': 16.7399 },
    },
  ],
  [
    'made-up etrade-transactions/DownloadTxnHistory.csv',
    {
      rows: 9,
      closed: 2,
      gross: '-47.5 USD',
      fees: '2.01 USD',
      open: { ABCD: -10 },
      unmatched: 1,
    },
  ],
  // Net -8.38, as the amounts give, with one rounded to a price of four decimals.
  [
    'real etrade-transactions/DownloadTxnHistory.csv',
    {
      rows: 13,
      closed: 5,
      gross: '-8.3211 USD',
      fees: '0.0589 USD',
      open: { SQQQ: 9 },
    },
  ],
  [
    'made-up questrade-activities/Activities.xlsx',
    {
      rows: 8,
      skipped: { 'other, brw': 1 },
      closed: 2,
      gross: '-120 USD, 154.8 CAD',
      fees: '10.95 USD, 5.79 CAD',
    },
  ],
  [
    'real questrade-activities/Activities.xlsx',
    {
      rows: 49,
      skipped: { 'other, brw': 2 },
      closed: 4,
      gross: '6401.89000372 CAD',
      fees: '59.09 CAD',
      open: { 'ZSP.TO': 1377, 'ZQQ.TO': 8, 'DLR.TO': 233, VOO: 16, SLY: 17 },
      unmatched: 2,
    },
  ],
  [
    'made-up questrade-edge-executions/executions.csv',
    {
      rows: 5,
      closed: 2,
      gross: '1340 USD, 70 CAD',
      fees: '7.92 USD, 9.9 CAD',
      open: { ABCD: -10 },
    },
  ],
  [
    'real questrade-edge-executions/executions.csv',
    { rows: 2, closed: 0, gross: '', fees: '', open: { 'ECHI.TO': 700 }, unmatched: 1 },
  ],
  [
    'made-up tradervue-trades/tradervue-trades.csv',
    {
      rows: 3,
      skipped: { 'open trade': 1 },
      closed: 2,
      gross: '26 USD',
      fees: '2.4 USD',
    },
  ],
  [
    'real tradervue-trades/tradervue-trades.csv',
    { rows: 3, closed: 3, gross: '158.12 USD', fees: '0 USD' },
  ],
  [
    'made-up tradervue-trades/tradervue-generic-executions.csv',
    { rows: 4, closed: 2, gross: '195 USD', fees: '3.8 USD' },
  ],
  [
    'real tradervue-trades/tradervue-generic-executions.csv',
    { rows: 2, closed: 1, gross: '175 USD', fees: '2.7 USD' },
  ],
  [
    'made-up ofx-investment/statement.qfx',
    {
      rows: 6,
      closed: 2,
      gross: '271 USD',
      fees: '2.39 USD',
      open: { ACMFX: 3 },
    },
  ],
  // Net 150.67, as the totals give: 11.28 of the call bought back, and four that expired.
  [
    'real ofx-investment/fidelity-ira.ofx',
    { rows: 10, closed: 5, gross: '154 USD', fees: '3.33 USD' },
  ],
  [
    'real ofx-investment/etrade_09092023.QFX',
    {
      rows: 4,
      closed: 0,
      gross: '',
      fees: '',
      open: { TSM: 0.76817, V: 5.55 },
    },
  ],
];

/** Changes of a made-up file that other versions of the platform have: the differing columns of the trade or fill. */
const FORMS: readonly [
  label: string,
  from: string | RegExp,
  to: string,
  sql: string,
  row: Record<string, unknown>,
][] = [
  [
    'ftmo-metrix/export.csv',
    'Ticket;Open',
    'ticket;open',
    'SELECT count(*) AS n FROM trades',
    { n: 4 },
  ],
  [
    'ctrader-history/ctrader-history.csv',
    'Opening Direction',
    'Closing Direction',
    "SELECT side, executed_at FROM trades WHERE symbol = 'XAUUSD'",
    { side: 'long', executed_at: '2026-03-12T21:15:00.250Z' },
  ],
  [
    'etrade-transactions/DownloadTxnHistory.csv',
    'Transfer,UNKNOWN, ,0,500,0,0,ACH DEPOSIT',
    'Online Transfer,UNKNOWN, ,0,500,0,0,TRANSFER FROM BANK',
    "SELECT kind, amount FROM cash_flows WHERE kind <> 'dividend'",
    { kind: 'transfer', amount: 500 },
  ],
  [
    'ctrader-history/ctrader-history.csv',
    /Opening Time \(UTC\+2\),|\d\d\/\d\d\/2026 [\d:.]{12},(?=\d\d\/)/g,
    '',
    "SELECT executed_at, closed_at, net_pnl FROM trades WHERE symbol = 'XAUUSD'",
    {
      executed_at: '2026-03-13T06:00:10.500Z',
      closed_at: '2026-03-13T06:00:10.500Z',
      net_pnl: 9078.41,
    },
  ],
  // An open position: a later file has other pieces of its entry.
  [
    'sierra-trades-list/TradesList.txt',
    '2026-05-05  09:10:00.000 EP\t5300.25',
    '\t5300.25',
    "SELECT count(*) AS n FROM trades WHERE symbol = 'ESM26-CME'",
    { n: 0 },
  ],
  [
    'ctrader-history/ctrader-history.csv',
    '"1,000 Oz"',
    '1 000 Oz',
    "SELECT quantity FROM trades WHERE symbol = 'XAUUSD'",
    { quantity: 1000 },
  ],
  // Costs and P&L of an account in a coin, each rounded.
  [
    'ctrader-history/ctrader-history.csv',
    /Net EUR(.*9078\.4)1/s,
    'Net USDT$12',
    "SELECT currency, fees FROM trades WHERE symbol = 'XAUUSD'",
    { currency: 'USDT', fees: 12.49 },
  ],
  [
    'ig-transaction-history/transactions.csv',
    /XA8AA8AA.*true/,
    'XA8AA8AA,0,0,0,EUR,(1.20),false',
    'SELECT count(*) AS n FROM trades',
    { n: 2 },
  ],
  [
    'angelone-trades-history/angel.csv',
    'PE (BT),Sell,,0,0,',
    'PE (BT),,,,0,',
    "SELECT fees FROM trades WHERE market = 'option'",
    { fees: 37.9 },
  ],
  [
    'fyers-tradebook/fyers-tradebook.csv',
    /$/,
    'Total,,,,,,,,,,\n',
    'SELECT count(*) AS n FROM fills',
    { n: 6 },
  ],
  // Two fills of one order with the same price.
  [
    'kucoin-orders/Spot Orders_Filled Orders.csv',
    /Tax,(Status\n)(.*\n)/,
    'Maker/Taker,$1$2$2',
    "SELECT count(*) AS n FROM fills WHERE side = 'sell'",
    { n: 2 },
  ],
  [
    'mexc-spot-trades/mexc-spot-trades.csv',
    '3USDT',
    '0',
    "SELECT fees FROM trades WHERE status = 'closed'",
    { fees: 2.95 },
  ],
  [
    'mexc-spot-trades/mexc-spot-trades.csv',
    'Time',
    'Time(UTC+8)',
    'SELECT executed_at FROM trades',
    { executed_at: '2026-05-15T04:00:00.000Z' },
  ],
  [
    'bitvavo/bitvavo.csv',
    'staking,ETH,0.000018190000000001,,',
    'staking,ETH,0.000018190000000001,EUR,2100',
    'SELECT count(*) AS n FROM fills',
    { n: 2 },
  ],
  [
    'okx-trading-history/okx-trading-history.csv',
    'Close long',
    'Partial liquidation close long',
    "SELECT status, gross_pnl FROM trades WHERE symbol LIKE 'ETH%'",
    { status: 'closed', gross_pnl: 10 },
  ],
  // More is closed than the file opened.
  [
    'oanda-transactions/transactions.csv',
    '-3000,Sell',
    '-4000,Sell',
    "SELECT count(*) AS n FROM trades WHERE symbol = 'EUR_USD'",
    { n: 0 },
  ],
  [
    'revolut-invest/trading-account-statement.csv',
    'USD 50.25,USD 101.50',
    'US$50.25,US$101.50',
    "SELECT gross_pnl FROM trades WHERE symbol = 'ACME'",
    { gross_pnl: 19.5 },
  ],
  // 0.014 each.
  [
    'revolut-invest/trading-account-statement.csv',
    'ACME,SELL - MARKET,4,USD 30,USD 119',
    'ABCD,BUY - MARKET,10000,USD 0.01,USD 140',
    "SELECT entry_price, fees FROM trades WHERE symbol = 'ABCD'",
    { entry_price: 0.014, fees: 0 },
  ],
  // An account in dollars, whose sale states the cost alone.
  [
    'xtb-cash-csv/xtb.csv',
    /202\.4(.*)-180/s,
    '200$1-200',
    "SELECT gross_pnl FROM trades WHERE symbol = 'ACME.US'",
    { gross_pnl: 20 },
  ],
  [
    'etrade-transactions/DownloadTxnHistory.csv',
    'ACME,0,1.25,0,',
    'ACME,0.1,-1.25,12.5,',
    "SELECT side, price FROM fills WHERE quantity = '0.1'",
    { side: 'buy', price: 12.5 },
  ],
  [
    'etrade-transactions/DownloadTxnHistory.csv',
    'ACME,0,1.25,0,',
    'ACME,5,1.25,0,',
    'SELECT count(*) AS n FROM fills',
    { n: 7 },
  ],
  [
    'ofx-investment/statement.qfx',
    '<UNITS>3<UNITPRICE>20',
    '<ORIGCURRENCY><CURRATE>1.1<CURSYM>EUR</ORIGCURRENCY>$&',
    "SELECT currency FROM trades WHERE symbol = 'ACMFX'",
    { currency: 'USD' },
  ],
  [
    'ofx-investment/statement.qfx',
    '</INVTRANLIST>',
    '<SPLIT><INVTRAN><FITID>S<DTTRADE>20260823160000.000[-4:EDT]</INVTRAN><SECID><UNIQUEID>000000FD1</SECID><NUMERATOR>2<DENOMINATOR>1</SPLIT>$&',
    "SELECT open_quantity FROM trades WHERE symbol = 'ACMFX'",
    { open_quantity: 6 },
  ],
  // P&L after the commission.
  [
    'sierra-trades-list/TradesList.txt',
    '\t125.00\t125.00\t125.00 F',
    '\t116.80\t125.00\t125.00 F',
    "SELECT gross_pnl, fees FROM trades WHERE symbol = 'ESM26-CME'",
    { gross_pnl: 125, fees: 8.2 },
  ],
  [
    'fyers-tradebook/fyers-tradebook.csv',
    ',BUY,CNC,',
    ',SELL,INTRADAY,',
    "SELECT side FROM trades WHERE symbol = 'ACME-EQ'",
    { side: 'short' },
  ],
  [
    'angelone-trades-history/angel.csv',
    /OPTIDX NIFTY May 26 2026 24150.00 PE \(BT\)/g,
    'FUTSTK ACME May 26 2026',
    "SELECT symbol, market, side FROM trades WHERE underlying = 'ACME'",
    { symbol: 'ACME 2026-05-26 FUT', market: 'future', side: 'short' },
  ],
  [
    'okx-trading-history/okx-trading-history.csv',
    'UTC+3',
    'UTC',
    "SELECT executed_at FROM fills WHERE symbol LIKE 'BTC%'",
    { executed_at: '2026-05-05T10:44:26.000Z' },
  ],
  [
    'okx-trading-history/okx-trading-history.csv',
    /,cont,/g,
    ',ETH,',
    "SELECT multiplier FROM trades WHERE symbol LIKE 'ETH%'",
    { multiplier: 1 },
  ],
  [
    'okx-trading-history/okx-trading-history.csv',
    /910000000000000004.*\n/,
    '',
    "SELECT count(*) AS n FROM fills WHERE symbol = 'BTC-USDT'",
    { n: 2 },
  ],
  [
    'kucoin-orders/Spot Orders_Filled Orders.csv',
    /UTC.08:00/g,
    'UTC+05:30',
    'SELECT executed_at FROM trades',
    { executed_at: '2026-05-05T02:30:01.000Z' },
  ],
  [
    'kucoin-orders/Spot Orders_Filled Orders.csv',
    /Trading Account(.*sell)/,
    'Cross Margin$1',
    "SELECT may_short FROM fills WHERE side = 'sell'",
    { may_short: 1 },
  ],
  [
    'mexc-spot-trades/mexc-spot-trades.csv',
    'UID,Pairs,Time,Side,Filled Price,Executed Amount,Total,Fee,Role',
    'UID,Paare,Zeit,Seite,Gefüllter Preis,Ausgeführter Betrag,Gesamt,Gebühr,Rolle',
    "SELECT fees FROM trades WHERE symbol = 'BTC_USDT'",
    { fees: 5.95 },
  ],
  [
    'bitvavo/bitvavo.csv',
    /Amsterdam/g,
    'Lisbon',
    'SELECT executed_at, closed_at FROM trades',
    { executed_at: '2026-01-05T11:30:40.720Z', closed_at: '2026-05-07T08:15:53.581Z' },
  ],
  [
    'ctrader-history/ctrader-history.csv',
    /^ID,|^PID\d,/gm,
    '',
    'SELECT count(*) AS n FROM trades',
    { n: 3 },
  ],
  [
    'revolut-invest/trading-account-statement.csv',
    'ACME,STOCK SPLIT,2',
    'ACME,STOCK SPLIT,-1',
    "SELECT side FROM fills WHERE kind = 'split'",
    { side: 'sell' },
  ],
  [
    'etrade-transactions/DownloadTxnHistory.csv',
    /SPY Apr 17 '26 \$500 Call/g,
    '--',
    "SELECT symbol FROM trades WHERE market = 'option'",
    { symbol: 'SPY 2026-04-17 C500' },
  ],
  [
    'etrade-transactions/DownloadTxnHistory.csv',
    'TransactionDate,TransactionType,SecurityType,Symbol,Quantity,Amount,Price',
    'Transaction Date,Activity Type,Cusip,Symbol,Quantity #,Amount $,Price $',
    'SELECT count(*) AS n FROM fills',
    { n: 7 },
  ],
  // The row of a purchase lacks the cell of its P&L; a sale opens a short.
  [
    'oanda-transactions/transactions.csv',
    '-0.2,,,,,,1012.50',
    '-0.2,,,,,1012.50',
    "SELECT gross_pnl FROM trades WHERE symbol = 'EUR_USD'",
    { gross_pnl: 13 },
  ],
  [
    'oanda-transactions/transactions.csv',
    /EDT/g,
    'AEST',
    "SELECT executed_at, side FROM trades WHERE symbol = 'USD_JPY'",
    { executed_at: '2026-04-07T10:00:00.000Z', side: 'short' },
  ],
  [
    'revolut-invest/trading-account-statement.csv',
    ',EUR 100.61,EUR 453.75,',
    ',€100.61,€453.75,',
    "SELECT entry_price FROM trades WHERE symbol = 'VUAA'",
    { entry_price: 100.61 },
  ],
  [
    'xtb-cash-csv/xtb.csv',
    'OPEN BUY 3/3.5',
    'OPEN SELL 3/3.5',
    'SELECT may_short FROM fills WHERE quantity = 3',
    { may_short: 1 },
  ],
  [
    'tradervue-trades/tradervue-trades.csv',
    /,200,2,(.*\n).*,100,2,.*\n/,
    ',400,2,$1',
    'SELECT group_concat(quantity) AS quantities FROM trades',
    { quantities: '200.0' },
  ],
  [
    'ofx-investment/statement.qfx',
    '<TICKER>ACME  260821P00095000',
    '<TICKER>ACME',
    "SELECT symbol FROM trades WHERE market = 'option'",
    { symbol: 'ACME 2026-08-21 P95' },
  ],
  [
    'ofx-investment/statement.qfx',
    /\d{6}\.000\[-4:EDT\]/g,
    '170000',
    "SELECT executed_at FROM trades WHERE symbol = 'ACME'",
    { executed_at: '2026-07-14T00:00:00.000Z' },
  ],
];

/** Changes that make a file wrong or ambiguous, and the error. */
const REFUSED: readonly [
  label: string,
  from: string | RegExp,
  to: string,
  error: string,
][] = [
  [
    'ftmo-metrix/export.csv',
    'Trade duration in seconds',
    'Taxes',
    '1: Taxes: unknown column of costs; import this file with --map new, which asks what it holds',
  ],
  [
    'ftmo-metrix/export.csv',
    '-6.6',
    '6.6',
    '2: Commissions: must be 0 or below, such as -3.29',
  ],
  [
    'ftmo-metrix/export.csv',
    ';sell;2.00',
    ';sold;2.00',
    '2: Type: must be one of Long, Short, Buy, Sell; got "sold"',
  ],
  [
    'ctrader-history/ctrader-history.csv',
    '9078.41',
    '9090.91',
    '2: Net EUR: must be gross with commission and swap',
  ],
  [
    'ctrader-history/ctrader-history.csv',
    '12/03/2026',
    '03/13/2026',
    '2: Opening Time (UTC+2): must be a time with the day first',
  ],
  [
    'exness-personal-area/exness.csv',
    '-0.70',
    '0.70',
    '2: commission: must be 0 or below',
  ],
  [
    'ig-transaction-history/transactions.csv',
    ',EUR\n',
    ',E\n',
    '2: CurrencyIsoCode: must be a currency, such as USD',
  ],
  [
    'sierra-trades-list/TradesList.txt',
    '\t125.00\t125.00\t125.00 F',
    '\t100.00\t125.00\t125.00 F',
    '6: Profit/Loss (C): 100 is neither 125, as the prices give, nor that less the commission',
  ],
  [
    'sierra-trades-list/TradesList.txt',
    'ESM26-CME',
    'BTC/USD',
    '6: Symbol: must be a future, such as MNQH26_FUT_CME, or a share, such as AAPL; got "BTC/USD"',
  ],
  [
    'fyers-tradebook/fyers-tradebook.csv',
    ',Equity,',
    ',Commodity,',
    '16: Segment: must be one of Derivatives, Equity, Capital Market; got "Commodity"',
  ],
  [
    'fyers-tradebook/fyers-tradebook.csv',
    ',Intraday,20,310',
    ',Intraday,,310',
    '11: Qty: is missing',
  ],
  [
    'fyers-api-tradebook/tradebook.csv',
    '102:5',
    '102:9',
    '10: orderNumStatus: must be one of 1, 2, 4, 5, 6; got "9"',
  ],
  [
    'fyers-api-tradebook/tradebook.csv',
    '15:00,-1,',
    '15:00,0,',
    '4: side: must be one of 1, Buy, Sell, -1; got "0"',
  ],
  [
    'angelone-trades-history/angel.csv',
    '(BT)',
    '(CF)',
    '12: Scrip/Contract: must be a contract, such as OPTIDX NIFTY Aug 25 2026 24150.00 PE (BT); got "OPTIDX NIFTY May 26 2026 24150.00 PE (CF)"',
  ],
  [
    'angelone-trades-history/angel.csv',
    ',,120.5,',
    ',120.5,,',
    '11: Sell Price: must be a number, such as 4277.25; got ""',
  ],
  [
    'angelone-trades-history/angel.csv',
    /,Trade ID/,
    ',Trade ID,Other Levy',
    'Other Levy: unknown column of costs',
  ],
  [
    'okx-trading-history/okx-trading-history.csv',
    /ETH-USDT-SWAP/g,
    'ETH-USD-SWAP',
    '3: Symbol: a contract settled in coins, which this format does not read; remove its rows',
  ],
  [
    'okx-trading-history/okx-trading-history.csv',
    /,Spot,/g,
    ',Margin,',
    'Trade Type: must be one of Spot, Swap',
  ],
  [
    'kucoin-orders/Spot Orders_Filled Orders.csv',
    'Fee Currency,Tax',
    'Fee Currency,Levy',
    '1: Levy: unknown column of costs',
  ],
  [
    'kucoin-orders/kucoin_order_history.csv',
    ',sell,',
    ',transfer,',
    '3: side: must be one of Buy, Sell',
  ],
  [
    'mexc-spot-trades/mexc-spot-trades.csv',
    '2.95USDT',
    '2.95',
    '3: Fee: must be an amount with its currency, such as 1.25 USDT; got "2.95"',
  ],
  [
    'bitvavo/bitvavo.csv',
    'Europe/Amsterdam,2026-01-05,11:30',
    'CET?,2026-01-05,11:30',
    '5: Timezone: must be a time zone, such as Europe/Amsterdam; got "CET?"',
  ],
  ['bitvavo/bitvavo.csv', 'buy,ETH', 'swap,ETH', '5: Type: must be one of Buy, Sell'],
  ['bitvavo/bitvavo.csv', 'EUR,2000,', 'EUR,,', '5: Quote Price: is missing'],
  [
    'oanda-transactions/transactions.csv',
    ',-1.5,13,',
    ',-1.5,19,',
    "7: PL: 19 isn't in USD, your base currency, in which the prices of EUR_USD give",
  ],
  [
    'oanda-transactions/transactions.csv',
    'DAILY_FINANCING,DAILY_FINANCING,,,,,,,,-0.25,,,',
    'MARGIN_CLOSEOUT,X,,,,,,,,-0.25,,3,',
    '5: TRANSACTION TYPE: must be ORDER_FILL for a row with a P&L; got "MARGIN_CLOSEOUT"',
  ],
  [
    'oanda-transactions/transactions.csv',
    /EDT/g,
    'IST',
    '5: TRANSACTION DATE: must be a time with the year first',
  ],
  [
    'revolut-invest/trading-account-statement.csv',
    'USD 50.25',
    'EUR 50.25',
    '4: Price per share: must be in USD, the currency of its row; got "EUR 50.25"',
  ],
  [
    'revolut-invest/trading-account-statement.csv',
    'USD 119',
    'USD 1190',
    '7: Total Amount: must be about quantity times price, which is 120; got "USD 1190"',
  ],
  [
    'xtb-cash-csv/xtb.csv',
    'OPEN BUY 2 @ 100.00',
    'OPEN BUY 2 at 100.00',
    '8: Comment: must be a number',
  ],
  [
    'etrade-transactions/DownloadTxnHistory.csv',
    '-50,10,',
    '-500,10,',
    '8: Amount: must be about -50, as quantity, price and commission give; got "-500"',
  ],
  [
    'etrade-transactions/DownloadTxnHistory.csv',
    '-50,10,',
    '-49,10,',
    '8: Amount: must be about -50, as quantity, price and commission give; got "-49"',
  ],
  [
    'etrade-transactions/DownloadTxnHistory.csv',
    /SPY Apr 17 '26 .500 Call,-1,0,0,0,CALL SPY.*/,
    'SPY 26APR500C,-1,0,0,0,SPY',
    "5: Symbol: must be an option, such as AAPL Jan 19 '24 $180 Call",
  ],
  [
    'etrade-transactions/DownloadTxnHistory.csv',
    ',Sold Short,',
    ',Vanished,',
    '9: TransactionType: must be one of Bought, Sold',
  ],
  [
    'questrade-edge-executions/executions.csv',
    '"2,780.00"',
    '"27.80"',
    '3: Total value: must be quantity times price, which is 2780; got "27.80"',
  ],
  [
    'questrade-edge-executions/executions.csv',
    'SLV20Nov26C55.00","BTO',
    'SLV261120C55","BTO',
    '3: Symbol: must be an option, such as SLV20Feb26C55.00',
  ],
  [
    'tradervue-trades/tradervue-trades.csv',
    '74.80',
    '76.00',
    '2: Net P&L: must be gross less commissions and fees, which is 74.8; got "76.00"',
  ],
  [
    'tradervue-trades/tradervue-generic-executions.csv',
    'ECNFee\n',
    'ECNFee,RegFee\n',
    'has 9 cells, but the header has 10',
  ],
  [
    'tradervue-trades/tradervue-generic-executions.csv',
    'BOT',
    'BUY2',
    '3: Side: must be one of Buy, B, BOT',
  ],
  [
    'tradervue-trades/tradervue-generic-executions.csv',
    'SLD,1.00',
    'SLD,-1.00',
    '2: Commission: must be 0 or above, such as 1.25',
  ],
  [
    'ofx-investment/statement.qfx',
    '</OFX>',
    '',
    'is cut off before </OFX>; download it again',
  ],
  [
    'ofx-investment/statement.qfx',
    '-1052.10',
    '-105.21',
    '22: TOTAL: must be about -1052.1, as units, price and costs give; got "-105.21"',
  ],
  [
    'ofx-investment/statement.qfx',
    '<OPTACTION>EXPIRE',
    '<OPTACTION>VANISH',
    'OPTACTION: must be one of EXPIRE, ASSIGN, EXERCISE; got "VANISH"',
  ],
];

const OPTIONS = { timeZone: 'UTC' };
const present = new Set(allExports().map(({ label }) => label));
const homeOf = () => new ImportHome().withUser();

/** The contents of a journal after one import. */
function contentsOf(home: ImportHome, path: string): Contents {
  const [report] = home.import(path, OPTIONS).files as [FileReport];
  const trades = home.rows('SELECT * FROM trades ORDER BY symbol');
  const closed = trades.filter(({ status }) => status === 'closed');
  const open = trades.filter(({ status }) => status === 'open');
  const sums = (column: string) =>
    [...Map.groupBy(closed, ({ currency }) => String(currency))]
      .map(
        ([currency, own]) =>
          `${total(own.map((row) => Number(row[column])))} ${currency}`,
      )
      .sort()
      .join(', ');
  return {
    rows: report.rows.read,
    skipped: Object.fromEntries(
      report.skipped.map(({ reason, count }) => [reason, count]),
    ),
    closed: closed.length,
    gross: sums('gross_pnl'),
    fees: sums('fees'),
    open: Object.fromEntries(
      open.map(({ symbol, side, open_quantity: units }) => [
        symbol,
        side === 'short' ? 0 - Number(units) : units,
      ]),
    ),
    unmatched: report.platform?.unmatched.length ?? 0,
  };
}

function total(amounts: readonly number[]): number {
  return roundMoney(amounts.reduce((sum, amount) => sum + amount, 0));
}

/** A made-up file with a change. */
function changed(
  home: ImportHome,
  name: string,
  from: string | RegExp,
  to: string,
): string {
  const text = readFileSync(pathOf(`made-up ${name}`), 'utf8');
  const other = text.replace(from, to);
  expect(other).not.toBe(text);
  return home.file(name.replace(/.*\//, ''), other);
}

test.each(FILES.filter(([label]) => present.has(label)))('%s', (label, wanted) => {
  const { base = 'USD', ...contents } = wanted;
  const own = contentsOf(
    new ImportHome().withUser('me', { base_currency: base }),
    pathOf(label),
  );
  expect(own).toEqual({ skipped: {}, open: {}, unmatched: 0, ...contents });
});

test.each(FORMS)('%s of another version, with %j for %s', (name, from, to, sql, row) => {
  const home = homeOf();
  home.import(changed(home, name, from, to), OPTIONS);
  expect(home.rows(sql)[0]).toEqual(row);
});

test.each(REFUSED)('%s with %j for %s is refused', (name, from, to, error) => {
  const home = homeOf();
  expect(home.refusalOf(changed(home, name, from, to), OPTIONS)).toContain(error);
});

test('a part of a position closed later is a trade of its own, though FTMO repeats the ticket', () => {
  const home = homeOf();
  home.import(pathOf('made-up ftmo-metrix/export.csv'), OPTIONS);
  home.import(
    changed(home, 'ftmo-metrix/export.csv', /2026-03-06 09:30:10/, '2026-03-06 10:45:00'),
    OPTIONS,
  );
  expect(home.rows('SELECT count(*) AS n FROM trades')[0]).toEqual({ n: 5 });
});

test("Groww's trades without an ISIN are read, and its totals with commas between the digits", () => {
  const home = homeOf();
  const header =
    'Stock name,ISIN,Quantity,Buy date,Buy price,Buy value,Sell date,Sell price,Sell value,Realised P&L,Remark';
  const row =
    'ACME LTD,,"1,000",01-05-2026,100,100000,04-05-2026,200.125,200125,"1,00,125.00",';
  const lines = [
    'Realised P&L,"1,00,125.00"',
    'Total,"1,234.50"',
    'Realised trades',
    header,
    row,
    'Unrealised trades',
  ];
  const [report] = home.import(home.file('pnl.csv', lines.join('\n')), OPTIONS).files as [
    FileReport,
  ];
  expect(home.rows('SELECT gross_pnl FROM trades')).toEqual([{ gross_pnl: 100125 }]);
  expect(JSON.stringify(report)).toContain('charges of the whole account, 1234.5 INR');
});
