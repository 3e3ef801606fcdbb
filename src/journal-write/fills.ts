/** The fills of a journal and their statements by imports: the only place that reads and writes them. */
import type Database from 'better-sqlite3';
import { explainConstraint } from './explain.ts';
import { FeeRateTable } from './fee-rates.ts';
import {
  FILL_COLUMNS,
  type Fill,
  type FillValues,
  fillOf,
  type Instruments,
  PART_OF_STATE,
  type PlacedFill,
  READ,
  replacesFees,
  type StatedFees,
  type SymbolTraits,
  valuesOf,
} from './fill-row.ts';

/** Selects one symbol, so that its index gives the order. */
const OF_INSTRUMENT = `f.user_id = @user AND f.platform = @platform AND f.symbol = @symbol
  AND f.market = @market AND f.currency = @currency AND (@all = 1 OR f.account IS @account)`;

export class FillTable {
  readonly feeRates: FeeRateTable;
  readonly #user: string;
  readonly #find: Database.Statement;
  readonly #insert: Database.Statement;
  readonly #state: Database.Statement;
  readonly #stated: Database.Statement;
  readonly #unstate: Database.Statement;
  readonly #delete: Database.Statement;
  readonly #setFees: Database.Statement;
  readonly #setOrder: Database.Statement;
  readonly #load: Database.Statement;
  readonly #before: Database.Statement;
  readonly #executions: Database.Statement;
  readonly #alike: Database.Statement;
  readonly #any: Database.Statement;
  readonly #ofDay: Database.Statement;
  readonly #otherFormats: Database.Statement;
  readonly #ends: Database.Statement;
  readonly #multiplier: Database.Statement;
  readonly #changes: Database.Statement;
  readonly #traits: Database.Statement;
  readonly #feeless: Database.Statement;
  readonly #feelessIn: Database.Statement;

