/**
 * Robinhood's account activity: one fill per row, newest first, days only, with deposits,
 * dividends and a disclaimer.
 */
import { quote } from '../../errors.ts';
import { roundMoney } from '../../money.ts';
import {
  byMeaning,
  type Cell,
  cellError,
  knownWord,
  moneyIn,
  numberIn,
  orNothing,
  partOf,
  positiveIn,
  refuseEmpty,
  wordIn,
} from '../../parse/cells.ts';
import { raggedTable } from '../../parse/csv-rows.ts';
import { type Instrument, optionIn, stock } from '../../parse/instruments.ts';
import {
  changeOf,
  type FileFill,
  type FileFlow,
  pairsOf,
  unclear,
} from '../fills/reading.ts';
import { mayBeEmpty, type TableFile } from '../tables/declaration.ts';
import { fillsTable } from '../tables/fills.ts';
import { KNOWN } from './known.ts';

type Meaning = Pick<FileFill, 'kind' | 'side' | 'effect'> &
  Partial<Pick<FileFill, 'mayShort'>>;

/** Meanings of codes that change a position. */
const CODES: Readonly<Record<string, Meaning>> = {
  Buy: { kind: 'trade', side: 'buy', effect: null },
  Sell: { kind: 'trade', side: 'sell', effect: null },
  BTO: { kind: 'trade', side: 'buy', effect: 'open' },
  STO: { kind: 'trade', side: 'sell', effect: 'open' },
  BTC: { kind: 'trade', side: 'buy', effect: 'close' },
  STC: { kind: 'trade', side: 'sell', effect: 'close' },
  OEXP: { kind: 'expiration', side: null, effect: 'close' },
  OASGN: { kind: 'assignment', side: null, effect: 'close' },
  OEXCS: { kind: 'exercise', side: null, effect: 'close' },
};

/** Kinds of changes that add or remove units without a trade, by code. */
const MOVES = byMeaning({
  split: 'SPL, SPR, SDIV',
  symbol_change: 'SXCH, MRGS, NCHG, CONV, SPAC, OCA',
  transfer: 'ACATO, ITRF, JNL, XENT, XENT_CC',
  unclear: 'ACATI, REC, MRGC, SOFF, LIQ, T/A',
});

const FUNDING = 'deposit or withdrawal';

/** Meanings of other codes. */
const OTHERS = byMeaning({
  [FUNDING]: 'ACH, RTP, WIRE',
  'transfer between accounts': 'XENT, XENT_CC, ITRF',
  'transfer between brokers': 'ACATI, ACATO',
  'journal entry': 'JNL',
  dividend: 'CDIV, MDIV, DIV',
  tax: 'DTAX, NRAT',
  fee: 'DFEE, AFEE, GOLD, DCF',
  'margin interest': 'MINT',
  interest: 'INT',
  'stock lending income': 'SLIP',
  bonus: 'GDBP, GMPC, REC',
  'other money': 'MISC',
  'money moved to or from futures': 'FUTSWP',
  'cash in lieu': 'CIL',
  'capital gain distribution': 'SCAP, LCAP',
  'return of capital': 'ROC',
});

const COLUMNS = {
  executed_at: 'Activity Date',
  symbol: mayBeEmpty('Instrument'),
  description: mayBeEmpty('Description'),
  code: mayBeEmpty('Trans Code'),
  size: mayBeEmpty('Quantity'),
  unit_price: mayBeEmpty('Price'),
  amount: mayBeEmpty('Amount'),
} as const;

