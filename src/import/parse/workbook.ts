/** The first sheet of a workbook (.xlsx), as rows of text. */
import { unzipSync } from 'fflate';
import { Parser } from 'htmlparser2';
import { RowError } from '../../journal-write/row-error.ts';
import type { CsvRow } from './csv-rows.ts';
import { decode } from './encoding.ts';

const MOST_BYTES = 200_000_000;
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/i;
const STRINGS = /^xl\/sharedStrings\.xml$/i;

/** @param start the beginning of a file, as text whatever it holds */
export function isZip(start: string): boolean {
  return start.startsWith('PK\u0003\u0004');
}

/**
 * @returns rows by their place in the sheet; cells that the sheet leaves out are empty
 * @throws RowError where the bytes are no workbook, or unpack to more than 200 MB
 */
export function workbookRows(bytes: Buffer): CsvRow[] {
  const files = unzipped(bytes);
  const names = Object.keys(files).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const sheet = names.find((name) => SHEET.test(name));
  if (sheet === undefined) throw new RowError(null, 'not a workbook (.xlsx): it holds no sheet');
  const strings = names.find((name) => STRINGS.test(name));
  return rowsOf(xmlText(files[sheet]), strings === undefined ? [] : stringsOf(xmlText(files[strings])));
}

function unzipped(bytes: Buffer): Record<string, Uint8Array> {
  let size = 0;
  try {
    return unzipSync(bytes, {
      filter({ name, originalSize }) {
        if (!SHEET.test(name) && !STRINGS.test(name)) return false;
        size += originalSize;
        if (size > MOST_BYTES) throw new RowError(null, 'unpacks to more than 200 MB');
        return true;
      },
    });
  } catch (error) {
    throw error instanceof RowError ? error : new RowError(null, 'not a workbook (.xlsx): the archive is damaged');
  }
}

function xmlText(bytes: Uint8Array | undefined): string {
  const text = bytes && decode(bytes);
  if (text === undefined) throw new RowError(null, 'not a workbook (.xlsx): its XML is neither UTF-8 nor UTF-16');
  return text;
}

/** Texts that cells name by number; one may be in parts of different looks. */
function stringsOf(xml: string): string[] {
  const strings: string[] = [];
  let isText = false;
  read(xml, {
    open(name) {
      if (name === 'si') strings.push('');
      isText = name === 't';
    },
    text(text) {
      if (isText && strings.length > 0) strings[strings.length - 1] += text;
    },
    close() {
      isText = false;
    },
  });
  return strings;
}

function rowsOf(xml: string, strings: readonly string[]): CsvRow[] {
  const rows: CsvRow[] = [];
  let cell = { column: 0, type: '' };
  let value: string | undefined;
  read(xml, {
    open(name, { r: place = '', t: type = '' }) {
      const row = rows.at(-1);
      if (name === 'row') rows.push({ line: Number(place) || (row?.line ?? 0) + 1, cells: [] });
      else if (name === 'c') cell = { column: columnOf(place) ?? row?.cells.length ?? 0, type };
      else if (name === 'v' || name === 't') value = value ?? '';
    },
    text(text) {
      if (value !== undefined) value += text;
    },
    close(name) {
      if (name !== 'c') return;
      const cells = rows.at(-1)?.cells ?? [];
      while (cells.length < cell.column && cells.length < MOST_COLUMNS) cells.push('');
      cells[cells.length] = textOf(value ?? '', cell.type, strings);
      value = undefined;
    },
  });
  return rows;
}

const MOST_COLUMNS = 16_384;

/** Numbers come in binary with its noise: 1.5505500000000001. */
function textOf(value: string, type: string, strings: readonly string[]): string {
  if (type === 's') return strings[Number(value)]?.trim() ?? '';
  const isNumber = type === '' || type === 'n';
  if (!isNumber || value.trim() === '' || !Number.isFinite(Number(value))) return value.trim();
  const number = Number(Number(value).toPrecision(15));
  return Math.abs(number) < 1e-6
    ? String(number)
    : number.toLocaleString('en-US', { useGrouping: false, maximumFractionDigits: 15 });
}

/** B7 is column 1. */
function columnOf(place: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0];
  if (letters === undefined) return undefined;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

interface Events {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(name: string): void;
}

/** Names without the prefix of their namespace. */
function read(xml: string, { open, text, close }: Events): void {
  const bare = (name: string) => name.slice(name.indexOf(':') + 1);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open(bare(name), attributes),
      ontext: text,
      onclosetag: (name) => close(bare(name)),
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}
