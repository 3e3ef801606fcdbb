/**
 * Fills of an undone line. Those of a file go, unless other files state them too; those
 * that `import change` replaced are put back.
 */
import type Database from 'better-sqlite3';
import { inAccount } from '../../import/fills/identity.ts';
import {
  type MadeTrades,
  makeTrades,
  type RestatedRow,
  restateFills,
  type WalkedBefore,
  walkBefore,
} from '../../import/fills/make-trades.ts';
import { hasUniqueIds, platformOfFormat } from '../../import/formats/platforms.ts';
import { trades } from '../../journal/resources/trades.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { AccountNames, type FeeRate, isFor } from '../../statements/account-settings.ts';
import {
  type Fill,
  fromKept,
  type KeptFill,
  type StatedFees,
} from '../../statements/fill-row.ts';
import { FillTable, NOTHING_WRITTEN, type WrittenFill } from '../../statements/fills.ts';
import type { ImportTable } from '../../statements/imports.ts';
import type { StatedRecords } from '../../statements/stated-records.ts';
import type { StatementRow } from '../../statements/statement-table.ts';
import { builtOnBy } from './undone-records.ts';

export interface UndoneFills extends Pick<MadeTrades, 'trades' | 'groups'> {
  /** Fills that other imports state too are kept. */
  fills: { removed: number; kept: number };
}

/** @throws UserError if a later line booked the expiration of what the fills opened */
export function undoFills(
  db: Database.Database,
  importId: number,
  {
    settings,
    imports,
    stated: records,
  }: {
    settings: WriteSettings;
    imports: ImportTable;
    stated: StatedRecords;
  },
): UndoneFills {
  const table = new FillTable(db, settings.user.id);
  const stated = table.statedBy(importId, platformOfFormat);
  const removed = stated.filter(({ rest }) => rest === undefined);
  // Fills that stay may lose fees, digits or their account, and their place among fills
  // of one instant.
  const changed = stated.flatMap(({ fill, rest }) =>
    rest ? [fill, { ...fill, ...rest }] : [fill],
  );
  const rates = table.feeRates.of(importId);
  const before = walkBefore([...changed, ...feelessFor(rates, table)], table);
  const removedIds = new Set(removed.map(({ fill }) => fill.execution_id));
  refuseBooked(importId, removedIds, before, table);

  table.feeRates.remove(importId);
  table.unstate(importId);
  for (const { fill, rest } of stated) {
    if (rest === undefined) table.delete(fill.id);
    else table.fold(fill, rest);
  }

  const made = makeTrades(db, before, table, {
    ...settings,
    areLegsSame: rates.length > 0,
    isStated: (tradeId) => isStated(importId, tradeId, records, imports),
  });
  return {
    fills: { removed: removed.length, kept: stated.length - removed.length },
    trades: made.trades,
    groups: made.groups,
  };
}

/** Fills without stated fees to which some rates apply. */
function feelessFor(rates: readonly FeeRate[], table: FillTable): Fill[] {
  if (rates.length === 0) return [];
  return table.feeless().filter((fill) => rates.some((rate) => isFor(rate, fill)));
}

/**
 * Whether another import states a trade as a record. Records imported later than the
 * fills are an export of the trades that the fills made elsewhere.
 */
function isStated(
  importId: number,
  tradeId: string,
  records: StatedRecords,
  imports: ImportTable,
): boolean {
  const importedAt = (line: number) => imports.find(line)?.imported_at ?? '';
  const statements = records.statementsOf(trades, tradeId, records.find(trades, tradeId));
  const kinds = records.table.kindsOf(trades);

  return statements.some(
    (statement) =>
      statement.line !== importId &&
      kinds.isWhole(statement) &&
      importedAt(statement.line) <= importedAt(importId),
  );
}

/** @throws UserError if a later line booked the expiration of what the fills opened */
function refuseBooked(
  importId: number,
  removed: ReadonlySet<string>,
  before: readonly WalkedBefore[],
  table: FillTable,
): void {
  if (before.every(({ booked }) => booked.length === 0)) return;

  const lines = new Map(
    [...table.statements(undefined, true)].map(({ fill, importId: line }) => [
      fill.execution_id,
      line,
    ]),
  );
  for (const { executions } of before.flatMap(({ trades }) => trades)) {
    const later = executions
      .map(({ fill }) => lines.get(fill))
      .find((line) => line !== undefined && line > importId);
    if (later !== undefined && executions.some(({ fill }) => removed.has(fill)))
      throw builtOnBy(later);
  }
}

// What `import change` replaced.

/** What a change keeps of an import for its undo. */
export interface Replaced {
  import: number;
  /** Columns of the import. */
  entry: Record<string, unknown>;
  /**
   * Rows of the file: the statement before, and the place after; null if there was or is
   * none.
   */
  fills: {
    was: {
      place: number;
      fees: StatedFees;
      account: string | null;
      /** Undefined in journals of earlier versions. */
      written?: WrittenFill;
      fill: KeptFill;
    } | null;
    place: number | null;
  }[];
  /** What it stated of records otherwise, and what it states only since. */
  records: { before: StatementRow[]; added: StatementRow[] };
}

/** Puts back fills by their rows, and how their files were read. */
export function putBackFills(
  db: Database.Database,
  replaced: readonly Replaced[],
  settings: WriteSettings,
): MadeTrades {
  const user = settings.user.id;
  const fills = new FillTable(db, user);
  const names = new AccountNames(db, user);
  const rows = replaced.flatMap((change): RestatedRow[] => {
    const now = new Map(
      [...fills.statements([change.import])].map((stated) => [stated.place, stated]),
    );
    return change.fills.map(({ was, place }) => {
      const present = place === null ? undefined : now.get(place);
      const account = was?.account ?? null;
      const moved = (fill: Fill): Fill => {
        const present = account === null ? fill.account : names.of(account || null);
        const platform = fills.platformAfterMove(fill, present, platformOfFormat);
        return { ...inAccount(fill, present, hasUniqueIds(fill.format)), platform };
      };
      const {
        place: at = place ?? 0,
        fees = { fees: 0, fees_stated: true },
        written = NOTHING_WRITTEN,
      } = was ?? {};

      return {
        importId: change.import,
        place: at,
        fees,
        account,
        written,
        from: present?.fill,
        to: was ? moved(fromKept(was.fill)) : undefined,
      };
    });
  });
  const made = restateFills(db, fills, rows, {
    ...settings,
    platformOf: platformOfFormat,
  });

  for (const { import: id, entry } of replaced) {
    const set = Object.keys(entry).map((name) => `${name} = @${name}`);
    db.prepare(
      `UPDATE imports SET ${set.join(', ')} WHERE user_id = @user AND id = @id`,
    ).run({
      ...entry,
      user,
      id,
    });
  }

  return made;
}
