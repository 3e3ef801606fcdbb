/** Fills of a file as the journal keeps them: with identity, account and multiplier. */
import type { Fill, FillTable } from '../../journal-write/fills.ts';
import type { FileFill, Format } from '../formats/format.ts';
import { instrumentOf } from './fill.ts';
import { type IdentifiedFill, identify } from './identity.ts';
import { multiplierOf, type PricedMove } from './multiplier.ts';
import { walk } from './walk.ts';

export interface FillSettings {
  format: Pick<Format, 'name' | 'platform' | 'hasUniqueIds'>;
  /** For fills whose file names no account. */
  account: string | undefined;
  /** Multipliers by symbol or root in capitals, as the person said them. */
  multipliers: ReadonlyMap<string, number>;
}

/** A fill on its way into the journal, and the row it comes from. */
export interface IncomingFill {
  fill: Fill;
  stated: FileFill;
}

/**
 * @param fills of one file, in its order
 * @returns each execution, or part of one, once
 * @throws RowError where an execution id stands for two fills; UserError where a multiplier is unknown or contradicted
 */
export function incomingFills(
  fills: readonly FileFill[],
  settings: FillSettings,
  table: Pick<FillTable, 'multiplierOf'>,
): IncomingFill[] {
  const platform = settings.format.platform ?? settings.format.name;
  const hasUniqueIds = settings.format.hasUniqueIds === true;
  const placed = fills.map((fill) => {
    const account = fill.account ?? settings.account ?? null;
    return account === fill.account ? fill : { ...fill, account };
  });
  const incoming = identify(placed, hasUniqueIds).map((own) => ({
    fill: unpriced(own, settings, platform),
    stated: own.fill,
  }));
  const byInstrument = Map.groupBy(incoming, ({ fill }) => instrumentOf({ ...fill, account: null }));
  for (const own of byInstrument.values()) {
    const first = own[0] as IncomingFill;
    const { instrument } = own.find(({ stated }) => stated.instrument.multiplier !== null)?.stated ?? first.stated;
    const multiplier = multiplierOf(instrument, {
      moves: movesOf(own),
      given: settings.multipliers,
      stored: table.multiplierOf(platform, instrument.symbol),
    });
    for (const { fill, stated } of own) fill.multiplier = stated.instrument.multiplier ?? multiplier;
  }
  return incoming;
}

/** All but the multiplier. */
function unpriced({ fill, execution, part, id }: IdentifiedFill, { format }: FillSettings, platform: string): Fill {
  const { instrument, rate } = fill;
  const executionId = `${format.name}:${execution}`;
  return {
    id: `${format.name}:${id}`,
    execution_id: executionId,
    part,
    platform,
    format: format.name,
    account: fill.account,
    symbol: instrument.symbol,
    market: instrument.market,
    currency: instrument.currency,
    underlying: instrument.underlying,
    expiration: instrument.expiration,
    strike: instrument.strike,
    option_type: instrument.optionType,
    multiplier: 1,
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
function movesOf(incoming: readonly IncomingFill[]): PricedMove[] {
  const stated = new Map<string, FileFill>();
  for (const { fill, stated: row } of incoming) if (fill.part === null) stated.set(fill.execution_id, row);
  if (![...stated.values()].some((row) => row.stated?.gross !== undefined)) return [];
  const moves: PricedMove[] = [];
  for (const trade of walk(incoming.map(({ fill }) => fill)).trades) {
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
