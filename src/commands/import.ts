/**
 * `import`: its options and subcommands: the history of imports, reverting one, reading
 * its file again. Readers of files are loaded only to run.
 */
import { dirname, resolve } from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import type { ChangeReport } from '../edit/change.ts';
import type { UndoReport } from '../edit/undo.ts';
import { UsageError, UserError } from '../errors.ts';
import type { ImportEntry } from '../statements/import-entry.ts';
import type { ListedImport } from '../statements/import-list.ts';
import { listImports } from '../statements/import-list.ts';
import {
  accountName,
  type Columns,
  counted,
  type JournalCommand,
  note,
  type Options,
  printJson,
  printTable,
  shellWord,
  showReport,
  targetOf,
  undoHint,
  widthsOf,
} from './shared/command.ts';

import { datesOption } from './shared/dates-option.ts';
import type { ImportCommandOptions } from './shared/import-options.ts';
import { agreedTo, agreedToEach } from './shared/terminal.ts';

/** @param formats names of all formats; undefined for subcommands, which need none */
export function registerImport(
  program: JournalCommand,
  formats: readonly string[] = [],
): void {
  const command = program.command('import');
  registerHistory(command);
  registerReread(command);
  registerForget(command);
  command
    .description('import files into the journal; creates it if there is none')
    .argument(
      '[paths...]',
      'files, or folders of files named after resources; - for standard input',
    )
    .option(
      '--as <resource>',
      'what the files contain (default: by file name, such as trades.jsonl)',
    )
    .option(
      '--format <format>',
      'file format, see below (default: detected from each file)',
    )
    .addOption(
      new Option(
        '--map <file>',
        'mapping of the columns of any other CSV or xlsx file; "new" drafts one and imports nothing',
      ).conflicts(['format', 'as']),
    )
    .userOption('owner of the records')
    .option('--account <name>', 'account for trades without one', accountName)
    .option(
      '--timezone <zone>',
      'time zone of times without an offset, such as America/New_York',
    )
    .addOption(datesOption())
    .option('--date <day>', 'day of an export with times only, such as 2026-11-20')
    .option('--symbol <name>', 'symbol of an export that names none, such as EURUSD')
    .option(
      '--multiplier <symbol=number>',
      'contract size of a future, if not in the file, such as ESZ6=50; repeatable',
      addMultiplier,
    )
    .option('--allow-duplicates', 'import suspected duplicates of another export')
    .option('--no-groups', 'leave legs of spreads ungrouped')
    .option('--no-keep', "don't keep the bytes of the files in the journal")
    .option('--no-pictures', 'leave pictures of notes as text')
    .option('--watch <folder>', "import a folder's files, then new ones, until stopped")
    .option('--prune', 'remove the records of notes deleted from this folder')
    .option(
      '--yes',
      'with --map: import what it reads without a question; with --prune: even if over a fifth of the notes are gone; keep pictures and first cash flows that keys show, and over 2,000 pictures',
    )
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
  const cell = (at: number) => (sorted[at] ?? '').padEnd(width);
  const lineOf = (row: number) =>
    `  ${cell(row)}${cell(row + rows)}${cell(row + 2 * rows)}`;
  const lines = Array.from({ length: rows }, (_, row) => lineOf(row).trimEnd());
  return lines.join('\n');
}

/** ESZ6=50; repeatable. */
function addMultiplier(
  text: string,
  before: Map<string, number> = new Map(),
): Map<string, number> {
  const [symbol, number] = text.split(/=(?=[^=]*$)/);
  const multiplier = Number(number);
  if (
    !symbol?.trim() ||
    number?.trim() === '' ||
    !(multiplier > 0 && multiplier < 1e12)
  ) {
    throw new UsageError(
      `--multiplier takes a symbol and a number above 0, such as ESZ6=50; got "${text}"`,
    );
  }

  return new Map(before).set(symbol.trim().toUpperCase(), multiplier);
}

// The history of imports.

