/** Fills as a reader makes them. */
import type { FileFill } from '../../../src/import/fills/reading.ts';
import type { Instrument } from '../../../src/import/parse/instruments.ts';

export const MES: Instrument = {
  symbol: 'MESZ6',
  market: 'future',
  underlying: 'MES',
  expiration: null,
  strike: null,
  optionType: null,
  multiplier: null,
  currency: 'USD',
};

/** What isn't given is a buy of one contract at 100, without an id. */
export function makeFileFill(changes: Partial<FileFill> = {}): FileFill {
  return {
    line: 2,
    executionId: null,
    account: null,
    instrument: MES,
    executedAt: '2026-11-02T15:00:00.000Z',
    kind: 'trade',
    side: 'buy',
    quantity: 1,
    price: 100,
    fees: 0,
    feeQuantity: 0,
    otherFee: null,
    effect: null,
    mayShort: true,
    rate: null,
    stated: null,
    ...changes,
  };
}
