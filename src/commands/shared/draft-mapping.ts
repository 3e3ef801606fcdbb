/**
 * `import FILE --map new`: writes a draft of a mapping next to a file of unknown format.
 * Imports nothing.
 */
import { statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { messageOf, RowError, UsageError, UserError } from '../../errors.ts';
import { bytesOf } from '../../import/files/contents.ts';
import { type DraftSettings, draftOf } from '../../import/mapping/draft.ts';
import { questionsIn } from '../../import/mapping/questions.ts';
import { withoutKeys } from '../../keys/format.ts';
import { note, print, printData, shellWord } from './command.ts';
import type { ImportCommandOptions } from './import-options.ts';

/** Writes the draft, and prints its open questions. */
export function runDraft(paths: readonly string[], options: ImportCommandOptions): void {
  if (options.watch !== undefined)
    throw new UsageError(
      '--watch needs an existing mapping; create one with "--map new" first',
    );
  if (options.dryRun) throw new UsageError('--map new never imports; remove --dry-run');

  const { timezone: timeZone, dates } = options;
  const { file, questions } = draftMapping(paths, { timeZone, dates });
  if (options.json) printData(withoutKeys(JSON.stringify({ file, questions }, null, 2)));
  else for (const question of questions) print(withoutKeys(question));

  note(`Wrote a draft of a mapping to ${file}. Nothing was imported.`);
  const first = questions.length > 0 ? `Replace each "?" in ${file}` : `Check ${file}`;
  note(
    `${first}, then: journal-api import ${shellWord(paths[0] ?? '')} --map ${shellWord(file)}`,
  );
}

/**
 * @returns the path of the draft, and its open questions; never overwrites a file
 * @throws UserError if the file can't be read or has no table, or its mapping already
 * exists
 */
function draftMapping(
  paths: readonly string[],
  settings: DraftSettings,
): { file: string; questions: string[] } {
  const [path, ...more] = paths;
  if (path === undefined || path === '-' || more.length > 0) {
    throw new UsageError(
      '--map new takes one file, such as trades.csv; the mapping is written next to it',
    );
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(
      `${path} is a folder; name one of its files, because a mapping fits one kind of file`,
    );
  }

  const stem = basename(path, extname(path));
  const target = join(dirname(path), `${stem}.map.json`);
  refuseExisting(target, path);

  const draft = drafted(path, stem, settings);
  try {
    writeFileSync(target, `${JSON.stringify(draft, null, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    refuseExisting(target, path);
    throw new UserError(`can't write the mapping to ${target}: ${messageOf(error)}`);
  }

  return { file: target, questions: questionsIn(draft) };
}

function refuseExisting(target: string, path: string): void {
  if (!statSync(target, { throwIfNoEntry: false })) return;
  throw new UserError(
    `${target} already exists; use it (journal-api import ${path} --map ${target}), ` +
      'or move it to create a new one',
  );
}

function drafted(
  path: string,
  stem: string,
  settings: DraftSettings,
): ReturnType<typeof draftOf> {
  const bytes = bytesOf({ file: path });
  try {
    return draftOf(bytes, stem, settings);
  } catch (error) {
    if (error instanceof RowError) throw error.at(path, undefined);
    throw error instanceof UserError ? new UserError(`${path}: ${error.message}`) : error;
  }
}
