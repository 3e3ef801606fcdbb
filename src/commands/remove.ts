/** `remove`: removes records that the user wrote. */

import { removeRecords } from '../edit/annotate.ts';
import { UsageError } from '../errors.ts';
import { resourceNamed } from '../import/files/recognise.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import type { JournalCommand, Options } from './shared/command.ts';
import { runEdit } from './shared/edits.ts';

const PATHS = RESOURCES.filter(({ table }) => table !== null).map(({ path }) => path);

export function registerRemove(program: JournalCommand): void {
  program
    .command('remove')
    .changesRecords()
    .description('remove records that you wrote')
    .argument('<resource>', PATHS.join(', '))
    .argument('<ids...>', 'ids of the records')
    .explained(
      'To remove a trade made from fills, undo their import. ' +
        '"journal-api import undo" restores removed records.',
    )
    .examples('journal-api remove sessions day:2026-11-20')
    .runs(run);
}

function run(path: string, ids: readonly string[], options: Options): void {
  const resource = resourceNamed(path);
  if (resource.table === null)
    throw new UsageError(
      `${path} combines other resources; name one of ${PATHS.join(', ')}`,
    );
  runEdit('remove', resource, options, (edit) => removeRecords(edit, resource, ids));
}
