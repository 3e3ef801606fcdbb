/**
 * Charles Schwab's transaction history: days only, mostly newest first, with dividends,
 * fees and transfers.
 */
import { messageOf, quote, RowError } from '../../errors.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  knownWord,
  moneyIn,
  orNothing,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import { type CsvTable, raggedTable } from '../../parse/csv-rows.ts';
import { type Instrument, optionIn, stock } from '../../parse/instruments.ts';
import { parseJson } from '../../parse/open-file.ts';
import { changeOf, type FileFill, pairsOf, unclear } from '../fills/reading.ts';
import {
  type Cells as CellsOf,
  mayBeEmpty,
  type TableFile,
} from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { KNOWN } from './known.ts';

type Meaning = Pick<FileFill, 'kind' | 'side' | 'effect'>;

/** Meanings of actions that change a position at a price. */
const ACTIONS: Readonly<Record<string, Meaning>> = {
  Buy: { kind: 'trade', side: 'buy', effect: null },
  Sell: { kind: 'trade', side: 'sell', effect: null },
  'Buy to Open': { kind: 'trade', side: 'buy', effect: 'open' },
  'Sell to Open': { kind: 'trade', side: 'sell', effect: 'open' },
  'Buy to Close': { kind: 'trade', side: 'buy', effect: 'close' },
  'Sell to Close': { kind: 'trade', side: 'sell', effect: 'close' },
  'Sell Short': { kind: 'trade', side: 'sell', effect: 'open' },
  'Buy to Cover': { kind: 'trade', side: 'buy', effect: 'close' },
  'Reinvest Shares': { kind: 'trade', side: 'buy', effect: null },
  Expired: { kind: 'expiration', side: null, effect: 'close' },
  Assigned: { kind: 'assignment', side: null, effect: 'close' },
  'Exchange or Exercise': { kind: 'exercise', side: null, effect: 'close' },
};

/** Actions that add or remove units without a trade; only some rows state the reason. */
const MOVES = byMeaning({
  split: 'Stock Split, Stock Div Dist, Reverse Split, Options Frwd Split',
  transfer: 'Security Transfer, Journaled Shares, Internal Transfer, Journal',
  symbol_change: 'Stock Merger, Name Change, Mandatory Reorg Exc',
  unclear: [
    'Conversion, Cash/Stock Merger, Cash Merger, Cash Merger Adj, Stock Merger Adj, Final Cash Liquid, Final Cash Liquid Adj',
    'Dist Rights Trans, Promotional Award, Spin-off, Options Frwd Split Adj, Stock Plan Activity, Full Redemption',
    'Full Redemption Adj, Adjustment',
  ],
});

/** Meanings of actions without a quantity. */
const OTHERS = byMeaning({
  dividend: [
    'Cash Dividend, Qualified Dividend, Non-Qualified Div, Special Dividend, Special Qual Div, Special Non Qual Div',
    'Reinvest Dividend, Qual Div Reinvest, Pr Yr Cash Div, Pr Yr Div Reinvest',
  ],
  'capital gain distribution': [
    'Long Term Cap Gain, Long Term Cap Gain Reinvest, Short Term Cap Gain, Short Term Cap Gain Reinvest',
  ],
  interest: 'Credit Interest, Bank Interest, Bond Interest, Interest Adj',
  'margin interest': 'Margin Interest',
  tax: 'NRA Tax Adj, Foreign Tax Paid, Foreign Tax Reclaim, Tax Withholding',
  fee: 'ADR Mgmt Fee, Advisor Fee, Service Fee',
  'deposit or withdrawal': [
    'MoneyLink Transfer, MoneyLink Deposit, MoneyLink Adj, Wire Sent, Wire Received, Wire Funds, Wire Funds Received',
    'Wire Funds Adj, Funds Received',
  ],
  'transfer between accounts':
    'Internal Transfer, Journal, Journaled Shares, Security Transfer',
  'cash in lieu': 'Cash In Lieu',
  'other money': 'Misc Cash Entry, Misc Credits',
});

