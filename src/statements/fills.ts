/**
 * The fills of a journal and their statements by imports: the only place that reads and writes
 * them.
 */
import type Database from 'better-sqlite3';
import { explainConstraint } from '../journal-write/explain.ts';
import type { Change } from '../journal-write/record-writer.ts';
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { USER, UserRows } from '../sqlite/user-rows.ts';
import { AccountNames } from './accounts.ts';
import { FeeRateTable } from './fee-rates.ts';
import {
  addsToExit,
  BY_HAND,
  type Fill,
  fillOf,
  finerExit,
  type Instruments,
  lotId,
  PART,
  type PlacedFill,
  READ,
  replacesFees,
  replacesOrder,
  type StatedExit,
  type StatedFees,
  type SymbolTraits,
  valuesOf,
} from './fill-row.ts';

/** What an import wrote of a fill. */
interface FillIdentity {
  importId: number;
  /** The zone in which the import's times without one were read. */
  zone: string | null;
  /** As the columns of import_fills. */
  clock: string | null;
  digits: number | null;
  identity: string | null;
  account: string | null;
}

/** The columns of a fill that identify it, or that several files may state differently. */
export type StoredFill = Pick<
  Fill,
  | 'id'
  | 'execution_id'
  | 'part'
  | 'format'
  | 'account'
  | 'symbol'
  | 'executed_at'
  | 'has_time'
  | 'kind'
  | 'side'
  | 'quantity'
  | 'price'
  | 'fees'
  | 'fees_stated'
  | 'order_id'
  | 'stated_gross_pnl'
  | 'stated_net_pnl'
  | 'lots'
>;

/** A fill with what each of its files wrote. */
export interface FillWithStatements {
  fill: StoredFill;
  statements: FillIdentity[];
}

/** The columns of a fill that follow from what all its files wrote. */
export type FoldedFill = Pick<
  Fill,
  | 'fees'
  | 'fees_stated'
  | 'account'
  | 'executed_at'
  | 'price'
  | 'quantity'
  | keyof StatedExit
>;

/** What a file wrote of a fill, beside its fees and account: columns of import_fills. */
export interface WrittenFill {
  clock: string | null;
  digits: number | null;
  identity: string | null;
  /** These three if they differ from the fill's. */
  executed_at: string | null;
  price: number | null;
  quantity: number | null;
  /** P&L that its row states, before and after costs. */
  gross_pnl: number | null;
  net_pnl: number | null;
  /** As in the fill. */
  lots: string | null;
}

/** For a fill that no file states, or one of an earlier version. */
export const NOTHING_WRITTEN: WrittenFill = {
  clock: null,
  digits: null,
  identity: null,
  executed_at: null,
  price: null,
  quantity: null,
  gross_pnl: null,
  net_pnl: null,
  lots: null,
};

/** A statement to store. */
export interface NewStatement {
  fillId: string;
  importId: number;
  place: number;
  fees: StatedFees;
  /** As the file states it; '' for none, null if unknown. */
  account: string | null;
  written: WrittenFill;
}

/** A statement of a fill by an import. */
export interface FillStatement extends Omit<NewStatement, 'fillId'> {
  fill: Fill;
}

/** An account with fills of a symbol. */
export interface SymbolHolder {
  platform: string;
  account: string | null;
  latest: Fill;
  isOpen: boolean;
}

/** The columns of a fill that files may state with fewer digits. */
const DIGITED = ['executed_at', 'price', 'quantity'] as const;

const OF_SPAN = `SELECT f.id, f.execution_id, f.part, f.format, f.account, f.executed_at,
    f.has_time, f.kind, f.side, f.quantity, f.price, f.fees, f.fees_stated, f.order_id,
    f.stated_gross_pnl, f.stated_net_pnl, f.lots, p.import_id, p.clock, p.digits, p.identity, p.account AS stated_account, i.timezone
  FROM fills AS f
  CROSS JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id
  CROSS JOIN imports AS i ON i.user_id = p.user_id AND i.id = p.import_id
  WHERE f.user_id = ${USER} AND f.platform = @platform AND f.symbol = @symbol
    AND f.executed_at BETWEEN @from AND @to
    AND f.part IS NOT '${PART.booked}' AND f.part IS NOT '${PART.adopted}'
  ORDER BY f.executed_at, p.place`;

