/**
 * Updates the trades of instruments whose fills change: walks the fills before and after,
 * and writes the differences.
 */
import type Database from 'better-sqlite3';
import type { WriteSettings } from '../../journal-write/record.ts';
import { withOwnFees } from '../../statements/account-settings.ts';
import type { PlatformOf } from '../../statements/fill-queries.ts';
import {
  BY_HAND,
  type Fill,
  type PlacedFill,
  replacesFees,
  type StatedFees,
} from '../../statements/fill-row.ts';
import {
  type FillTable,
  NOTHING_WRITTEN,
  type WrittenFill,
} from '../../statements/fills.ts';
import { TradeAnchors } from '../../statements/trade-anchors.ts';
import { renameTrades } from '../../statements/walked-trades.ts';
import { fromInstantText, toInstantText, ZoneClock } from '../../time.ts';
import {
  bookedExpiration,
  bookedId,
  compareText,
  inOneSpelling,
  instrumentKey,
  underTradedSymbols,
} from './identity.ts';
import type { WalkedTrade } from './trade-record.ts';
import { type Affected, affectedBy } from './trades/affected.ts';
import { type GroupChanges, GroupWriter } from './trades/group-changes.ts';
import {
  type ChangedDay,
  ChangedExits,
  UnmatchedWriter,
} from './trades/realised-fills.ts';
import { type TradeChanges, TradeWriter } from './trades/trade-changes.ts';
import { wholeExecutions } from './walk/executions.ts';
import { type Leftover, type Walk, walk } from './walk/walk.ts';

export interface Progress {
  /** Called regularly while fills, then trades, are written. */
  progress?: ((what: string, done: number, of: number) => void) | undefined;
}

/** Instruments whose fills change, and their earlier trades. */
export interface WalkedBefore extends Affected {
  /** Whether the journal had no fills of them. */
  isNew: boolean;
  trades: WalkedTrade[];
  unmatched: readonly Leftover[];
  booked: Walk['booked'];
  twins: readonly Twins[];
}

interface MakeSettings extends WriteSettings, Progress {
  /** False: trades opened by one order stay ungrouped, now and later. */
  groups?: boolean | undefined;
  /** True: only fees change, which affect no group. */
  areLegsSame?: boolean | undefined;
  /** Whether a file of records states a trade, which then stays without its fills. */
  isStated?: ((tradeId: string) => boolean) | undefined;
}

/** What else is known of the trades before. */
interface FormerTrades {
  /**
   * Whether the user has decided about a trade of instruments that had no fills before.
   */
  isSettled?: ((tradeId: string) => boolean) | undefined;
  /**
   * Ids that a fill had before, if rows are restated: trades may then move between
   * instruments, so that all are compared at once.
   */
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
  /** Fills by hand that a file states, too, since these changes. */
  twins: Twins[];
  /** Days whose earlier exits realise another amount since. */
  changedDays: ChangedDay[];
}

/**
 * @param changed fills to add, remove or change; the journal lacks the added ones so far
 * and still has the removed ones
 */
export function walkBefore(changed: Iterable<Fill>, table: FillTable): WalkedBefore[] {
  return affectedBy(changed, table).map(({ instruments, from }) => {
    const placed = table.load(instruments, from);
    const traded = underTradedSymbols(placed, () => table.tradedSymbols(instruments));
    const { trades, unmatched, booked, twins } = walked(traded, table);
    const isNew = placed.length === 0;
    return { instruments, from, isNew, trades, unmatched, booked, twins };
  });
}

/** Walks executions with all their fees: stated ones, else the trader's own. */
function walked(
  placed: readonly PlacedFill[],
  table: FillTable,
): Walk & { twins: Twins[] } {
  let twins: Twins[] = [];
  const executions = wholeExecutions(placed, (whole) => {
    twins = twinsIn(whole, () => table.timeZone);
    return withoutTwins(whole, twins);
  });
  const startOf = (day: string) =>
    toInstantText(new ZoneClock(table.timeZone).startOfDay(day));
  return { ...walk(withOwnFees(executions, table.feeRates.inForce()), startOf), twins };
}

