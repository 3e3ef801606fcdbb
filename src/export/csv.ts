/** CSV in the form that import reads: empty for null, JSON in a cell for lists and objects. */

const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  const text = typeof value === 'string' ? visible(value) : JSON.stringify(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** An empty text becomes two quotation marks, because an empty cell is null; a text of only such pairs gets two more. */
function visible(text: string): string {
  return /^(?:"")*$/.test(text) ? `""${text}` : text;
}
