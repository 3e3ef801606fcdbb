/** Costs, P&L and currency of a proposal. */
import { contractSize } from '../../parse/instruments.ts';
import { mappedReading } from '../format.ts';
import { columnsRead, type Mapping, type Source } from '../schema.ts';
import { namedRows } from '../table.ts';
import { currencyBeside } from '../values.ts';
import { type ColumnSeen, isNumeric, rough, wordsOf } from './columns.ts';
import type { Draft, Settings } from './draft.ts';
import { CURRENCIES, currencyIn, fitOf, meaningOf } from './vocabulary.ts';

/** All cost columns are added, unless one is the sum of the others. */
export function putFees(draft: Draft): void {
  const traded = amountTraded(draft);
  const isCost = (column: ColumnSeen) =>
    /fee|comm|swap|tax|courtage|kurtage|broker|gebühr|provision|duty|levy/i.test(column.name) ||
    column.all.reduce((sum, _, row) => sum + Math.abs(draft.at(column, row)), 0) <= traded * MOST_COST;
  const columns = draft.fitting('fees', (column) => isNumeric(column) && isCost(column), 1.5);
  if (columns.length === 0) return;
  const paidIn = draft.best('fee_currency', ({ cells }) => cells.every((cell) => /^[A-Z0-9]{2,10}$/.test(cell)));
  if (paidIn && draft.fields['price'] !== undefined) draft.put('fee_currency', paidIn.name, paidIn);
  const total = columns.find((column) => columns.length > 2 && isSumOf(column, columns, draft));
  const used = total ? [total] : columns;
  const values = used.flatMap(({ cells }) => cells.map(rough)).filter((value) => value !== 0);
  const negative = values.filter((value) => value < 0).length;
  const names = used.map(({ name }) => name);
  const column = names.length === 1 ? (names[0] as string) : names;
  const plain = typeof column === 'string' ? column : { column };
  const negated: Source = { column, sign: 'negate' };
  draft.put('fees', negative === 0 ? plain : negated, ...used);
  if (negative === 0 || negative === values.length) return;
  const text = `${names.join(', ')} ${names.length === 1 ? 'has' : 'have'} amounts of both signs. What do the signs mean?`;
  draft.askForSource('fees', text, {
    'written with a minus (negate)': negated,
    'as they are, with a minus for a rebate': plain,
    'costs of either sign (absolute)': { column, sign: 'absolute' },
  });
}

/** Maximum share of costs in the traded amount; some exports call the amount itself a cost. */
const MOST_COST = 0.2;

/** Sum of price times quantity over all rows; Infinity if there is no price. */
function amountTraded(draft: Draft): number {
  const price = draft.columnOf('price') ?? draft.columnOf('entry_price');
  const quantity = draft.columnOf('quantity');
  if (!price || !quantity) return Number.POSITIVE_INFINITY;
  return price.all.reduce((sum, _, row) => sum + Math.abs(draft.at(price, row) * draft.at(quantity, row)), 0);
}

function isSumOf(column: ColumnSeen, columns: readonly ColumnSeen[], draft: Draft): boolean {
  const others = columns.filter((other) => other !== column);
  const sumOf = (row: number) => others.reduce((sum, other) => sum + draft.at(other, row), 0);
  const isSum = column.all.every((_, row) => Math.abs(draft.at(column, row) - sumOf(row)) < 0.011);
  return isSum && column.all.some((_, row) => draft.at(column, row) !== 0);
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
  const named = read.map(({ name }) => knownCurrencyIn(name)).find((name) => name !== undefined);
  const beside = read.flatMap(({ cells }) => cells.flatMap((cell) => currencyBeside(cell) ?? [])).at(0);
  const isAmerican = draft.columns.some(({ name, cells }) => /^cusip$/i.test(name) && cells.length > 0);
  const currency = named ?? beside ?? (isAmerican ? 'USD' : undefined);
  if (currency !== undefined) {
    draft.put('currency', { value: currency });
    return;
  }
  // The symbols of these markets include the currency.
  const isAssumed = ['future', 'forex', 'crypto'].includes(String(draft.constantOf('market')));
  const more = { typed: 'currency', ...(isAssumed && { isAssumed }) } as const;
  draft.ask('currency', 'Which currency are prices and amounts in?', { [base]: {} }, more);
}

/** How likely a currency is not the price's: by its name, then by its distance. */
function farFrom(price: ColumnSeen | undefined, { name }: ColumnSeen, { columns }: Draft): number {
  const at = columns.findIndex((own) => own.name === name) - (price ? columns.indexOf(price) : -1);
  const isOther = /account|base|settle|native|portfolio|konto|transaktion/i.test(name);
  return (isOther ? 2000 : 0) + (/instrument|security|price/i.test(name) ? -1000 : 0) + (at < 0 ? 100 - at : at);
}

/** Costs in another currency than the price: by the name of their column, else by a second column of currencies. */
function putFeeCurrency(draft: Draft, price: ColumnSeen, other: ColumnSeen | undefined): void {
  const [fees] = draft.sourcesOf('fees');
  if (draft.fields['price'] === undefined || !fees || draft.fields['fee_currency'] !== undefined) return;
  const named = knownCurrencyIn(fees.name);
  if (named !== undefined && price.cells.some((cell) => cell !== named)) {
    draft.put('fee_currency', { value: named });
  } else if (other?.cells.some((cell) => cell !== '') && other.all.some((cell, row) => cell !== price.all[row])) {
    draft.put('fee_currency', other.name, other);
  }
}

