/** How much a file may hold, so that one made to do harm takes neither memory nor time without end. No export comes near. */

/** Of a file that is read whole: an export, JSON, a workbook, standard input. Files of records as CSV and JSON Lines are read as they are written. */
export const MOST_BYTES = 128_000_000;

/** Of all that is read of a workbook, unpacked. */
export const MOST_UNPACKED = 100_000_000;

/** Rows of a table, elements of XML. */
export const MOST_ROWS = 1_000_000;

/** Cells of a row. */
export const MOST_CELLS = 1000;

/** Cells of the sheets of a workbook, those that are left empty before others counted. */
export const MOST_SHEET_CELLS = 20_000_000;

/** Characters of these cells, a text that several share counted each time. */
export const MOST_SHEET_CHARACTERS = 100_000_000;

/** Attributes of an element, and of all elements of a file that are kept. */
export const MOST_ATTRIBUTES = 1000;
export const MOST_KEPT_ATTRIBUTES = 10_000_000;

/** Characters of one row of CSV; a workbook's cell holds at most 32,767. */
export const LONGEST_ROW = 16_000_000;
export const LONGEST_CELL = 32_767;

/** Characters of what a pattern reads: numbers, times, symbols, descriptions that a platform wrote. */
export const LONGEST_READ = 4096;

/** Elements of a page, or lists and objects of JSON, within each other. */
export const MOST_DEPTH = 200;

/** Lists and objects of one JSON text, and all values in them. */
export const MOST_OBJECTS = 5_000_000;
export const MOST_VALUES = 10_000_000;

/** Numbers that platforms write are far below; products of five such are still numbers. What the journal keeps is below 1e15. */
export const LARGEST_NUMBER = 1e60;
