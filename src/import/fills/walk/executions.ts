/**
 * Prepares stored fills for the walk: finds their accounts, joins parts, replaces adopted
 * fills with those that a file states, and places booked ones.
 */
import { REST_OF_DAY } from '../../../journal/derivatives.ts';
import { roundMoney } from '../../../money.ts';
import {
  type Fill,
  PART,
  type PlacedFill,
  pairOf,
} from '../../../statements/fill-row.ts';
import { fromInstantText } from '../../../time.ts';
import {
  compareIds,
  compareText,
  instrumentKey,
  keyWithoutAccount,
  mayShareAccount,
} from '../identity.ts';
import type { WalkedTrade } from '../trade-record.ts';

/**
 * @param placed fills of some instruments, whole or in parts
 * @param joined joins executions that are the same
 * @returns each execution once, in the order they happened
 */
export function wholeExecutions(
  placed: readonly PlacedFill[],
  joined: (whole: readonly PlacedFill[]) => readonly PlacedFill[] = (whole) => whole,
): Fill[] {
  const executions = new Map<string, PlacedFill[]>();
  for (const item of withoutRestated(inNamedAccounts(placed))) {
    const parts = executions.get(item.fill.execution_id);
    if (parts) parts.push(item);
    else executions.set(item.fill.execution_id, [item]);
  }

  const whole = joined([...executions.values()].map(wholeOf));
  const ordered = inOrderOfTime(whole).map(({ fill }) => fill);
  return [...withCosts(withoutCancelled(ordered))];
}

/**
 * Removes each cancellation and the fill that it cancels: the latest earlier one that
 * differs only in its side.
 * @param fills in the order they happened
 * @returns the others, including cancellations of fills not imported yet
 */
function withoutCancelled(fills: readonly Fill[]): Fill[] {
  const gone = new Set<Fill>();
  for (const [place, cancel] of fills.entries()) {
    if (cancel.part !== PART.cancels) continue;
    const candidates = fills.filter(
      (fill, at) => isCancelledBy(fill, cancel, at < place) && !gone.has(fill),
    );
    const latest = candidates.at(-1)?.executed_at;
    const cancelled = candidates.find(({ executed_at }) => executed_at === latest);
    if (cancelled) gone.add(cancelled).add(cancel);
  }

  return fills.filter((fill) => !gone.has(fill));
}

function isCancelledBy(fill: Fill, cancel: Fill, isBefore: boolean): boolean {
  return (
    fill.part !== PART.cancels &&
    (isBefore || fill.executed_at === cancel.executed_at) &&
    fill.side !== cancel.side &&
    fill.quantity === cancel.quantity &&
    fill.price === cancel.price &&
    instrumentKey(fill) === instrumentKey(cancel)
  );
}

/** An execution as a file states it whole, else the sum of its parts. */
function wholeOf(parts: readonly PlacedFill[]): PlacedFill {
  const whole = parts.find(({ fill }) => fill.part === null);
  const first = whole ?? (parts[0] as PlacedFill);
  if (parts.length === 1) return first;

  const counted = whole ? [whole] : parts;
  const places = new Map<number, number>();
  for (const part of parts) {
    for (const [file, place] of part.places)
      places.set(file, Math.min(place, places.get(file) ?? place));
  }

  const sum = (amount: (fill: Fill) => number) =>
    roundMoney(counted.reduce((total, { fill }) => total + amount(fill), 0));
  const sumOfStated = (amount: (fill: Fill) => number | null) =>
    counted.some(({ fill }) => amount(fill) === null)
      ? null
      : sum((fill) => amount(fill) ?? 0);
  const fill: Fill = {
    ...first.fill,
    quantity: sum((part) => part.quantity ?? 0),
    fees: sum((part) => part.fees),
    fees_stated: counted.some((part) => part.fill.fees_stated),
    stated_gross_pnl: sumOfStated((part) => part.stated_gross_pnl),
    stated_net_pnl: sumOfStated((part) => part.stated_net_pnl),
    lots: counted.length === 1 ? (counted[0] as PlacedFill).fill.lots : null,
  };
  return { fill, places };
}

/**
 * Trades of journals older than fills were adopted as fills with unknown ids. If a file
 * states both ends of a pair within such trades, it replaces that part of them; the rest
 * of those trades moves to the file's account.
 */
