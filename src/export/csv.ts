/** CSV as import reads it: empty for null, JSON in a cell for lists and objects. */

const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

export function csvLine(values: readonly unknown[]): string {
  return `${values.map(cellOf).join(',')}\n`;
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return '';
  const text = typeof value === 'string' ? visible(value) : JSON.stringify(value);
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** An empty text is written as two quotation marks, since an empty cell is null. So what is nothing but those gets two more. */
function visible(text: string): string {
  return /^(?:"")*$/.test(text) ? `""${text}` : text;
}
