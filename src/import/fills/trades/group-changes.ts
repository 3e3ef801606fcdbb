/**
 * Changes of trade groups that follow from fills. Legs opened by one order, or at one instant, form
 * a group. Only what is as an import found it changes: the user's own grouping, ungrouping and
 * naming stay.
 */
import { hash } from 'node:crypto';
import type Database from 'better-sqlite3';
import { tradeGroups } from '../../../journal/resources/trade-groups.ts';
import {
  deleteRecord,
  same,
  type Values,
  type WriteSettings,
} from '../../../journal-write/record.ts';
import { RecordWriter } from '../../../journal-write/record-writer.ts';
import {
  datesOf,
  FORMER,
  LegGroupTable,
  type LegTrade,
  type OpenedLeg,
  type Opening,
  openingBy,
} from '../../../statements/walked-trades.ts';
import { withoutAccount } from '../identity.ts';
import { nameOf, riskOf, strategyOf } from '../spread.ts';
import type { WalkedTrade } from '../trade-record.ts';

export interface GroupChanges {
  added: { strategy: string; legs: number }[];
  changed: number;
  removed: number;
  /** Groups that lost all legs and stay for the user's text. */
  kept: string[];
}

/** Legs that belong together, and their group. */
interface FoundGroup {
  id: string;
  /** The same whether or not a file names the account. */
  unnamed: string;
  legs: LegTrade[];
}

/** A group before trades change. */
interface KnownGroup {
  /** Undefined: it is new. */
  record: Values | undefined;
  /** Derived from its legs; undefined: it had none. */
  facts: Values | undefined;
  legs: readonly string[];
}

export class GroupWriter {
  readonly #db: Database.Database;
  readonly #userId: string;
  readonly #table: LegGroupTable;
  readonly #records: RecordWriter;
  readonly changes: GroupChanges = { added: [], changed: 0, removed: 0, kept: [] };
  readonly #known = new Map<string, KnownGroup>();
  /** Groups that imports found, before or now. */
  readonly #found = new Set<string>();
  /** Earlier trades for which a group was found, each with its id without the account. */
  readonly #earlier = new Map<string, string>();
  /** Those that the user took out of the group: the group by the id without the account. */
  readonly #decided = new Map<string, string>();
  /**
   * The legs of each group that is found now, and the end of its id, which is independent of the
   * account.
   */
  readonly #placed = new Map<string, { unnamed: string; legs: ReadonlySet<string> }>();
  /** Ids of parked groups, and those that they have now. */
  readonly #parked = new Map<string, string>();
  readonly #renamed = new Map<string, string>();
  readonly #openings: Opening[] = [];
  readonly #seen = new Set<string>();
  #walked: ReadonlyMap<string, WalkedTrade> = new Map();
  #isSettled: (tradeId: string) => boolean = () => false;

  constructor(db: Database.Database, settings: WriteSettings) {
    this.#db = db;
    this.#userId = settings.user.id;
    this.#table = new LegGroupTable(db, this.#userId, settings.now);
    this.#records = new RecordWriter(db, tradeGroups, settings);
  }

