/** Fills as readers return them. */
import type { FileFill } from '../../../src/import/fills/reading.ts';
import type { Instrument } from '../../../src/parse/instruments.ts';

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

/** Default: a buy of one contract at 100, without an id. */
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

export const at = (second: number) =>
  new Date(Date.UTC(2026, 10, 2, 15, 0, second)).toISOString();

/** "buy 2 @ 100", a second after the one before; ids count from 1. */
export function makeFileFills(
  lines: readonly string[],
  changes: Partial<FileFill> = {},
): FileFill[] {
  return lines.map((line, index) => {
    const [side, quantity, , price] = line.split(' ');
    return makeFileFill({
      line: index + 2,
      executionId: String(index + 1),
      side: side as 'buy',
      quantity: Number(quantity),
      price: Number(price),
      executedAt: at(index),
      ...changes,
    });
  });
}
