/**
 * Calibration of an account's outlook: accounts of simulated traders that have neither passed nor breached after some days, each with
 * further days of the same kind: node bench/outlook.ts [ACCOUNTS] (default: 300 each)
 */
import type { AccountRules } from '../src/journal/analytics/account-rules.ts';
import {
  boundsOf,
  type DayOfCloses,
  outlookOf,
  Standing,
} from '../src/journal/analytics/outlook.ts';
import {
  type Draw,
  deviationOf,
  normal,
  TRADERS,
  TRUE_MEANS,
  uniform,
} from '../test/journal/analytics/traders.ts';

const accounts = Number(process.argv[2] ?? 300);
const SIZES = [20, 40, 100];
const HORIZON = 60;
/** Of each account, so that the shares that came are known to a few tenths of a percent. */
const FUTURES = 20;
/** Standard deviation of a trade, in the account's currency. */
const DEVIATION = 150;

const RULES: AccountRules = {
  ...{
    balance: 50_000,
    max_loss: 2000,
    trailing: 'eod',
    locks_at: 50_100,
    daily_loss: 1000,
    target: 3000,
  },
  ...{
    best_day: 0.5,
    min_days: 5,
    min_day_profit: null,
    day_ends: null,
    timezone: null,
    since: null,
    currency: null,
  },
};

/** One to three trades of a trader. */
function dayOf(name: string, alike: number, next: Draw): DayOfCloses {
  const deviation = deviationOf(name);
  const mean = TRUE_MEANS[name] as number;
  const common = mean * (1 - Math.sqrt(1 - alike)) + deviation * Math.sqrt(alike) * normal(next);
  const profits: number[] = [];
  for (let left = 1 + Math.floor(3 * next()); left > 0; left--) {
    const result = common + Math.sqrt(1 - alike) * (TRADERS[name] as (next: Draw) => number)(next);
    profits.push((profits.at(-1) ?? 0) + Math.round((100 * DEVIATION * result) / deviation) / 100);
  }
  return {
    profits,
    low: Math.min(...profits),
    high: Math.max(...profits),
    last: profits.at(-1) as number,
  };
}

/** Adds a day close by close, up to the end of the account. */
function follow(standing: Standing, { profits }: DayOfCloses): void {
  standing.enter(Number.isFinite(standing.day) ? standing.day + 1 : 0);
  const before = standing.profit;
  for (const profit of profits) {
    standing.close(before + profit);
    if (standing.breached || standing.isPassed) return;
  }
}

const hasEnded = ({ breached, isPassed }: Standing) => breached !== null || isPassed;

/** An account that hasn't ended after some days. */
function accountOf(
  name: string,
  alike: number,
  size: number,
  next: Draw,
): { standing: Standing; days: DayOfCloses[] } {
  for (;;) {
    const standing = new Standing(boundsOf(RULES));
    const days: DayOfCloses[] = [];
    while (days.length < size && !hasEnded(standing)) {
      const day = dayOf(name, alike, next);
      days.push(day);
      follow(standing, day);
    }
    if (!hasEnded(standing)) return { standing, days };
  }
}

const percent = (part: number) => `${(100 * part).toFixed(0)} %`;
const bands = Array.from({ length: 5 }, () => ({ accounts: 0, said: 0, came: 0 }));

console.log(
  `Within ${HORIZON} days: passed said / came; breached said / came (${accounts} accounts each)\n`,
);
console.log(`| Trader | ${SIZES.map((n) => `after ${n} days`).join(' | ')} |\n|---|---|---|---|`);
for (const name of Object.keys(TRADERS)) {
  for (const alike of [0, 0.3]) {
    const cells = SIZES.map((size) => {
      const said = { passed: 0, breached: 0 };
      const came = { passed: 0, breached: 0 };
      for (let seed = 1; seed <= accounts; seed++) {
        const next = uniform(seed * 1000 + size);
        const { standing, days } = accountOf(name, alike, size, next);
        const chances = outlookOf(standing, days, seed, false).chances?.at(-1);
        if (!chances || chances.passed === null) throw new Error('no chances');
        let breached = 0;
        for (let future = 0; future < FUTURES; future++) {
          const own = standing.copy();
          for (let day = 0; day < HORIZON && !hasEnded(own); day++)
            follow(own, dayOf(name, alike, next));
          if (own.breached) breached += 1 / FUTURES;
          else if (own.isPassed) came.passed += 1 / FUTURES;
        }
        came.breached += breached;
        said.passed += chances.passed;
        said.breached += chances.breached;
        const band = bands[Math.min(Math.floor(chances.breached * 5), 4)] as (typeof bands)[number];
        band.accounts++;
        band.said += chances.breached;
        band.came += breached;
      }
      const pair = (what: 'passed' | 'breached') =>
        `${percent(said[what] / accounts)} / ${percent(came[what] / accounts)}`;
      return `${pair('passed')}; ${pair('breached')}`;
    });
    console.log(`| ${name}, days ${alike === 0 ? 'not alike' : 'alike'} | ${cells.join(' | ')} |`);
  }
}

console.log(`\nBreached within ${HORIZON} days, of all these accounts by what was said\n`);
console.log('| Said | Accounts | Mean said | Came |\n|---|---|---|---|');
for (const [i, { accounts: n, said, came }] of bands.entries()) {
  if (n > 0)
    console.log(
      `| ${percent(i / 5)} to ${percent((i + 1) / 5)} | ${n} | ${percent(said / n)} | ${percent(came / n)} |`,
    );
}
