/** CSV as `import` reads it: JSON for lists and objects, an empty cell for null. */
export function csvLine(cells: readonly unknown[]): string {
  return cells.map((cell) => quoted(textOf(cell))).join(',');
}

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell);
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
