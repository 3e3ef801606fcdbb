/** `check`: finds problems in the journal without changing it. */
import { filesOf, type GlobalOptions } from '../config.ts';
import { UserError } from '../errors.ts';
import { statedTotals } from '../journal/analytics/stated-totals.ts';
import { unmatchedCloses, unmatchedFigures } from '../journal/analytics/unmatched.ts';
import { checkJournal, type Finding } from '../journal/check.ts';
import { listUsers, openJournal, type User } from '../journal/journal.ts';
import { freshSchema, recoverJournal } from '../journal-write/open.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import type { Reader } from '../sqlite/reader.ts';
import { checkedPictures } from './shared/checked-pictures.ts';
import {
  counted,
  type JournalCommand,
  note,
  print,
  printJson,
} from './shared/command.ts';

const MAX_SHOWN = 100;

export function registerCheck(program: JournalCommand): void {
  program
    .command('check')
    .description(
      'verify the journal: file integrity, references, every record, P&L, times and pictures',
    )
    .option(
      '--files',
      'read kept files again that another version imported, and count those that differ now',
    )
    .option('--json', 'the findings as a JSON array')
    .explained('Exits with 1 if it finds a problem. Changes nothing.')
    .examples('journal-api check', 'journal-api check --files')
    .runs(check);
}

async function check(
  options: GlobalOptions & { files?: boolean; json?: boolean },
): Promise<void> {
  const { journal: path } = filesOf(options);
  recoverJournal(path);
  let findings = findingsIn(path);
  // A damaged journal doesn't tell which pictures it keeps.
  if (!findings.some(({ where }) => where === 'file'))
    findings = findings.concat(picturesChecked(path));
  if (options.files && findings.length > 0)
    note('Correct these problems first: kept files were not read.');
  else if (options.files) findings = await unreadable(path);

  if (options.json) printJson(findings);
  else for (const finding of findings.slice(0, MAX_SHOWN)) print(lineFor(finding));
  if (findings.length === 0) {
    note(`No problems found in the journal ${path}.`);
    for (const line of notReconciledIn(path)) note(line);
    return;
  }

  if (findings.length > MAX_SHOWN && !options.json)
    note(`... and ${findings.length - MAX_SHOWN} more.`);
  throw new UserError(`${counted(findings.length, 'problem')} in the journal ${path}`);
}

/** Names pictures that belong to no record. @returns those that are missing or changed */
function picturesChecked(path: string): Finding[] {
  const { findings, strays } = checkedPictures(path);
  for (const stray of strays.slice(0, MAX_SHOWN)) note(`${stray} belongs to no record.`);
  return findings;
}

/** @throws UserError if the file can't be read at all */
function findingsIn(path: string): Finding[] {
  const journal = openJournal(path);
  const findings: Finding[] = [];
  try {
    journal.read((reader) => checkJournal(reader, freshSchema(), findings));
  } catch (error) {
    if (!(error instanceof FileUnavailable)) throw error;
    if (findings.length === 0)
      throw new UserError(`can't check the journal ${path}: ${error.message}`);

    const problem = `the check ended early: ${error.message}`;
    findings.push({ where: 'file', user: null, id: null, problem });
  } finally {
    journal.close();
  }

  return findings;
}

const WHOLE_JOURNAL = { range: { from: null, to: null }, filters: {} };

/** Notes on what doesn't reconcile: missing data, and no problem of the journal. */
function notReconciledIn(path: string): string[] {
  const journal = openJournal(path);
  try {
    return journal.read((reader) =>
      listUsers(reader).flatMap((user) => [
        ...unmatchedOf(reader, user),
        ...differingTotals(reader, user),
      ]),
    );
  } finally {
    journal.close();
  }
}

/** Closes without an opening. */
function unmatchedOf(reader: Reader, user: User): string[] {
  const all = unmatchedCloses(reader, user, WHOLE_JOURNAL);
  const { closes, symbols, distinct } = unmatchedFigures(user, all);
  if (closes === 0) return [];

  const others =
    distinct > symbols.length ? ` and ${distinct - symbols.length} more` : '';
  const what = `${counted(closes, 'unmatched close')} of ${symbols.join(', ')}${others}`;
  const remedy = 'import the file with the opening, or journal-api fill';

  return [`User ${user.id}: ${what}, in no trade; ${remedy}.`];
}

function differingTotals(reader: Reader, user: User): string[] {
  const { differing, totals } = statedTotals(reader, user, WHOLE_JOURNAL);
  if (differing === 0) return [];

  const ids = [...new Set(totals.map((total) => total.import))];
  const what = `${differingFiles(differing)} (${importsNamed(ids)})`;
  const remedy = `journal-api import change ${ids[0]} --dry-run shows the symbols that differ`;

  return [`User ${user.id}: ${what}; ${remedy}.`];
}

/** 2 totals of imported files differ */
function differingFiles(totals: number): string {
  const verb = totals === 1 ? 'differs' : 'differ';
  return `${counted(totals, 'total')} of imported files ${verb}`;
}

/** imports 3, 5 */
function importsNamed(ids: readonly number[]): string {
  const noun = ids.length === 1 ? 'import' : 'imports';
  return `${noun} ${ids.join(', ')}`;
}

/**
 * Reads kept files of another revision, and says how many differ.
 * @returns those that can't be read
 */
async function unreadable(journal: string): Promise<Finding[]> {
  const { otherRevisions, outcomeOf, triedAgain } = await import('./shared/rereading.ts');
  const { loadAll } = await import('../import/on-demand.ts');
  await loadAll();
  const found = otherRevisions(journal);
  if (found.length === 0) note("This version's readers read all kept files already.");

  return found.flatMap((revision) => {
    const report = triedAgain(journal, revision);
    note(outcomeOf(report, revision));

    return report.failed.map(({ id, file, problem }) => ({
      where: 'imports',
      user: revision.user,
      id: String(id),
      problem: `${file} can't be read again: ${problem}`,
    }));
  });
}

function lineFor({ where, user, id, problem }: Finding): string {
  const record = id === null ? '' : ` ${id}`;
  return `${where}${record}${user === null ? '' : ` (user ${user})`}: ${problem}`;
}
