/** The first sheet of a workbook (.xlsx), as rows of text. */
import { Parser } from 'htmlparser2';
import { RowError } from '../../journal-write/row-error.ts';
import { LONGEST_CELL, MOST_CELLS, MOST_DEPTH, MOST_ROWS } from '../bounds.ts';
import { unzipped } from './archive.ts';
import type { CsvRow } from './csv-rows.ts';
import { decode } from './encoding.ts';

const SHEET = /^xl\/worksheets\/[^/]+\.xml$/i;
const STRINGS = /^xl\/sharedStrings\.xml$/i;

/**
 * @returns rows by their place in the sheet; cells that the sheet leaves out are empty
 * @throws RowError where the bytes are no workbook, or hold more than the bounds allow
 */
export function workbookRows(bytes: Buffer): CsvRow[] {
  const files = unzipped(bytes, (name) => SHEET.test(name) || STRINGS.test(name));
  const names = Object.keys(files).sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  const sheet = names.find((name) => SHEET.test(name));
  if (sheet === undefined) throw new RowError(null, 'not a workbook (.xlsx): it holds no sheet');
  const strings = names.find((name) => STRINGS.test(name));
  return rowsOf(xmlText(files[sheet]), strings === undefined ? [] : stringsOf(xmlText(files[strings])));
}

function xmlText(bytes: Uint8Array | undefined): string {
  const text = bytes && decode(bytes);
  if (text === undefined) throw new RowError(null, 'not a workbook (.xlsx): its XML is neither UTF-8 nor UTF-16');
  // An archive that states a smaller size than it unpacks to is cut off there.
  if (!/<\/(\w+:)?(worksheet|sst)>\s*$/.test(text.slice(-100))) {
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
      if ((strings.at(-1)?.length ?? 0) > LONGEST_CELL) {
        throw new RowError(null, `not a workbook (.xlsx): it has a text of more than ${LONGEST_CELL} characters`);
      }
    },
  });
  return strings;
}

function rowsOf(xml: string, strings: readonly string[]): CsvRow[] {
  const rows: CsvRow[] = [];
  let cell = { column: 0, type: '' };
  let value: string | undefined;
  let isFormula = false;
  const lineAt = () => rows.at(-1)?.line;
  read(xml, {
    open(name, { r: place = '', t: type = '' }) {
      const row = rows.at(-1);
      if (rows.length > MOST_ROWS) throw new RowError(null, `has more than ${MOST_ROWS} rows`, lineAt());
      if (name === 'row') rows.push({ line: Number(place) || (row?.line ?? 0) + 1, cells: [] });
      else if (name === 'c') cell = { column: columnOf(place) ?? row?.cells.length ?? 0, type };
      else if (name === 'f') isFormula = true;
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
      while (cells.length < cell.column) cells.push('');
      cells[cell.column] = textOf(value ?? '', cell.type, strings);
      isFormula = false;
      value = undefined;
    },
  });
  return rows;
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
