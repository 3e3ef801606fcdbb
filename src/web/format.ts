/**
 * Formats of money, dates and numbers: in the browser's locale, days and times in the
 * journal's time zone. The only place that turns a value into text. An absent value is a
 * dash.
 */
export const NONE = '–';

type Maybe<T> = T | null | undefined;

export type Formats = ReturnType<typeof formatsOf>;

/** @param locale default: the browser's */
export function formatsOf(
  { timezone, base_currency }: { timezone: string; base_currency: string },
  locale?: string,
) {
  return {
    ...moneyFormats(base_currency, locale),
    ...numberFormats(locale),
    ...dayFormats(locale),
    ...instantFormats(timezone, locale),
    duration,
    shortDuration,
  };
}

function numberFormat(locale: string | undefined, options: Intl.NumberFormatOptions) {
  const format = new Intl.NumberFormat(locale, options);
  return (value: Maybe<number>) =>
    value === null || value === undefined ? NONE : format.format(value);
}

function dateFormat(
  locale: string | undefined,
  timeZone: string,
  options: Intl.DateTimeFormatOptions,
) {
  const format = new Intl.DateTimeFormat(locale, { timeZone, ...options });
  return (value: Maybe<string | number>) =>
    value === null || value === undefined ? NONE : format.format(new Date(value));
}

const sizeOf = (value: Maybe<number>) => Math.abs(value ?? 0);

const LARGE = [
  ['B', 1e9],
  ['M', 1e6],
  ['K', 1e3],
] as const;

const TWO_DECIMALS = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const;

function moneyFormats(baseCurrency: string, locale: string | undefined) {
  const currencies = new Map<string, (value: Maybe<number>) => string>();
  const inCurrency = (currency: string, options: Intl.NumberFormatOptions) => {
    const id = `${currency} ${JSON.stringify(options)}`;
    const known = currencies.get(id) ?? money(locale, currency, options);
    currencies.set(id, known);
    return known;
  };

  const smallGain = numberFormat(locale, { ...TWO_DECIMALS, signDisplay: 'exceptZero' });
  const wholeGain = numberFormat(locale, {
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  });
  const tenthGain = numberFormat(locale, {
    maximumFractionDigits: 1,
    signDisplay: 'exceptZero',
  });
  // Not the compact notation, which doesn't shorten thousands in many languages.
  const digits = (maximumSignificantDigits: number) =>
    numberFormat(locale, { maximumSignificantDigits, signDisplay: 'exceptZero' });
  const writers = { 2: digits(2), 3: digits(3) };
  const inThousands = (value: number, count: 2 | 3) => {
    // 999,500 is 1M in two digits.
    const least = 1 - 0.5 * 10 ** -count;
    const [letter, size] =
      LARGE.find(([, size]) => sizeOf(value) >= size * least) ?? LARGE[2];
    return `${writers[count](value / size)}${letter}`;
  };

  return {
    money: (value: Maybe<number>, currency = baseCurrency) => {
      const write = inCurrency(currency, {});
      const text = write(value);
      // -0.0001 rounds to nothing, which has no sign.
      return text === write(-0) ? write(0) : text;
    },
    /** With + and −. */
    gain: (value: Maybe<number>, currency = baseCurrency) =>
      inCurrency(currency, { signDisplay: 'exceptZero' })(value),
    /** Few characters: +$1.2K. */
    shortGain: (value: Maybe<number>, currency = baseCurrency) => {
      const size = Math.abs(value ?? 0);
      const options: Intl.NumberFormatOptions =
        size >= 10_000
          ? { notation: 'compact', maximumSignificantDigits: 3 }
          : { maximumFractionDigits: size < 10 ? 2 : 0, minimumFractionDigits: 0 };
      return inCurrency(currency, { signDisplay: 'exceptZero', ...options })(value);
    },
    /** Without a currency, if the context shows it: +177 */
    bareGain: (value: Maybe<number>) => {
      if (sizeOf(value) >= 1e4) return inThousands(value ?? 0, 3);
      return (sizeOf(value) < 10 ? smallGain : wholeGain)(value);
    },
    /** The fewest characters, for a cell of a calendar: +1.2K, -177, +5.7 */
    cellGain: (value: Maybe<number>) => {
      if (sizeOf(value) >= 999.5) return inThousands(value ?? 0, 2);
      return (sizeOf(value) < 9.95 ? tenthGain : wholeGain)(value);
    },
    axisMoney: inCurrency(baseCurrency, {
      notation: 'compact',
      maximumSignificantDigits: 3,
    }),
  };
}

function numberFormats(locale: string | undefined) {
  const number = (options: Intl.NumberFormatOptions) => numberFormat(locale, options);
  const finest = number({ maximumFractionDigits: 8 });
  const fine = number({ maximumFractionDigits: 4 });
  const coarse = number({ maximumFractionDigits: 2 });
  const r = number({ ...TWO_DECIMALS, signDisplay: 'exceptZero' });

  return {
    r: (value: Maybe<number>) =>
      value === null || value === undefined ? NONE : `${r(value)} R`,
    percent: number({ style: 'percent', maximumFractionDigits: 1 }),
    signedPercent: number({
      style: 'percent',
      maximumFractionDigits: 1,
      signDisplay: 'exceptZero',
    }),
    wholePercent: number({ style: 'percent', maximumFractionDigits: 0 }),
    signedDecimal: r,
    count: number({ maximumFractionDigits: 0 }),
    /** A price or a quantity: small values need more decimals. */
    price: (value: Maybe<number>) => {
      const size = Math.abs(value ?? 0);
      if (size < 1) return finest(value);
      return (size < 10_000 ? fine : coarse)(value);
    },
    decimal: number(TWO_DECIMALS),
  };
}

