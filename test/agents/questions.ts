/** Forty questions of traders, with tool calls, API paths, and the facts of a correct answer. */
import { medianKept, PLANTED, runsAndDrawdown } from './journal.ts';

export type Call = readonly [tool: string, given: Record<string, unknown>];

export interface Question {
  question: string;
  /** $id is a placeholder for that field of the first record of the previous answer. */
  tools: readonly Call[];
  paths: readonly string[];
  /** Numbers and words of a correct answer. */
  facts: readonly (number | string)[];
}

const FEES = 1.5;
const net = (of: typeof PLANTED) =>
  Math.round(of.reduce((sum, { cents }) => sum + cents, 0)) / 100;
const of = (chosen: (trade: (typeof PLANTED)[number]) => boolean) =>
  PLANTED.filter(chosen);
const netOf = (chosen: (trade: (typeof PLANTED)[number]) => boolean) => net(of(chosen));
const main = (chosen: (trade: (typeof PLANTED)[number]) => boolean) =>
  netOf((trade) => trade.account === 'main' && chosen(trade));
const inAll = net(PLANTED);
const ranked = PLANTED.map(({ cents }) => cents / 100).sort((a, b) => a - b);
const worstOfMnq =
  Math.min(...of(({ symbol }) => symbol === 'MNQ').map(({ cents }) => cents)) / 100;
const runs = runsAndDrawdown();
const days = [...Map.groupBy(PLANTED, ({ date }) => date).values()]
  .map(net)
  .sort((a, b) => a - b);

const figures = (given: Record<string, unknown>): Call => ['analyze_performance', given];
const by = (group_by: unknown, more: Record<string, unknown> = {}): Call =>
  figures({ group_by, ...more });
const ANALYTICS = '/v1/analytics/summary';
const part = (sections: string, more = '') => `${ANALYTICS}?sections=${sections}${more}`;
const groups = (group_by: string, more = '') =>
  `${ANALYTICS}?sections=groups&group_by=${group_by}${more}`;

