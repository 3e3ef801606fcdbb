/** Finds a table in a text. */
import { RowError } from '../../errors.ts';
import { type CsvTable, csvRows, isEmpty, plainName, tableWith, withPoints } from '../parse/csv-rows.ts';

/**
 * One table of several, or one with other lines before and after it, for a platform that writes decimal points.
 * @param names some of the header's columns
 */
export function pointedTable(names: readonly string[]): (text: string) => CsvTable {
  return (text) => {
    const table = tableWith(withPoints(csvRows(text)), names);
    if (table) return table;
    throw new RowError(null, `has no header with ${names.join(', ')}`, 1);
  };
}

/**
 * A table with rows of any length.
 * @param name one of the header's columns
 */
export function raggedTable(name: string): (text: string) => CsvTable {
  return (text) => {
    const all = csvRows(text).filter((row) => !isEmpty(row));
    const at = all.findIndex(({ cells }) => cells.some((cell) => plainName(cell) === plainName(name)));
    const [header, ...rows] = all.slice(Math.max(at, 0));
    if (header) return { header, rows };
    throw new RowError(null, 'the file is empty; its first line must name the columns', 1);
  };
}
