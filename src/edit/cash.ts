/** `cash add`: records a cash flow by hand. It counts once with the same of a file. */
import { hash } from 'node:crypto';
import { RowError, UserError } from '../errors.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import {
  type CashFlow,
  cashFlows,
  type FlowKind,
} from '../journal/resources/cash-flows.ts';
import type { Values } from '../journal-write/record.ts';
import { roundMoney } from '../money.ts';
import { UserRows } from '../sqlite/user-rows.ts';
import { AccountNames } from '../statements/account-settings.ts';
import { applyRates } from '../statements/exchange-rates.ts';
import { toInstantText, ZoneClock } from '../time.ts';
import { type Edit, type LineReport, withLine } from './edit.ts';
import { liveKeys, type ShownByKey } from './effects.ts';

export interface CashOptions extends TargetOptions {
  date: string;
  kind: FlowKind;
  /** Above 0: money in. */
  amount: number;
  account?: string | undefined;
  currency?: string | undefined;
  symbol?: string | undefined;
  description?: string | undefined;
  /** Whether the same that was recorded by hand before is another. */
  again?: boolean | undefined;
}

export interface CashReport extends LineReport {
  flow: Pick<CashFlow, 'id' | 'account' | 'kind' | 'amount' | 'currency'> & {
    date: string;
  };
  /** The import with a file that states it, too: it counts once. Null: none. */
  same_as: number | null;
  /** The account of all trades, if the flow is in none. */
  did_you_mean: string | null;
  keys: ShownByKey[];
}

/** Ids of flows by hand. */
const PREFIX = 'cash:';

/**
 * @throws UserError for a day to come, and if the same was recorded before and it isn't
 * another
 */
export function addCash(options: CashOptions, line: string): CashReport {
  const entry = {
    format: 'cash',
    resource: cashFlows.path,
    account: options.account ?? null,
  };
  return withLine(options, { ...entry, line }, (edit) => {
    const { db, user } = edit;
    const keys = liveKeys(db, user, options.keys, options.now);
    const flow = flowOf(edit, options);
    const alike = sameByHand(edit, flow);
    const [known] = alike;
    if (known !== undefined && !options.again) throw refused(edit, known);

    const id =
      PREFIX +
      digestOf(flow, options.date) +
      (alike.length === 0 ? '' : `~${alike.length + 1}`);
    const values = { ...flow, id: freeId(edit, id) };
    store(edit, values, options.account);
    applyRates(db, user);

    const { account, kind, amount, currency } = flow;
    const shown = { id: values.id, account, kind, amount, currency, date: options.date };
    const report = {
      flow: shown,
      same_as: statedBy(edit, values.id),
      did_you_mean: account === null ? accountOfTrades(edit) : null,
      keys: keys(),
    };
    return { report, changed: 1, records: 1 };
  });
}

type Flow = Values & Pick<CashFlow, 'account' | 'kind' | 'amount' | 'currency' | 'at'>;

function flowOf({ db, user }: Edit, options: CashOptions): Flow {
  const { date, kind, symbol = null, description = null } = options;
  const at = new ZoneClock(user.timezone).startOfDay(date);
  if (at > options.now) throw new UserError(`the date ${date} is in the future`);

  return {
    account: new AccountNames(db, user.id).of(options.account ?? null),
    at: toInstantText(at),
    has_time: false,
    kind,
    amount: roundMoney(options.amount),
    currency: options.currency ?? user.base_currency,
    symbol,
    description,
    by_hand: true,
  };
}

/** @throws UserError for a value that the journal can't store */
function store(edit: Edit, values: Values, account = ''): void {
  try {
    edit.put(cashFlows, values, undefined, account);
  } catch (error) {
    throw error instanceof RowError ? new UserError(error.message) : error;
  }
}

/** Null if trades have several, or none. */
function accountOfTrades({ db, user }: Edit): string | null {
  const find = db.prepare<[string], string | null>(
    'SELECT DISTINCT account FROM trades WHERE user_id = ? LIMIT 2',
  );
  const [account, ...others] = find.pluck().all(user.id);
  return others.length > 0 ? null : (account ?? null);
}

/** Ids of the same flows by hand. */
function sameByHand(
  { db, user }: Edit,
  { account, kind, amount, currency, at }: Flow,
): string[] {
  const find = db.prepare<unknown[], string>(
    `SELECT id FROM cash_flows WHERE user_id = ? AND currency = ? AND amount = ? AND at = ?
       AND kind = ? AND account IS ? AND by_hand = 1 ORDER BY id`,
  );
  return find.pluck().all(user.id, currency, amount, at, kind, account);
}

function refused({ stated }: Edit, id: string): UserError {
  const [first] = stated.table.rowsOf(cashFlows.path, id);
  const known = first ? `import ${first.import_id} has` : 'the journal has';
  return new UserError(`${known} this cash flow already; pass --again if it is another`);
}

/** The same for the same flow, unless an account that was renamed has it. */
function freeId({ db, user }: Edit, id: string): string {
  const rows = new UserRows(db, user.id);
  for (let number = 1; ; number++) {
    const free = number === 1 ? id : `${id}.${number}`;
    if (!rows.has('cash_flows', { id: free })) return free;
  }
}

function digestOf({ account, kind, amount, currency }: Flow, date: string): string {
  const facts = [account?.toLowerCase() ?? '', date, kind, amount, currency];
  return hash('sha256', JSON.stringify(facts)).slice(0, 16);
}

/**
 * The import whose file states a flow by hand, too: the view then leaves out that by
 * hand.
 */
function statedBy({ db, user }: Edit, id: string): number | null {
  const rows = new UserRows(db, user.id);
  if (rows.has('cash_flow_records', { id })) return null;

  const find = db.prepare<[string, string], number | null>(
    `SELECT min(r.import_id) FROM cash_flows AS h JOIN cash_flows AS f ON f.user_id = h.user_id
       AND f.currency = h.currency AND f.amount = h.amount AND f.kind = h.kind
       AND f.account IS h.account AND f.by_hand = 0 AND f.at >= h.at
       AND f.at < strftime('%Y-%m-%dT%H:%M:%fZ', h.at, '+1 day')
     JOIN import_records AS r ON r.user_id = f.user_id AND r.resource = 'cash-flows'
       AND r.record_id = f.id
     WHERE h.user_id = ? AND h.id = ?`,
  );
  return find.pluck().get(user.id, id) ?? null;
}
