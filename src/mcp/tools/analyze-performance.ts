import * as z from 'zod';
import {
  ALL_DIMENSIONS,
  type Dimension,
  dimensionNamed,
  factsOfDimension,
} from '../../journal/analytics/dimensions.ts';
import { LONG_SECTIONS } from '../../journal/analytics/index.ts';
import { ZoneClock } from '../../time.ts';
import { accountsIn, BY_ACCOUNT, mayMix, mixed } from '../accounts.ts';
import { type Api, type Query, ToolError } from '../api.ts';
import {
  condition,
  conditionText,
  datesForFigures,
  dimensionsIn,
  withKey,
} from '../arguments.ts';
import { compact, compactRecord, pick, type Row, rowOf, rowsOf } from '../compact.ts';
import { fittedOrError } from '../fit.ts';
import {
  groupsShown,
  MOST_GROUPS,
  meaningsOf,
  timesOf,
  withNamedKeys,
} from '../groups.ts';
import { isOfMissed, missedFigures } from '../missed.ts';
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
  withoutRate,
  withoutZeros,
  words,
} from '../tool.ts';

/** Only missed trades have the last. */
const GROUPS_BY = [...ALL_DIMENSIONS, 'miss_type'] as const;

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
  'balance',
] as const;

type Section = (typeof SECTIONS)[number];

/** Default sections: of an overview, with groups, with what_if. */
const OVERVIEW: readonly Section[] = SECTIONS.slice(0, 7);
const GROUPS: readonly Section[] = ['performance', 'data_quality'];
const WHAT_IF: readonly Section[] = ['data_quality'];

/** Sections without closed trades. */
const OF_OTHERS: readonly Section[] = [
  'missed',
  'open',
  'data_quality',
  'limits',
  'balance',
];

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
    'runs; exits targets, stops from MAE, MFE; limits, balance: accounts.',
  scopes: ['analytics:read'],
  input: () =>
    z.strictObject({
      ...dates,
      ...tradeFilters,
      emotion: words,
      where: condition(
        'dimensions with a key or a list: {"weekday":"Fri","hour":[14,15]}',
      ),
      exclude: condition('like where'),
      best: z.int().min(1).max(100).optional(),
      worst: z.int().min(1).max(100).optional(),
      group_by: z
        .array(z.enum(GROUPS_BY).or(z.string().regex(/^field:/)))
        .min(1)
        .max(2)
        .optional(),
      sort: z.enum(['best', 'worst']).optional().describe('groups by net P&L'),
      top: z.int().min(1).max(MOST_GROUPS).optional().describe('most groups'),
      sections: z.array(z.enum(SECTIONS)).min(1).optional(),
      kind: z.enum(['missed']).optional().describe('trades not taken'),
      miss_type: words,
      unit,
    }),
  output: {
    type: 'object',
    properties: { period: { type: 'object' }, groups: { type: ['object', 'array'] } },
  },
  async call({ kind, miss_type, ...given }, api) {
    if (isOfMissed({ ...given, kind, miss_type }))
      return missedFigures({ ...given, kind, miss_type }, api);

    const {
      group_by: named = [],
      sort,
      top,
      sections,
      exclude,
      emotion,
      ...others
    } = given;
    const { period, start, end, where: condition, ...filters } = others;
    const where =
      emotion === undefined ? condition : withKey(condition, 'emotion', emotion);
    const { unit, counts } = await countedBy(filters.unit, api);
    const query = { ...filters, unit, ...datesForFigures({ period, start, end }) };
    const by = named.map((name) => (dimensionNamed(name) ?? name) as Dimension);
    const hidesMoney = await api.hidesMoney();
    if (sort && hidesMoney)
      throw new ToolError('sort uses money, which this key hides; remove sort');

    const isWhatIf =
      exclude !== undefined || query.best !== undefined || query.worst !== undefined;
    const chosen = sections ?? standardSections(by.length > 0, isWhatIf);
    const isOfTrades =
      by.length > 0 || isWhatIf || chosen.some((name) => !OF_OTHERS.includes(name));
    const asked = {
      ...query,
      where: conditionText(where),
      exclude: conditionText(exclude),
    };
    const used = [...new Set([...by, ...dimensionsIn(where), ...dimensionsIn(exclude)])];
    const isMixing =
      isOfTrades && !used.includes('account') && (await mayMix(query, api));
    const data = await api.data('/v1/analytics/summary', {
      ...asked,
      ...(isMixing && BY_ACCOUNT),
      ...(by.length > 0 && { group_by: by.join(',') }),
      // The number of trades, their balance and those without a rate are named in any
      // case.
      sections: [...new Set([...chosen, ...(isOfTrades ? GROUPS : [])])].join(','),
    });
    const { timezone } = (await api.me()).user;
    const clock = new ZoneClock(timezone);
    const grouping = { by, sort, top, hidesMoney, clock, today: clock.dateOf(api.now()) };
    const { accounts, hint } = isMixing ? await accountsOf(data, by, asked, api) : {};
    const hints = withHints(data, [
      hint,
      rateHint(data),
      await underlyingHint(query.symbol, api),
      await emptyPeriodHint(tradesIn(data), query, api),
    ]);
    const { groups: rows, leaks, limits, ...rest } = shownOf(data, chosen);
    const groups = by.length > 0 ? rows : undefined;
    const times = timesOf(used, timezone);
    const dimensions = meaningsOf(used);

    return fittedOrError(timezone, (how) => ({
      ...compactRecord(hints, how),
      ...compactRecord(groups && !sections ? withTotals(rest) : rest, how),
      ...counts,
      ...compactRecord({ ...(accounts && { accounts }) }, how),
      ...(times !== undefined && { times }),
      ...(Object.keys(dimensions).length > 0 && { dimensions }),
      ...(groups && groupsShown(rowsOf(groups), grouping, how)),
      ...(leaks && { leaks: leaksShown(rowOf(leaks), how) }),
      ...(limits && { limits: limitsShown(rowsOf(limits), how) }),
    }));
  },
});

