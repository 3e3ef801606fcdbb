/**
 * Legs that were opened together, by one order or at one instant, and so form a group: of
 * one account, underlying and currency, one of them an option.
 */
import { hash } from 'node:crypto';
import type {
  LegGroupTable,
  LegTrade,
  OpenedLeg,
  Opening,
} from '../../../statements/walked-trades.ts';

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
