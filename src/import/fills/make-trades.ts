/**
 * Updates the trades of instruments whose fills change: walks the fills before and after, and
 * writes the differences.
 */

import type Database from 'better-sqlite3';
import type { WriteSettings } from '../../journal-write/record.ts';
import { withOwnFees } from '../../statements/fee-rates.ts';
import {
  type Fill,
  type Instruments,
  PART,
  type PlacedFill,
  type StatedFees,
  type SymbolTraits,
} from '../../statements/fill-row.ts';
import { type FillTable, NOTHING_WRITTEN, type WrittenFill } from '../../statements/fills.ts';
import { TradeAnchors } from '../../statements/trade-anchors.ts';
import { renameTrades } from '../../statements/walked-trades.ts';
import { bookedExpiration, bookedId, instrumentKey } from './identity.ts';
import type { WalkedTrade } from './trade-record.ts';
import { type GroupChanges, GroupWriter } from './trades/group-changes.ts';
import { type TradeChanges, TradeWriter } from './trades/trade-changes.ts';
import { wholeExecutions } from './walk/executions.ts';
import { type Leftover, type Walk, walk } from './walk/walk.ts';

// Fills that must be walked together after some are added or removed.

/** Fills that are walked together, and the start of the walk. */
interface Affected {
  instruments: Instruments;
  /** The start of the walk: the latest flat instant before the first change. */
  from: string;
}

/**
 * @param changed fills to add, remove or change; the journal lacks the added ones so far and still
 * has the removed ones
 */
function affectedBy(changed: Iterable<Fill>, table: FillTable): Affected[] {
  const earliest = new Map<string, Fill>();
  const changes: Fill[] = [];
  const known = new Map<string, SymbolTraits>();
  const traitsOf = (platform: string, symbol: string): SymbolTraits => {
    const key = `${platform} ${symbol}`.toLowerCase();
    const traits = known.get(key) ?? table.traitsOf(platform, symbol);
    known.set(key, traits);
    return traits;
  };
  for (const fill of changed) {
    const { platform, symbol, account, part, kind, executed_at } = fill;
    const traits = traitsOf(platform, symbol);
    traits[account === null ? 'unnamed' : 'named'] = true;
    if (part === PART.adopted) traits.adopted = true;
    if (part === PART.cancels) traits.cancelled = true;
    if (kind === 'unclear') traits.unclear = true;
    if (part === PART.booked) traits.booked = true;
    if (kind === 'symbol_change') changes.push(fill);
    const key = `${platform} ${instrumentKey(fill)}`;
    const first = earliest.get(key);
    if (!first || executed_at < first.executed_at) earliest.set(key, fill);
  }
  // The fee of an order is shared by all its fills, even those before a flat point.
  const hasOrderFees = table.feeRates.inForce().some(({ per_order }) => per_order !== null);
  const families = new Map<string, Families>();
  const affected = new Map<string, Affected>();
  for (const {
    platform,
    market,
    currency,
    symbol,
    account: own,
    executed_at,
  } of earliest.values()) {
    const ofPlatform = () => [
      ...table.symbolChanges(platform),
      ...changes.filter((own) => own.platform === platform),
    ];
    const family = families.get(platform) ?? new Families(ofPlatform());
    families.set(platform, family);
    const symbols = family.of(symbol);
    const traits = symbols.map((one) => traitsOf(platform, one));
    const has = (name: keyof SymbolTraits) => traits.some((one) => one[name]);
    // Adopted fills are replaced by stated ones in any account; and one file's account applies to
    // the same fill of another.
    const isOfAllAccounts = has('adopted') || (has('named') && has('unnamed'));
    // The effect of some fills depends on all others.
    const isWhole =
      isOfAllAccounts || hasOrderFees || has('cancelled') || has('unclear') || has('booked');
    const account = isOfAllAccounts ? undefined : own;
    const instruments: Instruments = { platform, market, currency, symbols, account };
    const key = JSON.stringify([platform, market, currency, symbols[0], account]).toLowerCase();
    // Changes merge only if their fills are walked from the beginning.
    if (affected.has(key)) continue;
    const from = isWhole || symbols.length > 1 ? '' : table.flatPoint(instruments, executed_at);
    affected.set(key, { instruments, from });
  }
  return [...affected.values()];
}

/** Families of symbols joined by symbol changes. */
class Families {
  readonly #families: Set<string>[] = [];

