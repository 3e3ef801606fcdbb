/** Costs and currency of a proposal. */

import type { Source } from '../schema.ts';
import { currencyBeside } from '../values.ts';
import { type ColumnSeen, isNumeric, rough } from './columns-seen.ts';
import type { Draft } from './draft.ts';
import { CURRENCIES, currencyIn } from './names.ts';

/** All cost columns are added, unless one is the sum of the others. */
export function putFees(draft: Draft): void {
  const traded = amountTraded(draft);
  const isCost = (column: ColumnSeen) =>
    /fee|comm|swap|tax|courtage|kurtage|broker|gebühr|provision|duty|levy/i.test(column.name) ||
    sizeOf(column) <= traded * MOST_COST;
  const columns = draft.fitting('fees', (column) => isNumeric(column) && isCost(column), 1.5);
  if (columns.length === 0) return;
  const paidIn = draft.best('fee_currency', ({ cells }) => cells.every((cell) => /^[A-Z0-9]{2,10}$/.test(cell)));
  if (paidIn && draft.fields['price'] !== undefined) draft.put('fee_currency', paidIn.name, paidIn);
  const total = columns.find((column) => columns.length > 2 && isSumOf(column, columns));
  const used = total ? [total] : columns;
  const values = used.flatMap(({ cells }) => cells.map(rough)).filter((value) => value !== 0);
  const negative = values.filter((value) => value < 0).length;
  const names = used.map(({ name }) => name);
  const column = names.length === 1 ? (names[0] as string) : names;
  const sources: Record<string, Source> = {
    'as they are, with a minus for a rebate': typeof column === 'string' ? column : { column },
    'written with a minus (negate)': { column, sign: 'negate' },
    'costs of either sign (absolute)': { column, sign: 'absolute' },
  };
  const labels = Object.keys(sources);
  const taken = negative === 0 ? labels[0] : labels[1];
  draft.put('fees', sources[taken as string], ...used);
  if (negative === 0 || negative === values.length) return;
  draft.ask({
    about: 'fees',
    text: `${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} amounts of both signs. What do the signs mean?`,
    answers: [taken as string, ...labels.filter((label) => label !== taken)].map((label) => ({
      label,
      patch: { fields: { fees: sources[label] as Source } },
    })),
  });
}

/** Maximum share of costs in the traded amount; some exports call the amount itself a cost. */
const MOST_COST = 0.2;

/** Sum of price times quantity over all rows; Infinity if there is no price. */
function amountTraded(draft: Draft): number {
  const price = draft.columnOf('price') ?? draft.columnOf('entry_price');
  const quantity = draft.columnOf('quantity');
  if (!price || !quantity) return Number.POSITIVE_INFINITY;
  return price.all.reduce((sum, cell, row) => sum + Math.abs(rough(cell) * rough(quantity.all[row] ?? '')), 0);
}

function sizeOf({ cells }: ColumnSeen): number {
  return cells.reduce((sum, cell) => sum + Math.abs(rough(cell)), 0);
}

function isSumOf(column: ColumnSeen, columns: readonly ColumnSeen[]): boolean {
  const others = columns.filter((other) => other !== column);
  const rows = column.all.map((cell, row) => ({
    own: rough(cell),
    sum: others.reduce((sum, other) => sum + rough(other.all[row] ?? ''), 0),
  }));
  return rows.some(({ own }) => own !== 0) && rows.every(({ own, sum }) => Math.abs(own - sum) < 0.011);
}

/** The currency from a column, else from names and signs of columns; default: the user's. */
export function putCurrency(draft: Draft, base: string): void {
  const price = draft.columnOf('price') ?? draft.columnOf('entry_price') ?? draft.columnOf('amount');
  const columns = draft.fitting('currency', ({ cells }) => cells.every((cell) => /^[A-Z]{3,4}$/.test(cell)));
  const [column, other] = columns.sort((a, b) => farFrom(price, a, draft) - farFrom(price, b, draft));
  if (column) {
    draft.put('currency', column.name, column);
    putFeeCurrency(draft, column, other);
    return;
  }
  if (price && new Set(price.cells.map(currencyBeside)).size > 1 && price.cells.every(currencyBeside)) {
    draft.put('currency', { column: price.name });
    return;
  }
  const read = ['price', 'entry_price', 'gross_pnl', 'net_pnl', 'fees'].flatMap((field) => draft.columnOf(field) ?? []);
  const named = read
    .map(({ name }) => currencyIn(name))
    .find((name) => name !== undefined && CURRENCIES.includes(name));
  const beside = read.flatMap(({ cells }) => cells.flatMap((cell) => currencyBeside(cell) ?? [])).at(0);
  const isAmerican = draft.columns.some(({ name, cells }) => /^cusip$/i.test(name) && cells.length > 0);
  const currency = named ?? beside ?? (isAmerican ? 'USD' : undefined);
  if (currency !== undefined) {
    draft.put('currency', { value: currency });
    return;
  }
  draft.ask({
    about: 'currency',
    text: 'Which currency are prices and amounts in?',
    answers: [{ label: base, patch: {} }],
    typed: 'currency',
    // The symbols of these markets include the currency.
    ...(['future', 'forex', 'crypto'].includes(marketOf(draft)) ? { isAssumed: true as const } : {}),
  });
}

/** How likely a currency is not the price's: by its name, then by its distance. */
function farFrom(price: ColumnSeen | undefined, { name }: ColumnSeen, { columns }: Draft): number {
  const at = columns.findIndex((own) => own.name === name) - (price ? columns.indexOf(price) : -1);
  const isOther = /account|base|settle|native|portfolio|konto|transaktion/i.test(name);
  return (isOther ? 2000 : 0) + (/instrument|security|price/i.test(name) ? -1000 : 0) + (at < 0 ? 100 - at : at);
}

/** Costs in another currency than the price: by the name of their column, else by a second column of currencies. */
function putFeeCurrency(draft: Draft, price: ColumnSeen, other: ColumnSeen | undefined): void {
  const source = draft.fields['fees'];
  if (draft.fields['price'] === undefined || source === undefined || draft.fields['fee_currency'] !== undefined) return;
  const [first = ''] = typeof source === 'object' && 'column' in source ? [source.column].flat() : [String(source)];
  const named = currencyIn(first);
  if (named !== undefined && CURRENCIES.includes(named) && price.cells.some((cell) => cell !== named)) {
    draft.put('fee_currency', { value: named });
  } else if (other?.cells.some((cell) => cell !== '') && other.all.some((cell, row) => cell !== price.all[row])) {
    draft.put('fee_currency', other.name, other);
  }
}

function marketOf({ fields: { market } }: Draft): string {
  return typeof market === 'object' && 'value' in market ? String(market.value) : '';
}
