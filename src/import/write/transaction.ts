/** One transaction on an existing journal. */
import { explainWriting } from '../../journal-write/open.ts';
import { refuseMissing } from './list-imports.ts';
import { TargetJournal, type TargetOptions } from './target-journal.ts';

/**
 * @param act returns its result; with `commit` null, or in a dry run, nothing is written
 * @throws UserError if there is no journal, or it can't be written
 */
export function inTransaction<T>(
  options: TargetOptions,
  act: (target: TargetJournal) => { result: T; commit: { changesFills: boolean } | null },
): T {
  refuseMissing(options);
  const target = new TargetJournal(options);
  try {
    target.begin();
    const { result, commit } = act(target);
    if (commit && !options.dryRun) target.commit(commit);
    return result;
  } catch (error) {
    throw explainWriting(options.journal, error);
  } finally {
    target.rollBack();
    target.close();
  }
}
