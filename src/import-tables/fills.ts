/** The fills of a journal and their statements by imports: the only place that reads and writes them. */
import type Database from 'better-sqlite3';
import { explainConstraint } from '../journal-write/explain.ts';
import type { Change } from '../journal-write/record-writer.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { FeeRateTable } from './fee-rates.ts';
import {
  type Fill,
  fillOf,
  type Instruments,
  PART,
  type PlacedFill,
  READ,
  replacesFees,
  replacesOrder,
  type StatedFees,
  type SymbolTraits,
  valuesOf,
} from './fill-row.ts';

/** A statement of a fill by an import. */
export interface FillStatement {
  importId: number;
  place: number;
  fees: StatedFees;
  /** As the file states it; '' for none, null if unknown. */
  account: string | null;
  fill: Fill;
}

const FILLS = `SELECT ${READ} FROM fills AS f`;

/** Selects one symbol, so that its index gives the order. */
const OF_INSTRUMENT = `f.user_id = ${USER} AND f.platform = @platform AND f.symbol = @symbol
  AND f.market = @market AND f.currency = @currency AND (@all = 1 OR f.account IS @account)`;

const OF_SYMBOL = `FROM fills AS f WHERE f.user_id = ${USER} AND f.platform = @platform AND f.symbol = @symbol`;

const FEELESS = "f.fees_stated = 0 AND f.kind = 'trade'";

const ALIKE = `${FILLS} WHERE user_id = ${USER} AND platform = @platform AND symbol = @symbol
  AND executed_at BETWEEN @minute || ':00.000Z' AND @minute || ':59.999Z'
  AND (executed_at = @executed_at OR @minute || ':00.000Z' IN (executed_at, @executed_at)
    OR substr(executed_at, 1, 19) = @second AND @second || '.000Z' IN (executed_at, @executed_at))
  AND side IS @side AND quantity IS @quantity AND price = @price AND part IS NOT '${PART.booked}'`;

const STATED = `FROM import_fills AS p JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id WHERE p.user_id = ${USER}`;

const LOAD = `SELECT ${READ}, p.import_id, p.place FROM fills AS f
  CROSS JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id
  WHERE ${OF_INSTRUMENT} AND f.executed_at >= @from ORDER BY f.executed_at, f.id`;

export class FillTable {
  readonly feeRates: FeeRateTable;
  readonly #rows: UserRows;

  constructor(db: Database.Database, user: string) {
    this.feeRates = new FeeRateTable(db, user);
    this.#rows = new UserRows(db, user);
  }

