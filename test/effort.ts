/** How much a run tries: `npm test` little, `npm run test:faults` some, `npm run test:long` all. */

type Effort = 'little' | 'some' | 'all';

const EFFORT = (process.env['EFFORT'] ?? 'little') as Effort;

/** Whether every case runs, and every figure is measured. */
export const isExhaustive = EFFORT === 'all';

/** Whether a run has the machine to itself and time for more than a sample. */
export const isThorough = EFFORT !== 'little';

/**
 * Number of runs of a slow property, or of one with rare cases.
 * @param all with `npm run test:long`
 * @param little otherwise
 * @param some with `npm run test:faults`
 */
export function runs(all: number, little = Math.ceil(all / 5), some = little): number {
  if (isExhaustive) return all;
  return isThorough ? some : little;
}
