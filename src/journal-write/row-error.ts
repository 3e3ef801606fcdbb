import { UserError } from '../errors.ts';

/** What can't be imported: which field or column, and why. Whoever knows the file and the line adds them. */
export class RowError extends Error {
  override name = 'RowError';
  readonly field: string | null;
  readonly reason: string;
  readonly line: number | undefined;
  /** Where another file than the one being imported is to blame. */
  readonly file: string | undefined;

  constructor(field: string | null, reason: string, line?: number, file?: string) {
    super(field === null ? reason : `${field}: ${reason}`);
    this.field = field;
    this.reason = reason;
    this.line = line;
    this.file = file;
  }

  /** @param names of fields or columns, at least one */
  static missing(names: readonly string[], line?: number): RowError {
    return new RowError(names.join(', '), names.length === 1 ? 'is missing' : 'are missing', line);
  }

  at(file: string, line: number | undefined): UserError {
    const where = this.line ?? line;
    return new UserError(`${this.file ?? file}:${where === undefined ? '' : `${where}:`} ${this.message}`);
  }
}

/** Runs what does not know its line; a RowError that it throws gets it. */
export function onLine<T>(line: number, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof RowError ? new RowError(error.field, error.reason, line) : error;
  }
}

const LONGEST = 60;

/** A value as it is quoted in a message. */
export function quote(value: unknown): string {
  if (typeof value === 'number' || value === undefined) return String(value);
  const text = JSON.stringify(value) ?? String(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text;
}
