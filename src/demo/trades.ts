/** The sample's single trades: what was seen, taken and paid for, day by day. Legs of option spreads are in groups.ts. */
import { roundMoney } from '../money.ts';
import { addDays, dayNumber, daysBetween, weekdayOf } from '../time.ts';
import { at, expirationAfter } from './calendar.ts';
import {
  type Contract,
  dollarsPer,
  INSTRUMENTS,
  type Instrument,
  optionOn,
  premium,
  strikeNear,
  toCents,
  toTick,
  type Year,
} from './markets.ts';
import { type Fill, inParts, positionOf } from './position.ts';
import { type Dice, dice } from './random.ts';
import type { SampleTrade } from './records.ts';
import { netOf } from './results.ts';
import { MISTAKES, type Mistake, REVENGE, SETUPS, type Setup } from './setups.ts';

const SEED = 13;

/** What every trade starts from: fields that many trades leave empty. */
export const PLAIN = {
  fx_rate: null,
  initial_risk: null,
  stop_loss: null,
  take_profit: null,
  mae: null,
  mfe: null,
  setup: null,
  timeframe: null,
  rating: null,
  notes: null,
  group_id: null,
  underlying: null,
  expiration: null,
  strike: null,
  option_type: null,
  source: 'broker statement',
} as const;

/** A trade before it has its id: ids are given in the order of entry. */
export type Draft = Omit<SampleTrade, 'id'>;

/** A trade as it was decided on. It is left at `exit`; one without an exit is still open. */
interface Decision {
  instrument: Instrument;
  contract?: Contract;
  price: number;
  long: boolean;
  setup: Setup | undefined;
  mistake: Mistake | undefined;
  day: number;
  date: string;
  minute: number;
  exit: { date: string; minute: number } | undefined;
}

/** Days on holiday, the bad stretch in the middle of the year, and how many days ago the trades still open were entered. */
const isAway = (day: number): boolean => day >= 176 && day <= 181;
const isSlump = (day: number): boolean => day >= 104 && day <= 143;
const STILL_OPEN = [8, 5, 2];
const SWINGABLE = INSTRUMENTS.filter((one) => one.market === 'stock' || one.market === 'crypto');
const TRADES_A_DAY = [
  { count: 0, weight: 4 },
  { count: 1, weight: 10 },
  { count: 2, weight: 9 },
  { count: 3, weight: 4 },
];

export function singleTrades(year: Year): Draft[] {
  const trades: Draft[] = [];
  const busyUntil = new Map<string, number>();

  /** Takes what was decided, unless there is still a position in that symbol: a trade goes from flat to flat. */
  function trade(chance: Dice, decision: Decision): Draft | undefined {
    const { symbol } = decision.instrument;
    if ((busyUntil.get(symbol) ?? 0) >= at(decision.date, decision.minute)) return undefined;
    const taken = take(chance, year, decision);
    trades.push(taken);
    busyUntil.set(symbol, taken.closed_at === null ? Number.POSITIVE_INFINITY : Date.parse(taken.closed_at));
    return taken;
  }

  for (const day of year.days.keys()) {
    const chance = dice(SEED, day);
    const daysAgo = year.days.length - day;
    const count = Math.max(isAway(day) ? 0 : chance.weighted(TRADES_A_DAY).count, daysAgo <= 5 ? 1 : 0);
    for (let n = 0; n < count; n++) {
      const decision = decide(chance, year, day);
      const taken = trade(chance, decision);
      const lost = taken?.status === 'closed' && netOf(taken) < 0;
      if (!lost || !chance.chance(isSlump(day) ? 0.35 : 0.12)) continue;
      const again = revenge(chance, decision);
      if (again) trade(chance, again);
    }
    if (STILL_OPEN.includes(daysAgo)) trade(chance, swingStillOpen(chance, year, day));
    const weekend = weekendTrade(dice(SEED, day, 6), year, day);
    if (weekend && weekend.date < year.today) trade(dice(SEED, day, 7), weekend);
  }
  return trades;
}

