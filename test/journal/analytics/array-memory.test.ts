import { expect, test } from 'vitest';
import type { ClosedTrade } from '../../../src/journal/analytics/closed-trade.ts';
import { ArrayMemory, KeyColumn } from '../../../src/journal/analytics/sample.ts';
import { ResponseTooLarge } from '../../../src/journal/response-size.ts';
import { ZoneClock } from '../../../src/time.ts';

test('arrays of one request have a maximum in all, refused before they are made', () => {
  const memory = new ArrayMemory();
  memory.take(191_999_000);
  memory.take(1000);
  expect(() => memory.take(1)).toThrow(ResponseTooLarge);
});

test('a column of keys counts its array before it grows', () => {
  const memory = new ArrayMemory();
  const column = new KeyColumn('symbol', memory);
  const clock = new ZoneClock('UTC');
  const trade = { symbol: 'AAPL' } as ClosedTrade;
  for (let i = 0; i < 64; i++) column.add(trade, clock);
  memory.take(192_000_000 - 500);
  expect(() => column.add(trade, clock)).toThrow(
    'these figures need more than the 192 MB',
  );
  expect(column.codes).toHaveLength(64);
});
