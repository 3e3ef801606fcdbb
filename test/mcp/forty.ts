/** Forty questions that traders ask, and the calls of tools that answer them. */
export type Call = readonly [tool: string, given: Record<string, unknown>];

const figures = (given: Record<string, unknown>): Call => ['analyze_performance', given];
const by = (group_by: unknown, more: Record<string, unknown> = {}): Call => figures({ group_by, ...more });

export const FORTY: Record<string, readonly Call[]> = {
  'How is my trading going (30 days)?': [['journal_summary', { period: '30d' }]],
  'Was last month better than before?': [figures({ period: 'last_month', sections: ['performance', 'previous'] })],
  'What did I make over all months?': [figures({ period: 'all', sections: ['performance'] })],
  "Where's my biggest leak?": [figures({ sections: ['leaks'] })],
  "What if I'd skipped Fridays?": [figures({ exclude: { weekday: 'Fri' } })],
  'What did revenge trading cost?': [by(['since_loss'])],
  'Am I cutting winners early?': [figures({ sections: ['exits'] })],
  'How many losses in a row should I expect?': [figures({ sections: ['simulation'] })],
  'What risk per trade should I use?': [figures({ sections: ['simulation'] })],
  'What did I write about moving my stop?': [['read_notes', { q: 'moved stop' }]],
  'My worst MNQ trade with fills and notes?': [
    ['find_trades', { underlying: 'MNQ', sort: 'net_pnl', order: 'asc', limit: 1 }],
    ['get_trade', { id: '$id' }],
  ],
  'Which positions are open?': [['find_trades', { status: 'open' }]],
  'Which trades did I miss?': [['read_notes', { kind: 'missed_trades' }]],
  'How do my accounts compare?': [by('account')],
  'How do my option spreads do?': [figures({ market: 'options', unit: 'position', sections: ['performance'] })],
  'Iron condors against verticals?': [by('strategy', { unit: 'position' })],
  'What did EUR stocks make, in EUR and USD?': [by('currency', { market: 'stock' })],
  'How clean is my data?': [figures({ sections: ['data_quality'] })],
  'Tax year 2025 by market, with fees?': [by('market', { period: '2025' })],
  'Longest streaks?': [figures({ sections: ['performance'] })],
  'Max drawdown, how long to recover?': [figures({ sections: ['performance'] })],
  'Best and worst hour?': [by('hour', { account: 'main' })],
  'P&L by holding time; losers held longer?': [by('holding_time', { sections: ['performance'] })],
  'Do I trade worse with size?': [by('size', { account: 'main' })],
  'After a loss? after two?': [by('after', { account: 'main' })],
  'Best and worst 5 days?': [by('day', { sort: 'best', top: 5 }), by('day', { sort: 'worst', top: 5 })],
  'When does my pullback setup fail?': [by('after,size', { setup: 'pullback' })],
  'Which symbol carries it? what is left without?': [by('symbol'), figures({ exclude: { symbol: 'MNQ' } })],
  'Which rule costs the most when broken?': [by('rule')],
  'Does the 8th trade of the day pay?': [by('trade_of_day', { account: 'main' })],
  'Which emotion goes with losses?': [by('emotion')],
  'Did I follow my plan in the week of 16 June?': [by('day_plan', { period: '2025-W25', account: 'main' })],
  'What did my reviews tell me to change, and did I?': [['read_notes', { kind: 'reviews' }], by('month')],
  'Long vs short?': [by('side')],
  "Fees' share?": [figures({ sections: ['performance'] })],
  'Without my 5 best trades? expectancy in R?': [figures({ best: 5, sections: ['performance'] })],
  'Losses beyond 1R: how many, cost?': [by('r_multiple')],
  'Improving month by month?': [by('month')],
  'Days when I slept badly or broke the plan?': [by('sleep,day_plan')],
  'What did I do in the last session, and its plan?': [
    ['read_notes', { kind: 'sessions', limit: 1 }],
    ['find_trades', { start: '$date', end: '$date' }],
  ],
};
