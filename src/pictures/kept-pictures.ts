/**
 * The pictures that a journal keeps: their names and addresses, and the folder beside its
 * file with each once, under the SHA-256 of its bytes.
 */
import { hash } from 'node:crypto';
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
} from 'node:fs';
import { join } from 'node:path';

/** The kinds of pictures that are kept, as their files end. */
const PICTURE_TYPES = ['png', 'jpg', 'webp', 'gif'] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** Their media types. */
export const PICTURE_MEDIA = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  gif: 'image/gif',
} as const satisfies Readonly<Record<PictureType, string>>;
export type PictureMedia = (typeof PICTURE_MEDIA)[PictureType];

export const MOST_PICTURE_BYTES = 8_000_000;

export interface NamedPicture {
  /** SHA-256 of its bytes. */
  sha256: string;
  type: PictureType;
}

/** Where the API serves kept pictures. */
export const PICTURES_PATH = '/v1/attachments/';

const NAME = /^([0-9a-f]{64})\.(png|jpg|webp|gif)$/;
const ADDRESS = /^\/v1\/attachments\/([0-9a-f]{64})\.(png|jpg|webp|gif)$/;

/** A name such as 0123...ef.png, in a folder and in addresses. */
export function pictureName({ sha256, type }: NamedPicture): string {
  return `${sha256}.${type}`;
}

/** What a name says of a picture; undefined for any other text. */
export function pictureNamed(name: string): NamedPicture | undefined {
  const [, sha256, type] = NAME.exec(name) ?? [];
  return sha256 === undefined ? undefined : { sha256, type: type as PictureType };
}

export function addressOf(picture: NamedPicture): string {
  return PICTURES_PATH + pictureName(picture);
}

/** The name of the kept picture at an address; undefined for any other address. */
export function nameAt(address: string): string | undefined {
  return ADDRESS.test(address) ? address.slice(PICTURES_PATH.length) : undefined;
}

// The folder.

/** @param journal the path of its file */
export function pictureFolderOf(journal: string): string {
  return `${journal}-attachments`;
}

export class PictureFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  static of(journal: string): PictureFolder {
    return new PictureFolder(pictureFolderOf(journal));
  }

  /** Names of its pictures, sorted; none if it is missing. */
  names(): string[] {
    if (!existsSync(this.path)) return [];
    return readdirSync(this.path)
      .filter((name) => pictureNamed(name))
      .sort();
  }

  /** Whether it is something else than a folder of pictures, or has other files. */
  hasOthers(): boolean {
    const stats = lstatSync(this.path, { throwIfNoEntry: false });
    if (!stats) return false;
    return (
      !stats.isDirectory() || readdirSync(this.path).some((name) => !pictureNamed(name))
    );
  }

  /** A picture's bytes; undefined if it is missing, changed, or no plain file. */
  read(name: string): Buffer | undefined {
    const bytes = pictureNamed(name) && readPlainFile(join(this.path, name));
    return bytes && hash('sha256', bytes) === name.slice(0, 64) ? bytes : undefined;
  }
}

/**
 * The bytes of a plain file; undefined for a link, a folder, a pipe, or one that is too
 * large.
 */
function readPlainFile(path: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= MOST_PICTURE_BYTES
      ? readFileSync(fd)
      : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
