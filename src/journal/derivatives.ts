/** What no file states of futures and options: contract sizes, and when they expire. */
import { monthNamed, parseLocal, toInstantText, ZoneClock } from '../time.ts';

// Futures: the roots and months in their symbols, and contract sizes as the exchanges
// specify them.

type Exchange =
  | 'CME'
  | 'CBOT'
  | 'NYMEX'
  | 'COMEX'
  | 'CFE'
  | 'Eurex'
  | 'Euronext'
  | 'HKEX'
  | 'ICE';

/** The unit is the exchange's specification behind the multiplier. */
type Row = readonly [
  exchange: Exchange,
  roots: readonly string[],
  multiplier: number,
  currency: string,
  unit: string,
];

const FUTURES: readonly Row[] = [
  // Equity indices
  ['CME', ['ES'], 50, 'USD', '$50 x S&P 500'],
  ['CME', ['MES'], 5, 'USD', '$5 x S&P 500'],
  ['CME', ['NQ'], 20, 'USD', '$20 x Nasdaq-100'],
  ['CME', ['MNQ'], 2, 'USD', '$2 x Nasdaq-100'],
  ['CME', ['RTY'], 50, 'USD', '$50 x Russell 2000'],
  ['CME', ['M2K'], 5, 'USD', '$5 x Russell 2000'],
  ['CME', ['EMD'], 100, 'USD', '$100 x S&P MidCap 400'],
  ['CME', ['NKD'], 5, 'USD', '$5 x Nikkei 225'],
  ['CME', ['NIY'], 500, 'JPY', '500 yen x Nikkei 225'],
  ['CBOT', ['YM'], 5, 'USD', '$5 x Dow Jones Industrial Average'],
  ['CBOT', ['MYM'], 0.5, 'USD', '$0.50 x Dow Jones Industrial Average'],
  ['CFE', ['VX'], 1000, 'USD', '$1,000 x VIX'],
  ['CFE', ['VXM'], 100, 'USD', '$100 x VIX'],
  ['Eurex', ['FDAX'], 25, 'EUR', 'EUR 25 x DAX'],
  ['Eurex', ['FDXM'], 5, 'EUR', 'EUR 5 x DAX'],
  ['Eurex', ['FDXS'], 1, 'EUR', 'EUR 1 x DAX'],
  ['Eurex', ['FESX'], 10, 'EUR', 'EUR 10 x EURO STOXX 50'],
  ['Eurex', ['FSXE'], 1, 'EUR', 'EUR 1 x EURO STOXX 50'],
  ['Eurex', ['FSMI'], 10, 'CHF', 'CHF 10 x SMI'],
  ['Eurex', ['FVS'], 100, 'EUR', 'EUR 100 x VSTOXX'],
  ['Euronext', ['FCE'], 10, 'EUR', 'EUR 10 x CAC 40'],
  ['Euronext', ['FTI'], 200, 'EUR', 'EUR 200 x AEX'],
  ['HKEX', ['HSI'], 50, 'HKD', 'HKD 50 x Hang Seng'],
  ['HKEX', ['MHI'], 10, 'HKD', 'HKD 10 x Hang Seng'],
  // Interest rates: a point is 1 % of the face value
  ['CBOT', ['ZT'], 2000, 'USD', '$200,000 face value'],
  ['CBOT', ['Z3N'], 3000, 'USD', '$300,000 face value'],
  ['CBOT', ['ZF', 'ZN', 'TN', 'ZB', 'UB'], 1000, 'USD', '$100,000 face value'],
  ['CBOT', ['ZQ'], 4167, 'USD', '$4,167 x index'],
  ['CME', ['SR1'], 4167, 'USD', '$4,167 x index'],
  ['CME', ['SR3'], 2500, 'USD', '$2,500 x index'],
  ['CBOT', ['2YY', '5YY', '10Y', '30Y'], 1000, 'USD', '$10 a basis point'],
  [
    'Eurex',
    ['FGBL', 'FGBM', 'FGBS', 'FGBX', 'FBTP', 'FOAT'],
    1000,
    'EUR',
    'EUR 100,000 face value',
  ],
  // Currencies
  ['CME', ['6A'], 100_000, 'USD', 'AUD 100,000'],
  ['CME', ['6B'], 62_500, 'USD', 'GBP 62,500'],
  ['CME', ['6C'], 100_000, 'USD', 'CAD 100,000'],
  ['CME', ['6E'], 125_000, 'USD', 'EUR 125,000'],
  ['CME', ['6J'], 12_500_000, 'USD', 'JPY 12,500,000'],
  ['CME', ['6M'], 500_000, 'USD', 'MXN 500,000'],
  ['CME', ['6N'], 100_000, 'USD', 'NZD 100,000'],
  ['CME', ['6S'], 125_000, 'USD', 'CHF 125,000'],
  ['CME', ['E7'], 62_500, 'USD', 'EUR 62,500'],
  ['CME', ['J7'], 6_250_000, 'USD', 'JPY 6,250,000'],
  ['CME', ['M6A'], 10_000, 'USD', 'AUD 10,000'],
  ['CME', ['M6B'], 6250, 'USD', 'GBP 6,250'],
  ['CME', ['M6E'], 12_500, 'USD', 'EUR 12,500'],
  ['CME', ['MCD'], 10_000, 'USD', 'CAD 10,000'],
  ['CME', ['MJY'], 1_250_000, 'USD', 'JPY 1,250,000'],
  ['CME', ['MSF'], 12_500, 'USD', 'CHF 12,500'],
  ['ICE', ['DX'], 1000, 'USD', '$1,000 x U.S. Dollar Index'],
  // Energy
  ['NYMEX', ['CL'], 1000, 'USD', '1,000 barrels'],
  ['NYMEX', ['QM'], 500, 'USD', '500 barrels'],
  ['NYMEX', ['MCL'], 100, 'USD', '100 barrels'],
  ['NYMEX', ['BZ'], 1000, 'USD', '1,000 barrels'],
  ['ICE', ['BRN'], 1000, 'USD', '1,000 barrels'],
  ['NYMEX', ['NG'], 10_000, 'USD', '10,000 MMBtu'],
  ['NYMEX', ['QG'], 2500, 'USD', '2,500 MMBtu'],
  ['NYMEX', ['MNG'], 1000, 'USD', '1,000 MMBtu'],
  ['NYMEX', ['RB', 'HO'], 42_000, 'USD', '42,000 gallons'],
  // Metals
  ['COMEX', ['GC'], 100, 'USD', '100 troy ounces'],
  ['COMEX', ['QO'], 50, 'USD', '50 troy ounces'],
  ['COMEX', ['MGC'], 10, 'USD', '10 troy ounces'],
  ['COMEX', ['1OZ'], 1, 'USD', '1 troy ounce'],
  ['COMEX', ['SI'], 5000, 'USD', '5,000 troy ounces'],
  ['COMEX', ['QI'], 2500, 'USD', '2,500 troy ounces'],
  ['COMEX', ['SIL'], 1000, 'USD', '1,000 troy ounces'],
  ['COMEX', ['HG'], 25_000, 'USD', '25,000 pounds'],
  ['COMEX', ['QC'], 12_500, 'USD', '12,500 pounds'],
  ['COMEX', ['MHG'], 2500, 'USD', '2,500 pounds'],
  ['NYMEX', ['PL'], 50, 'USD', '50 troy ounces'],
  ['NYMEX', ['PA'], 100, 'USD', '100 troy ounces'],
  // Grains: quoted in cents, except meal
  ['CBOT', ['ZC', 'ZW', 'KE', 'ZS', 'ZO'], 50, 'USD', '5,000 bushels, in cents'],
  ['CBOT', ['XC', 'XW', 'XK'], 10, 'USD', '1,000 bushels, in cents'],
  ['CBOT', ['MZC', 'MZW', 'MZS'], 5, 'USD', '500 bushels, in cents'],
  ['CBOT', ['ZM'], 100, 'USD', '100 short tons'],
  ['CBOT', ['ZL'], 600, 'USD', '60,000 pounds, in cents'],
  ['CBOT', ['MZM'], 10, 'USD', '10 short tons'],
  ['CBOT', ['MZL'], 60, 'USD', '6,000 pounds, in cents'],
  // Livestock: in cents per pound
  ['CME', ['LE', 'HE'], 400, 'USD', '40,000 pounds, in cents'],
  ['CME', ['GF'], 500, 'USD', '50,000 pounds, in cents'],
  // Softs: in cents per pound, except cocoa
  ['ICE', ['CC'], 10, 'USD', '10 metric tons'],
  ['ICE', ['CT'], 500, 'USD', '50,000 pounds, in cents'],
  ['ICE', ['KC'], 375, 'USD', '37,500 pounds, in cents'],
  ['ICE', ['OJ'], 150, 'USD', '15,000 pounds, in cents'],
  ['ICE', ['SB'], 1120, 'USD', '112,000 pounds, in cents'],
];

