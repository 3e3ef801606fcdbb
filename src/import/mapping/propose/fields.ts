/** Finds the columns of a proposal's fields, by target. */

import type { Settings } from '../proposal.ts';
import { putCurrency, putFees } from './amounts.ts';
import { type ColumnSeen, isClock, isNumeric, isUnique, rough } from './columns-seen.ts';
import { checkMultiplier, putContract, putSizeOfAmounts, zeroIsNone } from './contract.ts';
import type { Draft } from './draft.ts';
import { fitOf } from './names.ts';
import { putTime } from './times.ts';
import { positionMeaning, putSide, skipByStatus, skipEvents } from './words.ts';

export type Target = keyof typeof FILL_IN;

export const FILL_IN = {
  fills: fillInFills,
  trades: fillInTrades,
  sessions: fillInSessions,
  'trade-journals': fillInEntries,
  'missed-trades': fillInMissed,
};

function fillInFills(draft: Draft, settings: Settings): void {
  putTime(draft, 'executed_at', 'executed_at');
  putSymbol(draft);
  putSide(draft, true);
  draft.take('quantity', 'quantity', isNumeric);
  putPrice(draft);
  exchangeAmount(draft);
  if (draft.fields['price'] === undefined) draft.take('amount', 'amount', isNumeric);
  putFees(draft);
  putId(draft, 'execution_id');
  putContract(draft);
  checkMultiplier(draft);
  putSizeOfAmounts(draft);
  putPnl(draft);
  putCurrency(draft, settings.user.base_currency);
  draft.take('account', 'account', isAccount);
  skipByStatus(draft);
  skipEvents(draft);
  const quantity = draft.columnOf('quantity');
  if (draft.fields['side'] === undefined && quantity && !quantity.cells.some((cell) => rough(cell) < 0)) {
    draft.ask({
      about: 'side',
      text: 'Which column states the side (buy or sell)? No quantity is below 0.',
      answers: [{ label: 'all bought', patch: {} }],
    });
  }
}

function fillInTrades(draft: Draft, settings: Settings): void {
  if (!putTime(draft, 'executed_at', 'opened_at', false)) putTime(draft, 'executed_at', 'executed_at');
  if (!putTime(draft, 'closed_at', 'closed_at', false)) putTime(draft, 'closed_at', 'executed_at');
  draft.take('entry_price', 'entry_price', isNumeric) ?? draft.take('entry_price', 'price', isNumeric);
  draft.take('exit_price', 'exit_price', isNumeric) ?? putSecondPrice(draft);
  putClose(draft);
  putSymbol(draft);
  putSide(draft, false);
  draft.take('quantity', 'quantity', isNumeric);
  putFees(draft);
  putId(draft, 'id');
  putPnl(draft);
  if (!draft.fields['gross_pnl'] && !draft.fields['net_pnl']) putPnlBySign(draft);
  putContract(draft);
  putCurrency(draft, settings.user.base_currency);
  draft.take('account', 'account', isAccount);
  for (const name of ['stop_loss', 'take_profit', 'initial_risk'] as const) putAboveZero(draft, name);
  askForStop(draft);
  for (const name of ['mae', 'mfe'] as const) draft.take(name, name, isNumeric);
  for (const name of ['setup', 'timeframe', 'tags', 'mistakes'] as const) draft.take(name, name);
  putRating(draft, 'rating');
  draft.take('notes', 'notes');
  const quantity = draft.columnOf('quantity');
  if (draft.fields['side'] === undefined && !quantity?.cells.some((cell) => rough(cell) < 0)) {
    draft.put('side', { value: 'long' });
    draft.ask({
      about: 'side',
      text: 'Which column states long or short? None fits by its name and words.',
      answers: (['long', 'short'] as const).map((side) => ({
        label: `all ${side}`,
        patch: { fields: { side: { value: side } } },
      })),
    });
  }
}

/** Handwritten journals often have one day for entry and exit, with or without a time of the exit. */
function putClose(draft: Draft): void {
  const { executed_at: opened, closed_at: closed, exit_price: exit } = draft.fields;
  if (closed !== undefined || exit === undefined || opened === undefined) return;
  const clock = draft.best('closed_at', isClock);
  const [day] = typeof opened === 'string' ? [opened] : 'column' in opened ? [opened.column].flat() : [];
  if (clock && day !== undefined) {
    draft.put('closed_at', { column: [day, clock.name] }, clock);
    return;
  }
  draft.put('closed_at', opened);
  draft.ask({
    about: 'closed_at',
    text: 'No column has the time of exits. Trades with an exit price are closed at their entry time.',
    answers: [{ label: 'the entry time', patch: {} }],
  });
}

