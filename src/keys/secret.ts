/** The secret of a data folder, and what is derived from it: a key to hash keys with, one to sign cursors with, one to prove addresses with. */
import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import type { Files } from '../config.ts';
import { messageOf, UserError } from '../errors.ts';
import { createFile } from '../sqlite/create-file.ts';
import { hasKeys } from './store.ts';

export const MIN_BYTES = 32;

export interface Secret {
  /** HMAC-SHA256 of an API key: what is stored instead of it. */
  hashKey: (key: string) => Buffer;
  /** HMAC-SHA256 of a cursor's content, under a key of its own. */
  signCursor: (content: string) => Buffer;
  /** HMAC-SHA256 that a service at this address has this secret, under a key of its own. */
  proveAddress: (content: string) => Buffer;
  /** Another object for another secret: what was found by means of it holds as long as this is the same. */
  readonly identity: object;
}

/**
 * The secret, made on first need. Never made anew over keys that exist: they would all stop working without a word.
 * @throws UserError where it is missing but keys exist, or can't be read or written
 */
export function openSecret(files: Files): Secret {
  let bytes = readSecret(files.secret);
  if (bytes === undefined) {
    if (hasKeys(files.keys)) {
      throw new UserError(
        `the secret ${files.secret} is missing, but ${files.keys} holds keys made with it. Restore the secret, or move keys.db away and create new keys.`,
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
  return {
    hashKey: (key) => createHmac('sha256', keyHashing).update(key).digest(),
    signCursor: (content) => createHmac('sha256', cursorSigning).update(content).digest(),
    proveAddress: (content) => createHmac('sha256', addressProof).update(content).digest(),
    identity: keyHashing,
  };
}

// A KeyObject: a raw key costs several times as much at each HMAC.
function derive(bytes: Buffer, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', bytes, '', purpose, 32)));
}

/** Undefined where there is none: an empty file is one whose making was cut short. */
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
    // Another process made it in the same moment: that one counts.
    const other = (error as NodeJS.ErrnoException).code === 'EEXIST' ? readSecret(path) : undefined;
    if (other) return other;
    throw new UserError(`the secret ${path} can't be created: ${messageOf(error)}`);
  }
}
