/**
 * Queries for the fills of a journal as they are now: by identity, symbol, account or
 * span, and as they are walked together.
 */
import type Database from 'better-sqlite3';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import {
  BY_HAND,
  type Fill,
  fillOf,
  type Instruments,
  isRecorded,
  lotId,
  PART,
  type PlacedFill,
  READ,
  type SymbolTraits,
} from './fill-row.ts';

/** An account with fills of a symbol. */
export interface SymbolHolder {
  platform: string;
  account: string | null;
  latest: Fill;
  isOpen: boolean;
}

/**
 * The platform of a format: the key by which its fills without an account are walked
 * together.
 */
export type PlatformOf = (format: string) => string;

const FILLS = `SELECT ${READ} FROM fills AS f`;

const STATED_BY_OTHERS = `EXISTS (SELECT 1 FROM import_fills AS p
  WHERE p.user_id = f.user_id AND p.fill_id = f.id AND p.import_id <> @again)`;

/** Selects one symbol, so that its index gives the order. */
const OF_INSTRUMENT = `f.user_id = ${USER} AND f.platform = @platform AND f.symbol = @symbol
  AND f.market = @market AND f.currency = @currency AND (@all = 1 OR f.account IS @account)`;

const OF_SYMBOL = `FROM fills AS f WHERE f.user_id = ${USER} AND f.platform = @platform
  AND f.symbol = @symbol`;

const FEELESS = "f.fees_stated = 0 AND f.kind = 'trade'";

const TRADED_SYMBOLS = `SELECT f.id, coalesce(t.symbol, u.symbol) AS symbol FROM fills AS f
  LEFT JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
  LEFT JOIN trades AS t ON t.user_id = e.user_id AND t.id = e.trade_id
  LEFT JOIN unmatched_closes AS u ON u.user_id = f.user_id AND u.fill_id = f.id
  WHERE f.user_id = ${USER} AND f.platform = @platform
    AND f.symbol IN (SELECT value FROM json_each(@symbols))
    AND coalesce(t.symbol, u.symbol) IS NOT NULL`;

const ALIKE = `${FILLS} WHERE user_id = ${USER} AND platform = @platform AND symbol = @symbol
  AND executed_at BETWEEN @minute || ':00.000Z' AND @minute || ':59.999Z'
  AND (executed_at = @executed_at OR @minute || ':00.000Z' IN (executed_at, @executed_at)
    OR substr(executed_at, 1, 19) = @second AND @second || '.000Z' IN (executed_at, @executed_at))
  AND side IS @side AND quantity IS @quantity AND price = @price AND part IS NOT '${PART.booked}'`;

const LOAD = `SELECT ${READ}, p.import_id, p.place FROM fills AS f
  CROSS JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id
  WHERE ${OF_INSTRUMENT} AND f.executed_at >= @from ORDER BY f.executed_at, f.id`;

export class FillQueries {
  protected readonly rows: UserRows;

  constructor(db: Database.Database, user: string) {
    this.rows = new UserRows(db, user);
  }

  find(id: string): Fill | undefined {
    return this.rows.where<Fill>(FILLS, { id }).map(fillOf)[0];
  }

  partsOf(executionId: string): Fill[] {
    return this.rows.where<Fill>(FILLS, { execution_id: executionId }).map(fillOf);
  }

  hasAny(platform: string): boolean {
    return this.rows.has('fills', { platform });
  }

  hasFormat(format: string): boolean {
    return this.rows.has('fills', { format });
  }

  /** All platforms with fills. */
  platforms(): string[] {
    const sql = `SELECT DISTINCT platform FROM fills WHERE user_id = ${USER} ORDER BY platform`;
    return this.rows.all<{ platform: string }>(sql).map(({ platform }) => platform);
  }

