/** Amounts in any number of columns, and costs in several currencies. */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  type Cell,
  currencyIn,
  type NumberStyle,
  numberIn,
  orNothing,
} from '../../parse/cells.ts';
import type { FileFill } from '../fills/reading.ts';
import type { Row } from './declaration.ts';

const COST =
  /\b(?:fees?|commissions?|charges?|tax(?:es)?|duty|swaps?|levy|brokerage|rebates?|financing|gst|stt|vat)\b|gebühr|provision|kommission|entgelt|steuer|\bfrais\b|courtage|impôt|comisi[oó]n|comiss|impuesto|commission[ei]|imposta|prowizja|комисси/i;
const NO_AMOUNT = /rate|%|currency|coin|unit|type|bps|asset|währung/i;

/** Whether the name of a column says that it has costs. */
export function namesCosts(name: string): boolean {
  return COST.test(name.replaceAll('_', ' ')) && !NO_AMOUNT.test(name);
}

interface Amount {
  amount: number;
  /** Null: not stated. */
  currency: string | null;
}

/** Name of a column with amounts to add. */
export function addedName(name: string, index: number): string {
  return `${name} + ${index + 1}`;
}

/** Name of the column with the currency of such amounts. */
export function currencyName(name: string, index: number): string {
  return `currency of ${addedName(name, index)}`;
}

/**
 * The amounts of a row in the columns that `every` found.
 * @returns each with the currency in its column's name, else in the column "Currency
 * (name)"
 */
export function amountsIn(cells: Row, name: string, style: NumberStyle): Amount[] {
  const amounts: Amount[] = [];
  for (let index = 0; cells[addedName(name, index)]; index++) {
    const cell = cells[addedName(name, index)];
    const amount = cell ? orNothing(cell, (filled) => numberIn(filled, style)) : null;
    const named = /\(([A-Z]{3})\)$/.exec(cell?.column ?? '')?.[1];
    if (amount !== null)
      amounts.push({
        amount,
        currency: named ?? (cells[currencyName(name, index)]?.text || null),
      });
  }

  return amounts;
}

/**
 * Costs above 0 in the price's currency, in the account's if a rate to it is known, and
 * in one other, which is only reported.
 * @throws RowError for a second other currency
 */
export function costsOf(
  costs: readonly { amount: number; currency: string }[],
  {
    currency,
    base,
    rate,
    line,
  }: { currency: string; base: string | null; rate: number | null; line: number },
): Pick<FileFill, 'fees' | 'otherFee'> {
  let fees = 0;
  const others = new Map<string, number>();
  for (const { amount, currency: name } of costs) {
    if (amount === 0) continue;
    if (name === currency) fees += amount;
    else if (name === base && rate !== null) fees += amount / rate;
    else others.set(name, (others.get(name) ?? 0) + amount);
  }

  const [other, second] = others;
  if (second)
    throw new RowError(
      null,
      `no exchange rate for fees in ${[...others.keys()].join(' and ')}`,
      line,
    );

  return {
    fees: roundMoney(fees),
    otherFee: other ? { currency: other[0], amount: roundMoney(other[1]) } : null,
  };
}

/**
 * The currency of prices, and what a price of 1 is in it: GBX is pence, a hundredth of a
 * pound.
 */
export function unitOfPrice(cell: Cell): { currency: string; scale: number } {
  if (cell.text === 'GBX' || cell.text === 'GBp') return { currency: 'GBP', scale: 0.01 };
  return { currency: currencyIn(cell), scale: 1 };
}
