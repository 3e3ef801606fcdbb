/** Rules between the fields of a record, as data: those of schema.sql, with plain messages. */
import { quote, RowError } from '../../errors.ts';

type Values = Record<string, unknown>;

interface Rules {
  /** The second must not be before the first. */
  order?: readonly [string, string];
  closes?: true;
}

const RULES: Record<string, Rules> = {
  trades: { order: ['executed_at', 'closed_at'], closes: true },
  trade_groups: { order: ['opened_at', 'closed_at'], closes: true },
  sessions: { order: ['started_at', 'ended_at'] },
  weekly_reviews: { order: ['period_start', 'period_end'] },
};

/**
 * @param record to be written
 * @param row for messages with the file's values
 * @throws RowError
 */
export function checkRules(table: string, record: Readonly<Values>, row: Readonly<Values>): void {
  const asGiven = (name: string) => row[name] ?? record[name];
  const { order, closes } = RULES[table] ?? {};
  if (closes) {
    const { status, closed_at: closedAt } = record;
    if (status === 'closed' && closedAt === null)
      throw new RowError('closed_at', 'is missing although status is closed');
    if (status === 'open' && closedAt !== null) {
      throw new RowError('closed_at', `must be null while status is open; got ${quote(asGiven('closed_at'))}`);
    }
  }
  if (order) {
    const [first, second] = order;
    const [from, to] = order.map((name) => record[name] as string | null);
    if (from != null && to != null && to < from) {
      throw new RowError(second, `must not be before ${first}: ${asGiven(second)} is before ${asGiven(first)}`);
    }
  }
  if (record['status'] === 'closed' && Number(record['open_quantity']) > 0) {
    throw new RowError('open_quantity', `must be 0 once status is closed; got ${record['open_quantity']}`);
  }
}