  /** The symbols of fills of some formats, by default of all. */
  symbolsOf(platform: string, formats?: readonly string[]): string[] {
    const rows = this.rows.all<{ symbol: string }>(
      `SELECT DISTINCT symbol FROM fills WHERE user_id = ${USER} AND platform = @platform
         AND (@formats IS NULL OR format IN (SELECT value FROM json_each(@formats)))`,
      { platform, formats: formats ? JSON.stringify(formats) : null },
    );
    return rows.map(({ symbol }) => symbol);
  }

  /**
   * The key by which fills of an account are walked together: that of its platform. If
   * the account has a name and fills of others only, they join these.
   * @param platform the format's
   * @param again an import that is read again: its fills join what the other imports
   * state
   */
  platformIn(account: string | null, platform: string, again?: number): string {
    const all = this.platforms();
    if (account === null || all.every((name) => name === platform)) return platform;

    const others = again === undefined ? '' : `AND ${STATED_BY_OTHERS}`;
    const rows = this.rows.all<{ platform: string }>(
      `SELECT DISTINCT platform FROM fills AS f WHERE f.user_id = ${USER} AND f.account = @account
       ${others} ORDER BY platform`,
      { account, again },
    );
    const names = rows.map((row) => row.platform);
    if (again === undefined && names.includes(platform)) return platform;

    return names[0] ?? platform;
  }

  /**
   * The key by which a fill is walked in another account.
   * @param account the present one: it keeps its key
   */
  platformAfterMove(
    fill: Pick<Fill, 'account' | 'platform' | 'format' | 'part'>,
    account: string | null,
    platformOf: PlatformOf,
  ): string {
    const stays = account === fill.account || (account === null && isRecorded(fill));
    return stays ? fill.platform : this.platformIn(account, platformOf(fill.format));
  }

  /**
   * Fills with the facts on which two formats of a platform must agree, except the
   * account. One of the formats may have times to the second or minute only.
   */
  alike(
    fill: Pick<
      Fill,
      'platform' | 'symbol' | 'executed_at' | 'side' | 'quantity' | 'price'
    >,
  ): Fill[] {
    const { platform, symbol, executed_at, side, quantity, price } = fill;
    const [minute, second] = [executed_at.slice(0, 16), executed_at.slice(0, 19)];

    return this.fills(ALIKE, {
      platform,
      symbol,
      executed_at,
      minute,
      second,
      side,
      quantity,
      price,
    });
  }

  /** The fills of an account between two instants, as other formats may state them. */
  ofAccount(span: {
    platform: string;
    account: string;
    from: string;
    to: string;
  }): Fill[] {
    return this.fills(
      `${FILLS} WHERE f.user_id = ${USER} AND f.platform = @platform AND f.account = @account
         AND f.kind = 'trade' AND f.executed_at BETWEEN @from AND @to`,
      span,
    );
  }

  /** The fills of a symbol on a UTC day, on one side and in all accounts. */
  ofDay({
    platform,
    symbol,
    executed_at,
    side,
  }: Pick<Fill, 'platform' | 'symbol' | 'executed_at' | 'side'>): Fill[] {
    const day = executed_at.slice(0, 10);
    return this.fills(
      `SELECT ${READ} ${OF_SYMBOL} AND f.executed_at BETWEEN @day AND @day || '~'
        AND f.side IS @side`,
      { platform, symbol, day, side },
    );
  }

  /** Account, time and side of all fills of a symbol. */
  endsIn(
    platform: string,
    symbol: string,
  ): Pick<Fill, 'account' | 'executed_at' | 'side'>[] {
    return this.rows.where('SELECT account, executed_at, side FROM fills', {
      platform,
      symbol,
    });
  }

  *ofOtherFormats({
    platform,
    format,
  }: Pick<Fill, 'platform' | 'format'>): Generator<Fill> {
    const rows = this.rows.each<Fill>(
      `${FILLS} WHERE user_id = ${USER} AND platform = @platform AND format <> @format`,
      {
        platform,
        format,
      },
    );
    for (const row of rows) yield fillOf(row);
  }

