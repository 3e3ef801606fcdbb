/** `backup`: copies the whole data folder, or nothing, while other programs write. */
import { chmodSync, copyFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Files, filesOf, type GlobalOptions } from '../config.ts';
import { UserError } from '../errors.ts';
import { openJournal } from '../journal/journal.ts';
import { recoverJournal } from '../journal-write/read.ts';
import { openKeys, recoverKeys } from '../keys/store.ts';
import { createFolder, fileExists } from '../sqlite/create-file.ts';
import type { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { note } from './shared/output.ts';

export function registerBackup(program: Command): void {
  program
    .command('backup')
    .description(
      'copy the journal, keys and secret to a new folder, even while the service runs or other programs write',
    )
    .argument('<folder>', 'a folder that does not exist yet or is empty')
    .addHelpText(
      'after',
      '\nThe backup is a complete data folder: serve it with --home, or move its files back to restore.\n\nExample:\n  $ journal-api backup ~/backups/journal-2026-11-20',
    )
    .action((folder: string, _options, command: Command) => backup(resolve(folder), command.optsWithGlobals()));
}

async function backup(folder: string, options: GlobalOptions): Promise<void> {
  const files = filesOf(options);
  if (!fileExists(files.journal)) throw new UserError(`no journal at ${files.journal}; pass its folder with --home`);
  let copied: string[] = [];
  await createFolder(folder, 'backup', async (draft) => {
    copied = await copyFiles(files, draft);
  });
  note(`${copied.join(', ')} copied to ${folder}.`);
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
