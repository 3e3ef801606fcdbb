/**
 * Groups of legs: those that were opened together, and what a walk knows of the groups of
 * its trades.
 */
import { hash } from 'node:crypto';
import { positionName, riskOf, strategyOf } from '../../../journal/strategies.ts';
import type { Values } from '../../../journal-write/record.ts';
import type { RecordWriter } from '../../../journal-write/record-writer.ts';
import {
  datesOf,
  FORMER,
  type LegGroupTable,
  type LegTrade,
  type OpenedLeg,
  type Opening,
} from '../../../statements/walked-trades.ts';
import { withoutAccount } from '../identity.ts';
import type { WalkedTrade } from '../trade-record.ts';

// Legs that were opened together, by one order or at one instant, and so form a group: of
// one account, underlying and currency, one of them an option.

/** Legs that belong together, and their group. */
export interface OpenedGroup {
  id: string;
  /** The end of the id, the same whether or not a file names the account. */
  unnamed: string;
  legs: LegTrade[];
}

/** Markets of legs: options and their underlyings. */
export const MARKETS: readonly string[] = ['option', 'stock', 'future'];

/** Openings whose groups are still to be found; each is looked at once. */
export class OpeningQueue {
  readonly #table: LegGroupTable;
  readonly #openings: Opening[] = [];
  readonly #seen = new Set<string>();

  constructor(table: LegGroupTable) {
    this.#table = table;
  }

  add(opening: Opening): void {
    this.#openings.push(opening);
  }

  /** The groups of all openings, the latest added first; more may be added meanwhile. */
  *groups(): Generator<OpenedGroup> {
    for (let next = this.#openings.pop(); next; next = this.#openings.pop()) {
      yield* this.#groupsOf(next);
    }
  }

  /**
   * The groups opened by an order and, of legs without a group by order, those opened at
   * an instant.
   */
  *#groupsOf({ platform, order_id, instant }: Opening): Generator<OpenedGroup> {
    if (order_id !== null && this.#isUnseen(platform, 'order', order_id))
      yield* this.#ofOrder(platform, order_id);
    if (instant === null || !this.#isUnseen(platform, 'at', instant)) return;

    const legs = this.#table.openedAt(platform, instant);
    if (legs.length < 2) return;

    const orders = new Set(legs.flatMap((leg) => leg.order_id ?? []));
    const ofOrders = [...orders].flatMap((order) => this.#ofOrder(platform, order));
    const taken = new Set(ofOrders.flatMap((group) => group.legs.map(({ id }) => id)));
    const alone = legs.filter(({ id }) => !taken.has(id));
    yield* groupsOf([platform, 'at', instant], alone);
  }

  #ofOrder(platform: string, order: string): OpenedGroup[] {
    return groupsOf([platform, 'order', order], this.#table.openedBy(platform, order));
  }

  #isUnseen(...key: string[]): boolean {
    const text = JSON.stringify(key);
    if (this.#seen.has(text)) return false;
    this.#seen.add(text);
    return true;
  }
}

type OpeningKey = readonly [platform: string, ...key: string[]];

/** Groups of legs of one opening: at least two, and one of them an option. */
function groupsOf(opening: OpeningKey, legs: readonly OpenedLeg[]): OpenedGroup[] {
  const keyOf = (leg: LegTrade) =>
    JSON.stringify([leg.account, ...underlyingOf(leg)]).toLowerCase();
  const alike = [...Map.groupBy(legs.filter(hasTerms), keyOf).values()];

  return alike.flatMap((members) => {
    const isGroup =
      members.length > 1 && members.some(({ market }) => market === 'option');
    return isGroup ? [groupOf(opening, members)] : [];
  });
}

function groupOf(opening: OpeningKey, legs: LegTrade[]): OpenedGroup {
  const first = legs[0] as LegTrade;
  const underlying = underlyingOf(first).map((text) => text.toLowerCase());
  const unnamed = digest([...opening, ...underlying]);
  const account =
    first.account === null ? [] : [digest([first.account.toLowerCase()]).slice(0, 8)];
  return { id: [opening[0], 'spread', ...account, unnamed].join(':'), unnamed, legs };
}

function hasTerms({
  market,
  underlying,
  strike,
  expiration,
  option_type,
}: LegTrade): boolean {
  if (market !== 'option') return MARKETS.includes(market);
  return [underlying, strike, expiration, option_type].every((term) => term !== null);
}

/** A leg's underlying and currency: shares and futures are their options' underlying. */
function underlyingOf({ market, symbol, underlying, currency }: LegTrade): string[] {
  return [(market === 'option' ? underlying : symbol) ?? symbol, currency];
}

function digest(of: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(of)).slice(0, 24);
}

// What is known of groups: how they were before, which of them imports found, what the user
// decided against, and the ids of those whose rows are restated.

/** A group before trades change. */
interface FormerGroup {
  /** Undefined: it is new. */
  record: Values | undefined;
  /** Derived from its legs; undefined: it had none. */
  facts: Values | undefined;
  legs: readonly string[];
}

/** A group that is found now. */
interface PlacedGroup extends Pick<OpenedGroup, 'unnamed'> {
  legs: ReadonlySet<string>;
}

export class KnownGroups {
  readonly #table: LegGroupTable;
  readonly #records: RecordWriter;
  readonly #former = new Map<string, FormerGroup>();
  /** Groups that imports found, before or now. */
  readonly #found = new Set<string>();
  readonly #placed = new Map<string, PlacedGroup>();

