/** Confidence intervals a second time: t from its closed forms and from integrals, all earlier steps in exact fractions. */
import type { Exact } from './exact.ts';
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
    sum += (Math.sin(distance) ** power * (Math.PI / 2) * Math.cosh(s)) / Math.cosh(inner) ** 2;
  }
  return (sum * half) / 100;
}

/** The probability of a |t| at least as large. */
export function tail(t: number, df: number): number {
  return integral(df - 1, Math.atan(Math.abs(t) / Math.sqrt(df))) / integral(df - 1, 0);
}

export function intervalOf(values: Exact[], decimals: number): [Figure, Figure] | null {
  const [mean, spread] = [meanOf(values), variance(values)];
  if (mean === null || spread === null) return null;
  const half = quantile(values.length - 1) * Math.sqrt(spread.over(values.length).toNumber());
  const size = Math.abs(mean.toNumber()) + half;
  return [Figure.bound(mean.toNumber() - half, size, decimals), Figure.bound(mean.toNumber() + half, size, decimals)];
}

/** Both ends solve (p - share)^2 = z^2 p (1 - p) / n: Wilson's own condition. */
function wilson(wins: number, n: number): [Figure, Figure] | null {
  if (n === 0) return null;
  const [a, b, c] = [n + Z * Z, -(2 * wins + Z * Z), (wins * wins) / n];
  const root = Math.sqrt(Math.max(b * b - 4 * a * c, 0));
  return [Figure.bound((-b - root) / (2 * a), 1, 6), Figure.bound((-b + root) / (2 * a), 1, 6)];
}

function tradesNeeded(values: Exact[]): Figure | null {
  const [mean, spread] = [meanOf(values), variance(values)];
  if (mean === null || spread === null || mean.rounded(8).sign === 0) return null;
  if (spread.sign === 0) return Figure.where((given) => given === 2, 2);
  const errors = Math.sqrt(spread.over(mean.times(mean)).toNumber());
  const about = Math.ceil((Z * errors) ** 2);
  const isEnough = (n: number, noise: number) => quantile(n - 1) * errors < Math.sqrt(n) * (1 + noise);
  const accepts = (given: number) =>
    about > 20_000
      ? Math.abs(given - about) <= 3 + about * 1e-9
      : isEnough(given, 1e-10) && (given === 2 || !isEnough(given - 1, -1e-10));
  return about > Number.MAX_SAFE_INTEGER ? null : Figure.where(accepts, about);
}

export function confidenceOf(wins: number, nets: Exact[], r: Exact[]) {
  return {
    level: 0.95,
    win_rate: wilson(wins, nets.length),
    expectancy: intervalOf(nets, 8),
    expectancy_r: intervalOf(r, 6),
    expectancy_trades_needed: tradesNeeded(nets),
  };
}
