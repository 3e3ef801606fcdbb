/** Finds the columns of a proposal's fields, by target. */
import { putCurrency, putFees, putPnl, putPnlBySign } from './amounts.ts';
import { type ColumnSeen, hasLetters, isClock, isNumeric, rough } from './columns.ts';
import { putContract, putSizeOfAmounts } from './contract.ts';
import type { Draft, Settings } from './draft.ts';
import { skipByStatus, skipEvents } from './left-out.ts';
import { putSide } from './sides.ts';
import { putTime } from './times.ts';
import { fitOf } from './vocabulary.ts';

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
  putSizeOfAmounts(draft);
  putPnl(draft);
  putCurrency(draft, settings.user.base_currency);
  draft.take('account', 'account', isAccount);
  skipByStatus(draft);
  skipEvents(draft);
  const quantity = draft.columnOf('quantity');
  if (draft.fields['side'] === undefined && quantity && !quantity.cells.some((cell) => rough(cell) < 0)) {
    const text = 'Which column states the side (buy or sell)? No quantity is below 0.';
    draft.ask('side', text, { 'all bought': {} });
  }
}

function fillInTrades(draft: Draft, settings: Settings): void {
  if (!putTime(draft, 'executed_at', 'opened_at', false)) putTime(draft, 'executed_at', 'executed_at');
  if (!putTime(draft, 'closed_at', 'closed_at', false)) putTime(draft, 'closed_at', 'executed_at');
  draft.take('entry_price', 'entry_price', isNumeric) ?? draft.take('entry_price', 'price', isNumeric);
  const exit = draft.take('exit_price', 'exit_price', isNumeric) ?? secondPrice(draft);
  if (exit) draft.put('exit_price', exit.name, exit);
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
  for (const name of ['stop_loss', 'take_profit', 'initial_risk'] as const) draft.takePositive(name, name);
  askForStop(draft);
  draft.takeAll(['mae', 'mfe'], isNumeric);
  draft.takeAll(['setup', 'timeframe', 'tags', 'mistakes']);
  draft.takePositive('rating', 'rating', isRating);
  draft.take('notes', 'notes');
  const quantity = draft.columnOf('quantity');
  if (draft.fields['side'] === undefined && !quantity?.cells.some((cell) => rough(cell) < 0)) {
    const text = 'Which column states long or short? None fits by its name and words.';
    const sources = { 'all long': { value: 'long' }, 'all short': { value: 'short' } };
    draft.put('side', sources['all long']);
    draft.askForSource('side', text, sources);
  }
}

/** Handwritten journals often have one day for entry and exit, with or without a time of the exit. */
function putClose(draft: Draft): void {
  const { executed_at: opened, closed_at: closed, exit_price: exit } = draft.fields;
  if (closed !== undefined || exit === undefined || opened === undefined) return;
  const clock = draft.best('closed_at', isClock);
  const [day] = draft.sourcesOf('executed_at');
  if (clock && day) {
    draft.put('closed_at', { column: [day.name, clock.name] }, clock);
    return;
  }
  draft.put('closed_at', opened);
  const text = 'No column has the time of exits. Trades with an exit price are closed at their entry time.';
  draft.ask('closed_at', text, { 'the entry time': {} });
}

function fillInSessions(draft: Draft): void {
  putTime(draft, 'date', 'date');
  draft.takeAll(['plan', 'mood', 'notes', 'tags']);
  for (const name of ['lesson', 'went_well', 'went_wrong', 'mistakes'] as const) draft.take(`review.${name}`, name);
  for (const name of ['bias', 'condition'] as const) draft.take(`market_context.${name}`, name);
  draft.take('sleep_hours', 'sleep_hours', isNumeric);
  draft.takePositive('energy', 'energy', isRating);
  draft.takePositive('review.rating', 'rating', isRating);
}

function fillInEntries(draft: Draft): void {
  draft.take('trade_id', 'trade_id');
  putTime(draft, 'created_at', 'executed_at');
  draft.put('phase', { value: 'post_trade' });
  draft.take('body', 'notes');
  draft.takeAll(['lesson', 'went_well', 'went_wrong', 'mistakes', 'tags']);
}

