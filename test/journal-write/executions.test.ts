/** Position arithmetic: the result of one trade's executions. */
import { describe, expect, test } from 'vitest';
import type { Execution } from '../../src/journal-write/record.ts';
import { inOrder, positionOf, realisedBy } from '../../src/journal-write/trade.ts';
import { toInstantText } from '../../src/time.ts';

/** Fills a minute apart, written as +2@100 (bought two at 100) and -1@110. */
function fills(text: string): Execution[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((fill, index) => {
      const [, sign, quantity, price] = /^([+-])(.+)@(.+)$/.exec(fill) as unknown as [
        string,
        string,
        string,
        string,
      ];
      return {
        executed_at: toInstantText(Date.UTC(2026, 10, 2, 14, 30 + index)),
        side: sign === '+' ? 'buy' : 'sell',
        quantity: Number(quantity),
        price: Number(price),
        fees: 0,
        has_time: true,
      };
    });
}

describe('the position of one trade', () => {
  test.each([
    ['reversed', '+1@10 -2@11', undefined, undefined],
    ['reversed after it was flat', '+1@10 -1@11 -1@12 +1@10', undefined, undefined],
    [
      'closed with noise',
      '+0.1@100 +0.2@103 -0.3@110',
      ['long', 'closed', 0.3, 0, 102, 110],
      2.4,
    ],
    ['partly closed', '-4@10 +1@9', ['short', 'open', 4, 3, 10, 9], 1],
    [
      'closed except for eight decimals',
      '+1.00000001@10 -1@9',
      ['long', 'open', 1.00000001, 1e-8, 10, 9],
      -1,
    ],
    [
      'partly closed, the units opened first',
      '+1@10 +1@20 -1@18 +1@30',
      ['long', 'open', 3, 2, 20, 18],
      8,
    ],
    ['only opened', '+2@10', ['long', 'open', 2, 2, 10, null], 0],
    [
      'at a price below zero',
      '+1@-37.63 -1@-10',
      ['long', 'closed', 1, 0, -37.63, -10],
      27.63,
    ],
    ['for nothing', '+1@0 -1@0', ['long', 'closed', 1, 0, 0, 0], 0],
  ])('%s', (_, given, position, realised) => {
    const executions = fills(given);
    const made = positionOf(executions);
    expect(
      made && [
        made.side,
        made.status,
        made.quantity,
        made.open_quantity,
        made.entry_price,
        made.exit_price,
      ],
    ).toEqual(position);
    expect(realisedBy(executions, 1)).toBe(realised);
    expect(realisedBy(executions, 50)).toBe(realised && realised * 50);
  });

  test('without executions the realised P&L is undefined, not 0', () => {
    expect(realisedBy([], 1)).toBeUndefined();
  });

  test('fees are added, rebates subtracted', () => {
    const executions = fills('+1@1 -1@2').map((fill, index) => ({
      ...fill,
      fees: [0.3, -0.1][index] as number,
    }));
    expect(positionOf(executions)?.fees).toBe(0.2);
  });
});

test('fills of the same time stay in the given order', () => {
  const [a, b, c] = fills('+1@1 +2@2 +3@3') as [Execution, Execution, Execution];
  const late = { ...b, executed_at: c.executed_at };
  expect(inOrder([c, late, a])).toEqual([a, c, late]);
});
