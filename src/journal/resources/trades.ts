import type * as z from 'zod';
import * as f from '../fields.ts';
import {
  attachments,
  byIds,
  exact,
  type ListResource,
  market,
  mistakes,
  OUTCOMES,
  PATH,
  resource,
  STATUSES,
  side,
  stamps,
  tags,
} from '../resource.ts';

/** The mistakes of a trade: its own, and those of its journal entries. */
const ALL_MISTAKES = `(SELECT value FROM json_each(t.mistakes) UNION ALL
  SELECT m.value FROM trade_journals AS j, json_each(j.mistakes) AS m WHERE j.user_id = t.user_id AND j.trade_id = t.id)`;

/**
 * The value of a field that the trader named: of a trade, its group, or its day of entry.
 */
export const namedValue = (t: string) => `coalesce(${t}.fields ->> ${PATH},
  (SELECT g.fields ->> ${PATH} FROM trade_groups AS g WHERE g.user_id = ${t}.user_id AND g.id = ${t}.group_id),
  (SELECT s.fields ->> ${PATH} FROM sessions AS s WHERE s.user_id = ${t}.user_id
    AND s.date = day_in(${t}.executed_at, (SELECT timezone FROM users AS u WHERE u.id = ${t}.user_id))
    AND s.fields ->> ${PATH} IS NOT NULL ORDER BY s.started_at IS NULL, s.started_at, s.id LIMIT 1))`;

const CONTRACTS = "CASE WHEN market IN ('option', 'future') THEN quantity END";

/** The filters of trades, also used by analytics. */
export const tradeFilters = {
  status: { ...exact('status', 'Only open or only closed trades'), indexed: true },
  market: exact('market', 'Only trades in this market'),
  symbol: {
    column: 'symbol',
    match: 'label',
    isSymbol: true,
    indexed: true,
    description: 'Only trades in exactly this instrument',
  },
  underlying: {
    column: 'coalesce(underlying, symbol)',
    match: 'label',
    isSymbol: true,
    description:
      'Only trades in this underlying, its options and its futures; by symbol if a trade has no underlying',
  },
  side: exact('side', 'Only long or only short trades'),
  outcome: exact('outcome', 'Only closed trades with this outcome'),
  account: {
    column: 'account',
    match: 'label',
    description: 'Only trades of this account',
  },
  setup: { column: 'setup', match: 'label', description: 'Only trades of this setup' },
  tag: {
    column: 'json_each(t.tags)',
    match: 'member',
    description: 'Only trades with this tag',
  },
  mistake: {
    column: ALL_MISTAKES,
    match: 'member',
    description:
      'Only trades with this mistake, their own or in one of their journal entries',
  },
  group_id: {
    column: 'group_id',
    match: 'exact',
    like: 'id',
    indexed: true,
    description: 'Only legs of this trade group',
  },
  field: {
    column: `(SELECT ${namedValue('t')} AS value)`,
    match: 'named',
    description:
      "Only trades with this value in a field of the trader's own, their own value, else that of their group, else of the session of the day of entry: confluence:3",
  },
  has_stop: {
    column: 'stop_loss IS NOT NULL',
    match: 'flag',
    description: 'true: only trades with a stop price; false: only those without',
  },
  has_journal: {
    column:
      'EXISTS (SELECT 1 FROM trade_journals AS j WHERE j.user_id = t.user_id AND j.trade_id = t.id)',
    match: 'flag',
    description: 'true: only trades with a journal entry; false: only those without',
  },
  has_mistake: {
    column: `EXISTS (SELECT 1 FROM ${ALL_MISTAKES})`,
    match: 'flag',
    description:
      'true: only trades with a mistake, their own or in one of their journal entries; false: only those without',
  },
  min_net_pnl: {
    column: 'net_pnl',
    match: 'at_least',
    description:
      "Only trades whose net_pnl is at least this, in the trade's own currency",
  },
  max_net_pnl: {
    column: 'net_pnl',
    match: 'at_most',
    description: "Only trades whose net_pnl is at most this, in the trade's own currency",
  },
  min_quantity: {
    column: 'quantity',
    match: 'at_least',
    description: 'Only trades with at least this quantity',
  },
  max_quantity: {
    column: 'quantity',
    match: 'at_most',
    description: 'Only trades with at most this quantity',
  },
  min_contracts: {
    column: CONTRACTS,
    match: 'at_least',
    like: 'quantity',
    description: 'Only trades in at least this number of option or future contracts',
  },
  max_contracts: {
    column: CONTRACTS,
    match: 'at_most',
    like: 'quantity',
    description: 'Only trades in at most this number of option or future contracts',
  },
} as const satisfies ListResource['filters'];

