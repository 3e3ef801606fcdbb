import * as z from 'zod';
import { allVisible, compact, type Row } from '../compact.ts';
import { fitted } from '../fit.ts';
import { dates, detail, tool, tradeFilters, unit, withDates } from '../tool.ts';

const DIMENSIONS = [
  'day',
  'week',
  'month',
  'quarter',
  'year',
  'weekday',
  'hour',
  'symbol',
  'underlying',
  'market',
  'side',
  'setup',
  'tag',
  'mistake',
  'account',
  'holding_time',
  'rating',
  'group',
] as const;

/** What is told where nothing is grouped, and where something is. */
const OVERVIEW = 'performance,previous,mistakes,rules,missed,open,data_quality';
const GROUPS = 'performance,groups,data_quality';

/** Of the performance beside groups: the rest is asked for without them. */
const TOTALS = ['currency', 'trades', 'net_pnl', 'win_rate', 'profit_factor', 'expectancy'] as const;

const STANDARD_TOP = 12;

export const analyzePerformance = tool({
  name: 'analyze_performance',
  title: 'Analyze performance',
  description:
    'Figures of closed trades, by closing day: all in all, or grouped by one or two dimensions. Says how sure they are.',
  scopes: ['analytics:read'],
  input: () =>
    z.strictObject({
      ...dates,
      ...tradeFilters,
      group_by: z.array(z.enum(DIMENSIONS)).min(1).max(2).optional(),
      top: z.int().min(1).max(50).default(STANDARD_TOP).describe('rows; others summed'),
      unit,
      detail,
    }),
  output: { type: 'object', properties: { period: { type: 'object' }, groups: { type: ['object', 'array'] } } },
  async call({ group_by, detail, top, ...query }, api) {
    const sections = detail === 'full' ? undefined : group_by ? GROUPS : OVERVIEW;
    const data = await api.data('/v1/analytics/summary', {
      ...query,
      ...(group_by ? { group_by: group_by.join(','), top } : {}),
      sections,
    });
    if (detail === 'full') return allVisible(data);
    const { timezone } = (await api.me()).user;
    const told = withDates(group_by ? withTotals(data) : data);
    return fitted(timezone, (how) => compact(told, how) as object) ?? {};
  },
});

function withTotals({ period = null, performance, ...data }: Row): Row {
  const totals = Object.fromEntries(TOTALS.map((name) => [name, (performance as Row)[name] ?? null]));
  return { period, performance: totals, ...data };
}
