/** The list of imports, read. */
import { UserError } from '../../errors.ts';
import { userFor } from '../../journal-write/choose-user.ts';
import { type ImportEntry, importsOf } from '../../journal-write/imports.ts';
import { readJournal } from '../../journal-write/read.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import type { TargetOptions } from './target-journal.ts';

/** The imports of a user, the latest first. Nothing is written: it may be done with a journal that can only be read. */
export function listImports(options: Pick<TargetOptions, 'journal' | 'user'>): ImportEntry[] {
  refuseMissing(options);
  const { id } = userFor(options.journal, options.user);
  return readJournal(options.journal, (reader) => importsOf(reader, id));
}

/** Where there is no journal, an import would make one. */
export function refuseMissing({ journal }: Pick<TargetOptions, 'journal'>): void {
  if (!fileExists(journal)) throw new UserError(`there is no journal at ${journal}`);
}