export const robinhood = fillsTable({
  ...KNOWN.robinhood,
  table: raggedTable('Activity Date'),
  columns: COLUMNS,
  dates: 'mdy',
  daysOnly: true,
  skip({ code, symbol, size, description }) {
    if (code.text === '' && symbol.text === '' && size.text === '') return 'disclaimer';
    if (knownWord(code, CODES) || (knownWord(code, MOVES) && size.text !== ''))
      return undefined;
    if (partIn(description)) return undefined;
    const other = otherOf(code, size);
    // A returned deposit stays one, below 0.
    const funding = /\bACH (deposit|withdrawal)\b/i.exec(description.text)?.[1];
    return other === FUNDING ? (funding?.toLowerCase() ?? other) : other;
  },
  flows: {
    meanings: [
      [/^deposit$/, 'deposit'],
      [/^withdrawal$/, 'withdrawal'],
      [/^deposit or withdrawal$/, 'funding'],
      [/^transfer between|^journal entry$|^money moved/, 'transfer'],
      [/^dividend$|^capital gain|^return of capital$/, 'dividend'],
      [/^tax$/, 'tax'],
      [/^fee$/, 'fee'],
      [/interest$|^stock lending income$/, 'interest'],
      [/^bonus$|^other money$/, 'other'],
    ],
    read: ({ amount, symbol, description }) => [
      {
        amount: orNothing(amount, moneyIn) ?? 0,
        currency: 'USD',
        symbol: symbol.text || null,
        description: description.text,
      },
    ],
  },
  instrument: instrumentOf,
  row({ code, description, size, unit_price, amount }, { instrument }) {
    const part = partIn(description);
    if (part) return { ...part, kind: 'delivery', side: 'sell', effect: 'close' };

    refuseEmpty(size);
    const moved = knownWord(code, MOVES);
    if (moved) return moveOf(moved, code, size);

    const meaning = wordIn(code, CODES);
    if (meaning.effect !== null && instrument.market !== 'option') {
      throw cellError(
        description,
        'must name an option, such as SPY 6/19/2026 Call $450.00',
      );
    }

    // An S after the quantity of an expired option means that it was long.
    const { isSold, quantity } = unitsIn(size);
    const event = {
      ...meaning,
      side: meaning.side ?? (isSold ? 'sell' : null),
      quantity,
    };
    if (meaning.kind !== 'trade') return event;

    refuseEmpty(unit_price, amount);

    return {
      ...event,
      ...costOf({ price: unit_price, amount }, meaning.side, {
        units: quantity * (instrument.market === 'option' ? 100 : 1),
        isRounded: instrument.market !== 'option',
      }),
    };
  },
  end(fills, file) {
    const held = withParts(withChanges(fills, file));
    return { fills: held, flows: paidInLieu(fills, held, file) };
  },
});

/** CIL on 0.419 @ $3.65 - IVR: a part of a share paid in cash. */
function partIn(description: Cell): { quantity: number; price: number } | undefined {
  const [, units, price = ''] =
    /^CIL on (\d*\.\d+) @ \$([\d.,]+)/i.exec(description.text) ?? [];
  if (units === undefined) return undefined;
  return {
    quantity: positiveIn(partOf(description, units)),
    price: numberIn(partOf(description, price)),
  };
}

/**
 * Parts of shares paid in cash close only what an earlier row of the file has added; most
 * splits add whole shares.
 */
function withParts(fills: readonly FileFill[]): FileFill[] {
  const held = new Map<string, number>();
  return fills.filter(({ kind, side, quantity, instrument: { symbol } }) => {
    const before = held.get(symbol) ?? 0;
    const units = Number(quantity);
    if (kind === 'delivery' && (before % 1) + 1e-6 < units) return false;

    held.set(
      symbol,
      kind === 'split' && side === null
        ? before * units
        : before + (side === 'sell' ? -units : units),
    );
    return true;
  });
}

/** The cash for parts of shares that close nothing. */
function paidInLieu(
  fills: readonly FileFill[],
  held: readonly FileFill[],
  file: File,
): FileFlow[] {
  const lines = new Set(held.map(({ line }) => line));
  return fills.flatMap((part): FileFlow[] => {
    if (part.kind !== 'delivery' || lines.has(part.line)) return [];
    const { line, account, executedAt, instrument } = part;
    const row = file.rows().find(({ amount }) => amount.line === line);

    return [
      {
        line,
        id: null,
        account,
        executedAt,
        hasTime: false,
        kind: 'other',
        amount: row ? moneyIn(row.amount) : 0,
        currency: 'USD',
        symbol: instrument.symbol,
        description: row?.description.text ?? null,
      },
    ];
  });
}

function unitsIn(size: Cell): { isSold: boolean; quantity: number } {
  const quantity = positiveIn({ ...size, text: size.text.replace(/^[-(]|S$|\)$/gi, '') });
  return { isSold: /S$/i.test(size.text), quantity };
}

function moveOf(kind: FileFill['kind'], code: Cell, size: Cell): Partial<FileFill> {
  const { isSold, quantity } = unitsIn(size);
  const goes = isSold || /^ACATO$/i.test(code.text);
  // A reverse split with one row may state the units removed, or all that remain.
  const isReverse = /^SPR$/i.test(code.text);

  return {
    kind,
    side: goes ? 'sell' : 'buy',
    quantity,
    price: 0,
    ...(isReverse && { effect: 'close' }),
  };
}

type File = TableFile<typeof COLUMNS>;

/**
 * Pairs old and new instruments by the rows of a day: one removed share with one added,
 * options by expiration.
 */
