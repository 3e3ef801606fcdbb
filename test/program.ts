/** Runs the real program without settings of the machine: built, as a child process, or its commands in this process. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { onTestFinished, vi } from 'vitest';
import { runProgram } from '../src/commands/program.ts';

/** The result of `npm run build`, which starts three times as fast as the source. */
export const PROGRAM = fileURLToPath(new URL('../dist/program.cjs', import.meta.url));

interface Options {
  env?: Record<string, string>;
  /** Its working directory. */
  cwd?: string;
  /** Options before the command. */
  before?: readonly string[];
  /** A program that runs it, such as a tracer, with its options. */
  under?: readonly string[];
}

interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. */
export async function run(
  args: readonly string[],
  options: Options = {},
): Promise<Finished> {
  const { child, output } = launch(args, options);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

/**
 * Runs a command to its end in this process, which takes a few milliseconds: all of the program except its start. One at a time, and
 * not a command that waits for a signal.
 */
export async function runHere(
  args: readonly string[],
  { env = {}, cwd = '.' }: Pick<Options, 'env' | 'cwd'> = {},
): Promise<Finished> {
  const output = { stdout: '', stderr: '' };
  const streams = (['stdout', 'stderr'] as const).map((name) =>
    vi
      .spyOn(process, name, 'get')
      .mockReturnValue(collector((text) => (output[name] += text)) as never),
  );
  const before = { argv: process.argv, cwd: process.cwd(), env: { ...process.env } };
  process.argv = [process.execPath, PROGRAM, ...args];
  process.chdir(cwd);
  setEnvironment({ ...inherited(), ...env });
  try {
    return { code: await runProgram(args), ...output };
  } finally {
    process.argv = before.argv;
    process.chdir(before.cwd);
    setEnvironment(before.env);
    for (const stream of streams) stream.mockRestore();
    // An import makes V8 save memory, at the cost of time, until the process ends.
    for (const flag of V8_DEFAULTS) setFlagsFromString(flag);
  }
}

const V8_DEFAULTS = ['--heap-growing-percent=0', '--semi-space-growth-factor=2'];

function setEnvironment(wanted: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env))
    if (!(name in wanted)) delete process.env[name];
  for (const [name, value] of Object.entries(wanted))
    if (process.env[name] !== value) process.env[name] = value;
}

/** A stream that isn't a terminal. */
function collector(add: (text: string) => void): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      add(String(chunk));
      done();
    },
  });
}

interface Serving {
  /** http://127.0.0.1:40123 */
  url: string;
  port: number;
  pid: number;
  output: { stdout: string; stderr: string };
  /** Its stderr, for example to pause it. */
  messages: Readable;
  /** Sends SIGTERM. */
  stop: () => void;
  /** Closes the test's end of its stderr. */
  deafen: () => void;
  /** Resolves when it has ended. */
  ended: Promise<Finished>;
}

/** Starts `serve` on a free port, and ends it with the test. */
export async function startServe(
  args: readonly string[],
  options: Options = {},
): Promise<Serving> {
  const { child, output } = launch(
    [...(options.before ?? []), 'serve', '--port', '0', ...args],
    options,
  );
  const ended = once(child, 'close').then(([code]) => ({ code, ...output }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.on('data', () => {
      const ready = /journal-api is ready at (\S+)\n/.exec(output.stderr)?.[1];
      if (ready) resolve(ready);
    });
    ended.then(({ stderr }) => reject(new Error(`it did not start: ${stderr}`)), reject);
  });
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.pid as number,
    output,
    messages: child.stderr as Readable,
    stop: () => child.kill('SIGTERM'),
    deafen: () => child.stderr?.destroy(),
    ended,
  };
}

export function launch(
  args: readonly string[],
  { env = {}, under = [], cwd }: Options,
): { child: ChildProcess; output: { stdout: string; stderr: string } } {
  const [command, ...words] = [...under, process.execPath, PROGRAM, ...args];
  const child = spawn(command as string, words, {
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output.stderr += text;
  });
  return { child, output };
}

/** The environment without settings of the program and of Node. */
function inherited(): NodeJS.ProcessEnv {
  const names = /^(JOURNAL_API_|XDG_(?!CACHE_)|NODE_OPTIONS)/;
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !names.test(name)),
  );
}
