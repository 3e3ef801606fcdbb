/** What the fields of one record must be to each other, as data: the same rules as in schema.sql, said in words. */
import { RowError } from './row-error.ts';

interface Rules {
  /** The second may not be before the first. */
  order?: readonly [string, string];
  /** status and closed_at go together. */
  closes?: true;
}

const RULES: Record<string, Rules> = {
  trades: { order: ['executed_at', 'closed_at'], closes: true },
  trade_groups: { order: ['opened_at', 'closed_at'], closes: true },
  sessions: { order: ['started_at', 'ended_at'] },
  weekly_reviews: { order: ['period_start', 'period_end'] },
};

/** @throws RowError */
export function checkRules(table: string, record: Readonly<Record<string, unknown>>): void {
  const { order, closes } = RULES[table] ?? {};
  if (closes) {
    const { status, closed_at: closedAt } = record;
    if (status === 'closed' && closedAt === null) throw new RowError('closed_at', 'is missing: status is closed');
    if (status === 'open' && closedAt !== null) {
      throw new RowError('closed_at', `must be null while status is open; got "${closedAt}"`);
    }
  }
  if (order) {
    const [first, second] = order.map((name) => record[name] as string | null);
    if (first != null && second != null && second < first) {
      throw new RowError(order[1], `must not be before ${order[0]}: ${second} is before ${first}`);
    }
  }
  if (record['status'] === 'closed' && Number(record['open_quantity']) > 0) {
    throw new RowError('open_quantity', `must be 0 once status is closed; got ${record['open_quantity']}`);
  }
}
