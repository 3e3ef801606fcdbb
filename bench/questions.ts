/** The questions of README and /llms.txt as an agent asks them: one call of a tool each. */
export const TOOL_CALLS: readonly [question: string, tool: string, given: Record<string, unknown>][] = [
  ['How is my trading going?', 'journal_summary', { period: '30d' }],
  ['Was last month better than the month before?', 'analyze_performance', { period: 'last_month' }],
  ['Which setups pay, and is it more than luck?', 'analyze_performance', { period: '1y', group_by: ['setup'] }],
  ['On which days and hours do I lose?', 'analyze_performance', { period: '1y', group_by: ['weekday', 'hour'] }],
  ['Where is my biggest leak, beyond chance?', 'analyze_performance', { sections: ['leaks'] }],
  ['What happens after a loss, or with size?', 'analyze_performance', { period: '1y', group_by: ['after', 'size'] }],
  ['What if I had skipped Fridays?', 'analyze_performance', { period: '1y', exclude: { weekday: 'Fri' } }],
  ['What is left without my five best trades?', 'analyze_performance', { period: '1y', best: 5 }],
  ['How many losses in a row should I expect?', 'analyze_performance', { sections: ['simulation'] }],
  ['What do my mistakes and broken rules cost?', 'analyze_performance', { period: '1y', group_by: ['mistake'] }],
  [
    'How do my option spreads do, each counted as one position?',
    'analyze_performance',
    { period: '1y', market: 'option', unit: 'position' },
  ],
  [
    'Which were my worst trades this quarter?',
    'find_trades',
    { period: 'this_quarter', sort: 'net_pnl', order: 'asc', limit: 5 },
  ],
  ['What did I write about FOMO?', 'read_notes', { kind: 'journals', q: 'FOMO' }],
  ['Which trades did I miss, and why?', 'read_notes', { kind: 'missed_trades', period: '90d' }],
];

/** Questions as one call of the API each, for those that ask over HTTP. */
export const API_CALLS: readonly [question: string, path: string][] = [
  [
    'How did I trade last month, against the month before?',
    '/v1/analytics/summary?period=last_month&sections=performance,previous',
  ],
  [
    'Which were my five worst trades?',
    '/v1/trades?sort=net_pnl_base&order=asc&limit=5&fields=symbol,side,closed_at,net_pnl_base,r_multiple,setup,mistakes',
  ],
  [
    'What do my mistakes cost, each of them?',
    '/v1/analytics/summary?period=this_year&sections=mistakes&group_by=mistake',
  ],
  [
    'Which setups work on which weekday?',
    '/v1/analytics/summary?period=this_year&sections=groups&group_by=setup,weekday&top=10',
  ],
  ['Where did I write about FOMO?', '/v1/journal-rows?q=fomo&limit=10&fields=type,trade_id,created_at,title,body'],
  ['Which trades had no stop?', '/v1/trades?has_stop=false&limit=20&fields=symbol,closed_at,net_pnl,currency'],
  ['How were the months of this year?', '/v1/analytics/summary?period=this_year&sections=groups&group_by=month'],
  ['Am I keeping my rules?', '/v1/analytics/summary?period=90d&sections=rules'],
  ['Which labels do I use?', '/v1/labels?top=15'],
  ['Is Friday really worse, or is it luck?', '/v1/analytics/summary?period=1y&sections=groups&group_by=weekday'],
];
