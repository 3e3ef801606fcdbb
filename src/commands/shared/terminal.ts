/** Questions to the user at the terminal, such as before a change of several trades or one that would show keys more. */
import { createInterface } from 'node:readline';
import { UsageError, UserError } from '../../errors.ts';
import type { ShownByKey } from '../../import/edit/effects.ts';
import { visible } from './command.ts';

/** A terminal: lines come from its input, and questions go to its output. */
export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** Undefined without a terminal. */
export function terminalHere(): Terminal | undefined {
  return process.stdin.isTTY && process.stderr.isTTY ? { input: process.stdin, output: process.stderr } : undefined;
}

/**
 * @param read parses the answer; undefined if it is invalid
 * @param hint describes valid answers
 * @throws UserError if the terminal is closed before a valid answer
 */
export async function asked<T>(
  { input, output }: Terminal,
  question: string,
  read: (typed: string) => T | undefined,
  hint: (typed: string) => string,
): Promise<T> {
  const lines = createInterface({ input, output, prompt: visible(question) });
  try {
    lines.prompt();
    for await (const line of lines) {
      const typed = line.trim();
      const answer = read(typed);
      if (answer !== undefined) return answer;
      output.write(`${visible(hint(typed))}\n`);
      lines.prompt();
    }
  } finally {
    lines.close();
  }
  throw new UserError('no answer; nothing was changed');
}

/**
 * @param question asked at a terminal
 * @param without the error without one
 * @throws UsageError without a terminal; UserError if the user says no
 */
export async function agree(question: string, without: string): Promise<void> {
  const terminal = terminalHere();
  if (!terminal) throw new UsageError(without);
  const agreed = await asked(
    terminal,
    `${question} [y/N] `,
    (typed) => (/^(y|yes)$/i.test(typed) ? true : /^(n|no)?$/i.test(typed) ? false : undefined),
    () => 'Type y or n.',
  );
  if (!agreed) throw new UserError('nothing was changed');
}

/**
 * @param run makes the change, or tries it if the argument is true
 * @throws UsageError without a terminal and --yes; UserError if the user says no
 */
export async function agreedTo<T extends { keys: ShownByKey[] }>(
  run: (dryRun: boolean) => T,
  { dryRun, yes }: { dryRun?: boolean; yes?: boolean },
): Promise<T> {
  const tried = run(true);
  if (dryRun) return tried;
  const more = tried.keys.filter(({ shows_more }) => shows_more);
  if (more.length > 0 && !yes) {
    const keys = more
      .map(({ id, name, before, after }) => `${id} (${name}: ${before} trades, then ${after})`)
      .join(', ');
    await agree(
      `These keys would show more: ${keys}. Proceed?`,
      `these keys would show more: ${keys}; pass --yes, or revoke them`,
    );
  }
  return run(false);
}
