/** Prints the figures of the fault tests after all of them. */
import { existsSync, readFileSync, rmSync } from 'node:fs';

export function setup({
  config,
}: {
  config: { env: Partial<Record<string, string>> };
}): () => void {
  const file = config.env['FIGURES'] as string;
  return () => {
    if (!existsSync(file)) return;
    process.stdout.write(
      `\nFaults made, and what they did:\n${readFileSync(file, 'utf8')}`,
    );
    rmSync(file);
  };
}
