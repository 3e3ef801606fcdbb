/** Asks before a change that would show keys more. */
import { UsageError, UserError } from '../../errors.ts';
import type { ShownByKey } from '../../import/edit/live-keys.ts';
import { asked, terminalHere } from './terminal.ts';

/**
 * @param run makes the change, or tries it if the argument is true
 * @throws UsageError without a terminal and --yes; UserError if the user says no
 */
export async function agreedTo<T extends { keys: ShownByKey[] }>(
  run: (dryRun: boolean) => T,
  { dryRun, yes }: { dryRun?: boolean; yes?: boolean },
): Promise<T> {
  const tried = run(true);
  if (dryRun) return tried;
  const more = tried.keys.filter(({ shows_more }) => shows_more);
  if (more.length > 0 && !yes) {
    const keys = more.map(({ id, name, before, after }) => `${id} (${name}: ${before} trades, then ${after})`);
    const terminal = terminalHere();
    if (!terminal) throw new UsageError(`these keys would show more: ${keys.join(', ')}; pass --yes, or revoke them`);
    const agreed = await asked(
      terminal,
      `These keys would show more: ${keys.join(', ')}. Proceed? [y/N] `,
      (typed) => (/^(y|yes)$/i.test(typed) ? true : /^(n|no)?$/i.test(typed) ? false : undefined),
      () => 'Type y or n.',
    );
    if (!agreed) throw new UserError('nothing was changed');
  }
  return run(false);
}
