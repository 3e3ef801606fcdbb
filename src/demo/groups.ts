/** The sample's trade groups: option spreads and other positions of several legs, priced from the underlying's path. */
import { at, expirationAfter } from './calendar.ts';
import { optionOn, premium, sampleInstrument, toCents, type Year } from './market.ts';
import { dice } from './random.ts';
import { tradeOf, type UnnumberedTrade } from './sample-trade.ts';

export type SampleGroup = ReturnType<typeof openGroup>['group'];

// Trading days ago, trading days held (99: still open), underlying, strategy, kind, legs, notes. A leg is bought (+) or sold (-): P for
// a put, C for a call, S for 100 shares; its strike in percent of the price; after @ the day of its entry, when the rolled leg is closed.
const GROUPS = [
  [243, 14, 'SPY', 'iron condor', 'multi_leg', '-P97 +P95.5 -C103 +C104.5', 'Short strikes outside the range.'],
  [226, 9, 'NVDA', 'bull put spread', 'multi_leg', '-P96 +P92.5', 'Sold under a gap that had held twice.'],
  [209, 8, 'AMD', 'bull call spread', 'multi_leg', '+C100 -C106', 'Cheaper than the stock, and the loss is known.'],
  [196, 18, 'XOM', 'protective put', 'hedge', '+S +P95', 'A put under the stock over the report: gaps cannot jump it.'],
  [178, 12, 'SPY', 'iron condor', 'multi_leg', '-P97.5 +P96 -C102.5 +C104', 'Volatility still high: strikes nearer.'],
  [160, 19, 'NVDA', 'rolled put spread', 'rolled', '-P97 +P94 -P95@9 +P92@9', 'Tested on day nine: rolled, once.'],
  [141, 7, 'TSLA', 'bear call spread', 'multi_leg', '-C107 +C111', 'Sold into the third failure at the same high.'],
  [122, 10, 'AAPL', 'bull put spread', 'multi_leg', '-P97 +P94', 'Under the 50-day average, a month to go.'],
  [104, 11, 'AMD', 'long calls', 'scaled', '+C105 +C110@3', 'Half at the breakout, half after three days above it.'],
  [88, 13, 'SPY', 'iron condor', 'multi_leg', '-P97 +P95.5 -C103 +C104.5', 'The usual condor; a quiet calendar.'],
  [63, 9, 'PLTR', 'bull call spread', 'multi_leg', '+C101 -C108', 'A trend day through the old high, bought after it.'],
  [44, 8, 'NVDA', 'bull put spread', 'multi_leg', '-P95 +P91.5', 'Support and the 20-day average in one place.'],
  [29, 10, 'AMD', 'protective put', 'hedge', '+S +P94', 'In over the product day, with the worst case known.'],
  [16, 9, 'SPY', 'iron condor', 'multi_leg', '-P97 +P95.5 -C103 +C104.5', 'The range is tight, and so are the wings.'],
  [4, 99, 'AAPL', 'bull put spread', 'multi_leg', '-P96.5 +P93.5', 'Under the last swing low. Out at half the credit.'],
] as const;

export function tradeGroups(year: Year): { groups: SampleGroup[]; legs: UnnumberedTrade[] } {
  const built = GROUPS.map((plan, index) => openGroup(year, plan, index));
  return { groups: built.map((one) => one.group), legs: built.flatMap((one) => one.legs) };
}

function openGroup(year: Year, plan: (typeof GROUPS)[number], index: number) {
  const [daysAgo, held, underlying, strategy, kind, codes, notes] = plan;
  const chance = dice(5, index);
  const [enter, leave] = [chance.between(590, 780), chance.between(620, 900)];
  const id = `g-${String(index + 1).padStart(2, '0')}`;
  const first = year.days.length - daysAgo;
  const parsed = [...codes.matchAll(/([+-])([PCS])([\d.]*)@?(\d*)/g)];
  const added = Math.max(...parsed.map(([, , , , day]) => Number(day)));
  const legs = parsed.map(([, sign, type, percent, day]): UnnumberedTrade => {
    const entered = first + Number(day);
    const left = first + (kind === 'rolled' && day === '' ? added : held);
    const [opening, closing] = sign === '+' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
    const strike = (year.price(underlying, first) * Number(percent)) / 100;
    const expiration = expirationAfter(year.days[entered]!, 32);
    const option = type === 'S' ? undefined : optionOn(underlying, type === 'P' ? 'put' : 'call', strike, expiration);
    const fillOn = (n: number, minute: number, side: 'buy' | 'sell') => {
      const date = year.days[n];
      if (date === undefined) return [];
      const spot = year.price(underlying, n);
      const price = option ? premium(option, spot, date) : spot;
      return [{ at: at(date, minute), side, quantity: option ? 1 : 100, price }];
    };
    const fills = [...fillOn(entered, day === '' ? enter : leave, opening), ...fillOn(left, leave, closing)];
    const trade = tradeOf(option ?? sampleInstrument(underlying), fills, 'Options');
    return { ...trade, group_id: id, timeframe: '1d', tags: ['leg'], mistakes: [], source: 'broker statement' };
  });
  const [opener, last] = [legs[0]!, legs.at(-1)!];
  const group = {
    ...{ id, kind, strategy, underlying, notes },
    name: `${underlying} ${strategy} of ${year.days[first]}`,
    market: 'option',
    status: last.status,
    opened_at: opener.executed_at,
    closed_at: last.closed_at,
    currency: 'USD',
    initial_risk: worstCase(legs.filter((leg) => leg.executed_at === opener.executed_at)),
    tags: ['options', strategy === 'iron condor' ? 'income' : kind === 'hedge' ? 'hedge' : 'directional'],
    ...{ created_at: opener.created_at, updated_at: last.updated_at },
  };
  return { group, legs };
}

/** The largest loss at expiration of legs opened together. Their payoff is linear between strikes, so the strikes suffice. */
function worstCase(legs: readonly UnnumberedTrade[]): number {
  const strikes = legs.flatMap((leg) => leg.strike ?? []);
  const outcomes = [Math.min(...strikes) * 0.5, ...strikes, Math.max(...strikes) * 1.5].map((price) =>
    legs.reduce((sum, { strike, option_type, ...leg }) => {
      const inside = strike == null ? price : Math.max(0, option_type === 'call' ? price - strike : strike - price);
      return sum + (inside - leg.entry_price) * leg.quantity * leg.multiplier * (leg.side === 'long' ? 1 : -1);
    }, 0),
  );
  return toCents(-Math.min(...outcomes));
}
