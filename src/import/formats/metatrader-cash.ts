/**
 * Rows of MetaTrader's reports that move cash without a trade: deposits, charges,
 * interest.
 */

import type { CsvRow } from '../../parse/csv-rows.ts';
import { instantIn } from '../../parse/times.ts';
import {
  type FileFlow,
  type FlowMeanings,
  flowKindOf,
  type StatedCash,
} from '../fills/reading.ts';
import { amountOf, isTime } from './metatrader-tester.ts';

interface Account {
  account: string | null;
  currency: string;
}

/** By the type of the row and its comment. Credit lent by the broker is no cash. */
const MEANINGS: FlowMeanings = [
  [/^credit\b/, 'other'],
  [/^dividend|dividend/, 'dividend'],
  [/^interest|\b(interest|financing|swap|rollover)\b/, 'interest'],
  [/^tax|\btax\b/, 'tax'],
  [/^(charge|commission|agent|fee)|\b(fee|commission|charge)\b/, 'fee'],
  [/\b(payout|profit split)\b/, 'payout'],
  [/\btransfer\b/, 'transfer'],
  [/^balance/, 'funding'],
  [/^(bonus|correction)/, 'other'],
];

/** The type, comment and amount of a row; undefined if it isn't one of cash. */
interface CashRow {
  number: string;
  time: string;
  type: string;
  comment: string;
  amount: number;
}

/** @returns the flow of a row, if it moves cash */
export function cashFlowIn(
  row: CsvRow,
  { account, currency }: Account,
  zone: string,
): FileFlow | undefined {
  const cash = isTime(row.cells[0]) ? ofVersion5(row.cells) : ofVersion4(row.cells);
  if (!cash || cash.amount === 0 || cash.type === 'credit') return undefined;

  const { number, time, type, comment, amount } = cash;
  const kind = flowKindOf(`${type} ${comment.toLowerCase()}`, MEANINGS, amount);
  if (!kind) return undefined;

  return {
    line: row.line,
    id: number,
    account,
    executedAt: instantIn({ text: time, column: 'Time', line: row.line }, 'ymd', zone),
    kind,
    amount,
    currency,
    symbol: null,
    description: comment || type,
  };
}

/** Ticket, time, type, comment and amount. */
function ofVersion4(cells: readonly string[]): CashRow | undefined {
  const [number = '', time = '', type = '', comment = '', ...rest] = cells;
  const amount = amountOf(rest.findLast((cell) => cell !== '') ?? '');
  if (!isTime(time) || amount === undefined) return undefined;
  return { number, time, type: type.toLowerCase(), comment, amount };
}

/** Time, deal, no symbol, type, ..., profit, balance and comment. */
function ofVersion5(cells: readonly string[]): CashRow | undefined {
  const [time = '', number = '', , type = '', ...rest] = cells;
  const filled = rest.slice(3).filter((cell) => cell !== '');
  const text = filled.findIndex((cell) => amountOf(cell) === undefined);
  const amounts = filled.slice(0, text === -1 ? undefined : text);
  const amount = amountOf(amounts.at(-2) ?? '');
  if (amount === undefined) return undefined;

  const comment = text === -1 ? '' : (filled[text] as string);
  return { number, time, type: type.toLowerCase(), comment, amount };
}

/**
 * Label of the balance in the summary, in the languages of the terminal that are known.
 */
const BALANCE = /^(?:Balance|Solde|Saldo|Bilanz|Kontostand|Баланс|残高|余额) ?:$/;

/** The balance that a report states below its rows. */
export function endingCash(rows: readonly CsvRow[], account: Account): StatedCash[] {
  for (const { cells } of rows) {
    const at = cells.findIndex((cell) => BALANCE.test(cell));
    if (at === -1) continue;

    const amount = cells
      .slice(at + 1)
      .map(amountOf)
      .find((value) => value !== undefined);
    if (amount !== undefined) return [{ ...account, amount, at: null }];
  }

  return [];
}
