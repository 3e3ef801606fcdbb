/**
 * The fills of a file as journal rows: each once, with account, identity, platform and multiplier.
 */

import { totalMoney } from '../../money.ts';
import type { AccountNames } from '../../statements/accounts.ts';
import type { EarlierSizes } from '../../statements/earlier-imports.ts';
import type { Fill } from '../../statements/fill-row.ts';
import type { FillTable } from '../../statements/fills.ts';
import { futureOf, type Instrument, instrumentColumns } from '../parse/instruments.ts';
import { type Identity, identified } from './identity.ts';
import { type GivenMultipliers, multiplierOf, type PricedMove } from './multiplier.ts';
import type { FileFill, FormatTraits, StatedTotal } from './reading.ts';
import { walk } from './walk/walk.ts';

interface FillSettings {
  format: FormatTraits;
  /** For fills without an account in the file. */
  account: string | undefined;
  names?: Pick<AccountNames, 'of'> | undefined;
  multipliers: GivenMultipliers;
  /** Contract sizes that were typed for earlier files of the format and account. */
  earlierSizes?: EarlierSizes;
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
   * Date and time as written, without a zone; the date of a day; '' if the file states the zone.
   */
  clock: string;
  fill: Fill;
  /** The account as the file states it; '' for none. */
  account: string;
}

/**
 * @param fills of one file, in its order
 * @returns each execution, or part of one, once
 * @throws RowError if an execution id has two different fills; UserError if a multiplier is unknown
 * or contradicted
 */
export function incomingFills(
  fills: readonly FileFill[],
  { format, account, names, multipliers: given, earlierSizes, notes }: FillSettings,
  table: Pick<FillTable, 'latestMultiplier'>,
): IncomingFill[] {
  const incoming: IncomingFill[] = [];
  const present = (name: string | null) => (names ? names.of(name) : name);
  const byInstrument = new Map<string, { stated: FileFill; fill: Fill }[]>();
  for (const [stated, identity] of identified(fills, {
    account: account ?? null,
    present,
    ...format,
  })) {
    const fill = rowOf(stated, identity, format);
    const own = stated.account ?? account ?? '';
    incoming.push({
      line: stated.line,
      hasId: stated.executionId !== null,
      platformId: identity.platformId,
      clock: stated.clock ?? '',
      fill,
      account: own,
    });
    const key = keyOf(stated.instrument);
    const others = byInstrument.get(key);
    if (others) others.push({ stated, fill });
    else byInstrument.set(key, [{ stated, fill }]);
  }
  for (const own of byInstrument.values()) {
    const [first] = own as [(typeof own)[0]];
    const { instrument } = (
      own.find(({ stated }) => stated.instrument.multiplier !== null) ?? first
    ).stated;
    const stored = table.latestMultiplier(platformOf(format), instrument.symbol);
    const earlier = stored === undefined ? earlierSizeOf(instrument, earlierSizes) : undefined;
    const multiplier = multiplierOf(instrument, {
      moves: movesOf(own),
      given,
      stored: stored ?? earlier?.size,
    });
    if (earlier?.size === multiplier) {
      notes?.push(
        `contract size of ${instrument.symbol}: ${multiplier}, that of import ${earlier.importId}`,
      );
    }
    for (const { stated, fill } of own)
      fill.multiplier = stated.instrument.multiplier ?? multiplier;
  }
  return incoming;
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
  format: FormatTraits,
): Fill {
  const { instrument, rate } = stated;
  const executionId = `${format.name}:${execution}`;
  return {
    id: id === execution ? executionId : `${format.name}:${id}`,
    execution_id: executionId,
    part,
    platform: platformOf(format),
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
  };
}

/** Price moves and gross P&L of the file's closed trades whose closes all state their P&L. */
function movesOf(own: readonly { stated: FileFill; fill: Fill }[]): PricedMove[] {
  if (!own.some(({ stated }) => stated.stated?.gross !== undefined)) return [];
  const rows = new Map<string, FileFill>();
  for (const { stated, fill } of own) if (fill.part === null) rows.set(fill.execution_id, stated);
  const moves: PricedMove[] = [];
  for (const trade of walk(own.map(({ fill }) => fill)).trades) {
    const closing = trade.side === 'long' ? 'sell' : 'buy';
    const closes = trade.executions
      .filter(({ side }) => side === closing)
      .map(({ fill }) => rows.get(fill));
    const isAllStated = trade.executions.every(
      ({ fill, quantity }) => rows.get(fill)?.quantity === quantity,
    );
    if (trade.open > 0 || !isAllStated || closes.some((row) => row?.stated?.gross === undefined))
      continue;
    moves.push({
      points: trade.executions.reduce(
        (sum, { side, quantity, price }) => sum + (side === 'sell' ? 1 : -1) * quantity * price,
        0,
      ),
      gross: closes.reduce((sum, row) => sum + (row?.stated?.gross ?? 0), 0),
      line: closes[0]?.line ?? 1,
    });
  }
  return moves;
}

// The totals that a file states, for comparison with its trades.

/** A total, with its parts if known. */
interface TotalOfRows extends StatedTotal {
  /** Sums of rows by symbol; undefined for a total stated as one. */
  bySymbol?: ReadonlyMap<string, number>;
}

export interface Statement {
  totals: TotalOfRows[];
  /** Fees in currencies without an exchange rate in the file. */
  otherFees: { currency: string; amount: number }[];
}

/** The file's stated totals, and sums of its rows: no reader gives both of the same. */
export function statementOf(stated: readonly StatedTotal[], fills: readonly FileFill[]): Statement {
  const totals: TotalOfRows[] = [...stated];
  const symbolOf = currentSymbols(fills);
  for (const what of ['gross', 'net'] as const) {
    const rows = fills.filter((fill) => fill.stated?.[what] !== undefined);
    for (const [currency, own] of Map.groupBy(rows, ({ instrument }) => instrument.currency)) {
      const amountOf = (some: readonly FileFill[]) =>
        totalMoney(some.map((fill) => fill.stated?.[what] ?? 0));
      const symbols = Map.groupBy(own, ({ instrument }) => symbolOf(instrument.symbol));
      totals.push({
        ...{ what, currency, symbol: null, amount: amountOf(own) },
        bySymbol: new Map([...symbols].map(([symbol, some]) => [symbol, amountOf(some)])),
        // Opening rows may state their costs as a loss.
        isRealised: !own.some(({ stated: row, fees }) => fees !== 0 && row?.net === 0 - fees),
      });
    }
  }
  const fees = fills.flatMap(({ otherFee }) => otherFee ?? []);
  const otherFees = [...Map.groupBy(fees, ({ currency }) => currency)].map(([currency, own]) => ({
    currency,
    amount: totalMoney(own.map(({ amount }) => amount)),
  }));
  return { totals, otherFees };
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
