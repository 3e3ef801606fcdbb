/** The fills of a journal and their statements by imports: the only place that reads and writes them. */
import type Database from 'better-sqlite3';
import { explainConstraint } from '../journal-write/explain.ts';
import { FeeRateTable } from './fee-rates.ts';
import {
  type Fill,
  type FillRow,
  fillOf,
  INSERT,
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

function fillStatements(db: Database.Database) {
  const feeless = "f.fees_stated = 0 AND f.kind = 'trade'";
  return {
    find: db.prepare(`SELECT ${READ} FROM fills AS f WHERE user_id = ? AND id = ?`),
    insert: db.prepare(INSERT),
    state: db.prepare(
      'INSERT INTO import_fills (user_id, fill_id, import_id, place, fees, fees_stated, account) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    ),
    stated: db.prepare(
      `SELECT ${READ}, (SELECT json_group_array(json_object('fees', o.fees, 'fees_stated', o.fees_stated)) FROM import_fills AS o
         WHERE o.user_id = p.user_id AND o.fill_id = p.fill_id AND o.import_id <> p.import_id) AS other_fees
       FROM import_fills AS p JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
       WHERE p.user_id = @user AND p.import_id = @importId`,
    ),
    statements: db.prepare(
      `SELECT ${READ}, p.import_id, p.place, p.fees AS own_fees, p.fees_stated AS own_fees_stated, p.account AS stated_account
       FROM import_fills AS p JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
       WHERE p.user_id = @user AND (@ids IS NULL OR p.import_id IN (SELECT value FROM json_each(@ids)))
         AND (@booked = 0 OR f.part = '${PART_OF_STATE.booked}') ORDER BY p.import_id, p.place`,
    ),
    accountOf: db
      .prepare('SELECT account FROM import_fills WHERE user_id = ? AND fill_id = ? ORDER BY import_id')
      .pluck(),
    unstateOne: db.prepare('DELETE FROM import_fills WHERE user_id = ? AND fill_id = ? AND import_id = ?'),
    fees: db.prepare('SELECT fees, fees_stated FROM import_fills WHERE user_id = ? AND fill_id = ?'),
    fixAccounts: db.prepare(
      `UPDATE import_fills SET account = (SELECT coalesce(f.account, '') FROM fills AS f WHERE f.user_id = import_fills.user_id
         AND f.id = fill_id) WHERE user_id = ? AND account IS NULL`,
    ),
    unstate: db.prepare('DELETE FROM import_fills WHERE user_id = ? AND import_id = ?'),
    delete: db.prepare('DELETE FROM fills WHERE user_id = ? AND id = ?'),
    setFees: db.prepare('UPDATE fills SET fees = ?, fees_stated = ? WHERE user_id = ? AND id = ?'),
    setOrder: db.prepare(
      'UPDATE fills SET order_id = @order_id WHERE user_id = @user AND id = @id AND (order_id IS NULL OR order_id > @order_id)',
    ),
    load: db.prepare(
      `SELECT ${READ}, p.import_id, p.place FROM fills AS f
       CROSS JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id
       WHERE ${OF_INSTRUMENT} AND f.executed_at >= @from ORDER BY f.executed_at, f.id`,
    ),
    before: db.prepare(
      `SELECT f.executed_at, e.trade_id, e.position FROM fills AS f
       LEFT JOIN executions AS e ON e.user_id = f.user_id AND e.fill_id = f.execution_id
       WHERE ${OF_INSTRUMENT} AND f.executed_at < @from ORDER BY f.executed_at DESC`,
    ),
    executions: db.prepare(`SELECT ${READ} FROM fills AS f WHERE user_id = ? AND execution_id = ?`),
    alike: db.prepare(
      `SELECT ${READ} FROM fills AS f WHERE user_id = @user AND platform = @platform AND symbol = @symbol
       AND executed_at BETWEEN @minute || ':00.000Z' AND @minute || ':59.999Z'
       AND (executed_at = @executed_at OR @minute || ':00.000Z' IN (executed_at, @executed_at)
         OR substr(executed_at, 1, 19) = @second AND @second || '.000Z' IN (executed_at, @executed_at))
       AND side IS @side AND quantity IS @quantity AND price = @price AND part IS NOT '${PART_OF_STATE.booked}'`,
    ),
    any: db.prepare('SELECT EXISTS (SELECT 1 FROM fills WHERE user_id = ? AND platform = ?)').pluck(),
    ofDay: db.prepare(
      `SELECT ${READ} FROM fills AS f WHERE user_id = @user AND platform = @platform AND symbol = @symbol
       AND executed_at BETWEEN @day AND @day || '~' AND side IS @side`,
    ),
    otherFormats: db.prepare(`SELECT ${READ} FROM fills AS f WHERE user_id = ? AND platform = ? AND format <> ?`),
    ends: db.prepare('SELECT account, executed_at, side FROM fills WHERE user_id = ? AND platform = ? AND symbol = ?'),
    multiplier: db
      .prepare(
        'SELECT multiplier FROM fills WHERE user_id = ? AND platform = ? AND symbol = ? ORDER BY executed_at DESC LIMIT 1',
      )
      .pluck(),
    changes: db.prepare(
      "SELECT symbol, former_symbol FROM fills WHERE user_id = ? AND platform = ? AND kind = 'symbol_change'",
    ),
    traits: db.prepare(
      `SELECT total(account IS NOT NULL) > 0 AS named, total(account IS NULL) > 0 AS unnamed,
         total(part IS '${PART_OF_STATE.adopted}') > 0 AS adopted, total(part IS '${PART_OF_STATE.cancels}') > 0 AS cancelled,
         total(kind = 'unclear') > 0 AS unclear, total(part IS '${PART_OF_STATE.booked}') > 0 AS booked
       FROM fills WHERE user_id = ? AND platform = ? AND symbol = ?`,
    ),
    feeless: db.prepare(
      `SELECT ${READ}, min(f.executed_at) FROM fills AS f WHERE f.user_id = ? AND ${feeless}
       GROUP BY f.platform, f.market, f.currency, f.account, f.symbol`,
    ),
    feelessIn: db.prepare(
      `WITH own AS (
         SELECT DISTINCT iif(@areRated, f.execution_id, NULL) AS execution_id, f.account, f.symbol, f.underlying, f.currency FROM import_fills AS p
         CROSS JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
         WHERE p.user_id = @user AND p.import_id = @importId AND ${feeless} AND NOT EXISTS (
           SELECT 1 FROM fills AS c WHERE c.user_id = f.user_id AND c.platform = f.platform AND c.symbol = f.symbol AND c.kind = 'cost'
           AND c.executed_at BETWEEN substr(f.executed_at, 1, 19) || '.000Z' AND substr(f.executed_at, 1, 19) || '.999Z'))
       SELECT account, symbol, underlying, currency, total(CASE WHEN @areRated THEN
         (SELECT sum(e.fees) FROM executions AS e INDEXED BY executions_fill WHERE e.user_id = @user AND e.fill_id = own.execution_id) END) AS fees
       FROM own GROUP BY account, symbol, underlying, currency`,
    ),
  };
}

export class FillTable {
  readonly feeRates: FeeRateTable;
  readonly #user: string;
  readonly #sql: ReturnType<typeof fillStatements>;

  constructor(db: Database.Database, user: string) {
    this.#user = user;
    this.feeRates = new FeeRateTable(db, user);
    this.#sql = fillStatements(db);
  }

  find(id: string): Fill | undefined {
    const row = this.#sql.find.get(this.#user, id) as FillRow | undefined;
    return row && fillOf(row);
  }

  partsOf(executionId: string): Fill[] {
    return (this.#sql.executions.all(this.#user, executionId) as FillRow[]).map(fillOf);
  }

  /**
   * Fills with the facts on which two formats of a platform must agree, except the account. One of the formats may have times
   * to the second or minute only.
   */
  alike(fill: Fill): Fill[] {
    const { platform, symbol, executed_at, side, quantity, price } = fill;
    const [minute, second] = [executed_at.slice(0, 16), executed_at.slice(0, 19)];
    const facts = { platform, symbol, executed_at, minute, second, side, quantity, price };
    return (this.#sql.alike.all({ ...facts, user: this.#user }) as FillRow[]).map(fillOf);
  }

  hasAny(platform: string): boolean {
    return this.#sql.any.get(this.#user, platform) === 1;
  }

  /** The fills of a symbol on a UTC day, on one side and in all accounts. */
  ofDay({ platform, symbol, executed_at, side }: Pick<Fill, 'platform' | 'symbol' | 'executed_at' | 'side'>): Fill[] {
    const day = executed_at.slice(0, 10);
    return (this.#sql.ofDay.all({ user: this.#user, platform, symbol, day, side }) as FillRow[]).map(fillOf);
  }

  /** Account, time and side of all fills of a symbol. */
  endsIn(platform: string, symbol: string): Pick<Fill, 'account' | 'executed_at' | 'side'>[] {
    return this.#sql.ends.all(this.#user, platform, symbol) as Pick<Fill, 'account' | 'executed_at' | 'side'>[];
  }

  *ofOtherFormats({ platform, format }: Pick<Fill, 'platform' | 'format'>): Generator<Fill> {
    for (const row of this.#sql.otherFormats.iterate(this.#user, platform, format)) yield fillOf(row as FillRow);
  }

  /** @throws RowError if the journal can't store it */
  add(fill: Fill): void {
    try {
      this.#sql.insert.run(valuesOf(fill, this.#user));
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
    return this.#sql.state.run(this.#user, fillId, importId, place, fees, Number(fees_stated), account).changes > 0;
  }

  /** The fills that an import states, with the fees by other imports: undefined if none states the fill. */
  statedBy(importId: number): { fill: Fill; otherFees: StatedFees | undefined }[] {
    const rows = this.#sql.stated.all({ user: this.#user, importId }) as (FillRow & { other_fees: string })[];
    return rows.map(({ other_fees, ...row }) => {
      const others = (JSON.parse(other_fees) as { fees: number; fees_stated: 0 | 1 }[]).map(statedFees);
      const [first, ...rest] = others;
      return { fill: fillOf(row), otherFees: first && rest.reduce((a, b) => (replacesFees(b, a) ? b : a), first) };
    });
  }

  /** Statements of fills by some imports, or by all. @param isBooked of booked expirations only */
  *statements(importIds?: readonly number[], isBooked = false): Generator<FillStatement> {
    const ids = importIds ? JSON.stringify(importIds) : null;
    const rows = this.#sql.statements.all({ user: this.#user, ids, booked: Number(isBooked) });
    for (const { import_id, place, own_fees, own_fees_stated, stated_account, ...row } of rows as StatementRow[]) {
      const fees = { fees: own_fees, fees_stated: own_fees_stated === 1 };
      yield { importId: import_id, place, fees, account: stated_account, fill: fillOf(row) };
    }
  }

  /** Removes a statement. @returns the fees stated by the other imports; undefined if none states the fill */
  unstateOne(fillId: string, importId: number): StatedFees | undefined {
    this.#sql.unstateOne.run(this.#user, fillId, importId);
    const rows = this.#sql.fees.all(this.#user, fillId) as { fees: number; fees_stated: 0 | 1 }[];
    const [first, ...rest] = rows.map(statedFees);
    return first && rest.reduce((a, b) => (replacesFees(b, a) ? b : a), first);
  }

  /** The account of a fill as its first file states it; '' for none, null if unknown. */
  statedAccount(fillId: string): string | null {
    return this.#sql.accountOf.get(this.#user, fillId) as string | null;
  }

  /** Stores the accounts of older statements, whose files are unknown, as they are now. */
  fixAccounts(): void {
    this.#sql.fixAccounts.run(this.#user);
  }

  /** Removes an import's statements; the fills themselves stay. */
  unstate(importId: number): void {
    this.#sql.unstate.run(this.#user, importId);
  }

  delete(id: string): void {
    this.#sql.delete.run(this.#user, id);
  }

  setFees(id: string, { fees, fees_stated }: StatedFees): void {
    this.#sql.setFees.run(fees, Number(fees_stated), this.#user, id);
  }

  setOrder({ id, order_id }: Pick<Fill, 'id' | 'order_id'>): void {
    this.#sql.setOrder.run({ user: this.#user, id, order_id });
  }

  /** The earliest fill without stated fees, per instrument and account. */
  feeless(): Fill[] {
    return (this.#sql.feeless.all(this.#user) as FillRow[]).map(fillOf);
  }

  /**
   * The instruments of an import's fills without stated fees or costs, with their fees in trades.
   * @param areRated whether the user has set any fees; false: all fees are 0
   */
  feelessIn(
    importId: number,
    areRated: boolean,
  ): (Pick<Fill, 'account' | 'symbol' | 'underlying' | 'currency'> & { fees: number })[] {
    return this.#sql.feelessIn.all({ user: this.#user, importId, areRated: Number(areRated) }) as ReturnType<
      FillTable['feelessIn']
    >;
  }

  /** The multiplier of a symbol's latest fill; undefined if none. */
  latestMultiplier(platform: string, symbol: string): number | undefined {
    return this.#sql.multiplier.get(this.#user, platform, symbol) as number | undefined;
  }

  symbolChanges(platform: string): { symbol: string; former_symbol: string }[] {
    return this.#sql.changes.all(this.#user, platform) as { symbol: string; former_symbol: string }[];
  }

  traitsOf(platform: string, symbol: string): SymbolTraits {
    const traits = this.#sql.traits.get(this.#user, platform, symbol) as Record<keyof SymbolTraits, 0 | 1>;
    return {
      named: traits.named === 1,
      unnamed: traits.unnamed === 1,
      adopted: traits.adopted === 1,
      cancelled: traits.cancelled === 1,
      unclear: traits.unclear === 1,
      booked: traits.booked === 1,
    };
  }

  /**
   * @param from only fills from this instant on
   * @returns by symbol, then by time
   */
  load(instruments: Instruments, from: string): PlacedFill[] {
    const placed: { fill: Fill; places: Map<number, number> }[] = [];
    for (const symbol of instruments.symbols) {
      const rows = this.#sql.load.iterate({ ...this.#bound(instruments, from), symbol });
      for (const { import_id: importId, place, ...row } of rows as Iterable<
        FillRow & { import_id: number; place: number }
      >) {
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
    for (const row of this.#sql.before.iterate({
      ...this.#bound(instruments, before),
      symbol: instruments.symbols[0],
    })) {
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

/** A statement of a fill by an import. */
export interface FillStatement {
  importId: number;
  place: number;
  fees: StatedFees;
  /** As the file states it; '' for none, null if unknown. */
  account: string | null;
  fill: Fill;
}

type StatementRow = FillRow & {
  import_id: number;
  place: number;
  own_fees: number;
  own_fees_stated: 0 | 1;
  stated_account: string | null;
};

function statedFees({ fees, fees_stated }: { fees: number; fees_stated: 0 | 1 }): StatedFees {
  return { fees, fees_stated: fees_stated === 1 };
}
