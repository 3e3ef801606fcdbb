import { readFileSync } from 'node:fs';

/**
 * Inputs on which random tests once failed, from test/corpus/NAME.json: they are tried in each run,
 * before random ones.
 */
export function keptInputs<T>(name: string): T[] {
  return JSON.parse(
    readFileSync(new URL(`corpus/${name}.json`, import.meta.url), 'utf8'),
  ) as T[];
}

/**
 * Parameters for fast-check: the arguments kept for a property, then random ones.
 * @param numRuns of random arguments
 */
export function keptFirst<T extends unknown[]>(
  name: string,
  numRuns: number,
): { examples: T[]; numRuns: number } {
  const examples = keptInputs<T>(name);
  return { examples, numRuns: numRuns + examples.length };
}
