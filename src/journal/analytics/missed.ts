/** Missed trades: what they would have made, never part of any other figure. */
import type * as z from 'zod';
import { roundMoney, roundRatio, Sum } from '../../money.ts';
import { foldCase } from '../../sqlite/functions.ts';
import type { Reader, Row } from '../../sqlite/reader.ts';
import type { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { visitLabels } from '../labels.ts';
import { missingLabels } from '../missing-labels.ts';
import { once, remembered } from '../once.ts';
import { missedTrades } from '../resources/missed-trades.ts';
import { tradeFilters } from '../resources/trades.ts';
import { storedList, storedNumber } from '../stored-value.ts';
import { Where } from '../where.ts';
import { IN_BASE } from './closed-trade.ts';
import type { Selection } from './condition.ts';
import { filtersIgnored, ignoring } from './condition.ts';
import { compareKeys, type Key } from './dimensions.ts';
import { type Asked, periodFields, periodRecord, rangeOf } from './period.ts';
import { spellingsOf } from './tally.ts';
import { uniqueLabels } from './trade-rows.ts';

const sums = once(() => ({
  hypothetical_r: f.ratio('Sum of their hypothetical R'),
  hypothetical_pnl: f.money(`Sum of their hypothetical P&L, only of those ${IN_BASE}`),
  forgone_gain: f.money(`Sum of the amounts above 0, ${IN_BASE}`),
  avoided_loss: f.money(`Sum of the amounts below 0, as a positive amount ${IN_BASE}`),
  unknown: f.count('Missed trades with an unknown outcome'),
}));

export const missedRecord = f.record(() => ({
  count: f.count(
    'Missed trades of the period; the filters market, symbol, underlying, side, setup and tag apply',
  ),
  ...sums(),
  filters_ignored: filtersIgnored(),
}));

interface MissedTradeRow {
  hypothetical_outcome: string;
  hypothetical_r: number | null;
  hypothetical_pnl: number | null;
  currency: string;
}

const COLUMNS = 'hypothetical_outcome, hypothetical_r, hypothetical_pnl, currency';

/** Counts missed trades. */
class MissedTally {
  readonly #user: User;
  readonly #r = new Sum();
  readonly #gain = new Sum();
  readonly #loss = new Sum();
  #unknown = 0;
  count = 0;

  constructor(user: User) {
    this.#user = user;
  }

  add({
    hypothetical_outcome,
    hypothetical_r,
    hypothetical_pnl,
    currency,
  }: MissedTradeRow): void {
    this.count++;
    if (hypothetical_outcome === 'unknown') this.#unknown++;
    if (hypothetical_r !== null) this.#r.add(storedNumber(hypothetical_r));
    if (hypothetical_pnl === null || currency !== this.#user.base_currency) return;
    (hypothetical_pnl > 0 ? this.#gain : this.#loss).add(storedNumber(hypothetical_pnl));
  }

  result() {
    return {
      count: this.count,
      hypothetical_r: roundRatio(this.#r.value),
      hypothetical_pnl: roundMoney(this.#gain.value + this.#loss.value),
      forgone_gain: roundMoney(this.#gain.value),
      avoided_loss: roundMoney(-this.#loss.value),
      unknown: this.#unknown,
    };
  }
}

/**
 * Trade filters with a column in missed trades. These have no underlying, so that filter
 * uses the symbol.
 */
const { market, symbol, side, setup, tag, underlying } = tradeFilters;
const MISSED_FILTERS = {
  market,
  symbol,
  side,
  setup,
  tag,
  underlying: { ...underlying, column: 'symbol' },
};

/**
 * Missed trades of a selection, by the day on which they were missed.
 * @param ignored parameters of the request that don't apply, besides filters
 */
export function missedTradesOf(
  reader: Reader,
  user: User,
  { range, filters }: Selection,
  ignored: readonly string[],
): z.infer<typeof missedRecord> {
  const where = new Where(user.id);
  const given = Object.entries(filters).filter(([name]) =>
    Object.hasOwn(MISSED_FILTERS, name),
  );
  where.filter(MISSED_FILTERS, Object.fromEntries(given), { byIndex: false });
  where.range('missed_at', range);

  const rows = reader.all<MissedTradeRow>(
    `SELECT ${COLUMNS} FROM missed_trades AS t WHERE ${where.sql}`,
    ...where.values,
  );
  const tally = new MissedTally(user);
  for (const row of rows) tally.add(row);

  return {
    ...tally.result(),
    ...ignoring([
      ...Object.keys(filters).filter((name) => !Object.hasOwn(MISSED_FILTERS, name)),
      ...ignored,
    ]),
  };
}

// Their own figures, by what they have.

/** What missed trades are grouped by. */
const GROUPS = {
  miss_type: {
    column: 'miss_type',
    by: 'Category of the reason for not taking it',
    isList: false,
  },
  emotion: {
    column: 'emotions',
    by: 'Emotion; with two, it counts in two rows',
    isList: true,
  },
  symbol: { column: 'symbol', by: 'Symbol', isList: false },
  market: { column: 'market', by: 'Market', isList: false },
  side: { column: 'side', by: 'Side', isList: false },
  setup: { column: 'setup', by: 'Setup', isList: false },
  tag: { column: 'tags', by: 'Tag; with two, it counts in two rows', isList: true },
} as const;

const OCTETS =
  'octet_length(emotions) + octet_length(tags) + coalesce(octet_length(setup), 0)';

export type MissedGroup = keyof typeof GROUPS;
export const MISSED_GROUPS = Object.keys(GROUPS) as MissedGroup[];

const keysRecord = f.record(() =>
  Object.fromEntries(
    Object.entries(GROUPS).map(([name, { by }]) => [
      name,
      f.orNull(f.label(by)).optional(),
    ]),
  ),
);

export const missedFiguresRecord = f.record(() => ({
  period: periodRecord.meta({ description: 'The period, by missed_at' }),
  count: f.count('Missed trades of the period that match the filters'),
  ...sums(),
  groups: f
    .list(
      f.record(() => ({
        by: keysRecord.meta({
          description:
            'A key for each name of group_by, null for missed trades without one',
        }),
        count: f.count('Missed trades'),
        ...sums(),
      })),
      'The same missed trades by group_by, most frequent first; absent without it',
    )
    .optional(),
}));

/** A request for figures of missed trades. */
export interface MissedQuestion {
  asked: Asked;
  /** Filters of the list of missed trades by name. */
  filters: Readonly<Record<string, string>>;
  groupBy: readonly MissedGroup[];
}

/** With the columns of its groups. */
type GroupedRow = MissedTradeRow & Row;

/** The rows of groups, by their keys in one letter case. */
class MissedRows {
  readonly #user: User;
  readonly #groupBy: readonly MissedGroup[];
  readonly #rows = new Map<string, { keys: readonly Key[]; tally: MissedTally }>();
  /** For each name, numbers of missed trades by spelling. */
  readonly #counts: readonly Map<Key, number>[];
  readonly #list = remembered((json) => uniqueLabels(storedList(json) as string[]));

  constructor(user: User, groupBy: readonly MissedGroup[]) {
    this.#user = user;
    this.#groupBy = groupBy;
    this.#counts = groupBy.map(() => new Map());
  }

  add(row: GroupedRow): void {
    const [firsts, seconds = [null]] = this.#groupBy.map((name, i) => {
      const keys = this.#keysOf(name, row);
      const counts = this.#counts[i] as Map<Key, number>;
      for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
      return keys;
    }) as [Key[], Key[]?];

    for (const first of firsts)
      for (const second of seconds) this.#tallyOf([first, second]).add(row);
  }

  #keysOf(name: MissedGroup, row: Row): readonly Key[] {
    const value = row[GROUPS[name].column] as string | null;
    if (!GROUPS[name].isList) return [value];
    const labels = this.#list(value as string);
    return labels.length === 0 ? [null] : labels;
  }

  #tallyOf(keys: readonly Key[]): MissedTally {
    const name = JSON.stringify(keys.map((key) => key && foldCase(String(key))));
    const row = this.#rows.get(name) ?? { keys, tally: new MissedTally(this.#user) };
    this.#rows.set(name, row);
    return row.tally;
  }

  /** Most frequent first. */
  result() {
    const shown = this.#counts.map(spellingsOf);
    const rows = Array.from(this.#rows.values(), ({ keys, tally }) => ({
      keys: this.#groupBy.map((_, i) => (shown[i] as (key: Key) => Key)(keys[i] as Key)),
      tally,
    }));
    const byKeys = (a: readonly Key[], b: readonly Key[]) =>
      a.reduce<number>((order, key, i) => order || compareKeys(key, b[i] as Key), 0);
    rows.sort((a, b) => b.tally.count - a.tally.count || byKeys(a.keys, b.keys));

    return rows.map(({ keys, tally }) => ({
      by: Object.fromEntries(
        this.#groupBy.map((name, i) => [name, keys[i] as string | null]),
      ),
      ...tally.result(),
    }));
  }
}

/** @returns the figures, and a hint about labels in filters that no missed trade has */
export function missedFigures(
  reader: Reader,
  user: User,
  { asked, filters, groupBy }: MissedQuestion,
  clock: ZoneClock,
): { data: z.infer<typeof missedFiguresRecord>; hint: string } {
  const all = new MissedTally(user);
  const rows = new MissedRows(user, groupBy);

  const source = {
    resource: missedTrades,
    columns: () => [COLUMNS, ...groupBy.map((name) => GROUPS[name].column)].join(', '),
    ofRow: OCTETS,
    octets: OCTETS,
    range: rangeOf(asked.span),
    filters,
  };
  visitLabels<GroupedRow>(reader, user, source, (row) => {
    all.add(row);
    if (groupBy.length > 0) rows.add(row);
  });

  return {
    data: {
      period: periodFields(clock, asked),
      ...all.result(),
      ...(groupBy.length > 0 && { groups: rows.result() }),
    },
    hint:
      all.count === 0 ? missingLabels(reader, user, missedTrades, filters).join(' ') : '',
  };
}
