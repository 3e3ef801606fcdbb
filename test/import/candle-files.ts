/** Files of candles in the forms of platforms, and a second implementation of excursions. */

/** Epoch milliseconds of its start, and prices. */
export interface Candle {
  at: number;
  open: number;
  high: number;
  low: number;
  close: number;
}

const iso = (at: number) => new Date(at).toISOString();
const compact = (at: number) =>
  iso(at).slice(0, 19).replaceAll(/[-:]/g, '').replace('T', ' ');
const prices = ({ open, high, low, close }: Candle, digits = 2) =>
  [open, high, low, close].map((price) => price.toFixed(digits));

/** Files by platform, with names as they give them; times in UTC unless they state them. */
export const FORMS: Record<
  string,
  (candles: readonly Candle[], symbol: string, step: number) => [string, string]
> = {
  TradingView: (all, symbol) => [
    `CME_MINI_${symbol}1!, 1.csv`,
    `time,open,high,low,close,Plot,Plot\n${all.map((own) => [own.at / 1000, ...prices(own), 'NaN', ''].join(',')).join('\n')}\n`,
  ],
  'TradingView with ISO times': (all, symbol) => [
    `CME_MINI_${symbol}1!, 1 (2).csv`,
    `time,open,high,low,close,Volume\r\n${all.map((own) => [iso(own.at - 21_600_000).replace('.000Z', '-06:00'), ...prices(own), 7].join(',')).join('\r\n')}`,
  ],
  MetaTrader: (all, symbol) => [
    `${symbol}_M1.csv`,
    `<DATE>\t<TIME>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>\n${all.map((own) => [iso(own.at).slice(0, 10).replaceAll('-', '.'), iso(own.at).slice(11, 19), ...prices(own), 1, 0, 2].join('\t')).join('\n')}\n`,
  ],
  'MetaTrader without a header': (all, symbol) => [
    `${symbol}1.csv`.replace('1.', '_1.'),
    all
      .map(
        (own) =>
          `${[iso(own.at).slice(0, 10).replaceAll('-', '.'), iso(own.at).slice(11, 16), ...prices(own), 3].join(',')}\n`,
      )
      .join(''),
  ],
  'Binance without a header': (all, symbol, step) => [
    `${symbol}-1m-2026-01.csv`,
    all
      .map(
        (own) =>
          `${[own.at * 1000, ...prices(own, 8), '5.1', (own.at + step) * 1000 - 1, '9', 3, '1', '2', 0].join(',')}\n`,
      )
      .join(''),
  ],
  Binance: (all, symbol, step) => [
    `${symbol}-1m-2026-02.csv`,
    `open_time,open,high,low,close,volume,close_time,quote_volume,count,taker_buy_volume,taker_buy_quote_volume,ignore\n${all.map((own) => [own.at, ...prices(own), '5.1', own.at + step - 1, '9', 3, '1', '2', 0].join(',')).join('\n')}\n`,
  ],
  NinjaTrader: (all, symbol, step) => [
    `${symbol} 03-26.Last.txt`,
    all
      .map((own) => `${[compact(own.at + step), ...prices(own), 12].join(';')}\n`)
      .join(''),
  ],
  'days first, newest first, decimal commas': (all, symbol) => [
    `${symbol}.csv`,
    `Datum;Date;Time;Open;High;Low;Last\n${all
      .toReversed()
      .map((own) => {
        const [year, month, day] = iso(own.at).slice(0, 10).split('-');
        return [
          '',
          `${day}.${month}.${year}`,
          iso(own.at).slice(11, 16),
          ...prices(own).map((price) => price.replace('.', ',')),
        ].join(';');
      })
      .join('\n')}\n`,
  ],
};

export interface Fill {
  at: number;
  /** Below 0 if sold. */
  quantity: number;
  price: number;
}

/**
 * The same by enumeration: within a candle, the highest and the lowest price may each have come before, between or after the fills in it.
 * mfe is the least that any of these courses reached, and its bound the most; mae likewise.
 */
export function slowExcursions(
  fills: readonly Fill[],
  multiplier: number,
  candles: readonly (Candle & { end: number })[],
) {
  const [entry, exit] = [fills[0]?.at ?? 0, fills.at(-1)?.at ?? 0];
  const standing = (count: number, price: number) =>
    multiplier *
    fills
      .slice(0, count)
      .reduce((sum, fill) => sum + fill.quantity * (price - fill.price), 0);
  const atFills = fills.map(({ price }, index) => standing(index + 1, price));
  const certain = { low: Math.min(0, ...atFills), high: Math.max(0, ...atFills) };
  const bound = { ...certain };
  for (const { at, end, high, low } of candles) {
    if (end <= entry || at > exit) continue;
    const before = fills.filter((fill) => fill.at < at).length;
    const upTo = fills.filter((fill) => fill.at < end).length;
    const slots = Array.from({ length: upTo - before + 1 }, (_, index) => before + index);
    const courses = slots.flatMap((one) =>
      slots.map((other) => [standing(one, high), standing(other, low)]),
    );
    const [worst, best] = [
      courses.map((own) => Math.min(...own)),
      courses.map((own) => Math.max(...own)),
    ];
    certain.high = Math.max(certain.high, Math.min(...best));
    certain.low = Math.min(certain.low, Math.max(...worst));
    bound.high = Math.max(bound.high, ...best);
    bound.low = Math.min(bound.low, ...worst);
  }
  return {
    mae: certain.low + 0,
    mfe: certain.high + 0,
    mae_bound: bound.low + 0,
    mfe_bound: bound.high + 0,
  };
}