const KEEP_WRITTEN = `UPDATE import_fills
  SET executed_at = coalesce(executed_at, @executed_at), price = coalesce(price, @price),
    quantity = coalesce(quantity, @quantity) WHERE user_id = ${USER} AND fill_id = @id`;

const FORGET_EQUAL = `UPDATE import_fills AS p SET
    executed_at = nullif(p.executed_at, f.executed_at), price = nullif(p.price, f.price),
      quantity = nullif(p.quantity, f.quantity)
  FROM fills AS f WHERE f.user_id = p.user_id AND f.id = p.fill_id AND p.user_id = ${USER}
    AND p.fill_id = @id`;

const GIVEN = `user_id = ${USER} AND fill_id IN (SELECT value FROM json_each(@ids))`;

const UNSTATE = `DELETE FROM import_fills WHERE ${GIVEN}`;

const STILL_STATED = `SELECT DISTINCT fill_id FROM import_fills WHERE ${GIVEN}`;

const DELETE = `DELETE FROM fills WHERE user_id = ${USER}
  AND id IN (SELECT value FROM json_each(@ids))`;

const FILLS = `SELECT ${READ} FROM fills AS f`;

const STATED_BY_OTHERS = `EXISTS (SELECT 1 FROM import_fills AS p
  WHERE p.user_id = f.user_id AND p.fill_id = f.id AND p.import_id <> @again)`;

/** Selects one symbol, so that its index gives the order. */
const OF_INSTRUMENT = `f.user_id = ${USER} AND f.platform = @platform AND f.symbol = @symbol
  AND f.market = @market AND f.currency = @currency AND (@all = 1 OR f.account IS @account)`;

const OF_SYMBOL = `FROM fills AS f WHERE f.user_id = ${USER} AND f.platform = @platform
  AND f.symbol = @symbol`;

const FEELESS = "f.fees_stated = 0 AND f.kind = 'trade'";

const ALIKE = `${FILLS} WHERE user_id = ${USER} AND platform = @platform AND symbol = @symbol
  AND executed_at BETWEEN @minute || ':00.000Z' AND @minute || ':59.999Z'
  AND (executed_at = @executed_at OR @minute || ':00.000Z' IN (executed_at, @executed_at)
    OR substr(executed_at, 1, 19) = @second AND @second || '.000Z' IN (executed_at, @executed_at))
  AND side IS @side AND quantity IS @quantity AND price = @price AND part IS NOT '${PART.booked}'`;

const STATED = `FROM import_fills AS p JOIN fills AS f ON f.user_id = p.user_id
  AND f.id = p.fill_id WHERE p.user_id = ${USER}`;

const LOAD = `SELECT ${READ}, p.import_id, p.place FROM fills AS f
  CROSS JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id
  WHERE ${OF_INSTRUMENT} AND f.executed_at >= @from ORDER BY f.executed_at, f.id`;

export class FillTable {
  readonly feeRates: FeeRateTable;
  readonly #rows: UserRows;
  readonly #db: Database.Database;
  #names: AccountNames | undefined;

  constructor(db: Database.Database, user: string) {
    this.#db = db;
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
   * Fills with the facts on which two formats of a platform must agree, except the account. One of
   * the formats may have times to the second or minute only.
   */
  alike(
    fill: Pick<
      Fill,
      'platform' | 'symbol' | 'executed_at' | 'side' | 'quantity' | 'price'
    >,
  ): Fill[] {
    const { platform, symbol, executed_at, side, quantity, price } = fill;
    const [minute, second] = [executed_at.slice(0, 16), executed_at.slice(0, 19)];

    return this.#fills(ALIKE, {
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

  /** The user's, in which days begin. */
  get timeZone(): string {
    const user = this.#rows.get<{ timezone: string }>(
      `SELECT timezone FROM users WHERE id = ${USER}`,
    );
    return user?.timezone ?? 'UTC';
  }

  hasAny(platform: string): boolean {
    return this.#rows.has('fills', { platform });
  }

  /** All platforms with fills. */
  platforms(): string[] {
    const sql = `SELECT DISTINCT platform FROM fills WHERE user_id = ${USER} ORDER BY platform`;
    return this.#rows.all<{ platform: string }>(sql).map(({ platform }) => platform);
  }

  hasFormat(format: string): boolean {
    return this.#rows.has('fills', { format });
  }

  /**
   * The key by which fills of an account are walked together: that of its platform. If the account
   * has a name and fills of others only, they join these.
   * @param platform the format's
   * @param again an import that is read again: its fills join what the other imports state
   */
  platformIn(account: string | null, platform: string, again?: number): string {
    const all = this.platforms();
    if (account === null || all.every((name) => name === platform)) return platform;

    const others = again === undefined ? '' : `AND ${STATED_BY_OTHERS}`;
    const rows = this.#rows.all<{ platform: string }>(
      `SELECT DISTINCT platform FROM fills AS f WHERE f.user_id = ${USER} AND f.account = @account
       ${others} ORDER BY platform`,
      { account, again },
    );
    const names = rows.map((row) => row.platform);
    if (again === undefined && names.includes(platform)) return platform;

    return names[0] ?? platform;
  }

