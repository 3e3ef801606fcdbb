/** What a file states besides its fills and records: to be compared with what its trades make. */
import { roundMoney, Sum } from '../../money.ts';
import type { FileFill, StatedTotal } from './reading.ts';

export interface Statement {
  totals: StatedTotal[];
  /** Fees in currencies that the file has no rate for. */
  otherFees: { currency: string; amount: number }[];
}

/** The totals that the file states, and the sums of what its rows state: no reader gives both of the same. */
export function statementOf(stated: readonly StatedTotal[], fills: readonly FileFill[]): Statement {
  const totals = [...stated];
  for (const what of ['gross', 'net'] as const) {
    const rows = fills.filter((fill) => fill.stated?.[what] !== undefined);
    for (const [currency, own] of Map.groupBy(rows, ({ instrument }) => instrument.currency)) {
      totals.push({ what, currency, symbol: null, amount: sum(own.map((fill) => fill.stated?.[what] ?? 0)) });
    }
  }
  const fees = fills.flatMap(({ otherFee }) => otherFee ?? []);
  const otherFees = [...Map.groupBy(fees, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    amount: sum(own.map(({ amount }) => amount)),
  }));
  return { totals, otherFees };
}

function sum(amounts: readonly number[]): number {
  const total = new Sum();
  for (const amount of amounts) total.add(amount);
  return roundMoney(total.value);
}
