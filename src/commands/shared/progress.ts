/** Progress on stderr, only on a terminal and after a second. */

import { visible } from './output.ts';

const PATIENCE_MS = 1000;
const EVERY_MS = 100;
const WIDTH = 30;

export function progressBar(stream = process.stderr, clock: () => number = () => performance.now()) {
  let next = clock() + PATIENCE_MS;
  let shown = false;
  const draw = (text: string) => {
    stream.write(`\r\x1b[K${visible(text)}`);
    shown = true;
  };
  return {
    /** Shows a long step without countable progress, at once. */
    announce(text: string): void {
      if (stream.isTTY) draw(text);
    },
    /** @param of total in the unit of `done`; 0 if unknown */
    show(label: string, done: number, of: number): void {
      const now = clock();
      if (!stream.isTTY || now < next) return;
      next = now + EVERY_MS;
      const part = of === 0 ? 0 : Math.min(done / of, 1);
      const percent = of === 0 ? '' : ` ${Math.floor(part * 100)} %`;
      draw(`[${'#'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH)}]${percent} ${label}`);
    },
    clear(): void {
      if (shown) stream.write('\r\x1b[K');
      shown = false;
    },
  };
}
