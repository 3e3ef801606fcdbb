/** `user`: adds, changes and lists the journal's users. */
import type { Command } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { UsageError } from '../errors.ts';
import { applyRates } from '../import-tables/exchange-rates.ts';
import { listUsers } from '../journal/journal.ts';
import { writeJournal } from '../journal-write/open.ts';
import { readJournal } from '../journal-write/read.ts';
import { addUser, newUser, refuseLiveKeys, setUser, type UserChanges } from '../journal-write/users.ts';
import { note, printJson, printTable } from './shared/output.ts';

export function registerUser(program: Command): void {
  const user = program.command('user').description("add, change and list the journal's users");

  addUserOptions(user.command('add').description('add a user').argument('<id>', 'letters, digits and . _ : ~ -'))
    .addHelpText('after', '\nExample:\n  $ journal-api user add ana --timezone Europe/Madrid --base-currency EUR')
    .action((id: string, _options, command: Command) => add(id, command.optsWithGlobals()));

  addUserOptions(user.command('set').description("change a user's settings").argument('<id>', 'id of the user'))
    .addHelpText('after', '\nExample:\n  $ journal-api user set me --starting-balance 25000')
    .action((id: string, _options, command: Command) => set(id, command.optsWithGlobals()));

  user
    .command('list')
    .description('list the users')
    .option('--json', 'as a JSON array')
    .addHelpText('after', '\nExample:\n  $ journal-api user list')
    .action((_options, command: Command) => list(command.optsWithGlobals()));
}

function add(id: string, options: GlobalOptions & UserOptions): void {
  const files = filesOf(options);
  const now = Date.now();
  const user = newUser(id, userChangesOf(options));
  refuseLiveKeys(files.keys, id, now);
  writeJournal(files.journal, (db) => addUser(db, user, now));
  note(`Added the user "${id}" (${user.timezone}, ${user.base_currency}).`);
}

function set(id: string, options: GlobalOptions & UserOptions): void {
  const changes = userChangesOf(options);
  if (Object.keys(changes).length === 0)
    throw new UsageError('nothing to change; give at least one setting, such as --timezone Europe/Madrid');
  // Checked before the journal is opened.
  newUser(id, changes);
  const user = writeJournal(filesOf(options).journal, (db) => {
    const changed = setUser(db, id, changes, Date.now());
    applyRates(db, changed);
    return changed;
  });
  const { name, timezone, base_currency, starting_balance, breakeven_tolerance } = user;
  note(
    `The user "${id}" is now: name ${name ?? 'none'}, ${timezone}, ${base_currency}, starting balance ${starting_balance ?? 'none'}, breakeven tolerance ${breakeven_tolerance}.`,
  );
}

function list(options: GlobalOptions & { json?: boolean }): void {
  const users = readJournal(filesOf(options).journal, listUsers);
  if (options.json) return printJson(users);
  printTable(
    ['ID', 'NAME', 'TIME ZONE', 'CURRENCY', 'STARTING BALANCE', 'BREAKEVEN TOLERANCE'],
    users.map((user) => [
      user.id,
      user.name ?? '-',
      user.timezone,
      user.base_currency,
      user.starting_balance === null ? '-' : String(user.starting_balance),
      String(user.breakeven_tolerance),
    ]),
  );
}

// Options of init, user add and user set.

export interface UserOptions {
  name?: string;
  timezone?: string;
  baseCurrency?: string;
  startingBalance?: string;
  breakevenTolerance?: string;
}

export function addUserOptions(command: Command): Command {
  return command
    .option('--name <name>', 'display name; "" for none')
    .option('--timezone <zone>', "IANA time zone that defines the user's days, such as America/New_York (default: UTC)")
    .option('--base-currency <code>', 'currency of all figures, such as EUR (default: USD)')
    .option('--starting-balance <amount>', 'balance before the first trade; "none" to remove it (default: none)')
    .option('--breakeven-tolerance <amount>', 'largest net P&L, won or lost, that counts as breakeven (default: 0)');
}

/** @throws UsageError if an amount isn't a number */
export function userChangesOf(options: UserOptions): UserChanges {
  const changes: UserChanges = {};
  if (options.name !== undefined) changes.name = options.name === '' ? null : options.name;
  if (options.timezone !== undefined) changes.timezone = options.timezone;
  if (options.baseCurrency !== undefined) changes.base_currency = options.baseCurrency;
  if (options.startingBalance !== undefined) {
    const none = options.startingBalance === 'none' || options.startingBalance === '';
    changes.starting_balance = none ? null : amount('--starting-balance', options.startingBalance);
  }
  if (options.breakevenTolerance !== undefined) {
    changes.breakeven_tolerance = amount('--breakeven-tolerance', options.breakevenTolerance);
  }
  return changes;
}

function amount(option: string, text: string): number {
  if (!/^-?(\d+(\.\d*)?|\.\d+)$/.test(text))
    throw new UsageError(`${option} takes a number, such as 10000; got "${text}"`);
  return Number(text);
}
