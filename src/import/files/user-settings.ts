/** The settings of a user as an export has them: a journal that is made by an import begins with them. */
import * as z from 'zod';
import type { User } from '../../journal/journal.ts';
import { parseJson } from '../parse/json-text.ts';
import { bytesOf } from './text.ts';

/** How the file is called. */
export const USER_FILE = 'user.json';

const settings = z.strictObject({
  id: z.string(),
  name: z.string().nullable(),
  timezone: z.string(),
  base_currency: z.string(),
  starting_balance: z.number().nullable(),
  breakeven_tolerance: z.number(),
});

/** @returns undefined where the file is another program's; whether the settings can be used is the journal's to say */
export function readUserSettings(file: string): User | undefined {
  try {
    return settings.parse(parseJson(bytesOf({ file }).toString()));
  } catch {
    return undefined;
  }
}

/** In which settings two users differ, for people: "timezone is UTC (the file: Europe/Madrid)". */
export function differences(own: User, file: User): string[] {
  const names = ['name', 'timezone', 'base_currency', 'starting_balance', 'breakeven_tolerance'] as const;
  return names
    .filter((name) => own[name] !== file[name])
    .map((name) => `${name} is ${own[name] ?? 'not set'} (the file: ${file[name] ?? 'not set'})`);
}
