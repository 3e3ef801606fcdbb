/** Prices missing from rows of Interactive Brokers, derived from cost and realised P&L. */
import { asDecimal } from '../../money.ts';
import type { Codes } from './ibkr.ts';

interface Booked {
  /** Below 0 for a sell. */
  signed: number;
  multiplier: number | null;
  /** Commission and taxes, above 0 if paid. */
  fees: number;
  /** Realised P&L of the row. */
  profit: number;
  /** Cost of its units: above 0 for a buy, below 0 for a sell. */
  basis: number;
}

/** Solves for the price: realised P&L equals proceeds minus fees and the cost of the units. */
export function bookedPrice({ signed, multiplier, fees, profit, basis }: Booked): number {
  return asDecimal((profit + fees - basis) / (0 - signed * (multiplier ?? 1)));
}

/**
 * The price of an option settled in cash, from a row with price 0 and a realised P&L. If shares are delivered, the option
 * realises nothing because its premium is in their price.
 * @returns undefined for other rows
 */
export function settlementPrice(codes: Codes, price: number, row: Booked): number | undefined {
  const isSettled = codes.kind === 'exercise' || codes.kind === 'assignment';
  if (!isSettled || price !== 0 || row.profit === 0 || row.basis === 0) return undefined;
  const settled = bookedPrice(row);
  return settled > 0 ? settled : undefined;
}
