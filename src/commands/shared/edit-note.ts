/**
 * Opens a printed note in an editor and imports the saved text. The typed text is on disk
 * before anything else can fail: next to the journal, else in the temporary folder. It
 * stays there unless the import stores it.
 */
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { editorIn, type Files } from '../../config.ts';
import { codeOf, messageOf, type Problem, UsageError, UserError } from '../../errors.ts';
import { type ImportOptions, importPaths, planFiles } from '../../import/index.ts';
import { readBackLines } from '../../import/report/read-back.ts';
import type { FileReport } from '../../import/report/report.ts';
import type { User } from '../../journal/journal.ts';
import { isFaultOfFile } from '../../journal-write/open.ts';
import { decodeOlder } from '../../parse/open-file.ts';
import { agreedToPictures } from './agree-to-pictures.ts';
import { note } from './command.ts';

/** Values that changed while the editor was open: the rest of the text is stored. */
class RefusedError extends UserError {
  constructor(refused: readonly string[]) {
    super(`${refused.join('\n')}\nto store these, edit the note again`);
  }
}

/** Stops an editor that is a script and never fixes its errors. */
const MOST_ROUNDS = 20;

/** Whose note is edited. */
interface Editing {
  files: Files;
  user: User;
  yes: boolean | undefined;
}

/** Start of a line that reports an error; removed after the next edit. */
const ERROR = '<!-- error: ';

/**
 * @param name of the note without .md, such as 2026-11-20
 * @throws UserError if the editor fails, the import does, or the user gives up; the
 * journal is unchanged then
 */
export async function editNote(
  settings: Editing,
  name: string,
  printed: string,
): Promise<void> {
  const { files } = settings;
  const folder = explaining('create a folder for the note', () =>
    mkdtempSync(join(tmpdir(), 'journal-api-note-')),
  );
  const file = join(folder, `${name}.md`);
  const typed = typedTexts(name, [dirname(files.journal), tmpdir()]);
  // Ctrl-C belongs to the editor; without a handler it would end this process before the
  // text is kept.
  const stay = () => {};
  process.on('SIGINT', stay);

  try {
    await editIn(file, printed, typed, settings);
  } catch (error) {
    typed.addTo(error);
    throw error;
  } finally {
    process.off('SIGINT', stay);
    if (!typed.has(file)) remove(folder);
  }

  typed.remove();
}

async function editIn(
  file: string,
  printed: string,
  typed: TypedTexts,
  settings: Editing,
): Promise<void> {
  let before = printed;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const saved = editedOnce(file, before, printed, typed);
    if (saved === before && round === 0) return note('The note is unchanged.');
    if (saved === before) break;

    const text = withoutErrors(saved);
    if (text.trim() === '') throw new UserError('the note is empty; nothing changed');

    explaining(`write ${file}`, () => writeFileSync(file, text));
    const problems = await problemsOf(file, printed, settings);
    if (problems.length === 0) return;

    for (const { line, message } of problems) note(`line ${line}: ${message}`);
    before = withErrors(text, problems);
  }

  throw new UserError('the note still has errors; nothing changed');
}

/** Opens a text in the editor, and keeps what was typed. @returns what was saved */
function editedOnce(
  file: string,
  text: string,
  printed: string,
  typed: TypedTexts,
): string {
  explaining(`write ${file}`, () => writeFileSync(file, text, { mode: 0o600 }));
  const failure = openEditor(file);
  const saved = typed.read(file);
  const typedText = withoutErrors(saved);
  if (typedText !== printed && typedText.trim() !== '') typed.keep(typedText);
  if (failure) throw failure;
  return saved;
}

/**
 * The texts of an editing session, each in a file of its own: a later round may have lost
 * what an earlier one had.
 * @param folders to write to, in order of preference
 */
function typedTexts(name: string, folders: readonly string[]) {
  const files: string[] = [];
  let last: string | undefined;
  let isWritten = true;

  return {
    /** Reads the saved note; one that can't be read stays where it is. */
    read(file: string): string {
      try {
        return explaining('read the saved note', () => decodeOlder(readFileSync(file)));
      } catch (error) {
        if (existsSync(file)) files.push(file);
        throw error;
      }
    },
    has: (file: string) => files.includes(file),
    keep(text: string): void {
      if (text === last) return;

      last = text;
      const time = new Date().toISOString().replaceAll(/[-:.]/g, '');
      isWritten = folders.some((folder) => {
        const file = writeNew(join(folder, `not-imported-${name}-at-${time}`), text);
        if (file !== undefined) files.push(file);
        return file !== undefined;
      });
    },
    /**
     * Ends the error's message with the paths, the latest last. Prints a text that no
     * folder takes.
     */
    addTo(error: unknown): void {
      if (!(error instanceof Error)) return;
      if (!isWritten && last !== undefined) {
        process.stdout.write(last);
        error.message +=
          '; your text is printed above, because it could not be written to a file';
      }
      if (files.length > 0) error.message += `; your text is in\n${files.join('\n')}`;
    },
    remove: () => files.forEach(remove),
  };
}

