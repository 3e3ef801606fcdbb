/** Whether candles are those of their symbol and time zone: by how many trades they cover. */

import { UserError } from '../../../errors.ts';
import type { User } from '../../../journal/journal.ts';
import { ZoneClock } from '../../../time.ts';
import { COMMON_ZONES, inOtherZone } from '../../report/notices.ts';
import { candlesOf } from './measure.ts';
import type { ReadCandles } from './read-candles.ts';
import type { StoredTrades } from './stored-trades.ts';
import { symbolOf } from './symbols.ts';

/** Closed trades from the first to the last candle, and those whose fills are within their candles. */
interface Coverage {
  trades: number;
  covered: number;
}

/** A file of candles beside the trades of a journal. */
export class Fitting {
  readonly #file: ReadCandles & { file: string };
  readonly #journal: StoredTrades;

  constructor(file: ReadCandles & { file: string }, journal: StoredTrades) {
    this.#file = file;
    this.#journal = journal;
  }

  /**
   * @param given --symbol
   * @throws UserError if no trade has its symbol, or under half of them are covered
   */
  check(given: string | undefined, user: User): Coverage & { symbol: string } {
    const { file } = this.#file;
    const symbol = symbolOf(file, given, this.#journal.names());
    if (symbol === undefined) {
      const advice = this.#otherSymbol() ?? 'pass --symbol, such as --symbol MNQ';
      throw new UserError(`${file}: its name has no symbol of a trade; ${advice}`);
    }
    const own = this.#covered(symbol);
    if (own.covered * 2 >= own.trades) return { symbol, ...own };
    const advice =
      this.#otherZone(symbol, user) ??
      this.#otherSymbol() ??
      'no other symbol and no common time zone fits; pass --symbol or --timezone';
    throw new UserError(`${file}: covers ${shown(own)} in ${symbol} from its first to its last candle; ${advice}`);
  }

  #covered(symbol: string, moved = (at: number) => at): Coverage {
    const { candles } = this.#file;
    const all = this.#journal
      .during(symbol, candles)
      .filter(({ isOpen }) => !isOpen)
      .map(({ fills }) => fills.map((own) => ({ ...own, at: moved(own.at) })));
    const within = all.filter((fills) => fills.every(({ at }) => at >= candles.first && at < candles.last));
    const covered = within.filter((fills) => typeof candlesOf({ fills }, candles) !== 'string');
    return { trades: within.length, covered: covered.length };
  }

  #otherSymbol(): string | undefined {
    const own = best(this.#journal.names().map((name) => ({ name, ...this.#covered(name) })));
    return own && `pass --symbol ${own.name}, which covers ${shown(own)}`;
  }

  #otherZone(symbol: string, { timezone }: User): string | undefined {
    const { zone } = this.#file;
    const all = [...COMMON_ZONES, timezone].map((name) => {
      // The candles' times are in another zone; or, if they state theirs, those of the trades.
      const clock = new ZoneClock(zone === null ? timezone : name);
      return { name, ...this.#covered(symbol, (at) => inOtherZone(at, clock, zone ?? name)) };
    });
    const own = best(all);
    if (!own || zone !== null) return own && `pass --timezone ${own.name}, which covers ${shown(own)}`;
    return `its times have a zone, but those of the trades seem to be in ${own.name}, which covers ${shown(own)}: journal-api import change ID --timezone ${own.name}`;
  }
}

function shown({ trades, covered }: Coverage): string {
  return `${covered} of ${trades} trade${trades === 1 ? '' : 's'}`;
}

/** The one that covers most trades, if at least half of its own. */
function best<T extends Coverage>(all: readonly T[]): T | undefined {
  const fitting = all.filter(({ trades, covered }) => covered > 0 && covered * 2 >= trades);
  return fitting.sort((a, b) => b.covered - a.covered)[0];
}
