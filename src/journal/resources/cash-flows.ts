import type * as z from 'zod';
import * as f from '../fields.ts';
import { exact, type ListResource, resource, stamps } from '../resource.ts';

export const FLOW_KINDS = [
  'deposit',
  'withdrawal',
  'dividend',
  'interest',
  'fee',
  'tax',
  'payout',
  'transfer',
  'other',
] as const;
export type FlowKind = (typeof FLOW_KINDS)[number];

/** Maximum length of a description. */
export const MAX_DESCRIPTION = 200;

export const cashFlows = resource({
  path: 'cash-flows',
  name: 'CashFlow',
  title: 'cash flows',
  description:
    'Money that came into an account or left it without a trade: deposits, withdrawals, dividends, interest, fees and taxes that belong to no trade. A flow recorded by hand is left out if a file states it, too.',
  scope: 'trades:read',
  table: 'cash_flows',
  source: 'cash_flow_records',
  orderBy: 'at',
  orderKind: 'instant',
  tieBreak: ['id'],
  needed: ['at', 'kind', 'amount'],
  record: f.record(() => ({
    id: f.id("Identifier, unique among the user's cash flows"),
    account: f.orNull(f.label('Account')),
    at: f.instant('Time of the booking'),
    has_time: f.withDefault(
      f.flag(
        "false: at is a date without a time, stored as the start of that day in the user's time zone",
      ),
      true,
    ),
    kind: f.choice(
      FLOW_KINDS,
      'Kind: transfer is between accounts or currencies of the user, payout what a firm pays its trader',
    ),
    amount: f.amount('Amount in currency: above 0 if money came in, below 0 if it left'),
    currency: f.currency('Currency of the amount'),
    fx_rate: f.orNull(
      f.rate(
        "Exchange rate: 1 unit of currency in the user's base currency; null if unknown",
      ),
    ),
    symbol: f.orNull(f.symbol('Symbol of a dividend, or of a fee or tax on a position')),
    description: f.orNull(
      f.maskedText(
        MAX_DESCRIPTION,
        'Text of the booking, without account numbers: IBANs and runs of 6 or more digits are masked',
      ),
    ),
    by_hand: f.withDefault(f.flag('Whether it was recorded on the command line'), false),
    ...stamps(),
  })),
  filters: {
    account: {
      column: 'account',
      match: 'label',
      description: 'Only cash flows of this account',
    },
    kind: exact('kind', 'Only cash flows of this kind'),
    symbol: {
      column: 'symbol',
      match: 'label',
      isSymbol: true,
      description: 'Only cash flows of this symbol',
    },
  },
});

export type CashFlow = z.infer<typeof cashFlows.record>;

/** Whether records belong to accounts, which may be renamed. */
export function hasAccount({ record }: ListResource): boolean {
  return 'account' in record.shape;
}