type TypedTexts = ReturnType<typeof typedTexts>;

/**
 * Writes a private file with a name that no file has yet.
 * @returns its path; undefined if the folder doesn't take it
 */
function writeNew(path: string, text: string): string | undefined {
  for (let count = 1; ; count++) {
    const file = `${path}${count === 1 ? '' : `-${count}`}.md`;
    try {
      const fd = openSync(file, 'wx', 0o600);
      try {
        writeFileSync(fd, text);
        fsyncSync(fd);
        return file;
      } catch {
        remove(file);
        return undefined;
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') return undefined;
    }
  }
}

/** Removes a file or folder; one that can't be removed is named. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    note(`can't remove ${path}: ${messageOf(error)}`);
  }
}

function explaining<T>(what: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new UserError(`can't ${what}: ${messageOf(error)}; nothing changed`);
  }
}

/** Imports the note if it has no problems. */
async function problemsOf(
  file: string,
  printed: string,
  { files, user, yes }: Editing,
): Promise<Problem[]> {
  const optionsOf = (dryRun: boolean, mayShow = false): ImportOptions => ({
    paths: [file],
    journal: files.journal,
    keys: files.keys,
    backups: files.backups,
    user: user.id,
    printed: { file, path: file, text: printed },
    now: Date.now(),
    dryRun,
    pictures: { from: process.cwd(), mayShow },
  });
  const take = (...how: Parameters<typeof optionsOf>) =>
    importPaths(optionsOf(...how)).files[0] as FileReport;
  try {
    // Loads what reading the note needs.
    await planFiles(optionsOf(true));
    const report = take(true);
    const { problems } = report;
    if (problems.length > 0) return problems;

    for (const line of readBackLines(report)) note(line);
    reportStored(
      file,
      await agreedToPictures((mayShow) => take(false, mayShow), { yes }),
    );
    return problems;
  } catch (error) {
    const isOfNote = error instanceof UserError && !(error instanceof UsageError);
    if (!isOfNote || error instanceof RefusedError || isFaultOfFile(error)) throw error;
    return [{ file, line: 1, message: error.message.replace(`${file}:`, '').trim() }];
  }
}

/** @throws RefusedError if a value changed while the editor was open */
function reportStored(
  file: string,
  { added, changed, notes, refused = [] }: FileReport,
): void {
  const isOfNote = (line: string) =>
    line.includes(`${file}:`) || /^(?:replaced|removed) /.test(line);
  for (const line of notes.filter(isOfNote)) note(line.replace(`${file}:`, 'line '));
  note(`${added} added, ${changed} changed.`);
  if (refused.length > 0) throw new RefusedError(refused);
}

/**
 * Starts an editor as git does: the command may have arguments, such as code --wait.
 * @returns the error if it fails
 */
function openEditor(file: string): UserError | undefined {
  const editor = editorIn() ?? usualEditor();
  const { status, error } =
    process.platform === 'win32'
      ? spawnSync(`${editor} "${file}"`, { shell: true, stdio: 'inherit' })
      : spawnSync('/bin/sh', ['-c', `${editor} "$@"`, editor, file], {
          stdio: 'inherit',
        });
  return error || status !== 0
    ? new UserError(`the editor "${editor}" failed; nothing changed`)
    : undefined;
}

function usualEditor(): string {
  if (process.platform === 'win32') return 'notepad';
  if (process.platform === 'darwin') return 'open -t -W';

  const { stdout } = spawnSync('/bin/sh', ['-c', 'command -v nano || command -v vi'], {
    encoding: 'utf8',
  });
  const found = stdout.trim();
  if (found === '')
    throw new UserError('no editor; set VISUAL or EDITOR, such as EDITOR=nano');

  return found;
}

function withErrors(text: string, problems: readonly Problem[]): string {
  const byLine = Map.groupBy(problems, ({ line }) => line);
  const blocks = text.split('\n').map((line, index) => {
    const errors = (byLine.get(index + 1) ?? []).map(errorLine);
    return [...errors, line];
  });
  // The properties must stay at the start.
  const [first = []] = blocks;
  if (first.length > 1 && first.at(-1)?.endsWith('---')) first.reverse();

  return blocks.flat().join('\n');
}

function errorLine({ message }: Problem): string {
  return `${ERROR}${message.replaceAll(/\s/g, ' ').replaceAll('-->', '')} -->`;
}

function withoutErrors(text: string): string {
  return text
    .split('\n')
    .filter((line) => !line.startsWith(ERROR))
    .join('\n');
}
