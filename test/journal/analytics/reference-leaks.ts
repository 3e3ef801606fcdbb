/** Leaks a second time: every row of every dimension and pair, by its trades. */
import { Exact } from './exact.ts';
import { type Figure, meanOf, money } from './figure.ts';
import {
  type Chosen,
  type Counted,
  counted,
  DIMENSION_NAMES,
  type Journal,
  rowsBy,
  type Span,
} from './reference.ts';
import { benjaminiHochberg, chances } from './reference-permutation.ts';

const NOT_TRIED = [
  ...[
    'r_multiple',
    'holding_time',
    'rating',
    'group',
    'close_hour',
    'held_over',
    'first_trade',
  ],
  ...['day', 'entry_day', 'week', 'month', 'quarter', 'year', 'trades_that_day'],
];
const TRIED = [
  // Fields of the trader's own are tried only if asked for.
  ...DIMENSION_NAMES.filter(
    (name) => !NOT_TRIED.includes(name) && !name.startsWith('field:'),
  ).map((name) => [name]),
  ...['weekday', 'hour', 'side', 'after'].map((name) => ['setup', name]),
  ['weekday', 'hour'],
  ['underlying', 'side'],
  ['underlying', 'hour'],
  ['after', 'size'],
];

interface Row {
  by: Record<string, unknown>;
  of: Set<Counted>;
  impact: Exact;
  shown: { by: Record<string, unknown>; trades: number } & Record<string, unknown>;
}

export interface Leaks {
  tried: number;
  /** All tested rows. */
  shown: Row['shown'][];
  /** Minimum and maximum of rows that differ from the rest: chance decides between them. */
  found: [least: number, most: number];
  /** The two lists; undefined if chance decides. */
  lists:
    | { costs: Row['shown'][]; gains: Row['shown'][]; near_copies: number }
    | undefined;
}

export function leaks(journal: Journal, span: Span, chosen: Chosen): Leaks {
  const trades = counted(journal, span, chosen);
  const total = Exact.sum(trades.map(({ net }) => net));
  const rows = TRIED.flatMap((by) =>
    rowsBy(journal.person, trades, by)
      .filter(({ of }) => of.length < trades.length)
      .map(({ keys, of }): Row => {
        const net = Exact.sum(of.map((trade) => trade.net));
        const rest = total.minus(net);
        const mean = rest.over(trades.length - of.length);
        const named = Object.fromEntries(by.map((name, i) => [name, keys[i]]));
        return {
          by: named,
          of: new Set(of),
          impact: net.minus(mean.times(of.length)),
          shown: {
            by: named,
            trades: of.length,
            net_pnl: money(net),
            expectancy: money(meanOf(of.map((trade) => trade.net)) as Exact),
            expectancy_rest: money(mean),
            net_pnl_without: money(rest) as Figure,
          },
        };
      }),
  );
  const p = chances(
    journal.person,
    trades,
    rows.map(({ by, of }) => ({
      by: Object.keys(by),
      keys: Object.values(by) as never[],
      of: [...of],
    })),
  );
  const [least, most] = [1, 0].map((end) =>
    benjaminiHochberg(p.map((bounds) => bounds && bounds[end]!)),
  );
  const [surely, maybe] = [least, most].map((flags) =>
    rows.filter((_, i) => flags![i]),
  ) as [Row[], Row[]];
  const costs = distinct(surely, -1, 5);
  const gains = distinct(surely, 1, 3);
  return {
    tried: p.filter((bounds) => bounds !== null).length,
    shown: rows.map(({ shown }) => shown),
    found: [surely.length, maybe.length],
    lists:
      surely.length === maybe.length
        ? {
            costs: costs.shown,
            gains: gains.shown,
            near_copies: costs.copies + gains.copies,
          }
        : undefined,
  };
}

const placeOf = ({ by }: Row) =>
  TRIED.findIndex((names) => `${names}` === `${Object.keys(by)}`);

function distinct(rows: Row[], sign: 1 | -1, most: number) {
  const ranked = rows
    .filter(({ impact }) => impact.sign === sign)
    .sort(
      (a, b) =>
        b.impact.abs().rounded(8).compare(a.impact.abs().rounded(8)) ||
        Object.keys(a.by).length - Object.keys(b.by).length ||
        placeOf(a) - placeOf(b) ||
        (JSON.stringify(Object.values(a.by)) < JSON.stringify(Object.values(b.by))
          ? -1
          : 1),
    );
  const kept: Row[] = [];
  let copies = 0;
  for (const row of ranked) {
    if (kept.length === most) break;
    const isCopy = kept.some(({ of }) => {
      const both = [...of].filter((trade) => row.of.has(trade)).length;
      return 5 * both >= 4 * (of.size + row.of.size - both);
    });
    if (isCopy) copies++;
    else kept.push(row);
  }
  return { shown: kept.map(({ shown }) => shown), copies };
}
