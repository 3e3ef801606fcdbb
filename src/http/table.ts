/**
 * Lists, and tables of figures, as CSV or as JSON Lines, for programs that ask for them
 * with Accept.
 */
import type * as z from 'zod';
import { type CsvColumn, csvColumns, csvHeader, csvRow } from '../journal/csv.ts';
import { projectionOf } from '../journal/hidden-fields.ts';
import { MAX_RESPONSE_BYTES } from '../journal/response-size.ts';
import type { Hidden } from '../keys/lens.ts';
import { PICTURE_MEDIA, type PictureMedia } from '../pictures/kept-pictures.ts';

export type TableForm = 'csv' | 'ndjson';

/** Forms in place of JSON. */
export type Form = TableForm | 'image';

/** Media types as clients ask for them, and as responses name them. */
export const TABLE_TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;
export const SENT_TYPES = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
} as const;

/**
 * The form that a client prefers to JSON; undefined for JSON, which also wins at equal
 * weight.
 */
export function tableFormOf(accept: string | undefined): TableForm | undefined {
  if (accept === undefined || accept === '*/*' || accept === 'application/json')
    return undefined;
  const weights = {
    csv: weightOf(accept, TABLE_TYPES.csv),
    ndjson: weightOf(accept, TABLE_TYPES.ndjson),
  };
  const preferred = weights.ndjson > weights.csv ? 'ndjson' : 'csv';
  return weights[preferred] > weightOf(accept, 'application/json')
    ? preferred
    : undefined;
}

/** Whether a client prefers pictures to JSON. */
export function prefersImages(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const weights = Object.values(PICTURE_MEDIA).map((type) => weightOf(accept, type));
  return Math.max(...weights) > weightOf(accept, 'application/json');
}

/** A picture as a response. */
export class PictureBytes {
  readonly bytes: Buffer;
  readonly type: PictureMedia;

  constructor(bytes: Buffer, type: PictureMedia) {
    this.bytes = bytes;
    this.type = type;
  }
}

/**
 * The weight of a media type by the most specific range that names it, RFC 9110; 0 if
 * none does.
 */
function weightOf(accept: string, type: string): number {
  const ranges = ['*/*', type.replace(/\/.*/, '/*'), type];
  let found = { specificity: -1, weight: 0 };
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
    const specificity = ranges.indexOf(range);
    if (specificity <= found.specificity) continue;
    const weight = Number(
      parameters.find((text) => text.startsWith('q='))?.slice(2) ?? 1,
    );
    found = { specificity, weight: weight >= 0 && weight <= 1 ? weight : 0 };
  }

  return found.weight;
}

type Column = CsvColumn & { isNamed?: boolean };

/** Columns with those of members; hidden fields have none. */
function withMore(
  columns: readonly CsvColumn[],
  more: { of: string; names: readonly string[] } | undefined,
): Column[] {
  const at = more ? columns.findIndex(({ path }) => path[0] === more.of) : -1;
  if (!more || at === -1) return [...columns];

  const { of, names } = more;
  const named = names.map((name) => ({
    name: `${of}.${name}`,
    path: [of, name],
    isNamed: true,
  }));
  return [...columns.slice(0, at), ...named, ...columns.slice(at)];
}

/** A response in one of these forms, row by row. */
export class Table {
  readonly form: TableForm;
  /** Rows so far. */
  records = 0;
  /** Cursor of the next page; null on the last. */
  next: string | null = null;
  readonly #lines: string[] = [];
  #bytes = 0;
  readonly #columns: readonly CsvColumn[];
  readonly #project: (row: never) => unknown;

  /**
   * @param record declaration of the rows
   * @param hides kinds of data that the key hides
   * @param isWanted whether to include a column of CSV, by its name
   * @param more columns of members that the trader named, before others of their field
   */
  constructor(
    form: TableForm,
    record: z.ZodObject,
    hides: readonly Hidden[],
    isWanted: (column: string) => boolean,
    more?: { of: string; names: readonly string[] },
  ) {
    this.form = form;
    this.#project =
      (hides.length > 0 && projectionOf(record, hides)) || ((row: never) => row);
    this.#columns = withMore(csvColumns(record, hides), more).filter(
      (column) => column.isNamed || isWanted(column.name),
    );
    if (form === 'csv') this.#push(csvHeader(this.#columns));
  }

  /**
   * @returns false if the row would make the response too large; a first row is always
   * added
   */
  add(row: object): boolean {
    const shown = this.#project(row as never) as object;
    const line =
      this.form === 'csv' ? csvRow(this.#columns, shown) : `${JSON.stringify(shown)}\n`;
    if (this.records > 0 && this.#bytes + Buffer.byteLength(line) > MAX_RESPONSE_BYTES)
      return false;
    this.#push(line);
    this.records++;
    return true;
  }

  #push(line: string): void {
    this.#lines.push(line);
    this.#bytes += Buffer.byteLength(line);
  }

  get text(): string {
    return this.#lines.join('');
  }
}
