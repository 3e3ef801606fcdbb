/** The user settings of an export: a journal created by its import starts with them. */
import * as z from 'zod';
import type { User } from '../../journal/journal.ts';
import { parseJson } from '../parse/json-text.ts';
import { bytesOf } from './text.ts';

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
