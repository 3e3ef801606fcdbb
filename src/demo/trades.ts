/** The sample's single trades, day by day. Legs of option spreads are in groups.ts. */
import { roundMoney } from '../money.ts';
import { addDays, dayNumber, weekdayOf } from '../time.ts';
import { at, expirationAfter } from './calendar.ts';
import { dollarsPer, INSTRUMENTS, type Instrument, optionOn, premium, toCents, toTick, type Year } from './market.ts';
import { MISTAKES, type Mistake, mistakeNamed, SETUPS, type Setup } from './plan.ts';
import { type Dice, dice } from './random.ts';
import { type Fill, MINUTE, netOf, tradeOf, type UnnumberedTrade } from './sample-trade.ts';
import { SETUP_NOTES } from './texts.ts';

const SEED = 17;
/** Holidays, the slump in the middle of the year, and the entries of open trades in days ago. */
const isAway = (day: number): boolean => day >= 176 && day <= 181;
const isSlump = (day: number): boolean => day >= 104 && day <= 143;
const STILL_OPEN = [8, 5, 2];

/** A planned trade at the quoted price; without an end it is still open. */
interface Decision {
  instrument: Instrument;
  price: number;
  long: boolean;
  setup: Setup | undefined;
  mistake: Mistake | undefined;
  tags: readonly string[];
  day: number;
  begin: number;
  end: number | undefined;
}

export function singleTrades(year: Year): UnnumberedTrade[] {
  const trades: UnnumberedTrade[] = [];
  const busyUntil = new Map<string, number>();
  /** Takes the trade unless the symbol has an open position: a trade goes from flat to flat. */
  const take = (chance: Dice, decision: Decision): UnnumberedTrade | undefined => {
    const { symbol } = decision.instrument;
    if ((busyUntil.get(symbol) ?? 0) >= decision.begin) return undefined;
    busyUntil.set(symbol, decision.end ?? Number.POSITIVE_INFINITY);
    const trade = tradeFrom(chance, year, decision);
    trades.push(trade);
    return trade;
  };
  for (const day of year.days.keys()) {
    const chance = dice(SEED, day);
    const daysAgo = year.days.length - day;
    const count = isAway(day) ? 0 : chance.pick(daysAgo <= 8 ? [1, 2, 2] : [0, 1, 1, 1, 2, 2, 3]);
    for (let n = 0; n < count; n++) {
      const isOpen = n === 0 && STILL_OPEN.includes(daysAgo);
      const decided = decide(chance, year, day, isOpen ? SETUPS.filter((setup) => setup.isSwing) : SETUPS);
      const decision = isOpen ? { ...decided, end: undefined } : decided;
      const trade = take(chance, decision);
      const lost = trade?.status === 'closed' && netOf(trade) < 0;
      const again = lost && chance.chance(isSlump(day) ? 0.35 : 0.12) ? revenge(chance, year, decision) : undefined;
      if (again) take(chance, again);
    }
  }
  return trades;
}

export function decide(chance: Dice, year: Year, day: number, setups: readonly Setup[]): Decision {
  const planned = chance.weighted(setups);
  const market = chance.pick(planned.markets);
  const listedIn = market === 'option' ? 'stock' : market;
  const instrument = chance.weighted(INSTRUMENTS.filter((one) => one.market === listedIn));
  const mistake = chance.chance(isSlump(day) ? 0.42 : 0.2) ? chance.weighted(MISTAKES) : undefined;
  const setup = mistake?.name === 'no plan' ? undefined : planned;
  const long = planned.isLongOnly || chance.chance(planned.isSwing ? 0.75 : 0.56);
  // Most trades are early in the session; crypto trades of a Friday move to the weekend.
  const [opens, closes] = instrument.hours;
  const minute = opens + (closes - opens - 30) * chance.next() ** 1.8;
  const tradingDay = year.days[day]!;
  const weekend = addDays(tradingDay, chance.int(1, 2));
  const isOnWeekend = market === 'crypto' && weekdayOf(dayNumber(tradingDay)) === 5 && weekend < year.today;
  const date = isOnWeekend ? weekend : tradingDay;
  const left = setup?.isSwing ? year.days[day + chance.pick([1, 2, 3, 3, 4, 5, 6, 8, 11, 15])] : date;
  const until = setup?.isSwing ? chance.between(opens + 45, closes) : minute + 5 + 170 * chance.next() ** 2;
  const end = left === undefined ? undefined : at(left, Math.min(closes, until));
  const tags = [setup?.isSwing ? 'swing' : 'day trade'];
  if (market === 'stock' && minute < 630) tags.push('first hour');
  if (setup?.name === 'earnings drift') tags.push('earnings');
  if (isOnWeekend) tags.push('weekend');
  const price = year.price(instrument.symbol, day);
  const decision = { instrument, price, long, setup, mistake, tags, day, begin: at(date, minute), end };
  return market === 'option' ? withOption(decision, date, setup?.isSwing ? 24 : 4) : decision;
}

/** The same idea with a bought option, if one contract isn't too large: a call if bullish, else a put. */
function withOption(decision: Decision, date: string, days: number): Decision {
  const { instrument, price, long } = decision;
  const [type, distance] = long ? (['call', 1.02] as const) : (['put', 0.98] as const);
  const option = optionOn(instrument.symbol, type, price * distance, expirationAfter(date, days));
  const paid = premium(option, price, date);
  return paid > 6 ? decision : { ...decision, instrument: option, price: paid, long: true };
}

/** A revenge trade, if the day has enough time left: same symbol, minutes later, without a setup. */
function revenge(chance: Dice, year: Year, lost: Decision): Decision | undefined {
  const begin = lost.end! + chance.int(4, 13) * MINUTE;
  const end = begin + chance.int(240, 2400) * 1000;
  if (end > at(year.days[lost.day]!, lost.instrument.hours[1])) return undefined;
  return { ...lost, setup: undefined, mistake: mistakeNamed('revenge trade'), tags: ['day trade'], begin, end };
}

