/** The sheets of a workbook (.xlsx), as rows of text. */
import { Parser } from 'htmlparser2';
import { RowError } from '../errors.ts';
import { once } from '../journal/once.ts';
import type { CsvRow } from './csv-rows.ts';
import {
  decode,
  LONGEST_CELL,
  LONGEST_READ,
  MOST_CELLS,
  MOST_DEPTH,
  MOST_ROWS,
  MOST_SHEET_CELLS,
  MOST_SHEET_CHARACTERS,
  unzipped,
} from './open-file.ts';
import { attributeCounter } from './xml.ts';

const SHEET = /^xl\/worksheets\/[^/]+\.xml$/i;
const STRINGS = /^xl\/sharedStrings\.xml$/i;
const STYLES = /^xl\/styles\.xml$/i;
const BOOK = /^xl\/workbook\.xml$/i;
/** Which part of the archive each sheet of the book is. */
const RELATIONS = /^xl\/_rels\/workbook\.xml\.rels$/i;

/**
 * @returns the rows of each sheet in the order of their tabs, with their line in it;
 * absent cells are empty, stored days and times text: 2026-11-20 09:30:00
 * @throws RowError if the bytes aren't a workbook, or exceed the bounds
 */
export function workbookSheets(bytes: Buffer): CsvRow[][] {
  const parts = [SHEET, STRINGS, STYLES, BOOK, RELATIONS];
  const files = unzipped(bytes, (name) => parts.some((part) => part.test(name)));
  return sheetsOf(files, sheetNames(files), datesIn(files));
}

/**
 * The same with days as stored, which are numbers.
 * @throws RowError like workbookSheets, or if it has no sheet
 */
export function storedSheets(bytes: Buffer): CsvRow[][] {
  const parts = [SHEET, STRINGS, BOOK, RELATIONS];
  const files = unzipped(bytes, (name) => parts.some((part) => part.test(name)));
  const names = sheetNames(files);
  if (names.length === 0)
    throw new RowError(null, 'not a workbook (.xlsx): it has no sheet');
  return sheetsOf(files, names);
}

function sheetsOf(files: Files, names: readonly string[], dates?: Dates): CsvRow[][] {
  const texts = textsIn(files);
  const room = new Room();
  return names.map((name) => rowsOf(xmlText(files[name]), texts, room, dates));
}

/**
 * Remaining size of a workbook: a few bytes of its archive can expand to millions of
 * cells or shared characters.
 */
class Room {
  #cells = MOST_SHEET_CELLS;
  #characters = MOST_SHEET_CHARACTERS;

  /** @throws RowError if a bound is exceeded */
  take(cells: number, characters: number, line: number | undefined): void {
    this.#cells -= cells;
    this.#characters -= characters;
    if (this.#cells < 0) {
      throw new RowError(
        null,
        `more than ${MOST_SHEET_CELLS / 1e6} million cells; split the workbook`,
        line,
      );
    }

    if (this.#characters < 0) {
      throw new RowError(
        null,
        `more than ${MOST_SHEET_CHARACTERS / 1e6} million characters; split the workbook`,
        line,
      );
    }
  }
}

type Files = Record<string, Uint8Array>;

/**
 * In the order of the tabs; of a workbook that doesn't state it, in the order of their
 * numbers.
 */
function sheetNames(files: Files): string[] {
  const names = Object.keys(files).filter((name) => SHEET.test(name));
  const numbered = names.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const tabs = tabsIn(files);

  return tabs.length > 0 ? tabs : numbered;
}

function tabsIn(files: Files): string[] {
  const [book, relations] = [fileCalled(files, BOOK), fileCalled(files, RELATIONS)];
  if (book === undefined || relations === undefined) return [];

  const parts = new Map<string, string>();
  readElements(decode(relations) ?? '', (name, { Id = '', Target = '' }) => {
    const path = Target.startsWith('/') ? Target.slice(1) : `xl/${Target}`;
    if (name === 'Relationship' && SHEET.test(path)) parts.set(Id, path);
  });

  const tabs: string[] = [];
  readElements(xmlText(book), (name, attributes) => {
    const id =
      Object.entries(attributes).find(([attribute]) => /:id$/.test(attribute))?.[1] ?? '';
    const part = name === 'sheet' ? parts.get(id) : undefined;
    if (part !== undefined && files[part] !== undefined) tabs.push(part);
  });
  return tabs;
}

/** @param open called with each element */
function readElements(xml: string, open: Events['open']): void {
  read(xml, { open, text() {}, close() {} });
}

function fileCalled(files: Files, name: RegExp): Uint8Array | undefined {
  return Object.entries(files).find(([path]) => name.test(path))?.[1];
}

function textsIn(files: Files): string[] {
  const strings = fileCalled(files, STRINGS);
  return strings === undefined ? [] : stringsOf(xmlText(strings));
}

type DateKind = 'day' | 'time' | undefined;

