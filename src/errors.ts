/**
 * Errors with messages for the user, those of files with field and line, and "did you
 * mean".
 */
import leven from 'leven';

/** An error that the user can fix. The message is all they see: problem; remedy. */
export class UserError extends Error {
  override name = 'UserError';
}

/** An error in the command line: exit code 2. */
export class UsageError extends UserError {
  override name = 'UsageError';
}

/** The service refused the key: exit code 4. */
export class KeyRefused extends UserError {
  override name = 'KeyRefused';
}

/** Texts of the system's file errors, by code, to follow the path. */
const MEANINGS: Record<string, string> = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'it exists already',
  ENOTEMPTY: 'the folder is not empty',
  EACCES: "you don't have permission",
  EPERM: "you don't have permission",
  EROFS: 'the disk is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  EFBIG: 'the file would be larger than the disk allows',
  EIO: 'the disk reports an error',
  EBUSY: 'another program is using it',
  EMFILE: 'this process has too many files open',
  ENFILE: 'the machine has too many files open',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links form a loop',
};

/** The code of a caught value, such as ENOENT; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error && 'code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/**
 * The message of any caught value; for file errors of the system, a text without the
 * path.
 */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { message } = error;
  return 'syscall' in error ? (MEANINGS[codeOf(error) ?? ''] ?? message) : message;
}

/** A name without differences in case, hyphens, underscores and spaces. */
export const bareName = (name: string) => name.toLowerCase().replace(/[-_ ]/g, '');

/**
 * The candidate that was probably meant: equal except for case and hyphens, else
 * different in at most a third of its letters, else the shortest that contains the typed
 * text or is contained in it.
 */
export function nearest(
  typed: string,
  candidates: readonly string[],
): string | undefined {
  const intended = misspelt(typed, candidates);
  if (intended !== undefined) return intended;

  const meant = bareName(typed);
  const related = candidates.filter(
    (name) => isPartOf(meant, bareName(name)) || isPartOf(bareName(name), meant),
  );
  return related.sort((a, b) => a.length - b.length)[0];
}

/** The candidate from which at most a third of the letters are different. */
function misspelt(typed: string, candidates: readonly string[]): string | undefined {
  const [best] = byDistance(typed, candidates);
  if (best === undefined) return undefined;

  const most = Math.floor(
    Math.max(bareName(typed).length, bareName(best.name).length) / 3,
  );
  return best.distance <= most ? best.name : undefined;
}

/**
 * The candidate that differs in one letter: a name of one's own is near others by chance,
 * as confluence is near confidence.
 */
export function mistyped(
  typed: string,
  candidates: readonly string[],
): string | undefined {
  if (bareName(typed).length < 4) return undefined;
  return byDistance(typed, candidates).find(({ distance }) => distance === 1)?.name;
}

/** Candidates with the number of letters that differ, the nearest first. */
function byDistance(typed: string, candidates: readonly string[]) {
  const meant = bareName(typed);
  return candidates
    .map((name) => ({ name, distance: leven(meant, bareName(name)) }))
    .sort((a, b) => a.distance - b.distance);
}

/** Whether a text of at least four letters is part of another. */
function isPartOf(part: string, whole: string): boolean {
  return part.length >= 4 && whole.includes(part);
}

/** An error of a field or column in an import. Callers add the file and line. */
export class RowError extends Error {
  override name = 'RowError';
  readonly field: string | null;
  readonly reason: string;
  readonly line: number | undefined;
  /** Set if the error is in another file than the one being imported. */
  readonly file: string | undefined;
  /** Further errors to show, and the number of those not shown. */
  readonly others: readonly RowError[] = [];
  readonly more: number = 0;

  constructor(
    field: string | null,
    reason: string,
    line?: number,
    file?: string,
    also?: Also,
  ) {
    super(field === null ? reason : `${field}: ${reason}`);
    this.field = field;
    this.reason = reason;
    this.line = line;
    this.file = file;
    if (!also) return;

    this.others = also.others;
    this.more = also.more;
  }

  /** @param names of fields or columns, at least one */
  static missing(names: readonly string[], line?: number): RowError {
    return new RowError(
      names.join(', '),
      names.length === 1 ? 'is missing' : 'are missing',
      line,
    );
  }

  at(file: string, line: number | undefined): UserError {
    const errors = new FileErrors();
    errors.add(this, file, line);
    return errors.asOne();
  }
}

type Also = Pick<RowError, 'others' | 'more'>;

/** Maximum number of errors shown per file. */
const SHOWN = 20;

/** Collects the errors of a record, a row or all rows, to throw them together. */
export class RowErrors {
  readonly #errors: RowError[] = [];
  #count = 0;

  add(error: RowError): void {
    for (const one of [error, ...error.others])
      if (++this.#count <= SHOWN) this.#errors.push(one);
    this.#count += error.more;
  }

  /** Runs a function; keeps its RowError. */
  try<T>(act: () => T): T | undefined {
    try {
      return act();
    } catch (error) {
      this.keep(error);
      return undefined;
    }
  }

  /** Adds a RowError; throws any other error. */
  keep(error: unknown): void {
    if (!(error instanceof RowError)) throw error;
    this.add(error);
  }

  refuse(): void {
    if (this.#count > 0) throw this.asOne();
  }

  asOne(): RowError {
    const [first, ...others] = this.#errors as [RowError, ...RowError[]];
    const more = this.#count - this.#errors.length;
    return new RowError(first.field, first.reason, first.line, first.file, {
      others,
      more,
    });
  }
}

/** Collects the errors of a file, one per line. */
export class FileErrors {
  readonly #lines: string[] = [];
  #count = 0;

  add(error: RowError, file: string, line: number | undefined): void {
    for (const one of [error, ...error.others]) {
      const where = one.line ?? error.line ?? line;
      if (++this.#count > SHOWN) continue;
      this.#lines.push(
        `${one.file ?? error.file ?? file}:${where === undefined ? '' : `${where}:`} ${one.message}`,
      );
    }
    this.#count += error.more;
  }

  refuse(): void {
    if (this.#count > 0) throw this.asOne();
  }

  asOne(): UserError {
    const more = this.#count - this.#lines.length;
    return new UserError(
      [...this.#lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'),
    );
  }
}

/** Runs a function; adds the line to its RowError. */
export function onLine<T>(line: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof RowError
      ? new RowError(error.field, error.reason, line, undefined, error)
      : error;
  }
}

/** A part of a file that can't be imported, while the rest can. */
export interface Problem {
  file: string;
  line: number;
  message: string;
}

/** Sorts problems by file and line. */
export function byPlace(a: Problem, b: Problem): number {
  if (a.file === b.file) return a.line - b.line;
  return a.file < b.file ? -1 : 1;
}

const LONGEST = 60;

export function quote(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}

/** @param line of the field, if known */
export function unknownField(
  name: string,
  known: readonly string[],
  line?: number,
): RowError {
  const meant = nearest(name, known);
  return new RowError(
    name,
    meant ? `unknown field; did you mean ${meant}?` : 'unknown field',
    line,
  );
}

/** What is at a place in lists and objects within each other; undefined if nothing. */
export function valueAt(whole: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? Reflect.get(value, part) : undefined,
    whole,
  );
}
