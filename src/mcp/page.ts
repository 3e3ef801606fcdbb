/** A page of a list that fits into an answer. */
import type { Api, Query } from './api.ts';
import { allVisible, type Row, table, uncut } from './compact.ts';
import { fitted } from './fit.ts';

interface Page {
  data: Row[];
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
  completed?: (records: Row[]) => Promise<Row[]>;
}

/** The requested number of records, or as many as fit, with the next cursor if there are more. */
export async function page(api: Api, { path, query, limit, full, name, row, completed }: Listing): Promise<object> {
  const { timezone } = (await api.me()).user;
  for (let rows = limit; ; rows = Math.ceil(rows / 2)) {
    const { data, pagination, hint } = (await api.get(path, { ...query, limit: rows })) as unknown as Page;
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
    if (answer || rows === 1) return answer ?? { [name]: allVisible(records.map(({ id }) => id ?? null)), ...more };
  }
}
