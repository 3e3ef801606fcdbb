/**
 * A file saved again by another program: other bytes, the same rows. Each function returns
 * undefined for a file in which it changes nothing.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import Database from 'better-sqlite3';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { decode, decodeOlder, encodingOf } from '../../src/parse/open-file.ts';

interface Cell {
  /** As written, without the quotes around it. */
  text: string;
  isQuoted: boolean;
}

interface Row {
  cells: Cell[];
  /** Its line end. */
  end: string;
}

const DELIMITERS = [',', ';', '\t', '|'];

/** A file with several tables, or with lines that belong to others: its rows keep their places. */
const SECTIONS = /ibkr-activity|thinkorswim|rithmic/;

const WORKBOOK = /\.xlsx$/i;
const DATABASE = /\.(sqlite|db)$/i;
const PAGE = /\.html?$/i;

export class OriginalFile {
  readonly path: string;
  readonly name: string;
  readonly bytes: Buffer;

  /** @param label of its export, with the platform's name */
  constructor(path: string, label: string) {
    this.path = path;
    this.name = basename(path);
    this.bytes = readFileSync(path);
    this.#label = label;
  }

  readonly #label: string;

  get isText(): boolean {
    return !WORKBOOK.test(this.name) && !DATABASE.test(this.name);
  }

  get text(): string {
    return decodeOlder(this.bytes);
  }

  /** The text in the encoding of the file, with its mark. */
  encoded(text: string): Buffer {
    if (encodingOf(this.bytes) === 'utf-16le')
      return Buffer.from(`\ufeff${text}`, 'utf16le');
    if (decode(this.bytes) === undefined) return Buffer.from(text, 'latin1');
    return Buffer.from(this.hasMark ? `\ufeff${text}` : text);
  }

  get hasMark(): boolean {
    return this.bytes.subarray(0, 3).equals(Buffer.from('\ufeff'));
  }

  /** Undefined if it isn't a table of cells. */
  table(): { rows: Row[]; delimiter: string } | undefined {
    if (!/\.(csv|txt|tsv)$/i.test(this.name)) return undefined;
    const { text } = this;
    const counted = text.replace(/"[^"]*"/g, '');
    const count = (mark: string) => counted.split(mark).length;
    const [delimiter = ','] = DELIMITERS.toSorted((a, b) => count(b) - count(a));
    const rows = rowsOf(text, delimiter);
    return printed(rows, delimiter) === text ? { rows, delimiter } : undefined;
  }

