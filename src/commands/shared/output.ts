/** Data goes to stdout, everything else to stderr. */
import { withoutKeys } from '../../keys/format.ts';
import { rootCause } from '../../sqlite/errors.ts';

export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function note(line: string): void {
  process.stderr.write(`${withoutKeys(line)}\n`);
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

/** Prints a header and rows in aligned columns. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [header, ...rows];
  const widths = header.map((_, column) => all.reduce((width, row) => Math.max(width, (row[column] ?? '').length), 0));
  for (const row of all) {
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
}

/** Quoted, if necessary, so that a POSIX shell reads it as one word. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,#-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// Log text of an unexpected error.

/**
 * Leaves out the message because it may quote a record, line breaks included. SQLite's own messages never do.
 * @returns lines: the error's name with SQLite's message, if any, then the stack
 */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { name, message, stack = '' } = error;
  const cause = rootCause(error);
  const at = stack.indexOf(message);
  // "TypeError [ERR_CODE]: message", then the frames; with any other prefix the end of the message is unknown.
  const frames = /^\w+( \[\w+\])?: $/.test(stack.slice(0, at)) ? stack.slice(at + message.length).split('\n') : [];
  return [cause === undefined ? name : `${name} ${cause}`, ...frames.filter((line) => /^\s+at /.test(line))].join('\n');
}
