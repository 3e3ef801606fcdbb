/**
 * Maximum size of a response. SQLite measures texts before it returns them, so neither a
 * single text nor a page of them has to fit into memory.
 */
import { isTooBig } from '../sqlite/errors.ts';
import { NUMBER, type Row } from '../sqlite/reader.ts';
import type { RecordShape } from './stored-value.ts';

export const MAX_RESPONSE_BYTES = 8_000_000;

/** The share of records; the rest is for the JSON around them. */
export const RECORD_BYTES = MAX_RESPONSE_BYTES - 500_000;

/**
 * The size at which a page ends: half that of one record, because pages of all clients
 * are in memory until they are sent.
 */
const PAGE_BYTES = RECORD_BYTES / 2;

/** JSON writes a control character in six bytes; the rest is for field names. */
const JSON_GROWTH = 8;

/** The data of a response exceeds its maximum size. The message reaches clients. */
export class ResponseTooLarge extends Error {
  override name = 'ResponseTooLarge';
}

/**
 * A response that has to be short to make takes longer: an index doesn't find it, or its
 * records are large.
 */
export class TakesLong extends Error {
  override name = 'TakesLong';
}

/** @param what the data of this size */
export function responseTooLarge(
  what: string,
  bytes: number,
  advice: string,
): ResponseTooLarge {
  return new ResponseTooLarge(
    `${what} takes ${(bytes / 1e6).toFixed(1)} MB, more than the ${MAX_RESPONSE_BYTES / 1e6} MB of one response; ${advice}`,
  );
}

/** Characters that an excerpt reads. */
const BEGINNING_CHARACTERS = 20_000;

/**
 * The beginning of a text, enough for an excerpt; null for a text of many MB, which
 * SQLite would have to read completely.
 */
export const beginning = (text: string, name = text) =>
  `CASE WHEN octet_length(${text}) <= ${MAX_RESPONSE_BYTES} THEN substr(${text}, 1, ${BEGINNING_CHARACTERS}) END AS ${name}`;

/**
 * A condition that ends the statement with an error if a row has more octets than the
 * bound number, so the row isn't read. A blob above SQLite's maximum size is the only
 * error that an expression can cause deliberately.
 */
export const isSmall = (octets: string, most: string = NUMBER) =>
  `iif(${octets} <= ${most}, 1, zeroblob(2000000000))`;

/** Maximum octets per row with which this number of rows always fits into a response. */
export function octetsOfEach(rows: number): number {
  return Math.floor(PAGE_BYTES / JSON_GROWTH / rows);
}

/** The data is too large to read without measuring it first. */
export class NotSmall extends Error {}

/** Runs a read; undefined if it ends with the error for a large row or too many rows. */
export function ifSmall<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isTooBig(error) || error instanceof NotSmall) return undefined;
    throw error;
  }
}

/**
 * Columns of rows in the order of a page, with a maximum of rows and, if given, of octets
 * per row.
 */
type Select = (columns: string, limit: number, octets?: number) => Row[];

/** The remaining size of a page. */
export class PageBudget {
  readonly #shape: RecordShape;
  readonly #isShort: boolean;
  #octets = 0;
  #isCounted = false;
  /** The first row that didn't fit, with its octets. */
  cutAt: Row | undefined;

  /** @param isShort whether it may only have small rows */
  constructor(shape: RecordShape, isShort = false) {
    this.#shape = shape;
    this.#isShort = isShort;
  }

  /**
   * Reads rows until the limit or the budget is reached.
   * @throws TakesLong
   */
  read(limit: number, identity: readonly string[], select: Select): Row[] {
    const { columns, octets } = this.#shape;
    const rows = ifSmall(() => select(columns, limit, octetsOfEach(limit)));
    if (rows) return rows;
    if (this.#isShort) throw new TakesLong();

    this.#isCounted = true;
    let fitting = 0;
    for (const row of select([...identity, `${octets} AS octets`].join(', '), limit)) {
      const before = this.#octets;
      this.#octets += row['octets'] as number;
      if (this.#octets > (before === 0 ? RECORD_BYTES : PAGE_BYTES)) {
        this.cutAt = row;
        break;
      }
      fitting++;
    }

    return fitting === 0 ? [] : select(columns, fitting);
  }

  /** The records that fit as JSON, of those that read() returned. */
  trim(records: Row[]): Row[] {
    if (!this.#isCounted) return records;

    let bytes = 0;
    for (const [i, record] of records.entries()) {
      const size = Buffer.byteLength(JSON.stringify(record));
      bytes += size;
      if (bytes <= (i === 0 ? RECORD_BYTES : PAGE_BYTES)) continue;
      this.cutAt = { ...record, octets: size };
      return records.slice(0, i);
    }

    return records;
  }
}

/** @throws ResponseTooLarge if the octets exceed a response */
export function requireFitting(octets: number, what: string, advice: string): void {
  if (octets > RECORD_BYTES) throw responseTooLarge(what, octets, advice);
}
