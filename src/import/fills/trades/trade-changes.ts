/** Writes the result of a walk to the journal: adds, changes and removes trades without losing the user's text. */
import type Database from 'better-sqlite3';
import { UserError } from '../../../errors.ts';
import { PART } from '../../../import-tables/fill-row.ts';
import { FORMER, type StoredTrade, WalkedTradeTable, WRITTEN_FIELDS } from '../../../import-tables/walked-trades.ts';
import { trades } from '../../../journal/resources/trades.ts';
import { same, sameBy, type Values, type WriteSettings } from '../../../journal-write/record.ts';
import { RecordWriter } from '../../../journal-write/record-writer.ts';
import { dropExcursions, FROM_EXECUTIONS, haveSamePrices } from '../../../journal-write/trade.ts';
import { withoutAccount } from '../identity.ts';
import { executionsOf, tradeRecord, UNSURE, WALKED_FIELDS, type WalkedTrade, walkedFields } from '../trade-record.ts';

export interface TradeChanges {
  added: number;
  changed: number;
  removed: number;
  unchanged: number;
  /** Trades whose notes and labels moved to the trade that now has most of their fills. */
  moved: { from: string; to: string }[];
  /** Trades whose executions the user changed: they stay as they are, regardless of the fills. */
  kept: string[];
}

/** Fields that an adopted trade takes from its fills; the others stay as they were before. */
const FROM_FILLS: readonly string[] = [...FROM_EXECUTIONS, 'gross_pnl'];

