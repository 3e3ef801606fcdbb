import * as f from '../fields.ts';
import {
  attachments,
  goals,
  metrics,
  mistakes,
  resource,
  stamps,
  tags,
} from '../resource.ts';

export const sessions = resource({
  path: 'sessions',
  name: 'Session',
  title: 'trading sessions',
  description: 'A trading day or a part of it: plan, notes, market context and review.',
  scope: 'sessions:read',
  table: 'sessions',
  source: 'sessions',
  orderBy: 'date',
  orderKind: 'date',
  tieBreak: ['id'],
  identity: ['date', 'name', 'started_at'],
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's sessions"),
    date: f.date('The trading day'),
    name: f.orNull(f.text('Name, such as London open')),
    started_at: f.orNull(f.instant('Time of the start')),
    ended_at: f.orNull(f.instant('Time of the end')),
    plan: f.orNull(f.text('The plan')),
    notes: f.orNull(f.text('Notes')),
    goals: goals('Goals of the session'),
    mood: f.orNull(f.label("Mood, in the trader's words")),
    energy: f.orNull(f.rating('Energy')),
    sleep_hours: f.orNull(f.hours('Hours of sleep in the previous night')),
    market_context: f.orNull(
      f.revealing(
        'text',
        f.object(
          {
            bias: f.orNull(f.text('Bias, such as bullish')),
            condition: f.orNull(f.text('Market condition, such as trending')),
            key_levels: f.list(
              f.item({
                symbol: f.orNull(f.underlying('Symbol')),
                price: f.price('Price of the level'),
                kind: f.orNull(f.text('Kind, such as support')),
                note: f.orNull(f.text('Note')),
              }),
              'Price levels to watch',
            ),
            news: f.strings('Relevant news', 'text'),
            notes: f.orNull(f.text('Notes on the market')),
          },
          'Market context',
        ),
      ),
    ),
    metrics: metrics('Figures of the trades closed on that day, computed, never stored'),
    review: f.orNull(
      f.object(
        {
          went_well: f.orNull(f.text('What went well')),
          went_wrong: f.orNull(f.text('What went wrong')),
          lesson: f.orNull(f.text('The lesson')),
          followed_plan: f.orNull(f.flag('Whether the plan was followed')),
          rating: f.orNull(f.rating('Rating of the session')),
          mistakes: mistakes(),
          reviewed_at: f.orNull(f.instant('Time of the review')),
        },
        'Review of the session',
      ),
    ),
    tags: tags(),
    fields: f.traderFields(
      'the session; they count for trades entered that day without a value',
    ),
    attachments: attachments(),
    ...stamps(),
  })),
  filters: {
    tag: {
      column: 'json_each(t.tags)',
      match: 'member',
      description: 'Only sessions with this tag',
    },
  },
  metrics: { from: 'date', to: 'date' },
});
