/**
 * The overlay of a key's lens: temporary views with the names of all tables, which show
 * the key's part of each. Every query reads these views, as if the journal contained
 * nothing else. A table without a rule here is empty.
 */
import type Database from 'better-sqlite3';
import { SCHEMA_SQL } from '../embedded.ts';
import type { Hidden, Lens } from '../keys/lens.ts';
import type { StoredKey } from '../keys/store.ts';
import { foldCase } from '../sqlite/functions.ts';
import type { Overlay } from '../sqlite/handles.ts';
import { type Laid, type Reader, TEXT } from '../sqlite/reader.ts';
import { isTimeZone, toInstantText, ZoneClock } from '../time.ts';
import { columnIfHidden } from './hidden-fields.ts';
import { once } from './once.ts';
import { WITHOUT_KEPT } from './pictures.ts';
import { layPseudonyms, shownOf, symbolsFact, viewWithOwnIds } from './pseudonyms.ts';
import { RESOURCES } from './resources/index.ts';

/** The views of schema.sql, created again over the visible rows. */
const VIEWS = once(() =>
  [...SCHEMA_SQL.matchAll(/^CREATE VIEW [\s\S]*?;$/gm)].map(([sql]) => sql),
);

/** @param key the key with the lens: records of other users are excluded */
export function overlayOf(
  lens: Lens,
  { user_id: userId, seed }: Pick<StoredKey, 'user_id' | 'seed'>,
): Overlay {
  const pseudonymSeed = lens.hides.includes('symbols') ? (seed as Buffer) : null;
  const part = JSON.stringify([userId, lens.accounts, lens.since]);

  return {
    ...(pseudonymSeed ? { fact: symbolsFact(part) } : {}),
    name: JSON.stringify([userId, lens, pseudonymSeed?.toString('hex')]),
    lay(db) {
      let since = '';
      db.function('lens_since', { deterministic: true }, () => since);
      const nameOf = pseudonymSeed ? shownOf : (table: string) => table;
      const rules = rulesOf(lens, userId, nameOf);
      for (const table of tablesOf(db))
        layView(db, table, rules[table], lens.hides, nameOf);
      const laid: Omit<Laid, 'name'> = pseudonymSeed
        ? layPseudonyms(db, Object.keys(rules), { userId, seed: pseudonymSeed, part })
        : {};

      for (const sql of VIEWS())
        db.exec(
          (pseudonymSeed ? viewWithOwnIds(sql) : sql).replace(
            'CREATE VIEW',
            'CREATE TEMP VIEW',
          ),
        );

      return {
        ...laid,
        narrow: {
          since: lens.since !== null,
          accounts: lens.accounts !== null,
          money: lens.hides.includes('money'),
        },
        begin(reader) {
          // A day starts at midnight in the user's time zone, which may change between
          // two reads.
          since = lens.since === null ? '' : startOf(reader, userId, lens.since);
          laid.begin?.(reader);
        },
      };
    },
  };
}

/** After every record for a missing user, or one without a valid time zone. */
function startOf(reader: Reader, userId: string, day: string): string {
  const sql = `SELECT timezone FROM main.users WHERE id = ${TEXT}`;
  const zone = reader.get<{ timezone: string }>(sql, userId)?.timezone;
  if (zone === undefined || !isTimeZone(zone)) return '9999';

  return toInstantText(new ZoneClock(zone).startOfDay(day));
}

/** The name of a table's view. */
type NameOf = (table: string) => string;

/** A table without a rule is empty. */
function layView(
  db: Database.Database,
  table: string,
  rule: Rule | undefined,
  hides: readonly Hidden[],
  nameOf: NameOf,
): void {
  const columns: Readonly<Record<string, string>> = {
    ...rule?.columns,
    ...hiddenColumns(table, hides),
  };
  const names = columnsOf(db, table).map((name) => {
    if (rule?.shown && !rule.shown.includes(name)) return `NULL AS "${name}"`;
    return columns[name] ? `${columns[name]} AS "${name}"` : `"${name}"`;
  });
  const view = rule ? nameOf(table) : table;

  db.exec(
    `CREATE TEMP VIEW "${view}" AS SELECT ${names.join(', ')} FROM main."${table}" AS stored WHERE ${rule?.where ?? '0'}`,
  );
}

