/**
 * Restores the fills of an export, and the imports that state them, so that they make the
 * same trades as in the exported journal.
 */
import type Database from 'better-sqlite3';
import { onLine, quote, RowError, unknownField } from '../../errors.ts';
import {
  explainIssues,
  normaliserOf,
  type Values,
  type WriteSettings,
} from '../../journal-write/record.ts';
import type { Change } from '../../journal-write/record-writer.ts';
import {
  addName,
  addRules,
  type FeeRate,
  isFor,
} from '../../statements/account-settings.ts';
import { addRates } from '../../statements/exchange-rates.ts';
import type { ExportedImport } from '../../statements/exported-imports.ts';
import {
  addsToExit,
  type Fill,
  replacesFees,
  replacesOrder,
  fills as resource,
  type StatedExit,
  type Statement,
} from '../../statements/fill-row.ts';
import {
  type FillTable,
  type NewStatement,
  NOTHING_WRITTEN,
} from '../../statements/fills.ts';
import type { ImportEntry } from '../../statements/import-entry.ts';
import { FillDuplicates, type Stored } from './duplicates.ts';
import { mayShareAccount, platformIdOf, Spellings } from './identity.ts';
import { type WalkedBefore, walkBefore } from './make-trades.ts';
import type { FileRecord, FormatTraits } from './reading.ts';
import { refuseUnstorable } from './store-fills.ts';

export interface ExportedFills {
  /** Iterated twice. */
  records: Iterable<FileRecord>;
  /** The imports that the export lists. */
  imports: readonly ExportedImport[];
  /**
   * Whether the export's trades were imported before its fills: a trade missing there was
   * removed on purpose.
   */
  withTrades: boolean;
}

type RestoreSettings = WriteSettings & {
  /** Whether suspected duplicates from another export are separate fills. */
  allowDuplicates: boolean;
  /** All known formats: fills of an export name theirs. */
  formats: readonly FormatTraits[];
};

export interface RestoredFills {
  /** Fills that only get fees or an order id from the export are changed. */
  counts: Record<Change, number>;
  /** Number of fills stated by the export's own import, since its list lacks theirs. */
  statedByExport: number;
  /** Whether the journal has new statements of fills by files. */
  isRestated: boolean;
  before: WalkedBefore[];
  /**
   * Whether the user has decided about a trade of instruments that had no fills before.
   */
  isSettled: (tradeId: string) => boolean;
}

/**
 * @param importId the export's own import, for fills whose import it doesn't list
 * @param progress called before each fill, and at the end, with the number of fills
 * written and of new ones
 * @throws RowError, UserError if a fill contradicts the journal; the caller rolls the
 * transaction back
 */
export function restoreFills(
  db: Database.Database,
  exported: ExportedFills,
  importId: number,
  stored: Stored,
  settings: RestoreSettings,
  progress: (done: number, changed: number) => void,
): RestoredFills {
  const { records, imports, withTrades } = exported;
  const userId = settings.user.id;
  const table = stored.fills;
  const known = new FoundFills(table);
  const statements = new ExportedStatements(stored, imports, importId);

  const unknown = imports.filter(
    (entry) => holdsSettings(entry) && stored.imports.idOf(entry) === undefined,
  );
  const rates = unknown.flatMap(({ fees = [] }) => fees);
  const changed = changedFills(records, stored, known, settings);
  const before = walkBefore(changedBy(changed, rates, table), table);
  for (const entry of unknown) takeSettings(db, stored, userId, entry);

  const counts = { added: 0, changed: 0, unchanged: 0 };
  let place = 0;
  for (const { line, values } of records) {
    progress(place, counts.added);
    const { stated, ...facts } = exportedFill(values, line);
    const fill = known.asStored(facts);
    counts[onLine(line, () => table.put(fill))]++;
    statements.write(fill, stated, place++);
  }

  progress(place, counts.added);

  const hasTrade = db.prepare('SELECT 1 FROM trades WHERE user_id = ? AND id = ?');
  return {
    counts,
    statedByExport: statements.statedByExport,
    isRestated: unknown.length > 0 || statements.areNew,
    before,
    isSettled: (tradeId) => withTrades || hasTrade.get(userId, tradeId) !== undefined,
  };
}

/**
 * Whether an import is a command that set fees, exchange rates, names of accounts or
 * limits.
 */
function holdsSettings({ fees, rates, names, limits }: ExportedImport): boolean {
  return Boolean(fees ?? rates ?? names ?? limits);
}

function takeSettings(
  db: Database.Database,
  { imports, fills }: Stored,
  userId: string,
  entry: ExportedImport,
): void {
  const id = imports.take(entry);
  for (const rate of entry.fees ?? []) fills.feeRates.add(id, rate);
  addRates(db, userId, id, entry.rates ?? []);
  for (const name of entry.names ?? []) addName(db, userId, id, name);
  for (const change of entry.limits ?? []) addRules(db, userId, id, change);
}

