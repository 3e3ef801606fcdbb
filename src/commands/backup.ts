import { chmodSync, copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { messageOf, UserError } from '../errors.ts';
import { openJournal } from '../journal/journal.ts';
import { openKeys } from '../keys/store.ts';
import { fileExists } from '../sqlite/create-file.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { note } from './output.ts';

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description(
      'copy the journal, the keys and the secret into a new folder, also while others write and the service runs',
    )
    .argument('<folder>', 'a folder that does not exist yet, or is empty')
    .addHelpText(
      'after',
      '\nThe copy is a data folder of its own: serve it with --home, or move its files back to restore.\n\nExample:\n  $ journal-api backup ~/backups/journal-2026-11-20',
    )
    .action((folder: string, _options, command: Command) => backup(resolve(folder), command.optsWithGlobals()));
}

async function backup(folder: string, options: GlobalOptions): Promise<void> {
  const files = filesOf(options);
  if (!fileExists(files.journal)) throw new UserError(`there is no journal at ${files.journal}`);
  makeFolder(folder);
  const copy = filesOf({ home: folder });
  try {
    await copyDatabase(openJournal(files.journal), copy.journal);
    if (fileExists(files.keys)) await copyDatabase(openKeys(files.keys), copy.keys);
    if (fileExists(files.secret)) copyFileSync(files.secret, copy.secret);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o600);
  } catch (error) {
    throw new UserError(`the backup failed, and what is in ${folder} is not whole: ${messageOf(error)}`);
  }
  note(`${readdirSync(folder).sort().join(', ')} copied to ${folder}.`);
}

function makeFolder(folder: string): void {
  let inside: string[];
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    inside = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      throw new UserError(`${folder} is a file; a backup goes into a new folder`);
    }
    throw new UserError(`the folder ${folder} can't be made: ${messageOf(error)}`);
  }
  if (inside.length > 0) throw new UserError(`the folder ${folder} is not empty; a backup goes into a new one`);
}

async function copyDatabase(file: ReadOnlyFile, to: string): Promise<void> {
  try {
    await file.backupTo(to);
  } finally {
    file.close();
  }
}
