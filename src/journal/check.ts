/** The checks of a journal file: each finding is a sentence. */
import type * as z from 'zod';
import { codeOf } from '../errors.ts';
import { decimalsOf, roundMoney, Sum } from '../money.ts';
import type { Reader, Row } from '../sqlite/reader.ts';
import { isTimeZone } from '../time.ts';
import { misplacedDays } from './days.ts';
import { stopProblem } from './derived-trade.ts';
import { factsOf } from './fields.ts';
import {
  listUsers,
  normalSql,
  type SchemaObject,
  schemaOf,
  tableParts,
  type User,
} from './journal.ts';
import type { ListResource } from './resource.ts';
import { RESOURCES } from './resources/index.ts';
import type { Trade } from './resources/trades.ts';
import { isRewriteDue, spaceToRewrite } from './rewrite-due.ts';
import { DamagedRecord, FROM_SQL } from './stored-value.ts';

export interface Finding {
  /** The table or list, with the user and record if known. */
  where: string;
  user: string | null;
  id: string | null;
  problem: string;
}

/** A cent, or a millionth of a large amount: platforms round. */
const tolerance = (amount: number) => Math.max(0.01, Math.abs(amount) * 1e-6);

/** Notes a finding. */
type Report = (
  where: string,
  problem: string,
  user?: string | null,
  id?: string | null,
) => void;

/**
 * @param fresh objects created by schema.sql, which the file should have
 * @param findings list that each finding is added to: it has the first ones even if the
 * check ends early
 */
export function checkJournal(
  reader: Reader,
  fresh: readonly SchemaObject[],
  findings: Finding[] = [],
): readonly Finding[] {
  const report: Report = (where, problem, user = null, id = null) =>
    findings.push({ where, user, id, problem });
  checkIntegrity(reader, report);
  checkSchema(reader, fresh, report);

  const isComplete = findings.length === 0;
  let users: User[] = [];
  asFarAsPossible(() => {
    users = listUsers(reader);
  });
  asFarAsPossible(() => checkDeletedTexts(reader, report));
  asFarAsPossible(() => checkReferences(reader, report));
  asFarAsPossible(() => checkTradesOfExecutions(reader, report));

  for (const user of users) {
    asFarAsPossible(() => checkSettings(reader, user, report));
    asFarAsPossible(() => checkDays(reader, user, report));
    for (const resource of RESOURCES)
      if (resource.table !== null)
        asFarAsPossible(() => checkRecords(reader, user, resource, report));

    asFarAsPossible(() => checkExecutions(reader, user, report));
    for (const check of TRADE_CHECKS)
      asFarAsPossible(() => checkTrades(reader, user, check, report));
  }

  return findings;

  /**
   * Runs a check. An incomplete schema was reported already, so a query that fails
   * because of it is skipped.
   */
  function asFarAsPossible(check: () => void): void {
    try {
      check();
    } catch (error) {
      if (error instanceof DamagedRecord)
        report('users', 'a value is damaged: not a text, or not a number');
      else if (isComplete || !isSqlError(error)) throw error;
    }
  }
}

/** A statement that doesn't fit the schema: a table, view or column is missing. */
function isSqlError(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_ERROR';
}

function checkIntegrity(reader: Reader, report: Report): void {
  for (const { integrity_check: line } of reader.all('PRAGMA integrity_check')) {
    if (line !== 'ok') report('file', `the file is damaged: ${line}`);
  }
}

function checkDeletedTexts(reader: Reader, report: Report): void {
  if (!isRewriteDue(reader)) return;

  const space = Math.ceil(spaceToRewrite(reader) / 1e6);
  report(
    'file',
    `texts that an earlier version deleted are still in its free space; "journal-api upgrade" rewrites it, with ${space} MB of free disk space`,
  );
}

/**
 * Missing objects, and those that differ from schema.sql. The owner's additions are
 * allowed.
 */
