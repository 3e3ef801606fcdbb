/** The tests of rows a second time: other random numbers, every sum anew in each draw, and bounds of the error of chance. */
import { Exact } from './exact.ts';
import { type Counted, keysOf, labelsFrom, lower, type Person } from './reference.ts';

type Key = string | number | boolean | null;

export interface TestRow {
  by: string[];
  keys: Key[];
  of: Counted[];
}

/** Enough that few flags are uncertain. */
const SHUFFLES = 3000;
const WITHIN = 1000;
const MADE_BY_RESULTS = ['after', 'since_loss', 'streak', 'losses_today', 'day_result'];
/** Known only after the trade. */
const UNTESTED = ['first_trade', 'trades_that_day'];

/** Mulberry32. */
export function chance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const nameOf = (one: Counted) => `${one.executed_at} ${one.trades[0]!.id}`;
const accountOf = ({ account }: Counted) => (account === null ? null : lower(account));
const minutes = (a: Counted, b: Counted) =>
  Math.abs(Date.parse(a.executed_at) - Date.parse(b.executed_at)) / 60_000;

/** Each trade with its copies: same symbol and side, entered within a minute, each in another account; the first one leads. */
function clustersOf(trades: Counted[]): Counted[][] {
  const clusters: Counted[][] = [];
  const places = new Map(trades.map((one, i) => [one, i]));
  const byEntry = [...trades].sort(
    (a, b) =>
      Date.parse(a.executed_at) - Date.parse(b.executed_at) ||
      places.get(a)! - places.get(b)!,
  );
  for (const one of byEntry) {
    const isCopy = ([first, ...rest]: Counted[]) =>
      one.symbol !== null &&
      one.side !== null &&
      first!.symbol !== null &&
      lower(first!.symbol) === lower(one.symbol) &&
      first!.side === one.side &&
      minutes(first!, one) <= 1 &&
      ![first!, ...rest].some((other) => accountOf(other) === accountOf(one));
    const cluster = clusters.find(isCopy);
    if (cluster) cluster.push(one);
    else clusters.push([one]);
  }
  return clusters;
}

/** A trade of a test: itself or the sum of its copies. */
interface Tested {
  one: Counted;
  copies: Counted[];
  net: number;
}

/** @param account whose rows are tested; undefined for all others */
function testedOf(
  trades: Counted[],
  clusters: Counted[][],
  account: string | null | undefined,
): Tested[] {
  const all = clusters.map((cluster): Tested => {
    const own =
      account === undefined
        ? undefined
        : cluster.find((one) => accountOf(one) === account);
    const nets = (own ? [own] : cluster).map(({ net }) => net);
    return { one: own ?? cluster[0]!, copies: cluster, net: Exact.sum(nets).toNumber() };
  });
  const places = new Map(trades.map((one, i) => [one, i]));
  return all.sort((a, b) =>
    a.one.date < b.one.date
      ? -1
      : a.one.date > b.one.date
        ? 1
        : places.get(a.one)! - places.get(b.one)!,
  );
}

type Bounds = [low: number, high: number];

/** Certain bounds of each row's p; null if it isn't tested. */
export function chances(
  person: Person,
  trades: Counted[],
  rows: TestRow[],
): (Bounds | null)[] {
  const clusters = clustersOf(trades);
  const isCopied = clusters.some((cluster) => cluster.length > 1);
  const accountFor = (row: TestRow) =>
    isCopied && row.by.includes('account') ? accountOf(row.of[0]!) : undefined;
  const found = new Map<TestRow, Bounds>();
  for (const [account, of] of Map.groupBy(rows, accountFor)) {
    const tested = testedOf(trades, clusters, account);
    const enough = of.filter((row) => {
      const members = tested.filter(({ one }) => row.of.includes(one));
      const days = new Set(members.map(({ one }) => one.date));
      const isTested =
        members.length >= 20 && days.size >= 5 && members.length < tested.length;
      return isTested && !row.by.some((name) => UNTESTED.includes(name));
    });
    const isByResults = ({ by }: TestRow) =>
      by.some((name) => MADE_BY_RESULTS.includes(name));
    for (const row of enough.filter((row) => !isByResults(row))) {
      found.set(
        row,
        wholeDays(
          tested,
          tested.map(({ one }) => row.of.includes(one)),
        ),
      );
    }
    const within = enough.filter(isByResults);
    for (const [i, bounds] of withinDays(person, trades, tested, within).entries())
      found.set(within[i]!, bounds);
  }
  return rows.map((row) => found.get(row) ?? null);
}

