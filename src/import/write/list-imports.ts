/** Reads the list of imports. */
import { UserError } from '../../errors.ts';
import { userFor } from '../../journal-write/choose-user.ts';
import { type ImportEntry, importsOf } from '../../journal-write/import-list.ts';
import { readJournal } from '../../journal-write/read.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import type { TargetOptions } from './target-journal.ts';

/** A user's imports, the latest first. Works with a read-only journal. */
export function listImports(options: Pick<TargetOptions, 'journal' | 'user'>): ImportEntry[] {
  refuseMissing(options);
  const { id } = userFor(options.journal, options.user);
  return readJournal(options.journal, (reader) => importsOf(reader, id));
}

/** Rejects a missing journal, which an import would create. */
export function refuseMissing({ journal }: Pick<TargetOptions, 'journal'>): void {
  if (!fileExists(journal)) throw new UserError(`no journal at ${journal}; create one with "journal-api init"`);
}