interface Rule {
  /** Condition for visible rows of the table, with the alias stored. */
  where: string;
  /** The only columns that aren't null; absent for all. */
  shown?: readonly string[];
  /** The SQL in place of a column. */
  columns?: Readonly<Record<string, string>>;
}

function rulesOf(
  { accounts, since, hides }: Lens,
  userId: string,
  nameOf: NameOf,
): Readonly<Record<string, Rule>> {
  const mine = `stored.user_id = ${literal(userId)}`;
  const isNarrow = accounts !== null || since !== null;

  const onlyIf = (condition: string): Rule => ({
    where: isNarrow ? `${mine} AND ${condition}` : mine,
  });

  const from = (column: string, bound: string) =>
    since === null ? mine : `${mine} AND stored.${column} >= ${bound}`;
  const ofTrade = (column: string) =>
    `EXISTS (SELECT 1 FROM temp.${nameOf('trades')} AS t WHERE t.user_id = stored.user_id AND t.id = stored.${column})`;
  const ifShown = (column: string) =>
    isNarrow
      ? { [column]: `CASE WHEN ${ofTrade(column)} THEN stored.${column} END` }
      : {};
  const trades = from('executed_at', 'lens_since()');
  // A screenshot shows money and symbols of any account.
  const hidden = { attachments: WITHOUT_KEPT };
  const pictures = hides.includes('money') ? hidden : {};
  const picturesOfDays = accounts === null ? pictures : hidden;

  return {
    users: { where: `stored.id = ${literal(userId)}` },
    trades: {
      where: accounts === null ? trades : `${trades} AND ${isOneOf(accounts)}`,
      columns: {
        ...pictures,
        // All digits of an R, which a cursor would contain, depend on amounts.
        ...(hides.includes('money') && { r_multiple: 'round(stored.r_multiple, 6)' }),
      },
    },
    executions: onlyIf(ofTrade('trade_id')),
    trade_groups: groupsOf(onlyIf, isNarrow, nameOf),
    trade_journals: { ...onlyIf(ofTrade('trade_id')), columns: pictures },
    group_journals: {
      ...onlyIf(
        `EXISTS (SELECT 1 FROM temp.${nameOf('trade_groups')} AS g WHERE g.user_id = stored.user_id AND g.id = stored.group_id AND ${isWhole('g', nameOf)})`,
      ),
      columns: pictures,
    },
    sessions: { where: from('date', literal(since ?? '')), columns: picturesOfDays },
    weekly_reviews: {
      where: from('period_start', literal(since ?? '')),
      columns: {
        ...picturesOfDays,
        ...ifShown('best_trade_id'),
        ...ifShown('worst_trade_id'),
      },
    },
    missed_trades: { where: from('missed_at', 'lens_since()') },
    ...cashRules({ accounts, since, hides }, mine),
    account_limits: {
      where: accounts === null ? mine : `${mine} AND ${isOneOf(accounts)}`,
    },
    import_pictures: { where: mine },
    // One whose opening is unknown may have been opened before.
    unmatched_closes: {
      where: [
        from('opened_on', literal(since ?? '')),
        ...(accounts === null ? [] : [isOneOf(accounts)]),
      ].join(' AND '),
    },
    // Of a file, all of whose trades the key shows.
    stated_totals: {
      where: [
        from('opened_at', 'lens_since()'),
        ...(accounts === null ? [] : [isOneOf(accounts)]),
      ].join(' AND '),
    },
  };
}

/**
 * Amounts are all that cash flows and balances are; a balance is the money of all days so
 * far.
 */
function cashRules({ accounts, since, hides }: Lens, mine: string): Record<string, Rule> {
  const all = hides.includes('money') ? '0' : mine;
  const balances = since === null ? all : '0';
  const ofAccounts = accounts === null ? '' : ` AND ${isOneOf(accounts)}`;
  const flows = since === null ? all : `${all} AND stored.at >= lens_since()`;

  return {
    cash_flows: { where: `${flows}${ofAccounts}` },
    account_balances: { where: `${balances}${ofAccounts}` },
    imports: {
      where: `${balances} AND stored.cash IS NOT NULL`,
      shown: ['user_id', 'id', 'cash'],
      columns: { cash: endingCash(accounts) },
    },
  };
}

