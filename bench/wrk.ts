/** Load from wrk (a Debian package), and its result. */
import { execFile, execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The server and the client have one core each, if there are two and the system is Linux. */
const pins = availableParallelism() > 1 && succeeds('taskset', '--version');

/** Restricts a command to one core. */
export function onCore(
  core: 0 | 1,
  command: string,
  args: readonly string[],
): [command: string, args: string[]] {
  return pins
    ? ['taskset', ['-c', String(core), command, ...args]]
    : [command, [...args]];
}

export interface Load {
  url: string;
  headers?: Record<string, string>;
  /** A Lua script that makes the requests, and its arguments. */
  script?: readonly string[];
}

export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p99: number;
}

/** 16 keep-alive connections, each with one request at a time. */
export async function load(
  { url, headers = {}, script = [] }: Load,
  seconds: number,
): Promise<Measured> {
  if (!succeeds('which', 'wrk'))
    throw new Error('wrk is missing; run: apt-get install wrk');
  const [file, ...given] = script;
  const args = ['-t1', '-c16', `-d${seconds}s`, '--latency'];
  for (const [name, value] of Object.entries(headers))
    args.push('-H', `${name}: ${value}`);
  if (file !== undefined) args.push('-s', file);
  args.push(url, ...(given.length > 0 ? ['--', ...given] : []));
  const { stdout } = await run(...onCore(1, 'wrk', args));
  const failed =
    /Non-2xx or 3xx responses: (\d+)/.exec(stdout) ?? /Socket errors: (.*)/.exec(stdout);
  if (failed) throw new Error(`${url}: ${failed[0]}`);
  const [, amount, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) as unknown as [
    string,
    string,
    'us' | 'ms' | 's',
  ];
  return {
    perSecond: Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    p99: Number(amount) * { us: 0.001, ms: 1, s: 1000 }[unit],
  };
}

function succeeds(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
