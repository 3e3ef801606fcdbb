/** Position arithmetic: fills to trades from flat to flat, and what the fills of one trade make. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Execution, flatToFlat, inOrder, positionOf, realisedBy } from '../../src/journal-write/executions.ts';
import { toInstantText } from '../../src/time.ts';

/** Fills a minute apart, written as +2@100 (bought two at 100) and -1@110. */
function fills(text: string): Execution[] {
  return text
    .split(' ')
    .filter(Boolean)
    .map((fill, index) => {
      const [, sign, quantity, price] = /^([+-])(.+)@(.+)$/.exec(fill) as unknown as [string, string, string, string];
      return {
        executed_at: toInstantText(Date.UTC(2026, 10, 2, 14, 30 + index)),
        side: sign === '+' ? 'buy' : 'sell',
        quantity: Number(quantity),
        price: Number(price),
        fees: 0,
      };
    });
}

const text = (executions: readonly Execution[]) =>
  executions.map(({ side, quantity, price }) => `${side === 'buy' ? '+' : '-'}${quantity}@${price}`).join(' ');

describe('flat to flat', () => {
  test.each([
    ['nothing', '', []],
    ['a turn closes one trade and opens the next', '+1@10 -3@11 +2@9', ['+1@10 -1@11', '-2@11 +2@9']],
    ['two turns in a row', '-1@5 +2@4 -2@6 +1@5', ['-1@5 +1@4', '+1@4 -1@6', '-1@6 +1@5']],
    ['the last one may be open', '+1@10 -1@11 -2@9', ['+1@10 -1@11', '-2@9']],
    ['what is left of a turn may be open', '+1@10 -1.5@11', ['+1@10 -1@11', '-0.5@11']],
    ['flat and on in the same direction is another trade', '+1@1 -1@2 +1@1 -1@2', ['+1@1 -1@2', '+1@1 -1@2']],
    ['scaled in and out', '+1@1 -0.5@2 +2@1 -2.5@2', ['+1@1 -0.5@2 +2@1 -2.5@2']],
    ['binary noise leaves nothing open', '+0.1@1 +0.2@1 -0.3@2', ['+0.1@1 +0.2@1 -0.3@2']],
    ['nor does it turn the position', '-0.3@2 +0.1@1 +0.1@1 +0.1@1', ['-0.3@2 +0.1@1 +0.1@1 +0.1@1']],
    ['a rest is free of it', '+0.1@1 +0.2@1 -0.4@2', ['+0.1@1 +0.2@1 -0.3@2', '-0.1@2']],
    ['eight decimals are none of it', '+1@1 -1.00000001@2', ['+1@1 -1@2', '-1e-8@2']],
  ])('%s', (_, given, trades) => {
    expect(flatToFlat(fills(given)).map(text)).toEqual(trades);
  });

  const fill = fc.record({ units: fc.integer({ min: -50, max: 50 }), price: fc.integer({ min: 1, max: 2000 }) });

  test.each([1, 0.25, 0.1, 1e-8])('any fills, in lots of %d', (lot) => {
    fc.assert(
      fc.property(fc.array(fill, { maxLength: 30 }), (given) => {
        const all = given
          .filter(({ units }) => units !== 0)
          .map(({ units, price }) => `${units > 0 ? '+' : '-'}${Math.abs(units) * lot}@${price}`);
        const trades = flatToFlat(fills(all.join(' ')));
        const positions = trades.map(positionOf);
        // None turns through zero, all but the last are closed, and no more than one fill belongs to both neighbours.
        expect(positions.slice(0, -1).map((position) => position?.status)).toEqual(
          positions.slice(0, -1).map(() => 'closed'),
        );
        expect(positions).not.toContain(undefined);
        const units = (executions: readonly Execution[]) =>
          executions.reduce(
            (sum, { side, quantity }) => sum + (side === 'buy' ? 1 : -1) * Math.round(quantity / lot),
            0,
          );
        expect(units(trades.flat())).toBe(given.reduce((sum, one) => sum + one.units, 0));
        for (const trade of trades.slice(0, -1)) expect(units(trade)).toBe(0);
      }),
    );
  });
});

describe('the position of one trade', () => {
  test.each([
    ['turned through zero', '+1@10 -2@11', undefined, undefined],
    ['turned after it was flat', '+1@10 -1@11 -1@12 +1@10', undefined, undefined],
    ['closed with noise', '+0.1@100 +0.2@103 -0.3@110', ['long', 'closed', 0.3, 0, 102, 110], 2.4],
    ['partly closed', '-4@10 +1@9', ['short', 'open', 4, 3, 10, 9], 1],
    ['closed but for eight decimals', '+1.00000001@10 -1@9', ['long', 'open', 1.00000001, 1e-8, 10, 9], -1],
    [
      'partly closed at the average of what was open then',
      '+1@10 +1@20 -1@18 +1@30',
      ['long', 'open', 3, 2, 20, 18],
      3,
    ],
    ['only opened', '+2@10', ['long', 'open', 2, 2, 10, null], 0],
    ['at a price below zero', '+1@-37.63 -1@-10', ['long', 'closed', 1, 0, -37.63, -10], 27.63],
    ['for nothing', '+1@0 -1@0', ['long', 'closed', 1, 0, 0, 0], 0],
  ])('%s', (_, given, position, realised) => {
    const executions = fills(given);
    const made = positionOf(executions);
    expect(
      made && [made.side, made.status, made.quantity, made.open_quantity, made.entry_price, made.exit_price],
    ).toEqual(position);
    expect(realisedBy(executions, 1)).toBe(realised);
    expect(realisedBy(executions, 50)).toBe(realised && realised * 50);
  });

  test('without executions nothing was realised, and that is not 0', () => {
    expect(realisedBy([], 1)).toBeUndefined();
  });

  test('fees are added up, rebates taken off', () => {
    const executions = fills('+1@1 -1@2').map((fill, index) => ({ ...fill, fees: [0.3, -0.1][index] as number }));
    expect(positionOf(executions)?.fees).toBe(0.2);
  });
});

test('fills of the same time stay in the order they were given in', () => {
  const [a, b, c] = fills('+1@1 +2@2 +3@3') as [Execution, Execution, Execution];
  const late = { ...b, executed_at: c.executed_at };
  expect(inOrder([c, late, a])).toEqual([a, c, late]);
});
