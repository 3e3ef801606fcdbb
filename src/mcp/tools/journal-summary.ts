import * as z from 'zod';
import { compact, type Row, uncut } from '../compact.ts';
import { fitted } from '../fit.ts';
import { detail, lengthOrName, tool, unit, withDates } from '../tool.ts';

export const journalSummary = tool({
  name: 'journal_summary',
  title: 'Journal summary',
  description:
    'Read first: performance of a period and the one before, top symbols, setups, tags, mistakes, rules, latest notes.',
  scopes: ['agent_summary:read'],
  input: () => z.strictObject({ period: lengthOrName.default('30d'), unit, detail }),
  output: { type: 'object', properties: { period: { type: 'object' }, performance: { type: 'object' } } },
  async call({ period, unit, detail }, api) {
    const data = await api.data('/v1/summary', { period, unit });
    if (detail === 'full') return uncut(data);
    const { timezone } = (await api.me()).user;
    const told = { ...withDates(data), ...briefly(data) };
    return fitted(timezone, (how) => compact(told, { ...how, rows: FEW_ROWS }) as object) ?? {};
  },
});

/** Of lists of labels and of notes: enough to know where to look next. */
const FEW_ROWS = 3;

/** Figures that the analysis tells, when it is asked. */
const LATER = new Set([
  'win_rate_ex_breakeven',
  'gross_pnl',
  'profit_factor_infinite',
  'recovery_factor',
  'holding_seconds',
  'trading_days',
  'winning_days',
  'best_day',
  'worst_day',
  'sharpe',
  'sortino',
  'daily_basis',
  'daily_sample',
  'sqn',
]);

/** Notes whose own ids lead nowhere: read_notes finds them by their dates, get_trade by their trade. */
const NOTES = ['recent_journals', 'weekly_reviews', 'missed_trades'];

function briefly(data: Row): Row {
  const { max_drawdown, ...figures } = data['performance'] as Row;
  const { most_traded: _, ...symbols } = data['top_symbols'] as Row;
  const kept = Object.entries(figures).filter(([name]) => !LATER.has(name));
  const { amount = null, percent = null } = (max_drawdown ?? {}) as Row;
  const notes = NOTES.map((name) => [name, (data[name] as Row[]).map(({ id: _, type: __, ...note }) => note)]);
  return {
    performance: { ...Object.fromEntries(kept), max_drawdown: { amount, percent } },
    top_symbols: symbols,
    ...Object.fromEntries(notes),
  };
}
