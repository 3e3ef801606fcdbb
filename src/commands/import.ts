/** `import`: its options and subcommands. The readers of files are loaded only when it runs. */
import { Option } from 'commander';
import { UsageError } from '../errors.ts';
import { registerImportChange, registerImportList, registerImportUndo } from './import-history.ts';
import type { JournalCommand } from './shared/command.ts';
import type { ImportCommandOptions } from './shared/run-import.ts';

/** @param formats names of all formats; undefined for subcommands, which need none */
export function registerImport(program: JournalCommand, formats: readonly string[] = []): void {
  const command = program.command('import');
  registerImportList(command);
  registerImportUndo(command);
  registerImportChange(command);
  command
    .description('import files into the journal; creates it if there is none')
    .argument('[paths...]', 'files, or folders of files named after resources; - for standard input')
    .option('--as <resource>', 'what the files contain (default: by file name, such as trades.jsonl)')
    .option('--format <format>', 'file format, see below (default: detected from each file)')
    .addOption(
      new Option(
        '--map <file>',
        'mapping of the columns of any other CSV or xlsx file; "new" proposes one and imports nothing',
      ).conflicts(['format', 'as']),
    )
    .userOption('owner of the records')
    .option('--account <name>', 'account for trades without one')
    .option('--timezone <zone>', 'time zone of times without an offset, such as America/New_York')
    .option('--date <day>', 'day of an export with times only, such as 2026-11-20')
    .option('--symbol <name>', 'symbol of an export that names none, such as EURUSD')
    .option(
      '--multiplier <symbol=number>',
      'contract size of a future, if not in the file, such as ESZ6=50; repeatable',
      addMultiplier,
    )
    .option('--allow-duplicates', 'import suspected duplicates of another export')
    .option('--no-groups', 'leave legs of spreads ungrouped')
    .option('--watch <folder>', "import a folder's files, then new ones, until stopped")
    .option('--prune', 'remove the records of notes deleted from this folder')
    .option('--yes', 'with --prune: proceed even if more than a fifth of the notes are gone')
    .option('--dry-run', 'report what would happen, and change nothing')
    .option('--json', 'the report as JSON')
    .option('--formats', 'list the formats and what to export; imports nothing')
    .option('--example <resource>', 'print a sample line to start from; imports nothing')
    .explained(`Formats (--formats shows what to export where):\n${inColumns(formats)}`)
    .examples(
      'journal-api import --formats',
      'journal-api import trades.jsonl',
      'journal-api import my-records/ --dry-run',
      'journal-api import ~/Vault/Trading --prune',
      'journal-api import --watch ~/Downloads/exports --account main',
      'journal-api import Performance.csv --account main --timezone America/Chicago',
      'my-export | journal-api import - --as trades',
      'journal-api import --example sessions > sessions.jsonl',
    )
    .runs(async (paths: string[], options: ImportCommandOptions) =>
      (await import('./shared/run-import.ts')).runImport(paths, options),
    );
}

/** Names in alphabetical order, down three columns. */
function inColumns(names: readonly string[]): string {
  const sorted = names.toSorted();
  const rows = Math.ceil(sorted.length / 3);
  const width = Math.max(...sorted.map(({ length }) => length)) + 2;
  const cells = (row: number) => [row, row + rows, row + 2 * rows].map((at) => (sorted[at] ?? '').padEnd(width));
  return Array.from({ length: rows }, (_, row) => `  ${cells(row).join('')}`.trimEnd()).join('\n');
}

/** ESZ6=50; repeatable. */
function addMultiplier(text: string, before: Map<string, number> = new Map()): Map<string, number> {
  const [symbol, number] = text.split(/=(?=[^=]*$)/);
  const multiplier = Number(number);
  if (!symbol?.trim() || number?.trim() === '' || !(multiplier > 0 && multiplier < 1e12)) {
    throw new UsageError(`--multiplier takes a symbol and a number above 0, such as ESZ6=50; got "${text}"`);
  }
  return new Map(before).set(symbol.trim().toUpperCase(), multiplier);
}
