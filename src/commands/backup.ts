/** `backup`: the data folder copied while others write, all of it or nothing. */
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Files, filesOf, type GlobalOptions } from '../config.ts';
import { messageOf, UserError } from '../errors.ts';
import { openJournal } from '../journal/journal.ts';
import { recoverJournal } from '../journal-write/read.ts';
import { openKeys, recoverKeys } from '../keys/store.ts';
import { fileExists, sync, syncFolder } from '../sqlite/create-file.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { note } from './output.ts';

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description(
      'copy the journal, the keys and the secret to a new folder, even while the service runs and others write',
    )
    .argument('<folder>', 'a folder that does not exist yet or is empty')
    .addHelpText(
      'after',
      '\nThe copy is a complete data folder: serve it with --home, or move its files back to restore.\n\nExample:\n  $ journal-api backup ~/backups/journal-2026-11-20',
    )
    .action((folder: string, _options, command: Command) => backup(resolve(folder), command.optsWithGlobals()));
}

async function backup(folder: string, options: GlobalOptions): Promise<void> {
  const files = filesOf(options);
  if (!fileExists(files.journal)) throw new UserError(`there is no journal at ${files.journal}`);
  refuseUnlessFree(folder);
  const draft = makeDraft(folder);
  try {
    const copied = await copyFiles(files, draft);
    renameSync(draft, folder);
    syncFolder(dirname(folder));
    note(`${copied.join(', ')} copied to ${folder}.`);
  } catch (error) {
    throw new UserError(`the backup failed, and ${folder} was not made: ${messageOf(error)}`);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** A folder beside the one wanted, which becomes that one when everything is in it. */
function makeDraft(folder: string): string {
  try {
    mkdirSync(dirname(folder), { recursive: true, mode: 0o700 });
    return mkdtempSync(`${folder}.new-`);
  } catch (error) {
    throw new UserError(`the folder ${folder} can't be created: ${messageOf(error)}`);
  }
}

function refuseUnlessFree(folder: string): void {
  let inside: string[];
  try {
    inside = readdirSync(folder);
    // An empty one gives way.
    if (inside.length === 0) rmdirSync(folder);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Where the way there leads through a file, makeDraft says so.
    if (code === 'ENOENT' || !fileExists(folder)) return;
    if (code === 'ENOTDIR') throw new UserError(`${folder} is a file; a backup goes into a new folder`);
    throw new UserError(`the folder ${folder} can't be used: ${messageOf(error)}`);
  }
  if (inside.length > 0) throw new UserError(`the folder ${folder} is not empty; a backup goes into a new one`);
}

/** @returns the names of what was copied */
async function copyFiles(files: Files, folder: string): Promise<string[]> {
  const copy = filesOf({ home: folder });
  recoverJournal(files.journal);
  await copyDatabase(openJournal(files.journal), copy.journal);
  if (fileExists(files.keys)) {
    recoverKeys(files.keys);
    await copyDatabase(openKeys(files.keys), copy.keys);
  }
  if (fileExists(files.secret)) copyFileSync(files.secret, copy.secret);
  const names = readdirSync(folder).sort();
  for (const name of names) {
    chmodSync(join(folder, name), 0o600);
    sync(join(folder, name));
  }
  syncFolder(folder);
  return names;
}

async function copyDatabase(file: ReadOnlyFile, to: string): Promise<void> {
  try {
    await file.backupTo(to);
  } finally {
    file.close();
  }
}
