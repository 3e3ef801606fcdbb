/** Questions to the user at the terminal. */
import { createInterface } from 'node:readline';
import { UserError } from '../../errors.ts';
import { visible } from './output.ts';

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
