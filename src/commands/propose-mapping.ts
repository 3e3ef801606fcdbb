/** `import FILE --map new`: a mapping for a file that no format knows, written beside it. What isn't sure is asked, or stands in it. */
import { statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { messageOf, UsageError, UserError } from '../errors.ts';
import { bytesOf } from '../import/files/text.ts';
import { proposedMapping } from '../import/mapping/propose/index.ts';
import {
  type Patch,
  type Proposal,
  patched,
  type Question,
  withQuestions,
} from '../import/mapping/propose/proposal.ts';
import type { Mapping } from '../import/mapping/schema.ts';
import { CURRENCY_PATTERN } from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import { RowError } from '../journal-write/row-error.ts';
import { isTimeZone } from '../time.ts';
import type { Terminal } from './terminal.ts';

/**
 * @param terminal undefined without one
 * @returns the mapping, and where it was written: beside the file, never over another
 * @throws UserError where the file can't be read, no target fits it, or its mapping is there already
 */
export async function proposeMapping(
  paths: readonly string[],
  settings: { user: User; timeZone: string | undefined },
  terminal: Terminal | undefined,
): Promise<{ file: string; mapping: Mapping }> {
  const [path, ...more] = paths;
  if (path === undefined || path === '-' || more.length > 0) {
    throw new UsageError('--map new takes one file: the mapping is written beside it');
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`${path} is a folder; name one of its files: a mapping is for one kind of file`);
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
    throw new UserError(`the mapping can't be written to ${target}: ${messageOf(error)}`);
  }
  return { file: target, mapping };
}

function refuseExisting(target: string, path: string): void {
  if (!statSync(target, { throwIfNoEntry: false })) return;
  throw new UserError(
    `${target} exists already: use it (journal-api import ${path} --map ${target}), or move it away for a new one`,
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

/** All questions in their order; Enter takes the first answer. */
async function answered({ mapping, questions }: Proposal, { input, output }: Terminal) {
  const lines = createInterface({ input, output });
  try {
    let result = mapping;
    for (const question of questions) {
      const shown = question.answers.map(({ label }, index) => `  ${index + 1}  ${label}\n`).join('');
      let patch: Patch | undefined;
      while (patch === undefined) {
        const said = (await lines.question(`${question.text}\n${shown}[1] `)).trim();
        patch = patchFor(question, said);
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

function patchFor({ answers, typed }: Question, said: string): Patch | undefined {
  const chosen = answers[said === '' ? 0 : Number(said) - 1];
  if (chosen) return chosen.patch;
  if (typed === 'zone') return isTimeZone(said) ? { zone: said } : undefined;
  const currency = said.toUpperCase();
  return typed === 'currency' && CURRENCY_PATTERN.test(currency)
    ? { fields: { currency: { value: currency } } }
    : undefined;
}
