/**
 * `export`: writes a user's whole journal to a new folder of files, which `import`
 * restores unchanged.
 */
import { join, resolve } from 'node:path';
import { Option } from 'commander';
import { filesOf } from '../config.ts';
import { EXPORT_FORMS, type ExportForm } from '../export/forms.ts';
import { exportJournal } from '../export/index.ts';
import {
  counted,
  type JournalCommand,
  note,
  type Options,
  printJson,
  printTable,
  progressBar,
} from './shared/command.ts';

export function registerExport(program: JournalCommand): void {
  program
    .command('export')
    .description(
      "write all of a user's records to files in a new folder, which import restores unchanged",
    )
    .argument('<folder>', 'a folder that does not exist yet or is empty')
    .addOption(
      new Option('--as <form>', 'file format').choices(EXPORT_FORMS).default('jsonl'),
    )
    .userOption('owner of the records')
    .option('--json', 'the report as JSON')
    .explained('Only you can read the files, like the journal itself.')
    .examples(
      'journal-api export ~/journal-2026-11-20',
      'journal-api export ~/journal-2026-11-20 --as csv',
      'journal-api import ~/journal-2026-11-20 --home ~/another-journal',
    )
    .runs(run);
}

async function run(typed: string, options: Options & { as: ExportForm }): Promise<void> {
  const folder = resolve(typed);
  const { journal } = filesOf(options);
  const bar = progressBar();

  try {
    const report = await exportJournal({
      journal,
      folder,
      as: options.as,
      user: options.user,
      progress: bar.show,
    });
    bar.clear();
    if (report.cleaned > 0) {
      note(
        `${report.cleaned} records lost a NUL or an unpaired surrogate, ` +
          'written by another program: import rejects those.',
      );
    }
    if (options.json) return printJson(report);
    printTable(report.files, { FILE: 'file', CONTENTS: 'resource', RECORDS: 'records' });
    const { written, missing } = report.pictures;
    if (written > 0)
      note(`${counted(written, 'picture')} in ${join(folder, 'attachments')}.`);
    if (missing > 0)
      note(
        `${counted(missing, 'picture')} missing or changed; "journal-api check" names them.`,
      );
    note(`Written to ${folder}.`);
  } finally {
    bar.clear();
  }
}
