/** The key that a command gives the dashboard. */
import type { Files } from '../../config.ts';
import { userFor } from '../../journal-write/open.ts';
import { expiryOf, type NewKey } from '../../keys/issue.ts';
import { type TypedLens, typedLens } from '../../keys/lens.ts';
import { scopesOf } from '../key.ts';
import type { Options } from './command.ts';
import { requireAccounts } from './local-app.ts';

export interface PageOptions extends Options, TypedLens {
  scopes?: string;
  expires: string;
}

/** @throws UsageError or UserError for an option that no key can have */
export async function pageKey(
  files: Files,
  name: string,
  options: PageOptions,
): Promise<NewKey> {
  const user = userFor(files.journal, options.user);
  const now = Date.now();
  const scopes = scopesOf(options.scopes ?? 'all');
  const expires = expiryOf(options.expires, now, user.timezone);
  const lens = typedLens(options);
  await requireAccounts(files, user.id, lens);

  return { userId: user.id, name, scopes, lens, expires, now };
}
