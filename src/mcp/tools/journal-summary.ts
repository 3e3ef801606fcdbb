import * as z from 'zod';
import { accountsIn } from '../accounts.ts';
import type { Api, Query } from '../api.ts';
import { datesForFigures } from '../arguments.ts';
import { compactRecord, type Row, rowOf, rowsOf, table } from '../compact.ts';
import { fittedOrError } from '../fit.ts';
import { only } from '../groups.ts';
import {
  closedTrades,
  countedBy,
  emptyPeriodHint,
  lengthOrName,
  tool,
  unit,
  withDates,
  withHints,
  withoutCost,
  withoutZeros,
} from '../tool.ts';

export const journalSummary = tool({
  name: 'journal_summary',
  title: 'Journal summary',
  description:
    'Read first: performance of up to 365 days and the previous period, top symbols, setups, tags, mistakes, rules, latest notes.',
  scopes: ['agent_summary:read'],
  input: () => z.strictObject({ period: lengthOrName.default('30d'), unit }),
  output: {
    type: 'object',
    properties: { period: { type: 'object' }, performance: { type: 'object' } },
  },
  async call({ period, unit: askedUnit }, api) {
    const { unit, counts } = await countedBy(askedUnit, api);
    const asked = datesForFigures({ period });
    const { end } = asked;
    const data = await api.data('/v1/summary', {
      ...(end === undefined ? asked : { days: 1, end }),
      unit,
    });
    const { timezone } = (await api.me()).user;
    const { capped } = rowOf(data['period']);
    const isEmpty = rowOf(data['performance'])['trades'] === 0;
    const { start, end: to } = data['period'] as { start: string; end: string };
    const { accounts, hint } = await accountsIn({ start, end: to, unit }, api);
    const shown: Row = {
      ...withHints(data, [
        hint && `${hint} in analyze_performance`,
        capped === true ? await cappedHint(data, { ...asked, unit }, api) : undefined,
        (await hasNoFigures(data, api)) ? NO_R : undefined,
        await emptyPeriodHint(
          closedTrades(rowOf(data['performance']), data['data_quality']),
          { ...asked },
          api,
        ),
      ]),
      ...counts,
      ...(accounts && { accounts }),
      ...withoutZeros({
        ...withDates(withoutCost(data)),
        ...briefly(data, await api.hidesMoney()),
      }),
      ...(!isEmpty && {
        ...(await extremesInR(data, api)),
        ...(await moreOf(data, unit, api)),
      }),
    };
    const { curve = [], ...lists } = shown;

    return fittedOrError(timezone, (how) => ({
      ...compactRecord(lists, { ...how, rows: FEW_ROWS }),
      ...(rowsOf(curve).length > 1 && { curve: table(rowsOf(curve), how) }),
    }));
  },
});

/** What the whole period made, if it made more and the key can read it. */
async function cappedHint(
  { performance }: Row,
  asked: Query,
  api: Api,
): Promise<string | undefined> {
  const all = await api.dataIfAny('/v1/analytics/summary', {
    ...asked,
    sections: 'performance',
  });
  const { trades, net_pnl, currency } = rowOf(all?.['performance']);
  if (trades === rowOf(performance)['trades']) return undefined;

  const net =
    typeof net_pnl === 'number' ? `, net ${net_pnl.toFixed(2)} ${currency}` : '';
  const whole = trades === undefined ? '' : ` (${trades} trades${net})`;
  return `only the last 365 days; analyze_performance with the same period has all of it${whole}`;
}

/** Rows of lists of labels and notes: enough to choose the next call. */
const FEW_ROWS = 3;

/** Figures that only analyze_performance shows. */
const ANALYSIS_ONLY = new Set([
  'win_rate_ex_breakeven',
  'gross_pnl',
  'profit_factor_infinite',
  'payoff_ratio',
  'best_five_share',
  'return',
  'recovery_factor',
  'holding_seconds',
  'trading_days',
  'winning_days',
  'losing_days',
  'current_drawdown',
  'realised_drawdown',
  'best_day',
  'worst_day',
  'sharpe',
  'sortino',
  'daily_basis',
  'daily_sample',
  'sqn',
]);

/** Notes shown without ids: read_notes finds them by date, get_trade by trade. */
const NOTES = ['recent_journals', 'weekly_reviews', 'missed_trades'];

/** Figures that are money but for an id. */
const OF_MONEY = ['largest_win', 'largest_loss'];