/** Futures on coins, traded all week. */
const COIN_FUTURES: readonly Row[] = [
  ['CME', ['BTC'], 5, 'USD', '5 bitcoin'],
  ['CME', ['MBT'], 0.1, 'USD', '0.1 bitcoin'],
  ['CME', ['BFF'], 0.02, 'USD', '0.02 bitcoin'],
  ['CME', ['ETH'], 50, 'USD', '50 ether'],
  ['CME', ['MET'], 0.1, 'USD', '0.1 ether'],
  ['CME', ['SOL'], 500, 'USD', '500 SOL'],
  ['CME', ['MSL'], 25, 'USD', '25 SOL'],
  ['CME', ['XRP'], 50_000, 'USD', '50,000 XRP'],
  ['CME', ['MXP'], 2500, 'USD', '2,500 XRP'],
];

interface ContractSize {
  /** Money per point of the quoted price. */
  multiplier: number;
  currency: string;
}

const SIZES = new Map<string, ContractSize>(
  [...FUTURES, ...COIN_FUTURES].flatMap(([, roots, multiplier, currency]) =>
    roots.map((root) => [root, { multiplier, currency }]),
  ),
);

/** @param root as returned by futureOf */
export function contractSize(root: string): ContractSize | undefined {
  return SIZES.get(root);
}

