/** Runs `import`: stores files in the journal and reports the result. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { filesOf } from '../../config.ts';
import { pruneNotes } from '../../edit/edit.ts';
import { UsageError, UserError } from '../../errors.ts';
import { exampleOf } from '../../import/example.ts';
import { USER_FILE } from '../../import/files/exported.ts';
import { KNOWN_FORMATS, resourceNamed } from '../../import/files/recognise.ts';
import { FolderWatch } from '../../import/files/watch.ts';
import { FilesFailed, type ImportOptions, importPaths } from '../../import/index.ts';
import { loadMapping } from '../../import/mapping/load.ts';
import type { ImportReport } from '../../import/report/report.ts';
import {
  figuresOf,
  isPlatformFile,
  outlookOf,
  rateLines,
  warningsOf,
  withoutFees,
} from '../../import/report/report.ts';
import { listImports } from '../../import/write/target-journal.ts';
import { sessions } from '../../journal/resources/sessions.ts';
import { backUpBeforeImport, writeJournal } from '../../journal-write/open.ts';
import { userFor } from '../../journal-write/read.ts';
import { DEFAULT_ZONE, zoneProblem } from '../../journal-write/users.ts';
import { withoutKeys } from '../../keys/format.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { changeUser } from '../../statements/days.ts';
import { isDate } from '../../time.ts';
import {
  note,
  type Options,
  print,
  printData,
  printJson,
  printTable,
  progressBar,
  shellWord,
  targetOf,
} from './command.ts';
import { runEdit } from './edits.ts';
import { untilStopped } from './serving.ts';
import { asked, type Terminal, terminalHere } from './terminal.ts';

/** V8's flags: without them 100,000 fills take 450 MB, and 500,000 trades 300. */
const SAVE_MEMORY = ['--heap-growing-percent=20', '--semi-space-growth-factor=1'];

export interface ImportCommandOptions extends Options {
  as?: string;
  format?: string;
  account?: string;
  timezone?: string;
  dates?: 'dmy' | 'mdy';
  example?: string;
  formats?: boolean;
  date?: string;
  symbol?: string;
  map?: string;
  watch?: string;
  prune?: boolean;
  yes?: boolean;
  /** Time zone of the user of a new journal. */
  zone?: string | undefined;
  multiplier?: Map<string, number>;
  allowDuplicates?: boolean;
  groups?: boolean;
  keep?: boolean;
}

export async function runImport(paths: string[], options: ImportCommandOptions): Promise<void> {
  if (options.formats) {
    if (paths.length > 0)
      throw new UsageError('--formats only lists the formats; remove the paths');
    return showFormats(options.json === true);
  }
  if (options.example !== undefined) {
    if (paths.length > 0)
      throw new UsageError('--example only prints a sample line; remove the paths');
    printData(JSON.stringify(exampleOf(resourceNamed(options.example))));
    return;
  }
  if (options.watch === undefined && paths.length === 0)
    throw new UsageError('no files given; name files or folders, such as trades.jsonl');
  refuseWrong(options);
  if (options.map === 'new') return draft(paths, options);
  const zone = await zoneOfNewUser(paths, options);
  if (options.watch !== undefined && options.prune)
    throw new UsageError('--watch and --prune exclude each other; run --prune separately');
  if (options.watch !== undefined) return watch(options.watch, paths, { ...options, zone });
  if (options.prune) refuseFiles(paths);
  if (options.map !== undefined) {
    const { confirmMapping } = await import('./confirm-mapping.ts');
    saveMemory();
    await confirmMapping(paths, loadMapping(options.map), { ...options, zone });
  }
  const isFirst = !options.json && isFirstImport(options);
  const report = imported(paths, { ...options, zone });
  show(report, options);
  if (options.prune) for (const path of paths) prune(resolve(path), options);
  if (!options.json) suggestFees(report, options);
  if (!options.json && !options.dryRun) showNext(report, options, isFirst);
  failForLeftOut(report.files);
}

