/** What may come: paths of 250 further trades, drawn from those of the window. Formulas: docs/analytics.md. */
import type * as z from 'zod';
import { moneyOrNull, ratioOrNull, roundMoney, roundRatio, Sum } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { IN_BASE } from './base-currency.ts';
import { bootstrap, LENGTH, PATHS, type Paths, PLACES, SHORT } from './bootstrap.ts';
import { visitClosedTrades } from './closed-trades.ts';
import { kellyOf, kellyRecord } from './kelly.ts';
import { Results } from './results.ts';
import { meanOf } from './statistics.ts';
import type { Accumulator, ClosedTrade } from './trade-rows.ts';

/** Fewer tell too little. */
const LEAST_TRADES = 30;

const twoWindows = <S extends z.ZodType>(field: (what: string) => S, what: string) => {
  const within = (trades: number) =>
    f.object(
      { median: field('In half of the paths at most'), p95: field('In 95 % of the paths at most') },
      `Within the next ${trades} trades`,
    );
  return f.orNull(f.object({ next_100: within(SHORT), next_250: within(LENGTH) }, what));
};

const chance = (share: number) => f.ratio(`Share of paths that lose ${share} % of balance or more at any time, 0 to 1`);

export const simulationRecord = f.object(
  {
    sample: f.count('Closed trades of the window, from which paths are drawn'),
    reason: f.orNull(f.ours('Why there is no simulation; null if there is one')),
    balance: f.orNull(
      f.money(
        `Starting balance and net P&L of all closed trades of the journal, ${IN_BASE}; null without a starting balance`,
      ),
    ),
    average_risk: f.orNull(
      f.object(
        {
          amount: f.money(`Mean risk, ${IN_BASE}`),
          percent: f.orNull(f.ratio('The same over balance, 0 to 1 and beyond; null unless balance is above 0')),
        },
        'What was at risk a trade, of those that have a risk; null without any',
      ),
    ),
    losing_run: twoWindows(f.count, 'Longest run of losing trades; a breakeven ends a run'),
    drawdown: twoWindows(
      f.money,
      `Largest fall from the running peak, trade by trade, as a positive amount ${IN_BASE}`,
    ),
    chance_of_losing: f.orNull(
      f.object(
        { ten_percent: chance(10), twenty_percent: chance(20), thirty_percent: chance(30) },
        `How likely the next ${LENGTH} trades lose a part of balance on the way; null unless balance is above 0`,
      ),
    ),
    path: f.list(
      f.item({
        trades: f.count('How many trades from now'),
        p5: f.money(`Net P&L from now that 5 % of the paths don't exceed, ${IN_BASE}`),
        median: f.money('That half of them do not exceed'),
        p95: f.money('That 95 % of them do not exceed'),
      }),
      `Net P&L from now on, each 25 trades up to ${LENGTH}`,
    ),
    kelly: kellyRecord,
  },
  `What may come, were the next ${LENGTH} trades as those of the window: ${PATHS} paths by a stationary bootstrap. The same question has the same answer`,
);

export type SimulationResult = z.infer<typeof simulationRecord>;

const NOTHING = {
  balance: null,
  average_risk: null,
  losing_run: null,
  drawdown: null,
  chance_of_losing: null,
  path: [],
  kelly: null,
};

export class Simulation implements Accumulator {
  readonly columns = ['risk'] as const;
  readonly #results = new Results();
  readonly #isLoss: boolean[] = [];
  readonly #r: number[] = [];
  readonly #risks: number[] = [];

  add(trade: ClosedTrade): void {
    this.#results.add(trade);
    this.#isLoss.push(trade.outcome === 'loss');
    if (trade.r === null) return;
    this.#r.push(trade.r);
    this.#risks.push(trade.risk as number);
  }

  /** Pauses now and then. @param balance null where unknown */
  *result(balance: number | null): Generator<void, SimulationResult> {
    const sample = this.#results.n;
    if (sample < LEAST_TRADES) {
      return { sample, reason: `takes at least ${LEAST_TRADES} closed trades; ask for a longer window`, ...NOTHING };
    }
    const paths = yield* bootstrap(this.#results.nets, this.#isLoss, this.#results.seed);
    const base = balance !== null && balance > 0 ? balance : null;
    return {
      sample,
      reason: null,
      balance: moneyOrNull(balance),
      average_risk: riskOf(this.#risks, base),
      losing_run: windowsOf(paths.losingRun, (run) => run),
      drawdown: windowsOf(paths.drawdown, roundMoney),
      chance_of_losing: base === null ? null : chancesOf(paths, base),
      path: PLACES.map((trades, i) => {
        const at = percentilesOf(paths.net[i] as Float64Array, roundMoney);
        return { trades, p5: at(0.05), median: at(0.5), p95: at(0.95) };
      }),
      kelly: this.#r.length < LEAST_TRADES ? null : yield* kellyOf(this.#r),
    };
  }
}

/** What the account holds after all closed trades of the journal, whatever is asked for; null without a starting balance. */
export function* balanceOf(reader: Reader, user: User): Generator<void, number | null> {
  if (user.starting_balance === null) return null;
  const net = new Sum();
  net.add(user.starting_balance);
  const everything = { range: { from: null, to: null }, filters: {}, unit: 'trade' } as const;
  yield* visitClosedTrades(reader, user, everything, [{ columns: [], add: (trade) => net.add(trade.net) }]);
  return net.value;
}

function riskOf(risks: readonly number[], balance: number | null): SimulationResult['average_risk'] {
  const mean = meanOf(risks);
  if (mean === null) return null;
  return { amount: roundMoney(mean), percent: ratioOrNull(balance === null ? null : mean / balance) };
}

/** The smallest number that a share of them don't exceed. */
function percentilesOf(figures: Float64Array, rounded: (figure: number) => number): (share: number) => number {
  const sorted = figures.slice().sort();
  return (share) => rounded(sorted[Math.ceil(share * sorted.length) - 1] as number);
}

function windowsOf({ short, long }: Paths['drawdown'], rounded: (figure: number) => number) {
  const within = (figures: Float64Array) => {
    const at = percentilesOf(figures, rounded);
    return { median: at(0.5), p95: at(0.95) };
  };
  return { next_100: within(short), next_250: within(long) };
}

function chancesOf({ lowest }: Paths, balance: number): SimulationResult['chance_of_losing'] {
  // What is as much as that in decimals may be less in binary.
  const losing = (share: number) =>
    roundRatio(lowest.filter((net) => -net >= share * balance * (1 - 1e-12)).length / lowest.length);
  return { ten_percent: losing(0.1), twenty_percent: losing(0.2), thirty_percent: losing(0.3) };
}
