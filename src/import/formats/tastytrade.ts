/**
 * tastytrade's transaction histories: fills of shares, options, futures and coins, with
 * exercises, splits and mergers.
 */
import { RowError } from '../../errors.ts';
import { futureOf } from '../../journal/derivatives.ts';
import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  moneyIn,
  numberIn,
  orNothing,
  positiveIn,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import {
  coins,
  future,
  type Instrument,
  optionOf,
  stock,
} from '../../parse/instruments.ts';
import { byTime, type FileFill, oldestFirst, unclear } from '../fills/reading.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  optional,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { KNOWN } from './known.ts';

const TYPES = {
  Trade: 'fill',
  'Receive Deliver': 'delivery',
  'Money Movement': 'money',
} as const;

const ACTIONS = {
  BUY_TO_OPEN: { side: 'buy', effect: 'open' },
  SELL_TO_OPEN: { side: 'sell', effect: 'open' },
  BUY_TO_CLOSE: { side: 'buy', effect: 'close' },
  SELL_TO_CLOSE: { side: 'sell', effect: 'close' },
  BUY: { side: 'buy', effect: null },
  SELL: { side: 'sell', effect: null },
} as const;

/** Sub types that add or remove shares without a trade or a reason. */
const MOVES = [
  'acat',
  'transfer',
  'dividend',
  'special dividend',
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
  fees: {
    column: 'Commissions',
    plus: ['Fees'],
    optional: 'cells',
    read: moneyIn,
    sign: 'negate',
  },
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
  ...KNOWN.tastytrade,
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
  flows: {
    meanings: [
      [/^deposit$/, 'deposit'],
      [/^withdrawal$/, 'withdrawal'],
      [/^transfer$/, 'transfer'],
      [/^(special |qualified )?dividend$/, 'dividend'],
      [/interest$|^fully paid stock lending income$/, 'interest'],
      [/^(balance adjustment|fee|.* fee)$/, 'fee'],
      [/tax/, 'tax'],
    ],
    read: ({ type, value, symbol, description, currency }) =>
      wordIn(type, TYPES) === 'money'
        ? [
            {
              amount: orNothing(value, moneyIn) ?? 0,
              currency: currency?.text || 'USD',
              symbol: symbol.text || null,
              description: description.text,
            },
          ]
        : [],
  },
  instrument: (cells) => instrumentAndPrice(cells).instrument,
  row(cells, fill) {
    const { side, instrument, fees } = fill;
    const kind = kindOf(cells);
    if (kind === 'unclear') return unclear(fill);
    if (side === null && kind === 'trade')
      throw RowError.missing([cells.side.column], cells.side.line);

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
    const mergers = new Set(
      file.rows().flatMap(({ subType, type }) => (isMerger(subType) ? type.line : [])),
    );
    const changed = changesIn(all, ({ line }) => mergers.has(line), file);
    return { fills: oldestFirst(all).flatMap((fill) => changed.get(fill) ?? [fill]) };
  },
});

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

  const known =
    'Expiration, Assignment, Exercise, Forward Split, Reverse Split, Symbol Change, Buy to Open';
  throw new RowError(
    (subType ?? description).column,
    `must be one of ${known}; got "${text}"`,
    type.line,
  );
}

function isMerger(subType: Cell | undefined): boolean {
  return /^stock merger$/i.test(subType?.text ?? '');
}

/**
 * The value is price times quantity times multiplier. A future's price is in the
 * description.
 */
function instrumentAndPrice(cells: Cells): { instrument: Instrument; price: number } {
  const quantity = positiveIn(cells.quantity);
  const market = wordIn(cells.instrumentType, MARKETS);
  const currency = cells.currency?.text || 'USD';
  const symbol = cells.symbol.text;
  const value = Math.abs(orNothing(cells.value, moneyIn) ?? 0);
  const average = Math.abs(orNothing(cells.average, moneyIn) ?? 0);
  const described = describedPrice(cells.description);

  switch (market) {
    case 'stock':
      return { instrument: stock(symbol, currency), price: value / quantity || average };
    case 'crypto':
      return { instrument: coins(symbol, currency), price: value / quantity || average };
    case 'future': {
      const underlying = futureOf(symbol)?.root ?? null;
      const instrument = { ...stock(symbol, currency), market, underlying };
      return { instrument, price: described ?? average };
    }
  }

  const stated = market === 'future option' ? described : undefined;
  const derived = stated && value && Number((value / stated / quantity).toPrecision(6));
  const multiplier = derived || statedMultiplier(cells);

  return {
    instrument: contractOf(cells, multiplier, currency),
    price: stated ?? value / quantity / (multiplier ?? 100),
  };
}