/**
 * @throws UsageError for an unknown time zone or a wrong date, or an order of dates beside a
 * mapping
 */
export function refuseWrong({ timezone, date, dates, map }: ImportCommandOptions): void {
  if (dates !== undefined && map !== undefined && map !== 'new')
    throw new UsageError(
      'a mapping states the order of its dates; correct "dates" in it and remove --dates',
    );
  const problem = timezone === undefined ? undefined : zoneProblem(timezone);
  if (problem !== undefined) throw new UsageError(`--timezone ${problem}`);
  if (date !== undefined && !isDate(date))
    throw new UsageError(`--date takes a day, such as 2026-11-20; got "${date}"`);
}

/** @throws UserError if lines were left out */
export function failForLeftOut(files: readonly { problems: readonly unknown[] }[]): void {
  const { length } = files.flatMap(({ problems }) => problems);
  if (length === 0) return;
  const lines =
    length === 1
      ? '1 line left out, named above; correct it'
      : `${length} lines left out, named above; correct them`;
  throw new UserError(`${lines} and import again`);
}

/** Only a folder shows that a note was deleted. */
function refuseFiles(paths: readonly string[]): void {
  const file = paths.find((path) => !statSync(path, { throwIfNoEntry: false })?.isDirectory());
  if (file !== undefined)
    throw new UsageError(`--prune needs a folder of notes; ${file} isn't a folder`);
}

function prune(folder: string, options: ImportCommandOptions): void {
  // The dry run of an import creates no journal.
  if (!fileExists(filesOf(options).journal)) return;
  runEdit('prune', sessions, options, (own) => pruneNotes(own, folder, options.yes === true));
}

/** Prints a report per file, with --json on one line each. */
async function watch(
  folder: string,
  paths: readonly string[],
  options: ImportCommandOptions,
): Promise<void> {
  if (paths.length > 0)
    throw new UsageError('--watch imports the files of its folder; remove the paths');
  // Links in the folder's own path are the owner's; links below it aren't followed.
  const real = existsSync(folder) ? realpathSync(folder) : resolve(folder);
  const confirming = options.map === undefined ? undefined : await import('./confirm-mapping.ts');
  return watchFolder(real, (path) => {
    if (options.map !== undefined)
      confirming?.refuseUnconfirmed(path, loadMapping(options.map), options, real);
    const report = imported([path], options, real);
    if (options.json) printData(withoutKeys(JSON.stringify(report)));
    else show(report, { ...options, json: false });
  });
}

const EVERY_MS = 1000;

/**
 * A separate process, so that the service stays read-only. Ends on a signal, after the current
 * file.
 * @param take imports a file and reports it
 */
async function watchFolder(folder: string, take: (path: string) => void): Promise<void> {
  const watch = new FolderWatch({ folder, take, note });
  watch.start();
  const ending = new AbortController();
  const stopped = untilStopped().then(() => ending.abort());
  note(`Watching ${folder}. Stop with Ctrl-C.`);
  while (!ending.signal.aborted) {
    for (const _ of watch.look()) {
      await immediate();
      if (ending.signal.aborted) break;
    }
    await sleep(EVERY_MS, undefined, { signal: ending.signal }).catch(() => {});
  }
  await stopped;
}

/**
 * The time zone of a user who has set none, asked at the terminal before the first import. Without
 * one UTC, because a server's zone needn't be its trader's.
 */
async function zoneOfNewUser(
  paths: readonly string[],
  options: ImportCommandOptions,
): Promise<string | undefined> {
  const { journal } = filesOf(options);
  // An exported journal has its user's settings.
  if (options.dryRun || paths.some((path) => fileExists(join(path, USER_FILE)))) return undefined;
  const isReal = paths.every((path) => path === '-' || existsSync(path));
  const terminal = isReal ? terminalHere() : undefined;
  if (!terminal) return undefined;
  if (!fileExists(journal)) return askForZone(terminal, `No journal at ${journal} yet.`);
  if (options.timezone !== undefined || !isZoneUnset(options) || !readsAssumedZone(paths, options))
    return undefined;
  const zone = await askForZone(
    terminal,
    'The file has times without a zone, and your journal has no time zone yet.',
  );
  setUnsetZone(zone, options);
  return zone;
}

