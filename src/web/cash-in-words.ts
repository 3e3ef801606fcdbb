/**
 * The balance of an account in words: on the dashboard, in reports and in the terminal.
 */
import type { Formats } from './format.ts';
import type { Analytics } from './types.ts';

export type BalanceRow = NonNullable<Analytics['balance']>[number];

/**
 * "main: $10,000.00 at the start, deposits +$500.00, P&L +$20.00: $10,520.00, at cost"
 */
export function cashInWords(row: BalanceRow, format: Formats): string {
  const { account, currency, start, end, realised, open_cost } = row;
  const money = (amount: number) => format.money(amount, currency);
  const flows = {
    deposits: row.deposits,
    withdrawals: row.withdrawals,
    transfers: row.transfers,
    payouts: row.payouts,
    'dividends and interest': row.income,
    'fees and taxes': row.costs,
    other: row.other,
    'P&L': realised,
  };
  const moved = Object.entries(flows)
    .filter(([, amount]) => amount !== 0)
    .map(([name, amount]) => `${name} ${money(amount)}`);
  const began = start === null ? 'start unknown' : `${money(start)} at the start`;
  const held =
    open_cost === 0 ? '' : `, ${money(open_cost)} of it in open positions, at cost`;
  const ended = end === null ? '' : `: ${money(end)}${held}`;

  return `${account ?? 'no account'}: ${[began, ...moved].join(', ')}${ended}${stated(row, money)}`;
}

function stated(
  { stated: amount, here, difference, daily_settlement }: BalanceRow,
  money: (amount: number) => string,
): string {
  if (amount === null || here === null || difference === null) return '';
  const settled = daily_settlement ? ', with the daily settlement of open futures' : '';
  return `; its file states ${money(amount)} in cash${settled}, here ${money(here)}: difference ${money(difference)}`;
}
