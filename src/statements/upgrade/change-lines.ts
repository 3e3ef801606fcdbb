/** Lines of `import change` in older journals: what their undo puts back, as statements. */
import { trades } from '../../journal/resources/trades.ts';
import type { Values } from '../../journal-write/record.ts';
import { USER, type UserRows } from '../../sqlite/user-rows.ts';
import { isEmpty, type Stated } from '../fold.ts';
import type { StatedRecords } from '../stated-records.ts';
import { NO_PLACE, resourceNamed, type StatementRow } from '../statement-table.ts';
import { changeOf, imageOf, type OlderRow } from './older-rows.ts';

/** What a change did to a record of an import. */
interface ReplacedRecord {
  resource: string;
  /** Its ids before and after; null: it wasn't in the journal, or isn't any more. */
  from: string | null;
  to: string | null;
  /** By the import, before. */
  statement: (Omit<OlderRow, 'format'> & { record_id: string }) | null;
  /** The different fields; all of them if the record isn't there after, or has another id. */
  before: Values;
  after: Values;
}

/** What a change kept of an import, with its records as an older version wrote them. */
interface OlderReplaced extends Values {
  import: number;
  entry: Values;
  records: readonly ReplacedRecord[];
}

const CHANGE = `SELECT record_id, before FROM import_changes
  WHERE user_id = ${USER} AND resource = 'imports' AND import_id = @line`;

export function restateChange(rows: UserRows, records: StatedRecords, line: number): void {
  for (const { record_id, before } of rows.all<{ record_id: string; before: string }>(CHANGE, { line })) {
    const { records: replaced, excursions: _, ...own } = JSON.parse(before) as OlderReplaced;
    const pairs = replaced.map((one) => new ChangedRecord(records, own.import, one));
    const restated = {
      ...own,
      entry: { ...own.entry, stated: null },
      records: {
        before: pairs.flatMap((one) => one.before ?? []),
        added: pairs.flatMap((one) => one.added ?? []),
      },
    };
    records.table.add('imports', record_id, line, { ...NO_PLACE, stated: restated });
  }
}

class ChangedRecord {
  /** What the import states of it only since the change. */
  readonly added: StatementRow | undefined;
  /** What it stated before. */
  readonly before: StatementRow | undefined;

  constructor(records: StatedRecords, importId: number, { resource: path, from, to, statement, before }: ReplacedRecord) {
    const resource = resourceNamed(path);
    const own = to === null ? [] : records.table.rowsOf(path, to);
    const now = own.find((row) => row.import_id === importId && row.kind === 'stated');
    if (now && !(statement && from === to && now.path === (statement.path ?? '')))
      this.added = { ...now, fields: null };
    if (!statement) return;

    const { record_id, place, account, clock = null, digits = null } = statement;
    const kinds = records.table.kindsOf(resource);
    const known = now && from === to ? records.table.statedIn(now, resource, records.find(resource, record_id) ?? {}) : {};
    const then = kinds.flat(before);
    const stated: Stated =
      statement.change === 'changed'
        ? changeOf(kinds, imageOf(statement.before), imageOf(statement.after))
        : { ...known, ...then };
    for (const name of ['id', 'created_at', 'updated_at']) delete stated[name];
    for (const [name, value] of Object.entries(stated)) if (isEmpty(value)) delete stated[name];
    const isOfTrade = resource === trades && 'account' in stated;
    if (isOfTrade && account !== null) stated['account'] = account || null;
    this.before = {
      ...{ resource: path, record_id, import_id: importId, kind: 'stated', path: statement.path ?? '' },
      ...{ fields: JSON.stringify(stated), place, clock, digits },
      account: isOfTrade ? ((stated['account'] as string | null) ?? '') : null,
    };
  }
}
