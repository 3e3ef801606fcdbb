/**
 * Puts back what `import change` replaced: fills by their rows, and how the file was
 * read.
 */
import type Database from 'better-sqlite3';
import { inAccount } from '../../import/fills/identity.ts';
import {
  type MadeTrades,
  type RestatedRow,
  restateFills,
} from '../../import/fills/make-trades.ts';
import { hasUniqueIds, platformOfFormat } from '../../import/formats/platforms.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { AccountNames } from '../../statements/accounts.ts';
import {
  type Fill,
  fromKept,
  type KeptFill,
  type StatedFees,
} from '../../statements/fill-row.ts';
import { FillTable, NOTHING_WRITTEN, type WrittenFill } from '../../statements/fills.ts';
import type { StatementRow } from '../../statements/statement-table.ts';

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
