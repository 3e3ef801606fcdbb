/** What all commands share: the options that many have, their examples, and output. */
import { Command, type Option } from 'commander';
import { eastAsianWidth } from 'get-east-asian-width';
import { filesOf, type GlobalOptions } from '../../config.ts';
import { quote, UsageError } from '../../errors.ts';
import { withoutKeys } from '../../keys/format.ts';
import { rootCause } from '../../sqlite/errors.ts';

/** Values of options that many commands have. */
export interface Options extends GlobalOptions {
  user?: string;
  json?: boolean;
  dryRun?: boolean;
}

export class JournalCommand extends Command {
  override createCommand(name?: string): JournalCommand {
    return new JournalCommand(name);
  }

  addOptions(options: readonly Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  /** @param whose such as "owner of the journal" */
  userOption(whose: string): this {
    return this.option('--user <id>', `${whose} (default: me, else the only user)`);
  }

  /** Options of a command that changes more than records. */
  changes(what: string, dryRun = 'report the changes without making them'): this {
    return this.userOption(`owner of the ${what}`)
      .option('--dry-run', dryRun)
      .option('--json', 'the report as JSON');
  }

  /** Options of a command that changes records. */
  changesRecords(): this {
    return this.option('--dry-run', 'show what would change, and change nothing')
      .userOption('owner of the records')
      .option('--json', 'the result as JSON');
  }

  lists(): this {
    return this.option('--json', 'as a JSON array');
  }

  /** Text below the options in the help. */
  explained(text: string): this {
    return this.addHelpText('after', `\n${text}`);
  }

  examples(...lines: string[]): this {
    const all = lines.map((line) => `\n  $ ${line}`).join('');
    return this.addHelpText('after', `\nExample${lines.length === 1 ? '' : 's'}:${all}`);
  }

  /** @param act takes the arguments, then all options, those of every command included */
  runs(act: (...given: never[]) => void | Promise<void>): this {
    return this.action((...given) =>
      act(...([...given.slice(0, -2), this.optsWithGlobals()] as never[])),
    );
  }
}

/** Where a command reads or writes, for whom, and whether it only tries. */
export function targetOf({ user, dryRun, ...options }: Options) {
  const { journal, keys, backups } = filesOf(options);
  return { journal, keys, backups, user, dryRun, now: Date.now() };
}

export const undoHint = (id: number | null) => `To undo: journal-api import undo ${id}`;

/**
 * Prints a report as JSON, or as lines that begin with a note on a dry run. It may quote
 * a file, and the file a key.
 */
export function showReport(
  report: unknown,
  { json, dryRun }: Options,
  show: () => void,
): void {
  if (json) return printData(withoutKeys(JSON.stringify(report, null, 2)));
  if (dryRun) note('Dry run: nothing was written.');
  show();
}

// Data goes to stdout, everything else to stderr. All lines for a person pass through
// here.

/**
 * Control characters and marks of writing direction, with which a text could clear the
 * screen, retype lines or show another order.
 */
const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/gu;

/**
 * A text for a person: characters that a terminal would obey are shown instead, such as
 * \x1b. Lines and tabs stay.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (char) =>
    char === '\n' || char === '\t' ? char : escaped(char),
  );
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

/** The columns of a table: a header, and the cell of a row or the name of its field. */
export type Columns<T> = Readonly<
  Record<string, (keyof T & string) | ((row: T) => unknown)>
>;

/**
 * Prints rows in aligned columns, with - for null.
 * @param below a line below each row; empty for none
 */
export function printTable<T>(
  rows: readonly T[],
  columns: Columns<T>,
  below: readonly string[] = [],
): void {
  const widths = widthsOf(rows, columns);
  for (const [place, row] of tableOf(rows, columns).entries()) {
    const cells = row.map((cell, column) => padded(cell, widths[column] ?? 0));
    printData(cells.join('  ').trimEnd());
    const more = below[place - 1];
    if (more)
      printData(`${' '.repeat((widths[0] ?? 0) + 2)}${more.replace(UNSEEN, escaped)}`);
  }
}

function tableOf<T>(rows: readonly T[], columns: Columns<T>): string[][] {
  const cells = rows.map((row) =>
    Object.values(columns).map((cell) => {
      const value = typeof cell === 'string' ? row[cell] : cell(row);
      return String(value ?? '-').replace(UNSEEN, escaped);
    }),
  );
  return [Object.keys(columns), ...cells];
}

/** The width of each column of a table. */
export function widthsOf<T>(rows: readonly T[], columns: Columns<T>): number[] {
  const table = tableOf(rows, columns);
  return Object.keys(columns).map((_, at) =>
    table.reduce((width, row) => Math.max(width, widthOf(row[at] ?? '')), 0),
  );
}

/** With spaces at its end, as wide as a column of a terminal. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - widthOf(text)));
}

/** In columns of a terminal: East Asian characters and emoji take two, accents none. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;

  const characters = [...new Intl.Segmenter('en').segment(text)];
  return characters.reduce((width, { segment }) => width + widthOfCharacter(segment), 0);
}

function widthOfCharacter(character: string): number {
  if (/\p{Emoji_Presentation}|\u{fe0f}/u.test(character)) return 2;
  if (/^[\p{Mark}\p{Default_Ignorable_Code_Point}]+$/u.test(character)) return 0;
  return eastAsianWidth(character.codePointAt(0) as number);
}

/** Prints a list as JSON, or as a table. @param none a note in place of an empty table */
export function printList<T>(
  { json }: { json?: boolean },
  rows: readonly T[],
  none: string | null,
  columns: Columns<T>,
): void {
  if (json) printJson(rows);
  else if (rows.length === 0 && none !== null) note(none);
  else printTable(rows, columns);
}

/** 1 trade, 2 trades. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Quoted, if necessary, so that a POSIX shell reads it as one word. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,#-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

// Log text of an unexpected error.

/**
 * Leaves out the message because it may quote a record, line breaks included. SQLite's
 * own messages never do.
 * @returns lines: the error's name with SQLite's message, if any, then the stack
 */
export function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;

