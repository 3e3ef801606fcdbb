/** tastytrade's transaction history: fills of shares, options, futures and coins, and what options and shares turn into. */
import { RowError } from '../../journal-write/row-error.ts';
import { roundMoney } from '../../money.ts';
import { type FileFill, fill, oldestFirst, reading, skip } from '../fills/reading.ts';
import { type Cell, columnsOf, orNothing, refuseEmpty } from '../parse/columns.ts';
import { futureOf } from '../parse/contract-sizes.ts';
import { readCsv } from '../parse/csv-rows.ts';
import { coins, type Instrument, option, stock } from '../parse/instruments.ts';
import { moneyIn, numberIn, positiveIn } from '../parse/numbers.ts';
import { dateIn, instantIn } from '../parse/times.ts';
import { wordIn } from '../parse/words.ts';
import { type Format, movedNote } from './format.ts';

const REQUIRED = {
  date: 'Date',
  type: 'Type',
  action: 'Action',
  symbol: 'Symbol',
  instrumentType: 'Instrument Type',
  description: 'Description',
  value: 'Value',
  quantity: 'Quantity',
  price: 'Average Price',
  commissions: 'Commissions',
  fees: 'Fees',
};

/** The older history has no sub type and no currency. */
const OPTIONAL = {
  subType: 'Sub Type',
  multiplier: 'Multiplier',
  root: 'Root Symbol',
  underlying: 'Underlying Symbol',
  expiration: 'Expiration Date',
  strike: 'Strike Price',
  callOrPut: 'Call or Put',
  currency: 'Currency',
};

type Cells = Record<keyof typeof REQUIRED, Cell> & Partial<Record<keyof typeof OPTIONAL, Cell>>;

const TYPES = { Trade: 'fill', 'Receive Deliver': 'delivery', 'Money Movement': 'money' } as const;

const ACTIONS = {
  BUY_TO_OPEN: { side: 'buy', effect: 'open' },
  SELL_TO_OPEN: { side: 'sell', effect: 'open' },
  BUY_TO_CLOSE: { side: 'buy', effect: 'close' },
  SELL_TO_CLOSE: { side: 'sell', effect: 'close' },
  BUY: { side: 'buy', effect: null },
  SELL: { side: 'sell', effect: null },
} as const;

/** Sub types by which shares come or go without a trade, and nothing says what for. */
const MOVES = [
  'acat',
  'transfer',
  'dividend',
  'special dividend',
  'stock merger',
  'cash merger',
  'spin off',
  'spin-off',
];

const MARKETS = {
  Equity: 'stock',
  'Equity Offering': 'stock',
  'Equity Option': 'option',
  Future: 'future',
  'Future Option': 'future option',
  Cryptocurrency: 'crypto',
} as const;

export const tastytrade: Format = {
  name: 'tastytrade',
  description: 'tastytrade: History > Transactions, downloaded as CSV',
  evidence: 'real files',
  holds: 'trades',
  looksLike(start) {
    const header = start.split('\n', 1).join();
    return ['Instrument Type', 'Average Price', 'Root Symbol'].every((name) => header.includes(name));
  },
  read(text, { user, timeZone }) {
    const { header, rows } = readCsv(text);
    const cellsOf = columnsOf(header, REQUIRED, OPTIONAL);
    const skipped = new Map<string, number>();
    const fills: FileFill[] = [];
    const changes: FileFill[] = [];
    const moved: string[] = [];
    for (const row of rows) {
      const cells = cellsOf(row);
      refuseEmpty(cells.date, cells.type);
      const meaning = wordIn(cells.type, TYPES);
      if (meaning === 'fill') refuseEmpty(cells.symbol, cells.quantity, cells.value);
      if (meaning === 'money') skip(skipped, reasonOf(cells));
      else if (cells.quantity.text === '' || cells.symbol.text === '') skip(skipped, reasonOf(cells));
      else if (MOVES.includes(reasonOf(cells))) {
        skip(skipped, reasonOf(cells));
        moved.push(`${cells.symbol.text} on line ${row.line}`);
      } else {
        const own = fillOf(cells, timeZone ?? user.timezone);
        if (own.kind === 'split' || own.kind === 'symbol_change') changes.push(own);
        else fills.push(own);
      }
    }
    const notes = moved.length > 0 ? [movedNote(moved)] : [];
    const ordered = inOrder([...fills.map((own) => [own]), ...changesOf(changes, skipped)]);
    return reading({ rows: rows.length, fills: ordered, skipped, notes });
  },
};

/** @param events each a fill, or what one change of a position makes, which stays in its order */
function inOrder(events: readonly (readonly FileFill[])[]): FileFill[] {
  const byFirst = new Map(events.map((own) => [own[0] as FileFill, own]));
  const firsts = [...byFirst.keys()].sort((a, b) => a.line - b.line);
  return oldestFirst(firsts).flatMap((first) => byFirst.get(first) ?? []);
}

function reasonOf({ subType, type }: Cells): string {
  return (subType?.text || type.text).toLowerCase();
}

