/**
 * Positions and P&L of thinkorswim's statement. They decide what fills with AUTO open,
 * what a close beyond the position opens, and which splits the "Position adjustment" rows
 * mean.
 */

import { type Cell, moneyIn, numberIn } from '../../parse/cells.ts';
import type { CsvRow } from '../../parse/csv-rows.ts';
import { type Instrument, stock } from '../../parse/instruments.ts';
import { byTime, type FileFill, fill, type StatedTotal } from '../fills/reading.ts';
import { type Adjustment, cellsIn, instrumentOf } from './thinkorswim-fills.ts';

const POSITION_COLUMNS = {
  quantity: 'Qty',
  price: 'Trade Price',
  expiration: 'Exp',
  strike: 'Strike',
  type: 'Type',
  day: 'P/L Day',
  year: 'P/L YTD',
  open: 'P/L Open',
  value: ['Close Value', 'Mark Value'],
};

/**
 * Positions and P&L from the other sections; cells masked by the platform count as empty.
 */
export function positionsIn(
  sections: ReadonlyMap<string, CsvRow[]>,
): Pick<Statement, 'shares' | 'options' | 'results'> {
  const amountIn = (cell: Cell | undefined) =>
    cell && /\d/.test(cell.text) ? moneyIn(cell) : null;
  const rowsOf = (name: string) =>
    cellsIn(sections.get(name) ?? [], { symbol: 'Symbol' }, POSITION_COLUMNS).filter(
      ({ symbol }) => symbol.text,
    );

  const heldIn = (
    name: string,
    heldOf: (cells: ReturnType<typeof rowsOf>[number]) => Instrument | undefined,
  ) => {
    if (!sections.get(name)?.length) return undefined;

    const held = rowsOf(name).flatMap((cells) => {
      const instrument = cells.quantity && heldOf(cells);
      if (!cells.quantity || instrument === undefined) return [];

      const position = {
        instrument,
        quantity: numberIn(cells.quantity),
        price: amountIn(cells.price),
      };
      return [[instrument.symbol, position] as const];
    });
    return new Map(held);
  };

  return {
    shares: heldIn('Equities', ({ symbol }) => stock(symbol.text)),
    options: heldIn('Options', ({ symbol, type, expiration, strike }) => {
      return (
        type && expiration && strike && instrumentOf({ symbol, type, expiration, strike })
      );
    }),
    results: new Map(
      rowsOf('Profits and Losses').map(({ symbol, day, year, open, value }) => [
        symbol.text,
        {
          day: amountIn(day),
          year: amountIn(year),
          open: amountIn(open),
          value: amountIn(value),
        },
      ]),
    ),
  };
}

/**
 * The P&L that covers the statement's period: a single day, or a year from its first day.
 */
export function coveredBy(text: string): Statement['covers'] {
  const [, since, through] = / since ([\d/]+) through ([\d/]+)/i.exec(text) ?? [];
  if (since === undefined || through === undefined) return null;
  if (since === through) return 'day';
  const [month, day, year] = since.split('/');
  return Number(month) === 1 && Number(day) === 1 && through.endsWith(`/${year}`)
    ? 'year'
    : null;
}

/** A position at the end of the statement; quantity 0 if none. */
interface Position {
  quantity: number;
  /** Average price; null where the section has none. */
  price: number | null;
}

interface Held extends Position {
  instrument: Instrument;
}

interface SymbolResult {
  /** P&L of the statement's last day, of the year, and of open positions. */
  day: number | null;
  year: number | null;
  open: number | null;
  /** Market value of its shares and options. */
  value: number | null;
}

interface Statement {
  /** By symbol of the instrument; undefined: the statement lists no shares or options. */
  shares: ReadonlyMap<string, Held> | undefined;
  options: ReadonlyMap<string, Held> | undefined;
  /** By symbol of the shares, including their options. */
  results: ReadonlyMap<string, SymbolResult>;
  adjustments: readonly Adjustment[];
  /** The P&L that covers exactly the statement's fills. */
  covers: 'day' | 'year' | null;
}

interface Settled {
  fills: FileFill[];
  stated: StatedTotal[];
  notes: string[];
}

