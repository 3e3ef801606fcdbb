import type * as z from 'zod';
import * as f from '../fields.ts';
import {
  exact,
  market,
  mistakes,
  resource,
  STATUSES,
  stamps,
  tags,
} from '../resource.ts';

export const GROUP_KINDS = ['multi_leg', 'scaled', 'rolled', 'hedge', 'custom'] as const;

export const tradeGroups = resource({
  path: 'trade-groups',
  name: 'TradeGroup',
  title: 'trade groups',
  description:
    'Several trades analysed as one position: the legs of a spread, a scaled entry, a roll. An import groups options that were opened by one order or at one instant; the trader can group any trades. Dates, status and risk are stored; leg count, ids and sums are computed from the legs.',
  scope: 'trades:read',
  table: 'trade_groups',
  source: 'trade_group_records',
  orderBy: 'opened_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  needed: ['name', 'kind'],
  identity: ['name', 'opened_at'],
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's trade groups"),
    name: f.byPersonToo(f.text('Name')),
    kind: f.byPersonToo(
      f.choice(GROUP_KINDS, 'Kind of group; multi_leg if an import grouped the trades'),
    ),
    strategy: f.byPersonToo(
      f.orNull(
        f.label(
          'Strategy. An import detects vertical, ratio, calendar, diagonal, straddle, strangle, butterfly, iron condor, iron butterfly, covered call and custom',
        ),
      ),
    ),
    underlying: f.orNull(f.underlying('Underlying symbol')),
    market: market(),
    status: f.choice(STATUSES, 'Whether the group is still open'),
    opened_at: f.instant('Time of opening'),
    closed_at: f.orNull(f.instant('Time of closing; null while open')),
    trade_ids: f.derived(f.strings('Ids of its trades, in order of opening', 'id')),
    leg_count: f.derived(f.count('Number of its trades')),
    currency: f.currency('Currency of all money of the group'),
    gross_pnl: f.derived(
      f.orNull(
        f.money(
          'Realised P&L of its trades before fees; null if a trade has another currency',
        ),
      ),
    ),
    fees: f.derived(
      f.orNull(f.money('Fees of its trades; null if a trade has another currency')),
    ),
    net_pnl: f.derived(
      f.orNull(
        f.money(
          'Realised P&L of its trades after fees; null if a trade has another currency',
        ),
      ),
    ),
    realised_pnl: f.derived(
      f.orNull(
        f.money(
          'Sum of realised_pnl of its trades; null if a trade has another currency',
        ),
      ),
    ),
    initial_risk: f.byPersonToo(
      f.orNull(
        f.risk(
          'Amount at risk of the whole group, as a positive number. An import computes the largest loss of legs with one expiration, without fees, if their strikes limit it',
        ),
      ),
    ),
    r_multiple: f.derived(
      f.orNull(
        f.ratio(
          "net_pnl divided by initial_risk, not the sum of the legs' R; null while open",
        ),
      ),
    ),
    tags: f.byPerson(tags()),
    notes: f.byPerson(f.orNull(f.text('Notes'))),
    setup: f.byPerson(
      f.orNull(f.label("Setup of the group as a whole, the trader's pattern")),
    ),
    mistakes: f.byPerson(mistakes()),
    rating: f.byPerson(
      f.orNull(f.rating('Rating of the group as a whole, regardless of its P&L')),
    ),
    fields: f.byPerson(
      f.traderFields('the group; they count for its trades without a value'),
    ),
    ...stamps(),
  })),
  filters: {
    status: exact('status', 'Only open or only closed groups'),
    market: exact('market', 'Only groups in this market'),
    symbol: {
      column: 'json_each(t.symbols)',
      match: 'member',
      isSymbol: true,
      description: 'Only groups with this underlying, or with a trade of this symbol',
    },
    underlying: {
      column: `(SELECT t.underlying AS value WHERE t.underlying IS NOT NULL UNION ALL
        SELECT coalesce(leg.underlying, leg.symbol) FROM trades AS leg
        WHERE t.underlying IS NULL AND leg.user_id = t.user_id AND leg.group_id = t.id)`,
      match: 'member',
      isSymbol: true,
      description:
        'Only groups with this underlying; if a group has none, with a trade of this underlying or symbol',
    },
  },
});

export type TradeGroup = z.infer<(typeof tradeGroups)['record']>;