function askForZone(terminal: Terminal, why: string): Promise<string> {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  const zone = zoneProblem(own) === undefined ? own : DEFAULT_ZONE;
  return asked(
    terminal,
    `${why} What is the time zone of your trading days? [${zone}] `,
    (typed) => (typed === '' ? zone : zoneProblem(typed) === undefined ? typed : undefined),
    (typed) => `The time zone ${zoneProblem(typed)}`,
  );
}

/** Whether a user with the default time zone has imported nothing yet. */
function isZoneUnset(options: ImportCommandOptions): boolean {
  const { journal, user } = targetOf(options);
  return (
    userFor(journal, user).timezone === DEFAULT_ZONE && listImports({ journal, user }).length === 0
  );
}

/** Whether any of the files has times that are read in the user's time zone. */
function readsAssumedZone(paths: readonly string[], options: ImportCommandOptions): boolean {
  if (paths.length === 0 || paths.includes('-')) return false;
  try {
    const { notices } = importPaths(importOptions([...paths], { ...options, dryRun: true }));
    return notices.some(({ code }) => code === 'assumed_zone' || code === 'unlikely_zone');
  } catch {
    // The import itself reports what is wrong.
    return false;
  }
}

/** Unless another program has set the time zone or imported something meanwhile. */
function setUnsetZone(timezone: string, options: ImportCommandOptions): void {
  const { journal, backups, user } = targetOf(options);
  const { id } = userFor(journal, user);
  const backUp = (now: string) => backUpBeforeImport(journal, backups, now);
  writeJournal(journal, (db) =>
    db
      .transaction(() => {
        if (isZoneUnset(options)) changeUser(db, id, { timezone }, { now: Date.now(), backUp });
      })
      .immediate(),
  );
}

/** Drafts a mapping for a file of unknown format. */
async function draft(paths: string[], options: ImportCommandOptions): Promise<void> {
  if (options.watch !== undefined)
    throw new UsageError('--watch needs an existing mapping; create one with "--map new" first');
  if (options.dryRun) throw new UsageError('--map new never imports; remove --dry-run');

  const { draftMapping } = await import('./draft-mapping.ts');
  const { file, questions } = draftMapping(paths, {
    timeZone: options.timezone,
    dates: options.dates,
  });
  if (options.json) printData(withoutKeys(JSON.stringify({ file, questions }, null, 2)));
  else for (const question of questions) print(withoutKeys(question));
  note(`Wrote a draft of a mapping to ${file}. Nothing was imported.`);
  const first = questions.length > 0 ? `Replace each "?" in ${file}` : `Check ${file}`;
  note(`${first}, then: journal-api import ${shellWord(paths[0] ?? '')} --map ${shellWord(file)}`);
}

/** While a watch waits for a lock, it stops on no signal; it tries again later. */
const WATCH_PATIENCE_MS = 1000;

/** What the options of the command mean. */
function importOptions(paths: string[], options: ImportCommandOptions): ImportOptions {
  return {
    ...options,
    ...targetOf(options),
    paths,
    map: options.map === undefined ? undefined : loadMapping(options.map),
    timeZone: options.timezone,
    multipliers: options.multiplier,
    saveMemory,
    collectGarbage,
  };
}

function imported(paths: string[], options: ImportCommandOptions, watched?: string): ImportReport {
  const bar = progressBar();
  try {
    return importPaths({
      ...importOptions(paths, options),
      noLinks: watched !== undefined,
      ...(watched !== undefined && { patience: WATCH_PATIENCE_MS }),
      folder: watched,
      note(line) {
        bar.clear();
        note(line);
      },
      readingLong: (file) => bar.announce(`reading ${file}`),
      progress: bar.show,
    });
  } catch (error) {
    bar.clear();
    if (error instanceof FilesFailed) show(error.report, options);
    throw error;
  } finally {
    bar.clear();
  }
}

