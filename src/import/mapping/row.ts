/** A row of a table, or what a note says of itself. */
export interface MappedRow {
  line: number;
  /** Text by the name of its column, or where the file knows lists, the items of one. A column that is missing is empty. */
  cells: ReadonlyMap<string, string | readonly string[]>;
}

/** The text of a cell; of a list, of all its items. */
export function textOf({ cells }: MappedRow, column: string): string {
  const cell = cells.get(column) ?? '';
  return typeof cell === 'string' ? cell.trim() : cell.join(', ');
}
