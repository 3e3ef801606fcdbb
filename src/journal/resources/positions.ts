/** What a trader calls a trade: each trade group, and each trade in none. */
import * as f from '../fields.ts';
import {
  byIds,
  exact,
  type ListResource,
  MARKETS,
  mistakes,
  OUTCOMES,
  resource,
  SIDES,
  STATUSES,
  side,
  stamps,
  tags,
} from '../resource.ts';
import { GROUP_KINDS } from './trade-groups.ts';
import { namedValue, type tradeFilters } from './trades.ts';

const KINDS = ['trade', ...GROUP_KINDS] as const;
/** Sides of groups with options, which no single trade has. */
export const GROUP_SIDES = ['credit', 'debit'] as const;
export const POSITION_SIDES = [...SIDES, ...GROUP_SIDES] as const;

const OF_LEGS =
  "leg.user_id = t.user_id AND t.kind <> 'trade' AND unlikely(leg.group_id = t.id)";

/** A value of each trade of a position, as rows. */
const ofLegs = (value: string) =>
  `SELECT ${value} AS value FROM trades AS leg WHERE leg.user_id = t.user_id AND t.kind = 'trade' AND leg.id = t.id
   UNION ALL SELECT ${value} FROM trades AS leg WHERE ${OF_LEGS}`;

/** A value of each journal entry about a position or its legs, as rows. */
const ofEntries = (value: string) =>
  `SELECT ${value} AS value FROM trade_journals AS j WHERE j.user_id = t.user_id AND t.kind = 'trade' AND j.trade_id = t.id
   UNION ALL SELECT ${value} FROM trades AS leg JOIN trade_journals AS j ON j.user_id = leg.user_id AND j.trade_id = leg.id
     WHERE ${OF_LEGS}
   UNION ALL SELECT ${value} FROM group_journals AS j WHERE j.user_id = t.user_id AND t.kind <> 'trade' AND j.group_id = t.id`;

/** The mistakes of a group, of its legs, and of the journal entries of both. */
const ALL_MISTAKES = `(SELECT value FROM json_each(t.mistakes)
  UNION ALL SELECT m.value FROM (${ofEntries('j.mistakes')}) AS e, json_each(e.value) AS m)`;

/**
 * The filters of trades, for positions: results, sides and quantities are those of the
 * whole, labels and instruments those of any leg. Figures by position use them, too.
 */
export const positionFilters = {
  status: exact('status', 'Only open or only closed positions'),
  market: {
    column: `(${ofLegs('leg.market')})`,
    match: 'member',
    like: 'market',
    description: 'Only positions with a leg in this market',
  },
  symbol: {
    column: `(${ofLegs('leg.symbol')})`,
    match: 'member',
    isSymbol: true,
    description: 'Only positions with a leg in exactly this instrument',
  },
  underlying: {
    column: `(SELECT t.underlying AS value UNION ALL ${ofLegs('coalesce(leg.underlying, leg.symbol)')})`,
    match: 'member',
    isSymbol: true,
    description:
      'Only positions in this underlying, or with a leg in it; by symbol if a leg has no underlying',
  },
  side: exact(
    'side',
    'Only positions of this side: long or short; credit or debit for trade groups with options',
  ),
  outcome: exact('outcome', 'Only closed positions with this outcome'),
  account: {
    column: `(${ofLegs('leg.account')})`,
    match: 'member',
    description: 'Only positions with a leg in this account',
  },
  setup: {
    column: `(SELECT t.setup AS value UNION ALL ${ofLegs('leg.setup')})`,
    match: 'member',
    description: 'Only positions of this setup, or with a leg of it',
  },
  tag: {
    column: 'json_each(t.tags)',
    match: 'member',
    description: 'Only positions with this tag, or with a leg that has it',
  },
  mistake: {
    column: ALL_MISTAKES,
    match: 'member',
    description:
      'Only positions with this mistake: of the position, of a leg, or in one of their journal entries',
  },
  group_id: {
    column: "CASE WHEN t.kind <> 'trade' THEN t.id END",
    match: 'exact',
    like: 'id',
    description: 'Only this trade group',
  },
  field: {
    column: `(${ofLegs(namedValue('leg'))})`,
    match: 'named',
    description:
      "Only positions with a leg that has this value in a field of the trader's own, else in that of its group or of the session of the day of its entry: confluence:3",
  },
  has_stop: {
    column: `EXISTS (SELECT 1 FROM (${ofLegs('leg.stop_loss')}) WHERE value IS NOT NULL)`,
    match: 'flag',
    description:
      'true: only positions with a leg that has a stop price; false: only those without',
  },
  has_journal: {
    column: `EXISTS (${ofEntries('1')})`,
    match: 'flag',
    description:
      'true: only positions with a journal entry about a leg or the group; false: only those without',
  },
  has_mistake: {
    column: `EXISTS (SELECT 1 FROM ${ALL_MISTAKES})`,
    match: 'flag',
    description:
      'true: only positions with a mistake, of a leg or in a journal entry included; false: only those without',
  },
  min_net_pnl: {
    column: 'net_pnl',
    match: 'at_least',
    description:
      "Only positions whose net_pnl is at least this, in the position's own currency",
  },
  max_net_pnl: {
    column: 'net_pnl',
    match: 'at_most',
    description:
      "Only positions whose net_pnl is at most this, in the position's own currency",
  },
  min_quantity: {
    column: 'quantity',
    match: 'at_least',
    description:
      'Only positions with at least this quantity: spreads, or that of a single trade',
  },
  max_quantity: {
    column: 'quantity',
    match: 'at_most',
    description:
      'Only positions with at most this quantity: spreads, or that of a single trade',
  },
  min_contracts: {
    column: 'contracts',
    match: 'at_least',
    description:
      'Only positions with at least this number of contracts, of all legs together',
  },
  max_contracts: {
    column: 'contracts',
    match: 'at_most',
    description:
      'Only positions with at most this number of contracts, of all legs together',
  },
} as const satisfies Record<keyof typeof tradeFilters, ListResource['filters'][string]>;

