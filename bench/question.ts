/** What a question about speed and memory is answered with. */

export interface Table {
  columns: readonly string[];
  rows: readonly (readonly (string | number)[])[];
}

/** Measures in a folder of its own. */
export type Question = (folder: string) => Promise<Table>;