function fillOf(cells: Cells, zone: string): FileFill {
  const kind = kindOf(cells);
  const action = orNothing(cells.action, (cell) => wordIn(cell, ACTIONS));
  if (!action && kind === 'trade') throw RowError.missing([cells.action.column], cells.action.line);
  const quantity = positiveIn({ ...cells.quantity, text: cells.quantity.text.replace(/^-/, '') });
  const { instrument, price } = instrumentAndPrice(cells, quantity);
  const cost = (cell: Cell) => orNothing(cell, moneyIn) ?? 0;
  return fill({
    line: cells.date.line,
    instrument,
    executedAt: instantIn(cells.date, 'ymd', zone),
    kind,
    side: action?.side ?? null,
    effect: action?.effect ?? null,
    mayShort: instrument.market === 'future',
    quantity,
    price: kind === 'expiration' ? 0 : price,
    fees: 0 - roundMoney(cost(cells.commissions) + cost(cells.fees)),
  });
}

/** What happened, by the sub type; the older history says it in the description. */
function kindOf({ type, subType, description }: Cells): FileFill['kind'] {
  if (wordIn(type, TYPES) === 'fill') return 'trade';
  const text = subType?.text || description.text;
  if (/expiration/i.test(text)) return 'expiration';
  if (/assignment/i.test(text)) return 'assignment';
  if (/exercise/i.test(text)) return 'exercise';
  if (/split/i.test(text)) return 'split';
  if (/symbol change/i.test(text)) return 'symbol_change';
  if (/^(buy|sell|bought|sold)\b/i.test(text)) return 'trade';
  const known = 'Expiration, Assignment, Exercise, Forward Split, Reverse Split, Symbol Change, Buy to Open';
  throw new RowError((subType ?? description).column, `must be one of ${known}; got "${text}"`, type.line);
}

/** Value is money: the price times the quantity and the multiplier. A future has the price in its description. */
function instrumentAndPrice(cells: Cells, quantity: number): { instrument: Instrument; price: number } {
  const market = wordIn(cells.instrumentType, MARKETS);
  const currency = cells.currency?.text || 'USD';
  const symbol = cells.symbol.text;
  const value = Math.abs(orNothing(cells.value, moneyIn) ?? 0);
  const average = Math.abs(orNothing(cells.price, moneyIn) ?? 0);
  const said = /@ ?([\d,.]+)/.exec(cells.description.text)?.[1]?.replace(/\.$/, '');
  const told = said === undefined ? undefined : numberIn({ ...cells.description, text: said });
  if (market === 'future') {
    const underlying = futureOf(symbol)?.root ?? null;
    return { instrument: { ...stock(symbol, currency), market, underlying }, price: told ?? average };
  }
  if (market === 'stock') return { instrument: stock(symbol, currency), price: value / quantity || average };
  if (market === 'crypto') return { instrument: coins(symbol, currency), price: value / quantity || average };
  const multiplier =
    market === 'future option' && told && value > 0
      ? Number((value / told / quantity).toPrecision(6))
      : (cells.multiplier && orNothing(cells.multiplier, positiveIn)) || null;
  return {
    instrument: optionOf(cells, multiplier, currency),
    price: market === 'future option' && told !== undefined ? told : value / quantity / (multiplier ?? 100),
  };
}

function optionOf(cells: Cells, multiplier: number | null, currency: string): Instrument {
  const { root, underlying, expiration, strike, callOrPut, symbol } = cells;
  if (!expiration || !strike || !callOrPut || !root) {
    const names = [OPTIONAL.root, OPTIONAL.expiration, OPTIONAL.strike, OPTIONAL.callOrPut];
    throw RowError.missing(names, symbol.line);
  }
  const contract = {
    underlying: root.text || (underlying?.text ?? ''),
    expiration: dateIn(expiration, 'mdy'),
    strike: numberIn(strike),
    optionType: wordIn(callOrPut, { CALL: 'call', PUT: 'put', C: 'call', P: 'put' } as const),
  };
  // A root of its own (SPXW) makes another contract of the same underlying.
  return { ...option(contract, { multiplier, currency }), underlying: underlying?.text || contract.underlying };
}

/**
 * Splits and changes of symbol are two rows: one takes the old units out, the other brings the new ones. An option's symbol
 * changes with its strike.
 */
function changesOf(changes: readonly FileFill[], skipped: Map<string, number>): FileFill[][] {
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
    // Several options of one company change at once; which shares become which nothing says.
    const isClear = before.length === 1 || rows[0]?.instrument.market === 'option';
    if (before.length !== after.length || !isClear) {
      throw new RowError(
        'Sub Type',
        'must have two rows: one that closes the old position, one that opens the new',
        rows[0]?.line,
      );
    }
    return before.map((old, index) => changeOf(old, after[index] as FileFill, skipped));
  });
}

function changeOf(before: FileFill, after: FileFill, skipped: Map<string, number>): FileFill[] {
  skip(skipped, 'other row of a split or change of symbol');
  const ratio = Number(after.quantity) / Number(before.quantity);
  const stated = { ...after, side: null, effect: null, price: 0, fees: 0 };
  const split: FileFill = { ...stated, kind: 'split', instrument: before.instrument, quantity: ratio };
  const formerSymbol = before.instrument.symbol;
  const change: FileFill = { ...stated, kind: 'symbol_change', quantity: null, formerSymbol };
  const isOther = after.instrument.symbol !== formerSymbol;
  return [...(ratio !== 1 || !isOther ? [split] : []), ...(isOther ? [change] : [])];
}
