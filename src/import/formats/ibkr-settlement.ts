/** Prices that a row of Interactive Brokers leaves out, from its costs and what it realised. */
import { asDecimal } from '../../journal-write/quantities.ts';
import type { Codes } from './ibkr.ts';

interface Booked {
  /** Below 0 for a sell. */
  signed: number;
  multiplier: number | null;
  /** Commission and taxes, above 0 where they cost. */
  fees: number;
  /** What the row realised. */
  profit: number;
  /** What its units had cost, or are booked at: above 0 for a buy, below 0 for a sell. */
  basis: number;
}

/** What a row realised is what came in, less its costs and what its units had cost: so the price follows. */
export function bookedPrice({ signed, multiplier, fees, profit, basis }: Booked): number {
  return asDecimal((profit + fees - basis) / (0 - signed * (multiplier ?? 1)));
}

/**
 * The price of an option that was settled in cash: its row states 0, and what it realised. Where shares are delivered, the option
 * realises nothing, since its premium is in their price.
 * @returns undefined if the row is none of these
 */
export function settlementPrice(codes: Codes, price: number, row: Booked): number | undefined {
  const isSettled = codes.kind === 'exercise' || codes.kind === 'assignment';
  if (!isSettled || price !== 0 || row.profit === 0 || row.basis === 0) return undefined;
  const settled = bookedPrice(row);
  return settled > 0 ? settled : undefined;
}
