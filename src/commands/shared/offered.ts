/**
 * Values of arguments and options that completion offers. Unlike commander's choices they limit nothing, and help and errors don't
 * list them.
 */
import type { Argument, Option } from 'commander';
import { RESOURCES } from '../../journal/resources/index.ts';
import { trades } from '../../journal/resources/trades.ts';

export const PATHS: readonly string[] = RESOURCES.map(({ path }) => path);

/** Filters of the list of trades. */
export const FILTERS: readonly string[] = [...Object.keys(trades.filters), 'period', 'start', 'end'].map(
  (name) => `${name}=`,
);

const OFFERED = new WeakMap<Argument, readonly string[]>();

export function offering(values: readonly string[], argument: Argument): Argument {
  OFFERED.set(argument, values);
  return argument;
}

export function offeredFor(taken: Argument | Option | undefined): readonly string[] | undefined {
  return taken && (OFFERED.get(taken as Argument) ?? taken.argChoices);
}