  /** The earliest fill without stated fees, per instrument and account. */
  feeless(): Fill[] {
    return this.fills(
      `SELECT ${READ}, min(f.executed_at) FROM fills AS f WHERE f.user_id = ${USER} AND ${FEELESS}
       GROUP BY f.platform, f.market, f.currency, f.account, f.symbol`,
    );
  }

  /**
   * The instruments of an import's fills without stated fees or costs, with their fees in
   * trades.
   * @param areRated whether the user has set any fees; false: all fees are 0
   */
  feelessIn(
    importId: number,
    areRated: boolean,
  ): (Pick<Fill, 'account' | 'symbol' | 'underlying' | 'currency'> & { fees: number })[] {
    return this.rows.all(
      `WITH feeless AS MATERIALIZED (
         SELECT f.execution_id, f.account, f.platform, f.symbol, f.underlying, f.currency,
           substr(f.executed_at, 1, 19) AS second
         FROM import_fills AS p CROSS JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
         WHERE p.user_id = ${USER} AND p.import_id = @importId AND ${FEELESS}),
       costly AS MATERIALIZED (
         SELECT s.platform, s.symbol, s.second FROM (SELECT DISTINCT platform, symbol, second
           FROM feeless) AS s WHERE EXISTS (
           SELECT 1 FROM fills AS c WHERE c.user_id = ${USER} AND c.platform = s.platform
             AND c.symbol = s.symbol AND c.kind = 'cost' AND c.part IS NULL
           AND c.executed_at BETWEEN s.second || '.000Z' AND s.second || '.999Z')),
       unpaid AS (
         SELECT DISTINCT iif(@areRated, execution_id, NULL) AS execution_id, account, symbol,
           underlying, currency FROM feeless
         WHERE (platform, symbol, second) NOT IN (SELECT platform, symbol, second FROM costly))
       SELECT account, symbol, underlying, currency, total(CASE WHEN @areRated THEN
         (SELECT sum(e.fees) FROM executions AS e INDEXED BY executions_fill
           WHERE e.user_id = ${USER} AND e.fill_id = unpaid.execution_id) END) AS fees
       FROM unpaid GROUP BY account, symbol, underlying, currency`,
      { importId, areRated: Number(areRated) },
    );
  }

  /** The accounts that have fills of a symbol, each with its platform and latest fill. */
  holdersOf(symbol: string): SymbolHolder[] {
    return this.platforms().flatMap((platform) => {
      const all = this.fills(
        `SELECT ${READ}, max(f.executed_at) ${OF_SYMBOL} GROUP BY f.account ORDER BY f.account`,
        { platform, symbol },
      );
      return all.map((latest) => ({
        platform,
        account: latest.account,
        latest,
        isOpen: this.#holdsOpen(latest),
      }));
    });
  }