  constructor(changes: readonly { symbol: string; former_symbol: string | null }[]) {
    for (const { symbol, former_symbol } of changes) {
      const joined = new Set([symbol, former_symbol ?? symbol]);
      for (const family of this.#families.filter((own) =>
        [...joined].some((one) => own.has(one)),
      )) {
        for (const one of family) joined.add(one);
        this.#families.splice(this.#families.indexOf(family), 1);
      }
      this.#families.push(joined);
    }
  }

  /** Sorted, so that the order of changes doesn't matter. */
  of(symbol: string): string[] {
    const family = this.#families.find((own) => own.has(symbol));
    return family ? [...family].sort() : [symbol];
  }
}

export interface Progress {
  /** Called regularly while fills, then trades, are written. */
  progress?: ((what: string, done: number, of: number) => void) | undefined;
}

/** Instruments whose fills change, and their earlier trades. */
export interface WalkedBefore extends Affected {
  /** Whether the journal had no fills of them. */
  isNew: boolean;
  trades: WalkedTrade[];
  booked: Walk['booked'];
}

/** How trades opened by one order are grouped. */
interface Grouping {
  /** False: they stay ungrouped, now and later. */
  groups?: boolean | undefined;
  /** True: only fees change, which affect no group. */
  areLegsSame?: boolean | undefined;
  /** True: trades may move between instruments, so that all are compared at once. */
  areTogether?: boolean | undefined;
  /** Whether a file of records states a trade, which then stays without its fills. */
  isStated?: ((tradeId: string) => boolean) | undefined;
  /** Ids that a fill had before. */
  formerIds?: ((fill: string) => readonly string[]) | undefined;
}

export interface MadeTrades {
  trades: TradeChanges;
  groups: GroupChanges;
  unmatched: Leftover[];
  /** Remainders too small to keep a trade open. */
  dust: Leftover[];
  unsure: string[];
  /** Booked expirations that close fewer units than before. */
  replaced: Fill[];
}

/**
 * @param changed fills to add, remove or change; the journal lacks the added ones so far and still
 * has the removed ones
 */
export function walkBefore(changed: Iterable<Fill>, table: FillTable): WalkedBefore[] {
  return affectedBy(changed, table).map(({ instruments, from }) => {
    const placed = table.load(instruments, from);
    const { trades, booked } = walk(costed(placed, table));
    return { instruments, from, isNew: placed.length === 0, trades, booked };
  });
}

/** Executions with all their fees: stated ones, else the trader's own. */
function costed(placed: readonly PlacedFill[], table: FillTable): readonly Fill[] {
  return withOwnFees(wholeExecutions(placed), table.feeRates.inForce());
}

/**
 * Makes the trades of instruments whose fills have changed.
 * @param isSettled whether the user has decided about a trade of instruments that had no fills
 * before
 */
export function makeTrades(
  db: Database.Database,
  before: readonly WalkedBefore[],
  table: FillTable,
  settings: WriteSettings & Progress & Grouping,
  isSettled: (tradeId: string) => boolean = () => false,
): MadeTrades {
  const writer = new TradeWriter(db, settings, settings.isStated, settings.formerIds);
  const groups = new GroupWriter(db, settings);
  const made: MadeTrades = {
    ...{
      trades: writer.changes,
      groups: groups.changes,
      unmatched: [],
      dust: [],
      unsure: [],
      replaced: [],
    },
  };
  const settled = new Set<string>();
  const all: WalkedTrade[] = [];
  if (!settings.areLegsSame)
    for (const { trades } of before) groups.remember(trades, settings.areTogether);
  const mayGroup =
    !settings.areLegsSame && groups.mayFind(before.map(({ instruments }) => instruments.market));
  const [earlier, later]: [WalkedTrade[], WalkedTrade[]] = [[], []];
  for (const [place, { instruments, from, isNew, trades, booked }] of before.entries()) {
    const after = walk(costed(table.load(instruments, from), table));
    const known = isNew ? after.trades.filter(({ id }) => isSettled(id)) : trades;
    // Each keeps its fills in memory.
    if (mayGroup) for (const trade of after.trades) all.push(trade);
    if (isNew) for (const { id } of known) settled.add(id);
    if (settings.areTogether) {
      for (const trade of known) earlier.push(trade);
      for (const trade of after.trades) later.push(trade);
    } else {
      writer.apply(known, after.trades, (done, of) =>
        settings.progress?.('trades', place + done / of, before.length),
      );
    }
    for (const own of after.unmatched) made.unmatched.push(own);
    for (const own of after.dust) made.dust.push(own);
    const left = new Map(after.booked.map(({ id, quantity }) => [id, Number(quantity)]));
    for (const own of booked)
      if ((left.get(own.id) ?? 0) < Number(own.quantity)) made.replaced.push(own);
    for (const { isUnsure, instrument } of after.trades)
      if (isUnsure) made.unsure.push(instrument.symbol);
  }
  if (settings.areTogether) writer.apply(earlier, later);
  if (mayGroup) groups.apply(all, (id) => settings.groups === false || settled.has(id));
  return made;
}