function decide(chance: Dice, year: Year, day: number): Decision {
  const instrument = chance.weighted(INSTRUMENTS);
  const asOption = instrument.market === 'stock' && chance.chance(0.18);
  const market = asOption ? 'option' : instrument.market;
  const setup = chance.weighted(SETUPS.filter((one) => one.markets.includes(market)));
  const long = setup.longOnly ?? chance.chance(setup.swing ? 0.75 : 0.56);
  const mistake = chance.chance(isSlump(day) ? 0.42 : 0.2) ? chance.weighted(MISTAKES) : undefined;
  const [opens, closes] = instrument.hours;
  // Most trades are taken early in the session.
  const minute = opens + (closes - opens - 30) * chance.next() ** 1.8;
  const exit = { date: year.days[day]!, minute: Math.min(closes, minute + 5 + 170 * chance.next() ** 2) };
  const decision = {
    instrument,
    price: year.price(instrument.symbol, day),
    long,
    mistake,
    day,
    date: exit.date,
    minute,
    exit,
  };
  const inSwing = setup.swing && mistake?.name !== 'no plan';
  const planned = {
    ...decision,
    setup: mistake?.name === 'no plan' ? undefined : setup,
    exit: inSwing ? swingExit(chance, year, decision) : exit,
  };
  return asOption ? withOption(planned, inSwing ? 24 : 4) : planned;
}

function swingExit(chance: Dice, year: Year, from: { day: number; instrument: Instrument }): Decision['exit'] {
  const date = year.days[from.day + chance.pick([1, 2, 3, 3, 4, 5, 6, 8, 11, 15])];
  const [opens, closes] = from.instrument.hours;
  const minute = chance.between(opens + 45, closes);
  return date === undefined ? undefined : { date, minute };
}

/** The same idea with a bought option, where one contract isn't too much: a call where the trader is bullish, a put where not. */
function withOption(decision: Decision, daysToExpiration: number): Decision {
  const { date, long, price } = decision;
  const expiration = expirationAfter(date, daysToExpiration);
  const contract: Contract = {
    underlying: decision.instrument.symbol,
    type: long ? 'call' : 'put',
    strike: strikeNear(price * (long ? 1.02 : 0.98)),
    expiration,
  };
  const paid = premium(contract, price, daysBetween(date, expiration));
  if (paid > 6) return decision;
  return { ...decision, instrument: optionOn(contract), contract, price: paid, long: true };
}

function swingStillOpen(chance: Dice, year: Year, day: number): Decision {
  const instrument = chance.weighted(SWINGABLE);
  const setup = chance.pick(SETUPS.filter((one) => one.swing && one.markets.includes(instrument.market)));
  const price = year.price(instrument.symbol, day);
  const minute = chance.between(instrument.hours[0], instrument.hours[0] + 180);
  return {
    instrument,
    price,
    long: true,
    setup,
    mistake: undefined,
    day,
    date: year.days[day]!,
    minute,
    exit: undefined,
  };
}

/** The next trade after a loss: same symbol, minutes later, without a setup. */
function revenge(chance: Dice, lost: Decision): Decision | undefined {
  if (lost.exit?.date !== lost.date) return undefined;
  const minute = lost.exit.minute + chance.between(4, 13);
  const end = minute + chance.between(5, 35);
  if (end > lost.instrument.hours[1]) return undefined;
  return { ...lost, setup: undefined, mistake: REVENGE, minute, exit: { date: lost.date, minute: end } };
}

/** Now and then a coin on a Saturday or Sunday. */
function weekendTrade(chance: Dice, year: Year, day: number): Decision | undefined {
  const friday = year.days[day]!;
  if (weekdayOf(dayNumber(friday)) !== 5 || !chance.chance(0.2)) return undefined;
  const instrument = chance.pick(INSTRUMENTS.filter((one) => one.market === 'crypto'));
  const setup = chance.pick(SETUPS.filter((one) => !one.swing && one.markets.includes('crypto')));
  const date = addDays(friday, chance.int(1, 2));
  const minute = chance.between(540, 1080);
  const exit = { date, minute: minute + chance.between(25, 160) };
  return {
    instrument,
    price: year.price(instrument.symbol, day),
    long: chance.chance(0.6),
    setup,
    mistake: undefined,
    day,
    date,
    minute,
    exit,
  };
}

/** How it ends, in R: losses near the stop, wins spread wide. */
function drawResult(chance: Dice, { instrument, setup, mistake, day }: Decision): number {
  const small = instrument.market === 'future' || instrument.market === 'stock';
  if (small && chance.chance(0.03)) return 0;
  const edge = (setup?.edge ?? 0) + (mistake?.edge ?? 0) + (isSlump(day) ? -0.16 : 0.02);
  if (chance.chance(0.515 + edge)) {
    if (mistake?.name === 'exited early') return chance.between(0.2, 0.6);
    return (chance.between(0.4, 1.2) + 2.4 * chance.next() ** 2.5) * (setup?.swing ? 1.2 : 1);
  }
  if (mistake?.name === 'moved stop') return -chance.between(1.3, 2);
  return chance.chance(0.3) ? -chance.between(0.3, 0.8) : -chance.between(0.97, 1.06);
}

