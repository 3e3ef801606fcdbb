/**
 * Writes the result of a walk to the journal: adds, changes and removes trades without
 * losing the user's text.
 */
import type Database from 'better-sqlite3';
import { trades } from '../../../journal/resources/trades.ts';
import {
  same,
  sameBy,
  type Values,
  type WriteSettings,
} from '../../../journal-write/record.ts';
import { type FillLink, RecordWriter } from '../../../journal-write/record-writer.ts';
import { FROM_EXECUTIONS } from '../../../journal-write/trade.ts';
import { PART } from '../../../statements/fill-row.ts';
import { TradeTexts } from '../../../statements/trade-texts.ts';
import { type StoredTrade, WalkedTradeTable } from '../../../statements/walked-trades.ts';
import { withoutAccount } from '../identity.ts';
import {
  datedCosts,
  executionsOf,
  linksOf,
  tradeRecord,
  UNSURE,
  WALKED_FIELDS,
  type WalkedTrade,
  walkedFields,
} from '../trade-record.ts';

export interface TradeChanges {
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  /**
   * Trades whose notes and labels moved to the trade that now has most of their fills.
   */
  moved: { from: string; to: string }[];
  /**
   * Trades whose executions the user changed: they stay as they are, regardless of the
   * fills.
   */
  kept: string[];
}

/**
 * Fields that an adopted trade takes from its fills; the others stay as they were before.
 */
const FROM_FILLS: readonly string[] = [...FROM_EXECUTIONS, 'gross_pnl'];

function tagsOf(
  { isUnsure }: Pick<WalkedTrade, 'isUnsure'>,
  { record }: StoredTrade,
): string[] {
  const tags = (record['tags'] as readonly string[]).filter((tag) => tag !== UNSURE);
  return isUnsure ? [...tags, UNSURE] : tags;
}

/** Number of fills or trades written between progress reports. */
export const PROGRESS_EVERY = 500;

export class TradeWriter {
  readonly #table: WalkedTradeTable;
  readonly #records: RecordWriter;
  readonly #baseCurrency: string;
  readonly #isStated: (tradeId: string) => boolean;
  readonly #texts: TradeTexts;
  readonly #formerIds: (fill: string) => readonly string[];
  readonly changes: TradeChanges = {
    added: 0,
    changed: 0,
    removed: 0,
    unchanged: 0,
    moved: [],
    kept: [],
  };

  /**
   * @param isStated whether a file of records states a trade, which then stays without
   * its fills
   * @param formerIds ids that a fill had before
   */
  constructor(
    db: Database.Database,
    settings: WriteSettings,
    isStated: (tradeId: string) => boolean = () => false,
    formerIds: (fill: string) => readonly string[] = () => [],
  ) {
    this.#isStated = isStated;
    this.#formerIds = formerIds;
    this.#table = new WalkedTradeTable(db, settings.user.id);
    this.#texts = new TradeTexts(db, settings);
    // The account is the fills' own, not the default for trades without one.
    this.#records = new RecordWriter(db, trades, { ...settings, account: undefined });
    this.#baseCurrency = settings.user.base_currency;
  }

