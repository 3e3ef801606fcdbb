/**
 * The folder of a journal's pictures, beside its file: each once, under the SHA-256 of
 * its bytes.
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
import { MOST_PICTURE_BYTES, pictureNamed } from './address.ts';

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
