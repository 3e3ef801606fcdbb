/**
 * The balance of accounts by currency, next to what files state. Formulas:
 * docs/analytics.md.
 */
import type * as z from 'zod';
import { moneyOrNull, roundMoney, Sum, totalMoney } from '../../money.ts';
import type { Reader } from '../../sqlite/reader.ts';
import { fromInstantText, toInstantText } from '../../time.ts';
import * as f from '../fields.ts';
import { once } from '../once.ts';
import type { FlowKind } from '../resources/cash-flows.ts';
import type { Range } from '../where.ts';
import { type AccountCash, START_BASES } from './balances.ts';
import type { Ledger, Statement } from './ledgers.ts';
import { clamp } from './period.ts';

const sum = (what: string) => f.money(`${what}, signed`);

export const balanceRecord = once(() =>
  f
    .list(
      f.item({
        account: f.orNull(f.label('The account')),
        currency: f.currency('Currency of the amounts'),
        start: f.orNull(
          f.money(
            'Balance at the start of the period; null: the start of the account is unknown',
          ),
        ),
        start_basis: f.orNull(
          f.choice(
            START_BASES,
            'What the account started with: set for it, the starting balance of the user, or implied by the first balance that a file states; null if unknown',
          ),
        ),
        deposits: sum('Deposits'),
        withdrawals: sum('Withdrawals'),
        transfers: sum('Transfers'),
        payouts: sum('Payouts'),
        income: sum('Dividends and interest'),
        costs: sum('Fees and taxes that belong to no trade'),
        other: sum('Other cash flows'),
        realised: sum('Realised P&L, of exits and of unmatched closes'),
        end: f.orNull(
          f.money(
            'Balance at the end of the period: the sum of the amounts before. Open positions count at cost, never at market value',
          ),
        ),
        open_cost: f.money(
          'What opening the positions that are open at the end took from cash, negative if short; costs alone for futures, CFDs and forex',
        ),
        stated: f.orNull(
          f.money('Ending cash by the latest file that states one; null if none'),
        ),
        stated_at: f.orNull(f.instant('The instant up to which the file counts')),
        here: f.orNull(f.money('end less open_cost at that instant')),
        difference: f.orNull(f.money('here less stated; null if either is null')),
        daily_settlement: f.flag(
          'Whether futures were open then: their daily settlement is in stated, and not here',
        ),
      }),
      'By account and currency, of all accounts or of the one asked for; no other filter applies. Positions are at cost, not at market value',
    )
    .nullable(),
);

export type BalanceRow = NonNullable<z.infer<ReturnType<typeof balanceRecord>>>[number];

const COLUMN_OF = {
  deposit: 'deposits',
  withdrawal: 'withdrawals',
  transfer: 'transfers',
  payout: 'payouts',
  dividend: 'income',
  interest: 'income',
  fee: 'costs',
  tax: 'costs',
  other: 'other',
} as const satisfies Record<FlowKind, string>;

type Column = (typeof COLUMN_OF)[FlowKind];

/** Null for a key that hides money, or shows a part of the journal since a day. */
export function balanceRows(
  reader: Reader,
  cashOf: () => AccountCash,
  range: Range,
): BalanceRow[] | null {
  const { since = false, money = false } = reader.overlay?.narrow ?? {};
  if (since || money) return null;

  const cash = cashOf();
  return cash.ledgers.all.map((ledger) => rowOf(cash, ledger, range));
}

function rowOf(cash: AccountCash, ledger: Ledger, { from, to }: Range): BalanceRow {
  const first = from === null ? Number.NEGATIVE_INFINITY : fromInstantText(from);
  const end = to === null ? Number.POSITIVE_INFINITY : fromInstantText(to);
  const start = cash.starts.get(ledger) ?? null;
  const opening = start && totalMoney([start.amount, ledger.before(first)]);
  const flows = flowsBetween(ledger, first, end);
  const realised = roundMoney(ledger.realised(first, end));
  const latest = ledger.statements.findLast((statement) => statement.end <= end);

  return {
    account: ledger.account,
    currency: ledger.currency,
    start: opening,
    start_basis: start?.basis ?? null,
    ...flows,
    realised,
    end:
      opening === null ? null : totalMoney([opening, ...Object.values(flows), realised]),
    open_cost: openCostAt(cash, ledger, end),
    ...comparison(cash, ledger, latest),
  };
}

function flowsBetween(ledger: Ledger, from: number, to: number): Record<Column, number> {
  const sums = new Map<Column, Sum>();
  for (const { at, kind, amount } of ledger.flows) {
    if (at < from || at >= to) continue;
    const total = sums.get(COLUMN_OF[kind]) ?? new Sum();
    total.add(amount);
    sums.set(COLUMN_OF[kind], total);
  }

  const of = (column: Column) => roundMoney(sums.get(column)?.value ?? 0);
  return {
    deposits: of('deposits'),
    withdrawals: of('withdrawals'),
    transfers: of('transfers'),
    payouts: of('payouts'),
    income: of('income'),
    costs: of('costs'),
    other: of('other'),
  };
}

function openCostAt(cash: AccountCash, ledger: Ledger, at: number): number {
  return roundMoney(cash.openCostsAt(at).get(ledger)?.cost.value ?? 0);
}

type Comparison = Pick<
  BalanceRow,
  'stated' | 'stated_at' | 'here' | 'difference' | 'daily_settlement'
>;

/** A stated balance next to the journal's at the same instant. */
export function comparison(
  cash: AccountCash,
  ledger: Ledger,
  statement: Statement | undefined,
): Comparison {
  if (statement === undefined)
    return {
      stated: null,
      stated_at: null,
      here: null,
      difference: null,
      daily_settlement: false,
    };

  const { end, amount } = statement;
  const start = cash.starts.get(ledger) ?? null;
  const here =
    start &&
    totalMoney([start.amount, ledger.before(end), -openCostAt(cash, ledger, end)]);

  return {
    stated: roundMoney(amount),
    stated_at: toInstantText(clamp(end)),
    here,
    difference: moneyOrNull(here === null ? null : here - amount),
    daily_settlement: cash.openCostsAt(end).get(ledger)?.hasFutures ?? false,
  };
}
