/** The results of trades and a seed made from them, for tests and simulations. */
import { Sum } from '../../money.ts';
import type { Accumulator, ClosedTrade } from './closed-trade.ts';

export class Results implements Accumulator {
  readonly columns = [];
  #nets = new Float64Array(64);
  #n = 0;
  #seed = 0x2545f491;
  readonly #sum = new Sum();

  add({ net, closedMs }: ClosedTrade): void {
    if (this.#n === this.#nets.length) {
      const longer = new Float64Array(2 * this.#n);
      longer.set(this.#nets);
      this.#nets = longer;
    }
    this.#nets[this.#n++] = net;
    this.#sum.add(net);
    // From times and signs only: if all amounts are multiplied by one factor, the same numbers are drawn.
    for (const part of [closedMs, closedMs / 2 ** 32, Math.sign(net)]) {
      this.#seed = Math.imul(this.#seed ^ part, 0x9e3779b1);
      this.#seed ^= this.#seed >>> 15;
    }
  }

  get n(): number {
    return this.#n;
  }

  /** In the order of closing; not a copy. */
  get nets(): Float64Array {
    return this.#nets.subarray(0, this.#n);
  }

  /** 0 if n = 0. */
  get mean(): number {
    return this.#n === 0 ? 0 : this.#sum.value / this.#n;
  }

  /** 32 bits. */
  get seed(): number {
    return this.#seed;
  }
}
