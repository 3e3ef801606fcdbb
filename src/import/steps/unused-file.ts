/** Refuses a file of which nothing is used, unless that is as it should be. */
import { UserError } from '../../errors.ts';
import type { Job } from '../files/contents.ts';
import type { FileReport } from '../report/report.ts';

/** Reasons for skipping rows that move cash: a file of them alone is read as it should be. */
const CASH =
  /\b(?:cash|dividends?|interest|deposits?|withdrawals?|transfers?|funding|fees?|tax(?:es)?|balance)\b/i;

/** @throws UserError if no row of a file is used */
export function refuseUnused(
  { file, notes }: Job,
  { rows, ...report }: FileReport,
  note: ((line: string) => void) | undefined,
): void {
  if (notes !== undefined || rows.read === 0 || rows.used > 0 || report.rates) return;
  if (report.skipped.some(({ reason }) => CASH.test(reason))) return;
  for (const line of report.notes) note?.(`${file}: ${line}`);

  const reasons = report.skipped
    .map(({ reason, count }) => `${count} ${reason}`)
    .join(', ');
  const read = `${rows.read} ${rows.read === 1 ? 'row' : 'rows'}`;
  throw new UserError(
    `nothing of ${file} came in: ${read}, because all were skipped: ${reasons}`,
  );
}
