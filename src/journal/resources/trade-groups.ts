import * as z from 'zod';
import * as f from '../fields.ts';
import { resource } from '../resource.ts';
import { market, STATUSES, stamps, tags } from './common.ts';

export const GROUP_KINDS = ['multi_leg', 'scaled', 'rolled', 'hedge', 'custom'] as const;

export const tradeGroups = resource({
  path: 'trade-groups',
  name: 'TradeGroup',
  title: 'trade groups',
  description:
    'Several trades analysed as one position: the legs of a spread, a scaled entry, a roll. An import groups options that one order opened, or one instant; the trader, anything. Dates, status and risk are stored; leg count, ids and sums come from the legs.',
  scope: 'trades:read',
  table: 'trade_groups',
  source: 'trade_group_records',
  orderBy: 'opened_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  record: z.strictObject({
    id: f.id('Identifier, unique among the trade groups of the user'),
    name: f.text('Name'),
    kind: f.choice(GROUP_KINDS, 'How the legs belong together; multi_leg if an import grouped them'),
    strategy: f.orNull(
      f.label(
        'Strategy. An import names vertical, ratio, calendar, diagonal, straddle, strangle, butterfly, iron condor, iron butterfly, covered call and custom',
      ),
    ),
    underlying: f.orNull(f.underlying('Underlying symbol')),
    market: market(),
    status: f.choice(STATUSES, 'Whether the group is still open'),
    opened_at: f.instant('When the group was opened'),
    closed_at: f.orNull(f.instant('When it was closed; null while open')),
    trade_ids: f.derived(f.strings('Ids of its trades, in the order they were opened', 'id')),
    leg_count: f.derived(f.count('Number of its trades')),
    currency: f.currency('Currency of all money of the group'),
    gross_pnl: f.derived(
      f.orNull(f.money('Realised P&L of its trades before fees; null where a trade has another currency')),
    ),
    fees: f.derived(f.orNull(f.money('Fees of its trades; null where a trade has another currency'))),
    net_pnl: f.derived(f.orNull(f.money('Realised P&L of its trades; null where a trade has another currency'))),
    initial_risk: f.orNull(
      f.risk(
        'What the group as a whole had at risk, as a positive amount. An import gives the most that legs of one expiration can lose, without fees, if their strikes bound it',
      ),
    ),
    r_multiple: f.derived(
      f.orNull(f.ratio("The group's net P&L over its initial_risk, never a sum of the legs' R; null while open")),
    ),
    tags: tags(),
    notes: f.orNull(f.text('Notes')),
    ...stamps,
  }),
  filters: {
    status: { column: 'status', match: 'exact', like: 'status', description: 'Only open or only closed groups' },
    market: { column: 'market', match: 'exact', like: 'market', description: 'Only groups in this kind of market' },
    symbol: {
      column: 'json_each(t.symbols)',
      match: 'member',
      isSymbol: true,
      description: 'Only groups with this underlying, or with a trade in this symbol',
    },
    underlying: {
      column: `(SELECT t.underlying AS value WHERE t.underlying IS NOT NULL UNION ALL
        SELECT coalesce(leg.underlying, leg.symbol) FROM trades AS leg
        WHERE t.underlying IS NULL AND leg.user_id = t.user_id AND leg.group_id = t.id)`,
      match: 'member',
      isSymbol: true,
      description: 'Only groups with this underlying; of a group without one, that of a trade counts, or its symbol',
    },
  },
});
