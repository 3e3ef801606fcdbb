import { type ImportEntry, importsOf } from '../../journal-write/imports.ts';
import { readJournal } from '../../journal-write/record.ts';
import { userFor } from '../../journal-write/users.ts';
import { refuseMissing, type TargetOptions } from './target-journal.ts';

/** A user's imports, the latest first. Works with a read-only journal. */
export function listImports(options: Pick<TargetOptions, 'journal' | 'user'>): ImportEntry[] {
  refuseMissing(options);
  const { id } = userFor(options.journal, options.user);
  return readJournal(options.journal, (reader) => importsOf(reader, id));
}