/** Makes the trades of instruments whose fills have changed. */
export function makeTrades(
  db: Database.Database,
  walks: readonly WalkedBefore[],
  table: FillTable,
  settings: MakeSettings,
  former: FormerTrades = {},
): MadeTrades {
  const { isSettled = () => false, formerIds } = former;
  const before = withoutGoneTwins(db, walks, table, settings);
  const writer = new TradeWriter(db, settings, settings.isStated, formerIds);
  const groups = new GroupWriter(db, settings);
  const unmatched = new UnmatchedWriter(db, settings);
  const changed = new ChangedExits(settings);
  const left: Leftovers = {
    unmatched: [],
    dust: [],
    unsure: [],
    replaced: [],
    twins: [],
  };
  /** All trades before and after, if they are compared at once. */
  const together: Comparison | undefined = formerIds && { earlier: [], later: [] };
  /** All trades after, if groups may change: each keeps its fills in memory. */
  const grouped: WalkedTrade[] | undefined = mayChangeGroups(
    groups,
    before,
    settings,
    former,
  )
    ? []
    : undefined;
  const settled = new Set<string>();

  for (const [place, earlier] of before.entries()) {
    const placed = table.load(earlier.instruments, earlier.from);
    const after = walked(inOneSpelling(placed), table);
    const decided = earlier.isNew ? after.trades.filter(({ id }) => isSettled(id)) : [];
    const known = [...earlier.trades, ...decided];
    for (const { id } of decided) settled.add(id);

    if (together) {
      append(together.earlier, known);
      append(together.later, after.trades);
    } else {
      writer.apply(known, after.trades, (done, of) =>
        settings.progress?.('trades', place + done / of, before.length),
      );
    }

    if (grouped) append(grouped, after.trades);
    unmatched.apply(earlier, after);
    changed.add(earlier, after);
    addLeftovers(left, earlier, after);
  }

  unmatched.end();
  if (together) writer.apply(together.earlier, together.later);
  if (grouped)
    groups.apply(grouped, (id) => settings.groups === false || settled.has(id));

  const changedDays = changed.days;
  return { trades: writer.changes, groups: groups.changes, ...left, changedDays };
}

/** Trades as they were and as they become. */
interface Comparison {
  earlier: WalkedTrade[];
  later: WalkedTrade[];
}

/**
 * Remembers the groups of the trades before.
 * @returns whether any may be found or change
 */
function mayChangeGroups(
  groups: GroupWriter,
  before: readonly WalkedBefore[],
  { areLegsSame }: MakeSettings,
  { formerIds }: FormerTrades,
): boolean {
  if (areLegsSame) return false;

  for (const { trades } of before) groups.remember(trades, formerIds !== undefined);
  return groups.mayFind(before.map(({ instruments }) => instruments.market));
}

type Leftovers = Pick<MadeTrades, 'unmatched' | 'dust' | 'unsure' | 'replaced' | 'twins'>;

/** Adds what the walk of some instruments leaves without a sure trade. */
function addLeftovers(
  left: Leftovers,
  before: WalkedBefore,
  after: Walk & Pick<MadeTrades, 'twins'>,
): void {
  append(left.unmatched, after.unmatched);
  append(left.dust, after.dust);
  const units = new Map(after.booked.map(({ id, quantity }) => [id, Number(quantity)]));

  for (const booked of before.booked)
    if ((units.get(booked.id) ?? 0) < Number(booked.quantity)) left.replaced.push(booked);
  for (const { isUnsure, instrument } of after.trades)
    if (isUnsure) left.unsure.push(instrument.symbol);

  const known = new Set(before.twins.map(({ byHand }) => byHand.fill.id));
  append(
    left.twins,
    after.twins.filter(({ byHand }) => !known.has(byHand.fill.id)),
  );
}

/**
 * Of twins, one may be gone: if their trade shows the id of that one, it takes the
 * other's. What the user wrote stays on it.
 */
function withoutGoneTwins(
  db: Database.Database,
  before: readonly WalkedBefore[],
  table: FillTable,
  settings: WriteSettings,
): readonly WalkedBefore[] {
  const isThere = (execution: string) => table.partsOf(execution).length > 0;
  const ids = before
    .flatMap(({ twins }) => twins.map(idsOf))
    .filter(({ shown, hidden }) => !isThere(shown) && isThere(hidden));
  if (ids.length === 0) return before;

  const renamed = new Map(ids.map(({ shown, hidden }) => [shown, hidden]));
  const trades = renamedBefore(db, before, renamed, settings);
  new TradeAnchors(db, settings.user.id).renameFills(renamed);

  return trades;
}