interface Dates {
  /** Whether a cell style by its number shows a day, or a time of day. */
  kind: (style: number) => DateKind;
  /** Days from the workbook's first day to 1970-01-01. */
  epoch: number;
}

function datesIn(files: Files): Dates {
  const styles = fileCalled(files, STYLES);
  const book = fileCalled(files, BOOK);
  const is1904 = book !== undefined && /date1904="(1|true)"/.test(xmlText(book));
  const kinds = styles === undefined ? [] : dateStyles(xmlText(styles));
  return { kind: (style) => kinds[style], epoch: is1904 ? 24_107 : 25_569 };
}

/** The kind of date that each cell style shows. */
function dateStyles(xml: string): DateKind[] {
  const codes = new Map<string, string>();
  const kinds = new Map<string, DateKind>();
  const dates: DateKind[] = [];
  let isOfCells = false;

  read(xml, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'cellXfs') isOfCells = true;
      if (formatCode.length > LONGEST_READ) {
        throw new RowError(
          null,
          `not a workbook (.xlsx): it has a format longer than ${LONGEST_READ} characters`,
        );
      }

      if (name === 'numFmt') codes.set(numFmtId, formatCode);
      if (name !== 'xf' || !isOfCells) return;

      if (!kinds.has(numFmtId))
        kinds.set(numFmtId, kindOf(Number(numFmtId), codes.get(numFmtId)));
      dates.push(kinds.get(numFmtId));
    },
    text() {},
    close(name) {
      if (name === 'cellXfs') isOfCells = false;
    },
  });

  return dates;
}

/**
 * Formats with only a number: the first and last of each range. Those from 27 to 36 and
 * from 50 to 58 are of East Asian languages.
 */
const BUILT_IN: readonly (readonly [from: number, to: number, kind: DateKind])[] = [
  [14, 17, 'day'],
  [18, 22, 'time'],
  [27, 31, 'day'],
  [32, 33, 'time'],
  [34, 36, 'day'],
  [45, 47, 'time'],
  [50, 58, 'day'],
];

/** In formats with a code, texts, colours and escapes don't count. */
function kindOf(id: number, code: string | undefined): DateKind {
  if (code === undefined)
    return BUILT_IN.find(([from, to]) => id >= from && id <= to)?.[2];
  const shown = code.replaceAll(/"[^"]*"|\[[^[\]]*\]|\\./g, '').replace(/General/i, '');
  if (/[hs]/i.test(shown)) return 'time';
  return /[ymd]/i.test(shown) ? 'day' : undefined;
}

const WHOLE_XML =
  /<(?:\/(?:\w+:)?(?:worksheet|sst|styleSheet|workbook)|(?:\w+:)?(?:worksheet|sst|styleSheet|workbook)(?:\s[^<>]*)?\/)>\s*$/;

function xmlText(bytes: Uint8Array | undefined): string {
  const text = bytes && decode(bytes);
  if (text === undefined)
    throw new RowError(
      null,
      'not a workbook (.xlsx): its XML is neither UTF-8 nor UTF-16',
    );
  // If an archive states less than its real size, unpacking stops there. An empty element
  // may close itself.
  if (!WHOLE_XML.test(text.slice(-1000))) {
    throw new RowError(null, 'not a workbook (.xlsx): its XML is truncated');
  }

  return text;
}

/**
 * Texts that cells refer to by number. A text may have several parts with different
 * styles, and its reading in another script (furigana), which isn't part of it.
 */
