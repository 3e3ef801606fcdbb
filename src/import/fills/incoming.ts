/**
 * The fills of a file as journal rows: each once, with account, identity, platform and
 * multiplier.
 */

import { futureOf } from '../../journal/derivatives.ts';
import { totalMoney } from '../../money.ts';
import { type Instrument, instrumentColumns } from '../../parse/instruments.ts';
import type { AccountNames } from '../../statements/account-settings.ts';
import type { EarlierSizes } from '../../statements/earlier-imports.ts';
import type { Fill } from '../../statements/fill-row.ts';
import type { FillTable } from '../../statements/fills.ts';
import { type Identity, identified } from './identity.ts';
import { type GivenMultipliers, multiplierOf, type PricedMove } from './multiplier.ts';
import type { FileFill, FormatTraits, StatedTotal } from './reading.ts';
import type { WalkedTrade } from './trade-record.ts';
import { walk } from './walk/walk.ts';

interface FillSettings {
  format: FormatTraits;
  /** For fills without an account in the file. */
  account: string | undefined;
  names?: Pick<AccountNames, 'of'> | undefined;
  multipliers: GivenMultipliers;
  /** Contract sizes that were typed for earlier files of the format and account. */
  earlierSizes?: EarlierSizes;
  /**
   * The key by which fills of an account are walked together; default: the format's
   * platform.
   */
  platformIn?: ((account: string | null) => string) | undefined;
  /** Receives notes on those that are used. */
  notes?: string[];
}

/** A fill of a file as a journal row, stored or not. */
export interface IncomingFill {
  line: number;
  /** Whether the file states the platform's id. */
  hasId: boolean;
  /** That id, within account and instrument; null if none. */
  platformId: string | null;
  /**
   * Date and time as written, without a zone; the date of a day; '' if the file states
   * the zone.
   */
  clock: string;
  fill: Fill;
  /** The account as the file states it; '' for none. */
  account: string;
  /** P&L that the row states. */
  stated: FileFill['stated'];
}

/**
 * @param fills of one file, in its order
 * @returns each execution, or part of one, once
 * @throws RowError if an execution id has two different fills; UserError if a multiplier
 * is unknown or contradicted
 */
export function incomingFills(
  fills: readonly FileFill[],
  settings: FillSettings,
  table: Pick<FillTable, 'latestMultiplier'>,
): IncomingFill[] {
  const rows = rowsOf(fills, settings);
  const byInstrument = Map.groupBy(rows, ({ stated }) => keyOf(stated.instrument));
  for (const ofInstrument of byInstrument.values())
    setMultipliers(ofInstrument, settings, table);
  return rows.map(({ incoming }) => incoming);
}

/** A fill as the file states it, and as a journal row. */
interface StatedRow {
  stated: FileFill;
  incoming: IncomingFill;
}

/** The rows of a file, so far without multipliers. */
function rowsOf(fills: readonly FileFill[], settings: FillSettings): StatedRow[] {
  const { format, account, names, platformIn = () => platformOf(format) } = settings;
  const origin = {
    account: account ?? null,
    present: (name: string | null) => (names ? names.of(name) : name),
    ...format,
  };

  return Array.from(identified(fills, origin), ([stated, identity]) => ({
    stated,
    incoming: {
      line: stated.line,
      hasId: stated.executionId !== null,
      platformId: identity.platformId,
      clock: stated.clock ?? '',
      fill: rowOf(stated, identity, { format, platform: platformIn(identity.account) }),
      account: stated.account ?? account ?? '',
      stated: stated.stated,
    },
  }));
}

/**
 * Sets the multipliers of an instrument's fills: those that the file states, else one for
 * all.
 */
function setMultipliers(
  rows: readonly [StatedRow, ...StatedRow[]],
  { multipliers, earlierSizes, notes }: FillSettings,
  table: Pick<FillTable, 'latestMultiplier'>,
): void {
  const [first] = rows;
  const {
    stated: { instrument },
  } = rows.find(({ stated }) => stated.instrument.multiplier !== null) ?? first;
  const { symbol } = instrument;
  const { platform } = first.incoming.fill;
  // Costs alone need none.
  if (rows.every(({ stated }) => stated.isDated)) return;
  const stored = table.latestMultiplier(platform, symbol);
  const earlier =
    stored === undefined ? earlierSizeOf(instrument, earlierSizes) : undefined;

  const common = multiplierOf(instrument, {
    moves: movesOf(rows),
    given: multipliers,
    stored: stored ?? earlier?.size,
  });
  if (earlier?.size === common)
    notes?.push(
      `contract size of ${symbol}: ${common}, that of import ${earlier.importId}`,
    );

  for (const { stated, incoming } of rows)
    incoming.fill.multiplier = stated.instrument.multiplier ?? common;
}

function earlierSizeOf(
  { symbol, market, underlying }: Instrument,
  sizes: EarlierSizes | undefined,
) {
  const root = market === 'future' ? (underlying ?? futureOf(symbol)?.root) : undefined;
  return sizes?.get(symbol.toUpperCase()) ?? sizes?.get(root?.toUpperCase() ?? '');
}

function keyOf({ symbol, market, currency }: Instrument): string {
  return `${symbol} ${market} ${currency}`.toLowerCase();
}

/** The key of fills that are walked together: the platform, or a format without one. */
export function platformOf({ platform, name }: FormatTraits): string {
  return platform ?? name;
}

