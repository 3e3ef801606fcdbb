/** The sample's trade groups: option spreads and other positions of several legs, priced from the underlying's path. */
import { roundMoney } from '../money.ts';
import { daysBetween } from '../time.ts';
import { at, expirationAfter } from './calendar.ts';
import {
  type Contract,
  type Instrument,
  instrumentOf,
  optionOn,
  premium,
  strikeNear,
  toCents,
  type Year,
} from './markets.ts';
import { type Fill, positionOf } from './position.ts';
import { dice } from './random.ts';
import type { SampleGroup } from './records.ts';
import { type Draft, PLAIN } from './trades.ts';

/** One leg: strike as a distance from the price, held from one day of the group to another. No type is the stock itself. */
interface Leg {
  long: boolean;
  type?: 'call' | 'put';
  distance?: number;
  expiration?: number;
  from?: number;
  to?: number;
}

interface Plan {
  /** How many trading days ago it was opened, and for how many it was held. */
  daysAgo: number;
  held: number;
  underlying: string;
  strategy: string;
  kind: SampleGroup['kind'];
  quantity: number;
  legs: readonly Leg[];
  notes: string;
}

const spread = (type: 'call' | 'put', sold: number, bought: number, more: Partial<Leg> = {}): Leg[] => [
  { long: false, type, distance: sold, ...more },
  { long: true, type, distance: bought, ...more },
];
const condor = (near: number, far: number): Leg[] => [...spread('put', -near, -far), ...spread('call', near, far)];

const multiLeg = (
  daysAgo: number,
  held: number,
  underlying: string,
  strategy: string,
  legs: Leg[],
  notes: string,
): Plan => ({
  daysAgo,
  held,
  underlying,
  strategy,
  legs,
  notes,
  kind: 'multi_leg',
  quantity: 1,
});

const PLANS: readonly Plan[] = [
  multiLeg(
    243,
    14,
    'SPY',
    'iron condor',
    condor(0.03, 0.045),
    'Range of the last three weeks, short strikes just outside it. Close at half the credit or after three weeks.',
  ),
  multiLeg(
    226,
    9,
    'NVDA',
    'bull put spread',
    spread('put', -0.04, -0.075),
    'Sold under the gap of the earnings day, which had held twice.',
  ),
  multiLeg(
    209,
    8,
    'AMD',
    'bull call spread',
    spread('call', 0.06, 0.0),
    'Cheaper than the stock through the product event, and the loss is known.',
  ),
  {
    daysAgo: 196,
    held: 18,
    underlying: 'XOM',
    strategy: 'protective put',
    kind: 'hedge',
    quantity: 100,
    legs: [{ long: true }, { long: true, type: 'put', distance: -0.05 }],
    notes: 'Stock with a put under it over the report: a gap cannot jump over a put as it can over a stop.',
  },
  multiLeg(
    178,
    12,
    'SPY',
    'iron condor',
    condor(0.025, 0.04),
    'Volatility still high after the sell-off; the same width as last time, strikes nearer.',
  ),
  {
    daysAgo: 160,
    held: 19,
    underlying: 'NVDA',
    strategy: 'bull put spread, rolled',
    kind: 'rolled',
    quantity: 1,
    legs: [
      ...spread('put', -0.03, -0.06, { to: 9, expiration: 20 }),
      ...spread('put', -0.05, -0.08, { from: 9, expiration: 45 }),
    ],
    notes: 'Short strike tested on day nine: rolled down and four weeks out for a small credit. One roll, no second.',
  },
  multiLeg(
    141,
    7,
    'TSLA',
    'bear call spread',
    spread('call', 0.07, 0.11),
    'Sold into the third failure at the same high.',
  ),
  multiLeg(
    122,
    10,
    'AAPL',
    'bull put spread',
    spread('put', -0.03, -0.06),
    'Under the 50-day average, three weeks to go.',
  ),
  {
    daysAgo: 104,
    held: 11,
    underlying: 'AMD',
    strategy: 'long calls, added',
    kind: 'scaled',
    quantity: 1,
    legs: [
      { long: true, type: 'call', distance: 0.05 },
      { long: true, type: 'call', distance: 0.1, from: 3 },
    ],
    notes: 'Half at the breakout, the other half after it had held for three days.',
  },
  multiLeg(
    88,
    13,
    'SPY',
    'iron condor',
    condor(0.03, 0.045),
    'The usual condor; nothing on the calendar but one inflation report.',
  ),
  multiLeg(
    63,
    9,
    'PLTR',
    'bull call spread',
    spread('call', 0.08, 0.01),
    'A trend day through the old high, bought the day after.',
  ),
  multiLeg(
    44,
    8,
    'NVDA',
    'bull put spread',
    spread('put', -0.05, -0.085),
    'Support and the 20-day average in the same place.',
  ),
  {
    daysAgo: 29,
    held: 10,
    underlying: 'AMD',
    strategy: 'protective put',
    kind: 'hedge',
    quantity: 100,
    legs: [{ long: true }, { long: true, type: 'put', distance: -0.06 }],
    notes: 'Wanted to stay in over the product day and to know the worst case before it.',
  },
  multiLeg(16, 9, 'SPY', 'iron condor', condor(0.03, 0.045), 'Smaller than planned since the range is tight.'),
  multiLeg(
    4,
    99,
    'AAPL',
    'bull put spread',
    spread('put', -0.035, -0.065),
    'Under the last swing low. Out at half the credit, or when it closes below the short strike.',
  ),
];

