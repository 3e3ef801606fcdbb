/** Fills of a file as the journal keeps them: with identity, account and multiplier. */
import { type Fill, type FillTable, isWhole } from '../../journal-write/fills.ts';
import type { Instrument } from '../parse/instruments.ts';
import { type IdentifiedFill, identify } from './identity.ts';
import { type GivenMultipliers, multiplierOf, type PricedMove } from './multiplier.ts';
import type { FileFill, FormatTraits } from './reading.ts';
import { walk } from './walk.ts';

export interface FillSettings {
  format: FormatTraits;
  /** For fills whose file names no account. */
  account: string | undefined;
  multipliers: GivenMultipliers;
}

/** A fill on its way into the journal. Its row is made only where it is needed: a hundred thousand of them are no small thing. */
export interface IncomingFill extends IdentifiedFill {
  multiplier: number;
}

/**
 * @param fills of one file, in its order
 * @returns each execution, or part of one, once
 * @throws RowError where an execution id stands for two fills; UserError where a multiplier is unknown or contradicted
 */
export function incomingFills(
  fills: readonly FileFill[],
  settings: FillSettings,
  table: Pick<FillTable, 'latestMultiplier'>,
): IncomingFill[] {
  const { format, multipliers: given } = settings;
  const placed = fills.map((fill) => {
    const account = fill.account ?? settings.account ?? null;
    return account === fill.account ? fill : { ...fill, account };
  });
  const incoming = identify(placed, format.hasUniqueIds === true).map((own) => ({ ...own, multiplier: 1 }));
  for (const own of Map.groupBy(incoming, ({ fill }) => keyOf(fill.instrument)).values()) {
    const { instrument } = (own.find(({ fill }) => fill.instrument.multiplier !== null) ?? (own[0] as IncomingFill))
      .fill;
    const stored = table.latestMultiplier(platformOf(format), instrument.symbol);
    const multiplier = multiplierOf(instrument, { moves: movesOf(own, format), given, stored });
    for (const incoming of own) incoming.multiplier = incoming.fill.instrument.multiplier ?? multiplier;
  }
  return incoming;
}

function keyOf({ symbol, market, currency }: Instrument): string {
  return `${symbol} ${market} ${currency}`.toLowerCase();
}

/** Whose fills are walked together: the platform, or a format that stands alone. */
export function platformOf({ platform, name }: FillSettings['format']): string {
  return platform ?? name;
}

/** A fill as the journal keeps it. */
export function storedFill(
  { fill, execution, pairedWith, id, multiplier }: IncomingFill,
  format: FillSettings['format'],
): Fill {
  const { instrument, rate } = fill;
  return {
    id: `${format.name}:${id}`,
    execution_id: `${format.name}:${execution}`,
    paired_with: pairedWith,
    state: fill.cancels ? 'cancels' : 'stated',
    platform: platformOf(format),
    format: format.name,
    account: fill.account,
    symbol: instrument.symbol,
    market: instrument.market,
    currency: instrument.currency,
    underlying: instrument.underlying,
    expiration: instrument.expiration,
    strike: instrument.strike,
    option_type: instrument.optionType,
    multiplier,
    executed_at: fill.executedAt,
    kind: fill.kind,
    side: fill.side,
    quantity: fill.quantity,
    price: fill.price,
    fees: fill.fees,
    fee_quantity: fill.feeQuantity,
    effect: fill.effect,
    may_short: fill.mayShort,
    rate_base: rate?.base ?? null,
    rate: rate?.value ?? null,
    former_symbol: fill.formerSymbol ?? null,
  };
}

/** The closed trades of the file whose every close states its P&L: what their prices moved by, and what that made. */
function movesOf(incoming: readonly IncomingFill[], format: FillSettings['format']): PricedMove[] {
  if (!incoming.some(({ fill }) => fill.stated?.gross !== undefined)) return [];
  const fills = incoming.map((own) => ({ row: own.fill, fill: storedFill(own, format) }));
  const stated = new Map<string, FileFill>();
  for (const { row, fill } of fills) if (isWhole(fill)) stated.set(fill.execution_id, row);
  const moves: PricedMove[] = [];
  for (const trade of walk(fills.map(({ fill }) => fill)).trades) {
    const closing = trade.side === 'long' ? 'sell' : 'buy';
    const closes = trade.executions.filter(({ side }) => side === closing).map(({ fill }) => stated.get(fill));
    const isWhole = trade.executions.every(({ fill, quantity }) => stated.get(fill)?.quantity === quantity);
    if (trade.open > 0 || !isWhole || closes.some((row) => row?.stated?.gross === undefined)) continue;
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
