/** Adds context from other records to trades, as far as figures need it: earlier trades of the day, sessions, the usual size. */
import type { Reader } from '../../sqlite/reader.ts';
import { ZoneClock } from '../../time.ts';
import type { User } from '../journal.ts';
import type { ClosedTrade, Column } from './closed-trade.ts';
import { NO_SESSION, type SessionDays, sessionDays } from './session-days.ts';
import { TradingDays } from './trading-days.ts';
import { UsualSizes } from './usual-sizes.ts';

export class ContextReader {
  readonly #clock: ZoneClock;
  readonly #days: TradingDays | null;
  readonly #sessions: SessionDays | null;
  readonly #sizes: UsualSizes | null;

  /** Null if no figure needs context. */
  static *open(
    reader: Reader,
    user: User,
    unit: 'trade' | 'position',
    columns: readonly Column[],
  ): Generator<void, ContextReader | null> {
    const wants = (part: Column) => columns.includes(part);
    if (!wants('sequence') && !wants('session') && !wants('size')) return null;
    const clock = new ZoneClock(user.timezone);
    return new ContextReader(
      clock,
      wants('sequence') ? new TradingDays(reader, user, clock, unit) : null,
      wants('session') ? yield* sessionDays(reader, user) : null,
      wants('size') ? yield* UsualSizes.of(reader, user) : null,
    );
  }

  private constructor(
    clock: ZoneClock,
    days: TradingDays | null,
    sessions: SessionDays | null,
    sizes: UsualSizes | null,
  ) {
    this.#clock = clock;
    this.#days = days;
    this.#sessions = sessions;
    this.#sizes = sizes;
  }

  /** Whether the context of a trade is available without reading more of the journal. */
  isReadyFor({ enteredMs }: ClosedTrade): boolean {
    return this.#days === null || this.#days.has(this.#clock.dayOf(enteredMs));
  }

  /** Reads the missing context of a trade, with pauses. */
  *readFor({ enteredMs }: ClosedTrade): Generator<void, void> {
    yield* this.#days?.load(this.#clock.dayOf(enteredMs)) ?? [];
  }

  addTo(trade: ClosedTrade): void {
    const day = this.#clock.dayOf(trade.enteredMs);
    trade.context = {
      sequence: this.#days?.sequenceOf(day, trade) ?? null,
      session: this.#sessions && (this.#sessions.get(day) ?? NO_SESSION),
      size: this.#sizes && sizeOf(trade, this.#sizes),
    };
  }
}

function sizeOf(trade: ClosedTrade, sizes: UsualSizes): number | null {
  if (trade.quantity === null) return null;
  const median = sizes.medianOf(trade);
  return median === undefined ? null : trade.quantity / median;
}
