/** Market and contract size of a proposal. */
import { contractSize, forexPair, futureOf, occOption } from '../../parse/instruments.ts';
import { type ColumnSeen, isDated, isNumeric, wordsOf } from './columns.ts';
import type { Draft } from './draft.ts';
import { takeMarket, takeWords } from './sides.ts';

/** The most usual one first. */
const MARKETS = ['stock', 'future', 'option', 'forex', 'crypto', 'cfd', 'other'];

/** The market and the other terms of the contract. */
export function putContract(draft: Draft): void {
  draft.takePositive('multiplier', 'multiplier');
  draft.take('strike', 'strike', isNumeric);
  draft.take('expiration', 'expiration', isDated);
  takeWords(draft, 'option_type');
  draft.take('underlying', 'underlying');
  if (takeMarket(draft)) return;
  const all = draft.columnOf('symbol')?.cells ?? [];
  // A mapping needs no market for an OCC symbol: it is always an option.
  const symbols = all.filter((symbol) => !occOption(symbol));
  const partial = optionsOfSome(draft);
  if (partial) {
    const words = Object.fromEntries(wordsOf(partial).map((word) => [word, 'option']));
    const source = (market: string) => ({ column: partial.name, words, default: market });
    draft.put('market', source('stock'));
    const others = MARKETS.filter((market) => market !== 'option').map((market) => [market, source(market)]);
    const text = `Which market do the rows without ${partial.name} belong to?`;
    draft.askForSource('market', text, Object.fromEntries(others));
    return;
  }
  const market = all.length > 0 && symbols.length === 0 ? 'option' : marketOf(symbols, draft);
  draft.put('market', { value: market ?? 'stock' });
  if (market === 'crypto') askForShorts(draft);
  if (market === 'option') putOption(draft, symbols);
  if (market !== undefined) return;
  if (symbols.some(looksLikeOption)) {
    askForEach(draft, [...new Set(all)]);
    return;
  }
  draft.askForSource(
    'market',
    `Which market do these symbols belong to: ${[...new Set(symbols)].slice(0, 3).join(', ')}?`,
    Object.fromEntries(MARKETS.map((value) => [value, { value }])),
  );
}

/** The column of Call and Put if some trades have neither: they belong to another market. */
function optionsOfSome(draft: Draft): ColumnSeen | undefined {
  const column = draft.columnOf('option_type');
  const traded = ['symbol', 'quantity'].map((field) => draft.columnOf(field));
  const isOther = (cell: string, row: number) => cell === '' && traded.every((own) => (own?.all[row] ?? '') !== '');
  return column?.all.some(isOther) ? column : undefined;
}

/** Options in India are counted in units. If the symbol is only the underlying, the terms make the option. */
function putOption(draft: Draft, symbols: readonly string[]): void {
  const { expiration, strike, option_type: type, underlying, symbol, multiplier } = draft.fields;
  const letters = draft.columnOf('option_type')?.cells ?? [];
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
  const example = symbols.find(looksLikeOption);
  const text = `Some symbols look like options, such as ${example}. Are these options, and all others shares?`;
  draft.ask('market', text, { yes: {} });
}

