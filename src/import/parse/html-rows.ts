/** The rows of the tables of an HTML page, as cells of text. */
import { Parser } from 'htmlparser2';
import type { CsvRow } from './csv-rows.ts';

/**
 * @param html a page
 * @returns the rows of all its tables, without the cells that the page hides; spaces within a cell are single
 */
export function htmlRows(html: string): CsvRow[] {
  const rows: CsvRow[] = [];
  const lineAt = lineCounter(html);
  let row: CsvRow | undefined;
  let cell: string | undefined;
  const endCell = () => {
    if (cell !== undefined) row?.cells.push(cell.replaceAll(/\s+/g, ' ').trim());
    cell = undefined;
  };
  const parser = new Parser({
    onopentag(name, { class: names = '' }) {
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
      if (name === 'td' || name === 'th' || name === 'tr') endCell();
    },
  });
  parser.end(html);
  return rows;
}

/** Lines of rising places in a text. */
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
