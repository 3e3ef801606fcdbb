/** `expire`: books the expiration of options, which an export may lack. */

import type { ExpireReport } from '../edit/expire.ts';
import { UsageError } from '../errors.ts';
import type { TargetOptions } from '../import/write/target-journal.ts';
import {
  type JournalCommand,
  note,
  type Options,
  printJson,
  printTable,
  shellWord,
  targetOf,
  undoHint,
} from './shared/command.ts';
import { agree, otherNow } from './shared/terminal.ts';

interface ExpireOptions extends Options {
  all?: boolean;
  price?: string;
  yes?: boolean;
}

export function registerExpire(program: JournalCommand): void {
  program
    .command('expire')
    .description('close options that expired, if the export lacks it')
    .argument('[ids...]', 'ids of open trades in options')
    .option('--all', 'all options that are open after their expiration')
    .option('--price <price>', 'price at which one option is closed (default: 0)')
    .option(
      '--yes',
      'close several with --all without asking; required without a terminal',
    )
    .changes('trades')
    .explained(
      `Closes them at 16:00 in New York on the day of expiration, or at that day's last fill if later. If a later file states what happened, such
as an assignment, that replaces it. "journal-api import undo" reverts it.`,
    )
    .examples(
      'journal-api expire --all --dry-run',
      'journal-api expire robinhood:SPY-2026-06-19-C450:5d1f --price 1.25',
    )
    .runs(run);
}

/**
 * Asks before several trades are closed.
 * @returns refuses other trades than those, which another program may have opened
 * meanwhile
 */
async function agreedExpirations(
  expired: readonly { id: string }[],
): Promise<(result: unknown) => void> {
  const count = expired.length;
  if (count > 1)
    await agree(
      `Close ${count} trades?`,
      `this closes ${count} trades; pass --yes, or --dry-run to see them`,
    );

  const agreed = new Set(expired.map(({ id }) => id));
  return (result) => {
    const others = (result as ExpireReport).expired.filter(({ id }) => !agreed.has(id));
    if (others.length > 0)
      throw otherNow(`this closes ${others.map(({ symbol }) => symbol).join(', ')}, too`);
  };
}

async function run(ids: readonly string[], options: ExpireOptions): Promise<void> {
  const { all = false, price: text = '0' } = options;
  refuseSelection(ids, options);
  if (!/^(\d+(\.\d*)?|\.\d+)$/.test(text))
    throw new UsageError(
      `--price takes a number of 0 or more, such as 1.25; got "${text}"`,
    );

  const { expire } = await import('../edit/expire.ts');
  const price = options.price === undefined ? [] : ['--price', text];
  const line = ['expire', ...(all ? ['--all'] : ids), ...price].map(shellWord).join(' ');
  const book = (how: Partial<TargetOptions>) =>
    expire({ ...targetOf(options), ...how }, all ? undefined : ids, Number(text), line);
  const asks = all && !options.dryRun && !options.yes;
  const approve = asks
    ? await agreedExpirations(book({ dryRun: true }).expired)
    : undefined;
  const report = book({ dryRun: options.dryRun, approve });
  if (options.json) return printJson(report);
  if (report.expired.length === 0)
    return note('No option is open after its expiration; nothing changed.');

  printExpired(report);
  if (options.dryRun) note('Dry run: nothing was written.');
  else note(undoHint(report.import));
}

function refuseSelection(
  ids: readonly string[],
  { all = false, price }: ExpireOptions,
): void {
  if (ids.length === 0 && !all)
    throw new UsageError('no trades selected; pass ids, or --all');
  if (ids.length > 0 && all)
    throw new UsageError('--all selects every expired option; remove the ids');
  if (price !== undefined && ids.length !== 1)
    throw new UsageError(
      `--price is for one option; pass one id, got ${all ? '--all' : ids.length}`,
    );
}

function printExpired({ expired }: ExpireReport): void {
  printTable(expired, {
    OPTION: 'symbol',
    ACCOUNT: 'account',
    SIDE: 'side',
    OPEN: 'quantity',
    PRICE: 'price',
    CLOSED: 'closed_at',
    'NET P&L': ({ net_pnl, currency }) => `${net_pnl.toFixed(2)} ${currency}`,
    ID: 'id',
  });
}