export function tradeGroups(year: Year): { groups: SampleGroup[]; legs: Draft[] } {
  const built = PLANS.map((plan, index) => openGroup(year, plan, index));
  return { groups: built.map((one) => one.group), legs: built.flatMap((one) => one.legs) };
}

function openGroup(year: Year, plan: Plan, index: number): { group: SampleGroup; legs: Draft[] } {
  const chance = dice(5, index);
  const id = `g-${String(index + 1).padStart(2, '0')}`;
  const first = year.days.length - plan.daysAgo;
  const spot = year.price(plan.underlying, first);
  const enter = chance.between(590, 780);
  const leave = chance.between(620, 900);
  const legs = plan.legs.map((leg) => {
    const contract = contractOf(leg, plan, spot, year.days[first]!);
    const side = leg.long ? 'buy' : 'sell';
    const instrument: Instrument = contract ? optionOn(contract) : instrumentOf(plan.underlying);
    const quantity = contract ? 1 : plan.quantity;
    const fill = (day: number, minute: number, as: Fill['side']): Fill[] => {
      const date = year.days[day];
      if (date === undefined) return [];
      const price = year.price(plan.underlying, day);
      const quoted = contract ? premium(contract, price, daysBetween(date, contract.expiration)) : price;
      return [{ at: at(date, minute), side: as, quantity, price: quoted }];
    };
    const entered = first + (leg.from ?? 0);
    const left = first + (leg.to ?? plan.held);
    const fills = [...fill(entered, leg.from ? leave : enter, side), ...fill(left, leave, leg.long ? 'sell' : 'buy')];
    return { ...legOf(positionOf(instrument, fills), contract), group_id: id };
  });
  const closed = legs.every((leg) => leg.status === 'closed');
  const group: SampleGroup = {
    id,
    name: `${plan.underlying} ${plan.strategy}, ${dateName(year.days[first]!)}`,
    kind: plan.kind,
    strategy: plan.strategy,
    underlying: plan.underlying,
    market: 'option',
    status: closed ? 'closed' : 'open',
    opened_at: legs[0]!.executed_at,
    closed_at: closed
      ? legs
          .map((leg) => leg.closed_at!)
          .sort()
          .at(-1)!
      : null,
    currency: 'USD',
    initial_risk: worstCase(legs.filter((leg) => leg.executed_at === legs[0]!.executed_at)),
    tags: ['options', plan.strategy.includes('condor') ? 'income' : plan.kind === 'hedge' ? 'hedge' : 'directional'],
    notes: plan.notes,
    created_at: legs[0]!.created_at,
    updated_at: legs
      .map((leg) => leg.updated_at)
      .sort()
      .at(-1)!,
  };
  return { group, legs };
}

function contractOf(leg: Leg, plan: Plan, spot: number, date: string): Contract | undefined {
  if (leg.type === undefined) return undefined;
  const expiration = expirationAfter(date, leg.expiration ?? 32);
  return {
    underlying: plan.underlying,
    type: leg.type,
    strike: strikeNear(spot * (1 + (leg.distance ?? 0))),
    expiration,
  };
}

/** The risk is the group's, so a leg has none of its own. */
function legOf(position: ReturnType<typeof positionOf>, contract: Contract | undefined): Draft {
  return {
    ...PLAIN,
    ...position,
    account: 'Options',
    timeframe: '1d',
    tags: ['leg'],
    mistakes: [],
    underlying: contract?.underlying ?? null,
    expiration: contract?.expiration ?? null,
    strike: contract?.strike ?? null,
    option_type: contract?.type ?? null,
  };
}

/** The most that legs opened together can lose by expiration: their payoff is a line between strikes, so its corners suffice. */
function worstCase(legs: readonly Draft[]): number | null {
  const corners = legs.flatMap((leg) => (leg.strike === null ? [] : [leg.strike]));
  const outcomes = [Math.min(...corners) * 0.5, ...corners, Math.max(...corners) * 1.5].map((price) => {
    const gains = legs.map((leg) => {
      const { strike } = leg;
      const worth = strike === null ? price : Math.max(0, leg.option_type === 'call' ? price - strike : strike - price);
      return (worth - leg.entry_price) * leg.quantity * leg.multiplier * (leg.side === 'long' ? 1 : -1);
    });
    return gains.reduce((sum, gain) => sum + gain, 0);
  });
  const worst = roundMoney(Math.min(...outcomes));
  return worst < 0 ? toCents(-worst) : null;
}

function dateName(date: string): string {
  return new Date(date).toLocaleDateString('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
}
