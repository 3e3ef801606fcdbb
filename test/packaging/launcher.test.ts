/** bin/journal-api, started with a Node too old for the program. */
import { execFileSync, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { transformSync } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder, tradeRow, World } from '../helpers.ts';

const windows = process.platform === 'win32';
const NODE = windows ? 'node.exe' : 'node';

/** A Node on PATH that is too old, if any. */
const OLD_NODE = (process.env['PATH'] ?? '')
  .split(delimiter)
  .map((folder) => join(folder, NODE))
  .find((node) => {
    try {
      return (
        Number(execFileSync(node, ['-p', 'process.versions.napi'], { stdio: 'pipe' })) <
        10
      );
    } catch {
      return false;
    }
  });

interface Started {
  pid: number;
  output: { stdout: string; stderr: string };
  /** Waits until the output matches. */
  prints: (what: RegExp) => Promise<RegExpExecArray>;
  ended: Promise<{
    code: number | null;
    signal: string | null;
    stdout: string;
    stderr: string;
  }>;
}

function start(
  root: string,
  args: readonly string[],
  options: SpawnOptions & { input?: string } = {},
): Started {
  const child = spawn(OLD_NODE as string, [join(root, 'bin', 'journal-api'), ...args], {
    ...options,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  if (options.input !== undefined) child.stdin?.end(options.input);
  onTestFinished(() => void child.kill('SIGTERM'));
  const output = { stdout: '', stderr: '' };
  child.stdout?.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => ({
    code,
    signal,
    ...output,
  }));
  const prints = async (what: RegExp) => {
    for (;;) {
      const match = what.exec(output.stdout + output.stderr);
      if (match) return match;
      const over = await Promise.race([
        ended,
        once(child.stdout!, 'data'),
        once(child.stderr!, 'data'),
      ]);
      if ('code' in over && !what.test(output.stdout + output.stderr))
        throw new Error(output.stderr);
    }
  };
  return { pid: child.pid as number, output, prints, ended };
}

/** A folder with the launcher and a program of this source. */
function place(program: string | undefined, { node = true } = {}): string {
  const root = temporaryFolder();
  cpSync('bin', join(root, 'bin'), { recursive: true });
  if (program !== undefined) {
    mkdirSync(join(root, 'dist'));
    writeFileSync(join(root, 'dist', 'program.cjs'), program);
  }
  if (node) {
    mkdirSync(join(root, 'node_modules', 'node', 'bin'), { recursive: true });
    symlinkSync(process.execPath, join(root, 'node_modules', 'node', 'bin', NODE));
  }
  return root;
}

test.each(['bin/journal-api', 'build/node-version.js'])(
  '%s has valid syntax for Node 12',
  (file) => {
    const text = readFileSync(file, 'utf8');
    const written = (target: string) => transformSync(text, { target }).code;
    expect(written('node12')).toBe(written('esnext'));
  },
);

test('a new enough Node on PATH runs the program in the same process', () => {
  const root = place('console.log(process.ppid, process.argv.slice(2))', { node: false });
  const output = execFileSync(
    process.execPath,
    [join(root, 'bin', 'journal-api'), 'a b'],
    {
      encoding: 'utf8',
    },
  );
  expect(output).toBe(`${process.pid} [ 'a b' ]\n`);
});

describe.skipIf(OLD_NODE === undefined)(
  'with an old Node (skipped if PATH has none)',
  () => {
    test('arguments, input, output and exit code pass through', async () => {
      const root = place(`
      const input = require('node:fs').readFileSync(0, 'utf8');
      process.stdout.write(JSON.stringify([process.execPath, process.argv.slice(2), input]));
      process.stderr.write('to stderr');
      process.exitCode = 7;`);
      const args = ['', 'a b', '"c"', '--d', '$HOME', '*'];
      const { code, signal, stdout, stderr } = await start(root, args, {
        input: 'from stdin',
      }).ended;
      expect([code, signal, stderr]).toEqual([7, null, 'to stderr']);
      expect(JSON.parse(stdout)).toEqual([process.execPath, args, 'from stdin']);
    });

    test.skipIf(windows).each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
      '%s reaches the program, which chooses its exit code',
      async (signal) => {
        const root = place(`
      process.on('${signal}', () => { console.log('got ${signal}'); process.exit(3); });
      setInterval(() => {}, 1000);
      console.log('ready');`);
        const { pid, prints, ended } = start(root, []);
        await prints(/ready/);
        process.kill(pid, signal);
        expect(await ended).toEqual({
          code: 3,
          signal: null,
          stdout: `ready\ngot ${signal}\n`,
          stderr: '',
        });
      },
    );

    test
      .skipIf(windows)
      .each(['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL', 'SIGABRT'] as const)(
      'if the program dies of %s, so does the launcher',
      async (signal) => {
        const { code, signal: died } = await start(
          place(`process.kill(process.pid, '${signal}')`),
          [],
        ).ended;
        expect([code, died]).toEqual([null, signal]);
      },
    );

    test('the real program serves, and one Ctrl-C lets running requests finish', async () => {
      const world = new World();
      world.now = Date.now();
      const key = world.key();
      world.insert('trades', tradeRow('t-1'));
      const args = ['serve', '--port', '0', '--log', 'off', '--home', world.files.home];
      const { pid, prints, ended } = start(process.cwd(), args, { detached: true });
      const [, port] = await prints(/ready at http:\/\/127\.0\.0\.1:(\d+)/);
      // The request waits while another program locks the journal.
      world.db.exec('BEGIN EXCLUSIVE');
      const waiting = connect(Number(port), '127.0.0.1');
      waiting.write(
        `GET /v1/trades HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      // The server has accepted it once a later connection gets its response.
      expect((await fetch(`http://127.0.0.1:${port}/llms.txt`)).status).toBe(200);
      // A terminal signals the whole group: the launcher and the program.
      if (windows) process.kill(pid, 'SIGINT');
      else process.kill(-pid, 'SIGINT');
      // The launcher has forwarded the signal once the program stops listening.
      while (await fetch(`http://127.0.0.1:${port}/llms.txt`).catch(() => undefined));
      world.db.exec('ROLLBACK');
      let response = '';
      for await (const chunk of waiting) response += chunk;
      // On a busy machine this may take two seconds, and the response is 503: the journal is locked.
      expect(response).toMatch(/^HTTP\/1\.1 (200 OK\r\n[\s\S]*"id":"t-1"|503 )/);
      expect(await ended).toMatchObject({ code: 0, signal: null, stdout: '' });
    });

    test('without a newer Node it names the remedy in one line: npm ci in a clone, else nodejs.org', async () => {
      const root = place('', { node: false });
      const version = execFileSync(OLD_NODE as string, ['--version'], {
        encoding: 'utf8',
      }).trim();
      const needs = `journal-api needs Node.js 22.14 or newer; this is ${version}. `;
      expect(await start(root, ['serve']).ended).toEqual({
        code: 1,
        signal: null,
        stdout: '',
        stderr: `${needs}See https://nodejs.org\n`,
      });
      writeFileSync(join(root, 'package-lock.json'), '{}');
      const { stderr } = await start(root, ['serve']).ended;
      expect(stderr).toBe(`${needs}Run "npm ci" in ${root} to install one\n`);
    });

    test('without a build it names the command in one line', async () => {
      const root = place(undefined);
      const { code, stdout, stderr } = await start(root, ['serve']).ended;
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(
        `journal-api is not built yet; run "npm ci && npm run build" in ${root}\n`,
      );
    });

    test('a bundled Node that cannot be started is reported', async () => {
      const root = place('', { node: false });
      mkdirSync(join(root, 'node_modules', 'node', 'bin', NODE), { recursive: true });
      const { code, stderr } = await start(root, []).ended;
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^journal-api: \S+ can't be started: .+\n$/),
      ]);
    });

    test('the single script states its needs, and how to build an executable', () => {
      const script = () =>
        execFileSync(OLD_NODE as string, ['dist/journal-api.cjs', 'serve'], {
          stdio: 'pipe',
        });
      expect(script).toThrow(
        /journal-api needs Node\.js 22\.14 or newer; this is v[\d.]+\. See https:\S+, or run "npm run build:binary"/,
      );
    });
  },
);
