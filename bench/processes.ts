/** The built program, its server and its rivals as child processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onCore } from './wrk.ts';

export const PROGRAM = 'dist/program.cjs';

const METER = new URL('./meter.cjs', import.meta.url).pathname;

export interface Cost {
  /** By the clock; to the first output, if that was asked for. */
  ms: number;
  /** Processor time of all threads, which other programs change less. */
  cpu: number;
  /** The largest memory, in MB. */
  peak: number;
  stdout: string;
}

interface Ways {
  /** Ends it at its first output there. */
  until?: 'stdout' | 'stderr';
  input?: string;
  env?: Record<string, string>;
}

/** @throws if the process fails */
export async function run(args: readonly string[], ways: Ways = {}): Promise<Cost> {
  const started = performance.now();
  const child = spawn(process.execPath, ['--require', METER, ...args], {
    env: { ...process.env, ...ways.env },
  });
  const texts = { stdout: '', stderr: '' };
  let ms: number | undefined;
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk) => {
      texts[name] += chunk;
      if (name !== ways.until || ms !== undefined) return;
      ms = performance.now() - started;
      child.kill('SIGUSR2');
    });
  }
  child.stdin.on('error', () => undefined);
  child.stdin.write(ways.input ?? '');
  if (ways.until === undefined) child.stdin.end();
  const [code] = await once(child, 'close');
  const [, cpu, peak] = /METER (\d+) (\d+)/.exec(texts.stderr) ?? [];
  if (code !== 0 || cpu === undefined)
    throw new Error(`${args.join(' ')}: ${texts.stderr}`);
  return {
    ms: ms ?? performance.now() - started,
    cpu: Number(cpu) / 1000,
    peak: Number(peak) / 1024,
    stdout: texts.stdout,
  };
}

/** A new key with all scopes, for the only user. */
export async function keyFor(home: string): Promise<string> {
  const options = [
    '--name',
    'bench',
    '--scopes',
    'all',
    '--expires',
    '24h',
    '--home',
    home,
  ];
  return (await run([PROGRAM, 'key', 'create', ...options])).stdout.trim();
}

export interface Server {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

/** journal-api with everything on: key, scopes, rate limit, request ids, a log to a file. */
export async function serve(home: string, ...flags: string[]): Promise<Server> {
  const options = ['--port', '0', '--rate-limit', '1000000', '--home', home, ...flags];
  const log = join(home, `log-${process.hrtime.bigint()}`);
  const output = openSync(log, 'w');
  const started = start([PROGRAM, 'serve', ...options], output);
  closeSync(output);
  return started(() => /ready at (\S+)/.exec(readFileSync(log, 'utf8'))?.[1]);
}

/** Another server: a script of bench/rivals that takes a port, ready once it answers. */
export async function serveRival(script: string, ...given: string[]): Promise<Server> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return start(
    [script, String(port), ...given],
    'inherit',
  )(async () => {
    const response = await fetch(`${url}/v1/trades`).catch(() => undefined);
    return response?.ok ? url : undefined;
  });
}

type Ready = () => string | undefined | Promise<string | undefined>;

/** Starts a server on one core. @returns waits until its address is known */
function start(args: readonly string[], errors: number | 'inherit') {
  const child = spawn(...onCore(0, process.execPath, args), {
    stdio: ['ignore', 'ignore', errors],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
  };
  return async (ready: Ready): Promise<Server> => {
    for (let tries = 0; tries < 300 && child.exitCode === null; tries++) {
      const url = await ready();
      if (url !== undefined) return { url, pid: child.pid as number, stop };
      await sleep(100);
    }
    throw new Error(`${args.join(' ')} is not ready after 30 s`);
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** Resident memory in MB. */
export function memoryOf({ pid }: Server): number {
  return (
    Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) /
    1024
  );
}