const EXCHANGES_OF_CME: readonly Exchange[] = ['CME', 'CBOT', 'NYMEX', 'COMEX'];

const OF_CME = new Set(
  FUTURES.filter(([exchange]) => EXCHANGES_OF_CME.includes(exchange)).flatMap(
    ([, roots]) => roots,
  ),
);

/** Whether a future trades in the hours of CME's exchanges; coins do so all week. */
export function isOfCme(root: string | undefined): boolean {
  return root !== undefined && OF_CME.has(root);
}

interface FutureSymbol {
  /** The underlying: MNQ. */
  root: string;
  /** 1 to 12; null if the symbol has none, such as ES1!. */
  month: number | null;
  /** As in the symbol: 5, 25 or 2025. */
  year: string | null;
}

const MONTH_CODES = 'FGHJKMNQUVXZ';

/**
 * The parts of a future's symbol in any spelling: ESZ5, ESZ25, ESZ2025, ES 12-25, MNQ
 * DEC25, /ESZ25:XCME, F.US.MNQZ25, CON.F.US.MNQ.Z25, CME_MINI:ES1!, ES ##-##,
 * ESZ25_FUT_CME.
 * @returns undefined for any other symbol
 */
export function futureOf(symbol: string): FutureSymbol | undefined {
  const bare = symbol
    .trim()
    .toUpperCase()
    .replace(/^\.?\//, '')
    .replace(/^(CON\.)?F\.[A-Z]+\./, '')
    .replace(/:X[A-Z]{3}$/, '')
    .replace(/^[A-Z_]+:/, '')
    .replace(/_FUT_[A-Z]+$/, '')
    .replace(/[.@](CME|CBOT|NYMEX|COMEX|CFE|EUREX|ICE)\b.*/s, '');
  const coded = /^([A-Z0-9]{1,5}?)\.?([FGHJKMNQUVXZ])(\d{4}|\d{1,2})$/.exec(bare);
  if (coded) {
    const [, root = '', code = '', year = ''] = coded;
    return { root, month: MONTH_CODES.indexOf(code) + 1, year };
  }

  const dated = /^([A-Z0-9]{1,5}) (\d{1,2})-(\d{4}|\d{2})$/.exec(bare);
  if (dated && Number(dated[2]) >= 1 && Number(dated[2]) <= 12) {
    const [, root = '', month, year = ''] = dated;
    return { root, month: Number(month), year };
  }

  const [, root = '', name = '', year = ''] =
    /^([A-Z0-9]{1,5}) ([A-Z]{3}) ?'?(\d{4}|\d{2})$/.exec(bare) ?? [];
  const month = monthNamed(name);
  if (month !== undefined) return { root, month: Number(month), year };

  const continuous = /^([A-Z0-9]{1,5}?)(?:\d?!| ##-##)$/.exec(bare)?.[1];
  if (continuous !== undefined) return { root: continuous, month: null, year: null };

  return SIZES.has(bare) ? { root: bare, month: null, year: null } : undefined;
}

// Options expire at 16:00 in New York on their last day, whatever their exchange, for no
// file states the time.

const ZONE = 'America/New_York';
const CLOSE = 16;
const HOUR = 3_600_000;
const clock = new ZoneClock(ZONE);

/** @param expiration a date. @returns epoch milliseconds */
export function expiresAt(expiration: string): number {
  return parseLocal(`${expiration}T${CLOSE}:00:00`, ZONE) as number;
}

/** From 16:00 to midnight there is no clock change. */
export const REST_OF_DAY = (24 - CLOSE) * HOUR;

/** The latest date whose options have expired at an instant. */
export function lastExpired(now: number): string {
  return toInstantText(now + clock.offsetAt(now) - CLOSE * HOUR).slice(0, 10);
}
