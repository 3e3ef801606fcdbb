/** A progress bar on stderr, for people only: on a terminal, and when it takes more than a second. */

const PATIENCE_MS = 1000;
const EVERY_MS = 100;
const WIDTH = 30;

export function progressBar(stream = process.stderr, clock: () => number = () => performance.now()) {
  let next = clock() + PATIENCE_MS;
  let shown = false;
  return {
    show(label: string, done: number, of: number): void {
      const now = clock();
      if (!stream.isTTY || now < next) return;
      next = now + EVERY_MS;
      const filled = of === 0 ? WIDTH : Math.round((done / of) * WIDTH);
      stream.write(`\r\x1b[K[${'#'.repeat(filled).padEnd(WIDTH)}] ${done}/${of} ${label}`);
      shown = true;
    },
    clear(): void {
      if (shown) stream.write('\r\x1b[K');
      shown = false;
    },
  };
}