/** Fills, splits and unsure changes by the whole statement, with its stated totals. */
export function settled(fills: readonly FileFill[], statement: Statement): Settled {
  const groups = Map.groupBy(
    fills.toSorted(byTime),
    ({ instrument }) => instrument.symbol,
  );
  const splits = optionSplits([...groups.values()], statement);
  const isSplit = new Set(splits.flatMap(({ former, later }) => [former, later]));

  const sure = new Map<string, boolean>();
  const parts = [...groups].map(([symbol, ofSymbol]) => {
    const { isSure, ...part } = isSplit.has(symbol)
      ? settledOption(ofSymbol, statement)
      : settledInstrument(ofSymbol, statement);
    sure.set(symbol, isSure);
    return part;
  });

  const all = [...splits.map(settledSplit), ...parts];
  return {
    fills: all.flatMap((part) => part.fills).sort(byTime),
    stated: [
      ...resultsStated(fills, statement, sure),
      ...all.flatMap((part) => part.stated),
    ],
    notes: all.flatMap((part) => part.notes),
  };
}

function settledSplit({ former, later, ratio, fills }: OptionSplit): Settled {
  const note = `${former} became ${later} in a split, ${ratio} for 1, derived from the final positions`;
  return { fills, stated: [], notes: [note] };
}

/** The fills of an instrument, in order of time. */
type InstrumentFills = readonly [FileFill, ...FileFill[]];

/** isSure: its fills start from flat. */
type SettledInstrument = Settled & { isSure: boolean };

/** An option that a split made, or made another. */
function settledOption(fills: InstrumentFills, statement: Statement): SettledInstrument {
  const [{ instrument }] = fills;
  const before = heldBefore(fills, positionOf(instrument, statement));
  return { fills: judgedFills(fills, before, null), stated: [], notes: [], isSure: true };
}

function settledInstrument(
  fills: InstrumentFills,
  statement: Statement,
): SettledInstrument {
  const [first] = fills;
  const { symbol, currency } = first.instrument;
  const expected = positionOf(first.instrument, statement);
  const stated: StatedTotal[] = expected
    ? [{ what: 'position', currency, symbol, amount: expected.quantity }]
    : [];

  const before = heldBefore(fills, expected);
  const split =
    expected && before !== 0
      ? splitOf(fills, expected, statement.adjustments)
      : undefined;
  const judged = judgedFills(fills, split ? 0 : before, resultsFor(symbol, statement));
  if (split) {
    const note = `${symbol} was split ${split.quantity} for 1, derived from its final position`;
    return { fills: [split, ...judged], stated, notes: [note], isSure: true };
  }

  const isOff = before !== 0 && before !== null;
  const doubts = isOff ? statement.adjustments.slice(0, 1) : [];

  return {
    fills: [...judged, ...doubts.map((doubt) => doubtOf(first, doubt))],
    stated,
    notes: [],
    isSure: before === 0,
  };
}

/** Units held before the fills; null: unknown. */
function heldBefore(
  fills: readonly FileFill[],
  end: Position | undefined,
): number | null {
  return end === undefined ? null : clean(end.quantity - netOf(fills));
}

function positionOf(
  { symbol, market, underlying }: Instrument,
  { shares, options, results }: Statement,
): Position | undefined {
  if (market !== 'stock' && market !== 'option') return undefined;
  const nothing = { quantity: 0, price: null };
  const listed = market === 'stock' ? shares : options;
  if (listed) return listed.get(symbol) ?? nothing;
  const isWorthless =
    results.get(market === 'option' ? (underlying ?? '') : symbol)?.value === 0;
  return isWorthless ? nothing : undefined;
}

/**
 * P&L of a symbol without open positions, if it comes only from the statement's fills.
 */
function resultsFor(symbol: string, { results, covers }: Statement): number | null {
  const stated = results.get(symbol);
  // A statement saved after the day's roll has 0.00 for the day; only the year's P&L
  // still has it.
  const isRolled = covers === 'day' && stated?.day === 0 && stated.year !== 0;
  const covered = covers === null || isRolled ? null : (stated?.[covers] ?? null);
  return covered === null || stated?.open === null || stated?.open === undefined
    ? null
    : clean(covered - stated.open);
}

const DIRECTIONS = { buy: 1, sell: -1 } as const;

function signed({ side, quantity }: FileFill): number {
  return (side === null ? 0 : DIRECTIONS[side]) * (quantity ?? 0);
}

/** The position after fills from flat. An expiration reduces either side. */
function netOf(fills: readonly FileFill[]): number {
  return fills.reduce((net, fill) => after(net, fill), 0);
}

function after(net: number, fill: FileFill): number {
  if (fill.side !== null) return clean(net + signed(fill));
  const units = Math.min(fill.quantity ?? Math.abs(net), Math.abs(net));
  return clean(net - Math.sign(net) * units);
}

function clean(units: number): number {
  return Number(units.toFixed(8));
}

function isAuto({ effect, kind, instrument }: FileFill): boolean {
  return (
    effect === null &&
    kind === 'trade' &&
    (instrument.market === 'stock' || instrument.market === 'option')
  );
}

