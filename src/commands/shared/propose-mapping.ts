/** `import FILE --map new`: writes a mapping next to a file of unknown format. Asks about uncertain parts, or lists them in it. */
import { statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { messageOf, RowError, UsageError, UserError } from '../../errors.ts';
import { bytesOf } from '../../import/files/contents.ts';
import {
  type Patch,
  type Proposal,
  patched,
  proposedMapping,
  type Question,
  withQuestions,
} from '../../import/mapping/propose.ts';
import type { Mapping } from '../../import/mapping/schema.ts';
import { CURRENCY_PATTERN } from '../../journal/fields.ts';
import type { User } from '../../journal/journal.ts';
import { isTimeZone } from '../../time.ts';
import { visible } from './command.ts';
import type { Terminal } from './terminal.ts';

/**
 * @param terminal undefined without one
 * @returns the mapping and its path next to the file; never overwrites one
 * @throws UserError if the file can't be read, no target fits it, or its mapping already exists
 */
export async function proposeMapping(
  paths: readonly string[],
  settings: { user: User; timeZone: string | undefined; dates?: 'dmy' | 'mdy' | undefined },
  terminal: Terminal | undefined,
): Promise<{ file: string; mapping: Mapping }> {
  const [path, ...more] = paths;
  if (path === undefined || path === '-' || more.length > 0) {
    throw new UsageError('--map new takes one file, such as trades.csv; the mapping is written next to it');
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${path} is a folder; name one of its files, because a mapping fits one kind of file`);
  }
  const stem = basename(path, extname(path));
  const target = join(dirname(path), `${stem}.map.json`);
  refuseExisting(target, path);
  const proposal = proposalFor(path, stem, settings);
  const mapping = terminal ? await answered(proposal, terminal) : withQuestions(proposal);
  try {
    writeFileSync(target, `${JSON.stringify(mapping, null, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    refuseExisting(target, path);
    throw new UserError(`can't write the mapping to ${target}: ${messageOf(error)}`);
  }
  return { file: target, mapping };
}

function refuseExisting(target: string, path: string): void {
  if (!statSync(target, { throwIfNoEntry: false })) return;
  throw new UserError(
    `${target} already exists; use it (journal-api import ${path} --map ${target}), or move it to create a new one`,
  );
}

function proposalFor(path: string, stem: string, settings: Parameters<typeof proposedMapping>[2]): Proposal {
  const bytes = bytesOf({ file: path });
  try {
    return proposedMapping(bytes, stem, settings);
  } catch (error) {
    if (error instanceof RowError) throw error.at(path, undefined);
    throw error instanceof UserError ? new UserError(`${path}: ${error.message}`) : error;
  }
}

/** Asks all questions in order; Enter picks the first answer. */
async function answered({ mapping, questions }: Proposal, { input, output }: Terminal) {
  const lines = createInterface({ input, output });
  try {
    let result = mapping;
    for (const question of questions) {
      const shown = question.answers.map(({ label }, index) => `  ${index + 1}  ${label}\n`).join('');
      let patch: Patch | undefined;
      while (patch === undefined) {
        const text = (await lines.question(visible(`${question.text}\n${shown}[1] `))).trim();
        patch = patchFor(question, text);
        if (patch === undefined) output.write(`${hintOf(question)}\n`);
      }
      result = patched(result, patch);
    }
    return result;
  } finally {
    lines.close();
  }
}

function hintOf({ typed, answers }: Question): string {
  const numbers = answers.length === 1 ? '1' : `a number from 1 to ${answers.length}`;
  if (typed === undefined) return `Type ${numbers}, or Enter for 1.`;
  return `Type ${typed === 'zone' ? 'a time zone, such as America/New_York' : 'a currency, such as EUR'}, or Enter for 1.`;
}

function patchFor({ answers, typed }: Question, text: string): Patch | undefined {
  const chosen = answers[text === '' ? 0 : Number(text) - 1];
  if (chosen) return chosen.patch;
  if (typed === 'zone') return isTimeZone(text) ? { zone: text } : undefined;
  const currency = text.toUpperCase();
  return typed === 'currency' && CURRENCY_PATTERN.test(currency)
    ? { fields: { currency: { value: currency } } }
    : undefined;
}
