/**
 * The lines of an Activity Statement. Notes and lists of codes may hold quotation marks that CSV doesn't allow: such a line is
 * kept with its fault, since only the section that it is in tells whether it matters.
 */
import { RowError } from '../../journal-write/row-error.ts';
import { type CsvRow, csvRows } from '../parse/csv-rows.ts';

export interface StatementRow extends CsvRow {
  /** Why it isn't valid CSV; its cells then are what is between its commas. */
  fault?: RowError;
}

/** A cell with the beginning of another line of a statement in it: a quotation mark was left open. */
const SWALLOWED = /[\r\n][^,;\t\r\n]*[,;\t](Header|Data|SubTotal|Total)[,;\t]/;

export function statementRows(text: string): StatementRow[] {
  try {
    const rows = csvRows(text);
    if (!rows.some(({ cells }) => cells.some((cell) => SWALLOWED.test(cell)))) return rows;
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
  }
  const delimiter = /[,;\t]/.exec(text)?.[0] ?? ',';
  return text.split(/\r\n?|\n/).flatMap((own, index) => rowOf(own, delimiter, index + 1) ?? []);
}

function rowOf(text: string, delimiter: string, line: number): StatementRow | undefined {
  try {
    return csvRows(text, delimiter, line)[0];
  } catch (error) {
    if (!(error instanceof RowError)) throw error;
    return { line, cells: text.split(delimiter), fault: error };
  }
}
