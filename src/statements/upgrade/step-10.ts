/**
 * Records become what lines state of them: the part of migration 10 that SQL can't do.
 * Most rows say that a file added a record, which no other line touched: they need no
 * look at the record.
 */
import type Database from 'better-sqlite3';
import { RowError } from '../../errors.ts';
import { listUsers, type User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import { RESOURCES } from '../../journal/resources/index.ts';
import { trades } from '../../journal/resources/trades.ts';
import type { Values } from '../../journal-write/record.ts';
import { Reader } from '../../sqlite/reader.ts';
import { USER, UserRows } from '../../sqlite/user-rows.ts';
import { AccountNames } from '../account-settings.ts';
import type { Stated, Statement } from '../fold.ts';
import { StatedRecords } from '../stated-records.ts';
import { NO_PLACE, resourceNamed } from '../statement-table.ts';
import { NAMES_TRADE } from '../walked-trades.ts';
import { restateChanges } from './change-lines.ts';
import type { OlderRow } from './older-rows.ts';
import { holdOlderTrade, holdTrades } from './older-trades.ts';
import { type Said, Walk } from './walk.ts';

/** Number of records that are read at once. */
const AT_ONCE = 500;

/** No record is written, so that this time stands nowhere. */
const NEVER = '0001-01-01T00:00:00.000Z';

export function makeStatements(db: Database.Database): void {
  db.function('account_now', { deterministic: true }, accountNow(db));
  const exists = RESOURCES.filter(({ table }) => table !== null).map(
    ({ path, table }) =>
      `WHEN '${path}' THEN EXISTS (SELECT 1 FROM ${table} AS t WHERE t.user_id = r.user_id
        AND t.id = r.record_id)`,
  );
  db.exec(
    `${FIND_WALKED} OR NOT CASE r.resource ${exists.join(' ')} ELSE 1 END); ${STATE_OTHERS}`,
  );
  holdTrades(db);
  for (const user of listUsers(new Reader(db))) new OlderRecords(db, user).restate();
  db.exec('DROP TABLE temp.walked_records; DROP TABLE import_changes');
}

/** A rename of a closed trade's account: what the trade's file names is known. */
const IS_RENAME = `(i.format IS 'account' AND r.change = 'changed' AND r.after GLOB '{"account":*'
  AND (SELECT count(*) FROM json_each(r.after)) = 1 AND EXISTS (
    SELECT 1 FROM import_changes AS o WHERE o.user_id = r.user_id AND o.resource = r.resource
      AND o.record_id = r.record_id AND o.change = 'added' AND o.account IS NOT NULL))`;

/**
 * Records that a line changed or removed, that aren't there, or whose account isn't the
 * one that a file names.
 */
const FIND_WALKED = `
  CREATE TEMP TABLE walked_records (
    user_id TEXT NOT NULL, resource TEXT NOT NULL, record_id TEXT NOT NULL,
    PRIMARY KEY (user_id, resource, record_id)
  ) WITHOUT ROWID;
  INSERT INTO temp.walked_records
  SELECT DISTINCT r.user_id, r.resource, r.record_id FROM import_changes AS r
  LEFT JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
  LEFT JOIN trades AS trade ON r.resource = 'trades' AND trade.user_id = r.user_id
    AND trade.id = r.record_id
  WHERE r.resource <> 'imports' AND (
    (r.change IN ('changed', 'removed') OR i.format IS 'account') AND NOT ${IS_RENAME}
    OR r.resource = 'trades' AND r.change = 'unchanged'
      AND (r.path IS NOT NULL OR i.format = 'markdown')
    OR r.account IS NOT NULL AND account_now(r.user_id, r.account) IS NOT trade.account
      AND NOT EXISTS (SELECT 1 FROM executions AS e
        WHERE e.user_id = r.user_id AND e.trade_id = r.record_id AND e.fill_id IS NOT NULL)`;

const STATE_OTHERS = `
  INSERT INTO import_records (user_id, resource, record_id, import_id, kind, path, place,
    account, clock, digits)
  SELECT user_id, resource, record_id, import_id, 'stated', coalesce(path, ''), place, account,
    clock, digits
  FROM import_changes WHERE resource <> 'imports' AND change <> 'changed'
    AND (user_id, resource, record_id) NOT IN (
      SELECT user_id, resource, record_id FROM temp.walked_records)`;

/** The present name of a user's account. */
function accountNow(
  db: Database.Database,
): (user: unknown, account: unknown) => string | null {
  const reader = new Reader(db);
  const known = new Map<unknown, AccountNames>(
    listUsers(reader).map(({ id }) => [id, new AccountNames(reader, id)]),
  );

  return (user, account) => {
    const name = (account as string) || null;
    return known.get(user)?.of(name) ?? name;
  };
}

interface Key {
  resource: string;
  record_id: string;
}

const KEYS = `SELECT resource, record_id FROM temp.walked_records WHERE user_id = ${USER}
  AND resource = (@resource || '') AND record_id > (@record_id || '')
    ORDER BY record_id LIMIT ${AT_ONCE}`;

const CHANGES = `SELECT r.import_id, r.change, r.before, r.after, r.path, r.place, r.account,
  r.clock, r.digits, i.format
  FROM import_changes AS r LEFT JOIN imports AS i ON i.user_id = r.user_id AND i.id = r.import_id
  WHERE r.user_id = ${USER} AND r.resource = (@resource || '')
    AND r.record_id = (@record_id || '') ORDER BY r.import_id`;

class OlderRecords {
  readonly #rows: UserRows;
  readonly #records: StatedRecords;
  readonly #names: AccountNames;

  constructor(db: Database.Database, user: User) {
    this.#rows = new UserRows(db, user.id);
    this.#records = new StatedRecords(db, {
      user,
      timeZone: undefined,
      account: undefined,
      now: NEVER,
    });
    this.#names = new AccountNames(db, user.id);
  }

  restate(): void {
    for (const key of this.#keys()) this.#walk(key);
    // Only now all is known that is said about a trade which others became.
    for (const key of this.#keys()) this.#capture(key);
    restateChanges(this.#rows, this.#records);
  }

  *#keys(): Generator<Key> {
    for (const { path } of RESOURCES) {
      let last: Key | undefined = { resource: path, record_id: '' };
      while (last) {
        const keys: Key[] = this.#rows.all<Key>(KEYS, { ...last });
        yield* keys;
        last = keys.at(-1);
      }
    }
  }

  #walk(key: Key): void {
    const resource = resourceNamed(key.resource);
    const id = key.record_id;
    const present = this.#records.find(resource, id);
    const isTrade = resource === trades;
    const walk = new Walk({
      id,
      kinds: this.#records.table.kindsOf(resource),
      present,
      isTrade,
      isMade:
        isTrade &&
        (present
          ? this.#records.isMade(trades, id)
          : this.#records.anchors.tradeOf(id) !== id),
      beyond: (record, statements) => this.#beyond(resource, id, record, statements),
    });
    for (const said of walk.run(this.#rows.all<OlderRow>(CHANGES, { ...key })))
      this.#write(key, said);
  }

  /** What a record was beyond statements, with the present names of accounts. */
  #beyond(
    resource: ListResource,
    id: string,
    record: Values,
    statements: readonly Statement[],
  ): Stated {
    const present = { ...record };
    if (resource === trades)
      present['account'] = this.#names.of(record['account'] as string | null);
    let expected: Values | undefined;

    try {
      expected = this.#records.expected(resource, id, statements, present);
    } catch (error) {
      if (!(error instanceof RowError)) throw error;
    }

    const stated = this.#records.foreignIn(resource, id, present, expected);
    if ('account' in stated) stated['account'] = record['account'];
    return stated;
  }

  #write({ resource, record_id }: Key, { row, kind, stated }: Said): void {
    const { import_id, place, clock, digits } = row;
    const values: Stated = { ...stated };
    if (values['fx_rate'] && this.#rows.has('rated_trades', { trade_id: record_id }))
      delete values['fx_rate'];
    const hasAccount = resource === trades.path && 'account' in values;
    if (hasAccount && kind === 'stated' && row.account !== null)
      values['account'] = row.account || null;

    const where =
      kind === 'stated' ? { path: row.path ?? '', place, clock, digits } : NO_PLACE;
    this.#rows.replace('import_records', {
      resource,
      record_id,
      import_id,
      kind,
      ...where,
      fields: stated && JSON.stringify(values),
      account:
        hasAccount && kind === 'stated'
          ? ((values['account'] as string | null) ?? '')
          : null,
    });
    for (const name of NAMES_TRADE)
      if (typeof values[name] === 'string') holdOlderTrade(this.#rows, values[name]);
  }

  /** What no line explains was written by another program: a foreign statement. */
  #capture({ resource: path, record_id }: Key): void {
    const { table, anchors } = this.#records;
    const resource = resourceNamed(path);
    const id = resource === trades ? anchors.tradeOf(record_id) : record_id;

    try {
      this.#records.capture(resource, id, table.nextLine());
    } catch (error) {
      // A value that another program wrote, and that no file may state.
      if (!(error instanceof RowError)) throw error;
    }
  }
}
