import { UserError } from '../errors.ts';

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

  constructor(field: string | null, reason: string, line?: number, file?: string, also?: Also) {
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
    return new RowError(names.join(', '), names.length === 1 ? 'is missing' : 'are missing', line);
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
    for (const one of [error, ...error.others]) if (++this.#count <= SHOWN) this.#errors.push(one);
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
    return new RowError(first.field, first.reason, first.line, first.file, { others, more });
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
      this.#lines.push(`${one.file ?? error.file ?? file}:${where === undefined ? '' : `${where}:`} ${one.message}`);
    }
    this.#count += error.more;
  }

  refuse(): void {
    if (this.#count > 0) throw this.asOne();
  }

  asOne(): UserError {
    const more = this.#count - this.#lines.length;
    return new UserError([...this.#lines, ...(more > 0 ? [`and ${more} more`] : [])].join('\n'));
  }
}

/** Runs a function; adds the line to its RowError. */
export function onLine<T>(line: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof RowError ? new RowError(error.field, error.reason, line, undefined, error) : error;
  }
}

/** A part of a file that can't be imported, while the rest can. */
export interface Problem {
  file: string;
  line: number;
  message: string;
}

const LONGEST = 60;

export function quote(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
