/** Puts back what `import change` replaced: fills by their rows, ids of closed trades, and how the file was read. */
import type Database from 'better-sqlite3';
import { AccountNames } from '../../../import-tables/account-names.ts';
import type { Fill, StatedFees } from '../../../import-tables/fill-row.ts';
import { FillTable } from '../../../import-tables/fills.ts';
import { renameTrades } from '../../../import-tables/walked-trades.ts';
import type { WriteSettings } from '../../../journal-write/record.ts';
import { inAccount } from '../../fills/identity.ts';
import { type MadeTrades, type RestatedRow, restateFills } from '../../fills/make-trades.ts';
import { hasUniqueIds } from '../accounts.ts';

/** What a change keeps of an import for its undo. */
export interface Replaced {
  import: number;
  /** Columns of the import. */
  entry: Record<string, unknown>;
  /** Rows of the file: the statement before, and the place after; null if there was or is none. */
  fills: {
    was: { place: number; fees: StatedFees; account: string | null; fill: Fill } | null;
    place: number | null;
  }[];
  /** Closed trades: statement and id before, and the id after. */
  records: { from: string; to: string; place: number | null; account: string | null }[];
}

/** @returns undefined if no fill changes */
export function undoChange(
  db: Database.Database,
  replaced: readonly Replaced[],
  settings: WriteSettings,
): MadeTrades | undefined {
  const user = settings.user.id;
  const fills = new FillTable(db, user);
  const names = new AccountNames(db, user);
  const rows = replaced.flatMap((own): RestatedRow[] => {
    const now = new Map([...fills.statements([own.import])].map((stated) => [stated.place, stated]));
    return own.fills.map(({ was, place }) => {
      const present = place === null ? undefined : now.get(place);
      const account = was?.account ?? null;
      const to =
        was &&
        inAccount(
          was.fill,
          account === null ? was.fill.account : names.of(account || null),
          hasUniqueIds(was.fill.format),
        );
      const { place: at = place ?? 0, fees = { fees: 0, fees_stated: true } } = was ?? {};
      return { importId: own.import, place: at, fees, account, from: present?.fill, to: to ?? undefined };
    });
  });
  const made = rows.length > 0 ? restateFills(db, fills, rows, settings) : undefined;
  const state = db.prepare(
    "UPDATE import_records SET place = ?, account = ? WHERE user_id = ? AND import_id = ? AND resource = 'trades' AND record_id = ?",
  );
  for (const { import: id, entry, records } of replaced) {
    renameTrades(db, user, new Map(records.map(({ from, to }) => [to, from])));
    for (const { from, place, account } of records) state.run(place, account, user, id, from);
    const set = Object.keys(entry).map((name) => `${name} = @${name}`);
    db.prepare(`UPDATE imports SET ${set.join(', ')} WHERE user_id = @user AND id = @id`).run({ ...entry, user, id });
  }
  return made;
}