function withoutRestated(placed: readonly PlacedFill[]): readonly PlacedFill[] {
  const left = new Map<string, number>();
  const trades = new Map<string, Set<string>>();
  for (const { fill } of placed) {
    if (fill.part !== PART.adopted) continue;
    const key = keyWithoutId(fill);
    left.set(key, roundMoney((left.get(key) ?? 0) + Number(fill.quantity)));
    trades.set(key, (trades.get(key) ?? new Set()).add(tradeOf(fill)));
  }

  if (left.size === 0) return placed;

  const accounts = new Map<string, string | null>();
  for (const stated of statedTogether(placed)) {
    if (!stated.every(({ key, quantity }) => (left.get(key) ?? 0) >= quantity)) continue;
    for (const { key, quantity, account } of stated) {
      left.set(key, roundMoney(Number(left.get(key)) - quantity));
      for (const trade of trades.get(key) ?? []) accounts.set(trade, account);
    }
  }

  return placed.flatMap((item) => {
    const { fill } = item;
    if (fill.part !== PART.adopted) return [item];

    const available = left.get(keyWithoutId(fill)) ?? 0;
    const quantity = Math.min(Number(fill.quantity), available);
    left.set(keyWithoutId(fill), roundMoney(available - quantity));
    if (quantity <= 0) return [];

    const stated = accounts.get(tradeOf(fill));
    const account = stated === undefined ? fill.account : stated;
    return [{ ...item, fill: { ...fill, quantity, account } }];
  });
}

/**
 * The trade of an adopted fill: the execution id without the position that later fills
 * append.
 */
function tradeOf({ execution_id }: Fill): string {
  return execution_id.replace(/~\d+$/, '');
}

interface Stated {
  key: string;
  quantity: number;
  account: string | null;
}

/**
 * Fills that files state, in an order independent of theirs: both ends of each pair
 * together, else one by one.
 */
function statedTogether(placed: readonly PlacedFill[]): Stated[][] {
  const groups = new Map<string, Stated[]>();
  for (const { fill } of placed) {
    if (fill.part === PART.adopted || fill.quantity === null) continue;
    const other = pairOf(fill);
    const group = other === null ? fill.id : [other, endOf(fill)].sort().join(' ');
    const stated = groups.get(group) ?? [];
    stated.push({
      key: keyWithoutId(fill),
      quantity: fill.quantity,
      account: fill.account,
    });
    groups.set(group, stated);
  }

  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, stated]) => stated);
}

/** The id of this fill at the other end of a pair. */
function endOf(fill: Fill): string {
  return fill.execution_id.slice(fill.execution_id.lastIndexOf(':') + 1);
}

/** Key of a fill without its id. */
function keyWithoutId(fill: Fill): string {
  return `${fill.symbol} ${fill.executed_at} ${fill.side} ${fill.price}`;
}

// Costs that a file states apart from their fills: joined only here, so that file order
// doesn't matter and an undo removes them.

/**
 * @param fills in the order they happened
 * @returns the same with the costs in their fees, and any costs whose fill is not
 * imported yet
 */
function withCosts(fills: readonly Fill[]): readonly Fill[] {
  const costs = fills.filter(({ kind, part }) => kind === 'cost' && part !== PART.dated);
  if (costs.length === 0) return fills;

  const traded = Map.groupBy(
    fills.filter(({ kind }) => kind === 'trade'),
    secondOf,
  );
  const joined = new Map<Fill, number>();
  const gone = new Set<Fill>();

  for (const cost of costs) {
    const all =
      traded.get(secondOf(cost))?.filter((fill) => mayShareAccount(fill, cost)) ?? [];
    const named = all.filter(({ account }) => account !== null);
    const charged = named.length > 0 ? named : all;
    if (charged.length > 0) gone.add(cost);
    // Fees that a file states with its fills include these costs already.
    const free = charged.filter((fill) => !fill.fees_stated || fill.fees === 0);
    for (const [fill, share] of sharesOf(cost, free))
      joined.set(fill, roundMoney((joined.get(fill) ?? 0) + share));
  }

  const left = fills.filter((fill) => !gone.has(fill));
  return left.map((fill) => {
    const cost = joined.get(fill);
    if (cost === undefined) return fill;
    return { ...fill, fees: roundMoney(fill.fees + cost), fees_stated: true };
  });
}

/** The export of costs has times to the second. */
function secondOf({ symbol, executed_at }: Fill): string {
  return `${symbol.toLowerCase()} ${executed_at.slice(0, 19)}`;
}

/** Shares by quantity; the last takes the remainder. */
function sharesOf({ fees }: Fill, fills: readonly Fill[]): [Fill, number][] {
  const units = fills.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  let left = fees;

  return fills.map((fill, index) => {
    const share =
      index === fills.length - 1
        ? left
        : roundMoney((fees * Number(fill.quantity)) / units);
    left = roundMoney(left - share);
    return [fill, share];
  });
}

