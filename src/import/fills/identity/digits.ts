/**
 * How many digits a file has of times, prices and quantities: a spreadsheet that saves it
 * again may cut some.
 */

/** The most that any row of an instrument has. */
export interface RowDigits {
  /** 0: minutes; 1: seconds; 2: milliseconds. */
  readonly time: number;
  /** Decimals. */
  readonly price: number;
  readonly quantity: number;
}

interface Counted {
  ends: readonly { instant: string; hasTime: boolean; price: number }[];
  quantity: number | null;
}

const MOST_DECIMALS = 18;

export function digitsOf(rows: readonly Counted[]): RowDigits {
  const digits = { time: 0, price: 0, quantity: 0 };
  for (const { ends, quantity } of rows) {
    digits.quantity = Math.max(digits.quantity, decimalsOf(quantity ?? 0));
    for (const { instant, hasTime, price } of ends) {
      digits.price = Math.max(digits.price, decimalsOf(price));
      if (hasTime) digits.time = Math.max(digits.time, partsOf(instant));
    }
  }

  return digits;
}

/**
 * The digits of rows so far with those of another fill: the same object, unless it has
 * more.
 */
export function withDigitsOf(
  fill: {
    executed_at: string;
    has_time: boolean;
    price: number;
    quantity: number | null;
  },
  { time, price, quantity }: RowDigits = { time: 0, price: 0, quantity: 0 },
): RowDigits {
  const parts =
    fill.has_time && time < 2 ? Math.max(time, partsOf(fill.executed_at)) : time;
  const ofPrice = Math.max(price, decimalsOf(fill.price));
  return {
    time: parts,
    price: ofPrice,
    quantity: Math.max(quantity, decimalsOf(fill.quantity ?? 0)),
  };
}

/** In one number, as journals keep them. */
export function packed({ time, price, quantity }: RowDigits): number {
  return time * 10_000 + price * 100 + quantity;
}

export function unpacked(digits: number): RowDigits {
  const known = UNPACKED.get(digits);
  if (known) return known;

  const parts = {
    time: Math.floor(digits / 10_000),
    price: Math.floor(digits / 100) % 100,
    quantity: digits % 100,
  };
  UNPACKED.set(digits, parts);
  return parts;
}

/** There are few: three times and some numbers of decimals. */
const UNPACKED = new Map<number, RowDigits>();

/** A time, UTC or as written, cut to minutes, seconds or milliseconds. */
export function timeCut(time: string, parts: number): string {
  if (parts === 0) return time.slice(0, 16);
  return time.slice(0, parts === 1 ? 19 : 23);
}

/**
 * Whether two prices are the same: equal, or one is the other rounded or cut to the
 * digits of its file.
 * @param digits of the file that states it
 */
export function fitsCut(
  a: number,
  digitsOfA: number,
  b: number,
  digitsOfB: number,
): boolean {
  if (isClose(a, b)) return true;
  if (digitsOfA === digitsOfB) return false;

  const [coarse, fine, digits] =
    digitsOfA < digitsOfB ? [a, b, digitsOfA] : [b, a, digitsOfB];
  const unit = 10 ** digits;

  return (
    isClose(Math.round(fine * unit) / unit, coarse) ||
    isClose(Math.trunc(fine * unit) / unit, coarse)
  );
}

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(b));
}

function partsOf(time: string): number {
  if (time.slice(20, 23) !== '000') return 2;
  return time.slice(17, 19) === '00' ? 0 : 1;
}

function decimalsOf(number: number): number {
  if (Number.isInteger(number)) return 0;
  const [mantissa = '', exponent = '0'] = String(number).split('e');
  const decimals = (mantissa.split('.')[1] ?? '').length - Number(exponent);
  return Math.min(Math.max(decimals, 0), MOST_DECIMALS);
}