function checkSchema(
  reader: Reader,
  fresh: readonly SchemaObject[],
  report: Report,
): void {
  const present = new Map(schemaOf(reader).map((object) => [object.name, object]));
  for (const { type, name, sql } of fresh) {
    const found = present.get(name);
    if (found?.type !== type)
      report('schema', `the ${type} ${name} is missing; see schema.sql`);
    else if (type === 'table')
      checkTable(name, tableParts(found.sql), tableParts(sql), report);
    else if (normalSql(found.sql) !== normalSql(sql)) {
      report('schema', `the ${type} ${name} differs from schema.sql`);
    }
  }
}

function checkTable(
  name: string,
  present: readonly string[],
  fresh: readonly string[],
  report: Report,
): void {
  const firstWord = (part: string) => /^\w+/.exec(part)?.[0];
  const words = present.map(firstWord);
  for (const part of fresh) {
    const word = firstWord(part);
    if (present.includes(part)) continue;
    if (word !== undefined && /^(PRIMARY|FOREIGN|CHECK)$/.test(word)) {
      report('schema', `the table ${name} has no ${part}; see schema.sql`);
    } else if (words.includes(word)) {
      report('schema', `the column ${name}.${word} differs from schema.sql: ${part}`);
    } else report('schema', `the column ${name}.${word} is missing; see schema.sql`);
  }
}

/** A row of foreign_key_check. */
interface Violation {
  table: string;
  rowid: number | null;
  parent: string;
}

interface Identity {
  user_id: string;
  id: string;
}

function checkReferences(reader: Reader, report: Report): void {
  for (const { table, rowid, parent } of reader.all<Violation>(
    'PRAGMA foreign_key_check',
  )) {
    // Executions have no rowid; checkTradesOfExecutions() checks them.
    if (rowid === null) continue;

    const sql = `SELECT * FROM "${table}" WHERE rowid = ?`;
    const { user_id = null, id = null } = reader.get<Partial<Identity>>(sql, rowid) ?? {};
    report(
      table,
      `refers to a missing ${parent.replace(/s$/, '').replaceAll('_', ' ')}`,
      user_id,
      id,
    );
  }
}

function checkTradesOfExecutions(reader: Reader, report: Report): void {
  const sql = `SELECT e.user_id, e.trade_id, count(*) AS n FROM executions AS e
    LEFT JOIN trades AS t ON t.user_id = e.user_id AND t.id = e.trade_id
    WHERE t.id IS NULL GROUP BY e.user_id, e.trade_id`;
  for (const { user_id, trade_id, n } of reader.all(sql)) {
    const problem = `${n === 1 ? '1 execution refers' : `${n} executions refer`} to a missing trade`;
    report('executions', problem, String(user_id), String(trade_id));
  }
}

function checkSettings(reader: Reader, user: User, report: Report): void {
  if (!isTimeZone(user.timezone)) {
    const problem = `timezone "${user.timezone}" is not a valid IANA time zone; set one with "journal-api user set"`;
    report('users', problem, user.id);
  }

  const rated =
    'SELECT id, fx_rate FROM trades WHERE user_id = ? AND currency = ? AND fx_rate <> 1';
  for (const { id, fx_rate } of reader.all(rated, user.id, user.base_currency)) {
    const problem = `fx_rate is ${fx_rate}, but a trade in the base currency has rate 1; it is ignored`;
    report('trades', problem, user.id, String(id));
  }
}

/** Rows with a date alone, after another program wrote the user's time zone or theirs. */
function checkDays(reader: Reader, user: User, report: Report): void {
  if (!isTimeZone(user.timezone)) return;
  for (const [where, rows] of Object.entries(misplacedDays(reader, user))) {
    if (rows === 0) continue;

    const subject =
      rows === 1
        ? "1 row has a date without a time, and isn't"
        : `${rows} rows have a date without a time, and aren't`;
    report(
      where,
      `${subject} at the start of a day in ${user.timezone}; the next import corrects this`,
      user.id,
    );
  }
}

const PAGE = 500;

/**
 * Records compared with their declarations: these include members of lists, which SQLite
 * can't check.
 */