/** A spread would exceed the number of arguments that a call may have. */
function append<T>(list: T[], items: readonly T[]): void {
  for (const item of items) list.push(item);
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

interface RestateSettings extends MakeSettings {
  platformOf: PlatformOf;
  /**
   * Called once the earlier fills are gone, to store the present ones; default: the
   * rows'.
   */
  store?: () => void;
  /** Whether only accounts are renamed, those of booked expirations among the rows. */
  areNames?: boolean;
}

/**
 * Replaces the fills that rows of files state, and makes their trades again. What the
 * user wrote stays on the trade opened by the same row, else on the one with most of the
 * same rows.
 * @throws UserError if a text would be left without a trade
 */
export function restateFills(
  db: Database.Database,
  table: FillTable,
  rows: readonly RestatedRow[],
  settings: RestateSettings,
): MadeTrades {
  const following = settings.areNames ? [] : followers(rows, table);
  const all = [...rows, ...following];
  const before = walkBefore(
    all.flatMap(({ from, to }) => [...(from ? [from] : []), ...(to ? [to] : [])]),
    table,
  );

  const staying = table.withdraw(
    all.flatMap(({ importId, from }) => (from ? [{ importId, fill: from }] : [])),
    settings.platformOf,
  );
  // A fill that other imports state, too, keeps its trade.
  const moving = all.filter(({ from, to }) => from && to && !staying.has(from.id));
  const executions = renamedIn(moving);
  const renamed = renamedBefore(db, before, executions, settings);
  new TradeAnchors(db, settings.user.id).renameFills(withoutMerged(executions, table));

  settings.store?.();
  storeRows(table, settings.store ? following : all);

  const formerly = Map.groupBy(executions.keys(), (id) => executions.get(id));
  return makeTrades(db, renamed, table, settings, {
    formerIds: (fill) => formerly.get(fill) ?? [],
  });
}

/**
 * Gives trades the ids that their executions have now.
 * @returns the trades with these ids
 */
function renamedBefore(
  db: Database.Database,
  before: readonly WalkedBefore[],
  executions: ReadonlyMap<string, string>,
  { user }: WriteSettings,
): WalkedBefore[] {
  const nowOf = (id: string) => executions.get(id) ?? id;
  const trades = before.flatMap((walk) => walk.trades);
  const ids = renameTrades(db, user.id, new Map(trades.map(({ id }) => [id, nowOf(id)])));

  const renamed = (trade: WalkedTrade): WalkedTrade => ({
    ...trade,
    id: ids.get(trade.id) ?? trade.id,
    executions: trade.executions.map((execution) => ({
      ...execution,
      fill: nowOf(execution.fill),
    })),
  });

  return before.map((walk) => ({ ...walk, trades: walk.trades.map(renamed) }));
}

/** Present ids of executions by their ids before. */
function renamedIn(rows: readonly RestatedRow[]): Map<string, string> {
  const pairs = rows.flatMap(({ from, to }): [string, string][] =>
    from && to ? [[from.execution_id, to.execution_id]] : [],
  );
  return new Map(pairs);
}

/**
 * Executions that don't become one that is there already: what was said about both would
 * be about one.
 */
function withoutMerged(
  executions: ReadonlyMap<string, string>,
  table: FillTable,
): Map<string, string> {
  const counts = Map.groupBy(executions.values(), (id) => id);
  const isFree = (id: string) =>
    counts.get(id)?.length === 1 && table.partsOf(id).length === 0;
  return new Map([...executions].filter(([from, to]) => from === to || isFree(to)));
}

/**
 * Booked expirations of options whose fills move to another account or symbol: they move
 * with them.
 */
function followers(rows: readonly RestatedRow[], table: FillTable): RestatedRow[] {
  const moved = new Map(
    rows.flatMap(({ from, to, account }) =>
      from?.market === 'option' && to ? [[bookedId(from), { to, account }] as const] : [],
    ),
  );
  if (moved.size === 0) return [];

  const booked = [...table.statements(undefined, true)];
  return booked.flatMap(({ importId, place, fees, fill }): RestatedRow[] => {
    const option = moved.get(fill.id);
    if (!option) return [];

    return [
      {
        importId,
        place,
        fees,
        account: option.account,
        written: NOTHING_WRITTEN,
        from: fill,
        to: bookedExpiration(option.to, fill),
      },
    ];
  });
}

function storeRows(table: FillTable, rows: readonly RestatedRow[]): void {
  for (const { importId, place, fees, account, written, to } of rows) {
    if (!to) continue;
    table.put({ ...to, ...fees });
    table.state({ fillId: to.id, importId, place, fees, account, written });
  }
}

// Fills that the user recorded by hand: one that a file states, too, counts once. They are
// joined only in the walk, so that it doesn't matter which came first, and the undo of
// either leaves the other.

/** A fill by hand and the same fill of a file. */
interface Twins {
  byHand: PlacedFill;
  stated: PlacedFill;
}

/**
 * @param placed whole executions
 * @param zone the user's, whose days fills without times have
 */
function twinsIn(placed: readonly PlacedFill[], zone: () => string): Twins[] {
  const byHand = placed.filter(({ fill }) => fill.format === BY_HAND);
  if (byHand.length === 0) return [];

  const stated = placed.filter(
    ({ fill }) => fill.format !== BY_HAND && fill.kind === 'trade',
  );
  const byFacts = Map.groupBy(stated.toSorted(byTime), factsOf);
  const taken = new Set<PlacedFill>();

  return byHand.toSorted(byTime).flatMap((entered) => {
    const twin = byFacts
      .get(factsOf(entered))
      ?.find(
        (other) => !taken.has(other) && isAtSameTime(entered.fill, other.fill, zone),
      );
    if (!twin) return [];

    taken.add(twin);
    return [{ byHand: entered, stated: twin }];
  });
}

/** Whether a fill by hand is that of a file. @param zone the user's */
export function isTwin(byHand: Fill, stated: Fill, zone: () => string): boolean {
  return (
    factsOfFill(byHand) === factsOfFill(stated) && isAtSameTime(byHand, stated, zone)
  );
}

/** The fills without those by hand that a file states, too. */
function withoutTwins(
  placed: readonly PlacedFill[],
  twins: readonly Twins[],
): readonly PlacedFill[] {
  if (twins.length === 0) return placed;

  const joined = new Map<PlacedFill, PlacedFill[]>();
  for (const pair of twins) {
    joined.set(pair.byHand, []);
    joined.set(pair.stated, [joinedFill(pair)]);
  }

  return placed.flatMap((fill) => joined.get(fill) ?? [fill]);
}

/**
 * The ids of two rows that are one fill: the id that a trade shows, and the hidden one.
 */
function idsOf({ byHand, stated }: Twins): { shown: string; hidden: string } {
  const [first, second] = isFirst(byHand, stated) ? [byHand, stated] : [stated, byHand];
  return { shown: first.fill.execution_id, hidden: second.fill.execution_id };
}

/** What the file states, under the id that came first. */
function joinedFill(twins: Twins): PlacedFill {
  const { byHand, stated } = twins;
  const fill = { ...stated.fill };
  if (isFirst(byHand, stated)) {
    fill.id = byHand.fill.id;
    fill.execution_id = byHand.fill.execution_id;
  }

  if (!stated.fill.fees_stated && replacesFees(byHand.fill, stated.fill)) {
    fill.fees = byHand.fill.fees;
    fill.fees_stated = byHand.fill.fees_stated;
  }

  return {
    fill,
    places: new Map([...byHand.places, ...stated.places]),
    orderedBy: stated.fill.execution_id,
  };
}

/** Whether the line of a fill is earlier than that of another. */
function isFirst(fill: PlacedFill, other: PlacedFill): boolean {
  return Math.min(...fill.places.keys()) < Math.min(...other.places.keys());
}

function byTime({ fill: a }: PlacedFill, { fill: b }: PlacedFill): number {
  return compareText(a.executed_at, b.executed_at) || compareText(a.id, b.id);
}

function factsOf({ fill }: PlacedFill): string {
  return factsOfFill(fill);
}

function factsOfFill(fill: Fill): string {
  const { side, quantity, price } = fill;
  return `${instrumentKey(fill)} ${side} ${quantity} ${price}`;
}

/** To the minute; if one has a day only, on that day. */
function isAtSameTime(fill: Fill, other: Fill, zone: () => string): boolean {
  if (fill.has_time && other.has_time)
    return fill.executed_at.slice(0, 16) === other.executed_at.slice(0, 16);
  const clock = new ZoneClock(zone());
  const dayOf = ({ executed_at }: Fill) => clock.dayOf(fromInstantText(executed_at));
  return dayOf(fill) === dayOf(other);
}