  /**
   * Call before trades change, with those that may.
   * @param areRestated whether the same rows have other times or accounts, and their groups other
   * ids: these are parked until then
   */
  remember(trades: readonly WalkedTrade[], areRestated = false): void {
    if (!this.#table.hasGroups() && !this.#table.hasFound()) return;
    const found = areRestated ? trades.flatMap(({ id }) => this.#table.find(id)?.found ?? []) : [];
    for (const id of new Set(found)) {
      this.#table.rename(id, FORMER + id);
      this.#parked.set(FORMER + id, id);
    }
    for (const { id, opening } of trades) {
      const leg = this.#table.find(id);
      if (leg?.group_id) this.#know(leg.group_id);
      if (!leg?.found) continue;
      const unnamed = withoutAccount(id, opening.account);
      this.#know(leg.found);
      this.#found.add(leg.found);
      this.#earlier.set(id, unnamed);
      if (leg.found !== leg.group_id) this.#decided.set(unnamed, leg.found);
    }
  }

  /**
   * Whether there may be groups to find or to change; call it after remember.
   * @param markets of the trades that may change
   */
  mayFind(markets: readonly string[]): boolean {
    return this.#known.size > 0 || markets.includes('option') || this.#table.hasOptions();
  }

  /**
   * @param after the current trades
   * @param isSettled whether the user has decided about a trade for which no group was found before
   */
  apply(after: readonly WalkedTrade[], isSettled: (tradeId: string) => boolean): void {
    if (this.#known.size === 0 && !this.#table.hasOptions()) return;
    this.#walked = new Map(after.map((trade) => [trade.id, trade]));
    this.#isSettled = isSettled;
    // In a journal older than spread detection, every spread is still to be found.
    if (!this.#table.hasFound())
      for (const own of this.#table.openingsOfOptions()) this.#openings.push(own);
    for (const { instrument, opening } of after) {
      const own = MARKETS.includes(instrument.market) ? openingBy(opening) : undefined;
      if (own) this.#openings.push(own);
    }
    for (const id of this.#found) this.#reconsider(id);
    for (let own = this.#openings.pop(); own; own = this.#openings.pop()) this.#find(own);
    // Groups with legs come first: text of one without legs may move there.
    for (const id of new Set([...this.#placed.keys(), ...this.#known.keys()])) this.#settle(id);
    for (const [id, unnamed] of this.#earlier) {
      if (!this.#decided.has(unnamed) && !this.#table.find(id)) this.#table.setFound(id, null);
    }
    for (const [parked, id] of this.#parked) {
      const isFree = !this.#renamed.has(id) && !this.#records.find(id);
      if (!this.#renamed.has(parked)) this.#rename(parked, isFree ? id : `${id}~2`);
    }
    this.#table.repoint(
      new Map([...this.#parked].map(([parked, id]) => [id, this.#renamed.get(parked) ?? id])),
    );
  }

  #rename(parked: string, id: string): void {
    this.#table.rename(parked, id);
    this.#renamed.set(parked, id);
    const known = this.#known.get(parked);
    this.#known.delete(parked);
    if (known) this.#known.set(id, known);
    if (this.#found.delete(parked)) this.#found.add(id);
    for (const [unnamed, own] of this.#decided) if (own === parked) this.#decided.set(unnamed, id);
  }

  /** Gives a parked group with most of the legs its id. @returns the legs as they are then */
  #unparked(id: string, legs: LegTrade[]): LegTrade[] {
    if (this.#parked.size === 0 || this.#placed.has(id)) return legs;
    const counts = [...Map.groupBy(legs, ({ found }) => found)].sort(
      ([, a], [, b]) => b.length - a.length,
    );
    const [former] = counts.flatMap(([found]) =>
      found !== null && this.#parked.has(found) && !this.#renamed.has(found) ? [found] : [],
    );
    if (former === undefined || this.#records.find(id)) return legs;
    this.#rename(former, id);
    return legs.map((leg) => this.#table.find(leg.id) ?? leg);
  }

  #know(id: string): KnownGroup {
    let known = this.#known.get(id);
    if (!known) {
      const legs = this.#table.ofGroup(id);
      const facts = legs.length > 0 ? this.#factsOf(id, legs) : undefined;
      known = { record: this.#records.find(id)?.record, facts, legs: legs.map((leg) => leg.id) };
      this.#known.set(id, known);
    }
    return known;
  }

  /** Queues the openings of a group's legs again. */
  #reconsider(id: string): void {
    for (const leg of this.#table.ofGroup(id)) {
      const own = leg.found === id ? this.#table.openingOf(leg.id) : undefined;
      if (own) this.#openings.push(own);
    }
  }

  /**
   * Finds the groups opened by an order and, for legs without a group by order, those opened at an
   * instant.
   */
  #find({ platform, order_id, instant }: Opening): void {
    const ofOrder = (orderId: string) =>
      foundGroups([platform, 'order', orderId], this.#table.openedBy(platform, orderId));
    if (order_id !== null && this.#isUnseen(platform, 'order', order_id))
      for (const own of ofOrder(order_id)) this.#place(own);
    if (instant === null || !this.#isUnseen(platform, 'at', instant)) return;
    const legs = this.#table.openedAt(platform, instant);
    if (legs.length < 2) return;
    const orders = new Set(legs.flatMap((leg) => leg.order_id ?? []));
    const taken = new Set(
      [...orders].flatMap(ofOrder).flatMap((own) => own.legs.map(({ id }) => id)),
    );
    const alone = legs.filter(({ id }) => !taken.has(id));
    for (const own of foundGroups([platform, 'at', instant], alone)) this.#place(own);
  }

  #isUnseen(...key: string[]): boolean {
    const text = JSON.stringify(key);
    if (this.#seen.has(text)) return false;
    this.#seen.add(text);
    return true;
  }

  #place({ id, unnamed, legs: all }: FoundGroup): void {
    const legs = this.#unparked(id, all);
    const { record } = this.#know(id);
    const members: LegTrade[] = [];
    for (const leg of legs) {
      const decided = this.#decisionOn(leg, id);
      if (decided !== undefined || (leg.found === null && this.#isSettled(leg.id))) {
        if (leg.found === null) this.#table.setFound(leg.id, decided ?? id);
        if (leg.group_id !== id) continue;
      }
      members.push(leg);
    }
    this.#found.add(id);
    this.#placed.set(id, { unnamed, legs: new Set(members.map((leg) => leg.id)) });
    // A group that the user reduced to one leg stays a group.
    const isGroup = members.length > 1 || members.some((leg) => leg.group_id === id);
    if (!isGroup) return;
    if (!record) {
      const facts = spreadOf(members);
      this.#records.put({ id, ...facts });
      this.changes.added.push({ strategy: facts.strategy, legs: members.length });
      this.#known.set(id, { record: this.#records.find(id)?.record, facts, legs: [] });
    }
    for (const leg of members) {
      if (leg.found !== null && leg.found !== id) {
        this.#know(leg.found);
        this.#found.add(leg.found);
        this.#reconsider(leg.found);
      }
      if (leg.group_id !== id) this.#table.put(leg.id, id);
      if (leg.found !== id) this.#table.setFound(leg.id, id);
    }
  }

  /** The group found for a trade, or for its earlier trade, if the user decided against it. */
  #decisionOn(leg: LegTrade, id: string): string | undefined {
    if (leg.found !== null) return leg.found === leg.group_id ? undefined : leg.found;
    if (leg.group_id !== null) return leg.group_id === id ? undefined : id;
    const walked = this.#walked.get(leg.id);
    for (const { fill } of this.#decided.size > 0 && walked ? walked.executions : []) {
      const decided = this.#decided.get(withoutAccount(fill, walked?.opening.account ?? null));
      if (decided !== undefined) return decided;
    }
    return undefined;
  }

  /** Removes legs that no longer belong to a group, and updates the group from its legs. */
  #settle(id: string): void {
    const isFound = this.#found.has(id);
    for (const leg of isFound ? this.#table.ofGroup(id) : []) {
      if (leg.found !== id || this.#placed.get(id)?.legs.has(leg.id)) continue;
      this.#table.put(leg.id, null);
      this.#table.setFound(leg.id, null);
    }
    const { record, facts } = this.#know(id);
    if (!record) return;
    const legs = this.#table.ofGroup(id);
    if (legs.length === 0) {
      if (isFound) this.#leave(id, record, facts);
      return;
    }
    const now = isFound ? this.#factsOf(id, legs) : datesOf(legs);
    const changed = Object.entries(now).filter(([name]) =>
      facts ? same(record[name], facts[name]) : Object.hasOwn(datesOf(legs), name),
    );
    if (this.#records.put({ id, ...Object.fromEntries(changed) }) === 'changed')
      this.changes.changed++;
  }

  /**
   * Removes a group without legs. The user's text moves to the same group in the account named now;
   * without one, the group stays.
   */
  #leave(id: string, record: Values, facts: Values | undefined): void {
    const written = Object.entries(record).filter(
      ([name, value]) =>
        WRITTEN.includes(name) && !same(value, facts?.[name] ?? (name === 'tags' ? [] : null)),
    );
    const named = [...this.#placed].filter(
      ([own, { unnamed }]) =>
        own.endsWith(unnamed) && own !== id && id.endsWith(unnamed) && this.#records.find(own),
    );
    // In a file read again, times may differ: the group of the same legs follows.
    const legs = this.#know(id).legs.map((leg) => this.#table.find(leg)?.group_id ?? id);
    const ofLegs = [...new Set(legs)].filter(
      (own) => own !== id && this.#placed.has(own) && this.#records.find(own),
    );
    const [successor, ...others] = named.length > 0 ? named.map(([own]) => own) : ofLegs;
    if (written.length > 0 || this.#table.hasJournals(id)) {
      if (successor === undefined || others.length > 0) {
        this.changes.kept.push(this.#parked.get(id) ?? id);
        return;
      }
      this.#records.put({ id: successor, ...Object.fromEntries(written) });
      this.#table.moveJournals(id, successor);
    }
    deleteRecord(this.#db, tradeGroups, this.#userId, id);
    this.changes.removed++;
  }

  #factsOf(id: string, legs: readonly LegTrade[]): Values {
    return this.#found.has(id) || legs.some((leg) => leg.found === id)
      ? spreadOf(legs)
      : datesOf(legs);
  }
}

/** Markets of legs: options and their underlyings. */
const MARKETS = ['option', 'stock', 'future'];

/** Fields of a group that the user may write. */
const WRITTEN = ['name', 'kind', 'strategy', 'initial_risk', 'tags', 'notes'];

/** The facts of a group that an import finds. */
function spreadOf(legs: readonly LegTrade[]) {
  const strategy = strategyOf(legs);
  const [option] = legs.filter(({ market }) => market === 'option');
  return {
    name: nameOf(legs, strategy),
    kind: 'multi_leg',
    strategy,
    underlying: option?.underlying ?? null,
    market: 'option',
    currency: legs[0]?.currency,
    initial_risk: riskOf(legs),
    ...datesOf(legs),
  };
}

/**
 * Groups of legs of one opening: of one account, underlying and currency, at least two and one of
 * them an option.
 */
function foundGroups(
  opening: readonly [platform: string, ...key: string[]],
  legs: readonly OpenedLeg[],
): FoundGroup[] {
  const keyOf = (leg: LegTrade) =>
    JSON.stringify([leg.account, ...underlyingOf(leg)]).toLowerCase();
  return [...Map.groupBy(legs.filter(hasTerms), keyOf).values()].flatMap((own) => {
    const first = own[0] as LegTrade;
    if (own.length < 2 || !own.some(({ market }) => market === 'option')) return [];
    const unnamed = digest([...opening, ...underlyingOf(first).map((text) => text.toLowerCase())]);
    const account =
      first.account === null ? [] : [digest([first.account.toLowerCase()]).slice(0, 8)];
    return [{ id: [opening[0], 'spread', ...account, unnamed].join(':'), unnamed, legs: own }];
  });
}

function hasTerms({ market, underlying, strike, expiration, option_type }: LegTrade): boolean {
  if (market !== 'option') return MARKETS.includes(market);
  return [underlying, strike, expiration, option_type].every((own) => own !== null);
}

/** A leg's underlying and currency: shares and futures are their options' underlying. */
function underlyingOf({ market, symbol, underlying, currency }: LegTrade): string[] {
  return [(market === 'option' ? underlying : symbol) ?? symbol, currency];
}

function digest(of: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(of)).slice(0, 24);
}
