/** Exits of trades a second time: unit by unit of an exact line of quantities, in exact fractions. */
import { Exact } from './exact.ts';
import type { Trade } from './reference.ts';

export interface Execution {
  executed_at: string;
  side: 'buy' | 'sell';
  quantity: number;
  price: number;
  fees: number;
  /** What the row of an exit states that it realised, before and after costs. */
  stated_gross_pnl?: number | null;
  stated_net_pnl?: number | null;
  /** Of an exit of an open trade: the rate of its day. */
  fx_rate?: number | null;
}

/** Money in the trade's currency, rounded to 8 decimals. */
export interface ExactExit {
  at: string;
  gross: Exact;
  net: Exact;
  /** Of an open trade: the rate of its day, if known. */
  rate: Exact | null;
  /** Whether it is a cost with a day of its own. */
  isCost?: boolean;
}

const least = (a: Exact, b: Exact) => (a.compare(b) < 0 ? a : b);
const most = (a: Exact, b: Exact) => (a.compare(b) > 0 ? a : b);

/** How much of two stretches of the line is shared. */
const overlap = (a: Stretch, b: Stretch) =>
  most(least(a.to, b.to).minus(most(a.from, b.from)), Exact.zero);

interface Stretch {
  from: Exact;
  to: Exact;
}

/** Lays fills end to end. */
function laid(fills: readonly Execution[]): (Execution & Stretch)[] {
  let end = Exact.zero;
  return fills.map((fill) => {
    const from = end;
    end = end.plus(Exact.of(fill.quantity));
    return { ...fill, from, to: end };
  });
}

const opens = ({ side }: Pick<Trade, 'side'>, fill: Execution) =>
  (fill.side === 'buy') === (side === 'long');

/** By time; those of one time as they are listed. */
const ordered = ({ executions = [] }: Trade): Execution[] =>
  executions.toSorted((a, b) =>
    a.executed_at < b.executed_at ? -1 : Number(a.executed_at > b.executed_at),
  );

/** Fills of a trade in the order they happened, if they lead from flat to what it has open. */
function fillsOf(trade: Trade): Execution[] | null {
  const fills = ordered(trade);
  const [first, last] = [fills[0], fills.at(-1)];
  if (!first || !last || first.executed_at < trade.executed_at) return null;
  const opened = Exact.sum(
    fills.filter((fill) => opens(trade, fill)).map((fill) => Exact.of(fill.quantity)),
  );
  const closed = Exact.sum(
    fills.filter((fill) => !opens(trade, fill)).map((fill) => Exact.of(fill.quantity)),
  );
  const apart = opened
    .minus(closed)
    .minus(Exact.of(openQuantity(trade)))
    .abs();
  if (apart.compare(opened.times(Exact.of('1e-9'))) > 0) return null;
  if (trade.closed_at === null) return fills;
  return last.executed_at === trade.closed_at && !opens(trade, last) ? fills : null;
}

const openQuantity = (trade: Trade) =>
  trade.status === 'open' ? (trade.open_quantity ?? trade.quantity) : 0;

/** What a trade has realised, after costs, rounded to 8 decimals. */
export function realisedOf(trade: Trade): Exact {
  const net = Exact.of(trade.gross_pnl).minus(Exact.of(trade.fees));
  if (trade.status === 'closed') return net.rounded(8);
  const fills = ordered(trade);
  const closed = Exact.sum(
    fills.filter((fill) => !opens(trade, fill)).map((fill) => Exact.of(fill.quantity)),
  );
  const rest = { from: closed, to: Exact.of('1e30') };
  const held = laid(fills.filter((fill) => opens(trade, fill))).map((fill) =>
    Exact.of(fill.fees).times(overlap(fill, rest)).over(Exact.of(fill.quantity)),
  );
  const known = Exact.sum(fills.map((fill) => Exact.of(fill.fees))).plus(datedOf(trade));
  const unknown = Exact.of(trade.fees).minus(most(known, Exact.zero));
  const share = unknown
    .times(Exact.of(openQuantity(trade)))
    .over(Exact.of(trade.quantity));
  return net.plus(Exact.sum(held)).plus(share).rounded(8);
}