  constructor(db: Database.Database, user: string) {
    this.#user = user;
    this.feeRates = new FeeRateTable(db, user);
    const columns = FILL_COLUMNS.join(', ');
    const raw = (sql: string) => db.prepare(sql).raw();
    this.#find = raw(`SELECT ${READ} FROM fills AS f WHERE user_id = ? AND id = ?`);
    this.#insert = db.prepare(
      `INSERT INTO fills (${columns}, user_id) VALUES (${FILL_COLUMNS.map(() => '?').join(', ')}, ?)`,
    );
    this.#state = db.prepare(
      'INSERT INTO import_fills (user_id, fill_id, import_id, place, fees, fees_stated) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#stated = raw(
      `SELECT ${READ}, (SELECT json_group_array(json_object('fees', o.fees, 'fees_stated', o.fees_stated)) FROM import_fills AS o
         WHERE o.user_id = p.user_id AND o.fill_id = p.fill_id AND o.import_id <> p.import_id) AS other_fees
       FROM import_fills AS p JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
       WHERE p.user_id = @user AND p.import_id = @importId`,
    );
    this.#unstate = db.prepare('DELETE FROM import_fills WHERE user_id = ? AND import_id = ?');
    this.#delete = db.prepare('DELETE FROM fills WHERE user_id = ? AND id = ?');
    this.#setFees = db.prepare('UPDATE fills SET fees = ?, fees_stated = ? WHERE user_id = ? AND id = ?');
    this.#setOrder = db.prepare(
      'UPDATE fills SET order_id = @order_id WHERE user_id = @user AND id = @id AND (order_id IS NULL OR order_id > @order_id)',
    );
    this.#load = raw(
      `SELECT ${READ}, p.import_id, p.place FROM fills AS f
       CROSS JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id
       WHERE ${OF_INSTRUMENT} AND f.executed_at >= @from ORDER BY f.executed_at, f.id`,
    );
    this.#before = db.prepare(
      `SELECT f.executed_at, e.trade_id, e.position FROM fills AS f
       LEFT JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
       WHERE ${OF_INSTRUMENT} AND f.executed_at < @from ORDER BY f.executed_at DESC`,
    );
    this.#executions = raw(`SELECT ${READ} FROM fills AS f WHERE user_id = ? AND execution_id = ?`);
    this.#alike = raw(
      `SELECT ${READ} FROM fills AS f WHERE user_id = @user AND platform = @platform AND symbol = @symbol
       AND executed_at BETWEEN @minute || ':00.000Z' AND @minute || ':59.999Z'
       AND (executed_at = @executed_at OR @minute || ':00.000Z' IN (executed_at, @executed_at)
         OR substr(executed_at, 1, 19) = @second AND @second || '.000Z' IN (executed_at, @executed_at))
       AND side IS @side AND quantity IS @quantity AND price = @price`,
    );
    this.#any = db.prepare('SELECT EXISTS (SELECT 1 FROM fills WHERE user_id = ? AND platform = ?)').pluck();
    this.#ofDay = raw(
      `SELECT ${READ} FROM fills AS f WHERE user_id = @user AND platform = @platform AND symbol = @symbol
       AND executed_at BETWEEN @day AND @day || '~' AND side IS @side`,
    );
    this.#otherFormats = raw(`SELECT ${READ} FROM fills AS f WHERE user_id = ? AND platform = ? AND format <> ?`);
    this.#ends = db.prepare(
      'SELECT account, executed_at, side FROM fills WHERE user_id = ? AND platform = ? AND symbol = ?',
    );
    this.#multiplier = db
      .prepare(
        'SELECT multiplier FROM fills WHERE user_id = ? AND platform = ? AND symbol = ? ORDER BY executed_at DESC LIMIT 1',
      )
      .pluck();
    this.#changes = db.prepare(
      "SELECT symbol, former_symbol FROM fills WHERE user_id = ? AND platform = ? AND kind = 'symbol_change'",
    );
    this.#traits = db.prepare(
      `SELECT total(account IS NOT NULL) > 0 AS named, total(account IS NULL) > 0 AS unnamed,
         total(part IS '${PART_OF_STATE.adopted}') > 0 AS adopted, total(part IS '${PART_OF_STATE.cancels}') > 0 AS cancelled,
         total(kind = 'unclear') > 0 AS unclear
       FROM fills WHERE user_id = ? AND platform = ? AND symbol = ?`,
    );
    const feeless = "f.fees_stated = 0 AND f.kind = 'trade'";
    this.#feeless = raw(
      `SELECT ${READ}, min(f.executed_at) FROM fills AS f WHERE f.user_id = ? AND ${feeless}
       GROUP BY f.platform, f.market, f.currency, f.account, f.symbol`,
    );
    this.#feelessIn = db.prepare(
      `WITH own AS (
         SELECT DISTINCT iif(@areRated, f.execution_id, NULL) AS execution_id, f.account, f.symbol, f.underlying, f.currency FROM import_fills AS p
         CROSS JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
         WHERE p.user_id = @user AND p.import_id = @importId AND ${feeless} AND NOT EXISTS (
           SELECT 1 FROM fills AS c WHERE c.user_id = f.user_id AND c.platform = f.platform AND c.symbol = f.symbol AND c.kind = 'cost'
           AND c.executed_at BETWEEN substr(f.executed_at, 1, 19) || '.000Z' AND substr(f.executed_at, 1, 19) || '.999Z'))
       SELECT account, symbol, underlying, currency, total(CASE WHEN @areRated THEN
         (SELECT sum(e.fees) FROM executions AS e INDEXED BY executions_fill WHERE e.user_id = @user AND e.fill_id = own.execution_id) END) AS fees
       FROM own GROUP BY account, symbol, underlying, currency`,
    );
  }

  find(id: string): Fill | undefined {
    const row = this.#find.get(this.#user, id) as FillValues | undefined;
    return row && fillOf(row);
  }

  partsOf(executionId: string): Fill[] {
    return (this.#executions.all(this.#user, executionId) as FillValues[]).map(fillOf);
  }

  /**
   * Fills with the facts on which two formats of a platform must agree, except the account. One of the formats may have times
   * to the second or minute only.
   */
  alike(fill: Fill): Fill[] {
    const { platform, symbol, executed_at, side, quantity, price } = fill;
    const [minute, second] = [executed_at.slice(0, 16), executed_at.slice(0, 19)];
    const facts = { platform, symbol, executed_at, minute, second, side, quantity, price };
    return (this.#alike.all({ ...facts, user: this.#user }) as FillValues[]).map(fillOf);
  }

  hasAny(platform: string): boolean {
    return this.#any.get(this.#user, platform) === 1;
  }

  /** The fills of a symbol on a UTC day, on one side and in all accounts. */
  ofDay({ platform, symbol, executed_at, side }: Pick<Fill, 'platform' | 'symbol' | 'executed_at' | 'side'>): Fill[] {
    const day = executed_at.slice(0, 10);
    return (this.#ofDay.all({ user: this.#user, platform, symbol, day, side }) as FillValues[]).map(fillOf);
  }

  /** Account, time and side of all fills of a symbol. */
  endsIn(platform: string, symbol: string): Pick<Fill, 'account' | 'executed_at' | 'side'>[] {
    return this.#ends.all(this.#user, platform, symbol) as Pick<Fill, 'account' | 'executed_at' | 'side'>[];
  }

  *ofOtherFormats({ platform, format }: Pick<Fill, 'platform' | 'format'>): Generator<Fill> {
    for (const row of this.#otherFormats.iterate(this.#user, platform, format)) yield fillOf(row as FillValues);
  }

  /** @throws RowError if the journal can't store it */
  add(fill: Fill): void {
    try {
      this.#insert.run(valuesOf(fill), this.#user);
    } catch (error) {
      throw explainConstraint(error, { ...fill });
    }
  }

  /**
   * Stores that an import states a fill.
   * @returns whether this is new
   */
  state(fillId: string, importId: number, place: number, { fees, fees_stated }: StatedFees): boolean {
    return this.#state.run(this.#user, fillId, importId, place, fees, Number(fees_stated)).changes > 0;
  }

  /** The fills that an import states, with the fees by other imports: undefined if none states the fill. */
  statedBy(importId: number): { fill: Fill; otherFees: StatedFees | undefined }[] {
    const rows = this.#stated.all({ user: this.#user, importId }) as [...FillValues, otherFees: string][];
    return rows.map((row) => {
      const others = (JSON.parse(row[FILL_COLUMNS.length]) as { fees: number; fees_stated: 0 | 1 }[]).map(statedFees);
      const [first, ...rest] = others;
      return { fill: fillOf(row), otherFees: first && rest.reduce((a, b) => (replacesFees(b, a) ? b : a), first) };
    });
  }

  /** Removes an import's statements; the fills themselves stay. */
  unstate(importId: number): void {
    this.#unstate.run(this.#user, importId);
  }

  delete(id: string): void {
    this.#delete.run(this.#user, id);
  }

  setFees(id: string, { fees, fees_stated }: StatedFees): void {
    this.#setFees.run(fees, Number(fees_stated), this.#user, id);
  }

  setOrder({ id, order_id }: Pick<Fill, 'id' | 'order_id'>): void {
    this.#setOrder.run({ user: this.#user, id, order_id });
  }

  /** The earliest fill without stated fees, per instrument and account. */
  feeless(): Fill[] {
    return (this.#feeless.all(this.#user) as FillValues[]).map(fillOf);
  }

  /**
   * The instruments of an import's fills without stated fees or costs, with their fees in trades.
   * @param areRated whether the user has set any fees; false: all fees are 0
   */
  feelessIn(
    importId: number,
    areRated: boolean,
  ): (Pick<Fill, 'account' | 'symbol' | 'underlying' | 'currency'> & { fees: number })[] {
    return this.#feelessIn.all({ user: this.#user, importId, areRated: Number(areRated) }) as ReturnType<
      FillTable['feelessIn']
    >;
  }

  /** The multiplier of a symbol's latest fill; undefined if none. */
  latestMultiplier(platform: string, symbol: string): number | undefined {
    return this.#multiplier.get(this.#user, platform, symbol) as number | undefined;
  }

  symbolChanges(platform: string): { symbol: string; former_symbol: string }[] {
    return this.#changes.all(this.#user, platform) as { symbol: string; former_symbol: string }[];
  }

  traitsOf(platform: string, symbol: string): SymbolTraits {
    const traits = this.#traits.get(this.#user, platform, symbol) as Record<keyof SymbolTraits, 0 | 1>;
    return {
      named: traits.named === 1,
      unnamed: traits.unnamed === 1,
      adopted: traits.adopted === 1,
      cancelled: traits.cancelled === 1,
      unclear: traits.unclear === 1,
    };
  }

  /**
   * @param from only fills from this instant on
   * @returns by symbol, then by time
   */
  load(instruments: Instruments, from: string): PlacedFill[] {
    const placed: { fill: Fill; places: Map<number, number> }[] = [];
    for (const symbol of instruments.symbols) {
      for (const row of this.#load.iterate({ ...this.#bound(instruments, from), symbol })) {
        const fill = fillOf(row as FillValues);
        const [importId, place] = (row as number[]).slice(FILL_COLUMNS.length) as [number, number];
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
    for (const row of this.#before.iterate({ ...this.#bound(instruments, before), symbol: instruments.symbols[0] })) {
      const { executed_at, trade_id, position } = row as {
        executed_at: string;
        trade_id: string | null;
        position: number;
      };
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

  #bound({ platform, market, currency, account }: Instruments, from: string): Record<string, unknown> {
    return {
      user: this.#user,
      platform,
      market,
      currency,
      all: account === undefined ? 1 : 0,
      account: account ?? null,
      from,
    };
  }
}

function statedFees({ fees, fees_stated }: { fees: number; fees_stated: 0 | 1 }): StatedFees {
  return { fees, fees_stated: fees_stated === 1 };
}