/** The course of a trade: entry price, stop, exchange rate, quantity, and result in R. */
export function courseOf(chance: Dice, year: Year, decision: Decision) {
  const { instrument: one, long, setup, mistake, day } = decision;
  const edge = (setup?.edge ?? 0) + (mistake?.edge ?? 0) + (isSlump(day) ? -0.16 : 0.02);
  const result = resultOf(chance, one, edge, mistake?.name) * (setup?.isSwing ? 1.1 : 1);
  const price = toTick(one, decision.price * (1 + 0.25 * one.volatility * chance.bell()));
  const stretch = setup?.isSwing ? (one.contract ? 1.4 : 5) : 1;
  const stop = toTick(one, price * (1 + (long ? -1 : 1) * one.stop * stretch * chance.between(0.8, 1.25)));
  const rate = dollarsPer(one.currency, year, day);
  const risk = chance.between(80, 130) * (mistake?.name === 'oversized' ? 2.2 : 1);
  const lots = Math.max(1, Math.round(risk / (Math.abs(price - stop) * one.multiplier * rate * one.lot)));
  return { price, stop, rate, quantity: roundMoney(lots * one.lot), result };
}

/** Result in R: losses are near the stop, wins vary widely. */
function resultOf(chance: Dice, { market }: Instrument, edge: number, mistake?: string): number {
  if (['future', 'stock'].includes(market) && chance.chance(0.04)) return 0;
  if (mistake === 'exited early') return chance.between(0.2, 0.6);
  if (chance.chance(0.515 + edge)) return chance.between(0.4, 1.2) + 2.4 * chance.next() ** 2.5;
  if (mistake === 'moved stop') return -chance.between(1.3, 2);
  return chance.chance(0.3) ? -chance.between(0.3, 0.8) : -chance.between(0.97, 1.06);
}

function tradeFrom(chance: Dice, year: Year, decision: Decision): UnnumberedTrade {
  const { instrument: one, setup, mistake } = decision;
  const course = courseOf(chance, year, decision);
  const { price, stop, rate } = course;
  const trade = tradeOf(one, fillsOf(chance, year, decision, course));
  const risk = toCents(Math.abs(trade.entry_price - stop) * trade.quantity * one.multiplier);
  const isStopless = mistake?.name === 'no plan' || chance.chance(0.05);
  const hasTarget = !mistake && chance.chance(0.6);
  return {
    ...trade,
    fx_rate: one.currency === 'USD' || chance.chance(0.1) ? null : rate,
    initial_risk: isStopless ? null : risk,
    stop_loss: isStopless ? null : stop,
    take_profit: hasTarget ? toTick(one, price + (price - stop) * chance.pick([1.5, 2, 2, 3])) : null,
    mae: toCents(Math.min(0, trade.gross_pnl * chance.between(1, 1.08), -risk * chance.between(0.02, 0.7))),
    mfe: toCents(Math.max(0, trade.gross_pnl * chance.between(1, 1.4), risk * chance.between(0.02, 0.6))),
    setup: setup?.name ?? null,
    timeframe: setup?.timeframe ?? null,
    tags: [...decision.tags, ...(trade.executions.length > 2 ? ['scaled'] : [])],
    mistakes: mistake ? [mistake.name] : [],
    rating: chance.chance(0.12) ? null : chance.pick(mistake ? [1, 2, 2, 3] : [3, 4, 4, 5]),
    notes: setup && chance.chance(0.3) ? chance.pick(SETUP_NOTES[setup.name]!) : null,
    source: one.market === 'crypto' ? 'exchange export' : 'broker statement',
  };
}

/** Entries, each cheaper than the last, and exits around the result; an open trade has at most one exit, on the next day. */
function fillsOf(chance: Dice, year: Year, decision: Decision, course: ReturnType<typeof courseOf>): Fill[] {
  const { instrument: one, long, day, begin, end } = decision;
  const { price, stop, quantity, result } = course;
  const parts = result !== 0 && chance.chance(0.35) ? chance.int(2, 3) : 1;
  const entries = inParts(quantity, chance.chance(0.35) ? parts : 1, one.lot);
  const exits = inParts(quantity, parts, one.lot);
  const last = exits.length - 1;
  const pause = Math.min(300_000, Math.floor(((end ?? Number.POSITIVE_INFINITY) - begin) / 8000) * 1000);
  const fill = (isEntry: boolean, at: number, quantity: number, r: number): Fill => {
    return { at, side: isEntry === long ? 'buy' : 'sell', quantity, price: toTick(one, price + (price - stop) * r) };
  };
  const entered = entries.map((part, n) => fill(true, begin + n * pause, part, -0.15 * n));
  if (end !== undefined) {
    const spread = result > 0 ? 0.25 * result : 0.03;
    const left = (part: number, n: number) =>
      fill(false, end - (last - n) * pause, part, result + spread * (n - last / 2));
    return [...entered, ...exits.map(left)];
  }
  const next = year.days[day + 1];
  return last > 0 && next ? [...entered, fill(false, at(next, one.hours[0] + 95), exits[0]!, 1)] : entered;
}

/** Splits a quantity into parts of whole lots, the last one with the remainder; one part if there are fewer lots than parts. */
function inParts(quantity: number, parts: number, lot: number): number[] {
  const each = roundMoney(Math.floor(Math.round(quantity / lot) / parts) * lot);
  if (each === 0) return [quantity];
  return Array.from({ length: parts }, (_, n) => (n === parts - 1 ? roundMoney(quantity - each * n) : each));
}
