/** Questions to the person at the terminal. */
import { createInterface } from 'node:readline';
import { UserError } from '../errors.ts';

/** A terminal to ask at: where lines come from, and where questions go. */
export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** Undefined without a terminal. */
export function terminalHere(): Terminal | undefined {
  return process.stdin.isTTY && process.stderr.isTTY ? { input: process.stdin, output: process.stderr } : undefined;
}

/**
 * @param read the answer; undefined for a text that is none
 * @param hint what would be an answer
 * @throws UserError where the terminal is closed before one
 */
export async function asked<T>(
  { input, output }: Terminal,
  question: string,
  read: (said: string) => T | undefined,
  hint: (said: string) => string,
): Promise<T> {
  const lines = createInterface({ input, output, prompt: question });
  try {
    lines.prompt();
    for await (const line of lines) {
      const said = line.trim();
      const answer = read(said);
      if (answer !== undefined) return answer;
      output.write(`${hint(said)}\n`);
      lines.prompt();
    }
  } finally {
    lines.close();
  }
  throw new UserError('no answer; nothing was changed');
}
