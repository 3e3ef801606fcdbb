/**
 * Opens a file to import: JSON, encodings, archives, lines, and the maximum size of each.
 * In a watched folder, another user may replace it with a link at any moment.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { unzipSync } from 'fflate';
import { codeOf, RowError, UserError } from '../errors.ts';

// Maximum size of a file's parts: a malicious file can't exhaust memory or time. No real
// export comes near these bounds.

/**
 * Of a file read whole: an export, JSON, a workbook, standard input. Records in CSV and
 * JSON Lines are streamed instead.
 */
export const MOST_BYTES = 128_000_000;

/** Unpacked bytes of a workbook's wanted files. */
const MOST_UNPACKED = 100_000_000;

/** Rows of a table, elements of XML. */
export const MOST_ROWS = 1_000_000;

/** Cells of a row. */
export const MOST_CELLS = 1000;

/** Cells of a workbook's sheets, counting empty cells before a filled one. */
export const MOST_SHEET_CELLS = 20_000_000;

/** Characters of these cells, counting a shared text once per cell. */
export const MOST_SHEET_CHARACTERS = 100_000_000;

/** Attributes of an element, and of all kept elements of a file. */
export const MOST_ATTRIBUTES = 1000;
export const MOST_KEPT_ATTRIBUTES = 10_000_000;

/** Characters of one row of CSV; a workbook's cell holds at most 32,767. */
export const LONGEST_ROW = 16_000_000;
export const LONGEST_CELL = 32_767;

/** Characters that a pattern reads: numbers, times, symbols, descriptions. */
export const LONGEST_READ = 4096;

/** Nesting depth of HTML elements, or of arrays and objects in JSON. */
export const MOST_DEPTH = 200;

/** Arrays and objects of one JSON text, and all values in them. */
const MOST_OBJECTS = 5_000_000;
const MOST_VALUES = 10_000_000;

/**
 * Far above any number in an export, and the product of five is still finite. Numbers in
 * the journal are below 1e15.
 */
export const LARGEST_NUMBER = 1e60;

// Opening.

// JSON of a file. Texts with so much nesting or so many values that parsing would crash
// the program are rejected first.

/** A shorter text can't be nested deep enough to do harm. */
const HARMLESS = 2000;

/**
 * @param text of one value
 * @throws Error with the reason, like JSON.parse
 */
export function parseJson(text: string): unknown {
  if (text.length > HARMLESS) refuseDeep(text);
  return JSON.parse(text);
}

const [QUOTE, COMMA, BACKSLASH] = [34, 44, 92];
const [BRACKET, CLOSING_BRACKET, BRACE, CLOSING_BRACE] = [91, 93, 123, 125];

function refuseDeep(text: string): void {
  let depth = 0;
  let count = 0;
  let values = 0;

  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        if (++values > MOST_VALUES)
          throw new Error(`it has more than ${MOST_VALUES} values`);
        break;
      case BRACKET:
      case BRACE:
        if (++depth > MOST_DEPTH)
          throw new Error(`it is nested deeper than ${MOST_DEPTH}`);
        if (++count > MOST_OBJECTS)
          throw new Error(`it has more than ${MOST_OBJECTS} arrays and objects`);
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        depth--;
    }
  }
}

function endOfString(text: string, start: number): number {
  for (
    let end = text.indexOf('"', start + 1);
    end !== -1;
    end = text.indexOf('"', end + 1)
  ) {
    let marks = 0;
    while (text.charCodeAt(end - 1 - marks) === BACKSLASH) marks++;
    if (marks % 2 === 0) return end;
  }
  return text.length;
}

export interface FilePlace {
  file: string;
  /** Whether a link is rejected, both as the file and as a folder above it. */
  noLinks?: boolean | undefined;
}

/**
 * @returns its descriptor; opening doesn't wait for a pipe's writer
 * @throws UserError for a rejected link, or if it is neither a file nor a pipe; the
 * system's error if it can't be opened
 */
export function openFile({ file, noLinks = false }: FilePlace): number {
  const seen = noLinks
    ? lstatSync(file, { bigint: true })
    : statSync(file, { bigint: true });
  if (seen.isSymbolicLink()) throw isLink(file);
  if (!seen.isFile() && !seen.isFIFO())
    throw new UserError(`${file} is neither a file nor a pipe`);

  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  if (!noLinks) return openSync(file, flags);

  let fd: number;
  try {
    // Windows has no such flag.
    fd = openSync(file, flags | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    throw codeOf(error) === 'ELOOP' ? isLink(file) : error;
  }

  const opened = fstatSync(fd, { bigint: true });
  if (opened.ino === seen.ino && opened.dev === seen.dev && isInPlace(file, fd))
    return fd;

  closeSync(fd);
  throw new UserError(`${file} was replaced while it was opened; import it again`);
}

/**
 * Whether no folder of the path was a link. Linux reports the path of an open file; other
 * systems resolve the path again.
 */
function isInPlace(file: string, fd: number): boolean {
  const path = resolve(file);
  let opened: string;
  try {
    opened = readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    opened = realpathSync(path);
  }

  return opened === path;
}

function isLink(file: string): UserError {
  return new UserError(`${file} is a link; copy the file into the folder`);
}

// Decodes bytes to text, in the encodings that exports use.

/**
 * UTF-8, or UTF-16 if there is a byte order mark or a zero next to the first letter. The
 * mark itself is dropped.
 * @param isStart whether these are only the first bytes of a text, which may end within a
 * character
 * @returns undefined if the bytes aren't valid text
 */
export function decode(bytes: Uint8Array, isStart = false): string | undefined {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: !isStart }).decode(bytes, {
      stream: isStart,
    });
  } catch {
    return undefined;
  }
}

