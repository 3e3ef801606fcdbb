/** Simulated traders: results from a known distribution, and journals with labels independent of them. */

import type { Database } from 'better-sqlite3';
import { RANGE, Random } from '../../../src/journal/analytics/statistics.ts';

export type Draw = () => number;

/** From 0 to below 1. */
export function uniform(seed: number): Draw {
  const random = new Random(seed);
  const block = new Uint32Array(1024);
  let used = block.length;
  return () => {
    if (used === block.length) {
      random.fill(block);
      used = 0;
    }
    return (block[used++] as number) / RANGE;
  };
}

/** Normally distributed, by Box and Muller's method. */
export const normal = (next: Draw) =>
  Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());

/** Distributions of results, in R. */
export const TRADERS: Record<string, (next: Draw) => number> = {
  'normal results': (next) => normal(next) + 0.1,
  // Loses 1 R in 65 % of trades; wins are rare and can be large.
  'trend follower': (next) => (next() < 0.65 ? -1 : Math.exp(0.5 + 1.2 * normal(next))),
  // Keeps 1 R in 90 % of trades; losses are rare and can be large.
  'option seller': (next) => (next() < 0.9 ? 1 : -Math.exp(1.5 + normal(next))),
};

/** One of a number of labels, the first ones more often. */
const label = (next: Draw, count: number) => Math.floor(count * next() ** 1.3);

/** The mean of exp(x) to a power, for a normally distributed x. */
const meanOfExp = (mean: number, deviation: number, power = 1) =>
  Math.exp(power * mean + (power * deviation) ** 2 / 2);

export const TRUE_MEANS: Record<string, number> = {
  'normal results': 0.1,
  'trend follower': -0.65 + 0.35 * meanOfExp(0.5, 1.2),
  'option seller': 0.9 - 0.1 * meanOfExp(1.5, 1),
};

const SQUARES: Record<string, number> = {
  'normal results': 1 + 0.1 ** 2,
  'trend follower': 0.65 + 0.35 * meanOfExp(0.5, 1.2, 2),
  'option seller': 0.9 + 0.1 * meanOfExp(1.5, 1, 2),
};

/** The standard deviation of a trader's results. */
export const deviationOf = (name: string) =>
  Math.sqrt((SQUARES[name] as number) - (TRUE_MEANS[name] as number) ** 2);

/** A journal of a simulated trader. */
export interface Trader {
  /** One of TRADERS, or a function. */
  draw: string | ((next: Draw) => number);
  trades: number;
  /** Share of the variance that trades of a day have in common. */
  alike?: number;
  /** Accounts into which each trade is copied within half a minute. */
  accounts?: number;
  /** How much worse trades with the emotion "angry" are, a fifth of all, in standard deviations. */
  angry?: number;
  /** How much worse trades after a loss of the same day are. */
  afterLoss?: number;
  /** How much worse days are on which the trader slept badly, a fourth of all. */
  tired?: number;
}

const DAY = 86_400_000;
const iso = (at: number) => new Date(at).toISOString();
const pick = <T>(next: Draw, values: readonly T[]): T =>
  values[Math.floor(next() * values.length)] as T;
const maybe = <T>(next: Draw, share: number, value: T): T | null =>
  next() < share ? value : null;

/**
 * Writes the journal of a trader, in place of what is there. Labels of all kinds are independent of the results, except for the named
 * effects; times are those of a day trader, so what follows from results follows from them as in life.
 */
