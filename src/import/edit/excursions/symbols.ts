/** The symbol of a file of candles: one of the journal's, by --symbol or the file's name. */

import { basename } from 'node:path';
import { nearest, UserError } from '../../../errors.ts';
import { futureOf } from '../../parse/instruments.ts';

const MOST_TOKENS = 5;

/**
 * @param names symbols of trades and underlyings of futures
 * @returns undefined if the file's name has none
 * @throws UserError if no trade has the given one
 */
export function symbolOf(file: string, given: string | undefined, names: readonly string[]): string | undefined {
  if (given !== undefined) {
    const own = names.find((name) => name.toUpperCase() === given.toUpperCase());
    if (own !== undefined) return own;
    const near = nearest(given, names);
    const advice = near === undefined ? 'symbols of options are left out' : `did you mean ${near}?`;
    throw new UserError(`no trade has the symbol "${given}"; ${advice}`);
  }
  return symbolIn(basename(file), names);
}

/**
 * The longest of the journal's symbols in a name such as "CME_MINI_MNQ1!, 1.csv", "NQ 03-26.Last.txt" or "BTCUSDT-1m-2026-01.csv"; the
 * last one if several are as long.
 */
function symbolIn(fileName: string, names: readonly string[]): string | undefined {
  // After a comma, TradingView names the length of its candles.
  const [stem = ''] = fileName.replace(/\.[a-z]{2,4}$/i, '').split(',');
  const tokens = stem.split(/[^\p{L}\p{N}!]+/u).map((token) => plain(token.replace(/\d!$/, '')));
  const places = new Map<string, number>();
  for (let from = 0; from < tokens.length; from++) {
    for (let to = from + 1; to <= Math.min(tokens.length, from + MOST_TOKENS); to++) {
      const run = tokens.slice(from, to).join('');
      places.set(run, from);
      // A contract whose trades are written otherwise: MNQH2026 for MNQH6.
      const root = futureOf(tokens.slice(from, to).join(' '))?.root;
      if (root !== undefined && !places.has(root)) places.set(root, from);
    }
  }
  const ranked = names
    .filter((name) => plain(name) !== '' && places.has(plain(name)))
    .map((name) => ({ name, length: plain(name).length, place: places.get(plain(name)) ?? 0 }))
    .sort(
      (a, b) =>
        b.length - a.length || b.place - a.place || Number(stem.includes(b.name)) - Number(stem.includes(a.name)),
    );
  return ranked[0]?.name;
}

function plain(text: string): string {
  return text.toUpperCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}
