/**
 * Student's t distribution for confidence intervals and tests. Its tail is the regularised incomplete beta function (DLMF 8.17,
 * continued fraction 8.17.22), exact to about 12 digits in double precision. The tests compare it with published tables and with
 * numerical integration.
 */

/** The normal quantile of 0.975: the limit of t for many degrees of freedom. */
export const Z = 1.959963984540054;

/** With more degrees of freedom, their expansion (Abramowitz and Stegun 26.7.5) is exact to 13 digits. */
const MANY = 1000;

const quantiles = new Map<number, number>();

/** Half width of a 95 % interval in standard errors: the quantile of 0.975. @param df degrees of freedom, at least 1 */
export function tQuantile(df: number): number {
  if (df >= MANY) return expansion(df);
  let t = quantiles.get(df);
  if (t === undefined) {
    t = solved(df);
    quantiles.set(df, t);
  }
  return t;
}

/** Probability of a |t| at least as large by chance alone. */
export function twoSidedP(t: number, df: number): number {
  const square = t * t;
  return incompleteBeta(df / (df + square), square / (df + square), df / 2, 0.5);
}

/** With these degrees of freedom, the distribution equals the normal one to 7 digits. */
const NORMAL = 1e9;

/** The same for a normal distribution, in standard deviations. */
export function normalP(z: number): number {
  return twoSidedP(z, NORMAL);
}

function expansion(df: number): number {
  const [z, z3, z5, z7] = [Z, Z ** 3, Z ** 5, Z ** 7];
  const [g1, g2] = [(z3 + z) / 4, (5 * z5 + 16 * z3 + 3 * z) / 96];
  const g3 = (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / 384;
  return z + g1 / df + g2 / df ** 2 + g3 / df ** 3;
}

/** By Newton's method: the tail is convex, so the steps approach from below and never overshoot. */
function solved(df: number): number {
  const height = Math.exp(-logBeta(df / 2)) / Math.sqrt(df);
  let t = Z;
  for (let step = Number.POSITIVE_INFINITY; step > t * 1e-14; t += step) {
    const density = height * (1 + (t * t) / df) ** (-(df + 1) / 2);
    step = (twoSidedP(t, df) - 0.05) / (2 * density);
  }
  return t;
}

/** @param y 1 - x, a separate parameter because the subtraction would lose small values */
function incompleteBeta(x: number, y: number, a: number, b: number): number {
  // The fraction converges fast only on this side of the mean.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(y, x, b, a);
  if (x === 0) return 0;
  const front = Math.exp(a * Math.log(x) + b * Math.log(y) - logBeta(Math.max(a, b)));
  return front / (a * fraction(x, a, b));
}

/** 1 + d1 / (1 + d2 / (1 + ...)), by Lentz's method. */
function fraction(x: number, a: number, b: number): number {
  let [value, c, d] = [1, 1, 0];
  for (let i = 1; i < 100_000; i++) {
    const m = i >> 1;
    const term =
      i % 2 === 0
        ? (m * (b - m) * x) / ((a + i - 1) * (a + i))
        : (-(a + m) * (a + b + m) * x) / ((a + i - 1) * (a + i));
    d = 1 / (1 + term * d);
    c = 1 + term / c;
    value *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return value;
}

/** The logarithm of the beta function of a and one half. */
function logBeta(a: number): number {
  return logGamma(a) + Math.log(Math.PI) / 2 - logGamma(a + 0.5);
}

/** Stirling's series (DLMF 5.11.1), which needs a large number: a smaller one is raised by Γ(x + 1) = x Γ(x). */
function logGamma(x: number): number {
  let [raised, product] = [x, 1];
  for (; raised < 15; raised++) product *= raised;
  const square = raised * raised;
  const series =
    (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square) / square) / square) / raised;
  return (raised - 0.5) * Math.log(raised) - raised + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
}