// The order in which fills happened. For equal times, the orders of all files are merged,
// independent of the order of import and of overlaps. If no file decides, the ids do.

function inOrderOfTime(placed: readonly PlacedFill[]): PlacedFill[] {
  const sorted = [...placed].sort((a, b) =>
    compareText(a.fill.executed_at, b.fill.executed_at),
  );
  for (let from = 0; from < sorted.length; ) {
    let to = from + 1;
    while (
      to < sorted.length &&
      sorted[to]?.fill.executed_at === sorted[from]?.fill.executed_at
    )
      to++;
    if (to - from > 1)
      sorted.splice(from, to - from, ...inOrderOfFiles(sorted.slice(from, to)));
    from = to;
  }

  return sorted;
}

/** Orders fills of one instant: each after those that precede it in any file. */
function inOrderOfFiles(fills: readonly PlacedFill[]): PlacedFill[] {
  const idOf = ({ fill, orderedBy }: PlacedFill) => orderedBy ?? fill.execution_id;
  const byId = [...fills].sort((a, b) => compareIds(idOf(a), idOf(b)));
  const files = ordersOfFiles(byId);
  const whole = files.find((file) => file.length === fills.length);
  return whole && areInOrder(files, whole) ? whole : merged(byId, files);
}

/** The fills of each file, in its order. */
function ordersOfFiles(fills: readonly PlacedFill[]): PlacedFill[][] {
  const files = new Map<number, PlacedFill[]>();
  for (const placed of fills) {
    for (const id of placed.places.keys()) {
      const file = files.get(id);
      if (file) file.push(placed);
      else files.set(id, [placed]);
    }
  }

  for (const [id, file] of files)
    file.sort((a, b) => Number(a.places.get(id)) - Number(b.places.get(id)));
  return [...files.values()];
}

/**
 * Merges the orders of several files.
 * @param byId all fills, in the order that holds if no file decides
 */
function merged(
  byId: readonly PlacedFill[],
  files: readonly (readonly PlacedFill[])[],
): PlacedFill[] {
  /** Fills to come, each with the number of its predecessors among them. */
  const waiting = new Map(byId.map((placed) => [placed, 0]));
  const followers = new Map<PlacedFill, PlacedFill[]>(byId.map((placed) => [placed, []]));
  for (const file of files) {
    for (const [index, placed] of file.slice(1).entries()) {
      followers.get(file[index] as PlacedFill)?.push(placed);
      waiting.set(placed, Number(waiting.get(placed)) + 1);
    }
  }

  const ordered: PlacedFill[] = [];
  while (waiting.size > 0) {
    // If files contradict each other, every fill waits: then the smallest id goes first.
    const next = (byId.find((placed) => waiting.get(placed) === 0) ??
      byId.find((placed) => waiting.has(placed))) as PlacedFill;
    waiting.delete(next);
    ordered.push(next);
    for (const follower of followers.get(next) ?? []) {
      if (waiting.has(follower)) waiting.set(follower, Number(waiting.get(follower)) - 1);
    }
  }

  return ordered;
}

/** Whether lists have the order of one that has all their fills. */
function areInOrder(
  lists: readonly (readonly PlacedFill[])[],
  whole: readonly PlacedFill[],
): boolean {
  const places = new Map(whole.map((placed, place) => [placed, place]));
  const placeOf = (placed: PlacedFill | undefined) =>
    placed ? Number(places.get(placed)) : -1;
  return lists.every((list) =>
    list.every((placed, index) => placeOf(list[index - 1]) < placeOf(placed)),
  );
}

// Expirations that the user booked, since no file states them: each closes what its
// option has open after all stated fills.

/**
 * @param open trades that the stated fills leave open
 * @returns the booked fills that close one of them, with its account, its units and the
 * time of its last fill of that day if later
 */
export function bookedCloses(
  booked: readonly Fill[],
  open: readonly WalkedTrade[],
): Fill[] {
  return booked.flatMap((fill) => {
    const trade = openTradeOf(fill, open);
    if (!trade) return [];

    const midnight = fromInstantText(fill.executed_at) + REST_OF_DAY;
    const opens = trade.side === 'long' ? 'buy' : 'sell';
    // Nothing opens later, unless the file's zone is wrong: then the position must be
    // there first.
    const times = trade.executions.filter(
      (execution) =>
        execution.side === opens || fromInstantText(execution.executed_at) < midnight,
    );
    const executed_at = times.reduce(
      (last, execution) => (execution.executed_at > last ? execution.executed_at : last),
      fill.executed_at,
    );

    return [
      { ...fill, account: trade.opening.account, quantity: trade.open, executed_at },
    ];
  });
}

