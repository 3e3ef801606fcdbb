/** Keeps answers small. */

import { type Api, type Query, ToolError } from './api.ts';
import {
  allVisible,
  type Compacting,
  type ListedRow,
  type Row,
  table,
  uncut,
} from './compact.ts';

/** Maximum tokens (o200k) of any answer. */
const MAX_TOKENS = 5000;

/**
 * Upper bound, reached by random characters; a byte of other characters takes one token.
 * English and figures take a third.
 */
const TOKENS_PER_ASCII_BYTE = 0.75;

/** Lengths of texts and lists, from the first attempt to the last. */
const LENGTHS = [
  { text: 1600, rows: 50 },
  { text: 800, rows: 25 },
  { text: 400, rows: 15 },
  { text: 200, rows: 10 },
  { text: 100, rows: 5 },
  { text: 50, rows: 3 },
];

/**
 * The first version that is small enough. It states the length of its texts if they are
 * cut.
 * @throws ToolError if every version is too long
 */
export function fittedOrError(
  timeZone: string,
  make: (how: Compacting) => object,
): object {
  const answer = fitted(timeZone, make);
  if (answer) return answer;
  throw new ToolError(
    'the answer is too long even when cut; add filters, or use fewer sections or a shorter period',
  );
}

/** An answer. */
interface Shown {
  hint?: string;
  [field: string]: unknown;
}

/** The first version that is small enough; undefined without one. */
export function fitted(
  timeZone: string,
  make: (how: Compacting) => object,
): Shown | undefined {
  for (const [index, length] of LENGTHS.entries()) {
    const made = make({ ...length, timeZone });
    const isCut = index > 0 && JSON.stringify(made).includes('…');
    const answer: Shown = isCut
      ? {
          ...made,
          texts: `cut to ${length.text} characters; get_trade or fewer records show more`,
        }
      : { ...made };
    if (mostTokens(JSON.stringify(answer)) < MAX_TOKENS) return answer;
  }
  return undefined;
}

function mostTokens(text: string): number {
  const bytes = Buffer.byteLength(text);
  const others =
    bytes === text.length ? 0 : Buffer.byteLength(text.replace(/[\0-\x7f]+/g, ''));
  return (bytes - others) * TOKENS_PER_ASCII_BYTE + others;
}

// A page of a list that fits into an answer.

interface Page {
  data: ListedRow[];
  pagination: { next_cursor: string | null };
  hint?: string;
}

interface Listing {
  path: string;
  query: Query;
  limit: number;
  /** Whether records are shown unchanged. */
  full: boolean;
  /** Field of the answer for the records. */
  name: string;
  row: (record: Row) => Row;
  /** Adds data that the list doesn't have. */
  completed?: (records: ListedRow[]) => Promise<Row[]>;
}

/**
 * The requested number of records, or as many as fit, with the next cursor if there are
 * more.
 */
export async function page(
  api: Api,
  { path, query, limit, full, name, row, completed }: Listing,
): Promise<Shown> {
  const { timezone } = (await api.me()).user;
  for (let rows = limit; ; rows = Math.ceil(rows / 2)) {
    const { data, pagination, hint } = await api.get<Page>(path, {
      ...query,
      limit: rows,
    });
    const more = {
      ...(pagination.next_cursor !== null && { next_cursor: pagination.next_cursor }),
      ...(hint !== undefined && { hint: allVisible(hint) }),
    };
    if (full) return { ...uncut({ [name]: data }), ...more };

    const records = (completed ? await completed(data) : data).map(row);
    const answer = fitted(timezone, (how) => ({
      timezone,
      [name]: table(records, how, records.length),
      ...more,
    }));
    if (answer || rows === 1)
      return (
        answer ?? { [name]: allVisible(records.map(({ id }) => id ?? null)), ...more }
      );
  }
}