const datedOf = ({ dated_costs = [] }: Trade) =>
  Exact.sum(dated_costs.map(([, amount]) => Exact.of(amount)));

/** The exits of a trade and its dated costs; of an open one those of its fills. */
export function exactExits(trade: Trade): ExactExit[] {
  const fills = fillsOf(trade);
  if (fills === null || !trade.dated_costs) return exitsOfFills(trade, fills);

  const costs = trade.dated_costs.map(([at, amount, rate]) => ({
    at,
    gross: Exact.zero,
    net: Exact.zero.minus(Exact.of(amount)),
    rate: trade.status === 'open' && rate ? Exact.of(rate) : null,
    isCost: true,
  }));
  return [...exitsOfFills(trade, fills), ...costs].sort((a, b) =>
    a.at < b.at ? -1 : Number(a.at > b.at),
  );
}

/** Without what dated costs took, and with what they took of a surplus of rebates. */
function totalOf(trade: Trade, fills: Execution[]): Pair {
  const fees = Exact.sum(fills.map((fill) => Exact.of(fill.fees)));
  const dated = datedOf(trade);
  const surplus = (of: Exact) => most(Exact.zero.minus(of), Exact.zero);
  return {
    gross: Exact.of(trade.gross_pnl)
      .minus(surplus(fees.plus(dated)))
      .plus(surplus(fees))
      .rounded(8),
    net: realisedOf(trade).plus(dated).rounded(8),
  };
}

function exitsOfFills(trade: Trade, fills: Execution[] | null): ExactExit[] {
  const total =
    fills === null
      ? { gross: Exact.of(trade.gross_pnl), net: realisedOf(trade) }
      : totalOf(trade, fills);
  if (fills === null)
    return trade.closed_at === null
      ? []
      : [{ at: trade.closed_at, rate: null, ...total }];

  const lots = laid(fills.filter((fill) => opens(trade, fill)));
  const exits = laid(fills.filter((fill) => !opens(trade, fill)));
  const sign = trade.side === 'long' ? 1 : -1;
  const raw = exits.map((exit) => {
    const cost = Exact.sum(
      lots.map((lot) => Exact.of(lot.price).times(overlap(lot, exit))),
    );
    const fees = Exact.sum(
      lots.map((lot) =>
        Exact.of(lot.fees).times(overlap(lot, exit)).over(Exact.of(lot.quantity)),
      ),
    );
    const gross = Exact.of(exit.price)
      .times(Exact.of(exit.quantity))
      .minus(cost)
      .times(sign)
      .times(Exact.of(trade.multiplier));
    return { gross, net: gross.minus(fees).minus(Exact.of(exit.fees)) };
  });
  const stated = asStated(trade, { fills, exits, raw, total });
  const [gross, net] = (['gross', 'net'] as const).map((kind) =>
    addingUp(
      total[kind],
      (stated?.exits ?? raw).map((exit) => exit[kind]),
      exits,
      stated?.half ?? Exact.of('0.5e-8'),
    ),
  ) as [Exact[], Exact[]];
  return exits.map((exit, i) => ({
    at: exit.executed_at,
    gross: gross[i]!,
    net: net[i]!,
    rate: trade.status === 'open' && exit.fx_rate ? Exact.of(exit.fx_rate) : null,
  }));
}

type Pair = Record<'gross' | 'net', Exact>;

