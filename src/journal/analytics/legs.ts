/** Legs of trade groups among the trades that figures count. */

import { type Reader, TEXT } from '../../sqlite/reader.ts';
import type { User } from '../journal.ts';
import type { Unit } from '../resource.ts';
import type { Accumulator, ClosedTrade } from './closed-trade.ts';

/**
 * The unit that a trader counts by: a spread is one trade to them, so positions if any
 * trade is the leg of a group.
 */
export function unitFor(reader: Reader, user: Pick<User, 'id'>): Unit {
  const leg = reader.get(
    `SELECT 1 AS found FROM trades WHERE user_id = ${TEXT} AND group_id > '' LIMIT 1`,
    user.id,
  );
  return leg === undefined ? 'trade' : 'position';
}

/** Counts legs, for a hint on figures that count each of them as a trade. */
export class Legs implements Accumulator {
  readonly columns = ['group'] as const;
  readonly #groups = new Set<string>();
  #trades = 0;
  #legs = 0;

  add({ groupId }: ClosedTrade): void {
    this.#trades++;
    if (groupId === null) return;
    this.#legs++;
    this.#groups.add(groupId);
  }

  /** @returns undefined if none of the trades is a leg */
  hint(): string | undefined {
    if (this.#legs === 0) return undefined;
    const legs = this.#legs === 1 ? 'trades is a leg' : 'trades are legs';
    const positions = this.#groups.size === 1 ? 'position' : 'positions';

    return (
      `${this.#legs} of ${this.#trades} ${legs} of ${this.#groups.size} ${positions}; ` +
      'add unit=position'
    );
  }
}