function checkRecords(
  reader: Reader,
  user: User,
  resource: ListResource,
  report: Report,
): void {
  // Metrics are computed from other records.
  const record = resource.metrics
    ? resource.record.omit({ metrics: true })
    : resource.record;
  const names = Object.keys(record.shape);
  const sql = `SELECT ${names.join(', ')} FROM ${resource.source} WHERE user_id = ? AND id > ? ORDER BY id LIMIT ${PAGE}`;
  let after: unknown = '';

  // Only a table that differs from schema.sql can have ids that aren't texts.
  while (typeof after === 'string') {
    const rows = reader.all(sql, user.id, after);
    for (const row of rows) {
      for (const problem of problemsOf(row, record))
        report(resource.path, problem, user.id, String(row['id']));
    }
    after = rows.at(-1)?.['id'];
  }
}

/** Problems of a stored row. The service omits values that a record can't have. */
function problemsOf(row: Row, record: z.ZodObject): string[] {
  const values: Row = {};
  for (const [name, field] of Object.entries(record.shape)) {
    const convert = FROM_SQL[factsOf(field).kind];
    try {
      values[name] = convert ? convert(row[name]) : row[name];
    } catch {
      return [`${name} is not valid JSON`];
    }
  }

  const issues = record.safeParse(values).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

/** Trades compared with their executions: times, quantities, P&L and fees. */
function checkExecutions(reader: Reader, user: User, report: Report): void {
  const rows = reader.all<Fill>(
    `SELECT t.id, t.side, t.status, t.executed_at, t.closed_at, t.quantity, t.open_quantity, t.multiplier, t.gross_pnl, t.fees AS trade_fees,
            (SELECT total(CASE WHEN type = 'array' THEN CASE WHEN abs(value ->> 1) < 1e15 AND typeof(value ->> 1) <> 'text' THEN value ->> 1 END END) FROM json_each(t.dated_costs)) AS dated_costs, e.executed_at AS at, e.side AS way, e.quantity AS size, e.price, e.fees
     FROM trades AS t JOIN executions AS e ON e.user_id = t.user_id AND e.trade_id = t.id
     WHERE t.user_id = ? ORDER BY t.id, e.executed_at, e.position`,
    user.id,
  );
  let fills: Fill[] = [];
  for (const [index, row] of rows.entries()) {
    fills.push(row);
    if (rows[index + 1]?.id === row.id) continue;
    for (const problem of complaints(fills)) report('trades', problem, user.id, row.id);
    fills = [];
  }
}

/** A check of each trade of a query. */
interface TradeCheck {
  columns: string;
  where: string;
  problemOf: (trade: never) => string | undefined;
}

const TRADE_CHECKS: readonly TradeCheck[] = [
  {
    columns: 'side, quantity, multiplier, entry_price, exit_price, gross_pnl',
    where: `status = 'closed' AND exit_price IS NOT NULL
       AND NOT EXISTS (SELECT 1 FROM executions AS e WHERE e.user_id = t.user_id AND e.trade_id = t.id)`,
    problemOf: priceProblem,
  },
  {
    columns: 'side, entry_price, stop_loss',
    where: 'stop_loss IS NOT NULL',
    problemOf: stopProblem,
  },
];

function checkTrades(
  reader: Reader,
  user: User,
  { columns, where, problemOf }: TradeCheck,
  report: Report,
): void {
  const sql = `SELECT id, ${columns} FROM trades AS t WHERE user_id = ? AND ${where}`;
  for (const trade of reader.each(sql, user.id)) {
    const problem = problemOf(trade as never);
    if (problem !== undefined) report('trades', problem, user.id, trade['id'] as string);
  }
}

type PricedTrade = Pick<
  Trade,
  'side' | 'quantity' | 'multiplier' | 'entry_price' | 'gross_pnl'
> & {
  exit_price: number;
};

/**
 * P&L of a closed trade without executions, compared with its prices. These may be
 * rounded averages.
 */
function priceProblem({
  side,
  quantity,
  multiplier,
  entry_price,
  exit_price,
  gross_pnl,
}: PricedTrade) {
  const size = quantity * multiplier;
  const gross =
    (side === 'long' ? exit_price - entry_price : entry_price - exit_price) * size;
  const rounding =
    size * 10 ** -Math.max(decimalsOf(entry_price), decimalsOf(exit_price));
  if (Math.abs(gross - gross_pnl) <= tolerance(gross) + rounding) return undefined;
  return `gross_pnl is ${gross_pnl}, but it computes to ${roundedOrNot(gross)} from its prices, quantity and multiplier`;
}

/** Prices and sizes at their bounds give an infinite amount. */
function roundedOrNot(value: number): number {
  return Number.isFinite(value) ? roundMoney(value) : value;
}

interface Fill
  extends Pick<
      Trade,
      | 'id'
      | 'side'
      | 'status'
      | 'executed_at'
      | 'closed_at'
      | 'quantity'
      | 'open_quantity'
    >,
    Pick<Trade, 'multiplier' | 'gross_pnl'> {
  trade_fees: number;
  dated_costs: number;
  at: string;
  way: 'buy' | 'sell';
  size: number;
  price: number;
  fees: number;
}

function complaints(fills: readonly Fill[]): string[] {
  const trade = fills[0] as Fill;
  const totals = totalsOf(fills);
  if (!Object.values(totals).every(Number.isFinite)) {
    return ['a quantity, price or fee of its executions is not a number'];
  }

  return [
    ...timeProblems(trade, (fills.at(-1) as Fill).at),
    ...quantityProblems(trade, totals),
    ...moneyProblems(trade, totals),
  ];
}

interface Totals {
  opened: number;
  closed: number;
  /** Money received less money paid, before the multiplier. */
  flow: number;
  fees: number;
}

function totalsOf(fills: readonly Fill[]): Totals {
  const opening = fills[0]?.side === 'long' ? 'buy' : 'sell';
  const opened = new Sum();
  const closed = new Sum();
  const flow = new Sum();
  const fees = new Sum();

  for (const { way, size, price, fees: cost } of fills) {
    (way === opening ? opened : closed).add(size);
    flow.add((way === 'sell' ? 1 : -1) * size * price);
    fees.add(cost);
  }
  fees.add(fills[0]?.dated_costs ?? 0);

  return {
    opened: opened.value,
    closed: closed.value,
    flow: flow.value,
    fees: fees.value,
  };
}

function timeProblems(trade: Fill, last: string): string[] {
  const problems: string[] = [];
  if (trade.at !== trade.executed_at)
    problems.push(
      `executed_at is ${trade.executed_at}, but its first execution was at ${trade.at}`,
    );

  if (trade.closed_at !== null && trade.closed_at !== last)
    problems.push(
      `closed_at is ${trade.closed_at}, but its last execution was at ${last}`,
    );
  return problems;
}

function quantityProblems(trade: Fill, { opened, closed }: Totals): string[] {
  const problems: string[] = [];
  const differs = (a: number, b: number) => Math.abs(a - b) > 1e-9 + Math.abs(b) * 1e-9;
  if (differs(trade.quantity, opened))
    problems.push(computed('quantity', trade.quantity, roundMoney(opened)));
  const left = roundMoney(opened - closed);
  if (differs(trade.open_quantity, left))
    problems.push(computed('open_quantity', trade.open_quantity, left));

  return problems;
}

function moneyProblems(trade: Fill, { opened, closed, flow, fees }: Totals): string[] {
  const problems: string[] = [];
  const paid = roundMoney(fees);
  // Fees are never below 0: a surplus of rebates is part of the gross P&L.
  const gross = roundMoney(flow * trade.multiplier - Math.min(0, paid));
  const isClosed = trade.status === 'closed' && roundMoney(opened - closed) === 0;
  if (isClosed && Math.abs(gross - trade.gross_pnl) > tolerance(gross))
    problems.push(computed('gross_pnl', trade.gross_pnl, gross));
  if (paid !== 0 && Math.abs(Math.max(0, paid) - trade.trade_fees) > tolerance(paid))
    problems.push(
      `fees are ${trade.trade_fees}, but they compute to ${paid} from its executions`,
    );

  return problems;
}

function computed(name: string, stated: number, total: number): string {
  return `${name} is ${stated}, but it computes to ${total} from its executions`;
}