/**
 * Fills with effects derived from the rest of the statement.
 * @param before units held before the first; null: unknown
 * @param result P&L of exactly these fills, if stated
 */
function judgedFills(
  fills: InstrumentFills,
  before: number | null,
  result: number | null,
): FileFill[] {
  // A close beyond the position opens the rest if the final position or the P&L confirms
  // it.
  const { market, multiplier } = fills[0].instrument;
  const gross = walked(fills).gross * (multiplier ?? (market === 'option' ? 100 : 1));
  const isWhole =
    before === 0 ||
    (before === null && result !== null && Math.abs(gross - result) < 0.01);
  let held = before ?? 0;
  let isOlder = held !== 0;

  return fills.map((fill) => {
    const start = held;
    held = after(held, fill);
    if (fill.kind !== 'trade' || fill.side === null) return fill;

    const isClosing = start * signed(fill) < 0;
    const isBeyond = Math.abs(signed(fill)) > Math.abs(start) || !isClosing;
    const isOfOlder = isOlder && isClosing;
    if (start * held <= 0) isOlder = false;
    const judged = judgement(fill, { isClosing, isBeyond, isOfOlder, isWhole });

    return {
      ...fill,
      ...(isAuto(fill) && { mayShort: true }),
      ...(judged && { judged }),
    };
  });
}

interface Turn {
  isClosing: boolean;
  /** Whether it has more units than the position to close. */
  isBeyond: boolean;
  /** Whether it closes units held before the first fill. */
  isOfOlder: boolean;
  /** Whether the final position or the P&L confirms that the fills are all. */
  isWhole: boolean;
}

/** The effect of a fill, if the statement decides it. */
function judgement(fill: FileFill, turn: Turn): FileFill['judged'] {
  const { isClosing, isBeyond, isOfOlder, isWhole } = turn;
  if (isAuto(fill)) {
    if (!isOfOlder) return undefined;
    return isBeyond ? 'close_then_open' : 'close';
  }
  if (fill.effect !== 'close' || !isWhole || !isBeyond) return undefined;
  return isClosing ? 'close_then_open' : 'open';
}

/**
 * P&L per unit and point, and the average price, of fills from flat if each may open
 * either side.
 */
function walked(fills: readonly FileFill[]): { gross: number; average: number } {
  let [held, cost, gross] = [0, 0, 0];
  for (const fill of fills) {
    const units = fill.side === null ? after(held, fill) - held : signed(fill);
    const closed = held * units < 0 ? Math.min(Math.abs(units), Math.abs(held)) : 0;
    const average = held === 0 ? 0 : cost / held;
    gross += closed * Math.sign(held) * (fill.price - average);
    cost +=
      Math.sign(units) * (Math.abs(units) - closed) * fill.price -
      Math.sign(held) * closed * average;
    held = clean(held + units);
  }

  return { gross, average: held === 0 ? 0 : cost / held };
}

/** Whether a ratio is plausible for a split: 2 for 1, 1 for 2, 3 for 2 and the like. */
function isRatio(ratio: number): boolean {
  return [1, 2, 3, 4].some((units) => {
    const [forward, reverse] = [ratio * units, units / ratio];
    return [forward, reverse].some(
      (ratio) =>
        ratio < 1000 && Math.abs(ratio - Math.round(ratio)) < 1e-6 && ratio >= 0.5,
    );
  });
}

/**
 * The split that leads from the fills to the final position, by units and average price.
 * It is placed at the first possible row, so that overlapping statements give the same
 * split.
 */
function splitOf(
  fills: InstrumentFills,
  end: Position,
  adjustments: readonly Adjustment[],
): FileFill | undefined {
  const { instrument, account } = fills[0];
  if (instrument.market !== 'stock') return undefined;

  for (const { line, executedAt } of adjustments.toSorted(byTime)) {
    const earlier = fills.filter((fill) => fill.executedAt < executedAt);
    const later = fills.filter((fill) => fill.executedAt >= executedAt);
    const held = netOf(earlier);
    const ratio = held === 0 ? 0 : (end.quantity - netOf(later)) / held;
    if (!(ratio > 0) || ratio === 1 || !isRatio(ratio)) continue;

    const scaled = earlier.map((row) => {
      return { ...row, quantity: Number(row.quantity) * ratio, price: row.price / ratio };
    });
    const { average } = walked([...scaled, ...later]);
    if (end.price !== null && end.quantity !== 0 && Math.abs(average - end.price) > 0.006)
      continue;

    return fill({
      line,
      account,
      instrument,
      executedAt,
      kind: 'split',
      side: null,
      price: 0,
      quantity: Number(ratio.toPrecision(12)),
    });
  }

  return undefined;
}

