/** Rows of trades as CSV (RFC 4180). */

/** A cell that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * @param records all with the same fields; lists become one cell, separated by semicolons
 */
export function csvOf(records: readonly Readonly<Record<string, unknown>>[]): string {
  const names = Object.keys(records[0] ?? {});
  const lines = [names, ...records.map((record) => names.map((name) => record[name]))];
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = Array.isArray(value) ? value.join('; ') : String(value);
  // An apostrophe in front keeps a spreadsheet from running a text.
  const safe = typeof value !== 'number' && FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
