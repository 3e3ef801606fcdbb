/** Writes a journal into the real file of a world, replacing its contents. */
import type { Statement } from 'better-sqlite3';
import type { Row, World } from '../../helpers.ts';
import type { Entry, Journal, Missed, Person, Trade } from './reference.ts';

const PERSON: Person = {
  timezone: 'UTC',
  base_currency: 'USD',
  starting_balance: null,
  breakeven_tolerance: 0,
};

/** An ordinary closed trade of one hour. */
export function trade(id: string, more: Partial<Trade> = {}): Trade {
  const closed =
    more.closed_at === undefined ? '2026-11-10T15:00:00.000Z' : more.closed_at;
  return {
    id,
    account: null,
    symbol: 'AAPL',
    market: 'stock',
    side: 'long',
    status: 'closed',
    executed_at: new Date(
      Date.parse(closed ?? '2026-11-10T15:00:00.000Z') - 3_600_000,
    ).toISOString(),
    closed_at: closed,
    currency: 'USD',
    fx_rate: null,
    gross_pnl: 0,
    fees: 0,
    initial_risk: null,
    stop_loss: null,
    entry_price: 100,
    multiplier: 1,
    setup: null,
    underlying: null,
    rating: null,
    tags: [],
    mistakes: [],
    group_id: null,
    quantity: 1,
    mae: null,
    mfe: null,
    mae_bound: null,
    mfe_bound: null,
    timeframe: null,
    expiration: null,
    ...more,
  };
}

/** An empty journal entry. */
export function entry(id: string, trade_id: string, more: Partial<Entry> = {}): Entry {
  return {
    id,
    trade_id,
    rules: [],
    mistakes: [],
    emotions: [],
    followed_plan: null,
    confidence: null,
    ...more,
  };
}

export function missed(id: string, more: Partial<Missed> = {}): Missed {
  return {
    id,
    missed_at: '2026-11-10T15:00:00.000Z',
    symbol: 'AAPL',
    market: 'stock',
    side: 'long',
    setup: null,
    tags: [],
    hypothetical_outcome: 'unknown',
    hypothetical_r: null,
    hypothetical_pnl: null,
    currency: 'USD',
    ...more,
  };
}

export function journal(
  person: Partial<Person> = {},
  trades: Trade[] = [],
  rest: Partial<Journal> = {},
): Journal {
  return {
    person: { ...PERSON, ...person },
    trades,
    entries: [],
    missed: [],
    groups: [],
    groupEntries: [],
    sessions: [],
    ...rest,
  };
}

