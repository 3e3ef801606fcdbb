/** A folder that is looked at again and again: each file that has come, or has changed, is imported once it is whole. */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../../errors.ts';
import { isFaultOfFile } from '../../journal-write/open.ts';

/** What browsers, copies and editors call a file that is not yet what it will be. */
const UNFINISHED = /(^~|~$|^\.|\.(part|partial|crdownload|download|tmp|temp|swp|new)$)/i;

/** Folders within folders: no vault is deeper. */
const DEEPEST = 20;

interface Seen {
  /** Size and times, which change with its content. */
  state: string;
  /** Imported, or refused. */
  isDone: boolean;
}

export interface WatchOptions {
  folder: string;
  /** Imports a file, and reports what became of it. @throws what importPaths does */
  take: (path: string) => void;
  /** Gets what went wrong, in words. */
  note: (line: string) => void;
}

export class FolderWatch {
  readonly #options: WatchOptions;
  #seen = new Map<string, Seen>();
  /** What was said last of the folder or the journal, so that it isn't said again each second. */
  #said: string | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** @throws UserError where there is no such folder */
  start(): void {
    try {
      readdirSync(this.#options.folder);
    } catch (error) {
      throw new UserError(`the folder ${this.#options.folder} can't be read: ${messageOf(error)}`);
    }
  }

  /**
   * Looks once. A file that is as it was at the look before is whole, and is imported; one that was refused stays so until it
   * changes. By looking, not by being told: so it works on any file system.
   * @param isOver is asked before each file
   */
  look(isOver: () => boolean = () => false): void {
    const seen = new Map<string, Seen>();
    for (const name of this.#names()) {
      const path = join(this.#options.folder, name);
      const stats = statsOf(path);
      if (stats === undefined) continue;
      const state = [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join();
      const before = this.#seen.get(name);
      const isSame = before?.state === state;
      const isDone = isSame && before.isDone;
      const handle = () => (stats.isSymbolicLink() ? this.#refuseLink(path) : this.#take(path));
      seen.set(name, { state, isDone: isDone || (isSame && !isOver() && handle()) });
    }
    this.#seen = seen;
  }

  #names(): string[] {
    try {
      return this.#namesIn('', 0).sort();
    } catch (error) {
      this.#say(`the folder ${this.#options.folder} can't be read: ${messageOf(error)}; waiting for it to come back`);
      return [];
    }
  }

  /** Names of all files below a folder, and of links, which are never followed. */
  #namesIn(within: string, depth: number): string[] {
    const entries = readdirSync(join(this.#options.folder, within), { withFileTypes: true });
    return entries.flatMap((entry: Dirent) => {
      if (UNFINISHED.test(entry.name)) return [];
      const name = join(within, entry.name);
      if (!entry.isDirectory()) return [name];
      if (depth === DEEPEST) return [];
      try {
        return this.#namesIn(name, depth + 1);
      } catch (error) {
        this.#say(`the folder ${name} can't be read: ${messageOf(error)}`);
        return [];
      }
    });
  }

  /** @returns whether the file is done with, until it changes */
  #take(path: string): boolean {
    const { take, note } = this.#options;
    try {
      take(path);
      this.#said = undefined;
      return true;
    } catch (error) {
      if (error instanceof UserError && isFaultOfFile(error)) {
        this.#say(`${error.message}; ${path} waits`);
        return false;
      }
      // Whatever else a file makes happen is its own: the next one is imported all the same.
      const reason = error instanceof UserError ? error.message : `${path}: unexpected error: ${messageOf(error)}`;
      note(`${reason}\n${path} is left alone until it changes`);
      return true;
    }
  }

  /** Whoever may write into the folder need not be able to read what a link leads to. */
  #refuseLink(path: string): boolean {
    this.#options.note(`${path} is a link, and is left alone: copy the file into the folder`);
    return true;
  }

  #say(line: string): void {
    if (this.#said !== line) this.#options.note(line);
    this.#said = line;
  }
}

/** Undefined for what is neither a file nor a link, or holds nothing yet. */
function statsOf(path: string): Stats | undefined {
  try {
    const stats = lstatSync(path);
    return stats.isSymbolicLink() || (stats.isFile() && stats.size > 0) ? stats : undefined;
  } catch {
    // It went while it was looked at, or nobody may look: then it can't be read either.
    return undefined;
  }
}
