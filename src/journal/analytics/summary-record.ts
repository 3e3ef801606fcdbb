/** What /v1/summary holds. */
import * as z from 'zod';
import * as f from '../fields.ts';
import { IN_BASE } from './base-currency.ts';
import { dataQualityRecord } from './data-quality.ts';
import { journalExtentRecord } from './journal-extent.ts';
import { mistakesRecord } from './mistake-cost.ts';
import { openRecord } from './open-trades.ts';
import { performanceRecord } from './performance-record.ts';
import { periodRecord, spanRecord } from './period.ts';
import { rulesRecord } from './rule-adherence.ts';

/** The longest that a list gets, and the list of weekly reviews. */
export const MAX_ITEMS = 5;
export const MAX_REVIEWS = 4;

const tallyItem = (key: string, description: string) =>
  f.item({
    [key]: f.label(description),
    trades: f.count('Trades'),
    net_pnl: f.money(`Net P&L, ${IN_BASE}`),
    win_rate: f.orNull(f.ratio('Wins over trades, 0 to 1')),
  });

const symbolItem = tallyItem('symbol', 'The symbol');

const mostFrequent = (key: string, what: string) =>
  z.strictObject({
    items: f.list(tallyItem(key, `The ${key}`), `The most frequent ${what}, at most ${MAX_ITEMS}`),
    distinct: f.count(`How many different ${what} there are`),
  });

const excerptField = (what: string) => f.orNull(f.text(`Beginning of ${what}, cut at a word`));

const dates = {
  start: f.instant('Start of the first day'),
  end: f.instant('End of the last day, exclusive'),
  days: f.count("Calendar days in the user's zone"),
  start_date: f.date('The first day'),
  end_date: f.date('The last day, included'),
};

export const summaryRecord = z.strictObject({
  period: periodRecord
    .extend(dates)
    .meta({ description: 'The window: of closed trades by closed_at, of everything else by its own date' }),
  performance: performanceRecord.meta({ description: 'Performance of the trades closed in the window' }),
  previous: performanceRecord
    .pick({ trades: true, net_pnl: true, win_rate: true, profit_factor: true, expectancy: true })
    .meta({ description: 'The same of the window before' }),
  previous_period: spanRecord.extend(dates).meta({
    description:
      'The window before: the calendar period before a calendar period, else the equally long window that ends where this one starts',
  }),
  top_symbols: z
    .strictObject({
      most_traded: f.list(symbolItem, `By number of trades, at most ${MAX_ITEMS}`),
      best: f.list(symbolItem, `With the highest net P&L above 0, at most ${MAX_ITEMS}`),
      worst: f.list(symbolItem, `With the lowest net P&L below 0, at most ${MAX_ITEMS}`),
      distinct: f.count('How many symbols were traded'),
    })
    .meta({ description: 'Symbols of those trades' }),
  common_tags: mostFrequent('tag', 'tags').meta({ description: 'Tags of those trades' }),
  common_mistakes: mostFrequent('mistake', 'mistakes').meta({
    description: 'Mistakes of those trades and of their journal entries',
  }),
  common_setups: mostFrequent('setup', 'setups').meta({ description: 'Setups of those trades' }),
  mistakes: mistakesRecord.meta({ description: 'Trades with mistakes and trades without' }),
  rules: rulesRecord.meta({ description: 'Whether rules were followed, by the journal entries of those trades' }),
  open: openRecord,
  data_quality: dataQualityRecord.meta({ description: 'What is missing in the data' }),
  journal: journalExtentRecord.meta({ description: 'Where the closed trades of the whole journal are' }),
  recent_journals: f.list(
    f.item({
      id: f.id('The entry'),
      type: f.choice(['trade', 'group'], 'What it is about'),
      trade_id: f.orNull(f.id('The trade')),
      group_id: f.orNull(f.id('The trade group')),
      symbol: f.orNull(f.underlying('Symbol or underlying')),
      phase: f.ours('When in the life of the trade it was written'),
      created_at: f.instant('When it was written'),
      title: excerptField('the title'),
      excerpt: excerptField('the body, or else of what went well or wrong'),
      lesson: excerptField('the lesson'),
    }),
    `The newest journal entries of the window, at most ${MAX_ITEMS}`,
  ),
  weekly_reviews: f.list(
    f.item({
      id: f.id('The review'),
      period_start: f.date('First day'),
      period_end: f.date('Last day'),
      rating: f.orNull(f.rating('How good a week it was')),
      summary: excerptField('the summary'),
      lesson: excerptField('the lesson'),
      focus: excerptField('the focus'),
    }),
    `The newest weekly reviews whose week touches the window, at most ${MAX_REVIEWS}`,
  ),
  missed_trades: f.list(
    f.item({
      id: f.id('The missed trade'),
      missed_at: f.instant('When it was missed'),
      symbol: f.underlying('Symbol'),
      side: f.ours('Direction'),
      setup: f.orNull(f.label('Beginning of the setup, cut at a word')),
      miss_type: f.ours('Why it was not taken'),
      hypothetical_outcome: f.ours('How it would have ended'),
      hypothetical_r: f.orNull(f.ratio('R it would have made')),
      reason: excerptField('the reason'),
    }),
    `The newest missed trades of the window, at most ${MAX_ITEMS}`,
  ),
});

export type Summary = z.infer<typeof summaryRecord>;