  /** The rows of its only table, with the lines above and below. */
  body(): { above: Row[]; rows: Row[]; below: Row[]; delimiter: string } | undefined {
    const table = this.table();
    if (!table || SECTIONS.test(this.#label)) return undefined;
    const { rows, delimiter } = table;
    const firstCells = rows.flatMap(({ cells }) => cells.slice(0, 2));
    if (firstCells.some(({ text }) => /^(header|bof)$/i.test(text))) return undefined;
    const filled = ({ cells }: Row) =>
      cells.filter(({ text }) => text.trim() !== '').length;
    const most = Math.max(...rows.map(filled));
    const width = Math.max(...rows.map(({ cells }) => cells.length));
    const header = rows.findIndex((row) => filled(row) > 1 && filled(row) >= most * 0.6);
    const last = rows.findLastIndex(
      (row) => filled(row) > 1 && row.cells.length >= width * 0.6,
    );
    if (header === -1 || last - header < 1) return undefined;
    return {
      above: rows.slice(0, header + 1),
      rows: rows.slice(header + 1, last + 1),
      below: rows.slice(last + 1),
      delimiter,
    };
  }
}

function rowsOf(text: string, delimiter: string): Row[] {
  const rows: Row[] = [];
  let cells: Cell[] = [];
  let at = 0;
  while (at < text.length) {
    const cell = cellAt(text, at, delimiter);
    cells.push({ text: cell.text, isQuoted: cell.isQuoted });
    at = cell.end;
    if (text[at] === delimiter) {
      at++;
      if (at < text.length) continue;
      cells.push({ text: '', isQuoted: false });
    }
    const end = /^(?:\r\n?|\n|)/.exec(text.slice(at, at + 2))?.[0] ?? '';
    rows.push({ cells, end });
    cells = [];
    at += end.length;
  }
  return rows;
}

function cellAt(text: string, start: number, delimiter: string): Cell & { end: number } {
  let at = start;
  if (text[at] === '"') {
    let end = text.indexOf('"', at + 1);
    while (end !== -1 && text[end + 1] === '"') end = text.indexOf('"', end + 2);
    const next = text[end + 1];
    const isWhole =
      end !== -1 && (next === undefined || `${delimiter}\r\n`.includes(next));
    if (isWhole) {
      const inner = text.slice(at + 1, end).replaceAll('""', '"');
      return { text: inner, isQuoted: true, end: end + 1 };
    }
  }
  while (at < text.length && !`${delimiter}\r\n`.includes(text[at] as string)) at++;
  return { text: text.slice(start, at), isQuoted: false, end: at };
}

function printed(rows: readonly Row[], delimiter: string): string {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const cellOf = ({ text, isQuoted }: Cell) => (isQuoted ? quoted(text) : text);
  return rows.map(({ cells, end }) => cells.map(cellOf).join(delimiter) + end).join('');
}

type Change = (file: OriginalFile) => Buffer | undefined;

/** Changes the cells of a table. */
function inCells(change: (cell: Cell, delimiter: string) => Partial<Cell>): Change {
  return (file) => {
    const table = file.table();
    if (!table) return undefined;
    const { rows, delimiter } = table;
    const changed = rows.map(({ cells, end }) => ({
      cells: cells.map((cell) => Object.assign({}, cell, change(cell, delimiter))),
      end,
    }));
    return different(file, printed(changed, delimiter));
  };
}

/** Changes texts in cells, in pages and in workbooks. */
function inTexts(change: (text: string) => string): Change {
  const ofCells = inCells(({ text }) => ({ text: change(text) }));
  return (file) => {
    if (PAGE.test(file.name)) {
      const text = file.text.replace(/>[^<]+</g, change);
      return different(file, text);
    }
    return WORKBOOK.test(file.name) ? inWorkbook(file, change) : ofCells(file);
  };
}

function inWorkbook(
  file: OriginalFile,
  change: (text: string) => string,
): Buffer | undefined {
  let isChanged = false;
  const parts = Object.entries(unzipSync(file.bytes)).map(([name, part]) => {
    if (!/sharedStrings|worksheets\/sheet/.test(name)) return [name, part] as const;
    const before = strFromU8(part);
    const after = before.replace(/<t(?: [^>]*)?>[^<]+</g, change);
    isChanged ||= before !== after;
    return [name, strToU8(after)] as const;
  });
  return isChanged ? Buffer.from(zipSync(Object.fromEntries(parts))) : undefined;
}

function different(file: OriginalFile, text: string): Buffer | undefined {
  return text === file.text ? undefined : file.encoded(text);
}

/** Changes line ends, marks and the like. */
function inText(change: (text: string) => string): Change {
  return (file) => (file.isText ? different(file, change(file.text)) : undefined);
}

/** Changes the order or number of rows. */
function inRows(change: (rows: readonly Row[]) => Row[]): Change {
  return (file) => {
    const body = file.body();
    if (!body) return undefined;
    const { above, rows, below, delimiter } = body;
    const end = above[0]?.end || '\n';
    const moved = [...above, ...change(rows), ...below];
    // The last line of a file may lack its end.
    const ended = moved.map(({ cells, end: own }) => ({ cells, end: own || end }));
    return different(file, printed(ended, delimiter));
  };
}

const SECONDS = /(?<![\d:])(\d{1,2}:\d{2}):\d{2}(?:[.,]\d+)?(?![\d:])/g;
const PARTS_OF_SECONDS = /(?<![\d:])(\d{1,2}:\d{2}:\d{2})[.,]\d+(?![\d:])/g;
const NUMBER = /^[-+(]?[$€£₹]?-?\d[\d,]*\.\d*0\)?$/;
const COMMA_NUMBER = /^-?\d[\d.]*,\d*0$/;
const WITH_THOUSANDS = /^[-+(]?[$€£₹]?-?\d{1,3}(?:,\d{3})+(?:\.\d+)?\)?$/;
const LONG_ID = /^\d{12,}$/;

function withoutZeros(text: string, delimiter: string): string {
  if (NUMBER.test(text)) return text.replace(/\.?0+(?=\)?$)/, '');
  if (delimiter !== ',' && COMMA_NUMBER.test(text)) return text.replace(/,?0+$/, '');
  return text;
}

/** As a spreadsheet shows it in a column of the usual width. */
function asPower(id: string): string {
  const [digits = '', power = ''] = Number(id).toExponential(5).split('e');
  return `${digits.replace(/\.?0+$/, '')}E${power}`;
}

const isPlain = ({ text }: Cell, delimiter: string) =>
  text === text.trim() && !/["\r\n]/.test(text) && !text.includes(delimiter);

function withOtherBytes(file: OriginalFile, folder: string): Buffer | undefined {
  if (WORKBOOK.test(file.name)) {
    return Buffer.from(zipSync(unzipSync(file.bytes), { level: 0 }));
  }
  if (!DATABASE.test(file.name)) return undefined;
  const path = join(folder, `copy${extname(file.name)}`);
  writeFileSync(path, file.bytes);
  const db = new Database(path);
  db.pragma('user_version = 7');
  db.close();
  return readFileSync(path);
}

const reversedLines = (text: string) => {
  const lines = text.split('\n').filter((line) => line !== '');
  return `${lines.toReversed().join('\n')}\n`;
};

/** By name; the folder is for temporary files. */
export const RESAVED = {
  'seconds cut': inTexts((text) => text.replace(SECONDS, '$1')),
  'milliseconds cut': inTexts((text) => text.replace(PARTS_OF_SECONDS, '$1')),
  'zeros cut': inCells(({ text }, delimiter) => ({
    text: withoutZeros(text, delimiter),
  })),
  'thousands joined': inCells(({ text, isQuoted }, delimiter) =>
    WITH_THOUSANDS.test(text) && (isQuoted || delimiter !== ',')
      ? { text: text.replaceAll(',', ''), isQuoted: false }
      : {},
  ),
  'long ids as powers': inCells(({ text }) =>
    LONG_ID.test(text) ? { text: asPower(text) } : {},
  ),
  'quotes added': inCells(({ text }) => (text === '' ? {} : { isQuoted: true })),
  'quotes removed': inCells((cell, delimiter) => ({
    isQuoted: cell.isQuoted && !isPlain(cell, delimiter),
  })),
  'with crlf': inText((text) => text.replace(/\r\n?|\n/g, '\r\n')),
  'with lf': inText((text) => text.replace(/\r\n?/g, '\n')),
  'byte order mark': (file: OriginalFile) => {
    if (!file.isText || encodingOf(file.bytes) !== 'utf-8') return undefined;
    if (file.hasMark) return file.bytes.subarray(3);
    return Buffer.from(`\ufeff${file.text}`);
  },
  'blank line': inText((text) => (text.endsWith('\n') ? `${text}\n` : `${text}\n\n`)),
  reversed: (file: OriginalFile) => {
    if (file.name.endsWith('.jsonl')) return Buffer.from(reversedLines(file.text));
    return inRows((rows) => rows.toReversed())(file);
  },
  'packed anew': withOtherBytes,
} satisfies Record<string, (file: OriginalFile, folder: string) => Buffer | undefined>;

/** Two files of the first and the last three fifths of the rows. */
export function halvesOf(file: OriginalFile): [first: Buffer, last: Buffer] | undefined {
  const count = file.body()?.rows.length ?? 0;
  if (count < 2) return undefined;
  const first = inRows((rows) => rows.slice(0, Math.ceil(count * 0.6)))(file);
  const last = inRows((rows) => rows.slice(Math.floor(count * 0.4)))(file);
  return first && last ? [first, last] : undefined;
}
