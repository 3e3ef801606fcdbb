import { createHash } from 'node:crypto';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type * as z from 'zod';
import * as demo from '../../src/demo/index.ts';
import { factsOf } from '../../src/journal/fields.ts';
import {
  groupJournals,
  missedTrades,
  sessions,
  tradeJournals,
  weeklyReviews,
} from '../../src/journal/resources/journals.ts';
import { execution, tradeGroups, trades } from '../../src/journal/resources/trades.ts';
import { addDays, dayNumber, weekdayOf, ZoneClock } from '../../src/time.ts';
import { ImportHome } from '../import/home.ts';

// A Friday, a Monday, a Sunday, a leap day, days around both clock changes, holidays, and a January.
const DAYS = [
  ...[
    '2026-11-20',
    '2026-11-23',
    '2026-11-22',
    '2028-02-29',
    '2027-03-14',
    '2027-03-15',
    '2026-11-01',
    '2026-11-02',
  ],
  ...['2026-12-25', '2027-01-01', '2026-11-27', '2027-07-05'],
];
const RESOURCES = [
  trades,
  tradeGroups,
  tradeJournals,
  groupJournals,
  sessions,
  weeklyReviews,
  missedTrades,
] as const;
/** Holidays of the New York Stock Exchange, from its own calendar. */
const HOLIDAYS = [
  ...[
    '2025-11-27',
    '2025-12-25',
    '2026-01-01',
    '2026-01-19',
    '2026-02-16',
    '2026-04-03',
    '2026-05-25',
    '2026-06-19',
  ],
  ...[
    '2026-07-03',
    '2026-09-07',
    '2026-11-26',
    '2026-12-25',
    '2027-01-01',
    '2027-01-18',
    '2027-02-15',
    '2027-03-26',
  ],
  ...[
    '2027-05-31',
    '2027-06-18',
    '2027-07-05',
    '2027-09-06',
    '2027-11-25',
    '2027-12-24',
    '2028-01-17',
    '2028-02-21',
  ],
];
const clock = new ZoneClock('America/New_York');

type Row = Record<string, unknown>;
interface SampleExecution {
  executed_at: string;
  side: 'buy' | 'sell';
  quantity: number;
  price: number;
  fees: number;
}

type SampleTrade = Record<
  'id' | 'account' | 'symbol' | 'market' | 'side' | 'status' | 'currency' | 'setup',
  string
> &
  Record<
    'multiplier' | 'quantity' | 'open_quantity' | 'entry_price' | 'fees' | 'gross_pnl',
    number
  > &
  Record<'exit_price' | 'fx_rate' | 'stop_loss' | 'mae' | 'mfe', number | null> & {
    executed_at: string;
    closed_at: string | null;
    group_id?: string;
    mistakes: string[];
    executions: SampleExecution[];
  };

interface Records {
  trades: SampleTrade[];
  'trade-groups': any[];
  'trade-journals': any[];
  'group-journals': any[];
  sessions: any[];
  'weekly-reviews': any[];
  'missed-trades': any[];
}

const sampleJournal = (today: string) => {
  const { user, records } = demo.sampleJournal(today);
  return { user, records: records as unknown as Records };
};

const rowsOf = (journal: Records, resource: (typeof RESOURCES)[number]) =>
  journal[resource.path] as unknown as Row[];

/** Net P&L of closed trades in dollars, excluding those without an exchange rate, as the analytics does. */
function nets(of: readonly SampleTrade[]): number[] {
  return of
    .filter(
      (trade) => trade.closed_at !== null && (trade.currency === 'USD' || trade.fx_rate),
    )
    .map((trade) => (trade.gross_pnl - trade.fees) * (trade.fx_rate ?? 1));
}

/** Every time and date in a record, except expirations. */
function moments(value: unknown): string[] {
  if (typeof value === 'string')
    return /^\d{4}-\d\d-\d\d(T|$)/.test(value) ? [value] : [];
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === 'expiration' ? [] : moments(inner),
  );
}

