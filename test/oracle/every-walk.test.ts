/**
 * Every sequence of up to seven fills of two sizes, splits and transfers, walked, and compared with
 * an account of its own: one position at its average cost.
 */
import { expect, test } from 'vitest';
import { walkedFields } from '../../src/import/fills/trade-record.ts';
import { walk } from '../../src/import/fills/walk/walk.ts';
import type { Fill } from '../../src/statements/fill-row.ts';
import { printFigures } from '../faults/figures.ts';
import { makeFill } from '../import/fills/make-fill.ts';

const MOST = 7;

/** Prices of the fills by their place: no sum of some equals that of others. */
const PRICES = [101, 103, 107, 113, 131, 151, 199];

type Step = 'buy 1' | 'buy 2' | 'sell 1' | 'sell 2' | 'split 2:1' | 'out 1';
const STEPS: readonly Step[] = [
  'buy 1',
  'buy 2',
  'sell 1',
  'sell 2',
  'split 2:1',
  'out 1',
];

function fillOf(step: Step, place: number): Fill {
  const [word, number] = step.split(' ') as [string, string];
  const price = PRICES[place] as number;
  const executed_at = `2026-11-02T15:00:0${place}.000Z`;
  const base = { executed_at, multiplier: 1, price };
  if (word === 'split')
    return makeFill(`f${place}`, {
      ...base,
      kind: 'split',
      side: null,
      quantity: 2,
      price: 0,
    });
  if (word === 'out')
    return makeFill(`f${place}`, {
      ...base,
      kind: 'transfer',
      side: 'sell',
      quantity: 1,
      price: 0,
    });
  return makeFill(`f${place}`, {
    ...base,
    side: word as 'buy' | 'sell',
    quantity: Number(number),
  });
}

interface Position {
  direction: 1 | -1;
  units: number;
  /** Of the units still open. */
  cost: number;
  gross: number;
  hasClosed: boolean;
}

/** What a plain account makes of the steps. */
class Account {
  readonly closed: string[] = [];
  unmatched = 0;
  #open: Position | undefined;

  take(step: Step, place: number): void {
    const [word, number] = step.split(' ') as [string, string];
    if (word === 'split') this.#split();
    else if (word === 'out') this.#withdraw(1);
    else this.#trade(word === 'buy' ? 1 : -1, Number(number), PRICES[place] as number);
  }

  get state(): string {
    const open = this.#open;
    const held = open ? `${open.direction * open.units}` : 'flat';
    return [...this.closed, held, `${this.unmatched} unmatched`].join('; ');
  }

  #trade(direction: 1 | -1, quantity: number, price: number): void {
    const open = this.#open;
    if (open && open.direction !== direction) {
      const units = Math.min(quantity, open.units);
      const cost = (open.cost / open.units) * units;
      open.gross += (price * units - cost) * open.direction;
      open.hasClosed = true;
      this.#remove(open, units, cost);
      if (quantity > units) this.#trade(direction, quantity - units, price);
      return;
    }

    this.#open = {
      direction,
      units: (open?.units ?? 0) + quantity,
      cost: (open?.cost ?? 0) + price * quantity,
      gross: open?.gross ?? 0,
      hasClosed: open?.hasClosed ?? false,
    };
  }

  #split(): void {
    if (this.#open) this.#open.units *= 2;
  }

  #withdraw(quantity: number): void {
    const open = this.#open;
    const units = Math.min(quantity, open?.units ?? 0);
    this.unmatched += quantity - units;
    if (open) this.#remove(open, units, (open.cost / open.units) * units);
  }

  #remove(open: Position, units: number, cost: number): void {
    open.units -= units;
    open.cost -= cost;
    if (open.units > 0) return;

    // Units that all left without a sale were no trade.
    if (open.hasClosed)
      this.closed.push(shown(open.direction === 1 ? 'long' : 'short', open.gross));
    this.#open = undefined;
  }
}

const shown = (side: string, gross: number) => `${side} ${gross.toFixed(4)}`;

function walked(fills: readonly Fill[]): string {
  const { trades, unmatched } = walk(fills);
  const closed = trades
    .filter(({ open }) => open === 0)
    .map((trade) => shown(trade.side, walkedFields(trade, 'USD').gross_pnl));
  const open = trades.find((trade) => trade.open > 0);
  const held = open ? `${open.side === 'long' ? open.open : -open.open}` : 'flat';
  const missing = unmatched.reduce((sum, { quantity }) => sum + Number(quantity), 0);
  return [...closed, held, `${missing} unmatched`].join('; ');
}

function accountOf(steps: readonly Step[]): Account {
  const account = new Account();
  for (const [place, step] of steps.entries()) account.take(step, place);
  return account;
}

test(`every sequence of up to ${MOST} fills`, { timeout: 600_000 }, () => {
  const states = new Set<string>();
  let sequences = 0;

  const visit = (steps: readonly Step[], fills: readonly Fill[]): void => {
    for (const step of STEPS) {
      const taken = [...steps, step];
      const all = [...fills, fillOf(step, steps.length)];
      const { state } = accountOf(taken);
      const found = walked(all);
      if (found !== state)
        expect(`${taken.join(', ')}: ${found}`).toBe(`${taken.join(', ')}: ${state}`);

      states.add(state);
      sequences++;
      if (taken.length < MOST) visit(taken, all);
    }
  };

  visit([], []);
  expect(sequences).toBe(
    (STEPS.length ** (MOST + 1) - STEPS.length) / (STEPS.length - 1),
  );
  printFigures(
    `sequences of fills walked: ${sequences}, which end in ${states.size} different states`,
  );
});
