/** Exchange rates by day and currency. */
import { addDays } from '../time.ts';

/** Maximum age of the rate used for weekends and holidays: Easter and Christmas skip four days. */
const DAYS_BACK = 7;

export class DailyRates {
  readonly #byCurrency = new Map<string, Map<string, number>>();

  /** @returns the stored rate if it differs */
  add(currency: string, date: string, rate: number): number | undefined {
    let own = this.#byCurrency.get(currency);
    if (!own) {
      own = new Map();
      this.#byCurrency.set(currency, own);
    }
    const before = own.get(date);
    if (before !== undefined && before !== rate) return before;
    own.set(date, rate);
    return undefined;
  }

  /** The rate of a day, else the latest of the week before. */
  at(currency: string, date: string): number | undefined {
    const own = this.#byCurrency.get(currency);
    for (let back = 0; own && back <= DAYS_BACK; back++) {
      const rate = own.get(addDays(date, -back));
      if (rate !== undefined) return rate;
    }
    return undefined;
  }
}
