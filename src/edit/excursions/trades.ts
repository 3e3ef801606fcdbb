/**
 * Trades of the journal that candles may measure, and whether candles are those of their
 * symbol and time zone.
 */

import { basename } from 'node:path';
import type Database from 'better-sqlite3';
import { nearest, UserError } from '../../errors.ts';
import { COMMON_ZONES, inOtherZone } from '../../import/report/notices.ts';
import { futureOf } from '../../journal/derivatives.ts';
import type { User } from '../../journal/journal.ts';
import { fromInstantText, toInstantText, ZoneClock } from '../../time.ts';
import type { Candles } from './candles.ts';
import { candlesOf, type MeasuredFill, type MeasuredTrade } from './measure.ts';
import type { ReadCandles } from './read-candles.ts';

export interface StoredTrade extends MeasuredTrade {
  id: string;
  isOpen: boolean;
  stated: readonly ('mae' | 'mfe')[];
  executed_at: string;
  closed_at: string | null;
}

type Row = Record<
  'id' | 'symbol' | 'market' | 'side' | 'status' | 'executed_at',
  string
> &
  Record<'underlying' | 'closed_at', string | null> &
  Record<'quantity' | 'multiplier' | 'entry_price' | 'gross_pnl', number> &
  Record<'exit_price' | 'mae' | 'mfe' | 'mae_bound' | 'mfe_bound', number | null>;

type Execution = {
  trade_id: string;
  executed_at: string;
  side: string;
  quantity: number;
  price: number;
};

/** All trades but options, by the names that candles may have. */
export class StoredTrades {
  readonly #byName: ReadonlyMap<string, readonly { name: string; trade: StoredTrade }[]>;

  constructor(db: Database.Database, { id: user }: User) {
    const rows = db
      .prepare<[string], Row>(
        `SELECT id, symbol, underlying, market, side, status, executed_at, closed_at, quantity,
          multiplier, entry_price, exit_price, gross_pnl,
           mae, mfe, mae_bound, mfe_bound
         FROM trades WHERE user_id = ? AND market <> 'option' ORDER BY executed_at, id`,
      )
      .all(user);
    const executions = db
      .prepare<[string], Execution>(
        `SELECT trade_id, executed_at, side, quantity, price FROM executions WHERE user_id = ?
          ORDER BY executed_at, position`,
      )
      .all(user);
    const byTrade = Map.groupBy(executions, (execution) => execution.trade_id);
    const named = rows.flatMap((row) => {
      const trade = tradeOf(row, byTrade.get(row.id) ?? []);
      return namesOf(row).map((name) => ({ name, trade }));
    });
    this.#byName = Map.groupBy(named, ({ name }) => name.toUpperCase());
  }

