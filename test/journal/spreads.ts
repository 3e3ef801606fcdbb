/**
 * Eight weeks of an option trader: spreads with their legs, single options and shares. Truths come
 * from the facts below, not from the program.
 */
import type { Row, World } from '../helpers.ts';

interface Leg {
  id: string;
  symbol: string;
  side: 'long' | 'short';
  strike: number | null;
  type: 'call' | 'put' | null;
  quantity: number;
  /** Gross P&L in cents. */
  gross: number;
  fees: number;
}

export interface Spread {
  id: string;
  underlying: string;
  /** Null: a single trade. */
  strategy: string | null;
  /** Number of spreads, or of shares or options. */
  quantity: number;
  /** The day of opening; it closes four days later. */
  date: string;
  closed: string;
  /** In cents. */
  risk: number | null;
  setup: string;
  tag: string | null;
  legs: Leg[];
}

const START = Date.UTC(2026, 7, 3, 14, 30);
const DAY = 86_400_000;
const dayOf = (n: number) => new Date(START + n * DAY).toISOString().slice(0, 10);

/** Sides, kinds and distances of strikes, and each leg's part of the result. */
const KINDS: Readonly<
  Record<string, readonly [Leg['side'], 'call' | 'put', number, number][]>
> = {
  'iron condor': [
    ['long', 'put', -10, -60],
    ['short', 'put', -5, 120],
    ['short', 'call', 5, 130],
    ['long', 'call', 10, -70],
  ],
  vertical: [
    ['short', 'put', -5, 150],
    ['long', 'put', -10, -90],
  ],
  strangle: [
    ['short', 'put', -10, 80],
    ['short', 'call', 10, 70],
  ],
};

const STRATEGIES = [
  'iron condor',
  'vertical',
  'vertical',
  'strangle',
  null,
  'share',
] as const;
const UNDERLYINGS = [
  ['SPY', 540],
  ['QQQ', 480],
  ['IWM', 210],
] as const;

function spreadOf(n: number): Spread {
  const kind = STRATEGIES[n % STRATEGIES.length] as (typeof STRATEGIES)[number];
  const [underlying, middle] = UNDERLYINGS[n % 3] as (typeof UNDERLYINGS)[number];
  const quantity = 1 + (n % 5);
  // Every fourth spread loses, twice what another wins.
  const factor = n % 4 === 2 ? -2 : 1;
  const strategy = kind === 'share' ? null : kind;
  const option = (type: 'call' | 'put', strike: number) =>
    `${underlying}  261218${type === 'call' ? 'C' : 'P'}${String(strike * 1000).padStart(8, '0')}`;
  const leg = (i: number, more: Omit<Leg, 'id' | 'quantity' | 'fees'>): Leg => ({
    ...more,
    id: strategy === null ? `p${n}` : `p${n}-${i}`,
    quantity,
    fees: kind === 'share' ? 100 : 65 * quantity,
  });
  const single =
    kind === 'share'
      ? { symbol: underlying, side: 'long' as const, strike: null, type: null }
      : {
          symbol: option('call', middle),
          side: 'long' as const,
          strike: middle,
          type: 'call' as const,
        };
  const legs =
    strategy === null
      ? [leg(0, { ...single, gross: 90 * quantity * factor * 100 })]
      : (KINDS[strategy] as (typeof KINDS)[string]).map(
          ([side, type, distance, part], i) => {
            const strike = middle + distance;
            const gross = part * quantity * factor * 100;
            return leg(i, { symbol: option(type, strike), side, strike, type, gross });
          },
        );

  return {
    id: `p${n}`,
    underlying,
    strategy,
    quantity,
    date: dayOf(n * 2),
    closed: dayOf(n * 2 + 4),
    risk: strategy === 'strangle' || kind === 'share' ? null : 38_000 * quantity,
    setup: n % 2 === 0 ? 'high iv' : 'trend',
    tag: n % 5 === 0 ? 'earnings' : null,
    legs,
  };
}

export const SPREADS: readonly Spread[] = Array.from({ length: 30 }, (_, n) =>
  spreadOf(n),
);

export const netOf = ({ legs }: Pick<Spread, 'legs'>): number =>
  legs.reduce((sum, { gross, fees }) => sum + gross - fees, 0);

export interface Table {
  trades: number;
  wins: number;
  net_pnl: number;
  win_rate: number;
  profit_factor: number;
}

/** The table of results in cents. */
export function tableOf(cents: readonly number[]): Table {
  const sum = (of: readonly number[]) => of.reduce((total, value) => total + value, 0);
  const wins = cents.filter((value) => value > 0);
  const losses = cents.filter((value) => value < 0);
  return {
    trades: cents.length,
    wins: wins.length,
    net_pnl: sum(cents) / 100,
    win_rate: wins.length / cents.length,
    profit_factor: sum(wins) / -sum(losses),
  };
}

export const byPosition = (of: readonly Spread[] = SPREADS): Table =>
  tableOf(of.map(netOf));

export const byTrade = (of: readonly Spread[] = SPREADS): Table =>
  tableOf(of.flatMap(({ legs }) => legs.map((leg) => netOf({ legs: [leg] }))));

/** The journal of these facts. */
export function fillSpreads(world: World): void {
  for (const {
    id,
    strategy,
    underlying,
    risk,
    date,
    closed,
    legs,
    setup,
    tag,
  } of SPREADS) {
    const [opened_at, closed_at] = [`${date}T14:30:00.000Z`, `${closed}T19:00:00.000Z`];
    const initial_risk = risk === null ? null : risk / 100;
    if (strategy !== null) {
      world.insert('trade_groups', {
        id,
        name: `${underlying} 2026-12-18 ${strategy}`,
        kind: 'multi_leg',
        strategy,
        underlying,
        market: 'option',
        status: 'closed',
        opened_at,
        closed_at,
        currency: 'USD',
        initial_risk,
        tags: JSON.stringify(tag === null ? [] : [tag]),
      });
    }
    for (const leg of legs) {
      const isOption = leg.type !== null;
      world.insert('trades', {
        id: leg.id,
        group_id: strategy === null ? null : id,
        symbol: leg.symbol,
        underlying: isOption ? underlying : null,
        market: isOption ? 'option' : 'stock',
        side: leg.side,
        status: 'closed',
        executed_at: opened_at,
        closed_at,
        quantity: leg.quantity,
        open_quantity: 0,
        multiplier: isOption ? 100 : 1,
        entry_price: 2,
        exit_price: 1,
        currency: 'USD',
        gross_pnl: leg.gross / 100,
        fees: leg.fees / 100,
        initial_risk: strategy === null ? initial_risk : null,
        setup,
        tags: JSON.stringify(tag === null || strategy !== null ? [] : [tag]),
        expiration: isOption ? '2026-12-18' : null,
        strike: leg.strike,
        option_type: leg.type,
      } as Row);
    }
  }
}
