/** Questions, each as one request over HTTP. */
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
  [
    'Where did I write about FOMO?',
    '/v1/journal-rows?q=fomo&limit=10&fields=type,trade_id,created_at,title,body',
  ],
  [
    'Which trades had no stop?',
    '/v1/trades?has_stop=false&limit=20&fields=symbol,closed_at,net_pnl,currency',
  ],
  [
    'How were the months of this year?',
    '/v1/analytics/summary?period=this_year&sections=groups&group_by=month',
  ],
  ['Am I keeping my rules?', '/v1/analytics/summary?period=90d&sections=rules'],
  ['Which labels do I use?', '/v1/labels?top=15'],
  [
    'Is Friday really worse, or is it luck?',
    '/v1/analytics/summary?period=1y&sections=groups&group_by=weekday',
  ],
];
