/** The sheets of a workbook (.xlsx), as rows of text. */
import { Parser } from 'htmlparser2';
import { RowError } from '../../journal-write/row-error.ts';
import { unzipped } from './archive.ts';
import {
  LONGEST_CELL,
  LONGEST_READ,
  MOST_CELLS,
  MOST_DEPTH,
  MOST_ROWS,
  MOST_SHEET_CELLS,
  MOST_SHEET_CHARACTERS,
} from './bounds.ts';
import type { CsvRow } from './csv-rows.ts';
import { decode } from './encoding.ts';
import { attributeCounter } from './xml.ts';

const SHEET = /^xl\/worksheets\/[^/]+\.xml$/i;
const STRINGS = /^xl\/sharedStrings\.xml$/i;
const STYLES = /^xl\/styles\.xml$/i;
const BOOK = /^xl\/workbook\.xml$/i;

/**
 * The first sheet.
 * @returns rows by their place in the sheet; cells that the sheet leaves out are empty, and days are numbers
 * @throws RowError where the bytes are no workbook, or hold more than the bounds allow
 */
export function workbookRows(bytes: Buffer): CsvRow[] {
  const [first] = workbookTables(bytes, 1);
  return first as CsvRow[];
}

/**
 * The first sheets, or all, as workbookRows gives the first.
 * @throws RowError as workbookRows
 */
export function workbookTables(bytes: Buffer, most?: number): CsvRow[][] {
  const files = unzipped(bytes, (name) => SHEET.test(name) || STRINGS.test(name));
  const names = sheetNames(files).slice(0, most);
  if (names.length === 0) throw new RowError(null, 'not a workbook (.xlsx): it holds no sheet');
  const texts = textsIn(files);
  const room = new Room();
  return names.map((name) => rowsOf(xmlText(files[name]), texts, room));
}

/**
 * All sheets, with days and times as a spreadsheet stores them written out: 2026-11-20 09:30:00.
 * @throws RowError as workbookRows
 */
export function workbookSheets(bytes: Buffer): CsvRow[][] {
  const files = unzipped(bytes, (name) => [SHEET, STRINGS, STYLES, BOOK].some((own) => own.test(name)));
  const texts = textsIn(files);
  const dates = datesIn(files);
  const room = new Room();
  return sheetNames(files).map((name) => rowsOf(xmlText(files[name]), texts, room, dates));
}

/** What a workbook may still hold: a few bytes of its archive can be millions of cells, or of characters that cells share. */
class Room {
  #cells = MOST_SHEET_CELLS;
  #characters = MOST_SHEET_CHARACTERS;

  /** @throws RowError where a bound is passed */
  take(cells: number, characters: number, line: number | undefined): void {
    this.#cells -= cells;
    this.#characters -= characters;
    if (this.#cells < 0) {
      throw new RowError(null, `a workbook may have ${MOST_SHEET_CELLS / 1e6} million cells; split it`, line);
    }
    if (this.#characters < 0) {
      throw new RowError(null, `a workbook may have ${MOST_SHEET_CHARACTERS / 1e6} million characters; split it`, line);
    }
  }
}

type Files = Record<string, Uint8Array>;

function sheetNames(files: Files): string[] {
  const names = Object.keys(files).filter((name) => SHEET.test(name));
  return names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}

function fileCalled(files: Files, name: RegExp): Uint8Array | undefined {
  return Object.entries(files).find(([own]) => name.test(own))?.[1];
}

function textsIn(files: Files): string[] {
  const strings = fileCalled(files, STRINGS);
  return strings === undefined ? [] : stringsOf(xmlText(strings));
}

type Look = 'day' | 'time' | undefined;

interface Dates {
  /** Whether a number that looks so, by the number of its style, is a day, or has a time of day. */
  looks: (style: number) => Look;
  /** Days from 1970-01-01 back to the workbook's first. */
  epoch: number;
}

function datesIn(files: Files): Dates {
  const styles = fileCalled(files, STYLES);
  const book = fileCalled(files, BOOK);
  const is1904 = book !== undefined && /date1904="(1|true)"/.test(xmlText(book));
  const own = styles === undefined ? [] : dateStyles(xmlText(styles));
  return { looks: (style) => own[style], epoch: is1904 ? 24_107 : 25_569 };
}

/** What each style of a cell shows. */
function dateStyles(xml: string): Look[] {
  const codes = new Map<string, string>();
  const looks = new Map<string, Look>();
  const dates: Look[] = [];
  let isOfCells = false;
  read(xml, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'cellXfs') isOfCells = true;
      if (formatCode.length > LONGEST_READ) {
        throw new RowError(null, `not a workbook (.xlsx): it has a format of more than ${LONGEST_READ} characters`);
      }
      if (name === 'numFmt') codes.set(numFmtId, formatCode);
      if (name !== 'xf' || !isOfCells) return;
      if (!looks.has(numFmtId)) looks.set(numFmtId, lookOf(Number(numFmtId), codes.get(numFmtId)));
      dates.push(looks.get(numFmtId));
    },
    text() {},
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });
  return dates;
}

