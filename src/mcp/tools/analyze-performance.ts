import * as z from 'zod';
import { ALL_DIMENSIONS } from '../../journal/analytics/dimensions.ts';
import { compact, type Row, uncut } from '../compact.ts';
import { fitted } from '../fit.ts';
import { dates, detail, tool, tradeFilters, unit, withDates } from '../tool.ts';

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
      group_by: z.array(z.enum(ALL_DIMENSIONS)).min(1).max(2).optional(),
      top: z.int().min(1).max(50).default(STANDARD_TOP).describe('groups that won or lost most'),
      unit,
      detail,
    }),
  output: { type: 'object', properties: { period: { type: 'object' }, groups: { type: ['object', 'array'] } } },
  async call({ group_by, detail, top, ...query }, api) {
    const sections = detail === 'full' ? undefined : group_by ? GROUPS : OVERVIEW;
    const data = await api.data('/v1/analytics/summary', {
      ...query,
      group_by: group_by?.join(','),
      sections,
    });
    if (detail === 'full') return uncut(data);
    const { timezone } = (await api.me()).user;
    const told = withDates(group_by ? grouped(data, top) : data);
    return fitted(timezone, (how) => compact(told, how) as object) ?? {};
  },
});

/** Totals, and the groups that won or lost most, in their order. */
function grouped({ period = null, performance, groups, ...data }: Row, top: number): Row {
  const totals = Object.fromEntries(TOTALS.map((name) => [name, (performance as Row)[name] ?? null]));
  const rows = groups as Row[];
  const amount = (row: Row) => Math.abs(row['net_pnl'] as number);
  const told = new Set([...rows].sort((a, b) => amount(b) - amount(a)).slice(0, top));
  const others = rows.filter((row) => !told.has(row));
  const sum = (name: string) => others.reduce((total, row) => total + (row[name] as number), 0);
  return {
    period,
    performance: totals,
    groups: rows.filter((row) => told.has(row)),
    ...(others.length > 0 && {
      groups_left_out: { groups: others.length, trades: sum('trades'), net_pnl: sum('net_pnl') },
    }),
    ...data,
  };
}
