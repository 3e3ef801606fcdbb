/**
 * What a trader writes: journal entries about trades and trade groups, and both in one
 * feed, sessions, weekly reviews, and trades not taken.
 */
import * as f from '../fields.ts';
import {
  attachments,
  exact,
  goals,
  journalFields,
  journalFilters,
  market,
  metrics,
  mistakes,
  resource,
  side,
  stamps,
  tags,
} from '../resource.ts';

export const tradeJournals = resource({
  path: 'trade-journals',
  name: 'TradeJournal',
  title: 'trade journal entries',
  description: 'Journal entries about a trade: before, during or after it.',
  scope: 'journals:read',
  table: 'trade_journals',
  source: 'trade_journals',
  orderBy: 'created_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's trade journal entries"),
    trade_id: f.id('Id of its trade'),
    ...journalFields(),
    ...stamps(),
  })),
  filters: {
    trade_id: {
      column: 'trade_id',
      match: 'ids',
      like: 'trade_id',
      indexed: true,
      description:
        'Only entries about this trade, or about several, separated by commas (at most 100)',
    },
    ...journalFilters,
  },
});

/**
 * Columns of a file of entries that may replace trade_id: none is a field of the entry.
 */
export const NAMES_OF_TRADE = ['symbol', 'executed_at', 'date', 'time'] as const;

export const groupJournals = resource({
  path: 'group-journals',
  name: 'GroupJournal',
  title: 'group journal entries',
  description: 'Journal entries about a trade group as a whole.',
  scope: 'journals:read',
  table: 'group_journals',
  source: 'group_journals',
  orderBy: 'created_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's group journal entries"),
    group_id: f.id('Id of its trade group'),
    ...journalFields(),
    ...stamps(),
  })),
  filters: {
    group_id: { ...exact('group_id', 'Only entries about this group'), indexed: true },
    ...journalFilters,
  },
});

export const journalRows = resource({
  path: 'journal-rows',
  name: 'JournalRow',
  title: 'journal rows',
  description: 'Trade and group journal entries in one feed, newest first.',
  scope: 'journals:read',
  table: null,
  source: 'journal_rows',
  orderBy: 'created_at',
  orderKind: 'instant',
  tieBreak: ['id', 'type'],
  record: f.record(() => ({
    id: f.id('Identifier of the entry; unique together with type'),
    type: f.choice(['trade', 'group'], 'Kind of entry'),
    trade_id: f.orNull(f.id('Id of its trade; null for a group')),
    group_id: f.orNull(f.id('Id of its trade group; null for a trade')),
    symbol: f.orNull(f.underlying('Symbol of the trade, or underlying of the group')),
    ...journalFields(),
    ...stamps(),
  })),
  filters: {
    type: exact('type', 'Only entries about trades, or about groups'),
    symbol: {
      column: 'symbol',
      match: 'label',
      isSymbol: true,
      description: 'Only entries about this symbol',
    },
    ...journalFilters,
  },
});

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

export const missedTrades = resource({
  path: 'missed-trades',
  name: 'MissedTrade',
  title: 'missed trades',
  description:
    'Trades that the trader saw but did not take. They are excluded from the performance of trades taken.',
  scope: 'missed_trades:read',
  table: 'missed_trades',
  source: 'missed_trades',
  orderBy: 'missed_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's missed trades"),
    missed_at: f.instant('Time of the missed trade'),
    symbol: f.symbol('Ticker or contract'),
    market: market(),
    side: side(),
    setup: f.orNull(f.label('Setup')),
    miss_type: f.searched(
      f.choice(
        [
          'hesitated',
          'almost_took',
          'cancelled',
          'away',
          'not_filled',
          'rule_block',
          'other',
        ],
        'Category of the reason for not taking it',
      ),
    ),
    reason: f.orNull(f.text("The reason, in the trader's words")),
    planned_entry: f.orNull(f.price('Planned entry price')),
    planned_stop: f.orNull(f.price('Planned stop price')),
    planned_target: f.orNull(f.price('Planned target price')),
    planned_quantity: f.orNull(f.quantity('Planned quantity')),
    hypothetical_outcome: f.withDefault(
      f.choice(
        ['would_win', 'would_lose', 'would_breakeven', 'unknown'],
        'Hypothetical outcome',
      ),
      'unknown',
    ),
    hypothetical_r: f.orNull(f.ratio('Hypothetical R multiple')),
    hypothetical_pnl: f.orNull(f.money('Hypothetical P&L, in currency')),
    currency: f.currency('Currency of its amounts'),
    emotions: f.strings("Emotions, in the trader's words"),
    lesson: f.orNull(f.text('The lesson')),
    notes: f.orNull(f.text('Notes')),
    tags: tags(),
    ...stamps(),
  })),
  filters: {
    symbol: {
      column: 'symbol',
      match: 'label',
      isSymbol: true,
      description: 'Only missed trades of this symbol',
    },
    market: exact('market', 'Only missed trades in this market'),
    side: exact('side', 'Only long or only short missed trades'),
    setup: {
      column: 'setup',
      match: 'label',
      description: 'Only missed trades of this setup',
    },
    tag: {
      column: 'json_each(t.tags)',
      match: 'member',
      description: 'Only missed trades with this tag',
    },
    emotion: {
      column: 'json_each(t.emotions)',
      match: 'member',
      description: 'Only missed trades with this emotion',
    },
    miss_type: exact('miss_type', 'Only missed trades of this category'),
  },
});