function fillInSessions(draft: Draft): void {
  putTime(draft, 'date', 'date');
  for (const name of ['plan', 'mood', 'notes', 'tags'] as const) draft.take(name, name);
  for (const name of ['lesson', 'went_well', 'went_wrong', 'mistakes'] as const) draft.take(`review.${name}`, name);
  for (const name of ['bias', 'condition'] as const) draft.take(`market_context.${name}`, name);
  draft.take('sleep_hours', 'sleep_hours', isNumeric);
  putRating(draft, 'energy');
  putRating(draft, 'review.rating');
}

function fillInEntries(draft: Draft): void {
  draft.take('trade_id', 'trade_id');
  putTime(draft, 'created_at', 'executed_at');
  draft.put('phase', { value: 'post_trade' });
  draft.take('body', 'notes');
  for (const name of ['lesson', 'went_well', 'went_wrong', 'mistakes', 'tags'] as const) draft.take(name, name);
}

function fillInMissed(draft: Draft, settings: Settings): void {
  putTime(draft, 'missed_at', 'executed_at');
  putSymbol(draft);
  putSide(draft, false);
  putContract(draft);
  draft.put('miss_type', { value: 'other' });
  for (const name of ['reason', 'setup', 'lesson', 'notes', 'tags'] as const) draft.take(name, name);
  draft.take('planned_entry', 'entry_price', isNumeric);
  draft.take('planned_stop', 'stop_loss', isNumeric);
  draft.take('planned_target', 'take_profit', isNumeric);
  putCurrency(draft, settings.user.base_currency);
}

function putSecondPrice(draft: Draft): undefined {
  const column = draft.columns.find(
    ({ name }) => / \(2\)$/.test(name) && fitOf(name.replace(/ \(2\)$/, ''), 'price') >= 2,
  );
  if (column) draft.put('exit_price', column.name, column);
}

/** Whether nearly all cells have letters, as tickers do. */
export function hasLetters({ cells }: ColumnSeen): boolean {
  return cells.filter((cell) => /\p{L}/u.test(cell) && cell.length <= 64).length > cells.length * 0.9;
}

const LONGEST_SYMBOL = 64;

const NUMBER_AT_END = /\(ISIN: ?([A-Z]{2}[A-Z0-9]{9}\d)\)$/;

function putSymbol(draft: Draft): void {
  const isNamed = (own: ColumnSeen) => hasLetters(own) && fitOf(own.name, 'symbol') >= 1.5;
  const column = draft.best('symbol', isNamed) ?? draft.best('symbol');
  if (!column) return;
  draft.put('symbol', column.name, column);
  // A name that ends with its number is longer than a symbol may be.
  const long = column.cells.filter((cell) => cell.length > LONGEST_SYMBOL);
  if (long.length > 0 && long.every((cell) => NUMBER_AT_END.test(cell))) {
    const words = Object.fromEntries(long.map((cell) => [cell, NUMBER_AT_END.exec(cell)?.[1] ?? cell]));
    draft.put('symbol', { column: column.name, words }, column);
    return;
  }
  if (hasLetters(column)) return;
  draft.ask({
    about: 'symbol',
    text: `${column.name} has numbers, not symbols. If another file has the symbol of each, add it as a "lookup".`,
    answers: [{ label: 'the numbers', patch: {} }],
  });
}

function putPrice(draft: Draft): void {
  const column = draft.take('price', 'price', isNumeric);
  // In some exports, prices have a sign: paid or received.
  const negative = column?.cells.filter((cell) => rough(cell) < 0).length ?? 0;
  if (column && negative > column.cells.length / 10)
    draft.put('price', { column: column.name, sign: 'absolute' }, column);
  if (!column || !/^amount$/i.test(column.name)) return;
  draft.ask({
    about: 'price',
    text: `Is ${column.name} the price per unit? A total amount can't be read.`,
    answers: [{ label: 'the price per unit', patch: {} }],
  });
}