function registerHistory(program: JournalCommand): void {
  program
    .command('list')
    .description(
      'list imported files and commands that wrote to the journal, latest first',
    )
    .explained('--user and --json work as they do for import.')
    .examples('journal-api import list')
    .runs(list);
  program
    .command('undo')
    .description(
      'undo an import or command; records that other files contain too are kept',
    )
    .argument(
      '[id]',
      'id of the import, from "import list" (default: the latest)',
      importId,
    )
    .explained('--user, --json and --dry-run work as they do for import.')
    .examples('journal-api import undo', 'journal-api import undo 3')
    .runs(undo);
  program
    .command('change')
    .description(
      'read the file of an import again, with another account, time zone or other options',
    )
    .argument('<id>', 'id of the import, from "import list"', importId)
    .argument(
      '[file]',
      'the file, if its bytes are not kept and it is no longer where it was',
    )
    .explained(
      `Takes --account, --timezone, --dates, --multiplier, --map, --format, --date, --symbol, --yes, --user, --dry-run and --json of import; options that
aren't given stay as they were. Without any, the file is read by the current version's reader. What you wrote since stays with the rows of the file.
"journal-api import undo" reverts it.`,
    )
    .examples(
      'journal-api import change 3 --timezone America/Chicago --dry-run',
      'journal-api import change 3 --account main --yes',
    )
    .action((id: number, file: string | undefined, _options, command: JournalCommand) => {
      const other = NOT_OF_CHANGE.find(
        (name) => command.parent?.getOptionValueSource(name) === 'cli',
      );
      if (other !== undefined)
        throw new UsageError(
          `import change takes no ${flagOf(other, command)}; remove it`,
        );
      return change(id, file, command.optsWithGlobals());
    });
}

function registerReread(program: JournalCommand): void {
  program
    .command('reread')
    .description(
      "read kept files again with this version's readers, and apply what differs",
    )
    .argument(
      '[id]',
      'id of the import, from "import list" (default: all that another version read)',
      importId,
    )
    .explained(
      `Takes --yes, --user, --dry-run and --json of import. Files are read with the options of their import. Each import that differs
is one line of "import list", which "import undo" reverts. A file that can't be read is named, and stays as it is.`,
    )
    .examples(
      'journal-api import reread --dry-run',
      'journal-api import reread',
      'journal-api import reread 3',
    )
    .action((id: number | undefined, _options, command: JournalCommand) => {
      const typed = command.parent?.options.map((option) => option.attributeName()) ?? [];
      const other = typed.find(
        (name) =>
          !OF_REREAD.includes(name) &&
          command.parent?.getOptionValueSource(name) === 'cli',
      );
      if (other !== undefined) {
        const flag = flagOf(other, command);
        throw new UsageError(
          `import reread takes no ${flag}; remove it, or use import change, which may take it`,
        );
      }

      return reread(id, command.optsWithGlobals());
    });
}

function registerForget(program: JournalCommand): void {
  program
    .command('forget')
    .description('drop the kept bytes of imported files; trades and records stay')
    .argument('[id]', 'id of the import, from "import list"', importId)
    .option('--all', 'the bytes of all imports')
    .explained(
      `--user, --json and --dry-run work as they do for import.
Earlier backups still hold the bytes.`,
    )
    .examples('journal-api import forget 3', 'journal-api import forget --all')
    .runs(forget);
}

function importId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new InvalidArgumentError('Pass a number from "import list", such as 3.');
  return Number(text);
}

/** Columns of a line that isn't on a terminal. */
const COLUMNS = 100;

function list(options: Options): void {
  const imports = listImports(targetOf(options));
  if (options.json) return printJson(imports);
  if (imports.length === 0) return note('Nothing has been imported yet.');

  const columns: Columns<ListedImport> = {
    ID: 'id',
    IMPORTED: ({ imported_at }) => `${imported_at.slice(0, 16).replace('T', ' ')}Z`,
    FORMAT: ({ format, of }) => (of === null ? format : `${format} of ${of}`),
    ROWS: 'rows',
    FILLS: 'fills',
    TRADES: 'trades',
    RECORDS: 'records',
    SKIPPED: ({ skipped }) =>
      Object.values(skipped).reduce((sum, count) => sum + count, 0),
  };
  const widths = widthsOf(imports, columns);
  const width = process.stdout.columns || COLUMNS;
  const room = Math.max(20, width - widths.reduce((sum, column) => sum + column + 2, 0));

  printTable(
    imports,
    { ...columns, 'FILE OR COMMAND': ({ file }) => cut(file, room) },
    imports.map((entry) =>
      cut(
        [
          entry.file.length > room ? entry.file : '',
          readAs(entry),
          notReconciledIn(entry),
        ]
          .filter(Boolean)
          .join(' '),
        width - (widths[0] ?? 0) - 2,
      ),
    ),
  );
}

