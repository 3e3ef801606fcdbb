/** What users see of two journals, compared: ids, and when a record was written, don't count. */
import { RESOURCES } from '../../src/journal/resources/index.ts';
import type { Row } from '../../src/sqlite/reader.ts';
import type { ImportHome } from '../import/home.ts';

/** Tables of the journal with their ids of others, targets before those that name them. */
const TABLES = {
  trade_groups: {},
  trades: { group_id: 'trade_groups' },
  executions: { trade_id: 'trades' },
  fills: {},
  unmatched_closes: {},
  trade_journals: { trade_id: 'trades' },
  group_journals: { group_id: 'trade_groups' },
  sessions: {},
  weekly_reviews: { best_trade_id: 'trades', worst_trade_id: 'trades' },
  missed_trades: {},
  account_limits: {},
  cash_flows: {},
  account_balances: {},
} satisfies Record<string, Record<string, string>>;

type Table = keyof typeof TABLES;

/** What names a record in others: the fields by which a user would. */
const NAMES: Partial<Record<Table, readonly string[]>> = {
  trade_groups: ['name', 'currency'],
  trades: ['account', 'symbol', 'side', 'executed_at', 'quantity', 'entry_price'],
};

/**
 * Not compared: ids, facts of when something was written, and the key by which an account's fills are
 * walked together, which is that of its first format.
 */
const LEFT_OUT = [
  'id',
  'user_id',
  'created_at',
  'updated_at',
  'fill_id',
  'execution_id',
  'import_id',
  'platform',
];

/** A record in one of two journals only, or with other values in the other. */
export interface Difference {
  table: Table;
  /** In the journal whose line was undone, and in the one that never had the line; undefined: it isn't there. */
  undone: Row | undefined;
  replayed: Row | undefined;
  /** Fields with other values; empty unless it is in both. */
  fields: readonly string[];
}

interface Seen {
  row: Row;
  /** Its values, with names of records in place of their ids. */
  text: string;
}

export function differencesOf(undone: ImportHome, replayed: ImportHome): Difference[] {
  const [left, right] = [knownIn(undone), knownIn(replayed)];
  return (Object.keys(TABLES) as Table[]).flatMap((table) => {
    const [mine, theirs] = [left[table], right[table]];
    return paired(table, missingIn(mine, theirs), missingIn(theirs, mine));
  });
}

/** Rows, less those that the other journal has, too. */
function missingIn(all: readonly Seen[], others: readonly Seen[]): Seen[] {
  const left = new Map<string, number>();
  for (const { text } of others) left.set(text, (left.get(text) ?? 0) + 1);
  return all.filter(({ text }) => {
    const count = left.get(text) ?? 0;
    left.set(text, count - 1);
    return count <= 0;
  });
}

function paired(
  table: Table,
  mine: readonly Seen[],
  theirs: readonly Seen[],
): Difference[] {
  const keyOf = ({ row }: Seen) =>
    `${row['id'] ?? row['trade_id'] ?? row['account']} ${row['position']}`;
  const left = new Map(theirs.map((seen) => [keyOf(seen), seen]));
  const found = mine.map((seen): Difference => {
    const other = left.get(keyOf(seen));
    left.delete(keyOf(seen));
    return {
      table,
      undone: seen.row,
      replayed: other?.row,
      fields: other ? fieldsOf(seen, other) : [],
    };
  });
  const rest = [...left.values()].map(({ row }): Difference => {
    return { table, undone: undefined, replayed: row, fields: [] };
  });
  return [...found, ...rest];
}

function fieldsOf(seen: Seen, other: Seen): string[] {
  const values = JSON.parse(other.text) as Row;
  return Object.entries(JSON.parse(seen.text) as Row).flatMap(([name, value]) =>
    JSON.stringify(value) === JSON.stringify(values[name]) ? [] : [name],
  );
}

const compared = new WeakMap<ImportHome, { hash: string; seen: Record<Table, Seen[]> }>();

/** The same journal is compared with several others. */
function knownIn(home: ImportHome): Record<Table, Seen[]> {
  const hash = home.hash();
  const before = compared.get(home);
  if (before?.hash === hash) return before.seen;

  const seen = seenIn(home);
  compared.set(home, { hash, seen });
  return seen;
}

function seenIn(home: ImportHome): Record<Table, Seen[]> {
  const known = new Map<string, string>();
  const seen = {} as Record<Table, Seen[]>;
  for (const [table, names] of Object.entries(TABLES) as [
    Table,
    Record<string, string>,
  ][]) {
    seen[table] = rowsOf(home, table).map((row) => {
      const values: Row = {};
      for (const [name, value] of Object.entries(row)) {
        if (LEFT_OUT.includes(name)) continue;
        const target = names[name];
        values[name] =
          target && value !== null
            ? (known.get(`${target} ${value}`) ?? 'missing')
            : value;
      }
      known.set(
        `${table} ${row['id']}`,
        JSON.stringify(NAMES[table]?.map((name) => row[name])),
      );
      return { row, text: JSON.stringify(values) };
    });
  }
  return seen;
}

/** Limits are seen only as those in force. */
const IN_FORCE = `SELECT * FROM account_limits AS l WHERE balance IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM account_limits AS n WHERE n.user_id = l.user_id AND n.account = l.account AND n.import_id > l.import_id)`;

const BALANCES_IN_FORCE = `SELECT * FROM account_balances AS l
  WHERE starting_balance IS NOT NULL AND NOT EXISTS (SELECT 1 FROM account_balances AS n
    WHERE n.user_id = l.user_id AND n.account = l.account AND n.import_id > l.import_id)`;

function rowsOf(home: ImportHome, table: Table): Row[] {
  if (table === 'account_limits') return home.rows(IN_FORCE);
  if (table === 'account_balances') return home.rows(BALANCES_IN_FORCE);
  return home.rows(`SELECT * FROM ${table}`);
}

/** A table that a new resource brings belongs to TABLES. */
export const UNCOMPARED = RESOURCES.flatMap(({ table }) =>
  table === null || table in TABLES ? [] : [table],
);
