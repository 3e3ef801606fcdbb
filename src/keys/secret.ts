/** The secret of a data folder, with the keys derived from it: for hashing keys, signing cursors, proving addresses and OAuth. */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Files } from '../config.ts';
import { messageOf, UserError } from '../errors.ts';
import { createFile } from '../sqlite/create-file.ts';
import { hasKeys } from './store.ts';

export const MIN_BYTES = 32;

/** What OAuth hands to clients and browsers, sealed: none is accepted in place of another. */
const SEALED = ['client', 'ticket', 'token'] as const;
export type Sealed = (typeof SEALED)[number];

export interface Secret {
  /** HMAC-SHA256 of an API key, which is stored instead of it. */
  hashKey: (key: string) => Buffer;
  /** HMAC-SHA256 of a cursor's content, under a separate key. */
  signCursor: (content: string) => Buffer;
  /** HMAC-SHA256 that proves that a service at this address has this secret, under a separate key. */
  proveAddress: (content: string) => Buffer;
  /** Encrypts statements of one kind, each kind under a separate key. */
  sealing: (kind: Sealed) => KeyObject;
  /** Another object for another secret: a cache that depends on it is valid while this is the same. */
  readonly identity: object;
}

/**
 * The secret, created on first need. Never created again while keys exist: all would stop working silently.
 * @throws UserError if it is missing but keys exist, or can't be read or written
 */
export function openSecret(files: Files): Secret {
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
  return secretOf(bytes);
}

export function secretOf(bytes: Buffer): Secret {
  const keyHashing = derive(bytes, 'journal-api key hash v1');
  const cursorSigning = derive(bytes, 'journal-api cursor v1');
  const addressProof = derive(bytes, 'journal-api address proof v1');
  const sealing = new Map(SEALED.map((kind) => [kind, derive(bytes, `journal-api oauth ${kind} v1`)]));
  return {
    hashKey: (key) => createHmac('sha256', keyHashing).update(key).digest(),
    signCursor: (content) => createHmac('sha256', cursorSigning).update(content).digest(),
    proveAddress: (content) => createHmac('sha256', addressProof).update(content).digest(),
    sealing: (kind) => sealing.get(kind) as KeyObject,
    identity: keyHashing,
  };
}

// A KeyObject: a raw key costs several times as much at each HMAC.
function derive(bytes: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', purpose, 32)));
}

/** Undefined if missing: an empty file counts as missing, because its creation was interrupted. */
function readSecret(path: string): Buffer | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.length > 0 ? bytes : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
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
    const other = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readSecret(path) : undefined;
    if (other) return other;
    throw new UserError(`the secret ${path} can't be created: ${messageOf(error)}`);
  }
}
