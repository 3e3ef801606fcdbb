/** `export`: writes a user's whole journal to a new folder of files, which `import` restores unchanged. */
import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { EXPORT_FORMS, type ExportForm } from '../export/forms.ts';
import { exportJournal } from '../export/index.ts';
import { note, printJson, printTable } from './shared/output.ts';
import { progressBar } from './shared/progress.ts';

interface Options extends GlobalOptions {
  as: ExportForm;
  user?: string;
  json?: boolean;
}

export function registerExport(program: Command): void {
  program
    .command('export')
    .description("write all of a user's records to files in a new folder, which import restores unchanged")
    .argument('<folder>', 'a folder that does not exist yet or is empty')
    .addOption(new Option('--as <form>', 'file format').choices(EXPORT_FORMS).default('jsonl'))
    .option('--user <id>', 'owner of the records (default: me, else the only user)')
    .option('--json', 'the report as JSON')
    .addHelpText(
      'after',
      `
Only you can read the files, like the journal itself.

Examples:
  $ journal-api export ~/journal-2026-11-20
  $ journal-api export ~/journal-2026-11-20 --as csv
  $ journal-api import ~/journal-2026-11-20 --home ~/another-journal`,
    )
    .action((folder: string, _options, command: Command) => run(resolve(folder), command.optsWithGlobals()));
}

async function run(folder: string, options: Options): Promise<void> {
  const { journal } = filesOf(options);
  const bar = progressBar();
  try {
    const report = await exportJournal({ journal, folder, as: options.as, user: options.user, progress: bar.show });
    bar.clear();
    if (report.cleaned > 0) {
      note(
        `${report.cleaned} records lost a NUL or an unpaired surrogate, written by another program: import rejects those.`,
      );
    }
    if (options.json) return printJson(report);
    printTable(
      ['FILE', 'CONTENTS', 'RECORDS'],
      report.files.map(({ file, resource, records }) => [file, resource, String(records)]),
    );
    note(`Written to ${folder}.`);
  } finally {
    bar.clear();
  }
}