  /**
   * Updates the journal from one walk of some instruments to the next.
   * @param before trades of the earlier fills
   * @param after trades of the current fills
   * @param progress called regularly
   * @throws UserError if the user's text would be left without a trade
   */
  apply(
    before: readonly WalkedTrade[],
    after: readonly WalkedTrade[],
    progress?: (done: number, of: number) => void,
  ): void {
    const earlier = new Map(before.map((trade) => [trade.id, trade]));
    const later = new Map(after.map((trade) => [trade.id, trade]));
    const different = before.filter(
      (trade) => !same(later.get(trade.id)?.executions, trade.executions),
    );
    const heirs = new Heirs(different.length > 0 ? after : []);
    const createdAt = this.#createdAt(different);
    this.#texts.remember(different);

    for (const [place, trade] of after.entries()) {
      this.#put(trade, earlier.get(trade.id), createdAt);
      if (place % PROGRESS_EVERY === 0) progress?.(place, after.length);
    }

    const staying = this.#unlinked(different, heirs);
    const going = before.filter(({ id }) => !later.has(id) && !staying.has(id));
    const goingIds = new Set(going.map(({ id }) => id));
    const unsettled = different.filter(({ id }) => !staying.has(id));

    this.#moveTexts(unsettled, goingIds, (id, isHeld) => {
      const former = earlier.get(id);
      return former && heirs.of(former, isHeld)?.id;
    });
    this.#remove(goingIds);
  }

  /**
   * Ids of trades that stay without their fills, because a file of records states them.
   */
  #unlinked(different: readonly WalkedTrade[], heirs: Heirs): Set<string> {
    const stated = different.filter(
      (trade) => this.#isStated(trade.id) && !heirs.of(trade),
    );
    const ids = new Set(stated.map(({ id }) => id));
    for (const id of ids) this.#table.unlinkFills(id);
    return ids;
  }

  /** Moves what the user wrote to the trades that now have most of the fills. */
  #moveTexts(
    different: readonly WalkedTrade[],
    going: ReadonlySet<string>,
    heirOf: (id: string, isHeld: (fill: string) => boolean) => string | undefined,
  ): void {
    const ids = different.map(({ id }) => id);
    const moved = this.#texts.settle(ids, going, (id, fills) =>
      heirOf(
        id,
        (fill) =>
          fills.has(fill) ||
          this.#formerIds(fill).some((formerly) => fills.has(formerly)),
      ),
    );
    this.changes.moved = this.changes.moved.concat(moved);
  }

  #remove(ids: ReadonlySet<string>): void {
    for (const id of ids) {
      if (!this.#table.find(id)) continue;
      this.#table.delete(id);
      this.changes.removed++;
    }
  }

  #put(trade: WalkedTrade, before: WalkedTrade | undefined, createdAt: CreatedAt): void {
    const isSame = before !== undefined && sameWalk(before, trade, this.#baseCurrency);
    const links = linksOf(trade);
    const stored = this.#table.find(trade.id);
    if (!stored) {
      // The user deleted it: it stays out until its fills change.
      if (!isSame) this.#add(trade, links, createdAt);
      return;
    }

    this.changes[isSame ? 'unchanged' : this.#update(trade, before, { stored, links })]++;
    const isLinked = same(stored.links, links);
    if (this.changes.kept.includes(trade.id)) return;
    if (!isLinked) this.#table.linkFills(trade.id, links);
    this.#table.setDatedCosts(trade.id, datedCosts(trade), stored, trade.open > 0);
  }

  #add(trade: WalkedTrade, links: readonly FillLink[], createdAt: CreatedAt): void {
    const record: Values = {
      ...tradeRecord(trade, this.#baseCurrency),
      created_at: createdAt(trade),
    };
    if (trade.isUnsure) record['tags'] = [UNSURE];
    this.#records.put(record, links);
    this.#table.setDatedCosts(trade.id, datedCosts(trade));
    this.changes.added++;
  }

  /** Keeps what the user changed since the walk before. */
  #update(
    trade: WalkedTrade,
    before: WalkedTrade | undefined,
    { stored, links }: { stored: StoredTrade; links: readonly FillLink[] },
  ): 'changed' | 'unchanged' {
    const executions = executionsOf(trade);
    const hasSameExecutions = alike(stored.executions, executions);
    // A trade with this id that wasn't made from fills: with the same executions, it is
    // the same trade.
    if (!before && hasSameExecutions) return 'unchanged';
    if (before && !hasSameExecutions && !alike(stored.executions, executionsOf(before))) {
      this.changes.kept.push(trade.id);
      return 'unchanged';
    }

    const changed: Values = {
      id: trade.id,
      executions,
      ...this.#changedFields(trade, before, stored),
    };
    if (before && before.isUnsure !== trade.isUnsure)
      changed['tags'] = tagsOf(trade, stored);
    return this.#records.put(changed, links) === 'changed' ? 'changed' : 'unchanged';
  }

  #changedFields(
    trade: WalkedTrade,
    before: WalkedTrade | undefined,
    { record, isRated }: StoredTrade,
  ): Values {
    const former = before && walkedFields(before, this.#baseCurrency);
    const now = walkedFields(trade, this.#baseCurrency);
    const isAdopted = before?.opening.part === PART.adopted;
    const changed: Values = {};

    for (const name of WALKED_FIELDS) {
      const isOfFills = FROM_FILLS.includes(name);
      const isWritten = former !== undefined && !alike(record[name], former[name]);
      // A rate of the user's table gives way to one that a file states.
      const stays =
        name === 'fx_rate' && isRated
          ? now[name] === null
          : isWritten || (isAdopted && !isOfFills);
      const value = stays ? record[name] : now[name];
      // What is given is checked.
      if (isOfFills || value !== record[name]) changed[name] = value;
    }

    return changed;
  }

  /**
   * Finds creation times: a new trade made from older trades' fills takes the earliest of
   * theirs.
   */
  #createdAt(gone: readonly WalkedTrade[]): CreatedAt {
    if (gone.length === 0) return () => undefined;

    let byFill: Map<string, WalkedTrade[]> | undefined;
    return (trade) => {
      byFill ??= holders(gone);
      const former = new Set(
        sharesOf(trade).flatMap(({ unnamed }) => byFill?.get(unnamed) ?? []),
      );
      const stamps = [...former].flatMap(({ id }) => this.#table.createdAt(id) ?? []);
      return stamps.sort()[0];
    };
  }
}

type CreatedAt = (trade: WalkedTrade) => string | undefined;

/** Trades by the fills that they hold, by ids without accounts. */
function holders(trades: readonly WalkedTrade[]): Map<string, WalkedTrade[]> {
  const byFill = new Map<string, WalkedTrade[]>();
  for (const trade of trades) {
    for (const { unnamed } of sharesOf(trade)) {
      const others = byFill.get(unnamed);
      if (others) others.push(trade);
      else byFill.set(unnamed, [trade]);
    }
  }

  return byFill;
}

/** A trade's part of an execution. */
interface Share {
  fill: string;
  /** The id without the account. */
  unnamed: string;
  quantity: number;
}

interface HeldShare extends Share {
  trade: WalkedTrade;
}

function sharesOf({ executions, opening }: WalkedTrade): Share[] {
  return executions.map(({ fill, quantity }) => ({
    fill,
    unnamed: withoutAccount(fill, opening.account),
    quantity,
  }));
}

/** Later trades by their fills. */
class Heirs {
  readonly #byFill: Map<string, HeldShare[]>;
  readonly #byUnnamed: Map<string, HeldShare[]>;

  constructor(after: readonly WalkedTrade[]) {
    const shares = after.flatMap((trade) =>
      sharesOf(trade).map((share) => ({ ...share, trade })),
    );
    this.#byFill = Map.groupBy(shares, ({ fill }) => fill);
    this.#byUnnamed = Map.groupBy(shares, ({ unnamed }) => unnamed);
  }

  /**
   * The trade with most of the fills of an earlier one; of equals the one with its id,
   * then the earliest.
   * @param isCounted whether a fill counts; all by default
   */
  of(
    trade: WalkedTrade,
    isCounted: (fill: string) => boolean = () => true,
  ): WalkedTrade | undefined {
    const held = new Map<WalkedTrade, number>();
    for (const share of sharesOf(trade)) {
      if (!isCounted(share.fill)) continue;
      for (const { trade: holder, quantity } of this.#holdersOf(share))
        held.set(holder, (held.get(holder) ?? 0) + Math.min(share.quantity, quantity));
    }

    const [best] = [...held].sort(
      ([one, quantity], [other, more]) =>
        more - quantity || Number(other.id === trade.id) - Number(one.id === trade.id),
    );
    return best?.[0];
  }

  #holdersOf(share: Share): readonly HeldShare[] {
    const same = this.#byFill.get(share.fill);
    if (same) return same;

    // A fill without an account may have one now, and the reverse.
    const isNamed = ({ fill, unnamed }: Share) => fill !== unnamed;
    const alike = this.#byUnnamed.get(share.unnamed) ?? [];
    return alike.filter((other) => isNamed(other) !== isNamed(share));
  }
}

function sameWalk(a: WalkedTrade, b: WalkedTrade, baseCurrency: string): boolean {
  if (a.isUnsure !== b.isUnsure || !same(a.executions, b.executions)) return false;
  if (!same(datedCosts(a), datedCosts(b))) return false;
  return same(walkedFields(a, baseCurrency), walkedFields(b, baseCurrency));
}

/** Equal except for rounding. */
function alike(a: unknown, b: unknown): boolean {
  return sameBy(a, b, (one, other) =>
    typeof one === 'number' && typeof other === 'number'
      ? Math.abs(one - other) <= 1e-9 + Math.abs(other) * 1e-12
      : one === other,
  );
}