export const positions = resource({
  path: 'positions',
  name: 'Position',
  title: 'positions',
  description:
    'What a trader calls a trade: each trade group, such as an option spread, and each trade in no group.',
  scope: 'trades:read',
  table: null,
  source: 'position_records',
  orderBy: 'opened_at',
  orderKind: 'instant',
  sorts: ['closed_at', 'net_pnl', 'net_pnl_base', 'r_multiple', 'holding_seconds'],
  searchedDates: ['closed_at'],
  tieBreak: ['id', 'kind'],
  isComputed: true,
  isNamed: true,
  hasFigures: 'position',
  record: f.record(() => ({
    id: f.id('Id of the trade, or of the trade group; unique together with kind'),
    kind: f.choice(KINDS, 'trade, or the kind of the trade group'),
    name: f.orNull(
      f.revealing(
        'price',
        f.text(
          'Name: "SPY 2026-06-19 iron condor 540/545/560/565", "HOOD 2026-05-15 145 call", "AAPL"; a trade group that the trader named keeps that name. Null if the key does not show all legs',
        ),
      ),
    ),
    strategy: f.orNull(f.label('Strategy of the trade group')),
    description: f.orNull(
      f.text(
        'If the trader named the trade group, the name that it would have otherwise',
      ),
    ),
    account: f.orNull(f.label('Account; null if legs have several')),
    underlying: f.orNull(f.underlying('Underlying, or the symbol if it has none')),
    market: f.choice(MARKETS, 'Market; of a trade group, if legs have several'),
    expiration: f.orNull(f.expiration('Expiration, the first one if legs have several')),
    side: f.orNull(
      f.choice(
        POSITION_SIDES,
        'long or short; for a trade group with options, whether its opening brought (credit) or cost (debit) cash, without fees. Null if neither',
      ),
    ),
    status: f.choice(STATUSES, 'Open while a leg is open'),
    outcome: f.orNull(
      f.choice(
        OUTCOMES,
        "Sign of the net P&L of all legs together; breakeven within the user's breakeven_tolerance; null while open",
      ),
    ),
    opened_at: f.instant('First execution'),
    closed_at: f.orNull(f.instant('Last execution; null while open')),
    has_time: f.flag('false: a leg has dates without times'),
    holding_seconds: f.orNull(
      f.plain('Seconds from the first execution to the last; null while open'),
    ),
    legs: f.list(
      f.item({
        id: f.id('Id of the trade'),
        symbol: f.symbol('Ticker or contract'),
        market: f.choice(MARKETS, 'Market of the symbol'),
        side: side(),
        quantity: f.quantity('Size, in shares, contracts or coins'),
        underlying: f.orNull(f.underlying('Underlying symbol of a derivative')),
        expiration: f.orNull(f.expiration('Expiration of an option or future')),
        strike: f.orNull(f.price('Strike price of an option')),
        option_type: f.orNull(f.choice(['call', 'put'], 'Kind of option')),
      }),
      'Its trades, in order of opening',
    ),
    quantity: f.orNull(
      f.quantity(
        "Quantity of a single trade. Of a multi_leg group the number of spreads: the largest that divides each leg's quantity, with shares next to options counted by their contract size; null for other groups, or if quantities aren't whole",
      ),
    ),
    contracts: f.orNull(
      f.quantity('Option and future contracts of all legs together; null without any'),
    ),
    entry_price: f.orNull(
      f.price('Average entry price of a single trade; null for a group'),
    ),
    exit_price: f.orNull(
      f.price('Average exit price of a single trade; null for a group'),
    ),
    currency: f.currency('Currency of all money of the position'),
    gross_pnl: f.orNull(
      f.money('Realised P&L before fees; null if a leg has another currency'),
    ),
    fees: f.orNull(f.money('All costs; null if a leg has another currency')),
    net_pnl: f.orNull(
      f.money('Realised P&L after fees; null if a leg has another currency'),
    ),
    net_pnl_base: f.orNull(
      f.money(
        "net_pnl in the user's base currency; null if the rate of a leg is unknown",
      ),
    ),
    realised_pnl: f.orNull(
      f.money(
        'Sum of the net P&L of its exits: net_pnl if closed, else without the costs of the units still open; null if a leg has another currency',
      ),
    ),
    initial_risk: f.orNull(
      f.risk(
        'Amount at risk at entry, as a positive number: that of the trade group, not of legs',
      ),
    ),
    risk: f.orNull(
      f.risk(
        'initial_risk, else of a single trade the loss at its stop_loss; null without both',
      ),
    ),
    r_multiple: f.orNull(
      f.ratio('net_pnl divided by risk; null while open or without a risk'),
    ),
    setup: f.orNull(
      f.label('Setup of the trade group, else the one that all legs share'),
    ),
    tags: tags(),
    mistakes: mistakes(),
    rating: f.orNull(
      f.rating('Rating of the trade group, else the one that all legs share'),
    ),
    fields: f.traderFields('the trade group, or of the single trade'),
    ...stamps(),
  })),
  filters: {
    id: byIds('positions'),
    kind: exact('kind', 'Only single trades, or only trade groups of this kind'),
    ...positionFilters,
  },
});