function wholeDays(tested: Tested[], isIn: boolean[]): Bounds {
  const mean = tested.reduce((sum, { net }) => sum + net, 0) / tested.length;
  const share = isIn.filter(Boolean).length / tested.length;
  const days = [...Map.groupBy(tested, ({ one }) => one.date).values()].map((of) =>
    of.map(({ net }) => net - mean),
  );
  const size = Math.max(...days.flat().map(Math.abs));
  if (size <= Math.abs(mean) * 1e-12) return [1, 1];
  const z = (order: number[][]) => {
    let [place, total, square] = [0, 0, 0];
    for (const of of order) {
      let spread = 0;
      for (const net of of) {
        const inRow = isIn[place++] ? 1 : 0;
        total += inRow * net;
        spread += (inRow - share) * net;
      }
      square += spread * spread;
    }
    const root = Math.sqrt(square);
    return root <= size * 1e-8 ? 0 : Math.abs(total / root);
  };
  const actual = z(days);
  if (actual < 1e-9) return [1, 1];
  const next = chance(1);
  const order = [...days];
  let extreme = 0;
  for (let i = 0; i < SHUFFLES; i++) {
    for (let left = order.length; left > 1; left--) {
      const other = Math.floor(next() * left);
      [order[left - 1], order[other]] = [order[other]!, order[left - 1]!];
    }
    if (z(order) >= actual * (1 - 1e-9)) extreme++;
  }
  const p = extreme / SHUFFLES;
  // The program stops at 100 extreme draws: a tenth of p as standard error.
  const off =
    5 * Math.sqrt((p * p) / 100 + (2 * p + 2 / SHUFFLES) / SHUFFLES) + 10 / SHUFFLES;
  return [Math.max(0, p - off), p + off];
}

function withinDays(
  person: Person,
  trades: Counted[],
  tested: Tested[],
  rows: TestRow[],
): Bounds[] {
  if (rows.length === 0) return [];
  const stays = rows.map(({ by, keys }) => {
    const others = by.flatMap((name, i) =>
      MADE_BY_RESULTS.includes(name) ? [] : [[name, keys[i]!] as const],
    );
    const keysIn = others.map(
      ([name, key]) => [keysOf(person, trades, name), key] as const,
    );
    return tested.map(({ one }) =>
      keysIn.every(([of, key]) => of(one).some((other) => other === key)),
    );
  });
  const groups = [
    ...Map.groupBy(
      tested.keys(),
      (i) => `${tested[i]!.one.date} ${accountOf(tested[i]!.one)}`,
    ).values(),
  ];
  const means = new Map(
    groups.flatMap((of) => {
      const mean = of.reduce((sum, i) => sum + tested[i]!.net, 0) / of.length;
      return of.map((i) => [i, mean] as const);
    }),
  );
  /** The sum of each row. @param from the trade whose result each trade has */
  const sums = (from: number[]) => {
    const outcomes = new Map(
      tested.flatMap(({ copies }, i) =>
        copies.map((copy) => [nameOf(copy), tested[from[i]!]!.one] as const),
      ),
    );
    const totals = rows.map(() => 0);
    for (const [i, { one }] of tested.entries()) {
      const before = one.context.before.map((made) => ({
        ...made,
        outcome: (outcomes.get(made.name) ?? made).outcome as never,
        net: (outcomes.get(made.name) ?? made).net,
      }));
      const labels = labelsFrom(person, before, one.executed_at);
      for (const [row, { by, keys }] of rows.entries()) {
        const isIn = by.every(
          (name, k) => !MADE_BY_RESULTS.includes(name) || labels[name] === keys[k],
        );
        if (isIn && stays[row]![i]) totals[row]! += tested[from[i]!]!.net - means.get(i)!;
      }
    }
    return totals;
  };
  const from = [...tested.keys()];
  const actual = sums(from);
  const next = chance(2);
  const drawn = Array.from({ length: WITHIN }, () => {
    for (const of of groups) {
      for (let left = of.length; left > 1; left--) {
        const [a, b] = [of[left - 1]!, of[Math.floor(next() * left)]!];
        [from[a], from[b]] = [from[b]!, from[a]!];
      }
    }
    return sums(from);
  });
  const size = Math.max(...tested.map(({ net }, i) => Math.abs(net - means.get(i)!)));
  return rows.map((_, row) => {
    const mean = drawn.reduce((total, of) => total + of[row]!, 0) / WITHIN;
    const deviation = Math.sqrt(
      drawn.reduce((total, of) => total + (of[row]! - mean) ** 2, 0) / (WITHIN - 1),
    );
    if (deviation <= size * 1e-8) return [1, 1];
    const z = (actual[row]! - mean) / deviation;
    const skew =
      drawn.reduce((total, of) => total + ((of[row]! - mean) / deviation) ** 3, 0) /
      WITHIN;
    // Errors of a mean, a deviation and a skewness. Those of skewed draws, such as of a row with all trades but two, are much larger.
    const errors = (1 / 400 + 1 / WITHIN) * (1 + Math.abs(skew)) ** 2;
    const [off, offSkew] = [
      5 * Math.sqrt((1 + z * z) * errors),
      5 * Math.sqrt(6 * errors) * (1 + Math.abs(skew)),
    ];
    const towards = skew * Math.sign(z);
    return [
      skewed(Math.abs(z) + off, towards - offSkew),
      skewed(Math.abs(z) - off, towards + offSkew),
    ];
  });
}

