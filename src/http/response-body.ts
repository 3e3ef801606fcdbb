/** Status, headers and body of a response; the body as bytes, with its tag and compressed form made once. */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { STEP } from '../journal/in-steps.ts';

export type MediaType =
  | 'application/json'
  | 'application/problem+json'
  | 'text/html; charset=utf-8'
  | 'text/css; charset=utf-8'
  | 'text/javascript; charset=utf-8'
  | 'text/plain; charset=utf-8'
  | 'text/csv; charset=utf-8'
  | 'application/x-ndjson'
  | 'image/svg+xml';

const COMPRESS_FROM = 1024;

/** Bytes that are compressed within a millisecond or two, which is less than another thread costs. */
const SHORT = 256_000;

const LEVEL = { level: 1 };

const gzipElsewhere = (bytes: Buffer): Promise<Buffer> => promisify(gzip)(bytes, LEVEL);

export interface Reply {
  status: number;
  /** null for no body, as with 204. */
  body: ResponseBody | null;
  headers?: Readonly<Record<string, string>>;
}

export class ResponseBody {
  readonly bytes: Buffer;
  readonly type: MediaType;
  /** Identifies the bytes and the link; null if the response can't be revalidated. */
  readonly tag: string | null;
  /** Link header with the address of the next page; null if none. */
  readonly link: string | null;
  /** Records of a list, or 1 for a single record. */
  records = 0;
  #gzip: Buffer | undefined;
  #compressing: Promise<void> | undefined;

  constructor(content: string | Buffer, type: MediaType, tagged: boolean, link: string | null = null) {
    this.bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.type = type;
    this.link = link;
    this.tag = tagged ? tagOf(this.bytes, link) : null;
  }

  get compressible(): boolean {
    return this.bytes.length > COMPRESS_FROM;
  }

  get gzip(): Buffer {
    this.#gzip ??= gzipSync(this.bytes, LEVEL);
    return this.#gzip;
  }

  /** Whether compressing at once would delay other requests. */
  get compressesLong(): boolean {
    return this.bytes.length > SHORT && this.#gzip === undefined;
  }

  /** Compresses in the background. */
  compress(): Promise<void> {
    this.#compressing ??= gzipElsewhere(this.bytes).then((bytes) => {
      this.#gzip = bytes;
    });
    return this.#compressing;
  }
}

function tagOf(bytes: Buffer, link: string | null): string {
  const hashed = link === null ? bytes : Buffer.concat([bytes, Buffer.from(link)]);
  return hash('sha256', hashed, 'base64url').slice(0, 27);
}

export function jsonBody(value: object): ResponseBody {
  return new ResponseBody(JSON.stringify(value), 'application/json', true);
}

/** The same for a response that may be long, with pauses. */
export function* jsonBodyInSteps(value: object): Generator<void, ResponseBody> {
  return hasLongList(value) ? new ResponseBody(yield* jsonInSteps(value), 'application/json', true) : jsonBody(value);
}

/** Joining parts would only copy them: a page of large records is in memory once. */
function hasLongList(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > STEP;
  return typeof value === 'object' && value !== null && Object.values(value).some(hasLongList);
}

/** The text of JSON.stringify. */
function* jsonInSteps(value: unknown): Generator<void, string> {
  if (Array.isArray(value)) {
    if (value.length <= STEP) return JSON.stringify(value);
    const parts: string[] = [];
    for (let i = 0; i < value.length; i += STEP) {
      parts.push(JSON.stringify(value.slice(i, i + STEP)).slice(1, -1));
      yield;
    }
    return `[${parts.join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) members.push(`${JSON.stringify(name)}:${yield* jsonInSteps(member)}`);
  }
  return `{${members.join(',')}}`;
}

export function problemBody(value: object): ResponseBody {
  return new ResponseBody(JSON.stringify(value), 'application/problem+json', false);
}
