/** Columns with money, sides or times that a proposal doesn't read: it asks about them. */
import { type ColumnSeen, hasClock, isClock, isNumeric, rough } from './columns-seen.ts';
import type { Draft } from './draft.ts';
import { fitOf, type Meaning } from './names.ts';
import { lostSide } from './words.ts';

const MONEY: readonly Meaning[] = [
  'fees',
  'amount',
  'pnl',
  'gross_pnl',
  'net_pnl',
  'price',
  'entry_price',
  'exit_price',
];

/** Names of amounts that change no trade: balances, other prices, shares in percent. */
const NO_TRADE_MONEY =
  /balance|saldo|running|cumul|equity|market|last|mark|high|low\b|stop|limit|target|%|percent|\brate|bps|ratio|roi|return|pips|ticks|points|spread|mae|mfe|drawdown|runup|leverage|margin|volume|quantity|qty|remaining|dividend|kurs$/i;

/** @param rows that aren't skipped */
export function askForLost(draft: Draft, used: ReadonlySet<string>, rows: readonly number[]): void {
  const unused = draft.columns.filter(({ name }) => !used.has(name));
  const money = unused.filter((column) => looksLikeMoney(column) && !isExplained(column, draft, used, rows));
  const side = lostSide(draft);
  const isTimed = ['executed_at', 'closed_at'].some((field) =>
    draft.sourcesOf(field).some((own) => hasClock(own) || isClock(own)),
  );
  const times = isTimed || !draft.fields['executed_at'] ? [] : unused.filter((own) => isClock(own) || hasClock(own));
  const lost = [...money, ...(side && !used.has(side.name) ? [side] : []), ...times];
  if (lost.length === 0) return;
  const shown = lost.slice(0, 5).map(({ name, all }) => `${name} (${rows.map((row) => all[row]).find(Boolean) ?? ''})`);
  draft.ask({
    about: 'unused',
    text: `No field reads ${shown.join(', ')}. Does any of them change a cost, a result, a side or a time? Then add it to "fields".`,
    answers: [{ label: 'no, leave them out', patch: {} }],
  });
}

function looksLikeMoney(column: ColumnSeen): boolean {
  const { name, cells } = column;
  if (!isNumeric(column) || NO_TRADE_MONEY.test(name) || !cells.some((cell) => rough(cell) !== 0)) return false;
  return (
    MONEY.some((meaning) => fitOf(name, meaning) > 0) ||
    cells.some((cell) => /[$€£₹¥]/.test(cell)) ||
    /[$€£₹]|\b(USD|EUR|GBP|INR)\b/.test(name)
  );
}

/** Whether the amounts follow from those that are read: equal to one, to price times quantity, with or without costs, or near a price. */
function isExplained(column: ColumnSeen, draft: Draft, used: ReadonlySet<string>, rows: readonly number[]): boolean {
  const filled = rows.filter((row) => draft.at(column, row) !== 0);
  const sumOf = (field: string, row: number) => {
    return draft.sourcesOf(field).reduce((sum, own) => sum + Math.abs(draft.at(own, row)), 0);
  };
  const constant = draft.fields['multiplier'];
  const size = typeof constant === 'object' && 'value' in constant ? Number(constant.value) : 1;
  const read = draft.columns.filter((own) => used.has(own.name) && isNumeric(own));
  const rates = draft.columns.filter((own) => isNumeric(own) && /rate|kurs/i.test(own.name));
  const withCosts = (amount: number, row: number) => [0, 1, -1].map((sign) => amount + sign * sumOf('fees', row));
  const traded = (field: string) => (row: number) => {
    const amount = sumOf(field, row) * sumOf('quantity', row);
    const factors = rates.map((own) => draft.at(own, row)).filter((rate) => rate !== 0);
    const scales = [1, size, 100, ...factors, ...factors.map((rate) => 1 / rate)];
    return scales.flatMap((scale) => [
      ...withCosts(amount * scale, row),
      ...withCosts(amount, row).map((own) => own * scale),
    ]);
  };
  const bases: ((row: number) => number[])[] = [
    ...read.map((own) => (row: number) => [draft.at(own, row)]),
    ...['price', 'entry_price', 'exit_price'].map(traded),
    (row) => withCosts(0, row),
    (row) => [...withCosts(sumOf('gross_pnl', row), row), ...withCosts(sumOf('net_pnl', row), row)],
  ];
  const isNear = (value: number, base: number) => {
    return Math.abs(Math.abs(value) - Math.abs(base)) <= 0.011 + Math.abs(base) * 0.002;
  };
  return (
    bases.some((base) => filled.every((row) => base(row).some((own) => isNear(draft.at(column, row), own)))) ||
    ['price', 'entry_price', 'exit_price'].some((field) => isOtherPrice(column, field, draft, filled))
  );
}

/** A limit, a market price: within a quarter of the price that is read. */
function isOtherPrice(column: ColumnSeen, field: string, draft: Draft, rows: readonly number[]): boolean {
  const price = draft.columnOf(field);
  if (!price || fitOf(column.name, 'fees') > 0) return false;
  return rows.every((row) => {
    const ratio = draft.at(column, row) / draft.at(price, row);
    return ratio > 0.75 && ratio < 1.33;
  });
}