export const FORTY: readonly Question[] = [
  {
    question: 'How is my trading going (30 days)?',
    tools: [['journal_summary', { period: '30d' }]],
    paths: ['/v1/summary?period=30d'],
    facts: [
      of(({ date }) => date >= '2026-05-22').length,
      netOf(({ date }) => date >= '2026-05-22'),
    ],
  },
  {
    question: 'Was last month better than before?',
    tools: [figures({ period: 'last_month', sections: ['performance', 'previous'] })],
    paths: [part('performance,previous', '&period=last_month')],
    facts: ['2026-05', '2026-04'].map((month) =>
      netOf(({ date }) => date.startsWith(month)),
    ),
  },
  {
    question: 'What did I make over all months?',
    tools: [figures({ period: 'all', sections: ['performance'] })],
    paths: [part('performance', '&period=all')],
    facts: [inAll],
  },
  {
    question: "Where's my biggest leak?",
    tools: [figures({ sections: ['leaks'] })],
    paths: [part('leaks')],
    facts: ['losses'],
  },
  {
    question: "What if I'd skipped Fridays?",
    tools: [figures({ exclude: { weekday: 'Fri' } })],
    paths: [part('what_if', `&exclude=${encodeURIComponent('{"weekday":5}')}`)],
    facts: [netOf(({ weekday }) => weekday !== 5)],
  },
  {
    question: 'What did revenge trading cost?',
    tools: [by(['since_loss'])],
    paths: [groups('since_loss')],
    facts: [netOf(({ sinceLoss }) => sinceLoss === 'under_10m')],
  },
  {
    question: 'Am I cutting winners early?',
    tools: [figures({ sections: ['exits'] })],
    paths: [part('exits')],
    facts: [medianKept()],
  },
  {
    question: 'How many losses in a row should I expect?',
    tools: [figures({ sections: ['simulation'] })],
    paths: [part('simulation')],
    facts: ['next_100|100'],
  },
  {
    question: 'What risk per trade should I use?',
    tools: [figures({ sections: ['simulation'] })],
    paths: [part('simulation')],
    facts: [0],
  },
  {
    question: 'What did I write about moving my stop?',
    tools: [['read_notes', { q: 'moved stop' }]],
    paths: ['/v1/journal-rows?q=moved%20stop'],
    facts: ['against the plan'],
  },
  {
    question: 'My worst MNQ trade with fills and notes?',
    tools: [
      ['find_trades', { underlying: 'MNQ', sort: 'net_pnl', order: 'asc', limit: 1 }],
      ['get_trade', { id: '$id' }],
    ],
    paths: [
      '/v1/trades?underlying=MNQ&sort=net_pnl_base&order=asc&limit=1',
      '/v1/trades/$id',
    ],
    facts: [worstOfMnq, 8, 'moved my stop'],
  },
  {
    question: 'Which positions are open?',
    tools: [['find_trades', { status: 'open' }]],
    paths: ['/v1/trades?status=open'],
    facts: ['AAPL'],
  },
  {
    question: 'Which trades did I miss?',
    tools: [['read_notes', { kind: 'missed_trades' }]],
    paths: ['/v1/missed-trades'],
    facts: ['MNQ', 75],
  },
  {
    question: 'How do my accounts compare?',
    tools: [by('account')],
    paths: [groups('account')],
    facts: ['main', 'euro', 'options'].map((name) =>
      netOf(({ account }) => account === name),
    ),
  },
  {
    question: 'How do my option spreads do?',
    tools: [figures({ market: 'options', unit: 'position', sections: ['performance'] })],
    paths: [part('performance', '&market=option&unit=position')],
    facts: [netOf(({ account }) => account === 'options')],
  },
  {
    question: 'Iron condors against verticals?',
    tools: [by('strategy', { unit: 'position' })],
    paths: [groups('strategy', '&unit=position')],
    facts: ['iron condor', 'vertical'].map((name) =>
      netOf(({ setup }) => setup === name),
    ),
  },
  {
    question: 'What did EUR stocks make, in EUR and USD?',
    tools: [by('currency', { market: 'stock' })],
    paths: [groups('currency', '&market=stock')],
    facts: [
      netOf(({ account }) => account === 'euro'),
      netOf(({ account }) => account === 'euro') / 1.1,
    ],
  },
  {
    question: 'How clean is my data?',
    tools: [figures({ sections: ['data_quality'] })],
    paths: [part('data_quality')],
    facts: [PLANTED.length],
  },
  {
    question: 'Tax year 2025 by market, with fees?',
    tools: [by('market', { period: '2025' })],
    paths: [groups('market', '&period=2025')],
    facts: [
      main(({ date }) => date < '2026'),
      of((one) => one.account === 'main' && one.date < '2026').length * FEES,
    ],
  },
  {
    question: 'Longest streaks?',
    tools: [figures({ sections: ['performance'] })],
    paths: [part('performance')],
    facts: [runs.wins, runs.losses],
  },
  {
    question: 'Max drawdown, how long to recover?',
    tools: [figures({ sections: ['performance'] })],
    paths: [part('performance')],
    facts: [runs.drawdown],
  },
  {
    question: 'Best and worst hour?',
    tools: [by('hour', { account: 'main' })],
    paths: [groups('hour', '&account=main')],
    facts: [8],
  },
  {
    question: 'P&L by holding time; losers held longer?',
    tools: [by('holding_time', { sections: ['performance'] })],
    paths: [`${ANALYTICS}?sections=performance,groups&group_by=holding_time`],
    facts: [240, 720],
  },
  {
    question: 'Do I trade worse with size?',
    tools: [by('size', { account: 'main' })],
    paths: [groups('size', '&account=main')],
    facts: ['over_3x', 'half_to_1.5x'].map((step) => main(({ size }) => size === step)),
  },
  {
    question: 'After a loss? after two?',
    tools: [by('after', { account: 'main' })],
    paths: [groups('after', '&account=main')],
    facts: ['loss', 'losses'].map((what) => main(({ after }) => after === what)),
  },
  {
    question: 'Best and worst 5 days?',
    tools: [by('day', { sort: 'best', top: 5 }), by('day', { sort: 'worst', top: 5 })],
    paths: [groups('day', '&period=all')],
    facts: [...days.slice(0, 5), ...days.slice(-5)],
  },
  {
    question: 'When does my pullback setup fail?',
    tools: [by('after,size', { setup: 'pullback' })],
    paths: [groups('after,size', '&setup=pullback')],
    facts: [
      main(
        (one) =>
          one.setup === 'pullback' && one.after === 'losses' && one.size === 'over_3x',
      ),
    ],
  },
  {
    question: 'Which symbol carries it? what is left without?',
    tools: [by('symbol'), figures({ exclude: { symbol: 'MNQ' } })],
    paths: [
      `${ANALYTICS}?sections=groups,what_if&group_by=symbol&exclude=${encodeURIComponent('{"symbol":"MNQ"}')}`,
    ],
    facts: [
      netOf(({ symbol }) => symbol === 'MNQ'),
      netOf(({ symbol }) => symbol !== 'MNQ'),
    ],
  },
  {
    question: 'Which rule costs the most when broken?',
    tools: [by('rule')],
    paths: [groups('rule')],
    facts: [netOf(({ rule }) => rule === 'normal size: broken')],
  },
  {
    question: 'Does the 8th trade of the day pay?',
    tools: [by('trade_of_day', { account: 'main' })],
    paths: [groups('trade_of_day', '&account=main')],
    facts: [main(({ ofDay }) => ofDay === '8')],
  },
  {
    question: 'Which emotion goes with losses?',
    tools: [by('emotion')],
    paths: [groups('emotion')],
    facts: ['angry', netOf(({ emotion }) => emotion === 'angry')],
  },
  {
    question: 'Did I follow my plan in the week of 16 June?',
    tools: [by('day_plan', { period: '2025-W25', account: 'main' })],
    paths: [groups('day_plan', '&period=2025-W25&account=main')],
    facts: [true, false].flatMap((followed) => {
      const days = of(
        ({ date, account }) =>
          account === 'main' && date >= '2025-06-16' && date <= '2025-06-22',
      );
      const those = days.filter(({ followedPlan }) => followedPlan === followed);
      return those.length === 0 ? [] : [net(those)];
    }),
  },
  {
    question: 'What did my reviews tell me to change, and did I?',
    tools: [['read_notes', { kind: 'reviews' }], by('month')],
    paths: ['/v1/weekly-reviews', groups('month')],
    facts: ['no size after losses'],
  },
  {
    question: 'Long vs short?',
    tools: [by('side')],
    paths: [groups('side')],
    facts: ['long', inAll],
  },
  {
    question: "Fees' share?",
    tools: [figures({ sections: ['performance'] })],
    paths: [part('performance')],
    facts: [2002.8],
  },
  {
    question: 'Without my 5 best trades? expectancy in R?',
    tools: [figures({ best: 5, sections: ['performance'] })],
    paths: [part('performance,what_if', '&best=5')],
    facts: [inAll - ranked.slice(-5).reduce((sum, one) => sum + one, 0)],
  },
  {
    question: 'Losses beyond 1R: how many, cost?',
    tools: [by('r_multiple')],
    paths: [groups('r_multiple')],
    facts: [-2, -1.5].flatMap((from) => {
      const those = of(
        ({ cents }) => cents >= from * 10_000 && cents < (from + 0.5) * 10_000,
      );
      return [those.length, net(those)];
    }),
  },
  {
    question: 'Improving month by month?',
    tools: [by('month')],
    paths: [groups('month')],
    facts: ['2025-04', '2026-05'].map((month) =>
      netOf(({ date }) => date.startsWith(month)),
    ),
  },
  {
    question: 'Days when I slept badly or broke the plan?',
    tools: [by('sleep,day_plan')],
    paths: [groups('sleep,day_plan')],
    facts: [netOf(({ sleep, followedPlan }) => sleep === 'under_6h' && !followedPlan)],
  },
  {
    question: 'What did I do in the last session, and its plan?',
    tools: [
      ['read_notes', { kind: 'sessions', limit: 1 }],
      ['find_trades', { start: '$date', end: '$date' }],
    ],
    paths: [
      '/v1/sessions?limit=1',
      '/v1/trades?date_field=closed_at&start=$date&end=$date',
    ],
    facts: ['two trades, then stop'],
  },
];

/** Whether a text states all facts: words in either case, numbers to their written precision, ignoring signs. */
export function states(text: string, facts: Question['facts']): boolean {
  // A comma separates thousands in prose, and numbers in JSON.
  const numbers = [text, text.replaceAll(',', '')].flatMap((one) =>
    [...one.matchAll(/\d+(?:\.(\d+))?/g)].map(([number, decimals = '']) => ({
      number: Number(number),
      half: 10 ** -Math.min(decimals.length, 2) / 2,
    })),
  );
  return facts.every((fact) =>
    typeof fact === 'number'
      ? numbers.some(
          ({ number, half }) => Math.abs(number - Math.abs(fact)) <= half + 1e-9,
        )
      : fact.split('|').some((word) => text.toLowerCase().includes(word.toLowerCase())),
  );
}
