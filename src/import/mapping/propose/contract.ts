/** Market and contract size of a proposal. */
import { contractSize, forexPair, futureOf, occOption } from '../../parse/instruments.ts';
import { type ColumnSeen, isDay, isNumeric, isSerial, rough, wordsOf } from './columns-seen.ts';
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
  if (market === 'option') putOption(draft, symbols);
  if (market !== undefined) return;
  const options = symbols.filter(looksLikeOption);
  if (options.length > 0) {
    askForEach(draft, [...new Set(all)]);
    return;
  }
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

/** Options in India are counted in units. If the symbol is only the underlying, the terms make the option. */
function putOption(draft: Draft, symbols: readonly string[]): void {
  const { expiration, strike, option_type: type, underlying, symbol, multiplier } = draft.fields;
  const name = typeof type === 'object' && 'column' in type ? type.column : type;
  const letters = draft.columns.find((column) => column.name === name)?.cells ?? [];
  const isIndian = [symbols, letters].some((all) => all.length > 0 && all.every((cell) => /(^|\d)(CE|PE)$/.test(cell)));
  if (isIndian && multiplier === undefined) draft.put('multiplier', { value: 1 });
  if (expiration && strike && type && symbol && underlying === undefined) draft.put('underlying', symbol);
}

/** SPY 371 C, AAPL 15JAN26 150 Call, NIFTY26JAN24000CE. */
function looksLikeOption(symbol: string): boolean {
  return /\d ?(C|P|CE|PE)$|\b(CALL|PUT)\b/i.test(symbol);
}

/** Some symbols are options: each is listed with its market. */
function askForEach(draft: Draft, symbols: readonly string[]): void {
  const column = draft.columnOf('symbol')?.name ?? '';
  const marketOfOne = (symbol: string) => (looksLikeOption(symbol) || occOption(symbol) ? 'option' : 'stock');
  draft.put('market', { column, words: Object.fromEntries(symbols.map((symbol) => [symbol, marketOfOne(symbol)])) });
  draft.ask({
    about: 'market',
    text: `Some symbols look like options, such as ${symbols.find(looksLikeOption)}. Are these options, and all others shares?`,
    answers: [{ label: 'yes', patch: {} }],
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
  if (all(isFuture) || (all((symbol) => contractSize(symbol) !== undefined) && hasPnlOfFutures(draft))) return 'future';
  if (all((symbol) => forexPair(symbol) !== undefined)) return 'forex';
  if (all((symbol) => looksLikeOption(symbol))) return 'option';
  if (draft.skip.some(({ is = [] }) => is.some((word) => /stak/i.test(word)))) return 'crypto';
  if (hasSecurityNumbers(draft) && !symbols.some(looksLikeOption)) return 'stock';
  return all((symbol) =>
    /[A-Z0-9]{2}[-/_]?(USDT|USDC|BUSD)$|[A-Z0-9]{2}[-/](USD|EUR|BTC|ETH)$|[-_](SWAP|PERP|PERPETUAL)$/.test(symbol),
  )
    ? 'crypto'
    : undefined;
}

/** Whether P&L is the price move times quantity and the exchange's contract size. */
function hasPnlOfFutures(draft: Draft): boolean {
  const [symbol, entry, exit, quantity] = ['symbol', 'entry_price', 'exit_price', 'quantity'].map((own) =>
    draft.columnOf(own),
  );
  const pnl = draft.columnOf('gross_pnl') ?? draft.columnOf('net_pnl');
  const isFitting = pnl?.all.every((_, row) => {
    const at = (column: ColumnSeen | undefined) => draft.at(column, row);
    const size = contractSize(symbol?.all[row] ?? '')?.multiplier ?? 0;
    return Math.abs(Math.abs((at(exit) - at(entry)) * at(quantity) * size) - Math.abs(at(pnl))) < 0.011;
  });
  return isFitting ?? false;
}

/** Whether another column than the symbol has securities' numbers. */
function hasSecurityNumbers(draft: Draft): boolean {
  const symbol = draft.columnOf('symbol');
  const isNumber = (cell: string) => /^[A-Z]{2}[A-Z0-9]{9}\d$|^[A-Z0-9]{9}$/.test(cell);
  const isNumbered = (text: string) => /\(ISIN: ?[A-Z]{2}[A-Z0-9]{9}\d\)$/.test(text);
  return (
    draft.columns.some(
      (column) => column !== symbol && /^(isin|cusip)\b/i.test(column.name) && column.cells.some(isNumber),
    ) ||
    (symbol?.cells.every(isNumbered) ?? false)
  );
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

/** Detects a contract size from amounts that are the same multiple of price times quantity in all rows. */
export function putSizeOfAmounts(draft: Draft): void {
  const [price, quantity] = [draft.columnOf('price'), draft.columnOf('quantity')];
  if (!price || !quantity || draft.fields['multiplier'] !== undefined) return;
  for (const amount of draft.free((column) => isNumeric(column) && column !== price && column !== quantity)) {
    const sizes = amount.all.flatMap((_, row) => {
      const product = Math.abs(draft.at(price, row) * draft.at(quantity, row));
      const size = Math.abs(draft.at(amount, row)) / product;
      return product > 0 && draft.at(amount, row) !== 0
        ? [Math.abs(size - Math.round(size)) < 0.02 * size ? Math.round(size) : 0]
        : [];
    });
    const [size = 0] = sizes;
    if (sizes.length < 2 || size < 2 || size > 1000 || sizes.some((own) => own !== size)) continue;
    const market = draft.fields['market'];
    if (size === 100 && typeof market === 'object' && 'value' in market && market.value === 'option') return;
    draft.put('multiplier', { value: size });
    draft.ask({
      about: 'multiplier',
      text: `${amount.name} is ${size} times ${price.name} times ${quantity.name}. Is ${size} the contract size?`,
      answers: [
        { label: 'yes', patch: {} },
        { label: 'no', patch: { fields: { multiplier: undefined } } },
      ],
    });
    return;
  }
}

/** Treats a 0 in the column of a field as empty. */
export function zeroIsNone(draft: Draft, field: string): void {
  const column = draft.columnOf(field);
  const zeros = [...new Set(column?.cells.filter((cell) => rough(cell) === 0))];
  if (column && zeros.length > 0) draft.put(field, { column: column.name, empty: zeros }, column);
}