function knownCurrencyIn(name: string): string | undefined {
  return CURRENCIES.find((own) => own === currencyIn(name));
}

/** Gross and net P&L by their names. fittedToPnl decides for a plain "P&L". */
export function putPnl(draft: Draft): void {
  draft.takeAll(['gross_pnl', 'net_pnl'], isNumeric);
  if (!draft.fields['gross_pnl'] && !draft.fields['net_pnl']) draft.take('gross_pnl', 'pnl', isNumeric);
}

/** A column of any name whose amounts are above 0 for gains and below for losses. */
export function putPnlBySign(draft: Draft): void {
  const [entry, exit] = [draft.columnOf('entry_price'), draft.columnOf('exit_price')];
  if (!entry || !exit) return;
  const [side, quantity] = [draft.columnOf('side'), draft.columnOf('quantity')];
  const isShort = (row: number) =>
    meaningOf('position', side?.all[row] ?? '') === 'short' || draft.at(quantity, row) < 0;
  const moves = entry.all.map(
    (_, row) => Math.sign(draft.at(exit, row) - draft.at(entry, row)) * (isShort(row) ? -1 : 1),
  );
  const [column] = draft.free((own) => {
    if (!isNumeric(own) || /%|r$|mult|points|pips|ticks|return|roi/i.test(own.name)) return false;
    const signs = own.all.map((cell) => Math.sign(rough(cell)));
    return signs.includes(-1) && signs.every((sign, row) => sign * (moves[row] ?? 0) >= 0);
  });
  if (column) draft.put('gross_pnl', column.name, column);
}

/** Compares P&L with prices to decide whether it is before or after fees, and whether the side is the exit's. */
export function fittedToPnl(mapping: Mapping, bytes: Buffer, settings: Settings, draft: Draft): Mapping {
  const { gross_pnl: gross, net_pnl: net, side, ...fields } = mapping.fields;
  if (mapping.target !== 'trades' || (gross ?? net) === undefined) return mapping;
  const name = draft.columnOf('gross_pnl')?.name ?? '';
  const isGuess =
    gross !== undefined && net === undefined && fitOf(name, 'gross_pnl') < 1.5 && fields['fees'] !== undefined;
  const pnls = isGuess
    ? [{ gross_pnl: gross }, { net_pnl: gross }]
    : [{ ...(gross && { gross_pnl: gross }), ...(net && { net_pnl: net }) }];
  const sides = side === undefined ? [{}] : [{ side }, ...opposite(draft)];
  const tried = sides.flatMap((ownSide) =>
    pnls.map((pnl) => {
      const own: Mapping = { ...mapping, fields: { ...fields, ...ownSide, ...pnl } };
      return { mapping: own, apart: deviation(own, bytes, settings) };
    }),
  );
  const least = Math.min(...tried.map(({ apart }) => apart));
  const best = tried.filter(({ apart }) => apart <= least + 0.01);
  const hasFees = draft.columnOf('fees')?.cells.some((cell) => rough(cell) !== 0) ?? true;
  if (isGuess && best.length > 1 && hasFees) {
    const text = `Is ${name} before or after fees? If after, rename the field to net_pnl.`;
    draft.ask('gross_pnl', text, { 'before fees': {} });
  }
  if (Number.isFinite(least) && least > 0.02 * tried.length && best.length < tried.length) {
    const text = `${name} differs from the prices by ${least.toFixed(2)} in total. Is it after fees that no column has?`;
    draft.ask('net_pnl', text, { 'kept as in the file': {} });
  }
  return best[0]?.mapping ?? mapping;
}

/** The opposite side: some platforms state that of the closing order. */
function opposite(draft: Draft): { side: Source }[] {
  const column = draft.columnOf('side');
  if (!column) return [];
  const words = wordsOf(column).flatMap((word) => {
    const meaning = meaningOf('position', word);
    return meaning === undefined ? [] : [[word, meaning === 'long' ? 'short' : 'long'] as const];
  });
  return [{ side: { column: column.name, words: Object.fromEntries(words) } }];
}

/** Total difference between P&L and prices of closed trades; Infinity if the rows can't be read. */
function deviation(mapping: Mapping, bytes: Buffer, settings: Settings): number {
  try {
    const { rows } = namedRows(bytes, { ...mapping, columns: columnsRead(mapping) });
    const { records } = mappedReading(rows, { file: '', mapping, lookups: new Map() }, settings);
    return [...records].reduce((sum, { values }) => sum + apart(values), 0);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Uses the contract's specified size, never one derived from P&L. */
function apart({ status, market, underlying, side, ...values }: Readonly<Record<string, unknown>>): number {
  if (status !== 'closed') return 0;
  const of = (name: string) => Number(values[name]);
  const isPlain = market === 'stock' || market === 'crypto';
  const size = isPlain ? 1 : (contractSize(String(underlying))?.multiplier ?? of('multiplier'));
  const points = (of('exit_price') - of('entry_price')) * of('quantity') * (side === 'long' ? 1 : -1);
  return Math.abs(of('gross_pnl') - points * size);
}
