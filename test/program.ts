/** Starts the real program, as it is built, as a child process with no setting of the machine it runs on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** What `npm run build` makes, started three times as fast as the source. */
export const PROGRAM = fileURLToPath(new URL('../dist/program.cjs', import.meta.url));

interface Options {
  env?: Record<string, string>;
  /** The folder that it runs in. */
  cwd?: string;
  /** Options before the command. */
  before?: readonly string[];
  /** What it runs under: a tracer, say, and its options. */
  under?: readonly string[];
}

interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command to its end. */
export async function run(args: readonly string[], options: Options = {}): Promise<Finished> {
  const { child, output } = launch(args, options);
  const [code] = await once(child, 'close');
  return { code, ...output };
}

interface Serving {
  /** http://127.0.0.1:40123 */
  url: string;
  port: number;
  pid: number;
  output: { stdout: string; stderr: string };
  /** Its stderr: to pause, say. */
  messages: Readable;
  /** Sends SIGTERM. */
  stop: () => void;
  /** Closes our end of its stderr. */
  deafen: () => void;
  /** When it has ended. */
  ended: Promise<Finished>;
}

/** Starts `serve` on a free port, and ends it with the test. */
export async function startServe(args: readonly string[], options: Options = {}): Promise<Serving> {
  const { child, output } = launch([...(options.before ?? []), 'serve', '--port', '0', ...args], options);
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

function launch(
  args: readonly string[],
  { env = {}, under = [], cwd }: Options,
): { child: ChildProcess; output: { stdout: string; stderr: string } } {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(JOURNAL_API_|XDG_|NODE_OPTIONS)/.test(name));
  const [command, ...words] = [...under, process.execPath, PROGRAM, ...args];
  const child = spawn(command as string, words, {
    env: { ...Object.fromEntries(inherited), ...env },
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
