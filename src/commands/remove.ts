/** `remove`: removes records that the user wrote. */
import { Argument, type Command } from 'commander';
import { UsageError } from '../errors.ts';
import { removeRecords } from '../import/edit/annotate.ts';
import { resourceNamed } from '../import/files/recognise.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { type EditOptions, runEdit, withEditOptions } from './shared/edits.ts';
import { offering } from './shared/offered.ts';

const PATHS = RESOURCES.filter(({ table }) => table !== null).map(({ path }) => path);

export function registerRemove(program: Command): void {
  withEditOptions(program.command('remove'))
    .description('remove records that you wrote')
    .addArgument(offering(PATHS, new Argument('<resource>', PATHS.join(', '))))
    .argument('<ids...>', 'ids of the records')
    .addHelpText(
      'after',
      `
To remove a trade made from fills, undo their import. "journal-api import undo" restores removed records.

Example:
  $ journal-api remove sessions day:2026-11-20`,
    )
    .action((resource: string, ids: string[], _options, command: Command) =>
      run(resource, ids, command.optsWithGlobals()),
    );
}

function run(path: string, ids: readonly string[], options: EditOptions): void {
  const resource = resourceNamed(path);
  if (resource.table === null)
    throw new UsageError(`${path} combines other resources; name one of ${PATHS.join(', ')}`);
  runEdit('remove', resource, options, (own) => removeRecords(own, resource, ids));
}
