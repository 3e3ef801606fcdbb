/** Fields of /v1/summary. */

import * as z from 'zod';
import { type Reader, TEXT } from '../../sqlite/reader.ts';
import * as f from '../fields.ts';
import type { User } from '../journal.ts';
import { once } from '../once.ts';
import { IN_BASE } from './closed-trade.ts';
import { dataQualityRecord, mistakesRecord, rulesRecord } from './discipline.ts';
import { openRecord } from './other-trades.ts';
import { performanceRecord } from './performance.ts';
import { periodRecord, spanRecord } from './period.ts';

// First, last and number of the journal's closed trades.

export const journalExtentRecord = f.record(() => ({
  first_trade_at: f.orNull(
    f.instant('Close of the first closed trade; null without any'),
  ),
  last_trade_at: f.orNull(f.instant('Close of the last one; null without any')),
  closed_trades: f.count('Number of closed trades, with or without an exchange rate'),
}));

/**
 * Extent of the journal's closed trades, so that the response of an empty period shows
 * where they are.
 */
export function journalExtent(
  reader: Reader,
  user: User,
): z.infer<typeof journalExtentRecord> {
  const end = (order: string) =>
    reader.get<{ closed_at: string }>(
      `SELECT closed_at FROM trades WHERE user_id = ${TEXT} AND closed_at IS NOT NULL ORDER BY closed_at ${order} LIMIT 1`,
      user.id,
    )?.closed_at ?? null;

  const count = (condition: string) => {
    const sql = `SELECT count(*) AS n FROM trades WHERE user_id = ${TEXT} ${condition}`;
    return reader.only<{ n: number }>(sql, user.id).n;
  };

  return {
    first_trade_at: end('ASC'),
    last_trade_at: end('DESC'),
    // Half the time of counting the closed ones by their index.
    closed_trades: count('') - count("AND status = 'open'"),
  };
}

/** Maximum items of a list, and of the weekly reviews. */
export const MAX_ITEMS = 5;
export const MAX_REVIEWS = 4;

const tallyItem = (key: string, description: string) =>
  f.item({
    [key]: f.label(description),
    trades: f.count('Trades'),
    net_pnl: f.money(`Net P&L, ${IN_BASE}`),
    win_rate: f.orNull(f.ratio('Wins over trades, 0 to 1')),
  });

const symbolItem = once(() => tallyItem('symbol', 'The symbol'));

const mostFrequent = (key: string, what: string) =>
  z.strictObject({
    items: f.list(
      tallyItem(key, `The ${key}`),
      `The most frequent ${what}, a maximum of ${MAX_ITEMS}`,
    ),
    distinct: f.count(`Number of different ${what}`),
  });

const excerptField = (what: string) =>
  f.orNull(f.text(`Beginning of ${what}, cut at a word`));

const dates = once(() => ({
  start: f.instant('Start of the first day'),
  end: f.instant('End of the last day, exclusive'),
  days: f.count("Calendar days in the user's time zone"),
  start_date: f.date('The first day'),
  end_date: f.date('The last day, included'),
}));

export const summaryRecord = f.record(() => ({
  period: periodRecord.extend(dates()).meta({
    description:
      'The period: closed trades by closed_at, all other records by their own date',
  }),
  performance: performanceRecord.meta({
    description: 'Performance of the trades closed in the period',
  }),
  previous: performanceRecord
    .pick({
      trades: true,
      net_pnl: true,
      win_rate: true,
      profit_factor: true,
      expectancy: true,
    })
    .meta({ description: 'The same for the previous period' }),
  previous_period: spanRecord.extend(dates()).meta({
    description:
      'The previous period: the previous calendar period for a calendar period, else one of equal length that ends at the start of this one',
  }),
  top_symbols: z
    .strictObject({
      most_traded: f.list(symbolItem(), `By number of trades, a maximum of ${MAX_ITEMS}`),
      best: f.list(
        symbolItem(),
        `With the highest net P&L above 0, a maximum of ${MAX_ITEMS}`,
      ),
      worst: f.list(
        symbolItem(),
        `With the lowest net P&L below 0, a maximum of ${MAX_ITEMS}`,
      ),
      distinct: f.count('Number of traded symbols'),
    })
    .meta({ description: 'Symbols of these trades' }),
  common_tags: mostFrequent('tag', 'tags').meta({ description: 'Tags of these trades' }),
  common_mistakes: mostFrequent('mistake', 'mistakes').meta({
    description: 'Mistakes of these trades and of their journal entries',
  }),
  common_setups: mostFrequent('setup', 'setups').meta({
    description: 'Setups of these trades',
  }),
  mistakes: mistakesRecord.meta({
    description: 'Trades with mistakes and trades without',
  }),
  rules: rulesRecord.meta({
    description: 'Whether rules were followed, by the journal entries of these trades',
  }),
  open: openRecord,
  data_quality: dataQualityRecord.meta({ description: 'Missing data' }),
  journal: journalExtentRecord.meta({
    description: 'First, last and number of all closed trades of the journal',
  }),
  recent_journals: f.list(
    f.item({
      id: f.id('The entry'),
      type: f.choice(['trade', 'group'], 'Kind of record it belongs to'),
      trade_id: f.orNull(f.id('The trade')),
      group_id: f.orNull(f.id('The trade group')),
      symbol: f.orNull(f.underlying('Symbol or underlying')),
      phase: f.ours('Phase of the trade when it was written'),
      created_at: f.instant('Time of creation'),
      title: excerptField('the title'),
      excerpt: excerptField('the body, or else went_well or went_wrong'),
      lesson: excerptField('the lesson'),
    }),
    `The newest journal entries of the period, a maximum of ${MAX_ITEMS}`,
  ),
  weekly_reviews: f.list(
    f.item({
      id: f.id('The review'),
      period_start: f.date('First day'),
      period_end: f.date('Last day'),
      rating: f.orNull(f.rating('Rating of the week')),
      summary: excerptField('the summary'),
      lesson: excerptField('the lesson'),
      focus: excerptField('the focus'),
    }),
    `The newest weekly reviews that share a day with the period, a maximum of ${MAX_REVIEWS}`,
  ),
  missed_trades: f.list(
    f.item({
      id: f.id('The missed trade'),
      missed_at: f.instant('Time of the missed entry'),
      symbol: f.underlying('Symbol'),
      side: f.ours('Direction'),
      setup: f.orNull(f.label('Beginning of the setup, cut at a word')),
      miss_type: f.ours('Reason type for missing it'),
      hypothetical_outcome: f.ours('Hypothetical outcome'),
      hypothetical_r: f.orNull(f.ratio('Hypothetical R')),
      reason: excerptField('the reason'),
    }),
    `The newest missed trades of the period, a maximum of ${MAX_ITEMS}`,
  ),
}));

export type Summary = z.infer<typeof summaryRecord>;
