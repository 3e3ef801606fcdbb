/**
 * Changes of trade groups that follow from fills. Legs opened by one order, or at one
 * instant, form a group. Only what is as an import found it changes: the user's own
 * grouping, ungrouping and naming stay.
 */
import type Database from 'better-sqlite3';
import { emptyJsonOf } from '../../../journal/fields.ts';
import { allFieldsOfGroup } from '../../../journal/person-fields.ts';
import { tradeGroups } from '../../../journal/resources/trade-groups.ts';
import { isNameOfImport } from '../../../journal/strategies.ts';
import {
  deleteRecord,
  same,
  type Values,
  type WriteSettings,
} from '../../../journal-write/record.ts';
import { RecordWriter } from '../../../journal-write/record-writer.ts';
import {
  datesOf,
  LegGroupTable,
  type LegTrade,
  openingBy,
} from '../../../statements/walked-trades.ts';
import type { WalkedTrade } from '../trade-record.ts';
import {
  GroupDecisions,
  KnownGroups,
  MARKETS,
  type OpenedGroup,
  OpeningQueue,
  ParkedGroups,
  spreadOf,
} from './leg-groups.ts';

export interface GroupChanges {
  added: { strategy: string; legs: number }[];
  changed: number;
  removed: number;
  /** Groups that lost all legs and stay for the user's text. */
  kept: string[];
}

export class GroupWriter {
  readonly #db: Database.Database;
  readonly #userId: string;
  readonly #table: LegGroupTable;
  readonly #records: RecordWriter;
  readonly #groups: KnownGroups;
  readonly #decisions: GroupDecisions;
  readonly #parked: ParkedGroups;
  readonly #openings: OpeningQueue;
  readonly changes: GroupChanges = { added: [], changed: 0, removed: 0, kept: [] };

  constructor(db: Database.Database, settings: WriteSettings) {
    this.#db = db;
    this.#userId = settings.user.id;
    this.#table = new LegGroupTable(db, this.#userId, settings.now);
    this.#records = new RecordWriter(db, tradeGroups, settings);
    this.#groups = new KnownGroups(this.#table, this.#records);
    this.#decisions = new GroupDecisions(this.#table);
    this.#parked = new ParkedGroups(this.#table);
    this.#openings = new OpeningQueue(this.#table);
  }

  // Before trades change.

