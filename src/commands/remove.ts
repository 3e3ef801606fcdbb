/** `remove`: removes records that the user wrote. */
import type { Command } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { UsageError } from '../errors.ts';
import { resourceNamed } from '../import/files/recognise.ts';
import { removeRecords } from '../import/write/annotate.ts';
import { edit } from '../import/write/edit.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { type EditOptions, lineOf, showEdit } from './edits.ts';

const PATHS = RESOURCES.filter(({ table }) => table !== null).map(({ path }) => path);

export function registerRemove(program: Command): void {
  program
    .command('remove')
    .description('remove records that you wrote')
    .argument('<resource>', PATHS.join(', '))
    .argument('<ids...>', 'ids of the records')
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--user <id>', 'owner of the records (default: me, else the only user)')
    .option('--json', 'the result as JSON')
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

function run(path: string, ids: readonly string[], options: GlobalOptions & EditOptions): void {
  const resource = resourceNamed(path);
  if (resource.table === null)
    throw new UsageError(`${path} combines other resources; name one of ${PATHS.join(', ')}`);
  const { journal, backups } = filesOf(options);
  const target = { journal, backups, user: options.user, dryRun: options.dryRun, now: Date.now() };
  const report = edit(target, { name: 'remove', line: lineOf(), resource }, (own) => removeRecords(own, resource, ids));
  showEdit(report, options.json === true);
}
