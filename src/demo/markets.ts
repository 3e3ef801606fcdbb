/** What the sample trader trades: instruments with their costs and hours, and a year of prices for each. */
import { dice } from './random.ts';
import type { SampleTrade } from './records.ts';

export interface Instrument {
  symbol: string;
  market: SampleTrade['market'];
  account: string;
  currency: string;
  multiplier: number;
  /** Decimals of a price, and the smallest step where it is no power of ten. */
  decimals: number;
  tick?: number;
  /** The smallest quantity. */
  lot: number;
  /** The first and the last minute of the day to trade in, local time. */
  hours: readonly [number, number];
  /** Price a year ago and now, and how much it moves in a day. */
  start: number;
  end: number;
  volatility: number;
  /** Distance of a day trade's stop, as a share of the price. */
  stop: number;
  weight: number;
  /** The instrument whose every move it makes, where it is another form of it. */
  follows?: string;
}

const stock = {
  market: 'stock',
  account: 'Margin',
  currency: 'USD',
  multiplier: 1,
  decimals: 2,
  lot: 1,
  hours: [573, 955],
} as const;
const future = {
  market: 'future',
  account: 'Futures',
  currency: 'USD',
  decimals: 2,
  lot: 1,
  hours: [520, 960],
} as const;
const forex = { market: 'forex', account: 'FX', multiplier: 1, decimals: 5, lot: 1000, hours: [190, 720] } as const;
const coin = {
  market: 'crypto',
  account: 'Crypto',
  currency: 'USD',
  multiplier: 1,
  decimals: 2,
  lot: 1e-8,
  hours: [430, 1250],
} as const;

export const INSTRUMENTS: readonly Instrument[] = [
  { ...stock, symbol: 'AAPL', start: 228.4, end: 243.1, volatility: 0.014, stop: 0.005, weight: 4 },
  { ...stock, symbol: 'NVDA', start: 171.2, end: 203.8, volatility: 0.023, stop: 0.007, weight: 8 },
  { ...stock, symbol: 'AMD', start: 158.9, end: 187.4, volatility: 0.026, stop: 0.008, weight: 6 },
  { ...stock, symbol: 'TSLA', start: 331.5, end: 352.9, volatility: 0.031, stop: 0.009, weight: 6 },
  { ...stock, symbol: 'META', start: 702.3, end: 688.0, volatility: 0.019, stop: 0.006, weight: 3 },
  { ...stock, symbol: 'PLTR', start: 139.6, end: 171.3, volatility: 0.032, stop: 0.009, weight: 5 },
  { ...stock, symbol: 'XOM', start: 111.8, end: 117.2, volatility: 0.013, stop: 0.005, weight: 2 },
  { ...stock, symbol: 'SPY', start: 641.7, end: 694.5, volatility: 0.009, stop: 0.003, weight: 3 },
  {
    ...future,
    symbol: 'MES',
    follows: 'SPY',
    multiplier: 5,
    tick: 0.25,
    start: 6440,
    end: 6975,
    volatility: 0.009,
    stop: 0.0013,
    weight: 12,
  },
  {
    ...future,
    symbol: 'MNQ',
    follows: 'SPY',
    multiplier: 2,
    tick: 0.25,
    start: 23450,
    end: 25900,
    volatility: 0.012,
    stop: 0.0017,
    weight: 10,
  },
  {
    ...future,
    symbol: 'MGC',
    multiplier: 10,
    decimals: 1,
    start: 3380,
    end: 3905,
    volatility: 0.011,
    stop: 0.002,
    weight: 4,
  },
  {
    ...forex,
    symbol: 'EUR/USD',
    currency: 'USD',
    start: 1.1642,
    end: 1.1517,
    volatility: 0.0045,
    stop: 0.0016,
    weight: 5,
  },
  {
    ...forex,
    symbol: 'GBP/USD',
    currency: 'USD',
    start: 1.3471,
    end: 1.3288,
    volatility: 0.005,
    stop: 0.0017,
    weight: 2,
  },
  {
    ...forex,
    symbol: 'USD/JPY',
    currency: 'JPY',
    decimals: 3,
    start: 147.62,
    end: 152.85,
    volatility: 0.0055,
    stop: 0.0018,
    weight: 4,
  },
  {
    ...forex,
    symbol: 'EUR/GBP',
    currency: 'GBP',
    start: 0.8643,
    end: 0.8671,
    volatility: 0.003,
    stop: 0.0012,
    weight: 2,
  },
  { ...coin, symbol: 'BTC-USD', start: 109_400, end: 121_600, volatility: 0.022, stop: 0.011, weight: 4 },
  { ...coin, symbol: 'ETH-USD', start: 4120, end: 4390, volatility: 0.03, stop: 0.014, weight: 3 },
  { ...coin, symbol: 'SOL-USD', start: 188, end: 203, volatility: 0.036, stop: 0.016, weight: 2 },
];

