/** The secret of a running server, whose file may be replaced meanwhile. */
import { readFileSync, statSync } from 'node:fs';
import type { Files } from '../config.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import { MIN_BYTES, openSecret, type Sealed, type Secret, secretOf } from './secret.ts';

/** How long it goes on with a secret before it looks whether that is still the same. */
const LOOK_MS = 500;

const UNUSABLE = `the secret that keys are hashed with cannot be used: it is missing, unreadable or shorter than ${MIN_BYTES} bytes; restore it`;

export class WatchedSecret implements Secret {
  readonly #path: string;
  readonly #now: () => number;
  /** Undefined while there is none that can be used. */
  #secret: Secret | undefined;
  #seen: string;
  #lookedAt: number;

  /**
   * @param now milliseconds of a clock that never goes back
   * @throws UserError where there is none and none can be made
   */
  constructor(files: Files, now: () => number = () => performance.now()) {
    this.#path = files.secret;
    this.#now = now;
    this.#lookedAt = now();
    this.#seen = stampOf(files.secret);
    this.#secret = openSecret(files);
  }

  get identity(): object {
    return this.#current().identity;
  }

  readonly hashKey = (key: string): Buffer => this.#current().hashKey(key);
  readonly signCursor = (content: string): Buffer => this.#current().signCursor(content);
  readonly proveAddress = (content: string): Buffer => this.#current().proveAddress(content);
  readonly sealing = (kind: Sealed) => this.#current().sealing(kind);

  /** @throws FileUnavailable where there is none now */
  #current(): Secret {
    const now = this.#now();
    if (now - this.#lookedAt >= LOOK_MS) {
      this.#lookedAt = now;
      const seen = stampOf(this.#path);
      if (seen !== this.#seen) this.#secret = tryToOpen(this.#path);
      this.#seen = seen;
    }
    if (!this.#secret) throw new FileUnavailable(UNUSABLE);
    return this.#secret;
  }
}

/** What tells one state of a file from another. */
function stampOf(path: string): string {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

function tryToOpen(path: string): Secret | undefined {
  try {
    const bytes = readFileSync(path);
    return bytes.length < MIN_BYTES ? undefined : secretOf(bytes);
  } catch {
    return undefined;
  }
}