function fillInMissed(draft: Draft, settings: Settings): void {
  putTime(draft, 'missed_at', 'executed_at');
  putSymbol(draft);
  putSide(draft, false);
  putContract(draft);
  draft.put('miss_type', { value: 'other' });
  draft.takeAll(['reason', 'setup', 'lesson', 'notes', 'tags']);
  draft.take('planned_entry', 'entry_price', isNumeric);
  draft.take('planned_stop', 'stop_loss', isNumeric);
  draft.take('planned_target', 'take_profit', isNumeric);
  putCurrency(draft, settings.user.base_currency);
}

/** The second of two columns that are both named Price: that of the exit. */
export function secondPrice({ columns }: Draft): ColumnSeen | undefined {
  return columns.find(({ name }) => / \(2\)$/.test(name) && fitOf(name.replace(/ \(2\)$/, ''), 'price') >= 2);
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
    draft.put('symbol', { column: column.name, words });
    return;
  }
  if (hasLetters(column)) return;
  const text = `${column.name} has numbers, not symbols. If another file has the symbol of each, add it as a "lookup".`;
  draft.ask('symbol', text, { 'the numbers': {} });
}

function putPrice(draft: Draft): void {
  const column = draft.take('price', 'price', isNumeric);
  if (!column) return;
  // In some exports, prices have a sign: paid or received.
  const negative = column.cells.filter((cell) => rough(cell) < 0).length;
  if (negative > column.cells.length / 10) draft.put('price', { column: column.name, sign: 'absolute' });
  if (!/^amount$/i.test(column.name)) return;
  const text = `Is ${column.name} the price per unit? A total amount can't be read.`;
  draft.ask('price', text, { 'the price per unit': {} });
}

/** If the quantity is the price times another column, it is the total amount, and that column the quantity. */
function exchangeAmount(draft: Draft): void {
  const [quantity, price] = [draft.columnOf('quantity'), draft.columnOf('price')];
  if (!quantity || !price) return;
  const isMultiplied = (column: ColumnSeen) => {
    const rows = quantity.all.flatMap((_, row) => {
      const [amount, units] = [draft.at(quantity, row), draft.at(column, row)].map(Math.abs) as [number, number];
      return amount === 0 || units === 0 ? [] : [{ amount, units, product: Math.abs(units * draft.at(price, row)) }];
    });
    const isProduct = rows.every(({ amount, product }) => isNear(amount, product));
    return rows.length > 1 && isProduct && rows.some(({ amount, units }) => !isNear(amount, units));
  };
  const units = draft.best('quantity', (column) => isNumeric(column) && isMultiplied(column));
  if (units) draft.put('quantity', units.name, units);
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= 0.002 * one;
}

function putId(draft: Draft, field: string): void {
  draft.take(field, 'id', ({ name, cells, all }) => {
    const isNamed = fitOf(name, 'id') >= 1.5 || /(id|no\.?|nr\.?|number|ticket|ref(erence)?)$/i.test(name);
    const isUnique = new Set(cells).size === cells.length;
    return isNamed && isUnique && cells.length > all.length * 0.8 && cells.every((cell) => cell.length <= 64);
  });
}

function isAccount(column: ColumnSeen): boolean {
  return column.cells.every((cell) => cell.length <= 64) && !/price|currency|amount/i.test(column.name);
}

/** Without a column of risk, R comes from the stop. A trailing stop would make it too large, or meaningless. */
function askForStop(draft: Draft): void {
  const stop = draft.columnOf('stop_loss');
  const isKnown = draft.fields['initial_risk'] !== undefined || /initial|entry|plan/i.test(stop?.name ?? '');
  if (isKnown || !stop?.cells.some((cell) => rough(cell) !== 0)) return;
  draft.ask('stop_loss', `Is ${stop.name} the stop at entry? Risk and R are computed from it.`, {
    'the stop at entry': {},
    'it may have been moved since; skip it': { fields: { stop_loss: undefined } },
  });
}

/** From 1 to 5. */
function isRating({ cells }: ColumnSeen): boolean {
  return cells.every((cell) => /^[0-5]$/.test(cell));
}
