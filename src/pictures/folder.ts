/**
 * The folder of a journal's pictures, beside its file: each once, under the SHA-256 of its bytes.
 * A picture is written and synced before the line that states it commits, and removed after the
 * last such line is gone.
 */
import { hash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import { createFile } from '../sqlite/create-file.ts';
import { pictureName, pictureNamed } from './address.ts';
import { MOST_PICTURE_BYTES, type Picture } from './picture.ts';

/** @param journal the path of its file */
export function pictureFolderOf(journal: string): string {
  return `${journal}-attachments`;
}

/** Free space that writing pictures leaves. */
const SPARE_BYTES = 20_000_000;

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

  /** A picture's bytes; undefined if it is missing, changed, or no plain file. */
  read(name: string): Buffer | undefined {
    const bytes = pictureNamed(name) && readPlainFile(join(this.path, name));
    return bytes && hash('sha256', bytes) === name.slice(0, 64) ? bytes : undefined;
  }

  has(name: string): boolean {
    return existsSync(join(this.path, name));
  }

  /** @throws UserError if the disk has no room for so many bytes */
  requireRoom(bytes: number): void {
    if (bytes === 0) return;

    const { bavail, bsize } = statfsSync(nearestFolder(this.path));
    if (bavail * bsize >= bytes + SPARE_BYTES) return;

    throw new UserError(
      `no room for ${megabytes(bytes)} of pictures in ${dirname(this.path)}; ` +
        'free some, or pass --no-pictures',
    );
  }

  /** Writes and syncs a picture, unless it is there. @throws UserError if it can't be written */
  keep(picture: Pick<Picture, 'sha256' | 'type' | 'bytes'>): void {
    const name = pictureName(picture);
    if (this.read(name)) return;

    try {
      mkdirSync(this.path, { recursive: true, mode: 0o700 });
      chmodSync(this.path, 0o700);
      const write = (draft: string) => writeFileSync(draft, picture.bytes);
      createFile(join(this.path, name), write, { replaces: true });
    } catch (error) {
      throw new UserError(
        `the picture ${name} can't be written to ${this.path}: ${messageOf(error)}`,
        { cause: error },
      );
    }
  }

  /** Removes a picture, and the folder after the last. */
  remove(name: string): void {
    rmSync(join(this.path, name), { force: true });
    this.removeIfEmpty();
  }

  removeIfEmpty(): void {
    try {
      rmdirSync(this.path);
    } catch {
      // It has others, or is gone.
    }
  }
}

/** The bytes of a plain file; undefined for a link, a folder, a pipe, or one that is too large. */
function readPlainFile(path: string): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    return stats.isFile() && stats.size <= MOST_PICTURE_BYTES ? readFileSync(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
