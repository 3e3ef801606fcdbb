/** A page of a list, as small as an answer has to be. */
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
  /** The API's records as they are. */
  full: boolean;
  /** What the table calls its rows. */
  name: string;
  row: (record: Row) => Row;
  /** Adds to records what their list doesn't have. */
  completed?: (records: Row[]) => Promise<Row[]>;
}

/** As many records as were asked for, or as fit; with the cursor to go on from, where there are more. */
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