/** The accounts that figures mix; without other groups, they come with the figures. */
async function accountsOf(data: Row, by: readonly Dimension[], asked: Query, api: Api) {
  if (by.length === 0) return mixed(rowsOf(data['groups']));
  return tradesIn(data) > 0 ? accountsIn(asked, api) : {};
}

function standardSections(isGrouped: boolean, isWhatIf: boolean): readonly Section[] {
  if (isGrouped) return GROUPS;
  return isWhatIf ? WHAT_IF : OVERVIEW;
}

/** @param chosen sections; of the missing data, others show what figures leave out */
function shownOf({ hint: _, ...data }: Row, chosen: readonly Section[]): Row {
  const {
    period = null,
    performance = null,
    data_quality = null,
    ...others
  } = withoutZeros(data);
  const isEmpty = rowOf(performance)['trades'] === 0;
  const isWanted = chosen.includes('performance') || isEmpty;
  const isWhole = chosen.includes('data_quality');
  const known = {
    period,
    ...(isWanted && { performance }),
    ...others,
    data_quality: isWhole ? data_quality : withoutRate(data_quality),
    ...(performance && !isEmpty && percentOf(data, chosen)),
  };
  return withDates(withShares(withReasons(withoutCost(known))));
}

/** Of closed trades none of which has an exchange rate. */
function rateHint({ performance, data_quality }: Row): string | undefined {
  const { without_rate = 0, currencies_left_out = [] } = withoutRate(data_quality);
  if (without_rate === 0 || rowOf(performance)['trades'] !== 0) return undefined;
  const currencies = [currencies_left_out].flat().join(', ');
  return `no figure counts ${without_rate} closed trades: no exchange rate of ${currencies}`;
}

