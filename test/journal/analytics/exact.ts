/** Exact fractions on BigInt: no binary noise, no drift. Numbers have their decimal value: 0.1 is a tenth. */

export class Exact {
  readonly #top: bigint;
  readonly #bottom: bigint;

  constructor(top: bigint, bottom: bigint = 1n) {
    if (bottom === 0n) throw new RangeError('division by zero');
    this.#top = bottom < 0n ? -top : top;
    this.#bottom = bottom < 0n ? -bottom : bottom;
  }

  static readonly zero: Exact = new Exact(0n);

  /** A decimal such as "12.5", "-3e-8" or 0.1. */
  static of(decimal: string | number): Exact {
    const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(String(decimal));
    if (!match) throw new RangeError(`not a decimal: ${decimal}`);
    const [, sign, whole, fraction = '', exponent = '0'] = match;
    const digits = BigInt(`${whole}${fraction}`) * (sign === '-' ? -1n : 1n);
    const shift = Number(exponent) - fraction.length + SCALE;
    // One denominator for nearly all fractions keeps sums short.
    return shift >= 0
      ? new Exact(digits * 10n ** BigInt(shift), UNIT)
      : new Exact(digits, UNIT * 10n ** BigInt(-shift));
  }

  static sum(values: readonly Exact[]): Exact {
    return values.reduce((sum, value) => sum.plus(value), Exact.zero);
  }

  plus(other: Exact): Exact {
    if (other.#top === 0n) return this;
    if (this.#top === 0n) return other;
    return this.#bottom === other.#bottom
      ? new Exact(this.#top + other.#top, this.#bottom)
      : new Exact(
          this.#top * other.#bottom + other.#top * this.#bottom,
          this.#bottom * other.#bottom,
        );
  }

  minus(other: Exact): Exact {
    return this.plus(other.negated());
  }

  times(other: Exact | number): Exact {
    return typeof other === 'number'
      ? new Exact(this.#top * BigInt(other), this.#bottom)
      : new Exact(this.#top * other.#top, this.#bottom * other.#bottom);
  }

  over(other: Exact | number): Exact {
    return typeof other === 'number'
      ? new Exact(this.#top, this.#bottom * BigInt(other))
      : new Exact(this.#top * other.#bottom, this.#bottom * other.#top);
  }

  negated(): Exact {
    return new Exact(-this.#top, this.#bottom);
  }

  abs(): Exact {
    return this.#top < 0n ? this.negated() : this;
  }

  /** -1, 0 or 1. */
  get sign(): number {
    return this.#top === 0n ? 0 : this.#top < 0n ? -1 : 1;
  }

  /** Negative if this is less, 0 if equal, positive if more. */
  compare(other: Exact): number {
    return this.minus(other).sign;
  }

  /** Rounded half away from zero. */
  rounded(decimals: number): Exact {
    const scaled = this.abs().#top * 10n ** BigInt(decimals);
    const whole = (2n * scaled + this.#bottom) / (2n * this.#bottom);
    return new Exact(this.#top < 0n ? -whole : whole, 10n ** BigInt(decimals));
  }

  /** The nearest JavaScript number, if the denominator is a power of ten; else to 30 decimals. */
  toNumber(): number {
    const whole = (this.#top * 10n ** 30n) / this.#bottom;
    const number = Number(`${whole}e-30`);
    return number === 0 ? 0 : number;
  }
}

const SCALE = 12;
const UNIT = 10n ** BigInt(SCALE);
