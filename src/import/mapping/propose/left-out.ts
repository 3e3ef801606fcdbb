/** What a proposal leaves out: rows that it skips, and columns with money, sides or times that no field reads. */
import { skipper } from '../../table/skip-rules.ts';
import { type ColumnSeen, hasClock, isClock, isNumeric, rough, wordsOf } from './columns.ts';
import type { Draft } from './draft.ts';
import { MOST_WORDS } from './sides.ts';
import { fitOf, isNoTrade, type Meaning, meaningOf, sideOf } from './vocabulary.ts';

/** Skips rows that another column calls a dividend, a deposit, or other events without a trade. */
export function skipEvents(draft: Draft): void {
  const columns = draft.free(({ name, cells, all }) => {
    // A cancelled order may be filled in part: skipByStatus decides.
    const isKind = fitOf(name, 'side') > 0 || /\b(type|event|kind|activity|art|typ)\b/i.test(name);
    return isKind && fitOf(name, 'status') === 0 && new Set(cells).size <= MOST_WORDS && cells.length > all.length / 2;
  });
  for (const column of columns) skipWords(draft, column, isNoTrade, 'no trade');
}

/** Skips rows with the status of an order that wasn't filled. */
export function skipByStatus(draft: Draft): void {
  const column = draft.best('status', (own) => wordsOf(own).length <= MOST_WORDS);
  const quantity = draft.columnOf('quantity');
  // A cancelled order with a partial fill counts if the quantity column has the filled part.
  const isPartFilled = (word: string) =>
    /fill|exec/i.test(quantity?.name ?? '') &&
    column?.all.some((cell, row) => cell === word && draft.at(quantity, row) !== 0);
  const isNone = (word: string) => isNoTrade(word) || /pending|working|placed|offen/i.test(word);
  if (column) skipWords(draft, column, (word) => isNone(word) && !isPartFilled(word), 'not executed');
}

/** Skips rows with some words of a column, but not with all. */
function skipWords(draft: Draft, column: ColumnSeen, isNone: (word: string) => boolean, reason: string): void {
  const words = wordsOf(column);
  const none = words.filter(isNone);
  if (none.length > 0 && none.length < words.length) draft.skip.push({ column: column.name, is: none, reason });
}

/** Fields of which each trade needs a value. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  fills: ['symbol', 'quantity', 'price', 'executed_at'],
  trades: ['symbol', 'quantity', 'entry_price'],
};

/** Skips rows without required values: totals, deposits, disclaimers. */
export function skipIncomplete(draft: Draft, target: string): void {
  for (const field of NEEDED[target] ?? []) {
    const column = draft.columnOf(field);
    if (!column) continue;
    const known = new Set(column.cells);
    const isNothing = (cell: string) => !known.has(cell) || (field === 'quantity' && rough(cell) === 0);
    const nothing = column.all.filter(isNothing);
    if (nothing.length === 0 || nothing.length === column.all.length) continue;
    // Cells without contents come before a quantity of 0.
    const is = [...new Set([...nothing.filter((cell) => !known.has(cell)), ...nothing])];
    draft.skip.push({ column: column.name, is, reason: `row without ${column.name}` });
  }
}

/** Skips lines of text below the table, which fill only the first column. */
export function skipNotes(draft: Draft): void {
  const columns = ['quantity', 'price', 'entry_price', 'symbol'].map((field) => draft.columnOf(field));
  const column = columns.find((own) => own !== undefined && own !== draft.columns[0]);
  const isSkipped = draft.skip.some((rule) => rule.column === column?.name && rule.is?.includes(''));
  if (column && !isSkipped) {
    draft.skip.push({ column: column.name, is: [''], reason: `row without ${column.name}` });
  }
}

/**
 * Asks about skipped rows, with counts and examples.
 * @returns the rows that aren't skipped
 */
