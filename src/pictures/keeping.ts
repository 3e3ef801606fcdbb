/**
 * Keeps pictures in the folder of a journal: written and synced before the line that
 * states them commits, removed after the last such line is gone.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  rmdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, UserError } from '../errors.ts';
import { createFile } from '../sqlite/create-file.ts';
import { PictureFolder, pictureFolderOf, pictureName } from './kept-pictures.ts';
import type { Picture } from './picture.ts';

/** Free space that writing pictures leaves. */
const SPARE_BYTES = 20_000_000;

const DRAFT = /^[0-9a-f]{64}\.[a-z]{3,4}\.[0-9a-f]{8}\.new$/;

export class KeptPictures extends PictureFolder {
  static override of(journal: string): KeptPictures {
    return new KeptPictures(pictureFolderOf(journal));
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

  /**
   * Writes and syncs a picture, unless it is there.
   * @throws UserError if it can't be written
   */
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

  /** Names of what killed writers left of pictures. */
  drafts(): string[] {
    return existsSync(this.path)
      ? readdirSync(this.path).filter((name) => DRAFT.test(name))
      : [];
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

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path));
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