  /**
   * Call before trades change, with those that may.
   * @param areRestated whether the same rows have other times or accounts, and their
   * groups other ids: these are parked until then
   */
  remember(trades: readonly WalkedTrade[], areRestated = false): void {
    if (!this.#table.hasGroups() && !this.#table.hasFound()) return;

    const found = areRestated
      ? trades.flatMap(({ id }) => this.#table.find(id)?.found ?? [])
      : [];
    for (const id of new Set(found)) this.#parked.park(id);

    for (const { id, opening } of trades) {
      const leg = this.#table.find(id);
      if (leg?.group_id) this.#groups.former(leg.group_id);
      if (!leg?.found) continue;
      this.#groups.setFound(leg.found);
      this.#decisions.remember(leg, opening.account);
    }
  }

  /**
   * Whether there may be groups to find or to change; call it after remember.
   * @param markets of the trades that may change
   */
  mayFind(markets: readonly string[]): boolean {
    return (
      !this.#groups.isEmpty || markets.includes('option') || this.#table.hasOptions()
    );
  }

  // Once trades have changed.

  /**
   * @param after the current trades
   * @param isSettled whether the user has decided about a trade for which no group was
   * found before
   */
  apply(after: readonly WalkedTrade[], isSettled: (tradeId: string) => boolean): void {
    if (this.#groups.isEmpty && !this.#table.hasOptions()) return;

    this.#queueOpenings(after);
    const walked = new Map(after.map((trade) => [trade.id, trade]));
    for (const group of this.#openings.groups()) this.#place(group, walked, isSettled);
    for (const id of this.#groups.all) this.#settle(id);
    this.#decisions.forgetGone();

    for (const [parked, id] of this.#parked.waiting) {
      this.#rename(parked, this.#records.find(id) ? `${id}~2` : id);
    }

    this.#parked.repoint();
  }

  #queueOpenings(after: readonly WalkedTrade[]): void {
    // In a journal older than spread detection, every spread is still to be found.
    if (!this.#table.hasFound())
      for (const opening of this.#table.openingsOfOptions()) this.#openings.add(opening);

    for (const { instrument, opening } of after) {
      const known = MARKETS.includes(instrument.market) ? openingBy(opening) : undefined;
      if (known) this.#openings.add(known);
    }

    for (const id of this.#groups.found) this.#reconsider(id);
  }

  /** Queues the openings of a group's legs again. */
  #reconsider(id: string): void {
    for (const leg of this.#table.ofGroup(id)) {
      const opening = leg.found === id ? this.#table.openingOf(leg.id) : undefined;
      if (opening) this.#openings.add(opening);
    }
  }

  #rename(parked: string, id: string): void {
    this.#parked.rename(parked, id);
    this.#groups.rename(parked, id);
    this.#decisions.rename(parked, id);
  }

  /**
   * Puts the legs of a group that is found now into it, unless the user decided
   * otherwise.
   */
  #place(
    group: OpenedGroup,
    walked: ReadonlyMap<string, WalkedTrade>,
    isSettled: (tradeId: string) => boolean,
  ): void {
    const { id } = group;
    const legs = this.#unparked(group);
    const { record } = this.#groups.former(id);
    const members = legs.filter((leg) => {
      const decided = this.#decisions.of(leg, id, walked.get(leg.id));
      const isDecided =
        decided !== undefined || (leg.found === null && isSettled(leg.id));
      if (isDecided && leg.found === null) this.#table.setFound(leg.id, decided ?? id);
      return !isDecided || leg.group_id === id;
    });
    this.#groups.place(group, members);

    // A group that the user reduced to one leg stays a group.
    const isGroup = members.length > 1 || members.some((leg) => leg.group_id === id);
    if (!isGroup) return;

    if (!record) this.#add(id, members);
    for (const leg of members) this.#join(leg, id);
  }

  /**
   * Gives a parked group with most of the legs the id found now.
   * @returns the legs as they are then
   */
  #unparked({ id, legs }: OpenedGroup): LegTrade[] {
    const parked = this.#groups.isPlaced(id) ? undefined : this.#parked.mostOf(legs);
    if (parked === undefined || this.#records.find(id)) return legs;

    this.#rename(parked, id);
    return legs.map((leg) => this.#table.find(leg.id) ?? leg);
  }

  #add(id: string, legs: readonly LegTrade[]): void {
    const facts = spreadOf(legs);
    this.#records.put({ id, ...facts });
    this.changes.added.push({ strategy: facts.strategy, legs: legs.length });
    this.#groups.setAdded(id, facts);
  }

  /** Puts a leg into a group; what is left of its former group is found again. */
  #join({ id: tradeId, found, group_id }: LegTrade, id: string): void {
    if (found !== null && found !== id) {
      this.#groups.setFound(found);
      this.#reconsider(found);
    }
    if (group_id !== id) this.#table.put(tradeId, id);
    if (found !== id) this.#table.setFound(tradeId, id);
  }

  /**
   * Removes legs that no longer belong to a group, and updates the group from its legs.
   */
  #settle(id: string): void {
    const isFound = this.#groups.isFound(id);
    if (isFound) this.#removeOthers(id);

    const { record, facts } = this.#groups.former(id);
    if (!record) return;

    const legs = this.#table.ofGroup(id);
    if (legs.length > 0) this.#update(id, legs);
    else if (isFound) this.#leave(id, record, facts);
  }

  /** Removes legs that an import found for a group, and that it doesn't have now. */
  #removeOthers(id: string): void {
    for (const leg of this.#table.ofGroup(id)) {
      if (leg.found !== id || this.#groups.isLegOf(id, leg.id)) continue;
      this.#table.put(leg.id, null);
      this.#table.setFound(leg.id, null);
    }
  }

  /** Updates what the user hasn't changed. */
  #update(id: string, legs: readonly LegTrade[]): void {
    const { record, facts } = this.#groups.former(id);
    const now = this.#groups.isFound(id) ? this.#groups.factsOf(id, legs) : datesOf(legs);
    const dates = Object.keys(datesOf(legs));

    const changed = Object.entries(now).filter(([name]) => {
      if (!facts) return dates.includes(name);
      // One leg that is left of a spread has no name of its own.
      if (name === 'name' && legs.length < 2) return false;
      return isAsFound(name, record?.[name], facts[name]);
    });
    if (this.#records.put({ id, ...Object.fromEntries(changed) }) === 'changed')
      this.changes.changed++;
  }

  /**
   * Removes a group without legs. The user's text moves to the same group in the account
   * named now; without one, the group stays.
   */
  #leave(id: string, record: Values, facts: Values | undefined): void {
    const fields: readonly string[] = allFieldsOfGroup();
    const written = Object.entries(record).filter(
      ([name, value]) =>
        fields.includes(name) && !isAsFound(name, value, facts?.[name] ?? emptyOf(name)),
    );
    if (written.length > 0 || this.#table.hasJournals(id)) {
      const [successor, ...others] = this.#groups.successorsOf(id);
      if (successor === undefined || others.length > 0) {
        this.changes.kept.push(this.#parked.idBefore(id));
        return;
      }
      this.#records.put({ id: successor, ...Object.fromEntries(written) });
      this.#table.moveJournals(id, successor);
    }

    deleteRecord(this.#db, tradeGroups, this.#userId, id);
    this.changes.removed++;
  }
}

function emptyOf(name: string): unknown {
  const { shape } = tradeGroups.record;
  return JSON.parse(emptyJsonOf(shape[name as keyof typeof shape]) ?? 'null');
}

/** Whether a group is as an import found it; earlier versions made other names. */
function isAsFound(field: string, value: unknown, found: unknown): boolean {
  return same(value, found) || (field === 'name' && isNameOfImport(String(value)));
}
