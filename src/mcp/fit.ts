/** Keeps answers small. */
import { ToolError } from './api.ts';
import type { Compacting } from './compact.ts';

/** Maximum tokens (o200k) of any answer. */
const MAX_TOKENS = 5000;

/** Upper bound, reached by random characters; a byte of other characters takes one token. English and figures take a third. */
const TOKENS_PER_ASCII_BYTE = 0.75;

/** Lengths of texts and lists, from the first attempt to the last. */
const LENGTHS = [
  { text: 1600, rows: 40 },
  { text: 800, rows: 25 },
  { text: 400, rows: 15 },
  { text: 200, rows: 10 },
  { text: 100, rows: 5 },
  { text: 50, rows: 3 },
];

/**
 * The first version that is small enough.
 * @throws ToolError if every version is too long
 */
export function fittedOrError(timeZone: string, make: (how: Compacting) => object): object {
  const answer = fitted(timeZone, make);
  if (answer) return answer;
  throw new ToolError('the answer is too long even when cut; add filters, or use fewer sections or a shorter period');
}

/** The first version that is small enough; undefined without one. */
export function fitted(timeZone: string, make: (how: Compacting) => object): object | undefined {
  for (const length of LENGTHS) {
    const answer = make({ ...length, timeZone });
    if (mostTokens(JSON.stringify(answer)) < MAX_TOKENS) return answer;
  }
  return undefined;
}

function mostTokens(text: string): number {
  const bytes = Buffer.byteLength(text);
  const others = bytes === text.length ? 0 : Buffer.byteLength(text.replace(/[\0-\x7f]+/g, ''));
  return (bytes - others) * TOKENS_PER_ASCII_BYTE + others;
}
