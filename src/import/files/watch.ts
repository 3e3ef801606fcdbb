/** Watches a folder by polling: imports each new or changed file once it is complete. */
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../../errors.ts';
import { isFaultOfFile } from '../../journal-write/open.ts';
import { ODD_NAME } from './plan.ts';

/** Names that browsers, copies and editors give to unfinished files. */
const UNFINISHED = /(^~|~$|^\.|\.(part|partial|crdownload|download|tmp|temp|swp|new)$)/i;

/** Maximum depth of folders: no vault is deeper. */
const DEEPEST = 20;

interface Seen {
  /** Size and times, which change with its contents. */
  state: string;
  isDone: boolean;
}

export interface WatchOptions {
  folder: string;
  /** Imports a file and reports the result. @throws as importPaths does */
  take: (path: string) => void;
  note: (line: string) => void;
}

export class FolderWatch {
  readonly #options: WatchOptions;
  #seen = new Map<string, Seen>();
  /**
   * The last message about the folder or the journal, so that it isn't repeated each
   * second.
   */
  #lastMessage: string | undefined;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  start(): void {
    try {
      readdirSync(this.#options.folder);
    } catch (error) {
      throw new UserError(
        `the folder ${this.#options.folder} can't be read: ${messageOf(error)}`,
      );
    }
  }

  /**
   * Polls once. A file that hasn't changed since the last poll is complete and imported;
   * a rejected one is skipped until it changes. Unlike file events, polling works on any
   * file system.
   * @returns steps that end before each file to import, so that the caller may stop, or
   * receive signals
   */
  *look(): Generator<void> {
    const seen = new Map<string, Seen>();
    for (const name of this.#names()) {
      const path = join(this.#options.folder, name);
      const stats = statsOf(path);
      if (stats === undefined) continue;

      const state = [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join();
      const before = this.#seen.get(name);
      const isSame = before?.state === state;
      const isDone = isSame && before.isDone;
      seen.set(name, { state, isDone });
      if (isDone || !isSame) continue;

      yield;
      seen.set(name, { state, isDone: this.#isDone(path, stats) });
    }

    this.#seen = seen;
  }

  #names(): string[] {
    try {
      return this.#namesIn('', 0).sort();
    } catch (error) {
      this.#noteOnce(
        `the folder ${this.#options.folder} can't be read: ${messageOf(error)}; waiting for it to come back`,
      );
      return [];
    }
  }

  /** Names of all files and links below a folder; links are never followed. */
  #namesIn(within: string, depth: number): string[] {
    const entries = readdirSync(join(this.#options.folder, within), {
      withFileTypes: true,
    });
    return entries.flatMap((entry: Dirent) => {
      if (UNFINISHED.test(entry.name)) return [];

      const name = join(within, entry.name);
      if (!entry.isDirectory()) return [name];
      if (depth === DEEPEST) return [];

      try {
        return this.#namesIn(name, depth + 1);
      } catch (error) {
        this.#noteOnce(`the folder ${name} can't be read: ${messageOf(error)}`);
        return [];
      }
    });
  }

  #isDone(path: string, stats: Stats): boolean {
    if (ODD_NAME.test(path)) return this.#refuseName(path);
    return stats.isSymbolicLink() ? this.#refuseLink(path) : this.#take(path);
  }

  /** @returns whether the file is done until it changes */
  #take(path: string): boolean {
    const { take, note } = this.#options;
    try {
      take(path);
      this.#lastMessage = undefined;
      return true;
    } catch (error) {
      if (error instanceof UserError && isFaultOfFile(error)) {
        this.#noteOnce(`${error.message}; ${path} will be retried`);
        return false;
      }
      // Any other error concerns this file only: the next one is imported.
      const reason =
        error instanceof UserError
          ? error.message
          : `${path}: unexpected error: ${messageOf(error)}`;
      note(`${reason}\n${path} is skipped until it changes`);
      return true;
    }
  }

  /**
   * Rejects a link: users who may write to the folder may not be allowed to read its
   * target.
   */
  #refuseLink(path: string): boolean {
    this.#options.note(`${path} is a link and is skipped; copy the file into the folder`);
    return true;
  }

  #refuseName(path: string): boolean {
    this.#options.note(
      `${JSON.stringify(path)} holds a control character and is skipped; rename it`,
    );
    return true;
  }

  #noteOnce(line: string): void {
    if (this.#lastMessage !== line) this.#options.note(line);
    this.#lastMessage = line;
  }
}

/** Undefined unless it is a link or a file that isn't empty. */
function statsOf(path: string): Stats | undefined {
  try {
    const stats = lstatSync(path);
    return stats.isSymbolicLink() || (stats.isFile() && stats.size > 0)
      ? stats
      : undefined;
  } catch {
    // It was removed meanwhile, or access is denied: then it can't be read either.
    return undefined;
  }
}
