/** The questions of README and /llms.txt as an agent asks them: one call of a tool each. */
export const TOOL_CALLS: readonly [question: string, tool: string, given: Record<string, unknown>][] = [
  ['How is my trading going?', 'journal_summary', { period: '30d' }],
  ['Was last month better than the month before?', 'analyze_performance', { period: 'last_month' }],
  ['Which setups pay, and is it more than luck?', 'analyze_performance', { period: '1y', group_by: ['setup'] }],
  ['On which days and hours do I lose?', 'analyze_performance', { period: '1y', group_by: ['weekday', 'hour'] }],
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