function rowOf(
  stated: FileFill,
  { execution, part, id, account }: Identity,
  { format, platform }: { format: FormatTraits; platform: string },
): Fill {
  const { instrument, rate } = stated;
  const executionId = `${format.name}:${execution}`;

  return {
    id: id === execution ? executionId : `${format.name}:${id}`,
    execution_id: executionId,
    part,
    platform,
    format: format.name,
    account,
    ...instrumentColumns(instrument),
    multiplier: 1,
    executed_at: stated.executedAt,
    kind: stated.kind,
    side: stated.side,
    quantity: stated.quantity,
    price: stated.price,
    fees: stated.fees,
    fee_quantity: stated.feeQuantity,
    effect: stated.judged ?? stated.effect,
    may_short: stated.mayShort,
    rate_base: rate?.base ?? null,
    rate: rate?.value ?? null,
    former_symbol: stated.formerSymbol ?? null,
    has_time: stated.hasTime ?? true,
    order_id: stated.orderId ?? null,
    fees_stated: stated.feesStated ?? true,
    stated_gross_pnl: stated.stated?.gross ?? null,
    stated_net_pnl: stated.stated?.net ?? null,
    lots: stated.lots ? JSON.stringify(stated.lots) : null,
  };
}

/**
 * Price moves and gross P&L of the file's closed trades whose closes all state their P&L.
 */
function movesOf(rows: readonly StatedRow[]): PricedMove[] {
  if (!rows.some(({ stated }) => stated.stated?.gross !== undefined)) return [];

  const byExecution = new Map<string, FileFill>();
  for (const { stated, incoming } of rows)
    if (incoming.fill.part === null) byExecution.set(incoming.fill.execution_id, stated);
  const { trades } = walk(rows.map(({ incoming }) => incoming.fill));
  return trades.flatMap((trade) => moveOf(trade, byExecution) ?? []);
}

/** Undefined if the trade is open, or the file doesn't state all of it. */
function moveOf(
  { side: tradeSide, open, executions }: WalkedTrade,
  rows: ReadonlyMap<string, FileFill>,
): PricedMove | undefined {
  const closing = tradeSide === 'long' ? 'sell' : 'buy';
  const closes = executions
    .filter(({ side }) => side === closing)
    .map(({ fill }) => rows.get(fill));
  const isWhole = executions.every(
    ({ fill, quantity }) => rows.get(fill)?.quantity === quantity,
  );
  const isStated = closes.every((row) => row?.stated?.gross !== undefined);
  if (open > 0 || !isWhole || !isStated) return undefined;

  return {
    points: executions.reduce(
      (sum, { side, quantity, price }) =>
        sum + (side === 'sell' ? 1 : -1) * quantity * price,
      0,
    ),
    gross: closes.reduce((sum, row) => sum + (row?.stated?.gross ?? 0), 0),
    line: closes[0]?.line ?? 1,
  };
}

// The totals that a file states, for comparison with its trades.

/** A total, with its parts if known. */
interface TotalOfRows extends StatedTotal {
  /** Sums of rows by symbol; undefined for a total stated as one. */
  bySymbol?: ReadonlyMap<string, number>;
  /** The symbols of these rows, those before a change of name, too. */
  symbols?: ReadonlySet<string>;
}

export interface Statement {
  totals: TotalOfRows[];
  /** Fees in currencies without an exchange rate in the file. */
  otherFees: { currency: string; amount: number }[];
}

/** The file's stated totals, and sums of its rows: no reader gives both of the same. */
export function statementOf(
  stated: readonly StatedTotal[],
  fills: readonly FileFill[],
): Statement {
  const symbolOf = currentSymbols(fills);
  const sums = (['gross', 'net'] as const).flatMap((what) =>
    sumsOfRows(what, fills, symbolOf),
  );
  const fees = fills.flatMap(({ otherFee }) => otherFee ?? []);
  const byCurrency = [...Map.groupBy(fees, ({ currency }) => currency)];
  const otherFees = byCurrency.map(([currency, ofCurrency]) => ({
    currency,
    amount: totalMoney(ofCurrency.map(({ amount }) => amount)),
  }));

  return { totals: [...stated, ...sums], otherFees };
}

/** The sums of what rows state, by currency. */
function sumsOfRows(
  what: 'gross' | 'net',
  fills: readonly FileFill[],
  symbolOf: (symbol: string) => string,
): TotalOfRows[] {
  const amountOf = (rows: readonly FileFill[]) =>
    totalMoney(rows.map((fill) => fill.stated?.[what] ?? 0));
  const stating = fills.filter((fill) => fill.stated?.[what] !== undefined);

  const byCurrency = [...Map.groupBy(stating, ({ instrument }) => instrument.currency)];
  return byCurrency.map(([currency, rows]) => {
    const bySymbol = Map.groupBy(rows, ({ instrument }) => symbolOf(instrument.symbol));
    return {
      what,
      currency,
      symbol: null,
      amount: amountOf(rows),
      symbols: new Set([
        ...bySymbol.keys(),
        ...rows.map(({ instrument }) => instrument.symbol),
      ]),
      bySymbol: new Map(
        [...bySymbol].map(([symbol, ofSymbol]) => [symbol, amountOf(ofSymbol)]),
      ),
      // Opening rows may state their costs as a loss.
      isRealised: !rows.some(
        ({ stated, fees }) => fees !== 0 && stated?.net === 0 - fees,
      ),
    };
  });
}

/** A symbol's name after the file's symbol changes, as its trade has it. */
function currentSymbols(fills: readonly FileFill[]): (symbol: string) => string {
  const later = new Map(
    fills.flatMap(({ formerSymbol, instrument }) =>
      formerSymbol ? [[formerSymbol, instrument.symbol]] : [],
    ),
  );
  return (symbol) => {
    let name = symbol;
    // A symbol may be changed back: the number of steps is bounded.
    for (let steps = later.size; steps > 0 && later.has(name); steps--)
      name = later.get(name) as string;
    return name;
  };
}
