/** What a point of price is worth: as the file states it, as its P&L says, as the person says, or by the contract's size. */
import { UserError } from '../../errors.ts';
import { RowError } from '../../journal-write/row-error.ts';
import { contractSize, futureOf } from '../parse/contract-sizes.ts';
import type { Instrument } from '../parse/instruments.ts';

/** What a row or a trade says by stating its P&L beside its prices. */
export interface PricedMove {
  /** Difference of prices times quantity, above 0 where money was made. */
  points: number;
  /** P&L before fees, as the file states it: rounded to cents. */
  gross: number;
  line: number;
}

/** Half a cent, by which a stated P&L may be rounded. */
const ROUNDING = 0.005 + 1e-6;

/**
 * The roundest number that explains every move.
 * @returns undefined where no move says, since none has a difference of prices
 * @throws RowError where no number explains them all
 */
export function multiplierFrom(moves: readonly PricedMove[], symbol: string): number | undefined {
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
    if (move.points !== 0 && Math.abs(move.points) > Math.abs(clearest?.points ?? 0)) clearest = move;
  }
  return clearest;
}

/** The number of fewest digits near another that explains all moves. */
function roundestOf(moves: readonly PricedMove[], near: number, mostDigits: number): number | undefined {
  for (let digits = 1; digits <= mostDigits; digits++) {
    const multiplier = Number(near.toPrecision(digits));
    if (multiplier > 0 && !misfit(moves, multiplier)) return multiplier;
  }
  return undefined;
}

function misfit(moves: readonly PricedMove[], multiplier: number): PricedMove | undefined {
  return moves.find(({ points, gross }) => Math.abs(points * multiplier - gross) > ROUNDING);
}

function unexplained({ gross, line }: PricedMove, symbol: string): RowError {
  return new RowError(
    'pnl',
    `${gross} does not fit the prices and the quantity of this row, as other rows of ${symbol} have it`,
    line,
  );
}

/** What the person said that points are worth. */
export class GivenMultipliers {
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #used = new Set<string>();

  /** @param numbers by symbol or root in capitals */
  constructor(numbers: ReadonlyMap<string, number> = new Map()) {
    this.#numbers = numbers;
  }

  of({ symbol }: Instrument, root: string | undefined): number | undefined {
    const names = [symbol, ...(root === undefined ? [] : [root])].map((name) => name.toUpperCase());
    for (const name of names) this.#used.add(name);
    return names.map((name) => this.#numbers.get(name)).find((number) => number !== undefined);
  }

  /** What was said of symbols that nobody asked for. */
  get unused(): string[] {
    return [...this.#numbers.keys()].filter((name) => !this.#used.has(name));
  }
}

export interface MultiplierSources {
  /** Trades that the file states the P&L of. */
  moves: readonly PricedMove[];
  given: GivenMultipliers;
  /** What the journal has for this instrument. */
  stored: number | undefined;
}

/**
 * @returns money per point of price and unit, in the instrument's currency
 * @throws UserError where nobody says, or what is said contradicts the P&L
 */
export function multiplierOf(instrument: Instrument, { moves, given, stored }: MultiplierSources): number {
  const { symbol, market } = instrument;
  const root = market === 'future' ? (instrument.underlying ?? futureOf(symbol)?.root) : undefined;
  const said = given.of(instrument, root);
  const { multiplier: stated } = instrument;
  if (said !== undefined && stated !== null && said !== stated) {
    throw new UserError(
      `--multiplier says that a point of ${symbol} is worth ${said}, but the file says, itself or by its P&L, that it is ${stated}: leave it out, or say --multiplier ${quoted(symbol)}=${stated}`,
    );
  }
  const size = bySize(market, root, instrument.currency);
  // Who says what the exchange specifies has the last word: trades cut off by the file's edge may look otherwise.
  if (said !== undefined && said === size) return said;
  const fitting = market in SIZE_OF_MARKET ? undefined : told(moves);
  const confirmed = size === undefined || fitting === size ? fitting : undefined;
  const used = stated ?? said ?? confirmed ?? stored ?? size;
  if (used === undefined) {
    throw new UserError(
      `what a point of ${symbol} is worth can't be told: say it, as in --multiplier ${quoted(symbol)}=50`,
    );
  }
  const isClear = used !== size || moves.filter(({ points }) => points !== 0).length > 1;
  if (fitting !== undefined && isClear && misfit(moves, used)) {
    throw new UserError(
      `a multiplier of ${used} contradicts the P&L that the file states for ${symbol}; ${fitting} fits: --multiplier ${quoted(symbol)}=${fitting}`,
    );
  }
  return used;
}

/** A symbol as a shell takes it. */
function quoted(symbol: string): string {
  return /^[\w.:-]+$/.test(symbol) ? symbol : `"${symbol}"`;
}

/** Markets whose unit is one share, coin or unit of currency. */
const SIZE_OF_MARKET = { stock: 1, crypto: 1, forex: 1 };

/** Trades cut off by the edge of a file explain nothing: only a round number does. */
function told(moves: readonly PricedMove[]): number | undefined {
  const clearest = clearestOf(moves);
  return clearest && roundestOf(moves, clearest.gross / clearest.points, 4);
}

function bySize(market: Instrument['market'], root: string | undefined, currency: string): number | undefined {
  if (market === 'option') return 100;
  if (market !== 'future') return 1;
  const size = root === undefined ? undefined : contractSize(root);
  return size?.currency === currency ? size.multiplier : undefined;
}
