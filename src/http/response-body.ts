/**
 * Status, headers and body of a response; the body as bytes, with its tag and compressed
 * form made once.
 */
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip, gzipSync } from 'node:zlib';
import { PICTURE_MEDIA, type PictureMedia } from '../pictures/kept-pictures.ts';

export type MediaType =
  | 'application/json'
  | 'application/problem+json'
  | 'text/html; charset=utf-8'
  | 'text/css; charset=utf-8'
  | 'text/javascript; charset=utf-8'
  | 'text/plain; charset=utf-8'
  | 'text/csv; charset=utf-8'
  | 'application/x-ndjson'
  | 'image/svg+xml'
  | PictureMedia;

const COMPRESS_FROM = 1024;

/**
 * Bytes that are compressed within a millisecond or two, which is less than another
 * thread costs.
 */
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

  /** @param tag true to compute one; null for none; or one computed before */
  constructor(
    content: string | Buffer,
    type: MediaType,
    tag: string | true | null,
    link: string | null = null,
    gzip?: Buffer,
  ) {
    this.bytes = typeof content === 'string' ? Buffer.from(content) : content;
    this.type = type;
    this.link = link;
    this.tag = tag === true ? tagOf(this.bytes, link) : tag;
    this.#gzip = gzip;
  }

  get compressible(): boolean {
    return this.bytes.length > COMPRESS_FROM && !this.isPicture;
  }

  /** Whether it is a kept picture, whose bytes come from a file of the user. */
  get isPicture(): boolean {
    return Object.values(PICTURE_MEDIA).some((type) => type === this.type);
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

export function problemBody(value: object): ResponseBody {
  return new ResponseBody(JSON.stringify(value), 'application/problem+json', null);
}