function hiddenColumns(table: string, hides: readonly Hidden[]): Record<string, string> {
  const resource = RESOURCES.find((candidate) => candidate.table === table);
  const columns = Object.entries(resource?.record.shape ?? {}).flatMap(
    ([name, field]) => {
      const column = columnIfHidden(name, field, hides);
      return column === undefined ? [] : [[name, column]];
    },
  );
  return Object.fromEntries(columns);
}

/**
 * A group is visible with its visible legs. If some legs are hidden, its dates and
 * instrument are those of visible legs, and figures and texts about all legs are hidden.
 */
function groupsOf(
  onlyIf: (condition: string) => Rule,
  isNarrow: boolean,
  nameOf: NameOf,
): Rule {
  const shownLegs = `temp.${nameOf('trades')}`;
  const shown = onlyIf(`EXISTS (SELECT 1 ${legsOf('stored', shownLegs)})`);
  if (!isNarrow) return shown;

  const ofLegs = {
    name: "''",
    strategy: 'NULL',
    underlying: `(SELECT stored.underlying ${legsOf('stored', shownLegs)} AND stored.underlying IN (t.underlying, t.symbol))`,
    market: `(SELECT t.market ${legsOf('stored', shownLegs)} ORDER BY t.executed_at, t.id LIMIT 1)`,
    currency: `(SELECT t.currency ${legsOf('stored', shownLegs)} ORDER BY t.executed_at, t.id LIMIT 1)`,
    status: `(SELECT iif(count(*) = count(t.closed_at), 'closed', 'open') ${legsOf('stored', shownLegs)})`,
    opened_at: `(SELECT min(t.executed_at) ${legsOf('stored', shownLegs)})`,
    closed_at: `(SELECT iif(count(*) = count(t.closed_at), max(t.closed_at), NULL) ${legsOf('stored', shownLegs)})`,
    initial_risk: 'NULL',
    tags: "'[]'",
    notes: 'NULL',
    fields: "'{}'",
    setup: 'NULL',
    mistakes: "'[]'",
    rating: 'NULL',
    is_whole: '0',
  };
  const columns = Object.entries(ofLegs).map(([name, sql]) => [
    name,
    `CASE WHEN ${isWhole('stored', nameOf)} THEN stored.${name} ELSE ${sql} END`,
  ]);
  return { ...shown, columns: Object.fromEntries(columns) };
}

const legsOf = (group: string, trades: string) =>
  `FROM ${trades} AS t WHERE t.user_id = ${group}.user_id AND t.group_id = ${group}.id`;

/** Whether all legs of a group are visible. */
const isWhole = (group: string, nameOf: NameOf) =>
  `(SELECT count(*) ${legsOf(group, 'main.trades')}) = (SELECT count(*) ${legsOf(group, `temp.${nameOf('trades')}`)})`;

/** The ending cash that a file states, of the accounts that are shown. */
function endingCash(accounts: readonly string[] | null): string {
  const holder = `coalesce(c.value ->> '$.holder', CASE WHEN json_type(c.value, '$.holder') IS NULL THEN c.value ->> '$.account' END)`;
  const members = ['currency', 'amount', 'at', 'until'].map(
    (name) => `'${name}', c.value ->> '$.${name}'`,
  );
  const shown = accounts === null ? '' : `WHERE ${isOneOf(accounts, holder)}`;

  return `(SELECT json_group_array(json_object('holder', ${holder}, ${members.join(', ')})) FROM json_each(stored.cash) AS c ${shown})`;
}

/**
 * Compares like the filter for accounts: SQLite ignores the case of ASCII letters only.
 */
function isOneOf(accounts: readonly string[], column = 'stored.account'): string {
  const isAscii = accounts.every((account) => /^[\0-\x7f]*$/.test(account));
  if (isAscii) return `${column} COLLATE NOCASE IN (${accounts.map(literal).join(', ')})`;
  return `fold_case(${column}) IN (${accounts.map((account) => literal(foldCase(account))).join(', ')})`;
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

function tablesOf(db: Database.Database): string[] {
  const sql =
    "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  return db.prepare<[], string>(sql).pluck().all();
}

/** Includes computed columns. */
function columnsOf(db: Database.Database, table: string): string[] {
  return db
    .prepare<[string, string], string>('SELECT name FROM pragma_table_xinfo(?, ?)')
    .pluck()
    .all(table, 'main');
}