  constructor(table: LegGroupTable, records: RecordWriter) {
    this.#table = table;
    this.#records = records;
  }

  get isEmpty(): boolean {
    return this.#former.size === 0;
  }

  /** Groups that imports found, before or now. */
  get found(): Iterable<string> {
    return this.#found;
  }

  /** Those found now come first: text of one without legs may move there. */
  get all(): Iterable<string> {
    return new Set([...this.#placed.keys(), ...this.#former.keys()]);
  }

  /** The group as it was when it was first asked for. */
  former(id: string): FormerGroup {
    const known = this.#former.get(id);
    if (known) return known;

    const legs = this.#table.ofGroup(id);
    const former: FormerGroup = {
      record: this.#stored(id),
      facts: legs.length > 0 ? this.factsOf(id, legs) : undefined,
      legs: legs.map((leg) => leg.id),
    };
    this.#former.set(id, former);

    return former;
  }

  isFound(id: string): boolean {
    return this.#found.has(id);
  }

  setFound(id: string): void {
    this.former(id);
    this.#found.add(id);
  }

  isPlaced(id: string): boolean {
    return this.#placed.has(id);
  }

  /** Whether a trade is a leg of a group that is found now. */
  isLegOf(id: string, tradeId: string): boolean {
    return this.#placed.get(id)?.legs.has(tradeId) === true;
  }

  place({ id, unnamed }: OpenedGroup, legs: readonly LegTrade[]): void {
    this.setFound(id);
    this.#placed.set(id, { unnamed, legs: new Set(legs.map((leg) => leg.id)) });
  }

  /** A group that has been added. */
  setAdded(id: string, facts: Values): void {
    this.#former.set(id, { record: this.#stored(id), facts, legs: [] });
  }

  rename(from: string, to: string): void {
    const former = this.#former.get(from);
    this.#former.delete(from);
    if (former) this.#former.set(to, former);
    if (this.#found.delete(from)) this.#found.add(to);
  }

  /**
   * Fields that follow from a group's legs: all if an import found the group, else its
   * dates.
   */
  factsOf(id: string, legs: readonly LegTrade[]): Values {
    const isFound = this.#found.has(id) || legs.some((leg) => leg.found === id);
    return isFound ? spreadOf(legs) : datesOf(legs);
  }

  /**
   * Groups found now that may be a former one: it in the account named now, or its legs'.
   */
  successorsOf(id: string): string[] {
    const isOther = (other: string) => other !== id && this.#stored(other) !== undefined;
    const named = [...this.#placed].flatMap(([other, { unnamed }]) =>
      other.endsWith(unnamed) && id.endsWith(unnamed) && isOther(other) ? [other] : [],
    );
    if (named.length > 0) return named;

    // In a file read again, times may differ: the group of the same legs follows.
    const legs = this.former(id).legs.map((leg) => this.#table.find(leg)?.group_id ?? id);
    return [...new Set(legs)].filter(
      (other) => this.#placed.has(other) && isOther(other),
    );
  }

  #stored(id: string): Values | undefined {
    return this.#records.find(id)?.record;
  }
}

/** The facts of a group that an import finds. */
export function spreadOf(legs: readonly LegTrade[]) {
  const strategy = strategyOf(legs);
  const [option] = legs.filter(({ market }) => market === 'option');
  const underlying = option?.underlying ?? null;
  const kind = 'multi_leg';

  return {
    name: positionName({ kind, underlying, strategy, legs }),
    kind,
    strategy,
    underlying,
    market: 'option',
    currency: legs[0]?.currency,
    initial_risk: riskOf(legs),
    ...datesOf(legs),
  };
}

/** Trades that the user took out of the groups that imports found for them. */
export class GroupDecisions {
  readonly #table: LegGroupTable;
  /** Earlier trades for which a group was found, each with its id without the account. */
  readonly #earlier = new Map<string, string>();
  /** The group that the user decided against, by the trade's id without the account. */
  readonly #against = new Map<string, string>();

  constructor(table: LegGroupTable) {
    this.#table = table;
  }

  /** @param leg as it was before, with a group that an import found */
  remember({ id, found, group_id }: LegTrade, account: string | null): void {
    const unnamed = withoutAccount(id, account);
    this.#earlier.set(id, unnamed);
    if (found !== null && found !== group_id) this.#against.set(unnamed, found);
  }

  rename(from: string, to: string): void {
    for (const [unnamed, group] of this.#against)
      if (group === from) this.#against.set(unnamed, to);
  }

  /**
   * The group found for a trade, or for its earlier trade, if the user decided against
   * it.
   * @param id of the group that is found for it now
   */
  of(leg: LegTrade, id: string, walked: WalkedTrade | undefined): string | undefined {
    if (leg.found !== null) return leg.found === leg.group_id ? undefined : leg.found;
    if (leg.group_id !== null) return leg.group_id === id ? undefined : id;
    if (this.#against.size === 0 || !walked) return undefined;

    const { account } = walked.opening;
    return walked.executions
      .map(({ fill }) => this.#against.get(withoutAccount(fill, account)))
      .find((group) => group !== undefined);
  }

  /**
   * Forgets what was found for trades that are gone, unless the user decided about it.
   */
  forgetGone(): void {
    for (const [id, unnamed] of this.#earlier) {
      if (!this.#against.has(unnamed) && !this.#table.find(id))
        this.#table.setFound(id, null);
    }
  }
}

/**
 * Groups whose rows are restated, so that their ids change: other ids stand in for them.
 */
export class ParkedGroups {
  readonly #table: LegGroupTable;
  /** Ids before, by the ids that stand in for them. */
  readonly #former = new Map<string, string>();
  /** Ids now, of those that have one. */
  readonly #present = new Map<string, string>();

  constructor(table: LegGroupTable) {
    this.#table = table;
  }

  park(id: string): void {
    this.#table.rename(id, FORMER + id);
    this.#former.set(FORMER + id, id);
  }

  /** The id before, if another stands in for it. */
  idBefore(id: string): string {
    return this.#former.get(id) ?? id;
  }

  /** The parked group with most of some legs, if any. */
  mostOf(legs: readonly LegTrade[]): string | undefined {
    if (this.#former.size === 0) return undefined;

    const counts = [...Map.groupBy(legs, ({ found }) => found)];
    return counts
      .sort(([, a], [, b]) => b.length - a.length)
      .flatMap(([found]) => found ?? [])
      .find((found) => this.#former.has(found) && !this.#present.has(found));
  }

  rename(parked: string, id: string): void {
    this.#table.rename(parked, id);
    this.#present.set(parked, id);
  }

  /** Those that are still parked, with their ids before. */
  get waiting(): [parked: string, id: string][] {
    return [...this.#former].filter(([parked]) => !this.#present.has(parked));
  }

  /** What lines state of a parked group is of the present one. */
  repoint(): void {
    const ids = [...this.#former].map(
      ([parked, id]) => [id, this.#present.get(parked) ?? id] as const,
    );
    this.#table.repoint(new Map(ids));
  }
}