function saveMemory(): void {
  for (const flag of SAVE_MEMORY) setFlagsFromString(flag);
}

/**
 * Without it, V8 keeps the garbage of reading while SQLite needs memory: 40 MB for 100,000 fills,
 * for 6 % of the processor time.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  // Any other flavour leaves sparse pages and a pool of empty ones.
  runInNewContext('gc')({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

function showFormats(json: boolean): void {
  const known = KNOWN_FORMATS.map(({ name, evidence = null, description }) => ({
    name,
    evidence,
    description,
  }));
  if (json) return printJson(known);
  printTable(known, { FORMAT: 'name', 'TRIED WITH': 'evidence', 'WHAT TO EXPORT': 'description' });
}

function show(report: ImportReport, options: ImportCommandOptions): void {
  const { json } = options;
  const platformFiles = report.files.filter(isPlatformFile);
  for (const { file, reason } of report.ignored) note(`skipped ${file}: ${reason}`);
  for (const file of report.files.filter((own) => json === true || !isPlatformFile(own))) {
    for (const { reason, count } of file.skipped) note(`${file.file}: skipped ${count}: ${reason}`);
  }
  for (const file of platformFiles) warningsOf(file, report.user).map(note);
  for (const file of report.files) rateLines(file).map(note);
  for (const { message, command } of report.notices)
    note(`${message}: ${command}${again(options)}`);
  if (report.dry_run) note('Dry run: nothing was written.');
  if (json) return printData(withoutKeys(JSON.stringify(report, null, 2)));
  printTable(report.files, {
    FILE: 'file',
    CONTENTS: 'resource',
    ADDED: 'added',
    CHANGED: 'changed',
    UNCHANGED: 'unchanged',
    SKIPPED: ({ skipped }) => skipped.reduce((sum, { count }) => sum + count, 0),
  });
  for (const file of platformFiles)
    for (const line of ['', ...figuresOf(file, report.timezone)]) print(line);
}

/** Missing fees make every result too good, so this is reported once per import. */
function suggestFees(report: ImportReport, options: ImportCommandOptions): void {
  const [first, ...more] = withoutFees(report);
  if (first === undefined) return;
  const others =
    more.length === 0 ? '' : more.length < 4 ? `, ${more.join(', ')}` : ` and ${more.length} more`;
  note(
    `No fees known for ${first}${others}; set yours per contract and side, such as: journal-api fees set ${shellWord(`${first}=0.62`)}${again(options)}`,
  );
}

/** The flags to type again in another command. */
function again({ user, home }: { user?: string | undefined; home?: string | undefined }): string {
  return `${user === undefined ? '' : ` --user ${shellWord(user)}`}${home === undefined ? '' : ` --home ${shellWord(home)}`}`;
}

function isFirstImport(options: ImportCommandOptions): boolean {
  const { journal } = filesOf(options);
  return !fileExists(journal) || listImports({ journal, user: options.user }).length === 0;
}

/**
 * Prints the commands from an import to the first figures; after the first import one line is
 * enough.
 */
function showNext(report: ImportReport, options: ImportCommandOptions, isFirst: boolean): void {
  const outlook = outlookOf(report);
  if (!outlook) return;
  const { start, end, baseCurrency } = outlook;
  const flags = again(options);
  if (!isFirst)
    return note(
      `Next: journal-api summary --start ${start} --end ${end}${flags}, or journal-api open${flags}`,
    );
  const where = again({ home: options.home });
  const currency =
    baseCurrency === null
      ? ''
      : `  journal-api user set ${report.user} --base-currency ${baseCurrency}${where}\n`;
  note(`
Next, open it in the browser:
${currency}  journal-api open${flags}
Or create a key for a program, start the service, and query it:
  KEY=$(journal-api key create --name "local agent" --scopes all --expires 30d${flags})
  journal-api serve --log off${where} &
  curl -H "Authorization: Bearer $KEY" "http://127.0.0.1:4747/v1/analytics/summary?start=${start}&end=${end}"`);
}