export const trades = resource({
  path: 'trades',
  name: 'Trade',
  title: 'trades',
  description:
    'A trade is one position, from flat to flat, with any number of executions.',
  scope: 'trades:read',
  table: 'trades',
  source: 'trade_records',
  orderBy: 'executed_at',
  orderKind: 'instant',
  sorts: ['closed_at', 'net_pnl', 'net_pnl_base', 'r_multiple', 'holding_seconds'],
  dateFields: ['closed_at'],
  derivedInPages: [
    'outcome',
    'holding_seconds',
    'net_pnl',
    'net_pnl_base',
    'realised_pnl',
    'r_multiple',
  ],
  tieBreak: ['id'],
  needed: ['symbol', 'entry_price|executions'],
  identity: ['account', 'symbol', 'side', 'quantity', 'executed_at', 'entry_price'],
  hasFigures: 'trade',
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's trades"),
    account: f.orNull(f.label('Account')),
    symbol: f.symbol('Ticker or contract'),
    market: market(),
    side: side(),
    status: f.choice(STATUSES, 'Whether the position is still open'),
    outcome: f.derived(
      f.orNull(
        f.choice(
          OUTCOMES,
          "Sign of the net P&L; breakeven within the user's breakeven_tolerance; null while open",
        ),
      ),
    ),
    executed_at: f.instant('First execution'),
    closed_at: f.orNull(f.instant('Last execution; null while open')),
    holding_seconds: f.derived(
      f.orNull(f.plain('Seconds from executed_at to closed_at; null while open')),
    ),
    has_time: f.withDefault(
      f.flag(
        "false: executed_at or closed_at is a date without a time, stored as the start of that day in the user's time zone",
      ),
      true,
    ),
    quantity: f.quantity(
      'Size of the position: the sum of its opening executions, in shares, contracts or coins',
    ),
    open_quantity: f.withDefault(
      f.revealing('money', f.notNegative('Quantity still open; 0 if closed')),
      0,
    ),
    multiplier: f.withDefault(
      f.revealing(
        'price',
        f.positive(
          'Contract size: money per point of price and unit of quantity, in currency',
        ),
      ),
      1,
    ),
    entry_price: f.price('Average price of the opening executions'),
    exit_price: f.orNull(
      f.price('Average price of the closing executions; null before the first'),
    ),
    currency: f.currency('Currency of all money of this trade'),
    fx_rate: f.orNull(
      f.rate(
        "Exchange rate: 1 unit of currency in the user's base currency; null if unknown",
      ),
    ),
    gross_pnl: f.money(
      'Realised P&L before fees, in currency; for an open trade, to date',
    ),
    fees: f.withDefault(f.cost('All costs, as a positive number, in currency'), 0),
    net_pnl: f.derived(f.money('Realised P&L: gross_pnl minus fees, in currency')),
    net_pnl_base: f.derived(
      f.orNull(
        f.money(
          "net_pnl in the user's base currency, for comparing trades; null if fx_rate is unknown",
        ),
      ),
    ),
    realised_pnl: f.derived(
      f.money(
        'Sum of the net P&L of its exits, in currency: net_pnl of a closed trade; of an open one without the costs of the units still open',
      ),
    ),
    initial_risk: f.byPerson(
      f.orNull(f.risk('Amount at risk at entry, as a positive number in currency')),
    ),
    risk: f.derived(
      f.orNull(
        f.risk(
          'initial_risk, else the loss at stop_loss: its distance from entry_price times quantity and multiplier; null without both, or if the stop is not on the losing side',
        ),
      ),
    ),
    r_multiple: f.derived(
      f.orNull(f.ratio('net_pnl divided by risk; null while open or without a risk')),
    ),
    stop_loss: f.byPerson(
      f.orNull(
        f.price(
          'Initial stop price; without initial_risk, risk and r_multiple are computed from it',
        ),
      ),
    ),
    take_profit: f.byPerson(f.orNull(f.price('Target price'))),
    mae: f.byPerson(
      f.orNull(
        f.money(
          'Maximum adverse excursion: worst unrealised P&L while open, in currency',
        ),
      ),
    ),
    mfe: f.byPerson(
      f.orNull(
        f.money(
          'Maximum favourable excursion: best unrealised P&L while open, in currency',
        ),
      ),
    ),
    mae_bound: f.byPerson(
      f.orNull(
        f.money(
          'If mae is from candles, the bound that the trade did not go beyond; null if a platform states mae',
        ),
      ),
    ),
    mfe_bound: f.byPerson(f.orNull(f.money('The same for mfe'))),
    setup: f.byPerson(f.orNull(f.label("Setup, the trade's pattern"))),
    timeframe: f.byPerson(f.orNull(f.label('Chart timeframe, such as 5m'))),
    tags: f.byPerson(tags()),
    mistakes: f.byPerson(mistakes()),
    rating: f.byPerson(f.orNull(f.rating('Rating of the trade, regardless of its P&L'))),
    notes: f.byPerson(f.orNull(f.text('Notes'))),
    fields: f.byPerson(f.traderFields('the trade')),
    attachments: f.byPerson(attachments()),
    group_id: f.byPerson(f.orNull(f.id('Id of its trade group, if it is a leg'))),
    underlying: f.orNull(f.underlying('Underlying symbol of a derivative')),
    expiration: f.orNull(f.expiration('Expiration of an option or future')),
    strike: f.orNull(f.price('Strike price of an option')),
    option_type: f.orNull(f.choice(['call', 'put'], 'Kind of option')),
    source: f.orNull(f.text('Source of the record')),
    ...stamps(),
  })),
  filters: {
    id: byIds('trades'),
    ...tradeFilters,
  },
});

const EXECUTION_SIDES = ['buy', 'sell'] as const;

/**
 * A fill of a trade as it is stored: part of the single trade, not a separate resource.
 */
export const execution = f.record(() => ({
  executed_at: f.instant('Time of the fill'),
  side: f.choice(EXECUTION_SIDES, 'Bought or sold'),
  quantity: f.quantity('Filled quantity'),
  price: f.price('Fill price'),
  fees: f.withDefault(
    f.money("Its fees, in the trade's currency; negative for a rebate"),
    0,
  ),
  has_time: f.withDefault(
    f.flag(
      "false: executed_at is a date without a time, stored as the start of that day in the user's time zone",
    ),
    true,
  ),
}));

/** Fields of an execution that follow from those before it. */
export const executionExits = () => ({
  realised_pnl: f.orNull(
    f.money(
      "What it realised after costs, in the trade's currency: its own costs and its share of those of the units that it closed, the first opened first; null if it opened",
    ),
  ),
  position: f.revealing(
    'money',
    f.number('Quantity held after it, negative if short; in units after later splits'),
  ),
});

export type Trade = z.infer<(typeof trades)['record']>;