/** Sold 1 /ESU5 @ 5512.25 */
function describedPrice(description: Cell): number | undefined {
  const text = /@ ?([\d,.]+)/.exec(description.text)?.[1]?.replace(/\.$/, '');
  return text === undefined ? undefined : numberIn({ ...description, text });
}

function statedMultiplier({ multiplier }: Cells): number | null {
  return (multiplier && orNothing(multiplier, positiveIn)) || null;
}

function contractOf(
  cells: Cells,
  multiplier: number | null,
  currency: string,
): Instrument {
  const { root, underlying, expiration, strike, callOrPut, symbol } = cells;
  if (!expiration || !strike || !callOrPut || !root) {
    const names = ['Root Symbol', 'Expiration Date', 'Strike Price', 'Call or Put'];
    throw RowError.missing(names, symbol.line);
  }

  const name = root.text || (underlying?.text ?? '');
  const contract = optionOf(
    { underlying: name, expiration, strike, type: callOrPut },
    'mdy',
    {
      multiplier,
      currency,
    },
  );

  // A separate root (SPXW) is another contract of the same underlying.
  return { ...contract, underlying: underlying?.text || name };
}

// The history of tastyworks, tastytrade's name until 2021: times without a zone, fees and
// commissions in one column.

const OLDER = {
  executed_at: 'Date/Time',
  code: mayBeEmpty('Transaction Code'),
  subcode: mayBeEmpty('Transaction Subcode'),
  symbol: 'Symbol',
  side: { column: 'Buy/Sell', optional: 'cells', words: { Buy: 'buy', Sell: 'sell' } },
  effect: mayBeEmpty('Open/Close'),
  quantity: 'Quantity',
  expiration: mayBeEmpty('Expiration Date'),
  strike: mayBeEmpty('Strike'),
  option_type: mayBeEmpty('Call/Put'),
  price: mayBeEmpty('Price'),
  fees: { column: 'Fees', optional: 'cells', read: moneyIn, sign: 'absolute' },
  amount: mayBeEmpty('Amount'),
  account: optional('Account Reference'),
} as const;

type OlderCells = CellsOf<typeof OLDER>;

/** Meanings of deliveries. */
const DELIVERIES = byMeaning({
  expiration: 'Expiration',
  assignment: 'Assignment, Cash Settled Assignment',
  exercise: 'Exercise, Cash Settled Exercise',
  trade: 'Buy to Open, Sell to Open, Buy to Close, Sell to Close',
  split: 'Forward Split, Reverse Split',
  symbol_change: 'Symbol Change, Stock Merger',
  unclear: 'Spin Off, ACAT, Transfer, Dividend',
});

export const tastytradeOlder = fillsTable({
  ...KNOWN['tastytrade-older'],
  columns: OLDER,
  dates: 'mdy',
  skip(cells, file) {
    const kind = olderKindOf(cells);
    if (kind === 'unclear') file.moved(cells.symbol);
    // The contract size of a future's option is unknown here.
    const isUnsized =
      cells.symbol.text.includes('/') &&
      ['unclear', 'split', 'symbol_change'].includes(kind);
    if (kind !== 'money' && !isUnsized) return undefined;
    return (cells.subcode.text || cells.code.text).toLowerCase();
  },
  instrument(cells) {
    const { symbol, expiration, strike, option_type: type, quantity } = cells;
    // Read in every row: another text in its place shows that the columns are others.
    const money = Math.abs(orNothing(cells.amount, moneyIn) ?? 0);
    if (type.text === '')
      return symbol.text.startsWith('/') ? future(symbol.text) : stock(symbol.text);

    refuseEmpty(expiration, strike);
    const terms = { underlying: symbol.text, expiration, strike, type };
    if (!symbol.text.includes('/')) return optionOf(terms, 'mdy');

    // The contract size of a future's option is only derived from the amount of a trade.
    const paid = paidIn(cells);
    if (paid > 0 && money > 0) {
      return optionOf(terms, 'mdy', {
        multiplier: Number((money / paid / numberIn(quantity)).toPrecision(6)),
      });
    }

    const problem =
      'unknown contract size for an option on a future; its row needs a price and an amount';
    throw new RowError(symbol.column, problem, symbol.line);
  },
  row(cells, fill) {
    const kind = olderKindOf(cells);
    if (kind === 'unclear') return unclear(fill);

    return {
      kind: kind === 'money' ? 'trade' : kind,
      price: paidIn(cells),
      effect: orNothing(cells.effect, (cell) =>
        wordIn(cell, { Open: 'open', Close: 'close' } as const),
      ),
      mayShort: cells.symbol.text.startsWith('/'),
    };
  },
  end(all, file) {
    const changed = changesIn(all, () => true, file);
    return {
      fills: [
        ...[...changed.values()].flat(),
        ...all.filter((fill) => !changed.has(fill)),
      ].sort(byTime),
    };
  },
});

