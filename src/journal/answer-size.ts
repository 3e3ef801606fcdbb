/**
 * How much of a journal one answer may hold. SQLite measures texts before it hands them over, so that none of them, and no page of
 * them, ever has to fit into memory.
 */
import { isTooBig } from '../sqlite/errors.ts';
import { NUMBER, type Row } from '../sqlite/reader.ts';
import type { RecordShape } from './row-mapper.ts';

export const MAX_ANSWER_BYTES = 8_000_000;

/** What records may take of it: the rest is for what stands around them. */
export const RECORD_BYTES = MAX_ANSWER_BYTES - 500_000;

/** Where a page ends that could hold more: half of what one record may have, since making it holds everybody else up. */
const PAGE_BYTES = RECORD_BYTES / 2;

/** JSON writes a control character in six bytes; with some for the names of the fields. */
const JSON_GROWTH = 8;

/** What an answer would be made of is larger than an answer may be. The message reaches clients. */
export class AnswerTooLarge extends Error {
  override name = 'AnswerTooLarge';
}

/** @param what what takes so many bytes */
export function answerTooLarge(what: string, bytes: number, advice: string): AnswerTooLarge {
  return new AnswerTooLarge(
    `${what} takes ${(bytes / 1e6).toFixed(1)} MB, more than the ${MAX_ANSWER_BYTES / 1e6} MB of one answer; ${advice}`,
  );
}

/** No excerpt looks further into a text. */
const BEGINNING_CHARACTERS = 20_000;

/** The beginning of a text, enough for an excerpt; null for one of many MB, which SQLite would have to read whole. */
export const beginning = (text: string, name = text) =>
  `CASE WHEN octet_length(${text}) <= ${MAX_ANSWER_BYTES} THEN substr(${text}, 1, ${BEGINNING_CHARACTERS}) END AS ${name}`;

/**
 * A condition that ends the statement with an error where a row has more octets than the number that is bound to it: such a row is
 * not read at all. A blob of more than SQLite's maximum is the one error that an expression can make on purpose.
 */
export const isSmall = (octets: string, most: string = NUMBER) => `iif(${octets} <= ${most}, 1, zeroblob(2000000000))`;

/** How many octets each of so many rows may have, so that all of them surely fit into an answer. */
export function octetsOfEach(rows: number): number {
  return Math.floor(PAGE_BYTES / JSON_GROWTH / rows);
}

/** There is more than may be read without being measured first. */
export class NotSmall extends Error {}

/** Runs a read that ends with an error where a row isn't small, or there are too many; undefined then. */
export function ifSmall<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isTooBig(error) || error instanceof NotSmall) return undefined;
    throw error;
  }
}

/** Columns of rows in the order of a page: at most so many rows, each of at most so many octets where that is given. */
type Select = (columns: string, limit: number, octets?: number) => Row[];

/** What one page may still hold. */
export class PageBudget {
  readonly #shape: RecordShape;
  #octets = 0;
  #isCounted = false;
  /** The row that didn't fit any more, with its octets. */
  cutAt: Row | undefined;

  constructor(shape: RecordShape) {
    this.#shape = shape;
  }

  /** Reads rows until there are enough of them or the budget is spent. Pauses where they are not small. */
  *read(limit: number, identity: readonly string[], select: Select): Generator<void, Row[]> {
    const { columns, octets } = this.#shape;
    const rows = ifSmall(() => select(columns, limit, octetsOfEach(limit)));
    if (rows) return rows;
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
    yield;
    return fitting === 0 ? [] : select(columns, fitting);
  }

  /** As many of the records, which were read by it, as fit as JSON. */
  *trim(records: Row[]): Generator<void, Row[]> {
    if (!this.#isCounted) return records;
    let bytes = 0;
    for (const [i, record] of records.entries()) {
      const size = Buffer.byteLength(JSON.stringify(record));
      yield;
      bytes += size;
      if (bytes <= (i === 0 ? RECORD_BYTES : PAGE_BYTES)) continue;
      this.cutAt = { ...record, octets: size };
      return records.slice(0, i);
    }
    return records;
  }
}

/** @throws AnswerTooLarge for a total of octets that no answer holds */
export function requireFitting(octets: number, what: string, advice: string): void {
  if (octets > RECORD_BYTES) throw answerTooLarge(what, octets, advice);
}
