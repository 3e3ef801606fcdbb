import * as z from 'zod';
import * as f from '../fields.ts';
import { resource } from '../resource.ts';
import { market, side, stamps, tags } from './common.ts';

export const missedTrades = resource({
  path: 'missed-trades',
  name: 'MissedTrade',
  title: 'missed trades',
  description: 'Trades that were seen and not taken. They never count in real performance.',
  scope: 'missed_trades:read',
  table: 'missed_trades',
  source: 'missed_trades',
  orderBy: 'missed_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  record: z.strictObject({
    id: f.id('Identifier, unique among the missed trades of the user'),
    missed_at: f.instant('When it was missed'),
    symbol: f.symbol('Ticker or contract'),
    market: market(),
    side: side(),
    setup: f.orNull(f.label('The setup it would have been')),
    miss_type: f.choice(
      ['hesitated', 'almost_took', 'cancelled', 'away', 'not_filled', 'rule_block', 'other'],
      'Why it was not taken',
    ),
    reason: f.orNull(f.text('The reason, in words')),
    planned_entry: f.orNull(f.price('Planned entry price')),
    planned_stop: f.orNull(f.price('Planned stop price')),
    planned_target: f.orNull(f.price('Planned target price')),
    planned_quantity: f.orNull(f.quantity('Planned quantity')),
    hypothetical_outcome: f.withDefault(
      f.choice(['would_win', 'would_lose', 'would_breakeven', 'unknown'], 'How it would have ended'),
      'unknown',
    ),
    hypothetical_r: f.orNull(f.ratio('R it would have made')),
    hypothetical_pnl: f.orNull(f.money('P&L it would have made, in currency')),
    currency: f.currency('Currency of its money'),
    emotions: f.strings('Emotions, in the words of the trader'),
    lesson: f.orNull(f.text('The lesson')),
    notes: f.orNull(f.text('Notes')),
    tags: tags(),
    ...stamps,
  }),
  filters: {
    symbol: { column: 'symbol', match: 'label', isSymbol: true, description: 'Only missed trades in this symbol' },
    market: { column: 'market', match: 'exact', like: 'market', description: 'Only in this kind of market' },
    side: { column: 'side', match: 'exact', like: 'side', description: 'Only long or only short' },
    setup: { column: 'setup', match: 'label', description: 'Only missed trades of this setup' },
    tag: { column: 'json_each(t.tags)', match: 'member', description: 'Only missed trades that carry this tag' },
    miss_type: { column: 'miss_type', match: 'exact', like: 'miss_type', description: 'Only those missed in this way' },
  },
});
