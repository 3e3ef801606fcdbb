/** tastytrade's transaction history: fills of shares, options, futures and coins, with exercises, splits and mergers. */
import { RowError } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import { type FileFill, oldestFirst, unclear } from '../fills/reading.ts';
import { type Cell, orNothing, refuseEmpty, wordIn } from '../parse/columns.ts';
import { coins, futureOf, type Instrument, optionOf, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { type Cells as CellsOf, mayBeEmpty, optional, type TableFile } from '../table/declaration.ts';
import { fillsTable } from '../table/fills.ts';

const TYPES = { Trade: 'fill', 'Receive Deliver': 'delivery', 'Money Movement': 'money' } as const;

const ACTIONS = {
  BUY_TO_OPEN: { side: 'buy', effect: 'open' },
  SELL_TO_OPEN: { side: 'sell', effect: 'open' },
  BUY_TO_CLOSE: { side: 'buy', effect: 'close' },
  SELL_TO_CLOSE: { side: 'sell', effect: 'close' },
  BUY: { side: 'buy', effect: null },
  SELL: { side: 'sell', effect: null },
} as const;

/** Sub types that add or remove shares without a trade or a reason. */
const MOVES = 'acat, transfer, dividend, special dividend, cash merger, spin off, spin-off'.split(', ');

const MARKETS = {
  Equity: 'stock',
  'Equity Offering': 'stock',
  'Equity Option': 'option',
  Future: 'future',
  'Future Option': 'future option',
  Cryptocurrency: 'crypto',
} as const;

const COLUMNS = {
  executed_at: 'Date',
  order_id: optional('Order #'),
  type: 'Type',
  side: { column: 'Action', optional: 'cells', words: ACTIONS },
  symbol: 'Symbol',
  instrumentType: mayBeEmpty('Instrument Type'),
  description: mayBeEmpty('Description'),
  value: mayBeEmpty('Value'),
  quantity: { column: 'Quantity', text: (text: string) => text.replace(/^-/, '') },
  average: mayBeEmpty('Average Price'),
  // Amounts paid have a minus.
  fees: { column: 'Commissions', plus: ['Fees'], optional: 'cells', read: moneyIn, sign: 'negate' },
  // The older history has neither sub type nor currency.
  subType: optional('Sub Type'),
  multiplier: optional('Multiplier'),
  root: optional('Root Symbol'),
  underlying: optional('Underlying Symbol'),
  expiration: optional('Expiration Date'),
  strike: optional('Strike Price'),
  callOrPut: optional('Call or Put'),
  currency: optional('Currency'),
} as const;

type Cells = CellsOf<typeof COLUMNS>;

export const tastytrade = fillsTable({
  name: 'tastytrade',
  description: 'tastytrade: History > Transactions, downloaded as CSV',
  evidence: 'real files',
  marks: ['Instrument Type', 'Average Price', 'Root Symbol'],
  columns: COLUMNS,
  dates: 'ymd',
  skip(cells, file) {
    const { executed_at, type, symbol, quantity, value } = cells;
    refuseEmpty(executed_at, type);
    const meaning = wordIn(type, TYPES);
    if (meaning === 'fill') refuseEmpty(symbol, quantity, value);
    const reason = (cells.subType?.text || type.text).toLowerCase();
    if (meaning === 'money' || quantity.text === '' || symbol.text === '') return reason;
    if (MOVES.includes(reason)) file.moved(symbol);
    return undefined;
  },
  instrument: (cells) => instrumentAndPrice(cells).instrument,
  row(cells, own) {
    const { side, instrument, fees } = own;
    const kind = kindOf(cells);
    if (kind === 'unclear') return unclear(own);
    if (side === null && kind === 'trade') throw RowError.missing([cells.side.column], cells.side.line);
    const { price } = instrumentAndPrice(cells);
    return {
      kind,
      mayShort: instrument.market === 'future',
      price: kind === 'expiration' ? 0 : price,
      fees: roundMoney(fees),
    };
  },
  order: (fills) => fills,
  end(all, file) {
    const isChange = ({ kind }: FileFill) => kind === 'split' || kind === 'symbol_change';
    const fills = all.filter((own) => !isChange(own)).map((own) => [own]);
    const mergers = new Set(file.rows().flatMap(({ subType, type }) => (isMerger(subType) ? type.line : [])));
    return { fills: inOrder([...fills, ...changesOf(all.filter(isChange), ({ line }) => mergers.has(line), file)]) };
  },
});

/** @param events each a fill, or the fills of one change of a position, which keep their order */
function inOrder(events: readonly (readonly FileFill[])[]): FileFill[] {
  const byFirst = new Map(events.map((own) => [own[0] as FileFill, own]));
  const firsts = [...byFirst.keys()].sort((a, b) => a.line - b.line);
  return oldestFirst(firsts).flatMap((first) => byFirst.get(first) ?? []);
}

/** Kind of a row by sub type, or by description in the older history. */
function kindOf({ type, subType, description }: Cells): FileFill['kind'] {
  if (wordIn(type, TYPES) === 'fill') return 'trade';
  const text = subType?.text || description.text;
  if (MOVES.includes(text.toLowerCase())) return 'unclear';
  if (isMerger(subType)) return 'symbol_change';
  if (/expiration/i.test(text)) return 'expiration';
  if (/assignment/i.test(text)) return 'assignment';
  if (/exercise/i.test(text)) return 'exercise';
  if (/split/i.test(text)) return 'split';
  if (/symbol change/i.test(text)) return 'symbol_change';
  if (/^(buy|sell|bought|sold)\b/i.test(text)) return 'trade';
  const known = 'Expiration, Assignment, Exercise, Forward Split, Reverse Split, Symbol Change, Buy to Open';
  throw new RowError((subType ?? description).column, `must be one of ${known}; got "${text}"`, type.line);
}

function isMerger(subType: Cell | undefined): boolean {
  return /^stock merger$/i.test(subType?.text ?? '');
}

/** The value is price times quantity times multiplier. A future's price is in the description. */
function instrumentAndPrice(cells: Cells): { instrument: Instrument; price: number } {
  const quantity = positiveIn(cells.quantity);
  const market = wordIn(cells.instrumentType, MARKETS);
  const currency = cells.currency?.text || 'USD';
  const symbol = cells.symbol.text;
  const value = Math.abs(orNothing(cells.value, moneyIn) ?? 0);
  const average = Math.abs(orNothing(cells.average, moneyIn) ?? 0);
  const text = /@ ?([\d,.]+)/.exec(cells.description.text)?.[1]?.replace(/\.$/, '');
  const stated = text === undefined ? undefined : numberIn({ ...cells.description, text });
  if (market === 'future') {
    const underlying = futureOf(symbol)?.root ?? null;
    return { instrument: { ...stock(symbol, currency), market, underlying }, price: stated ?? average };
  }
  if (market === 'stock') return { instrument: stock(symbol, currency), price: value / quantity || average };
  if (market === 'crypto') return { instrument: coins(symbol, currency), price: value / quantity || average };
  const multiplier =
    market === 'future option' && stated && value > 0
      ? Number((value / stated / quantity).toPrecision(6))
      : (cells.multiplier && orNothing(cells.multiplier, positiveIn)) || null;
  return {
    instrument: contractOf(cells, multiplier, currency),
    price: market === 'future option' && stated !== undefined ? stated : value / quantity / (multiplier ?? 100),
  };
}

function contractOf(cells: Cells, multiplier: number | null, currency: string): Instrument {
  const { root, underlying, expiration, strike, callOrPut, symbol } = cells;
  if (!expiration || !strike || !callOrPut || !root) {
    const names = ['Root Symbol', 'Expiration Date', 'Strike Price', 'Call or Put'];
    throw RowError.missing(names, symbol.line);
  }
  const name = root.text || (underlying?.text ?? '');
  const own = optionOf({ underlying: name, expiration, strike, type: callOrPut }, 'mdy', { multiplier, currency });
  // A separate root (SPXW) is another contract of the same underlying.
  return { ...own, underlying: underlying?.text || name };
}

/**
 * Splits and changes of symbol have two rows: one removes the old units, the other adds the new ones. An option's symbol
 * changes with its strike.
 * @param mayBeUnclear whether an event may have other rows: its trades are then unsure
 */
export function changesOf(
  changes: readonly FileFill[],
  mayBeUnclear: (own: FileFill) => boolean,
  file: Pick<TableFile, 'skip' | 'moved'>,
): FileFill[][] {
  const events = Map.groupBy(changes, ({ kind, executedAt, instrument }) => {
    const { market, symbol, expiration, optionType } = instrument;
    const what = market === 'option' ? [expiration, optionType] : kind === 'split' ? [symbol] : [];
    return [kind, executedAt, market, ...what].join(' ');
  });
  return [...events.values()].flatMap((rows) => {
    const ends = (effect: string) =>
      rows
        .filter((own) => own.effect === effect)
        .sort((a, b) => Number(a.instrument.strike) - Number(b.instrument.strike));
    const [before, after] = [ends('close'), ends('open')];
    // Several options of one company change at once; for shares, nothing states which become which.
    const isClear = before.length === 1 || rows[0]?.instrument.market === 'option';
    if (before.length === after.length && isClear) {
      return before.map((old, index) => changeOf(old, after[index] as FileFill, file.skip));
    }
    // A merger may be paid in cash, or in shares on another day.
    if (!rows.every(mayBeUnclear)) {
      const problem = 'must have two rows: one that closes the old position, one that opens the new';
      throw new RowError('Sub Type', problem, rows[0]?.line);
    }
    for (const { instrument, line } of rows) file.moved({ text: instrument.symbol, line });
    return rows.map((own) => [unclear(own)]);
  });
}

function changeOf(before: FileFill, after: FileFill, skip: (reason: string) => void): FileFill[] {
  skip('second row of a split or change of symbol');
  const ratio = Number(after.quantity) / Number(before.quantity);
  const stated = { ...after, side: null, effect: null, price: 0, fees: 0 };
  const split: FileFill = { ...stated, kind: 'split', instrument: before.instrument, quantity: ratio };
  const formerSymbol = before.instrument.symbol;
  const change: FileFill = { ...stated, kind: 'symbol_change', quantity: null, formerSymbol };
  const isOther = after.instrument.symbol !== formerSymbol;
  return [...(ratio !== 1 || !isOther ? [split] : []), ...(isOther ? [change] : [])];
}