export function writeTrader(db: Database, trader: Trader, seed: number): void {
  const {
    draw,
    trades,
    alike = 0,
    accounts = 1,
    angry = 0,
    afterLoss = 0,
    tired = 0,
  } = trader;
  const next = uniform(seed);
  const drawn =
    typeof draw === 'string' ? (TRADERS[draw] as (next: Draw) => number) : draw;
  const deviation = typeof draw === 'string' ? deviationOf(draw) : 1;
  for (const table of ['trade_journals', 'sessions', 'trades'])
    db.exec(`DELETE FROM ${table}`);
  const insert = insertersOf(db);
  db.transaction(() => {
    let [count, day] = [0, Date.UTC(2020, 0, 6)];
    for (; count < trades; day += new Date(day).getUTCDay() === 5 ? 3 * DAY : DAY) {
      const isTired = next() < 0.25;
      const common =
        deviation * (Math.sqrt(alike) * normal(next) - (isTired ? tired : 0));
      insert.session(day, next, isTired);
      let at = day + 14.5 * 3_600_000;
      /** Closes of losses. */
      const losses: number[] = [];
      for (
        let left = 1 + Math.floor(8 * next() ** 1.5);
        left > 0 && count < trades;
        left--, count++
      ) {
        at += Math.floor(60_000 * (2 + 40 * next()));
        const closed = at + Math.floor(60_000 * (1 + 50 * next() ** 2));
        const isAngry = next() < 0.2;
        const hasLost = losses.some((time) => time <= at);
        const own = Math.sqrt(1 - alike) * drawn(next);
        const result =
          own + common - deviation * ((isAngry ? angry : 0) + (hasLost ? afterLoss : 0));
        if (result < 0) losses.push(closed);
        insert.trade(count, accounts, at, closed, result, isAngry, next);
      }
    }
  })();
}

function insertersOf(db: Database) {
  const trade = db.prepare(
    `INSERT INTO trades (user_id, id, account, symbol, underlying, market, side, status, executed_at, closed_at, quantity, open_quantity, entry_price,
       exit_price, currency, gross_pnl, initial_risk, setup, timeframe, tags, mistakes)
     VALUES ('me', ?, ?, ?, ?, 'future', ?, 'closed', ?, ?, ?, 0, 1, 1, 'USD', ?, 1, ?, ?, ?, ?)`,
  );
  const entry = db.prepare(
    `INSERT INTO trade_journals (user_id, id, trade_id, phase, emotions, confidence, followed_plan, rules)
     VALUES ('me', ?, ?, 'review', ?, ?, ?, ?)`,
  );
  const session = db.prepare(
    `INSERT INTO sessions (user_id, id, date, mood, energy, sleep_hours, market_context, review) VALUES ('me', ?, ?, ?, ?, ?, ?, ?)`,
  );
  return {
    session(day: number, next: Draw, isTired: boolean) {
      const context = {
        condition: pick(next, ['trend', 'range', 'news']),
        bias: pick(next, ['long', 'short']),
      };
      const review = { followed_plan: next() < 0.7, mistakes: [] };
      session.run(
        `s${day}`,
        iso(day).slice(0, 10),
        pick(next, ['calm', 'tired', 'keen']),
        1 + label(next, 5),
        isTired ? 5 : 6 + 3 * next(),
        JSON.stringify({ ...context, key_levels: [], news: [] }),
        JSON.stringify(review),
      );
    },
    trade(
      i: number,
      accounts: number,
      at: number,
      closed: number,
      result: number,
      isAngry: boolean,
      next: Draw,
    ) {
      const symbol = label(next, 12);
      const facts = [
        ...[`X${symbol}`, `Y${symbol % 8}`, next() < 0.6 ? 'long' : 'short'],
        ...[
          pick(next, [1, 1, 1, 2, 4]),
          Math.round(1e6 * result) / 1e4,
          `setup ${label(next, 6)}`,
        ],
        ...[
          pick(next, ['1m', '5m']),
          pick(next, ['[]', '["news"]', '["news","open"]']),
          maybe(next, 0.2, '["chased"]') ?? '[]',
        ],
      ];
      const [name, underlying, side, quantity, gross, ...labels] = facts;
      const said = [
        ...[
          JSON.stringify(isAngry ? ['angry'] : []),
          maybe(next, 0.8, 1 + label(next, 5)),
          maybe(next, 0.8, next() < 0.7 ? 1 : 0),
        ],
        JSON.stringify([{ rule: 'size', followed: next() < 0.8 }]),
      ];
      for (let account = 0; account < accounts; account++) {
        const id = `t${String(i).padStart(6, '0')}.${account}`;
        const [entered, left] = [at + account * 9000, closed + account * 9000];
        trade.run(
          id,
          `account ${account}`,
          name,
          underlying,
          side,
          iso(entered),
          iso(left),
          quantity,
          gross,
          ...labels,
        );
        entry.run(`j${id}`, id, ...said);
      }
    },
  };
}