/** The exits as their rows state them, where that is what the trade realised. */
function asStated(
  trade: Trade,
  {
    fills,
    exits,
    raw,
    total,
  }: { fills: Execution[]; exits: Execution[]; raw: Pair[]; total: Pair },
): { exits: Pair[]; half: Exact } | null {
  const fees = Exact.sum(fills.map((fill) => Exact.of(fill.fees)));
  const before = total.gross.plus(least(fees, Exact.zero));
  const readings = [
    { name: 'stated_net_pnl', kind: 'net', sum: total.net, lacks: 'nothing' },
    { name: 'stated_gross_pnl', kind: 'gross', sum: before, lacks: 'nothing' },
    { name: 'stated_net_pnl', kind: 'gross', sum: before, lacks: 'own costs' },
    { name: 'stated_gross_pnl', kind: 'gross', sum: before, lacks: 'costs of entry' },
  ] as const;
  for (const { name, kind, sum, lacks } of readings) {
    const written = exits.map((exit) => exit[name] ?? null);
    if (written.includes(null)) continue;
    const half = Exact.of(0.5).over(
      10 ** Math.max(2, ...written.map((n) => decimals(n!))),
    );
    const isNear = (a: Exact, b: Exact, halves: number) =>
      a
        .minus(b)
        .abs()
        .compare(
          half.times(halves).times(Exact.of('1.000001')).plus(Exact.of('0.5e-8')),
        ) <= 0;
    const amounts = written.map((n, i) => {
      const own = Exact.of(exits[i]!.fees);
      const all = raw[i]!.gross.minus(raw[i]!.net);
      const missing = {
        nothing: Exact.zero,
        'own costs': own,
        'costs of entry': all.minus(own),
      };
      return Exact.of(n!).plus(missing[lacks]);
    });
    const isSame = (others: Pair[]) =>
      amounts.every((a, i) => isNear(a, others[i]![kind], 1));
    const fits =
      trade.status === 'closed' || isSame(raw) || isSame(averaged(trade, fills));
    if (!fits || !isNear(Exact.sum(amounts), sum, amounts.length)) continue;
    const costs = raw.map((exit) => exit.gross.minus(exit.net));
    return {
      half,
      exits: amounts.map((amount, i) => ({
        gross: kind === 'net' ? amount.plus(costs[i]!) : amount,
        net: kind === 'net' ? amount : amount.minus(costs[i]!),
      })),
    };
  }
  return null;
}

const decimals = (n: number) => {
  const text = Math.abs(n) < 1e-6 ? n.toFixed(20).replace(/0+$/, '') : String(n);
  return text.split('.')[1]?.length ?? 0;
};

/** Exits at the average price and costs of all units held before them. */
function averaged(trade: Trade, fills: Execution[]): Pair[] {
  let [units, cost, fees] = [Exact.zero, Exact.zero, Exact.zero];
  const pairs: Pair[] = [];
  for (const fill of fills) {
    const quantity = Exact.of(fill.quantity);
    if (opens(trade, fill)) {
      cost = cost.plus(Exact.of(fill.price).times(quantity));
      units = units.plus(quantity);
      fees = fees.plus(Exact.of(fill.fees));
      continue;
    }
    const share = cost.times(quantity).over(units);
    const sign = trade.side === 'long' ? 1 : -1;
    const gross = Exact.of(fill.price)
      .times(quantity)
      .minus(share)
      .times(sign)
      .times(Exact.of(trade.multiplier));
    const paid = fees.times(quantity).over(units);
    pairs.push({ gross, net: gross.minus(paid).minus(Exact.of(fill.fees)) });
    fees = fees.minus(paid);
    units = units.minus(quantity);
    cost = cost.minus(share);
  }
  return pairs;
}

function addingUp(
  total: Exact,
  amounts: Exact[],
  exits: readonly Execution[],
  half: Exact,
): Exact[] {
  const rest = total.minus(Exact.sum(amounts));
  const units = Exact.sum(exits.map(({ quantity }) => Exact.of(quantity)));
  const isRounding = rest.abs().compare(half.times(amounts.length)) <= 0;
  const all = amounts.map((amount, i) => {
    const share = rest.times(Exact.of(exits[i]!.quantity)).over(units);
    return (isRounding ? amount : amount.plus(share)).rounded(8);
  });
  const others = Exact.sum(all.slice(0, -1));
  return [
    ...all.slice(0, -1),
    ...(all.length > 0 ? [total.minus(others).rounded(8)] : []),
  ];
}