describe('the sample journal', () => {
  it('is the same for the same day', () => {
    const first = sampleJournal('2026-11-20');
    expect(sampleJournal('2026-11-20')).toEqual(first);
    expect(
      createHash('sha256').update(JSON.stringify(first)).digest('hex').slice(0, 16),
    ).toBe('aae70c801cf7b6a7');
  });

  it('moves by whole weeks, and keeps weekdays and times of day in New York', () => {
    expect(sampleJournal('2026-11-26')).toEqual(sampleJournal('2026-11-20'));
    const [first, later] = [sampleJournal('2026-11-20'), sampleJournal('2027-02-26')].map(
      ({ records }) => records.trades,
    );
    const days = 14 * 7;
    for (const [i, trade] of (first as SampleTrade[]).entries()) {
      const moved = later?.[i] as SampleTrade;
      const [from, to] = [trade, moved].map(({ executed_at }) =>
        Date.parse(executed_at),
      ) as [number, number];
      expect(clock.dateOf(to), trade.id).toBe(addDays(clock.dateOf(from), days));
      expect(clock.hourOf(to), trade.id).toBe(clock.hourOf(from));
      const option = /^([A-Z]+)(\d\d)(\d\d)(\d\d)(.*)$/.exec(trade.symbol);
      if (!option || trade.market !== 'option') continue;
      const [, symbol, year, month, day, rest] = option;
      const expiration = addDays(`20${year}-${month}-${day}`, days)
        .slice(2)
        .replaceAll('-', '');
      expect(moved.symbol).toBe(`${symbol}${expiration}${rest}`);
    }
  });
});

