/** `init`: a new journal with its first user. `user`: adds, changes and lists users. */
import { filesOf, type GlobalOptions } from '../config.ts';
import { UsageError, UserError } from '../errors.ts';
import { listUsers } from '../journal/journal.ts';
import { backUpBeforeImport } from '../journal-write/backups.ts';
import { createJournal, readJournal, writeJournal } from '../journal-write/open.ts';
import {
  addUser,
  newUser,
  refuseLiveKeys,
  type UserChanges,
} from '../journal-write/users.ts';
import { fileExists } from '../sqlite/create-file.ts';
import { type ChangedUser, changeUser } from '../statements/days.ts';
import {
  counted,
  type JournalCommand,
  note,
  type Options,
  printList,
  shellWord,
} from './shared/command.ts';

export function registerInit(program: JournalCommand): void {
  addUserOptions(
    program.command('init').description('create a journal with the user "me"'),
  )
    .examples('journal-api init --timezone America/New_York --base-currency USD')
    .runs(init);
}

export function registerUser(program: JournalCommand): void {
  const user = program
    .command('user')
    .description("add, change and list the journal's users");
  addUserOptions(
    user
      .command('add')
      .description('add a user')
      .argument('<id>', 'letters, digits and . _ : ~ -'),
  )
    .examples('journal-api user add ana --timezone Europe/Madrid --base-currency EUR')
    .runs(add);
  addUserOptions(
    user
      .command('set')
      .description("change a user's settings")
      .argument('<id>', 'id of the user'),
  )
    .explained(
      `With --timezone, dates without a time keep their day, after a backup. Times stay: imports whose times were read in the former
time zone because none was given are named, each with the command that reads them in the new one.`,
    )
    .examples(
      'journal-api user set me --starting-balance 25000',
      'journal-api user set me --timezone Europe/Madrid',
    )
    .runs(set);
  user
    .command('list')
    .description('list the users')
    .lists()
    .examples('journal-api user list')
    .runs(list);
}

function init(options: GlobalOptions & UserOptions): void {
  const { journal, keys } = filesOf(options);
  const user = newUser('me', userChangesOf(options));
  const now = Date.now();
  if (fileExists(journal)) {
    throw new UserError(
      `${journal} already exists; change its user's settings with ` +
        '"journal-api user set me", or pass another --home',
    );
  }

  refuseLiveKeys(keys, user.id, now);
  createJournal(journal, (db) => addUser(db, user, now)).close();
  note(
    `Created ${journal} with the user "me" (${user.timezone}, ${user.base_currency}).`,
  );
  note(
    'Next: fill it with "journal-api import FILE", then give a program access with ' +
      '"journal-api key create".',
  );
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
    throw new UsageError(
      'nothing to change; give at least one setting, such as --timezone Europe/Madrid',
    );

  // Checked before the journal is opened.
  newUser(id, changes);
  const { journal, backups } = filesOf(options);
  const backUp = (now: string) => backUpBeforeImport(journal, backups, now);
  const changed = writeJournal(journal, (db) =>
    changeUser(db, id, changes, { now: Date.now(), backUp }),
  );
  const { name, timezone, base_currency, starting_balance, breakeven_tolerance } =
    changed.user;

  note(
    `The user "${id}" is now: name ${name ?? 'none'}, ${timezone}, ${base_currency}, ` +
      `starting balance ${starting_balance ?? 'none'}, breakeven tolerance ` +
      `${breakeven_tolerance}.`,
  );
  if (changed.zoneBefore !== undefined) showZone(changed, changed.zoneBefore, options);
}

/** Maximum number of imports named. */
const NAMED = 20;

/** What a change of the time zone moved, and what it didn't. */
function showZone(
  { user, moved, backup, stays }: ChangedUser,
  before: string,
  { home, db }: Pick<GlobalOptions, 'home' | 'db'>,
): void {
  const { id, timezone } = user;
  if (moved.fills + moved.trades > 0) {
    const { trades, fills } = moved;
    const rows = [
      trades > 0 ? counted(trades, 'trade') : '',
      fills > 0 ? counted(fills, 'fill') : '',
    ]
      .filter((text) => text !== '')
      .join(' and ');
    note(
      `Dates without a time keep their day: ${rows} moved to its start in ${timezone}. ` +
        `The backup is ${backup}.`,
    );
  }

  if (stays.length === 0) return;

  const given = { user: id === 'me' ? undefined : id, home, db };
  const flags = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : ` --${name} ${shellWord(value)}`,
  );
  note(
    `Times that were read in ${before} because no time zone was given stay as they are. ` +
      `To read them in ${timezone}:`,
  );

  for (const stay of stays.slice(0, NAMED)) {
    note(
      `  journal-api import change ${stay.id} --timezone ${timezone}${flags.join('')}    ` +
        `(${stay.file})`,
    );
  }

  if (stays.length > NAMED)
    note(`  and ${stays.length - NAMED} more; journal-api import list${flags.join('')}`);
}

function list(options: Options): void {
  printList(options, readJournal(filesOf(options).journal, listUsers), null, {
    ID: 'id',
    NAME: 'name',
    'TIME ZONE': 'timezone',
    CURRENCY: 'base_currency',
    'STARTING BALANCE': 'starting_balance',
    'BREAKEVEN TOLERANCE': 'breakeven_tolerance',
  });
}

// Options of init, user add and user set.

interface UserOptions {
  name?: string;
  timezone?: string;
  baseCurrency?: string;
  startingBalance?: string;
  breakevenTolerance?: string;
}

function addUserOptions(command: JournalCommand): JournalCommand {
  return command
    .option('--name <name>', 'display name; "" for none')
    .option(
      '--timezone <zone>',
      "IANA time zone that defines the user's days, such as America/New_York (default: UTC)",
    )
    .option(
      '--base-currency <code>',
      'currency of all figures, such as EUR (default: USD)',
    )
    .option(
      '--starting-balance <amount>',
      'balance before the first trade; "none" to remove it (default: none)',
    )
    .option(
      '--breakeven-tolerance <amount>',
      'largest net P&L, won or lost, that counts as breakeven (default: 0)',
    );
}

/** @throws UsageError if an amount isn't a number */
function userChangesOf(options: UserOptions): UserChanges {
  const changes: UserChanges = {};
  if (options.name !== undefined)
    changes.name = options.name === '' ? null : options.name;
  if (options.timezone !== undefined) changes.timezone = options.timezone;
  if (options.baseCurrency !== undefined) changes.base_currency = options.baseCurrency;

  if (options.startingBalance !== undefined) {
    const none = options.startingBalance === 'none' || options.startingBalance === '';
    changes.starting_balance = none
      ? null
      : amount('--starting-balance', options.startingBalance);
  }

  if (options.breakevenTolerance !== undefined) {
    changes.breakeven_tolerance = amount(
      '--breakeven-tolerance',
      options.breakevenTolerance,
    );
  }

  return changes;
}

function amount(option: string, text: string): number {
  if (!/^-?(\d+(\.\d*)?|\.\d+)$/.test(text))
    throw new UsageError(`${option} takes a number, such as 10000; got "${text}"`);
  return Number(text);
}
