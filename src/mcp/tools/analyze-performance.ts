import * as z from 'zod';
import {
  ALL_DIMENSIONS,
  type Dimension,
  dimensionNamed,
  factsOfDimension,
} from '../../journal/analytics/dimensions.ts';
import { LONG_SECTIONS, type Section } from '../../journal/analytics/index.ts';
import { ZoneClock } from '../../time.ts';
import { ToolError } from '../api.ts';
import { condition, conditionText, datesForFigures } from '../arguments.ts';
import { compact, pick, type Row } from '../compact.ts';
import { fittedOrError } from '../fit.ts';
import { groupsShown, timesOf, withNamedKeys } from '../groups.ts';
import {
  closedTrades,
  countedBy,
  dates,
  emptyPeriodHint,
  NO_MARKET_PRICES,
  tool,
  tradeFilters,
  underlyingHint,
  unit,
  withDates,
  withHints,
  withoutCost,
} from '../tool.ts';

const OF_CLOSING = ALL_DIMENSIONS.filter(
  (name) => factsOfDimension(name).time === 'closing',
);

/** Series and breakdowns are available as groups. */
const SECTIONS = [
  'performance',
  'previous',
  'mistakes',
  'rules',
  'missed',
  'open',
  'data_quality',
  'leaks',
  'simulation',
  'exits',
  'limits',
] as const;

/** Default sections: of an overview, with groups, with what_if. */
const OVERVIEW = 'performance,previous,mistakes,rules,missed,open,data_quality';
const GROUPS = 'performance,data_quality';
const WHAT_IF = 'data_quality';

/** Figures of the performance with groups; a call without groups shows the rest. */
const TOTALS = [
  'currency',
  'trades',
  'net_pnl',
  'fees',
  'win_rate',
  'profit_factor',
  'expectancy',
] as const;

export const analyzePerformance = tool({
  name: 'analyze_performance',
  title: 'Analyze performance',
  description:
    'Figures of closed trades by closing day, with confidence intervals: overall, or grouped by ' +
    `one or two dimensions (${OF_CLOSING.join(', ')}: closing; other times: entry). ` +
    'find_trades lists the trades of a row by where. exclude, best, worst: result without those ' +
    'trades. sections: leaks finds the largest costs beyond chance; simulation risks, losing ' +
    'runs; exits targets and stops from MAE, MFE; limits the room of accounts.',
  scopes: ['analytics:read'],
  input: () =>
    z.strictObject({
      ...dates,
      ...tradeFilters,
      where: condition(
        'dimensions with a key or a list: {"weekday":"Fri","hour":[14,15]}',
      ),
      exclude: condition('like where'),
      best: z.int().min(1).max(100).optional(),
      worst: z.int().min(1).max(100).optional(),
      group_by: z
        .array(z.enum(ALL_DIMENSIONS).or(z.string().regex(/^field:/)))
        .min(1)
        .max(2)
        .optional()
        .describe(
          'after: how the last trade that day closed (losses: two or more in a row); size: quantity against the usual one',
        ),
      sort: z.enum(['best', 'worst']).optional().describe('groups by net P&L'),
      top: z.int().min(1).max(50).optional().describe('most groups'),
      sections: z.array(z.enum(SECTIONS)).min(1).optional(),
      unit,
    }),
  output: {
    type: 'object',
    properties: { period: { type: 'object' }, groups: { type: ['object', 'array'] } },
  },
  async call(
    {
      group_by: named = [],
      sort,
      top,
      sections,
      where,
      exclude,
      period,
      start,
      end,
      ...filters
    },
    api,
  ) {
    const { unit, counts } = await countedBy(filters.unit, api);
    const query = { ...filters, unit, ...datesForFigures({ period, start, end }) };
    const by = named.map((name) => (dimensionNamed(name) ?? name) as Dimension);
    const hidesMoney = await api.hidesMoney();
    if (sort && hidesMoney)
      throw new ToolError('sort uses money, which this key hides; remove sort');

    const isWhatIf =
      exclude !== undefined || query.best !== undefined || query.worst !== undefined;
    const data = await api.data('/v1/analytics/summary', {
      ...query,
      where: conditionText(where),
      exclude: conditionText(exclude),
      group_by: by.length > 0 ? by.join(',') : undefined,
      sections: sections?.join(',') ?? standardSections(by.length > 0, isWhatIf),
    });
    const { timezone } = (await api.me()).user;
    const {
      groups,
      leaks,
      limits,
      hint: _,
      ...rest
    } = withDates(withShares(withReasons(withoutCost(data))));
    const times = timesOf(by, timezone);
    const clock = new ZoneClock(timezone);
    const grouping = { by, sort, top, hidesMoney, clock, today: clock.dateOf(api.now()) };
    const hints = withHints(data, [
      await underlyingHint(query.symbol, api),
      await emptyPeriodHint(tradesIn(data), query, api),
    ]);
    return fittedOrError(timezone, (how) => ({
      ...(compact(groups && !sections ? withTotals(rest) : rest, how) as object),
      ...counts,
      ...(compact(hints, how) as object),
      ...(times !== undefined && { times }),
      ...(groups && groupsShown(groups as Row[], grouping, how)),
      ...(leaks && { leaks: leaksShown(leaks as Row, how) }),
      ...(limits && { limits: limitsShown(limits as Row[], how) }),
    }));
  },
});

