/** The same trades by symbol, market, hour and so on. */
import type { ZoneClock } from '../../time.ts';
import * as f from '../fields.ts';
import { mapInSteps } from '../in-steps.ts';
import type { Accumulator, ClosedTrade, Column } from './closed-trade.ts';
import { DIMENSIONS, type Dimension, factsOfDimension, type Key } from './dimensions.ts';
import {
  COLUMNS_OF_ROWS,
  type CountedRow,
  figuresOf,
  merged,
  rowShape,
  sorted,
  spellingsOf,
  withRest,
} from './rows.ts';
import { Tally } from './tally.ts';

/** Rows of breakdowns with text keys and with numeric keys. */
export const namedRow = f.record(() => ({
  key: f.orNull(f.label('The value; null if the trade has none')),
  ...rowShape(),
}));
export const numberedRow = f.record(() => ({ key: f.orNull(f.count('The value')), ...rowShape() }));

const named = (dimension: Dimension) => f.list(namedRow, DIMENSIONS[dimension].by);
const numbered = (dimension: Dimension) => f.list(numberedRow, DIMENSIONS[dimension].by);

export const breakdownsRecord = f.record(() => ({
  symbol: named('symbol'),
  underlying: named('underlying'),
  market: named('market'),
  side: named('side'),
  setup: named('setup'),
  tag: named('tag'),
  mistake: named('mistake'),
  weekday: numbered('weekday'),
  hour: numbered('hour'),
  month: named('month'),
  account: named('account'),
  holding_time: named('holding_time'),
  r_multiple: named('r_multiple'),
}));

export const breakdownDimensions = () => Object.keys(breakdownsRecord.shape) as (keyof typeof breakdownsRecord.shape)[];

/** The rows of one dimension, counted trade by trade. */
export class Breakdown implements Accumulator {
  readonly columns: readonly Column[];
  readonly #dimension: Dimension;
  readonly #keyOf: ReturnType<typeof factsOfDimension>['keyOf'];
  readonly #clock: ZoneClock;
  readonly #tallies = new Map<Key, Tally>();

  constructor(dimension: Dimension, clock: ZoneClock) {
    this.#dimension = dimension;
    const { keyOf, columns = [] } = factsOfDimension(dimension);
    this.#keyOf = keyOf;
    this.columns = [...COLUMNS_OF_ROWS, ...columns];
    this.#clock = clock;
  }

  add(trade: ClosedTrade): void {
    const keys = this.#keyOf(trade, this.#clock);
    if (typeof keys === 'object' && keys !== null) {
      for (const key of keys) this.#addTo(key, trade);
    } else this.#addTo(keys, trade);
  }

  #addTo(key: Key, trade: ClosedTrade): void {
    let tally = this.#tallies.get(key);
    if (!tally) {
      tally = new Tally();
      this.#tallies.set(key, tally);
    }
    tally.add(trade);
  }

  /** Sorted by net P&L, highest first, then by key; rows of an ordered dimension by key. */
  *rows(): Generator<void, CountedRow[]> {
    const { isLabel } = factsOfDimension(this.#dimension);
    const counted = [...this.#tallies];
    const shown = isLabel ? spellingsOf(counted.map(([key, { trades }]) => [key, trades])) : (key: Key) => key;
    const rows = yield* merged(yield* mapInSteps(counted, ([key, tally]) => ({ keys: [shown(key)], tally })));
    return yield* sorted(rows, [this.#dimension]);
  }

  /** @param top maximum rows, before one more row for the rest */
  *result(top: number | null) {
    const rows = withRest(yield* this.rows(), top);
    return yield* mapInSteps(rows, ({ keys: [key], tally, ...marks }) => ({
      key: key as string,
      ...figuresOf(tally),
      ...marks,
    }));
  }
}