describe.each(DAYS)('the sample journal on %s', (today) => {
  const { user, records: journal } = sampleJournal(today);
  const closed = journal.trades.filter((trade) => trade.closed_at !== null);

  it.each(RESOURCES.map((resource) => [resource.path, resource] as const))(
    'has valid %s',
    (_, resource) => {
      const shape = resource.record.shape as Record<string, z.ZodType>;
      const facts = new Set(
        Object.keys(shape).filter((name) => !factsOf(shape[name]!).derived),
      );
      const wrong = rowsOf(journal, resource).flatMap((row) =>
        Object.keys(row)
          .filter((name) => name !== 'executions')
          .filter(
            (name) => !facts.has(name) || !shape[name]!.safeParse(row[name]).success,
          )
          .map((name) => `${row.id} ${name}: ${row[name]}`),
      );
      expect(wrong).toEqual([]);
      expect(new Set(rowsOf(journal, resource).map((row) => row.id)).size).toBe(
        rowsOf(journal, resource).length,
      );
    },
  );

  it('has a year of everything', () => {
    const within = (count: number, low: number, high: number) =>
      expect(count >= low && count <= high, `${count}`).toBe(true);
    within(journal.trades.length, 380, 440);
    within(journal.trades.length - closed.length, 3, 8);
    within(journal['trade-groups'].length, 12, 18);
    within(journal['trade-journals'].length, 130, 190);
    within(journal['group-journals'].length, 10, 20);
    within(journal.sessions.length, 100, 170);
    within(journal['weekly-reviews'].length, 49, 54);
    expect(journal['missed-trades']).toHaveLength(25);
    expect(new Set(journal['missed-trades'].map((missed) => missed.miss_type)).size).toBe(
      7,
    );
    expect(new Set(journal.trades.map((trade) => trade.market))).toEqual(
      new Set(['stock', 'option', 'future', 'forex', 'crypto']),
    );
    within(
      journal.trades.filter((trade) => trade.currency !== 'USD' && !trade.fx_rate).length,
      2,
      3,
    );
    expect(new Set(journal['trade-groups'].map((group) => group.kind))).toEqual(
      new Set(['multi_leg', 'scaled', 'rolled', 'hedge']),
    );
  });

  it('has plausible results', () => {
    const results = nets(closed);
    const wins = results.filter((net) => net > 5);
    const gains = results.filter((net) => net > 0).reduce((sum, net) => sum + net, 0);
    const losses = results.filter((net) => net < 0).reduce((sum, net) => sum - net, 0);
    expect(wins.length / results.length).toBeGreaterThan(0.46);
    expect(wins.length / results.length).toBeLessThan(0.53);
    expect(gains / losses).toBeGreaterThan(1.25);
    expect(gains / losses).toBeLessThan(1.6);
    expect(results.filter((net) => Math.abs(net) <= 5).length).toBeGreaterThan(2);
    const slips = nets(closed.filter((trade) => trade.mistakes.length > 0));
    const clean = nets(closed.filter((trade) => trade.mistakes.length === 0));
    const mean = (of: number[]) => of.reduce((sum, net) => sum + net, 0) / of.length;
    expect(mean(slips)).toBeLessThan(mean(clean));
  });

  it('has figures that follow from the executions', () => {
    for (const trade of journal.trades) {
      const opens = trade.side === 'long' ? 'buy' : 'sell';
      const sum = (
        side: boolean,
        of: (one: (typeof trade.executions)[number]) => number,
      ) =>
        trade.executions
          .filter((one) => (one.side === opens) === side)
          .reduce((all, one) => all + of(one), 0);
      const quantity = (one: { quantity: number }) => one.quantity;
      const value = (one: { quantity: number; price: number }) =>
        one.quantity * one.price;
      expect(
        trade.executions.every(
          (one) => execution.safeParse({ has_time: true, ...one }).success,
        ),
      ).toBe(true);
      expect(trade.quantity).toBeCloseTo(sum(true, quantity), 8);
      expect(trade.open_quantity).toBeCloseTo(
        sum(true, quantity) - sum(false, quantity),
        8,
      );
      expect(trade.entry_price).toBeCloseTo(sum(true, value) / sum(true, quantity), 7);
      if (trade.exit_price !== null)
        expect(trade.exit_price).toBeCloseTo(sum(false, value) / sum(false, quantity), 7);
      if (trade.status === 'closed') {
        const flow = trade.executions.reduce(
          (all, one) =>
            all + (one.side === 'sell' ? 1 : -1) * value(one) * trade.multiplier,
          0,
        );
        expect(trade.gross_pnl).toBeCloseTo(flow, 6);
        expect(trade.open_quantity).toBe(0);
      }
      expect(trade.fees).toBeCloseTo(
        trade.executions.reduce((all, one) => all + one.fees, 0),
        8,
      );
      const times = trade.executions.map((one) => one.executed_at);
      expect(times).toEqual(times.toSorted());
      expect(trade.executed_at).toBe(times[0]);
      if (trade.closed_at !== null) expect(trade.closed_at).toBe(times.at(-1));
      if (trade.mae != null)
        expect(trade.mae).toBeLessThanOrEqual(Math.min(0, trade.gross_pnl) + 0.005);
      if (trade.mfe != null)
        expect(trade.mfe).toBeGreaterThanOrEqual(Math.max(0, trade.gross_pnl) - 0.005);
    }
  });

  it('never holds two positions of one symbol in one account', () => {
    const until = new Map<string, string>();
    for (const trade of journal.trades) {
      const key = `${trade.account} ${trade.symbol}`;
      expect((until.get(key) ?? '') < trade.executed_at, `${trade.id} ${key}`).toBe(true);
      until.set(key, trade.closed_at ?? '9999');
    }
  });

  it('has nothing from today or later, and a trade closed in the last week', () => {
    const rows = RESOURCES.flatMap((resource) => rowsOf(journal, resource));
    const dayOf = (moment: string) =>
      moment.length === 10 ? moment : clock.dateOf(Date.parse(moment));
    const late = rows.flatMap((row) =>
      moments(row).filter((moment) => dayOf(moment) >= today),
    );
    expect(late).toEqual([]);
    expect(rows.filter((row) => String(row.updated_at) < String(row.created_at))).toEqual(
      [],
    );
    const days = closed.map((trade) => clock.dateOf(Date.parse(trade.closed_at!)));
    expect(days.some((day) => day >= addDays(today, -7))).toBe(true);
  });

  it('has the variety of a real year', () => {
    const single = journal.trades.filter((trade) => !trade.group_id);
    const share = (of: (trade: SampleTrade) => unknown) =>
      single.filter(of).length / single.length;
    expect(share((trade) => trade.stop_loss)).toBeGreaterThan(0.75);
    expect(share((trade) => !trade.stop_loss)).toBeGreaterThan(0.05);
    expect(share((trade) => trade.executions.length > 2)).toBeGreaterThan(0.15);
    expect(new Set(single.map((trade) => trade.setup)).size).toBe(8);
    expect(new Set(single.flatMap((trade) => trade.mistakes)).size).toBe(6);
    // Legs are opened together, and an open trade was sold in part.
    const times = journal.trades.map((trade) => trade.executed_at);
    expect(new Set(times).size).toBeLessThan(times.length);
    expect(
      journal.trades.some(
        (trade) => trade.status === 'open' && trade.exit_price !== null,
      ),
    ).toBe(true);
    for (const group of journal['trade-groups'])
      expect(group.initial_risk, group.id).toBeGreaterThan(0);
  });

  it('has texts that match the figures', () => {
    const texts = JSON.stringify(journal, (name, value) =>
      name === 'executions' ? undefined : value,
    );
    expect(texts.match(/\{\w+\}|undefined|NaN|Infinity/)).toBeNull();
    const trades = new Map(journal.trades.map((trade) => [trade.id, trade]));
    for (const entry of journal['trade-journals'].filter(
      (one) => one.phase === 'post_trade' && /[+-][\d,]+ [A-Z]{3}/.test(one.body!),
    )) {
      const { gross_pnl, fees, currency } = trades.get(entry.trade_id)!;
      const net = gross_pnl - fees;
      const words = `${net < 0 ? '-' : '+'}${Math.round(Math.abs(net)).toLocaleString('en-US')} ${currency}`;
      expect(entry.body, entry.id).toContain(words);
    }
    for (const { id, summary, period_start, period_end } of journal['weekly-reviews']) {
      const week = closed.filter((trade) => {
        const day = clock.dateOf(Date.parse(trade.closed_at!));
        return day >= period_start && day <= period_end;
      });
      const net = nets(week).reduce((sum, one) => sum + one, 0);
      const words = `${week.length} closed, ${nets(week).filter((one) => one > 5).length} of them winners, ${net < 0 ? '-' : '+'}${Math.round(Math.abs(net)).toLocaleString('en-US')} USD after costs.`;
      if (
        week.every((trade) => trade.currency === 'USD' || trade.fx_rate) &&
        week.length > 0
      )
        expect(summary, id).toBe(words);
    }
  });

  it('trades stocks while their market is open', () => {
    for (const trade of journal.trades.filter(
      ({ market }) => market === 'stock' || market === 'option',
    )) {
      for (const { executed_at } of trade.executions) {
        const date = clock.dateOf(Date.parse(executed_at));
        expect(weekdayOf(dayNumber(date)), `${trade.id} ${date}`).toBeLessThanOrEqual(5);
        // Moved by weeks, a day may be a holiday.
        if (today === '2026-11-20') expect(HOLIDAYS, trade.id).not.toContain(date);
        expect([9, 10, 11, 12, 13, 14, 15], trade.id).toContain(
          clock.hourOf(Date.parse(executed_at)),
        );
      }
    }
  });

  it('imports unchanged, with every check and reference intact', () => {
    const { id, ...settings } = user;
    const home = new ImportHome().withUser(id, settings);
    const files = RESOURCES.map((resource) =>
      home.lines(`${resource.path}.jsonl`, ...rowsOf(journal, resource)),
    );
    const report = home.import(files);
    const added = Object.fromEntries(
      report.files.map((file) => [file.resource, file.added]),
    );
    expect(added).toEqual(
      Object.fromEntries(
        Object.entries(journal).map(([path, list]) => [path, list.length]),
      ),
    );
    const db = new Database(home.journal, { readonly: true });
    expect(db.pragma('foreign_key_check')).toEqual([]);
    const count = db
      .prepare("SELECT count(*) FROM trade_records WHERE outcome = 'breakeven'")
      .pluck();
    expect(count.get()).toBeGreaterThan(2);
    const groups = db
      .prepare('SELECT min(leg_count) FROM trade_group_records WHERE net_pnl IS NOT NULL')
      .pluck();
    expect(groups.get()).toBe(2);
    db.close();
  });
});
