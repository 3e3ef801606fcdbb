/** Queries against an open SQLite file. */
import type Database from 'better-sqlite3';

export type Row = Record<string, unknown>;
export type Bindable = string | number | Buffer | null;

/**
 * Placeholder of a bound text. SQLite replans a statement at each call if a plain ? is
 * compared with a column, which adds half the time of reading 50 trades. With a CAST, a
 * keyset's pair would use only the first half of its index.
 */
export const TEXT = "(? || '')";

/**
 * Placeholder of a bound number, for the same reason. After LIMIT, too: a literal would
 * need a statement per page size.
 */
export const NUMBER = '(? + 0)';

/** Filters can be combined in many ways, and each statement takes some 50 KB. */
const MAX_STATEMENTS = 100;

/** What a handle shows in place of its file's tables. */
export interface Laid {
  /** Handles with the same name show the same. */
  name: string;
  /** Whether it shows records since a day only, those of some accounts, or no amounts. */
  narrow?: { since: boolean; accounts: boolean; money: boolean };
  /** Called at the start of each snapshot. */
  begin?: (reader: Reader) => void;
  /**
   * The same statement with the tables' own ids in place of those of the views, which has
   * the same result sooner.
   */
  rewritten?: (sql: string) => string;
  /** Looks for the records of these ids, so that statements find them sooner. */
  find?: (reader: Reader, ids: readonly string[], isShort: boolean) => void;
}

/** Looks after a long read. */
export interface Watch {
  /** @throws ReadAbandoned if the result is no longer wanted */
  requireWanted: () => void;
  /** Called before each statement; may let the lock go for a moment. */
  beforeStatement: () => void;
  /** Lets the lock go until the next statement. */
  letGo: () => void;
}

/** A rewritten statement can't be used: an id was forgotten. */
export class Forgotten extends Error {}

/**
 * Queries inside one snapshot. Statements are prepared once per handle, so SQL text must
 * not contain values.
 */
export class Reader {
  readonly #db: Database.Database;
  readonly #facts: VersionFacts | undefined;
  readonly #statements = new Map<string, Database.Statement>();
  /** Undefined if it reads the tables themselves. */
  readonly overlay: Laid | undefined;
  /** Version of the file that the snapshot is of, or of an earlier moment. */
  version = 0;
  /** Undefined for a read that is short, or must not let the lock go. */
  watch: Watch | undefined;

  /** @param facts where those of the file are kept; by default, none are */
  constructor(db: Database.Database, facts?: VersionFacts, overlay?: Laid) {
    this.#db = db;
    this.#facts = facts;
    this.overlay = overlay;
  }

  /**
   * Whether to close the handle, which frees its statements; dropping one from the map
   * would not, or not soon.
   */
  get isFull(): boolean {
    return this.#statements.size > MAX_STATEMENTS;
  }

  all<T = Row>(sql: string, ...values: Bindable[]): T[] {
    return this.#run(sql, (statement) => statement.all(...values) as T[]);
  }

  /**
   * The same row by row, with one in memory at a time. Until it ends, the same statement
   * can't run again.
   */
  each<T = Row>(sql: string, ...values: Bindable[]): IterableIterator<T> {
    return this.#prepared(sql).iterate(...values) as IterableIterator<T>;
  }

  /** The first row; undefined if none. */
  get<T = Row>(sql: string, ...values: Bindable[]): T | undefined {
    return this.#run(sql, (statement) => statement.get(...values) as T | undefined);
  }

  /** The row of a statement that always has one, such as a count. */
  only<T>(sql: string, ...values: Bindable[]): T {
    return this.get<T>(sql, ...values) as T;
  }

  /** Lets writers have the file until the next statement: nothing is read for a while. */
  letGo(): void {
    this.watch?.letGo();
  }

  /**
   * Facts that need a pass over the file, kept until the file changes.
   * @param seenBy the handles that share them: those with the same overlay
   */
  kept<T>(name: string, find: () => T, seenBy = this.overlay?.name): T {
    return this.#facts?.of(this.version, `${name} ${seenBy}`, find) ?? find();
  }

  #run<T>(sql: string, run: (statement: Database.Statement) => T): T {
    this.watch?.beforeStatement();
    try {
      return run(this.#prepared(sql, this.overlay?.rewritten));
    } catch (error) {
      if (!(error instanceof Forgotten)) throw error;
      // Kept next to the rewritten statement, under another text.
      return run(this.#prepared(`${sql} `));
    }
  }

  #prepared(sql: string, rewritten = (text: string) => text): Database.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(rewritten(sql));
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/** The number of a pragma. */
export function pragmaOf(
  db: Database.Database,
  name: 'application_id' | 'user_version' | 'page_count' | 'page_size' | 'busy_timeout',
): number {
  return db.pragma(name, { simple: true }) as number;
}

/** Facts kept, of the users and keys that used them last. */
const MAX_FACTS = 30;

export class VersionFacts {
  #version = 0;
  readonly #byName = new Map<string, unknown>();

  /** Undefined if it isn't known for this version. */
  get(version: number, name: string): unknown {
    return version === this.#version ? this.#byName.get(name) : undefined;
  }

  of<T>(version: number, name: string, find: () => T): T {
    if (version > this.#version) this.#byName.clear();
    this.#version = Math.max(version, this.#version);
    const known = version === this.#version ? this.#byName.get(name) : undefined;
    const found = known ?? find();
    if (version !== this.#version) return found as T;

    this.#byName.delete(name);
    this.#byName.set(name, found);
    for (const oldest of this.#byName.keys())
      if (this.#byName.size > MAX_FACTS) this.#byName.delete(oldest);

    return found as T;
  }
}