function take(chance: Dice, year: Year, decision: Decision): Draft {
  const { instrument: one, contract, long, setup, mistake, day, date } = decision;
  const sign = long ? 1 : -1;
  const result = drawResult(chance, decision);
  const price = toTick(one, decision.price * (1 + 0.25 * (contract ? 0.1 : one.volatility) * chance.bell()));
  const stretch = setup?.swing ? (contract ? 1.4 : 5) : 1;
  const stop = toTick(one, price * (1 - sign * one.stop * stretch * chance.between(0.8, 1.25)));
  const step = Math.abs(price - stop);
  const dollars = dollarsPer(one.currency, year, day);
  const budget = chance.between(80, 130) * (mistake?.name === 'oversized' ? 2.2 : 1);
  const quantity = roundMoney(one.lot * Math.max(1, Math.round(budget / (step * one.multiplier * dollars * one.lot))));

  const split = result !== 0 && chance.chance(0.35) ? chance.int(2, 3) : 1;
  const scaleIn = chance.chance(0.35) ? split : 1;
  const begin = at(date, decision.minute);
  const end = decision.exit ? at(decision.exit.date, decision.exit.minute) : undefined;
  const pause = end === undefined ? 300_000 : Math.min(300_000, Math.floor((end - begin) / 8000) * 1000);
  // Later entries are a little cheaper; exits lie around the result.
  const fills: Fill[] = inParts(quantity, scaleIn, one.lot).map((part, n) => ({
    at: begin + n * pause,
    side: long ? 'buy' : 'sell',
    quantity: part,
    price: toTick(one, price - sign * step * 0.15 * n),
  }));
  const exits = inParts(quantity, split, one.lot);
  const spread = result > 0 ? 0.25 * result : 0.03;
  if (end !== undefined) {
    for (const [n, part] of exits.entries()) {
      const r = exits.length === 1 ? result : result + spread * (n - (exits.length - 1) / 2);
      const left = toTick(one, price + sign * step * r);
      fills.push({
        at: end - (exits.length - 1 - n) * pause,
        side: long ? 'sell' : 'buy',
        quantity: part,
        price: left,
      });
    }
  } else if (exits.length > 1 && year.days[day + 1] !== undefined) {
    const left = toTick(one, price + sign * step);
    fills.push({
      at: at(year.days[day + 1]!, one.hours[0] + 95),
      side: long ? 'sell' : 'buy',
      quantity: exits[0]!,
      price: left,
    });
  }

  const position = positionOf(one, fills);
  const risk = toCents(Math.abs(position.entry_price - stop) * quantity * one.multiplier);
  const stopless = mistake?.name === 'no plan' || chance.chance(0.05);
  const clean = mistake === undefined;
  return {
    ...PLAIN,
    ...position,
    fx_rate: one.currency === 'USD' || chance.chance(0.1) ? null : dollars,
    initial_risk: stopless ? null : risk,
    stop_loss: stopless ? null : stop,
    take_profit: clean && chance.chance(0.6) ? toTick(one, price + sign * step * chance.pick([1.5, 2, 2, 3])) : null,
    mae: toCents(Math.min(0, position.gross_pnl * chance.between(1, 1.08), -risk * chance.between(0.02, 0.7))),
    mfe: toCents(Math.max(0, position.gross_pnl * chance.between(1, 1.4), risk * chance.between(0.02, 0.6))),
    setup: setup?.name ?? null,
    timeframe: setup?.timeframe ?? null,
    tags: tagsOf(decision, scaleIn > 1, exits.length > 1),
    mistakes: mistake ? [mistake.name] : [],
    rating: chance.chance(0.12) ? null : chance.pick(clean ? [3, 4, 4, 5] : [1, 2, 2, 3]),
    notes: setup !== undefined && chance.chance(0.3) ? chance.pick(setup.notes) : null,
    underlying: contract?.underlying ?? null,
    expiration: contract?.expiration ?? null,
    strike: contract?.strike ?? null,
    option_type: contract?.type ?? null,
    source: one.market === 'crypto' ? 'exchange export' : 'broker statement',
  };
}

function tagsOf({ setup, minute, date, instrument }: Decision, scaledIn: boolean, scaledOut: boolean): string[] {
  const tags = [setup?.swing ? 'swing' : 'day trade'];
  if (instrument.market === 'stock' && minute < 630) tags.push('first hour');
  if (setup?.name === 'earnings drift') tags.push('earnings');
  if (weekdayOf(dayNumber(date)) > 5) tags.push('weekend');
  if (scaledIn) tags.push('scaled in');
  if (scaledOut) tags.push('scaled out');
  return tags;
}
