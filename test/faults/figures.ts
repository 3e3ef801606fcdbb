/** Cases run at once, and the resulting figures. */
import { appendFileSync } from 'node:fs';

/** Prints a line of figures at the end of `npm run test:faults` and `test:long`. */
export function printFigures(line: string): void {
  const file = process.env['FIGURES'];
  if (file !== undefined) appendFileSync(file, `  ${line}\n`);
}

/** Runs a function over all items, a few at a time. */
export async function forEachAtOnce<T>(
  items: readonly T[],
  run: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift())
      await run(item);
  };
  await Promise.all(Array.from({ length: 3 }, worker));
}
