/**
 * Questions to the user at the terminal, such as before a change of several trades or one
 * that would show keys more.
 */
import { createInterface } from 'node:readline';
import type { ShownByKey } from '../../edit/effects.ts';
import { UsageError, UserError } from '../../errors.ts';
import { visible } from './command.ts';

/** A terminal: lines come from its input, and questions go to its output. */
export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/** Undefined without a terminal. */
export function terminalHere(): Terminal | undefined {
  return process.stdin.isTTY && process.stderr.isTTY
    ? { input: process.stdin, output: process.stderr }
    : undefined;
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
  // It may close before its last lines are read.
  let isClosed = false;
  lines.once('close', () => {
    isClosed = true;
  });

  try {
    lines.prompt();
    for await (const line of lines) {
      const typed = line.trim();
      const answer = read(typed);
      if (answer !== undefined) return answer;

      output.write(`${visible(hint(typed))}\n`);
      if (!isClosed) lines.prompt();
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
export async function agree(
  question: string,
  without: string,
  terminal = terminalHere(),
): Promise<void> {
  if (!terminal) throw new UsageError(without);
  const agreed = await asked(
    terminal,
    `${question} [y/N] `,
    yesOrNo,
    () => 'Type y or n.',
  );
  if (!agreed) throw new UserError('nothing was changed');
}

/** Enter alone is no. */
function yesOrNo(typed: string): boolean | undefined {
  if (/^(y|yes)$/i.test(typed)) return true;
  return /^(n|no)?$/i.test(typed) ? false : undefined;
}

type HasKeys = { keys: readonly ShownByKey[] };

/** How a change is run. */
export interface Attempt {
  /** Whether it is only tried. */
  dryRun: boolean;
  /** Looks again at what the user agreed to, before the commit. */
  approve?: (result: unknown) => void;
}

/**
 * Asks before a change that shows keys more. Most show none more: they are made at once.
 * @param run makes the change, or tries it
 * @throws UsageError without a terminal and --yes; UserError if the user says no
 */
export async function agreedTo<T extends HasKeys>(
  run: (attempt: Attempt) => T,
  { dryRun, yes }: { dryRun?: boolean; yes?: boolean },
  terminal = terminalHere(),
): Promise<T> {
  if (dryRun || yes) return run({ dryRun: dryRun === true });

  let refused: T | undefined;
  try {
    return run({
      dryRun: false,
      approve(result) {
        if (showingMore(result as T) === '') return;
        refused = result as T;
        throw new UserError('nothing was changed');
      },
    });
  } catch (error) {
    if (!refused) throw error;
  }

  // The journal isn't locked while the user decides.
  await agreeToKeys(refused, terminal);
  const agreed = showingMore(refused);

  return run({
    dryRun: false,
    approve(result) {
      const now = showingMore(result as T);
      if (now !== '' && now !== agreed)
        throw otherNow(`these keys would show more: ${now}`);
    },
  });
}

/**
 * The same for several changes, each with a commit of its own.
 * @throws UsageError without a terminal and --yes; UserError if the user says no, or
 * before one that shows another key more
 */
export async function agreedToEach<T extends HasKeys>(
  run: (attempt: Attempt) => T,
  { dryRun, yes }: { dryRun?: boolean; yes?: boolean },
): Promise<T> {
  if (dryRun || yes) return run({ dryRun: dryRun === true });

  const tried = run({ dryRun: true });
  await agreeToKeys(tried);
  const agreed = new Set(
    tried.keys.flatMap(({ id, shows_more }) => (shows_more ? [id] : [])),
  );

  return run({
    dryRun: false,
    approve(result) {
      const others = (result as HasKeys).keys.filter(({ id }) => !agreed.has(id));
      const now = showingMore({ keys: others });
      if (now !== '') throw otherNow(`these keys would show more: ${now}`);
    },
  });
}

async function agreeToKeys(tried: HasKeys, terminal = terminalHere()): Promise<void> {
  const keys = showingMore(tried);
  if (keys === '') return;
  await agree(
    `These keys would show more: ${keys}. Proceed?`,
    `these keys would show more: ${keys}; pass --yes, or revoke them`,
    terminal,
  );
}

/** The keys that would show more, as a sentence names them; empty if none. */
function showingMore({ keys }: HasKeys): string {
  return keys
    .filter(({ shows_more }) => shows_more)
    .map(({ id, name, before, after, first_cash_flows: isFirst }) =>
      isFirst
        ? `${id} (${name}: the first cash flows)`
        : `${id} (${name}: ${before} trades, then ${after})`,
    )
    .join(', ');
}

/**
 * The error if another program wrote since a question was answered.
 * @param now what would happen
 */
export function otherNow(now: string): UserError {
  return new UserError(
    `the journal has changed meanwhile: ${now}; run the command again`,
  );
}
