/**
 * An export's files besides its records: the settings of its user, the list of imports,
 * which its fills refer to by id, and its pictures.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import type { User } from '../../journal/journal.ts';
import {
  type ExportedImport,
  exportedImport,
} from '../../statements/exported-imports.ts';
import { type FilePlace, parseJson } from '../parse/open-file.ts';
import { bytesOf } from './contents.ts';

/** A journal created by the import of an export starts with its settings. */
export const USER_FILE = 'user.json';

const settings = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  timezone: z.string(),
  base_currency: z.string(),
  starting_balance: z.number().nullable(),
  breakeven_tolerance: z.number(),
});

/**
 * @returns undefined if the file is another program's; the journal checks whether the
 * settings are valid
 */
export function readUserSettings(file: string): User | undefined {
  return contentsOf({ file }, settings);
}

/** @returns undefined if there is no such file, or it is another program's */
function contentsOf<T>(place: FilePlace, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.parse(parseJson(bytesOf(place).toString()));
  } catch {
    return undefined;
  }
}

/**
 * Settings in which two users differ, as text: "timezone is UTC (in the file:
 * Europe/Madrid)".
 */
export function differences(present: User, file: User): string[] {
  const names = [
    'name',
    'timezone',
    'base_currency',
    'starting_balance',
    'breakeven_tolerance',
  ] as const;
  return names
    .filter((name) => present[name] !== file[name])
    .map(
      (name) =>
        `${name} is ${present[name] ?? 'not set'} (in the file: ${file[name] ?? 'not set'})`,
    );
}

export const IMPORTS_FILE = 'imports.json';

/** @returns undefined if there is no such file, or it is another program's */
export function readImports(place: FilePlace): ExportedImport[] | undefined {
  return contentsOf(place, z.array(exportedImport));
}

/** The imports listed next to a file of fills; empty without a list. */
export function importsNextTo({ file, noLinks }: FilePlace): ExportedImport[] {
  return readImports({ file: join(dirname(file), IMPORTS_FILE), noLinks }) ?? [];
}

/** The folder of an export with the pictures that its records show. */
const PICTURES = 'attachments';

/** The folders that may have the pictures of an export, or of one of its files. */
export function pictureFoldersOf(path: string): string[] {
  return [join(path, PICTURES), join(dirname(path), PICTURES)];
}

export function mayHavePictures({ file }: FilePlace): boolean {
  return pictureFoldersOf(file).some((folder) => existsSync(folder));
}
