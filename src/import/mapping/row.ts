/** A row of a table, or what a note says of itself. */
export interface MappedRow {
  line: number;
  /** Text by the name of its column, or where the file knows lists, the items of one. A column that is missing is empty. */
  cells: ReadonlyMap<string, string | readonly string[]>;
}
