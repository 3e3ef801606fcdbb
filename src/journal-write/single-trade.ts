/** Parts of a trade besides the fields of its record. */
import * as z from 'zod';
import { execution } from '../journal/resources/trades.ts';
import { type Execution, inOrder } from './executions.ts';
import { explainIssues } from './explain.ts';
import { normaliserOf } from './normalise.ts';
import type { Values } from './record.ts';

/** Executions, which are stored with their trade. */
export const executionList = z.array(execution);

/** Parts of other records in the API's trades: skipped, since those records are imported separately. */
export const SHOWN_OF_OTHERS: readonly string[] = ['group', 'journals', 'group_journals', 'withheld'];

const normalise = normaliserOf(executionList);

/**
 * The executions of a trade in a file, in the order they happened; undefined without any.
 * @param timeZone for times without an offset
 * @throws RowError that names the invalid one and its member
 */
export function executionsIn(row: Readonly<Values>, timeZone: string | undefined): Execution[] | undefined {
  if (row['executions'] === undefined) return undefined;
  const value = normalise?.(row['executions'], timeZone, 'executions');
  const parsed = executionList.safeParse(value);
  if (parsed.success) return inOrder(parsed.data);
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['executions', ...issue.path] }));
  throw explainIssues(issues, {}, { executions: value });
}