  const { name, message, stack = '' } = error;
  const cause = rootCause(error);
  const at = stack.indexOf(message);
  // "TypeError [ERR_CODE]: message", then the frames; with any other prefix the end of
  // the message is unknown.
  const frames = /^\w+( \[\w+\])?: $/.test(stack.slice(0, at))
    ? stack.slice(at + message.length).split('\n')
    : [];

  return [
    cause === undefined ? name : `${name} ${cause}`,
    ...frames.filter((line) => /^\s+at /.test(line)),
  ].join('\n');
}

// Progress on stderr, only on a terminal and after a second.

const PATIENCE_MS = 1000;
const EVERY_MS = 100;
const WIDTH = 30;

export function progressBar(
  stream = process.stderr,
  clock: () => number = () => performance.now(),
) {
  let next = clock() + PATIENCE_MS;
  let shown = false;

  const draw = (text: string) => {
    stream.write(`\r\x1b[K${visible(text)}`);
    shown = true;
  };

  return {
    /** Shows a long step without countable progress, at once. */
    announce(text: string): void {
      if (stream.isTTY) draw(text);
    },
    /** @param of total in the unit of `done`; 0 if unknown */
    show(label: string, done: number, of: number): void {
      const now = clock();
      if (!stream.isTTY || now < next) return;
      next = now + EVERY_MS;
      const part = of === 0 ? 0 : Math.min(done / of, 1);
      const percent = of === 0 ? '' : ` ${Math.floor(part * 100)} %`;
      draw(`[${'#'.repeat(Math.round(part * WIDTH)).padEnd(WIDTH)}]${percent} ${label}`);
    },
    clear(): void {
      if (shown) stream.write('\r\x1b[K');
      shown = false;
    },
  };
}

/** In place of the name of no account. */
const NO_ACCOUNT = '(none)';

/** As many as the journal stores of an account with limits or a starting balance. */
const LONGEST_NAME = 200;

/**
 * Reads the name of an account, as an option or an argument.
 * @returns the name without spaces around it
 * @throws UsageError for a name that no account may have
 */
export function accountName(typed: string): string {
  const name = typed.trim();
  if (name === NO_ACCOUNT)
    throw new UsageError(`"${NO_ACCOUNT}" stands for no account; pass the name of one`);
  if (name === '' || name.length > LONGEST_NAME || /\p{Cc}/u.test(name))
    throw new UsageError(
      `an account's name is one line of 1 to ${LONGEST_NAME} characters, such as main; got ${quote(typed)}`,
    );
  return name;
}
