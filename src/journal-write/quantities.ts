/** Quantities and prices as decimals: binary noise neither opens a position nor keeps one open. */

/** A number without binary noise: 0.1 + 0.2 is 0.3. */
export function asDecimal(value: number): number {
  // The nearest double of a decimal with at most 15 digits needs no text, which would take 20 times as long.
  const scaled = Math.round(value * 1e8);
  if (Math.abs(scaled) < 1e15 && scaled / 1e8 === value) return value + 0;
  return Number(value.toPrecision(15));
}

/** A difference rounded to the decimals of its terms: 1.00000001 less 1 is 1e-8, not 9.99999994e-9. */
export function difference(a: number, b: number): number {
  if (Number.isInteger(a) && Number.isInteger(b)) return a - b + 0;
  const integerDigits = Math.floor(Math.log10(Math.max(Math.abs(a), Math.abs(b)))) + 1;
  return Number((a - b).toFixed(Math.min(100, Math.max(0, 15 - integerDigits))));
}

/** Whether a quantity is only binary noise compared with another. */
export function isNoise(quantity: number, total: number): boolean {
  return Math.abs(quantity) <= total * 1e-9;
}
