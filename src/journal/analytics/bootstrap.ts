/**
 * Simulated future results: paths drawn from past results with replacement, in blocks to keep streaks (stationary bootstrap of Politis
 * and Romano 1994).
 */
import { RANGE, Random } from './random.ts';

export const PATHS = 2000;
/** Trades of a path. */
export const LENGTH = 250;
/** Trades of the shorter part at the start of a path, with its own figures. */
export const SHORT = 100;
/** Trades between the recorded places of a path. */
const STEP = 25;
export const PLACES = Array.from({ length: LENGTH / STEP }, (_, i) => (i + 1) * STEP);

/** About a millisecond. */
const PATHS_A_STEP = 50;

/** One number per path. */
type Figures = Float64Array;

export interface Paths {
  /** Longest run of losses and deepest fall from a peak, in the first SHORT trades and in all. */
  losingRun: { short: Figures; long: Figures };
  drawdown: { short: Figures; long: Figures };
  /** Lowest cumulative net of the path, at most 0. */
  lowest: Figures;
  /** Cumulative net at each of PLACES. */
  net: Figures[];
}

/** @param isLoss for each result, whether it is a loss */
export function* bootstrap(nets: Float64Array, isLoss: readonly boolean[], seed: number): Generator<void, Paths> {
  const figures = () => new Float64Array(PATHS);
  const paths: Paths = {
    losingRun: { short: figures(), long: figures() },
    drawdown: { short: figures(), long: figures() },
    lowest: figures(),
    net: PLACES.map(figures),
  };
  const random = new Random(seed);
  const drawn = new Uint32Array(LENGTH);
  for (let path = 0; path < PATHS; path++) {
    drawInBlocks(drawn, nets.length, random);
    follow(path, drawn, nets, isLoss, paths);
    if (path % PATHS_A_STEP === PATHS_A_STEP - 1) yield;
  }
  return paths;
}

const numbers = new Uint32Array(2 * LENGTH);

/** Draws the results of a path in blocks with a mean length of the cube root of n; the first result follows the last. */
function drawInBlocks(drawn: Uint32Array, n: number, random: Random): void {
  const begins = RANGE / Math.cbrt(n);
  random.fill(numbers);
  let at = 0;
  for (let i = 0; i < LENGTH; i++) {
    const isNew = i === 0 || (numbers[2 * i] as number) < begins;
    at = isNew ? Math.floor(((numbers[2 * i + 1] as number) / RANGE) * n) : (at + 1) % n;
    drawn[i] = at;
  }
}

function follow(path: number, drawn: Uint32Array, nets: Float64Array, isLoss: readonly boolean[], paths: Paths): void {
  let [net, peak, lowest, deepest, run, longest] = [0, 0, 0, 0, 0, 0];
  for (let i = 1; i <= LENGTH; i++) {
    const one = drawn[i - 1] as number;
    net += nets[one] as number;
    if (net > peak) peak = net;
    else if (peak - net > deepest) deepest = peak - net;
    if (net < lowest) lowest = net;
    run = isLoss[one] ? run + 1 : 0;
    if (run > longest) longest = run;
    if (i === SHORT) {
      paths.losingRun.short[path] = longest;
      paths.drawdown.short[path] = deepest;
    }
    if (i % STEP === 0) (paths.net[i / STEP - 1] as Figures)[path] = net;
  }
  paths.losingRun.long[path] = longest;
  paths.drawdown.long[path] = deepest;
  paths.lowest[path] = lowest;
}
