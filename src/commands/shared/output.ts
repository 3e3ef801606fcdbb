/** Data goes to stdout, everything else to stderr. All lines for a person pass through here. */
import { withoutKeys } from '../../keys/format.ts';
import { rootCause } from '../../sqlite/errors.ts';

/** Control characters and marks of writing direction, with which a text could clear the screen, retype lines or show another order. */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/gu;

/** A text for a person: characters that a terminal would obey are shown instead, such as \x1b. Lines and tabs stay. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (char) => (char === '\n' || char === '\t' ? char : escaped(char)));
}

function escaped(char: string): string {
  const code = char.charCodeAt(0).toString(16);
  return code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`;
}

/** A line for a person. */
export function print(line: string): void {
  printData(visible(line));
}

/** A line for programs, as it is. */
export function printData(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printJson(value: unknown): void {
  printData(JSON.stringify(value, null, 2));
}

export function note(line: string): void {
  writeError(`${line}\n`);
}

export function writeError(text: string): void {
  process.stderr.write(visible(withoutKeys(text)));
}

/** Prints a header and rows in aligned columns. @param below a line below each row; empty for none */
export function printTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  below: readonly string[] = [],
): void {
  const all = [header, ...rows.map((row) => row.map((cell) => cell.replace(UNSEEN, escaped)))];
  const widths = header.map((_, column) => all.reduce((width, row) => Math.max(width, (row[column] ?? '').length), 0));
  for (const [place, row] of all.entries()) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    printData(cells.join('  ').trimEnd());
    const more = below[place - 1];
    if (more) printData(`${' '.repeat((widths[0] ?? 0) + 2)}${more.replace(UNSEEN, escaped)}`);
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
