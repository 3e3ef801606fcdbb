/**
 * Runs `import`: which of its tasks the options ask for, and storing files in the
 * journal.
 */
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { filesOf } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { mappings, type Plan } from '../../import/files/plan.ts';
import { KNOWN_FORMATS, resourceNamed } from '../../import/files/recognise.ts';
import { FilesFailed, importPaths, planFiles } from '../../import/index.ts';
import { loadAll } from '../../import/on-demand.ts';
import type { ImportReport } from '../../import/report/report.ts';
import { withoutKeys } from '../../keys/format.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { listImports } from '../../statements/import-list.ts';
import { agreedToPictures } from './agree-to-pictures.ts';
import { note, printData, printJson, printTable, progressBar } from './command.ts';
import {
  type ImportCommandOptions,
  importOptions,
  refuseWrong,
  saveMemory,
} from './import-options.ts';
import { failForLeftOut, showImport, showNext, suggestFees } from './show-import.ts';
import { terminalHere } from './terminal.ts';

export async function runImport(
  paths: string[],
  options: ImportCommandOptions,
): Promise<void> {
  if (options.formats) return showFormats(paths, options);
  if (options.example !== undefined) return showExample(options.example, paths);
  if (options.watch === undefined && paths.length === 0)
    throw new UsageError('no files given; name files or folders, such as trades.jsonl');

  refuseWrong(options);

  if (options.map === 'new') {
    const { runDraft } = await import('./draft-mapping.ts');
    return runDraft(paths, options);
  }

  if (options.map !== undefined) await mappings.load();
  const zone = terminalHere() && (await zoneAsked(paths, options));
  if (options.watch !== undefined)
    return watch(options.watch, paths, { ...options, zone });

  return importOnce(paths, { ...options, zone });
}

async function zoneAsked(
  paths: readonly string[],
  options: ImportCommandOptions,
): Promise<string | undefined> {
  const { zoneOfNewUser } = await import('./ask-for-zone.ts');
  return zoneOfNewUser(paths, options);
}

// Tasks that import nothing.

function showFormats(paths: readonly string[], { json }: ImportCommandOptions): void {
  if (paths.length > 0)
    throw new UsageError('--formats only lists the formats; remove the paths');

  const known = KNOWN_FORMATS.map(({ name, evidence = null, description }) => ({
    name,
    evidence,
    description,
  }));
  if (json) return printJson(known);

  printTable(known, {
    FORMAT: 'name',
    'TRIED WITH': 'evidence',
    'WHAT TO EXPORT': 'description',
  });
}

async function showExample(resource: string, paths: readonly string[]): Promise<void> {
  if (paths.length > 0)
    throw new UsageError('--example only prints a sample line; remove the paths');
  const { exampleOf } = await import('../../import/example.ts');
  printData(JSON.stringify(exampleOf(resourceNamed(resource))));
}

// Importing files once.

async function importOnce(
  paths: readonly string[],
  options: ImportCommandOptions,
): Promise<void> {
  if (options.prune) refuseFiles(paths);
  if (options.map !== undefined) {
    const { confirmMapping } = await import('./confirm-mapping.ts');
    saveMemory();
    await confirmMapping(paths, mappings.value.loadMapping(options.map), options);
  }

  const isFirst = !options.json && isFirstImport(options);
  const plan = await planFiles(importOptions(paths, options));
  const report = await agreedToPictures(
    (mayShow) => imported(paths, options, { plan, mayShow }),
    options,
  );
  showImport(report, options);
  if (options.prune) await prune(paths, options);
  if (!options.json) suggestFees(report, options);
  if (!options.json && !options.dryRun) showNext(report, options, isFirst);
  failForLeftOut(report.files);
}

function isFirstImport(options: ImportCommandOptions): boolean {
  const { journal } = filesOf(options);
  return (
    !fileExists(journal) || listImports({ journal, user: options.user }).length === 0
  );
}

interface How {
  /** Undefined: the readers of all formats are loaded. */
  plan?: Plan;
  /** The folder that is watched; in it, links aren't followed. */
  watched?: string;
  /** Whether keys may show the first picture of the journal. */
  mayShow?: boolean;
}

function imported(
  paths: readonly string[],
  options: ImportCommandOptions,
  { plan, watched, mayShow }: How,
): ImportReport {
  const bar = progressBar();
  const call = {
    ...importOptions(paths, options, mayShow),
    noLinks: watched !== undefined,
    ...(watched !== undefined && { patience: WATCH_PATIENCE_MS }),
    folder: watched,
    note(line: string) {
      bar.clear();
      note(line);
    },
    readingLong: (file: string) => bar.announce(`reading ${file}`),
    progress: bar.show,
  };
  try {
    return importPaths(call, plan);
  } catch (error) {
    bar.clear();
    if (error instanceof FilesFailed) showImport(error.report, options);
    throw error;
  } finally {
    bar.clear();
  }
}

/** Only a folder shows that a note was deleted. */
function refuseFiles(paths: readonly string[]): void {
  const file = paths.find(
    (path) => !statSync(path, { throwIfNoEntry: false })?.isDirectory(),
  );
  if (file !== undefined)
    throw new UsageError(`--prune needs a folder of notes; ${file} isn't a folder`);
}

async function prune(
  folders: readonly string[],
  options: ImportCommandOptions,
): Promise<void> {
  const { pruneNotes } = await import('../../edit/edit.ts');
  const { runEdit } = await import('./edits.ts');
  const { sessions } = await import('../../journal/resources/sessions.ts');
  // The dry run of an import creates no journal.
  if (!fileExists(filesOf(options).journal)) return;

  for (const folder of folders) {
    runEdit('prune', sessions, options, (edit) =>
      pruneNotes(edit, resolve(folder), options.yes === true),
    );
  }
}

// Watching a folder.

/** While a watch waits for a lock, it stops on no signal; it tries again later. */
const WATCH_PATIENCE_MS = 1000;

/** Prints a report per file, with --json on one line each. */
async function watch(
  folder: string,
  paths: readonly string[],
  options: ImportCommandOptions,
): Promise<void> {
  if (options.prune)
    throw new UsageError(
      '--watch and --prune exclude each other; run --prune separately',
    );
  if (paths.length > 0)
    throw new UsageError('--watch imports the files of its folder; remove the paths');

  const { watchedFolder, watchFolder } = await import('./watch-imports.ts');
  const real = watchedFolder(folder);
  await loadAll();
  const confirming =
    options.map === undefined ? undefined : await import('./confirm-mapping.ts');

  return watchFolder(real, (path) => {
    if (options.map !== undefined) {
      const mapping = mappings.value.loadMapping(options.map);
      confirming?.refuseUnconfirmed(path, mapping, options, real);
    }
    const report = imported([path], options, { watched: real });
    if (options.json) printData(withoutKeys(JSON.stringify(report)));
    else showImport(report, { ...options, json: false });
  });
}
