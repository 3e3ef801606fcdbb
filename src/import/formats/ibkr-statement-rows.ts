/**
 * The lines of an Activity Statement. Notes and lists of codes may have quotation marks that CSV doesn't allow. Such a line is
 * kept with its fault because its section decides whether it matters.
 */
import { RowError } from '../../errors.ts';
import { type CsvRow, csvRows } from '../parse/csv-rows.ts';

export interface StatementRow extends CsvRow {
  /** Reason why it isn't valid CSV; its cells are then split at each delimiter. */
  fault?: RowError;
}

/** A cell that contains the beginning of another line: an unclosed quotation mark. */
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
