/** Market and contract size of a proposal. */
import { contractSize, forexPair, futureOf, occOption } from '../../parse/instruments.ts';
import { rough } from './amounts.ts';
import { type ColumnSeen, isDay, isNumeric, isSerial, wordsOf } from './columns-seen.ts';
import type { Draft } from './draft.ts';
import { marketSource, putOptionType } from './words.ts';

/** The market and the other terms of the contract. */
export function putContract(draft: Draft): void {
  draft.take('multiplier', 'multiplier', isNumeric);
  if (draft.fields['multiplier']) zeroIsNone(draft, 'multiplier');
  draft.take('strike', 'strike', isNumeric);
  draft.take('expiration', 'expiration', (column) => isDay(column) || isSerial(column));
  putOptionType(draft);
  draft.take('underlying', 'underlying');
  if (marketSource(draft)) return;
  const all = draft.columnOf('symbol')?.cells ?? [];
  // A mapping needs no market for an OCC symbol: it is always an option.
  const symbols = all.filter((symbol) => !occOption(symbol));
  const partial = optionsOfSome(draft);
  if (partial) {
    askForOthers(draft, partial);
    return;
  }
  const market = all.length > 0 && symbols.length === 0 ? 'option' : marketOf(symbols, draft);
  draft.put('market', { value: market ?? 'stock' });
  if (market === 'crypto') askForShorts(draft);
  if (market !== undefined) return;
  draft.ask({
    about: 'market',
    text: `Which market do these symbols belong to: ${[...new Set(symbols)].slice(0, 3).join(', ')}?`,
    answers: MARKETS.map((label) => ({ label, patch: { fields: { market: { value: label } } } })),
  });
}

/** The most usual one first. */
const MARKETS = ['stock', 'future', 'option', 'forex', 'crypto', 'cfd', 'other'];

/** The column of Call and Put if some trades have neither: they belong to another market. */
function optionsOfSome(draft: Draft): ColumnSeen | undefined {
  const source = draft.fields['option_type'];
  const name = typeof source === 'object' && 'column' in source ? source.column : source;
  const column = draft.columns.find((own) => own.name === name);
  const traded = ['symbol', 'quantity'].map((field) => draft.columnOf(field));
  const isOther = (cell: string, row: number) => cell === '' && traded.every((own) => (own?.all[row] ?? '') !== '');
  return column?.all.some(isOther) ? column : undefined;
}

function askForOthers(draft: Draft, column: ColumnSeen): void {
  const words = Object.fromEntries(wordsOf(column).map((word) => [word, 'option']));
  const source = (market: string) => ({ column: column.name, words, default: market });
  draft.put('market', source('stock'));
  draft.ask({
    about: 'market',
    text: `Which market do the rows without ${column.name} belong to?`,
    answers: MARKETS.filter((label) => label !== 'option').map((label) => ({
      label,
      patch: { fields: { market: source(label) } },
    })),
  });
}

/** Spot coins can't be sold short, perpetual contracts can; exports of these state a P&L with each fill. */
function askForShorts(draft: Draft): void {
  if (draft.fields['price'] === undefined || !draft.best('pnl', isNumeric)) return;
  draft.put('may_short', { value: true });
  draft.ask({
    about: 'may_short',
    text: 'Can a sell open a short, as with perpetual contracts?',
    answers: [
      { label: 'yes', patch: {} },
      { label: 'no, only coins bought before are sold', patch: { fields: { may_short: { value: false } } } },
    ],
  });
}

/** The market of all symbols by their spelling; undefined if ambiguous. */
function marketOf(symbols: readonly string[], draft: Draft): string | undefined {
  if (draft.fields['strike'] !== undefined && draft.fields['option_type'] !== undefined) return 'option';
  const all = (test: (symbol: string) => boolean) => symbols.length > 0 && symbols.every(test);
  const isFuture = (symbol: string) => {
    const future = futureOf(symbol);
    return future !== undefined && future.root !== symbol.toUpperCase() && contractSize(future.root) !== undefined;
  };
  if (all(isFuture)) return 'future';
  if (all((symbol) => forexPair(symbol) !== undefined)) return 'forex';
  return all((symbol) =>
    /[A-Z0-9]{2}[-/_]?(USDT|USDC|BUSD)$|[A-Z0-9]{2}[-/](USD|EUR|BTC|ETH)$|[-_](SWAP|PERP|PERPETUAL)$/.test(symbol),
  )
    ? 'crypto'
    : undefined;
}

/** Detects prices per contract instead of per unit: an amount equals price times quantity, despite a multiplier. */
export function checkMultiplier(draft: Draft): void {
  const { market, multiplier } = draft.fields;
  const isOption = typeof market === 'object' && 'value' in market && market.value === 'option';
  const [price, quantity] = [draft.columnOf('price'), draft.columnOf('quantity')];
  if (!price || !quantity || (multiplier === undefined && !isOption)) return;
  const size = draft.columnOf('multiplier');
  const amount = draft.columns.find((column) => {
    const rows = column.all.flatMap((cell, row) => {
      const product = Math.abs(rough(price.all[row] ?? '') * rough(quantity.all[row] ?? ''));
      const isSized = size === undefined || rough(size.all[row] ?? '') > 1;
      return product > 0 && isSized && /\d/.test(cell) ? [Math.abs(Math.abs(rough(cell)) - product) < 0.011] : [];
    });
    return column !== price && rows.length > 1 && rows.filter(Boolean).length > rows.length * 0.9;
  });
  if (!amount) return;
  draft.put('multiplier', { value: 1 });
  draft.ask({
    about: 'multiplier',
    text: `${amount.name} is ${price.name} times ${quantity.name}. Are prices per contract?`,
    answers: [
      { label: 'yes, so the contract size is 1', patch: {} },
      ...(multiplier === undefined ? [] : [{ label: 'no', patch: { fields: { multiplier } } }]),
    ],
  });
}

/** Treats a 0 in the column of a field as empty. */
export function zeroIsNone(draft: Draft, field: string): void {
  const column = draft.columnOf(field);
  const zeros = [...new Set(column?.cells.filter((cell) => rough(cell) === 0))];
  if (column && zeros.length > 0) draft.put(field, { column: column.name, empty: zeros }, column);
}