export function instrumentOf(symbol: string): Instrument {
  return INSTRUMENTS.find((one) => one.symbol === symbol)!;
}

/** A year to trade in: its trading days, and the price of a symbol on each. */
export interface Year {
  today: string;
  days: readonly string[];
  price: (symbol: string, day: number) => number;
}

export function yearOf(today: string, days: readonly string[]): Year {
  const paths = new Map(INSTRUMENTS.map((one) => [one.symbol, pricePath(one, days.length)]));
  return { today, days, price: (symbol, day) => paths.get(symbol)![Math.max(0, Math.min(day, days.length - 1))]! };
}

/** A random walk, bent so that it ends where it should. */
function pricePath(one: Instrument, length: number): number[] {
  const leader = one.follows ?? one.symbol;
  const chance = dice(
    41,
    INSTRUMENTS.findIndex((other) => other.symbol === leader),
  );
  let walked = 0;
  const walk = Array.from({ length }, () => (walked += one.volatility * chance.bell()));
  const miss = Math.log(one.end / one.start) - walked;
  return walk.map((step, day) => toTick(one, one.start * Math.exp(step + (miss * (day + 1)) / length)));
}

/** A price as the market quotes it. */
export function toTick(one: Instrument, price: number): number {
  return Number((one.tick ? Math.round(price / one.tick) * one.tick : price).toFixed(one.decimals));
}

/** What a broker takes for one fill, in the instrument's currency. */
export function feeOf(one: Instrument, quantity: number, price: number): number {
  const notional = quantity * price;
  switch (one.market) {
    case 'stock':
      return toCents(Math.max(1, quantity * 0.005));
    case 'option':
      return toCents(quantity * 0.65);
    case 'future':
      return toCents(quantity * 0.62);
    case 'crypto':
      return toCents(notional * 0.0006);
    default:
      return one.currency === 'JPY' ? Math.round(notional * 0.00003) : toCents(notional * 0.00003);
  }
}

/** Dollars for 1 unit of a currency on a day. */
export function dollarsPer(currency: string, year: Year, day: number): number {
  if (currency === 'JPY') return Number((1 / year.price('USD/JPY', day)).toFixed(8));
  return currency === 'GBP' ? year.price('GBP/USD', day) : 1;
}

export function toCents(amount: number): number {
  return Number(amount.toFixed(2));
}

export interface Contract {
  underlying: string;
  type: 'call' | 'put';
  strike: number;
  expiration: string;
}

/** An option as an instrument of its own, named as brokers do: underlying, date, type, strike in thousandths. */
export function optionOn(contract: Contract): Instrument {
  const { underlying, type, strike, expiration } = contract;
  const code = `${expiration.slice(2).replaceAll('-', '')}${type === 'call' ? 'C' : 'P'}${String(strike * 1000).padStart(8, '0')}`;
  // A bought option is given up when a third of its premium is lost.
  return { ...instrumentOf(underlying), symbol: `${underlying}${code}`, market: 'option', multiplier: 100, stop: 0.33 };
}

/** The nearest strike that is listed. */
export function strikeNear(price: number): number {
  const step = price > 300 ? 5 : 2.5;
  return Math.round(price / step) * step;
}

/** Black-Scholes without interest: fair enough for a sample. */
export function premium(contract: Contract, spot: number, daysLeft: number): number {
  const deviation =
    instrumentOf(contract.underlying).volatility * 1.1 * Math.sqrt((Math.max(daysLeft, 0.3) * 252) / 365);
  const d1 = Math.log(spot / contract.strike) / deviation + deviation / 2;
  const call = spot * normal(d1) - contract.strike * normal(d1 - deviation);
  return Math.max(0.01, toCents(contract.type === 'call' ? call : call - spot + contract.strike));
}

/** The normal distribution, to three decimals. */
function normal(x: number): number {
  return 1 / (1 + Math.exp(-1.5976 * x - 0.070566 * x ** 3));
}