/** Spot coins can't be sold short, perpetual contracts can; exports of these state a P&L with each fill. */
function askForShorts(draft: Draft): void {
  if (draft.fields['price'] === undefined || !draft.best('pnl', isNumeric)) return;
  draft.put('may_short', { value: true });
  draft.ask('may_short', 'Can a sell open a short, as with perpetual contracts?', {
    yes: {},
    'no, only coins bought before are sold': { fields: { may_short: { value: false } } },
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
  if (all(looksLikeOption)) return 'option';
  if (draft.skip.some(({ is = [] }) => is.some((word) => /stak/i.test(word)))) return 'crypto';
  if (hasSecurityNumbers(draft) && !symbols.some(looksLikeOption)) return 'stock';
  const isPair = (symbol: string) =>
    /[A-Z0-9]{2}[-/_]?(USDT|USDC|BUSD)$|[A-Z0-9]{2}[-/](USD|EUR|BTC|ETH)$|[-_](SWAP|PERP|PERPETUAL)$/.test(symbol);
  return all(isPair) ? 'crypto' : undefined;
}

/** Whether P&L is the price move times quantity and the exchange's contract size. */
function hasPnlOfFutures(draft: Draft): boolean {
  const symbol = draft.columnOf('symbol');
  const pnl = draft.columnOf('gross_pnl') ?? draft.columnOf('net_pnl');
  const isFitting = pnl?.all.every((_, row) => {
    const at = (field: string) => draft.at(draft.columnOf(field), row);
    const size = contractSize(symbol?.all[row] ?? '')?.multiplier ?? 0;
    const move = (at('exit_price') - at('entry_price')) * at('quantity');
    return Math.abs(Math.abs(move * size) - Math.abs(draft.at(pnl, row))) < 0.011;
  });
  return isFitting ?? false;
}

/** Whether another column than the symbol has securities' numbers. */
function hasSecurityNumbers(draft: Draft): boolean {
  const symbol = draft.columnOf('symbol');
  const isNumber = (cell: string) => /^[A-Z]{2}[A-Z0-9]{9}\d$|^[A-Z0-9]{9}$/.test(cell);
  const isNumbered = (text: string) => /\(ISIN: ?[A-Z]{2}[A-Z0-9]{9}\d\)$/.test(text);
  const others = draft.columns.filter((column) => column !== symbol && /^(isin|cusip)\b/i.test(column.name));
  return others.some(({ cells }) => cells.some(isNumber)) || (symbol?.cells.every(isNumbered) ?? false);
}

/**
 * The contract size by amounts that are a multiple of price times quantity: 1 if prices are per contract, despite a multiplier;
 * else the same in all rows.
 */
export function putSizeOfAmounts(draft: Draft): void {
  const { multiplier } = draft.fields;
  const isOption = draft.constantOf('market') === 'option';
  const [price, quantity] = [draft.columnOf('price'), draft.columnOf('quantity')];
  if (!price || !quantity) return;
  const rowsOf = (column: ColumnSeen) =>
    column.all.flatMap((cell, row) => {
      const product = Math.abs(draft.at(price, row) * draft.at(quantity, row));
      return product > 0 && /\d/.test(cell) ? [{ row, product, amount: Math.abs(draft.at(column, row)) }] : [];
    });
  const sized = draft.columnOf('multiplier');
  const isProduct = (column: ColumnSeen) => {
    const rows = rowsOf(column).filter(({ row }) => sized === undefined || draft.at(sized, row) > 1);
    const equal = rows.filter(({ product, amount }) => Math.abs(amount - product) < 0.011);
    return column !== price && rows.length > 1 && equal.length > rows.length * 0.9;
  };
  const amount = multiplier !== undefined || isOption ? draft.columns.find(isProduct) : undefined;
  if (amount) {
    draft.put('multiplier', { value: 1 });
    draft.ask('multiplier', `${amount.name} is ${price.name} times ${quantity.name}. Are prices per contract?`, {
      'yes, so the contract size is 1': {},
      ...(multiplier !== undefined && { no: { fields: { multiplier } } }),
    });
  }
  if (draft.fields['multiplier'] !== undefined) return;
  for (const column of draft.free((own) => isNumeric(own) && own !== price && own !== quantity)) {
    const sizes = rowsOf(column).flatMap(({ product, amount: own }) => {
      const size = Math.round(own / product);
      return own === 0 ? [] : [Math.abs(own / product - size) < 0.02 * (own / product) ? size : 0];
    });
    const [size = 0] = sizes;
    if (sizes.length < 2 || size < 2 || size > 1000 || sizes.some((own) => own !== size)) continue;
    if (size === 100 && isOption) return;
    draft.put('multiplier', { value: size });
    const text = `${column.name} is ${size} times ${price.name} times ${quantity.name}. Is ${size} the contract size?`;
    draft.ask('multiplier', text, { yes: {}, no: { fields: { multiplier: undefined } } });
    return;
  }
}