  #fills(sql: string, values?: Record<string, unknown>): Fill[] {
    return this.#rows.all<Fill>(sql, values).map(fillOf);
  }

  find(id: string): Fill | undefined {
    return this.#rows.where<Fill>(FILLS, { id }).map(fillOf)[0];
  }

  partsOf(executionId: string): Fill[] {
    return this.#rows.where<Fill>(FILLS, { execution_id: executionId }).map(fillOf);
  }

  /**
   * Fills with the facts on which two formats of a platform must agree, except the account. One of the formats may have times
   * to the second or minute only.
   */
  alike({ platform, symbol, executed_at, side, quantity, price }: Fill): Fill[] {
    const [minute, second] = [executed_at.slice(0, 16), executed_at.slice(0, 19)];
    return this.#fills(ALIKE, { platform, symbol, executed_at, minute, second, side, quantity, price });
  }

  hasAny(platform: string): boolean {
    return this.#rows.has('fills', { platform });
  }

  /** The fills of a symbol on a UTC day, on one side and in all accounts. */
  ofDay({ platform, symbol, executed_at, side }: Pick<Fill, 'platform' | 'symbol' | 'executed_at' | 'side'>): Fill[] {
    const day = executed_at.slice(0, 10);
    return this.#fills(
      `SELECT ${READ} ${OF_SYMBOL} AND f.executed_at BETWEEN @day AND @day || '~' AND f.side IS @side`,
      { platform, symbol, day, side },
    );
  }

  /** Account, time and side of all fills of a symbol. */
  endsIn(platform: string, symbol: string): Pick<Fill, 'account' | 'executed_at' | 'side'>[] {
    return this.#rows.where('SELECT account, executed_at, side FROM fills', { platform, symbol });
  }

  *ofOtherFormats({ platform, format }: Pick<Fill, 'platform' | 'format'>): Generator<Fill> {
    const rows = this.#rows.each<Fill>(
      `${FILLS} WHERE user_id = ${USER} AND platform = @platform AND format <> @format`,
      {
        platform,
        format,
      },
    );
    for (const row of rows) yield fillOf(row);
  }

  /**
   * Adds a fill, or the fees and order of the known one that this one replaces.
   * @throws RowError if the journal can't store it
   */
  put(fill: Fill): Change {
    const known = this.find(fill.id);
    if (!known) {
      this.add(fill);
      return 'added';
    }
    const [hasFees, hasOrder] = [replacesFees(fill, known), replacesOrder(fill, known)];
    if (hasFees) this.setFees(fill.id, fill);
    if (hasOrder) this.#rows.update('fills', { id: fill.id }, { order_id: fill.order_id });
    return hasFees || hasOrder ? 'changed' : 'unchanged';
  }

  /** @throws RowError if the journal can't store it */
  add(fill: Fill): void {
    try {
      this.#rows.insert('fills', valuesOf(fill));
    } catch (error) {
      throw explainConstraint(error, { ...fill });
    }
  }

  /**
   * Stores that an import states a fill.
   * @returns whether this is new
   */
  state(
    fillId: string,
    importId: number,
    place: number,
    { fees, fees_stated }: StatedFees,
    account: string | null,
  ): boolean {
    const row = { fill_id: fillId, import_id: importId, place, fees, fees_stated: Number(fees_stated), account };
    return this.#rows.insertNew('import_fills', row);
  }

  /** The fills that an import states, with the fees by other imports: undefined if none states the fill. */
  statedBy(importId: number): { fill: Fill; otherFees: StatedFees | undefined }[] {
    const fills = this.#fills(`SELECT ${READ} ${STATED} AND p.import_id = @importId`, { importId });
    return fills.map((fill) => ({ fill, otherFees: this.#otherFees(fill.id, importId) }));
  }

  /** Statements of fills by some imports, or by all. @param isBooked of booked expirations only */
  *statements(importIds?: readonly number[], isBooked = false): Generator<FillStatement> {
    const rows = this.#rows.all<StatementRow>(
      `SELECT ${READ}, p.import_id, p.place, p.fees AS own_fees, p.fees_stated AS own_fees_stated, p.account AS stated_account ${STATED}
         AND (@ids IS NULL OR p.import_id IN (SELECT value FROM json_each(@ids)))
         AND (@booked = 0 OR f.part = '${PART.booked}') ORDER BY p.import_id, p.place`,
      { ids: importIds ? JSON.stringify(importIds) : null, booked: Number(isBooked) },
    );
    for (const { import_id, place, own_fees, own_fees_stated, stated_account, ...row } of rows) {
      const fees = { fees: own_fees, fees_stated: own_fees_stated === 1 };
      yield { importId: import_id, place, fees, account: stated_account, fill: fillOf(row) };
    }
  }

  /** Removes a statement. @returns the fees stated by the other imports; undefined if none states the fill */
  unstateOne(fillId: string, importId: number): StatedFees | undefined {
    this.#rows.delete('import_fills', { fill_id: fillId, import_id: importId });
    return this.#otherFees(fillId, importId);
  }

  #otherFees(fillId: string, importId: number): StatedFees | undefined {
    const [first, ...rest] = this.#rows
      .where<{ import_id: number; fees: number; fees_stated: 0 | 1 }>(
        'SELECT import_id, fees, fees_stated FROM import_fills',
        { fill_id: fillId },
      )
      .filter(({ import_id }) => import_id !== importId)
      .map(({ fees, fees_stated }) => ({ fees, fees_stated: fees_stated === 1 }));
    return first && rest.reduce((a, b) => (replacesFees(b, a) ? b : a), first);
  }

  /** The account of a fill as its first file states it; '' for none, null if unknown. */
  statedAccount(fillId: string): string | null {
    const which = { fill_id: fillId };
    const [first] = this.#rows.where<FillStatement>('SELECT account FROM import_fills', which, 'ORDER BY import_id');
    return first?.account ?? null;
  }

  /** Stores the accounts of older statements, whose files are unknown, as they are now. */
  fixAccounts(): void {
    this.#rows.run(
      `UPDATE import_fills SET account = (SELECT coalesce(f.account, '') FROM fills AS f WHERE f.user_id = import_fills.user_id
         AND f.id = fill_id) WHERE user_id = ${USER} AND account IS NULL`,
    );
  }

  /** Removes an import's statements; the fills themselves stay. */
  unstate(importId: number): void {
    this.#rows.delete('import_fills', { import_id: importId });
  }

  delete(id: string): void {
    this.#rows.delete('fills', { id });
  }

  setFees(id: string, { fees, fees_stated }: StatedFees): void {
    this.#rows.update('fills', { id }, { fees, fees_stated: Number(fees_stated) });
  }

  /** The earliest fill without stated fees, per instrument and account. */
  feeless(): Fill[] {
    return this.#fills(
      `SELECT ${READ}, min(f.executed_at) FROM fills AS f WHERE f.user_id = ${USER} AND ${FEELESS}
       GROUP BY f.platform, f.market, f.currency, f.account, f.symbol`,
    );
  }

  /**
   * The instruments of an import's fills without stated fees or costs, with their fees in trades.
   * @param areRated whether the user has set any fees; false: all fees are 0
   */
  feelessIn(
    importId: number,
    areRated: boolean,
  ): (Pick<Fill, 'account' | 'symbol' | 'underlying' | 'currency'> & { fees: number })[] {
    return this.#rows.all(
      `WITH own AS (
         SELECT DISTINCT iif(@areRated, f.execution_id, NULL) AS execution_id, f.account, f.symbol, f.underlying, f.currency FROM import_fills AS p
         CROSS JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
         WHERE p.user_id = ${USER} AND p.import_id = @importId AND ${FEELESS} AND NOT EXISTS (
           SELECT 1 FROM fills AS c WHERE c.user_id = f.user_id AND c.platform = f.platform AND c.symbol = f.symbol AND c.kind = 'cost'
           AND c.executed_at BETWEEN substr(f.executed_at, 1, 19) || '.000Z' AND substr(f.executed_at, 1, 19) || '.999Z'))
       SELECT account, symbol, underlying, currency, total(CASE WHEN @areRated THEN
         (SELECT sum(e.fees) FROM executions AS e INDEXED BY executions_fill WHERE e.user_id = ${USER} AND e.fill_id = own.execution_id) END) AS fees
       FROM own GROUP BY account, symbol, underlying, currency`,
      { importId, areRated: Number(areRated) },
    );
  }

  /** The multiplier of a symbol's latest fill; undefined if none. */
  latestMultiplier(platform: string, symbol: string): number | undefined {
    const latest = 'ORDER BY executed_at DESC LIMIT 1';
    return this.#rows.where<Fill>('SELECT multiplier FROM fills', { platform, symbol }, latest)[0]?.multiplier;
  }

  symbolChanges(platform: string): { symbol: string; former_symbol: string }[] {
    return this.#rows.where('SELECT symbol, former_symbol FROM fills', { platform, kind: 'symbol_change' });
  }

  traitsOf(platform: string, symbol: string): SymbolTraits {
    const traits = this.#rows.get<object>(
      `SELECT total(account IS NOT NULL) > 0 AS named, total(account IS NULL) > 0 AS unnamed,
         total(part IS '${PART.adopted}') > 0 AS adopted, total(part IS '${PART.cancels}') > 0 AS cancelled,
         total(kind = 'unclear') > 0 AS unclear, total(part IS '${PART.booked}') > 0 AS booked ${OF_SYMBOL}`,
      { platform, symbol },
    );
    return Object.fromEntries(Object.entries(traits ?? {}).map(([name, own]) => [name, own === 1]));
  }

  /**
   * @param from only fills from this instant on
   * @returns by symbol, then by time
   */
  load(instruments: Instruments, from: string): PlacedFill[] {
    const placed: { fill: Fill; places: Map<number, number> }[] = [];
    for (const symbol of instruments.symbols) {
      const rows = this.#rows.each<Fill & { import_id: number; place: number }>(LOAD, bound(instruments, symbol, from));
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
    const rows = this.#rows.each<{ executed_at: string; trade_id: string | null; position: number }>(
      `SELECT f.executed_at, e.trade_id, e.position FROM fills AS f
       LEFT JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
       WHERE ${OF_INSTRUMENT} AND f.executed_at < @from ORDER BY f.executed_at DESC`,
      bound(instruments, instruments.symbols[0], before),
    );
    for (const { executed_at, trade_id, position } of rows) {
      if (hasMet && entered.size === 0 && executed_at < from) return from;
      from = executed_at;
      if (trade_id === null) continue;
      hasMet = true;
      if (position === 0) opened.add(trade_id);
      if (opened.has(trade_id)) entered.delete(trade_id);
      else entered.add(trade_id);
    }
    return '';
  }
}

/** The values of OF_INSTRUMENT. */
function bound({ symbols: _, account, ...instrument }: Instruments, symbol: string | undefined, from: string) {
  return { ...instrument, symbol, all: Number(account === undefined), account: account ?? null, from };
}

type StatementRow = Fill & {
  import_id: number;
  place: number;
  own_fees: number;
  own_fees_stated: 0 | 1;
  stated_account: string | null;
};
