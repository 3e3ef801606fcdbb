/** Stops that a file states and that are not where their trades lose: the first few by trade, the rest counted. */
import { trades } from '../../journal/resources/trades.ts';
import { type Stopped, stopProblem } from '../../journal/stop.ts';
import type { OnChange } from '../../journal-write/record-writer.ts';

const NAMED = 5;

export class WrongStops {
  readonly #named: string[] = [];
  #count = 0;

  /** @param path of the resource of a record that was put */
  look(path: string, ...[stored, { record }]: Parameters<OnChange>): void {
    if (path !== trades.path || record['stop_loss'] === stored?.record['stop_loss']) return;
    const problem = stopProblem(record as unknown as Stopped);
    if (problem === undefined) return;
    if (this.#count++ < NAMED) this.#named.push(`trade ${record['id']}: ${problem}`);
  }

  /** What the person should know of them. */
  get notes(): string[] {
    const more = this.#count - this.#named.length;
    if (more === 0) return this.#named;
    return [...this.#named, `${more} more stops give no risk; "journal-api check" lists them`];
  }
}