/** Writes what files state of an export's fills, by the imports that it lists. */
class ExportedStatements {
  readonly #stored: Stored;
  /** The export's own import. */
  readonly #importId: number;
  /** The export's imports by the ids that it gives them. */
  readonly #entries: ReadonlyMap<number, ImportEntry>;
  /**
   * Ids in this journal; each import is looked up or added when a fill first names it.
   */
  readonly #ids = new Map<number, number>();
  /** Number of fills stated by the export's own import. */
  statedByExport = 0;
  /** Whether any statement is new. */
  areNew = false;

  constructor(stored: Stored, imports: readonly ImportEntry[], importId: number) {
    this.#stored = stored;
    this.#importId = importId;
    this.#entries = new Map(imports.map((entry) => [entry.id, entry]));
  }

  write(fill: Fill, stated: readonly Statement[], place: number): void {
    let isListed = false;
    for (const statement of stated) {
      const id = this.#idOf(statement);
      if (id === undefined) continue;
      isListed = true;
      this.#state(statement, fill, id);
    }

    if (isListed) return;

    const { fees, fees_stated } = fill;
    const statement = { import: this.#importId, place, fees, fees_stated, account: null };
    const isNew = this.#state({ ...NOTHING_WRITTEN, ...statement }, fill, this.#importId);
    if (isNew) this.statedByExport++;
  }

  #state(statement: Statement, fill: Fill, importId: number): boolean {
    const isNew = this.#stored.fills.state(statementOf(statement, fill, importId));
    if (isNew) this.areNew = true;
    return isNew;
  }

  #idOf({ import: listed }: Statement): number | undefined {
    const entry = this.#entries.get(listed);
    if (!entry) return undefined;

    const id = this.#ids.get(listed) ?? this.#stored.imports.take(entry);
    this.#ids.set(listed, id);
    return id;
  }
}

/** Fills that change, and those that the export's fee rates apply to. */
function* changedBy(
  fills: Iterable<Fill>,
  rates: readonly FeeRate[],
  table: FillTable,
): Generator<Fill> {
  yield* fills;
  for (const fill of rates.length > 0 ? table.feeless() : [])
    if (rates.some((rate) => isFor(rate, fill))) yield fill;
}

/** Fills that the journal lacks, wholly or in part. @throws UserError for duplicates */
function* changedFills(
  records: Iterable<FileRecord>,
  stored: Stored,
  known: FoundFills,
  { allowDuplicates, formats }: RestoreSettings,
): Generator<Fill> {
  const table = stored.fills;
  const byFormat = new Map<string, FillDuplicates>();

  const duplicatesOf = ({ format: name, platform }: Fill) => {
    const format = formats.find((other) => other.name === name) ?? { name, platform };
    const duplicates = byFormat.get(name) ?? new FillDuplicates(stored, format);
    byFormat.set(name, duplicates);
    return duplicates;
  };

  for (const { line, values } of records) {
    const { stated: _, ...fill } = exportedFill(values, line);
    if (!table.hasAny(fill.platform)) {
      yield fill;
      continue;
    }

    const duplicates = duplicatesOf(fill);
    const found = known.find(fill, line);
    if (!found && !allowDuplicates) duplicates.compare(fill, table.alike(fill), line);
    const isNew = !found || replacesFees(fill, found) || replacesOrder(fill, found);
    if (isNew || addsToExit(fill, found)) yield known.asStored(fill);
  }

  for (const duplicates of byFormat.values()) duplicates.refuse();
}

/** What an exported statement wrote of a fill. */
function statementOf(stated: Statement, fill: Fill, importId: number): NewStatement {
  const { place, fees, fees_stated, account, clock, digits, identity } = stated;
  const { executed_at, price, quantity, gross_pnl, net_pnl, lots } = stated;

  return {
    fillId: fill.id,
    importId,
    place,
    fees: { fees, fees_stated },
    account,
    written: {
      clock,
      digits,
      identity,
      executed_at,
      price,
      quantity,
      gross_pnl,
      net_pnl,
      lots,
    },
  };
}

/**
 * Exported fills that the journal has: by their ids, or by what they state if another
 * version gave them other ids.
 */
class FoundFills {
  readonly #table: FillTable;
  /** The stored fill's ids by the exported id, where they differ. */
  readonly #stored = new Map<string, Pick<Fill, 'id' | 'execution_id'>>();
  readonly #taken = new Set<string>();
  /** By format. */
  readonly #spellings = new Map<string, Spellings>();

