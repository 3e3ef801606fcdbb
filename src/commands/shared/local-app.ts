/**
 * The application in this process, without a server: commands use the same routes as
 * other clients.
 */
import { randomBytes } from 'node:crypto';
import {
  type ClientOptions,
  type Files,
  filesOf,
  type GlobalOptions,
  keyIn,
} from '../../config.ts';
import { KeyRefused, UsageError, UserError } from '../../errors.ts';
import { createApp } from '../../http/app.ts';
import {
  type ApiResponse,
  type Ask,
  askApp,
  askUrl,
  bearer,
  problemIn,
} from '../../http/client.ts';
import type { AppSettings } from '../../http/pipeline.ts';
import { openJournal } from '../../journal/journal.ts';
import { generateKey, generateKeyId } from '../../keys/format.ts';
import { type FoundKey, KeyReader } from '../../keys/key-reader.ts';
import type { Lens } from '../../keys/lens.ts';
import { ALL_SCOPES } from '../../keys/scopes.ts';
import { secretOf, watchedSecret } from '../../keys/secret.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { DAY, toInstantText } from '../../time.ts';
import { note } from './command.ts';

/** Interval of recording when keys were last used. */
const FLUSH_MS = 60_000;

/** No limits: the only client is the owner of this process. */
const ALONE = {
  rateLimit: 0,
  corsOrigins: [],
  trustProxy: false,
  allowedHosts: [],
  now: Date.now,
};

export interface Client {
  ask: Ask;
  /** Records when keys were last used, and closes the files. */
  close: () => void;
}

/**
 * @param options a key and a URL, or files of this machine
 * @param accept preferred media type, if not JSON
 * @throws UsageError or UserError if no request is possible
 */
export function openClient(
  options: ClientOptions & GlobalOptions,
  settings: Partial<AppSettings> = {},
  accept?: string,
): Client {
  const headers = {
    ...bearer(keyIn(options)),
    ...(accept === undefined ? {} : { Accept: accept }),
  };
  if (options.url !== undefined)
    return { ask: askUrl(checkedUrl(options.url), headers), close: () => undefined };

  const files = filesOf(options);
  // Only a server creates the secret; a client of missing files has nothing to read.
  if (!fileExists(files.secret) && !fileExists(files.keys)) {
    throw new UserError(
      `no keys in ${files.home} yet; create one with "journal-api key create"`,
    );
  }

  const { close, ...opened } = openFiles(files);
  return { ask: askApp(createApp({ ...ALONE, ...opened, ...settings }), headers), close };
}

/**
 * A client for the owner of the journal's file, who needs no key: its key is valid in
 * this process only, and never stored.
 * @param userId owner of the records
 * @param lens what it shows, with pseudonyms of its own; everything by default
 */
export function openOwnClient(
  files: Files,
  userId: string,
  lens: Lens | null = null,
): Client {
  const journal = openJournal(files.journal);
  const key: FoundKey = {
    id: generateKeyId(),
    user_id: userId,
    name: 'terminal',
    scopes: ALL_SCOPES,
    created_at: toInstantText(Date.now()),
    expires_at: toInstantText(Date.now() + DAY),
    revoked_at: null,
    last_used_at: null,
    lens,
    seed: lens && randomBytes(32),
    audience: userId,
  };
  const keys = { find: () => key, touch: () => null, countRead: () => undefined };
  const app = createApp({ ...ALONE, journal, keys, secret: secretOf(randomBytes(32)) });

  return { ask: askApp(app, bearer(generateKey())), close: () => journal.close() };
}

/**
 * @throws UserError for an account without trades: a report of nothing would look like a
 * quiet period
 */
export async function requireAccounts(
  files: Files,
  userId: string,
  lens: Lens | null,
): Promise<void> {
  if (!lens?.accounts) return;

  const client = openOwnClient(files, userId);
  try {
    for (const account of lens.accounts) {
      const query = new URLSearchParams({ account, limit: '1', fields: 'id' });
      const { body } = await answered(client.ask, `/v1/trades?${query}`);
      if ((body as { data: unknown[] }).data.length === 0)
        throw new UserError(
          `no trade has the account "${account}"; list the accounts with: journal-api account list`,
        );
    }
  } finally {
    client.close();
  }
}

/** @throws UserError with the API's message; UsageError if the period is wrong */
export async function answered(ask: Ask, path: string): Promise<ApiResponse> {
  const answer = await ask(path).catch((error: Error) => {
    throw new UserError(error.message);
  });
  if (answer.status === 200) return answer;

  const { code, detail } = problemIn(answer);
  if (code === 'invalid_parameter')
    throw new UsageError(`${detail}`.replace(/^(?=(period|start|end) )/, '--'));

  throw errorFor(answer);
}

/** The error for a response other than 200; KeyRefused for a 401. */
export function errorFor(response: ApiResponse): UserError {
  const { status } = response;
  const { code = '', detail = 'this is not a response of journal-api' } =
    problemIn(response);
  const message = `${status} ${code}: ${detail}`;
  return status === 401 ? new KeyRefused(message) : new UserError(message);
}

/** Opens what the application reads, and records regularly when keys were last used. */
export function openFiles(files: Files, recordsUses = true) {
  const secret = watchedSecret(files);
  const journal = openJournal(files.journal);
  const keys = new KeyReader(files.keys, recordsUses);
  const flush = setInterval(() => keys.flush(), FLUSH_MS).unref();

  return {
    secret,
    journal,
    keys,
    close() {
      clearInterval(flush);
      keys.close();
      journal.close();
    },
  };
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    !url ||
    !/^https?:$/.test(url.protocol) ||
    url.search !== '' ||
    url.hash !== '' ||
    url.username !== ''
  ) {
    throw new UsageError(
      `--url takes the address of a service, such as http://127.0.0.1:4747; got "${text}"`,
    );
  }

  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname)) {
    note(
      `journal-api: warning: the key is sent to ${url.hostname} unencrypted; use https.`,
    );
  }

  return url.href;
}
