/** `check`: finds problems in the journal without changing it. */
import { filesOf, type GlobalOptions } from '../config.ts';
import { UserError } from '../errors.ts';
import { checkJournal, type Finding } from '../journal/check.ts';
import { openJournal } from '../journal/journal.ts';
import { freshSchema } from '../journal-write/open.ts';
import { recoverJournal } from '../journal-write/read.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import { counted, type JournalCommand, note, print, printJson } from './shared/command.ts';

const MAX_SHOWN = 100;

export function registerCheck(program: JournalCommand): void {
  program
    .command('check')
    .description('verify the journal: file integrity, references, every record, P&L and times')
    .option('--json', 'the findings as a JSON array')
    .explained('Exits with 1 if it finds a problem. Changes nothing.')
    .examples('journal-api check')
    .runs(check);
}

function check(options: GlobalOptions & { json?: boolean }): void {
  const { journal: path } = filesOf(options);
  recoverJournal(path);
  const journal = openJournal(path);
  const findings: Finding[] = [];
  try {
    journal.read((reader) => checkJournal(reader, freshSchema(), findings));
  } catch (error) {
    if (!(error instanceof FileUnavailable)) throw error;
    if (findings.length === 0) throw new UserError(`can't check the journal ${path}: ${error.message}`);
    findings.push({ where: 'file', user: null, id: null, problem: `the check ended early: ${error.message}` });
  } finally {
    journal.close();
  }
  if (options.json) printJson(findings);
  else for (const finding of findings.slice(0, MAX_SHOWN)) print(lineFor(finding));
  if (findings.length === 0) return note(`No problems found in the journal ${path}.`);
  if (findings.length > MAX_SHOWN && !options.json) note(`... and ${findings.length - MAX_SHOWN} more.`);
  throw new UserError(`${counted(findings.length, 'problem')} in the journal ${path}`);
}

function lineFor({ where, user, id, problem }: Finding): string {
  const record = id === null ? '' : ` ${id}`;
  return `${where}${record}${user === null ? '' : ` (user ${user})`}: ${problem}`;
}