/** One writer per world: statements are prepared once, and a journal is one transaction. */
export function filler(world: Pick<World, 'db'>): (journal: Journal) => void {
  // There are thousands of journals, and none needs to survive a crash.
  world.db.pragma('synchronous = OFF');
  const statements = new Map<string, Statement>();
  const insert = (table: string, row: Row) => {
    let statement = statements.get(table);
    if (!statement) {
      const names = Object.keys(row);
      statement = world.db.prepare(
        `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`,
      );
      statements.set(table, statement);
    }
    statement.run(row);
  };
  const clear = [
    'executions',
    'trade_journals',
    'group_journals',
    'weekly_reviews',
    'trades',
    'trade_groups',
    'sessions',
    'missed_trades',
  ].map((table) => world.db.prepare(`DELETE FROM ${table}`));
  const person = world.db.prepare(
    `UPDATE users SET timezone = @timezone, base_currency = @base_currency, starting_balance = @starting_balance,
       breakeven_tolerance = @breakeven_tolerance WHERE id = 'me'`,
  );
  return world.db.transaction((journal: Journal) => {
    for (const statement of clear) statement.run();
    person.run(journal.person);
    const unnamed = new Set(journal.trades.flatMap(({ group_id }) => group_id ?? []));
    for (const { id } of journal.groups) unnamed.delete(id);
    const plain = {
      underlying: null,
      strategy: null,
      market: 'stock',
      currency: 'USD',
      initial_risk: null,
      tags: [],
      fields: {},
    };
    for (const group of [
      ...[...unnamed].map((id) => ({ id, ...plain })),
      ...journal.groups,
    ]) {
      insert('trade_groups', {
        user_id: 'me',
        kind: 'custom',
        setup: null,
        rating: null,
        ...group,
        name: group.id,
        status: 'open',
        opened_at: '2000-01-01T00:00:00.000Z',
        tags: JSON.stringify(group.tags),
        fields: JSON.stringify(group.fields ?? {}),
        mistakes: JSON.stringify('mistakes' in group ? group.mistakes : []),
      });
    }
    for (const {
      executions = [],
      open_quantity,
      dated_costs,
      ...trade
    } of journal.trades) {
      insert('trades', {
        user_id: 'me',
        ...trade,
        open_quantity: trade.status === 'open' ? (open_quantity ?? trade.quantity) : 0,
        tags: JSON.stringify(trade.tags),
        mistakes: JSON.stringify(trade.mistakes),
        fields: JSON.stringify(trade.fields ?? {}),
        dated_costs: dated_costs ? JSON.stringify(dated_costs) : null,
      });
      for (const [position, execution] of executions.entries())
        insert('executions', {
          user_id: 'me',
          trade_id: trade.id,
          position,
          ...execution,
        });
    }
    for (const [table, entries] of [
      ['trade_journals', journal.entries],
      ['group_journals', journal.groupEntries],
    ] as const) {
      for (const { rules, mistakes, emotions, followed_plan, ...entry } of entries) {
        const lists = {
          rules: JSON.stringify(rules),
          mistakes: JSON.stringify(mistakes),
          emotions: JSON.stringify(emotions),
        };
        const followed = followed_plan === null ? null : Number(followed_plan);
        insert(table, {
          user_id: 'me',
          ...entry,
          phase: 'review',
          ...lists,
          followed_plan: followed,
        });
      }
    }
    for (const { followed_plan, condition, bias, ...session } of journal.sessions) {
      const review =
        followed_plan === undefined
          ? null
          : JSON.stringify({ followed_plan, mistakes: [] });
      const given = condition !== undefined || bias !== undefined;
      const market_context = given
        ? JSON.stringify({ condition, bias, key_levels: [], news: [] })
        : null;
      const fields = JSON.stringify(session.fields ?? {});
      insert('sessions', { user_id: 'me', ...session, review, market_context, fields });
    }
    for (const trade of journal.missed) {
      insert('missed_trades', {
        user_id: 'me',
        ...trade,
        miss_type: 'away',
        tags: JSON.stringify(trade.tags),
      });
    }
  });
}

/** Closed trades t1, t2, ... with these nets, one per hour from Monday 2026-11-16, 10:00, each held for an hour. */
export function nets(...values: number[]): Trade[] {
  return listed(...values.map((gross_pnl) => ({ gross_pnl })));
}

/** The same, one per day from Thursday 2026-01-01, 10:00. */
export function eachDay(...trades: Partial<Trade>[]): Trade[] {
  return listed(
    ...trades.map((more, i) => ({
      closed_at: new Date(Date.UTC(2026, 0, 1 + i, 10)).toISOString(),
      ...more,
    })),
  );
}

/** The same for trades with further fields. */
export function listed(...trades: Partial<Trade>[]): Trade[] {
  const first = Date.parse('2026-11-16T10:00:00.000Z');
  return trades.map((more, i) =>
    trade(`t${i + 1}`, {
      closed_at: new Date(first + i * 3_600_000).toISOString(),
      ...more,
    }),
  );
}

/** One trade per day, closed at noon UTC. */
export function daily(days: Record<string, number>): Trade[] {
  return listed(
    ...Object.entries(days).map(([day, gross_pnl]) => ({
      gross_pnl,
      closed_at: `${day}T12:00:00.000Z`,
    })),
  );
}
