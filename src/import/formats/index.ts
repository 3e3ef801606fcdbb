/**
 * All file formats. A new one needs a file here and a line below, and one in unique-ids.ts if its
 * platform's execution ids are unique; platforms come before general formats.
 */
import type { Format } from '../tables/format.ts';
import { binance, binanceOrders, binanceSpot, binanceTransactions } from './binance.ts';
import { bybit, bybitSpot, bybitTrades } from './bybit.ts';
import { bybitLog } from './bybit-log.ts';
import { ctrader, exness, ftmoMetrix, ig } from './cfd-brokers.ts';
import { bitvavo, kucoin, mexc, okx } from './coin-exchanges.ts';
import { coinbase, coinbaseTransactions } from './coinbase.ts';
import { degiro } from './degiro.ts';
import { etoro } from './etoro.ts';
import { revolut, revolutOlder, xtb, xtbCash } from './european-brokers.ts';
import { fidelity } from './fidelity.ts';
import { freqtrade, freqtradeBacktest } from './freqtrade.ts';
import { quantower, sierraChart, topstepx, topstepxOrders } from './futures-platforms.ts';
import { hyperliquid } from './hyperliquid.ts';
import { ibkrActivity } from './ibkr-activity.ts';
import { ibkrFlex } from './ibkr-flex.ts';
import { ibkrTransactions } from './ibkr-transactions.ts';
import { angelOne, fyers, fyersApi, groww, upstox } from './indian-brokers.ts';
import { kraken, krakenFutures, krakenLedgers } from './kraken.ts';
import { metatrader } from './metatrader.ts';
import { ninjatrader, ninjatraderPerformance } from './ninjatrader.ts';
import { etrade, questrade, questradeEdge } from './north-american-brokers.ts';
import { oanda } from './oanda.ts';
import { ofx } from './ofx.ts';
import { rates } from './rates.ts';
import { csv, json, jsonLines } from './records.ts';
import { rithmic, rithmicOrders } from './rithmic.ts';
import { robinhood } from './robinhood.ts';
import { schwab } from './schwab.ts';
import { tastytrade, tastytradeOlder } from './tastytrade.ts';
import { thinkorswim, thinkorswimActivity } from './thinkorswim.ts';
import {
  tradervue,
  tradervueExecutions,
  tradezella,
  tradezellaTemplate,
} from './trade-journals.ts';
import { tradeRepublic } from './trade-republic.ts';
import { trading212 } from './trading212.ts';
import { tradingview } from './tradingview.ts';
import { tradingviewBalance, tradingviewOrders } from './tradingview-balance.ts';
import { tradovate, tradovateCash, tradovateFills, tradovateOrders } from './tradovate.ts';
import { hasUniqueIds } from './unique-ids.ts';
import { das, tradezero, webull } from './us-brokers.ts';
import { zerodha, zerodhaOrders } from './zerodha.ts';

const READERS: readonly Format[] = [
  tradovate,
  tradovateFills,
  tradovateOrders,
  tradovateCash,
  topstepx,
  topstepxOrders,
  rithmicOrders,
  quantower,
  rithmic,
  tradingview,
  tradingviewOrders,
  tradingviewBalance,
  ftmoMetrix,
  ctrader,
  exness,
  ig,
  oanda,
  xtb,
  xtbCash,
  metatrader,
  sierraChart,
  ninjatraderPerformance,
  ninjatrader,
  tastytrade,
  tastytradeOlder,
  ibkrTransactions,
  ibkrActivity,
  ibkrFlex,
  thinkorswim,
  thinkorswimActivity,
  robinhood,
  schwab,
  etoro,
  etrade,
  questrade,
  questradeEdge,
  revolut,
  revolutOlder,
  fidelity,
  degiro,
  tradezero,
  tradezella,
  tradezellaTemplate,
  tradervue,
  tradervueExecutions,
  das,
  kraken,
  krakenLedgers,
  krakenFutures,
  coinbase,
  coinbaseTransactions,
  binance,
  binanceSpot,
  binanceOrders,
  binanceTransactions,
  bybit,
  bybitTrades,
  bybitSpot,
  bybitLog,
  hyperliquid,
  okx,
  kucoin,
  mexc,
  bitvavo,
  trading212,
  tradeRepublic,
  webull,
  zerodha,
  zerodhaOrders,
  upstox,
  fyers,
  fyersApi,
  groww,
  angelOne,
  freqtradeBacktest,
  freqtrade,
  ofx,
  rates,
  jsonLines,
  json,
  csv,
];

export const FORMATS: readonly Format[] = READERS.map((format) =>
  hasUniqueIds(format.name) ? { ...format, hasUniqueIds: true } : format,
);
