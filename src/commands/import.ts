/** `import`: its options and its subcommands. What reads files is loaded when it runs, since listing imports needs none of it. */
import { type Command, Option } from 'commander';
import { UsageError } from '../errors.ts';
import { registerImportList, registerImportUndo } from './import-history.ts';

/** @param formats names to choose from; undefined: none is chosen */
export function registerImport(program: Command, formats?: readonly string[]): void {
  const format = new Option('--format <format>', 'file format (default: detected from each file)');
  if (formats) format.choices(formats);
  const command = program.command('import');
  registerImportList(command);
  registerImportUndo(command);
  command
    .description('import files into the journal; creates it if there is none')
    .argument('[paths...]', 'files, or folders of files named after resources; - for standard input')
    .option('--as <resource>', 'what the files contain (default: by file name, such as trades.jsonl)')
    .addOption(format)
    .addOption(
      new Option(
        '--map <file>',
        'mapping that says what the columns of any other CSV or xlsx file are; "new" proposes one, and imports nothing',
      ).conflicts(['format', 'as']),
    )
    .option('--user <id>', 'owner of the records (default: me, else the only user)')
    .option('--account <name>', "account for trades that don't name one")
    .option('--timezone <zone>', 'time zone of times without an offset, such as America/New_York')
    .option('--date <day>', 'day of an export that has times only, such as 2026-11-20')
    .option(
      '--multiplier <symbol=number>',
      'what a point of a future is worth, where nothing else tells, such as ESZ6=50; can be repeated',
      addMultiplier,
    )
    .option('--allow-duplicates', 'import suspected duplicates of another export')
    .option('--no-groups', 'leave legs of spreads ungrouped')
    .option('--watch <folder>', 'import what is in a folder and whatever is put there, until stopped')
    .option('--prune', 'remove the records of notes that are gone from this folder')
    .option('--yes', 'with --prune: also if more than a fifth of the notes are gone')
    .option('--dry-run', 'report what would happen, and change nothing')
    .option('--json', 'the report as JSON')
    .option('--formats', 'list the formats, with what to export where, and import nothing')
    .option('--example <resource>', 'print a sample line to start from, and import nothing')
    .addHelpText(
      'after',
      `
Examples:
  $ journal-api import --formats
  $ journal-api import trades.jsonl
  $ journal-api import my-records/ --dry-run
  $ journal-api import ~/Vault/Trading --prune
  $ journal-api import --watch ~/Downloads/exports --account main
  $ journal-api import Performance.csv --account main --timezone America/Chicago
  $ my-export | journal-api import - --as trades
  $ journal-api import --example sessions > sessions.jsonl`,
    )
    .action(async (paths: string[], _options, command: Command) => {
      await (await import('./run-import.ts')).runImport(paths, command.optsWithGlobals());
    });
}

/** ESZ6=50, to be repeated. */
function addMultiplier(text: string, before: Map<string, number> = new Map()): Map<string, number> {
  const [symbol, number] = text.split(/=(?=[^=]*$)/);
  const multiplier = Number(number);
  if (!symbol?.trim() || number?.trim() === '' || !(multiplier > 0 && multiplier < 1e12)) {
    throw new UsageError(`--multiplier takes a symbol and a number above 0, such as ESZ6=50; got "${text}"`);
  }
  return new Map(before).set(symbol.trim().toUpperCase(), multiplier);
}