  /** Whether fills of an account and platform keep a trade in a symbol open. */
  #holdsOpen({ platform, symbol, account }: Fill): boolean {
    const open = this.rows.get(
      `SELECT 1 FROM trades AS t
       CROSS JOIN fills AS f ON f.user_id = t.user_id AND f.execution_id = t.id AND f.platform = @platform
       WHERE t.user_id = ${USER} AND t.symbol = @symbol AND t.status = 'open' AND t.account IS @account`,
      { platform, symbol, account },
    );
    return open !== undefined;
  }

  /** The multiplier of a symbol's latest fill; undefined if none. */
  latestMultiplier(platform: string, symbol: string): number | undefined {
    return this.rows.get<Fill>(
      `SELECT f.multiplier ${OF_SYMBOL} AND f.part IS NOT '${PART.dated}'
       ORDER BY f.executed_at DESC LIMIT 1`,
      { platform, symbol },
    )?.multiplier;
  }

  symbolChanges(platform: string): { symbol: string; former_symbol: string }[] {
    return this.rows.where('SELECT symbol, former_symbol FROM fills', {
      platform,
      kind: 'symbol_change',
    });
  }

  /** By the id of each fill that has a trade, or is an unmatched close: its symbol. */
  tradedSymbols({
    platform,
    symbols,
  }: Pick<Instruments, 'platform' | 'symbols'>): Map<string, string> {
    const rows = this.rows.all<{ id: string; symbol: string }>(TRADED_SYMBOLS, {
      platform,
      symbols: JSON.stringify(symbols),
    });
    return new Map(rows.map(({ id, symbol }) => [id, symbol]));
  }

  traitsOf(platform: string, symbol: string): SymbolTraits {
    const traits = this.rows.get<object>(
      `SELECT total(account IS NOT NULL) > 0 AS named, total(account IS NULL) > 0 AS unnamed,
         total(part IS '${PART.adopted}') > 0 AS adopted,
         total(part IS '${PART.cancels}') > 0 AS cancelled,
         total(kind = 'unclear') > 0 AS unclear,
         total(part IS '${PART.booked}') > 0 AS booked,
         total(format = '${BY_HAND}') > 0 AS by_hand ${OF_SYMBOL}`,
      { platform, symbol },
    );
    return Object.fromEntries(
      Object.entries(traits ?? {}).map(([name, flag]) => [name, flag === 1]),
    );
  }

  /**
   * @param from only fills from this instant on
   * @returns by symbol, then by time
   */
  load(instruments: Instruments, from: string): PlacedFill[] {
    const placed: { fill: Fill; places: Map<number, number> }[] = [];
    for (const symbol of instruments.symbols) {
      const rows = this.rows.each<Fill & { import_id: number; place: number }>(
        LOAD,
        bound(instruments, symbol, from),
      );
      for (const { import_id: importId, place, ...row } of rows) {
        const fill = fillOf(row);
        const last = placed.at(-1);
        if (last?.fill.id === fill.id) last.places.set(importId, place);
        else placed.push({ fill, places: new Map([[importId, place]]) });
      }
    }

    return placed;
  }

  /**
   * The latest instant, up to a given one, at which a walk can begin: no trade spans it.
   * @param instruments with one symbol
   * @returns empty text if that is before the first fill
   */
  flatPoint(instruments: Instruments, before: string): string {
    // Trades seen without their opening so far.
    const entered = new Set<string>();
    const opened = new Set<string>();
    let from = before;
    let hasMet = false;
    const rows = this.rows.each<{
      executed_at: string;
      trade_id: string | null;
      position: number;
      execution_id: string;
    }>(
      `SELECT f.executed_at, f.execution_id, e.trade_id, e.position FROM fills AS f
       LEFT JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
       WHERE ${OF_INSTRUMENT} AND f.executed_at < @from ORDER BY f.executed_at DESC`,
      bound(instruments, instruments.symbols[0], before),
    );

    for (const { executed_at, trade_id, position, execution_id } of rows) {
      if (hasMet && entered.size === 0 && executed_at < from) return from;
      from = executed_at;
      if (trade_id === null) continue;
      hasMet = true;
      // Nothing but its close is a fill.
      if (trade_id === lotId(execution_id, 0)) continue;
      if (position === 0) opened.add(trade_id);
      if (opened.has(trade_id)) entered.delete(trade_id);
      else entered.add(trade_id);
    }

    return '';
  }

  /** The user's, in which days begin. */
  get timeZone(): string {
    const user = this.rows.get<{ timezone: string }>(
      `SELECT timezone FROM users WHERE id = ${USER}`,
    );
    return user?.timezone ?? 'UTC';
  }

  protected fills(sql: string, values?: Record<string, unknown>): Fill[] {
    return this.rows.all<Fill>(sql, values).map(fillOf);
  }
}

/** The values of OF_INSTRUMENT. */
function bound(
  { symbols: _, account, ...instrument }: Instruments,
  symbol: string | undefined,
  from: string,
) {
  return {
    ...instrument,
    symbol,
    all: Number(account === undefined),
    account: account ?? null,
    from,
  };
}
