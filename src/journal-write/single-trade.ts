/** What a single trade has beside the fields of its record. */
import * as z from 'zod';
import { execution } from '../journal/resources/trades.ts';
import { type Execution, inOrder } from './executions.ts';
import { explainIssues } from './explain.ts';
import { normaliserOf } from './normalise.ts';
import type { Values } from './record.ts';

/** The fills, which are stored with their trade. */
export const executionList = z.array(execution);

/** What the API shows of other records: ignored, since those are imported for themselves. */
export const SHOWN_OF_OTHERS: readonly string[] = ['group', 'journals', 'group_journals', 'withheld'];

const normalise = normaliserOf(executionList);

/**
 * The executions that a file gives with a trade, in the order they happened; undefined where it gives none.
 * @param timeZone what times without an offset are read in
 * @throws RowError that names the one at fault, and its member
 */
export function executionsIn(row: Readonly<Values>, timeZone: string | undefined): Execution[] | undefined {
  if (row['executions'] === undefined) return undefined;
  const value = normalise?.(row['executions'], timeZone, 'executions');
  const parsed = executionList.safeParse(value);
  if (parsed.success) return inOrder(parsed.data);
  const issues = parsed.error.issues.map((issue) => ({ ...issue, path: ['executions', ...issue.path] }));
  throw explainIssues(issues, {}, { executions: value });
}
