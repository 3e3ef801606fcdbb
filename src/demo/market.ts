/** The market of the sample: instruments, a year of prices and fees. */
import { daysBetween } from '../time.ts';
import { dice } from './random.ts';

/** By market: the account, smallest quantity, trading hours in minutes of the day, and fee of a fill. */
const MARKETS = {
  stock: { account: 'Margin', lot: 1, hours: [573, 955], fee: { least: 1, each: 0.005, share: 0 } },
  option: { account: 'Margin', lot: 1, hours: [573, 955], fee: { least: 0, each: 0.65, share: 0 } },
  future: { account: 'Futures', lot: 1, hours: [520, 960], fee: { least: 0, each: 0.62, share: 0 } },
  forex: { account: 'FX', lot: 1000, hours: [190, 720], fee: { least: 0, each: 0, share: 0.00003 } },
  crypto: { account: 'Crypto', lot: 0.0001, hours: [430, 1250], fee: { least: 0, each: 0, share: 0.0006 } },
} as const;

export type Market = keyof typeof MARKETS;

/** Symbol, market, currency, multiplier, tick, price a year ago, price now, daily move and stop as shares of the price, weight. */
type Row = readonly [string, Market, string, number, number, number, number, number, number, number];
const LISTED: readonly Row[] = [
  ['AAPL', 'stock', 'USD', 1, 0.01, 228.4, 243.1, 0.014, 0.005, 4],
  ['NVDA', 'stock', 'USD', 1, 0.01, 171.2, 203.8, 0.023, 0.007, 8],
  ['AMD', 'stock', 'USD', 1, 0.01, 158.9, 187.4, 0.026, 0.008, 6],
  ['TSLA', 'stock', 'USD', 1, 0.01, 331.5, 352.9, 0.031, 0.009, 6],
  ['META', 'stock', 'USD', 1, 0.01, 702.3, 688.0, 0.019, 0.006, 3],
  ['PLTR', 'stock', 'USD', 1, 0.01, 139.6, 171.3, 0.032, 0.009, 5],
  ['XOM', 'stock', 'USD', 1, 0.01, 111.8, 117.2, 0.013, 0.005, 2],
  ['SPY', 'stock', 'USD', 1, 0.01, 641.7, 694.5, 0.009, 0.003, 3],
  ['MES', 'future', 'USD', 5, 0.25, 6440, 6975, 0.009, 0.0013, 12],
  ['MNQ', 'future', 'USD', 2, 0.25, 23_450, 25_900, 0.012, 0.0017, 10],
  ['MGC', 'future', 'USD', 10, 0.1, 3380, 3905, 0.011, 0.002, 4],
  ['EUR/USD', 'forex', 'USD', 1, 0.00001, 1.1642, 1.1517, 0.0045, 0.0016, 5],
  ['GBP/USD', 'forex', 'USD', 1, 0.00001, 1.3471, 1.3288, 0.005, 0.0017, 2],
  ['USD/JPY', 'forex', 'JPY', 1, 0.001, 147.62, 152.85, 0.0055, 0.0018, 4],
  ['EUR/GBP', 'forex', 'GBP', 1, 0.00001, 0.8643, 0.8671, 0.003, 0.0012, 2],
  ['BTC-USD', 'crypto', 'USD', 1, 0.01, 109_400, 121_600, 0.022, 0.011, 4],
  ['ETH-USD', 'crypto', 'USD', 1, 0.01, 4120, 4390, 0.03, 0.014, 3],
  ['SOL-USD', 'crypto', 'USD', 1, 0.01, 188, 203, 0.036, 0.016, 2],
];

/** An option has a contract, with the fields of a trade's record. */
export type Instrument = ReturnType<typeof listed> & {
  contract?: { underlying: string; option_type: 'call' | 'put'; strike: number; expiration: string };
};

export const INSTRUMENTS: readonly Instrument[] = LISTED.map(listed);

