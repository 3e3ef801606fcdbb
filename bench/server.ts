/** The built server and its rivals as child processes. */
import { execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { onCore } from './wrk.ts';

export interface Running {
  url: string;
  pid: number;
  stop: () => Promise<void>;
}

export interface BenchServer extends Running {
  /** A new key with all scopes and its own rate limit, for the only user unless one is named. */
  key: (user?: string) => string;
}

/** Requests per minute and key: counted but never reached. */
const RATE_LIMIT = '1000000';

/** journal-api on a data folder, with everything on: key, scopes, rate limit, request ids, a log to a file. */
export async function startServer(home: string, ...flags: string[]): Promise<BenchServer> {
  const args = [
    'dist/program.cjs',
    'serve',
    '--port',
    '0',
    '--rate-limit',
    RATE_LIMIT,
    '--home',
    home,
    ...flags,
  ];
  const log = join(home, `log-${process.hrtime.bigint()}`);
  const running = await start(
    process.execPath,
    args,
    log,
    () => /ready at (\S+)/.exec(readFileSync(log, 'utf8'))?.[1],
  );
  return {
    ...running,
    key: (user) => {
      const of = user === undefined ? [] : ['--user', user];
      const create = [
        'key',
        'create',
        '--name',
        'bench',
        '--scopes',
        'all',
        '--expires',
        '24h',
        '--home',
        home,
        ...of,
      ];
      const stdio = ['ignore', 'pipe', 'ignore'] as ['ignore', 'pipe', 'ignore'];
      return execFileSync(process.execPath, ['dist/program.cjs', ...create], { stdio })
        .toString()
        .trim();
    },
  };
}

/** Any other server: its command takes a port, and it is ready once that port responds. */
export async function startRival(
  command: string,
  args: (port: number) => string[],
  path: string,
  onOneCore = true,
): Promise<Running> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const ready = async () => {
    const response = await fetch(`${url}${path}`).catch(() => undefined);
    await response?.arrayBuffer();
    return response && response.status < 500 ? url : undefined;
  };
  return await start(command, args(port), '/dev/null', ready, onOneCore);
}

type Ready = () => string | undefined | Promise<string | undefined>;

async function start(
  command: string,
  args: readonly string[],
  log: string,
  ready: Ready,
  onOneCore = true,
): Promise<Running> {
  const output = openSync(log, 'w');
  const child = spawn(...(onOneCore ? onCore(0, command, args) : ([command, [...args]] as const)), {
    stdio: ['ignore', 'ignore', output],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  closeSync(output);
  const stopped = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  process.once('exit', () => child.kill('SIGKILL'));
  for (let i = 0; i < 300; i++) {
    if (child.exitCode !== null)
      throw new Error(`${command} ${args.join(' ')} ended with ${child.exitCode}`);
    const url = await ready();
    if (url !== undefined) {
      return {
        url,
        pid: child.pid as number,
        stop: () => {
          child.kill('SIGTERM');
          return stopped;
        },
      };
    }
    await new Promise((resume) => setTimeout(resume, 100));
  }
  throw new Error(`${command} ${args.join(' ')} is not ready after 30 s`);
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Resident memory of a process, in MB. */
export function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}
