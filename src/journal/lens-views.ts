/**
 * A lens over the journal: temporary views with the names of all tables, which show a key's part of each. Whatever a statement reads, it reads from
 * these, as if the journal held nothing else; a table that has no rule here is empty.
 */
import type Database from 'better-sqlite3';
import type * as z from 'zod';
import { SCHEMA_SQL } from '../embedded.ts';
import type { Hidden, Lens } from '../keys/lens.ts';
import { foldCase } from '../sqlite/functions.ts';
import type { Overlay } from '../sqlite/handles.ts';
import { isTimeZone, toInstantText, ZoneClock } from '../time.ts';
import { columnIfHidden } from './hidden-fields.ts';
import { findUser } from './journal.ts';
import { RESOURCES } from './resources/index.ts';

/** The views of schema.sql, made once more over what is shown. */
const VIEWS = [...SCHEMA_SQL.matchAll(/^CREATE VIEW [\s\S]*?;$/gm)].map(([sql]) => sql);

/** @param userId whose key it is: records of others aren't there at all */
export function overlayOf(lens: Lens, userId: string): Overlay {
  return {
    name: JSON.stringify([userId, lens]),
    lay(db) {
      let since = '';
      db.function('lens_since', { deterministic: true }, () => since);
      const rules = rulesOf(lens, userId);
      for (const table of tablesOf(db)) {
        const rule: Rule = rules[table] ?? { where: '0' };
        const columns: Readonly<Record<string, string>> = { ...rule.columns, ...hiddenColumns(table, lens.hides) };
        const names = columnsOf(db, table).map((name) =>
          columns[name] ? `${columns[name]} AS "${name}"` : `"${name}"`,
        );
        db.exec(
          `CREATE TEMP VIEW "${table}" AS SELECT ${names.join(', ')} FROM main."${table}" AS own WHERE ${rule.where}`,
        );
      }
      for (const sql of VIEWS) db.exec(sql.replace('CREATE VIEW', 'CREATE TEMP VIEW'));
      // A day begins where the user's zone says, which may change between two reads.
      return (reader) => {
        const user = lens.since === null ? undefined : findUser(reader, userId);
        const clock = user && isTimeZone(user.timezone) ? new ZoneClock(user.timezone) : undefined;
        since = clock ? toInstantText(clock.startOfDay(lens.since as string)) : lens.since === null ? '' : '9999';
      };
    },
  };
}

interface Rule {
  /** Which rows are shown, of the table by the name own. */
  where: string;
  /** What stands for a column. */
  columns?: Readonly<Record<string, string>>;
}

function rulesOf({ accounts, since }: Lens, userId: string): Readonly<Record<string, Rule>> {
  const mine = `own.user_id = ${literal(userId)}`;
  const isNarrow = accounts !== null || since !== null;
  const onlyIf = (condition: string): Rule => ({ where: isNarrow ? `${mine} AND ${condition}` : mine });
  const from = (column: string, bound: string) => (since === null ? mine : `${mine} AND own.${column} >= ${bound}`);
  const ofTrade = (column: string) =>
    `EXISTS (SELECT 1 FROM temp.trades AS t WHERE t.user_id = own.user_id AND t.id = own.${column})`;
  const ifShown = (column: string) =>
    isNarrow ? { [column]: `CASE WHEN ${ofTrade(column)} THEN own.${column} END` } : {};
  const trades = from('executed_at', 'lens_since()');
  return {
    users: { where: `own.id = ${literal(userId)}` },
    trades: { where: accounts === null ? trades : `${trades} AND ${isOneOf(accounts)}` },
    executions: onlyIf(ofTrade('trade_id')),
    trade_groups: groupsOf(onlyIf, isNarrow),
    trade_journals: onlyIf(ofTrade('trade_id')),
    group_journals: onlyIf(
      'EXISTS (SELECT 1 FROM temp.trade_groups AS g WHERE g.user_id = own.user_id AND g.id = own.group_id)',
    ),
    sessions: { where: from('date', literal(since ?? '')) },
    weekly_reviews: {
      where: from('period_start', literal(since ?? '')),
      columns: { ...ifShown('best_trade_id'), ...ifShown('worst_trade_id') },
    },
    missed_trades: { where: from('missed_at', 'lens_since()') },
  };
}

function hiddenColumns(table: string, hides: readonly Hidden[]): Record<string, string> {
  const resource = RESOURCES.find((candidate) => candidate.table === table);
  const columns = Object.entries(resource?.record.shape ?? {}).flatMap(([name, field]) => {
    const column = columnIfHidden(name, field as z.ZodType, hides);
    return column === undefined ? [] : [[name, column]];
  });
  return Object.fromEntries(columns);
}

/** A group is shown with the legs that are: if others are not, its dates are those of its legs, and its risk, which is that of all, is unknown. */
function groupsOf(onlyIf: (condition: string) => Rule, isNarrow: boolean): Rule {
  const legs = (schema: string) => `FROM ${schema}.trades AS t WHERE t.user_id = own.user_id AND t.group_id = own.id`;
  const shown = onlyIf(`EXISTS (SELECT 1 ${legs('temp')})`);
  if (!isNarrow) return shown;
  const isWhole = `(SELECT count(*) ${legs('main')}) = (SELECT count(*) ${legs('temp')})`;
  const ofLegs = {
    status: `(SELECT iif(count(*) = count(t.closed_at), 'closed', 'open') ${legs('temp')})`,
    opened_at: `(SELECT min(t.executed_at) ${legs('temp')})`,
    closed_at: `(SELECT iif(count(*) = count(t.closed_at), max(t.closed_at), NULL) ${legs('temp')})`,
    initial_risk: 'NULL',
  };
  const columns = Object.entries(ofLegs).map(([name, sql]) => [
    name,
    `CASE WHEN ${isWhole} THEN own.${name} ELSE ${sql} END`,
  ]);
  return { ...shown, columns: Object.fromEntries(columns) };
}

/** As the filter for accounts compares: SQLite knows the two cases of ASCII letters only. */
function isOneOf(accounts: readonly string[]): string {
  const isAscii = accounts.every((account) => /^[\0-\x7f]*$/.test(account));
  if (isAscii) return `own.account COLLATE NOCASE IN (${accounts.map(literal).join(', ')})`;
  return `fold_case(own.account) IN (${accounts.map((account) => literal(foldCase(account))).join(', ')})`;
}

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

function tablesOf(db: Database.Database): string[] {
  const sql = "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
  return db.prepare(sql).pluck().all() as string[];
}

/** Computed columns too. */
function columnsOf(db: Database.Database, table: string): string[] {
  return db.prepare('SELECT name FROM pragma_table_xinfo(?, ?)').pluck().all(table, 'main') as string[];
}