  /** The fills of an account between two instants, as other formats may state them. */
  ofAccount(span: {
    platform: string;
    account: string;
    from: string;
    to: string;
  }): Fill[] {
    return this.#fills(
      `${FILLS} WHERE f.user_id = ${USER} AND f.platform = @platform AND f.account = @account
         AND f.kind = 'trade' AND f.executed_at BETWEEN @from AND @to`,
      span,
    );
  }

  /**
   * The fills of a symbol that files state, between two instants, with what each file wrote; in
   * order of time and place.
   */
  ofSpan(span: {
    platform: string;
    symbol: string;
    from: string;
    to: string;
  }): FillWithStatements[] {
    const found = new Map<string, FillWithStatements>();
    const texts = new SharedTexts();
    for (const row of this.#rows.each<StoredFillRow>(OF_SPAN, span)) {
      const {
        import_id: importId,
        timezone,
        stated_account: account,
        clock,
        digits,
        identity,
      } = row;
      const statement: FillIdentity = {
        importId,
        zone: texts.of(timezone),
        clock,
        digits,
        identity,
        account: texts.of(account),
      };
      const known = found.get(row.id);
      if (known) known.statements.push(statement);
      else
        found.set(row.id, {
          fill: storedFill(row, span.symbol, texts),
          statements: [statement],
        });
    }

    return [...found.values()];
  }

  /** The fills of a symbol on a UTC day, on one side and in all accounts. */
  ofDay({
    platform,
    symbol,
    executed_at,
    side,
  }: Pick<Fill, 'platform' | 'symbol' | 'executed_at' | 'side'>): Fill[] {
    const day = executed_at.slice(0, 10);
    return this.#fills(
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
    return this.#rows.where('SELECT account, executed_at, side FROM fills', {
      platform,
      symbol,
    });
  }

  *ofOtherFormats({
    platform,
    format,
  }: Pick<Fill, 'platform' | 'format'>): Generator<Fill> {
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
   * Adds a fill, or the fees, order and exit that this one states and the known one lacks.
   * @throws RowError if the journal can't store it
   */
  put(fill: Fill): Change {
    const known = this.find(fill.id);
    if (!known) {
      this.add(fill);
      return 'added';
    }

    const [hasFees, hasOrder] = [replacesFees(fill, known), replacesOrder(fill, known)];
    const hasExit = addsToExit(fill, known);
    if (hasFees) this.setFees(fill.id, fill);
    if (hasOrder)
      this.#rows.update('fills', { id: fill.id }, { order_id: fill.order_id });
    if (hasExit)
      this.#rows.update('fills', { id: fill.id }, { ...finerExit(fill, known) });

    return hasFees || hasOrder || hasExit ? 'changed' : 'unchanged';
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
  state({ fillId, importId, place, fees, account, written }: NewStatement): boolean {
    return this.#rows.insertNew('import_fills', {
      fill_id: fillId,
      import_id: importId,
      place,
      fees: fees.fees,
      fees_stated: Number(fees.fees_stated),
      account,
      ...written,
    });
  }

  /**
   * Changes a fill to what its files state together. Statements that said the former values keep
   * them.
   */
  fold(
    known: Pick<Fill, 'id'> & FoldedFill,
    folded: Partial<FoldedFill & Pick<Fill, 'order_id'>>,
  ): void {
    const { id, executed_at, price, quantity } = known;
    const isMoved = DIGITED.some(
      (name) => name in folded && folded[name] !== known[name],
    );
    if (isMoved) {
      this.#rows.run(KEEP_WRITTEN, { id, executed_at, price, quantity });
    }

    const values: Record<string, unknown> = { ...folded };
    if (folded.fees_stated !== undefined)
      values['fees_stated'] = Number(folded.fees_stated);
    this.#rows.update('fills', { id }, values);
    if (isMoved) this.#rows.run(FORGET_EQUAL, { id });
  }

  /**
   * The fills that an import states, with what the other imports state together: undefined if none
   * states the fill.
   */
  statedBy(importId: number): { fill: Fill; rest: FoldedFill | undefined }[] {
    const fills = this.#fills(`SELECT ${READ} ${STATED} AND p.import_id = @importId`, {
      importId,
    });
    return fills.map((fill) => ({ fill, rest: this.#foldWithout(fill, importId) }));
  }

  /** Statements of fills by some imports, or by all. @param isBooked of booked expirations only */
  *statements(importIds?: readonly number[], isBooked = false): Generator<FillStatement> {
    const rows = this.#rows.all<StatementRow>(
      `SELECT ${READ}, p.import_id, p.place, p.fees AS own_fees,
        p.fees_stated AS own_fees_stated, p.account AS stated_account,
         p.clock, p.digits, p.identity, p.executed_at AS own_time, p.price AS own_price,
           p.quantity AS own_quantity, p.gross_pnl, p.net_pnl,
           p.lots AS own_lots ${STATED}
         AND (@ids IS NULL OR p.import_id IN (SELECT value FROM json_each(@ids)))
         AND (@booked = 0 OR f.part = '${PART.booked}') ORDER BY p.import_id, p.place`,
      { ids: importIds ? JSON.stringify(importIds) : null, booked: Number(isBooked) },
    );
    for (const row of rows) {
      const {
        import_id: importId,
        place,
        own_fees,
        own_fees_stated,
        stated_account: account,
        clock,
        digits,
        identity,
        own_time: executed_at,
        own_price: price,
        own_quantity: quantity,
        gross_pnl,
        net_pnl,
        own_lots: lots,
        ...fill
      } = row;
      const fees = { fees: own_fees, fees_stated: own_fees_stated === 1 };
      const ofRow = { executed_at, price, quantity, gross_pnl, net_pnl, lots };
      const written = { clock, digits, identity, ...ofRow };
      yield { importId, place, fees, account, written, fill: fillOf(fill) };
    }
  }

  /**
   * Removes statements, and the fills that no other import states; the others become what is left
   * of them.
   * @returns the ids of fills that stay
   */
  withdraw(stated: readonly { importId: number; fill: Fill }[]): Set<string> {
    const lastOf = new Map(stated.map((own) => [own.fill.id, own]));
    for (const [importId, own] of Map.groupBy(stated, (one) => one.importId)) {
      const ids = JSON.stringify(own.map(({ fill }) => fill.id));
      this.#rows.run(`${UNSTATE} AND import_id = @importId`, { ids, importId });
    }

    const ids = JSON.stringify([...lastOf.keys()]);
    const staying = this.#rows
      .all<{ fill_id: string }>(STILL_STATED, { ids })
      .map((own) => own.fill_id);
    for (const id of staying) {
      const { fill, importId } = lastOf.get(id) as { importId: number; fill: Fill };
      this.fold(fill, this.#foldWithout(fill, importId) as FoldedFill);
      lastOf.delete(id);
    }

    this.#rows.run(DELETE, { ids: JSON.stringify([...lastOf.keys()]) });
    return new Set(staying);
  }

  /**
   * The fill that its statements but one make: the highest fees, the most digits, an account if any
   * names one.
   */
  #foldWithout(fill: Fill, importId: number): FoldedFill | undefined {
    const all = this.#rows.where<WrittenRow>(
      WRITTEN,
      { fill_id: fill.id },
      'ORDER BY import_id',
    );
    const rest = all.filter((row) => row.import_id !== importId);
    const [first] = rest;
    if (!first) return undefined;

    const fees = rest
      .map((row) => ({ fees: row.fees, fees_stated: row.fees_stated === 1 }))
      .reduce((a, b) => (replacesFees(b, a) ? b : a));
    const exit = rest
      .map(({ gross_pnl, net_pnl, lots }) => ({
        stated_gross_pnl: gross_pnl,
        stated_net_pnl: net_pnl,
        lots,
      }))
      .reduce((a, b) => finerExit(b, a));
    const finest = (divisor: number) =>
      rest.reduce((a, b) => (digitsAt(b, divisor) > digitsAt(a, divisor) ? b : a), first);

    return {
      ...fees,
      ...exit,
      account: this.#accountOf(rest, fill),
      executed_at: finest(10_000).executed_at ?? fill.executed_at,
      price: finest(100).price ?? fill.price,
      quantity: finest(1).quantity ?? fill.quantity,
    };
  }

  /**
   * The account that the statements of a fill lead to; the present one if an earlier version didn't
   * keep what they say.
   */
  #accountOf(rest: readonly WrittenRow[], { account }: Fill): string | null {
    if (rest.some((row) => row.account === null)) return account;
    const named = rest.find((row) => row.account !== '')?.account ?? null;
    this.#names ??= new AccountNames(this.#db, this.#rows.user);
    return this.#names.of(named);
  }

  /** The first import that states a fill. */
  firstImport(fillId: string): number | undefined {
    const [first] = this.#rows.where<{ import_id: number }>(
      'SELECT import_id FROM import_fills',
      { fill_id: fillId },
      'ORDER BY import_id LIMIT 1',
    );
    return first?.import_id;
  }

  /** The account of a fill as its first file states it; '' for none, null if unknown. */
  statedAccount(fillId: string): string | null {
    const which = { fill_id: fillId };
    const [first] = this.#rows.where<FillStatement>(
      'SELECT account FROM import_fills',
      which,
      'ORDER BY import_id',
    );
    return first?.account ?? null;
  }

  /** Stores the accounts of older statements, whose files are unknown, as they are now. */
  fixAccounts(): void {
    this.#rows.run(
      `UPDATE import_fills SET account = (SELECT coalesce(f.account, '') FROM fills AS f
        WHERE f.user_id = import_fills.user_id
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
      `WITH feeless AS MATERIALIZED (
         SELECT f.execution_id, f.account, f.platform, f.symbol, f.underlying, f.currency,
           substr(f.executed_at, 1, 19) AS second
         FROM import_fills AS p CROSS JOIN fills AS f ON f.user_id = p.user_id AND f.id = p.fill_id
         WHERE p.user_id = ${USER} AND p.import_id = @importId AND ${FEELESS}),
       costly AS MATERIALIZED (
         SELECT s.platform, s.symbol, s.second FROM (SELECT DISTINCT platform, symbol, second
           FROM feeless) AS s WHERE EXISTS (
           SELECT 1 FROM fills AS c WHERE c.user_id = ${USER} AND c.platform = s.platform
             AND c.symbol = s.symbol AND c.kind = 'cost'
           AND c.executed_at BETWEEN s.second || '.000Z' AND s.second || '.999Z')),
       own AS (
         SELECT DISTINCT iif(@areRated, execution_id, NULL) AS execution_id, account, symbol,
           underlying, currency FROM feeless
         WHERE (platform, symbol, second) NOT IN (SELECT platform, symbol, second FROM costly))
       SELECT account, symbol, underlying, currency, total(CASE WHEN @areRated THEN
         (SELECT sum(e.fees) FROM executions AS e INDEXED BY executions_fill
           WHERE e.user_id = ${USER} AND e.fill_id = own.execution_id) END) AS fees
       FROM own GROUP BY account, symbol, underlying, currency`,
      { importId, areRated: Number(areRated) },
    );
  }

  /** The accounts that have fills of a symbol, each with its platform and latest fill. */
  holdersOf(symbol: string): SymbolHolder[] {
    return this.platforms().flatMap((platform) => {
      const all = this.#fills(
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
    const open = this.#rows.get(
      `SELECT 1 FROM trades AS t
       CROSS JOIN fills AS f ON f.user_id = t.user_id AND f.execution_id = t.id AND f.platform = @platform
       WHERE t.user_id = ${USER} AND t.symbol = @symbol AND t.status = 'open' AND t.account IS @account`,
      { platform, symbol, account },
    );
    return open !== undefined;
  }

  /** The multiplier of a symbol's latest fill; undefined if none. */
  latestMultiplier(platform: string, symbol: string): number | undefined {
    const latest = 'ORDER BY executed_at DESC LIMIT 1';
    return this.#rows.where<Fill>(
      'SELECT multiplier FROM fills',
      { platform, symbol },
      latest,
    )[0]?.multiplier;
  }

  symbolChanges(platform: string): { symbol: string; former_symbol: string }[] {
    return this.#rows.where('SELECT symbol, former_symbol FROM fills', {
      platform,
      kind: 'symbol_change',
    });
  }

  traitsOf(platform: string, symbol: string): SymbolTraits {
    const traits = this.#rows.get<object>(
      `SELECT total(account IS NOT NULL) > 0 AS named, total(account IS NULL) > 0 AS unnamed,
         total(part IS '${PART.adopted}') > 0 AS adopted,
         total(part IS '${PART.cancels}') > 0 AS cancelled,
         total(kind = 'unclear') > 0 AS unclear,
         total(part IS '${PART.booked}') > 0 AS booked,
         total(format = '${BY_HAND}') > 0 AS by_hand ${OF_SYMBOL}`,
      { platform, symbol },
    );
    return Object.fromEntries(
      Object.entries(traits ?? {}).map(([name, own]) => [name, own === 1]),
    );
  }

  /**
   * @param from only fills from this instant on
   * @returns by symbol, then by time
   */
  load(instruments: Instruments, from: string): PlacedFill[] {
    const placed: { fill: Fill; places: Map<number, number> }[] = [];
    for (const symbol of instruments.symbols) {
      const rows = this.#rows.each<Fill & { import_id: number; place: number }>(
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
    const rows = this.#rows.each<{
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
}

const WRITTEN = `SELECT import_id, fees, fees_stated, digits, executed_at, price, quantity,
    gross_pnl, net_pnl, lots, coalesce(nullif(account, ''), (SELECT holder FROM imports AS i
      WHERE i.user_id = import_fills.user_id AND i.id = import_id), account)
      AS account
  FROM import_fills`;

interface WrittenRow
  extends Pick<
    WrittenFill,
    'digits' | 'executed_at' | 'price' | 'quantity' | 'gross_pnl' | 'net_pnl' | 'lots'
  > {
  import_id: number;
  fees: number;
  fees_stated: 0 | 1;
  account: string | null;
}

/** Digits of times, prices or quantities, by the divisor in the column. */
function digitsAt({ digits }: WrittenRow, divisor: number): number {
  return Math.floor((digits ?? 0) / divisor) % 100;
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

/** Texts that many rows have, each once in memory. */
class SharedTexts {
  readonly #texts = new Map<string, string>();

  of<T extends string | null>(text: T): T {
    if (text === null) return text;
    const known = this.#texts.get(text);
    if (known !== undefined) return known as T;
    this.#texts.set(text, text);
    return text;
  }
}

function storedFill(row: StoredFillRow, symbol: string, texts: SharedTexts): StoredFill {
  const { id, execution_id, order_id } = row;
  return {
    id,
    execution_id: execution_id === id ? id : execution_id,
    part: row.part,
    format: texts.of(row.format),
    account: texts.of(row.account),
    symbol,
    executed_at: row.executed_at,
    has_time: row.has_time === 1,
    kind: texts.of(row.kind),
    side: texts.of(row.side),
    quantity: row.quantity,
    price: row.price,
    fees: row.fees,
    fees_stated: row.fees_stated === 1,
    order_id,
    stated_gross_pnl: row.stated_gross_pnl,
    stated_net_pnl: row.stated_net_pnl,
    lots: row.lots,
  };
}

type StoredFillRow = Omit<StoredFill, 'symbol' | 'has_time' | 'fees_stated'> & {
  has_time: 0 | 1;
  fees_stated: 0 | 1;
  import_id: number;
  timezone: string | null;
  stated_account: string | null;
  clock: string | null;
  digits: number | null;
  identity: string | null;
};

type StatementRow = Fill & {
  import_id: number;
  place: number;
  own_fees: number;
  own_fees_stated: 0 | 1;
  stated_account: string | null;
  clock: string | null;
  digits: number | null;
  identity: string | null;
  own_time: string | null;
  own_price: number | null;
  own_quantity: number | null;
  gross_pnl: number | null;
  net_pnl: number | null;
  own_lots: string | null;
};

/** Imports with fills of a named account that aren't walked with the others of that account. */
export function importsApart(reader: Reader, user: string): Set<number> {
  const rows = reader.all(
    `WITH several AS (SELECT account, min(platform) AS first FROM fills WHERE user_id = ${TEXT} AND account IS NOT NULL
       GROUP BY account HAVING min(platform) <> max(platform))
     SELECT DISTINCT p.import_id AS id FROM several AS s
     JOIN fills AS f ON f.user_id = ${TEXT} AND f.account = s.account AND f.platform <> s.first
     JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id`,
    user,
    user,
  );
  return new Set(rows.map(({ id }) => id as number));
}