/** If the quantity is the price times another column, it is the total amount, and that column the quantity. */
function exchangeAmount(draft: Draft): void {
  const [quantity, price] = [draft.columnOf('quantity'), draft.columnOf('price')];
  if (!quantity || !price) return;
  const isMultiplied = (column: ColumnSeen) => {
    const rows = quantity.all
      .map((cell, row) => ({
        amount: rough(cell),
        units: rough(column.all[row] ?? ''),
        each: rough(price.all[row] ?? ''),
      }))
      .filter(({ amount, units }) => amount !== 0 && units !== 0);
    const isProduct = rows.every(({ amount, units, each }) => isNear(Math.abs(amount), Math.abs(units * each)));
    return rows.length > 1 && isProduct && rows.some(({ amount, units }) => !isNear(Math.abs(amount), Math.abs(units)));
  };
  const units = draft.best('quantity', (column) => isNumeric(column) && isMultiplied(column));
  if (units) draft.put('quantity', units.name, units);
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= 0.002 * one;
}

function putId(draft: Draft, field: string): void {
  const isId = (column: ColumnSeen) =>
    (fitOf(column.name, 'id') >= 1.5 || /(id|no\.?|nr\.?|number|ticket|ref(erence)?)$/i.test(column.name)) &&
    isUnique(column) &&
    column.cells.length > column.all.length * 0.8 &&
    column.cells.every((cell) => cell.length <= 64);
  draft.take(field, 'id', isId);
}

function isAccount(column: ColumnSeen): boolean {
  return column.cells.every((cell) => cell.length <= 64) && !/price|currency|amount/i.test(column.name);
}

/** Numbers, mostly not 0. */
export function isPriced(column: ColumnSeen): boolean {
  return isNumeric(column) && column.cells.filter((cell) => rough(cell) === 0).length < column.cells.length / 2;
}

/** Gross and net by their names. fittedToPnl decides for a plain "P&L". */
function putPnl(draft: Draft): void {
  draft.take('gross_pnl', 'gross_pnl', isNumeric);
  draft.take('net_pnl', 'net_pnl', isNumeric);
  if (!draft.fields['gross_pnl'] && !draft.fields['net_pnl']) draft.take('gross_pnl', 'pnl', isNumeric);
}

/** A column of any name whose amounts are above 0 for gains and below for losses. */
function putPnlBySign(draft: Draft): void {
  const [entry, exit] = [draft.columnOf('entry_price'), draft.columnOf('exit_price')];
  if (!entry || !exit) return;
  const [side, quantity] = [draft.columnOf('side'), draft.columnOf('quantity')];
  const isShort = (row: number) =>
    positionMeaning(side?.all[row] ?? '') === 'short' || rough(quantity?.all[row] ?? '') < 0;
  const moves = entry.all.map(
    (cell, row) => Math.sign(rough(exit.all[row] ?? '') - rough(cell)) * (isShort(row) ? -1 : 1),
  );
  const [column] = draft.free((own) => {
    if (!isNumeric(own) || /%|r$|mult|points|pips|ticks|return|roi/i.test(own.name)) return false;
    const signs = own.all.map((cell) => Math.sign(rough(cell)));
    return signs.includes(-1) && signs.every((sign, row) => sign * (moves[row] ?? 0) >= 0);
  });
  if (column) draft.put('gross_pnl', column.name, column);
}

/** A 0 counts as empty. */
function putAboveZero(draft: Draft, name: 'stop_loss' | 'take_profit' | 'initial_risk'): void {
  if (draft.take(name, name, isNumeric)) zeroIsNone(draft, name);
}

/** Without a column of risk, R comes from the stop. A trailing stop would make it too large, or meaningless. */
function askForStop(draft: Draft): void {
  const stop = draft.columnOf('stop_loss');
  const isKnown = draft.fields['initial_risk'] !== undefined || /initial|entry|plan/i.test(stop?.name ?? '');
  if (isKnown || !stop?.cells.some((cell) => rough(cell) !== 0)) return;
  draft.ask({
    about: 'stop_loss',
    text: `Is ${stop.name} the stop at entry? Risk and R are computed from it.`,
    answers: [
      { label: 'the stop at entry', patch: {} },
      { label: 'it may have been moved since; skip it', patch: { fields: { stop_loss: undefined } } },
    ],
  });
}

/** From 1 to 5; a 0 counts as empty. */
function putRating(draft: Draft, field: 'rating' | 'energy' | 'review.rating'): void {
  const isRating = ({ cells }: ColumnSeen) => cells.every((cell) => /^[0-5]$/.test(cell));
  const column = draft.take(field, field === 'energy' ? 'energy' : 'rating', isRating);
  if (column?.cells.includes('0')) draft.put(field, { column: column.name, empty: ['0'] }, column);
}