function olderKindOf({ code, subcode }: OlderCells): FileFill['kind'] | 'money' {
  const meaning = wordIn(code, TYPES);
  if (meaning === 'delivery') return wordIn(subcode, DELIVERIES);
  return meaning === 'fill' ? 'trade' : 'money';
}

function paidIn(cells: OlderCells): number {
  if (olderKindOf(cells) !== 'trade') return 0;
  refuseEmpty(cells.side, cells.price);
  return numberIn(cells.price);
}

// In both, splits and changes of symbol have two rows: one removes the old units, the
// other adds the new ones.

function isChange({ kind }: Pick<FileFill, 'kind'>): boolean {
  return kind === 'split' || kind === 'symbol_change';
}

/**
 * Rows of changes with the fills that replace them. An option's symbol changes with its
 * strike.
 * @param mayBeUnclear whether an event may have other rows: its trades are then unsure
 */
function changesIn(
  fills: readonly FileFill[],
  mayBeUnclear: (fill: FileFill) => boolean,
  file: Pick<TableFile, 'skip' | 'moved'>,
): Map<FileFill, FileFill[]> {
  const events = Map.groupBy(
    fills.filter(isChange),
    ({ kind, executedAt, instrument }) => {
      const { market, symbol, expiration, optionType } = instrument;
      const event = [kind, executedAt, market];
      if (market === 'option') event.push(expiration ?? '', optionType ?? '');
      else if (kind === 'split') event.push(symbol);
      return event.join(' ');
    },
  );
  const changed = new Map<FileFill, FileFill[]>();
  for (const rows of events.values()) {
    const ends = (effect: string) =>
      rows
        .filter((fill) => fill.effect === effect)
        .sort((a, b) => Number(a.instrument.strike) - Number(b.instrument.strike));

    const [before, after] = [ends('close'), ends('open')];
    // Several options of one company change at once; for shares, nothing states which
    // become which.
    const isClear = before.length === 1 || rows[0]?.instrument.market === 'option';
    if (before.length === after.length && isClear) {
      for (const [index, added] of after.entries()) {
        const removed = before[index] as FileFill;
        changed.set(removed, []).set(added, changeOf(removed, added));
        file.skip('second row of a split or change of symbol');
      }
      continue;
    }
    // A merger may be paid in cash, or in shares on another day.
    if (!rows.every(mayBeUnclear)) {
      const problem =
        'must have two rows: one that closes the old position, one that opens the new';
      throw new RowError('Sub Type', problem, rows[0]?.line);
    }

    for (const row of rows) {
      file.moved({ text: row.instrument.symbol, line: row.line });
      changed.set(row, [unclear(row)]);
    }
  }

  return changed;
}

function changeOf(before: FileFill, after: FileFill): FileFill[] {
  const ratio = Number(after.quantity) / Number(before.quantity);
  const stated = { ...after, side: null, effect: null, price: 0, fees: 0 };
  const split: FileFill = {
    ...stated,
    kind: 'split',
    instrument: before.instrument,
    quantity: ratio,
  };
  const formerSymbol = before.instrument.symbol;
  const change: FileFill = {
    ...stated,
    kind: 'symbol_change',
    quantity: null,
    formerSymbol,
  };
  const isOther = after.instrument.symbol !== formerSymbol;

  return [...(ratio !== 1 || !isOther ? [split] : []), ...(isOther ? [change] : [])];
}
