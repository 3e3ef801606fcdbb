/** `backup`: copies the whole data folder, or nothing, while other programs write. */
import { chmodSync, copyFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Files, filesOf, type GlobalOptions } from '../config.ts';
import { UsageError, UserError } from '../errors.ts';
import { openJournal } from '../journal/journal.ts';
import { recoverJournal } from '../journal-write/read.ts';
import { openKeys, recoverKeys } from '../keys/store.ts';
import { createFolder, fileExists } from '../sqlite/create-file.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { newBackupIn, removeOldest, verifyAndMark } from './shared/kept-backups.ts';
import { note } from './shared/output.ts';

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description(
      'copy the journal, keys and secret to a new folder, even while the service runs or other programs write',
    )
    .argument('<folder>', 'a folder that does not exist yet or is empty; with --keep, the folder of all backups')
    .option('--keep <n>', "copy to a folder in it, named by day and time, and keep this journal's latest <n> of these")
    .addHelpText(
      'after',
      `
The backup is a complete data folder: serve it with --home, or move its files back to restore. It contains the key store and the secret,
so keep it as private as the data folder.

Examples:
  $ journal-api backup ~/backups/journal-2026-11-20
  $ journal-api backup ~/backups --keep 7`,
    )
    .action((folder: string, _options, command: Command) => backup(resolve(folder), command.optsWithGlobals()));
}

async function backup(folder: string, options: GlobalOptions & { keep?: string }): Promise<void> {
  const files = filesOf(options);
  const keep = options.keep === undefined ? undefined : keepOf(options.keep);
  if (!fileExists(files.journal)) throw new UserError(`no journal at ${files.journal}; pass its folder with --home`);
  const path = keep === undefined ? folder : newBackupIn(folder, Date.now());
  let copied: string[] = [];
  await createFolder(path, 'backup', async (draft) => {
    copied = await copyFiles(files, draft);
    if (keep !== undefined) verifyAndMark(draft, files.journal);
  });
  note(`${copied.join(', ')} copied to ${path}.`);
  if (keep === undefined) return;
  note('It contains the key store and the secret: keep it as private as the data folder.');
  for (const line of removeOldest(folder, path, files.journal, keep)) note(line);
}

function keepOf(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new UsageError(`--keep takes a whole number of at least 1, such as 7; got "${text}"`);
}

/** @returns names of the copied files */
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
  for (const name of names) chmodSync(join(folder, name), 0o600);
  return names;
}

async function copyDatabase(file: ReadOnlyFile, to: string): Promise<void> {
  try {
    await file.backupTo(to);
  } finally {
    file.close();
  }
}
