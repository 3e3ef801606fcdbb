/** Shared parts of MetaTrader's files: number and time styles, and the deals of version 5. */
import { roundMoney } from '../../money.ts';
import type { CsvRow } from '../parse/csv-rows.ts';

/** Numbers have a space between thousands: 1 434.86. */
export const STYLE = { thousands: ' ', example: '1 434.86' } as const;

export function isTime(text: string | undefined): boolean {
  return /^\d{4}\.\d\d\.\d\d \d\d:\d\d(:\d\d)?$/.test(text ?? '');
}

export function amountOf(text: string): number | undefined {
  return /^-?[\d ]+(\.\d+)?$/.test(text) ? Number(text.replaceAll(' ', '')) : undefined;
}

export function sumOf(amounts: readonly number[]): number {
  return roundMoney(amounts.reduce((sum, amount) => sum + amount, 0));
}

/** A deal of version 5: opens or closes a position or a part of one. */
export interface Deal {
  line: number;
  time: string;
  symbol: string;
  type: 'buy' | 'sell';
  /** The same in all languages: in, out, in/out if it reverses a position, out by if another position closes it. */
  direction: string;
  volume: number;
  price: number;
  order: string;
  /** Commission and fee, positive. The swap is below 0 if paid. */
  commission: number;
  swap: number;
  profit: number;
}

/** Cells after the order, some missing by version: Cost, Commission, Fee, Swap, Profit, Balance, Comment. */
export function dealsIn(rows: readonly CsvRow[]): Deal[] {
  const deals: Deal[] = [];
  let width = 0;
  for (const { cells, line } of rows) {
    const [time = '', number = '', symbol = '', type = '', direction = '', volume = '', price = '', order = ''] = cells;
    if (!isTime(time)) {
      const own = cells.findLastIndex((cell) => cell !== '') + 1;
      if (own > 10 && cells[0] !== '') width = own;
      continue;
    }
    if (!/^\d+$/.test(number) || !/^(buy|sell)$/.test(type) || !/^(in|out)\b/.test(direction)) continue;
    const money = cells.slice(width > 14 ? 9 : 8, Math.max(width, 13) - 2).map((cell) => amountOf(cell) ?? 0);
    deals.push({
      ...{ line, time, symbol, type: type as Deal['type'], direction, order },
      volume: amountOf(volume) ?? 0,
      price: amountOf(price) ?? 0,
      commission: 0 - sumOf(money.slice(0, -2)),
      swap: money.at(-2) ?? 0,
      profit: money.at(-1) ?? 0,
    });
  }
  return deals;
}
