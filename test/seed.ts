/** The seed of everything random in a run, which the run prints first. */
export const SEED = Number(process.env['SEED']);
if (!process.env['SEED'] || !Number.isInteger(SEED)) {
  throw new Error(`SEED takes a whole number; got "${process.env['SEED']}"`);
}

/** Random whole numbers below a bound, the same in each run with this seed. */
export function randomNumbers(seed = SEED): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