function notReconciledIn({ unmatched, differing_totals }: ListedImport): string {
  const closes = unmatched === 0 ? [] : [`unmatched closes: ${unmatched}`];
  const totals =
    differing_totals === 0 ? [] : [`totals that differ: ${differing_totals}`];
  const all = [...closes, ...totals];

  return all.length === 0 ? '' : `(${all.join('; ')})`;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** Options that name a value. */
const NAMED = [
  'as',
  'account',
  'timezone',
  'dates',
  'map',
  'format',
  'date',
  'symbol',
] as const;

/** How a file was read, as typed, and its folder. */
function readAs({ path, options, account, sha256 }: ImportEntry): string {
  const known: NonNullable<ImportEntry['options']> =
    account === null || sha256 === null ? {} : { account };
  const read = options ?? known;
  const named = NAMED.flatMap((name) =>
    read[name] === undefined ? [] : [`--${name} ${shellWord(read[name])}`],
  );
  const sizes = Object.entries(read.multipliers ?? {}).map(
    ([symbol, size]) => `--multiplier ${shellWord(`${symbol}=${size}`)}`,
  );
  const all = [
    ...named,
    ...sizes,
    read.allow_duplicates ? '--allow-duplicates' : '',
    read.no_groups ? '--no-groups' : '',
    path === null ? '' : `in ${dirname(path)}`,
  ];

  return all.filter((text) => text !== '').join(' ');
}

async function undo(id: number | undefined, options: Options): Promise<void> {
  const { undoImport } = await import('../edit/undo.ts');
  const report = undoImport(targetOf(options), id);
  showReport(report, options, () => {
    const { undone, trades, groups } = report;
    const verb = options.dryRun ? 'Would undo' : 'Undid';
    note(`${verb} import ${undone.id}, ${undone.file}.`);
    for (const line of countsOfUndo(report)) note(line);
    for (const { resource, id } of report.missing) {
      note(
        `${id} (${resource}) is no longer in the journal; its labels weren't restored: check the trade with its fills.`,
      );
    }

    for (const id of groups.kept) {
      note(
        `Group ${id} has no trades left; it is kept for its journal entries and notes.`,
      );
    }

    for (const { from, to } of trades.moved)
      note(`Labels and journal entries moved from ${from} to ${to}.`);
  });
}

/** Numbers of records and trades, in a line each. */
function countsOfUndo({ fills, records, trades }: UndoReport): string[] {
  const kept = fills.kept + records.kept;
  return [
    `Removed: ${counted(fills.removed, 'fill')}, ${counted(records.removed, 'record')}.`,
    `Restored: ${counted(records.restored, 'record')}.`,
    `Kept, because other files contain them: ${kept}.`,
    `Trades: ${trades.removed} removed, ${trades.changed} changed, ${trades.added} added.`,
  ];
}

async function forget(
  id: number | undefined,
  options: Options & { all?: boolean },
): Promise<void> {
  if (options.all && id !== undefined)
    throw new UsageError('pass an import or --all, not both');
  if (!options.all && id === undefined)
    throw new UsageError(
      'no import given; pass its id from "import list", such as 3, or --all',
    );

  const { forgetFiles } = await import('../edit/forget.ts');
  const report = forgetFiles(targetOf(options), id);
  showReport(report, options, () => {
    const { imports, bytes } = report;
    const named = id === undefined ? undefined : `import ${id}`;
    if (imports === 0) return note(`No file of ${named ?? 'any import'} is kept.`);

    const others = bytes === 0 ? ', since other imports keep the same contents' : '';
    note(
      `Forgot files of ${named ?? counted(imports, 'import')}: ${bytes} bytes freed${others}.`,
    );
    note('Earlier backups still hold them.');
  });
}

async function loadAllReaders(): Promise<void> {
  const { loadAll } = await import('../import/on-demand.ts');
  return loadAll();
}

/** Options of import that a reread takes. */
const OF_REREAD = ['user', 'dryRun', 'json', 'yes'];

async function reread(
  id: number | undefined,
  options: ImportCommandOptions,
): Promise<void> {
  const { rereadFiles } = await import('../edit/reread.ts');
  await loadAllReaders();
  const { differencesIn, namesOf } = await import('./shared/rereading.ts');
  const target = { ...targetOf(options), id };
  const report = await agreedToEach(
    (attempt) => rereadFiles({ ...target, ...attempt }),
    options,
  );
  const { read, different, imports, failed } = report;

  showReport(report, options, () => {
    const isNone = read + failed.length === 0;
    if (isNone) note("This version's readers read all kept files already.");
    else if (different.length === 0 && read > 0)
      note(`${counted(read, 'import')} read again: nothing differs.`);

    if (different.length > 0) {
      note(`${differencesIn(report)}.`);
      note(`Different: ${namesOf(different)}.`);
    }

    for (const { id: kept, file, problem } of failed)
      note(`Import ${kept} (${file}) stays as it is: ${problem}`);
    showKeys(report);
    for (const line of imports.toReversed()) note(undoHint(line));
  });
  if (failed.length > 0)
    throw new UserError(`${counted(failed.length, 'file')} not read again, named above`);
}

/**
 * Options of import that a change keeps as they were, or that read no file of an import.
 */
const NOT_OF_CHANGE = [
  'as',
  'allowDuplicates',
  'groups',
  'keep',
  'watch',
  'prune',
  'formats',
  'example',
];

function flagOf(name: string, { parent }: JournalCommand): string {
  return parent?.options.find((option) => option.attributeName() === name)?.long ?? name;
}

async function change(
  id: number,
  file: string | undefined,
  options: ImportCommandOptions,
): Promise<void> {
  const { changeImport } = await import('../edit/change.ts');
  await loadAllReaders();
  const { loadMapping } = await import('../import/mapping/load.ts');
  const { readAgainLines, readBackLines } = await import('../import/report/read-back.ts');
  const { refuseWrong } = await import('./shared/import-options.ts');
  const { failForLeftOut } = await import('./shared/show-import.ts');
  const { account, timezone, dates, multiplier, map, format, date, symbol } = options;
  refuseWrong(options);

  const flags = {
    account,
    timezone,
    dates,
    map: map && resolve(map),
    format,
    date,
    symbol,
  };
  const kept = Object.entries(flags).filter(([, value]) => value !== undefined);
  const sizes = multiplier && Object.fromEntries(multiplier);
  const given = { ...Object.fromEntries(kept), ...(sizes && { multipliers: sizes }) };
  const words = kept.map(([name, value]) => ` --${name} ${shellWord(String(value))}`);
  const more = Object.entries(sizes ?? {}).map(
    ([symbol, size]) => ` --multiplier ${symbol}=${size}`,
  );
  const line = `import change ${id}${[...words, ...more].join('')}`;
  const target = {
    ...targetOf(options),
    id,
    file,
    given,
    map: map === undefined ? undefined : loadMapping(map),
  };
  const report = await agreedTo(
    (attempt) => changeImport({ ...target, ...attempt }, line),
    options,
  );
  const { differingTotals } = await import('../import/report/report.ts');
  showReport(report, options, () => {
    for (const { report: ofFile } of report.changed) readBackLines(ofFile).map(note);
    for (const line of readAgainLines(report)) note(line);
    showChange(id, report, options);
    for (const { report: ofFile } of report.changed) differingTotals(ofFile).map(note);
  });
  failForLeftOut(report.changed.map(({ report: ofFile }) => ofFile));
}

function showChange(
  id: number,
  report: ChangeReport,
  { account, timezone }: ImportCommandOptions,
): void {
  const { trades, records, days, moved } = report;
  for (const { id: changed, file, report: ofFile } of report.changed) {
    if (changed !== id)
      note(
        `Import ${changed} (${file}) states some of the same rows and is changed, too.`,
      );
    for (const line of ofFile.notes) note(`${file}: ${line}`);
    for (const { file: at, line, message } of ofFile.problems)
      note(`${at}:${line}: ${message}`);
  }

  note(
    `Trades: ${trades.changed} changed, ${trades.added} added, ${trades.removed} removed. Other records: ${records}. Days with another net P&L: ${days.length}.`,
  );
  if (days.length > 0)
    printTable(days, {
      DAY: 'date',
      BEFORE: ({ before }) => before.toFixed(2),
      AFTER: ({ after }) => after.toFixed(2),
    });

  for (const { from, to } of moved)
    note(`Labels and journal entries moved from ${from} to ${to}.`);
  for (const { note: file, date } of report.notes)
    note(`${file}: a heading has the old time of a trade of ${date}.`);
  showKeys(report);
  if (report.import !== null) return note(undoHint(report.import));
  if (report.dry_run) return;

  note('Nothing changed.');
  if (account !== undefined)
    note(
      'Rows that state an account keep it; to rename it: journal-api account rename OLD NEW',
    );
  if (timezone !== undefined) note('Times that state their zone keep it.');
}

function showKeys({ keys }: Pick<ChangeReport, 'keys'>): void {
  for (const { id, name, before, after } of keys)
    note(`Key ${id} (${name}) shows ${after} trades; before ${before}.`);
}