function standardSections(isGrouped: boolean, isWhatIf: boolean): string {
  if (isGrouped) return GROUPS;
  return isWhatIf ? WHAT_IF : OVERVIEW;
}

/** Number of closed trades of the answer; some if it has no section that counts them. */
function tradesIn({ performance, what_if, data_quality }: Row): number {
  const counted = (performance ??
    (what_if as Row | undefined)?.['actual'] ?? { trades: 1 }) as Row;
  return closedTrades(counted, data_quality);
}

/**
 * Shares of simulated paths have names that can't be read as percentages; an open trade has no
 * market price.
 */
function withShares({ simulation, open, ...data }: Row): Row {
  const { chance_of_losing = null, ...figures } = (simulation ?? {}) as Row;
  const {
    ten_percent = null,
    twenty_percent = null,
    thirty_percent = null,
  } = (chance_of_losing ?? {}) as Row;
  const shares = {
    tenth: ten_percent,
    fifth: twenty_percent,
    three_tenths: thirty_percent,
  };
  const isAnyOpen = open && (open as Row)['trades'] !== 0;

  return {
    ...data,
    ...(open && {
      open: { ...(open as Row), ...(isAnyOpen && { market_prices: NO_MARKET_PRICES }) },
    }),
    ...(simulation && {
      simulation: { ...figures, share_of_paths_losing: chance_of_losing && shares },
    }),
  };
}

function withTotals({ performance, ...data }: Row): Row {
  return { ...data, performance: pick(TOTALS, performance as Row) };
}

/**
 * Renames the service's reason for a section without figures, because other reasons are the
 * trader's.
 */
function withReasons(data: Row): Row {
  const entries = Object.entries(data).map(([name, section]): [string, Row[string]] => {
    if (
      !LONG_SECTIONS.includes(name as Section) ||
      section === null ||
      Array.isArray(section)
    )
      return [name, section];
    return [name, withReason(section as Row)];
  });
  return Object.fromEntries(entries);
}

function withReason({ reason = null, ...figures }: Row): Row {
  return { ...figures, unavailable: reason };
}

/** Each account by itself: the columns of a table couldn't say whose limit or date is whose. */
function limitsShown(limits: readonly Row[], how: Parameters<typeof compact>[1]) {
  if (limits.length === 0)
    return 'none; the trader sets them with: journal-api limits set ACCOUNT';
  return limits.map(({ outlook: _, ...own }) => compact(withReason(own), how));
}

/** Shows empty lists too, because finding no leak is a result. */
function leaksShown(leaks: Row, how: Parameters<typeof compact>[1]): object {
  return Object.fromEntries(
    Object.entries(leaks).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value ?? undefined];
      const shown =
        value.length > 0
          ? compact((value as Row[]).map(withNamedKeys), how)
          : 'none beyond chance';
      return [name, shown];
    }),
  );
}
