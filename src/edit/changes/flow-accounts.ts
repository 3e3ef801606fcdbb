/**
 * Cash flows of files by the accounts that their names lead to now. A row of a file is
 * one flow in each account: renames join those of two accounts, and undone ones part them
 * again.
 */
import { cashFlows } from '../../journal/resources/cash-flows.ts';
import { deleteRecord } from '../../journal-write/record.ts';
import { USER, UserRows } from '../../sqlite/user-rows.ts';
import { AccountNames } from '../../statements/accounts.ts';
import type { StatedRecords } from '../../statements/stated-records.ts';

interface FlowStatement {
  record_id: string;
  import_id: number;
  account: string | null;
  currency: string;
  amount: number;
}

const STATEMENTS = `SELECT r.record_id, r.import_id, r.account, c.currency, c.amount
  FROM import_records AS r JOIN cash_flows AS c ON c.user_id = r.user_id AND c.id = r.record_id
  WHERE r.user_id = ${USER} AND r.resource = 'cash-flows' AND r.kind = 'stated' AND c.by_hand = 0
  ORDER BY r.import_id, r.record_id`;

/** Call it after renames have changed. */
export function settleFlows(stated: StatedRecords, user: string): void {
  const rows = new UserRows(stated.db, user);
  stated.table.write();
  const names = new AccountNames(stated.db, user);
  const all = rows.all<FlowStatement>(STATEMENTS);
  const byRow = Map.groupBy(all, ({ record_id, currency, amount }) =>
    [baseOf(record_id), currency, amount].join(' '),
  );

  for (const group of byRow.values()) {
    if (group.length < 2) continue;
    const byAccount = Map.groupBy(group, (statement) => {
      const named = statement.account || namedOf(statement.record_id, group);
      return (names.of(named) ?? '').toLowerCase();
    });
    const ids = new Set(group.map(({ record_id }) => record_id));
    const isSettled =
      byAccount.size === ids.size &&
      [...byAccount.values()].every(
        (some) => new Set(some.map((own) => own.record_id)).size === 1,
      );
    if (!isSettled) new FlowRow(stated, rows, user).settle([...byAccount.values()]);
  }
}

/** The account of a flow whose file names none, by other files. */
function namedOf(id: string, group: readonly FlowStatement[]): string | null {
  return (
    group.findLast(({ record_id, account }) => record_id === id && account)?.account ??
    null
  );
}

/** The id of a row without the number of the account that has it, too. */
function baseOf(id: string): string {
  return id.replace(/~\d+$/, '');
}

/** One row of a file, which several lines state. */
class FlowRow {
  readonly #stated: StatedRecords;
  readonly #rows: UserRows;
  readonly #user: string;

  constructor(stated: StatedRecords, rows: UserRows, user: string) {
    this.#stated = stated;
    this.#rows = rows;
    this.#user = user;
  }

  /** @param accounts statements by account */
  settle(accounts: readonly (readonly FlowStatement[])[]): void {
    const { table } = this.#stated;
    const before = new Set(accounts.flat().map(({ record_id }) => record_id));
    for (const id of before) {
      const present = this.#stated.find(cashFlows, id);
      if (present) table.makeExplicit(cashFlows, id, present);
    }

    const taken = new Set<string>();
    for (const statements of accounts) {
      const id = this.#idFor(statements, taken);
      taken.add(id);
      for (const statement of statements)
        if (statement.record_id !== id) this.#move(statement, id);
    }

    for (const id of new Set([...before, ...taken])) {
      if (
        this.#stated.refold(cashFlows, id) === 'gone' &&
        this.#stated.find(cashFlows, id)
      )
        deleteRecord(this.#stated.db, cashFlows, this.#user, id);
    }
  }

  /** An id that its statements have, unless another account has it; else a free one. */
  #idFor(statements: readonly FlowStatement[], taken: ReadonlySet<string>): string {
    const known = statements
      .map(({ record_id }) => record_id)
      .find((id) => !taken.has(id));
    if (known !== undefined) return known;

    const base = baseOf((statements[0] as FlowStatement).record_id);
    for (let number = 1; ; number++) {
      const id = number === 1 ? base : `${base}~${number}`;
      if (!taken.has(id) && !this.#rows.has('cash_flows', { id })) return id;
    }
  }

  #move({ record_id, import_id }: FlowStatement, to: string): void {
    const which = { resource: cashFlows.path, import_id, kind: 'stated' };
    if (this.#rows.has('import_records', { ...which, record_id: to }))
      this.#rows.delete('import_records', { ...which, record_id });
    else this.#rows.update('import_records', { ...which, record_id }, { record_id: to });
  }
}
