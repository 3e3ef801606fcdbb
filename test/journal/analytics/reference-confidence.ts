/** Confidence intervals a second time: t from its closed forms and from integrals, all earlier steps in exact fractions. */
import { Exact } from './exact.ts';
import { Figure, meanOf, variance } from './figure.ts';

/** The quantile of the normal distribution, from tables. */
const Z = 1.959963984540054;

/** The probability of |T| < t with whole degrees of freedom: Abramowitz and Stegun 26.7.3 and 26.7.4. */
function within(t: number, df: number): number {
  const angle = Math.atan(t / Math.sqrt(df));
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  let sum = 0;
  let term = df % 2 === 0 ? 1 : cosine;
  for (let i = df % 2 === 0 ? 2 : 3; i <= df; i += 2) {
    sum += term;
    term *= (cosine * cosine * (i - 1)) / i;
  }
  return df % 2 === 0 ? sine * sum : (2 / Math.PI) * (angle + sine * sum);
}

const quantiles = new Map<number, number>();

export function quantile(df: number): number {
  let t = quantiles.get(df);
  if (t === undefined) {
    let [low, high] = [1.9, 13];
    for (let i = 0; i < 60; i++) {
      const middle = (low + high) / 2;
      if (within(middle, df) < 0.95) low = middle;
      else high = middle;
    }
    t = (low + high) / 2;
    quantiles.set(df, t);
  }
  return t;
}

/** The integral of cos(x) to a power up to half of pi, by tanh-sinh quadrature. */
function integral(power: number, from: number): number {
  const half = (Math.PI / 2 - from) / 2;
  let sum = 0;
  for (let i = -400; i <= 400; i++) {
    const s = i / 100;
    const inner = (Math.PI / 2) * Math.sinh(s);
    // Distance from the upper end, where the cosine is that small.
    const distance = (2 * half) / (1 + Math.exp(2 * inner));
    sum +=
      (Math.sin(distance) ** power * (Math.PI / 2) * Math.cosh(s)) /
      Math.cosh(inner) ** 2;
  }
  return (sum * half) / 100;
}

/** The probability of a |t| at least as large. */
export function tail(t: number, df: number): number {
  return integral(df - 1, Math.atan(Math.abs(t) / Math.sqrt(df))) / integral(df - 1, 0);
}

export interface Dated {
  value: Exact;
  date: string;
}

/** Mean, variance, number of days and design effect of values; null below 2 days. */
function spreadOf(all: Dated[]) {
  const values = all.map(({ value }) => value);
  const [mean, spread] = [meanOf(values), variance(values)];
  const dates = [...new Set(all.map(({ date }) => date))];
  if (mean === null || spread === null || dates.length < 2) return null;
  const ofDays = dates.map((on) =>
    Exact.sum(all.flatMap(({ value, date }) => (date === on ? [value.minus(mean)] : []))),
  );
  const between = Exact.sum(ofDays.map((sum) => sum.times(sum)));
  const n = values.length;
  const d =
    spread.sign === 0
      ? Exact.of(1)
      : between
          .times(dates.length)
          .over(spread.times(n))
          .over(dates.length - 1);
  const one = Exact.of(1);
  return { mean, spread, n, days: dates.length, d: d.compare(one) < 0 ? one : d };
}

export function intervalOf(all: Dated[], decimals: number): [Figure, Figure] | null {
  const of = spreadOf(all);
  if (!of) return null;
  const half =
    quantile(of.days - 1) * Math.sqrt(of.spread.times(of.d).over(of.n).toNumber());
  const middle = of.mean.toNumber();
  const size = Math.abs(middle) + half;
  return [
    Figure.bound(middle - half, size, decimals),
    Figure.bound(middle + half, size, decimals),
  ];
}

/** Both ends solve (p - share)^2 = z^2 p (1 - p) / n: Wilson's own condition, with the effective number of trades. */
function wilson(wins: Dated[]): [Figure, Figure] | null {
  const of = spreadOf(wins);
  if (!of) return null;
  const n = (of.n / of.d.toNumber()) * (quantile(of.n - 1) / quantile(of.days - 1)) ** 2;
  const share = of.mean.toNumber();
  const [a, b, c] = [n + Z * Z, -(2 * n * share + Z * Z), n * share * share];
  const root = Math.sqrt(Math.max(b * b - 4 * a * c, 0));
  return [
    Figure.bound((-b - root) / (2 * a), 1, 6),
    Figure.bound((-b + root) / (2 * a), 1, 6),
  ];
}

function tradesNeeded(all: Dated[]): Figure | null {
  const of = spreadOf(all);
  if (!of || of.mean.rounded(8).sign === 0) return null;
  if (of.spread.sign === 0) return Figure.where((given) => given === 2, 2);
  const errors = Math.sqrt(of.spread.times(of.d).over(of.mean.times(of.mean)).toNumber());
  const about = Math.ceil((Z * errors) ** 2);
  const isEnough = (n: number, noise: number) =>
    quantile(n - 1) * errors < Math.sqrt(n) * (1 + noise);
  const accepts = (given: number) =>
    about > 20_000
      ? Math.abs(given - about) <= 3 + about * 1e-9
      : isEnough(given, 1e-10) && (given === 2 || !isEnough(given - 1, -1e-10));
  return about > Number.MAX_SAFE_INTEGER ? null : Figure.where(accepts, about);
}

export function confidenceOf(wins: Dated[], nets: Dated[], r: Dated[]) {
  return {
    level: 0.95,
    win_rate: wilson(wins),
    expectancy: intervalOf(nets, 8),
    expectancy_r: intervalOf(r, 6),
    expectancy_trades_needed: tradesNeeded(nets),
  };
}
