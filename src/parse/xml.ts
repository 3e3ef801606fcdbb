/** XML as a list of its elements, for exports with their data in attributes. */

import { Parser } from 'htmlparser2';
import { RowError } from '../errors.ts';
import type { CsvRow } from './csv-rows.ts';
import {
  LONGEST_READ,
  MOST_ATTRIBUTES,
  MOST_CELLS,
  MOST_DEPTH,
  MOST_KEPT_ATTRIBUTES,
  MOST_ROWS,
} from './open-file.ts';

export interface XmlElement {
  name: string;
  /** Values by name, with entities decoded. */
  attributes: Readonly<Record<string, string>>;
  line: number;
}

/**
 * Parser callbacks that bound attributes before they are kept.
 * @param most attributes of all elements; unbounded if they aren't kept
 * @param longest characters of a value; unbounded if it isn't read
 */
export function attributeCounter(
  most = Number.POSITIVE_INFINITY,
  longest = Number.POSITIVE_INFINITY,
) {
  let all = 0;
  let ofElement = 0;

  return {
    onopentagname(): void {
      ofElement = 0;
    },
    onattribute(name: string, value: string): void {
      if (++ofElement > MOST_ATTRIBUTES) {
        throw new RowError(
          null,
          `has an element with more than ${MOST_ATTRIBUTES} attributes`,
        );
      }
      if (++all > most)
        throw new RowError(null, `has more than ${most / 1e6} million attributes`);
      if (value.length > longest)
        throw new RowError(name, `is longer than ${longest} characters`);
    },
  };
}

/**
 * All elements in document order. Entities defined by the document aren't decoded.
 * @throws RowError if an element is never closed, as in a truncated file, or a bound is
 * exceeded
 */
export function xmlElements(text: string): XmlElement[] {
  const elements: XmlElement[] = [];
  const lineAt = lineCounter(text);
  let isAtEnd = false;
  const open: XmlElement[] = [];
  const parser = new Parser(
    {
      ...attributeCounter(MOST_KEPT_ATTRIBUTES, LONGEST_READ),
      onopentag(name, attributes) {
        const line = lineAt(parser.startIndex);
        const element = { name, attributes, line };
        if (elements.length >= MOST_ROWS)
          throw new RowError(null, `has more than ${MOST_ROWS} elements`, line);
        if (open.length >= MOST_DEPTH)
          throw new RowError(null, `is nested deeper than ${MOST_DEPTH}`, line);

        elements.push(element);
        open.push(element);
      },
      onclosetag() {
        // At the end, the parser closes all unclosed elements.
        if (!isAtEnd) open.pop();
      },
    },
    { xmlMode: true },
  );
  parser.write(text);
  isAtEnd = true;
  parser.end();

  const [unclosed] = open;
  if (unclosed)
    throw new RowError(
      unclosed.name,
      'is never closed; the file is truncated or damaged',
      unclosed.line,
    );

  return elements;
}

// The rows of an HTML page's tables, as text cells.

/**
 * @returns the rows of all tables without hidden cells; white space within a cell is
 * collapsed
 * @throws RowError if a bound is exceeded
 */
export function htmlRows(html: string): CsvRow[] {
  const rows: CsvRow[] = [];
  const lineAt = lineCounter(html);
  let row: CsvRow | undefined;
  let cell: string | undefined;
  let depth = 0;

  const endCell = () => {
    if (row && row.cells.length >= MOST_CELLS)
      throw new RowError(null, `has more than ${MOST_CELLS} cells`, row.line);
    if (cell !== undefined) row?.cells.push(cell.replaceAll(/\s+/g, ' ').trim());
    cell = undefined;
  };

  const parser = new Parser({
    ...attributeCounter(),
    onopentag(name, { class: names = '' }) {
      if (++depth > MOST_DEPTH || rows.length > MOST_ROWS)
        throw tooMuch(depth, lineAt(parser.startIndex));
      if (name === 'tr') {
        row = { line: lineAt(parser.startIndex), cells: [] };
        rows.push(row);
      } else if (name === 'td' || name === 'th') {
        endCell();
        cell = names.split(' ').includes('hidden') ? undefined : '';
      }
    },
    ontext(text) {
      if (cell !== undefined) cell += text;
    },
    onclosetag(name) {
      depth--;
      if (name === 'td' || name === 'th' || name === 'tr') endCell();
    },
  });
  parser.end(html);

  return rows;
}

function tooMuch(depth: number, line: number): RowError {
  return depth > MOST_DEPTH
    ? new RowError(null, `is nested deeper than ${MOST_DEPTH}`, line)
    : new RowError(null, `has more than ${MOST_ROWS} rows`, line);
}

/** Line numbers for ascending positions in a text, which is searched once. */
function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let next = text.indexOf('\n');
  return (index) => {
    for (; next !== -1 && next < index; next = text.indexOf('\n', next + 1)) line++;
    return line;
  };
}
