/**
 * The contract size of an instrument: stated by the file, implied by its P&L, given by
 * the user, or known by the contract.
 */
import { RowError, UserError } from '../../errors.ts';
import { contractSize, futureOf } from '../../journal/derivatives.ts';
import type { Instrument } from '../../parse/instruments.ts';

/** The price move and P&L of a row or trade. */
export interface PricedMove {
  /** Difference of prices times quantity, positive for a gain. */
  points: number;
  /** P&L before fees, as stated by the file: rounded to cents. */
  gross: number;
  line: number;
}

/** Half a cent: the rounding of a stated P&L. */
const ROUNDING = 0.005 + 1e-6;

/**
 * The roundest number that explains every move.
 * @returns undefined if no move has a difference of prices
 * @throws RowError if no number explains them all
 */
export function multiplierFrom(
  moves: readonly PricedMove[],
  symbol: string,
): number | undefined {
  const clearest = clearestOf(moves);
  if (!clearest) {
    const wrong = moves.find(({ gross }) => Math.abs(gross) > ROUNDING);
    if (wrong) throw unexplained(wrong, symbol);
    return undefined;
  }

  const exact = clearest.gross / clearest.points;
  const round = roundestOf(moves, exact, 12);
  if (round !== undefined) return round;

  throw unexplained(misfit(moves, exact) ?? clearest, symbol);
}

function clearestOf(moves: readonly PricedMove[]): PricedMove | undefined {
  let clearest: PricedMove | undefined;
  for (const move of moves) {
    if (move.points !== 0 && Math.abs(move.points) > Math.abs(clearest?.points ?? 0))
      clearest = move;
  }
  return clearest;
}

/** The number with the fewest digits near another that explains all moves. */
function roundestOf(
  moves: readonly PricedMove[],
  near: number,
  mostDigits: number,
): number | undefined {
  for (let digits = 1; digits <= mostDigits; digits++) {
    const multiplier = Number(near.toPrecision(digits));
    if (multiplier > 0 && !misfit(moves, multiplier)) return multiplier;
  }
  return undefined;
}

function misfit(
  moves: readonly PricedMove[],
  multiplier: number,
): PricedMove | undefined {
  return moves.find(
    ({ points, gross }) => Math.abs(points * multiplier - gross) > ROUNDING,
  );
}

function unexplained({ gross, line }: PricedMove, symbol: string): RowError {
  return new RowError(
    'pnl',
    `${gross} doesn't fit this row's prices and quantity at the contract size of other ${symbol} rows; correct the row`,
    line,
  );
}

export class GivenMultipliers {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #used = new Set<string>();

  /** @param numbers by symbol or root in capitals */
  constructor(numbers: ReadonlyMap<string, number> = new Map()) {
    this.#numbers = numbers;
  }

  of({ symbol }: Instrument, root: string | undefined): number | undefined {
    const names = [symbol, ...(root === undefined ? [] : [root])].map((name) =>
      name.toUpperCase(),
    );
    for (const name of names) this.#used.add(name);
    return names
      .map((name) => this.#numbers.get(name))
      .find((number) => number !== undefined);
  }

  /** Symbols and roots whose size no fill needed. */
  get unused(): string[] {
    return [...this.#numbers.keys()].filter((name) => !this.#used.has(name));
  }
}

export interface MultiplierSources {
  /** Trades whose P&L the file states. */
  moves: readonly PricedMove[];
  given: GivenMultipliers;
  /** The journal's size of this instrument. */
  stored: number | undefined;
}

/**
 * @returns money per point of price and unit, in the instrument's currency
 * @throws UserError if it is unknown or contradicts the P&L
 */
export function multiplierOf(
  instrument: Instrument,
  { moves, given, stored }: MultiplierSources,
): number {
  const { symbol, market } = instrument;
  const root =
    market === 'future' ? (instrument.underlying ?? futureOf(symbol)?.root) : undefined;
  const chosen = given.of(instrument, root);
  const { multiplier: stated } = instrument;
  if (chosen !== undefined && stated !== null && chosen !== stated) {
    throw new UserError(
      `--multiplier gives ${symbol} a contract size of ${chosen}, but the file states or implies ${stated}; omit it, or pass --multiplier ${quoted(symbol)}=${stated}`,
    );
  }

  const size = bySize(market, root, instrument.currency);
  // The exchange's size, confirmed by the user, is final: trades cut off by the file's
  // edge may imply another.
  if (chosen !== undefined && chosen === size) return chosen;

  const fitting = market in SIZE_OF_MARKET ? undefined : impliedBy(moves);
  const confirmed = size === undefined || fitting === size ? fitting : undefined;
  const used = stated ?? chosen ?? confirmed ?? stored ?? size;
  if (used === undefined) {
    throw new UserError(
      `unknown contract size for ${symbol}; pass it, as in --multiplier ${quoted(symbol)}=50`,
    );
  }

  const isClear = used !== size || moves.filter(({ points }) => points !== 0).length > 1;
  if (fitting !== undefined && isClear && misfit(moves, used)) {
    throw new UserError(
      `contract size ${used} contradicts the file's P&L for ${symbol}, which fits ${fitting}; pass --multiplier ${quoted(symbol)}=${fitting}`,
    );
  }

  return used;
}

/** A symbol quoted for a shell if needed. */
function quoted(symbol: string): string {
  return /^[\w.:-]+$/.test(symbol) ? symbol : `"${symbol}"`;
}

/** Markets whose unit is one share, coin or unit of currency. */
const SIZE_OF_MARKET = { stock: 1, crypto: 1, forex: 1 };

/**
 * Only a round number counts: trades cut off by the edge of a file may imply any other.
 */
function impliedBy(moves: readonly PricedMove[]): number | undefined {
  const clearest = clearestOf(moves);
  return clearest && roundestOf(moves, clearest.gross / clearest.points, 4);
}

function bySize(
  market: Instrument['market'],
  root: string | undefined,
  currency: string,
): number | undefined {
  if (market === 'option') return 100;
  if (market !== 'future') return 1;
  const size = root === undefined ? undefined : contractSize(root);
  return size?.currency === currency ? size.multiplier : undefined;
}
