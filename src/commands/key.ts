/** `key`: creates, lists, revokes and rotates API keys. */
import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { filesOf, type GlobalOptions } from '../config.ts';
import { messageOf, nearest, UsageError, UserError } from '../errors.ts';
import { userFor } from '../journal-write/open.ts';
import { generateKey, generateKeyId } from '../keys/format.ts';
import { durationOf, expiryOf, issueKey } from '../keys/issue.ts';
import { HIDDEN, lensInWords, type TypedLens, typedLens } from '../keys/lens.ts';
import { ALL_SCOPES, isScope, SCOPES, type Scope } from '../keys/scopes.ts';
import { openSecret } from '../keys/secret.ts';
import {
  type Activity,
  KEPT_DAYS,
  listActivity,
  listKeys,
  replaceKey,
  revokeKey,
  type StoredKey,
  stateOf,
} from '../keys/store.ts';
import { createFile, fileExists } from '../sqlite/create-file.ts';
import { toInstantText } from '../time.ts';
import { removeLeftPages } from './shared/browser.ts';
import {
  type JournalCommand,
  note,
  type Options,
  printData,
  printJson,
  printList,
} from './shared/command.ts';

interface CreateOptions extends Options, TypedLens {
  name: string;
  scopes: string;
  expires: string;
  out?: string;
}

const KEY_ID = 'id of the key, from "key list"';

export function registerKey(program: JournalCommand): void {
  const key = program
    .command('key')
    .description('create, list, revoke and rotate API keys; show what they have read')
    .hook('preAction', (_key, action) =>
      removeLeftPages(filesOf(action.optsWithGlobals()).home),
    );
  addLens(key.command('create'))
    .description('create a key and print it once, on stdout')
    .requiredOption('--name <name>', 'purpose of the key, such as the name of its agent')
    .requiredOption(
      '--scopes <scopes>',
      `scopes separated by commas, or "all"; repeatable: ${ALL_SCOPES.join(', ')}`,
      joinedByCommas,
    )
    .requiredOption(
      '--expires <when>',
      '1h, 24h, 7d, 30d, 90d, any <n>h/d/w, or a date, at most 365 days away',
    )
    .userOption('user whose records it can read')
    .option(
      '--out <file>',
      'write the key to a new file that only you can read, instead of stdout',
    )
    .examples(
      'journal-api key create --name "local agent" --scopes agent_summary:read --expires 30d',
    )
    .runs(create);
  key
    .command('list')
    .description('list all keys by id, without their secrets')
    .lists()
    .examples('journal-api key list')
    .runs(list);
  key
    .command('activity')
    .description(
      `show what keys have read: requests and records by day and path, of ${KEPT_DAYS} days`,
    )
    .argument('[id]', `${KEY_ID} (default: all keys)`)
    .lists()
    .explained(
      'Days are in UTC. It shows no queries and no records. ' +
        'A running service writes its counts once a minute.',
    )
    .examples('journal-api key activity key_0A1b2C3d4')
    .runs(activity);
  key
    .command('revoke')
    .description('revoke a key from the next request on')
    .argument('<id>', KEY_ID)
    .examples('journal-api key revoke key_0A1b2C3d4')
    .runs(revoke);
  key
    .command('rotate')
    .description(
      'replace a key with a new one with the same user, scopes, lens and expiry',
    )
    .argument('<id>', KEY_ID)
    .option(
      '--grace <time>',
      'time that the old key keeps working, such as 24h (default: none)',
    )
    .examples('journal-api key rotate key_0A1b2C3d4 --grace 24h')
    .runs(rotate);
}

/** The options of a lens, for `typedLens`. */
export function addLens(command: JournalCommand): JournalCommand {
  return command
    .option(
      '--accounts <names>',
      'show only trades of these accounts, separated by commas',
      joinedByCommas,
    )
    .option('--since <date>', 'show nothing before this day')
    .option(
      '--hide <what>',
      `hide ${HIDDEN.join(' or ')}, or several separated by commas`,
      joinedByCommas,
    );
}

/** Joins the values of a repeated option. */
export function joinedByCommas(more: string, before?: string): string {
  return before === undefined ? more : `${before},${more}`;
}

function create(options: CreateOptions): void {
  const files = filesOf(options);
  const name = options.name.trim();
  if (name === '' || name.length > 100 || /\p{Cc}/u.test(name)) {
    throw new UsageError(
      '--name takes 1 to 100 characters on one line, such as "local agent"',
    );
  }

  const scopes = scopesOf(options.scopes);
  const lens = typedLens(options);
  const user = userFor(files.journal, options.user);
  const now = Date.now();
  const expires = expiryOf(options.expires, now, user.timezone);
  const out = options.out === undefined ? undefined : resolve(options.out);
  if (out !== undefined && fileExists(out))
    throw new UserError(`${out} already exists; name a new file with --out`);

  const { key, stored } = issueKey(files, {
    userId: user.id,
    name,
    scopes,
    lens,
    expires,
    now,
  });
  handOver(key, stored, out);
}