function briefly(data: Row, hidesMoney: boolean): Row {
  const { max_drawdown, streaks, ...figures } = rowOf(data['performance']);
  const { longest_win = null, longest_loss = null, current = null } = rowOf(streaks);
  const { most_traded: _, ...symbols } = rowOf(data['top_symbols']);
  const kept = Object.entries(figures).filter(
    ([name]) => !ANALYSIS_ONLY.has(name) && !(hidesMoney && OF_MONEY.includes(name)),
  );
  const { amount = null, percent = null } = rowOf(max_drawdown);
  const notes = NOTES.map((name) => [
    name,
    rowsOf(data[name]).map(({ id: _, type: __, ...note }) => note),
  ]);

  return {
    performance: {
      ...Object.fromEntries(kept),
      streaks: { longest_win, longest_loss, current },
      ...(!hidesMoney && { max_drawdown: { amount, percent } }),
    },
    top_symbols: symbols,
    ...Object.fromEntries(notes),
  };
}

/**
 * The best and the worst trade in R, in place of the largest amounts, if the key hides
 * money and lists trades.
 */
async function extremesInR({ period, performance }: Row, api: Api): Promise<Row> {
  const { start, end } = period as { start: string; end: string };
  const mayList = (await api.me()).key.scopes.includes('trades:read');
  if (!mayList || !(await api.hidesMoney()) || rowOf(performance)['r_sample'] === 0)
    return {};

  const first = async (order: 'asc' | 'desc') => {
    const query = {
      start,
      end,
      date_field: 'closed_at',
      sort: 'r_multiple',
      order,
      limit: 1,
    };
    const fields = 'symbol,r_multiple';
    const { data } = await api.get<{ data: Row[] }>('/v1/trades', { ...query, fields });
    const [{ id = null, symbol = null, r_multiple = null } = {}] = data;
    return { trade_id: id, symbol, r_multiple };
  };

  return { best_in_r: await first('desc'), worst_in_r: await first('asc') };
}

/** Longest period shown by week rather than by month. */
const MOST_DAYS_BY_WEEK = 92;

/**
 * The curve and the costliest mistakes, if the key can read them: both from figures that
 * the summary doesn't have.
 */
async function moreOf(data: Row, unit: string | undefined, api: Api): Promise<Row> {
  if (!(await api.me()).key.scopes.includes('analytics:read')) return {};

  const isInR = await api.hidesMoney();
  const { start, end, days } = data['period'] as {
    start: string;
    end: string;
    days: number;
  };

  const groups = async (group_by: string) => {
    const asked = { start, end, unit, sections: 'groups', group_by };
    return rowsOf((await api.data('/v1/analytics/summary', asked))['groups']);
  };

  const by = days > MOST_DAYS_BY_WEEK ? 'month' : 'week';
  const { distinct } = data['common_mistakes'] as { distinct: number };

  return {
    ...curveOf(await groups(by), isInR),
    // The cost of mistakes is money.
    ...(distinct > 0 && !isInR && mistakesOf(await groups('mistake'), distinct)),
  };
}

/** Whether the key hides money, and no trade has an R. */
async function hasNoFigures({ performance }: Row, api: Api): Promise<boolean> {
  const { trades, r_sample } = rowOf(performance);
  return (await api.hidesMoney()) && trades !== 0 && r_sample === 0;
}

/**
 * Results by week or month, in R if the key hides money; none if no trade has a risk
 * then.
 */
function curveOf(rows: Row[], isInR: boolean): Row {
  if (isInR && rows.every(({ r_sample }) => r_sample === 0)) return {};
  const names = isInR ? ['total_r', 'r_sample'] : ['net_pnl'];
  return { curve: rows.map((row) => only(names, row)) };
}

const NO_R =
  'no trade of this period has a risk, and R needs one: the owner sets stops or risks with "journal-api annotate TRADE --stop PRICE"';

/** The mistakes with the largest losses; the most frequent ones needn't cost the most. */
function mistakesOf(groups: Row[], distinct: number): Row {
  const lost = groups
    .filter(({ by, net_pnl }) => rowOf(by)['mistake'] !== null && Number(net_pnl) < 0)
    .sort((a, b) => Number(a['net_pnl']) - Number(b['net_pnl']))
    .map(({ by, trades = null, net_pnl = null, win_rate = null }) => ({
      ...rowOf(by),
      trades,
      net_pnl,
      win_rate,
    }));
  return { common_mistakes: null, costliest_mistakes: { items: lost, distinct } };
}