  constructor(table: FillTable) {
    this.#table = table;
  }

  /** @throws RowError if the journal contradicts a fill of the same id */
  find(fill: Fill, line: number): Fill | undefined {
    const known = this.#table.find(fill.id);
    if (known) {
      refuseContradiction(fill, known, line);
      this.#taken.add(known.id);
      return known;
    }

    const equal = this.#alike(fill).find(
      (other) => isSameFill(other, fill) && !this.#taken.has(other.id),
    );
    if (!equal) return undefined;

    const { id, execution_id } = equal;
    this.#taken.add(id);
    this.#stored.set(fill.id, { id, execution_id });

    return equal;
  }

  #alike(fill: Fill): Fill[] {
    const { format, platform, symbol } = fill;
    const spellings = this.#spellings.get(format) ?? new Spellings(this.#table, format);
    this.#spellings.set(format, spellings);
    return spellings
      .of(platform, symbol)
      .flatMap((spelling) => this.#table.alike({ ...fill, symbol: spelling }));
  }

  /** The fill with the ids that it has in the journal. */
  asStored(fill: Fill): Fill {
    return { ...fill, ...this.#stored.get(fill.id) };
  }
}

function isSameFill(stored: Fill, fill: Fill): boolean {
  return (
    stored.format === fill.format &&
    stored.part === fill.part &&
    stored.executed_at === fill.executed_at &&
    (stored.account ?? '').toLowerCase() === (fill.account ?? '').toLowerCase() &&
    platformIdOf(stored.id) === platformIdOf(fill.id)
  );
}

/** Fields that a fill has in common in every journal. */
const FACTS = ['executed_at', 'kind', 'side', 'price', 'quantity'] as const;

function refuseContradiction(fill: Fill, known: Fill, line: number): void {
  const differing = mayShareAccount(known, fill)
    ? FACTS.find((name) => known[name] !== fill[name])
    : 'account';
  if (differing === undefined) return;

  throw new RowError(
    differing,
    `this fill of ${fill.symbol} has ${quote(known[differing])} in the journal but ${quote(fill[differing])} in this export; read the import that states it in the same way in both journals (journal-api import change)`,
    line,
  );
}

const FORMATS_WITHOUT_FEES = [
  'binance-orders',
  'thinkorswim-activity',
  'topstepx-orders',
  'tradovate',
  'tradovate-orders',
  'webull',
  'zerodha',
  'zerodha-orders',
];

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null;

const SHAPE = resource.record.shape;
const FIELDS = Object.entries(SHAPE).map(([name, schema]) => ({
  name,
  normalise: normaliserOf(schema),
}));

/**
 * Defaults for exports of earlier versions, without times, orders and stated fees: those
 * of the journal's migration.
 */
function withDefaults(values: Readonly<Values>): Values {
  const hasFees = (fees: unknown) =>
    fees !== 0 || !FORMATS_WITHOUT_FEES.includes(String(values['format']));
  const { stated } = values;

  const withDefaultsOf = (statement: unknown) =>
    isObject(statement)
      ? {
          ...NOTHING_WRITTEN,
          fees_stated: hasFees(statement['fees']),
          account: null,
          ...statement,
        }
      : statement;

  return {
    has_time: true,
    order_id: null,
    fees_stated: hasFees(values['fees']),
    ...statedExit(stated),
    ...values,
    stated: Array.isArray(stated) ? stated.map(withDefaultsOf) : stated,
  };
}

/** P&L of the first statement that states any; earlier versions kept no lots. */
function statedExit(stated: unknown): StatedExit {
  const statements = Array.isArray(stated) ? stated.filter(isObject) : [];
  const first = (name: 'gross_pnl' | 'net_pnl') =>
    (statements.find((statement) => typeof statement[name] === 'number')?.[name] ??
      null) as number | null;
  return {
    stated_gross_pnl: first('gross_pnl'),
    stated_net_pnl: first('net_pnl'),
    lots: null,
  };
}

/** @throws RowError that names the line */
function exportedFill(
  stated: Readonly<Values>,
  line: number,
): Fill & { stated: readonly Statement[] } {
  const values: Readonly<Values> = withDefaults(stated);
  return onLine(line, () => {
    const unknown = Object.keys(values).find((name) => !Object.hasOwn(SHAPE, name));
    if (unknown !== undefined) throw unknownField(unknown, Object.keys(SHAPE));

    const normalised: Values = {};
    for (const { name, normalise } of FIELDS) {
      normalised[name] = normalise
        ? normalise(values[name], undefined, name)
        : values[name];
    }

    const { data, error } = resource.record.safeParse(normalised);
    if (error) throw explainIssues(error.issues, SHAPE, normalised);

    refuseUnstorable(data);
    return data;
  });
}
