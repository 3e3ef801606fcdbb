/**
 * Maximum size of a file's parts: a malicious file can't exhaust memory or time. No real
 * export comes near these bounds.
 */

/**
 * Of a file read whole: an export, JSON, a workbook, standard input. Records in CSV and
 * JSON Lines are streamed instead.
 */
export const MOST_BYTES = 128_000_000;

/** Unpacked bytes of a workbook's wanted files. */
export const MOST_UNPACKED = 100_000_000;

/** Rows of a table, elements of XML. */
export const MOST_ROWS = 1_000_000;

/** Cells of a row. */
export const MOST_CELLS = 1000;

/** Cells of a workbook's sheets, counting empty cells before a filled one. */
export const MOST_SHEET_CELLS = 20_000_000;

/** Characters of these cells, counting a shared text once per cell. */
export const MOST_SHEET_CHARACTERS = 100_000_000;

/** Attributes of an element, and of all kept elements of a file. */
export const MOST_ATTRIBUTES = 1000;
export const MOST_KEPT_ATTRIBUTES = 10_000_000;

/** Characters of one row of CSV; a workbook's cell holds at most 32,767. */
export const LONGEST_ROW = 16_000_000;
export const LONGEST_CELL = 32_767;

/** Characters that a pattern reads: numbers, times, symbols, descriptions. */
export const LONGEST_READ = 4096;

/** Nesting depth of HTML elements, or of arrays and objects in JSON. */
export const MOST_DEPTH = 200;

/** Arrays and objects of one JSON text, and all values in them. */
export const MOST_OBJECTS = 5_000_000;
export const MOST_VALUES = 10_000_000;

/**
 * Far above any number in an export, and the product of five is still finite. Numbers in
 * the journal are below 1e15.
 */
export const LARGEST_NUMBER = 1e60;
