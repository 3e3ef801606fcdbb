/** Updates the trades of instruments whose fills change: walks the fills before and after, and writes the differences. */
import type Database from 'better-sqlite3';
import type { Fill, PlacedFill } from '../../journal-write/fill-row.ts';
import type { FillTable } from '../../journal-write/fills.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { wholeExecutions } from './executions.ts';
import { type GroupChanges, GroupWriter } from './group-changes.ts';
import { type Affected, affectedBy } from './instruments.ts';
import type { WalkedTrade } from './open-position.ts';
import { withOwnFees } from './own-fees.ts';
import { type TradeChanges, TradeWriter } from './trade-changes.ts';
import { type Leftover, walk } from './walk.ts';

export interface Progress {
  /** Called regularly while fills, then trades, are written. */
  progress?: ((what: string, done: number, of: number) => void) | undefined;
}

/** Instruments whose fills change, and their earlier trades. */
export interface WalkedBefore extends Affected {
  /** Whether the journal had no fills of them. */
  isNew: boolean;
  trades: WalkedTrade[];
}

/** How trades opened by one order are grouped. */
export interface Grouping {
  /** False: they stay ungrouped, now and later. */
  groups?: boolean | undefined;
  /** True: only fees change, which affect no group. */
  areLegsSame?: boolean | undefined;
  /** Whether a file of records states a trade, which then stays without its fills. */
  isStated?: ((tradeId: string) => boolean) | undefined;
}

export interface MadeTrades {
  trades: TradeChanges;
  groups: GroupChanges;
  unmatched: Leftover[];
  /** Remainders too small to keep a trade open. */
  dust: Leftover[];
  unsure: string[];
}

/** @param changed fills to add, remove or change; the journal lacks the added ones so far and still has the removed ones */
export function walkBefore(changed: Iterable<Fill>, table: FillTable): WalkedBefore[] {
  return affectedBy(changed, table).map(({ instruments, from }) => {
    const placed = table.load(instruments, from);
    return { instruments, from, isNew: placed.length === 0, trades: walk(costed(placed, table)).trades };
  });
}

/** Executions with all their fees: stated ones, else the trader's own. */
function costed(placed: readonly PlacedFill[], table: FillTable): readonly Fill[] {
  return withOwnFees(wholeExecutions(placed), table.feeRates.inForce());
}

/**
 * Makes the trades of instruments whose fills have changed.
 * @param isSettled whether the user has decided about a trade of instruments that had no fills before
 */
export function makeTrades(
  db: Database.Database,
  before: readonly WalkedBefore[],
  table: FillTable,
  settings: WriteSettings & Progress & Grouping,
  isSettled: (tradeId: string) => boolean = () => false,
): MadeTrades {
  const writer = new TradeWriter(db, settings, settings.isStated);
  const groups = new GroupWriter(db, settings);
  const made: MadeTrades = { trades: writer.changes, groups: groups.changes, unmatched: [], dust: [], unsure: [] };
  const settled = new Set<string>();
  const all: WalkedTrade[] = [];
  if (!settings.areLegsSame) for (const { trades } of before) groups.remember(trades);
  const mayGroup = !settings.areLegsSame && groups.mayFind(before.map(({ instruments }) => instruments.market));
  for (const [place, { instruments, from, isNew, trades }] of before.entries()) {
    const after = walk(costed(table.load(instruments, from), table));
    const known = isNew ? after.trades.filter(({ id }) => isSettled(id)) : trades;
    // Each keeps its fills in memory.
    if (mayGroup) for (const trade of after.trades) all.push(trade);
    if (isNew) for (const { id } of known) settled.add(id);
    writer.apply(known, after.trades, (done, of) => settings.progress?.('trades', place + done / of, before.length));
    for (const own of after.unmatched) made.unmatched.push(own);
    for (const own of after.dust) made.dust.push(own);
    for (const { isUnsure, instrument } of after.trades) if (isUnsure) made.unsure.push(instrument.symbol);
  }
  if (mayGroup) groups.apply(all, (id) => settings.groups === false || settled.has(id));
  return made;
}