interface OptionSplit {
  former: string;
  later: string;
  ratio: number;
  /** The split, and the change of symbol. */
  fills: FileFill[];
}

/**
 * Whether an option may be another after a split: more units at a lower strike, or fewer
 * at a higher one.
 */
function isSameSeries(a: Instrument, b: Instrument): boolean {
  return (
    a.underlying === b.underlying &&
    a.expiration === b.expiration &&
    a.optionType === b.optionType
  );
}

/**
 * Splits of options: the units that one leaves open, beyond its final position, are those
 * that another held before its first fill, at a strike that is lower by the ratio, with
 * an adjustment between.
 * @param groups fills by option, in order of time
 */
function optionSplits(
  groups: readonly InstrumentFills[],
  statement: Statement,
): OptionSplit[] {
  const traded = groups.flatMap((fills): ChangedOption[] => {
    const [{ instrument }] = fills;
    const expected =
      instrument.market === 'option' ? positionOf(instrument, statement) : undefined;
    return expected
      ? [{ fills, instrument, lacking: clean(expected.quantity - netOf(fills)) }]
      : [];
  });
  const symbols = new Set(traded.map(({ instrument }) => instrument.symbol));
  const untraded = [...(statement.options?.values() ?? [])].flatMap(
    ({ instrument, quantity }): ChangedOption[] =>
      symbols.has(instrument.symbol)
        ? []
        : [{ fills: [], instrument, lacking: quantity }],
  );

  return traded.flatMap((earlier): OptionSplit[] => {
    const later = [...traded, ...untraded].find(
      (other) => ratioOf(earlier, other) !== undefined,
    );
    const ratio = later && ratioOf(earlier, later);
    const last = earlier.fills.at(-1) as FileFill;
    const between = statement.adjustments.toSorted(byTime).find(({ executedAt }) => {
      const [next] = later?.fills ?? [];
      return executedAt >= last.executedAt && (!next || executedAt <= next.executedAt);
    });
    if (!later || ratio === undefined || !between) return [];

    const { line, executedAt } = between;
    const common = { line, account: last.account, executedAt, side: null, price: 0 };
    const former = earlier.instrument.symbol;
    const split = fill({
      ...common,
      instrument: earlier.instrument,
      kind: 'split',
      quantity: ratio,
    });
    const change = fill({
      ...common,
      instrument: later.instrument,
      kind: 'symbol_change',
      quantity: null,
    });

    return [
      {
        former,
        later: later.instrument.symbol,
        ratio,
        fills: [split, { ...change, formerSymbol: former }],
      },
    ];
  });
}

/** An option, and what its final position has beyond its fills. */
interface ChangedOption {
  fills: readonly FileFill[];
  instrument: Instrument;
  lacking: number;
}

/** The ratio of the split that makes one option the other; undefined if none does. */
function ratioOf(earlier: ChangedOption, later: ChangedOption): number | undefined {
  const [a, b] = [earlier.instrument, later.instrument];
  const ratio = Number(a.strike) / Number(b.strike);
  const isMoved =
    earlier.lacking !== 0 && clean(earlier.lacking * ratio) === 0 - later.lacking;
  return isMoved && ratio !== 1 && isRatio(ratio) && isSameSeries(a, b)
    ? ratio
    : undefined;
}

/** Marks unknown units added or removed by an adjustment. */
function doubtOf(
  { account, instrument }: FileFill,
  { line, executedAt }: Adjustment,
): FileFill {
  return fill({
    line,
    account,
    instrument,
    executedAt,
    kind: 'unclear',
    side: null,
    quantity: null,
    price: 0,
  });
}

/** Realised P&L by symbol, if its fills start from flat. */
function resultsStated(
  fills: readonly FileFill[],
  statement: Statement,
  sure: ReadonlyMap<string, boolean>,
): StatedTotal[] {
  const bySymbol = Map.groupBy(fills, ({ instrument }) =>
    instrument.market === 'option' ? (instrument.underlying ?? '') : instrument.symbol,
  );
  return [...bySymbol].flatMap(([symbol, ofSymbol]) => {
    const amount = resultsFor(symbol, statement);
    const isAll = ofSymbol.every(({ instrument }) => sure.get(instrument.symbol));
    if (amount === null || !isAll) return [];
    return [
      {
        isTotal: true,
        what: 'gross',
        currency: 'USD',
        symbol,
        withOptions: true,
        amount,
      } as const,
    ];
  });
}