function withChanges(fills: readonly FileFill[], file: File): FileFill[] {
  const replaced = new Map<FileFill, FileFill[]>();
  const changes = fills.filter(
    ({ kind }) => kind === 'split' || kind === 'symbol_change',
  );
  const groups = Map.groupBy(changes, ({ kind, executedAt, instrument }) => {
    const { market, symbol, expiration, optionType } = instrument;
    const ofOption = market === 'option' ? [expiration, optionType] : [];
    const what = kind === 'split' ? [symbol] : ofOption;
    return JSON.stringify([kind, executedAt, market, ...what]);
  });
  const exchanged = new Map<string, string>();
  const inOrder = [...groups.values()].sort(
    ([a], [b]) => Number(isOption(a)) - Number(isOption(b)),
  );

  for (const rows of inOrder) {
    const { pairs, rest } = pairsOf(
      isOption(rows[0]) ? rows.map((fill) => turned(fill, rows, exchanged)) : rows,
    );
    for (const { before, after } of pairs) {
      replaced.set(rowOf(before, rows), []);
      replaced.set(
        rowOf(after, rows),
        changeOf(before, after).map((fill) => ({ ...fill, effect: null })),
      );
      exchanged.set(
        `${after.executedAt} ${before.instrument.symbol}`,
        after.instrument.symbol,
      );
    }

    for (const fill of rest) {
      const isStated =
        fill.kind === 'split' && (fill.effect === null || fill.side === 'sell');
      replaced.set(rowOf(fill, rows), [
        isStated ? { ...fill, effect: null } : unclear(fill),
      ]);
    }
  }

  return fills.flatMap((fill) => {
    const isIncoming = fill.kind === 'transfer' && fill.side === 'buy';
    const changed = replaced.get(fill) ?? [
      isIncoming || fill.kind === 'unclear' ? unclear(fill) : fill,
    ];
    for (const { kind, instrument, line } of changed) {
      if (kind === 'unclear') file.moved({ text: instrument.symbol, line });
    }

    return changed;
  });
}

function isOption(fill: FileFill | undefined): boolean {
  return fill?.instrument.market === 'option';
}

function rowOf({ line }: FileFill, rows: readonly FileFill[]): FileFill {
  return rows.find((fill) => fill.line === line) as FileFill;
}

/**
 * Corrects sides of short options, which are bought when removed and sold when added, by
 * the shares of that day.
 */
function turned(
  fill: FileFill,
  rows: readonly FileFill[],
  exchanged: ReadonlyMap<string, string>,
): FileFill {
  const isAdded =
    exchanged.get(`${fill.executedAt} ${fill.instrument.underlying}`) === undefined;
  const isKnown = rows.some(({ instrument }) =>
    exchanged.has(`${fill.executedAt} ${instrument.underlying}`),
  );
  return isKnown ? { ...fill, side: isAdded ? 'buy' : 'sell' } : fill;
}

/** @throws RowError if an unknown code has a quantity: it may be a fill */
function otherOf(code: Cell, quantity: Cell): string {
  const other = knownWord(code, OTHERS);
  if (other !== undefined) return other;
  if (quantity.text === '')
    return code.text === ''
      ? 'row without a code'
      : `unknown code ${quote(code.text)} without a quantity`;

  const known = [
    ...Object.keys(CODES),
    ...Object.keys(MOVES),
    ...Object.keys(OTHERS),
  ].join(', ');
  throw cellError(code, `must be one of ${known}, or have no quantity`);
}

/** Half a cent: what rounding may take off a price, or an amount. */
const HALF_A_CENT = 0.005;

/**
 * The amount paid or received includes fees. Prices of shares are rounded to whole cents,
 * after fills at several prices as well: a difference of up to half a cent a share, over
 * or under, belongs to the price; more is a fee. Prices of options have whole cents, and
 * a difference is a fee.
 */
function costOf(
  { price, amount }: Record<'price' | 'amount', Cell>,
  side: FileFill['side'],
  { units, isRounded }: { units: number; isRounded: boolean },
): { price: number; fees: number } {
  const paid = Math.abs(moneyIn(amount));
  const value = moneyIn(price) * units;
  const difference = roundMoney(side === 'buy' ? paid - value : value - paid);
  const rounding = isRounded ? roundMoney((units + 1) * HALF_A_CENT) : 0;

  if (difference >= 0 && (difference === 0 || difference > rounding)) {
    return { price: moneyIn(price), fees: difference };
  }
  return { price: paid / units, fees: 0 };
}

const OPTION =
  /(?:^|\s)(?<underlying>\S+) (?<expiration>\d{1,2}\/\d{1,2}\/\d{4}) (?<type>Call|Put) \$(?<strike>[\d,.]+)/i;

function instrumentOf({
  symbol,
  description,
}: Record<'symbol' | 'description', Cell>): Instrument {
  const text = description.text.replaceAll(/\s+/g, ' ');
  const contract = optionIn(partOf(description, text), [OPTION], { order: 'mdy' });
  if (!contract) refuseEmpty(symbol);
  return contract ?? stock(symbol.text);
}
