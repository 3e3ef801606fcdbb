/** Prints the figures of the fault tests after all of them, and before what failed, which thus comes last. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import type { Reporter } from 'vitest/node';

export function figuresIn(file: string): Reporter {
  return {
    onTestRunEnd() {
      if (!existsSync(file)) return;
      process.stdout.write(
        `\nFaults made, and what they did:\n${readFileSync(file, 'utf8')}`,
      );
      rmSync(file);
    },
  };
}