/**
 * The trade in the same account; else the only one, if a file names the account and
 * another omits it.
 */
function openTradeOf(fill: Fill, open: readonly WalkedTrade[]): WalkedTrade | undefined {
  const keyOf = (of: Fill) => instrumentKey({ ...of, account: null });
  const alike = open.filter(
    ({ instrument, opening }) =>
      keyOf(instrument) === keyOf(fill) && mayShareAccount(opening, fill),
  );
  const sameAccount = alike.find(
    ({ opening }) => opening.account?.toLowerCase() === fill.account?.toLowerCase(),
  );
  return sameAccount ?? (alike.length === 1 ? alike[0] : undefined);
}

/** The fills in order, with the booked closes after all others of their instant. */
export function withBooked(stated: readonly Fill[], closes: readonly Fill[]): Fill[] {
  const fills = [...stated];
  for (const close of closes) {
    const next = fills.findIndex(({ executed_at }) => executed_at > close.executed_at);
    fills.splice(next < 0 ? fills.length : next, 0, close);
  }
  return fills;
}

// Fills from files that name no account. Such a file omits a fact and contradicts none: if
// another file names the account of the same fill, the fill is in that account, whichever
// file came first.

/**
 * @param placed fills of some instruments in all accounts
 * @returns each fill once, in its named account. An unnamed fill that matches several
 * accounts is dropped as a duplicate
 */
function inNamedAccounts(placed: readonly PlacedFill[]): readonly PlacedFill[] {
  const stated = placed.filter(({ fill }) => fill.part !== PART.adopted);
  const named = stated.filter(({ fill }) => fill.account !== null);
  if (named.length === 0 || named.length === stated.length) return placed;

  const namedByKey = Map.groupBy(named, ({ fill }) => keyWithoutAccount(fill));
  const completed = new Map<PlacedFill, PlacedFill>();
  const unnamed: PlacedFill[] = [];

  for (const item of stated) {
    if (item.fill.account !== null) continue;
    const others = namedByKey.get(keyWithoutAccount(item.fill)) ?? [];
    const [only] = others;
    if (only && others.length === 1) completed.set(only, withUnnamed(only, item));
    if (others.length === 0) unnamed.push(item);
  }

  const accountOf = accountsByPairs(named, unnamed);
  return [
    ...placed.filter(({ fill }) => fill.part === PART.adopted),
    ...named.map((item) => completed.get(item) ?? item),
    ...unnamed.map((item) => ({
      ...item,
      fill: { ...item.fill, account: accountOf(item.fill) },
    })),
  ];
}

/** A fill with the higher fees and the places of both. */
function withUnnamed(named: PlacedFill, unnamed: PlacedFill): PlacedFill {
  const isDearer = Math.abs(unnamed.fill.fees) > Math.abs(named.fill.fees);
  return {
    fill: isDearer ? { ...named.fill, fees: unnamed.fill.fees } : named.fill,
    places: new Map([...unnamed.places, ...named.places]),
  };
}

/**
 * Both ends of a pair are in one account, and so are the parts of an execution.
 * @returns the account of an unnamed fill; null if its pairs lead to none or several
 */
function accountsByPairs(
  named: readonly PlacedFill[],
  unnamed: readonly PlacedFill[],
): (fill: Fill) => string | null {
  const parents = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    for (let parent = parents.get(root); parent !== undefined; parent = parents.get(root))
      root = parent;
    if (root !== id) parents.set(id, root);
    return root;
  };

  for (const { fill } of [...named, ...unnamed]) {
    const [root, otherRoot] = [rootOf(fill.execution_id), rootOf(otherEndOf(fill))];
    if (root !== otherRoot) parents.set(root, otherRoot);
  }

  const accounts = Map.groupBy(named, ({ fill }) => rootOf(fill.execution_id));
  return ({ execution_id }) => {
    const names = (accounts.get(rootOf(execution_id)) ?? [])
      .map(({ fill }) => String(fill.account))
      .sort();
    const [first = null] = names;
    return names.every((name) => name.toLowerCase() === first?.toLowerCase())
      ? first
      : null;
  };
}

/** The execution at the other end of a pair; without a pair, the fill's own. */
function otherEndOf(fill: Fill): string {
  const [{ execution_id }, other] = [fill, pairOf(fill)];
  if (other === null) return execution_id;
  const [ofAccount = ''] = /~~[0-9a-f]{8}$/.exec(execution_id) ?? [];
  return `${execution_id.slice(0, execution_id.lastIndexOf(':'))}:${other}${ofAccount}`;
}
