/** Puts back what `import change` replaced: fills and records by their rows, and how the file was read. */
import type Database from 'better-sqlite3';
import { AccountNames } from '../../../import-tables/accounts.ts';
import { fromKept, type KeptFill, type StatedFees } from '../../../import-tables/fill-row.ts';
import { FillTable, NOTHING_WRITTEN, type WrittenFill } from '../../../import-tables/fills.ts';
import { trades } from '../../../journal/resources/trades.ts';
import { same, type Values, type WriteSettings } from '../../../journal-write/record.ts';
import { inAccount } from '../../fills/identity.ts';
import { type MadeTrades, type RestatedRow, restateFills } from '../../fills/make-trades.ts';
import { hasUniqueIds } from '../accounts.ts';
import { restoreExcursions } from './kept-excursions.ts';
import { type Pair, type ReplacedRecord, type Taken, TakenRecords } from './taken-records.ts';

/** What a change keeps of an import for its undo. */
export interface Replaced {
  import: number;
  /** Columns of the import. */
  entry: Record<string, unknown>;
  /** Rows of the file: the statement before, and the place after; null if there was or is none. */
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
  records: ReplacedRecord[];
  /** Of the named import: excursions that trades lost. Missing in changes by earlier versions. */
  excursions?: Values[];
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
          fromKept(was.fill),
          account === null ? was.fill.account : names.of(account || null),
          hasUniqueIds(was.fill.format),
        );
      const { place: at = place ?? 0, fees = { fees: 0, fees_stated: true }, written = NOTHING_WRITTEN } = was ?? {};
      return { importId: own.import, place: at, fees, account, written, from: present?.fill, to: to ?? undefined };
    });
  });
  const records = new TakenRecords(db, settings);
  const taken = new Map(replaced.toReversed().map((own) => [own, takenBy(records, own)]));
  const made = rows.length > 0 ? restateFills(db, fills, rows, settings) : undefined;
  for (const own of replaced) {
    const { import: id, entry } = own;
    records.carry(id, putBack(records, own, taken.get(own) ?? [], names));
    const set = Object.keys(entry).map((name) => `${name} = @${name}`);
    db.prepare(`UPDATE imports SET ${set.join(', ')} WHERE user_id = @user AND id = @id`).run({ ...entry, user, id });
  }
  records.settleGroups();
  restoreExcursions(
    db,
    replaced.flatMap((own) => own.excursions ?? []),
    settings,
  );
  return made;
}

function takenBy(records: TakenRecords, { import: id, records: replaced }: Replaced): Taken[] {
  const present = replaced.flatMap(({ resource, to }) => (to === null ? [] : [{ resource, id: to }]));
  const keys = new Set(present.map((own) => `${own.resource} ${own.id}`));
  const stated = records.statementsOf(id).filter((own) => keys.delete(`${own.resource} ${own.record_id}`));
  const bare = present.filter((own) => keys.has(`${own.resource} ${own.id}`));
  return records.take(id, stated, bare);
}

/** Writes the records as they were. @returns the taken ones, with their ids now */
function putBack(records: TakenRecords, own: Replaced, taken: readonly Taken[], names: AccountNames): Pair[] {
  const present = new Map(taken.map((one) => [`${one.resource} ${one.id}`, one]));
  const pairs: Pair[] = [];
  for (const { resource, from, to, statement, before, after } of own.records) {
    const one = to === null ? undefined : present.get(`${resource} ${to}`);
    const isAdded = one?.statement?.change === 'added';
    if (one) pairs.push([one, isAdded ? (from ?? undefined) : one.id]);
    if (!statement) continue;
    const whole: Values = isAdded ? { ...one.left } : { ...records.find(resource, statement.record_id) };
    const values = statement.change === 'added' ? before : JSON.parse(statement.after ?? '{}');
    // What another program wrote since stays.
    for (const [name, value] of Object.entries(values))
      if (!isAdded || same(whole[name] ?? null, after[name] ?? null)) whole[name] = value;
    if (resource === trades.path && Object.hasOwn(before, 'account') && statement.account !== null)
      whole['account'] = names.of(statement.account || null);
    records.overwrite(resource, { ...whole, id: statement.record_id });
    records.state(statement);
  }
  return pairs;
}