/**
 * For days, which are dates in the journal's time zone already; UTC leaves them
 * unchanged.
 */
function dayFormats(locale: string | undefined) {
  const day = (options: Intl.DateTimeFormatOptions) => dateFormat(locale, 'UTC', options);
  return {
    /** Fri, Nov 20, 2026 */
    day: day({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    /** Nov 20, 2026 */
    date: day({ day: 'numeric', month: 'short', year: 'numeric' }),
    longDay: day({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
    shortDay: day({ day: 'numeric', month: 'short' }),
    dayOfMonth: day({ day: 'numeric' }),
    month: day({ month: 'long', year: 'numeric' }),
    /** Nov 2026 */
    monthAndYear: day({ month: 'short', year: 'numeric' }),
    shortMonth: day({ month: 'short' }),
    /** Expiration of an option: Dec 19, 25 */
    expiration: day({ day: 'numeric', month: 'short', year: '2-digit' }),
    year: day({ year: 'numeric' }),
    weekday: (iso: number, width: 'narrow' | 'short' | 'long' = 'short') =>
      // 1970-01-05 was a Monday.
      day({ weekday: width })(Date.UTC(1970, 0, 4 + iso)),
    hour: (hour: number) => day({ hour: 'numeric' })(Date.UTC(1970, 0, 1, hour)),
  };
}

function instantFormats(timeZone: string, locale: string | undefined) {
  const date = (options: Intl.DateTimeFormatOptions) =>
    dateFormat(locale, timeZone, options);
  const localClock = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
  });
  const localDay = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });

  return {
    instant: date({
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
    }),
    /** Of an instant that is a date without a time. */
    instantDay: date({ day: 'numeric', month: 'short', year: 'numeric' }),
    /** Numeric, for rows of a table. */
    tableDay: date({ dateStyle: 'short' }),
    /** Without the year. */
    shortInstant: date({
      day: 'numeric',
      month: 'short',
      hour: 'numeric',
      minute: '2-digit',
    }),
    shortTime: date({ hour: 'numeric', minute: '2-digit' }),
    /** As in notes, for any locale: 09:41 */
    clock: (instant: string) => localClock.format(new Date(instant)),
    /** The journal's day of an instant, in the API's form: 2026-11-20 */
    dayOf: (instant: string) => localDay.format(new Date(instant)),
  };
}

/**
 * A currency unknown to Intl, such as a coin, follows the number; amounts below one coin
 * get more decimals.
 */
function money(
  locale: string | undefined,
  currency: string,
  options: Intl.NumberFormatOptions,
) {
  const isKnown = /^[A-Z]{3}$/.test(currency);
  if (isKnown) {
    const format = new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      ...options,
    });
    return (value: Maybe<number>) =>
      value === null || value === undefined ? NONE : format.format(value);
  }

  const [small, large] = [8, 4].map(
    (digits) =>
      new Intl.NumberFormat(locale, { maximumFractionDigits: digits, ...options }),
  );
  return (value: Maybe<number>) => {
    if (value === null || value === undefined) return NONE;
    return `${(Math.abs(value) < 1 ? small : large)?.format(value)} ${currency}`;
  };
}

const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];

/** Its two largest units: 2 h 41 min */
function duration(seconds: Maybe<number>): string {
  if (seconds === null || seconds === undefined) return NONE;

  let rest = Math.round(seconds);
  const first = UNITS.findIndex(([, length]) => rest >= length);
  if (first === -1) return '0 s';

  return UNITS.slice(first, first + 2)
    .map(([unit, length]) => {
      const whole = Math.floor(rest / length);
      rest -= whole * length;
      return whole === 0 ? '' : `${whole} ${unit}`;
    })
    .filter((part) => part !== '')
    .join(' ');
}

/** For a column: 37 min, 2 h 40 min, 12 d */
function shortDuration(seconds: Maybe<number>): string {
  if (seconds === null || seconds === undefined || seconds < 60) return duration(seconds);
  const unit = unitOf(seconds);
  return duration(Math.round(seconds / unit) * unit);
}

/** Minutes within a day, hours within ten, days beyond. */
function unitOf(seconds: number): number {
  if (seconds < 86_400) return 60;
  return seconds < 864_000 ? 3600 : 86_400;
}

/** The fields of a trade that name its instrument. */
export const INSTRUMENT_FIELDS = [
  'symbol',
  'underlying',
  'expiration',
  'strike',
  'option_type',
] as const;

interface Instrument {
  symbol: string;
  underlying: string | null;
  expiration: string | null;
  strike: number | null;
  option_type: string | null;
}

/**
 * An option's contract, META 715 C Dec 19, 25 (strike first, so that cut names of legs
 * differ); else the symbol.
 */
export function instrumentName(
  trade: Instrument,
  format: Pick<Formats, 'expiration' | 'price'>,
): string {
  const { symbol, underlying, expiration, strike, option_type } = trade;
  // A key may hide strike and expiration.
  if (!option_type || typeof strike !== 'number' || !expiration) return symbol;
  const day = format.expiration(expiration.slice(0, 10));
  const name = underlying ?? symbol.split(/\s/, 1)[0];
  const type = option_type === 'call' ? 'C' : 'P';
  return `${name} ${format.price(strike)} ${type} ${day}`;
}

/** An enum value of the API as text: pre_trade is Pre trade. */
export function word(text: string): string {
  return capitalised(text.replaceAll('_', ' '));
}

export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** The class that colours an amount; its sign shows the same without colour. */
export function toneOf(value: Maybe<number>): 'gain' | 'loss' | 'even' {
  if (!value) return 'even';
  return value > 0 ? 'gain' : 'loss';
}
