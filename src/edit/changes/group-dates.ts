/**
 * Dates of groups that follow from their legs, as long as the user gave them no others.
 */
import type Database from 'better-sqlite3';
import { tradeGroups } from '../../journal/resources/trade-groups.ts';
import { same, type Values, type WriteSettings } from '../../journal-write/record.ts';
import { RecordWriter } from '../../journal-write/record-writer.ts';
import { datesOf, LegGroupTable } from '../../statements/walked-trades.ts';

export class GroupDates {
  readonly #legs: LegGroupTable;
  readonly #writer: RecordWriter;
  readonly #following = new Set<string>();

  constructor(db: Database.Database, settings: WriteSettings) {
    this.#legs = new LegGroupTable(db, settings.user.id, settings.now);
    this.#writer = new RecordWriter(db, tradeGroups, settings);
  }

  /** Call it before the legs of a group change. */
  remember(group: string | null): void {
    if (group === null || this.#following.has(group)) return;

    const dates: Values = datesOf(this.#legs.ofGroup(group));
    const stored = this.#writer.find(group)?.record;
    if (
      stored &&
      Object.entries(dates).every(([name, value]) => same(stored[name], value))
    )
      this.#following.add(group);
  }

  /** Call it once they have changed. */
  settle(): void {
    for (const id of this.#following) {
      const legs = this.#legs.ofGroup(id);
      if (legs.length > 0 && this.#writer.find(id))
        this.#writer.put({ id, ...datesOf(legs) });
    }
  }
}
