/**
 * The secret of a data folder, with the keys derived from it: for hashing keys, signing
 * cursors, proving addresses and OAuth.
 */
import {
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import type { Files } from '../config.ts';
import { codeOf, messageOf, UserError } from '../errors.ts';
import { createFile } from '../sqlite/create-file.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import { hasKeys } from './store.ts';

const MIN_BYTES = 32;

/**
 * What is derived from the secret, each under its own purpose. The last three seal what
 * OAuth hands out: none is accepted for another.
 */
const PURPOSES = {
  key: 'journal-api key hash v1',
  cursor: 'journal-api cursor v1',
  address: 'journal-api address proof v1',
  client: 'journal-api oauth client v1',
  ticket: 'journal-api oauth ticket v1',
  token: 'journal-api oauth token v1',
} as const;

/** KeyObjects: a raw key costs several times as much at each HMAC. */
type Keys = Readonly<Record<keyof typeof PURPOSES, KeyObject>>;

export class Secret {
  readonly #keys: () => Keys;

  /** @param keys the current ones */
  constructor(keys: () => Keys) {
    this.#keys = keys;
  }

  /** HMAC-SHA256 of an API key, which is stored instead of it. */
  readonly hashKey = (key: string): Buffer => hmac(this.#keys().key, key);

  /** HMAC-SHA256 of a cursor's content. */
  readonly signCursor = (content: string): Buffer => hmac(this.#keys().cursor, content);

  /** The key of signCursor, for another thread. */
  get cursorKey(): KeyObject {
    return this.#keys().cursor;
  }

  /** HMAC-SHA256 that proves that a service at this address has this secret. */
  readonly proveAddress = (content: string): Buffer =>
    hmac(this.#keys().address, content);

  /** Encrypts statements of one kind. */
  readonly sealing = (kind: 'client' | 'ticket' | 'token'): KeyObject =>
    this.#keys()[kind];

  /**
   * Another object for another secret: a cache that depends on it is valid while this is
   * the same.
   */
  get identity(): object {
    return this.#keys();
  }
}

function hmac(key: KeyObject, content: string): Buffer {
  return createHmac('sha256', key).update(content).digest();
}

/** HMAC-SHA256 with a key. */
export function signWith(key: KeyObject): (content: string) => Buffer {
  return (content) => hmac(key, content);
}

export function secretOf(bytes: Buffer): Secret {
  const keys = keysOf(bytes);
  return new Secret(() => keys);
}

function keysOf(bytes: Buffer): Keys {
  const derived = Object.entries(PURPOSES).map(([name, purpose]) => {
    return [
      name,
      createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', purpose, 32))),
    ];
  });
  return Object.fromEntries(derived);
}

/**
 * The secret, created on first need. Never created again while keys exist: all would stop
 * working silently.
 * @throws UserError if it is missing but keys exist, or can't be read or written
 */
export function openSecret(files: Files): Secret {
  return secretOf(secretBytes(files));
}

function secretBytes(files: Files): Buffer {
  let bytes = readSecret(files.secret);
  if (bytes === undefined) {
    if (hasKeys(files.keys)) {
      throw new UserError(
        `the secret ${files.secret} is missing, but ${files.keys} has keys made with it; restore the secret, or move keys.db away and create new keys`,
      );
    }
    bytes = makeSecret(files.secret);
  }

  if (bytes.length < MIN_BYTES) {
    throw new UserError(
      `the secret ${files.secret} has ${bytes.length} bytes; at least ${MIN_BYTES} random bytes are needed`,
    );
  }

  return bytes;
}

/**
 * Undefined if missing: an empty file counts as missing, because its creation was
 * interrupted.
 */
function readSecret(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.length > 0 ? bytes : undefined;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new UserError(`the secret ${path} can't be read: ${messageOf(error)}`);
  }
}

function makeSecret(path: string): Buffer {
  const bytes = randomBytes(MIN_BYTES);
  try {
    createFile(path, (draft) => writeFileSync(draft, bytes));
    return bytes;
  } catch (error) {
    // Another process created it at the same moment: that one counts.
    const other = codeOf(error) === 'EEXIST' ? readSecret(path) : undefined;
    if (other) return other;
    throw new UserError(`the secret ${path} can't be created: ${messageOf(error)}`);
  }
}

// The secret of a running server, whose file may be replaced meanwhile.

/** Interval of checks whether it is still the same. */
const LOOK_MS = 500;

const UNUSABLE = `the secret that keys are hashed with cannot be used: it is missing, unreadable or shorter than ${MIN_BYTES} bytes; restore it`;

/**
 * A secret whose use fails with FileUnavailable while its file is missing or unusable.
 * @param now milliseconds of a clock that never goes back
 * @throws UserError if there is none and none can be made
 */
export function watchedSecret(
  files: Files,
  now: () => number = () => performance.now(),
): Secret {
  let lookedAt = now();
  let seen = stampOf(files.secret);
  let keys: Keys | undefined = keysOf(secretBytes(files));

  return new Secret(() => {
    if (now() - lookedAt >= LOOK_MS) {
      lookedAt = now();
      const stamp = stampOf(files.secret);
      if (stamp !== seen) keys = keysIn(files.secret);
      seen = stamp;
    }

    if (!keys) throw new FileUnavailable(UNUSABLE);
    return keys;
  });
}

/** What tells one state of a file from another. */
function stampOf(path: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    return String(codeOf(error));
  }
}

function keysIn(path: string): Keys | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.length < MIN_BYTES ? undefined : keysOf(bytes);
  } catch {
    return undefined;
  }
}

// Proof of a service to `open` that it has the same secret, and at which address. Another
// program may listen in its place and forward the challenge, but from another address.

/**
 * Headers of the request, with random characters, and of the response, with the proof.
 */
export const CHALLENGE_HEADER = 'x-journal-api-challenge';
export const PROOF_HEADER = 'x-journal-api-proof';

/** 32 random bytes in base64url. */
const CHALLENGE = /^[\w-]{43}$/;

export interface Address {
  address: string;
  port: number;
}

/**
 * @param at the service's end of the connection, as either side sees it
 * @returns undefined unless the text is a challenge
 */
export function addressProof(
  secret: Secret,
  challenge: string,
  { address, port }: Address,
): string | undefined {
  if (!CHALLENGE.test(challenge)) return undefined;
  // A server that listens on all addresses reports IPv4 addresses as IPv6.
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  return secret.proveAddress(`${challenge} ${port} ${plain}`).toString('base64url');
}
