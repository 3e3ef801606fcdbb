/** Load from wrk (a Debian package), and what came of it. */
import { execFile, execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The server has one core, the client another, where there are two and Linux lets us choose. */
const pins = availableParallelism() > 1 && succeeds('taskset', '--version');

/** A command that runs on one core. */
export function onCore(core: 0 | 1, command: string, args: readonly string[]): [command: string, args: string[]] {
  return pins ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]];
}

export interface Load {
  url: string;
  headers?: Record<string, string>;
  /** A Lua script that makes the requests, and what it is told. */
  script?: readonly string[];
}

export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p99: number;
}

/** 16 connections that are kept alive, each with one request under way. */
export async function load({ url, headers = {}, script = [] }: Load, seconds: number): Promise<Measured> {
  if (!succeeds('which', 'wrk')) throw new Error('wrk is missing: apt-get install wrk');
  const [file, ...told] = script;
  const args = ['-t1', '-c16', `-d${seconds}s`, '--latency'];
  for (const [name, value] of Object.entries(headers)) args.push('-H', `${name}: ${value}`);
  if (file !== undefined) args.push('-s', file);
  args.push(url, ...(told.length > 0 ? ['--', ...told] : []));
  const { stdout } = await run(...onCore(1, 'wrk', args));
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout) ?? /Socket errors: (.*)/.exec(stdout);
  if (failed) throw new Error(`${url}: ${failed[0]}`);
  const [, amount, unit] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) as unknown as [string, string, 'us' | 'ms' | 's'];
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
