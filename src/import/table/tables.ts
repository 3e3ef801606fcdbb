/** Where in a text a table is. */
import { RowError } from '../../journal-write/row-error.ts';
import { type CsvTable, csvRows, tableWith, withPoints } from '../parse/csv-rows.ts';

/**
 * One table of several, or one with other lines before and after it, of a platform that writes decimal points.
 * @param names that its header has, among others
 */
export function pointedTable(names: readonly string[]): (text: string) => CsvTable {
  return (text) => {
    const table = tableWith(withPoints(csvRows(text)), names);
    if (table) return table;
    throw new RowError(null, `has no header with ${names.join(', ')}`, 1);
  };
}
