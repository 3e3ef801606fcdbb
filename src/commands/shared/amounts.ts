/** Amounts and currencies as they are typed on the command line. */
import { UsageError } from '../../errors.ts';
import { CURRENCY_PATTERN } from '../../journal/fields.ts';

const AMOUNT = /^[+-]?\d{1,15}(?:\.\d{1,8})?$/;

/** @param what for the error @throws UsageError unless it is a number below 1e15 */
export function amountOf(typed: string, what: string): number {
  const amount = Number(typed);
  if (AMOUNT.test(typed) && Math.abs(amount) < 1e15) return amount;
  throw new UsageError(
    `${what} takes an amount, such as 25000 or -12.50; got "${typed}"`,
  );
}

/** In capitals. @throws UsageError unless it is a code */
export function currencyOf(typed: string | undefined): string | undefined {
  const code = typed?.toUpperCase();
  if (code === undefined || CURRENCY_PATTERN.test(code)) return code;
  throw new UsageError(`--currency takes a code, such as EUR; got "${typed}"`);
}