  /** Symbols and underlyings, as trades write them. */
  names(): string[] {
    return [...this.#byName.values()].flatMap(([first]) => first?.name ?? []);
  }

  /** Trades that were open at some moment between the ends of the candles. */
  during(name: string, { first, last }: Candles): StoredTrade[] {
    const [from, to] = [toInstantText(first), toInstantText(last)];
    const all = this.#byName.get(name.toUpperCase()) ?? [];
    return all.flatMap(({ trade }) =>
      trade.executed_at < to && (trade.closed_at ?? to) >= from ? trade : [],
    );
  }
}

function namesOf({ symbol, market, underlying }: Row): string[] {
  const isOther =
    market === 'future' &&
    underlying !== null &&
    underlying.toUpperCase() !== symbol.toUpperCase();
  return isOther ? [symbol, underlying] : [symbol];
}

function tradeOf(row: Row, executions: readonly Execution[]): StoredTrade {
  const { id, status, multiplier, gross_pnl: gross, executed_at, closed_at } = row;
  const stated = (['mae', 'mfe'] as const).filter(
    (name) => row[name] !== null && row[`${name}_bound`] === null,
  );
  const isOpen = status === 'open';
  const fills = isOpen ? [] : fillsOf(row, executions);
  return { id, isOpen, stated, multiplier, gross, executed_at, closed_at, fills };
}

/** Its executions; those of a trade without are its entry and its exit. */
function fillsOf(row: Row, executions: readonly Execution[]): MeasuredFill[] {
  if (executions.length > 0) {
    return executions.map(({ executed_at, side, quantity, price }) => {
      return {
        at: fromInstantText(executed_at),
        price,
        quantity: side === 'buy' ? quantity : -quantity,
      };
    });
  }

  const quantity = row.side === 'long' ? row.quantity : -row.quantity;
  return [
    { at: fromInstantText(row.executed_at), quantity, price: row.entry_price },
    // Without a price, no candle holds it.
    {
      at: fromInstantText(row.closed_at as string),
      quantity: -quantity,
      price: row.exit_price ?? Number.NaN,
    },
  ];
}

/**
 * Closed trades from the first to the last candle, and those whose fills are within their
 * candles.
 */
interface Coverage {
  trades: number;
  covered: number;
}

/**
 * @param given --symbol
 * @returns the file's symbol, and how many of its trades it covers
 * @throws UserError if no trade has its symbol, or under half of them are covered
 */
export function fitting(
  { file, candles, zone, skipped }: ReadCandles & { file: string },
  journal: StoredTrades,
  given: string | undefined,
  { timezone }: User,
): Coverage & { symbol: string } {
  const coveredIn = (name: string, moved = (at: number) => at): Coverage => {
    const closed = journal.during(name, candles).filter(({ isOpen }) => !isOpen);
    const all = closed.map(({ fills }) =>
      fills.map((fill) => ({ ...fill, at: moved(fill.at) })),
    );
    const within = all.filter((fills) =>
      fills.every(({ at }) => at >= candles.first && at < candles.last),
    );
    const covered = within.filter(
      (fills) => typeof candlesOf({ fills }, candles) !== 'string',
    );
    return { trades: within.length, covered: covered.length };
  };

  const otherSymbol = () => {
    const zone = best(journal.names().map((name) => ({ name, ...coveredIn(name) })));
    return zone && `pass --symbol ${zone.name}, which covers ${shown(zone)}`;
  };

  const otherZone = (symbol: string) => {
    const all = [...COMMON_ZONES, timezone].map((name) => {
      // The candles' times are in another zone; or, if they state theirs, those of the
      // trades.
      const clock = new ZoneClock(zone === null ? timezone : name);
      return { name, ...coveredIn(symbol, (at) => inOtherZone(at, clock, zone ?? name)) };
    });
    const fitting = best(all);
    if (!fitting || zone !== null)
      return fitting && `pass --timezone ${fitting.name}, which covers ${shown(fitting)}`;

    return `its times have a zone, but those of the trades seem to be in ${fitting.name}, which covers ${shown(fitting)}: journal-api import change ID --timezone ${fitting.name}`;
  };

  const symbol = symbolOf(file, given, journal.names());
  if (symbol === undefined) {
    const advice = otherSymbol() ?? 'pass --symbol, such as --symbol MNQ';
    throw new UserError(`${file}: its name has no symbol of a trade; ${advice}`);
  }

  const counts = coveredIn(symbol);
  if (counts.covered * 2 >= counts.trades) return { symbol, ...counts };

  const none =
    'no other symbol and no common time zone fits; pass --symbol or --timezone';
  const advice = otherZone(symbol) ?? otherSymbol() ?? none;
  const covers = `covers ${shown(counts)} in ${symbol} from its first to its last candle`;
  throw new UserError(`${file}: ${covers}${without(skipped)}; ${advice}`);
}

function without(skipped: Readonly<Record<string, number>>): string {
  const counts = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  return counts.length === 0 ? '' : `, without skipped candles (${counts.join(', ')})`;
}

function shown({ trades, covered }: Coverage): string {
  return `${covered} of ${trades} trade${trades === 1 ? '' : 's'}`;
}

/** The one that covers most trades, if at least half of its own. */
function best<T extends Coverage>(all: readonly T[]): T | undefined {
  const fitting = all.filter(
    ({ trades, covered }) => covered > 0 && covered * 2 >= trades,
  );
  return fitting.sort((a, b) => b.covered - a.covered)[0];
}

// The symbol of a file of candles: one of the journal's, by --symbol or the file's name.

const MOST_TOKENS = 5;

/**
 * @param names symbols of trades and underlyings of futures
 * @returns undefined if the file's name has none
 * @throws UserError if no trade has the given one
 */
function symbolOf(
  file: string,
  given: string | undefined,
  names: readonly string[],
): string | undefined {
  if (given !== undefined) {
    const known = names.find((name) => name.toUpperCase() === given.toUpperCase());
    if (known !== undefined) return known;
    const near = nearest(given, names);
    const advice =
      near === undefined ? 'symbols of options are left out' : `did you mean ${near}?`;
    throw new UserError(`no trade has the symbol "${given}"; ${advice}`);
  }
  return symbolIn(basename(file), names);
}

/**
 * The longest of the journal's symbols in a name such as "CME_MINI_MNQ1!, 1.csv", "NQ
 * 03-26.Last.txt" or "BTCUSDT-1m-2026-01.csv"; the last one if several are as long.
 */
function symbolIn(fileName: string, names: readonly string[]): string | undefined {
  // After a comma, TradingView names the length of its candles.
  const [stem = ''] = fileName.replace(/\.[a-z]{2,4}$/i, '').split(',');
  const tokens = stem
    .split(/[^\p{L}\p{N}!]+/u)
    .map((token) => plain(token.replace(/\d!$/, '')));
  const places = new Map<string, number>();

  for (let from = 0; from < tokens.length; from++) {
    for (let to = from + 1; to <= Math.min(tokens.length, from + MOST_TOKENS); to++) {
      const run = tokens.slice(from, to).join('');
      places.set(run, from);
      // A contract whose trades are written otherwise: MNQH2026 for MNQH6.
      const root = futureOf(tokens.slice(from, to).join(' '))?.root;
      if (root !== undefined && !places.has(root)) places.set(root, from);
    }
  }

  const ranked = names
    .filter((name) => plain(name) !== '' && places.has(plain(name)))
    .map((name) => ({
      name,
      length: plain(name).length,
      place: places.get(plain(name)) ?? 0,
    }))
    .sort(
      (a, b) =>
        b.length - a.length ||
        b.place - a.place ||
        Number(stem.includes(b.name)) - Number(stem.includes(a.name)),
    );
  return ranked[0]?.name;
}

function plain(text: string): string {
  return text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
