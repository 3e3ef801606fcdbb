/**
 * What imports state of fills, and the fills that these statements make together: the
 * only place that writes either.
 */
import type Database from 'better-sqlite3';
import { explainConstraint } from '../journal-write/record.ts';
import type { Change } from '../journal-write/record-writer.ts';
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { USER } from '../sqlite/user-rows.ts';
import { AccountNames, FeeRateTable } from './account-settings.ts';
import { FillQueries, type PlatformOf } from './fill-queries.ts';
import {
  addsToExit,
  type Fill,
  fillOf,
  finerExit,
  PART,
  READ,
  replacesFees,
  replacesOrder,
  type StatedExit,
  type StatedFees,
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

/**
 * The columns of a fill that identify it, or that several files may state differently.
 */
export type StoredFill = Pick<
  Fill,
  | 'id'
  | 'execution_id'
  | 'part'
  | 'format'
  | 'platform'
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
  | 'platform'
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

/** What one import states of one fill. */
export interface FillStatement extends Omit<NewStatement, 'fillId'> {
  fill: Fill;
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

const OF_FILLS = `user_id = ${USER} AND fill_id IN (SELECT value FROM json_each(@ids))`;

const UNSTATE = `DELETE FROM import_fills WHERE ${OF_FILLS}`;

const STILL_STATED = `SELECT DISTINCT fill_id FROM import_fills WHERE ${OF_FILLS}`;

const DELETE = `DELETE FROM fills WHERE user_id = ${USER}
  AND id IN (SELECT value FROM json_each(@ids))`;

const STATED = `FROM import_fills AS p JOIN fills AS f ON f.user_id = p.user_id
  AND f.id = p.fill_id WHERE p.user_id = ${USER}`;

export class FillTable extends FillQueries {
  readonly feeRates: FeeRateTable;
  readonly #db: Database.Database;
  #names: AccountNames | undefined;

  constructor(db: Database.Database, user: string) {
    super(db, user);
    this.#db = db;
    this.feeRates = new FeeRateTable(db, user);
  }

  /**
   * The fills of a symbol that files state, between two instants, with what each file
   * wrote; in order of time and place.
   */
  ofSpan(span: {
    platform: string;
    symbol: string;
    from: string;
    to: string;
  }): FillWithStatements[] {
    const found = new Map<string, FillWithStatements>();
    const texts = new SharedTexts();
    for (const row of this.rows.each<StoredFillRow>(OF_SPAN, span)) {
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
          fill: storedFill(row, span, texts),
          statements: [statement],
        });
    }

    return [...found.values()];
  }

  /**
   * Adds a fill, or the fees, order and exit that this one states and the known one
   * lacks.
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
    if (hasOrder) this.rows.update('fills', { id: fill.id }, { order_id: fill.order_id });
    if (hasExit)
      this.rows.update('fills', { id: fill.id }, { ...finerExit(fill, known) });

    return hasFees || hasOrder || hasExit ? 'changed' : 'unchanged';
  }

  /** @throws RowError if the journal can't store it */
  add(fill: Fill): void {
    try {
      this.rows.insert('fills', valuesOf(fill));
    } catch (error) {
      throw explainConstraint(error, { ...fill });
    }
  }

  /**
   * Stores that an import states a fill.
   * @returns whether this is new
   */
  state({ fillId, importId, place, fees, account, written }: NewStatement): boolean {
    return this.rows.insertNew('import_fills', {
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
   * Changes a fill to what its files state together. Statements that said the former
   * values keep them.
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
      this.rows.run(KEEP_WRITTEN, { id, executed_at, price, quantity });
    }

    const values: Record<string, unknown> = { ...folded };
    if (folded.fees_stated !== undefined)
      values['fees_stated'] = Number(folded.fees_stated);
    this.rows.update('fills', { id }, values);
    if (isMoved) this.rows.run(FORGET_EQUAL, { id });
  }

  /**
   * The fills that an import states, with what the other imports state together:
   * undefined if none states the fill.
   */
  statedBy(
    importId: number,
    platformOf: PlatformOf,
  ): { fill: Fill; rest: FoldedFill | undefined }[] {
    const fills = this.fills(`SELECT ${READ} ${STATED} AND p.import_id = @importId`, {
      importId,
    });
    return fills.map((fill) => ({
      fill,
      rest: this.#foldWithout(fill, importId, platformOf),
    }));
  }

  /**
   * Statements of fills by some imports, or by all.
   * @param isBooked of booked expirations only
   */
  *statements(importIds?: readonly number[], isBooked = false): Generator<FillStatement> {
    const rows = this.rows.all<StatementRow>(
      `SELECT ${READ}, p.import_id, p.place, p.fees AS row_fees,
        p.fees_stated AS row_fees_stated, p.account AS stated_account,
         p.clock, p.digits, p.identity, p.executed_at AS row_time, p.price AS row_price,
           p.quantity AS row_quantity, p.gross_pnl, p.net_pnl,
           p.lots AS row_lots ${STATED}
         AND (@ids IS NULL OR p.import_id IN (SELECT value FROM json_each(@ids)))
         AND (@booked = 0 OR f.part = '${PART.booked}') ORDER BY p.import_id, p.place`,
      { ids: importIds ? JSON.stringify(importIds) : null, booked: Number(isBooked) },
    );
    for (const row of rows) {
      const {
        import_id: importId,
        place,
        row_fees,
        row_fees_stated,
        stated_account: account,
        clock,
        digits,
        identity,
        row_time: executed_at,
        row_price: price,
        row_quantity: quantity,
        gross_pnl,
        net_pnl,
        row_lots: lots,
        ...fill
      } = row;
      const fees = { fees: row_fees, fees_stated: row_fees_stated === 1 };
      const ofRow = { executed_at, price, quantity, gross_pnl, net_pnl, lots };
      const written = { clock, digits, identity, ...ofRow };
      yield { importId, place, fees, account, written, fill: fillOf(fill) };
    }
  }

  /**
   * Removes statements, and the fills that no other import states; the others become what
   * is left of them.
   * @returns the ids of fills that stay
   */
  withdraw(
    stated: readonly { importId: number; fill: Fill }[],
    platformOf: PlatformOf,
  ): Set<string> {
    const lastOf = new Map(stated.map((statement) => [statement.fill.id, statement]));
    const byImport = Map.groupBy(stated, ({ importId }) => importId);
    for (const [importId, statements] of byImport) {
      const ids = JSON.stringify(statements.map(({ fill }) => fill.id));
      this.rows.run(`${UNSTATE} AND import_id = @importId`, { ids, importId });
    }

    const ids = JSON.stringify([...lastOf.keys()]);
    const staying = this.rows
      .all<{ fill_id: string }>(STILL_STATED, { ids })
      .map(({ fill_id }) => fill_id);
    for (const id of staying) {
      const { fill, importId } = lastOf.get(id) as { importId: number; fill: Fill };
      this.fold(fill, this.#foldWithout(fill, importId, platformOf) as FoldedFill);
      lastOf.delete(id);
    }

    this.rows.run(DELETE, { ids: JSON.stringify([...lastOf.keys()]) });
    return new Set(staying);
  }

  /**
   * The fill that its statements but one make: the highest fees, the most digits, an
   * account if any names one.
   */
  #foldWithout(
    fill: Fill,
    importId: number,
    platformOf: PlatformOf,
  ): FoldedFill | undefined {
    const all = this.rows.where<WrittenRow>(
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
    const account = this.#accountOf(rest, fill);

    return {
      ...fees,
      ...exit,
      account,
      platform: this.platformAfterMove(fill, account, platformOf),
      executed_at: finest(10_000).executed_at ?? fill.executed_at,
      price: finest(100).price ?? fill.price,
      quantity: finest(1).quantity ?? fill.quantity,
    };
  }

  /**
   * The account that the statements of a fill lead to; the present one if an earlier
   * version didn't keep what they say.
   */
  #accountOf(rest: readonly WrittenRow[], { account }: Fill): string | null {
    if (rest.some((row) => row.account === null)) return account;
    const named = rest.find((row) => row.account !== '')?.account ?? null;
    this.#names ??= new AccountNames(this.#db, this.rows.user);
    return this.#names.of(named);
  }

  /** The first import that states a fill. */
  firstImport(fillId: string): number | undefined {
    const [first] = this.rows.where<{ import_id: number }>(
      'SELECT import_id FROM import_fills',
      { fill_id: fillId },
      'ORDER BY import_id LIMIT 1',
    );
    return first?.import_id;
  }

  /** The account of a fill as its first file states it; '' for none, null if unknown. */
  statedAccount(fillId: string): string | null {
    const which = { fill_id: fillId };
    const [first] = this.rows.where<FillStatement>(
      'SELECT account FROM import_fills',
      which,
      'ORDER BY import_id',
    );
    return first?.account ?? null;
  }

  /**
   * Stores the accounts of older statements, whose files are unknown, as they are now.
   */
  fixAccounts(): void {
    this.rows.run(
      `UPDATE import_fills SET account = (SELECT coalesce(f.account, '') FROM fills AS f
        WHERE f.user_id = import_fills.user_id
         AND f.id = fill_id) WHERE user_id = ${USER} AND account IS NULL`,
    );
  }

  /** Removes an import's statements; the fills themselves stay. */
  unstate(importId: number): void {
    this.rows.delete('import_fills', { import_id: importId });
  }

  delete(id: string): void {
    this.rows.delete('fills', { id });
  }

  setFees(id: string, { fees, fees_stated }: StatedFees): void {
    this.rows.update('fills', { id }, { fees, fees_stated: Number(fees_stated) });
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

function storedFill(
  row: StoredFillRow,
  { platform, symbol }: Pick<Fill, 'platform' | 'symbol'>,
  texts: SharedTexts,
): StoredFill {
  const { id, execution_id, order_id } = row;
  return {
    id,
    execution_id: execution_id === id ? id : execution_id,
    part: row.part,
    format: texts.of(row.format),
    platform,
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

type StoredFillRow = Omit<
  StoredFill,
  'platform' | 'symbol' | 'has_time' | 'fees_stated'
> & {
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
  row_fees: number;
  row_fees_stated: 0 | 1;
  stated_account: string | null;
  clock: string | null;
  digits: number | null;
  identity: string | null;
  row_time: string | null;
  row_price: number | null;
  row_quantity: number | null;
  gross_pnl: number | null;
  net_pnl: number | null;
  row_lots: string | null;
};

/**
 * Imports with fills of a named account that aren't walked with the others of that
 * account.
 */
export function importsApart(reader: Reader, user: string): Set<number> {
  const rows = reader.all<{ id: number }>(
    `WITH several AS (SELECT account, min(platform) AS first FROM fills WHERE user_id = ${TEXT} AND account IS NOT NULL
       GROUP BY account HAVING min(platform) <> max(platform))
     SELECT DISTINCT p.import_id AS id FROM several AS s
     JOIN fills AS f ON f.user_id = ${TEXT} AND f.account = s.account AND f.platform <> s.first
     JOIN import_fills AS p ON p.user_id = f.user_id AND p.fill_id = f.id`,
    user,
    user,
  );
  return new Set(rows.map(({ id }) => id));
}
