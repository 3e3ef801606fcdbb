/**
 * `day --edit`: opens the note in an editor and imports the saved text. The note is in a private folder that is always
 * removed; text that couldn't be imported is kept next to the journal.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { editorIn, type Files } from '../../config.ts';
import { type Problem, UserError } from '../../errors.ts';
import { printedDay } from '../../import/day-notes.ts';
import { importPaths } from '../../import/index.ts';
import type { FileReport } from '../../import/report/import-report.ts';
import type { User } from '../../journal/journal.ts';
import { note } from './output.ts';

/** Stops an editor that is a script and never fixes its errors. */
const MOST_ROUNDS = 20;

/** Start of a line that reports an error; removed after the next edit. */
const ERROR = '<!-- error: ';

/** @throws UserError if the editor fails or the user gives up; the journal is unchanged then */
export function editDay(files: Files, user: User, date: string): void {
  const printed = printedDay(files.journal, user, date);
  const folder = mkdtempSync(join(tmpdir(), 'journal-api-day-'));
  const file = join(folder, `${date}.md`);
  // Ctrl-C belongs to the editor; without a handler it would leave the note behind.
  const stay = () => {};
  process.on('SIGINT', stay);
  try {
    editIn(file, printed, files, user);
  } catch (error) {
    throw keepText(file, printed, files, error);
  } finally {
    process.off('SIGINT', stay);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the error, with the path of the typed text if it couldn't be imported */
function keepText(file: string, printed: string, files: Files, error: unknown): unknown {
  const text = existsSync(file) ? withoutErrors(readFileSync(file, 'utf8')) : printed;
  if (text === printed || !(error instanceof UserError)) return error;
  const kept = join(dirname(files.journal), `not-imported-${basename(file)}`);
  writeFileSync(kept, text, { mode: 0o600 });
  return new UserError(`${error.message}; your text is in ${kept}`);
}

function editIn(file: string, printed: string, files: Files, user: User): void {
  let before = printed;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    writeFileSync(file, before, { mode: 0o600 });
    openEditor(file);
    const saved = readFileSync(file, 'utf8');
    if (saved === before) {
      if (round > 0) throw new UserError('the note still has errors; nothing changed');
      return note('The note is unchanged.');
    }
    const text = withoutErrors(saved);
    writeFileSync(file, text);
    const problems = problemsOf(file, printed, files, user);
    if (problems.length === 0) return;
    for (const { line, message } of problems) note(`line ${line}: ${message}`);
    before = withErrors(text, problems);
  }
  throw new UserError('the note still has errors; nothing changed');
}

/** Imports the note if it has no problems. */
function problemsOf(file: string, printed: string, files: Files, user: User): Problem[] {
  const take = (dryRun: boolean) => {
    const [report] = importPaths({
      ...{ paths: [file], journal: files.journal, keys: files.keys, backups: files.backups, user: user.id },
      ...{ printed: { file, path: file, text: printed }, now: Date.now(), dryRun },
    }).files;
    return report as FileReport;
  };
  try {
    const { problems } = take(true);
    if (problems.length > 0) return problems;
    const { added, changed, notes } = take(false);
    for (const line of notes.filter((own) => own.includes(`${file}:`) || own.startsWith('replaced')))
      note(line.replace(`${file}:`, 'line '));
    note(`${added} added, ${changed} changed.`);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [{ file, line: 1, message: error.message.replace(`${file}:`, '').trim() }];
  }
}

/** Starts an editor as git does: the command may have arguments, such as code --wait. */
function openEditor(file: string): void {
  const editor = editorIn();
  if (editor === undefined) throw new UserError('no editor; set VISUAL or EDITOR, such as EDITOR=nano');
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawnSync('/bin/sh', ['-c', `${editor} "$@"`, editor, file], { stdio: 'inherit' });
  if (error || status !== 0) throw new UserError(`the editor "${editor}" failed; nothing changed`);
}

function withErrors(text: string, problems: readonly Problem[]): string {
  const byLine = Map.groupBy(problems, ({ line }) => line);
  const lines = text.split('\n').map((line, index) => {
    const own = byLine.get(index + 1) ?? [];
    return [
      ...own.map(({ message }) => `${ERROR}${message.replaceAll(/\s/g, ' ').replaceAll('-->', '')} -->`),
      line,
    ].join('\n');
  });
  // The properties must stay at the start.
  const isFront = lines[0]?.endsWith('---') === true && lines[0].startsWith(ERROR);
  return isFront ? [...(lines[0] as string).split('\n').reverse(), ...lines.slice(1)].join('\n') : lines.join('\n');
}

function withoutErrors(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(ERROR))
    .join('\n');
}
