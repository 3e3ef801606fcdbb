import { ReadOnlyFile } from '../sqlite/read-only-file.ts';
import { type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import { schemaProblem } from './schema.ts';
import { storedNumber, storedText } from './stored-value.ts';

/** The journal file, for reading. */
export function openJournal(path: string): ReadOnlyFile {
  return new ReadOnlyFile(path, schemaProblem);
}

/** The owner of records, with the time zone of their days and their base currency. */
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
  const row = reader.get(`SELECT ${USER_COLUMNS} FROM users WHERE id = ${TEXT}`, userId);
  return row && toUser(row);
}

export function listUsers(reader: Reader): User[] {
  return reader.all(`SELECT ${USER_COLUMNS} FROM users ORDER BY id`).map(toUser);
}

function toUser(row: Row): User {
  const { starting_balance, breakeven_tolerance } = row;
  if (starting_balance !== null) storedNumber(starting_balance);
  storedNumber(breakeven_tolerance);
  for (const name of ['id', 'timezone', 'base_currency']) storedText(row[name]);
  return row as unknown as User;
}
