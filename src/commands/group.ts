/** `group` and `ungroup`: trades analysed as one position, or separately again. */
import { Option } from 'commander';
import { groupTrades, ungroupTrades } from '../edit/annotate.ts';
import type { Edit } from '../edit/edit.ts';
import { GROUP_KINDS, tradeGroups } from '../journal/resources/trades.ts';
import { type JournalCommand, note, type Options } from './shared/command.ts';
import { runEdit } from './shared/edits.ts';

const IDS = 'ids of trades, or of groups for all trades in them';

export function registerGroup(program: JournalCommand): void {
  program
    .command('group')
    .changesRecords()
    .description('put trades into a group that is analysed as one position')
    .argument('<ids...>', IDS)
    .requiredOption(
      '--name <name>',
      'name or id of the group; created if it does not exist',
    )
    .addOption(
      new Option(
        '--kind <kind>',
        'how the trades belong together (default: custom)',
      ).choices(GROUP_KINDS),
    )
    .explained(
      'Later imports keep your groups. All trades of a group must have the same currency.',
    )
    .examples(
      'journal-api group webull:1 webull:2 --name "AAPL wheel"',
      'journal-api group tastytrade:spread:1f0c tastytrade:spread:77ab --name "META roll" ' +
        '--kind rolled',
    )
    .runs((ids: string[], options: Options & { name: string; kind?: string }) =>
      run('group', options, (edit) => groupTrades(edit, options.name, ids, options.kind)),
    );
}

export function registerUngroup(program: JournalCommand): void {
  program
    .command('ungroup')
    .changesRecords()
    .description('take trades out of their group')
    .argument('<ids...>', IDS)
    .explained(
      'Later imports keep the trades ungrouped. ' +
        'An empty group is removed unless it has journal entries or notes.',
    )
    .examples('journal-api ungroup tastytrade:spread:1f0c')
    .runs((ids: string[], options: Options) =>
      run('ungroup', options, (edit) => ungroupTrades(edit, ids)),
    );
}

function run(name: string, options: Options, act: (edit: Edit) => string[]): void {
  let kept: string[] = [];
  runEdit(name, tradeGroups, options, (edit) => {
    kept = act(edit);
  });
  for (const id of kept)
    note(`Group ${id} has no trades left; it is kept for its journal entries and notes.`);
}
