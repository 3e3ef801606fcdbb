/** What a request is answered with; the body as bytes, with its tag and its compressed form made once. */
import { hash } from 'node:crypto';
import { gzipSync } from 'node:zlib';

export type MediaType =
  | 'application/json'
  | 'application/problem+json'
  | 'text/html; charset=utf-8'
  | 'text/css; charset=utf-8'
  | 'text/javascript; charset=utf-8'
  | 'text/plain; charset=utf-8'
  | 'image/svg+xml';

const COMPRESS_FROM = 1024;

export interface Reply {
  status: number;
  /** null: none, as with 204. */
  body: ResponseBody | null;
  headers?: Readonly<Record<string, string>>;
}

export class ResponseBody {
  readonly bytes: Buffer;
  readonly type: MediaType;
  /** Names these very bytes; null where nobody is meant to ask again with it. */
  readonly tag: string | null;
  #gzip: Buffer | undefined;

  constructor(content: string | Buffer, type: MediaType, tagged: boolean) {
    this.bytes = typeof content === 'string' ? Buffer.from(content) : content;
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

export function jsonBody(value: object): ResponseBody {
  return new ResponseBody(JSON.stringify(value), 'application/json', true);
}

export function problemBody(value: object): ResponseBody {
  return new ResponseBody(JSON.stringify(value), 'application/problem+json', false);
}