/**
 * Text of a program that uses its computer's encoding: if neither of the above, Western
 * European Windows.
 */
export function decodeOlder(bytes: Uint8Array): string {
  return decode(bytes) ?? new TextDecoder('windows-1252').decode(bytes);
}

/** @param bytes the first ones of a text */
export function encodingOf(bytes: Uint8Array): string {
  const [first = 1, second = 1] = bytes;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0))
    return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0)
    ? 'utf-16be'
    : 'utf-8';
}

// Files of a zip archive, unpacked in bounded memory. Workbooks and some exports are zip
// archives.

/** @param start the beginning of a file as text, even if the file is binary */
export function isZip(start: string): boolean {
  return start.startsWith('PK\u0003\u0004');
}

/**
 * Whether a name matches the first file of an archive. The name follows thirty bytes,
 * which may not be characters.
 */
export function firstZipped(start: string, name: RegExp): boolean {
  return name.test(start.slice(4, 150));
}

/**
 * @param isWanted whether to unpack the file of this name
 * @throws RowError if the archive is damaged or its wanted files exceed the bounds
 */
export function unzipped(
  bytes: Buffer,
  isWanted: (name: string) => boolean,
): Record<string, Uint8Array> {
  let size = 0;
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!isWanted(name)) return false;
        size += originalSize;
        if (size > MOST_UNPACKED)
          throw new RowError(null, `unpacks to more than ${MOST_UNPACKED / 1e6} MB`);
        return true;
      },
    });
  } catch (error) {
    throw error instanceof RowError
      ? error
      : new RowError(null, 'the archive is damaged; download it again');
  }
}

/**
 * The text of a file, or of the one wanted file in an archive.
 * @param isWanted whether the file of this name is the wanted one
 * @param what kind of file it is, for messages: "backtest result"
 * @throws RowError if the archive is damaged, or contains none or several of them
 */
export function textOrZipped(
  bytes: Buffer,
  isWanted: (name: string) => boolean,
  what: string,
): string {
  if (!isZip(bytes.toString('latin1', 0, 4))) return decodeOlder(bytes);

  const names = Object.entries(unzipped(bytes, isWanted));
  const [only, ...others] = names;
  if (!only) throw new RowError(null, `no ${what} in this archive`);
  if (others.length > 0) {
    throw new RowError(
      null,
      `more than one ${what} in this archive: ${names.map(([name]) => name).join(', ')}; unpack it`,
    );
  }

  return decodeOlder(only[1]);
}

// Splits blocks of text into lines or whole rows of CSV. A block may end anywhere.

export interface Part {
  text: string;
  /** Its first line. */
  line: number;
}

/** Lines without line endings. */
export function* linesOf(blocks: Iterable<string>): Generator<Part> {
  let rest = '';
  let line = 1;
  for (const block of blocks) {
    let from = 0;
    for (let end = block.indexOf('\n'); end !== -1; end = block.indexOf('\n', from)) {
      yield { text: rest + block.slice(from, end), line };
      rest = '';
      from = end + 1;
      line++;
    }

    rest += block.slice(from);
    refuseLong(rest, line, 'line');
  }

  if (rest !== '') yield { text: rest, line };
}

const [NEWLINE, RETURN] = [10, 13];

/** Whole rows of CSV, many at a time. A line break within quotes doesn't end a row. */
export function* rowsOf(blocks: Iterable<string>): Generator<Part> {
  let rest = '';
  let line = 1;
  const state: RowState = { isQuoted: false, lines: 0 };

  for (const block of blocks) {
    // Only the next block shows whether a return at the end of this one ends a line by
    // itself.
    const from = rest.endsWith('\r') ? rest.length - 1 : rest.length;
    const text = rest + block;
    const { end, lines } = lastRowEnd(text, from, state);
    if (end > 0) yield { text: text.slice(0, end), line };
    line += lines;
    rest = text.slice(end);
    refuseLong(rest, line, 'row');
  }

  if (rest !== '') yield { text: rest, line };
}

/** At the end of the text read so far. */
interface RowState {
  isQuoted: boolean;
  /** Number of lines that ended within the last, open row. */
  lines: number;
}

/**
 * @returns the end of the last whole row, and the number of lines up to it; 0 if there is
 * none
 */
function lastRowEnd(
  text: string,
  from: number,
  state: RowState,
): { end: number; lines: number } {
  let end = 0;
  let linesToEnd = 0;
  let { isQuoted, lines } = state;

  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (code === NEWLINE || (code === RETURN && isAlone(text, at))) {
      lines++;
      if (isQuoted) continue;
      end = at + 1;
      linesToEnd = lines;
    }
  }

  state.isQuoted = isQuoted;
  state.lines = lines - linesToEnd;

  return { end, lines: linesToEnd };
}

/** Whether a return ends a line by itself; unknown at the end of the text. */
function isAlone(text: string, at: number): boolean {
  return at + 1 < text.length && text.charCodeAt(at + 1) !== NEWLINE;
}

/** Rejects a file without line breaks before memory runs out. */
function refuseLong(rest: string, line: number, what: string): void {
  if (rest.length > LONGEST_ROW) {
    throw new RowError(
      null,
      `this ${what} is longer than ${LONGEST_ROW / 1e6} million characters`,
      line,
    );
  }
}