/** Formats that are numbered only are the same in all workbooks; in others texts, colours and escapes say nothing. */
function lookOf(id: number, code: string | undefined): Look {
  if (code === undefined)
    return id >= 14 && id <= 17 ? 'day' : (id >= 18 && id <= 22) || (id >= 45 && id <= 47) ? 'time' : undefined;
  const shown = code.replaceAll(/"[^"]*"|\[[^[\]]*\]|\\./g, '').replace(/General/i, '');
  if (/[hs]/i.test(shown)) return 'time';
  return /[ymd]/i.test(shown) ? 'day' : undefined;
}

function xmlText(bytes: Uint8Array | undefined): string {
  const text = bytes && decode(bytes);
  if (text === undefined) throw new RowError(null, 'not a workbook (.xlsx): its XML is neither UTF-8 nor UTF-16');
  // An archive that states a smaller size than it unpacks to is cut off there.
  if (!/<\/(\w+:)?(worksheet|sst|styleSheet|workbook)>\s*$/.test(text.slice(-100))) {
    throw new RowError(null, 'not a workbook (.xlsx): its XML is cut short');
  }
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
      refuseLong(strings.at(-1));
    },
  });
  return strings;
}

function refuseLong(text: string | undefined, line?: number): void {
  if ((text?.length ?? 0) <= LONGEST_CELL) return;
  throw new RowError(null, `not a workbook (.xlsx): it has a text of more than ${LONGEST_CELL} characters`, line);
}

function rowsOf(xml: string, strings: readonly string[], room: Room, dates?: Dates): CsvRow[] {
  const rows: CsvRow[] = [];
  let cell = { column: 0, type: '', style: 0 };
  let value: string | undefined;
  let isFormula = false;
  const lineAt = () => rows.at(-1)?.line;
  read(xml, {
    open(name, { r: place = '', t: type = '', s: style = '0' }) {
      const row = rows.at(-1);
      if (rows.length > MOST_ROWS) throw new RowError(null, `has more than ${MOST_ROWS} rows`, lineAt());
      if (name === 'row') rows.push({ line: Number(place) || (row?.line ?? 0) + 1, cells: [] });
      else if (name === 'c') {
        cell = { column: columnOf(place) ?? row?.cells.length ?? 0, type, style: Number(style) };
      } else if (name === 'f') isFormula = true;
      else if (name === 'v' || name === 't') value = value ?? '';
    },
    text(text) {
      if (value !== undefined) value += text;
    },
    close(name) {
      if (name !== 'c') return;
      const cells = rows.at(-1)?.cells ?? [];
      if (cell.column >= MOST_CELLS) {
        throw new RowError(null, `has more than ${MOST_CELLS} cells`, lineAt());
      }
      if (isFormula && value === undefined) {
        throw new RowError(
          null,
          'has a formula without its result: open and save the workbook in a spreadsheet program',
          lineAt(),
        );
      }
      refuseLong(value, lineAt());
      const isNumber = cell.type === '' || cell.type === 'n';
      const date = isNumber && dates ? dateText(value, dates.looks(cell.style), dates.epoch) : undefined;
      const text = date ?? textOf(value ?? '', cell.type, strings);
      room.take(Math.max(1, cell.column + 1 - cells.length), text.length, lineAt());
      while (cells.length < cell.column) cells.push('');
      cells[cell.column] = text;
      isFormula = false;
      value = undefined;
    },
  });
  return rows;
}

/**
 * 46346.395833 is 2026-11-20 09:30:00, to the millisecond; what is below a day is a time without one, and a whole day has a
 * time only where its look shows one.
 */
function dateText(value: string | undefined, look: Look, epoch: number): string | undefined {
  const days = Number(value);
  if (look === undefined || value === undefined || value.trim() === '' || !(days >= 0 && days < 1e6)) return undefined;
  const text = new Date(Math.round((days - epoch) * 86_400_000)).toISOString();
  const time = text.slice(11, 23).replace(/\.000$/, '');
  if (days < 1) return time;
  return look === 'day' && Number.isInteger(days) ? text.slice(0, 10) : `${text.slice(0, 10)} ${time}`;
}

/** A formatter for each number takes thirty times as long. */
const WHOLE = new Intl.NumberFormat('en-US', { useGrouping: false });

/** Numbers come in binary with its noise: 1.5505500000000001. */
function textOf(value: string, type: string, strings: readonly string[]): string {
  if (type === 's') return strings[Number(value)]?.trim() ?? '';
  const isNumber = type === '' || type === 'n';
  if (!isNumber || value.trim() === '' || !Number.isFinite(Number(value))) return value.trim();
  const number = Number(Number(value).toPrecision(15));
  const text = String(number);
  return Math.abs(number) >= 1 && text.includes('e') ? WHOLE.format(number) : text;
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
  let depth = 0;
  const parser = new Parser(
    {
      ...attributeCounter(),
      onopentag(name, attributes) {
        if (++depth > MOST_DEPTH)
          throw new RowError(null, `not a workbook (.xlsx): its XML is nested deeper than ${MOST_DEPTH}`);
        open(bare(name), attributes);
      },
      ontext: text,
      onclosetag(name) {
        depth--;
        close(bare(name));
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml);
}
