import { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { type Reader, TEXT } from '../sqlite/reader.ts';
import { schemaProblem } from './schema.ts';

/** The journal file, for reading. */
export function openJournal(path: string): ReadOnlyFile {
  return new ReadOnlyFile(path, schemaProblem);
}

/** Whose records they are, and what their days and money are counted in. */
export interface User {
  id: string;
  name: string | null;
  timezone: string;
  base_currency: string;
  starting_balance: number | null;
  breakeven_tolerance: number;
}

const USER_COLUMNS = 'id, name, timezone, base_currency, starting_balance, breakeven_tolerance';

export function findUser(reader: Reader, userId: string): User | undefined {
  return reader.get(`SELECT ${USER_COLUMNS} FROM users WHERE id = ${TEXT}`, userId) as User | undefined;
}

export function listUsers(reader: Reader): User[] {
  return reader.all(`SELECT ${USER_COLUMNS} FROM users ORDER BY id`) as unknown as User[];
}
