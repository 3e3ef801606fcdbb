import * as f from '../fields.ts';
import { resource } from '../resource.ts';
import { attachments, goals, metrics, mistakes, stamps } from './common.ts';

export const weeklyReviews = resource({
  path: 'weekly-reviews',
  name: 'WeeklyReview',
  title: 'weekly reviews',
  description: 'The review of a trading week, and goals for the next.',
  scope: 'reviews:read',
  table: 'weekly_reviews',
  source: 'weekly_reviews',
  orderBy: 'period_start',
  orderKind: 'date',
  tieBreak: ['id'],
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's weekly reviews"),
    period_start: f.date('First day of the week'),
    period_end: f.date('Last day of the week, included'),
    summary: f.orNull(f.text('Summary of the week')),
    went_well: f.orNull(f.text('What went well')),
    went_wrong: f.orNull(f.text('What went wrong')),
    lesson: f.orNull(f.text('The lesson')),
    focus: f.orNull(f.text('Focus for the next week')),
    goals: goals('Goals set for this week'),
    next_goals: f.strings('Goals for the next week', 'text'),
    best_trade_id: f.orNull(f.id('Id of the trade that the trader is proudest of')),
    worst_trade_id: f.orNull(f.id('Id of the trade to learn from')),
    rating: f.orNull(f.rating('Rating of the week')),
    mistakes: mistakes(),
    metrics: metrics(
      'Figures of the trades closed from period_start to period_end, computed, never stored',
    ),
    reviewed_at: f.orNull(f.instant('Time of the review')),
    fields: f.traderFields('the review'),
    attachments: attachments(),
    ...stamps(),
  })),
  filters: {},
  metrics: { from: 'period_start', to: 'period_end' },
});
