/** The options of `import`, and what they mean for an import. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { UsageError } from '../../errors.ts';
import { mappings } from '../../import/files/plan.ts';
import type { ImportOptions } from '../../import/index.ts';
import { zoneProblem } from '../../journal-write/users.ts';
import { isDate } from '../../time.ts';
import { type Options, targetOf } from './command.ts';

export interface ImportCommandOptions extends Options {
  as?: string;
  format?: string;
  account?: string;
  timezone?: string;
  dates?: 'dmy' | 'mdy';
  example?: string;
  formats?: boolean;
  date?: string;
  symbol?: string;
  map?: string;
  watch?: string;
  prune?: boolean;
  yes?: boolean;
  /** Time zone of the user of a new journal. */
  zone?: string | undefined;
  multiplier?: Map<string, number>;
  allowDuplicates?: boolean;
  groups?: boolean;
  keep?: boolean;
  pictures?: boolean;
}

/**
 * @throws UsageError for an unknown time zone or a wrong date, or an order of dates
 * beside a mapping
 */
export function refuseWrong({ timezone, date, dates, map }: ImportCommandOptions): void {
  if (dates !== undefined && map !== undefined && map !== 'new')
    throw new UsageError(
      'a mapping states the order of its dates; correct "dates" in it and remove --dates',
    );

  const problem = timezone === undefined ? undefined : zoneProblem(timezone);
  if (problem !== undefined) throw new UsageError(`--timezone ${problem}`);
  if (date !== undefined && !isDate(date))
    throw new UsageError(`--date takes a day, such as 2026-11-20; got "${date}"`);
}

/** What the options of the command mean: with a mapping, its readers are loaded. */
export function importOptions(
  paths: readonly string[],
  options: ImportCommandOptions,
  mayShow = options.yes,
): ImportOptions {
  return {
    ...options,
    ...targetOf(options),
    paths,
    map: options.map === undefined ? undefined : mappings.value.loadMapping(options.map),
    timeZone: options.timezone,
    pictures: options.pictures === false ? false : { mayBeMany: options.yes, mayShow },
    mayShowCash: mayShow,
    multipliers: options.multiplier,
    saveMemory,
    collectGarbage,
  };
}

// Memory. The import decides when it matters more than time.

/** V8's flags: without them 100,000 fills take 450 MB, and 500,000 trades 300. */
const SAVE_MEMORY = ['--heap-growing-percent=20', '--semi-space-growth-factor=1'];

export function saveMemory(): void {
  for (const flag of SAVE_MEMORY) setFlagsFromString(flag);
}

/**
 * Without it, V8 keeps the garbage of reading while SQLite needs memory: 40 MB for
 * 100,000 fills, for 6 % of the processor time.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  // Any other flavour leaves sparse pages and a pool of empty ones.
  runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