function tagsOf({ isUnsure }: Pick<WalkedTrade, 'isUnsure'>, { record }: StoredTrade): string[] {
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
  readonly changes: TradeChanges = { added: 0, changed: 0, removed: 0, unchanged: 0, moved: [], kept: [] };

  /** @param isStated whether a file of records states a trade, which then stays without its fills */
  constructor(db: Database.Database, settings: WriteSettings, isStated: (tradeId: string) => boolean = () => false) {
    this.#isStated = isStated;
    this.#table = new WalkedTradeTable(db, settings.user.id, settings.now);
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
    const gone = before.filter((trade) => !same(later.get(trade.id)?.executions, trade.executions));
    const successors = successorsOf(gone, after);
    const createdAt = this.#createdAt(gone, after);
    for (const [place, trade] of after.entries()) {
      this.#put(trade, earlier.get(trade.id), createdAt.get(trade.id));
      if (place % PROGRESS_EVERY === 0) progress?.(place, after.length);
    }
    const staying = new Set(gone.filter(({ id }) => !successors.has(id) && this.#isStated(id)));
    for (const trade of gone) {
      const successor = successors.get(trade.id);
      if (staying.has(trade)) this.#table.unlinkFills(trade.id);
      else if (successor?.id !== trade.id) this.#moveTexts(trade, successor, later.has(trade.id));
    }
    for (const trade of before) {
      const { id } = trade;
      if (later.has(id) || staying.has(trade) || !this.#table.find(id)) continue;
      this.#table.delete(id);
      this.changes.removed++;
    }
  }

  #put(trade: WalkedTrade, before: WalkedTrade | undefined, createdAt: string | undefined): void {
    const isSame = before !== undefined && sameWalk(before, trade, this.#baseCurrency);
    const fillIds = trade.executions.map(({ fill }) => fill);
    const stored = this.#table.find(trade.id);
    if (!stored) {
      // The user deleted it: it stays out until its fills change.
      if (isSame) return;
      const stamp = createdAt === undefined ? {} : { created_at: createdAt };
      const tags = trade.isUnsure ? { tags: [UNSURE] } : {};
      this.#records.put({ ...tradeRecord(trade, this.#baseCurrency), ...stamp, ...tags }, fillIds);
      this.changes.added++;
      return;
    }
    if (isSame) this.changes.unchanged++;
    else this.#update(trade, before, stored);
    const isLinked = isSame && same(stored.fillIds, fillIds);
    if (!isLinked && !this.changes.kept.includes(trade.id)) this.#table.linkFills(trade.id, fillIds);
  }

  /** Keeps what the user changed since the walk before. */
  #update(trade: WalkedTrade, before: WalkedTrade | undefined, stored: StoredTrade): void {
    const executions = executionsOf(trade);
    const hasSameExecutions = alike(stored.executions, executions);
    // A trade with this id that wasn't made from fills: with the same executions, it is the same trade.
    const base = before ? walkedFields(before, this.#baseCurrency) : undefined;
    const after = walkedFields(trade, this.#baseCurrency);
    if (!base && hasSameExecutions) {
      this.changes.unchanged++;
      return;
    }
    if (before && !hasSameExecutions && !alike(stored.executions, executionsOf(before))) {
      this.changes.kept.push(trade.id);
      this.changes.unchanged++;
      return;
    }
    const given: Values = { id: trade.id, executions };
    const isAdopted = before?.opening.part === PART.adopted;
    for (const name of WALKED_FIELDS) {
      const isOwn = base !== undefined && !alike(stored.record[name], base[name]);
      const stays = isOwn || (isAdopted && !FROM_FILLS.includes(name));
      // A rate of the user's table gives way to one that a file states.
      const isRated = name === 'fx_rate' && stored.isRated;
      given[name] = isRated ? (after[name] ?? stored.record[name]) : stays ? stored.record[name] : after[name];
    }
    if (before && before.isUnsure !== trade.isUnsure) given['tags'] = tagsOf(trade, stored);
    if (this.#records.put(given) === 'changed') this.changes.changed++;
    else this.changes.unchanged++;
  }

  #moveTexts(trade: WalkedTrade, successor: WalkedTrade | undefined, stays: boolean): void {
    const stored = this.#table.find(trade.id);
    if (!stored) return;
    if (trade.isUnsure) stored.record['tags'] = tagsOf({ isUnsure: false }, stored);
    if (stored.isInFoundGroup) stored.record['group_id'] = null;
    if (!successor || !haveSamePrices(executionsOf(trade), executionsOf(successor))) dropExcursions(stored.record);
    const written = WRITTEN_FIELDS.filter((name) => isWritten(stored.record[name]));
    const isMentioned = this.#table.isMentioned(trade.id);
    if (written.length === 0 && !isMentioned) return;
    if (!successor) {
      const what = [...written, ...(isMentioned ? ['journal entries or weekly reviews'] : [])].join(', ');
      const group = written.includes('group_id') ? `, and run journal-api ungroup ${trade.id.replace(FORMER, '')}` : '';
      throw new UserError(
        `this would delete trade ${trade.id.replace(FORMER, '')} and lose its ${what}; move them to another trade first${group}`,
      );
    }
    const target = this.#table.find(successor.id);
    if (!target) return;
    if (target.isInFoundGroup) target.record['group_id'] = null;
    if (written.length > 0) {
      this.#records.put({ id: successor.id, ...mergedTexts(stored, target, trade.id.replace(FORMER, '')) });
      const cleared = Object.fromEntries(written.map((name) => [name, Array.isArray(stored.record[name]) ? [] : null]));
      if (stays) this.#records.put({ id: trade.id, ...cleared });
    }
    this.#table.moveMentions(trade.id, successor.id);
    this.changes.moved.push({ from: trade.id.replace(FORMER, ''), to: successor.id });
  }

  /** Creation times: a new trade made from older trades' fills takes the earliest of theirs. */
  #createdAt(gone: readonly WalkedTrade[], after: readonly WalkedTrade[]): Map<string, string> {
    const byFill = new Map<string, string>();
    for (const trade of gone) {
      const createdAt = this.#table.find(trade.id)?.record['created_at'] as string | undefined;
      if (createdAt === undefined) continue;
      for (const { unnamed } of sharesOf(trade)) {
        const earliest = byFill.get(unnamed);
        if (earliest === undefined || createdAt < earliest) byFill.set(unnamed, createdAt);
      }
    }
    const created = new Map<string, string>();
    if (byFill.size === 0) return created;
    for (const trade of after) {
      const stamps = sharesOf(trade).flatMap(({ unnamed }) => byFill.get(unnamed) ?? []);
      if (stamps.length > 0) created.set(trade.id, stamps.sort()[0] as string);
    }
    return created;
  }
}

/** A trade's part of an execution. */
interface Share {
  fill: string;
  /** The id without the account. */
  unnamed: string;
  quantity: number;
}

function sharesOf({ executions, opening }: WalkedTrade): Share[] {
  return executions.map(({ fill, quantity }) => ({ fill, unnamed: withoutAccount(fill, opening.account), quantity }));
}

/** For each removed or changed trade, the later one with most of its fills; of equals the one with its id, then the earliest. */
function successorsOf(gone: readonly WalkedTrade[], after: readonly WalkedTrade[]): Map<string, WalkedTrade> {
  const successors = new Map<string, WalkedTrade>();
  const shares = gone.length > 0 ? after.flatMap((trade) => sharesOf(trade).map((own) => ({ ...own, trade }))) : [];
  const byFill = Map.groupBy(shares, ({ fill }) => fill);
  const byUnnamed = Map.groupBy(shares, ({ unnamed }) => unnamed);
  for (const trade of gone) {
    const held = new Map<WalkedTrade, number>();
    for (const own of sharesOf(trade)) {
      // A fill without an account may have one now, and the reverse.
      const isOther = ({ fill, unnamed }: Share) => (fill === unnamed) !== (own.fill === own.unnamed);
      const alike = () => (byUnnamed.get(own.unnamed) ?? []).filter(isOther);
      for (const holder of byFill.get(own.fill) ?? alike())
        held.set(holder.trade, (held.get(holder.trade) ?? 0) + Math.min(own.quantity, holder.quantity));
    }
    const [best] = [...held].sort(
      ([a, quantityA], [b, quantityB]) =>
        quantityB - quantityA || Number(b.id === trade.id) - Number(a.id === trade.id),
    );
    if (best) successors.set(trade.id, best[0]);
  }
  return successors;
}

/** Merges the text of two trades: joins lists and notes, and appends conflicting texts to the notes. */
function mergedTexts(from: StoredTrade, to: StoredTrade, fromId: string): Values {
  const merged: Values = {};
  const notes = [to.record['notes'], from.record['notes']].filter(isWritten);
  for (const name of WRITTEN_FIELDS) {
    const [own, other] = [to.record[name], from.record[name]];
    if (name === 'notes' || !isWritten(other) || same(own, other)) continue;
    if (Array.isArray(own) && Array.isArray(other)) merged[name] = [...new Set([...own, ...other])];
    else if (!isWritten(own)) merged[name] = other;
    else notes.push(`${name} of ${fromId}: ${other}`);
  }
  if (notes.length > 0) merged['notes'] = [...new Set(notes)].join('\n\n');
  return merged;
}

function isWritten(value: unknown): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function sameWalk(a: WalkedTrade, b: WalkedTrade, baseCurrency: string): boolean {
  if (a.isUnsure !== b.isUnsure || !same(a.executions, b.executions)) return false;
  return same(walkedFields(a, baseCurrency), walkedFields(b, baseCurrency));
}

/** Equal except for rounding. */
function alike(a: unknown, b: unknown): boolean {
  return sameBy(a, b, (own, other) =>
    typeof own === 'number' && typeof other === 'number'
      ? Math.abs(own - other) <= 1e-9 + Math.abs(other) * 1e-12
      : own === other,
  );
}
