/** A row of a table, or the properties of a note. */
export interface MappedRow {
  line: number;
  /** Text by column name, or the items of a list. A missing column is empty. */
  cells: ReadonlyMap<string, string | readonly string[]>;
}

/** The text of a cell, or of all items of a list. */
export function textOf({ cells }: MappedRow, column: string): string {
  const cell = cells.get(column) ?? '';
  return typeof cell === 'string' ? cell.trim() : cell.join(', ');
}
