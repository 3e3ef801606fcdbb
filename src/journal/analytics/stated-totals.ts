/**
 * Totals that imported files state, and that differ from the journal for no known reason.
 */
import type * as z from 'zod';
import { roundMoney } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { tradeFilters } from '../resources/trades.ts';
import { type Range, Where } from '../where.ts';

/** Totals that are listed. */
const MOST_LISTED = 5;

export const statedTotalsRecord = f.record(() => ({
  differing: f.count('Totals that differ, of files with trades in the period'),
  totals: f.list(
    f.item({
      import: f.count('Number of the import, as in "journal-api import list"'),
      file: f.text('Name of the file'),
      what: f.choice(
        ['gross', 'net', 'fees', 'position'],
        'P&L before or after costs, costs, or position: open units, negative if short',
      ),
      symbol: f.orNull(f.symbol('Its symbol; null: of all symbols')),
      currency: f.currency('Its currency'),
      stated_as: f.choice(
        ['total', 'rows'],
        'One amount of the file, or the sum of its rows',
      ),
      stated: f.money('Amount of the file'),
      here: f.money(
        "The journal's: of all trades that the file states in whole or in part, and of its unmatched closes",
      ),
      difference: f.money('The journal less the file'),
      cause: f.choice(
        ['unmatched_closes', 'no_trades', 'unknown'],
        'unmatched_closes: some of its closes have no opening, and their rows state no P&L; no_trades: it has no fills of trades',
      ),
    }),
    'The latest imports first, at most five',
  ),
}));

export type StatedTotals = z.infer<typeof statedTotalsRecord>;

/** Filters that apply to the trades of a file as a whole. */
const OF_FILES: readonly string[] = ['account'];

interface Selection {
  range: Range;
  filters: Readonly<Record<string, string>>;
}

interface Row {
  import_id: number;
  file: string;
  what: StatedTotals['totals'][number]['what'];
  symbol: string | null;
  currency: string;
  is_total: number;
  amount: number;
  here: number;
  cause: StatedTotals['totals'][number]['cause'];
  opened_at: string | null;
  closed_at: string | null;
}

export const NO_DIFFERENCE: StatedTotals = { differing: 0, totals: [] };

/** The totals of files with trades in a period; none if a filter chooses trades. */
export function statedTotals(
  reader: Reader,
  user: User,
  { range: { from, to }, filters }: Selection,
): StatedTotals {
  if (Object.keys(filters).some((name) => !OF_FILES.includes(name))) return NO_DIFFERENCE;

  const where = new Where(user.id).filter(tradeFilters, filters, { byIndex: false });
  const sql = `SELECT import_id, file, what, symbol, currency, is_total, amount, here, cause,
      opened_at, closed_at
    FROM stated_totals AS t WHERE ${where.sql} AND cause IS NOT NULL
    ORDER BY import_id DESC, place`;
  const rows = reader
    .all<Row>(sql, ...where.values)
    .filter(
      ({ opened_at, closed_at }) =>
        (from === null || closed_at === null || closed_at >= from) &&
        (to === null || opened_at === null || opened_at < to),
    );

  return { differing: rows.length, totals: rows.slice(0, MOST_LISTED).map(listed) };
}

function listed({
  import_id,
  file,
  what,
  symbol,
  currency,
  is_total,
  amount,
  here,
  cause,
}: Row): StatedTotals['totals'][number] {
  return {
    import: import_id,
    file,
    what,
    symbol,
    currency,
    stated_as: is_total === 1 ? 'total' : 'rows',
    stated: amount,
    here,
    difference: roundMoney(here - amount),
    cause,
  };
}
