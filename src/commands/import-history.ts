/** `import list` and `import undo`: the history of imports, and reverting one. */
import { type Command, InvalidArgumentError } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { listImports } from '../import/write/target-journal.ts';
import { note, printJson, printTable } from './shared/output.ts';

interface Options extends GlobalOptions {
  user?: string;
  json?: boolean;
  dryRun?: boolean;
}

export function registerImportList(program: Command): void {
  program
    .command('list')
    .description('list imported files and commands that wrote to the journal, latest first')
    .addHelpText('after', '\n--user and --json work as they do for import.\n\nExample:\n  $ journal-api import list')
    .action((_options, command: Command) => list(command.optsWithGlobals()));
}

export function registerImportUndo(program: Command): void {
  program
    .command('undo')
    .description('undo an import or command; records that other files contain too are kept')
    .argument('[id]', 'id of the import, from "import list" (default: the latest)', importId)
    .addHelpText(
      'after',
      '\n--user, --json and --dry-run work as they do for import.\n\nExamples:\n  $ journal-api import undo\n  $ journal-api import undo 3',
    )
    .action((id: number | undefined, _options, command: Command) => undo(id, command.optsWithGlobals()));
}

function importId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Pass a number from "import list", such as 3.');
  return Number(text);
}

/** Longest command line in the table; --json has all of it. */
const LONGEST = 60;

function list(options: Options): void {
  const { journal } = filesOf(options);
  const imports = listImports({ journal, user: options.user });
  if (options.json) return printJson(imports);
  if (imports.length === 0) return note('Nothing has been imported yet.');
  printTable(
    ['ID', 'IMPORTED', 'FILE', 'FORMAT', 'ACCOUNT', 'ROWS', 'FILLS', 'TRADES', 'RECORDS', 'SKIPPED'],
    imports.map(({ id, imported_at, file, format, account, rows, fills, trades, records, skipped }) => [
      String(id),
      imported_at,
      file.length > LONGEST ? `${file.slice(0, LONGEST)}…` : file,
      format,
      account ?? '-',
      ...[rows, fills, trades, records, Object.values(skipped).reduce((sum, count) => sum + count, 0)].map(String),
    ]),
  );
}

async function undo(id: number | undefined, options: Options): Promise<void> {
  const { undoImport } = await import('../import/edit/undo.ts');
  const { journal, backups } = filesOf(options);
  const report = undoImport({ journal, backups, user: options.user, dryRun: options.dryRun, now: Date.now() }, id);
  if (options.json) return printJson(report);
  const { undone, fills, trades, groups, records } = report;
  if (options.dryRun) note('Dry run: nothing was written.');
  note(
    `Undid import ${undone.id}, ${undone.file}. Removed: ${fills.removed} fills, ${records.removed} records. Restored: ${records.restored} records. Kept, because other files contain them: ${fills.kept + records.kept}. Trades: ${trades.removed} removed, ${trades.changed} changed, ${trades.added} added.`,
  );
  for (const { resource, id } of report.missing) {
    note(
      `${id} (${resource}) is no longer in the journal; its labels weren't restored: check the trade with its fills.`,
    );
  }
  for (const id of groups.kept) note(`Group ${id} has no trades left; it is kept for its journal entries and notes.`);
  for (const { from, to } of trades.moved) note(`Labels and journal entries moved from ${from} to ${to}.`);
}