/** Number of closed trades of the answer; some if it has no section that counts them. */
function tradesIn({ performance, what_if, data_quality }: Row): number {
  const counted = rowOf(what_if)['actual'] ?? performance ?? { trades: 1 };
  return closedTrades(rowOf(counted), data_quality);
}

/** Which balance percentages and daily returns rest on, once. */
function percentOf(
  { performance, simulation = null, what_if = null }: Row,
  chosen: readonly Section[],
): Row {
  const { daily_basis, return: returns = null } = rowOf(performance);
  const hasPerformance = chosen !== GROUPS && chosen.includes('performance');
  const isOnBalance = daily_basis === 'returns' && (hasPerformance || what_if !== null);
  if (!isOnBalance && rowOf(simulation)['balance'] == null) return {};

  const { rests_on } = rowOf(returns);
  const whose = rests_on === 'accounts' ? 'the accounts asked for' : 'the whole journal';
  return { percent_of: `balance of ${whose}` };
}

/**
 * Shares of simulated paths have names that can't be read as percentages; an open trade
 * has no market price.
 */
function withShares({ simulation, open, ...data }: Row): Row {
  const { chance_of_losing = null, ...figures } = rowOf(simulation);
  const {
    ten_percent = null,
    twenty_percent = null,
    thirty_percent = null,
  } = rowOf(chance_of_losing);
  const shares = {
    tenth: ten_percent,
    fifth: twenty_percent,
    three_tenths: thirty_percent,
  };
  const isAnyOpen = open && rowOf(open)['trades'] !== 0;

  return {
    ...data,
    ...(open && {
      open: { ...rowOf(open), ...(isAnyOpen && { market_prices: NO_MARKET_PRICES }) },
    }),
    ...(simulation && {
      simulation: { ...figures, share_of_paths_losing: chance_of_losing && shares },
    }),
  };
}

function withTotals({ performance, ...data }: Row): Row {
  return { ...data, performance: pick(TOTALS, rowOf(performance)) };
}

/**
 * Renames the service's reason for a section without figures, because other reasons are
 * the trader's.
 */
function withReasons(data: Row): Row {
  const entries = Object.entries(data).map(([name, section]): [string, Row[string]] => {
    const isPerformance = name === 'performance' || name === 'previous';
    if (isPerformance && section !== null) return [name, withReturn(rowOf(section))];
    if (
      !(LONG_SECTIONS as readonly string[]).includes(name) ||
      section === null ||
      Array.isArray(section)
    )
      return [name, section];
    return [name, withReason(rowOf(section))];
  });
  return Object.fromEntries(entries);
}

/** What a return rests on is percent_of; what balances lack is in data_quality. */
function withReturn({ return: returns = null, ...performance }: Row): Row {
  const { rests_on = null, ...figures } = rowOf(returns);
  const isShown = rests_on === 'accounts' || (figures['time_weighted'] ?? null) !== null;
  return isShown ? { ...performance, return: withReason(figures) } : performance;
}

function withReason({ reason = null, ...figures }: Row): Row {
  return { ...figures, unavailable: reason };
}

/**
 * Each account by itself: the columns of a table couldn't say whose limit or date is
 * whose.
 */
function limitsShown(limits: readonly Row[], how: Parameters<typeof compact>[1]) {
  if (limits.length === 0)
    return 'none; the trader sets them with: journal-api limits set ACCOUNT';
  return limits.map(({ outlook: _, ...rest }) => compact(withReason(rest), how));
}

/** Shows empty lists too, because finding no leak is a result. */
function leaksShown(leaks: Row, how: Parameters<typeof compact>[1]): object {
  return Object.fromEntries(
    Object.entries(leaks).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, value ?? undefined];
      const shown =
        value.length > 0
          ? compact(rowsOf(value).map(withNamedKeys), how)
          : 'none beyond chance';
      return [name, shown];
    }),
  );
}
