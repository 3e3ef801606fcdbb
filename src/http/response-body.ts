/** What an answer says, as bytes, with its tag and its compressed form made once. */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export type MediaType = 'application/json' | 'application/problem+json' | 'text/plain; charset=utf-8';

const COMPRESS_FROM = 1024;

export class Content {
  readonly bytes: Buffer;
  readonly type: MediaType;
  /** Names these very bytes; null where nobody is meant to ask again with it. */
  readonly tag: string | null;
  #gzip: Buffer | undefined;

  constructor(body: string, type: MediaType, tagged: boolean) {
    this.bytes = Buffer.from(body);
    this.type = type;
    this.tag = tagged ? hash('sha256', this.bytes, 'base64url').slice(0, 27) : null;
  }

  get compressible(): boolean {
    return this.bytes.length > COMPRESS_FROM;
  }

  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.bytes, { level: 1 });
    return this.#gzip;
  }
}