/** The probability of a |z| at least as large, doubled from one side: at least the normal one. @param skew positive if towards z */
function skewed(z: number, skew: number): number {
  if (z <= 0) return 1;
  if (skew <= 0) return beyond(z);
  // Wilson and Hilferty: the cube root of a gamma variable of shape 4 / skew^2 is nearly normal.
  const shape = 4 / skew ** 2;
  const root = ((shape + z * Math.sqrt(shape)) / shape) ** (1 / 3);
  const normal = (root - 1 + 1 / (9 * shape)) * 3 * Math.sqrt(shape);
  return Math.max(beyond(z), beyond(Math.abs(normal)));
}

/** The probability of a normal |z| at least as large, by Simpson's rule. */
function beyond(z: number): number {
  const steps = 400;
  const width = 12 / steps;
  let sum = 0;
  for (let i = 0; i <= steps; i++) {
    const weight = i === 0 || i === steps ? 1 : i % 2 === 0 ? 2 : 4;
    sum += weight * Math.exp(-((z + i * width) ** 2) / 2);
  }
  return Math.min(1, (2 * sum * width) / 3 / Math.sqrt(2 * Math.PI));
}

/** Holm's correction in his own form: the smallest p first, until one is too large. */
export function holm(p: (number | null)[]): boolean[] {
  const flags = p.map(() => false);
  const tested = p
    .flatMap((value, i) => (value === null ? [] : [{ value, i }]))
    .sort((a, b) => a.value - b.value);
  for (const [k, { value, i }] of tested.entries()) {
    if (value > 0.05 / (tested.length - k)) break;
    flags[i] = true;
  }
  return flags;
}

/** Whether each row stands out: true, false, or undefined if chance decides. */
export function standsOut(
  person: Person,
  trades: Counted[],
  rows: TestRow[],
): (boolean | undefined)[] {
  const p = chances(person, trades, rows);
  const [surely, maybe] = [1, 0].map((end) =>
    holm(p.map((bounds) => bounds && bounds[end]!)),
  ) as [boolean[], boolean[]];
  return rows.map((_, i) => (surely[i] === maybe[i] ? surely[i] : undefined));
}

/** The smallest p, up to the last that is at most its share of 5 %. */
export function benjaminiHochberg(p: (number | null)[]): boolean[] {
  const tested = p.filter((value) => value !== null).sort((a, b) => a - b);
  const enough = tested.filter((value, i) => value <= (0.05 * (i + 1)) / tested.length);
  return p.map((value) => value !== null && value <= Math.max(...enough, -1));
}
