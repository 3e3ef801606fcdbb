/** Reports stops on the wrong side of their trades: names the first few trades and counts the rest. */

import { trades } from '../../journal/resources/trades.ts';
import { type Stopped, stopProblem } from '../../journal/stop.ts';
import type { OnChange } from '../../journal-write/record-writer.ts';

const NAMED = 5;

export class WrongStops {
  readonly #named: string[] = [];
  #count = 0;

  /** @param path of the written record's resource */
  look(path: string, ...[stored, { record }]: Parameters<OnChange>): void {
    if (path !== trades.path || record['stop_loss'] === stored?.record['stop_loss']) return;
    const problem = stopProblem(record as unknown as Stopped);
    if (problem === undefined) return;
    if (this.#count++ < NAMED) this.#named.push(`trade ${record['id']}: ${problem}`);
  }

  get notes(): string[] {
    const more = this.#count - this.#named.length;
    if (more === 0) return this.#named;
    return [...this.#named, `${more} more stops give no risk; "journal-api check" lists them`];
  }
}
