/**
 * Rounding and summing. Money has 8 decimals, ratios have 6, both rounded half away from
 * zero: when a record is written, and when a record or figure is returned. A figure is
 * computed unrounded and rounded once, at the end. SQLite rounds only what the journal
 * file itself computes: net_pnl and holding_seconds of trades, and the totals of trade
 * groups.
 */

/** A result that isn't finite, such as a price of 1e200 times a quantity of 1e200. */
export class NotFinite extends RangeError {
  override name = 'NotFinite';
}

/** Money rounded to 8 decimals: 0.30000000000000004 becomes 0.3. */
export function roundMoney(value: number): number {
  return roundTo(8, value);
}

/** A ratio, an R or a number of seconds rounded to 6 decimals. */
export function roundRatio(value: number): number {
  return roundTo(6, value);
}

export function moneyOrNull(value: number | null): number | null {
  return value === null ? null : roundMoney(value);
}

export function ratioOrNull(value: number | null): number | null {
  return value === null ? null : roundRatio(value);
}

/**
 * Money rounded to 8 decimals if every rounding mode agrees; undefined near a tie, and
 * for large fractions.
 */
export function clearlyRounded(value: number): number | undefined {
  return Number.isInteger(value) ? value : nearest(value, 1e8);
}

/**
 * The nearest decimal. Far from a tie, noise doesn't matter, and the division gives the
 * nearest double. Without this shortcut, a page of trades takes half as long again to
 * read.
 */
function nearest(value: number, factor: number, most = 0.48): number | undefined {
  const scaled = value * factor;
  const whole = Math.round(scaled);
  if (Math.abs(scaled) >= 5e13 || Math.abs(scaled - whole) >= most) return undefined;
  return whole === 0 ? 0 : whole / factor;
}

function roundTo(decimals: 6 | 8, value: number): number {
  if (!Number.isFinite(value)) throw new NotFinite(`not a finite number: ${value}`);

  const factor = decimals === 8 ? 1e8 : 1e6;
  const clear = nearest(value, factor);
  if (clear !== undefined) return clear;

  const scaled = value * factor;
  // Larger numbers have fewer decimals.
  if (Math.abs(scaled) >= 2 ** 53) return value;

  // Shifting the decimal text rounds the number as written: 1.5e-8 is a tie although its
  // binary value is below one.
  const [digits, exponent] = Math.abs(value).toExponential().split('e');
  const shifted = Number(`${digits}e${Number(exponent) + decimals}`);
  // The last bits are noise: 37.499999999999996 counts as a tie. With a larger tolerance,
  // 0.4996 would too.
  const whole = Math.round(shifted < 1e14 ? shifted * (1 + 2 * Number.EPSILON) : shifted);

  return whole === 0 ? 0 : Math.sign(value) * Number(`${whole}e-${decimals}`);
}

/** 0 for a sum that is only binary noise, such as 0.1 + 0.2 - 0.3; else the sum. */
export function withoutNoise(value: number): number {
  return Math.abs(value) < 1e-9 ? 0 : value;
}

/**
 * A sum without accumulated rounding errors (Neumaier's compensated summation): a million
 * times 0.1 is 100000.
 */
export class Sum {
  #sum = 0;
  #lost = 0;

  add(value: number): void {
    const next = this.#sum + value;
    this.#lost +=
      Math.abs(this.#sum) >= Math.abs(value)
        ? this.#sum - next + value
        : value - next + this.#sum;
    this.#sum = next;
  }

  /**
   * Adds a value far smaller than the last digit of the sum, such as another number's
   * rounding error.
   */
  addLost(value: number): void {
    this.#lost += value;
  }

  /** Adds another sum, including its rounding error. */
  addSum(other: Sum): void {
    this.add(other.#sum);
    this.add(other.#lost);
  }

  get value(): number {
    return this.#sum + this.#lost;
  }

  /** The exact sum minus the value. */
  get remainder(): number {
    return this.#sum - this.value + this.#lost;
  }
}

/** A sum of money, rounded once. */
export function totalMoney(amounts: Iterable<number>): number {
  const sum = new Sum();
  for (const amount of amounts) sum.add(amount);
  return roundMoney(sum.value);
}

// Quantities and prices as decimals: binary noise neither opens a position nor keeps one
// open.

/** A number without binary noise: 0.1 + 0.2 is 0.3. */
export function asDecimal(value: number): number {
  // The nearest double of a decimal with at most 15 digits needs no text, which would
  // take 20 times as long.
  const scaled = Math.round(value * 1e8);
  if (Math.abs(scaled) < 1e15 && scaled / 1e8 === value) return value + 0;
  return Number(value.toPrecision(15));
}

/** The rounded decimal that a number with binary noise stands for. */
export function roundDecimal(value: number): number {
  // Noise is at most 0.05 of the last digit, so that further from a tie it doesn't
  // matter.
  return nearest(value, 1e8, 0.4) || roundMoney(asDecimal(value));
}

/**
 * A difference rounded to the decimals of its terms: 1.00000001 less 1 is 1e-8, not
 * 9.99999994e-9.
 */
export function difference(a: number, b: number): number {
  if (Number.isInteger(a) && Number.isInteger(b)) return a - b + 0;
  // Texts would take 20 times as long.
  const [units, others] = [Math.round(a * 1e8), Math.round(b * 1e8)];
  const areShort = units / 1e8 === a && others / 1e8 === b;
  if (areShort && Math.abs(a) < 1e6 && Math.abs(b) < 1e6) return (units - others) / 1e8;

  const integerDigits = Math.floor(Math.log10(Math.max(Math.abs(a), Math.abs(b)))) + 1;
  const decimals = Math.min(100, Math.max(0, 15 - integerDigits));
  return clearDecimal(a - b, POWERS[decimals]) ?? Number((a - b).toFixed(decimals));
}

/** The powers of 10 that are exact. */
const POWERS = Array.from({ length: 23 }, (_, exponent) => Number(`1e${exponent}`));

/** The nearest decimal far from a tie, if the multiplication adds little noise. */
function clearDecimal(value: number, factor = Number.NaN): number | undefined {
  const scaled = value * factor;
  const whole = Math.round(scaled);
  return Math.abs(scaled) < 1e14 && Math.abs(scaled - whole) < 0.48
    ? whole / factor
    : undefined;
}

/** The number of decimals that a number is written with. */
export function decimalsOf(value: number): number {
  // Texts would take ten times as long.
  for (let decimals = 0; decimals <= 4; decimals++) {
    const factor = POWERS[decimals] as number;
    const scaled = Math.round(value * factor);
    if (Math.abs(scaled) < 1e15 && scaled / factor === value) return decimals;
  }

  const [digits = '', exponent = '0'] = String(value).split('e');
  return Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent));
}

/** Whether a quantity is only binary noise compared with another. */
export function isNoise(quantity: number, total: number): boolean {
  return Math.abs(quantity) <= total * 1e-9;
}