function listed([symbol, market, currency, multiplier, tick, start, end, volatility, stop, weight]: Row) {
  return { symbol, market, currency, multiplier, tick, start, end, volatility, stop, weight, ...MARKETS[market] };
}

export function sampleInstrument(symbol: string): Instrument {
  return INSTRUMENTS.find((one) => one.symbol === symbol)!;
}

/** A year's trading days, and the price of a symbol on each. */
export type Year = ReturnType<typeof yearOf>;

export function yearOf(today: string, days: readonly string[]) {
  const paths = new Map(INSTRUMENTS.map((one, n) => [one.symbol, pricePath(one, n + 1, days.length)]));
  const price = (symbol: string, day: number): number =>
    paths.get(symbol)![Math.max(0, Math.min(day, days.length - 1))]!;
  return { today, days, price };
}

/** A random walk, adjusted to reach its end price; symbols that follow the index share one. */
function pricePath(one: Instrument, seed: number, length: number): number[] {
  const chance = dice(41, ['SPY', 'MES', 'MNQ'].includes(one.symbol) ? 0 : seed);
  let walked = 0;
  const walk = Array.from({ length }, () => (walked += one.volatility * chance.bell()));
  const miss = Math.log(one.end / one.start) - walked;
  return walk.map((step, day) => toTick(one, one.start * Math.exp(step + (miss * (day + 1)) / length)));
}

/** A price as the market quotes it. */
export function toTick({ tick }: Instrument, price: number): number {
  return Number((Math.round(price / tick) * tick).toFixed(5));
}

/** A broker's fee for a fill, in the instrument's currency: whole yen, or cents. */
export function feeOf({ fee, currency }: Instrument, quantity: number, price: number): number {
  const amount = Math.max(fee.least, quantity * fee.each + quantity * price * fee.share);
  return currency === 'JPY' ? Math.round(amount) : toCents(amount);
}

/** Exchange rate of a currency in dollars on a day. */
export function dollarsPer(currency: string, year: Year, day: number): number {
  if (currency === 'JPY') return Number((1 / year.price('USD/JPY', day)).toFixed(8));
  return currency === 'GBP' ? year.price('GBP/USD', day) : 1;
}

export function toCents(amount: number): number {
  return Number(amount.toFixed(2));
}

/** An option, named as brokers do (underlying, date, type, strike in thousandths), at the strike nearest to a price. */
export function optionOn(underlying: string, type: 'call' | 'put', price: number, expiration: string) {
  const step = price > 300 ? 5 : 2.5;
  const strike = Math.round(price / step) * step;
  const code = `${type === 'call' ? 'C' : 'P'}${String(strike * 1000).padStart(8, '0')}`;
  return {
    ...sampleInstrument(underlying),
    ...MARKETS.option,
    symbol: `${underlying}${expiration.slice(2).replaceAll('-', '')}${code}`,
    market: 'option' as const,
    multiplier: 100,
    contract: { underlying, option_type: type, strike, expiration },
    // A premium moves more than the stock, and the stop of a bought option is a third of its price.
    volatility: 0.1,
    stop: 0.33,
  };
}

/** The premium of an option by Black and Scholes, without interest. */
export function premium({ contract }: ReturnType<typeof optionOn>, spot: number, date: string): number {
  const { underlying, option_type, strike, expiration } = contract;
  const years = Math.max(daysBetween(date, expiration), 0.3) / 365;
  const deviation = sampleInstrument(underlying).volatility * 1.1 * Math.sqrt(years * 252);
  /** The normal distribution, to three decimals. */
  const normal = (x: number): number => 1 / (1 + Math.exp(-1.5976 * x - 0.070566 * x ** 3));
  const d1 = Math.log(spot / strike) / deviation + deviation / 2;
  const call = spot * normal(d1) - strike * normal(d1 - deviation);
  return Math.max(0.01, toCents(option_type === 'call' ? call : call - spot + strike));
}