/** A row of a file whose fill changes. */
export interface RestatedRow {
  importId: number;
  place: number;
  fees: StatedFees;
  /** As the file states it; '' for none, null if unknown. */
  account: string | null;
  written: WrittenFill;
  /** Undefined: the row states a fill for the first time, or none any more. */
  from: Fill | undefined;
  to: Fill | undefined;
}

/**
 * Replaces the fills that rows of files state, and makes their trades again. What the user wrote
 * stays on the trade opened by the same row, else on the one with most of the same rows.
 * @param settings.store called once the earlier fills are gone, to store the present ones; by
 * default those of the rows
 * @param settings.areNames whether only accounts are renamed, those of booked expirations among the
 * rows
 * @throws UserError if a text would be left without a trade
 */
export function restateFills(
  db: Database.Database,
  table: FillTable,
  rows: readonly RestatedRow[],
  settings: WriteSettings & Progress & Grouping & { store?: () => void; areNames?: boolean },
): MadeTrades {
  const following = settings.areNames ? [] : followers(rows, table);
  const all = [...rows, ...following];
  const before = walkBefore(
    all.flatMap(({ from, to }) => [...(from ? [from] : []), ...(to ? [to] : [])]),
    table,
  );
  const staying = table.withdraw(
    all.flatMap(({ importId, from }) => (from ? [{ importId, fill: from }] : [])),
  );
  // A fill that other imports state, too, keeps its trade.
  const moving = all.filter(({ from, to }) => from && to && !staying.has(from.id));
  const executions = renamedIn(moving);
  const nowOf = (id: string) => executions.get(id) ?? id;
  const ids = renameTrades(
    db,
    settings.user.id,
    new Map(before.flatMap(({ trades }) => trades.map(({ id }) => [id, nowOf(id)] as const))),
  );
  new TradeAnchors(db, settings.user.id).renameFills(withoutMerged(executions, table));
  settings.store?.();
  storeRows(table, settings.store ? following : all);
  const renamed = before.map((own) => ({
    ...own,
    trades: own.trades.map((trade) => ({
      ...trade,
      id: ids.get(trade.id) ?? trade.id,
      executions: trade.executions.map((execution) => ({
        ...execution,
        fill: nowOf(execution.fill),
      })),
    })),
  }));
  const formerly = Map.groupBy(executions.keys(), (id) => nowOf(id));
  const formerIds = (fill: string) => formerly.get(fill) ?? [];
  return makeTrades(db, renamed, table, { ...settings, areTogether: true, formerIds });
}

/** Present ids of executions by their ids before. */
function renamedIn(rows: readonly RestatedRow[]): Map<string, string> {
  const pairs = rows.flatMap(({ from, to }): [string, string][] =>
    from && to ? [[from.execution_id, to.execution_id]] : [],
  );
  return new Map(pairs);
}

/**
 * Executions that don't become one that is there already: what was said about both would be about
 * one.
 */
function withoutMerged(
  executions: ReadonlyMap<string, string>,
  table: FillTable,
): Map<string, string> {
  const counts = Map.groupBy(executions.values(), (id) => id);
  const own = [...executions].filter(
    ([from, to]) => from === to || (counts.get(to)?.length === 1 && table.partsOf(to).length === 0),
  );
  return new Map(own);
}

/**
 * Booked expirations of options whose fills move to another account or symbol: they move with them.
 */
function followers(rows: readonly RestatedRow[], table: FillTable): RestatedRow[] {
  const moved = new Map(
    rows.flatMap(({ from, to, account }) =>
      from?.market === 'option' && to ? [[bookedId(from), { to, account }] as const] : [],
    ),
  );
  if (moved.size === 0) return [];

  return [...table.statements(undefined, true)].flatMap(
    ({ importId, place, fees, fill }): RestatedRow[] => {
      const own = moved.get(fill.id);
      if (!own) return [];
      const to = bookedExpiration(own.to, fill);
      return [
        { importId, place, fees, account: own.account, written: NOTHING_WRITTEN, from: fill, to },
      ];
    },
  );
}

function storeRows(table: FillTable, rows: readonly RestatedRow[]): void {
  for (const { importId, place, fees, account, written, to } of rows) {
    if (!to) continue;
    table.put({ ...to, ...fees });
    table.state({ fillId: to.id, importId, place, fees, account, written });
  }
}
