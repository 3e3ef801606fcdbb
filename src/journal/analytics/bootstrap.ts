/**
 * What may come, were it as what has been: paths of results drawn with replacement, in blocks, so that streaks stay streaks (the stationary
 * bootstrap of Politis and Romano 1994).
 */
import { RANGE, Random } from './random.ts';

export const PATHS = 2000;
/** Trades of a path. */
export const LENGTH = 250;
/** The shorter stretch, from the start of a path, that is looked at on its own. */
export const SHORT = 100;
/** Trades between the places at which a path is looked at. */
const STEP = 25;
export const PLACES = Array.from({ length: LENGTH / STEP }, (_, i) => (i + 1) * STEP);

/** About a millisecond. */
const PATHS_A_STEP = 50;

/** One number a path. */
type Figures = Float64Array;

export interface Paths {
  /** Longest run of losses, and deepest fall from a peak, within the first SHORT trades and within all. */
  losingRun: { short: Figures; long: Figures };
  drawdown: { short: Figures; long: Figures };
  /** The lowest cumulative net on the way, at most 0. */
  lowest: Figures;
  /** Cumulative net at each of PLACES. */
  net: Figures[];
}

/** @param isLoss of each result whether it is one */
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

/** Which results come one after another: blocks whose mean length is the cube root of n; after the last result comes the first. */
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