function handOver(key: string, stored: StoredKey, out?: string): void {
  if (out === undefined) printData(key);
  else writeKey(out, key, stored);
  note(
    `Key ${stored.id} ("${stored.name}") reads ${stored.scopes.join(', ')} of ` +
      `${stored.user_id} until ${stored.expires_at}.`,
  );
  if (stored.lens) note(`It shows ${lensInWords(stored.lens)}.`);
  note(
    out === undefined
      ? 'It is shown only once and not stored. Send it as "Authorization: Bearer <key>".'
      : `It is in ${out}, and stored nowhere else.`,
  );
}

function writeKey(path: string, key: string, { id }: StoredKey): void {
  try {
    createFile(path, (draft) => writeFileSync(draft, `${key}\n`));
  } catch (error) {
    throw new UserError(
      `can't write ${path}: ${messageOf(error)}. The new key wasn't delivered; ` +
        `revoke it with "journal-api key revoke ${id}"`,
    );
  }
}

function list(options: Options): void {
  const now = Date.now();
  const path = filesOf(options).keys;
  const keys = listKeys(path).map(({ seed: _, ...key }) => ({
    ...key,
    state: stateOf(key, now),
  }));
  if (options.json) {
    const read = listActivity(path);
    return printJson(
      keys.map((key) => ({ ...key, latest_activity: latestOf(read, key.id) })),
    );
  }

  const minute = (time: string | null) =>
    time === null ? '-' : time.slice(0, 16).replace('T', ' ');
  printList(options, keys, 'No keys yet. Create one with "journal-api key create".', {
    ID: 'id',
    NAME: 'name',
    USER: 'user_id',
    STATE: 'state',
    'EXPIRES (UTC)': ({ expires_at }) => minute(expires_at),
    'LAST USED (UTC)': ({ last_used_at }) => minute(last_used_at),
    SCOPES: ({ scopes }) =>
      scopes.length === ALL_SCOPES.length ? 'all' : scopes.join(','),
    SHOWS: ({ lens }) => lensInWords(lens),
  });
}

/** The rows of the latest day with requests. */
function latestOf(all: readonly Activity[], id: string): Omit<Activity, 'id'>[] {
  const ofKey = all.filter((row) => row.id === id);
  return ofKey
    .filter(({ date }) => date === ofKey[0]?.date)
    .map(({ id: _, ...row }) => row);
}

function activity(id: string | undefined, options: Options): void {
  const path = filesOf(options).keys;
  if (id !== undefined) keyWithId(path, id);
  const rows = listActivity(path).filter((row) => id === undefined || row.id === id);
  const whose = id === undefined ? '' : `with key ${id} `;

  printList(options, rows, `No requests ${whose}in the last ${KEPT_DAYS} days.`, {
    'DATE (UTC)': 'date',
    KEY: 'id',
    NAME: 'name',
    PATH: 'path',
    REQUESTS: 'requests',
    RECORDS: 'records',
  });
}

function revoke(id: string, options: GlobalOptions): void {
  const files = filesOf(options);
  const key = keyWithId(files.keys, id);
  if (key.revoked_at !== null)
    return note(`Key ${id} was already revoked at ${key.revoked_at}.`);
  revokeKey(files.keys, id, Date.now());
  note(`Key ${id} ("${key.name}") is revoked.`);
}

function rotate(id: string, options: GlobalOptions & { grace?: string }): void {
  const files = filesOf(options);
  const now = Date.now();
  const grace = options.grace === undefined ? 0 : durationOf(options.grace, '--grace');
  const old = keyWithId(files.keys, id);
  const state = stateOf(old, now);
  if (state !== 'active')
    throw new UserError(
      `key ${id} is ${state}; create a new one with "journal-api key create"`,
    );

  const secret = openSecret(files);
  const key = generateKey();
  const stored: StoredKey = {
    ...old,
    id: generateKeyId(),
    created_at: toInstantText(now),
    last_used_at: null,
  };
  const end = toInstantText(Math.min(now + grace, Date.parse(old.expires_at)));

  replaceKey(files.keys, stored, secret.hashKey(key), {
    id,
    revoked_at: grace === 0 ? end : null,
    expires_at: grace === 0 ? old.expires_at : end,
  });
  handOver(key, stored);
  note(
    grace === 0 ? `Key ${id} no longer works.` : `Key ${id} keeps working until ${end}.`,
  );
}

function keyWithId(path: string, id: string): StoredKey {
  const key = listKeys(path).find((candidate) => candidate.id === id);
  if (!key)
    throw new UserError(`unknown key ${id}; "journal-api key list" shows all keys`);
  return key;
}

/** @throws UsageError for an unknown scope, with a list of all scopes */
export function scopesOf(text: string): Scope[] {
  const names = text.split(',').map((part) => part.trim());
  if (names.includes('all')) return ALL_SCOPES;

  const scopes: Scope[] = [];
  for (const name of names) {
    if (!isScope(name)) {
      const meant = nearest(name, ALL_SCOPES);
      const all = Object.entries(SCOPES).map(
        ([scope, gives]) => `  ${scope.padEnd(20)} ${gives}`,
      );
      throw new UsageError(
        `unknown scope "${name}"${meant ? `; did you mean ${meant}?` : ''}\nPass "all" or some of these scopes, separated by commas:\n${all.join('\n')}`,
      );
    }
    if (!scopes.includes(name)) scopes.push(name);
  }

  return scopes;
}
