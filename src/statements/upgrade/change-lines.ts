/**
 * Lines of `import change` in older journals: what their undo puts back, as statements.
 */
import { trades } from '../../journal/resources/trades.ts';
import { same, type Values } from '../../journal-write/record.ts';
import { USER, type UserRows } from '../../sqlite/user-rows.ts';
import { isEmpty, type Stated } from '../fold.ts';
import { MEASURE_OF, measureOf, type StatedRecords } from '../stated-records.ts';
import { NO_PLACE, resourceNamed, type StatementRow } from '../statement-table.ts';
import { changeOf, imageOf, type OlderRow, UNMEASURED } from './older-rows.ts';

type OlderStatement = Omit<OlderRow, 'format'> & { record_id: string };

/** What a change did to a record of an import. */
interface ReplacedRecord {
  resource: string;
  /** Its ids before and after; null: it wasn't in the journal, or isn't any more. */
  from: string | null;
  to: string | null;
  /** By the import, before. */
  statement: OlderStatement | null;
  /** The different fields; all of them if the record isn't there after. */
  before: Values;
  after: Values;
}

type Figures = Values & { id: string };

/** What a change kept of an import, with its records as an older version wrote them. */
interface OlderReplaced extends Values {
  import: number;
  entry: Values;
  fills: readonly {
    was: { fill: { execution_id: string; executed_at: string } } | null;
  }[];
  records: readonly ReplacedRecord[];
  /** Figures of trades that they lost. */
  excursions?: readonly Figures[];
}

const CHANGES = `SELECT import_id, record_id FROM import_changes
  WHERE user_id = ${USER} AND resource = 'imports' ORDER BY import_id DESC`;

export function restateChanges(rows: UserRows, records: StatedRecords): void {
  const changes = new OlderChanges(records);
  const all = rows.all<{ import_id: number; record_id: string }>(CHANGES);
  for (const [import_id, ofImport] of Map.groupBy(all, (row) => row.import_id)) {
    const times = new Map<string, string>();
    let lost: readonly Figures[] = [];
    for (const { record_id } of ofImport) {
      const [row] = rows.where<{ before: string }>('SELECT before FROM import_changes', {
        resource: 'imports',
        import_id,
        record_id,
      });
      const replaced = JSON.parse((row as { before: string }).before) as OlderReplaced;
      records.table.add('imports', record_id, import_id, {
        ...NO_PLACE,
        stated: changes.restated(replaced),
      });
      for (const { was } of replaced.fills)
        if (was) times.set(was.fill.execution_id, was.fill.executed_at);
      lost = lost.concat(replaced.excursions ?? []);
    }

    for (const figures of lost) measureFormer(rows, records, figures, times);
  }
}

/**
 * Changes from the latest to the earliest: what an import stated before one is what the
 * one before left.
 */
class OlderChanges {
  readonly #records: StatedRecords;
  /** What imports stated before the changes that were looked at; undefined: nothing. */
  readonly #earlier = new Map<string, StatementRow | undefined>();

  constructor(records: StatedRecords) {
    this.#records = records;
  }

  /** What the undo of a change puts back. */
  restated({ records, excursions: _, ...replaced }: OlderReplaced): Stated {
    const pairs = records.map((one) => {
      const now =
        one.to === null ? undefined : this.#find(replaced.import, one.resource, one.to);
      return {
        ...one,
        now,
        former: one.statement ? this.#former(replaced.import, one, now) : undefined,
      };
    });
    for (const { resource, to } of pairs)
      if (to !== null)
        this.#earlier.set(`${replaced.import} ${resource} ${to}`, undefined);
    for (const { former } of pairs)
      if (former)
        this.#earlier.set(
          `${replaced.import} ${former.resource} ${former.record_id}`,
          former,
        );

    const before = pairs.flatMap(({ former }) => former ?? []);
    const added = pairs.flatMap(({ now }) => (now ? [{ ...now, fields: null }] : []));
    return {
      ...replaced,
      entry: { ...replaced.entry, stated: null },
      records: { before, added },
    };
  }

  #find(importId: number, resource: string, id: string): StatementRow | undefined {
    const key = `${importId} ${resource} ${id}`;
    if (this.#earlier.has(key)) return this.#earlier.get(key);

    const rows = this.#records.table.rowsOf(resource, id);
    return rows.find((row) => row.import_id === importId && row.kind === 'stated');
  }

  #former(
    importId: number,
    { resource: path, to, statement, before }: ReplacedRecord,
    now?: StatementRow,
  ): StatementRow {
    const older = statement as OlderStatement;
    const { record_id, change, place, account, clock = null, digits = null } = older;
    const resource = resourceNamed(path);
    const { table } = this.#records;
    const kinds = table.kindsOf(resource);
    const known =
      now &&
      table.statedIn(now, resource, this.#records.find(resource, to as string) ?? {});
    const stated: Stated =
      change === 'changed'
        ? changeOf(kinds, imageOf(older.before), imageOf(older.after))
        : { ...known, ...kinds.flat(before) };
    for (const [name, value] of Object.entries(stated))
      if (STAMPS.includes(name) || (change !== 'changed' && isEmpty(value)))
        delete stated[name];
    const isOfTrade = resource === trades && 'account' in stated;
    if (isOfTrade && account !== null) stated['account'] = account || null;

    return {
      resource: path,
      record_id,
      import_id: importId,
      kind: 'stated',
      path: older.path ?? '',
      fields: JSON.stringify(stated),
      place,
      clock,
      digits,
      account: isOfTrade ? ((stated['account'] as string | null) ?? '') : null,
    };
  }
}

const FILLS = `SELECT fill_id FROM executions WHERE user_id = ${USER} AND trade_id = (@id || '')
  ORDER BY executed_at, position`;

/**
 * Excursions that a trade lost with its times hold again once it has those: for them they
 * were measured.
 * @param times of fills before
 */
function measureFormer(
  rows: UserRows,
  records: StatedRecords,
  { id, ...figures }: Figures,
  times: ReadonlyMap<string, string>,
): void {
  const present = records.find(trades, id);
  if (!present) return;

  const fills = rows.all<{ fill_id: string | null }>(FILLS, { id });
  const executions = (present['executions'] as Values[]).map((execution, place) => ({
    ...execution,
    executed_at: times.get(fills[place]?.fill_id ?? '') ?? execution['executed_at'],
  }));
  const [executed_at, closed_at] = [
    executions[0]?.executed_at,
    executions.at(-1)?.executed_at,
  ];
  const measured = measureOf({ ...present, executions, executed_at, closed_at });
  if (measured === measureOf(present)) return;

  for (const { kind, import_id, path, fields } of records.table.rowsOf(trades.path, id)) {
    const stated =
      kind === 'stated' && fields?.startsWith('{') ? (JSON.parse(fields) as Stated) : {};
    const isOfThese = Object.entries(figures).every(([name, value]) =>
      same(stated[name] ?? null, value),
    );
    if (isOfThese && stated[MEASURE_OF] === UNMEASURED)
      records.table.extend(trades.path, id, import_id, path, { [MEASURE_OF]: measured });
  }
}

const STAMPS: readonly string[] = ['id', 'created_at', 'updated_at'];
