/** The rows of an HTML page's tables, as text cells. */
import { Parser } from 'htmlparser2';
import { RowError } from '../../journal-write/row-error.ts';
import { MOST_CELLS, MOST_DEPTH, MOST_ROWS } from './bounds.ts';
import type { CsvRow } from './csv-rows.ts';
import { attributeCounter } from './xml.ts';

/**
 * @returns the rows of all tables without hidden cells; white space within a cell is collapsed
 * @throws RowError if a bound is exceeded
 */
export function htmlRows(html: string): CsvRow[] {
  const rows: CsvRow[] = [];
  const lineAt = lineCounter(html);
  let row: CsvRow | undefined;
  let cell: string | undefined;
  let depth = 0;
  const endCell = () => {
    if (row && row.cells.length >= MOST_CELLS) throw new RowError(null, `has more than ${MOST_CELLS} cells`, row.line);
    if (cell !== undefined) row?.cells.push(cell.replaceAll(/\s+/g, ' ').trim());
    cell = undefined;
  };
  const parser = new Parser({
    ...attributeCounter(),
    onopentag(name, { class: names = '' }) {
      if (++depth > MOST_DEPTH || rows.length > MOST_ROWS) throw tooMuch(depth, lineAt(parser.startIndex));
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

/** Line numbers for ascending positions in a text. */
function lineCounter(text: string): (index: number) => number {
  let line = 1;
  let at = 0;
  return (index) => {
    for (let next = text.indexOf('\n', at); next !== -1 && next < index; next = text.indexOf('\n', at)) {
      line++;
      at = next + 1;
    }
    return line;
  };
}
