/**
 * Finds the files of pictures that a note names: beside the note, then by path from the
 * root, then for double brackets the root's only file of that name. Nothing outside the
 * root is opened, and no link followed.
 */
import {
  closeSync,
  existsSync,
  fstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { codeOf, messageOf } from '../errors.ts';
import { openFile } from '../parse/open-file.ts';
import { MOST_PICTURE_BYTES, nameAt } from '../pictures/kept-pictures.ts';
import {
  cleanedPicture,
  type Picture,
  PictureRefused,
  tooLarge,
} from '../pictures/picture.ts';
import {
  type NotedPicture,
  type NotePictures,
  type PictureSource,
  type Reference,
  referencesIn,
} from './note-pictures.ts';
import { vaultOf } from './vault.ts';

/** Pictures of a note; further ones stay text. */
const MOST_OF_NOTE = 200;

/** Files of a root that are looked through for a name. */
const MOST_FILES = 200_000;

interface FinderSettings {
  /**
   * The imported folders: roots of notes outside of vaults. Of a single note, its own is.
   */
  folders: readonly string[];
  /**
   * In place of the note's own folder and root: that of an edited note, which has none.
   */
  from?: string | undefined;
  /** The picture at an address, if the user has kept it. */
  keptAt: (address: string) => NotedPicture | undefined;
}

export class PictureFinder implements PictureSource {
  readonly #settings: FinderSettings;
  /** Paths of the pictures of a root, by name. */
  readonly #named = new Map<string, Map<string, string[]>>();
  readonly #read = new Map<string, NotedPicture>();

  constructor(settings: FinderSettings) {
    this.#settings = settings;
  }

  in({ file, text }: { file?: string | undefined; text: string }): NotePictures {
    const kept = new Map<string, NotedPicture>();
    const lost: NotePictures['lost'][number][] = [];

    for (const reference of referencesIn(text)) {
      const { written, line } = reference;
      if (kept.has(written)) continue;

      try {
        if (kept.size >= MOST_OF_NOTE)
          throw new PictureRefused(`a note has at most ${MOST_OF_NOTE} pictures`);
        kept.set(written, this.#find(reference, file));
      } catch (error) {
        if (!(error instanceof PictureRefused)) throw error;
        lost.push({ line, text: reference.text, reason: error.message });
      }
    }

    return { kept, lost };
  }

  /** @throws PictureRefused that says why it isn't kept */
  #find({ written, isWiki }: Reference, file: string | undefined): NotedPicture {
    if (nameAt(written) !== undefined) {
      const known = this.#settings.keptAt(written);
      if (known) return known;
      throw new PictureRefused('the journal keeps no such picture');
    }

    const path = this.#pathOf(written, isWiki, file);
    const known = this.#read.get(path);
    if (known) return known;

    const { bytes, ...picture } = pictureIn(path);
    const read = () => {
      const again = pictureIn(path);
      if (again.sha256 === picture.sha256) return again.bytes;
      throw new PictureRefused('it changed while it was imported');
    };
    const found = { ...picture, size: bytes.length, read };
    this.#read.set(path, found);
    return found;
  }

  #pathOf(written: string, isWiki: boolean, file: string | undefined): string {
    refusePath(written);
    const { from = file && dirname(resolve(file)), folders } = this.#settings;
    if (from === undefined) throw new PictureRefused('the note has no folder');

    const beside = realpathSync(from);
    const folder = folders
      .map((root) => realpathSync(root))
      .find((root) => beside === root || isBelow(beside, root));
    const root =
      this.#settings.from === undefined ? (vaultOf(beside) ?? folder) : undefined;

    const all = root ?? beside;
    const places = [join(beside, written), join(all, written)];
    const found = places.find((path) => isBelow(path, all) && existsSync(path));
    if (found !== undefined) return refuseHidden(found, all);
    if (!isWiki || /[/\\]/.test(written))
      throw new PictureRefused('there is no such file');

    return this.#onlyNamed(written, all);
  }

  #onlyNamed(name: string, root: string): string {
    let named = this.#named.get(root);
    if (!named) {
      named = filesIn(root);
      this.#named.set(root, named);
    }

    const [first, ...more] = named.get(name.toLowerCase()) ?? [];
    if (first === undefined) throw new PictureRefused('there is no such file');
    if (more.length === 0) return first;

    const all = [first, ...more].map((path) => relative(root, path)).slice(0, 5);
    throw new PictureRefused(
      `${more.length + 1} files have this name: ${all.join(', ')}`,
    );
  }
}

/** @throws PictureRefused for a path that may lead elsewhere */
function refusePath(written: string): void {
  const parts = written.split(/[/\\]/);
  if (parts.includes('..'))
    throw new PictureRefused(
      `".." isn't followed; ![[${parts.at(-1)}]] finds it by its name`,
    );
  if (/^(?:[/\\~]|[a-z][a-z0-9+.-]*:)/i.test(written) || written.includes('\0'))
    throw new PictureRefused('only paths within the folder of notes are followed');
}

function refuseHidden(path: string, root: string): string {
  const isHidden = relative(root, path)
    .split(sep)
    .some((part) => part.startsWith('.'));
  if (isHidden) throw new PictureRefused('it is in a hidden folder');
  return path;
}

function isBelow(path: string, root: string): boolean {
  return path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function filesIn(root: string): Map<string, string[]> {
  const named = new Map<string, string[]>();
  const folders = [root];
  let count = 0;

  for (const folder of folders) {
    for (const entry of entriesOf(folder)) {
      if (entry.name.startsWith('.') || ++count > MOST_FILES) continue;

      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) {
        const key = entry.name.toLowerCase();
        named.set(key, [...(named.get(key) ?? []), path]);
      }
    }
  }

  return named;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** The picture in a file that the user names. @throws PictureRefused if it isn't kept */
export function pictureIn(path: string): Picture {
  let bytes: Buffer;
  try {
    const fd = openFile({ file: path, noLinks: true });
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile()) throw new PictureRefused('it is no file');
      if (stats.size > MOST_PICTURE_BYTES) throw tooLarge();
      bytes = readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (error instanceof PictureRefused) throw error;
    const code = codeOf(error);
    throw new PictureRefused(
      code === 'ENOENT'
        ? 'there is no such file'
        : messageOf(error).replace(path, basename(path)),
    );
  }

  return cleanedPicture(bytes);
}
