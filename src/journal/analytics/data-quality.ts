import type * as z from 'zod';
import * as f from '../fields.ts';
import type { Accumulator, ClosedTrade } from './closed-trade.ts';

export const dataQualityRecord = f.record(() => ({
  without_stop: f.count('Trades in the figures without a stop price'),
  without_journal: f.count(
    'Trades in the figures without a journal entry; with unit=position, an entry of any leg or of the trade group counts',
  ),
  without_rate: f.count('Closed trades excluded from figures: in another currency without an fx_rate'),
  currencies_left_out: f.strings('The currencies of these trades, sorted', 'nothing'),
}));

/** Counts missing data of the trades in the figures, and the trades excluded from figures. */
export class DataQuality implements Accumulator {
  readonly columns = ['stop', 'entries'] as const;
  #withoutRate = 0;
  readonly #currencies = new Set<string>();
  #withoutStop = 0;
  #withoutJournal = 0;

  add({ hasStop, journalRules }: ClosedTrade): void {
    if (!hasStop) this.#withoutStop++;
    if (journalRules.length === 0) this.#withoutJournal++;
  }

  /** @param currencies all currencies without an exchange rate of one trade or position */
  addWithoutRate(currencies: readonly string[]): void {
    this.#withoutRate++;
    for (const currency of currencies) this.#currencies.add(currency);
  }

  result(): z.infer<typeof dataQualityRecord> {
    return {
      without_stop: this.#withoutStop,
      without_journal: this.#withoutJournal,
      without_rate: this.#withoutRate,
      currencies_left_out: [...this.#currencies].sort(),
    };
  }
}
