/** The permutation test a second time: full shuffles, other random numbers, and bounds of its error. */

/** Enough that few flags are uncertain. */
const SHUFFLES = 10_000;

/** Mulberry32. */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Certain bounds of each row's two-sided p; null if it isn't tested. */
export function permutationP(nets: number[], rows: number[][]): ([low: number, high: number] | null)[] {
  const middle = nets.reduce((sum, net) => sum + net, 0) / nets.length;
  const size = Math.max(...nets.map((net) => Math.abs(net - middle)));
  const next = chance(1);
  const sums = rows.map((row) => row.reduce((sum, net) => sum + net - middle, 0));
  const [above, below] = [rows.map(() => 0), rows.map(() => 0)];
  const shuffled = nets.map((net) => net - middle);
  for (let i = 0; i < SHUFFLES; i++) {
    for (let left = shuffled.length; left > 1; left--) {
      const other = Math.floor(next() * left);
      [shuffled[left - 1], shuffled[other]] = [shuffled[other]!, shuffled[left - 1]!];
    }
    const totals = [0];
    for (const net of shuffled) totals.push(totals.at(-1)! + net);
    for (const [row, sum] of sums.entries()) {
      const difference = totals[rows[row]!.length]! - sum;
      if (difference > -size * 1e-9) above[row]!++;
      if (difference < size * 1e-9) below[row]!++;
    }
  }
  return rows.map((row, i) => {
    if (row.length < 2 || nets.length - row.length < 2 || size <= Math.abs(middle) * 1e-12) return null;
    const p = (2 * Math.min(above[i]!, below[i]!)) / SHUFFLES;
    const error = 5 * Math.sqrt((p + 2 / SHUFFLES) / SHUFFLES) * Math.SQRT2 + 10 / SHUFFLES;
    return [Math.max(0, p - error), p + error];
  });
}

/** Holm's correction in his own form: the smallest p first, until one is too large. */
export function holm(p: (number | null)[]): boolean[] {
  const flags = p.map(() => false);
  const tested = p.flatMap((value, i) => (value === null ? [] : [{ value, i }])).sort((a, b) => a.value - b.value);
  for (const [k, { value, i }] of tested.entries()) {
    if (value > 0.05 / (tested.length - k)) break;
    flags[i] = true;
  }
  return flags;
}

/** Whether each row stands out: true, false, or undefined if the two tests may differ by chance. */
export function standsOut(nets: number[], rows: number[][]): (boolean | undefined)[] {
  const p = permutationP(nets, rows);
  const [surely, maybe] = [1, 0].map((end) => holm(p.map((bounds) => bounds && bounds[end]!))) as [
    boolean[],
    boolean[],
  ];
  return rows.map((_, i) => (surely[i] === maybe[i] ? surely[i] : undefined));
}

/** The smallest p, up to the last that is at most its share of 5 %. */
export function benjaminiHochberg(p: (number | null)[]): boolean[] {
  const tested = p.filter((value) => value !== null).sort((a, b) => a - b);
  const enough = tested.filter((value, i) => value <= (0.05 * (i + 1)) / tested.length);
  return p.map((value) => value !== null && value <= Math.max(...enough, -1));
}