function stringsOf(xml: string): string[] {
  const strings: string[] = [];
  let isText = false;
  let isPhonetic = false;

  read(xml, {
    open(name) {
      if (name === 'si') strings.push('');
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    text(text) {
      if (isText && strings.length > 0) strings[strings.length - 1] += text;
    },
    close(name) {
      isText = false;
      if (name === 'rPh') isPhonetic = false;
      refuseLong(strings.at(-1));
    },
  });

  return strings.map(unescaped);
}

/**
 * XML can't hold some characters: _x000D_ is a line break, and _x005F_ the underscore of
 * a text that looks so.
 */
function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function refuseLong(text: string | undefined, line?: number): void {
  if ((text?.length ?? 0) <= LONGEST_CELL) return;
  throw new RowError(
    null,
    `not a workbook (.xlsx): it has a text longer than ${LONGEST_CELL} characters`,
    line,
  );
}

function rowsOf(
  xml: string,
  strings: readonly string[],
  room: Room,
  dates?: Dates,
): CsvRow[] {
  const sheet = new SheetReader(strings, room, dates);
  read(xml, {
    open: (name, attributes) => sheet.open(name, attributes),
    text: (text) => sheet.text(text),
    close: (name) => sheet.close(name),
  });
  return sheet.rows;
}

/** Collects the rows of a sheet from its elements. */
class SheetReader {
  readonly rows: CsvRow[] = [];
  readonly #strings: readonly string[];
  readonly #room: Room;
  readonly #dates: Dates | undefined;
  #cell = { column: 0, type: '', style: 0 };
  /** Undefined: the cell has none so far. */
  #value: string | undefined;
  #isFormula = false;
  #isPhonetic = false;

  constructor(strings: readonly string[], room: Room, dates: Dates | undefined) {
    this.#strings = strings;
    this.#room = room;
    this.#dates = dates;
  }

  open(
    name: string,
    { r: place = '', t: type = '', s: style = '0' }: Readonly<Record<string, string>>,
  ): void {
    if (this.rows.length > MOST_ROWS)
      throw new RowError(null, `has more than ${MOST_ROWS} rows`, this.#line);
    switch (name) {
      case 'row':
        this.rows.push({ line: Number(place) || (this.#line ?? 0) + 1, cells: [] });
        break;
      case 'c': {
        const column = columnOf(place) ?? this.#cells?.length ?? 0;
        this.#cell = { column, type, style: Number(style) };
        break;
      }
      case 'f':
        this.#isFormula = true;
        break;
      case 'rPh':
        this.#isPhonetic = true;
        break;
      case 'v':
      case 't':
        if (!this.#isPhonetic) this.#value ??= '';
    }
  }

  text(text: string): void {
    if (this.#value !== undefined && !this.#isPhonetic) this.#value += text;
  }

  close(name: string): void {
    if (name === 'rPh') this.#isPhonetic = false;
    if (name === 'c') this.#closeCell();
  }

  #closeCell(): void {
    const cells = this.#cells ?? [];
    const { column } = this.#cell;
    if (column >= MOST_CELLS)
      throw new RowError(null, `has more than ${MOST_CELLS} cells`, this.#line);
    if (this.#isFormula && this.#value === undefined)
      throw new RowError(
        null,
        'has a formula without its result; open and save the workbook in a spreadsheet program',
        this.#line,
      );

    refuseLong(this.#value, this.#line);

    const text = this.#cellText();
    this.#room.take(Math.max(1, column + 1 - cells.length), text.length, this.#line);
    while (cells.length < column) cells.push('');
    cells[column] = text;
    this.#isFormula = false;
    this.#value = undefined;
  }

  #cellText(): string {
    const { type, style } = this.#cell;
    const isNumber = type === '' || type === 'n';
    const date =
      isNumber && this.#dates
        ? dateText(this.#value, this.#dates.kind(style), this.#dates.epoch)
        : undefined;
    return date ?? textOf(this.#value ?? '', type, this.#strings);
  }

  get #line(): number | undefined {
    return this.rows.at(-1)?.line;
  }

  get #cells(): string[] | undefined {
    return this.rows.at(-1)?.cells;
  }
}

/**
 * 46346.395833 is 2026-11-20 09:30:00, to the millisecond. A number below 1 is a time
 * without a day. A whole day has a time only if its style shows one.
 */
function dateText(
  value: string | undefined,
  kind: DateKind,
  epoch: number,
): string | undefined {
  const days = Number(value);
  if (
    kind === undefined ||
    value === undefined ||
    value.trim() === '' ||
    !(days >= 0 && days < 1e6)
  )
    return undefined;

  const text = new Date(Math.round((days - epoch) * 86_400_000)).toISOString();
  const time = text.slice(11, 23).replace(/\.000$/, '');
  if (days < 1) return time;

  return kind === 'day' && Number.isInteger(days)
    ? text.slice(0, 10)
    : `${text.slice(0, 10)} ${time}`;
}

/**
 * Shared: a formatter per number takes thirty times as long. The first of a process takes
 * 20 ms, which most imports don't need.
 */
const whole = once(() => new Intl.NumberFormat('en-US', { useGrouping: false }));

/** Removes binary noise from numbers: 1.5505500000000001. */
function textOf(value: string, type: string, strings: readonly string[]): string {
  if (type === 's') return strings[Number(value)]?.trim() ?? '';
  const isNumber = type === '' || type === 'n';
  if (!isNumber) return unescaped(value).trim();
  if (value.trim() === '' || !Number.isFinite(Number(value))) return value.trim();
  const number = Number(Number(value).toPrecision(15));
  const text = String(number);
  return Math.abs(number) >= 1 && text.includes('e') ? whole().format(number) : text;
}

/** B7 is column 1. */
function columnOf(place: string): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0];
  if (letters === undefined) return undefined;
  return (
    [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
  );
}

interface Events {
  open(name: string, attributes: Record<string, string>): void;
  text(text: string): void;
  close(name: string): void;
}

/** Parses XML; names lose their namespace prefix. */
function read(xml: string, { open, text, close }: Events): void {
  const bare = (name: string) => name.slice(name.indexOf(':') + 1);
  let depth = 0;
  const parser = new Parser(
    {
      ...attributeCounter(),
      onopentag(name, attributes) {
        if (++depth > MOST_DEPTH)
          throw new RowError(
            null,
            `not a workbook (.xlsx): its XML is nested deeper than ${MOST_DEPTH}`,
          );
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