const COLUMNS = {
  // 07/15/2024 as of 07/12/2024: the day of booking, and the actual day.
  executed_at: {
    column: 'Date',
    text: (text: string) => text.replace(/^.* as of /i, ''),
  },
  action: 'Action',
  symbol: 'Symbol',
  booked: { column: 'Date', text: (text: string) => text.split(/ as of /i, 1).join() },
  description: mayBeEmpty('Description'),
  quantity: { column: 'Quantity', text: (text: string) => text.replace(/^-/, '') },
  units: { column: 'Quantity', optional: 'cells' },
  price: { column: 'Price', optional: 'cells', read: moneyIn },
  fees: {
    column: ['Fees & Comm', 'Fees & Commissions'],
    optional: 'cells',
    read: moneyIn,
    sign: 'absolute',
  },
  amount: { column: 'Amount', optional: 'cells' },
} as const;

export const schwab = fillsTable({
  ...KNOWN.schwab,
  table: (text) =>
    /^\s*\{/.test(text) ? tableInJson(text) : raggedTable('Action')(text),
  columns: COLUMNS,
  dates: 'mdy',
  daysOnly: true,
  skip({ executed_at, action, quantity }) {
    if (/total$/i.test(executed_at.text)) return 'total line';
    if (knownWord(action, ACTIONS)) return undefined;
    if (quantity.text === '') return otherOf(action);
    if (knownWord(action, MOVES)) return undefined;
    // An unknown action with a quantity may be a fill.
    const known = [...Object.keys(ACTIONS), ...Object.keys(MOVES)].join(', ');
    throw cellError(action, `must be one of ${known}, or have no quantity`);
  },
  flows: {
    meanings: [
      [/^dividend$|^capital gain/, 'dividend'],
      [/interest$/, 'interest'],
      [/^tax$/, 'tax'],
      [/^fee$/, 'fee'],
      [/^deposit or withdrawal$/, 'funding'],
      [/^transfer between accounts$/, 'transfer'],
      [/^cash in lieu$|^other money$/, 'other'],
    ],
    read: ({ action, symbol, description, booked, amount }, file) => [
      {
        account: file.once(accountIn),
        executedAt: file.instantIn(booked),
        amount: orNothing(amount, moneyIn) ?? 0,
        currency: 'USD',
        symbol: symbol.text || null,
        description: `${action.text} ${description.text}`,
      },
    ],
  },
  instrument: instrumentOf,
  row({ action, price, booked, units, amount }, fill, file) {
    const account = file.once(accountIn);
    const traded = knownWord(action, ACTIONS);
    if (traded) {
      if (traded.kind === 'trade') refuseEmpty(price);
      // An option settled in cash has an amount.
      const settled =
        Math.abs(orNothing(amount, moneyIn) ?? 0) / (100 * Number(fill.quantity));
      return {
        ...traded,
        account,
        price: traded.kind === 'trade' ? fill.price : settled,
      };
    }

    const side = units.text.startsWith('-') ? 'sell' : 'buy';

    // A split applies from the day of booking: "as of" is the evening before.
    return {
      kind: wordIn(action, MOVES),
      effect: null,
      side,
      account,
      price: 0,
      fees: 0,
      executedAt: file.instantIn(booked),
    };
  },
  end: (fills, file) => ({ fills: withChanges(fills, file) }),
});

type File = TableFile<typeof COLUMNS>;

/**
 * The account in the title above the header: account XXXX-1234, or account Individual
 * ...123 as of.
 */
function accountIn({ text }: File): string | null {
  const title = text.slice(0, text.indexOf('\n'));
  const [named = '', date] = (/\baccount (.*)/i.exec(title)?.[1] ?? '').split(
    / as of /i,
    2,
  );
  return (date === undefined ? /^\s*[\w.*-]+/.exec(named)?.[0] : named)?.trim() || null;
}

/** A number in place of the symbol, for delisted securities. */
const CUSIP = /^(?=.*\d)[0-9A-Z]{9}$/;

/**
 * Splits, mergers and transfers. Removed units often have only a number, and are matched
 * by the description of earlier rows.
 */
function withChanges(fills: readonly FileFill[], file: File): FileFill[] {
  const names = namesIn(file);
  const sold = soldForCash(payments(file), fills, file, names);
  const changes = changesIn(fills, file, names);

  return fills.flatMap((fill) => {
    const sale = sold.get(fill);
    if (sale) return [sale];

    const changed = changes.get(fill) ?? [isUnclear(fill) ? unclear(fill) : fill];
    for (const { kind, instrument, line } of changed) {
      if (kind === 'unclear') file.moved({ text: instrument.symbol, line });
    }

    return changed.filter(
      ({ kind, instrument }) => kind !== 'unclear' || !CUSIP.test(instrument.symbol),
    );
  });
}

function isUnclear({ kind, side }: FileFill): boolean {
  return kind === 'unclear' || (kind === 'transfer' && side === 'buy');
}

interface Names {
  /** The security's name on a line. */
  ofLine: ReadonlyMap<number, string>;
  /** A fill with the symbol that other rows have for the name of its number. */
  named: (fill: FileFill) => FileFill;
}

function namesIn(file: File): Names {
  const symbols = new Map<string, Set<string>>();
  const ofLine = new Map<number, string>();
  for (const { symbol, description } of file.rows()) {
    const name = description.text.split(' XXX', 1).join().trim();
    ofLine.set(symbol.line, name);
    if (!CUSIP.test(symbol.text))
      symbols.set(name, (symbols.get(name) ?? new Set()).add(symbol.text));
  }

  const named = (fill: FileFill): FileFill => {
    if (!CUSIP.test(fill.instrument.symbol)) return fill;
    const [symbol, ...others] = symbols.get(ofLine.get(fill.line) ?? '') ?? [];
    if (symbol === undefined || others.length > 0) return fill;
    return { ...fill, instrument: stock(symbol) };
  };

  return { ofLine, named };
}

/** Rows of splits and mergers, with the fills that replace them. */
function changesIn(
  fills: readonly FileFill[],
  file: File,
  { ofLine, named }: Names,
): ReadonlyMap<FileFill, FileFill[]> {
  const isChange = ({ kind }: FileFill) => kind === 'split' || kind === 'symbol_change';
  const events = Map.groupBy(
    fills.filter(isChange),
    ({ kind, executedAt, instrument, line }) =>
      [
        kind,
        executedAt,
        instrument.market,
        kind === 'split' ? ofLine.get(line) : '',
      ].join(' '),
  );
  const changes = new Map<FileFill, FileFill[]>();

  for (const rows of events.values()) {
    const { pairs, rest } = pairsOf(rows);
    for (const { before, after } of pairs) {
      const former = named(before);
      const isKnown = !CUSIP.test(former.instrument.symbol);
      changes.set(before, []);
      changes.set(after, isKnown ? changeOf(former, after) : [unclear(after)]);
    }

    for (const row of rest)
      changes.set(row, [row.kind === 'split' && isSplit(row, file) ? row : unclear(row)]);
  }

  return changes;
}

/** Rows of cash for all units, which other rows remove; for a bond, at its end. */
function payments(file: File): CellsOf<typeof COLUMNS>[] {
  return file.rows().filter(({ action, quantity, amount }) => {
    return (
      /^(cash merger|full redemption adj)$/i.test(action.text) &&
      quantity.text === '' &&
      orNothing(amount, moneyIn) !== null
    );
  });
}

/**
 * Units removed by a merger for cash or a redemption, as sold for that cash. A payment
 * without such a row is reported.
 */
function soldForCash(
  paid: readonly CellsOf<typeof COLUMNS>[],
  fills: readonly FileFill[],
  file: File,
  { named }: Names,
): Map<FileFill, FileFill> {
  const sold = new Map<FileFill, FileFill>();
  const isPaid = new Map(
    file
      .rows()
      .map(({ action, symbol }) => [
        symbol.line,
        /^(cash merger|full redemption)/i.test(action.text),
      ]),
  );
  for (const { symbol, amount } of paid) {
    const removed = fills.filter(
      (fill) =>
        isPaid.get(fill.line) &&
        fill.side === 'sell' &&
        named(fill).instrument.symbol === symbol.text,
    );
    const units = removed.reduce((sum, { quantity }) => sum + Number(quantity), 0);
    const price = Math.abs(moneyIn(amount)) / units;
    for (const fill of removed) sold.set(fill, soldAt(price, named(fill)));
    if (removed.length === 0) file.moved(symbol);
  }

  return sold;
}

/** A bond is redeemed for about 1 a unit, which is a price of 100. */
function soldAt(price: number, fill: FileFill): FileFill {
  const sale = { ...fill, kind: 'delivery', effect: 'close', price } as const;
  const isBond = CUSIP.test(fill.instrument.symbol) && price < 2;
  return isBond
    ? { ...sale, price: price * 100, instrument: bond(fill.instrument) }
    : sale;
}

function bond(instrument: Instrument): Instrument {
  return { ...instrument, market: 'other', multiplier: 0.01 };
}

/**
 * Whether a single row is a split with the added units; for a reverse split they may be
 * all that remain.
 */
function isSplit({ side, line, instrument }: FileFill, file: File): boolean {
  const row = file.rows().find(({ symbol }) => symbol.line === line);
  return (
    !CUSIP.test(instrument.symbol) &&
    (side === 'sell' || !/^reverse/i.test(row?.action.text ?? ''))
  );
}

/**
 * Whether the amount paid is about a hundredth of price times units, apart from accrued
 * interest.
 */
function isBond({ symbol, quantity, price, amount }: CellsOf<typeof COLUMNS>): boolean {
  const paid = Math.abs(orNothing(amount, moneyIn) ?? 0);
  const value = (orNothing(quantity, moneyIn) ?? 0) * (orNothing(price, moneyIn) ?? 0);
  return CUSIP.test(symbol.text) && value > 0 && paid > 0 && paid < value * 0.05;
}

/** The same transactions as JSON: objects with the column names. */
function tableInJson(text: string): CsvTable {
  const names = [
    'Date',
    'Action',
    'Symbol',
    'Description',
    'Quantity',
    'Price',
    'Fees & Comm',
    'Amount',
  ];
  let content: unknown;
  try {
    content = parseJson(text);
  } catch (error) {
    throw new RowError(null, `not valid JSON: ${messageOf(error)}`, 1);
  }

  const list = (content as Record<string, unknown>)['BrokerageTransactions'];
  if (!Array.isArray(list)) throw RowError.missing(['BrokerageTransactions'], 1);

  const lines = [...text.matchAll(/"Action"\s*:/g)].map(({ index }) => index);
  let line = 1;
  let counted = 0;
  const rows = list.map((item: unknown, index) => {
    const at = lines[index] ?? counted;
    line += text.slice(counted, at).split('\n').length - 1;
    counted = at;

    const values = (item ?? {}) as Record<string, unknown>;
    return {
      line,
      cells: names.map((name) => (typeof values[name] === 'string' ? values[name] : '')),
    };
  });

  return { header: { line: 1, cells: names }, rows };
}

/** Reason for skipping a row without a quantity. */
function otherOf(action: Cell): string {
  const { text } = action;
  const move = knownWord(action, MOVES) && `${text.toLowerCase()} without a quantity`;
  const unknown =
    text === ''
      ? 'row without an action'
      : `unknown action ${quote(text)} without a quantity`;
  return knownWord(action, OTHERS) ?? move ?? unknown;
}

const OPTION =
  /^(?<underlying>\S+) (?<expiration>\d\d?\/\d\d?\/\d{4}) (?<strike>[\d.,]+) (?<type>[CP])$/;

/**
 * AAPL, or an option: AAPL 01/19/2024 150.00 C; bonds by number, with a price in percent.
 */
function instrumentOf(cells: CellsOf<typeof COLUMNS>): Instrument {
  const { symbol, action } = cells;
  const contract = optionIn(symbol, [OPTION], { order: 'mdy' });
  if (contract) return contract;
  if (/ to (open|close)$/i.test(action.text)) {
    throw cellError(symbol, 'must be an option, such as AAPL 01/19/2024 150.00 C');
  }

  return isBond(cells) ? bond(stock(symbol.text)) : stock(symbol.text);
}
