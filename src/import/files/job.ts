/** Import jobs: files and folders of notes, each with its format and resource. */

import * as z from 'zod';
import type { UserError } from '../../errors.ts';
import type { User } from '../../journal/journal.ts';
import type { ListResource } from '../../journal/resource.ts';
import { type FilePlace, parseJson } from '../parse/open-file.ts';
import type { Format, Note } from '../table/format.ts';
import { bytesOf } from './text.ts';

// The user settings of an export: a journal created by its import starts with them.

export const USER_FILE = 'user.json';

const settings = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  timezone: z.string(),
  base_currency: z.string(),
  starting_balance: z.number().nullable(),
  breakeven_tolerance: z.number(),
});

/** @returns undefined if the file is another program's; the journal checks whether the settings are valid */
export function readUserSettings(file: string): User | undefined {
  try {
    return settings.parse(parseJson(bytesOf({ file }).toString()));
  } catch {
    return undefined;
  }
}

/** Settings in which two users differ, as text: "timezone is UTC (in the file: Europe/Madrid)". */
export function differences(own: User, file: User): string[] {
  const names = ['name', 'timezone', 'base_currency', 'starting_balance', 'breakeven_tolerance'] as const;
  return names
    .filter((name) => own[name] !== file[name])
    .map((name) => `${name} is ${own[name] ?? 'not set'} (in the file: ${file[name] ?? 'not set'})`);
}

/** `file` is also the name in messages. */
export interface Job extends FilePlace {
  format: Format;
  resource: ListResource;
  /** The contents of a source that can be read only once. */
  bytes?: Buffer;
  notes?: readonly Note[];
}

/** The name of what a file holds in lists: days hold records of several resources. */
export function contentsOf({ format, resource }: Pick<Job, 'format' | 'resource'>): string {
  return format.holds ?? resource.path;
}

/** A file, or a folder named by the user, that wasn't imported. */
export interface FailedFile {
  file: string;
  error: UserError;
}

export interface Plan {
  jobs: Job[];
  ignored: { file: string; reason: string }[];
  failed: FailedFile[];
  /** User settings in the folder of an export. */
  settings?: { file: string; user: User };
}