export function askForSkipped(draft: Draft, target: string): number[] {
  const { columns } = draft;
  const rows = [...(columns[0]?.all ?? []).keys()];
  const cellOf = (row: number, name: string) => columns.find((column) => column.name === name)?.all[row] ?? '';
  const rules = draft.skip.map((rule) => ({ rule, reasonOf: skipper<number>([rule], cellOf) }));
  const left: number[] = [];
  const skipped = rows.flatMap((row) => {
    const found = rules.find(({ reasonOf }) => reasonOf(row) !== undefined);
    if (!found) left.push(row);
    return found ? [{ row, rule: found.rule, reason: found.rule.reason ?? `by ${found.rule.column}` }] : [];
  });
  if (skipped.length === 0) return left;
  const shown = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, own]) => {
    const cells = own.map(({ row, rule }) => [rule.column, cellOf(row, rule.column).slice(0, 40)] as const);
    const words = new Set(cells.filter(([, word]) => word !== '').map(([name, word]) => `${name} ${word}`));
    const examples = [...words].slice(0, 3).join(', ');
    return `${own.length} ${reason}${examples === '' ? '' : ` (${examples}${words.size > 3 ? ', …' : ''})`}`;
  });
  const needed = (NEEDED[target] ?? []).map((field) => draft.columnOf(field));
  const traded = skipped.filter(({ row, reason }) => {
    const filled = needed.filter((column) => column?.cells.includes(column.all[row] ?? ''));
    const isTraded = filled.length >= needed.length - (reason === 'no trade' ? 0 : 1);
    return isTraded && draft.at(draft.columnOf('quantity'), row) !== 0;
  });
  const [example] = traded;
  const cells = columns.map(({ all }) => all[example?.row ?? 0] ?? '').filter((cell) => cell !== '');
  const like = example ? ` ${traded.length} of them may be trades, such as ${cells.join(', ').slice(0, 120)}.` : '';
  draft.ask(
    'skip',
    `${skipped.length} of ${rows.length} rows are skipped: ${shown.join('; ')}.${like} If any of them is a trade, change "skip".`,
    { 'none is': {} },
    example ? {} : { isAssumed: true },
  );
  return left;
}

const PRICES = ['price', 'entry_price', 'exit_price'] as const;
const MONEY: readonly Meaning[] = [...PRICES, 'fees', 'amount', 'pnl', 'gross_pnl', 'net_pnl'];

/** Names of amounts that change no trade: balances, other prices, shares in percent. */
const NO_TRADE_MONEY =
  /balance|saldo|running|cumul|equity|market|last|mark|high|low\b|stop|limit|target|%|percent|\brate|bps|ratio|roi|return|pips|ticks|points|spread|mae|mfe|drawdown|runup|leverage|margin|volume|quantity|qty|remaining|dividend|kurs$/i;

/**
 * Asks about columns that no field reads.
 * @param rows that aren't skipped
 */
export function askForLost(draft: Draft, used: ReadonlySet<string>, rows: readonly number[]): void {
  const unused = draft.columns.filter(({ name }) => !used.has(name));
  const money = unused.filter((column) => looksLikeMoney(column) && !isExplained(column, draft, used, rows));
  const side = lostSide(draft);
  const isTime = (own: ColumnSeen) => hasClock(own) || isClock(own);
  const isTimed = ['executed_at', 'closed_at'].some((field) => draft.sourcesOf(field).some(isTime));
  const times = isTimed || !draft.fields['executed_at'] ? [] : unused.filter(isTime);
  const lost = [...money, ...(side && !used.has(side.name) ? [side] : []), ...times];
  if (lost.length === 0) return;
  const shown = lost.slice(0, 5).map(({ name, all }) => `${name} (${rows.map((row) => all[row]).find(Boolean) ?? ''})`);
  const text = `No field reads ${shown.join(', ')}. Does any of them change a cost, a result, a side or a time? Then add it to "fields".`;
  draft.ask('unused', text, { 'no, leave them out': {} });
}

/** A column of sides that no field reads, and that doesn't follow from the one that is read. */
function lostSide(draft: Draft): ColumnSeen | undefined {
  const meaning = (cell: string) => sideOf(cell) ?? meaningOf('position', cell);
  const read = draft.columnOf('side');
  return draft
    .fitting('side', ({ cells }) => new Set(cells.map(meaning)).size === 2 && cells.every(meaning))
    .find((column) => new Set(column.all.map((cell, row) => `${meaning(cell)} ${read?.all[row]}`)).size > 2);
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
  const size = Number(draft.constantOf('multiplier') ?? 1);
  const numeric = draft.columns.filter(isNumeric);
  const rates = numeric.filter(({ name }) => /rate|kurs/i.test(name));
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
    ...numeric.filter(({ name }) => used.has(name)).map((own) => (row: number) => [draft.at(own, row)]),
    ...PRICES.map(traded),
    (row) => withCosts(0, row),
    (row) => [...withCosts(sumOf('gross_pnl', row), row), ...withCosts(sumOf('net_pnl', row), row)],
  ];
  const isNear = (value: number, base: number) => {
    return Math.abs(Math.abs(value) - Math.abs(base)) <= 0.011 + Math.abs(base) * 0.002;
  };
  return (
    bases.some((base) => filled.every((row) => base(row).some((own) => isNear(draft.at(column, row), own)))) ||
    PRICES.some((field) => isOtherPrice(column, field, draft, filled))
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
