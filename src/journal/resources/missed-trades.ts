import * as f from '../fields.ts';
import { exact, market, resource, side, stamps, tags } from '../resource.ts';

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
  needed: ['missed_at', 'symbol'],
  identity: ['symbol', 'side', 'missed_at'],
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
